# SPDX-License-Identifier: MIT
"""Files that devices and other programs make, read and written by the command."""
import os
import struct
import subprocess
import unittest

from command import Case, SOURCE_DIR, have, netpbm, noise, pgm, supports


def seed(kind, name):
    with open(os.path.join(SOURCE_DIR, "tests/fuzz/seeds", kind, name), "rb") as file:
        return file.read()


def ppm(width, height, pixels):
    return b"P6\n%d %d\n255\n" % (width, height) + bytes(pixels)


class Read(Case):
    def levels(self, data, *more):
        """16 levels of a picture that comes through a pipe, and the same from a file."""
        self.put("in.any", data)
        file = self.works("halftone", "in.any", "-", "--levels", "16", "--quiet", *more).stdout
        pipe = self.works("halftone", "-", "-", "--levels", "16", "--quiet", *more, input=data).stdout
        self.assertEqual(file, pipe)
        return file

    def test_same_picture(self):
        wanted = self.levels(seed("pam", "rgb"))
        for kind, name in [("bmp", "rgb"), ("bmp", "down"), ("bmp", "wide")]:
            self.assertEqual(self.levels(seed(kind, name)), wanted, (kind, name))
        if supports("webp"):
            self.assertEqual(self.levels(seed("webp", "lossless")), wanted)
        wanted = self.levels(seed("bmp", "eight"))
        for kind, name in [("bmp", "runs"), ("bmp", "runs4"), ("gif", "plain"), ("gif", "interlaced")]:
            self.assertEqual(self.levels(seed(kind, name)), wanted, (kind, name))

    def test_frames(self):
        data = seed("gif", "frames")
        frames = [self.levels(data, "--page", page) for page in "123"]
        self.assertEqual(len(set(frames)), 3)
        self.put("in.gif", data)
        self.put("out.pgm", b"old")
        self.refused("halftone", "in.gif", "out.pgm", "--page", "4", words=["no page 4", "is 3"])
        done = self.works("halftone", "in.gif", "out.pgm")
        self.assertIn(b"in.gif: dropped a comment, 2 further pages\n", done.stderr)

    def test_named_pipe(self):
        """It can be opened once and read once."""
        os.mkfifo(self.path("pipe"))
        for data in [seed("bmp", "rgb"), seed("gif", "plain"), seed("pfm", "grey")]:
            child = os.fork()
            if child == 0:
                with open(self.path("pipe"), "wb") as pipe:
                    pipe.write(data)
                os._exit(0)
            self.works("halftone", "pipe", "out.pgm", "--quiet")
            os.waitpid(child, 0)

    @unittest.skipUnless(supports("tif"), "no TIFF")
    def test_inks(self):
        """Four inks come back as the colours they make."""
        pixels = bytes(255 * (v & 1) for v in noise(3 * 21 * 5))
        self.put("in.ppm", ppm(21, 5, pixels))
        for more in [[], ["--black-ink", "0"]]:
            self.works("halftone", "in.ppm", "inks.tif", "--separate", "cmyk-tiff", "--quiet", *more)
            self.works("halftone", "inks.tif", "back.ppm", "--channels", "rgb", "--quiet")
            self.assertEqual(netpbm(self.get("back.ppm"))[2], pixels)

    def test_damage(self):
        self.put("out.pgm", b"old")
        for kind, name in [("bmp", "rgb"), ("gif", "plain"), ("pam", "rgb"), ("pfm", "little")]:
            self.put("in.any", seed(kind, name)[:-20])
            self.refused("halftone", "in.any", "out.pgm", words=["in.any"])
            self.put("in.any", seed(kind, name)[:9])
            self.refused("halftone", "in.any", "out.pgm", words=["in.any"])
        self.put("in.any", b"garbage" * 9)
        self.refused("halftone", "in.any", "out.pgm", words=["PNM, PNG, TIFF", " or PFM"])


