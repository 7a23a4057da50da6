#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/docs/hologram.sh: Figure 8 of the paper on holograms, the figures under its pictures, and
# spectra of the noise. Part of ./run docs.
cd "$(dirname "$0")/../.."
. tools/common.sh

# hologram_picture NAME [options]: what is seen of the quantized dice, and the figures for it; by the
# paper's scale and by that of the reference, the field's gain taken into account.
hologram_picture() {
    name=$1
    shift
    build/roundoff hologram quantize $field out/numbers.npy --report out/report.json --quiet "$@"
    sed -n "1s/.*\"predicted_snr_db\": \([^,]*\), \"reached_snr_db\": \([^,]*\), \
\"efficiency\": \([^,]*\),.*/run: $name: predicted \1 dB, reached \2 dB, efficiency \3/p" \
        out/report.json >&2
    gain=$(sed -n '1s/.*"gain": \([^,]*\),.*/\1/p' out/report.json)
    build/roundoff hologram reconstruct out/numbers.npy out/view.png --levels phase:256 \
        --sidecar out/dice.json --quiet
    build/roundoff halftone out/view.png "$pictures/$name.png" --levels 256 --resize 320x320 --quiet
    common=$(awk "BEGIN { print $white * $gain * $gain }")
    build/roundoff hologram reconstruct out/numbers.npy out/view.png --levels phase:256 \
        --sidecar out/dice.json --scale "$common" --quiet
    build/roundoff halftone out/view.png "$pictures/$name-common.png" --levels 256 \
        --resize 320x320 --quiet
}

pictures=docs/images/hologram
mkdir -p $pictures
field=out/dice.npy
build/roundoff hologram make $field --size 2048x2048 --quiet
white=$(build/roundoff hologram reconstruct $field out/view.png --json |
    sed 's/.*"scale": \([0-9.e+-]*\).*/\1/')
build/roundoff halftone out/view.png $pictures/reference.png --levels 256 --resize 320x320 --quiet
hologram_picture truncate --algorithm truncate
hologram_picture paper-1 --weights paper --p 1
hologram_picture paper-3 --weights paper --p 3
hologram_picture paper-6 --weights paper --p 6
hologram_picture ls
hologram_picture floyd-steinberg --algorithm floyd-steinberg
hologram_picture swed --algorithm swed
for method in truncate paper ls; do
    case $method in
    truncate) how='--algorithm truncate' ;;
    *) how="--weights $method --hogel 256" ;;
    esac
    build/roundoff hologram quantize $field out/numbers.npy $how --window 0.15,0.1,0.3,0.3 \
        --spectrum out/noise.png --quiet
    build/roundoff halftone out/noise.png $pictures/noise-$method.png --levels 256 \
        --resize 256x256 --quiet
done
