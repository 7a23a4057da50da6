# SPDX-License-Identifier: MIT
"""Nothing is dropped in silence: one line a picture says what was not passed on, --quiet keeps it
back, --json has it as a field, --strict makes it an error that writes nothing."""
import json
import os
import struct
import subprocess
import unittest
import zlib

from command import Case, ROUNDOFF, SOURCE_DIR, noise, pgm, profiles, supports

WIDTH, HEIGHT = 40, 30
GREY = noise(WIDTH * HEIGHT)


def profile(name, space=b"RGB "):
    """An ICC profile of nothing but its name."""
    text = b"desc" + struct.pack(">II", 0, len(name) + 1) + name + b"\0"
    text += b"\0" * (-len(text) % 4)
    rest = noise(128)  # libpng refuses what packs to less than a hundred bytes
    head = struct.pack(">II4s4s4s4s", 144 + len(text) + len(rest), 0, b"\2\0\0\0", b"mntr", space, b"XYZ ")
    head += bytes(12) + b"acsp" + bytes(28) + struct.pack(">III", 0xf6d6, 0x10000, 0xd32d)
    tags = struct.pack(">I4sII", 1, b"desc", 144, len(text))
    return head + bytes(128 - len(head)) + tags + text + rest


OTHER_PROFILE, SRGB_PROFILE = profile(b"Display P3"), profile(b"sRGB IEC61966-2.1")


def chunk(name, data):
    return (struct.pack(">I", len(data)) + name + data +
            struct.pack(">I", zlib.crc32(name + data) & 0xFFFFFFFF))


def png(kind, pixels, before=b"", after=b"", depth=8):
    """Rows of WIDTH pixels; `kind` as the format numbers them: 0 grey, 4 grey and alpha, 3 palette."""
    row = len(pixels) // HEIGHT
    data = b"".join(b"\0" + pixels[y * row:(y + 1) * row] for y in range(HEIGHT))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, depth, kind,
                                                              0, 0, 0)) +
            before + chunk(b"IDAT", zlib.compress(data)) + after + chunk(b"IEND", b""))


def exif(*tags):
    """Entries of (tag, type, value), each value in four bytes."""
    return (b"II*\0\x08\0\0\0" + struct.pack("<H", len(tags)) +
            b"".join(struct.pack("<HHII", tag, kind, 1, value) for tag, kind, value in tags) +
            bytes(4))


def tiff(pages=1, samples=1, pixels=GREY, more=()):
    """Uncompressed; `more` are tags of (number, type, count, bytes), longer ones behind the lists."""
    data = bytearray(b"II*\0")
    data += bytes(4)
    link = 4
    for _ in range(pages):
        strip = len(data)
        data += pixels
        tags = [(256, 3, 1, struct.pack("<H", WIDTH)), (257, 3, 1, struct.pack("<H", HEIGHT)),
                (258, 3, 1, struct.pack("<H", 8)), (259, 3, 1, struct.pack("<H", 1)),
                (262, 3, 1, struct.pack("<H", 1)), (273, 4, 1, struct.pack("<I", strip)),
                (277, 3, 1, struct.pack("<H", samples)), (278, 3, 1, struct.pack("<H", HEIGHT)),
                (279, 4, 1, struct.pack("<I", len(pixels))), *more]
        entries = b""
        for number, kind, count, value in sorted(tags):
            if len(value) > 4:
                place, at = struct.pack("<I", len(data)), len(data)
                data += value + b"\0" * (len(value) % 2)
                assert at % 2 == 0
            else:
                place = value + b"\0" * (4 - len(value))
            entries += struct.pack("<HHI", number, kind, count) + place
        struct.pack_into("<I", data, link, len(data))
        data += struct.pack("<H", len(tags)) + entries
        link = len(data)
        data += bytes(4)
    return bytes(data)


def jpeg(*markers):
    with open(os.path.join(SOURCE_DIR, "tests/fuzz/seeds/jpeg/grey"), "rb") as file:
        data = file.read()
    parts = b"".join(b"\xff" + bytes([code]) + struct.pack(">H", len(text) + 2) + text
                     for code, text in markers)
    return data[:2] + parts + data[2:]


