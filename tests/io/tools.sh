# SPDX-License-Identifier: MIT
# Shared by the tests of files against other programs: a folder, pictures, and comparing.
# Sourced by tests/io/formats/*_tools_test.sh; BUILD_DIR comes from CTest.
set -eu
copy=${BUILD_DIR:-build}/tests/io_copy
case $copy in /*) ;; *) copy=$PWD/$copy ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# need TOOLS...: the test is skipped where one is missing.
need() {
    for tool in "$@"; do
        command -v "$tool" >/dev/null 2>&1 || {
            echo "skipped: $tool is not installed"
            exit 77
        }
    done
}

# need_type EXTENSION: the test is skipped where the build has no such type.
need_type() {
    if ! "$copy" grey.pgm "probe.$1" 2>probe.txt && grep -q 'this build has no' probe.txt; then
        echo "skipped: $(cat probe.txt)"
        exit 77
    fi
}

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# same WHAT A B: two files are equal.
same() {
    cmp "$2" "$3" || fail "$1"
}

# A picture of awkward width from a formula, the same everywhere: picture MAGIC WIDTH HEIGHT MAXVAL
picture() {
    awk -v magic="$1" -v w="$2" -v h="$3" -v m="$4" 'BEGIN {
        print magic, w, h
        if (m > 1) print m
        n = (magic == "P3" ? 3 : 1) * w
        for (y = 0; y < h; y++)
            for (x = 0; x < n; x++)
                print (x * x * 3 + y * 7 * x + int(x * y / 5) * 11 + y) % (m + 1)
    }' </dev/null
}
picture P1 61 37 1 >plain.pbm
picture P2 61 37 255 >plain.pgm
picture P2 61 37 65535 >plain16.pgm
picture P3 61 37 255 >plain.ppm
picture P3 61 37 65535 >plain16.ppm

# The same, raw and with the headers that we write, so that files can be compared byte for byte.
"$copy" plain.pbm bits.pbm
"$copy" plain.pgm grey.pgm
"$copy" plain16.pgm grey16.pgm
"$copy" plain.ppm rgb.ppm
"$copy" plain16.ppm rgb16.ppm
# shellcheck disable=SC2034
pictures='bits.pbm grey.pgm grey16.pgm rgb.ppm rgb16.ppm'
