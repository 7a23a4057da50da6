#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/jobs/docs.sh: checks the manual and makes all pictures of the documentation, and examples of the
# pages in out/.
cd "$(dirname "$0")/../.."
. tools/common.sh

# A ramp from black to white, as plain PGM.
ramp() {
    awk 'BEGIN {
        print "P2\n512 64\n255"
        for (y = 0; y < 64; y++)
            for (x = 0; x < 512; x++) print int(x * 255 / 511)
    }'
}

# A picture of a page, where there is a browser.
# picture_of PAGE OUT
picture_of() {
    for browser in chromium chromium-browser google-chrome; do
        if command -v $browser >/dev/null 2>&1 &&
            $browser --headless=new --no-sandbox --disable-gpu --hide-scrollbars \
                --window-size=860,640 --screenshot="$PWD/$2" "file://$PWD/$1" >/dev/null 2>&1; then
            return 0
        fi
    done
    say "no chromium here: $2 stays as it is"
}

# methods.md: a test card that was bent and turned, and found again.
docs_register() {
    python3 tools/docs/pictures.py bend out/bend.flo 256 256
    build/roundoff testcard out/straight.pgm --size 256x256 --quiet
    build/roundoff register apply out/bend.flo out/straight.pgm out/bent.pgm --quiet
    build/roundoff register out/straight.pgm out/bent.pgm out/found.pgm \
        --figure docs/images/register.png --quiet
}

# papers.md: figures 4.6 to 4.11 of the thesis as sequences.
docs_papers() {
    mkdir -p docs/images/papers
    build/roundoff testcard out/grey.pgm --size 1280x853 --quiet
    python3 tools/docs/pictures.py crop out/grey.pgm out/part.pgm 560 60 112 112
    python3 tools/docs/pictures.py noise out/part.pgm out/noisy-part.pgm 20
    # evolve NAME OPTIONS: an animation of docs/images/papers
    evolve() {
        name=$1
        shift
        build/roundoff denoise out/noisy-part.pgm out/evolved.pgm --quiet \
            --evolution "docs/images/papers/$name.gif" "$@"
    }
    evolve linear --model linear --iterations 40 --every 8
    evolve perona-malik --model perona-malik --iterations 40 --every 8
    for scheme in naive explicit; do
        evolve mass-$scheme --model perona-malik --kappa 10 --number s9 --iterations 100 \
            --scheme $scheme --every 20
    done
    evolve eight-bits --number s9 --scheme explicit --iterations 10 --every 2
    build/roundoff denoise out/noisy-part.pgm out/evolved.pgm --model linear --until-converged \
        --number u8 --iterations 20000 --history docs/images/papers/stops.svg --quiet
}

# examples/images, which ./run demo shows: parts of the test card with noise or bent, and drawn cells.
docs_examples() {
    build/roundoff testcard out/grey.pgm --size 1280x853 --quiet
    python3 tools/docs/pictures.py crop out/grey.pgm out/lake.pgm 440 10 480 320
    python3 tools/docs/pictures.py noise out/lake.pgm out/noisy.pgm 20
    python3 tools/docs/pictures.py bend out/bend.flo 480 320
    build/roundoff register apply out/bend.flo out/lake.pgm out/bent.pgm --quiet
    python3 tools/docs/pictures.py cells out/cells.pgm examples/images/cells.csv 480 320
    for name in lake noisy bent cells; do
        build/roundoff halftone out/$name.pgm examples/images/$name.png --levels 256 --quiet
    done
}

# methods.md: methods side by side on the test card and a ramp, dot for dot and four times as large.
docs_look() {
    cards='' ramps='' faint=''
    printf 'tone in, tone out\n0, 35%%\n100%%, 65%%\n' >out/faint.csv
    for method in floyd-steinberg 'ostromoukhov --serpentine' blue-noise acuity dbs-clipping-free; do
        name=${method%% *}
        # shellcheck disable=SC2086 # a method and its options
        build/roundoff halftone out/card.pgm out/card-$name.pbm --method $method --quiet
        # shellcheck disable=SC2086
        build/roundoff halftone out/ramp.pgm out/ramp-$name.pbm --method $method --quiet
        # shellcheck disable=SC2086
        build/roundoff halftone out/card.pgm out/faint-$name.pbm --method $method \
            --curve out/faint.csv --quiet
        cards="$cards out/card-$name.pbm" ramps="$ramps out/ramp-$name.pbm"
        faint="$faint out/faint-$name.pbm"
    done
    # shellcheck disable=SC2086 # lists of files
    {
        python3 tools/docs/side_by_side.py docs/images/look-scene.png --crop 120,20,160,200 $cards
        python3 tools/docs/side_by_side.py docs/images/look-solids.png --crop 80,392,160,160 $cards
        python3 tools/docs/side_by_side.py docs/images/look-text.png --crop 607,389,160,92 $cards
        python3 tools/docs/side_by_side.py docs/images/look-faint.png --crop 607,389,160,92 $faint
        python3 tools/docs/side_by_side.py docs/images/look-near.png --crop 90,440,40,40 --zoom 4 $cards
        python3 tools/docs/side_by_side.py docs/images/look-ramp.png --columns 1 $ramps
    }
}

