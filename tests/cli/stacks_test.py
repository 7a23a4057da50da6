# SPDX-License-Identifier: MIT
"""Stacks and numbers of other types through the commands: same shape and type out, page by page."""
import json
import re
import struct
import unittest

from command import Case, noise, supports

WIDTH, HEIGHT, PAGES = 40, 30, 4


def npy(shape, element, numbers):
    codes = {"|u1": "B", "<u2": "<H", "<i2": "<h", ">i4": ">i", "<f4": "<f", "<f8": "<d", "<c8": "<f"}
    head = b"{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (
        element.encode(), str(tuple(shape)).encode())
    head += b" " * (117 - len(head)) + b"\n"
    code = codes[element]
    order, code = (code[0], code[1:]) if len(code) > 1 else ("<", code)
    return (b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head +
            struct.pack("%s%d%s" % (order, len(numbers), code), *numbers))


def read_npy(data):
    size = struct.unpack("<H", data[8:10])[0]
    head = data[10:10 + size].decode()
    element = re.search(r"'descr': '(.*?)'", head).group(1)
    shape = tuple(int(n) for n in re.findall(r"\d+", re.search(r"\((.*?)\)", head).group(1)))
    code = {"|u1": "B", "<u2": "H", "<i2": "h", "<i4": "i", "<f4": "f", "<f8": "d"}[element]
    count = 1
    for n in shape:
        count *= n
    return element, shape, struct.unpack("<%d%s" % (count, code), data[10 + size:])


