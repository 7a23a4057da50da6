# SPDX-License-Identifier: MIT
import subprocess

import numpy as np
import pytest

import roundoff
from conftest import read_pnm, write_pnm

OPTIONS = [
    {}, {"method": "ostromoukhov"}, {"method": "bayer"}, {"method": "void-and-cluster", "cell": 32},
    {"serpentine": True}, {"threshold": 40}, {"strength": 80, "noise": 30, "seed": 7},
    {"linear": True}, {"gamma": 1.5, "brightness": 10.0, "contrast": -20.0}, {"invert": True},
    {"like": "pillow"}, {"method": "dbs", "dpi": "600", "distance": "300"},
    {"method": "dbs", "sigma": 1.5, "rounds": 2}, {"schedule": "ed"},
    {"method": "stucki", "threshold": "balanced"},
    {"method": "clustered-dot", "angle": 45, "shape": "line"},
]


def words(options):
    for name, value in options.items():
        yield "--" + name.replace("_", "-")
        if value is not True:
            yield str(value)


@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: "-".join(map(str, o)) or "plain")
def test_bits_as_the_command(tmp_path, command, grey, options):
    expected = command(tmp_path, "halftone", grey, ".pbm", *words(options))
    packed = roundoff.halftone(grey, packed=True, **options)
    assert np.array_equal(np.unpackbits(packed, axis=1)[:, :grey.shape[1]], expected)
    assert np.array_equal(roundoff.halftone(grey, **options), 255 * expected)
    assert np.array_equal(roundoff.halftone(grey, indices=True, **options), expected)


