#!/bin/sh
# SPDX-License-Identifier: MIT
# The examples compile as C11 and C++17 without a warning, and run.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -n "$SANITIZE" ]; then
    sanitize=-fsanitize=$SANITIZE
fi

# compiled COMPILER OPTIONS...: every example
compiled() {
    for example in "$SOURCE_DIR"/examples/*.c; do
        "$@" -Wall -Wextra -Wpedantic -Werror ${sanitize:-} "$example" -x none \
            -I"$SOURCE_DIR/include" -L"$BUILD_DIR" -lroundoff_io -lroundoff -lm \
            -Wl,-rpath,"$BUILD_DIR" -o "$work/$(basename "$example" .c)"
    done
    test "$("$work/memory" | wc -l)" -eq 12
    "$ROUNDOFF" testcard "$work/card.pgm" --size 60x40 --quiet
    "$work/halftone" "$work/card.pgm" "$work/card.pbm"
    test -s "$work/card.pbm"
    "$work/shallow_water" >"$work/water" # which fails if a unit is lost, or 16 bits go astray
    test "$(wc -l <"$work/water")" -eq 7
    for step in 0 120 300; do # as docs/number-systems.md shows it
        line=$(grep "^ *$step " "$work/water")
        grep -qxF "$line" "$SOURCE_DIR/docs/number-systems.md" || { echo "not in the docs: $line"; exit 1; }
    done
    rm "$work/memory" "$work/halftone" "$work/shallow_water"
}

compiled "$CC" -std=c11 -x c
if command -v c++ >/dev/null 2>&1; then
    c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror ${sanitize:-} "$SOURCE_DIR"/examples/threads.cpp \
        -I"$SOURCE_DIR/include" -L"$BUILD_DIR" -lroundoff -pthread -Wl,-rpath,"$BUILD_DIR" \
        -o "$work/threads"
    test "$("$work/threads")" = "4 of 4 threads got the same bits"
    compiled c++ -std=c++17 -x c++
else
    echo "no C++ compiler: the examples were not tried as C++"
fi
