#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/jobs/hdl.sh [options of tools/hdl/place.py]: every circuit against the library with many more
# parameters than in ./run test, all proofs, then the figures of placed circuits. What it prints is
# kept as bench/results/circuits.md.
cd "$(dirname "$0")/../.."
. tools/common.sh
# shellcheck disable=SC2086
need $packages_hdl
sh tools/jobs/build.sh >&2
printf '# Circuits\n\n%s, commit %s, printed by `./run hdl%s`.\n' "$(date -u +%F)" "$(commit)" \
    "${*:+ $*}"
printf '\n## Checks\n\n```\n'
for script in tests/hdl/*_test.sh; do
    HDL_WHOLE=yes sh "$script" >build/hdl.log || [ $? -eq 77 ] || {
        cat build/hdl.log >&2
        exit 1
    }
    grep -E ' as the library has them|^proved|^skipped| refused' build/hdl.log
done
printf '```\n\n## Placed\n\n'
python3 tools/hdl/place.py "$@"
