#!/bin/sh
# SPDX-License-Identifier: MIT
# roundoff-mpi writes the bytes of roundoff, for any number of ranks, threads and rows of a band.
set -eu
mpi=$BUILD_DIR/roundoff-mpi
if [ ! -x "$mpi" ] || ! command -v mpirun >/dev/null 2>&1; then
    echo "there is no roundoff-mpi or no mpirun"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
failed=0

# ranks N ARGUMENTS...: on this machine only, more ranks than cores, also as root
ranks() {
    number=$1
    shift
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
        OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 \
        OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none \
        timeout 120 mpirun -n "$number" "$mpi" "$@"
}

# same OUT RANKS OPTIONS...: for both commands; --rows and --threads are of ranks only
same() {
    out=$1
    number=$2
    of_ranks=$3
    shift 3
    "$ROUNDOFF" halftone in.pgm "one.$out" --quiet "$@"
    # shellcheck disable=SC2086
    if ! ranks "$number" halftone in.pgm "many.$out" $of_ranks "$@" 2>said; then
        cat said >&2
        failed=1
    elif ! cmp "one.$out" "many.$out"; then
        echo "$number ranks, $of_ranks, $*: the bytes differ" >&2
        failed=1
    fi
    if [ -e "many.$out.part" ]; then
        echo "many.$out.part was left" >&2
        failed=1
    fi
}

"$ROUNDOFF" testcard in.pgm --size 733x301 --quiet
for number in 1 2 3 4 7; do
    same pbm "$number" "--rows 20"
done
same pbm 3 "--rows 1" --method stevenson-arce
same pbm 4 "--rows 33 --threads 2" --method stucki
same pbm 2 "--rows 64" --method ostromoukhov
same pgm 3 "--rows 17" --method acuity --levels 4
same npy 2 "--rows 50" --levels 5 --noise 20 --seed 3
same pbm 3 "--rows 40" --method blue-noise
same pbm 3 "--rows 40" --serpentine
same pbm 4 "" # fewer bands than ranks
"$ROUNDOFF" testcard in.pgm --size 2100x130 --bits 16 --quiet 2>/dev/null ||
    "$ROUNDOFF" testcard in.pgm --size 2100x130 --depth 16 --quiet
same pbm 3 "--rows 30" --method jarvis-judice-ninke

# What is refused leaves the old file whole.
# refused WORDS ARGUMENTS...
refused() {
    words=$1
    shift
    echo old >old.pbm
    if ranks 2 halftone "$@" 2>said; then
        echo "$* was not refused" >&2
        failed=1
    elif ! grep -q "$words" said; then
        echo "$*: '$words' was not said:" >&2
        cat said >&2
        failed=1
    fi
    if [ "$(cat old.pbm)" != old ]; then
        echo "$*: the old file is gone" >&2
        failed=1
    fi
}
refused "cannot be spread over ranks" in.pgm old.pbm --method dbs
refused "No such file" none.pgm old.pbm
refused "is not a PGM" one.npy old.pbm
refused "write PBM, PGM and NPY" in.pgm old.tif
refused "no method" in.pgm old.pbm --method nobody
head -c 5000 in.pgm >short.pgm
refused "ends before its last row" short.pgm old.pbm
exit $failed
