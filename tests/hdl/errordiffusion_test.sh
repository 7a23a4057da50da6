#!/bin/sh
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/simulate.sh"
# stream 'PARAMETERS' COUNT CLOCKS, lines likewise: the first result of the first kernel comes CLOCKS
# clocks after the first pixel, with lines four rows more.
stream() { simulate kernels kernels_top "$1 LINES=0 @ROWS=0 @CLOCKS=$3" "$2"; }
lines() { simulate kernels kernels_top "$1 LINES=1 @ROWS=4 @CLOCKS=$3" "$2"; }
stream 'WIDTH=48 MAXVAL=255 FIRST=0 COUNT=10' 12 24
lines 'WIDTH=48 MAXVAL=200 FIRST=6 COUNT=3' 12 31
if [ "${HDL_WHOLE:-}" ]; then
    stream 'WIDTH=48 MAXVAL=255 FIRST=10 COUNT=22' 30 25
    stream 'WIDTH=100 MAXVAL=255 FIRST=32 COUNT=15' 30 24
    stream 'WIDTH=70 MAXVAL=1000 FIRST=4 COUNT=8' 30 24
    stream 'WIDTH=30 MAXVAL=65535 FIRST=0 COUNT=16' 30 24
    lines 'WIDTH=48 MAXVAL=255 FIRST=0 COUNT=32' 30 29
    lines 'WIDTH=100 MAXVAL=255 FIRST=32 COUNT=15' 30 29
    lines 'WIDTH=65 MAXVAL=65535 FIRST=0 COUNT=16' 30 29
fi
