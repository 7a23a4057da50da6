#!/bin/sh
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/simulate.sh"
simulate diffusion ro_diffusion 'WIDTH=40 STEPS=2 BITS=9 TIME=6143 NEAREST=0 @CLOCKS=50' 60
simulate jacobi ro_jacobi 'WIDTH=32 STEPS=2 TIME=16384 @CLOCKS=80' 30
