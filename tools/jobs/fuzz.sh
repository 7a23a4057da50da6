#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/jobs/fuzz.sh: each fuzz target for a minute ($FUZZ_SECONDS), or, with $FUZZ_UNTIL, all of them in
# turn until each has had so many CPU minutes by the table in tests/fuzz/README.md.
cd "$(dirname "$0")/../.."
. tools/common.sh
need clang python3
command -v clang >/dev/null 2>&1 || {
    say "clang is missing: the fuzz targets cannot be built"
    exit 1
}
# Some releases carry the fuzzer in a package of its own.
if ! echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' |
    clang -fsanitize=fuzzer -x c - -o /dev/null 2>/dev/null; then
    need libclang-rt-dev
fi
build_target fuzz fuzzers
python3 tests/fuzz/seeds.py build-fuzz/seeds
set -- --seconds "${FUZZ_SECONDS:-60}"
if [ -n "${FUZZ_UNTIL:-}" ]; then
    set -- "$@" --until "$FUZZ_UNTIL" --table tests/fuzz/README.md
fi
python3 tests/fuzz/fuzz.py build-fuzz "$@"
say "no fuzz target found a fault"
