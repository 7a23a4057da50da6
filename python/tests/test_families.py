# SPDX-License-Identifier: MIT
"""Denoising, figures, registration, segmentation against the command."""
import base64
import io
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
    grey = grey // 2 + 60  # nothing is cut off
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
    words = {"command", "original", "result", "seconds", "dropped", "dpi", "distance"}
    assert set(shown) - words == set(figures)
    assert alike(figures, {name: shown[name] for name in figures})
    assert figures.dots.single == shown["dots"]["single"] and "<td>" in figures._repr_html_()


def alike(a, b):
    """Figures as they are and as JSON has them, four digits or more of each."""
    if isinstance(a, dict):
        return set(a) == set(b) and all(alike(a[name], b[name]) for name in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(alike, a, b))
    return b is None or a == pytest.approx(b, rel=1e-3, abs=1e-9)


@pytest.mark.parametrize("palette", [None, "black white red"])
def test_compare_as_the_command(tmp_path, command, grey, colour, palette):
    picture = grey if palette is None else colour
    source = tmp_path / ("in.pgm" if palette is None else "in.ppm")
    write_pnm(source, picture)
    options = ["--palette", palette] if palette else []
    page = tmp_path / "page.html"
    shown = json.loads(subprocess.run(
        [command.program, "compare", source, "--methods", "fs,bayer", "--json", "--report", page,
         *options], check=True, capture_output=True).stdout)
    result = roundoff.compare(picture, "fs,bayer", palette=palette, name=str(source))
    for wanted, entry in zip(shown["methods"], result):
        figures = dict(entry.figures, name=entry.name)
        assert set(wanted) <= set(figures)
        for name in set(wanted) - {"seconds", "speed"}:
            same = figures[name] == wanted[name] if isinstance(wanted[name], str) else \
                alike(figures[name], wanted[name])
            assert same, name
        assert np.array_equal(entry.image, roundoff.halftone(picture, entry.name, palette=palette))
    # The page: the same head, the same pictures, the same style and scripts.
    theirs, ours = page.read_text(), result.page()

    def data(text):
        return json.loads(text.split('id="data">')[1].split("</script>")[0])

    assert set(data(theirs)) == set(data(ours))
    for name in ("input", "width", "height", "dpi", "distance", "machine", "greys", "crop", "version"):
        assert data(theirs)[name] == data(ours)[name], name
    Image = pytest.importorskip("PIL.Image")

    def pixels(uri):
        return np.asarray(Image.open(io.BytesIO(base64.b64decode(uri.split(",")[1]))).convert("RGB"))

    assert np.array_equal(pixels(data(theirs)["original"]), pixels(data(ours)["original"]))
    for a, b in zip(data(theirs)["methods"], data(ours)["methods"]):
        assert np.array_equal(pixels(a["picture"]), pixels(b["picture"]))
    assert theirs.split("<style>")[1].split("</style>")[0] == ours.split("<style>")[1].split("</style>")[0]
    assert theirs.rsplit("<script>", 1)[1] == ours.rsplit("<script>", 1)[1]


def test_a_comparison_shows_itself(tmp_path, grey):
    told = []
    result = roundoff.compare(grey, ["stucki", "bayer8"], progress=lambda p, d: told.append(d))
    assert told == [0.5, 1.0] and len(result) == 2 and result["stucki"].figures.ssim > 0
    assert "stucki" in repr(result) and "<iframe srcdoc=" in result._repr_html_()
    result.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == result.page()
    for bad in ({"methods": "no"}, {"methods": "fs,floyd-steinberg"}, {"palette": "red blue",
                                                                        "linear": True}):
        with pytest.raises(roundoff.BadArgument):
            roundoff.compare(grey, **bad)
    with pytest.raises(TypeError):
        roundoff.compare(grey, wibble=1)


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


