#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/jobs/gpu.sh: on a machine with nvcc and a GPU, no network, no libtiff: builds, compares every
# kernel with the reference on the CPU, repeated to catch races, then measures speeds, and runs small
# sizes under compute-sanitizer. What it prints is kept as bench/results/MACHINE.md.
cd "$(dirname "$0")/../.."
. tools/common.sh
command -v nvcc >/dev/null 2>&1 || {
    say "gpu: nvcc was not found in PATH or /usr/local/cuda/bin"
    exit 1
}
# Code for the card that is there.
card=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -1 | tr -d .) || card=
build gpu ${card:+"-DRO_CUDA_ARCHITECTURES=$card"} >build-gpu.log 2>&1 || {
    cat build-gpu.log >&2
    exit 1
}
rm build-gpu.log
device=$(build/roundoff devices | grep '^cuda' | head -1)
if [ -z "$device" ]; then
    say "gpu: no CUDA device was found"
    exit 1
fi
printf '# %s\n\n%s, commit %s, printed by `./run gpu`.\n' "${device#*  }" "$(date -u +%F)" "$(commit)"
printf '\n## Checks\n\n```\n'
# The definitions that the emulated build relies on.
nvcc -std=c++17 -arch=native --fmad=false -Xcompiler=-frounding-math \
    -o build/intrinsics_test tests/simt/intrinsics_test.cu
build/intrinsics_test
build/rocheck steps '*/floyd-steinberg/*'
build/rocheck test --variant cuda
build/rocheck test '*/floyd-steinberg/*' --variant cuda --seed 7 --repeats 100
build/rocheck test '*/stucki/wave' --variant cuda --seed 7 --repeats 100
printf '```\n'
for bench in diffusion terapixel dbs ordered denoise register segment hologram light; do
    printf '\n## %s\n\n' "$bench"
    build/roundoff bench $bench --device cuda
done
printf '\n## Sanitizers\n\n```\n'
sh tools/jobs/gpu_sanitize.sh
printf '```\n'
