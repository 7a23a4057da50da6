#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/mpirun.sh PROGRAM: the name of the mpirun that starts ranks of PROGRAM. Where several MPIs are
# installed, plain mpirun may belong to another one, which starts processes that do not know each
# other.
set -eu
case $(ldd "$1" 2>/dev/null || true) in
*libmpich*) names='mpirun.mpich mpiexec.hydra mpirun' ;;
*) names='mpirun.openmpi mpirun' ;;
esac
for name in $names; do
    if command -v "$name" >/dev/null 2>&1; then
        echo "$name"
        exit 0
    fi
done
exit 1
