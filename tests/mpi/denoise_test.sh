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
refused "give kappa" 2 denoise grey.pgm old.pbm --model anisotropic

# The trained model, with its noise found in all of the picture: even, growing with the tone, little.
"$ROUNDOFF" testcard large.pgm --size 300x411 --quiet
"$ROUNDOFF" testcard deep.tif --size 200x350 --colour --bits 16 --quiet
python3 - <<'EOF'
import random
random.seed(3)
with open('counts.pgm', 'wb') as file:
    file.write(b'P5\n260 330\n4095\n')
    for y in range(330):
        for x in range(260):
            tone = 200 + 2400 * ((x // 37 + y // 41) % 5) / 4
            value = round(random.gauss(tone, (6 * tone) ** 0.5))
            file.write(min(max(value, 0), 4095).to_bytes(2, 'big'))
EOF
trained() {
    number=$1
    in=$2
    out=$3
    shift 3
    "$ROUNDOFF" denoise "$in" "one.$out" "$@" 2>said
    case $in in counts*) grep -q "noise that grows" said || wrong "even noise: $(cat said)" ;; esac
    ranks "$number" denoise "$in" "many.$out" "$@" 2>said || wrong "$number ranks: $(cat said)"
    cmp "one.$out" "many.$out" || wrong "$number ranks, $in to $out, $*: the bytes differ"
}
trained 1 large.pgm pgm
trained 2 counts.pgm pgm --threads 2
trained 3 large.pgm npy --quality fast
trained 5 deep.tif tif
trained 5 counts.pgm npy --quality fast
trained 3 grey.pgm pgm --noise-level 15
trained 4 grey.pgm pgm
exit $failed
