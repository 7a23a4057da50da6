# SPDX-License-Identifier: MIT
"""Outlines of random segmentations of textured images are valid polygons with the area of their label:
competing and free fronts, GeoJSON and SVG. OUTLINES_SEED and OUTLINES_RUNS repeat or prolong it."""
import json
import math
import os
import random
import time
import unittest

from command import Case, pgm
from polygons import faults_of_file, faults_of_rings, svg_rings

RUNS = int(os.environ.get("OUTLINES_RUNS", 60))
SEED = int(os.environ.get("OUTLINES_SEED", time.time_ns() % 2 ** 32))


def grain(draw, width, height):
    """Noise, each pixel for itself or in blocks."""
    block = draw.choice((1, 1, 2, 5))
    tones = [[draw.randrange(256) for _ in range(width)] for _ in range(height)]
    return lambda x, y: tones[y // block][x // block]


def blobs(draw, width, height):
    discs = [(draw.uniform(0, width), draw.uniform(0, height), draw.uniform(1, 14),
              draw.uniform(40, 200)) for _ in range(draw.randrange(3, 20))]
    rough, soft = draw.uniform(0, 40), draw.uniform(0.3, 4)
    return lambda x, y: (20 + draw.uniform(0, rough) + max(
        tone / (1 + math.exp((math.hypot(x - cx, y - cy) - radius) / soft))
        for cx, cy, radius, tone in discs))


def stripes(draw, width, height):
    u, v, bend = draw.uniform(-2, 2), draw.uniform(-2, 2), draw.uniform(0, 3)
    rough = draw.uniform(0, 60)
    return lambda x, y: (110 + 80 * math.sin(u * x + v * y + bend * math.sin(0.2 * x)) +
                         draw.uniform(0, rough))


def chart(draw, width, height):
    """Ramps, a checkerboard, fine lines and a zone plate in quarters."""
    def tone(x, y):
        if y < height // 2:
            return 255 * x // width if x < width // 2 else 200 * ((x // 3 + y // 3) % 2) + 20
        if x < width // 2:
            return 220 * (x % (2 + y % 5) == 0)
        return 128 + 120 * math.cos(0.06 * ((x - width * 0.75) ** 2 + (y - height * 0.75) ** 2))
    return tone


class Outlines(Case):
    def options(self, draw, width, height):
        at = [["--at", "%d:%.1f,%.1f,%.1f" % (draw.randrange(1, 5), draw.uniform(0, width - 1),
                                             draw.uniform(0, height - 1), draw.uniform(1, 5))]
              for _ in range(draw.randrange(1, 7))]
        more = [word for words in at for word in words] + ["--force"]
        if draw.random() < 0.5:
            more += ["--smooth", draw.choice(("0", "0.7", "1.5"))]
        if draw.random() < 0.5:
            return more
        more += ["--fronts", "free", "--number", draw.choice(("u8", "s12", "s16", "s23e8")),
                 "--iterations", str(draw.randrange(1, 80))]
        if draw.random() < 0.5:
            low = draw.randrange(200)
            more += ["--window", "%d,%d" % (low, low + draw.randrange(20, 120))]
        return more

    def test_random_segmentations(self):
        for run in range(RUNS):
            draw = random.Random(SEED * 1000003 + run)
            width, height = (draw.choice((1, 2, 3)), draw.randrange(1, 40)) if run % 10 == 9 else (
                draw.randrange(8, 72), draw.randrange(8, 72))
            if draw.random() < 0.5:
                width, height = height, width
            tone = draw.choice((grain, blobs, stripes, chart))(draw, width, height)
            self.put("in.pgm", pgm(width, height, [max(0, min(255, int(tone(x, y))))
                                                   for y in range(height) for x in range(width)]))
            options = self.options(draw, width, height)
            with self.subTest(seed=SEED, run=run, size=(width, height), options=" ".join(options)):
                for name in "o.geojson", "o.svg":
                    done = self.works("segment", "in.pgm", "out.pgm", *options, "--contours", name,
                                      "--json")
                found = faults_of_file(json.loads(self.get("o.geojson")),
                                       json.loads(done.stdout)["labels"])
                self.assertEqual(found, [])
                for rings in svg_rings(self.get("o.svg").decode()).values():
                    self.assertEqual(faults_of_rings(rings), [])


if __name__ == "__main__":
    unittest.main()
