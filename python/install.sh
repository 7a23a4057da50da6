#!/bin/sh
# SPDX-License-Identifier: MIT
# cmake --install BUILD --component python: the package with the library of BUILD, into PREFIX.
# install.sh BUILD PREFIX
set -eu
cd "$(dirname "$0")/.."
build=$1 prefix=$2
# shellcheck source=python/interpreter.sh
. python/interpreter.sh
find_python numpy setuptools wheel || {
    echo "install: no python3 of 3.11 or later with numpy, setuptools and wheel" >&2
    exit 1
}
RO_BUILD_DIR=$build "$python" setup.py -q build --build-base "$build/python" \
    --build-lib "$build/python/lib" >"$build/python.log" 2>&1 || {
    cat "$build/python.log" >&2
    exit 1
}
to=${DESTDIR:-}$("$python" -c '
import os, sys, sysconfig
kind = os.path.basename(sysconfig.get_path("platlib"))  # Debian says dist-packages
version = "" if sys.argv[1] == "/usr" and kind == "dist-packages" else ".%d" % sys.version_info[1]
print("%s/lib/python3%s/%s" % (sys.argv[1], version, kind))' "$prefix")
mkdir -p "$to"
rm -rf "$to/roundoff"
cp -R "$build/python/lib/roundoff" "$to/"
echo "-- Installed: $to/roundoff"
