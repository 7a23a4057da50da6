#!/bin/sh
# SPDX-License-Identifier: MIT
# roundoff-mpi verify and hash: the hashes of roundoff's certificates.
# shellcheck source=tests/mpi/ranks.sh
. "$SOURCE_DIR/tests/mpi/ranks.sh"
if ! "$ROUNDOFF" testcard in.tif --size 233x301 --bits 16 --quiet --certificate card.json; then
    echo "skipped: this build has no certificates"
    exit 77
fi
"$ROUNDOFF" halftone in.tif out.pbm --quiet --certificate cert.json
for number in 1 3; do
    ranks "$number" verify cert.json in.tif out.pbm --rows 37 2>said || wrong "$number: $(cat said)"
    grep -q "the hashes of cert.json hold" said || wrong "$number: nothing was said"
done
ranks 2 verify card.json in.tif --json >told || wrong "the card's hash is wrong"
grep -q '"hashes": 1, "verified": true' told || wrong "JSON: $(cat told)"
ranks 4 hash in.tif out.pbm --rows 300 >told
for file in in.tif out.pbm; do # two lines, with the hashes of the certificate
    hash=$(sed -n "s/  $file\$//p" told)
    grep -q "put_hash\": \"$hash\"" cert.json || wrong "hash: $(cat told)"
done

# One pixel, other files, other words.
{ head -c 4000 out.pbm && printf '\252' && tail -c +4002 out.pbm; } >edited.pbm
if cmp -s out.pbm edited.pbm; then wrong "nothing was edited"; fi
refused "its pixels have the hash" 3 verify cert.json in.tif edited.pbm
refused "is verified with IN and OUT" 2 verify cert.json out.pbm
echo "{}" >empty.json
refused "empty.json" 2 verify empty.json in.tif out.pbm
# A stack has a hash of all its pages, which is not that of one: two pages of 8 x 3 in a .npy file.
{
    printf '\223NUMPY\001\000\166\000%-117s\n' \
        "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3, 8), }"
    printf 'abcdefghijklabcdefghijklabcdefghijklabcdefghijkl'
} >stack.npy
refused "is a stack of 2 pages" 2 hash stack.npy
exit $failed
