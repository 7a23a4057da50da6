#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/docs/slm.sh: the lake of the test card, its depths a plain that ends at the mountains, and a
# liquid crystal of 32 levels whose phase is not even in its drives. Part of ./run docs.
cd "$(dirname "$0")/../.."
. tools/common.sh

pictures=docs/images/slm
mkdir -p $pictures
build/roundoff testcard out/colour.ppm --size 1280x853 --colour --quiet
python3 tools/docs/pictures.py crop out/colour.ppm out/lake.ppm 440 10 480 320
awk 'BEGIN { print "P2 480 320 255"; for (y = 0; y < 320; y++) {
    d = y < 110 ? 255 : int(255 * (1 - (y - 110) / 210)); for (x = 0; x < 480; x++) print d } }' \
    >out/depth.pgm
awk 'BEGIN { print "level, drive, degrees, amplitude"; for (k = 0; k < 32; k++)
    printf "%d, %d, %.1f, %.3f\n", k, 8 * k + 3, 360 * (k / 32) ^ 1.2, 1 - 0.002 * k }' >out/lcos.csv
(
    cd out
    PATH=../build:$PATH
    roundoff hologram make lake.npy --size 1920x1080 --pitch 8um --wavelength 532nm \
        --scene lake.ppm --depth-map depth.pgm --depth 17cm,23cm --phase spherical \
        --view-specific
    roundoff hologram quantize lake.npy slm.bmp --levels lcos.csv --gain auto
    roundoff hologram reconstruct slm.bmp near.png --levels lcos.csv --sidecar lake.json \
        --depth 17cm
    roundoff hologram reconstruct slm.bmp far.png --levels lcos.csv --sidecar lake.json \
        --depth 23cm --reference lake.ppm
    roundoff hologram quantize lake.npy rounded.bmp --levels lcos.csv --algorithm truncate
    roundoff hologram reconstruct rounded.bmp rounded.png --levels lcos.csv \
        --sidecar lake.json --depth 23cm --reference lake.ppm
)
build/roundoff halftone out/lake.ppm $pictures/photo.png --levels 256 --resize 360x --quiet
build/roundoff halftone out/depth.pgm $pictures/depth.png --levels 256 --resize 360x --quiet
build/roundoff halftone out/slm.bmp $pictures/slm.png --levels 256 --resize 480x --quiet
for view in near far rounded; do
    build/roundoff halftone out/$view.png $pictures/$view.png --levels 256 --resize 480x --quiet
done
