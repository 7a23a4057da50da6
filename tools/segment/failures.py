# SPDX-License-Identifier: MIT
"""python3 tools/segment/failures.py COMMAND OUT.png: five fields on which segment fails, with its
outlines, and what its report says of each. Needs what fields.py needs."""
import json
import subprocess
import sys
import tempfile

import numpy as np
from PIL import Image
from skimage import data, transform

import fields

CROP = 190


def retina():
    green = fields.bytes_of(transform.resize(data.retina()[..., 1], (512, 512), anti_aliasing=True))
    return green, [(300, 150)]


def page():
    _, picture, letters, _ = next(fields.fields(0, "letters"))
    return picture, [(253, 38), *((x, y) for x, y, _ in fields.clicks(letters, 0))]


def found(make):
    return lambda: (make(1)[0], None)


FAILURES = [  # what is wrong, the field and its clicks, left and top of what is shown
    ("a click on a vessel tree takes one piece of it, or what is round it", retina, (200, 60)),
    ("a click on a ruled line", page, (194, 0)),
    ("nuclei of 4 pixels in clusters, found: half of them are joined or missed",
     found(fields.nuclei(4)), (100, 100)),
    ("galaxies, found: many more than those above 6 deviations", found(fields.galaxies), (200, 200)),
    ("strokes of 16 pixel text, found: some are joined", found(fields.text(16)), (60, 60)),
]


def main():
    command, out = sys.argv[1:]
    shown = []
    for number, (name, make, (left, top)) in enumerate(FAILURES, 1):
        picture, clicks = make()
        with tempfile.TemporaryDirectory() as folder:
            Image.fromarray(picture).save(f"{folder}/in.png")
            words = ["--seeds", "auto"] if clicks is None else sum(
                (["--at", f"{x},{y}"] for x, y in clicks), [])
            files = [f"{folder}/in.png", f"{folder}/out.png"]
            options = ["--force", "--overlay", f"{folder}/look.png"]
            said = subprocess.run([command, "segment", *files, *words, *options], check=True,
                                  capture_output=True, text=True).stderr
            told = json.loads(subprocess.run([command, "segment", *files, *words, *options, "--json"],
                                             check=True, capture_output=True).stdout)["labels"]
            look = np.array(Image.open(f"{folder}/look.png").convert("RGB"))
        shown.append(look[top:top + CROP, left:left + CROP])
        sure = [label["confidence"] for label in told]
        print(f"{number}. {name}: {len(told)} labels, confidence {min(sure):.1f} to {max(sure):.1f}, "
              f"largest {max(label['medians'] for label in told):.1f} medians")
        print("".join(f"   {line}\n" for line in said.splitlines() if "ms" not in line
                      and "label " + "1:" not in line), end="")
    Image.fromarray(np.concatenate(shown, 1)).save(out)


if __name__ == "__main__":
    main()
