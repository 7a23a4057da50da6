# SPDX-License-Identifier: MIT
"""Palettes as users give them: names, even steps, files of every kind, pipes; and what is refused."""
import json
import os
import struct
import unittest

from command import Case, OLD, certifies, noise

RED, GREEN, BLACK, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 0), (255, 255, 255)


def ppm(colours):
    return b"P6\n%d 1\n255\n" % len(colours) + bytes(c for colour in colours for c in colour)


def riff(colours):
    data = struct.pack("<HH", 0x300, len(colours)) + b"".join(bytes(c) + b"\0" for c in colours)
    return b"RIFF" + struct.pack("<I", len(data) + 12) + b"PAL data" + \
        struct.pack("<I", len(data)) + data


class Palettes(Case):
    def keeps(self, text, colours, stdin=None):
        """The palette holds these colours: a picture of them stays as it is."""
        self.put("in.ppm", ppm(colours))
        done = self.command("halftone", "in.ppm", "out.ppm", "--palette", text, input=stdin or b"")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.get("out.ppm"), ppm(colours), text)

    def refuses(self, text, word, stdin=None):
        self.put("in.ppm", ppm([RED, WHITE]))
        self.put("out.ppm", OLD)
        done = self.command("halftone", "in.ppm", "out.ppm", "--palette", text, input=stdin or b"")
        self.assertNotEqual(done.returncode, 0, text)
        self.assertIn(word, done.stderr.decode(), text)
        self.assertEqual(self.get("out.ppm"), OLD)

    def test_names(self):
        self.keeps("ff0000 0f0 white black", [RED, GREEN, BLACK, WHITE])
        self.keeps("tomato, papayawhip;navy", [(255, 99, 71), (255, 239, 213), (0, 0, 128)])
        self.keeps("gameboy", [(15, 56, 15), (155, 188, 15)])
        self.keeps("cga", [(85, 255, 255), (255, 85, 255)])
        self.keeps("rgb:3", [(128, 0, 255), (0, 128, 128)])
        self.keeps("grey:5", [(64, 64, 64), (191, 191, 191)])
        for name in ("ega", "c64", "pico-8", "zx-spectrum", "teletext", "grey4", "grey16",
                     "bwy"):
            self.keeps(name, [BLACK])

    def test_files(self):
        colours = [RED, GREEN, BLACK, WHITE]
        lines = "".join("%02x%02X%02x\n" % c for c in colours)
        self.put("a.hex", lines.encode())
        self.put("b.txt", b"\xef\xbb\xbf; paint.net Palette File\r\n; more\r\n" +
                 b"".join(b"FF%02X%02X%02X\r\n" % c for c in colours))
        self.put("c.pal", b"JASC-PAL\r\n0100\r\n4\r\n" +
                 b"".join(b"%d %d %d\r\n" % c for c in colours))
        self.put("d.pal", riff(colours))
        table = b"".join(bytes(c) for c in colours)
        self.put("e.act", table + bytes(768 - len(table)) + b"\0\x04\0\0")
        self.put("f.act", table + bytes(768 - len(table)))
        self.put("g.gpl", b"GIMP Palette\nName: x\n#\n" +
                 b"".join(b"%3d %3d %3d\tname\n" % c for c in colours))
        self.put("h.txt", b"# of mine\n" + b"".join(b"#%02x%02x%02x\n" % c for c in colours))
        self.put("i.ppm", ppm(colours))
        for name in ("a.hex", "b.txt", "c.pal", "d.pal", "e.act", "f.act", "g.gpl", "h.txt",
                     "i.ppm"):
            self.keeps("./" + name, colours)
        self.keeps("-", colours, stdin=lines.encode())

    def test_nonsense(self):
        self.put("one.hex", b"ff0000\n")
        self.put("many.hex", b"".join(b"%06x\n" % i for i in range(257)))
        self.put("same.hex", b"ff0000\nff0000\n")
        self.put("bad.hex", b"ff0000\nzz0000\n")
        self.put("short.pal", riff([RED, WHITE])[:-5])
        self.put("none.pal", b"RIFF\0\0\0\0PAL junk\0\0\0\0")
        self.put("short.act", bytes(100))
        self.put("large.pal", b"JASC-PAL\n0100\n2\n256 0 0\n0 0 0\n")
        for text, word in (("./one.hex", "not 1"), ("./many.hex", "more than 256"),
                           ("./same.hex", "the same"), ("./bad.hex", "line 2"),
                           ("./short.pal", "ends before"), ("./none.pal", "no colours"),
                           ("./short.act", "768"), ("./large.pal", "line 4"),
                           ("./absent.hex", "absent.hex"), ("red", "not 1"),
                           ("c64 black", "give it alone"), ("cgaa", "'cga'"), ("rgb:9", "2 to 6"),
                           ("grey:1", "2 to 256")):
            self.refuses(text, word)
        self.refuses("-", "pipe", stdin=ppm([RED, WHITE]))

    def test_a_palette_is_not_overwritten(self):
        self.put("in.ppm", ppm([RED, WHITE]))
        self.put("colours.ppm", ppm([RED, WHITE, BLACK]))
        done = self.command("halftone", "in.ppm", "colours.ppm", "--palette", "colours.ppm")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(b"is read for an option", done.stderr)
        self.assertEqual(self.get("colours.ppm"), ppm([RED, WHITE, BLACK]))

    def test_files_of_options_are_not_overwritten(self):
        self.put("in.ppm", ppm([RED, WHITE]))
        for option in "--screen", "--spot", "--curve", "--kernel", "--recolour":
            self.put("kept.ppm", b"kept")
            done = self.command("halftone", "in.ppm", "kept.ppm", option, "./kept.ppm")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(b"is read for an option", done.stderr)
            self.assertEqual(self.get("kept.ppm"), b"kept")


