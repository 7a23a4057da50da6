#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/jobs/test.sh [--sanitize] [--fuzz] [--faults] [--cuda-emulated]: without options builds and
# runs all tests, then quick checks for ARM, by clang, of WebAssembly and of the CUDA kernels; with
# options does what they name instead.
cd "$(dirname "$0")/../.."
. tools/common.sh

# Whether the CUDA kernels can run on the processor.
can_emulate() {
    if [ "$(uname -m)" = x86_64 ] && command -v g++ >/dev/null && command -v python3 >/dev/null; then
        return 0
    fi
    say "test: emulated kernels need an x86-64 processor, g++ and python3: left out"
    return 1
}

# test_emulated PRESET LABELS: the CUDA kernels on the processor (tests/simt), in a build of their own.
# Vector code is left out because the kernels are compared with the reference.
test_emulated() {
    build_target "$1" emulated
    run_tests "$1" -L "^($2)\$"
}

# All cases in turns, some in random orders, as code for an older device and under sanitizers; then
# kernels that were broken on purpose.
test_emulated_whole() {
    test_emulated emulated 'emulated|emulated-whole|emulated-seeds'
    for kind in 75 asan tsan; do
        test_emulated emulated-$kind emulated
    done
    python3 tests/simt/mutate.py
}

# Every variant against the reference as clang compiles it, in few trials, where it is installed and
# not the compiler anyway.
test_clang() {
    if ! command -v clang >/dev/null 2>&1; then
        say "clang is not installed: only cc was tried"
        return 0
    fi
    build_target clang rocheck
    build-clang/rocheck test --few 10
}

for option; do
    case $option in
    --sanitize | --fuzz | --faults | --cuda-emulated) ;;
    *)
        say "test: unknown option $option"
        exit 2
        ;;
    esac
done
# For the proofs; not every release has it.
if apt-cache show cbmc >/dev/null 2>&1; then packages_test="$packages_test cbmc"; fi
# shellcheck disable=SC2086
need $packages_build $packages_test $packages_aarch64
for option; do
    case $option in
    --sanitize) sh tools/jobs/sanitize.sh ;;
    --fuzz) sh tools/jobs/fuzz.sh ;;
    --faults)
        build release
        FAULTS=all ctest --test-dir build --verbose -R '^faults/|^io/files/pages$'
        ;;
    --cuda-emulated) if can_emulate; then test_emulated_whole; fi ;;
    esac
done
if [ $# -eq 0 ]; then
    build release
    # Some tests send signals and wait for answers: on a busy machine they get a second try,
    # which ctest names.
    run_tests release --repeat until-pass:2
    sh tools/jobs/cross.sh aarch64 --quick
    test_clang
    sh tools/jobs/web.sh --test
    if can_emulate; then test_emulated emulated emulated; fi
fi
