#!/bin/sh
# SPDX-License-Identifier: MIT
# Reads every picture of public test suites and compares it with what other programs read; suites.py
# explains the result. Get suites yourself, such as the repositories of Pillow, libpng, image-rs and
# bmpsuite, and put them into one folder:
#
#   tests/io/suites.sh FOLDER [--jobs N] [--list]
here=$PWD
cd "$(dirname "$0")/../.."
. tools/common.sh
need python3 python3-numpy python3-pil imagemagick libtiff-tools
ROUNDOFF=${ROUNDOFF:-$PWD/build/roundoff} exec python3 tests/io/suites.py "$@"
