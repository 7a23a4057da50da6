#!/bin/sh
# SPDX-License-Identifier: MIT
# Every header compiles alone: the public ones as strict C and C++, the internal ones as the
# project's C. A header that leans on what its user happened to include fails here.
set -eu
cc=${CC:-cc}
failed=0

# compiles HEADER COMPILER OPTIONS...
compiles() {
    header=$1
    shift
    if ! echo "#include \"$header\"" | "$@" -Wall -Wextra -Werror -fsyntax-only -; then
        echo "$header does not compile alone: $*" >&2
        failed=1
    fi
}

cd "$SOURCE_DIR"
# Where MPI's headers are; they are not ours to be strict with.
mpi=$({ mpicc --showme:compile || mpicc -compile_info; } 2>/dev/null | tr ' ' '\n' |
    sed -n 's/^-I/-isystem/p' | tr '\n' ' ') || true
for header in $(find include -name '*.h'); do
    name=${header#include/}
    of_mpi=
    if [ "$name" = roundoff_mpi.h ]; then
        if [ -z "$mpi" ]; then continue; fi
        of_mpi="$mpi -DOMPI_SKIP_MPICXX"
    fi
    # shellcheck disable=SC2086
    compiles "$name" "$cc" -std=c99 -pedantic -Iinclude $of_mpi -x c
    if command -v c++ >/dev/null 2>&1; then
        # shellcheck disable=SC2086
        compiles "$name" c++ -std=c++11 -pedantic -Iinclude $of_mpi -x c++
    fi
done
if command -v c++ >/dev/null 2>&1; then
    for standard in 11 17; do
        compiles roundoff.hpp c++ -std=c++$standard -pedantic -Iinclude -x c++
    done
    test "$(wc -l <include/roundoff.hpp)" -le 200 || { echo "roundoff.hpp has more than 200 lines"; failed=1; }
fi
# Headers that include simd/simd.h are compiled for the smallest vectors.
vectors=-DRO_SIMD_V128
case $(uname -m) in
x86_64) vectors="$vectors -msse4.1" ;;
esac
for header in $(find src cli bench tests/phantoms -name '*.h'); do
    # Bodies of kernels are compiled once per instruction set, by the file that includes them.
    if grep -q RO_SIMD_ "$header"; then continue; fi
    set -- "$cc" -std=gnu11 -Iinclude -Isrc -I.
    # shellcheck disable=SC2086
    if echo "#include \"$header\"" | "$@" $vectors -x c -MM - 2>&1 | grep -q simd/simd.h; then
        set -- "$@" $vectors
    fi
    compiles "$header" "$@" -x c
done
command -v c++ >/dev/null 2>&1 || echo "no C++ compiler: the headers were not tried as C++"
exit $failed
