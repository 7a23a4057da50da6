#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/jobs/bench.sh [options of roundoff bench]: measures, beside the other programs it can install.
cd "$(dirname "$0")/../.."
. tools/common.sh
# shellcheck disable=SC2086
need $packages_bench
sh tools/jobs/build.sh -DRO_PEER_ITK=ON
build/roundoff bench "$@"
