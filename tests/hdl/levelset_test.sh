#!/bin/sh
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/simulate.sh"
# levelset WIDTH STEPS COUNT CLOCKS [more]: fpga12; the first result comes STEPS rows and CLOCKS clocks
# after the first pixel.
levelset() {
    width=$1 steps=$2 count=$3 clocks=$4
    shift 4
    simulate levelset ro_levelset \
        "WIDTH=$width STEPS=$steps @NUMBER=\"s12\" @NORM=\"lin\" @CLOCKS=$clocks" "$count" "$@"
}
# number NUMBER NORM A PHI_BITS SPEED_BITS BLOCKS CLOCKS: other numbers and norms
number() {
    simulate levelset ro_levelset "WIDTH=40 STEPS=1 A=$3 PHI_BITS=$4 SPEED_BITS=$5 BLOCKS=$6 \
        @NUMBER=\"$1\" @NORM=\"$2\" @CLOCKS=$7" 200
}
runs='INTENSITY_BITS=8 ADDRESS_BITS=10'
levelset 40 1 60 26 "$SOURCE_DIR/tests/segment/levelset/fpga12.txt"
levelset 40 3 40 58
simulate run ro_levelset_run "WIDTH=24 STEPS=3 $runs @ROWS=42" 40
if [ "${HDL_WHOLE:-}" ]; then
    levelset 1 2 40 42
    levelset 300 12 60 202
    number s12 lin 43 12 11 0 28
    number s12 volume 92 12 11 1 26
    number u8 interpolative-2 53 8 8 1 26
    number s16 volume-2 55 16 15 1 27
    number s16 lin 43 16 15 0 28
    simulate run ro_levelset_run "WIDTH=40 STEPS=1 $runs @ROWS=25" 100
    simulate run ro_levelset_run "WIDTH=33 STEPS=7 $runs @ROWS=31" 200
    VENDOR=ecp5
    use_vendor
    levelset 40 3 60 58
    number s16 volume-2 55 16 15 1 27
fi
