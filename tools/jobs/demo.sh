#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/jobs/demo.sh: builds the command for this machine alone and shows every system on one page.
cd "$(dirname "$0")/../.."
. tools/common.sh
# shellcheck disable=SC2086
need $packages_build
build_target demo roundoff
sh tools/demo/show.sh build-demo/roundoff out/demo
cat <<'END'
Open out/demo/index.html in a browser: every command that was run, with its pictures. In out/demo:
  floyd-steinberg.png acuity.png search.png   the test card with two levels
  panel.png                                   the test card on a six-colour e-paper panel
  screen.png                                  the test card as a printer screens it
  clean.png                                   noisy.png without its noise
  outlines.png cells-found.csv                the nuclei of cells.png, and their sizes
  found.png                                   bent.png, laid over lake.png
  diffused.png seen-diffused.png              a hologram for a light modulator, and what it shows
  certificate.json                            what "roundoff verify" checks certified.png with
END
