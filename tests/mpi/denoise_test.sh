#!/bin/sh
# SPDX-License-Identifier: MIT
# roundoff-mpi denoise: blocks of rows that exchange a few of them give the bytes of one process.
# shellcheck source=tests/mpi/ranks.sh
. "$SOURCE_DIR/tests/mpi/ranks.sh"
"$ROUNDOFF" testcard grey.pgm --size 211x97 --quiet
"$ROUNDOFF" testcard colour.tif --size 120x90 --colour --bits 16 --quiet

# same N IN OUT OPTIONS...
same() {
    number=$1
    in=$2
    out=$3
    shift 3
    "$ROUNDOFF" denoise "$in" "one.$out" --quiet --scheme explicit "$@"
    ranks "$number" denoise "$in" "many.$out" "$@" 2>said || wrong "$number ranks: $(cat said)"
    cmp "one.$out" "many.$out" || wrong "$number ranks, $in to $out, $*: the bytes differ"
}
same 3 grey.pgm pgm --kappa 6
same 7 grey.pgm npy --kappa 3 --iterations 37 --model perona-malik --sigma 1
same 2 grey.pgm tif --model linear --iterations 20 --number s12 --round nearest
same 4 colour.tif ppm --kappa 9 --iterations 11 --threads 2
refused "give kappa" 2 denoise grey.pgm old.pbm
exit $failed
