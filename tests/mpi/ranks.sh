# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# For the tests of ranks, which include it: a folder that goes, and ranks on this machine only, more of
# them than cores, also as root and without standard input.
set -eu
mpi=$BUILD_DIR/roundoff-mpi
if [ ! -x "$mpi" ] || ! mpirun=$(sh "$SOURCE_DIR/tools/mpirun.sh" "$mpi"); then
    echo "there is no roundoff-mpi or no mpirun"
    exit 77
fi
if [ -n "${SANITIZE:-}" ]; then
    echo "skipped: a sanitizer finds what MPI itself leaves behind"
    exit 77
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
    OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=self,vader OMPI_MCA_pml=ob1 OMPI_MCA_plm=isolated \
    OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_orte_tmpdir_base=/tmp \
    OMPI_MCA_hwloc_base_binding_policy=none
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
failed=0

# mpi_run N PROGRAM ARGUMENTS...
mpi_run() {
    number=$1
    shift
    timeout -k 5 120 "$mpirun" -n "$number" "$@" </dev/null
}

# ranks N ARGUMENTS...: of roundoff-mpi
ranks() {
    of=$1
    shift
    mpi_run "$of" "$mpi" "$@"
}

# wrong WORDS...
wrong() {
    echo "$*" >&2
    failed=1
}

# partial OUT: whether a partial file of it is there, in this folder
partial() {
    ls -A | grep -q "^\.$1\.[a-z0-5]\{6\}$"
}

# refused WORDS N ARGUMENTS...: it fails, says the words, once, and leaves old.pbm and no partial file
refused() {
    words=$1
    shift
    echo old >old.pbm
    if ranks "$@" 2>said; then
        wrong "$*: was not refused"
    elif [ "$(grep -c "$words" said)" != 1 ]; then
        wrong "$*: '$words' was not said once:"
        cat said >&2
    fi
    if [ "$(cat old.pbm)" != old ] || partial old.pbm; then
        wrong "$*: the old file is gone, or a partial one is there"
    fi
}
