#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/jobs/fuzz.sh: each fuzz target for a minute ($FUZZ_SECONDS).
cd "$(dirname "$0")/../.."
. tools/common.sh
need clang
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
seconds=${FUZZ_SECONDS:-60}
for target in build-fuzz/fuzz/*_fuzz; do
    name=$(basename "$target")
    corpus=build-fuzz/corpus/$name
    mkdir -p "$corpus"
    seeds=tests/fuzz/seeds/${name%_fuzz}
    if [ ! -d "$seeds" ]; then seeds=; fi
    say "$name for $seconds s"
    # A claimed width may ask for a long row; what counts is the memory that is touched.
    (cd build-fuzz && ASAN_OPTIONS=allocator_may_return_null=1 "fuzz/$name" \
        -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=65536 \
        -print_final_stats=1 -verbosity=0 "corpus/$name" ${seeds:+"../$seeds"} 2>"$name.log") || {
        cat "build-fuzz/$name.log" >&2
        say "$name found a fault"
        exit 1
    }
    echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "build-fuzz/$name.log") runs"
done
say "no fuzz target found a fault"
