#!/bin/sh
# SPDX-License-Identifier: MIT
# roundoff-mpi halftone and testcard: the bytes of roundoff, options that name files, what is refused.
# shellcheck source=tests/mpi/ranks.sh
. "$SOURCE_DIR/tests/mpi/ranks.sh"

# same OUT N "OPTIONS OF RANKS" OPTIONS...: for both commands
same() {
    out=$1
    number=$2
    of_ranks=$3
    shift 3
    "$ROUNDOFF" halftone "$in" "one.$out" --quiet "$@"
    # shellcheck disable=SC2086
    if ! ranks "$number" halftone "$in" "many.$out" $of_ranks "$@" 2>said; then
        cat said >&2
        wrong "$number ranks, $of_ranks, $*: failed"
    elif ! cmp "one.$out" "many.$out"; then
        wrong "$number ranks, $of_ranks, $*: the bytes differ"
    fi
    if partial "many.$out"; then wrong "a partial file of many.$out was left"; fi
}

# Test cards by columns and rows, and by bands of packed strips.
"$ROUNDOFF" testcard one.ppm --size 733x301 --colour --quiet
ranks 3 testcard many.ppm --size 733x301 --colour --rows 20 --quiet
cmp one.ppm many.ppm || wrong "the cards differ"
"$ROUNDOFF" testcard one.tif --size 933x901 --bits 16 --quiet
ranks 2 testcard many.tif --size 933x901 --bits 16 --quiet
cmp one.tif many.tif || wrong "the cards as TIFF differ"

in=one.tif # packed strips, 16 bits
same tif 4 "--rows 33 --threads 2" --method stucki
if ! grep -q "efficiency .* fill .* waiting" said; then wrong "there is no report"; fi
if command -v tiffcp >/dev/null 2>&1; then
    tiffcp -8 -t -w 64 -l 48 -c lzw one.tif tiles.tif
    in=tiles.tif # of a BigTIFF
    same npy 3 "--rows 31" --levels 9
fi
cat >curve.txt <<'END'
0, 0
0.5, 0.6
1, 1
END
in=one.ppm
same tif 3 "--rows 17" --palette "black white #c00" --curve curve.txt
same pbm 4 "--rows 200" # fewer bands than ranks
if [ "$(grep -c "had no band" said)" != 1 ]; then wrong "idle ranks were not told of once"; fi
ranks 2 halftone one.ppm many.pgm --levels 4 --rows 50 --json >told 2>said
if ! grep -q '"ranks": 2.*"bands": 7,.*"efficiency": ' told; then wrong "JSON: $(cat told said)"; fi

# Help and names, by rank 0 alone.
ranks 2 --help >told
if [ "$(grep -c "Usage: roundoff-mpi COMMAND" told)" != 1 ]; then wrong "help is not said once"; fi
ranks 1 halftone --help >told
if ! grep -q -- "--checkpoint FILE" told; then wrong "help knows no checkpoint"; fi

# Every option of ranks is in the man page.
for option in $(sed -n 's/^  --\([a-z-]*\).*/\1/p' told); do
    grep -q -e "^\.It Fl -$option\b" "$SOURCE_DIR/docs/roundoff-mpi.1" "$SOURCE_DIR/docs/roundoff.1" ||
        wrong "no man page has --$option"
done

refused "cannot be spread over ranks" 2 halftone one.ppm old.pbm --method dbs
refused "No such file" 2 halftone none.pgm old.pbm
echo "P2 2 2 3 0 1 2 3" >plain.pgm
refused "can be read from anywhere" 2 halftone plain.pgm old.pbm
refused "cannot be written in parts" 2 halftone one.ppm old.png
refused "method nobody: must be" 2 halftone one.ppm old.pbm --method nobody
refused "unknown option --sigma" 2 halftone one.ppm old.pbm --sigma 2
refused "a file per ink cannot" 2 halftone one.ppm old.pbm --separate cmyk
refused "needs the whole picture" 2 halftone one.ppm old.pbm --palette auto:4
refused "needs --checkpoint" 2 halftone one.ppm old.pbm --resume
ranks 1 hologram --help >told
if grep -qE "swed|reconstruct" told; then wrong "help names what is refused: $(cat told)"; fi
ranks 1 denoise --help >told
if grep -qE "^ *--(stop|impulse)" told; then wrong "help names what is refused: $(cat told)"; fi
head -c 5000 one.ppm >short.ppm
refused "ends early" 2 halftone short.ppm old.pbm
refused "No such file" 2 halftone one.ppm nowhere/old.pbm

# Ranks that see different files: two folders.
mkdir a b
"$ROUNDOFF" testcard a/in.pgm --size 64x64 --quiet
"$ROUNDOFF" testcard b/in.pgm --size 64x65 --quiet
if "$mpirun" -n 1 -wdir "$folder/a" "$mpi" halftone in.pgm out.pbm : \
    -n 1 -wdir "$folder/b" "$mpi" halftone in.pgm out.pbm </dev/null 2>said; then
    wrong "ranks may see different inputs"
elif ! grep -q "do not see the same input" said; then
    wrong "different inputs: $(cat said)"
fi
cp a/in.pgm b/in.pgm
if "$mpirun" -n 1 -wdir "$folder/a" "$mpi" halftone in.pgm out.pbm : \
    -n 1 -wdir "$folder/b" "$mpi" halftone in.pgm out.pbm </dev/null 2>said; then
    wrong "ranks may see different folders"
elif ! grep -q "do not see the same folder" said; then
    wrong "different folders: $(cat said)"
fi
exit $failed
