#!/bin/sh
# SPDX-License-Identifier: MIT
# roundoff-mpi plan and bench: figures that make sense, for any size and number of ranks.
# shellcheck source=tests/mpi/ranks.sh
. "$SOURCE_DIR/tests/mpi/ranks.sh"
number_of() { sed "s/.*\"$1\": \([0-9.]*\).*/\1/"; }

ranks 2 bench --size 2000x2000 --json >told
pixel=$(number_of pixel_ns <told)
awk "BEGIN { exit !($pixel > 0.01 && $pixel < 1000) }" || wrong "a pixel takes $pixel ns"
ranks 2 plan --size 10000000x10000000 --ranks 4096 --json >told
awk "BEGIN { exit !($(number_of efficiency <told) <= 1 && $(number_of seconds <told) > 1) }" ||
    wrong "plan: $(cat told)"
ranks 1 plan --size 100x7 --ranks 50 --method blue-noise >told
grep -q "100 x 7 on 50 ranks" told || wrong "plan: $(cat told)"
ranks 1 plan --size 1x1 --bits 16 >told
grep -q "1 x 1 on 1 rank: " told || wrong "plan: $(cat told)"
grep -q "^1 band of 1 row, nothing is handed on" told || wrong "plan: $(cat told)"
refused "cannot be spread over ranks" 2 plan --method dbs
refused "takes no file" 2 bench in.pgm
exit $failed
