# SPDX-License-Identifier: MIT
"""roundoff measure and compare: what they print, and what they refuse."""
import json
import unittest

from command import Case, OLD, noise, pgm, supports


class Measure(Case):
    def setUp(self):
        super().setUp()
        self.works("testcard", "in.pgm", "--size", "200x150", "--quiet")
        self.works("halftone", "in.pgm", "out.pbm", "--quiet")

    def report(self, *arguments):
        return json.loads(self.works("measure", *arguments, "--json").stdout)

    def test_copy(self):
        told = self.report("in.pgm", "in.pgm")
        for name in "psnr", "psnr_gaussian", "psnr_contrast":
            self.assertIsNone(told[name])
        self.assertEqual(told["tone_error"], 0)
        self.assertAlmostEqual(told["ssim"], 1, places=5)
        self.assertIn(b"none", self.works("measure", "in.pgm", "in.pgm").stdout)

    def test_result(self):
        told = self.report("in.pgm", "out.pbm", "--dpi", "600", "--distance", "400")
        self.assertAlmostEqual(told["pixels_per_degree"], 600 * 400 / 25.4 * 3.14159265 / 180, 2)
        self.assertEqual(sum(level["pixels"] for level in told["levels"]), 200 * 150)
        self.assertLess(abs(told["tone_error"]), 0.004)
        self.assertGreater(told["psnr_gaussian"], told["psnr"] + 10)
        nearer = self.report("in.pgm", "out.pbm", "--distance", "100")
        self.assertLess(nearer["psnr_gaussian"], told["psnr_gaussian"])
        text = self.works("measure", "in.pgm", "out.pbm").stdout.decode()
        for word in "SSIM", "tone error", "dots", "clumping":
            self.assertIn(word, text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_on_paper(self):
        """Ink that runs and light that spreads make a halftone darker."""
        self.put("flat.pgm", pgm(80, 80, [128] * 6400))
        self.works("halftone", "flat.pgm", "flat.pbm", "--quiet")

        def tone(*options):
            return json.loads(self.works("measure", "flat.pgm", "flat.pbm", "--json", *options)
                              .stdout)["tone_out"]

        plain = tone()
        self.assertAlmostEqual(plain, 128 / 255, delta=0.01)
        self.assertGreater(plain, tone("--gain", "1.4") + 0.04)
        tones = [tone("--gain", gain) for gain in ("1", "1.1", "1.2", "1.3", "1.4", "1.5", "2", "3")]
        self.assertEqual(tones, sorted(set(tones), reverse=True))
        self.put("one.pbm", b"P1\n9 9\n" + b"0 " * 40 + b"1 " + b"0 " * 40)
        self.put("one.pgm", pgm(9, 9, [255] * 81))
        for gain in (1, 1.3, 2, 3):  # a disc's area
            told = json.loads(self.works("measure", "one.pgm", "one.pbm", "--json", "--gain",
                                         str(gain)).stdout)["tone_out"]
            self.assertAlmostEqual(81 * (1 - told), 0.785 * gain ** 2,
                                   delta=0.05 * gain ** 2)
        self.assertAlmostEqual(tone("--yule-nielsen", "2", "--dpi", "1200"), plain ** 2, delta=0.02)
        self.refused("measure", "flat.pgm", "flat.pgm", "--gain", "2", words=["two levels"])

    def test_resized(self):
        self.works("halftone", "in.pgm", "small.pbm", "--resize", "100x", "--quiet")
        self.refused("measure", "in.pgm", "small.pbm", words=["--resize 100x75"])
        told = self.report("in.pgm", "small.pbm", "--resize", "100x")
        self.assertEqual((told["width"], told["height"]), (100, 75))
        self.assertGreater(told["psnr_gaussian"], told["psnr"] + 10)
        self.refused("measure", "in.pgm", "small.pbm", "--resize", "big", status=2, words=["big"])

    @unittest.skipUnless(supports("png"), "needs PNG")
    def test_resolutions_that_say_nothing(self):
        for stated, meant in ("72", 300), ("96", 300), ("150", 150), (None, 300):
            dpi = ["--dpi", stated] if stated else []
            self.works("halftone", "in.pgm", "in.png", "--levels", "256", *dpi, "--quiet")
            self.works("halftone", "in.png", "out.png", "--quiet")
            told = self.report("in.png", "out.png")
            self.assertAlmostEqual(told["dpi"], meant, delta=0.1)
            self.assertEqual(told["distance"], 300)
            self.works("halftone", "in.png", "half.png", "--resize", "50%", "--quiet")
            told = self.report("in.png", "half.png", "--resize", "50%")
            self.assertAlmostEqual(told["dpi"], meant / 2 if meant == 150 else 300, delta=0.1)
            told = json.loads(self.works("compare", "in.png", "--methods", "fs", "--json").stdout)
            self.assertAlmostEqual(told["dpi"], meant, delta=0.1)
            self.assertIn(b"%d dpi at 300 mm" % meant,
                          self.works("measure", "in.png", "out.png").stdout)
            self.assertIn(b"%d dpi at 300 mm" % meant,
                          self.works("compare", "in.png", "--methods", "fs").stdout)

    def test_levels_in_light(self):
        """Files of few levels that were rounded in light look like the picture."""
        self.put("ramp.pgm", pgm(256, 64, list(range(256)) * 64))
        for name, levels in (("out.pgm", 4), ("out.pgm", 7), ("out.pgm", 16), ("out.pgm", 256)):
            self.works("halftone", "ramp.pgm", name, "--levels", str(levels), "--linear", "--quiet")
            told = self.report("ramp.pgm", name, "--linear")
            self.assertLess(abs(told["tone_error"]), 0.003, levels)
            self.assertLess(told["rms_gaussian"], 0.1)
            self.works("halftone", "ramp.pgm", "again.pgm", "--levels", str(levels), "--linear",
                       "--channels", "rgb", "--type", "ppm", "--quiet")
        if supports("png"):
            self.works("halftone", "ramp.pgm", "out.png", "--levels", "4", "--linear", "--quiet")
            self.assertLess(abs(self.report("ramp.pgm", "out.png", "--linear")["tone_error"]), 0.003)

    def test_fields(self):
        self.put("flat.pgm", pgm(256, 256, [200] * 65536))
        self.works("halftone", "flat.pgm", "flat.pbm", "--method", "random", "--quiet")
        told = self.report("flat.pgm", "flat.pbm")
        self.assertEqual([f["level"] for f in told["fields"]], [200])
        self.assertLess(abs(told["anisotropy"]), 1)
        told = self.report("flat.pgm", "flat.pbm", "--tile", "128")
        self.assertEqual(told["fields"][0]["tiles"], 4)

    def test_threads_change_nothing(self):
        self.put("noise.pgm", pgm(300, 200, noise(60000)))
        self.works("halftone", "noise.pgm", "noise.pbm", "--quiet")
        told = [self.report("noise.pgm", "noise.pbm", "--threads", n) for n in ("1", "2", "3")]
        for one in told:
            del one["seconds"]
            self.assertEqual(one, told[0])

    def test_refused(self):
        self.put("other.pgm", pgm(200, 151, [0] * 30200))
        self.put("page.html", OLD)
        report = ["--report", "page.html"]
        self.refused("measure", "in.pgm", "other.pgm", *report, words=["200 x 150", "200 x 151"])
        self.refused("measure", "in.pgm", "missing.pgm", *report, words=["missing.pgm"])
        self.put("short.pgm", self.get("in.pgm")[:-10])
        self.refused("measure", "in.pgm", "short.pgm", *report, words=["short.pgm"])
        self.refused("measure", "in.pgm", status=2, words=["original and result"])
        self.refused("measure", "in.pgm", "out.pbm", "--tile", "40", status=2, words=["tile"])
        if supports("png"):
            self.refused("measure", "in.pgm", "out.pbm", "--report", "no/page.html")


class Compare(Case):
    def setUp(self):
        super().setUp()
        self.works("testcard", "in.pgm", "--size", "120x90", "--quiet")

    def test_named(self):
        told = json.loads(self.works("compare", "in.pgm", "--methods", "fs,Blue_Noise,threshold",
                                     "--json").stdout)
        self.assertEqual([m["name"] for m in told["methods"]],
                         ["floyd-steinberg", "blue-noise", "threshold"])
        first, second, third = told["methods"]
        self.assertLess(second["worms"], first["worms"])
        self.assertNotIn("worms", third)  # a threshold leaves no texture on flat greys
        self.assertGreater(first["psnr_gaussian"], third["psnr_gaussian"])

    def test_all(self):
        told = json.loads(self.works("compare", "in.pgm", "--json").stdout)
        listed = json.loads(self.works("halftone", "--list", "--json").stdout)
        self.assertEqual([m["name"] for m in told["methods"]],
                         [m["name"] for m in listed if m["name"] != "screen"])

    def test_refused(self):
        self.put("page.html", OLD)
        for words, *more in ((["florid"], "--methods", "florid"), (["commas"], "--methods", "fs,,jjn"),
                             (["twice"], "--methods", "fs,floyd-steinberg"),
                             (["threshold image"], "--methods", "screen")):
            self.refused("compare", "in.pgm", "--report", "page.html", *more, words=words)
        self.refused("compare", "missing.pgm", "--report", "page.html", words=["missing.pgm"])
        self.refused("compare", status=2, words=["needs IN"])


if __name__ == "__main__":
    unittest.main()
