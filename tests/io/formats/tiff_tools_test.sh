# SPDX-License-Identifier: MIT
# TIFF against libtiff's own tools and Netpbm's.
# shellcheck source=tests/io/tools.sh disable=SC2086
. "$(dirname "$0")/../tools.sh"
need tiffcp tiffinfo tiffset tifftopnm pamflip pnmtotiff
need_type tif

for name in $pictures; do
    "$copy" $name ours.tif dpi=600
    tiffinfo -D ours.tif >info.txt 2>&1 || fail "tiffinfo on $name"
    grep -qiE 'warning|error' info.txt && fail "tiffinfo complains about $name"
    tifftopnm -byrow ours.tif >theirs.pnm 2>/dev/null
    same "our TIFF of $name" theirs.pnm $name
    pnmtotiff $name >theirs.tif 2>/dev/null
    "$copy" theirs.tif ours.pnm
    same "Netpbm's TIFF of $name" ours.pnm $name
    for pack in none lzw zip packbits; do
        for layout in '' '-r 5' '-r 1000' '-t -w 32 -l 16' '-8' '-B' '-8 -B -t -w 16 -l 64'; do
            tiffcp -c $pack $layout ours.tif other.tif
            "$copy" other.tif ours.pnm
            same "$pack $layout of $name" ours.pnm $name
        done
        case $name in grey.pgm | rgb.ppm)
            for layout in '-r 5' '-t -w 32 -l 16'; do
                tiffcp -c $pack -p separate $layout ours.tif other.tif
                "$copy" other.tif ours.pnm
                same "separate planes, $pack $layout of $name" ours.pnm $name
            done ;;
        esac
    done
done

"$copy" bits.pbm ours.tif
tiffinfo ours.tif 2>&1 | grep -q 'CCITT Group 4' || fail 'bits are not G4'
tiffinfo ours.tif 2>&1 | grep -q 'min-is-white' || fail 'bits are not MinIsWhite'
for pack in g3 g3:2d g4 none; do
    for order in msb2lsb lsb2msb; do
        tiffcp -c $pack -f $order ours.tif other.tif
        "$copy" other.tif back.pbm
        same "$pack $order" back.pbm bits.pbm
    done
done

# Resolution in both units, pages, and the eight ways a picture can lie.
"$copy" rgb.ppm rgb.tif dpi=300
tiffinfo rgb.tif 2>&1 | grep -q 'Resolution: 300, 300 pixels/inch' || fail 'written resolution'
tiffset -s 296 3 rgb.tif
"$copy" rgb.tif - info | grep -q '762.00 x 762.00 dpi' || fail 'resolution per centimetre'
"$copy" grey.pgm grey.tif
tiffcp grey.tif rgb.tif grey.tif pages.tif
"$copy" pages.tif - info | grep -q 'pages 3' || fail 'number of pages'
"$copy" pages.tif back.pnm page=2
same 'page 2' back.pnm rgb.ppm
"$copy" pages.tif back.pnm page=4 2>message.txt && fail 'page 4 of 3'
grep -q 'the last one is 3' message.txt || fail 'message about page 4'
turns='2:leftright 3:leftright,topbottom 4:topbottom 5:transpose
    6:transpose,leftright 7:transpose,leftright,topbottom 8:transpose,topbottom'
for turn in $turns; do
    tiffset -s 274 ${turn%%:*} rgb.tif
    "$copy" rgb.tif back.ppm
    pamflip -xform=${turn#*:} rgb.ppm >turned.ppm
    same "orientation ${turn%%:*}" back.ppm turned.ppm
done
