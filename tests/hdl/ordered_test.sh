#!/bin/sh
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/simulate.sh"
# ordered SCREEN_WIDTH SCREEN_HEIGHT LEVELS MAXVAL: by build/hdl/screen.mem; the first result comes 17
# clocks after the first pixel.
ordered() {
    file=$WORK/screen-$1-$2.mem
    mv "$WORK/screen.mem" "$file"
    simulate ordered ro_ordered \
        "SCREEN_FILE=\"$file\" SCREEN_WIDTH=$1 SCREEN_HEIGHT=$2 LEVELS=$3 MAXVAL=$4 @CLOCKS=17" 30
}
# made SIZE LEVELS MAXVAL
made() {
    "$ROUNDOFF" screen make void-and-cluster "$WORK/screen.mem" --cell "$1" --quiet
    ordered "$1" "$1" "$2" "$3"
}
printf '// 5 x 3\n0 7 3 9 1\nd 4 b 5 a\n2 8 c 6 e\n' >"$WORK/screen.mem"
ordered 5 3 6 200
made 16 2 255
if [ "${HDL_WHOLE:-}" ]; then
    made 64 2 255
    made 64 16 65535
    made 20 3 1000
    printf '// 1 x 1\n0\n' >"$WORK/screen.mem"
    ordered 1 1 4 255
fi
