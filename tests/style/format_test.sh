#!/bin/sh
# SPDX-License-Identifier: MIT
# Every C and CUDA source is formatted as .clang-format says. Other versions of clang-format than 14
# wrap some lines differently.
set -eu
cd "$SOURCE_DIR"
for format in clang-format-14 clang-format; do
    case $("$format" --version 2>/dev/null) in *' version 14.'*) break ;; esac
    format=
done
if [ -z "$format" ]; then
    echo "skipped: clang-format 14 was not found"
    exit 77
fi
find src include cli bench mpi tests tools examples python/src -type f \
    '(' -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' -o -name '*.cpp' ')' -print0 |
    xargs -0 -n 40 "$format" --dry-run -Werror || {
    echo "clang-format-14 -i FILE formats a file" >&2
    exit 1
}
