# SPDX-License-Identifier: MIT
"""The page of ./run demo, made with this build's command and looked at in a headless Chromium."""
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = os.environ["SOURCE_DIR"], os.environ["BUILD_DIR"]
sys.path.insert(0, os.path.join(SOURCE, "tests", "cli"))

from browser import Browser, missing  # noqa: E402
from command import supports  # noqa: E402

SECTIONS = ["Two levels", "A six-colour e-paper panel", "A printing screen", "Noise removed",
            "Cells found", "A bent picture laid over another", "A hologram", "A certificate"]


class Demo(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        subprocess.run(["sh", os.path.join(SOURCE, "tools", "demo", "show.sh"),
                        os.environ["ROUNDOFF"], cls.folder], check=True)
        cls.browser = Browser(900, 1000)
        cls.addClassCleanup(cls.browser.close)
        cls.browser.open(os.path.join(cls.folder, "index.html"))

    def of(self, selector, value):
        """The values of an expression in e, for all elements."""
        return self.browser.run("return [...document.querySelectorAll(arguments[0])].map(e => "
                                f"{value})", selector)

    def test_every_system_is_shown(self):
        self.assertEqual(self.of("h2", "e.textContent"), SECTIONS)
        self.assertEqual(self.browser.errors(), [])

    def test_pictures_are_there_dot_for_dot(self):
        sizes = self.of(".slider img", "[e.naturalWidth, e.clientWidth, e.naturalHeight, "
                        "e.clientHeight]")
        self.assertGreaterEqual(len(sizes), 18)
        for natural_width, width, natural_height, height in sizes:
            self.assertGreater(natural_width, 100)
            self.assertEqual((natural_width, natural_height), (width, height))

    def test_both_pictures_of_a_slider_have_one_size(self):
        pairs = self.of(".slider", "[...e.querySelectorAll('img')].map(i => [i.naturalWidth, "
                        "i.naturalHeight])")
        for left, right in pairs:
            self.assertEqual(left, right)

    def test_a_slider_moves(self):
        slide = ("const r = document.querySelector('.slider input'); r.value = arguments[0];"
                 "r.dispatchEvent(new Event('input'))")
        self.browser.run(slide, 100)
        left = self.browser.look(".slider")
        self.browser.run(slide, 0)
        right = self.browser.look(".slider")
        greys = lambda rows: len({pixel for row in rows for pixel in row})
        self.assertGreater(greys(left), 100)   # the test card
        self.assertLess(greys(right), 6)       # black, white, and the line between the pictures

    def test_each_command_is_there_with_what_it_said(self):
        said = self.of("pre", "e.textContent")
        for text in said:
            command, _, rest = text.partition("\n")
            self.assertTrue(command.startswith("roundoff "), command)
            self.assertGreater(len(rest), 10, command)
        self.assertIn("holds", said[-1])


if __name__ == "__main__":
    reason = missing() or (None if supports("png") else "this build has no PNG support")
    if reason:
        print("skipped:", reason)
        sys.exit(77)
    unittest.main()
