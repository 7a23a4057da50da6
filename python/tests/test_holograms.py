# SPDX-License-Identifier: MIT
"""Holograms and wedges against the command."""
import json
import pathlib
import subprocess

import numpy as np
import pytest

import roundoff
from conftest import read_pnm, write_pnm
from roundoff import calibrate, hologram


@pytest.fixture(scope="module")
def dice():
    return hologram.make((256, 256), seed=3)


def optics_of(path, made):
    """A file's optics, which have nine digits."""
    known = json.loads(path.read_text())
    return made.optics._replace(**{name: tuple(value) if isinstance(value, list) else value
                                   for name, value in known.items()})


def test_make_and_quantize_as_the_command(tmp_path, command, dice):
    def run(*words):
        subprocess.run([command.program, "hologram", *words, "--quiet"], check=True, cwd=tmp_path)

    run("make", "dice.npy", "--size", "256x256", "--seed", "3")
    assert np.array_equal(np.load(tmp_path / "dice.npy"), dice.field)
    run("quantize", "dice.npy", "numbers.npy", "--levels", "phase:16")
    numbers, figures = hologram.quantize(dice, "phase:16", return_figures=True)
    assert np.array_equal(np.load(tmp_path / "numbers.npy"), numbers)
    assert figures.levels == 16 and figures.reached_snr_db > 0
    run("quantize", "dice.npy", "numbers.npy", "--algorithm", "truncate", "--window",
        "0.15,0.1,0.3,0.3")
    assert np.array_equal(
        np.load(tmp_path / "numbers.npy"),
        hologram.quantize(dice, algorithm="truncate", window=(0.15, 0.1, 0.3, 0.3)))
    known = optics_of(tmp_path / "dice.json", dice)
    run("reconstruct", "dice.npy", "seen.npy")
    assert np.array_equal(np.load(tmp_path / "seen.npy"), hologram.reconstruct(dice, known))
    run("propagate", "dice.npy", "far.npy", "--distance", "2mm")
    assert np.array_equal(np.load(tmp_path / "far.npy"), hologram.propagate(dice, 2e-3).field)


def test_scenes_as_the_command(tmp_path, command, grey, colour):
    write_pnm(tmp_path / "grey.pgm", grey)
    write_pnm(tmp_path / "colour.ppm", colour)

    def made(*words):
        subprocess.run([command.program, "hologram", "make", "field.npy", "--size", "128x96",
                        "--quiet", *words], check=True, cwd=tmp_path)
        return np.load(tmp_path / "field.npy")

    assert np.array_equal(made("--scene", "grey.pgm@80mm", "--scene", "colour.ppm@90mm", "--seed", "2"),
                          hologram.make((96, 128), scene=[(grey, "80mm"), (colour, 0.09)], seed=2).field)
    wanted = made("--scene", "colour.ppm", "--depth-map", "grey.pgm", "--depth", "20mm,30mm",
                  "--phase", "smooth", "--pitch", "6um")
    result = hologram.make((96, 128), scene=colour, depth_map=grey, depth=("20mm", 0.03),
                           phase="smooth", pitch="6um")
    assert np.array_equal(result.field, wanted) and result.optics.pitch == 6e-6
    assert result._repr_png_()[:4] == b"\x89PNG"
    for bad in ({"scene": grey}, {"scene": colour, "depth_map": grey}, {"depth": (1, 2)},
                {"scene": [(grey, 0.08)], "target": "ring"}, {"scene": [(grey, "8 miles")]},
                {"scene": [grey, 3]}):
        with pytest.raises(roundoff.BadArgument):
            hologram.make((96, 128), **bad)


