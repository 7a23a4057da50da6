#!/bin/sh
# SPDX-License-Identifier: MIT
# Any number of ranks writes the bytes of one process, over pictures, options and types by chance.
# shellcheck source=tests/mpi/ranks.sh
. "$SOURCE_DIR/tests/mpi/ranks.sh"
seed=${SEED:-1}
for number in 1 2 3 4 7; do
    mpi_run "$number" "$BUILD_DIR/tests/mpi_same" "$folder" $((seed + number)) "${COUNT:-$((number < 5 ? 9 : 6))}" ||
        wrong "$number ranks, seed $((seed + number))"
done
exit $failed
