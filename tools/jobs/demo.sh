#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/jobs/demo.sh: draws the test card and halftones it.
cd "$(dirname "$0")/../.."
. tools/common.sh
sh tools/jobs/build.sh
mkdir -p out
build/roundoff testcard out/card.png --size 2048x2048
build/roundoff halftone out/card.png out/card-2-levels.png
build/roundoff halftone out/card.png out/card-4-levels.png --levels 4
say "the pictures are in out/: card.png, card-2-levels.png, card-4-levels.png"
