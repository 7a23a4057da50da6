#!/bin/sh
# SPDX-License-Identifier: MIT
# A run whose ranks are killed leaves nothing but the old file; with a checkpoint it goes on to the
# same bytes, with another number of ranks, as often as it takes.
# shellcheck source=tests/mpi/ranks.sh
. "$SOURCE_DIR/tests/mpi/ranks.sh"
"$ROUNDOFF" testcard in.pgm --size 4000x1500 --quiet

# killed SECONDS SIGNAL N ARGUMENTS...: the last of the ranks gets the signal some time after the
# partial file is there
killed() {
    after=$1
    signal=$2
    of=$3
    shift 3
    rm -f pid
    # shellcheck disable=SC2016
    timeout -k 2 20 "$mpirun" -n "$of" sh -c 'echo $$ >pid; exec "$0" "$@"' "$mpi" "$@" </dev/null \
        >/dev/null 2>&1 &
    job=$!
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        if [ -s pid ] && partial "$3"; then break; fi
        sleep 0.1
    done
    sleep "$after"
    if [ -s pid ]; then kill "-$signal" "$(cat pid)" 2>/dev/null || true; fi
    wait $job || true
}

echo old >out.tif
killed 0.05 KILL 3 halftone in.pgm out.tif --rows 12 --levels 3
# All ranks may have been killed: then the one that removes it comes a little later.
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    if ! partial out.tif; then break; fi
    sleep 0.2
done
if partial out.tif; then wrong "a partial file was left"; fi

# try OUT N OPTIONS...
try() {
    out=$1
    number=$2
    shift 2
    "$ROUNDOFF" halftone in.pgm "one.$out" --quiet "$@"
    rm -f "many.$out" state
    killed "0.$(($(date +%N | sed 's/^0*//;s/......$//;s/^$/0/') % 30))" KILL "$number" \
        halftone in.pgm "many.$out" --rows 12 --checkpoint state "$@"
    resumed=0
    while [ ! -e "many.$out" ]; do
        resumed=$((resumed + 1))
        if [ ! -e state ]; then
            wrong "there is no checkpoint of many.$out"
            break
        elif [ $resumed -lt 2 ]; then
            killed 0.1 KILL $((number % 3 + 1)) \
                halftone in.pgm "many.$out" --checkpoint state --resume "$@"
        else
            ranks 2 halftone in.pgm "many.$out" --checkpoint state --resume "$@" 2>said || {
                cat said >&2
                wrong "many.$out: it does not go on"
                break
            }
        fi
    done
    echo "many.$out, $*: went on $resumed times"
    cmp "one.$out" "many.$out" || wrong "many.$out: other bytes than of one process"
    if [ -e state ] || partial "many.$out"; then wrong "many.$out: something was left"; fi
}
try pbm 3 --method stucki
try tif 2 --levels 3
try npy 4 --method blue-noise

# A run that was killed before its first band begins anew.
"$ROUNDOFF" halftone in.pgm one.pbm --quiet
: >state
ranks 2 halftone in.pgm many.pbm --checkpoint state --resume 2>said || wrong "an empty one: $(cat said)"
cmp one.pbm many.pbm || wrong "an empty checkpoint: the bytes differ"

# What cannot go on says so.
refused "No such file" 2 halftone in.pgm old.pbm --checkpoint none --resume
cp in.pgm precious
refused "not a checkpoint" 2 halftone in.pgm old.pbm --checkpoint precious
cmp in.pgm precious || wrong "a file that is no checkpoint was touched"
echo nothing >junk
refused "is not a checkpoint" 2 halftone in.pgm old.pbm --checkpoint junk --resume
exit $failed
