#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/jobs/build.sh [cmake options]: builds the command and the libraries in build/.
cd "$(dirname "$0")/../.."
. tools/common.sh
# shellcheck disable=SC2086
need $packages_build
build release "$@"
