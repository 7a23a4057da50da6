#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the test of option tables where the decimal point is a comma.
set -eu
if ! command -v localedef >/dev/null || [ ! -f /usr/share/i18n/locales/de_DE ]; then
    echo "there is no localedef"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
localedef -i de_DE -f UTF-8 "$folder/de_DE.UTF-8"
LOCPATH=$folder "$BUILD_DIR/tests/options_options_test" >"$folder/told" 2>&1 || {
    cat "$folder/told"
    exit 1
}
! grep -q SKIPPED "$folder/told"
