# SPDX-License-Identifier: MIT
# PNM against Netpbm.
# shellcheck source=tests/io/tools.sh disable=SC2086
. "$(dirname "$0")/../tools.sh"
need pamfile pnmtoplainpnm pnmdepth pnmcat

# Netpbm reads the plain files as we do, and finds what we wrote to be proper.
for name in pbm pgm ppm; do
    case $name in pbm) ours=bits.pbm ;; pgm) ours=grey.pgm ;; ppm) ours=rgb.ppm ;; esac
    pnmcat -leftright plain.$name >theirs.pnm
    same "$name from plain" theirs.pnm $ours
    pamfile $ours | grep -q '61 by 37' || fail "$ours is not proper"
    pnmtoplainpnm $ours >again.pnm
    "$copy" again.pnm back.pnm
    same "$name through Netpbm's plain" back.pnm $ours
done
for depth in 1 2 15 100 254 256 1000 65534; do
    pnmdepth $depth grey16.pgm >depth.pgm 2>/dev/null
    "$copy" depth.pgm back.pgm
    same "maxval $depth" depth.pgm back.pgm
    pnmtoplainpnm depth.pgm >depth.plain
    "$copy" depth.plain back.pgm
    same "plain maxval $depth" depth.pgm back.pgm
done
cat grey.pgm bits.pbm rgb.ppm >pages.pnm
"$copy" pages.pnm page.pnm page=2
same 'page 2' page.pnm bits.pbm
# A pipe, which cannot be read at another place.
# shellcheck disable=SC2002
cat pages.pnm | "$copy" - - page=3 >page.pnm
same 'page 3 of a pipe' page.pnm rgb.ppm
