# SPDX-License-Identifier: MIT
# JPEG against libjpeg's own tools.
# shellcheck source=tests/io/tools.sh disable=SC2059,SC2086
. "$(dirname "$0")/../tools.sh"
need cjpeg djpeg pamflip
printf '\377\330\377\340' >probe.jpg
"$copy" probe.jpg - info 2>probe.txt && fail 'a JPEG file of four bytes'
if grep -q 'this build has no' probe.txt; then
    echo "skipped: $(cat probe.txt)"
    exit 77
fi

for name in grey.pgm rgb.ppm; do
    for option in '' -progressive '-sample 1x1' '-restart 1' -arithmetic; do
        cjpeg -quality 90 $option $name >a.jpg 2>/dev/null || continue # not every one is built in
        djpeg a.jpg >theirs.pnm
        for rows in 1 7 100; do
            "$copy" a.jpg ours.pnm rows=$rows
            same "JPEG $option of $name by $rows rows" ours.pnm theirs.pnm
        done
    done
done

# EXIF says how it lies: a marker with one entry, put behind the start of the file.
cjpeg -quality 90 rgb.ppm >a.jpg
djpeg a.jpg >upright.ppm
turns='1:leftright,leftright 2:leftright 3:leftright,topbottom 4:topbottom 5:transpose
    6:transpose,leftright 7:transpose,leftright,topbottom 8:transpose,topbottom'
for turn in $turns; do
    {
        printf '\377\330\377\341\000\042Exif\000\000MM\000\052\000\000\000\010\000\001'
        printf '\001\022\000\003\000\000\000\001\000'
        printf "$(printf '\\%03o' "${turn%%:*}")"
        printf '\000\000\000\000\000\000'
        tail -c +3 a.jpg
    } >exif.jpg
    "$copy" exif.jpg back.ppm
    pamflip -xform=${turn#*:} upright.ppm >turned.ppm
    same "EXIF orientation ${turn%%:*}" back.ppm turned.ppm
done
