# SPDX-License-Identifier: MIT
"""--resize: proportions, light, and sizes that make no sense."""
import json
import os
import unittest

from command import Case, certifies, netpbm, noise, pgm


def light(value):
    x = value / 255
    return 255 * (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4)


class Resize(Case):
    def size_of(self, *arguments):
        done = self.works("halftone", "in.pgm", "-", "--quiet", "--resize", *arguments)
        return tuple(netpbm(done.stdout)[1])

    def test_proportions(self):
        self.put("in.pgm", pgm(60, 40, bytes(2400)))
        for given, wanted in [("30x", (30, 20)), ("x10", (15, 10)), ("50%", (30, 20)),
                              ("12.5%", (8, 5)), ("200%", (120, 80)), ("7X9", (7, 9)),
                              ("0.01%", (1, 1)), ("1x", (1, 1)), ("100%", (60, 40)),
                              ("fit:30x30", (30, 20)), ("fit:300x300", (300, 200)),
                              ("fill:30x30", (30, 30)), ("fill:5x40", (5, 40)),
                              ("up:4", (240, 160)), ("up:1", (60, 40))]:
            self.assertEqual(self.size_of(given), wanted, given)

    def test_light(self):
        """A checkerboard of single pixels has half the light of white, at any size."""
        self.put("in.pgm", pgm(64, 64, [255 * ((x + y) % 2) for y in range(64) for x in range(64)]))

        def mean(*arguments):
            done = self.works("halftone", "in.pgm", "-", "--resize", "50%", "--type", "pgm",
                              "--quiet", *arguments)
            pixels = netpbm(done.stdout)[2]
            return sum(pixels) / len(pixels)

        self.assertAlmostEqual(mean("--linear"), 128, delta=2)
        self.assertAlmostEqual(mean("--linear", "--method", "stucki"), 128, delta=2)
        self.assertAlmostEqual(mean(), 128, delta=2)  # not light: the numbers keep their mean
        self.works("halftone", "in.pgm", "out.ppm", "--resize", "50%", "--quiet",
                   "--palette", "black white #808080")
        pixels = netpbm(self.get("out.ppm"))[2]
        self.assertAlmostEqual(sum(map(light, pixels)) / len(pixels), 128, delta=3)

    def test_turned_and_cut(self):
        width, height = 5, 4
        picture = [10 * y + x for y in range(height) for x in range(width)]
        self.put("in.pgm", pgm(width, height, picture))

        def made(*options):
            self.works("halftone", "in.pgm", "out.pgm", "--levels", "256", "--quiet", *options)
            magic, (w, h, *_), pixels = netpbm(self.get("out.pgm"))
            return [list(pixels[y * w:][:w]) for y in range(h)]

        rows = [picture[y * width:][:width] for y in range(height)]
        turned = [list(row) for row in zip(*rows[::-1])]  # clockwise
        self.assertEqual(made("--rotate", "90"), turned)
        self.assertEqual(made("--rotate", "180"), [row[::-1] for row in rows[::-1]])
        self.assertEqual(made("--rotate", "270"), [row[::-1] for row in turned[::-1]])
        self.assertEqual(made("--mirror"), [row[::-1] for row in rows])
        self.assertEqual(made("--rotate", "90", "--mirror"), [row[::-1] for row in turned])
        part = [row[1:4] for row in rows[2:4]]
        self.assertEqual(made("--crop", "3x2+1+2"), part)
        self.assertEqual(made("--crop", "3x2+1+2", "--rotate", "180"),
                         [row[::-1] for row in part[::-1]])
        self.assertEqual(made("--crop", "3x2+1+2", "--scale-after", "2"),
                         [[v for v in row for _ in "12"] for row in part for _ in "12"])
        self.works("halftone", "in.pgm", "one.pbm", "--quiet")
        self.works("halftone", "in.pgm", "three.pbm", "--quiet", "--scale-after", "3")
        _, _, one = netpbm(self.get("one.pbm"))
        _, size, three = netpbm(self.get("three.pbm"))
        self.assertEqual(tuple(size)[:2], (15, 12))
        for y in range(12):
            for x in range(15):
                self.assertEqual(three[2 * y + x // 8] >> (7 - x % 8) & 1,
                                 one[y // 3] >> (7 - x // 3) & 1)
        for options, word in ((["--crop", "6x1+0+0"], "not in 5 x 4"), (["--crop", "1x1+5+0"], "not in"),
                              (["--crop", "0x1+0+0"], "WxH+X+Y"), (["--crop", "3x2"], "WxH+X+Y")):
            self.refused("halftone", "in.pgm", "no.pgm", *options, words=[word],
                         status=1 if "not" in word else 2)

    def test_lengths(self):
        self.put("in.pgm", pgm(60, 40, noise(2400)))
        for size, wanted in (("25.4mmx", (100, 67)), ("1inx2in", (100, 200)), ("x5.08cm", (300, 200)),
                             ("fit:1inx1in", (100, 67)), ("12x1in", (12, 100))):
            self.works("halftone", "in.pgm", "out.tif", "--resize", size, "--dpi", "100", "--quiet")
            told = json.loads(self.works("halftone", "out.tif", "x.pgm", "--json").stdout)
            self.assertEqual((told["width"], told["height"]), wanted, size)
        self.refused("halftone", "in.pgm", "no.pgm", "--resize", "50mmx", words=["dpi"], status=2)

    def test_pages(self):
        """--content page: text on grey becomes black on white, as grey or as colour, in any size."""
        side = 240
        text = [20 if (y // 6) % 3 == 0 and (x // 3) % 4 < 2 else 190
                for y in range(side) for x in range(side)]
        self.put("in.pgm", pgm(side, side, text))
        self.put("in.ppm", b"P6\n%d %d\n255\n" % (side, side) +
                 bytes(v for value in text for v in (value, value, value)))
        self.works("halftone", "in.pgm", "out.pgm", "--content", "page", "--quiet")
        middle = self.get("out.pgm")[-side * 120:][:side * 60]
        wanted = bytes(255 * (v > 100) for v in text)[side * 120:side * 180]
        wrong = sum(a != b for a, b in zip(middle, wanted))
        self.assertLess(wrong, 0.02 * len(wanted))
        self.works("halftone", "in.pgm", "plain.pgm", "--quiet")
        self.assertGreater(sum(a != b for a, b in
                               zip(self.get("plain.pgm")[-side * 120:], wanted)), 5 * wrong + 100)
        for more in ["--threads", "1"], ["--content", "page"]:
            self.works("halftone", "in.ppm", "again.pgm", "--quiet",
                       *(more if "--content" in more else more + ["--content", "page"]))
            self.assertEqual(self.get("again.pgm"), self.get("out.pgm"))
        piped = self.works("halftone", "-", "-", "--content", "page", "--quiet", "--type", "pgm",
                           input=self.get("in.pgm")).stdout
        self.assertEqual(piped, self.get("out.pgm"))
        self.works("halftone", "in.pgm", "half.pgm", "--content", "page", "--resize", "50%", "--quiet")
        self.refused("halftone", "in.ppm", "no.ppm", "--content", "page", "--palette", "ega",
                     words=["content", "palette"], status=2)
        self.refused("halftone", "in.ppm", "no.ppm", "--content", "page", "--channels", "rgb",
                     words=["page"], status=1)

    def test_streams(self):
        """Pipes and files, threads and none: the same bits."""
        picture = pgm(301, 203, [(x * x + 3 * y) % 256 for y in range(203) for x in range(301)])
        self.put("in.pgm", picture)
        for more in [["--resize", "x77", "--method", "fs"], ["--resize", "33.3%", "--linear", "--method", "fs"]]:
            wanted = self.works("halftone", "in.pgm", "-", "--quiet", *more).stdout
            for schedule in [["--threads", "1"], ["--schedule", "ec"], ["--cpu", "scalar"]]:
                got = self.works("halftone", "-", "-", "--quiet", *more, *schedule, input=picture)
                self.assertTrue(got.stdout == wanted, (more, schedule))

    def test_fill(self):
        """The middle stays, in proportion."""
        row = [0] * 20 + [255] * 20 + [0] * 20
        self.put("in.pgm", pgm(60, 20, row * 20))
        done = self.works("halftone", "in.pgm", "-", "--resize", "fill:10x10", "--levels", "2",
                          "--type", "pgm", "--quiet")
        self.assertEqual(netpbm(done.stdout)[2], b"\xff" * 100)

    def test_up(self):
        """Pixels several times, as they are."""
        self.put("in.pgm", pgm(3, 2, [0, 51, 255, 102, 0, 204]))
        done = self.works("halftone", "in.pgm", "-", "--resize", "up:3", "--levels", "6",
                          "--type", "pgm", "--quiet")
        wanted = [v for row in [[0, 51, 255], [102, 0, 204]] * 1 for _ in range(3)
                  for v in row for _ in range(3)]
        self.assertEqual(list(netpbm(done.stdout)[2]), wanted)

    def test_wrong(self):
        self.put("in.pgm", pgm(3, 2, bytes(6)))
        for given in ["fit:30", "fit:", "fill:0x9", "up:0", "up:-1", "up:1025", "up:2x", "zoom:2",
                      "fit:9x", "up:", "fill:9999999999x1"]:
            done = self.command("halftone", "in.pgm", "out.pgm", "--resize", given)
            self.assertEqual(done.returncode, 2, given)
            self.assertIn(b"resize", done.stderr)
        done = self.command("halftone", "in.pgm", "out.pgm", "--resize", "up:2", "--resample", "light")
        self.assertEqual(done.returncode, 2)

    @unittest.skipUnless(certifies(), "no hashes")
    def test_certified(self):
        """Every form of a size is stated, and made again."""
        self.put("in.pgm", pgm(30, 20, noise(600)))
        for given in ["12x9", "12x", "x9", "37.5%", "fit:12x12", "fill:12x12", "up:2"]:
            self.works("halftone", "in.pgm", "out.pbm", "--resize", given, "--certificate", "c.json",
                       "--quiet")
            self.works("verify", "c.json", "in.pgm", "out.pbm", "--recompute")

    def test_too_large_together(self):
        """Each part of the work fits into the memory, and all of them do not."""
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        width = int(0.5 * memory / (8 * 8))
        if width > 2 ** 30:
            self.skipTest("no size is too large here")
        self.put("in.pgm", pgm(64, 64, bytes(4096)))
        self.refused("halftone", "in.pgm", "out.pbm", "--resize", f"{width}x", words=["memory"])

    def test_too_large(self):
        self.put("wide.pgm", pgm(2000000, 1, bytes(2000000)))
        self.refused("halftone", "wide.pgm", "out.pbm", "--resize", "up:1024", words=["too many"])
        self.put("in.pgm", pgm(1, 100000, bytes(100000)))
        self.put("out.pbm", b"old")
        self.refused("halftone", "in.pgm", "out.pbm", "--resize", "49600000x",
                     words=["1 x 100000", "49600000 x 4960000000000", "too large"])

    def test_claimed_sizes(self):
        """Nothing is computed for a picture that is not there."""
        self.put("out.pbm", b"old")
        self.refused("halftone", "-", "out.pbm", "--resize", "9x9", words=["ends early"],
                     input=b"P5 100000000 1 255\n")


if __name__ == "__main__":
    unittest.main()
