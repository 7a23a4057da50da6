#!/bin/sh
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/simulate.sh"
vectors=$SOURCE_DIR/tests/pde/levelset/fpga12.txt
s12='@NUMBER="s12" @NORM="lin"'
simulate levelset ro_levelset "WIDTH=40 STEPS=1 $s12 @CLOCKS=26" 60 "$vectors"
simulate levelset ro_levelset "WIDTH=40 STEPS=3 $s12 @CLOCKS=58" 60
simulate run ro_levelset_run 'WIDTH=24 STEPS=3 INTENSITY_BITS=8 ADDRESS_BITS=10 @ROWS=42' 40
