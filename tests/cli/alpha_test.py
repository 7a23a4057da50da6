# SPDX-License-Identifier: MIT
"""Alpha: laid over a background, kept, or dropped."""
import struct
import unittest
import zlib

from command import Case, netpbm, noise, supports

WIDTH, HEIGHT = 24, 10
COUNT = WIDTH * HEIGHT
ALPHA = bytes([0, 255, 100, 200, 255, 0, 127, 128] * (COUNT // 8))
COLOURS = noise(3 * COUNT)
PIXELS = b"".join(COLOURS[3 * i:3 * i + 3] + ALPHA[i:i + 1] for i in range(COUNT))


def pam(pixels=PIXELS, depth=4, kind=b"RGB_ALPHA"):
    return (b"P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL 255\nTUPLTYPE %s\nENDHDR\n"
            % (WIDTH, HEIGHT, depth, kind) + pixels)


def ppm(pixels):
    return b"P6\n%d %d\n255\n" % (WIDTH, HEIGHT) + bytes(pixels)


def over(background):
    return bytes((a * c + (255 - a) * b + 127) // 255 for i, a in enumerate(ALPHA)
                 for c, b in zip(COLOURS[3 * i:3 * i + 3], background))


def chunks(data):
    at, found = 8, {}
    while at < len(data):
        size, = struct.unpack(">I", data[at:at + 4])
        found[data[at + 4:at + 8]] = found.get(data[at + 4:at + 8], b"") + data[at + 8:at + 8 + size]
        at += size + 12
    return found


def samples(data):
    """Depth, colour type and the rows of a PNG file, of which none is filtered."""
    found = chunks(data)
    depth, kind = found[b"IHDR"][8:10]
    raw = zlib.decompress(found[b"IDAT"])
    row = len(raw) // HEIGHT
    rows = [raw[y * row + 1:(y + 1) * row] for y in range(HEIGHT)]
    return depth, kind, rows, [raw[y * row] for y in range(HEIGHT)]


class Alpha(Case):
    def setUp(self):
        super().setUp()
        self.put("in.pam", pam())

    def rgb(self, *more, name="in.pam"):
        self.works("halftone", name, "out.ppm", "--channels", "rgb", "--levels", "256", "--quiet",
                   *more)
        return netpbm(self.get("out.ppm"))[2]

    def test_background(self):
        for text, background in [("white", [255] * 3), ("#204060", [32, 64, 96]),
                                 ("black", [0] * 3), ("red", [255, 0, 0])]:
            self.assertEqual(self.rgb("--background", text), over(background), text)
            self.works("halftone", "in.pam", "out.ppm", "--channels", "rgb", "--strict",
                       "--background", text)
        self.assertEqual(self.rgb(), over([255] * 3))
        self.assertEqual(self.rgb("--alpha", "over", "--strict"), over([255] * 3))
        self.assertEqual(self.rgb("--alpha", "drop", "--strict"), COLOURS)

    def test_grey_over_a_colour(self):
        pixels = b"".join(bytes([7, a]) for a in ALPHA)
        self.put("grey.pam", pam(pixels, 2, b"GRAYSCALE_ALPHA"))
        got = self.rgb("--background", "#c00000", name="grey.pam")
        self.assertEqual(got[:6], bytes([192, 0, 0, 7, 7, 7]))

    @unittest.skipUnless(supports("png"), "no PNG")
    def test_kept_in_png(self):
        self.works("halftone", "in.pam", "out.png", "--alpha", "keep", "--strict", "--quiet")
        depth, kind, rows, filters = samples(self.get("out.png"))
        self.assertEqual((depth, kind), (8, 4))
        # read back over black and over white: where they agree, nothing is seen through it
        self.works("halftone", "out.png", "b.pgm", "--levels", "256", "--background", "black",
                   "--quiet")
        self.works("halftone", "out.png", "w.pgm", "--levels", "256", "--background", "white",
                   "--quiet")
        for b, w, a in zip(netpbm(self.get("b.pgm"))[2], netpbm(self.get("w.pgm"))[2], ALPHA):
            self.assertEqual(w - b, 255 - a)
        self.works("halftone", "in.pam", "out.png", "--alpha", "keep", "--channels", "rgb",
                   "--levels", "256", "--background", "#010203", "--quiet")
        self.assertEqual(samples(self.get("out.png"))[:2], (8, 6))
        wanted = b"".join(COLOURS[3 * i:3 * i + 3] if a else bytes([1, 2, 3])
                          for i, a in enumerate(ALPHA))
        self.assertEqual(self.rgb("--alpha", "drop", name="out.png"), wanted)

    @unittest.skipUnless(supports("png"), "no PNG")
    def test_palette(self):
        """One number more, which is transparent."""
        done = self.works("halftone", "in.pam", "out.png", "--alpha", "keep", "--palette",
                          "black white red")
        self.assertIn(b"all or nothing", done.stderr)
        self.refused("halftone", "in.pam", "no.png", "--alpha", "keep", "--quiet", "--strict",
                     "--palette", "black white red", words=["all or nothing"])
        data = self.get("out.png")
        depth, kind, rows, filters = samples(data)
        self.assertEqual((depth, kind, set(filters)), (2, 3, {0}))
        self.assertEqual(chunks(data)[b"PLTE"][:9], bytes.fromhex("000000ffffffff0000"))
        self.assertEqual(chunks(data)[b"tRNS"], b"\xff\xff\xff\0")
        numbers = [row[x // 4] >> 6 - x % 4 * 2 & 3 for row in rows for x in range(WIDTH)]
        self.assertEqual([n == 3 for n in numbers], [a < 128 for a in ALPHA])

    @unittest.skipUnless(supports("tif"), "no TIFF")
    def test_kept_in_tiff(self):
        for more in [["--levels", "256"], ["--palette", "rgb:4"]]:
            colour = [] if "--palette" in more else ["--channels", "rgb"]
            self.works("halftone", "in.pam", "out.tif", "--alpha", "keep", "--strict", "--quiet",
                       *more, *colour)
            dropped = self.rgb("--alpha", "drop", name="out.tif")
            self.works("halftone", "out.tif", "out.ppm", "--channels", "rgb", "--levels", "256",
                       "--background", "#000", "--quiet")
            black = netpbm(self.get("out.ppm"))[2]
            self.assertEqual(black, bytes((c * ALPHA[i // 3] + 127) // 255
                                          for i, c in enumerate(dropped)))

    @unittest.skipUnless(supports("png"), "no PNG")
    def test_resized(self):
        self.works("halftone", "in.pam", "out.png", "--alpha", "keep", "--resize", "50%", "--quiet")
        self.assertEqual(chunks(self.get("out.png"))[b"IHDR"][:10],
                         struct.pack(">IIBB", WIDTH // 2, HEIGHT // 2, 8, 4))
        # what has no alpha gets none
        self.put("opaque.ppm", ppm(COLOURS))
        self.works("halftone", "opaque.ppm", "out.png", "--alpha", "keep", "--quiet")
        self.assertEqual(samples(self.get("out.png"))[:2], (1, 0))

    def test_refused(self):
        self.put("out.pbm", b"old")
        self.refused("halftone", "in.pam", "out.pbm", "--alpha", "keep",
                     words=["no place for alpha", ".png and .tif"])
        self.refused("halftone", "in.pam", "out.pbm", "--strict", words=["alpha"])
        self.refused("halftone", "in.pam", "out.pbm", "--background", "blurple", words=["blurple"])
        if supports("png"):
            self.refused("halftone", "-", "out.png", "--alpha", "keep", input=pam(),
                         words=["alpha", "pipe"])
            self.refused("halftone", "in.pam", "out.png", "--alpha", "keep", "--palette", "grey:256",
                         words=["256 colours"])
        for more in [["--alpha", "keep", "--certificate", "c.json"],
                     ["--alpha", "drop", "--background", "red"]]:
            self.assertEqual(self.command("halftone", "in.pam", "out.pbm", *more).returncode, 2)


if __name__ == "__main__":
    unittest.main()
