#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/mpi_table.sh BUILD SIDE: a test card of SIDE x SIDE pixels over 1, 2 and 4 ranks on this
# machine, then its bytes taken for pictures of other shapes: the bytes of one process, times by the
# clock and of processors, and what the model says of them. The prediction is made just before each
# run; a line is the middle one of three, by the clock.
set -eu
build=$1
side=$2
mpirun=$(sh "$(dirname "$0")/mpirun.sh" "$build/roundoff-mpi")
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 \
    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none \
    OMPI_MCA_hwloc_base_binding_policy=none
folder=$(mktemp -d "${TMPDIR:-/tmp}/roundoff-mpi-XXXXXX")
trap 'rm -rf "$folder"' EXIT
card=${CARD:-$folder/card.pgm}

# number NAME: of the object on standard input
number() { sed "s/.*\"$1\": \([0-9.]*\).*/\1/"; }

# settled FILE: written once more, from its beginning to its end. Pages of a file that was written in
# pieces are read at half the speed.
settled() {
    cp "$1" "$1.copy"
    mv "$1.copy" "$1"
    sync "$1" 2>/dev/null || sync
}

# lines PICTURE WIDTH HEIGHT BITS METHOD
lines() {
    "$build/roundoff" halftone "$1" "$folder/one.pbm" --method "$5" --threads 1 --quiet # into the cache
    one=$("$build/roundoff" halftone "$1" "$folder/one.pbm" --method "$5" --threads 1 --json |
        number seconds)
    for ranks in ${RANKS:-1 2 4}; do
        for try in 1 2 3; do
            "$mpirun" -n "$ranks" "$build/roundoff-mpi" plan --size "$2x$3" --bits "$4" \
                --method "$5" --folder "$folder" --json >"$folder/plan"
            "$mpirun" -n "$ranks" "$build/roundoff-mpi" halftone "$1" "$folder/many.pbm" \
                --method "$5" --json >"$folder/run"
            if ! cmp "$folder/one.pbm" "$folder/many.pbm"; then exit 1; fi
            echo "$(number seconds <"$folder/run") $(number seconds <"$folder/plan")" \
                "$(number computing <"$folder/run") $(number processor_seconds <"$folder/plan")" \
                "$(number waiting <"$folder/run") $(number waiting <"$folder/plan")"
        done | sort -n | sed -n 2p | awk -v what="$2 x $3, $4 bits, $5" -v ranks="$ranks" -v one="$one" '
            function off(a, b) { return sprintf("%+.0f %%", 100 * (b / a - 1)) }
            {
                printf "| %s | %.3f | %d | %.3f | %.3f | %s | %.3f | %.3f | %s | %.0f %% | %.0f %% |\n",
                    what, one, ranks, $1, $2, off($1, $2), $3, $4, off($3, $4),
                    100 * $5 / ($1 * ranks), 100 * $6 / ($2 * ranks)
            }'
    done
}

# other WIDTH HEIGHT BITS METHOD: the same bytes
other() {
    bytes=$(($1 * $2 * $3 / 8))
    if [ "$bytes" -gt $((side * side)) ]; then return; fi
    {
        printf 'P5\n%d %d\n%d\n' "$1" "$2" $(((1 << $3) - 1))
        tail -c "$bytes" "$card"
    } >"$folder/other.pgm"
    settled "$folder/other.pgm"
    lines "$folder/other.pgm" "$@"
}

if [ ! -e "$card" ]; then
    "$mpirun" -n 2 "$build/roundoff-mpi" testcard "$card" --size "${side}x$side" --quiet
    settled "$card"
fi
echo "load $(cut -d ' ' -f 1 /proc/loadavg 2>/dev/null || echo unknown); all bytes are those of one process"
echo
echo "| picture | one process | ranks | seconds | predicted | | processor seconds | predicted | | waiting | predicted |"
echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
if [ -z "${CASE:-}" ]; then
    lines "$card" "$side" "$side" 8 floyd-steinberg
    set -- '12000 12000 8 floyd-steinberg' '12000 12000 16 floyd-steinberg' '12000 12000 8 stucki' \
        '100000 3000 8 floyd-steinberg' '3000 100000 8 floyd-steinberg' '12000 12000 8 bayer8'
else
    set -- "$CASE"
fi
for case; do
    # shellcheck disable=SC2086
    other $case
done
