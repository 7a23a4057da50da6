#!/bin/sh
# SPDX-License-Identifier: MIT
# roundoff-mpi hologram quantize: rows of hogels on ranks give the bytes of one process.
# shellcheck source=tests/mpi/ranks.sh
. "$SOURCE_DIR/tests/mpi/ranks.sh"
"$ROUNDOFF" hologram make in.npy --size 150x210 --quiet

# same N OUT "OPTIONS OF RANKS" OPTIONS...
same() {
    number=$1
    out=$2
    of_ranks=$3
    shift 3
    "$ROUNDOFF" hologram quantize in.npy "one.$out" --quiet "$@"
    # shellcheck disable=SC2086
    ranks "$number" hologram quantize in.npy "many.$out" $of_ranks "$@" 2>said ||
        wrong "$number ranks: $(cat said)"
    cmp "one.$out" "many.$out" || wrong "$number ranks, $out, $*: the bytes differ"
}
same 3 pgm "" --hogel 32 --levels phase:16
same 4 tif "--rows 40 --threads 2" --hogel 20 --levels binary --weights paper
same 2 pbm "" --hogel 64 --levels phase-binary --gain 1.5
same 2 npy "--rows 30" --algorithm truncate
if ! grep -q "errors cut off" said; then wrong "there is no report: $(cat said)"; fi

refused "takes the field as a whole" 2 hologram quantize in.npy old.pbm --levels binary --algorithm swed
refused "found from the whole field" 2 hologram quantize in.npy old.pbm --levels binary --gain auto
refused "must be followed by quantize" 2 hologram make old.pbm
refused "unknown option --refine" 2 hologram quantize in.npy old.pbm --refine 3
head -c 9000 in.npy >short.npy
refused "ends early" 2 hologram quantize short.npy old.pbm --levels binary --window 0.1,0.1,0.2,0.2
exit $failed
