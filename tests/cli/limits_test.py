# SPDX-License-Identifier: MIT
"""Files that unpack to far more than their size are refused at once, and limits that are given
hold."""
import base64
import gzip
import io
import os
import resource
import struct
import subprocess
import sys
import time
import unittest
import zipfile
import zlib

from command import Case, ROUNDOFF, SANITIZE, noise, pgm, supports

SIDE = 60000  # 3.6 GB a byte per pixel
# A dataset of 60000 x 60000 doubles, none of which is stored.
HDF5 = zlib.decompress(base64.b64decode(
    "eNrr9HBx4+WS4mIAAQ4OBhYGAQZk8B8KKlhR+TD5BCjNCKU7oPQKJpg4I1hOAiouCDUfXV1IkKsrSPV/NACzx4AFQn"
    "MwjIKRCDxcHQNAdASUD0ulJ5hQ1aWgpUcPCu1lZGCFmMUI42tAaCaIQMIrBrw0MzDlg1QKKthD064Dgwk3g8l/Zog8"
    "K1AUJM/EBDGQA5pTmBnhOUBh7hY2JBdVDGg8BPv5u4ByNCwfKjCPpk1yAABxajyq"))


def packed(packer, head, row, rows):
    """The row so often; what zlib makes of one MB is repeated by it, not by us."""
    data = packer.compress(head)
    block = row * max(1, (1 << 22) // len(row))
    count = rows * len(row) // len(block)
    for _ in range(count):
        data += packer.compress(block)
    return data + packer.flush()


def npy(shape):
    head = ("{'descr': '|u1', 'fortran_order': False, 'shape': %s, }" % (shape,)).encode()
    head += b" " * (117 - len(head)) + b"\n"
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head


def tiff(width, height, data, compression):
    tags = [(256, 4, width), (257, 4, height), (258, 3, 8), (259, 3, compression), (262, 3, 1),
            (273, 4, 8), (277, 3, 1), (278, 4, height), (279, 4, len(data))]
    return (b"II*\0" + struct.pack("<I", 8 + len(data)) + data + struct.pack("<H", len(tags)) +
            b"".join(struct.pack("<HHII", tag, kind, 1, value) for tag, kind, value in tags) +
            bytes(4))


def png(width, height, data):
    chunk = lambda name, data: (struct.pack(">I", len(data)) + name + data +
                                struct.pack(">I", zlib.crc32(name + data) & 0xFFFFFFFF))
    return (b"\x89PNG\r\n\x1a\n" +
            chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", data) + chunk(b"IEND", b""))


class Bombs(Case):
    def refused_at_once(self, name, words="would unpack to more than 1000 times its size"):
        for run in (["halftone", name, "out.npy"], ["denoise", name, "out.npy"],
                    ["measure", name, name]):
            before = self.snapshot()
            start = time.monotonic()
            child = subprocess.Popen([ROUNDOFF, *run], cwd=self.folder, stderr=subprocess.PIPE)
            text = child.stderr.read()
            child.stderr.close()
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = status
            self.assertEqual(status >> 8, 1, (run, text))
            self.one_sentence(text, words)
            self.assertEqual(self.snapshot(), before)
            if not SANITIZE:  # CPU time, because other programs may be running
                self.assertLess(used.ru_utime + used.ru_stime, 1.5, run)
                self.assertLess(used.ru_maxrss, 200 << 10, run)
                self.assertLess(time.monotonic() - start, 20, run)

    def test_gzip(self):
        if not self.zlib():
            self.skipTest("no zlib")
        for head in npy((SIDE, SIDE)), b"P5 %d %d 255\n" % (SIDE, SIDE):
            packer = zlib.compressobj(9, wbits=31)
            self.put("a.gz", packed(packer, head, bytes(SIDE), 5000))
            self.refused_at_once("a.gz")

    def test_zip(self):
        if not self.zlib():
            self.skipTest("no zlib")
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            with archive.open("a.npy", "w", force_zip64=True) as member:
                member.write(npy((5000, SIDE)))
                for _ in range(50):
                    member.write(bytes(100 * SIDE))
        self.put("a.npz", file.getvalue())
        self.refused_at_once("a.npz")

    @unittest.skipUnless(supports("tif"), "no TIFF")
    def test_tiff(self):
        self.put("a.tif", tiff(SIDE, SIDE, packed(zlib.compressobj(9), b"", bytes(SIDE), 500), 8))
        self.refused_at_once("a.tif")

    @unittest.skipUnless(supports("png"), "no PNG")
    def test_png(self):
        rows = packed(zlib.compressobj(9), b"", bytes(SIDE + 1), 2415)  # a multiple of 69
        self.put("a.png", png(SIDE, 2415, rows))
        self.refused_at_once("a.png")

    def test_hdf5(self):
        self.put("a.h5", HDF5)
        if b"need libhdf5" in self.command("denoise", "a.h5", "out.npy").stderr:
            self.skipTest("no libhdf5")
        self.refused_at_once("a.h5")

    def test_blank_pages_are_no_bombs(self):
        if not self.zlib():
            self.skipTest("no zlib")
        self.put("a.npy.gz", gzip.compress(npy((4000, 6000)) + bytes(24000000)))
        self.works("halftone", "a.npy.gz", "out.pgm", "--quiet")


class Given(Case):
    def setUp(self):
        super().setUp()
        self.put("a.pgm", pgm(2000, 1500, noise(2000) * 1500))

    def test_pixels(self):
        run = ["denoise", "a.pgm", "out.pgm"]
        self.refused(*run, "--limit-pixels", "2999999", words=["more pixels than the limit, 2999999"])
        self.works(*run, "--limit-pixels", "3e6")

    def test_memory(self):
        run = ["denoise", "a.pgm", "out.pgm"]
        self.refused(*run, "--limit-memory", "2", words=["the limit is 2 MB"])
        self.works(*run, "--limit-memory", "100")

    def test_pixels_that_are_expected_are_no_bomb(self):
        if not self.zlib():
            self.skipTest("no zlib")
        packer = zlib.compressobj(9, wbits=31)
        self.put("a.gz", packed(packer, npy((160, 1 << 20)), bytes(1 << 20), 160))
        self.refused("halftone", "a.gz", "out.pbm", words=["limit-pixels"])
        self.works("halftone", "a.gz", "out.pbm", "--limit-pixels", "2e8", "--quiet")

    def test_batch(self):
        self.put("b.pgm", pgm(20, 20, bytes(400)))
        done = self.command("halftone", "a.pgm", "b.pgm", "--out-dir", "out", "--limit-pixels", "400")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"more pixels than the limit", done.stderr)

    def test_resource_limit(self):
        def small():
            resource.setrlimit(resource.RLIMIT_DATA, (150 << 20, 150 << 20))
        if SANITIZE:
            self.skipTest("sanitizers take more")
        self.put("b.pgm", b"P5 20000 7000 255\n" + bytes(140 * 10 ** 6))
        self.refused("denoise", "b.pgm", "out.pgm", words=["the limit is 112 MB"], preexec_fn=small)


class Tall(Case):
    def test_memory_of_narrow_pictures(self):
        """Rows of a byte are not padded to 64; those of numbers at work still are."""
        if SANITIZE:
            self.skipTest("sanitizers take more")
        height = 10 ** 6
        self.put("tall.pgm", b"P5 1 %d 255\n" % height + noise(height))
        for most, run in ((60, ["register", "apply", "zero.npy", "tall.pgm", "out.pgm"]),
                          (500, ["denoise", "tall.pgm", "out.pgm", "--iterations", "2"])):
            self.put("zero.npy", npy((height, 1, 2)).replace(b"|u1", b"<f4") + bytes(8 * height))
            # By a small process, because a child's figure is at least that of its parent.
            done = subprocess.run([sys.executable, "-c", "import resource, subprocess, sys\n"
                                   "subprocess.run(sys.argv[1:], check=True)\n"
                                   "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)",
                                   ROUNDOFF, *run, "--quiet"], cwd=self.folder, check=True, capture_output=True)
            self.assertLess(int(done.stdout), most << 10, run)


class Chunks(Case):
    def test_each_is_unpacked_once(self):
        try:
            import h5py
            import numpy
        except ImportError:
            self.skipTest("no h5py")
        side = 3000
        numbers = numpy.frombuffer(noise(side * 100) * (side // 100), "u1").reshape(side, side)
        seconds, results = [], []
        for name, chunk in ("rows.h5", (100, side)), ("one.h5", (side, side)):
            with h5py.File(self.path(name), "w") as file:
                file.create_dataset("a", data=numbers, chunks=chunk, compression="gzip")
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            self.works("halftone", name, "out.npy", "--quiet")
            seconds.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
            results.append(self.get("out.npy"))
        self.assertEqual(results[0], results[1])
        self.assertLess(seconds[1], 4 * seconds[0] + 0.2)


if __name__ == "__main__":
    unittest.main()
