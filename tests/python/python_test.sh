#!/bin/sh
# SPDX-License-Identifier: MIT
# The extension with the library of this build, and its own tests (python/tests).
set -eu
# shellcheck source=python/interpreter.sh
. "$SOURCE_DIR/python/interpreter.sh"
find_python numpy pytest setuptools wheel || {
    echo "skipped: no python3 of 3.11 or later with numpy, pytest, setuptools and wheel"
    exit 77
}
if [ -n "$SANITIZE" ]; then
    echo "skipped: a Python without sanitizers cannot load a library with them"
    exit 77
fi
if ! [ -f "$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" ]; then
    echo "skipped: Python.h was not found (Debian: python3-dev)"
    exit 77
fi
cd "$SOURCE_DIR"
RO_BUILD_DIR=$BUILD_DIR "$python" setup.py -q build --build-base "$BUILD_DIR/python" \
    --build-lib "$BUILD_DIR/python/lib" >"$BUILD_DIR/python.log" 2>&1 || {
    cat "$BUILD_DIR/python.log"
    exit 1
}
PYTHONPATH=$BUILD_DIR/python/lib "$python" -m pytest -q -p no:cacheprovider python/tests
