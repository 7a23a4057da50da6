# SPDX-License-Identifier: MIT
"""Dots in rows and inks on the command line: files, reports, certificates, what is refused."""
import json
import os
import subprocess
import unittest
from xml.etree import ElementTree

from command import Case, certifies, have, noise, pgm, supports


def ppm(width, height, pixels):
    return b"P6\n%d %d\n255\n" % (width, height) + bytes(pixels)


class Inks(Case):
    def setUp(self):
        super().setUp()
        self.put("in.ppm", ppm(60, 40, noise(3 * 60 * 40)))
        self.put("in.pgm", pgm(60, 40, noise(60 * 40)))

    def recomputes(self, picture, out, *options):
        """Runs with a certificate, where there are hashes, and checks it."""
        if not certifies():
            return self.works("halftone", picture, out, *options)
        done = self.works("halftone", picture, out, "--certificate", "out.json", *options)
        self.works("verify", "out.json", picture, out, "--recompute")
        return done

    def files(self, *names):
        for name in names:
            self.assertTrue(os.path.exists(self.path(name)), name)

    def test_dots_in_rows(self):
        done = self.works("halftone", "in.pgm", "out.pbm", "--lpi", "60", "--angle", "22.5", "--dpi",
                          "600", "--json")
        told = json.loads(done.stdout)
        self.assertEqual(told["method"], "am")
        self.assertRegex(told["detail"], r"^(60\.0|59\.9)\d\d lpi at 22\.\d+ degrees, \d+ greys$")
        first = self.get("out.pbm")
        for more in (["--cpu", "scalar"], ["--threads", "1"]):
            self.works("halftone", "in.pgm", "other.pbm", "--lpi", "60", "--angle", "22.5", "--dpi",
                       "600", *more)
            self.assertEqual(first, self.get("other.pbm"))
        self.put("spot.pgm", pgm(2, 2, [0, 200, 100, 250]))
        self.recomputes("in.pgm", "out.pbm", "--lpi", "60", "--dpi", "600x300", "--spot",
                        "spot.pgm")
        self.works("halftone", "in.pgm", "out.pbm", "--method", "green-noise", "--dot", "5")
        # a spot in colour is its luma; palettes tell of their rows; a resolution that is assumed is said
        self.put("colour.ppm", ppm(2, 2, [0] * 3 + [200] * 3 + [100] * 3 + [250] * 3))
        self.works("halftone", "in.pgm", "other.pbm", "--lpi", "60", "--dpi", "600x300",
                   "--spot", "colour.ppm")
        self.works("halftone", "in.pgm", "out.pbm", "--lpi", "60", "--dpi", "600x300",
                   "--spot", "spot.pgm")
        self.assertEqual(self.get("other.pbm"), self.get("out.pbm"))
        done = self.works("halftone", "in.ppm", "out.ppm", "--lpi", "60", "--dpi", "600", "--palette",
                          "black red white", "--angle", "30")
        self.assertRegex(done.stderr.decode(), r"(60\.0|59\.9)\d\d lpi at 30\.\d+ degrees, ")
        done = self.works("halftone", "in.pgm", "out.pbm", "--method", "am")
        self.assertIn("37.500 lpi at 0.000 degrees, 16384 greys, at 300 dpi, which was assumed",
                      done.stderr.decode())

    def test_resolution_of_the_picture(self):
        """Taken where --dpi does not say another, told, and taken again by a certificate."""
        self.works("halftone", "in.pgm", "in.bmp", "--levels", "256", "--dpi", "600", "--quiet")
        done = self.recomputes("in.bmp", "own.pbm", "--lpi", "60", "--angle", "22.5")
        self.assertIn("600 dpi, by what in.bmp states", done.stderr.decode())
        self.works("halftone", "in.bmp", "given.pbm", "--lpi", "60", "--angle", "22.5", "--dpi", "600",
                   "--quiet")
        self.assertEqual(self.get("own.pbm"), self.get("given.pbm"))
        done = self.works("halftone", "in.bmp", "own.pbm", "--inks", "black", "--ink",
                          "black:lpi=60", "--resize", "50%", "--json")
        self.assertEqual(json.loads(done.stdout)["dpi"], 300)
        self.refused("halftone", "-", "out.pbm", "--lpi", "60", words=["dpi"],
                     input=self.get("in.bmp"))

    def test_plates(self):
        done = self.recomputes("in.ppm", "out.pbm", "--separate", "cmyk", "--lpi", "60", "--dpi",
                               "600", "--json", "--ink", "yellow:lpi=80,angle=30,shape=line")
        told = json.loads(done.stdout)
        self.assertNotIn("output", told)
        self.assertEqual([ink["output"] for ink in told["inks"]],
                         ["out-c.pbm", "out-m.pbm", "out-y.pbm", "out-k.pbm"])
        for ink, lpi, angle in zip(told["inks"], [60, 60, 80, 60], [15, 75, 30, 45]):
            self.assertAlmostEqual(ink["lpi"], lpi, delta=0.02)
            self.assertAlmostEqual(ink["angle"], angle, delta=0.005)
        self.files("out-c.pbm", "out-m.pbm", "out-y.pbm", "out-k.pbm")

    def test_inks_of_ones_own(self):
        self.put("curve.txt", b"0, 0\n50%, 40%\n100%, 100%\n")
        self.recomputes("in.ppm", "out.pbm", "--inks", "#e30613, #009fe3,black", "--lpi", "60",
                        "--dpi", "600", "--ink", "black:curve=curve.txt", "--ink-limit", "180")
        self.files("out-e30613.pbm", "out-009fe3.pbm", "out-black.pbm")
        if supports("tif"):
            self.works("halftone", "in.ppm", "out.tif", "--inks", "red,blue,black", "--separate",
                       "inks-tiff", "--method", "blue-noise")
            if have("tiffinfo"):
                told = subprocess.run(["tiffinfo", self.path("out.tif")], stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL).stdout.decode()
                for words in ["Ink Names: red, blue, black", "Samples/Pixel: 3", "separated"]:
                    self.assertIn(words, told)

    def test_empty_plates(self):
        """A plate that nothing prints with is named: white ink on white paper, and so on."""
        self.put("red.ppm", b"P6\n21 9\n255\n" + bytes((255, 0, 0)) * 189)
        done = self.works("halftone", "red.ppm", "red.pbm", "--separate", "cmyk")
        told = done.stderr.decode()
        self.assertIn("the plate of cyan is empty", told)
        self.assertIn("the plate of black is empty", told)
        self.assertNotIn("magenta is empty", told)
        done = self.works("halftone", "red.ppm", "red.pbm", "--inks", "white,black,red")
        self.assertIn(b"the plate of white is empty", done.stderr)
        done = self.works("halftone", "red.ppm", "red.pbm", "--separate", "cmyk", "--json")
        self.assertEqual(json.loads(done.stdout)["empty_plates"], 9)

    def test_angles(self):
        """Found, the same again by a certificate, and given."""
        found = ["--separate", "cmyk", "--lpi", "40", "--dpi", "300", "--angles"]
        done = self.recomputes("in.ppm", "out.pbm", *found, "auto", "--json")
        told = json.loads(done.stdout)
        auto = [ink["angle"] for ink in told["inks"]]
        self.assertEqual(len({round(angle) for angle in auto}), 4)
        self.works("screen", "show", "usual.svg", "--lpi", "40", "--dpi", "300")
        shown = json.loads(self.works("screen", "show", "auto.svg", *found[2:], "auto",
                                      "--json").stdout)
        self.assertEqual([ink["angle"] for ink in shown["inks"]], auto)
        self.assertGreater(len(shown["moire"]["waves"]), 3)
        self.assertLess(shown["moire"]["shift"], 0.02)
        for wave in shown["moire"]["waves"]:
            self.assertAlmostEqual(wave["pixels"], wave["mm"] / 25.4 * 300, delta=0.1)
        for name in ("usual.svg", "auto.svg"):
            drawn = self.get(name).decode()
            root = ElementTree.fromstring(drawn)
            circles = root.iter("{http://www.w3.org/2000/svg}circle")
            self.assertGreater(len([c for c in circles if c.get("class") == "moire"]), 6)
            self.assertIn(" mm, ", drawn)
        given = json.loads(self.works("halftone", "in.ppm", "out.pbm", *found, "1,2,-3,4.5",
                                      "--json").stdout)
        for ink, angle in zip(given["inks"], [1, 2, -3, 4.5]):
            self.assertAlmostEqual(ink["angle"], angle, delta=0.01)
        for angles in ("1,2,3", "1,2,3,4,5", "1,x,3,4", ""):
            self.refused("halftone", "in.ppm", "o.pbm", *found, angles, words=["15,75,0,45"])
        self.refused("halftone", "in.ppm", "o.pbm", *found, "auto", "--ink", "cyan:angle=3",
                     words=["exclude"])
        self.refused("halftone", "in.ppm", "o.pbm", "--angles", "auto", words=["separate"],
                     status=2)
        self.refused("screen", "show", "o.png", "--lpi", "40", "--dpi", "300", words=[".svg"])
        self.refused("screen", "show", "o.svg", "--lpi", "40", "--dpi", "300", "--ink",
                     "cyan:curve=none.txt", words=["curve= does not apply"])
        told = self.works("screen", "show", "--help").stdout.decode()
        for option in "--lpi", "--dpi", "--inks", "--ink", "--angles", "--dot":
            self.assertIn("  %s " % option, told)
        self.assertNotIn("--size", told)
        self.refused("screen", "show", "o.svg", "--dpi", "300", words=["lines per inch"])
        self.refused("screen", "show", "o.svg", "--lpi", "40", words=["dpi"])
        self.refused("screen", "show", "--lpi", "40", words=["OUT"], status=2)
        self.refused("screen", "make", "am", "o.pgm", "--inks", "red", words=["show"], status=2)

    def test_names_and_files_of_inks(self):
        """A colour names its ink with # too; a plate is no file that was read."""
        dots = ["--inks", "#e30613,black", "--lpi", "60", "--dpi", "600"]
        self.works("halftone", "in.ppm", "out.pbm", *dots, "--ink", "#e30613:angle=30")
        self.put("out-black.pbm", b"0, 0\n50%, 40%\n100%, 100%\n")
        for option in (["--ink", "e30613:curve=out-black.pbm"], ["--curve", "out-black.pbm"]):
            self.refused("halftone", "in.ppm", "out.pbm", *dots, *option, words=["overwrite"])
        for option in (["--proof", "out-black.pbm"], ["--certificate", "out-black.pbm"]):
            self.refused("halftone", "in.ppm", "other.pbm", *dots, *option, "--ink",
                         "black:curve=out-black.pbm", words=["overwritten"])
        self.works("halftone", "in.ppm", "other.pbm", *dots, "--ink", "black:curve=out-black.pbm")

    def test_proof(self):
        """Flat paper, flat ink, and halves of two inks, as light has them."""
        grey = [118] * 3 * 240 * 200
        self.put("flat.ppm", ppm(240, 200, grey))
        flat = ["halftone", "flat.ppm", "out.pbm", "--inks", "black", "--lpi", "40", "--dpi", "400"]
        self.works(*flat, "--proof", "proof.ppm")
        body = self.get("proof.ppm")[-3 * 240 * 200:]
        self.assertEqual(set(body), {0, 255})
        light = ((118 / 255 + 0.055) / 1.055) ** 2.4
        self.assertAlmostEqual(body.count(255) / len(body), light, delta=0.005)
        tones = []
        for gain in ("1", "1.5", "2.5"):
            self.works(*flat, "--proof", "proof.ppm", "--gain", gain)
            tones.append(sum(self.get("proof.ppm")[-3 * 240 * 200:]))
        self.assertTrue(tones[0] > tones[1] > tones[2])
        tones = []
        for spread in ("1", "1.7", "3"):
            self.works(*flat, "--proof", "proof.ppm", "--yule-nielsen", spread)
            self.assertEqual(self.get("proof.ppm")[:12].split()[1:3], [b"80", b"67"])  # 0.2 mm
            body = self.get("proof.ppm")[-3 * 80 * 67:]
            tones.append(sum((v / 255) ** 2.2 for v in body) / len(body))
        self.assertAlmostEqual(tones[0], light, delta=0.01)
        self.assertTrue(tones[0] > tones[1] > tones[2])
        self.put("wide.ppm", ppm(2500, 3, [255, 0, 0] * 7500))
        self.works("halftone", "wide.ppm", "out.pbm", "--separate", "cmyk", "--proof", "proof.ppm")
        head = self.get("proof.ppm")[:12].split()
        self.assertEqual(head[1:3], [b"1250", b"2"])
        self.refused("halftone", "in.ppm", "o.pbm", "--proof", "p.ppm", words=["file per ink"],
                     status=2)
        self.refused(*flat, "--gain", "2", words=["needs proof"], status=2)
        self.refused(*flat, "--yule-nielsen", "2", words=["needs proof"], status=2)
        self.refused(*flat, "--proof", "flat.ppm", words=["same file"], status=2)

    def test_bad_input(self):
        colour = ["halftone", "in.ppm", "old.pbm"]
        refused = [
            (["--lpi", "0", "--dpi", "600"], "hold a resolution", 2),
            (["--lpi", "60"], "dpi", 1),
            (["--lpi", "400", "--dpi", "600"], "300 is the most", 1),
            (["--lpi", "60", "--dpi", "600", "--angle", "x"], "from -360 to 360", 2),
            (["--lpi", "60", "--dpi", "600", "--method", "bayer"], "lpi does not apply", 1),
            (["--lpi", "60", "--dpi", "600", "--shape", "star"], "euclidean", 2),
            (["--lpi", "60", "--dpi", "600x"], "1 to 2 numbers", 2),
            (["--ink", "cyan:lpi=60"], "ink needs separate", 2),
            (["--separate", "cmyk", "--ink", "red:lpi=60"], "no ink 'red'", 1),
            (["--separate", "cmyk", "--ink", "cyan:angle=60"], "need lines per inch", 1),
            (["--separate", "cmyk", "--ink", "cyan:lpi=60", "--dpi", "300"], "for each", 1),
            (["--separate", "cmyk", "--ink", "cyan:lpi"], "must look like", 1),
            (["--separate", "cmyk", "--ink", "cyan:size=3"], "no 'size'", 1),
            (["--separate", "cmyk", "--lpi", "60", "--dpi", "300", "--angle", "3"], "see ink", 2),
            (["--separate", "inks"], "separate inks needs inks", 2),
            (["--inks", "red", "--separate", "cmyk"], "inks-tiff", 2),
            (["--inks", "red,blue,green,black,white,yellow,#123,#456,#789"], "more than 8", 1),
            (["--inks", "red,,blue"], "must be colours", 1),
            (["--inks", "rot"], "rot", 1),
            (["--inks", "red,red"], "two inks", 1),
            (["--ink-limit", "200"], "needs channels inks", 1),
        ]
        self.put("old.pbm", b"old")
        for options, words, status in refused:
            self.refused(*colour, *options, words=[words], status=status)
        self.put("in-c.ppm", ppm(4, 4, bytes(48)))
        self.refused("halftone", "in-c.ppm", "in.ppm", "--separate", "cmyk", "--type", "pbm",
                     words=["in-c.ppm"])
        if supports("tif"):
            self.refused("halftone", "in.ppm", "o.tif", "--inks", "red", "--separate", "inks-tiff",
                         "--certificate", "c.json", words=["not read back"], status=2)


if __name__ == "__main__":
    unittest.main()
