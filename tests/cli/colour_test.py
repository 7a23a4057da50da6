# SPDX-License-Identifier: MIT
"""Tone, channels, palettes and inks on the command line, against the definitions in Python."""
import json
import math
import os
import struct
import subprocess
import unittest

from command import Case, OLD, floyd_steinberg, have, netpbm, noise, pbm, pgm, supports


def ppm(width, height, pixels, maxval=255):
    return b"P6\n%d %d\n%d\n" % (width, height, maxval) + bytes(pixels)


def linear16(code):
    x = code / 255
    y = x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4
    return math.floor(65535 * y + 0.5)


def cube_root(x):
    if x <= 0:
        return 0.0
    bits = struct.unpack("<Q", struct.pack("<d", x))[0]
    y = struct.unpack("<d", struct.pack("<Q", bits // 3 + 0x2a9f789300000000))[0]
    for _ in range(3):
        cube = y * y * y
        y = y * (cube + 2 * x) / (2 * cube + x)
    return y


CONES = [(0.4122214708, 0.5363325363, 0.0514459929), (0.2119034982, 0.6806995451, 0.1073969566),
         (0.0883024619, 0.2817188376, 0.6299787005)]
AXES = [(0.2104542553, 0.7936177850, -0.0040720468), (1.9779984951, -2.4285922050, 0.4505937099),
        (0.0259040371, 0.7827717662, -0.8086757660)]
WHITE = 16 * 65535


def lab(rgb):
    root = [cube_root((row[0] * rgb[0] + row[1] * rgb[1]) + row[2] * rgb[2]) for row in CONES]
    scale = [1, 2, 2]
    return [(scale[i] * row[0] * root[0] + scale[i] * row[1] * root[1]) +
            scale[i] * row[2] * root[2] for i, row in enumerate(AXES)]


def cell(v):
    u = v + 2 ** 14
    octave = u.bit_length() - 1
    return 8 * (octave - 14) + (u >> (octave - 3)) - 8


def start(number):
    return WHITE + 1 if number == 49 else ((8 + number % 8) << (11 + number // 8)) - 2 ** 14


def nearest_colours(pixels, colours):
    """Without dithering (docs/numerics.md): the number of each pixel's colour."""
    lights = [[16 * linear16(c) for c in colour] for colour in colours]
    labs = [lab([c / WHITE for c in light]) for light in lights]
    own = {}
    for k in reversed(range(len(colours))):
        own[tuple(map(cell, lights[k]))] = k

    def nearest(cells):
        if cells not in own:
            here = lab([(start(n) + start(n + 1) - 1) / (2.0 * WHITE) for n in cells])
            own[cells] = min(range(len(labs)), key=lambda k: (
                ((here[0] - labs[k][0]) ** 2 + (here[1] - labs[k][1]) ** 2) +
                (here[2] - labs[k][2]) ** 2, k))
        return own[cells]

    return [nearest(tuple(cell(16 * linear16(value)) for value in pixels[i:i + 3]))
            for i in range(0, len(pixels), 3)]


BWR = [(0, 0, 0), (255, 255, 255), (255, 0, 0)]


class Colour(Case):
    def setUp(self):
        super().setUp()
        self.width, self.height = 43, 31
        self.pixels = noise(3 * self.width * self.height)
        self.put("in.ppm", ppm(self.width, self.height, self.pixels))
        self.put("in.pgm", pgm(self.width, self.height, self.pixels[:self.width * self.height]))

    def test_tone(self):
        grey = self.pixels[:self.width * self.height]
        fs = ["--method", "floyd-steinberg"]
        self.works("halftone", "in.pgm", "out.pbm", "--linear", *fs)
        levels = floyd_steinberg([linear16(a) for a in grey], self.width, self.height, 65535)
        self.assertEqual(self.get("out.pbm"), pbm(levels, self.width, self.height))
        self.works("halftone", "in.pgm", "out.pbm", "--invert", *fs)
        levels = floyd_steinberg([255 - a for a in grey], self.width, self.height)
        self.assertEqual(self.get("out.pbm"), pbm(levels, self.width, self.height))
        self.works("halftone", "in.pgm", "a.pbm", "--brightness", "-12.5%", "--contrast=20",
                   *fs)
        tones = [math.floor(65535 * min(max((a / 255 - 0.125 - 0.5) * 1.2 + 0.5, 0), 1) + 0.5)
                 for a in grey]
        levels = floyd_steinberg(tones, self.width, self.height, 65535)
        self.assertEqual(self.get("a.pbm"), pbm(levels, self.width, self.height))

    def test_curves(self):
        self.put("one.csv", b"tone in, tone out\n# measured\n0, 0\n0.5; 0.25\n1 1\n")
        self.put("percent.csv", b"0%,0%\r\n50%,25%\r\n100%,100%\r\n")
        for name in ["one.csv", "percent.csv"]:
            self.works("halftone", "in.pgm", name + ".pbm", "--curve", name)
        self.assertEqual(self.get("one.csv.pbm"), self.get("percent.csv.pbm"))
        self.works("halftone", "in.pgm", "none.pbm")
        self.assertNotEqual(self.get("one.csv.pbm"), self.get("none.pbm"))
        self.put("above.csv", b"0,0\n0.5,0.6\n1,1.2\n")
        self.refused("halftone", "in.pgm", "out.pbm", "--curve", "above.csv",
                     words=["above.csv", "point 3"])

    def test_colours_and_resolution_refused(self):
        self.refused("halftone", "in.ppm", "out.ppm", "--palette", "white #fff",
                     words=["the same"])
        self.refused("halftone", "in.pgm", "out.pbm", "--dpi", "300", words=["dpi: only"], status=2)

    def test_channels(self):
        self.works("halftone", "in.ppm", "out.ppm", "--channels", "rgb", "--levels", "3",
                   "--method", "floyd-steinberg")
        result = netpbm(self.get("out.ppm"))[2]
        for c in range(3):
            levels = floyd_steinberg(self.pixels[c::3], self.width, self.height, levels=3)
            self.assertEqual(list(result[c::3]), [[0, 128, 255][k] for k in levels])

    def test_palettes(self):
        numbers = nearest_colours(self.pixels, BWR)
        expected = b"".join(bytes(BWR[k]) for k in numbers)
        for text in ["bwr", "black,white,red", "#000 #ffffff red"]:
            self.works("halftone", "in.ppm", "out.ppm", "--palette", text, "--method", "threshold")
            self.assertEqual(netpbm(self.get("out.ppm"))[2], expected, text)
        self.put("three.gpl", b"GIMP Palette\nName: three\nColumns: 3\n#\n  0   0   0\tBlack\n"
                 b"255 255 255\tWhite\n255 0 0 Red\n")
        self.put("three.ppm", ppm(4, 1, sum(BWR + [BWR[0]], ())))
        for name in ["three.gpl", "three.ppm", "./three.gpl"]:
            self.works("halftone", "in.ppm", "out.ppm", "--palette", name, "--method", "threshold")
            self.assertEqual(netpbm(self.get("out.ppm"))[2], expected, name)
        self.works("halftone", "in.ppm", "out.npy", "--palette", "bwr", "--method", "threshold")
        self.assertEqual(list(self.get("out.npy")[-len(numbers):]), numbers)

    def test_palettes_are_listed(self):
        self.assertIn(b"spectra6", self.works("halftone", "--palette", "list").stdout)
        listed = json.loads(self.works("halftone", "--palette", "list", "--json").stdout)
        self.assertEqual(listed[0]["name"], "bw")
        for palette in listed:
            self.assertTrue(palette["source"])
            self.works("halftone", "in.ppm", "out.ppm", "--palette", palette["name"])
        report = json.loads(self.works("halftone", "in.ppm", "out.ppm", "--palette", "acep",
                                       "--json").stdout)
        self.assertEqual(report["colours"], 7)

    def test_palette_files_read_back(self):
        self.works("halftone", "in.ppm", "out.ppm", "--palette", "spectra6")
        for name in ["out.png", "out.tif"]:
            if not supports(name.split(".")[1]):
                continue
            self.works("halftone", "in.ppm", name, "--palette", "spectra6")
            # Colours of the palette come through unchanged, so the file read back gives itself.
            self.works("halftone", name, "back.ppm", "--palette", "spectra6")
            self.assertEqual(self.get("back.ppm"), self.get("out.ppm"))
            if name == "out.png":
                self.assertEqual(self.get(name)[24:26], b"\x04\x03")  # 4 bits, a palette

    def inks(self, black):
        """The paper that each ink leaves, pixel by pixel."""
        planes = [[], [], [], []]
        for i in range(self.width * self.height):
            rgb = self.pixels[3 * i:3 * i + 3]
            left = 255 - ((255 - max(rgb)) * 10 * black + 500) // 1000
            for c in range(3):
                planes[c].append(255 if left == 0 else (2 * 255 * rgb[c] + left) // (2 * left))
            planes[3].append(left)
        return planes

    def test_separations(self):
        for black in [100, 40]:
            self.works("halftone", "in.ppm", "out.pbm", "--separate", "cmyk", "--black-ink", str(black))
            planes = [floyd_steinberg(plane, self.width, self.height) for plane in self.inks(black)]
            for ink, plane in zip("cmyk", planes):
                self.assertEqual(self.get("out-%s.pbm" % ink),
                                 pbm(plane, self.width, self.height))
            self.works("halftone", "in.ppm", "out.npy", "--separate", "cmyk-tiff", "--black-ink",
                       str(black))
            packed = [8 * (1 - c) + 4 * (1 - m) + 2 * (1 - y) + 1 - k
                      for c, m, y, k in zip(*planes)]
            self.assertEqual(list(self.get("out.npy")[-len(packed):]), packed)
        self.assertFalse(os.path.exists(self.path("out.pbm")))

    def test_inks_of_a_screen(self):
        """Bayer's screen of each ink as docs/numerics.md shifts it."""
        def bayer(x, y):
            bits = [((x >> i ^ y >> i) & 1, y >> i & 1) for i in range(3)]
            return sum(4 ** (2 - i) * (2 * both + own) for i, (both, own) in enumerate(bits))

        def cell(ink, x, y):
            if ink == 3:  # black
                return (x + 3 * (y // 8)) % 8, y % 8
            right, down, step = [(2, 4, 3), (4, 2, 6), (6, 6, 5)][ink]
            return (x + right) % 8, (y + down + step * (x // 8)) % 8

        expected = [[2 * 64 * a > 255 * (2 * bayer(*cell(ink, i % self.width, i // self.width)) + 1)
                     for i, a in enumerate(plane)] for ink, plane in enumerate(self.inks(100))]
        for more in [], ["--cpu", "scalar", "--threads", "1"], ["--threads", "2"]:
            self.works("halftone", "in.ppm", "out.pbm", "--separate", "cmyk", "--method", "bayer",
                       *more)
            for ink, plane in zip("cmyk", expected):
                self.assertEqual(self.get("out-%s.pbm" % ink), pbm(plane, self.width, self.height))

    @unittest.skipUnless(have("tiffinfo") and supports("tif"), "no TIFF here")
    def test_separated_tiff(self):
        self.works("halftone", "in.ppm", "out.tif", "--separate", "cmyk-tiff")
        text = subprocess.run(["tiffinfo", self.path("out.tif")], stdout=subprocess.PIPE,
                              check=True).stdout.decode()
        for words in ["Bits/Sample: 1", "Samples/Pixel: 4", "separated"]:
            self.assertIn(words, text)

    def test_bad_input(self):
        for name in ["old.pbm", "old.ppm", "old.pgm", "old-m.pbm"]:
            self.put(name, OLD)
        self.put("falls.csv", b"0,0\n0.5,0.6\n1,0.5\n")
        self.put("words.csv", b"0,0\nhalf,0.6\n1,1\n")
        self.put("short.csv", b"0,0\n")
        self.put("one.gpl", b"GIMP Palette\n0 0 0\n")
        self.put("bad.gpl", b"GIMP Palette\n0 0 0\n256 0 0\n")
        self.put("many.gpl", b"GIMP Palette\n" + b"".join(b"%d 0 %d\n" % (i % 256, i // 256)
                                                          for i in range(300)))
        grey, colour = ["halftone", "in.pgm", "old.pbm"], ["halftone", "in.ppm", "old.ppm"]
        self.refused(*grey, "--curve", "must not fall.csv", words=["must not fall"])
        self.refused(*grey, "--curve", "words.csv", words=["words.csv", "line 2"])
        self.refused(*grey, "--curve", "short.csv", words=["short.csv", "not 1"])
        self.refused(*grey, "--curve", "missing.csv", words=["missing.csv"])
        self.refused(*grey, "--gamma", "0.01", words=["gamma"], status=2)
        self.refused(*grey, "--gamma", "11", words=["gamma"], status=2)
        self.refused(*grey, "--brightness", "101", words=["-100 to 100"], status=2)
        self.refused(*grey, "--contrast", "x", words=["contrast"], status=2)
        self.refused(*colour, "--palette", "one.gpl", words=["one.gpl", "not 1"])
        self.refused(*colour, "--palette", "bad.gpl", words=["bad.gpl", "line 3"])
        self.refused(*colour, "--palette", "many.gpl", words=["many.gpl", "256"])
        self.refused(*colour, "--palette", "black", words=["not 1"])
        self.refused(*colour, "--palette", "blakc white", words=["did you mean 'black'"])
        self.refused(*colour, "--palette", "bwr", "--levels", "4", words=["levels"])
        self.refused(*colour, "--palette", "bwr", "--channels", "rgb", words=["palette"])
        self.refused(*colour, "--black-ink", "50", "--channels", "rgb", words=["channels cmyk"])
        self.refused(*colour, "--separate", "cmyk-tiff", words=["inks"])
        self.refused(*colour, "--separate", "cmyk", "--channels", "rgb", words=["exclude each other"],
                     status=2)
        self.refused("halftone", "in.ppm", "-", "--separate", "cmyk", words=["standard output"])
        self.refused("halftone", "in.ppm", "old.pbm", "--separate", "cmyk", "--levels", "3",
                     words=["levels does not apply to channels cmyk"])
        self.refused("halftone", "in.ppm", "old.pgm", "--palette", "bwr", words=["cannot hold colour"])
        self.refused("halftone", "in.ppm", "old.pbm", "--channels", "rgb", words=["cannot hold colour"])


if __name__ == "__main__":
    unittest.main()
