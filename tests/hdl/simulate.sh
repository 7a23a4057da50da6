# SPDX-License-Identifier: MIT
# Sourced by the tests of circuits: builds a circuit with Verilator, links the library in, runs it.
SOURCE_DIR=${SOURCE_DIR:-.}
BUILD_DIR=${BUILD_DIR:-$SOURCE_DIR/build}
SOURCE_DIR=$(cd "$SOURCE_DIR" && pwd)
ROUNDOFF=${ROUNDOFF:-$BUILD_DIR/roundoff}
BUILD_DIR=$(cd "$BUILD_DIR" && pwd)
WORK=$BUILD_DIR/hdl

if ! command -v verilator >/dev/null 2>&1; then
    echo "skipped: there is no verilator here"
    exit 77
fi
if ! command -v "${CXX:-c++}" >/dev/null 2>&1 || ! command -v make >/dev/null 2>&1; then
    echo "skipped: there is no C++ compiler or no make here"
    exit 77
fi
if [ -n "${SANITIZE:-}" ]; then
    echo "skipped: simulations are not built with sanitizers"
    exit 77
fi

runtime=$WORK/runtime-$(verilator --version | cksum | cut -d ' ' -f 1)
mkdir -p "$WORK"
sources=$(ls "$SOURCE_DIR"/hdl/*/*.v | grep -v /vendor/)
includes="-I$SOURCE_DIR/hdl/common -I$SOURCE_DIR/hdl/errordiffusion"
flags="-I$SOURCE_DIR/tests -I$SOURCE_DIR/include -I$SOURCE_DIR/src"
libraries="$BUILD_DIR/libroundoff_internal.a -lm -lpthread -ldl"

# With VENDOR=ecp5, circuits are made of that vendor's blocks, of which we have models.
use_vendor() {
    vendor="$SOURCE_DIR/hdl/vendor/${VENDOR:-generic}.v"
    cells=$SOURCE_DIR/tests/hdl/${VENDOR:-generic}_cells.v
    if [ -f "$cells" ]; then vendor="$vendor $cells"; fi
}
use_vendor

# simulate NAME TOP 'PARAMETER=VALUE ...' [arguments]: tests/hdl/NAME.cpp drives the module TOP. What
# is given is known to the program, too; with @ in front to the program alone.
simulate() {
    name=$1
    top=$2
    parameters=$3
    shift 3
    folder=$WORK/$name-$(echo "$parameters ${VENDOR:-}" | cksum | cut -d ' ' -f 1)
    mkdir -p "$folder"
    extra=$(ls "$SOURCE_DIR/tests/hdl/$top.v" 2>/dev/null)
    given=
    : >"$folder/parameters.h"
    for parameter in $parameters; do
        case $parameter in
        @*) ;;
        *) given="$given -G$parameter" ;;
        esac
        parameter=${parameter#@}
        echo "#define ${parameter%%=*} ${parameter#*=}" >>"$folder/parameters.h"
    done
    # Verilator's own files take longer than a circuit and are the same for all.
    if [ ! -f "$folder/verilated.o" ] && [ -d "$runtime" ]; then cp "$runtime"/*.o "$folder"; fi
    # Word by word on purpose; no path of a build has blanks.
    # shellcheck disable=SC2086
    {
        ${CC:-cc} -O1 $flags -c "$SOURCE_DIR/tests/hdl/models.c" -o "$folder/models.o" &&
            verilator --cc --exe --build -Wall -O3 --x-assign unique --x-initial unique \
                --Mdir "$folder" --top-module "$top" $given $includes $sources \
                $vendor $extra "$SOURCE_DIR/tests/hdl/$name.cpp" \
                -MAKEFLAGS 'OPT_FAST=-O1 OPT_GLOBAL=-O1' -CFLAGS "$flags -include $folder/parameters.h" \
                -LDFLAGS "$folder/models.o $libraries"
    } >"$folder/log" 2>&1 || {
        tail -40 "$folder/log"
        exit 1
    }
    if [ ! -d "$runtime" ]; then
        mkdir "$runtime.$$" && cp "$folder"/verilated*.o "$runtime.$$" &&
            mv -T "$runtime.$$" "$runtime" 2>/dev/null || rm -rf "$runtime.$$"
    fi
    "$folder/V$top" "$@" +verilator+rand+reset+2 || exit 1
}
