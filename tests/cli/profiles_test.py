# SPDX-License-Identifier: MIT
"""Colours of other spaces become sRGB's: ICC profiles, gamma and primaries, Lab."""
import os
import struct
import unittest
import zlib

from command import Case, SOURCE_DIR, netpbm, noise, profiles, supports

WIDTH, HEIGHT = 9, 5
RGB = noise(3 * WIDTH * HEIGHT)
D50 = (0.9642, 1.0, 0.8249)
# sRGB's red, green and blue under D50, in columns (ICC's sRGB profile), and Display P3's.
SRGB = ((0.43607, 0.38515, 0.14307), (0.22249, 0.71687, 0.06061), (0.01392, 0.09708, 0.71410))
P3 = ((0.51512, 0.29198, 0.15710), (0.24120, 0.69225, 0.06657), (-0.00105, 0.04189, 0.78407))


def inverse(m):
    (a, b, c), (d, e, f), (g, h, i) = m
    det = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    return [[(e * i - f * h) / det, (c * h - b * i) / det, (b * f - c * e) / det],
            [(f * g - d * i) / det, (a * i - c * g) / det, (c * d - a * f) / det],
            [(d * h - e * g) / det, (b * g - a * h) / det, (a * e - b * d) / det]]


def times(m, v):
    return [sum(x * y for x, y in zip(row, v)) for row in m]


def light(x):
    return x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4


def coded(x):
    x = min(max(x, 0), 1)
    return 12.92 * x if x <= 0.0031308 else 1.055 * x ** (1 / 2.4) - 0.055


def to_srgb(xyz):
    return [255 * coded(v) for v in times(inverse(SRGB), xyz)]


def icc(space=b"RGB ", gamma=1.8, matrix=P3):
    """A profile of a matrix and a gamma."""
    curve = b"curv" + struct.pack(">IIH", 0, 1, round(256 * gamma)) + b"\0\0"
    xyz = lambda v: b"XYZ " + struct.pack(">I3i", 0, *(round(65536 * x) for x in v))
    text = b"text" + struct.pack(">I", 0) + b"none\0\0\0\0"
    name = b"desc" + struct.pack(">II", 0, 5) + b"wide\0" + bytes(79)
    tags = [(b"desc", name), (b"cprt", text), (b"wtpt", xyz(D50))]
    if space == b"RGB ":
        columns = list(zip(*matrix))
        tags += [(b"rXYZ", xyz(columns[0])), (b"gXYZ", xyz(columns[1])), (b"bXYZ", xyz(columns[2])),
                 (b"rTRC", curve), (b"gTRC", curve), (b"bTRC", curve)]
    else:
        tags += [(b"kTRC", curve)]
    at, table, data = 128 + 4 + 12 * len(tags), b"", b""
    for key, value in tags:
        value += b"\0" * (-len(value) % 4)
        table += struct.pack(">4sII", key, at + len(data), len(value))
        data += value
    head = struct.pack(">I4sI4s4s4s", at + len(data), b"\0\0\0\0", 0x02400000, b"mntr", space,
                       b"XYZ ")
    head += struct.pack(">6H", 2026, 1, 1, 0, 0, 0) + b"acsp" + bytes(28)
    head += struct.pack(">3i", *(round(65536 * x) for x in D50))
    return head + bytes(128 - len(head)) + struct.pack(">I", len(tags)) + table + data


def chunk(name, data):
    return (struct.pack(">I", len(data)) + name + data +
            struct.pack(">I", zlib.crc32(name + data) & 0xFFFFFFFF))


def png(pixels, before=b"", kind=2, depth=8):
    row = len(pixels) // HEIGHT
    data = b"".join(b"\0" + pixels[y * row:(y + 1) * row] for y in range(HEIGHT))
    return (b"\x89PNG\r\n\x1a\n" +
            chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, depth, kind, 0, 0, 0)) + before +
            chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b""))


def with_icc(profile):
    return chunk(b"iCCP", b"x\0\0" + zlib.compress(profile))


