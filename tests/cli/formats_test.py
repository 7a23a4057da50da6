# SPDX-License-Identifier: MIT
"""What uncommon but valid files mean: wide integers, photometric defaults, profiles of BMP."""
import json
import struct
import unittest

from command import Case, certifies, netpbm, supports

WIDTH, HEIGHT = 12, 4


def tiff(pixels, *tags, width=WIDTH, height=HEIGHT, photometric=1, bits=8, samples=1, kind=1):
    """A TIFF file of one strip. A tag is (number, type, values); photometric None: it has none."""
    known = [(256, 3, [width]), (257, 3, [height]), (258, 3, [bits] * samples), (259, 3, [1]),
             (273, 4, [8]), (277, 3, [samples]), (278, 3, [height]), (279, 4, [len(pixels)]),
             (339, 3, [kind] * samples)]
    if photometric is not None:
        known.append((262, 3, [photometric]))
    known = [tag for tag in known if tag[0] not in [more[0] for more in tags]] + list(tags)
    data, entries = pixels + bytes(len(pixels) % 2), b""
    for number, form, values in sorted(known):
        packed = struct.pack("<%d%s" % (len(values), {3: "H", 4: "I"}[form]), *values)
        if len(packed) > 4:
            entries += struct.pack("<HHII", number, form, len(values), 8 + len(data))
            data += packed
        else:
            entries += struct.pack("<HHI4s", number, form, len(values), packed)
    return (b"II*\0" + struct.pack("<I", 8 + len(data)) + data + struct.pack("<H", len(known)) +
            entries + bytes(4))


def npy(element, numbers):
    head = b"{'descr': '<%s', 'fortran_order': False, 'shape': (%d, %d), }" % (
        element.encode(), HEIGHT, WIDTH)
    head += b" " * (117 - len(head)) + b"\n"
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head + numbers


