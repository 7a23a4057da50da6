# SPDX-License-Identifier: MIT
"""roundoff screen, and ordered dithering with what it makes."""
import json
import unittest

from command import Case, OLD, netpbm, noise, pbm, pgm, supports


def ranks(data):
    """The ranks of the cells of a 16-bit PGM, ties in raster order."""
    _, (width, height, _), pixels = netpbm(data)
    values = [pixels[2 * i] << 8 | pixels[2 * i + 1] for i in range(width * height)]
    order = sorted(range(len(values)), key=lambda i: (values[i], i))
    result = [0] * len(values)
    for rank, cell in enumerate(order):
        result[cell] = rank
    return width, height, result


def ordered(pixels, width, height, screen, maxval=255):
    """The definition (docs/numerics.md) once more, in another language."""
    columns, rows, rank = screen
    cells = columns * rows
    return [int(2 * cells * pixels[y * width + x] >
                maxval * (2 * rank[y % rows * columns + x % columns] + 1))
            for y in range(height) for x in range(width)]


class Screen(Case):
    def setUp(self):
        super().setUp()
        self.width, self.height = 75, 50
        self.pixels = noise(self.width * self.height)
        self.put("in.pgm", pgm(self.width, self.height, self.pixels))

    def check_halftone(self, screen, *options):
        self.works("halftone", "in.pgm", "out.pbm", *options)
        levels = ordered(self.pixels, self.width, self.height, screen)
        self.assertEqual(self.get("out.pbm"), pbm(levels, self.width, self.height))

    def test_every_kind_can_be_used(self):
        for options, method in [
                (["bayer", "s.pgm", "--cell", "16"], ["--method", "bayer", "--cell", "16"]),
                (["clustered-dot", "s.pgm", "--angle", "45", "--shape", "diamond"],
                 ["--method", "clustered-dot", "--angle", "45", "--shape", "diamond"]),
                (["void-and-cluster", "s.pgm"], ["--method", "blue-noise"]),
                (["void-and-cluster", "s.pgm", "--cell", "20", "--seed", "3"],
                 ["--method", "blue-noise", "--cell", "20", "--seed", "3"])]:
            self.works("screen", "make", *options)
            screen = ranks(self.get("s.pgm"))
            self.check_halftone(screen, "--screen", "s.pgm")
            self.check_halftone(screen, *method)

    def test_screens_of_any_shape(self):
        cells = noise(7 * 3, seed=9)
        self.put("s.pgm", pgm(7, 3, cells))
        order = sorted(range(21), key=lambda i: (cells[i], i))
        self.check_halftone((7, 3, [order.index(i) for i in range(21)]), "--screen", "s.pgm")

    def test_large_screens_keep_their_ranks(self):
        self.works("screen", "make", "void-and-cluster", "s.npy", "--cell", "260")
        self.works("halftone", "in.pgm", "a.pbm", "--screen", "s.npy")
        self.works("halftone", "in.pgm", "b.pbm", "--method", "blue-noise", "--cell", "260")
        self.assertEqual(self.get("a.pbm"), self.get("b.pbm"))

    def test_every_file_gives_the_same_bits(self):
        """Dots and green noise as files of every type, against the method itself where tiles are the
        same."""
        am = ["--lpi", "50", "--dpi", "400"]  # eight pixels a dot: the tile is a plain square
        for kind, options, method in [
                ("am", am, ["--method", "am"]),
                ("am", am + ["--shape", "ellipse", "--dot", "4"], ["--method", "am"]),
                ("green-noise", ["--dot", "5"], ["--method", "green-noise"]),
                ("clustered-dot", ["--angle", "45"], ["--method", "clustered-dot"])]:
            self.works("halftone", "in.pgm", "own.pbm", *method, *options)
            for ending in ("pgm", "png", "tif", "npy"):
                if ending in ("png", "tif") and not supports(ending):
                    continue
                self.works("screen", "make", kind, "s." + ending, *options)
                self.works("halftone", "in.pgm", "file.pbm", "--method", "screen", "--screen",
                           "s." + ending)
                self.assertEqual(self.get("own.pbm"), self.get("file.pbm"), (kind, ending))
        # at other angles a file may be larger than a tile: all types hold the same
        made = []
        for ending in ("pgm", "png", "tif", "npy"):
            if ending in ("png", "tif") and not supports(ending):
                continue
            self.works("screen", "make", "am", "s." + ending, "--lpi", "40", "--dpi", "400",
                       "--angle", "36.8699")
            self.works("halftone", "in.pgm", "file.pbm", "--screen", "s." + ending)
            made.append(self.get("file.pbm"))
        self.assertEqual(len(set(made)), 1)

    def test_thresholds(self):
        for method, limit in [(["threshold"], 127), (["threshold", "--threshold", "25"], 63)]:
            self.works("halftone", "in.pgm", "out.pbm", "--method", *method)
            levels = [int(value > limit) for value in self.pixels]
            self.assertEqual(self.get("out.pbm"), pbm(levels, self.width, self.height))
        self.put("two.pgm", pgm(4, 1, [30, 50, 40, 200]))
        self.works("halftone", "two.pgm", "out.pbm", "--method", "otsu")
        self.assertEqual(self.get("out.pbm"), pbm([0, 0, 0, 1], 4, 1))

    def test_pipes_and_reports(self):
        made = self.works("screen", "make", "bayer", "-").stdout
        self.assertEqual(netpbm(made)[1], [8, 8, 65535])
        done = self.works("screen", "make", "bayer", "s.npy", "--cell", "4", "--json")
        report = json.loads(done.stdout)
        self.assertEqual((report["kind"], report["size"]), ("bayer", 4))
        self.assertEqual(self.works("screen", "make", "bayer", "s.pgm", "--quiet").stderr, b"")
        listed = self.works("screen", "--list").stdout.decode().split("\n")
        self.assertTrue(listed[0].startswith("void-and-cluster "))
        names = [kind["name"] for kind in json.loads(self.works("screen", "--list",
                                                                "--json").stdout)]
        self.assertEqual(names[:3], ["void-and-cluster", "bayer", "clustered-dot"])

    def test_bad_input(self):
        self.put("old.pgm", OLD)
        self.put("wide.pgm", pgm(4097, 1, bytes(4097)))
        self.put("cut.pgm", pgm(4, 4, bytes(3)))
        self.put("colour.ppm", b"P6\n1 1\n255\n\x01\x02\x03")
        make = ["screen", "make"]
        self.refused(*make, "bayer", "old.pgm", "--cell", "12", words=["12"])
        self.refused(*make, "void-and-cluster", "old.pgm", "--cell", "1025", words=["1025"])
        self.refused(*make, "bayer", "old.pgm", "--seed", "1", words=["seed does not apply"])
        self.refused(*make, "clustered-dot", "old.pgm", "--shape", "star", words=["star"], status=2)
        self.refused(*make, "clustered-dot", "old.pgm", "--shape", "cross", words=["needs kind am"])
        self.refused(*make, "bayr", "old.pgm", words=["did you mean bayer"], status=2)
        self.refused(*make, "bayer", "none/old.pgm", words=["none"])
        self.refused("screen", "bayer", "old.pgm", words=["make"], status=2)
        self.refused(*make, "clustered-dot", "old.pgm", "--angle", "30", words=["0 or 45"])
        self.refused(*make, "am", "old.pgm", "--angle", "3x", words=["a number from -360 to 360"], status=2)
        self.refused(*make, "am", "old.pgm", "--lpi", "-1", words=["above 0"], status=2)
        self.refused(*make, "am", "old.pgm", "--lpi", "60", words=["dpi"])
        halftone = ["halftone", "in.pgm", "old.pgm"]
        self.refused(*halftone, "--screen", "wide.pgm", words=["4097 x 1", "4096"])
        self.refused(*halftone, "--screen", "cut.pgm", words=["cut.pgm"])
        self.refused(*halftone, "--screen", "colour.ppm", words=["grey"])
        self.refused(*halftone, "--screen", "missing.pgm", words=["missing.pgm"])
        self.refused(*halftone, "--method", "screen", words=["needs a threshold image"])
        self.refused(*halftone, "--method", "fs", "--cell", "8", words=["cell does not apply"])
        self.refused(*halftone, "--method", "bayer", "--cell", "10", words=["10"])
        self.refused(*halftone, "--method", "otsu", "--levels", "3", words=["levels"])


if __name__ == "__main__":
    unittest.main()