def tiff(pixels, photometric, bits=8, samples=3, profile=b"", primaries=(), alpha=False):
    tags = [(256, 3, 1, WIDTH), (257, 3, 1, HEIGHT), (259, 3, 1, 1), (262, 3, 1, photometric),
            (277, 3, 1, samples), (278, 3, 1, HEIGHT), (279, 4, 1, len(pixels))]
    tags += [(338, 3, 1, 2)] if alpha else []
    depths = struct.pack("<%dH" % samples, *[bits] * samples)
    at = 8 + len(pixels) + len(pixels) % 2
    data = pixels + bytes(len(pixels) % 2)
    tags += [(273, 4, 1, 8), (258, 3, samples, at)]
    data += depths
    if profile:
        tags += [(34675, 7, len(profile), 8 + len(data))]
        data += profile + bytes(len(profile) % 2)
    for tag, values in ((318, primaries[:2]), (319, primaries[2:])):  # white point, primaries
        if primaries:
            tags += [(tag, 5, len(values), 8 + len(data))]
            data += b"".join(struct.pack("<II", round(v * 10000), 10000) for v in values)
    entries = b"".join(struct.pack("<HHII", *tag) for tag in sorted(tags))
    return (b"II*\0" + struct.pack("<I", 8 + len(data)) + data + struct.pack("<H", len(tags)) +
            entries + bytes(4))


def bmp(pixels, kind, profile=b"", gap=7, before=False, primaries=(0,) * 9, gammas=(0,) * 3,
        size=124):
    """A BMP file of 24 bits; its profile follows the pixels, or precedes them."""
    rows = [pixels[3 * WIDTH * y:3 * WIDTH * (y + 1)] for y in range(HEIGHT)]
    turned = b"".join(bytes(row[i + 2 - c] for i in range(0, len(row), 3) for c in range(3)) +
                      bytes(-len(row) % 4) for row in reversed(rows))
    parts = [turned, bytes(gap), profile] if not before else [profile, bytes(gap), turned]
    place = size + sum(len(part) for part in (parts[:2] if not before else []))
    head = struct.pack("<IiiHHIIiiII", size, WIDTH, HEIGHT, 1, 24, 0, len(turned), 0, 0, 0, 0)
    head += bytes(16) + struct.pack("<I", kind)
    head += struct.pack("<9i", *(round(v * 2 ** 30) for v in primaries))
    head += struct.pack("<3I", *(round(v * 2 ** 16) for v in gammas))
    head += struct.pack("<4I", 4, place if profile else 0, len(profile), 0)
    at = 14 + size + (len(profile) + gap if before else 0)
    return struct.pack("<2sIII", b"BM", at + len(turned), 0, at) + head[:size] + b"".join(parts)


