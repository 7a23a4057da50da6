#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/mpi_table.sh BUILD SIDE: a test card of SIDE x SIDE pixels over 1, 2 and 4 ranks on this
# machine: the bytes of one process, times by the clock and of processors, and what the model says
# of them. Every figure is the better of two runs, the prediction being made just before each.
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

if [ ! -e "$card" ]; then
    "$mpirun" -n 2 "$build/roundoff-mpi" testcard "$card" --size "${side}x$side" --quiet
fi
"$build/roundoff" halftone "$card" "$folder/one.pbm" --threads 1 --quiet # fills the cache of files
one=$("$build/roundoff" halftone "$card" "$folder/one.pbm" --threads 1 --json | number seconds)
echo "$side x $side pixels, load $(cut -d ' ' -f 1 /proc/loadavg 2>/dev/null || echo unknown)"
echo
echo "| ranks | seconds | predicted | | processor seconds | predicted | | waiting | same bytes |"
echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
echo "| one process | $one | | | | | | | |"
for ranks in 1 2 4; do
    for try in 1 2; do
        "$mpirun" -n $ranks "$build/roundoff-mpi" plan --size "${side}x$side" --ranks $ranks \
            --folder "$folder" --json >"$folder/plan.$try"
        "$mpirun" -n $ranks "$build/roundoff-mpi" halftone "$card" "$folder/many.pbm" --json \
            >"$folder/run.$try"
        if ! cmp "$folder/one.pbm" "$folder/many.pbm"; then exit 1; fi
    done
    for try in 1 2; do
        echo "$(number seconds <"$folder/run.$try") $(number seconds <"$folder/plan.$try")" \
            "$(number computing <"$folder/run.$try")" \
            "$(number processor_seconds <"$folder/plan.$try")" \
            "$(number waiting <"$folder/run.$try")"
    done | awk -v ranks=$ranks '
        NR == 1 || $1 < best { best = $1; line = $0 }
        function off(a, b) { return sprintf("%+.0f %%", 100 * (b / a - 1)) }
        END {
            split(line, n, " ")
            printf "| %d | %.3f | %.3f | %s | %.3f | %.3f | %s | %.0f %% | yes |\n", ranks, n[1], n[2],
                off(n[1], n[2]), n[3], n[4], off(n[3], n[4]), 100 * n[5] / (n[1] * ranks)
        }'
done
