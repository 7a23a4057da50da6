# SPDX-License-Identifier: MIT
# PNG against Netpbm's and libpng's own tools.
# shellcheck source=tests/io/tools.sh disable=SC2086
. "$(dirname "$0")/../tools.sh"
need pngtopnm pnmtopng pnmdepth pngfix pgmtoppm ppmtopgm pnminvert
need_type png

for name in $pictures; do
    "$copy" $name ours.png dpi=300
    pngfix -q ours.png || fail "pngfix on $name"
    pngtopnm ours.png >theirs.pnm 2>/dev/null
    same "our PNG of $name" theirs.pnm $name
    "$copy" ours.png ours.pnm
    same "our PNG of $name, read by us" ours.pnm $name
    for option in '' -interlace; do
        pnmtopng $option $name >theirs.png 2>/dev/null
        for rows in 1 7 100; do
            "$copy" theirs.png ours.pnm rows=$rows
            same "$option PNG of $name by $rows rows" ours.pnm $name
        done
    done
done
"$copy" ours.png - info | grep -q '300.00 x 300.00 dpi' || fail resolution
pnmtopng -size '11811 23622 1' grey.pgm >dpi.png 2>/dev/null
"$copy" dpi.png - info | grep -q '300.00 x 600.00 dpi' || fail 'resolution of pnmtopng'

# 2 and 4 bits, and palettes of colours and of greys.
for depth in 3 15; do
    pnmdepth $depth grey.pgm >small.pgm 2>/dev/null
    for option in '' -interlace; do
        pnmtopng $option small.pgm >small.png 2>/dev/null
        "$copy" small.png back.pgm
        same "maxval $depth" back.pgm small.pgm
    done
    "$copy" small.pgm small.png
    pngtopnm small.png >back.pgm
    same "our maxval $depth" back.pgm small.pgm
done
pnmdepth 3 rgb.ppm 2>/dev/null | pnmdepth 255 >few.ppm 2>/dev/null
for option in '' -interlace; do
    pnmtopng $option few.ppm >few.png 2>/dev/null
    "$copy" few.png back.ppm
    same 'a palette' back.ppm few.ppm
done

# Alpha over white: where it is full the colour stays, where there is none it is white.
pnmdepth 1 grey.pgm 2>/dev/null | pnmdepth 255 >mask.pgm 2>/dev/null
for name in grey.pgm rgb.ppm; do
    pnmtopng -force -alpha=mask.pgm $name >alpha.png 2>/dev/null
    "$copy" alpha.png back.pnm
    pngtopnm -mix -background=white alpha.png >mixed.pnm 2>/dev/null
    same "alpha of $name" back.pnm mixed.pnm
done
