# SPDX-License-Identifier: MIT
"""Running the command in an empty folder, and what must hold whenever it refuses."""
import functools
import gzip
import os
import shutil
import struct
import subprocess
import tempfile
import unittest
import zlib

ROUNDOFF = os.environ.get("ROUNDOFF", "build/roundoff")
SOURCE_DIR = os.environ.get("SOURCE_DIR", ".")
BUILD_DIR = os.environ.get("BUILD_DIR", "build")
SANITIZE = os.environ.get("SANITIZE", "")
OLD = b"the old output\n"


def have(tool):
    return shutil.which(tool) is not None


@functools.lru_cache(None)
def supports(kind):
    """Whether this build reads files of a kind: libraries may have been left out of it."""
    heads = {"webp": b"RIFF\x40\0\0\0WEBPVP8 ", "png": b"\x89PNG\r\n\x1a\n", "tif": b"II*\0\x08\0\0\0", "jpg": b"\xff\xd8\xff\xe0"}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "head." + kind)
        with open(path, "wb") as file:
            file.write(heads[kind] + bytes(64))
        done = subprocess.run([ROUNDOFF, "halftone", path, os.path.join(folder, "out.pgm")],
                              stderr=subprocess.PIPE)
    return b"this build has no" not in done.stderr


@functools.lru_cache(None)
def certifies():
    """Whether this build has hashes, and so certificates."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([ROUNDOFF, "testcard", os.path.join(folder, "a.pgm"), "--size", "2x2",
                               "--certificate", os.path.join(folder, "a.json")],
                              stderr=subprocess.PIPE)
    return b"no hashes" not in done.stderr


@functools.lru_cache(None)
def profiles():
    """Whether this build makes sRGB of other colours (lcms2)."""
    if not supports("png"):
        return False
    chunk = lambda name, data: (struct.pack(">I", len(data)) + name + data +
                                struct.pack(">I", zlib.crc32(name + data) & 0xFFFFFFFF))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.png")
        with open(path, "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n" +
                       chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)) +
                       chunk(b"gAMA", struct.pack(">I", 100000)) +
                       chunk(b"IDAT", zlib.compress(b"\0\x80")) + chunk(b"IEND", b""))
        done = subprocess.run([ROUNDOFF, "halftone", path, os.path.join(folder, "out.pgm")],
                              stderr=subprocess.PIPE)
    return b"dropped" not in done.stderr


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def put(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return name

    def get(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def command(self, *arguments, **more):
        return subprocess.run([ROUNDOFF, *arguments], cwd=self.folder,
                              timeout=3600 if SANITIZE else 240,
                              stdout=more.pop("stdout", subprocess.PIPE),
                              stderr=subprocess.PIPE, **more)

    def zlib(self):
        """Returns whether this build reads compressed files."""
        self.put("empty.gz", gzip.compress(b""))
        return b"no zlib" not in self.command("denoise", "empty.gz", "x.npy").stderr

    def works(self, *arguments, **more):
        done = self.command(*arguments, **more)
        self.assertEqual(done.returncode, 0, (arguments, done.stderr))
        return done

    def one_sentence(self, text, *words):
        """Exactly one line, in the form of every failure; it holds the words."""
        lines = text.decode().splitlines()
        if SANITIZE:  # which tells of refused requests for memory
            lines = [line for line in lines if "Sanitizer failed to allocate" not in line]
        self.assertEqual(len(lines), 1, lines)
        self.assertRegex(lines[0], r"^roundoff: \S.*[^.\s]$")
        self.assertTrue(text.endswith(b"\n"))
        for word in words:
            self.assertIn(word.lower(), lines[0].lower())

    def refused(self, *arguments, words=(), status=1, **more):
        """Fails in one sentence and leaves the folder as it was."""
        before = self.snapshot()
        done = self.command(*arguments, **more)
        self.assertEqual(done.returncode, status, (arguments, done.stderr))
        self.one_sentence(done.stderr, *words)
        self.assertEqual(self.snapshot(), before, arguments)
        return done

    def snapshot(self):
        files = {}
        for name in sorted(os.listdir(self.folder)):
            path = self.path(name)
            files[name] = self.get(name) if os.path.isfile(path) else "not a file"
        return files


def pgm(width, height, pixels, maxval=255):
    return b"P5\n%d %d\n%d\n" % (width, height, maxval) + bytes(pixels)


def noise(count, seed=1):
    """Bytes that look random, the same everywhere."""
    values = bytearray(count)
    state = seed
    for i in range(count):
        state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
        values[i] = state >> 24
    return bytes(values)


def floyd_steinberg(pixels, width, height, maxval=255, levels=2):
    """The definition (docs/numerics.md) once more, in another language: the level of each pixel."""
    white = 16 * maxval
    tones = [(2 * white * k + levels - 1) // (2 * (levels - 1)) for k in range(levels)]
    above = [0] * (width + 2)
    result = []
    for y in range(height):
        errors = [0] * (width + 2)
        carry = 8
        for x in range(width):
            t = (carry + 7 * errors[x] + above[x] + 5 * above[x + 1] + 3 * above[x + 2])
            v = 16 * pixels[y * width + x] + t // 16
            carry = t % 16
            k = min(range(levels), key=lambda n: (abs(tones[n] - v), n))
            errors[x + 1] = v - tones[k]
            result.append(k)
        above = errors
    return result


def pbm(levels, width, height):
    """A raw PBM of two levels: white is 0."""
    rows = []
    for y in range(height):
        row = bytearray((width + 7) // 8)
        for x in range(width):
            if levels[y * width + x] == 0:
                row[x >> 3] |= 0x80 >> (x & 7)
        rows.append(bytes(row))
    return b"P4\n%d %d\n" % (width, height) + b"".join(rows)


def netpbm(data):
    """Splits a raw PNM without comments into magic, numbers of the header and pixels."""
    fields, at = [], 0
    while len(fields) < (3 if data[:2] == b"P4" else 4):
        end = at
        while data[end:end + 1] not in (b" ", b"\n", b"\t"):
            end += 1
        fields.append(data[at:end])
        at = end + 1
    return fields[0], [int(field) for field in fields[1:]], data[at:]
