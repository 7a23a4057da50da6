#!/bin/sh
# SPDX-License-Identifier: MIT
# Draws docs/images/denoise-*.png: tools/docs/denoise.sh build/roundoff
set -eu
roundoff=$(realpath "$1")
docs=$(realpath "$(dirname "$0")")
images=$docs/../../docs/images
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python="python3 $docs/pictures.py"

"$roundoff" testcard card.pgm --size 480x320 --quiet
$python noise card.pgm noisy.pgm 25
"$roundoff" denoise noisy.pgm trained.pgm --quiet
"$roundoff" denoise noisy.pgm anisotropic.pgm --model anisotropic --quiet
$python beside 1 205 60 270 260 "$images/denoise-card.png" noisy.pgm trained.pgm anisotropic.pgm

$python cells counts.pgm seeds.csv 360 240
"$roundoff" denoise counts.pgm even.pgm --quiet --noise-level 4
"$roundoff" denoise counts.pgm grows.pgm --quiet
$python beside 2 150 60 135 130 "$images/denoise-counts.png" counts.pgm even.pgm grows.pgm
