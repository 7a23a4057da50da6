# SPDX-License-Identifier: MIT
"""roundoff calibrate: from wedge to curve to halftone, and scans that are none."""
import json
import unittest

from command import Case, OLD, netpbm, noise, pgm


class Calibrate(Case):
    def print_of(self, name, gain):
        """Light of a print whose ink spreads by `gain` of the way to black, rows of 0 to 1."""
        magic, (width, height), bits = netpbm(self.get(name))
        row = (width + 7) // 8
        ink = [[bits[y * row + x // 8] >> (7 - x % 8) & 1 for x in range(width)]
               for y in range(height)]
        light = []
        for y in range(height):
            above, here = ink[max(0, y - 1)], ink[y]
            light.append([0 if here[x] else 1 - gain * (here[max(0, x - 1)] | above[x])
                          for x in range(width)])
        return light

    def test_pictures(self):
        """The two commands of the documentation on three printers: prints look like pictures."""
        def light(value):
            return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

        def srgb(value):
            return value * 12.92 if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055

        def lightness(value):
            return 116 * value ** (1 / 3) - 16 if value > 216 / 24389 else 24389 / 27 * value

        side, square = 120, 8
        picture = [[min(255, 2 * x + y // 4) for x in range(side)] for y in range(side)]
        self.put("in.pgm", pgm(side, side, [v for row in picture for v in row]))
        for gain in 0.2, 0.4, 0.7:
            self.works("calibrate", "wedge", "wedge.pbm", "--patch", "32", "--quiet")
            sheet = self.print_of("wedge.pbm", gain)
            self.put("scan.pgm", pgm(len(sheet[0]), len(sheet), [
                round(255 * srgb(0.05 + 0.85 * v)) for row in sheet for v in row]))
            self.works("calibrate", "fit", "scan.pgm", "--curve", "printer.csv", "--quiet")
            off = []
            for tone in ["--curve", "printer.csv"], ["--dot-gain", "%g%%" % (50 * gain)]:
                self.works("halftone", "in.pgm", "out.pbm", "--quiet", *tone)
                printed, sums = self.print_of("out.pbm", gain), []
                for y in range(0, side, square):
                    for x in range(0, side, square):
                        mean = [sum(map(f, (row[i] for row in rows[y:y + square]
                                            for i in range(x, x + square)))) / square ** 2
                                for f, rows in ((lambda v: light(v / 255), picture),
                                                (lambda v: v, printed))]
                        sums.append(abs(lightness(mean[0]) - lightness(mean[1])))
                off.append(sum(sums) / len(sums))
            self.assertLessEqual(off[0], 3, gain)
            self.assertLessEqual(off[1], 6, gain)
        self.refused("halftone", "in.pgm", "no.pbm", "--curve", "printer.csv", "--linear",
                     words=["leave out linear"])
        self.refused("halftone", "in.pgm", "no.pbm", "--curve", "printer.csv", "--dot-gain", "20%",
                     words=["dot gain"])
        self.refused("halftone", "in.pgm", "no.ppm", "--palette", "ega", "--dot-gain", "20%",
                     words=["dot-gain"])
        self.refused("halftone", "in.pgm", "no.pbm", "--vectors", "v.txt", "--dot-gain", "20%", status=2,
                     words=["dot-gain"])

    def scan(self, name, gain):
        """A print whose ink spreads by `gain` of the way to black, as grey; marks stay marks."""
        self.works("calibrate", "wedge", "wedge.pbm", "--quiet")
        light = self.print_of("wedge.pbm", gain)
        self.put(name, pgm(len(light[0]), len(light),
                           [int(20 + 220 * v) for row in light for v in row]))

    def test_round_trip(self):
        self.scan("scan.pgm", 0.4)
        told = json.loads(self.works("calibrate", "fit", "scan.pgm", "--curve", "curve.csv",
                                     "--linear", "--ink", "black", "--json").stdout)
        self.assertEqual(len(told["steps"]), 65)
        self.assertLess(told["steps"][32][1], 0.4)  # half prints darker
        self.assertAlmostEqual(told["angle"], 0, delta=0.1)
        lines = self.get("curve.csv").decode().splitlines()
        pairs = [tuple(map(float, line.split(","))) for line in lines[1:]]
        self.assertEqual((pairs[0], pairs[-1]), ((0, 0), (1, 1)))
        self.assertEqual(pairs, sorted(pairs))
        self.assertTrue(all(out >= tone - 0.01 for tone, out in pairs))  # lighter, to make up
        self.put("flat.pgm", pgm(64, 64, [128] * 4096))
        self.works("halftone", "flat.pgm", "plain.pgm", "--levels", "2", "--quiet")
        self.works("halftone", "flat.pgm", "lighter.pgm", "--curve", "curve.csv", "--quiet")
        self.assertGreater(sum(netpbm(self.get("lighter.pgm"))[2]),
                           1.1 * sum(netpbm(self.get("plain.pgm"))[2]))
        self.works("calibrate", "wedge", "again.pbm", "--curve", "curve.csv", "--quiet")
        self.assertNotEqual(self.get("again.pbm"), self.get("wedge.pbm"))

    def test_wedges(self):
        for more in (["--method", "clustered-dot", "--cell", "16", "--angle", "45"],
                     ["--dpi", "600"], ["--patch", "32"], ["--method", "random", "--seed", "4"]):
            self.works("calibrate", "wedge", "wedge.pbm", "--quiet", *more)
            self.works("calibrate", "fit", "wedge.pbm", "--curve", "curve.csv", "--quiet")
        dots = ["--lpi", "40", "--dpi", "300", "--angle", "15", "--ink", "cyan"]
        self.works("calibrate", "wedge", "wedge.pbm", "--quiet", *dots)
        done = self.works("calibrate", "fit", "wedge.pbm", "--curve", "curve.csv", "--ink", "cyan",
                          "--linear")
        self.assertIn(b"is taken as linear", done.stderr)
        told = json.loads(self.works("calibrate", "wedge", "wedge.pbm", "--dpi", "1200",
                                     "--json").stdout)
        self.assertEqual(told["patch"], 232)

    def test_refused(self):
        self.put("curve.csv", OLD)
        self.put("wedge.pbm", OLD)
        fit = ["calibrate", "fit"]
        self.works("testcard", "card.pgm", "--size", "500x400", "--quiet")
        self.put("noise.pgm", pgm(300, 200, noise(60000)))
        self.put("dot.pgm", pgm(1, 1, [7]))
        for name in "card.pgm", "noise.pgm", "dot.pgm":
            self.refused(*fit, name, "--curve", "curve.csv", words=["no step wedge"])
        self.refused(*fit, "missing.png", "--curve", "curve.csv", words=["missing.png"])
        self.put("short.pgm", self.get("card.pgm")[:-10])
        self.refused(*fit, "short.pgm", "--curve", "curve.csv", words=["short.pgm"])
        self.refused(*fit, "card.pgm", status=2, words=["needs --curve"])
        self.refused(*fit, "card.pgm", "--curve", "curve.csv", "--method", "fs", status=2,
                     words=["--method does not apply to calibrate fit"])
        self.refused("calibrate", "wedge", "wedge.pbm", "--patch", "60", words=["multiple of 8"])
        self.refused(*fit, "card.pgm", "--curve", "new.csv", "--seed", "1", status=2,
                     words=["--seed does not apply"])
        self.refused("calibrate", "wedge", "wedge.pbm", "--method", "florid", words=["florid"])
        self.refused("calibrate", "wedge", "wedge.pbm", "--angle", "x", words=["-360"], status=2)
        self.refused("calibrate", "wedge", "wedge.pbm", "--linear", status=2,
                     words=["does not apply to calibrate wedge"])
        self.refused("calibrate", "wedge", "no.pbm", "--ink", "rot", words=["no colour"])
        for command in (["wedge", "no.pbm"], ["fit", "card.pgm", "--curve", "curve.csv"]):
            self.refused("calibrate", *command, "--ink", "white", words=["not an ink's"])
        self.refused("calibrate", "fit", "card.pgm", "--curve", "curve.csv", "--ink", "rot",
                     words=["rot"])
        before = self.get("card.pgm")
        self.refused("calibrate", "fit", "card.pgm", "--curve", "card.pgm", status=2,
                     words=["same file"])
        self.assertEqual(self.get("card.pgm"), before)
        self.refused("calibrate", "card.pgm", status=2, words=["wedge and OUT"])
        self.refused("calibrate", status=2, words=["fit and SCAN"])


if __name__ == "__main__":
    unittest.main()
