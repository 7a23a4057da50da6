#!/bin/sh
# SPDX-License-Identifier: MIT
# train.sh DATA START OUT: trains five networks at the same time on 16 cores, as README.md reports.
# DATA holds the results of patches.py, START the weights to start from; weights, states and logs go
# to OUT. Run it again with the same OUT to go on after an interruption.
#
# On the machine of README.md, --seconds 465 gave the numbers of batches that are fixed here.
set -e
here=$(cd "$(dirname "$0")" && pwd)
data=${1:?} start=${2:?} out=${3:?}
mkdir -p "$out"
gcc -std=gnu11 -O3 -march=native -o "$out/train" "$here/train.c" "$here/batch.c" "$here/passes.c" \
    "$here/weights.c" -lm -pthread
network() {
    name=$1
    shift
    "$out/train" --patches "$data/train.bin" --validation "$data/valid.bin" --batch 16 \
        --report 500 "$@" "$out/$name.txt" >>"$out/$name.log" 2>&1 &
}
network best --threads 4 --rate 0.002 --start "$start/best.txt" --distances '1 1 2 4 2 1' \
    --whole words --batches 15487
network best_near --threads 4 --rate 0.002 --start "$start/best.txt" --distances '1 1 2 1 2 1' \
    --whole words --batches 15918
network tied --threads 4 --rate 0.004 --steps 6 --filters 24 --tied 1 --distances '1 1 2 1 2 1' \
    --whole words --batches 15544
network fast --threads 2 --rate 0.002 --start "$start/fast.txt" --distances '1 2 1 2 1' \
    --whole bytes --batches 18152
network fast_near --threads 2 --rate 0.002 --start "$start/fast.txt" --distances '1 1 2 1 1' \
    --whole bytes --batches 17537
wait
