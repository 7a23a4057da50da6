#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/jobs/mpi.sh [SIZE]: the bytes of ranks against those of one process, times and processor
# seconds against the model. All ranks are on this machine.
cd "$(dirname "$0")/../.."
. tools/common.sh
# shellcheck disable=SC2086
need $packages_mpi
sh tools/jobs/build.sh >&2
if [ ! -x build/roundoff-mpi ]; then
    say "mpi: no MPI was found"
    exit 1
fi
sh tools/mpi_table.sh build "${1:-30000}"
