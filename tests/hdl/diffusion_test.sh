#!/bin/sh
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/simulate.sh"
# diffusion WIDTH STEPS BITS TIME NEAREST COUNT CLOCKS: the first result comes STEPS rows and CLOCKS
# clocks after the first pixel; jacobi WIDTH STEPS TIME TIME_CLOCKS COUNT CLOCKS likewise
diffusion() {
    simulate diffusion ro_diffusion \
        "WIDTH=$1 STEPS=$2 BITS=$3 TIME=$4 NEAREST=$5 @CLOCKS=$7" "$6"
}
jacobi() {
    simulate jacobi ro_jacobi "WIDTH=$1 STEPS=$2 TIME=$3 TIME_CLOCKS=$4 @CLOCKS=$6" "$5"
}
# weights WIDTH TIME COUNT: the numbers of the contrast are the library's
weights() {
    simulate weights ro_jacobi_weights "WIDTH=$1 TIME=$2 SHIFT=28 FACTOR=1759" "$3"
}
diffusion 40 2 9 6143 0 60 34
jacobi 32 2 16384 2 30 62
weights 32 16384 60
if [ "${HDL_WHOLE:-}" ]; then
    diffusion 1 3 12 6143 0 60 47
    diffusion 200 6 12 6143 0 60 86
    diffusion 40 2 12 3071 1 100 34
    diffusion 40 2 9 1000 1 100 34
    jacobi 40 4 16384 2 60 116
    jacobi 40 1 131072 2 60 36
    jacobi 40 1 5000 3 60 36
    weights 1 16384 60
    weights 200 131072 200
fi