def test_refining_and_frames_as_the_command(tmp_path, command, grey):
    write_pnm(tmp_path / "target.pgm", grey)

    def run(*words):
        subprocess.run([command.program, "hologram", *words, "--quiet"], check=True, cwd=tmp_path)

    run("make", "field.npy", "--size", "128x96", "--scene", "target.pgm@20mm")
    field = hologram.make((96, 128), scene=[(grey, "20mm")])
    known = optics_of(tmp_path / "field.json", field)
    for place in ("fill", "fit"):
        run("quantize", "field.npy", "numbers.npy", "--levels", "phase:4", "--refine", "3",
            "--target", "target.pgm", "--distance", "-20mm", "--place", place)
        numbers, figures = hologram.quantize(field, "phase:4", known, refine=3, target=grey,
                                             distance="-20mm", place=place, return_figures=True)
        assert np.array_equal(numbers, np.load(tmp_path / "numbers.npy"))
    assert figures.psnr_db > figures.start_psnr_db
    run("quantize", "field.npy", "frame.npy", "--levels", "phase-binary", "--frames", "3", "--window",
        "0.2,0.2,0.3,0.3", "--seed", "4")
    frames = hologram.quantize(field, "phase-binary", frames=3, window=(0.2, 0.2, 0.3, 0.3), seed=4)
    assert frames.shape == (3, 96, 128)
    for number, frame in enumerate(frames, 1):
        assert np.array_equal(frame, np.load(tmp_path / f"frame-{number}.npy"))
    for bad in ({"refine": 3}, {"target": grey}, {"frames": 2}, {"refine": 2, "target": grey,
                                                               "distance": 1, "p": 3}):
        with pytest.raises(roundoff.BadArgument):
            hologram.quantize(field, "phase:4", **bad)


def test_light_of_a_modulator(dice):
    numbers = hologram.quantize(dice, "phase:16")
    sent = hologram.light(numbers, "phase:16", dice.optics)
    assert np.allclose(np.abs(sent.field), 1, atol=1e-6)
    seen, wanted = hologram.reconstruct(sent), hologram.reconstruct(dice)
    assert np.corrcoef(seen.ravel(), wanted.ravel())[0, 1] > 0.8


def test_bad_fields(dice):
    for call in (lambda: hologram.quantize(np.zeros((4, 4), np.uint8)),
                 lambda: hologram.quantize(dice, "phase:0"),
                 lambda: hologram.propagate(dice.field, 1.0),
                 lambda: hologram.light(np.full((4, 4), 9, np.uint8), "phase:4")):
        with pytest.raises(roundoff.BadArgument):
            call()


def test_wedge_as_the_command(tmp_path, command):
    subprocess.run([command.program, "calibrate", "wedge", tmp_path / "wedge.pbm", "--patch", "32",
                    "--quiet"], check=True)
    wedge = calibrate.wedge(32)
    expected = 255 * read_pnm(tmp_path / "wedge.pbm")
    patches = np.s_[:320]  # below them the command writes how it was printed
    assert wedge.shape == expected.shape and np.array_equal(wedge[patches], expected[patches])
    with pytest.raises(roundoff.BadArgument, match="patch"):
        calibrate.wedge(33)


def test_fit_finds_a_curve():
    wedge = calibrate.wedge(64)
    fitted = calibrate.fit(wedge)
    turned = calibrate.fit(np.stack([np.rot90(wedge, -1)] + 2 * [np.full(wedge.shape[::-1], 255,
                                                                         np.uint8)], axis=2),
                           ink="cyan")
    assert turned.figures.turns == 1 and len(turned.curve) == len(fitted.curve)
    assert calibrate.fit(wedge, linear=True).figures.turns == 0
    assert fitted.figures.error < 0.02
    light = lambda a: a / 12.92 if a <= 0.04045 else ((a + 0.055) / 1.055) ** 2.4
    assert all(abs(light(a) - b) < 0.03 for a, b in fitted.curve)  # for a picture
    assert all(abs(a - b) < 0.03 for a, b in turned.curve)  # for a plate
    with pytest.raises(roundoff.BadArgument):
        calibrate.fit(np.full((300, 300), 200, np.uint8))


