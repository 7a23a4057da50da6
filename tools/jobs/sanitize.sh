#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/jobs/sanitize.sh: all tests under sanitizers. A fault of the first does not hide what the
# others find. There is no second try, which could pass by luck where two threads race.
cd "$(dirname "$0")/../.."
. tools/common.sh

# Vector code with several threads under the thread sanitizer, and against the reference under
# valgrind, which sees values that nobody wrote.
test_vectors() {
    grep -q avx2 /proc/cpuinfo 2>/dev/null || return 0
    build-tsan/rocheck test --variant avx2 || return 1
    need valgrind
    command -v valgrind >/dev/null 2>&1 || {
        say "valgrind is missing: nothing was checked with it"
        return 0
    }
    build release || return 1
    valgrind -q --error-exitcode=9 build/rocheck test --variant avx2 --seed 3 || return 1
    say "valgrind: nothing found"
}

found=
build asan
run_tests asan || found="$found the address sanitizer,"
build tsan
run_tests tsan || found="$found the thread sanitizer,"
test_vectors || found="$found vector code,"
if [ -n "$found" ]; then
    say "tests failed under:${found%,}"
    exit 1
fi
say "the sanitizers found nothing"
