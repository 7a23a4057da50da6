#!/bin/sh
# SPDX-License-Identifier: MIT
# The commit that jobs print beside figures is that of the sources: changed sources are named so, and
# RO_COMMIT says what a copy is whose HEAD is another.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
command -v git >/dev/null || exit 77
mkdir "$folder/tools"
cp "$SOURCE_DIR/tools/common.sh" "$SOURCE_DIR/tools/packages.sh" "$folder/tools"
cd "$folder"
unset RO_COMMIT

# is WANTED
is() {
    got=$(sh -c '. tools/common.sh; commit')
    if [ "$got" != "$1" ]; then
        echo "the commit is '$got', not '$1'" >&2
        exit 1
    fi
}

is unknown
git init -q .
git -c user.name=a -c user.email=b commit -q --allow-empty -m first
git add .
git -c user.name=a -c user.email=b commit -q -m second
head=$(git rev-parse --short HEAD)
is "$head"
echo "# changed" >>tools/common.sh
is "$head with changes"
git checkout -q tools
touch tools/new.cu
is "$head with changes"
RO_COMMIT=1234567
export RO_COMMIT
is 1234567
