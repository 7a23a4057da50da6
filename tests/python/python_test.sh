#!/bin/sh
# SPDX-License-Identifier: MIT
# The extension with the library of this build, placed by cmake --install, and its own tests
# (python/tests). Under the address sanitizer those that pass arrays to and fro.
set -eu
# shellcheck source=python/interpreter.sh
. "$SOURCE_DIR/python/interpreter.sh"
find_python numpy pytest setuptools wheel || {
    echo "skipped: no python3 of 3.11 or later with numpy, pytest, setuptools and wheel"
    exit 77
}
if ! [ -f "$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" ]; then
    echo "skipped: Python.h was not found (Debian: python3-dev)"
    exit 77
fi
preload=
chosen=
case $SANITIZE in
'') ;;
*address*)
    preload=$("$CC" -print-file-name=libasan.so)
    case $preload in
    /*) ;;
    *)
        echo "skipped: the compiler has no libasan.so that another program could load"
        exit 77
        ;;
    esac
    export RO_SANITIZE="$SANITIZE" RO_PRELOAD="$preload"
    # Python itself keeps memory until the end; calls are cut short to what finds wrong accesses.
    export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
    chosen='not leaks and not interrupt and not fork and not page_runs and not lock'
    ;;
*)
    echo "skipped: a Python without this sanitizer cannot load a library with it"
    exit 77
    ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$SOURCE_DIR"
cmake --install "$BUILD_DIR" --component python --prefix "$work" >"$work/log" 2>&1 || {
    cat "$work/log"
    exit 1
}
place=$(dirname "$(find "$work/lib" -name roundoff -type d)")
LD_PRELOAD=$preload PYTHONPATH=$place "$python" -m pytest -q -p no:cacheprovider \
    ${chosen:+-k "$chosen"} python/tests
