# SPDX-License-Identifier: MIT
"""--vectors and .mem: what a circuit's test bench takes, against the definitions once more."""
import unittest

from command import Case, OLD, floyd_steinberg, noise, pgm

WIDTH, HEIGHT = 30, 20


def level_set_step(phi, speed):
    """One step of number s12 with norm lin (docs/numerics.md)."""
    result = []
    for y in range(HEIGHT):
        for x in range(WIDTH):
            p, f = phi[y * WIDTH + x], speed[y * WIDTH + x]
            around = [phi[max(min(y + dy, HEIGHT - 1), 0) * WIDTH + max(min(x + dx, WIDTH - 1), 0)]
                      for dx, dy in ((-1, 0), (1, 0), (0, -1), (0, 1))]
            parts = [max(p - q if f >= 0 else q - p, 0) for q in around]
            norm = 43 * sum(parts) + 85 * max(parts)
            moved = (p * 2**18 - f * norm + 2**17 - 1) >> 18
            result.append(max(min(moved, 2047), -2048))
    return result


class Vectors(Case):
    def setUp(self):
        super().setUp()
        self.pixels = [(x * 7 + y * 3) % 256 for y in range(HEIGHT) for x in range(WIDTH)]
        self.put("in.pgm", pgm(WIDTH, HEIGHT, self.pixels))

    def columns(self, name):
        lines = self.get(name).decode().splitlines()
        self.assertTrue(lines[0].startswith("# ") and "30 x 20" in lines[0], lines[0])
        self.assertTrue(lines[1].startswith("# "))
        rows = [[int(word) for word in line.split()] for line in lines[2:]]
        self.assertEqual(len(rows), WIDTH * HEIGHT)
        return lines, list(zip(*rows))

    def segment(self, *options):
        return ("segment", "in.pgm", "out.pgm", "--at", "15,10", "--window", "0,255", *options)

    def test_level_sets(self):
        self.works(*self.segment("--number", "s12", "--iterations", "3", "--vectors", "v.txt"))
        lines, (phi, speed, after) = self.columns("v.txt")
        self.assertIn("3 steps", lines[0])
        self.assertEqual(lines[1], "# phi speed next")
        for _ in range(3):
            phi = level_set_step(phi, speed)
        self.assertEqual(list(after), phi)

    def test_level_sets_that_have_none(self):
        self.put("v.txt", OLD)
        self.refused(*self.segment("--number", "s23e8", "--vectors", "v.txt"), words=["s23e8"])
        self.refused(*self.segment("--curvature", "0.1", "--vectors", "v.txt"),
                     words=["curvature"])
        self.refused("segment", "in.pgm", "out.pgm", "--at", "2:15,10", "--vectors", "v.txt",
                     words=["label 1"])

    def test_halftones(self):
        for levels in (2, 5):
            self.works("halftone", "in.pgm", "out.pgm", "--method", "fs", "--levels", str(levels),
                       "--vectors", "v.txt")
            _, (samples, found) = self.columns("v.txt")
            self.assertEqual(list(samples), self.pixels)
            self.assertEqual(list(found), floyd_steinberg(self.pixels, WIDTH, HEIGHT, 255, levels))
        self.refused("halftone", "in.pgm", "out.pgm", "--gamma", "2", "--vectors", "v.txt",
                     words=["gamma does not apply"], status=2)
        self.refused("halftone", "-", "out.pgm", "--vectors", "v.txt", words=["pipe"],
                     input=self.get("in.pgm"))

    def test_diffusion(self):
        for number, factor in (("s9", 1), ("s12", 8)):
            self.works("denoise", "in.pgm", "out.pgm", "--model", "linear", "--number", number,
                       "--iterations", "5", "--scheme", "explicit", "--vectors", "v.txt")
            lines, (before, after) = self.columns("v.txt")
            self.assertIn("5 steps of 6143/16384", lines[0])
            self.assertEqual(list(before), [factor * p for p in self.pixels])
            self.assertNotEqual(before, after)
            self.assertEqual(sum(before), sum(after))
            self.assertTrue(min(before) <= min(after) and max(after) <= max(before))
        self.works("denoise", "in.pgm", "out.pgm", "--scheme", "xpp24", "--vectors", "v.txt")
        _, (before, after) = self.columns("v.txt")
        self.assertEqual(list(before), [32896 * p for p in self.pixels])
        self.refused("denoise", "in.pgm", "out.pgm", "--number", "s10e5", "--vectors", "v.txt",
                     words=["s10e5"])


class Memory(Case):
    """.mem files, as $readmemh reads them."""

    def numbers(self, name):
        lines = self.get(name).decode().splitlines()
        self.assertTrue(lines[0].startswith("// "))
        return [[int(word, 16) for word in line.split()] for line in lines[1:]]

    def test_a_screen_is_its_ranks(self):
        self.works("screen", "make", "bayer", "a.mem", "--cell", "4")
        self.assertEqual(self.numbers("a.mem"),
                         [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]])
        self.works("screen", "make", "void-and-cluster", "b", "--type", "mem", "--cell", "20")
        rows = self.numbers("b")
        self.assertEqual(sorted(sum(rows, [])), list(range(400)))
        self.refused("screen", "make", "uniform", "c.mem", "--cell", "512", words=["512 x 512"])

    def test_pictures_are_their_samples(self):
        pixels = noise(12)
        self.put("in.pgm", pgm(4, 3, pixels))
        self.works("halftone", "in.pgm", "out.mem", "--method", "fs", "--levels", "5")
        self.assertEqual(sum(self.numbers("out.mem"), []), floyd_steinberg(pixels, 4, 3, 255, 5))


if __name__ == "__main__":
    unittest.main()
