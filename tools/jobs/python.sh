#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/jobs/python.sh [--bench]: a wheel and the sources, and tests in an environment of its own that
# sees the system's packages; with --bench also Pillow, scikit-image and OpenCV for the same jobs.
cd "$(dirname "$0")/../.."
. tools/common.sh
# shellcheck disable=SC2086
need $packages_python
# shellcheck disable=SC2086
if [ "${1:-}" = --bench ]; then need $packages_bench; fi
sh tools/jobs/build.sh >&2
# shellcheck source=python/interpreter.sh
. python/interpreter.sh
find_python numpy setuptools wheel build.env venv pytest || { # a folder build is no module
    say "python: no python3 of 3.11 or later with numpy, setuptools, wheel, build, venv, pytest"
    exit 1
}
mkdir -p out
rm -f out/roundoff-*.whl out/roundoff-*.tar.gz
RO_BUILD_DIR=$PWD/build "$python" -m build --no-isolation --sdist --wheel --outdir out . \
    >build/wheel.log 2>&1 || {
    cat build/wheel.log >&2
    exit 1
}
rm -rf build/venv
"$python" -m venv --system-site-packages build/venv
build/venv/bin/python -m pip install -q --no-index --no-deps out/roundoff-*.whl
ROUNDOFF=$PWD/build/roundoff build/venv/bin/python -m pytest -q -p no:cacheprovider python/tests
say "the wheel is" out/roundoff-*.whl
if [ "${1:-}" = --bench ]; then
    RO_BUILD_DIR=$PWD/build build/venv/bin/python python/bench/bench.py
fi
