#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/demo/show.sh ROUNDOFF OUT: runs every system once, with no options where it can, and makes a
# page of the pictures: OUT/index.html. The commands run in OUT, so anybody can repeat them there.
set -eu
roundoff=$(realpath "$1")
mkdir -p "$2"
here=$(realpath "$(dirname "$0")")
images=$here/../../examples/images
cd "$2"
page=index.html

escaped() { sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g'; }

# section TITLE TEXT
section() { printf '<h2>%s</h2>\n<p>%s</p>\n' "$1" "$2" >>$page; }

# try ARGUMENTS: runs the command and puts it on the page with what it says.
try() {
    if ! "$roundoff" "$@" >said.txt 2>&1; then
        cat said.txt >&2
        exit 1
    fi
    {
        printf '<pre><b>roundoff %s</b>\n' "$(echo "$*" | escaped)"
        escaped <said.txt
        echo '</pre>'
    } >>$page
}

# slider LEFT RIGHT NAMES: two pictures of one size, one above the other.
slider() {
    cat >>$page <<HTML
<figure><div class="slider"><img src="$1" alt="${3%|*}"><img src="$2" alt="${3#*|}">
<input type="range" min="0" max="100" value="50" aria-label="${3%|*}, or ${3#*|}"></div>
<figcaption><span>${3%|*}</span><span>${3#*|}</span></figcaption></figure>
HTML
}

# Steps that are not shown.
quietly() { "$roundoff" "$@" --quiet; }

cp "$images"/*.png "$images"/*.csv .
{
    cat <<HTML
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Roundoff</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
<style>
HTML
    cat "$here/demo.css"
    cat <<HTML
</style></head><body>
<h1>Roundoff</h1>
<p>Every command was run on this machine a moment ago, in the folder of this page. Move the sliders.
Pictures are shown dot for dot: zoom the page by whole steps only, or dots disappear.</p>
HTML
} >$page

quietly testcard card.png --size 800x534
quietly testcard colour.png --size 800x534 --colour

section 'Two levels' 'The test card in black and white: first by error diffusion as most programs do it, then
by our own one-pass method with weights for every tone, then by search for the dots that an eye sees least.'
try halftone card.png floyd-steinberg.png
slider card.png floyd-steinberg.png 'test card|Floyd–Steinberg'
try halftone card.png acuity.png --method acuity
slider floyd-steinberg.png acuity.png 'Floyd–Steinberg|acuity'
try halftone card.png search.png --method dbs-clipping-free
slider floyd-steinberg.png search.png 'Floyd–Steinberg|search'
try measure card.png search.png

section 'A six-colour e-paper panel' 'The colours are those that such a panel shows, so they are dull. The picture
is fitted to them.'
try halftone colour.png panel.png --palette spectra6-panel
slider colour.png panel.png 'test card|panel'

section 'A printing screen' 'Dots in rows, at an angle that need not be one of a few.'
try halftone card.png screen.png --lpi 75 --dpi 600 --angle 45
slider card.png screen.png 'test card|screen of 75 lines per inch'

section 'Noise removed' 'Small trained filters in integers. The sum of the pixels is kept.'
try denoise noisy.png clean.png
slider noisy.png clean.png 'noise of 20/255|denoised'

section 'Cells found' 'A front grows from each seed; the fronts compete for pixels.'
try segment cells.png labels.png --seeds cells.csv --overlay outlines.png --table cells-found.csv
slider cells.png outlines.png 'nuclei|outlines'

section 'A bent picture laid over another' 'The second picture was turned and bent by up to 30 pixels. Nothing but the
two pictures is given.'
try register lake.png bent.png found.png
slider lake.png bent.png 'fixed|moving'
slider lake.png found.png 'fixed|moving, warped onto it'

section 'A hologram' 'The light of some dice, rounded to four phases of a light modulator: plainly, and with the error
steered past the viewer. The grain is that of laser light; rounding adds the haze on the left.'
try hologram make dice.npy --size 2048x2048
try hologram quantize dice.npy rounded.png --levels phase:4 --algorithm truncate
try hologram quantize dice.npy diffused.png --levels phase:4
for name in rounded diffused; do
    try hologram reconstruct $name.png $name.npy --levels phase:4 --sidecar dice.json
    quietly halftone $name.npy seen-$name.png --levels 256 --resize 512x512
done
slider seen-rounded.png seen-diffused.png 'rounded|error diffusion'

section 'A certificate' 'It states what was done, and <code>verify</code> finds out whether the files are still those.'
try halftone card.png certified.png --certificate certificate.json
try verify certificate.json card.png certified.png

{
    echo '<script>'
    cat "$here/demo.js"
    printf '</script>\n</body></html>\n'
} >>$page
rm -f said.txt ./*.npy
