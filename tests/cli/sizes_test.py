# SPDX-License-Identifier: MIT
"""Thin, tiny and ordinary pictures through the whole command, against the definition written down
once more in Python."""
import unittest

from command import Case, floyd_steinberg, netpbm, noise, pbm, pgm


class Sizes(Case):
    def check(self, width, height, *more):
        pixels = noise(width * height, seed=width + 7 * height)
        wanted = pbm(floyd_steinberg(pixels, width, height), width, height)
        done = self.works("halftone", "-", "-", "--quiet", "--method", "fs", *more,
                          input=pgm(width, height, pixels))
        self.assertEqual(netpbm(done.stdout)[:2], netpbm(wanted)[:2])
        self.assertTrue(netpbm(done.stdout)[2] == netpbm(wanted)[2], (width, height, more))

    def test_tiny(self):
        for width, height in [(1, 1), (1, 2), (2, 1), (7, 3), (8, 8), (9, 5), (33, 65)]:
            self.check(width, height)

    def test_thin(self):
        self.check(1, 100000)
        self.check(100000, 1)
        self.check(50000, 2)
        self.check(2, 50000)

    def test_every_schedule(self):
        for more in [["--schedule=ed"], ["--schedule=ec"], ["--schedule=wave"],
                     ["--schedule=wave", "--threads=1"], ["--schedule=wave", "--threads=7"],
                     ["--cpu=scalar"]]:
            self.check(131, 83, *more)

    def test_levels_and_depths(self):
        width, height = 61, 23
        for maxval, levels in [(255, 3), (255, 256), (100, 2), (1, 2), (65535, 2), (65535, 17),
                               (1000, 5)]:
            size = 2 if maxval > 255 else 1
            raw = noise(width * height * size, seed=levels)
            pixels = [int.from_bytes(raw[i:i + size], "big") % (maxval + 1)
                      for i in range(0, len(raw), size)]
            picture = pgm(width, height, b"".join(p.to_bytes(size, "big") for p in pixels), maxval)
            indices = floyd_steinberg(pixels, width, height, maxval, levels)
            tones = bytes((2 * 255 * k + levels - 1) // (2 * (levels - 1)) for k in indices)
            run = ["halftone", "-", "--quiet", "--method", "fs", "--levels", str(levels)]
            done = self.works(*run, "-", "--type", "pgm", input=picture)
            magic, numbers, data = netpbm(done.stdout)
            self.assertEqual((magic, numbers), (b"P5", [width, height, 255]))
            self.assertTrue(data == tones, (maxval, levels))
            self.works(*run, "out.npy", input=picture)
            self.assertTrue(self.get("out.npy").endswith(bytes(indices)), (maxval, levels))

    def test_testcard(self):
        for name, size in [("card.pgm", "1x1"), ("card.pgm", "300x7"), ("card.ppm", "64x64")]:
            more = ["--colour"] if name.endswith("ppm") else []
            self.works("testcard", name, "--size", size, "--quiet", *more)
            self.assertEqual(netpbm(self.get(name))[1][:2], [int(n) for n in size.split("x")])
        self.works("testcard", "card16.pgm", "--bits", "16", "--quiet")
        self.assertEqual(netpbm(self.get("card16.pgm"))[1], [1024, 1024, 65535])


if __name__ == "__main__":
    unittest.main()
