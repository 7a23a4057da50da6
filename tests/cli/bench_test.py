# SPDX-License-Identifier: MIT
"""roundoff bench: the papers' tables, and what it refuses before it measures anything."""
import json
import unittest

from command import Case, floyd_steinberg


class Bench(Case):
    def test_papers(self):
        text = self.works("bench", "papers", "--size", "64").stdout.decode()
        self.assertEqual(text.count("\n### "), 3)
        for number in "737.34", "346600", "0.41":
            self.assertIn(" %s |" % number, text)

    def test_list(self):
        names = [line.split()[0] for line in self.works("bench", "--list").stdout.decode().splitlines()]
        self.assertIn("papers", names)
        self.assertNotIn("all", names)

    def test_terapixel(self):
        """The hash of a small one, by the text of its definition; any number of threads."""
        for side in 70, 300:
            samples = [x * (2 * y + 1) % 2**32 // 2**17 % 256
                       for y in range(side) for x in range(side)]
            levels = floyd_steinberg(samples, side, side)

            def mix(x):
                x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9 % 2**64
                x = (x ^ x >> 27) * 0x94d049bb133111eb % 2**64
                return x ^ x >> 31

            total = 0
            for y in range(side):
                row = levels[y * side:(y + 1) * side] + [0] * (-side % 64)
                for i in range(len(row) // 64):
                    word = int("".join(map(str, row[64 * i:64 * i + 64])), 2)
                    total += mix((word + mix(y * 2**32 + i)) % 2**64)
            done = self.works("bench", "terapixel", "--size", str(side), "--json")
            self.assertEqual(json.loads(done.stdout)["hash"], "%016x" % (total % 2**64))

    def test_levels_and_scaling(self):
        rows = json.loads(self.works("bench", "levels", "--size", "64", "--json").stdout)
        self.assertIn(("floyd-steinberg", 16, 8), [(r["method"], r["from"], r["to"]) for r in rows])
        rows = json.loads(self.works("bench", "scaling", "--size", "64", "--json").stdout)
        self.assertIn("file to file", [row["family"] for row in rows])

    def test_quality(self):
        self.works("testcard", "card.pgm", "--size", "80x64", "--quiet")
        done = self.works("bench", "quality", "card.pgm", "--size", "64", "--json",
                          "--plot", "plot.svg")
        rows = {row["method"]: row for row in json.loads(done.stdout)}
        for eye in "s0.8", "s2.5", "n3500":
            self.assertEqual(rows["floyd-steinberg"][eye], 1)
            self.assertGreater(rows["random"][eye], 2)
        self.assertLess(rows["dbs-clipping-free --start fs"]["s1.8"], 0.8)
        self.assertGreater(rows["floyd-steinberg"]["worms"], rows["dbs"]["worms"] + 2)
        plot = self.get("plot.svg").decode()
        self.assertTrue(plot.startswith("<svg "))
        self.assertEqual(plot.count("<circle "), 9 * (len(rows) + 1))  # eyes, worms, anisotropy
        self.refused("bench", "quality", "missing.png", words=["missing.png"])
        self.refused("bench", "papers", "--plot", "plot.svg", status=2, words=["quality"])

    def test_refused(self):
        self.refused("bench", "all", "--json", status=2, words=["markdown"])
        self.refused("bench", "all", words=["bench/results"])  # not in the sources' folder
        self.refused("bench", "paper", status=2, words=["papers"])
        self.refused("bench", "papers", "--json", words=["tables"])


if __name__ == "__main__":
    unittest.main()