@unittest.skipUnless(profiles(), "no lcms2")
class Profiles(Case):
    def rgb(self, data, *more):
        """What a picture is as sRGB, nothing being dropped of it."""
        self.put("in", data)
        self.works("halftone", "in", "out.ppm", "--channels", "rgb", "--levels", "256", "--strict",
                   "--quiet", *more)
        return netpbm(self.get("out.ppm"))[2]

    def near(self, got, wanted, tolerance=1.6):
        for i, (g, w) in enumerate(zip(got, wanted)):
            self.assertLessEqual(abs(g - w), tolerance, (i, g, w))
        self.assertEqual(len(got), len(wanted))

    def by_matrix(self, matrix, gamma, pixels=RGB):
        result = []
        for i in range(0, len(pixels), 3):
            result += to_srgb(times(matrix, [(v / 255) ** gamma for v in pixels[i:i + 3]]))
        return result

    def test_png(self):
        wanted = self.by_matrix(P3, 1.8)
        self.near(self.rgb(png(RGB, with_icc(icc()))), wanted)
        deep = b"".join(struct.pack(">H", 257 * v) for v in RGB)
        self.near(self.rgb(png(deep, with_icc(icc()), depth=16)), wanted)
        self.assertEqual(self.rgb(png(RGB, with_icc(icc())), "--profile", "ignore"), RGB)
        # alpha passes by
        rgba = b"".join(RGB[i:i + 3] + b"\xff" for i in range(0, len(RGB), 3))
        self.near(self.rgb(png(rgba, with_icc(icc()), kind=6)), wanted)
        clear = b"".join(RGB[i:i + 3] + b"\0" for i in range(0, len(RGB), 3))
        self.assertEqual(self.rgb(png(clear, with_icc(icc()), kind=6), "--background", "#123456"),
                         bytes.fromhex("123456") * (WIDTH * HEIGHT))

    def test_grey(self):
        grey = RGB[:WIDTH * HEIGHT]
        self.put("in.png", png(grey, with_icc(icc(b"GRAY", 1.0)), kind=0))
        self.works("halftone", "in.png", "out.pgm", "--levels", "256", "--strict", "--quiet")
        self.near(netpbm(self.get("out.pgm"))[2], [255 * coded(v / 255) for v in grey])
        self.put("in.png", png(grey, chunk(b"gAMA", struct.pack(">I", 100000)), kind=0))
        self.works("halftone", "in.png", "out.pgm", "--levels", "256", "--strict", "--quiet")
        self.near(netpbm(self.get("out.pgm"))[2], [255 * coded(v / 255) for v in grey])

    def test_gamma_and_primaries(self):
        gamma = chunk(b"gAMA", struct.pack(">I", round(1e5 / 1.8)))
        self.near(self.rgb(png(RGB, gamma)), self.by_matrix(SRGB, 1.8))
        p3 = chunk(b"cHRM", struct.pack(">8I", 31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000))
        self.near(self.rgb(png(RGB, gamma + p3)), self.by_matrix(P3, 1.8), 2.5)
        curve = [255 * light(v / 255) for v in RGB]
        self.near(self.rgb(png(RGB, p3)), self.by_matrix(P3, 1, curve), 2.5)

    def test_other_commands(self):
        """Measurements keep their numbers, and a line says what was dropped."""
        grey = RGB[:WIDTH * HEIGHT]
        self.put("in.png", png(grey, chunk(b"gAMA", struct.pack(">I", 100000)), kind=0))
        done = self.works("denoise", "in.png", "out.pgm", "--iterations", "1")
        self.assertIn(b"dropped its gamma of 1 (taken as sRGB)", done.stderr)
        self.put("plain.png", png(grey, kind=0))
        self.works("denoise", "plain.png", "plain.pgm", "--iterations", "1", "--quiet")
        self.assertEqual(self.get("out.pgm"), self.get("plain.pgm"))

    def test_damaged(self):
        """Said, and then taken as sRGB."""
        broken = icc()
        broken = broken[:200] + b"\xff" * 60 + broken[260:]
        files = {"junk.tif": tiff(RGB, 2, profile=b"no profile at all" * 9),
                 "broken.tif": tiff(RGB, 2, profile=broken),
                 "grey.tif": tiff(RGB, 2, profile=icc(b"GRAY"))}
        for name, data in files.items():
            if not supports("tif"):
                break
            self.put(name, data)
            done = self.works("halftone", name, "out.ppm", "--channels", "rgb", "--levels", "256")
            self.assertIn(b"dropped its ICC profile", done.stderr)
            self.assertEqual(netpbm(self.get("out.ppm"))[2], RGB)
            self.refused("halftone", name, "out.ppm", "--channels", "rgb", "--strict",
                         words=["ICC profile"])
        flat = chunk(b"cHRM", struct.pack(">8I", *[30000] * 8))
        for name, before in [("flat.png", flat), ("zero.png", chunk(b"gAMA", bytes(4)))]:
            self.put(name, png(RGB, before))
            done = self.works("halftone", name, "out.ppm", "--channels", "rgb", "--levels", "256")
            self.assertIn(b"dropped its gamma or primaries, which are damaged", done.stderr)
            self.assertEqual(netpbm(self.get("out.ppm"))[2], RGB)

    def test_bmp(self):
        embedded, linked = 0x4d424544, 0x4c494e4b
        wanted = self.by_matrix(P3, 1.8)
        for data in bmp(RGB, embedded, icc()), bmp(RGB, embedded, icc(), before=True):
            self.near(self.rgb(data), wanted)
            self.assertEqual(self.rgb(data, "--profile", "ignore"), RGB)
            piped = self.works("halftone", "-", "-", "--channels", "rgb", "--levels", "256",
                               "--strict", "--quiet", "--type", "ppm", input=data).stdout
            self.assertEqual(netpbm(piped)[2], netpbm(self.halftoned(data))[2])
        cut = bmp(RGB, embedded, icc())[:-9]
        for data, words in ((bmp(RGB, linked, b"c:\\a.icc\0"), "another file"),
                            (cut, "not there"), (bmp(RGB, embedded), "not there"),
                            (bmp(RGB, 2), "colour space")):
            self.assertEqual(netpbm(self.halftoned(data, words))[2], RGB)
            self.refused("halftone", "in.bmp", "x.ppm", "--channels", "rgb", "--strict",
                         words=[words])

    def halftoned(self, data, words=""):
        self.put("in.bmp", data)
        done = self.works("halftone", "in.bmp", "out.ppm", "--channels", "rgb", "--levels", "256")
        self.assertIn(words.encode(), done.stderr)
        return self.get("out.ppm")

    def test_calibrated_bmp(self):
        srgb = (0.64, 0.33, 0.03, 0.3, 0.6, 0.1, 0.15, 0.06, 0.79)
        p3 = (0.68, 0.32, 0, 0.265, 0.69, 0.045, 0.15, 0.06, 0.79)
        for gammas in (0, 0, 0), (2.2, 2.2, 2.2), (1 / 2.2,) * 3:
            for primaries in (0,) * 9, srgb:
                self.assertEqual(self.rgb(bmp(RGB, 0, primaries=primaries, gammas=gammas)), RGB)
        for size in 108, 124:
            self.near(self.rgb(bmp(RGB, 0, gammas=(1.8,) * 3, size=size)), self.by_matrix(SRGB, 1.8))
        self.near(self.rgb(bmp(RGB, 0, primaries=p3, gammas=(1.8,) * 3)), self.by_matrix(P3, 1.8), 2.5)
        scaled = [1.4 * v for v in p3[:3]] + [v / 2 for v in p3[3:]]
        self.assertEqual(self.rgb(bmp(RGB, 0, primaries=scaled)), self.rgb(bmp(RGB, 0, primaries=p3)))
        self.assertEqual(self.rgb(bmp(RGB, 0, gammas=(1.8,) * 3), "--profile", "ignore"), RGB)
        self.put("in.bmp", bmp(RGB, 0, gammas=(1.8, 2.2, 2.2)))
        self.refused("halftone", "in.bmp", "x.ppm", "--channels", "rgb", "--strict",
                     words=["differ by channel"])

    @unittest.skipUnless(supports("tif"), "no TIFF")
    def test_tiff(self):
        self.near(self.rgb(tiff(RGB, 2, profile=icc())), self.by_matrix(P3, 1.8))
        # primaries that are sRGB's, as most programs write them, or that a profile replaces
        srgb = (0.3127, 0.329, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06)
        wide = (0.3127, 0.329, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06)
        self.assertEqual(self.rgb(tiff(RGB, 2, primaries=srgb)), RGB)
        self.near(self.rgb(tiff(RGB, 2, profile=icc(), primaries=wide)), self.by_matrix(P3, 1.8))
        self.put("wide.tif", tiff(RGB, 2, primaries=wide))
        self.assertIn(b"dropped its primaries", self.works("halftone", "wide.tif", "out.ppm",
                                                           "--palette", "bw").stderr)

    @unittest.skipUnless(supports("tif"), "no TIFF")
    def test_lab(self):
        def from_lab(l, a, b):
            fy = (l + 16) / 116
            inv = lambda f: f ** 3 if f > 6 / 29 else 3 * (6 / 29) ** 2 * (f - 4 / 29)
            return to_srgb([w * inv(f) for w, f in zip(D50, (fy + a / 500, fy, fy - b / 200))])

        count = WIDTH * HEIGHT
        lab = [(20 + i * 70 // count, (i * 7) % 41 - 20, (i * 11) % 31 - 15) for i in range(count)]
        wanted = [v for l, a, b in lab for v in from_lab(l, a, b)]
        small = b"".join(struct.pack("BBB", round(2.55 * l), a & 255, b & 255) for l, a, b in lab)
        self.near(self.rgb(tiff(small, 8)), wanted, 3)
        wide = b"".join(struct.pack("<Hhh", round(655.35 * l), 256 * a, 256 * b) for l, a, b in lab)
        self.near(self.rgb(tiff(wide, 8, 16)), wanted)
        moved = b"".join(struct.pack("BBB", round(2.55 * l), a + 128, b + 128) for l, a, b in lab)
        self.near(self.rgb(tiff(moved, 9)), wanted, 3)

    @unittest.skipUnless(supports("tif"), "no TIFF")
    def test_strong_lab(self):
        """Saturated colours, where a small error of a* or b* is a large one of red: by the formula
        of the CIE, with both kinds of numbers, with alpha and without."""
        def from_lab(l, a, b):
            fy = (l + 16) / 116
            inv = lambda f: f ** 3 if f > 6 / 29 else 3 * (6 / 29) ** 2 * (f - 4 / 29)
            return to_srgb([w * inv(f) for w, f in zip(D50, (fy + a / 500, fy, fy - b / 200))])

        steps = noise(3 * WIDTH * HEIGHT, 7)
        lab = [(100 * steps[i] / 255, steps[i + 1] / 1.4 - 91, steps[i + 2] / 1.4 - 91)
               for i in range(0, len(steps), 3)]
        lab[0] = (88.2, -57.02, 3.52)
        small = [(round(2.55 * l), round(a), round(b)) for l, a, b in lab]
        wide = [(round(655.35 * l), round(256 * a), round(256 * b)) for l, a, b in lab]
        icc16 = [(round(652.8 * l), round(256 * a), round(256 * b)) for l, a, b in lab]
        for numbers, kind, bits, scale in ((small, 8, 8, 255), (small, 9, 8, 255),
                                           (wide, 8, 16, 65535), (icc16, 9, 16, 65280)):
            one = 1 if bits == 8 else 256
            wanted = [v for l, a, b in numbers for v in from_lab(100 * l / scale, a / one, b / one)]
            half = 0 if kind == 8 else 1 << (bits - 1)
            mask, code = (1 << bits) - 1, "B" if bits == 8 else "H"
            for alpha in (), (mask,):
                pixels = b"".join(struct.pack("<%d%s" % (3 + len(alpha), code), l, a + half & mask,
                                              b + half & mask, *alpha) for l, a, b in numbers)
                self.near(self.rgb(tiff(pixels, kind, bits, 3 + len(alpha), alpha=bool(alpha))),
                          wanted, 1)

    @unittest.skipUnless(supports("jpg"), "no JPEG")
    def test_jpeg(self):
        """A profile in two parts, which come in the wrong order."""
        with open(os.path.join(SOURCE_DIR, "tests/fuzz/seeds/jpeg/plain"), "rb") as file:
            data = file.read()
        plain = self.rgb(data)
        profile = icc()
        parts = [b"ICC_PROFILE\0\1\2" + profile[:100], b"ICC_PROFILE\0\2\2" + profile[100:]]
        markers = b"".join(b"\xff\xe2" + struct.pack(">H", len(part) + 2) + part
                           for part in reversed(parts))
        got = self.rgb(data[:2] + markers + data[2:])
        self.near(got, self.by_matrix(P3, 1.8, plain))
        self.put("in", data[:2] + markers[:-300] + data[2:])
        half = b"\xff\xe2" + struct.pack(">H", len(parts[0]) + 2) + parts[0]
        self.put("in.jpg", data[:2] + half + data[2:])
        done = self.works("halftone", "in.jpg", "out.ppm", "--channels", "rgb")
        self.assertIn(b"dropped its ICC profile", done.stderr)


if __name__ == "__main__":
    unittest.main()
