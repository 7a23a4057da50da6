#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/jobs/web.sh [--test | --serve]: builds the library as WebAssembly, the npm package in out/npm
# and the page in out/web, which any static server can serve. --test tests both in Node and in a
# browser; --serve serves the page on loopback and prints its address.
cd "$(dirname "$0")/../.."
. tools/common.sh
case ${1:-} in
'' | --test | --serve) ;;
*)
    say "web: unknown option $1"
    exit 2
    ;;
esac
# shellcheck disable=SC2086
need $packages_web
if ! [ -f /usr/include/wasm32-wasi/stdio.h ] || ! command -v clang-19 wasm-ld-19 >/dev/null 2>&1; then
    say "web: clang-19, lld-19 and wasi-libc are needed for WebAssembly: left out"
    exit 0
fi
if ! [ -f build-web/CMakeCache.txt ]; then
    cmake -S web -B build-web -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/web/wasi.cmake" >build-web.log 2>&1 || {
        cat build-web.log >&2
        exit 1
    }
    rm build-web.log
fi
cmake --build build-web -j "$jobs"

rm -rf out/npm out/web
mkdir -p out/npm out/web
cp web/lib/* web/package.json web/README.md LICENSE build-web/*.wasm out/npm/
cp web/page/* web/lib/*.js build-web/*.wasm out/web/
for module in out/web/*.wasm; do
    say "$(gzip -9c "$module" | wc -c) bytes gzipped: $module"
done

case ${1:-} in
--test)
    build_target release roundoff >/dev/null
    node tests/web/package.mjs out/npm build/roundoff
    python3 tests/web/page.py out/web build/roundoff
    ;;
--serve) exec python3 web/serve.py out/web ;;
esac