class Made(Case):
    """Palettes and colours that the command makes or gives."""

    def setUp(self):
        super().setUp()
        self.put("in.ppm", b"P6\n48 40\n255\n" + noise(3 * 48 * 40))

    def test_certificates(self):
        if not certifies():
            self.skipTest("no hashes")
        for options in (("--palette", "spectra6-panel"), ("--palette", "auto:6"),
                        ("--palette", "auto:6", "--method", "blue-noise"),
                        ("--recolour", "navy,orange,ivory"),
                        ("--palette", "c64", "--serpentine", "--noise", "20"),
                        ("--palette", "ega", "--method", "bayer", "--fit", "full")):
            self.works("halftone", "in.ppm", "out.ppm", *options, "--quiet", "--certificate",
                       "c.json")
            self.works("verify", "c.json", "in.ppm", "out.ppm", "--recompute", "--quiet")

    def test_fit(self):
        self.put("in.ppm", ppm([BLACK, WHITE] * 20))
        self.works("halftone", "in.ppm", "out.ppm", "--palette", "spectra6-panel", "--quiet")
        self.assertEqual(self.get("out.ppm"), ppm([BLACK, (0xa1, 0xa4, 0xa5)] * 20))
        self.works("halftone", "in.ppm", "none.ppm", "--palette", "spectra6-panel", "--fit", "none",
                   "--quiet")
        self.assertNotEqual(self.get("out.ppm"), self.get("none.ppm"))
        self.refused("halftone", "in.ppm", "no.pgm", "--fit", "full", words=["fit"])

    def test_adaptive(self):
        for count in (2, 7, 256):
            self.works("halftone", "in.ppm", "out.ppm", "--palette", "auto:%d" % count, "--quiet")
            pixels = self.get("out.ppm")[-3 * 48 * 40:]
            found = {pixels[i:i + 3] for i in range(0, len(pixels), 3)}
            self.assertLessEqual(len(found), count)
        for text in "auto:0", "auto:1", "auto:257":
            self.refused("halftone", "in.ppm", "out.pgm", "--palette", text, words=["2 to 256"])
        self.refused("halftone", "in.ppm", "out.ppm", "--palette", "auto:4", "--range", "9,99",
                     words=["range"])
        for method in "fs", "blue-noise", "dot-diffusion":
            more = ["--palette", "auto:4", "--method", method, "--quiet"]
            self.works("halftone", "in.ppm", "out.ppm", *more)
            piped = self.works("halftone", "-", "-", *more, input=self.get("in.ppm")).stdout
            self.assertEqual(piped, self.get("out.ppm"))

    def test_a_palette_for_each(self):
        self.put("other.ppm", b"P6\n8 8\n255\n" + noise(3 * 48 * 40)[:192])
        self.works("halftone", "in.ppm", "other.ppm", "--out-dir", "made", "--type", "ppm",
                   "--palette", "auto:5", "--quiet")
        for name in "in.ppm", "other.ppm":
            self.works("halftone", name, "alone.ppm", "--palette", "auto:5", "--quiet")
            self.assertEqual(self.get("made/" + name), self.get("alone.ppm"))

    def test_a_picture_of_many_colours(self):
        """Its 256, as auto:256 would have them; 16 bits a channel are as many."""
        self.works("halftone", "in.ppm", "made.ppm", "--palette", "auto:256", "--quiet")
        self.works("halftone", "in.ppm", "out.ppm", "--palette", "./in.ppm", "--quiet")
        self.assertEqual(self.get("out.ppm"), self.get("made.ppm"))
        self.put("deep.ppm", b"P6\n2 1\n65535\n\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff")
        self.works("halftone", "in.ppm", "out.ppm", "--palette", "./deep.ppm", "--quiet")
        self.works("halftone", "in.ppm", "made.ppm", "--palette", "bw", "--quiet")
        self.assertEqual(self.get("out.ppm"), self.get("made.ppm"))

    def test_options_that_need_or_exclude_a_palette(self):
        for more, words, status in (
                (["--fit", "full"], ["fit needs palette"], 1),
                (["--fit", "none"], ["fit needs palette"], 1),
                (["--palette", "bw", "--separate", "cmyk"], ["palette does not apply to separate"], 2),
                (["--palette", "bw", "--inks", "cyan,black"], ["palette and inks exclude"], 2)):
            self.refused("halftone", "in.ppm", "no.tif", *more, words=words, status=status)
        self.refused("halftone", "in.ppm", "no.ppm", "--recolour", "red",
                     words=["recolour red", "not 1"])
        self.assertIn(b"--palette", self.works("halftone", "--help").stdout)

    def test_a_folder_of_nothing(self):
        self.put("bad.png", b"nothing")
        done = self.command("halftone", "bad.png", "--out-dir", "made", "--palette", "bw")
        self.assertNotEqual(done.returncode, 0)
        self.assertFalse(os.path.exists(self.path("made")))

    def test_methods_without_palettes(self):
        for method, word in (("dbs", "searches"), ("otsu", "grey in two"), ("pinwheel", "paper")):
            self.refused("halftone", "in.ppm", "no.ppm", "--palette", "bwr", "--method", method,
                         words=[method, word])

    def test_recolour(self):
        self.works("halftone", "in.ppm", "out.ppm", "--recolour", "navy #c60 ivory", "--quiet")
        self.works("halftone", "in.ppm", "out.pgm", "--levels", "3", "--quiet")
        colours = {0: b"\0\0\x80", 128: b"\xcc\x66\0", 255: b"\xff\xff\xf0"}
        grey = self.get("out.pgm")[-48 * 40:]
        shown = {0: 0, 1: 128, 2: 255} if max(grey) < 3 else {0: 0, 127: 128, 128: 128, 255: 255}
        self.assertEqual(self.get("out.ppm")[-3 * 48 * 40:],
                         b"".join(colours[shown[value]] for value in grey))
        self.refused("halftone", "in.ppm", "no.ppm", "--recolour", "red blue", "--levels", "5",
                     words=["5 levels"])

    def test_measured(self):
        self.works("halftone", "in.ppm", "out.ppm", "--palette", "pico-8", "--quiet")
        table = self.works("measure", "in.ppm", "out.ppm").stdout.decode()
        self.assertIn("2000 after the eye", table)
        done = self.works("measure", "in.ppm", "out.ppm", "--json")
        self.assertGreater(json.loads(done.stdout)["colour"]["delta_e"], 0)
        same = self.works("measure", "in.ppm", "in.ppm", "--json")
        self.assertEqual(json.loads(same.stdout)["colour"]["delta_e_most"], 0)

    def test_compared(self):
        done = self.works("compare", "in.ppm", "--palette", "ega", "--methods",
                          "fs,bayer,dot-diffusion", "--json", "--report", "page.html")
        methods = json.loads(done.stdout)["methods"]
        self.assertEqual([m["name"] for m in methods], ["floyd-steinberg", "bayer", "dot-diffusion"])
        self.assertTrue(all(m["delta_e"] > 0 for m in methods))
        self.assertIn(b'"colours": 16', self.get("page.html"))
        self.refused("compare", "in.ppm", "--palette", "ega", "--methods", "dbs", words=["palette"])

    def test_panels(self):
        """Compare shows what halftone makes, and the eye is adapted to the panel."""
        self.works("testcard", "in.ppm", "--size", "160x120", "--colour", "--quiet")

        def compared(*options):
            done = self.works("compare", "in.ppm", "--palette", "spectra6-panel", "--methods",
                              "fan", "--dpi", "437", "--json", *options)
            return json.loads(done.stdout)["methods"][0]["delta_e"]

        def measured(*options):
            self.works("halftone", "in.ppm", "out.ppm", "--palette", "spectra6-panel", "--method",
                       "fan", "--quiet", *options)
            told = json.loads(self.works("measure", "in.ppm", "out.ppm", "--dpi", "437", "--json",
                                         *options[2:] if options[:1] == ("--fit",) else options)
                              .stdout)
            self.assertEqual(told["adapted"], "spectra6-panel")
            return told["colour"]["delta_e"]

        fitted, plain = compared(), compared("--fit", "none")
        self.assertLess(2 * fitted, plain)
        self.assertAlmostEqual(measured(), fitted, 5)
        self.assertAlmostEqual(measured("--fit", "none"), plain, 5)
        self.assertAlmostEqual(measured("--resize", "80x60"), compared("--resize", "80x60"), 5)
        self.assertIn(b"adapted to spectra6-panel", self.works("measure", "in.ppm", "out.ppm",
                                                               "--resize", "80x60").stdout)
        self.put("panel.txt", b"#202020\n#b0b0b0\n#b02020\n")
        self.works("halftone", "in.ppm", "out.ppm", "--palette", "panel.txt", "--fit", "full", "--quiet")
        own = json.loads(self.works("measure", "in.ppm", "out.ppm", "--json", "--palette",
                                    "panel.txt").stdout)
        self.assertEqual(own["adapted"], "panel.txt")
        self.assertNotIn("adapted", json.loads(self.works("measure", "in.ppm", "out.ppm", "--json")
                                               .stdout))

    def test_colours_of_drivers(self):
        """Rounded to what a panel shows, written in what its driver takes."""
        self.works("testcard", "in.ppm", "--size", "64x48", "--colour", "--quiet")
        self.works("halftone", "in.ppm", "look.ppm", "--palette", "spectra6-panel", "--quiet")
        self.works("halftone", "in.ppm", "pure.ppm", "--palette", "spectra6-panel", "--recolour",
                   "spectra6", "--quiet")
        look, pure = (self.get(name)[-3 * 64 * 48:] for name in ("look.ppm", "pure.ppm"))
        pairs = {(look[i:i + 3], pure[i:i + 3]) for i in range(0, len(look), 3)}
        self.assertEqual(len(pairs), 6)  # one for one
        drivers = {bytes(c) for c in ((0, 0, 0), (255, 255, 255), (255, 255, 0), (255, 0, 0),
                                      (0, 0, 255), (0, 255, 0))}
        self.assertEqual({b for a, b in pairs}, drivers)
        self.works("halftone", "in.ppm", "panel.bmp", "--palette", "spectra6-panel", "--quiet")
        self.works("halftone", "panel.bmp", "panel.ppm", "--channels", "rgb", "--levels", "256",
                   "--quiet")
        self.assertEqual(self.get("panel.ppm")[-len(pure):], pure)
        self.works("halftone", "in.ppm", "look.bmp", "--palette", "spectra6-panel", "--recolour",
                   "spectra6-panel", "--quiet")
        self.works("halftone", "look.bmp", "panel.ppm", "--channels", "rgb", "--levels", "256",
                   "--quiet")
        self.assertEqual(self.get("panel.ppm")[-len(look):], look)
        self.refused("halftone", "in.ppm", "no.ppm", "--palette", "spectra6-panel", "--recolour",
                     "black white", words=["2 colours cannot stand"])

    def test_like_pillow(self):
        """RGB by the luma that Pillow dithers, which is grey of the same luma."""
        pixels = self.get("in.ppm")[-3 * 48 * 40:]
        grey = bytes((299 * pixels[i] + 587 * pixels[i + 1] + 114 * pixels[i + 2]) // 1000
                     for i in range(0, len(pixels), 3))
        self.put("in.pgm", b"P5\n48 40\n255\n" + grey)
        self.works("halftone", "in.ppm", "one.pbm", "--like", "pillow", "--quiet")
        self.works("halftone", "in.pgm", "two.pbm", "--like", "pillow", "--quiet")
        self.assertEqual(self.get("one.pbm"), self.get("two.pbm"))

    def test_suggestions(self):
        for given, meant in (("--width", "--resize"), ("--colors", "--palette"),
                             ("--dither", "--method")):
            self.refused("halftone", "in.ppm", "no.ppm", given, "3", words=[meant], status=2)


if __name__ == "__main__":
    unittest.main()
