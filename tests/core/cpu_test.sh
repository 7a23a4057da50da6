#!/bin/sh
# SPDX-License-Identifier: MIT
# The widest vectors that a processor has are used, and no instruction that it lacks: on x86 under
# qemu, a processor with SSE4.1 only and one without.
set -eu
skip() {
    echo "skipped: $*"
    exit 77
}
if [ "$(uname -m)" != x86_64 ] || [ "$(head -c 2 "$ROUNDOFF")" = '#!' ]; then skip "not x86-64"; fi
if [ -n "$SANITIZE" ]; then skip "the build has sanitizers"; fi
if ! command -v qemu-x86_64 >/dev/null 2>&1; then skip "qemu-x86_64 was not found"; fi
if "$ROUNDOFF" devices | grep -q '(scalar'; then skip "there are no vectors here"; fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$ROUNDOFF" testcard "$folder/card.pgm" --size 150x100 --quiet
"$ROUNDOFF" halftone "$folder/card.pgm" "$folder/here.pbm" --quiet

# picks PROCESSOR SET REFUSED: runs on PROCESSOR, by default in SET; REFUSED is not there.
picks() {
    on="qemu-x86_64 -cpu $1 $ROUNDOFF"
    $on halftone "$folder/card.pgm" "$folder/there.pbm" --json 2>/dev/null >"$folder/report"
    grep -q "\"cpu\": \"$2\"" "$folder/report" || {
        echo "$1: not $2: $(cat "$folder/report")" >&2
        exit 1
    }
    cmp "$folder/here.pbm" "$folder/there.pbm"
    if $on halftone "$folder/card.pgm" "$folder/no.pbm" --cpu "$3" 2>"$folder/message"; then
        echo "$1: --cpu $3 was accepted" >&2
        exit 1
    fi
    grep -q -e "--cpu $3: this processor has no" "$folder/message" || {
        cat "$folder/message" >&2
        exit 1
    }
}
picks Conroe scalar v128
picks Nehalem v128 avx2