class Written(Case):
    WIDTH, HEIGHT = 37, 11
    PALETTE = "white black #c00 #0b0 #22f #fe0 #f80"

    def setUp(self):
        super().setUp()
        self.put("in.pgm", pgm(self.WIDTH, self.HEIGHT, noise(self.WIDTH * self.HEIGHT)))
        self.put("in.ppm", ppm(self.WIDTH, self.HEIGHT, noise(3 * self.WIDTH * self.HEIGHT)))

    def halftone(self, *arguments):
        self.works("halftone", *arguments, "--quiet")

    def numbers(self, *more):
        """The numbers of levels or colours, from NPY."""
        self.halftone("in.ppm", "numbers.npy", *more)
        return self.get("numbers.npy")[-self.WIDTH * self.HEIGHT:]

    def packed(self, numbers, bits, low=False, flip=0):
        data = b""
        for y in range(self.HEIGHT):
            row = bytearray((self.WIDTH * bits + 7) // 8)
            for x in range(self.WIDTH):
                at = x * bits
                shift = at % 8 if low else 8 - bits - at % 8
                row[at // 8] |= (numbers[y * self.WIDTH + x] ^ flip) << shift
            data += bytes(row)
        return data

    def test_bits(self):
        levels = self.numbers()
        for more, low, flip in [([], 0, 0), (["--bit-order", "lsb"], 1, 0),
                                (["--ones", "black"], 0, 1),
                                (["--ones", "black", "--bit-order", "lsb"], 1, 1)]:
            self.halftone("in.ppm", "out.bits", *more)
            self.assertEqual(self.get("out.bits"), self.packed(levels, 1, low, flip), more)
        done = self.works("halftone", "in.ppm", "-", "--type", "bits", "--quiet")
        self.assertEqual(done.stdout, self.packed(levels, 1))

    def test_packed(self):
        for more, bits in [(["--palette", self.PALETTE], 4), (["--palette", "black white red"], 2),
                           (["--levels", "4"], 2), (["--levels", "100"], 8),
                           (["--palette", "white black"], 1)]:
            numbers = self.numbers(*more)
            for order in ["msb", "lsb"]:
                self.halftone("in.ppm", "out.packed", "--bit-order", order, *more)
                self.assertEqual(self.get("out.packed"), self.packed(numbers, bits, order == "lsb"))
        self.halftone("in.ppm", "out.packed", "--palette", "white black red", "--pixel-bits", "4")
        self.assertEqual(self.get("out.packed"),
                         self.packed(self.numbers("--palette", "white black red"), 4))

    def test_numbers(self):
        mapped = [0, 1, 2, 3, 5, 6]
        numbers = bytes(mapped[k] for k in self.numbers("--palette", "spectra6"))
        self.halftone("in.ppm", "out.packed", "--palette", "spectra6", "--numbers", "0,1,2,3,5,6")
        self.assertEqual(self.get("out.packed"), self.packed(numbers, 4))
        levels = bytes(9 - k for k in self.numbers())
        self.halftone("in.ppm", "out.packed", "--numbers", "9,8")
        self.assertEqual(self.get("out.packed"), self.packed(levels, 4))

    @unittest.skipUnless(have(os.environ.get("CC", "cc")), "no C compiler")
    def test_array(self):
        for name, array, more in [("face.c", "face", []), ("7 colours.h", "_7_colours",
                                                            ["--palette", self.PALETTE])]:
            self.halftone("in.ppm", name, *more)
            self.halftone("in.ppm", "out.packed", *more)
            self.put("main.c", b"""#include <stdio.h>
                #include "%s"
                int main(void) { return %s_width != %d || %s_height != %d ||
                    fwrite(%s, 1, sizeof %s, stdout) != sizeof %s; }"""
                     % tuple(v.encode() if isinstance(v, str) else v for v in
                             (name, array, self.WIDTH, array, self.HEIGHT, array, array, array)))
            subprocess.run([os.environ.get("CC", "cc"), "-Wall", "-Wextra", "-Werror", "-o", "main",
                            "main.c"], cwd=self.folder, check=True)
            done = subprocess.run([self.path("main")], stdout=subprocess.PIPE, check=True)
            self.assertEqual(done.stdout, self.get("out.packed"))

    def test_bmp(self):
        """The depth is the least that holds the picture, and it reads back as itself."""
        for more, bits in [([], 1), (["--levels", "4"], 4), (["--levels", "16"], 4),
                           (["--levels", "9"], 8), (["--palette", self.PALETTE], 4),
                           (["--palette", "white black"], 1), (["--channels", "rgb"], 24)]:
            self.halftone("in.ppm", "out.bmp", "--dpi", "300", *more)
            data = self.get("out.bmp")
            fields = struct.unpack("<IHHIIiiHHIIiiI", data[2:50])
            self.assertEqual((fields[0], fields[8]), (len(data), bits), more)
            self.assertEqual(fields[11:13], (11811, 11811))
            piped = self.works("halftone", "in.ppm", "-", "--type", "bmp", "--quiet", *more).stdout
            self.put("piped.bmp", piped)
            self.assertEqual(struct.unpack("<i", piped[22:26])[0], -self.HEIGHT)
            wanted = "wanted.ppm" if "--palette" in more or "--channels" in more else "wanted.pgm"
            self.halftone("in.ppm", wanted, *more)
            again = ["--levels", "256"] + (["--channels", "rgb"] if wanted.endswith("ppm") else [])
            for name in ["out.bmp", "piped.bmp"]:
                self.halftone(name, "back." + wanted[-3:], *again)
                self.assertEqual(self.get("back." + wanted[-3:]), self.get(wanted), (name, more))

    @unittest.skipUnless(supports("png"), "no PNG")
    def test_palette_of_png(self):
        """The palette as it was given, in its order."""
        self.halftone("in.ppm", "out.png", "--palette", self.PALETTE)
        data = self.get("out.png")
        at = data.index(b"PLTE")
        self.assertEqual(data[at - 4:at], struct.pack(">I", 21))
        self.assertEqual(data[at + 4:at + 25], bytes.fromhex("ffffff000000cc000000bb002222ffffee00ff8800"))

    @unittest.skipUnless(supports("tif"), "no TIFF")
    def test_compression(self):
        schemes = {"none": 1, "g4": 4, "packbits": 32773, "zip": 8, "lzw": 5}
        for more in [[], ["--levels", "7"], ["--palette", self.PALETTE], ["--channels", "rgb"]]:
            colour = "--palette" in more or "--channels" in more
            wanted = "wanted.ppm" if colour else "wanted.pgm"
            self.halftone("in.ppm", wanted, *more)
            for name, number in schemes.items():
                if name == "g4" and more:
                    self.put("out.tif", b"old")
                    self.refused("halftone", "in.ppm", "out.tif", "--compression", name, *more,
                                 words=["g4", "two levels"])
                    continue
                self.halftone("in.ppm", "out.tif", "--compression", name, *more)
                data = self.get("out.tif")
                first = struct.unpack("<I", data[4:8])[0]
                tags = {struct.unpack("<HHIHH", data[at:at + 12])[0]: data[at + 8:at + 10] for at in
                        range(first + 2, first + 2 + 12 * data[first], 12)}
                self.assertEqual(struct.unpack("<H", tags[259])[0], number)
                self.halftone("out.tif", "back." + wanted[-3:], "--levels", "256" if more else "2",
                              *(["--channels", "rgb"] if colour else []))
                self.assertEqual(self.get("back." + wanted[-3:]), self.get(wanted), (name, more))

    def test_refused(self):
        for name, words, more in [
                ("int.c", ["'int'", "another name"], []), ("while.h", ["'while'"], []),
                ("out.bits", ["4 levels", "2 bits", "not 1"], ["--levels", "4"]),
                ("out.bits", ["3 colours"], ["--palette", "black white red"]),
                ("out.packed", ["7 colours", "4 bits"], ["--palette", self.PALETTE, "--pixel-bits", "2"]),
                ("out.packed", ["of 3 bits"], ["--pixel-bits", "3"]),
                ("out.packed", ["3 numbers", "2 levels"], ["--numbers", "0,1,2"]),
                ("out.packed", ["number 8", "4 bits"], ["--numbers", "0,8", "--pixel-bits", "2"]),
                ("out.packed", ["such as 0,1"], ["--numbers", "0,256"]),
                ("out.packed", ["number 1", "twice"], ["--numbers", "1,1"]),
                ("out.packed", ["such as 0,1"], ["--numbers", "0,"]),
                ("out.packed", ["what ones are"], ["--numbers", "1,0", "--ones", "black"]),
                ("out.png", ["packed"], ["--numbers", "1,0"]),
                ("out.packed", ["ones"], ["--ones", "black", "--levels", "4"]),
                ("out.packed", ["256 levels"], ["--levels", "1000"]),
                ("out.pbm", ["order", ".pbm"], ["--bit-order", "lsb"]),
                ("out.pbm", ["compression", ".pbm"], ["--compression", "zip"]),
                ("out.bmp", ["16"], ["--levels", "1000"]),
                ("out.bmp", ["inks"], ["--separate", "cmyk-tiff"])]:
            self.put(name, b"old")
            self.refused("halftone", "in.ppm", name, *more, words=words)
        done = self.command("halftone", "in.ppm", "out.bits", "--certificate", "c.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"cannot be read back", done.stderr)


if __name__ == "__main__":
    unittest.main()
