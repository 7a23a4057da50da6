#!/bin/sh
# SPDX-License-Identifier: MIT
# Communicators that are not the whole world; processes of a stranger's mpirun.
# shellcheck source=tests/mpi/ranks.sh
. "$SOURCE_DIR/tests/mpi/ranks.sh"
mpi_run 5 "$BUILD_DIR/tests/mpi_groups" "$folder" || wrong "groups"
if OMPI_COMM_WORLD_SIZE=3 PMI_SIZE=3 "$mpi" --help >told 2>said; then
    wrong "a process that knows no other goes on alone"
elif ! grep -q "do not know each other" said; then
    wrong "strangers: $(cat said)"
fi
exit $failed