def test_segment_without_clicks(discs):
    found = roundoff.segment(discs, "auto")
    assert len(found.regions) == 2 and all(row.confidence > 3 for row in found.regions)
    for row, seed in zip(found.regions, found.seeds):
        assert seed.label == row.label and seed.window[0] <= row.mean <= seed.window[1]
        assert abs(discs[found.labels == row.label].mean() - row.mean) < 1e-2
    empty = roundoff.segment(np.full((40, 50), 9, np.uint8), "auto")
    assert empty.regions == [] and empty.labels.max() == 0


def test_segment_units(discs):
    """Means and windows are in the numbers that were given."""
    means = [roundoff.segment(discs, [(40, 45)]).regions[0].mean]
    for numbers in (discs.astype(np.uint16) * 3 - 1, discs.astype(np.int32) * 1000 - 290000,
                    discs.astype(np.float32) / 255, discs.astype(np.float64) * 7 - 300):
        found = roundoff.segment(numbers, [(40, 45)])
        inside = numbers[found.labels == 1].mean()
        assert abs(found.regions[0].mean - inside) < 2e-3 * np.ptp(numbers)
        means.append(found.regions[0].mean)
    assert means[1] > means[0] and means[2] < 0 < means[3] < 1 < means[4]


def test_segment_stacks(discs):
    with pytest.warns(UserWarning, match="3-D"):
        found = roundoff.segment(np.stack([discs, discs[::-1]]), "auto")
    assert [len(page.regions) for page in found] == [2, 2]
    assert np.array_equal(found[0].labels, roundoff.segment(discs, "auto").labels)


def test_segment_takes_masks_of_any_integers(discs):
    mask = np.zeros(discs.shape, np.int32)
    mask[42:48, 37:43], mask[47:53, 92:98] = 3, 400
    expected = roundoff.segment(discs, mask=mask.astype(np.uint16)).labels
    assert set(np.unique(expected)) == {0, 3, 400}
    for kind in "iqQhI":
        assert np.array_equal(roundoff.segment(discs, mask=mask.astype(kind)).labels, expected)
    with pytest.raises(roundoff.BadArgument, match="mask: labels"):
        roundoff.segment(discs, mask=-mask)
    with pytest.raises(roundoff.BadArgument, match="masked"):
        roundoff.segment(np.ma.masked_less(discs, 60), [(40, 45)])


def test_segment_says_which_argument_is_wrong(discs):
    for seeds, words in (((5, 5), "seeds"), ([(5, 5, 0, 0)], "labels go from 1"), ("otto", "auto"),
                         (7, "seeds")):
        with pytest.raises(roundoff.BadArgument, match=words):
            roundoff.segment(discs, seeds)
    with pytest.raises(TypeError, match="iterations: must be a whole number"):
        roundoff.segment(discs, [(40, 45)], iterations=2.5)
    with pytest.warns(UserWarning, match="flood"):
        small = np.full((80, 160), 40, np.uint8)
        for x, y in ((20, 20), (60, 20), (100, 20), (140, 20)):
            small[y - 4:y + 5, x - 4:x + 5] = 200
        roundoff.segment(small, [(20, 20), (60, 20), (100, 20), (140, 20), (5, 70, 2)])


