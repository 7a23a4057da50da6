#!/bin/sh
# SPDX-License-Identifier: MIT
# Ctrl-C, a time limit and a full disk: the old file stays, and with a checkpoint the run goes on to the
# same bytes.
# shellcheck source=tests/mpi/ranks.sh
. "$SOURCE_DIR/tests/mpi/ranks.sh"
"$ROUNDOFF" testcard in.pgm --size 3000x3000 --quiet
"$ROUNDOFF" halftone in.pgm one.tif --levels 3 --quiet

# ended SIGNAL OPTIONS...: mpirun gets the signal when the partial file is there
ended() {
    signal=$1
    shift
    rm -f .out.tif.??????
    "$mpirun" -n 3 "$mpi" halftone in.pgm out.tif --levels 3 --rows 3 "$@" </dev/null >told 2>said &
    job=$!
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        if partial out.tif; then break; fi
        sleep 0.1
    done
    kill "-$signal" $job 2>/dev/null || true
    wait $job || true
}

for signal in INT TERM; do
    echo old >out.tif
    ended $signal
    if cmp -s one.tif out.tif; then
        echo "$signal: it was done before"
    elif [ "$(cat out.tif)" != old ]; then
        wrong "$signal: the old file is gone"
    elif partial out.tif; then
        wrong "$signal: a partial file was left: $(cat said)"
    fi
done

# A time limit with a checkpoint, as often as it takes.
rm -f out.tif
ended TERM --checkpoint state
if [ ! -e out.tif ]; then
    if [ ! -e state ]; then wrong "there is no checkpoint"; fi
    ranks 2 halftone in.pgm out.tif --levels 3 --checkpoint state --resume 2>said ||
        wrong "it does not go on: $(cat said)"
fi
cmp one.tif out.tif || wrong "other bytes after a time limit"
if [ -e state ] || partial out.tif; then wrong "something was left"; fi

# A disk with room for less than half of it.
mkdir small
if ! mount -t tmpfs -o size=300k none small 2>/dev/null; then
    echo "a small disk cannot be mounted: not tried"
    exit $failed
fi
trap 'umount small; cd /; rm -rf "$folder"' EXIT
echo old >small/out.pgm
if ranks 3 halftone in.pgm small/out.pgm --levels 3 2>said; then
    wrong "a full disk was not seen"
elif ! grep -qi "space\|disk is full" said; then
    wrong "a full disk: $(cat said)"
fi
if [ "$(cat small/out.pgm)" != old ] || [ "$(ls -A small)" != out.pgm ]; then
    wrong "a full disk: the old file is gone, or a partial one is there"
fi
exit $failed