def stack(least=-300, most=2000):
    """Ramps with noise; every page another one."""
    grain = noise(WIDTH * HEIGHT * PAGES, 3)
    numbers = []
    for i, g in enumerate(grain):
        page, x = i // (WIDTH * HEIGHT), i % WIDTH
        numbers.append(least + (most - least) * (x + page) // (WIDTH + PAGES) + g // 8)
    return numbers


class Stacks(Case):
    def setUp(self):
        super().setUp()
        self.numbers = stack()
        self.put("in.npy", npy((PAGES, HEIGHT, WIDTH), "<i2", self.numbers))

    def page(self, numbers, k):
        return list(numbers[k * WIDTH * HEIGHT:(k + 1) * WIDTH * HEIGHT])

    def test_denoise_keeps_shape_type_and_sums(self):
        told = json.loads(self.works("denoise", "in.npy", "out.npy", "--json").stdout)
        element, shape, out = read_npy(self.get("out.npy"))
        self.assertEqual((element, shape), ("<i2", (PAGES, HEIGHT, WIDTH)))
        self.assertEqual((told["pages"], told["difference"]), (PAGES, 0))
        self.assertEqual(told["sample_zero"], min(self.numbers))
        for k in range(PAGES):
            self.assertEqual(sum(self.page(out, k)), sum(self.page(self.numbers, k)))
        self.assertNotEqual(out, tuple(self.numbers))
        self.assertGreaterEqual(min(out), min(self.numbers))
        self.assertLessEqual(max(out), max(self.numbers))

    def test_types_give_the_same_numbers(self):
        self.works("denoise", "in.npy", "out.npy", "--quiet")
        wanted = read_npy(self.get("out.npy"))[2]
        self.put("b.npy", npy((2, PAGES // 2, HEIGHT, WIDTH), ">i4", self.numbers))
        self.works("denoise", "b.npy", "b_out.npy", "--quiet")
        self.assertEqual(read_npy(self.get("b_out.npy")),
                         ("<i4", (2, PAGES // 2, HEIGHT, WIDTH), wanted))
        if supports("tif"):
            self.works("denoise", "in.npy", "out.tif", "--quiet")
            self.works("denoise", "in.npy", "again.npy", "--quiet")
            self.assertEqual(read_npy(self.get("again.npy"))[2], wanted)
            done = self.works("denoise", "out.tif", "back.npy", "--quiet")
            self.assertEqual(done.stderr, b"")
            self.assertEqual(read_npy(self.get("back.npy"))[:2], ("<i2", (PAGES, HEIGHT, WIDTH)))

    def test_pages(self):
        self.works("denoise", "in.npy", "two.npy", "--page", "2", "--quiet")
        _, shape, two = read_npy(self.get("two.npy"))
        self.assertEqual(shape, (HEIGHT, WIDTH))
        self.assertEqual(sum(two), sum(self.page(self.numbers, 1)))
        self.works("denoise", "in.npy", "some.npy", "--page", "2-4", "--quiet")
        _, shape, some = read_npy(self.get("some.npy"))
        self.assertEqual(shape, (3, HEIGHT, WIDTH))
        self.works("denoise", "in.npy", "all.npy", "--page", "all", "--quiet")
        self.works("denoise", "in.npy", "default.npy", "--quiet")
        self.assertEqual(self.get("all.npy"), self.get("default.npy"))
        for pages, words in (("3-9", ["no page 9", "4 pages"]), ("5", ["no page 5", "4"])):
            self.refused("denoise", "in.npy", "out.npy", "--page", pages, words=words)
        for pages in "0", "4-2", "x", "1-", "-3", "2,3", "":
            self.refused("denoise", "in.npy", "out.npy", "--page", pages, words=["--page", "2-9"],
                         status=2)
        self.refused("denoise", "in.npy", "out.pgm", words=["one page", "4"])
        self.refused("denoise", "in.npy", "out.pgm", "--page", "1", words=["int16", ".npy"])

    def test_rows(self):
        """Streams go page by page too and give the same bits."""
        self.works("denoise", "in.npy", "a.npy", "--kappa", "8", "--quiet")
        self.works("denoise", "in.npy", "b.npy", "--kappa", "8", "--schedule", "stream", "--quiet")
        self.assertEqual(self.get("a.npy"), self.get("b.npy"))

    def test_forms(self):
        self.works("denoise", "in.npy", "as.npy", "--quiet")
        levels = read_npy(self.get("as.npy"))[2]
        self.works("denoise", "in.npy", "f.npy", "--float", "--quiet")
        element, _, floats = read_npy(self.get("f.npy"))
        self.assertEqual(element, "<f4")
        self.assertLess(max(abs(a - b) for a, b in zip(levels, floats)), 1.01)
        self.assertLess(abs(sum(floats) - sum(self.numbers)), 1)
        told = json.loads(self.works("denoise", "in.npy", "raw.npy", "--raw", "--white", "2000",
                                     "--json").stdout)
        element, _, raw = read_npy(self.get("raw.npy"))
        self.assertEqual(element, "<i4")
        self.assertEqual(sum(raw), told["sum_after"])
        self.assertEqual(sum(raw), told["sum_before"])
        self.works("denoise", "in.npy", "b.npy", "--bits", "8", "--quiet")
        element, _, tones = read_npy(self.get("b.npy"))
        self.assertEqual(element, "|u1")
        span = max(self.numbers) - min(self.numbers)
        worst = max(abs((a - min(self.numbers)) * 255 / span - b) for a, b in zip(levels, tones))
        self.assertLess(worst, 1.2)
        self.refused("denoise", "in.npy", "x.npy", "--raw", "--float", words=["exclude"], status=2)
        self.refused("denoise", "in.npy", "x.pgm", "--float", "--page", "1", words=["float"])

    def test_white_counts_as_the_file_does(self):
        self.works("denoise", "in.npy", "a.npy", "--white", "3000", "--quiet")
        self.refused("denoise", "in.npy", "b.npy", "--white", "-400", words=["--white -400", "from"])
        self.refused("denoise", "in.npy", "b.npy", "--white", "500", words=["white", "goes up to"])
        self.put("f.npy", npy((1, 2), "<f4", [0, 1]))
        self.refused("denoise", "f.npy", "b.npy", "--white", "500", words=["floats"])

    def test_bad_input(self):
        self.put("c.npy", npy((1, 2), "<c8", [0, 1, 2, 3]))
        self.refused("denoise", "c.npy", "out.npy", words=["complex", "real"])
        self.put("four.npy", npy((5, 3, 4), "|u1", [0] * 60))
        self.refused("denoise", "four.npy", "out.npy", words=["(5, 3, 4)", "4 channels", "4 wide"])
        values = [0.5] * (2 * 12)
        values[12 + 7] = float("nan")
        self.put("nan.npy", npy((2, 2, 6), "<f8", values))
        self.refused("denoise", "nan.npy", "out.npy", words=["page 2", "(1, 1)", "finite"])
        self.put("short.npy", self.get("in.npy")[:-2])
        self.refused("denoise", "short.npy", "out.npy", words=["ends early"])

    def test_certificate(self):
        self.refused("denoise", "in.npy", "out.npy", "--certificate", "c.json",
                     words=["one page"])
        self.refused("denoise", "in.npy", "out.npy", "--certificate", "c.json", "--page", "1",
                     words=["8 or 16 bits"])


if __name__ == "__main__":
    unittest.main()