def test_segment_as_the_command(tmp_path, command, discs):
    expected = command(tmp_path, "segment", discs, ".npy", "--at", "1:40,45,4", "--at", "2:95,50,4")
    found = roundoff.segment(discs, [(40, 45, 4), (95, 50, 4)])
    assert np.array_equal(found.labels, expected) and found._repr_png_()[:4] == b"\x89PNG"
    mask = np.zeros(discs.shape, np.uint8)
    mask[43:48, 38:43] = mask[48:52, 93:97] = 255
    write_pnm(tmp_path / "mask.pgm", mask)
    expected = command(tmp_path, "segment", discs, ".npy", "--mask", tmp_path / "mask.pgm",
                       "--smooth", "0.5")
    assert expected.max() == 2
    for given in mask, mask > 0:
        assert np.array_equal(roundoff.segment(discs, mask=given, smooth=0.5).labels, expected)
    assert roundoff.segment(discs, mask=mask // 255, smooth=0.5).labels.max() == 1


def test_free_fronts_as_the_command(tmp_path, command, discs):
    at = ["--at", "1:40,45,4", "--at", "2:95,50,4"]
    seeds = [(40, 45, 4), (95, 50, 4)]
    for words, options in (
            (["--fronts", "free"], {"fronts": "free"}),
            (["--window", "1:180,220", "--window", "2:140,180,2"],
             {"window": {1: (180, 220), 2: (140, 180, 2)}}),
            (["--speed", "1", "--edge", "8", "--curvature", "0.2", "--number", "s16",
              "--iterations", "200"],
             {"speed": 1, "edge": 8, "curvature": 0.2, "number": "s16", "iterations": 200}),
            (["--gaussian", "200,20", "--smooth", "1", "--norm", "euclid"],
             {"gaussian": (200, 20), "smooth": 1, "norm": "euclid"})):
        expected = command(tmp_path, "segment", discs, ".npy", *at, "--force", *words)
        found = roundoff.segment(discs, seeds, **options)
        assert np.array_equal(found.labels, expected), options
        assert [row.label for row in found.regions] == [1, 2]
    flow = np.ones((*discs.shape, 2), np.float32)
    np.save(tmp_path / "flow.npy", flow)
    expected = command(tmp_path, "segment", discs, ".npy", *at, "--force", "--velocity",
                       tmp_path / "flow.npy", "--number", "s23e8", "--iterations", "20")
    found = roundoff.segment(discs, seeds, velocity=flow, number="s23e8", iterations=20)
    assert np.array_equal(found.labels, expected)
    found = roundoff.segment(discs, seeds, fronts="free", speed=1, factor=discs > 128)
    assert not found.labels[discs <= 128].any()
    for bad in ({"fronts": "shy"}, {"fronts": "competing", "speed": 1}, {"speed": {7: 1}},
                {"window": 3}, {"velocity": flow[0]}):
        with pytest.raises(roundoff.BadArgument):
            roundoff.segment(discs, seeds, **bad)


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
    for words, options in ((["--inverse"], {"inverse": True}),
                           (["--sampling", "nearest"], {"sampling": "nearest"})):
        subprocess.run([command.program, "register", "apply", tmp_path / "field.npy",
                        tmp_path / "moving.pgm", tmp_path / "back.pgm", "--quiet", *words],
                       check=True)
        assert np.array_equal(roundoff.warp(moving, field, **options),
                              read_pnm(tmp_path / "back.pgm"))
    there = field.points([(40, 45), (95, 50)])
    assert np.allclose(there, [(43, 47), (98, 52)], atol=0.7)
    assert np.allclose(field.points(there, inverse=True), [(40, 45), (95, 50)], atol=0.1)
    assert field._repr_png_()[:4] == b"\x89PNG"


def test_register_says_no(discs):
    rng = np.random.default_rng(5)
    other = rng.integers(0, 256, discs.shape).astype(np.uint8)
    with pytest.raises(roundoff.NoMatch, match="do not match") as raised:
        roundoff.register(discs, other)
    assert isinstance(raised.value, RuntimeError)
    assert raised.value.field.figures.confidence < 0.5
    field = roundoff.register(discs, other, force=True)
    assert np.array_equal(field.array, raised.value.field.array)
    with pytest.raises(TypeError, match="sigmma"):
        roundoff.register(discs, discs, sigmma=3)
    with pytest.raises((TypeError, roundoff.Error), match="scales"):
        roundoff.register(discs, discs, scales=2.5)


def test_register_takes_any_mask(discs):
    moving = np.roll(discs, (2, 3), axis=(0, 1))
    mask = np.ones(discs.shape, bool)
    mask[:20] = False
    expected = roundoff.register(discs, moving, fixed_mask=mask).array
    floats = np.where(mask, 0.5, np.nan)
    for kind in mask.astype(np.int32) * -7, mask.astype(np.uint8), mask.astype(np.int64), floats:
        assert np.array_equal(roundoff.register(discs, moving, fixed_mask=kind).array, expected)
    with pytest.raises(roundoff.BadArgument, match="fixed_mask"):
        roundoff.register(discs, moving, fixed_mask=mask[0])


def test_register_stacks_and_maps(discs):
    moved = [np.roll(discs, (i, 2 * i), axis=(0, 1)) for i in range(3)]
    fields = roundoff.register(discs, np.stack(moved))
    assert len(fields) == 3
    for one, picture in zip(fields, moved):
        assert np.array_equal(one.array, roundoff.register(discs, picture).array)
    back = roundoff.register(np.stack(moved), np.stack(moved))
    assert all(not field.array.any() for field in back)
    field = roundoff.register(discs, moved[2], transform="translation")
    assert np.allclose(field.figures.map, ((1, 0, 4), (0, 1, 2), (0, 0, 1)), atol=0.2)
    assert np.ptp(field.array[..., 0]) == 0 and field.figures.transform == "translation"
    assert roundoff.register(discs, moved[1]).figures.map is None
    assert "Raises" in roundoff.register.__doc__ and "transform" in roundoff.register.__doc__


def test_warp_takes_any_field(discs):
    still = np.zeros((*discs.shape, 2))
    assert np.array_equal(roundoff.warp(discs, still), discs)
    with pytest.raises(roundoff.BadArgument, match="field"):
        roundoff.warp(discs, still[..., 0])


@pytest.mark.parametrize("kind", ["i1", "i2", ">i2", "i4", "u4", "i8", "u8", "f2", "f8", ">f4"])
def test_denoise_keeps_other_types(grey, kind):
    """Integers are counted from their least and back, floats go through float32."""
    small = grey[:40, :50].astype(np.int64)
    given = (small / 255).astype(kind) if "f" in kind else (small - (120 if "i" in kind else 0)).clip(
        np.iinfo(kind).min, np.iinfo(kind).max).astype(kind)
    got = roundoff.denoise(given, iterations=5)
    assert got.dtype == given.dtype and got.shape == given.shape
    assert abs(got.astype("f8").sum() - given.astype("f8").sum()) < (1 if "f" in kind else 1e-9)
    out = np.zeros_like(given)
    assert roundoff.denoise(given, iterations=5, out=out) is out and np.array_equal(out, got)
    assert not np.array_equal(got, given)
    assert np.array_equal(roundoff.halftone(given), roundoff.halftone(
        given.astype("f4") if "f" in kind else (given.astype("i8") - int(given.min())).astype("u2"),
        maxval=None if "f" in kind else int(given.max()) - int(given.min())))
    still = roundoff.warp(given, np.zeros((40, 50, 2), np.float32))
    assert still.dtype == given.dtype and np.allclose(still, given, rtol=1e-7, atol=0)


def test_wide_integers(grey):
    wide = grey[:40, :50].astype(np.int32) * 40000 - 5000000
    got = roundoff.denoise(wide, iterations=5)
    assert got.dtype == np.int32 and abs(int(got.sum()) - int(wide.sum())) < 2000
    tones = (wide - wide.min()) / (wide.max() - wide.min())
    assert abs(np.mean(roundoff.halftone(wide) > 0) - tones.mean()) < 0.01
    mask = grey[:40, :50] > 100
    for kind in "i4", "u4", "i8", "u8":
        ends = mask.astype(kind) * np.array(np.iinfo(kind).max, kind)
        got = roundoff.warp(ends, np.zeros((40, 50, 2), np.float32))
        assert np.allclose(got, ends, rtol=1e-7, atol=0)
    with pytest.raises(roundoff.BadArgument, match="too large"):
        roundoff.denoise(np.full((4, 4), 1e300))
    with pytest.raises(roundoff.BadArgument, match="complex64"):
        roundoff.denoise(np.zeros((4, 4), np.complex64))
    assert roundoff.warp(mask, np.zeros((40, 50, 2), np.float32)).dtype == bool
