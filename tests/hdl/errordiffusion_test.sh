#!/bin/sh
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/simulate.sh"
simulate kernels kernels_top 'WIDTH=48 MAXVAL=255 FIRST=0 COUNT=12 LINES=0 @ROWS=0 @CLOCKS=30' 12
simulate kernels kernels_top 'WIDTH=48 MAXVAL=255 FIRST=0 COUNT=4 LINES=1 @ROWS=0 @CLOCKS=300' 12