def test_levels_as_the_command(tmp_path, command, grey):
    expected = command(tmp_path, "halftone", grey, ".pgm", "--levels", "6")
    assert np.array_equal(roundoff.halftone(grey, levels=6), expected * (255 // expected.max()))
    expected = command(tmp_path, "halftone", grey, ".pgm", "--levels", "4")
    assert np.array_equal(roundoff.halftone(grey, levels=4), expected * (255 // expected.max()))


def test_many_levels_as_the_command(tmp_path, command, grey):
    deep = (grey.astype(np.uint16) * 257)[::-1].copy()
    expected = command(tmp_path, "halftone", deep, ".pgm", "--levels", "1000")
    result = roundoff.halftone(deep, levels=1000)
    assert result.dtype == np.uint16 and np.array_equal(result, expected)


def test_palette_as_the_command(tmp_path, command, colour):
    expected = command(tmp_path, "halftone", colour, ".ppm", "--palette", "spectra6")
    assert np.array_equal(roundoff.halftone(colour, palette="spectra6"), expected)
    colours = roundoff.palette("spectra6")
    numbers = roundoff.halftone(colour, palette=colours, indices=True)
    assert np.array_equal(colours[numbers], expected)


def test_rgb_as_the_command(tmp_path, command, colour):
    expected = command(tmp_path, "halftone", colour, ".ppm", "--channels", "rgb")
    assert np.array_equal(roundoff.halftone(colour, channels="rgb"),
                          expected * (255 // expected.max()))


@pytest.mark.parametrize("dtype", [np.uint16, np.float32])
def test_types_as_the_command(tmp_path, command, grey, dtype):
    deep = (grey.astype(np.uint16) * 257 if dtype == np.uint16 else
            (grey / np.float32(255)).astype(np.float32))
    expected = command(tmp_path, "halftone", deep, ".pbm")
    assert np.array_equal(roundoff.halftone(deep, indices=True), expected)
    if dtype == np.float32:
        assert np.array_equal(roundoff.halftone(deep.astype(np.float64), indices=True), expected)
        return
    assert np.array_equal(roundoff.halftone(deep.astype(">u2"), indices=True), expected)


def test_maxval_as_the_command(tmp_path, command, grey):
    twelve = grey.astype(np.uint16) * 16
    expected = command(tmp_path, "halftone", twelve, ".pbm", maxval=4095)
    assert np.array_equal(roundoff.halftone(twelve, maxval=4095, indices=True), expected)


@pytest.mark.parametrize("how", [("range", "limited"), ("range", "data"),
                                 ("range", (200, 3000))], ids=str)
def test_ranges_as_the_command(tmp_path, command, grey, how):
    twelve = grey.astype(np.uint16) * 16
    name, value = how
    text = "%g,%g" % value if isinstance(value, tuple) else str(value)
    expected = command(tmp_path, "halftone", twelve, ".pbm", "--" + name, text, maxval=4095)
    assert np.array_equal(roundoff.halftone(twelve, maxval=4095, indices=True, **{name: value}),
                          expected)


def test_bool_is_black_and_white(grey):
    white = grey > 127
    assert np.array_equal(roundoff.halftone(white), 255 * white.astype(np.uint8))


@pytest.mark.parametrize("cut", [
    np.s_[::-1], np.s_[:, ::-1], np.s_[::2], np.s_[:, ::3], np.s_[5:40, 7:60], np.s_[-1:], np.s_[:, :1]],
    ids=str)
def test_strides(grey, colour, cut):
    assert np.array_equal(roundoff.halftone(grey[cut]), roundoff.halftone(grey[cut].copy()))
    assert np.array_equal(roundoff.halftone(grey.T[cut]), roundoff.halftone(grey.T[cut].copy()))
    assert np.array_equal(roundoff.halftone(colour[cut], palette="spectra6"),
                          roundoff.halftone(colour[cut].copy(), palette="spectra6"))
    planes = np.ascontiguousarray(colour.transpose(2, 0, 1)).transpose(1, 2, 0)
    assert np.array_equal(roundoff.halftone(planes), roundoff.halftone(colour))


def test_stacks(grey, colour):
    stack = np.stack([grey, 255 - grey, grey // 2])
    result = roundoff.halftone(stack, levels=3)
    assert all(np.array_equal(r, roundoff.halftone(p, levels=3)) for r, p in zip(result, stack))
    pair = np.stack([colour, colour[::-1]])
    result = roundoff.halftone(pair, palette="black white red")
    assert np.array_equal(result[1], roundoff.halftone(colour[::-1], palette="black white red"))


def test_out_is_filled_in_place(grey):
    room = np.full((70, 100), 9, np.uint8)
    place = room[3:64, 5:88]
    assert roundoff.halftone(grey, out=place) is place
    assert np.array_equal(place, roundoff.halftone(grey))
    assert (room[:3] == 9).all() and (room[64:] == 9).all() and (room[:, 88:] == 9).all()


def test_screen_kernel_curve_and_start(tmp_path, command, grey):
    screen = roundoff.screen("void-and-cluster", cell=32)
    assert np.array_equal(roundoff.halftone(grey, screen=screen),
                          roundoff.halftone(grey, method="void-and-cluster", cell=32))
    kernel = 16, [(1, 0, 7), (-1, 1, 3), (0, 1, 5), (1, 1, 1)]
    assert np.array_equal(roundoff.halftone(grey, kernel=kernel),
                          roundoff.halftone(grey, method="fs"))
    assert np.array_equal(roundoff.halftone(grey, "fs", curve=[(0, 0), (1, 1)]),
                          roundoff.halftone(grey, "fs"))
    assert roundoff.halftone(grey, curve=[(0, 0), (1, 0.2)]).mean() < 60
    first = roundoff.halftone(grey, method="acuity")
    write_pnm(tmp_path / "first.pgm", first)
    expected = command(tmp_path, "halftone", grey, ".pbm", "--method", "dbs", "--start",
                       tmp_path / "first.pgm")
    assert np.array_equal(roundoff.halftone(grey, method="dbs", start=first, indices=True), expected)


def test_inks_as_the_command(tmp_path, command, colour):
    def plates(count, *words):
        write_pnm(tmp_path / "in.ppm", colour)
        subprocess.run([command.program, "halftone", tmp_path / "in.ppm", tmp_path / "out.pbm",
                        "--quiet", *words], check=True)
        files = sorted(tmp_path.glob("out-*.pbm"), key=lambda path: path.stat().st_mtime_ns)
        found = {path.stem.removeprefix("out-"): 1 - read_pnm(path) for path in files}
        for path in files:
            path.unlink()
        assert len(found) == count
        return found

    def ink(result, count, number):
        return result >> (count - 1 - number) & 1

    expected = plates(4, "--separate", "cmyk", "--black-ink", "50")
    result = roundoff.halftone(colour, separate="cmyk", black_ink=50)
    for number, name in enumerate("cmyk"):
        assert np.array_equal(ink(result, 4, number), expected[name]), name
    expected = plates(2, "--inks", "#e30613,black", "--ink-limit", "120")
    result = roundoff.halftone(colour, inks="#e30613,black", ink_limit=120)
    for number, name in enumerate(("e30613", "black")):
        assert np.array_equal(ink(result, 2, number), expected[name]), name
    expected = plates(4, "--separate", "cmyk", "--lpi", "60", "--dpi", "600", "--ink",
                      "cyan:angle=22,shape=line", "--ink", "k:lpi=80")
    screens = {"cyan": {"angle": 22, "shape": "line"}, "k": {"lpi": 80}}
    for way in (screens, ["cyan:angle=22,shape=line", "k:lpi=80"]):
        result = roundoff.halftone(colour, separate="cmyk", lpi=60, dpi=600, ink=way)
        for number, name in enumerate("cmyk"):
            assert np.array_equal(ink(result, 4, number), expected[name]), name
    for angles in ("auto", "10,20,30,40"):
        expected = plates(4, "--separate", "cmyk", "--lpi", "40", "--dpi", "300", "--angles", angles)
        result = roundoff.halftone(colour, separate="cmyk", lpi=40, dpi=300, angles=angles)
        for number, name in enumerate("cmyk"):
            assert np.array_equal(ink(result, 4, number), expected[name]), (angles, name)
    assert np.array_equal(result, roundoff.halftone(colour, separate="cmyk", lpi=40, dpi=300,
                                                    angles=[10, 20, 30, 40]))
    for bad in ({"ink": "cyan:lpi=9"}, {"inks": "red", "ink": "cyan:lpi=9"},
                {"angles": "auto"}, {"separate": "cmyk", "angles": "auto"},
                {"inks": "red,blue", "lpi": 40, "dpi": 300, "angles": "1,2,3"},
                {"separate": "cmyk", "lpi": 40, "dpi": 300, "angles": "auto", "ink": "cyan:angle=3"},
                {"separate": "cmyk", "ink": {"cyan": {"size": 3}}}, {"inks": ""},
                {"separate": "cmyk", "ink": "cyan:angle=3"}):
        with pytest.raises(roundoff.BadArgument):
            roundoff.halftone(colour, **bad)


def test_colours_as_the_command(tmp_path, command, grey, colour):
    expected = command(tmp_path, "halftone", colour, ".ppm", "--palette", "auto:5")
    assert np.array_equal(roundoff.halftone(colour, palette="auto:5"), expected)
    expected = command(tmp_path, "halftone", grey, ".ppm", "--recolour", "navy #c60 ivory")
    assert np.array_equal(roundoff.halftone(grey, recolour="navy #c60 ivory"), expected)
    expected = command(tmp_path, "halftone", colour, ".ppm", "--palette", "spectra6-panel")
    assert np.array_equal(roundoff.halftone(colour, palette="spectra6-panel"), expected)
    with pytest.raises(roundoff.BadArgument, match="stack"):
        roundoff.halftone(np.stack([colour, colour]), palette="auto:4")


def test_dots_as_the_command(tmp_path, command, grey):
    expected = command(tmp_path, "halftone", grey, ".pbm", "--lpi", "50", "--dpi", "300", "--angle",
                       "30", "--dot", "2")
    assert np.array_equal(roundoff.halftone(grey, lpi=50, dpi=300, angle=30, dot=2, indices=True),
                          expected)
    spot = np.add.outer(np.arange(16), np.arange(16)).astype(np.uint8) * 8
    write_pnm(tmp_path / "spot.pgm", spot)
    expected = command(tmp_path, "halftone", grey, ".pbm", "--lpi", "50", "--dpi", "300", "--spot",
                       tmp_path / "spot.pgm")
    assert np.array_equal(roundoff.halftone(grey, lpi=50, dpi=300, spot=spot, indices=True), expected)


@pytest.mark.parametrize("kind, options", [
    ("void-and-cluster", {"cell": 32, "seed": 5}), ("clustered-dot", {"cell": 6, "angle": 45}),
    ("am", {"lpi": 60, "dpi": 600, "angle": 15, "shape": "ellipse"}), ("bayer", {"cell": 16}),
    ("green-noise", {"cell": 32, "dot": 3})])
def test_screens_as_the_command(tmp_path, command, kind, options):
    subprocess.run([command.program, "screen", "make", kind, tmp_path / "screen.pgm", "--quiet",
                    *words(options)], check=True)
    assert np.array_equal(roundoff.screen(kind, **options), read_pnm(tmp_path / "screen.pgm"))


def test_pillow(grey, colour):
    Image = pytest.importorskip("PIL.Image")
    made = roundoff.halftone(Image.fromarray(grey))
    assert made.mode == "L" and np.array_equal(np.asarray(made), roundoff.halftone(grey))
    made = roundoff.halftone(Image.fromarray(grey), packed=True)
    assert made.mode == "1" and np.array_equal(np.asarray(made), roundoff.halftone(grey) > 0)
    made = roundoff.halftone(Image.fromarray(colour), palette="spectra6", indices=True)
    assert made.mode == "P"
    assert np.array_equal(np.asarray(made.convert("RGB")),
                          roundoff.halftone(colour, palette="spectra6"))
    with pytest.raises(roundoff.BadArgument, match="CMYK"):
        roundoff.halftone(Image.new("CMYK", (4, 4)))


def test_lists(command):
    shown = subprocess.run([command.program, "halftone", "--list"], check=True, text=True,
                           capture_output=True).stdout
    for method in roundoff.methods():
        assert method.name in shown
    assert {"spectra6"} <= {p.name for p in roundoff.palettes()}
    assert roundoff.devices()[0].kind == "cpu"


def test_the_short_way_is_the_long_way(grey):
    """Small grey pictures of bytes reuse a plan; a keyword takes the long way."""
    for method in (None, "bayer8", "stucki", "bayer8", "dbs", None):
        for picture in (grey, grey[:40], grey[:40, :30].copy(), grey[::-1], grey):
            assert np.array_equal(roundoff.halftone(picture, method),
                                  roundoff.halftone(picture, method, threads=1))
    with pytest.raises(roundoff.BadArgument):
        roundoff.halftone(grey, "no-such-method")
    with pytest.raises(roundoff.BadArgument):
        roundoff.halftone(grey[:0])