class Dropped(Case):
    def check(self, name, data, *words, out="out.png", more=()):
        """All words in one line after the report, or none where nothing is dropped."""
        self.put(name, data)
        done = self.works("halftone", name, out, *more)
        told = [line for line in done.stderr.decode().splitlines() if "dropped" in line]
        if words:
            self.assertEqual(len(told), 1, (name, done.stderr))
            self.assertRegex(told[0], "^roundoff: %s: dropped " % name)
            for word in words:
                self.assertIn(word, told[0])
        else:
            self.assertEqual(told, [], name)
        field = json.loads(self.works("halftone", name, out, "--json", *more).stdout)["dropped"]
        self.assertEqual(sorted(field), [name] if words else [])
        for word in words:
            self.assertIn(word, field[name])
        self.assertEqual(self.works("halftone", name, out, "--quiet", *more).stderr, b"")
        self.put(out, b"old")
        if words:
            self.refused("halftone", name, out, "--strict", *more,
                         words=[name, "must not be dropped", *words])
            self.refused("halftone", name, out, "--strict", "--quiet", *more, words=words)
        else:
            self.works("halftone", name, out, "--strict", *more)

    def test_pnm(self):
        one = pgm(WIDTH, HEIGHT, GREY)
        plain = b"P2 3 1 9\n1 2 3\n"
        self.check("a.pgm", one)
        self.check("a.pgm", plain)
        self.check("a.pgm", one + one, "1 further page")
        self.check("a.pgm", one + one + one, "2 further pages")
        self.check("a.pgm", one + one, more=["--page", "1"])
        self.check("a.pgm", plain + plain, "further images")
        self.check("a.pgm", one + b"junk", "what follows")
        self.check("a.pgm", one.replace(b"P5\n", b"P5\n# by hand\n"), "a comment")

    def test_pipe(self):
        one = pgm(WIDTH, HEIGHT, GREY)
        for data, words in [(one, []), (one + one, ["further images"])]:
            done = self.works("halftone", "-", "-", input=data)
            told = [line for line in done.stderr.decode().splitlines() if "dropped" in line]
            self.assertEqual(told, ["roundoff: standard input: dropped " + w for w in words])
            self.put("out.pbm", b"old")
            if words:
                self.refused("halftone", "-", "out.pbm", "--strict", input=data, words=words)
                self.refused("denoise", "-", "out.pgm", "--strict", input=data, words=words)
        # The second image may come late: the end of the pipe is waited for.
        with subprocess.Popen([ROUNDOFF, "halftone", "-", "out.pbm"], stdin=subprocess.PIPE,
                              stderr=subprocess.PIPE, cwd=self.folder) as late:
            late.stdin.write(one)
            late.stdin.flush()
            try:
                late.wait(0.3)
            except subprocess.TimeoutExpired:
                pass
            self.assertIn(b"further images", late.communicate(one)[1])

    @unittest.skipUnless(supports("png"), "no PNG")
    def test_png(self):
        holes = bytearray(b"".join(bytes([v, 255]) for v in GREY))
        self.check("a.png", png(0, GREY))
        self.check("a.png", png(4, bytes(holes)))  # all of it opaque
        holes[201] = 254
        self.check("a.png", png(4, bytes(holes)), "alpha (laid over white)")
        self.check("a.png", png(0, GREY, chunk(b"tRNS", struct.pack(">H", GREY[5]))), "alpha")
        palette = chunk(b"PLTE", bytes(range(48)))
        self.check("a.png", png(3, bytes(v & 15 for v in GREY), palette))
        self.check("a.png", png(3, bytes(v & 15 for v in GREY), palette + chunk(b"tRNS", b"\x07")),
                   "alpha")
        gamma = lambda value: chunk(b"gAMA", struct.pack(">I", value))
        self.check("a.png", png(0, GREY, gamma(45455)))
        other = lambda *words: [] if profiles() else words  # lcms2 makes sRGB of them
        self.check("a.png", png(0, GREY, gamma(100000)), *other("gamma of 1"))
        self.check("a.png", png(0, GREY, gamma(100000)), more=["--profile", "ignore"])
        self.check("a.png", png(0, GREY, gamma(55556) + chunk(b"sRGB", b"\0")))
        srgb = [31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000]
        self.check("a.png", png(2, GREY * 3, chunk(b"cHRM", struct.pack(">8I", *srgb))))
        srgb[4:6] = [21000, 71000]
        self.check("a.png", png(2, GREY * 3, chunk(b"cHRM", struct.pack(">8I", *srgb))),
                   *other("primaries"))
        self.check("a.png", png(0, GREY, chunk(b"tEXt", b"Title\0x")), "text")
        self.check("a.png", png(0, GREY, after=chunk(b"zTXt", b"Title\0\0" + zlib.compress(b"x"))),
                   "text")
        self.check("a.png", png(0, GREY, chunk(b"tIME", bytes([7, 208, 1, 1, 1, 1, 1]))), "date")
        self.check("a.png", png(0, GREY, chunk(b"acTL", struct.pack(">II", 3, 0))), "2 further frames")
        self.check("a.png", png(0, GREY, chunk(b"eXIf", exif((0x112, 3, 1)))))
        self.check("a.png", png(0, GREY, chunk(b"eXIf", exif((0x112, 3, 1), (0x10f, 2, 0x41)))),
                   "EXIF data")
        inch = chunk(b"pHYs", struct.pack(">IIB", 11811, 11811, 1))
        self.check("a.png", png(0, GREY, inch))
        self.check("a.png", png(0, GREY, inch), "resolution", out="out.pgm")
        self.check("a.png", png(0, GREY, gamma(100000) + chunk(b"tEXt", b"Title\0x")),
                   "text", *other("gamma"))
        self.put("a.png", png(0, GREY, inch + chunk(b"tEXt", b"Title\0x")))
        self.assertIn(b"a.png: dropped text, its resolution\n",
                      self.works("halftone", "a.png", "out.pgm").stderr)
        for name, words in [(b"sRGB IEC61966-2.1", []), (b"Display P3", ["its ICC profile"]),
                            (b"Linear sRGB", ["its ICC profile"])]:
            data = b"name\0\0" + zlib.compress(profile(name))
            self.check("a.png", png(2, GREY * 3, chunk(b"iCCP", data)), *words)
        self.check("a.png", png(2, GREY * 3, chunk(b"iCCP", data[:60])), "its ICC profile")

    @unittest.skipUnless(supports("tif"), "no TIFF")
    def test_tiff(self):
        self.check("a.tif", tiff())
        self.check("a.tif", tiff(pages=3), out="out.tif")
        self.check("a.tif", tiff(pages=3), more=["--page", "2"])
        two = b"".join(bytes([v, 255]) for v in GREY)
        self.check("a.tif", tiff(samples=2, pixels=two, more=[(338, 3, 1, b"\2\0")]))
        self.check("a.tif", tiff(samples=2, pixels=two, more=[(338, 3, 1, b"\0\0")]),
                   "1 further channel")
        holes = b"".join(bytes([v, v]) for v in GREY)
        self.check("a.tif", tiff(samples=2, pixels=holes, more=[(338, 3, 1, b"\2\0")]), "alpha")
        text = b"seen on a hill\0\0"
        self.check("a.tif", tiff(more=[(270, 2, len(text), text)]), "its description")
        self.check("a.tif", tiff(more=[(315, 2, len(text), text)]), "text")
        self.put("soft.tif", tiff(more=[(305, 2, len(text), text)]))  # which program wrote it
        self.assertNotIn(b"dropped", self.works("halftone", "soft.tif", "o.pbm").stderr)
        self.check("a.tif", tiff(more=[(700, 1, len(text), text)]), "XMP data")
        self.check("a.tif", tiff(more=[(34675, 7, len(OTHER_PROFILE), OTHER_PROFILE)]),
                   "its ICC profile")
        self.check("a.tif", tiff(more=[(34675, 7, len(SRGB_PROFILE), SRGB_PROFILE)]))

    @unittest.skipUnless(supports("jpg"), "no JPEG")
    def test_jpeg(self):
        head = b"ICC_PROFILE\0\1\1"
        self.check("a.jpg", jpeg())
        self.check("a.jpg", jpeg((0xE2, head + OTHER_PROFILE)), "its ICC profile")
        self.check("a.jpg", jpeg((0xE2, head + SRGB_PROFILE)))
        self.check("a.jpg", jpeg((0xFE, b"hello")), "a comment")
        self.check("a.jpg", jpeg((0xE1, b"Exif\0\0" + exif((0x112, 3, 1)))))
        self.check("a.jpg", jpeg((0xE1, b"Exif\0\0" + exif((0x110, 2, 0x41)))), "EXIF data")
        self.check("a.jpg", jpeg((0xE1, b"http://ns.adobe.com/xap/1.0/\0<x/>")), "XMP data")

    def test_npy(self):
        head = b"{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }\n"
        one = b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head + bytes(6)
        self.check("a.npy", one)
        self.check("a.npy", one + one, "what follows the array")

    def test_every_command(self):
        """Each that reads pictures: a line, a field, an error that writes nothing."""
        one = pgm(WIDTH, HEIGHT, GREY)
        self.put("one.pgm", one)
        self.put("two.pgm", one + one)
        runs = [
            ["denoise", "two.pgm", "out.pgm", "--iterations", "2"],
            ["denoise", "two.pgm", "out.pgm", "--iterations", "2", "--schedule", "stream",
             "--model", "linear"],
            ["segment", "two.pgm", "out.pgm", "--at", "9,9,3", "--iterations", "2"],
            ["register", "one.pgm", "two.pgm", "out.pgm", "--scales", "1"],
            ["measure", "two.pgm", "one.pgm"],
            ["measure", "one.pgm", "two.pgm"],
            ["compare", "two.pgm", "--methods", "threshold"],
        ]
        for run in runs:
            done = self.works(*run)
            self.assertIn(b"roundoff: two.pgm: dropped 1 further page\n", done.stderr, run)
            told = json.loads(self.works(*run, "--json").stdout)
            self.assertEqual(told["dropped"], {"two.pgm": "1 further page"}, run)
            self.assertNotIn(b"dropped", self.works(*run, "--quiet").stderr, run)
            for name in ["out.pgm"]:
                if name in run:
                    os.remove(self.path(name))
            self.refused(*run, "--strict", words=["two.pgm", "1 further page"])
        self.put("numbers.pgm", pgm(8, 8, bytes(64)) * 2)
        run = ["hologram", "reconstruct", "numbers.pgm", "seen.png", "--levels", "phase:4",
               "--strict", "--wavelength", "635nm", "--pitch", "8um", "--depth", "10mm"]
        self.refused(*run, words=["numbers.pgm", "1 further page"])
        self.works("calibrate", "wedge", "wedge.pgm", "--quiet")
        self.put("scan.pgm", self.get("wedge.pgm") * 2)
        self.refused("calibrate", "fit", "scan.pgm", "--curve", "c.csv", "--strict",
                     words=["scan.pgm", "1 further page"])
        done = self.works("calibrate", "fit", "scan.pgm", "--curve", "c.csv")
        self.assertIn(b"scan.pgm: dropped 1 further page", done.stderr)

    def test_above_white(self):
        """Floats that are all white because nobody says what white is."""
        self.put("f.pfm", b"Pf\n8 6\n-1.0\n" + struct.pack("<48f", *(1000 * n for n in range(48))))
        done = self.works("halftone", "f.pfm", "out.pbm")
        self.assertIn(b"f.pfm: dropped numbers above white, 98% of them (white is 1; up to 47000",
                      done.stderr)
        for range_ in ["data"], ["0,47000"]:
            done = self.works("halftone", "f.pfm", "out.pbm", "--range", *range_)
            self.assertNotIn(b"dropped", done.stderr)
        self.put("f.pfm", b"Pf\n8 6\n-1.0\n" + struct.pack("<48f", *(n / 40 for n in range(48))))
        self.assertNotIn(b"dropped", self.works("halftone", "f.pfm", "out.pbm").stderr)


if __name__ == "__main__":
    unittest.main()
