# SPDX-License-Identifier: MIT
"""--like pillow and --like netpbm beside the installed programs, byte for byte."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROUNDOFF = os.path.abspath(os.environ.get("ROUNDOFF", "build/roundoff"))

PILLOW = """
import sys
from PIL import Image
Image.open(sys.argv[1]).convert("L").convert("1").save(sys.argv[2])
"""


def find_pillow():
    for python in [sys.executable, "/usr/bin/python3"]:
        if subprocess.run([python, "-c", "import PIL"], stderr=subprocess.DEVNULL).returncode == 0:
            return python
    return None


PYTHON = find_pillow()


def random_picture(width, height, seed):
    values = bytearray(width * height)
    for i in range(width * height):
        seed = (seed * 1664525 + 1013904223) & 0xFFFFFFFF
        values[i] = seed >> 24
    return values


def pictures():
    """Small random images, and a ramp with a flat part."""
    for width, height in [(1, 1), (1, 7), (2, 2), (63, 5), (64, 64), (200, 111)]:
        yield width, height, random_picture(width, height, width + height)
    yield 300, 90, bytes(min(255, x) if y < 60 else 128 for y in range(90) for x in range(300))


class Like(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def inputs(self):
        for width, height, pixels in pictures():
            with open(self.path("in.pgm"), "wb") as file:
                file.write(b"P5\n%d %d\n255\n" % (width, height) + bytes(pixels))
            yield "%d x %d" % (width, height)
        self.run_ok(ROUNDOFF, "testcard", "in.pgm", "--size", "640x480", "--quiet")
        yield "test card"
        for name in os.environ.get("PHOTOGRAPHS", "").split(os.pathsep):
            if name and PYTHON:
                self.run_ok(PYTHON, "-c", "import sys; from PIL import Image; "
                            "Image.open(sys.argv[1]).convert('L').save(sys.argv[2])",
                            name, "in.pgm")
                yield name

    def run_ok(self, *command):
        done = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def ours(self, *options):
        self.run_ok(ROUNDOFF, "halftone", "in.pgm", "out.pbm", "--quiet", *options)
        return self.body("out.pbm")

    def body(self, name):
        with open(self.path(name), "rb") as file:
            magic, size, bits = file.read().split(b"\n", 2)
        self.assertEqual(magic, b"P4")
        return bits

    @unittest.skipUnless(PYTHON, "Pillow is not installed")
    def test_pillow(self):
        for name in self.inputs():
            self.run_ok(PYTHON, "-c", PILLOW, "in.pgm", "theirs.pbm")
            self.assertEqual(self.ours("--like", "pillow"), self.body("theirs.pbm"), name)

    @unittest.skipUnless(shutil.which("pgmtopbm"), "Netpbm is not installed")
    def test_netpbm(self):
        for name in self.inputs():
            for seed in ["1", "20010815"]:
                theirs = self.run_ok("pgmtopbm", "-fs", "-randomseed=" + seed, "in.pgm")
                bits = theirs.split(b"\n", 2)[2]
                self.assertEqual(self.ours("--like", "netpbm", "--seed", seed), bits, name)


if __name__ == "__main__":
    if not PYTHON and not shutil.which("pgmtopbm"):
        sys.exit(77)
    unittest.main()
