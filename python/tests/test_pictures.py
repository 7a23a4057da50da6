# SPDX-License-Identifier: MIT
"""Pictures as people have them: alpha, floats, booleans of Pillow, other sizes, lists of colours."""
import subprocess

import numpy as np
import pytest

import roundoff
from conftest import read_pnm, write_pnm


def test_alpha_over_white(colour, tmp_path, command):
    alpha = np.linspace(0, 255, colour.shape[0] * colour.shape[1]).reshape(colour.shape[:2])
    four = np.dstack([colour, alpha.astype(np.uint8)])
    made = roundoff.halftone(four)
    assert made.shape == colour.shape[:2]
    over = (alpha.astype(np.uint8)[..., None] * colour.astype(int) +
            (255 - alpha.astype(np.uint8)[..., None].astype(int)) * 255 + 127) // 255
    assert np.array_equal(made, roundoff.halftone(over.astype(np.uint8)))
    assert roundoff.halftone(np.stack([four, four])).shape == (2, *colour.shape[:2])
    assert roundoff.halftone(four / np.float32(255), palette="ega").shape == colour.shape


def test_floats_in_other_units(grey):
    for wrong, word in ((grey.astype(np.float32), "255"), (grey * 200.0, "65535"),
                        (np.full((4, 4), 1.2), "0, black, to 1, white")):
        with pytest.raises(roundoff.BadArgument, match=word):
            roundoff.halftone(wrong)
    assert np.array_equal(roundoff.halftone(grey.astype(np.float32), range=(0, 255)),
                          roundoff.halftone(grey.astype(np.float32) / 255))
    roundoff.halftone(np.full((4, 4), 1.001))  # as resampling leaves it


def test_booleans_of_pillow(grey):
    bits = grey > 99
    foreign = (bits.view(np.uint8) * np.uint8(255)).view(bool)  # as Pillow gives them
    assert np.array_equal(roundoff.halftone(foreign), 255 * bits)


def test_palettes_as_lists(colour):
    text = roundoff.halftone(colour, palette="black white #c00000")
    assert np.array_equal(text, roundoff.halftone(colour, palette=["black", "white", "#c00000"]))
    assert np.array_equal(text, roundoff.halftone(colour, palette=[(0, 0, 0), (255, 255, 255),
                                                                   (192, 0, 0)]))


def test_percent_signs(grey):
    assert np.array_equal(roundoff.halftone(grey, contrast="10%"),
                          roundoff.halftone(grey, contrast=10))


@pytest.mark.parametrize("size", ["40x30", "37x", "x55", "150%", "33.3%", "fit:40x40", "fill:64x32",
                                  "fill:200x31", "up:3", (40, 30)])
@pytest.mark.parametrize("more", [{}, {"linear": True}, {"resample": "light"}, {"palette": "ega"}])
def test_resized_as_the_command(tmp_path, command, grey, colour, size, more):
    picture = colour if "palette" in more else grey
    if "resample" in more and size == "up:3":
        return
    write_pnm(tmp_path / "in.pnm", picture)
    flags = [word for name, value in more.items()
             for word in ([f"--{name}"] if value is True else [f"--{name}", value])]
    text = size if isinstance(size, str) else "x".join(map(str, size))
    out = "out.ppm" if "palette" in more else "out.pgm"
    subprocess.run([command.program, "halftone", tmp_path / "in.pnm", tmp_path / out, "--quiet",
                    "--resize", text, *flags], check=True)
    made = roundoff.halftone(picture, resize=size, **more)
    assert np.array_equal(made, read_pnm(tmp_path / out))
    with pytest.raises(roundoff.BadArgument, match="resize"):
        roundoff.halftone(picture, resize="big")
