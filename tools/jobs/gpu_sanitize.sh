#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/jobs/gpu_sanitize.sh: small sizes under compute-sanitizer, after tools/jobs/gpu.sh has built.
# Programs with their options are split into words on purpose.
# shellcheck disable=SC2086
cd "$(dirname "$0")/../.."
. tools/common.sh

# sanitized TOOL PROGRAM...: under compute-sanitizer, and a line that says how it went; eight at once.
sanitized_runs=0
sanitized() {
    tool=$1
    shift
    sanitized_runs=$((sanitized_runs + 1))
    {
        log=build/sanitizer-$sanitized_runs.log
        if compute-sanitizer --tool "$tool" --error-exitcode 9 "$@" >"$log" 2>&1; then
            echo "$tool clean: $*"
            rm "$log"
        else
            cat "$log" >&2
            echo "$tool FAULTS: $*"
            echo "$tool $*" >>build/sanitizer-faults
        fi
    } &
    if [ $((sanitized_runs % 8)) -eq 0 ]; then wait; fi
}

if ! command -v compute-sanitizer >/dev/null 2>&1; then
    echo "compute-sanitizer was not found: nothing was checked with it"
    exit 0
fi
rm -f build/sanitizer-faults
build/roundoff testcard build/small.pgm --size 200x330 --quiet
halftone='build/roundoff halftone build/small.pgm build/small.pbm --device cuda --quiet'
segment='build/roundoff segment build/small.pgm build/small-2.pgm --device cuda --quiet
    --at 100,70,20 --at 2:30,30 --iterations 40'
denoise='build/roundoff denoise build/small.pgm build/small-2.pgm --device cuda --quiet'
for schedule in wave pwed pwec bwed bwec; do
    sanitized memcheck $halftone --schedule $schedule
done
sanitized memcheck $halftone --method stucki
sanitized memcheck build/rocheck test device/odd-rows --variant cuda
for method in bayer8 random; do
    sanitized memcheck $halftone --method $method
done
for model in linear perona-malik exponential anisotropic; do
    sanitized memcheck $denoise --model $model
done
sanitized racecheck $denoise --model anisotropic
light='build/roundoff hologram make build/small.npy --size 600x540 --device cuda --quiet'
sanitized memcheck $light
sanitized racecheck $light
# Device memory that is read before anything was written there, and barriers that not all reach.
for tool in initcheck synccheck; do
    for schedule in wave pwed pwec bwed bwec; do
        sanitized $tool $halftone --schedule $schedule
    done
    for method in stucki bayer8 random dbs; do
        sanitized $tool $halftone --method $method
    done
    sanitized $tool $denoise --model anisotropic
    for how in '--number s12' '--number s16 --curvature 2:0.2' '--number float'; do
        sanitized $tool $segment $how
    done
    sanitized $tool build/roundoff register build/small.pgm build/small.pgm build/small-2.pgm \
        --device cuda --quiet --force --scales 2
done
# Not the wave: its warps wait for tags and counters in the data itself, which racecheck takes
# for races.
for schedule in pwed pwec bwed bwec; do
    sanitized racecheck $halftone --schedule $schedule
done
for tool in memcheck racecheck; do
    for how in '--number s12' '--number s16 --curvature 2:0.2' '--number float'; do
        sanitized $tool $segment $how
    done
done
build/roundoff hologram make build/small.npy --size 200x150 --device cuda --quiet
for how in '--weights ls' '--weights paper --p 3' '--algorithm fs --levels binary'; do
    for tool in memcheck initcheck synccheck; do
        sanitized $tool build/roundoff hologram quantize build/small.npy build/small.bmp \
            --device cuda --quiet $how
    done
done
for tool in memcheck initcheck synccheck; do
    for how in '--levels 16' '--method acuity' '--lpi 60 --dpi 600' \
        '--method dbs-clipping-free --dpi 800 --distance 300'; do
        sanitized $tool build/roundoff halftone build/small.pgm build/small-3.pgm \
            --device cuda --quiet $how
    done
    for scheme in implicit conjugate; do
        sanitized $tool $denoise --scheme $scheme --iterations 2
    done
    sanitized $tool build/roundoff hologram propagate build/small.npy build/small-2.npy \
        --distance 3mm --wavelength 532nm --pitch 8um --device cuda --quiet
done
wait
if [ -s build/sanitizer-faults ]; then
    say "gpu: compute-sanitizer found faults"
    exit 1
fi
