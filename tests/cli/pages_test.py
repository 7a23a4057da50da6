# SPDX-License-Identifier: MIT
"""The pages of measure and compare, in a headless Chromium without a network: clicks and looks."""
import json
import re
import sys
import unittest

from browser import Browser, missing
from command import Case, supports

METHODS = ["threshold", "floyd-steinberg", "random", "bayer4"]


class Pages(Case):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser(1100, 800)
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        super().setUp()
        self.works("testcard", "card.pgm", "--size", "320x240", "--quiet")

    def start(self, width, height):
        self.browser.resize(width, height)
        return self.browser

    def compare(self):
        self.works("compare", "card.pgm", "--methods", ",".join(METHODS), "--report", "page.html",
                   "--quiet")
        return self.path("page.html")

    def places(self):
        """Where each pane's picture lies, seen from its pane."""
        return self.browser.run(
            "return [...document.querySelectorAll('#panes .pane')].map(p => {"
            "const a = p.getBoundingClientRect(), b = p.querySelector('img').getBoundingClientRect();"
            "return [b.left - a.left, b.top - a.top, b.width].map(v => Math.round(v * 100) / 100)})")

    def one_place(self):
        places = self.places()
        self.assertEqual(len(places), 4)
        for place in places:
            self.assertEqual(place, places[0])
        return places[0]

    def names(self):
        return self.browser.run("return [...document.querySelectorAll('#figures tbody td button')]"
                                ".map(b => b.textContent)")

    def test_nothing_comes_from_elsewhere(self):
        for name in "page.html", "measure.html":
            if name == "page.html":
                self.compare()
            else:
                self.works("halftone", "card.pgm", "card.pbm", "--quiet")
                self.works("measure", "card.pgm", "card.pbm", "--report", name, "--quiet")
            text = self.get(name).decode()
            # the one address in a page is the name of SVG
            self.assertEqual(set(re.findall(r"https?://[^\s\"'<>)]+", text)),
                             {"http://www.w3.org/2000/svg"})
            self.assertIsNone(re.search(r"<(script|link|img)[^>]+(src|href)=\"(?!data:)", text))

    def test_zoom_and_pan_are_shared(self):
        browser = self.start(1100, 800)
        browser.open(self.compare())
        self.assertEqual(self.one_place()[2], 320)  # dot for dot
        browser.click("#fit")
        before = self.one_place()
        browser.click("#in")
        after = self.one_place()
        self.assertAlmostEqual(after[2], 2 * before[2], delta=0.1)
        browser.drag("#pane1", 40, -25)
        moved = self.one_place()
        self.assertAlmostEqual(moved[0] - after[0], 40, delta=1)
        self.assertAlmostEqual(moved[1] - after[1], -25, delta=1)
        browser.click("#fit")
        self.assertEqual(self.one_place(), before)
        browser.click("#one")
        self.assertEqual(self.one_place()[2], 320)
        self.assertEqual(browser.errors(), [])

    def test_choosing_shows_another_picture(self):
        browser = self.start(1100, 800)
        browser.open(self.compare())
        browser.click("#one")
        browser.choose("#choose0", "threshold")
        greys = {pixel for row in browser.look("#pane0") for pixel in row[200:300]}
        self.assertLess(len(greys & {(i, i, i) for i in range(1, 255) if i != 0x77}), 12)
        browser.choose("#choose0", "original")
        greys = {pixel for row in browser.look("#pane0") for pixel in row[200:300]}
        self.assertGreater(len(greys), 30)

    def test_slider(self):
        browser = self.start(1100, 800)
        browser.open(self.compare())
        browser.choose("#left", "original")
        browser.choose("#right", "threshold")

        def greys(percent):
            browser.run("const r = document.querySelector('#range'); r.value = arguments[0];"
                        "r.dispatchEvent(new Event('input'))", percent)
            rows = browser.look("#slider")
            middle = len(rows[0]) // 2
            part = [pixel for row in rows[40:] for pixel in row[middle - 60:middle + 60]]
            return len([p for p in part if p[0] == p[1] == p[2] and 16 < p[0] < 240]) / len(part)

        original, both, threshold = greys(100), greys(50), greys(0)
        self.assertGreater(original, threshold + 0.2)
        self.assertGreater(original, both + 0.05)
        self.assertGreater(both, threshold + 0.05)

    def test_table_sorts(self):
        browser = self.start(1100, 800)
        browser.open(self.compare())
        data = browser.run("return data.methods.map(m => [m.name, m.psnr_gaussian, m.tone_rms])")
        self.assertEqual(sorted(m[0] for m in data), sorted(METHODS))
        by_psnr = [m[0] for m in sorted(data, key=lambda m: -m[1])]
        self.assertEqual(self.names(), by_psnr)
        browser.click("#by-psnr_gaussian button")
        self.assertEqual(self.names(), by_psnr[::-1])
        browser.click("#by-tone_rms button")
        self.assertEqual(self.names(), [m[0] for m in sorted(data, key=lambda m: -m[2])])
        browser.click("#by-name button")
        self.assertEqual(self.names(), sorted(METHODS))
        browser.click("#figures tbody tr:last-child td button")
        self.assertEqual(browser.run("return document.querySelector('#right').value"), "threshold")

    def test_plot_chooses(self):
        browser = self.start(1100, 800)
        browser.open(self.compare())
        self.assertEqual(browser.run("return document.querySelectorAll('#plots svg').length"), 2)
        self.assertEqual(browser.run("return document.querySelectorAll('#plots svg:first-child .dot')"
                                     ".length"), len(METHODS))
        browser.click("#plots svg:first-child .dot[data-name=bayer4]")
        self.assertEqual(browser.run("return document.querySelector('#right').value"), "bayer4")

    def test_phone(self):
        browser = self.start(360, 740)
        browser.open(self.compare())
        self.works("halftone", "card.pgm", "card.pbm", "--quiet")
        long_name = "a" * 80 + ".pbm"
        self.put(long_name, self.get("card.pbm"))
        self.works("measure", "card.pgm", long_name, "--report", "measure.html", "--quiet")
        for page in "page.html", "measure.html":
            browser.open(self.path(page))
            self.assertEqual(browser.run("return document.documentElement.scrollWidth"), 360, page)
            self.assertEqual(browser.errors(), [])
        browser.open(self.path("page.html"))
        browser.click("#in")
        self.one_place()

    def test_measure(self):
        self.works("testcard", "big.pgm", "--size", "1024x1024", "--quiet")
        self.works("halftone", "big.pgm", "big.pbm", "--quiet")
        self.works("measure", "big.pgm", "big.pbm", "--tile", "16", "--report", "measure.html",
                   "--quiet")
        told = json.loads(self.works("measure", "big.pgm", "big.pbm", "--tile", "16", "--json").stdout)
        browser = self.start(1000, 800)
        browser.open(self.path("measure.html"))
        self.assertEqual(browser.run("return document.querySelectorAll('#plots svg').length"), 5)
        self.assertEqual(browser.run("return [...document.images].filter(i => i.naturalWidth === 96)"
                                     ".length"), 6)
        shown = browser.run("return document.body.innerText")
        self.assertIn("%.2f dB" % told["psnr_gaussian"], shown)
        curves = browser.run("return [...document.querySelectorAll('path.curve')]"
                             ".map(p => p.getTotalLength())")
        self.assertGreater(min(curves), 100)
        self.assertEqual(browser.errors(), [])


if __name__ == "__main__":
    reason = missing() or (None if supports("png") else "this build has no PNG support")
    if reason:
        print("skipped:", reason)
        sys.exit(77)
    unittest.main()
