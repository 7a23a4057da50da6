# SPDX-License-Identifier: MIT
"""Files that devices and other programs make, read and written by the command."""
import os
import unittest

from command import Case, SOURCE_DIR, netpbm, noise, supports


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
        for more in [[], ["--black", "0"]]:
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


if __name__ == "__main__":
    unittest.main()