class WideIntegers(Case):
    """Black is the least number of a file and white the largest, as where 16 bits are enough."""
    KINDS = {"u4": ("I", 1, 2 ** 32 - 1), "i4": ("i", 2, 2 ** 31 - 1), "u8": ("Q", 1, 2 ** 64 - 1),
             "i8": ("q", 2, 2 ** 63 - 1)}

    def numbers(self, element, least, most):
        count = WIDTH * HEIGHT
        values = [least + (most - least) * i // (count - 1) for i in range(count)]
        return values, struct.pack("<%d%s" % (count, self.KINDS[element][0]), *values)

    def tones(self, name, *more):
        self.works("halftone", name, "out.pgm", "--levels", "256", "--quiet", *more)
        return netpbm(self.get("out.pgm"))[2]

    def near(self, got, wanted):
        self.assertLess(max(abs(g - w) for g, w in zip(got, wanted)), 1.01)
        self.assertLess(abs(sum(got) - sum(wanted)), HEIGHT)

    def test_black_and_white(self):
        for element, (_, kind, largest) in self.KINDS.items():
            low = -largest - 1 if kind == 2 else 0
            for least, most in [(low, largest), (5, 65540), (5, 65541), (largest - 10 ** 7, largest)]:
                values, data = self.numbers(element, least, most)
                wanted = [255 * (v - least) / (most - least) for v in values]
                self.put("in.npy", npy(element, data))
                names = ["in.npy"]
                if supports("tif"):
                    self.put("in.tif", tiff(data, bits=8 * int(element[1]), kind=kind))
                    names.append("in.tif")
                for name in names:
                    with self.subTest(name=name, element=element, least=least, most=most):
                        got = self.tones(name)
                        if largest < 2 ** 33 and least != largest - 10 ** 7:  # floats hold them
                            self.near(got, wanted)
                        self.assertEqual(got, self.tones(name, "--range", "full"))
                        if struct.pack("f", least) != struct.pack("f", most):
                            self.assertEqual((got[0], got[-1]), (0, 255))
                            self.assertEqual(got, self.tones(name, "--range", "data"))
                        else:  # floats do not tell these numbers apart, and a line says so
                            self.assertEqual(got, bytes(WIDTH * HEIGHT))

    def test_range(self):
        values, data = self.numbers("u4", 0, 10 ** 6)
        self.put("in.npy", npy("u4", data))
        self.near(self.tones("in.npy", "--range", "0,4000000"), [255 * v / 4e6 for v in values])
        self.refused("halftone", "in.npy", "out.pgm", "--range", "limited", words=["limited"])
        self.refused("halftone", "in.npy", "out.png", "--palette", "auto:4", words=["uint32"])

    def test_pipe(self):
        """It cannot be searched for the largest number before the first row is needed."""
        for most in 60000, 10 ** 6:
            _, data = self.numbers("u4", 0, most)
            self.refused("halftone", "-", "out.pgm", words=["uint32", "pipe", "range"],
                         input=npy("u4", data))
            self.works("halftone", "-", "out.pgm", "--range", "0,%d" % most, input=npy("u4", data))

    @unittest.skipUnless(certifies(), "no hashes")
    def test_certificate(self):
        _, data = self.numbers("u4", 7, 10 ** 6)
        self.put("in.npy", npy("u4", data))
        for more in [], ["--resize", "9x3"]:
            self.works("halftone", "in.npy", "out.pgm", "--certificate", "c.json", *more)
            self.works("verify", "c.json", "in.npy", "out.pgm", "--recompute")
            self.works("halftone", "in.npy", "out.pgm", "--certificate", "same.json",
                       "--range", "7,1000000", *more)
            own, same = (json.loads(self.get(name)) for name in ("c.json", "same.json"))
            for key in set(own) - {"option_range", "checksum"}:
                self.assertEqual(own[key], same[key], key)


@unittest.skipUnless(supports("tif"), "no TIFF")
class Photometric(Case):
    """What colours mean in a TIFF file that does not say it."""

    def pnm(self, data, name, *more):
        self.put("in.tif", data)
        done = self.works("halftone", "in.tif", name, "--strict", "--quiet", *more)
        self.assertEqual(done.stderr, b"")
        return netpbm(self.get(name))[2]

    def test_fax(self):
        """A line of 24 white pixels in modified Huffman code is paper."""
        rows = bytes([0b01010000]) * HEIGHT  # white run of 24: 0101000
        for compression, wanted in (2, 0), (1, 255):  # PBM: 0 is white
            pixels = rows if compression == 2 else bytes(3 * HEIGHT)
            data = tiff(pixels, (259, 3, [compression]), width=24, bits=1, photometric=None)
            self.assertEqual(set(self.pnm(data, "out.pbm")), {wanted})
        for photometric, wanted in (0, 0), (1, 255):  # stated, it holds
            data = tiff(rows, (259, 3, [2]), width=24, bits=1, photometric=photometric)
            self.assertEqual(set(self.pnm(data, "out.pbm")), {wanted})

    def test_inks(self):
        planes = [bytes([v] * (WIDTH * HEIGHT)) for v in (255, 0, 51, 0)]
        at = [8 + i * WIDTH * HEIGHT for i in range(4)]
        tags = [(273, 4, at), (279, 4, [WIDTH * HEIGHT] * 4), (284, 3, [2])]
        stated = tiff(b"".join(planes), *tags, photometric=5, samples=4)
        rgb = ["--channels", "rgb", "--levels", "256"]
        wanted = self.pnm(stated, "out.ppm", *rgb)
        self.assertEqual(wanted[:3], bytes((0, 255, 204)))
        data = tiff(b"".join(planes), (332, 3, [1]), *tags, photometric=None, samples=4)
        self.assertEqual(self.pnm(data, "out.ppm", *rgb), wanted)


class BmpOffset(Case):
    def bmp(self, offset, head=40):
        """Eight colours, and as many pixels of each row."""
        entry = 3 if head == 12 else 4
        palette = b"".join(bytes([30 * i, 20 * i, 10 * i, 0][:entry]) for i in range(8))
        if head == 12:
            palette += bytes(3 * 248)
            fields = struct.pack("<IHHHH", 12, 8, 2, 1, 8)
        else:
            fields = struct.pack("<IiiHHIIiiII", 40, 8, 2, 1, 8, 0, 16, 0, 0, 8, 0)
        at = 14 + head + (len(palette) if offset is None else offset)
        return struct.pack("<2sIII", b"BM", 70, 0, at) + fields + palette + bytes(range(8)) * 2

    def test_into_the_palette(self):
        """It is where the palette begins: the pixels follow that, as Pillow has it."""
        run = ["--channels", "rgb", "--levels", "256"]
        for head in 40, 12:
            self.put("right.bmp", self.bmp(None, head))
            self.put("wrong.bmp", self.bmp(0, head))
            self.works("halftone", "right.bmp", "right.ppm", "--strict", *run)
            done = self.works("halftone", "wrong.bmp", "wrong.ppm", *run)
            self.assertIn(b"wrong.bmp: dropped its pixel offset", done.stderr)
            self.assertEqual(self.get("wrong.ppm"), self.get("right.ppm"))
            self.refused("halftone", "wrong.bmp", "x.ppm", "--strict", *run, words=["pixel offset"])
            self.put("short.bmp", self.bmp(0, head)[:-1])
            self.refused("halftone", "short.bmp", "x.ppm", *run, words=["ends early"])
            # one palette entry before the pixels is a short palette
            self.put("short.bmp", self.bmp(8, head)[:-1])
            self.works("halftone", "short.bmp", "x.ppm", "--strict", *run)


class NiftiExtensions(Case):
    def nifti(self, order, *extensions, mark=1):
        head = bytearray(348)
        data = b"".join(struct.pack(order + "ii", 8 + len(text), 6) + text for text in extensions)
        struct.pack_into(order + "i", head, 0, 348)
        struct.pack_into(order + "8h", head, 40, 2, WIDTH, HEIGHT, 1, 1, 1, 1, 1)
        struct.pack_into(order + "2h", head, 70, 2, 8)
        struct.pack_into(order + "f", head, 108, 352 + len(data))
        head[344:] = b"n+1\0"
        return bytes(head) + bytes((mark, 0, 0, 0)) + data + bytes(range(WIDTH * HEIGHT))

    def test_named(self):
        run = ["denoise", "in.nii", "out.nii"]
        for order in "<>":
            for texts, words in (([b"a comment"], b"dropped 1 extension of its header"),
                                 ([b"more", b"", b"data"], b"dropped 3 extensions of its header")):
                self.put("in.nii", self.nifti(order, *texts))
                self.assertIn(words, self.works(*run).stderr)
                self.refused("denoise", "in.nii", "x.nii", "--strict", words=["extension"])
            for mark, texts in (1, []), (0, [bytes(8)]):
                self.put("in.nii", self.nifti(order, *texts, mark=mark))
                self.assertNotIn(b"extension", self.works(*run).stderr)
        # a size that is no size ends the list
        data = bytearray(self.nifti("<", b"text", b"text"))
        for size in 0, 7, 1 << 31:
            struct.pack_into("<I", data, 364, size)
            self.put("in.nii", bytes(data))
            self.assertIn(b"dropped 1 extension of", self.works(*run).stderr)
            self.assertEqual(len(self.get("out.nii")), 352 + WIDTH * HEIGHT)


class GifFrames(Case):
    def gif(self, *palettes):
        """A frame of 2 x 1 pixels, the second colour and the first, for each palette of two."""
        data = b"GIF89a" + struct.pack("<HHBBB", 2, 1, 0, 0, 0)
        for palette in palettes:
            # codes of 3 bits: clear (4), 1, 0, end (5)
            data += (b"," + struct.pack("<HHHHB", 0, 0, 2, 1, 0x80) + bytes(palette) + b"\x02\x02" +
                     (4 | 1 << 3 | 0 << 6 | 5 << 9).to_bytes(2, "little") + b"\0")
        return data + b";"

    def test_grey_then_colours(self):
        grey, colours = (10, 10, 10, 200, 200, 200), (255, 0, 0, 0, 0, 255)
        rgb = ["--channels", "rgb", "--levels", "256"]
        wanted = {grey: grey[3:] + grey[:3], colours: colours[3:] + colours[:3]}
        for frames in (grey, colours, grey), (colours, grey, colours), (grey, grey):
            self.put("in.gif", self.gif(*frames))
            self.works("halftone", "in.gif", "all.npy", "--page", "all", "--strict", *rgb)
            self.assertEqual(self.get("all.npy")[-6 * len(frames):],
                             b"".join(bytes(wanted[frame]) for frame in frames))
            for number, frame in enumerate(frames):
                self.works("halftone", "in.gif", "one.ppm", "--page", str(number + 1), *rgb)
                self.assertEqual(netpbm(self.get("one.ppm"))[2], bytes(wanted[frame]))


class Unsupported(Case):
    """Valid files that are not read are not called improper."""

    def test_named(self):
        detached = (b"NRRD0004\ntype: uint8\ndimension: 2\nsizes: 4 4\nencoding: raw\n"
                    b"data file: a.raw\n")
        cases = [(data, "in another file") for data in (detached, detached[:-1], detached + b"\n")]
        cases.append((detached.replace(b"data file: a.raw", b"line skip: 2") + b"\n", "line skip"))
        for data, words in cases:
            self.put("in", data)
            done = self.refused("halftone", "in", "out.pgm", words=[words])
            self.assertNotIn(b"proper", done.stderr)

    @unittest.skipUnless(supports("jpg"), "no JPEG")
    def test_jpeg(self):
        for frame, bits, words in ((0xc3, 8, "lossless"), (0xc5, 8, "hierarchical"),
                                   (0xc1, 12, "12 bits"), (0xc0, 77, "not a proper JPEG")):
            head = struct.pack(">BHHB3B", bits, 8, 8, 1, 1, 0x11, 0)
            self.put("in", b"\xff\xd8\xff" + bytes([frame]) + struct.pack(">H", 2 + len(head)) + head +
                     b"\xff\xda\0\x08\x01\x01\0\0\x3f\0" + bytes(9) + b"\xff\xd9")
            done = self.refused("halftone", "in", "out.pgm", words=[words])
            self.assertEqual(b"proper" in done.stderr, bits == 77)


if __name__ == "__main__":
    unittest.main()