# README: pictures of 400 pixels, two to a line. The lake is a part of the test card, the cells are drawn.
docs_readme() {
    build/roundoff testcard out/colour.ppm --size 1280x853 --colour --quiet
    python3 tools/docs/pictures.py crop out/colour.ppm out/lake.ppm 440 10 480 320
    python3 tools/docs/pictures.py crop out/colour.ppm out/shore.ppm 500 60 400 266
    build/roundoff halftone out/shore.ppm docs/images/epaper.png --palette spectra6 --quiet
    python3 tools/docs/pictures.py cells out/cells.pgm out/seeds.csv 400 266
    build/roundoff segment out/cells.pgm out/labels.png --seeds out/seeds.csv \
        --overlay docs/images/cells.png --quiet
    build/roundoff testcard out/hero.pgm --size 800x534 --quiet
    build/roundoff halftone out/hero.pgm docs/images/testcard.png --quiet
}

# colour.md: a part of the lake by each choice.
docs_colour() {
    pictures=docs/images/colour
    mkdir -p $pictures
    python3 tools/docs/pictures.py crop out/lake.ppm out/shore.ppm 120 60 240 160
    while read -r name options; do
        # shellcheck disable=SC2086 # options
        build/roundoff halftone out/shore.ppm $pictures/$name.png $options --quiet
    done <<END
original --palette auto:256
pure --palette spectra6
panel --palette spectra6-panel --fit none
fitted --palette spectra6-panel
seven --palette 7-colour-panel
blue-noise --palette spectra6 --method blue-noise
bayer --palette spectra6 --method bayer
serpentine --palette spectra6 --serpentine
threshold --palette spectra6 --method threshold
auto-16 --palette auto:16
gameboy --palette gameboy
recolour --recolour navy,#c60,ivory --method blue-noise
END
    # Text, skin and sky: above the default, below search; 2:1 and 1:1.
    for panel in spectra6-panel 7-colour-panel uc8159-panel; do
        for method in fan search; do
            build/roundoff halftone $pictures/search-original.png out/$method.ppm \
                --palette $panel --method $method --quiet
        done
        for zoom in 1 2; do
            python3 tools/docs/pictures.py stack $zoom out/stack.ppm out/fan.ppm out/search.ppm
            build/roundoff halftone out/stack.ppm $pictures/search-$panel-$zoom.png \
                --palette $panel --fit none --method threshold --quiet
        done
    done
}

need mandoc python3 'chromium|chromium-browser'
sh tools/jobs/build.sh
mandoc -Tlint -W warning docs/roundoff.1
mkdir -p out docs/images/methods
mandoc -Thtml docs/roundoff.1 >out/roundoff.html
docs_readme
build/roundoff testcard out/card.pgm --size 840x560 --quiet
docs_colour
# methods.md: every method on the test card, and search on a ramp
build/roundoff testcard out/methods.pgm --size 512x512 --quiet
build/roundoff halftone --list | sed -n 's/^\([^ ][^ ]*\) .*/\1/p' | while read -r name; do
    case $name in
    screen) continue ;; # a file of the user's own
    esac
    build/roundoff halftone out/methods.pgm "docs/images/methods/$name.png" --method "$name" \
        --quiet
done
ramp >out/ramp.pgm
for method in dbs dbs-clipping-free; do
    build/roundoff halftone out/ramp.pgm docs/images/ramp-$method.png --method $method --quiet
done
docs_look
# circuits.md: block diagrams
python3 tools/hdl/diagrams.py docs/images/circuits
# measure.md: the wedge and the page of a comparison
build/roundoff calibrate wedge docs/images/wedge.png --method blue-noise --quiet
build/roundoff compare out/methods.pgm --report out/compare.html --quiet
build/roundoff measure out/methods.pgm docs/images/methods/floyd-steinberg.png --tile 16 \
    --report out/measure.html --quiet
picture_of out/compare.html docs/images/compare.png
sh tools/docs/hologram.sh
sh tools/docs/denoise.sh build/roundoff
sh tools/docs/slm.sh
docs_papers
docs_register
docs_examples
say "out/roundoff.html, out/compare.html, out/measure.html, docs/images"
