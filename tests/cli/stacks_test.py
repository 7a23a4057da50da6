# SPDX-License-Identifier: MIT
"""Stacks and numbers of other types through the commands: same shape and type out, page by page."""
import gzip
import json
import math
import re
import struct
import unittest
import zipfile

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
    code = {"|u1": "B", "|b1": "B", "<u2": "H", "<i2": "h", "<i4": "i", "<f4": "f", "<f8": "d"}[element]
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

    def test_halftone(self):
        """Every page as it would be alone, but for the range of numbers, which is the stack's."""
        self.works("halftone", "in.npy", "all.npy", "--levels", "5", "--quiet")
        element, shape, out = read_npy(self.get("all.npy"))
        self.assertEqual((element, shape), ("|u1", (PAGES, HEIGHT, WIDTH)))
        least, most = min(self.numbers), max(self.numbers)
        tones = [round(65535 * (n - least) / (most - least)) for n in self.numbers]
        self.put("u.npy", npy((PAGES, HEIGHT, WIDTH), "<u2", tones))
        self.works("halftone", "u.npy", "u_all.npy", "--levels", "5", "--quiet")
        for k in range(PAGES):
            self.works("halftone", "u.npy", "one.npy", "--levels", "5", "--quiet",
                       "--page", str(k + 1))
            self.assertEqual(list(read_npy(self.get("one.npy"))[2]),
                             self.page(read_npy(self.get("u_all.npy"))[2], k))
            exact = sum(self.page(tones, k)) * 4 / 65535
            self.assertLess(abs(sum(self.page(out, k)) - exact), HEIGHT)
        self.refused("halftone", "in.npy", "out.pgm", words=["one page, not 4"])
        self.refused("halftone", "in.npy", "all.npy", "--certificate", "c.json",
                     words=["one page"])
        if supports("tif"):
            self.works("halftone", "in.npy", "out.tif", "--quiet")
            self.works("halftone", "out.tif", "back.npy", "--quiet")
            self.works("halftone", "in.npy", "bits.npy", "--quiet")
            self.assertEqual(self.get("back.npy"), self.get("bits.npy"))

    def discs(self):
        """A disc that grows from page to page."""
        return [900 if (x - 20) ** 2 + (y - 15) ** 2 < (5 + k) ** 2 else -100
                for k in range(PAGES) for y in range(HEIGHT) for x in range(WIDTH)]

    def test_segment(self):
        discs = self.discs()
        self.put("discs.npy", npy((2, PAGES // 2, HEIGHT, WIDTH), "<i2", discs))
        for fronts in "competing", "free":
            run = ("segment", "discs.npy", "out.npy", "--at", "20,15", "--fronts", fronts)
            told = json.loads(self.works(*run, "--json").stdout)
            element, shape, out = read_npy(self.get("out.npy"))
            self.assertEqual((element, shape), ("|b1", (2, PAGES // 2, HEIGHT, WIDTH)))
            self.assertEqual(len(told["pages"]), PAGES)
            wrong = sum((label > 0) != (number > 0) for label, number in zip(out, discs))
            self.assertLess(wrong, 20, fronts)
            done = self.works(*run)
            self.assertEqual(done.stderr.count(b"segment: page "), PAGES)
            self.works("segment", "discs.npy", "one.npy", "--at", "20,15", "--fronts", fronts,
                       "--page", "3", "--overlay", "look.ppm", "--quiet")
            self.assertEqual(self.page(out, 2), list(read_npy(self.get("one.npy"))[2]))
            self.refused("segment", "discs.npy", "x.npy", "--at", "20,15", "--fronts", fronts,
                         "--contours", "x.svg", words=["--contours", "one page"])
        self.refused("segment", "discs.npy", "x.pgm", "--at", "20,15", words=["one page"])

    def test_measure(self):
        self.works("halftone", "in.npy", "out.npy", "--levels", "16", "--quiet")
        told = json.loads(self.works("measure", "in.npy", "out.npy", "--json").stdout)
        self.assertEqual([page["page"] for page in told["pages"]], list(range(1, PAGES + 1)))
        one = json.loads(self.works("measure", "in.npy", "out.npy", "--page", "2",
                                    "--json").stdout)
        self.assertIn("width", one)
        self.works("halftone", "in.npy", "two.npy", "--page", "2-3", "--quiet")
        told = json.loads(self.works("measure", "in.npy", "two.npy", "--page", "2-3",
                                     "--json").stdout)
        self.assertEqual([page["page"] for page in told["pages"]], [2, 3])
        self.refused("measure", "in.npy", "two.npy", words=["4 pages", "has 2"])
        self.put("a.npy", npy((2, 3), "<i2", [-5, 0, 7, 9, 3, 1]))
        self.put("b.npy", npy((2, 3), "<i2", [995, 1000, 1007, 1009, 1003, 1001]))
        self.put("c.npy", npy((2, 3), "<f4", [0, 0.5, 200, 1, 0, 0]))
        self.refused("measure", "c.npy", "c.npy", words=["200 at (2, 0)"])
        self.refused("denoise", "c.npy", "d.npy", "--bits", "8", words=["0 to 200"])
        self.refused("measure", "a.npy", "b.npy", words=["from -5 to 9", "from 995 to 1009"])
        self.refused("measure", "in.npy", "out.npy", "--report", "a.html", words=["one page"])

    def waves(self, k):
        """A pattern that moves by a pixel and a half from page to page."""
        return [int(900 * math.sin((x + 1.5 * k) / 5) * math.cos(y / 4)) +
                int(400 * math.sin((x + 1.5 * k + 2 * y) / 9)) for y in range(48)
                for x in range(64)]

    def away(self, numbers, k, first):
        """How far page k is from the first, but for a border."""
        page = numbers[k * 64 * 48:(k + 1) * 64 * 48]
        inside = [y * 64 + x for y in range(8, 40) for x in range(8, 56)]
        return math.sqrt(sum((page[i] - first[i]) ** 2 for i in inside) / len(inside))

    def test_register(self):
        pages = [self.waves(k) for k in range(3)]
        self.put("s.npy", npy((3, 48, 64), "<i2", sum(pages, [])))
        self.put("f.npy", npy((48, 64), "<i2", pages[0]))
        for run in (["s.npy", "out.npy", "--series", "first"],
                    ["s.npy", "out.npy", "--series", "previous"], ["f.npy", "s.npy", "out.npy"]):
            told = json.loads(self.works("register", *run, "--json").stdout)
            self.assertEqual(len(told["pages"]), 3 if run[0] == "f.npy" else 2)
            element, shape, out = read_npy(self.get("out.npy"))
            self.assertEqual((element, shape), ("<i2", (3, 48, 64)))
            self.assertEqual(list(out[:64 * 48]), pages[0])
            for k in 1, 2:
                self.assertLess(self.away(out, k, pages[0]), 40, run)
                self.assertGreater(self.away(sum(pages, []), k, pages[0]), 120)
        # One page keeps its units too, and a field goes over all pages.
        self.works("register", "f.npy", "s.npy", "one.npy", "--page", "1", "--quiet",
                   "--field", "u.npy")
        self.assertEqual(read_npy(self.get("one.npy")), ("<i2", (48, 64), tuple(pages[0])))
        self.works("register", "apply", "u.npy", "s.npy", "all.npy", "--quiet")
        self.assertEqual(read_npy(self.get("all.npy"))[1:], ((3, 48, 64), tuple(sum(pages, []))))
        self.put("two.npy", npy((2, 48, 64), "<i2", pages[0] + pages[1]))
        self.refused("register", "two.npy", "s.npy", "x.npy", words=["two.npy has 2", "3"])
        self.refused("register", "f.npy", "s.npy", "x.npy", "--field", "u.npy",
                     words=["--field", "one pair"], status=2)
        self.refused("register", "s.npy", "x.npy", words=["--series"], status=2)

    def test_packed(self):
        """gzip files, and members of archives."""
        if not self.zlib():
            self.skipTest("no zlib")
        self.works("denoise", "in.npy", "out.npy", "--quiet")
        wanted = self.get("out.npy")
        self.put("in.npy.gz", gzip.compress(self.get("in.npy")[:5000]) +
                 gzip.compress(self.get("in.npy")[5000:]))
        for method in zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED:
            with zipfile.ZipFile(self.path("in.npz"), "w", method) as archive:
                archive.writestr("a.npy", self.get("in.npy"))
            with zipfile.ZipFile(self.path("two.npz"), "w", method) as archive:
                archive.writestr("other.npy", npy((1, 1), "|u1", [0]))
                archive.writestr("a.npy", self.get("in.npy"))
            for name in "in.npy.gz", "in.npz", "in.npz:a", "two.npz:a", "two.npz:a.npy":
                self.works("denoise", name, "got.npy", "--quiet")
                self.assertEqual(self.get("got.npy"), wanted, name)
        self.works("denoise", "in.npy", "packed.npy.gz", "--quiet")
        self.assertEqual(gzip.decompress(self.get("packed.npy.gz")), wanted)
        self.refused("denoise", "two.npz", "x.npy", words=["several", "other, a"])
        self.refused("denoise", "two.npz:b", "x.npy", words=["no 'b'", "other, a"])
        self.refused("denoise", "none.npz:b", "x.npy", words=["none.npz:b", "opened"])
        self.put("cut.npy.gz", self.get("in.npy.gz")[:-300])
        self.refused("denoise", "cut.npy.gz", "x.npy", words=["ends early"])
        self.put("bad.npy.gz", self.get("in.npy.gz")[:40] + bytes(300))
        self.refused("denoise", "bad.npy.gz", "x.npy", words=["damaged"])
        self.put("cut.npz", self.get("in.npz")[:-30])
        self.refused("denoise", "cut.npz", "x.npy", words=["ZIP"])

    def nifti(self, kind=4, bits=16, data=None, slope=0, sizes=None, order="<"):
        head = bytearray(352)
        struct.pack_into(order + "i", head, 0, 348)
        sizes = sizes or (WIDTH, HEIGHT, PAGES)
        struct.pack_into(order + "8h", head, 40, len(sizes), *sizes, *[1] * (7 - len(sizes)))
        struct.pack_into(order + "2h", head, 70, kind, bits)
        struct.pack_into(order + "8f", head, 76, 1, 0.5, 0.25, 2, 1, 1, 1, 1)
        struct.pack_into(order + "3f", head, 108, 352, slope, 7)
        head[123] = 2
        head[148:154] = b"a scan"
        head[344:348] = b"n+1\0"
        if data is None:
            data = struct.pack("%s%dh" % (order, len(self.numbers)), *self.numbers)
        return bytes(head) + data

    def test_nifti(self):
        self.works("denoise", "in.npy", "out.npy", "--quiet")
        wanted = read_npy(self.get("out.npy"))[2]
        for order in "<", ">":
            self.put("in.nii", self.nifti(order=order))
            self.works("denoise", "in.nii", "got.npy", "--quiet")
            self.assertEqual(read_npy(self.get("got.npy")), ("<i2", (PAGES, HEIGHT, WIDTH), wanted))
        self.put("in.nii", self.nifti(slope=2))
        done = self.works("denoise", "in.nii", "got.npy")
        self.assertIn(b"dropped its spacing, its scale (2 n +7), fields of its header", done.stderr)
        done = self.works("denoise", "in.nii", "got.nii")
        self.assertNotIn(b"dropped", done.stderr)
        got = self.get("got.nii")
        self.assertEqual(got[:352], self.get("in.nii")[:352])
        self.assertEqual(struct.unpack("<%dh" % len(wanted), got[352:]), wanted)
        if self.zlib():
            self.put("in.nii.gz", gzip.compress(self.get("in.nii")))
            self.works("denoise", "in.nii.gz", "got.nii.gz", "--quiet")
            self.assertEqual(gzip.decompress(self.get("got.nii.gz")), got)
        four = self.nifti(sizes=(WIDTH, HEIGHT, 2, PAGES // 2))
        self.put("four.nii", four)
        self.works("denoise", "four.nii", "four.npy", "--quiet")
        self.assertEqual(read_npy(self.get("four.npy"))[1:], ((PAGES // 2, 2, HEIGHT, WIDTH), wanted))
        self.works("denoise", "four.nii", "out.nii", "--quiet")
        self.assertEqual(self.get("out.nii")[40:56], four[40:56])
        for words, data in ((["size -5"], self.nifti(sizes=(WIDTH, -5))),
                            (["complex"], self.nifti(kind=32)),
                            (["type 2048"], self.nifti(kind=2048)),
                            (["ends early"], self.nifti()[:-1]),
                            (["NIfTI"], self.nifti()[:344] + bytes(8))):
            self.put("bad.nii", data)
            self.refused("denoise", "bad.nii", "x.npy", words=words)
        self.refused("denoise", "in.nii", "x.png", "--page", "1", words=["int16"])

    def test_nrrd(self):
        self.works("denoise", "in.npy", "out.npy", "--quiet")
        wanted = read_npy(self.get("out.npy"))[2]
        more = b"spacings: 0.5 0.25 2\n# a comment\nkey:=value\n"
        head = (b"NRRD0004\ntype: int16\ndimension: 3\nsizes: %d %d %d\nencoding: raw\n"
                b"endian: little\nkinds: domain domain domain\n" % (WIDTH, HEIGHT, PAGES)) + more
        data = struct.pack("<%dh" % len(self.numbers), *self.numbers)
        result = struct.pack("<%dh" % len(wanted), *wanted)
        self.put("in.nrrd", head + b"\n" + data)
        done = self.works("denoise", "in.nrrd", "got.nrrd")
        self.assertNotIn(b"dropped", done.stderr)
        self.assertEqual(self.get("got.nrrd"), head + b"\n" + result)
        big = head.replace(b"little", b"big").replace(b"int16", b"short")
        self.put("in.nrrd", big + b"\n" + struct.pack(">%dh" % len(self.numbers), *self.numbers))
        self.works("denoise", "in.nrrd", "big.nrrd", "--quiet")
        self.assertEqual(self.get("big.nrrd"), self.get("got.nrrd"))
        if self.zlib():
            self.put("in.nrrd", head.replace(b"raw", b"gzip") + b"\n" + gzip.compress(data))
            self.works("denoise", "in.nrrd", "gz.nrrd", "--quiet")
            self.assertEqual(self.get("gz.nrrd"), self.get("got.nrrd"))
        for words, old, new in ((["sizes"], b"sizes: ", b"sizes: -"),
                                (["sizes"], b"sizes: ", b"sizes: 99999999999999999"),
                                (["ends early"], b"sizes: ", b"sizes: 9"),
                                (["bzip2"], b"raw", b"bzip2"), (["block"], b"int16", b"block"),
                                (["do not fit"], b"dimension: 3", b"dimension: 2"),
                                (["another file"], b"# a", b"data file: b.raw\n# a")):
            self.put("bad.nrrd", head.replace(old, new, 1) + b"\n" + data)
            self.refused("denoise", "bad.nrrd", "x.npy", words=words)

    def test_range_of_a_stack(self):
        """--range data is that of all pages, and counts as the file does."""
        least, most = min(self.numbers), max(self.numbers)
        for numbers in "data", "%d,%d" % (least, most):
            self.works("halftone", "in.npy", "a.npy", "--levels", "5", "--range", numbers, "--quiet")
            self.works("halftone", "in.npy", "b.npy", "--levels", "5", "--quiet")
            self.assertEqual(self.get("a.npy"), self.get("b.npy"), numbers)
        self.put("flat.pgm", b"P5 2 1 255 aa")
        self.refused("halftone", "flat.pgm", "a.npy", "--range=data", words=["flat.pgm", "the same"])
        # A range beyond the data, and one within it.
        for black, white in (-2000, 6000), (0, 1000):
            self.works("halftone", "in.npy", "a.npy", "--levels", "9", "--quiet",
                       "--range=%d,%d" % (black, white))
            got = sum(read_npy(self.get("a.npy"))[2])
            tones = [min(max((n - black) / (white - black), 0), 1) for n in self.numbers]
            self.assertLess(abs(got - 8 * sum(tones)), PAGES * HEIGHT)

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

    def test_archives_stay(self):
        """A written archive has one member, and names in it are plain."""
        self.works("denoise", "in.npy", "a.npz:x", "--page", "1", "--quiet")
        before = self.get("a.npz")
        for out in ("a.npz:y", "a.npz", "A.npz:../a", "a.npz:../../x", "a.npz:/", "a.npz:p//q",
                    "a.npz:.", "a.npz.gz"):
            self.refused("denoise", "a.npz:x", out, words=["a.npz" if out[0] == "a" else "A.npz"])
        self.refused("denoise", "in.npy", "a.npz:y", "--page", "1", words=["other arrays (x)"])
        self.assertEqual(self.get("a.npz"), before)
        self.works("denoise", "a.npz:x", "a.npz:x", "--quiet")
        self.put("b.npz", b"no archive")
        self.works("denoise", "in.npy", "b.npz:y", "--page", "1", "--quiet")
        self.assertEqual(self.get("b.npz")[:2], b"PK")

    def test_hdf5_stays(self):
        page = ("--page", "1")
        self.works("denoise", "in.npy", "a.h5:/g/x", "--quiet", *page)
        before = self.get("a.h5")
        for out in ("a.h5:/g/y", "a.h5", "a.h5:/h/x", "a.h5:x"):
            self.refused("denoise", "in.npy", out, *page, words=["one dataset"])
        self.assertEqual(self.get("a.h5"), before)
        self.works("denoise", "in.npy", "a.h5:/g/x", "--quiet", *page)
        for out in ("b.h5:/../x", "b.h5:/x/", "b.h5.gz", "b.hdf5.GZ"):
            self.refused("denoise", "in.npy", out, *page, words=["b."])

    def test_certificate(self):
        self.refused("denoise", "in.npy", "out.npy", "--certificate", "c.json",
                     words=["one page"])
        self.works("denoise", "in.npy", "out.npy", "--certificate", "c.json", "--page", "1",
                   "--quiet")
        self.works("verify", "c.json", "in.npy", "out.npy", "--quiet")


if __name__ == "__main__":
    unittest.main()
