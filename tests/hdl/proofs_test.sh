#!/bin/sh
# SPDX-License-Identifier: MIT
# The proofs that take seconds; ./run hdl has them all.
. "$(dirname "$0")/prove.sh"
prove_function loop_proof 'B=17 SHIFT=4 RIGHT=7'
prove_function loop_proof 'B=16 SHIFT=3 RIGHT=3'
prove_function loop_proof 'B=14 SHIFT=4 RIGHT=4 FURTHER=3'
prove_function loop_proof 'B=17 SHIFT=4 RIGHT=8'
prove_function loop_proof 'B=14 SHIFT=4 RIGHT=7 LEVELS=16 LANES=2'
prove_function flux_proof 'B=12 WEIGHT=4095 DOUBLE=1 NEAREST=0'
prove_function third_proof 'B=29 CLOCKS=5'
prove_function times_proof 'B=14 C=43'
prove_function multiply_proof 'A=3 B=21'
prove_function norm_proof 'P=12' '-prove circuit.most5 most'
prove_function norm_proof 'P=12' '-prove circuit.sum5 sum'
if [ "${HDL_WHOLE:-}" ]; then
    prove_function loop_proof 'B=15 SHIFT=2 RIGHT=2'
    prove_function loop_proof 'B=16 SHIFT=3 RIGHT=4'
    prove_function loop_proof 'B=17 SHIFT=4 RIGHT=4 FURTHER=2'
    prove_function loop_proof 'B=17 SHIFT=4 RIGHT=4 FURTHER=3'
    prove_function loop_proof 'B=18 SHIFT=4 RIGHT=7 LEVELS=16'
    prove_function loop_proof 'B=17 SHIFT=4 RIGHT=7 LANES=2'
    for nearest in 0 1; do
        for bits in 9 12; do
            prove_function flux_proof "B=$bits WEIGHT=4095 DOUBLE=1 NEAREST=$nearest"
            prove_function flux_proof "B=$bits WEIGHT=8190 DOUBLE=0 NEAREST=$nearest"
        done
    done
    for constant in 92 53 55; do
        prove_function times_proof "B=14 C=$constant"
    done
    prove_function multiply_proof 'A=3 B=8 BLOCKS=0'
    prove_function norm_proof 'P=16' '-prove circuit.most5 most'
    prove_function norm_proof 'P=16' '-prove circuit.sum5 sum'
fi
