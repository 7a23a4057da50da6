# SPDX-License-Identifier: MIT
"""roundoff bench: the papers' tables, and what it refuses before it measures anything."""
import unittest

from command import Case


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

    def test_refused(self):
        self.refused("bench", "all", "--json", status=2, words=["markdown"])
        self.refused("bench", "papers", "--output", "a.md", status=2, words=["bench all"])
        self.refused("bench", "all", "--output", "no/where.md", words=["no/where.md"])
        self.refused("bench", "all", words=["bench/results", "--output"])  # not in the sources' folder
        self.refused("bench", "paper", status=2, words=["papers"])
        self.refused("bench", "papers", "--json", words=["tables"])


if __name__ == "__main__":
    unittest.main()
