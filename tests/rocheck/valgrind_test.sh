#!/bin/sh
# SPDX-License-Identifier: MIT
# The vector code of holograms looks tables up by address: none may be made of memory that nobody
# wrote. AVX2, because valgrind does not know AVX-512.
if [ -n "$SANITIZE" ] || ! command -v valgrind >/dev/null 2>&1; then
    echo "skipped: valgrind was not found, or the build has sanitizers"
    exit 77
fi
exec valgrind -q --error-exitcode=9 "$BUILD_DIR/rocheck" test 'hologram/*' --variant avx2
