#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs into an empty prefix and builds the examples with what lies there: through CMake,
# through pkg-config, shared and static; then moves the prefix and does it again.
set -eu
if [ -n "$SANITIZE" ]; then
    echo "skipped: a program without the sanitizer cannot link these libraries"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
if command -v ninja >/dev/null 2>&1; then
    export CMAKE_GENERATOR=Ninja # make need not be there
fi

quietly() {
    "$@" >"$log" 2>&1 || {
        cat "$log" >&2
        echo "failed: $*" >&2
        exit 1
    }
}

# The example must give what the command gives.
check() {
    rm -f "$work/example.pbm"
    "$@" "$work/card.pgm" "$work/example.pbm"
    cmp "$work/card.pbm" "$work/example.pbm"
}

quietly cmake --install "$BUILD_DIR" --prefix "$work/first"
mv "$work/first" "$work/prefix"
prefix=$work/prefix
for file in bin/roundoff include/roundoff.h include/roundoff_io.h share/man/man1/roundoff.1; do
    test -f "$prefix/$file" || {
        echo "$file was not installed" >&2
        exit 1
    }
done
"$prefix/bin/roundoff" testcard "$work/card.pgm" --size 200x100 --quiet
"$prefix/bin/roundoff" halftone "$work/card.pgm" "$work/card.pbm" --quiet

quietly cmake -S "$SOURCE_DIR/examples" -B "$work/build" -DCMAKE_C_COMPILER="$CC" \
    -DCMAKE_PREFIX_PATH="$prefix"
quietly cmake --build "$work/build"
check "$work/build/halftone"
"$work/build/memory" >"$work/dots"
test "$(wc -l <"$work/dots")" -eq 12

# Without the shared libraries and with the static targets.
mkdir "$work/static-project"
cat >"$work/static-project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.22)
project(static_example LANGUAGES C)
find_package(roundoff REQUIRED)
add_executable(halftone "$SOURCE_DIR/examples/halftone.c")
target_link_libraries(halftone PRIVATE roundoff::roundoff_io_static)
END
quietly cmake -S "$work/static-project" -B "$work/static-build" -DCMAKE_C_COMPILER="$CC" \
    -DCMAKE_PREFIX_PATH="$prefix"
quietly cmake --build "$work/static-build"
check "$work/static-build/halftone"
echo "CMake package: ok"

if ! command -v pkg-config >/dev/null 2>&1; then
    echo "pkg-config was not found: its files were not tried"
    exit 0
fi
libdir=$(dirname "$(find "$prefix" -name roundoff_io.pc)")
export PKG_CONFIG_PATH="$libdir"
# shellcheck disable=SC2046 # the flags are words
quietly "$CC" "$SOURCE_DIR/examples/halftone.c" -o "$work/shared" \
    $(pkg-config --cflags --libs roundoff_io)
check env LD_LIBRARY_PATH="$(dirname "$libdir")" "$work/shared"
rm "$(dirname "$libdir")"/*.so* # what is left is static
# shellcheck disable=SC2046
quietly "$CC" "$SOURCE_DIR/examples/halftone.c" -o "$work/static" \
    $(pkg-config --static --cflags --libs roundoff_io)
check "$work/static"
echo "pkg-config: ok"