def test_show_as_the_command(tmp_path, command, grey):
    write_pnm(tmp_path / "to.pgm", grey)
    (tmp_path / "spots.csv").write_text("x,y,z,weight\n0.001,0.0005,0,1\n-0.0008,-0.0012,0.001,2\n")
    small = ["--size", "96x64", "--pitch", "8um", "--quiet"]
    subprocess.run([command.program, "hologram", "show", "to.pgm", "slm.pgm", "--distance", "9mm",
                    "--refine", "4", *small], check=True, cwd=tmp_path)
    numbers, figures = hologram.show(grey, size=(64, 96), pitch="8um", distance="9mm", refine=4,
                                     return_figures=True)
    assert np.array_equal(read_pnm(tmp_path / "slm.pgm"), numbers) and figures.psnr_db > 10
    subprocess.run([command.program, "hologram", "show", "spots.csv", "slm.pgm", "--lens", "200mm",
                    *small], check=True, cwd=tmp_path)
    spots = [(1e-3, -0.5e-3, 0, 1), (-0.8e-3, 1.2e-3, 1e-3, 2)]  # y downwards
    numbers, figures = hologram.show(spots, size=(64, 96), pitch="8um", lens=0.2,
                                     return_figures=True)
    assert np.array_equal(read_pnm(tmp_path / "slm.pgm"), numbers) and figures.uniformity > 0.99
    with pytest.raises(roundoff.BadArgument, match="distance or a lens"):
        hologram.show(grey, size=(64, 96), pitch="8um")
    with pytest.raises(roundoff.BadArgument, match="pluto-2"):
        hologram.show(grey, "pluto", distance=0.1)


def test_levels_and_light_as_arrays(dice):
    measured = np.exp(2j * np.pi * np.arange(16) / 16)
    numbers = hologram.quantize(dice, measured)
    light = hologram.light(numbers, measured).field
    assert np.allclose(light, measured[numbers], atol=1e-6)
    assert np.mean(hologram.quantize(dice, "phase:16") == numbers) > 0.9
    assert np.array_equal(hologram.quantize(dice, 2 * np.pi * np.arange(16) / 16), numbers)
    spots = [(0.5e-3 * i, 0.3e-3) for i in range(-2, 3)]
    y, x = np.mgrid[:64, :80] - np.array([31.5, 39.5])[:, None, None]
    beam = np.exp(-(x * x + y * y) / 900 + 0.002j * x * x)
    numbers, told = hologram.show(spots, size=(64, 80), pitch=8e-6, lens="200mm", levels=measured,
                                  source=beam, return_figures=True)
    seen = [abs((measured[numbers] * beam * np.exp(-2j * np.pi * 8e-6 / (532e-9 * 0.2) *
                                                   (x * a + y * b))).sum()) ** 2 for a, b in spots]
    assert abs(1 - np.ptp(seen) / (max(seen) + min(seen)) - told.uniformity) < 1e-3
    assert abs(sum(seen) / abs(beam).sum() ** 2 - told.efficiency) < 1e-3


def test_modulators(colour):
    known = hologram.modulators()
    assert known["pluto-2"].shape == (1080, 1920) and known["plm-67"].levels.shape == (16,)
    assert np.allclose(abs(known["plm-67"].levels), 1)
    numbers = np.arange(16, dtype=np.uint8).reshape(2, 8)
    assert hologram.frame(numbers, "plm-47").shape == (4, 16)
    assert set(np.unique(hologram.frame(numbers % 2, "dlp7000"))) == {0, 255}
    waves = ("638nm", "520nm", "450nm")
    numbers = hologram.show(colour, size=(48, 64), pitch="6.4um", wavelength=waves, distance="9mm",
                            refine=2)
    assert numbers.shape == (3, 48, 64)
    assert np.array_equal(numbers[2], hologram.show(colour[..., 2], size=(48, 64), pitch="6.4um",
                                                    wavelength="450nm", distance="9mm", refine=2))


def test_notebook_runs():
    notebook = pathlib.Path(__file__).parents[2] / "examples/holograms.ipynb"
    known = {}
    for cell in json.loads(notebook.read_text())["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), known)
    assert known["figures"].uniformity > 0.98 and known["frame"].shape == (1080, 1920)
