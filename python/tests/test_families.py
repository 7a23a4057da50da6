# SPDX-License-Identifier: MIT
"""Denoising, figures, registration, segmentation against the command."""
import json
import subprocess

import numpy as np
import pytest

import roundoff
from conftest import read_pnm, write_pnm


@pytest.mark.parametrize("options", [
    {}, {"model": "perona-malik", "iterations": 5, "kappa": 4.0}, {"model": "linear"},
    {"round": "nearest"}, {"number": "s12"}, {"scheme": "implicit", "iterations": 2}],
    ids=str)
def test_denoise_as_the_command(tmp_path, command, grey, colour, options):
    words = [w for name, value in options.items() for w in (f"--{name}", str(value))]
    for array, suffix in ((grey, ".pgm"), (colour, ".ppm")):
        expected = command(tmp_path, "denoise", array, suffix, *words)
        assert np.array_equal(roundoff.denoise(array, **options), expected)


def test_denoise_keeps_the_sum(grey):
    result, figures = roundoff.denoise(grey, return_figures=True)
    assert result.sum(dtype=np.int64) == grey.sum(dtype=np.int64)
    assert figures.sum_before == figures.sum_after and figures.difference == 0
    assert "sum_after" in figures._repr_html_()
    stack = np.stack([grey, 255 - grey])
    assert np.array_equal(roundoff.denoise(stack)[1], roundoff.denoise(255 - grey))
    deep = grey.astype(np.uint16) * 257
    assert roundoff.denoise(deep).sum(dtype=np.int64) == deep.sum(dtype=np.int64)
    assert roundoff.denoise((grey / 255).astype(np.float32)).dtype == np.float32


def test_measure_as_the_command(tmp_path, command, grey):
    result = roundoff.halftone(grey)
    write_pnm(tmp_path / "a.pgm", grey)
    write_pnm(tmp_path / "b.pgm", result)
    shown = json.loads(subprocess.run(
        [command.program, "measure", tmp_path / "a.pgm", tmp_path / "b.pgm", "--json"], check=True,
        capture_output=True).stdout)
    figures = roundoff.measure(grey, result)
    common = set(shown) & set(figures)
    assert {"rms", "ssim", "tone_in"} <= common
    for name in common:
        assert figures[name] == pytest.approx(shown[name], rel=1e-5), name


@pytest.fixture(scope="module")
def discs():
    y, x = np.mgrid[0:96, 0:128]
    image = np.full((96, 128), 40, np.uint8)
    image[(x - 40) ** 2 + (y - 45) ** 2 < 20 ** 2] = 200
    image[(x - 95) ** 2 + (y - 50) ** 2 < 15 ** 2] = 160
    return image


def test_segment(discs):
    found = roundoff.segment(discs, [(40, 45, 4), (95, 50, 4)])
    assert found.labels[45, 40] == 1 and found.labels[50, 95] == 2 and found.labels[5, 5] == 0
    assert abs(found.regions[0].area - np.pi * 20 ** 2) < 60
    assert found.regions[1].label == 2 and found.contours[0].closed
    assert abs(np.linalg.norm(found.contours[0].points - (40, 45), axis=1) - 20).max() < 1.5
    assert "<td>" in found._repr_html_()
    mask = np.zeros(discs.shape, np.uint8)
    mask[43:48, 38:43] = 5
    assert roundoff.segment(discs, mask=mask).labels.max() == 5


def test_segment_as_the_command(tmp_path, command, discs):
    expected = command(tmp_path, "segment", discs, ".npy", "--at", "1:40,45,4", "--at", "2:95,50,4")
    assert np.array_equal(roundoff.segment(discs, [(40, 45, 4), (95, 50, 4)]).labels, expected)


def test_register_and_warp_as_the_command(tmp_path, command, discs):
    moving = np.roll(discs, (2, 3), axis=(0, 1))
    field = roundoff.register(discs, moving)
    assert field.figures.useless == 0
    assert np.allclose(field.array[45, 40], (3, 2), atol=0.7)
    warped = roundoff.warp(moving, field)
    before = np.abs(discs.astype(int) - moving).mean()
    assert np.abs(discs.astype(int) - warped).mean() < before / 3
    write_pnm(tmp_path / "fixed.pgm", discs)
    write_pnm(tmp_path / "moving.pgm", moving)
    subprocess.run([command.program, "register", tmp_path / "fixed.pgm", tmp_path / "moving.pgm",
                    tmp_path / "moved.pgm", "--field", tmp_path / "field.npy", "--quiet"],
                   check=True)
    expected = np.load(tmp_path / "field.npy")
    assert np.array_equal(np.asarray(field), expected)
    assert np.array_equal(warped, read_pnm(tmp_path / "moved.pgm"))


def test_warp_takes_any_field(discs):
    still = np.zeros((*discs.shape, 2))
    assert np.array_equal(roundoff.warp(discs, still), discs)
    with pytest.raises(roundoff.BadArgument, match="field"):
        roundoff.warp(discs, still[..., 0])
