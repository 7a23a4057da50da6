# SPDX-License-Identifier: MIT
"""Files and places as users meet them when things go wrong: one sentence, a non-zero exit, the old
output untouched and no temporary file left."""
import os
import resource
import struct
import subprocess
import unittest
import zlib

from command import Case, OLD, SANITIZE, have, noise, pgm, supports

OUTPUTS = ["old.pbm", "old.pgm", "old.png", "old.tif", "old.npy"]


def png_chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, data=b""):
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", header) +
            png_chunk(b"IDAT", zlib.compress(data)) + png_chunk(b"IEND", b""))


def tiff(width, height):
    """One strip of 8-bit grey, far shorter than the size asks for."""
    tags = [(256, 4, width), (257, 4, height), (258, 3, 8), (259, 3, 1), (262, 3, 1), (273, 4, 8),
            (277, 3, 1), (278, 4, height), (279, 4, min(width * height, 2 ** 32 - 1))]
    body = b"".join(struct.pack("<HHII", tag, kind, 1, value) for tag, kind, value in tags)
    return struct.pack("<2sHI", b"II", 42, 8) + struct.pack("<H", len(tags)) + body + b"\0" * 4


def npy(height, width):
    text = "{'descr': '|u1', 'fortran_order': False, 'shape': (%d, %d), }" % (height, width)
    text += " " * (117 - len(text)) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


MAKERS = {
    "pgm": lambda w, h: b"P5\n%d %d\n255\n" % (w, h),
    "plain.pgm": lambda w, h: b"P2\n%d %d\n255\n" % (w, h),
    "pbm": lambda w, h: b"P4\n%d %d\n" % (w, h),
    "ppm": lambda w, h: b"P6\n%d %d\n65535\n" % (w, h),
    "png": png,
    "tif": tiff,
    "npy": lambda w, h: npy(h, w),
}


class BadInput(Case):
    def setUp(self):
        super().setUp()
        for name in OUTPUTS:
            self.put(name, OLD)

    def rejects(self, name, data):
        """As a file and through a pipe, into a file that is already there."""
        self.put(name, data)
        self.refused("halftone", name, "old.pbm")
        self.refused("halftone", name, "old.tif")
        self.refused("halftone", name, "new.png")
        if data[:1] == b"P":
            self.refused("halftone", "-", "old.pgm", input=data)

    def test_oversized(self):
        for kind, make in MAKERS.items():
            for width, height in [(2 ** 31, 2 ** 31), (2 ** 31, 1), (1, 2 ** 31),
                                  (2 ** 30, 2 ** 30), (2 ** 31 - 1, 2 ** 31 - 1)]:
                with self.subTest(kind=kind, size=(width, height)):
                    self.rejects("big." + kind, make(width, height))
        self.rejects("huge.pgm", b"P5\n99999999999999999999 99999999999999999999\n255\n")
        self.rejects("huge.npy", npy(2 ** 64, 2 ** 64))

    def test_zero_sized(self):
        for kind, make in MAKERS.items():
            for width, height in [(0, 0), (0, 10), (10, 0)]:
                with self.subTest(kind=kind, size=(width, height)):
                    self.rejects("zero." + kind, make(width, height))

    def test_wrong_magic(self):
        for name, data in {"empty.pgm": b"", "one.pgm": b"P", "text.png": b"hello, world\n" * 9,
                           "p9.pgm": b"P9\n4 4\n255\n" + bytes(16), "zeros.tif": bytes(4096),
                           "binary.jpg": noise(4096), "magic.png": b"\x89PNG\r\n\x1a\n",
                           "magic.jpg": b"\xff\xd8\xff", "magic.npy": b"\x93NUMPY",
                           "magic.tif": b"II*\0"}.items():
            with self.subTest(name=name):
                self.rejects(name, data)

    def test_bad_headers(self):
        for header in [b"P5\n4\n", b"P5\n-4 4\n255\n", b"P5\n4 4\n0\n", b"P5\n4 4\n65536\n",
                       b"P5\n4 x\n255\n", b"P5 # a comment without an end",
                       b"P5\n4 4\n99999999999999999999\n", b"P2\n2 1\n255\n1 256\n",
                       b"P2\n2 1\n255\n1 x\n", b"P1\n2 1\n1 2\n"]:
            with self.subTest(header=header):
                self.rejects("bad.pgm", header + (bytes(64) if header[:2] == b"P5" else b""))

    def test_truncated(self):
        self.works("testcard", "card.pgm", "--size", "90x70", "--quiet")
        for name in ["card.png", "card.tif", "card.npy"]:
            if name == "card.npy" or supports(name[5:]):
                self.works("testcard", name, "--size", "90x70", "--quiet")
        if have("cjpeg") and supports("jpg"):
            with open(self.path("card.jpg"), "wb") as file:
                subprocess.run(["cjpeg", self.path("card.pgm")], stdout=file, check=True)
        for name in sorted(os.listdir(self.folder)):
            if not name.startswith("card."):
                continue
            data = self.get(name)
            cuts = set(range(0, 24, 4)) | {len(data) * part // 8 for part in range(1, 8)}
            if name != "card.jpg":  # a JPEG's last bytes are no pixels
                cuts.add(len(data) - 1 if name in ("card.pgm", "card.npy") else len(data) - 20)
            for cut in sorted(cuts):
                with self.subTest(name=name, cut=cut):
                    self.put("cut." + name[5:], data[:cut])
                    self.refused("halftone", "cut." + name[5:], "old.pbm")
        self.rejects("cut.plain.pgm", b"P2\n3 2\n255\n1 2 3 4 5")
        self.rejects("cut.pbm", b"P1\n3 2\n1 0 1 1 0")

    def test_places(self):
        self.put("in.pgm", pgm(4, 4, range(16)))
        os.mkdir(self.path("folder"))
        os.mkdir(self.path("folder.pbm"))
        run = ["halftone", "in.pgm"]
        self.refused("halftone", "missing.pgm", "old.pbm", words=["missing.pgm"])
        self.refused("halftone", "folder", "old.pbm", words=["folder", "directory"])
        self.refused(*run, "folder.pbm", words=["folder.pbm", "directory"])
        self.refused(*run, "folder", words=["folder"])
        self.refused(*run, "no/such/out.pbm", words=["no/such/out.pbm"])
        self.refused(*run, "out.xyz", words=["out.xyz"])
        self.refused(*run, "out", words=["out"])
        self.refused(*run, "out.jpg", words=["jp"])
        self.refused(*run, "old.pbm", "--type", "gif", words=["gif"])
        self.refused(*run, "", words=["name"])
        self.refused("testcard", "folder.pbm")
        self.refused("testcard", "old.pbm", words=["pbm"])
        self.assertEqual(os.listdir(self.path("folder.pbm")), [])

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_folder_without_permission(self):
        self.put("in.pgm", pgm(4, 4, range(16)))
        os.mkdir(self.path("shut"), 0o555)
        self.refused("halftone", "in.pgm", "shut/out.pbm", words=["shut/out.pbm"])

    def test_many_levels_into_bits(self):
        self.put("in.pgm", pgm(4, 4, range(16)))
        self.refused("halftone", "in.pgm", "old.pbm", "--levels", "4", words=["pbm"])

    def test_special_files_are_not_replaced(self):
        self.put("in.pgm", pgm(4, 4, range(16)))
        before = os.stat("/dev/null")
        self.works("halftone", "in.pgm", "/dev/null", "--type", "pbm")
        after = os.stat("/dev/null")
        self.assertEqual((before.st_ino, before.st_mode), (after.st_ino, after.st_mode))

    def test_no_page(self):
        if supports("tif"):
            self.works("testcard", "in.tif", "--size", "8x8")
            self.refused("halftone", "in.tif", "old.pbm", "--page", "2", words=["page"])
        self.put("in.pgm", pgm(4, 4, range(16)))
        self.refused("halftone", "in.pgm", "old.pbm", "--page", "2", words=["page"])


class FullDisk(Case):
    def test_full_device(self):
        with open("/dev/full", "wb") as full:
            for kind in ["pbm", "pgm"]:
                done = self.command("halftone", "-", "-", "--type", kind, stdout=full,
                                    input=pgm(64, 64, noise(4096)))
                self.assertEqual(done.returncode, 1)
                self.one_sentence(done.stderr)

    def test_answer_to_a_full_device(self):
        """What was written is told: by then it is too late to take it back."""
        self.put("in.pgm", pgm(64, 64, noise(4096)))
        with open("/dev/full", "wb") as full:
            for run, written in ((["halftone", "in.pgm", "out.pbm"], True), (["measure", "in.pgm", "in.pgm"], False),
                                 (["halftone", "in.pgm", "--out-dir", "made", "--type", "pbm"], True)):
                os.makedirs(os.path.join(self.folder, "made"), exist_ok=True)
                done = self.command(*run, "--json", stdout=full)
                self.assertEqual(done.returncode, 1)
                self.one_sentence(done.stderr, "standard output: ")
                self.assertEqual(b", but the files were written" in done.stderr, written, done.stderr)
        self.assertTrue(os.path.exists(os.path.join(self.folder, "out.pbm")))

    @unittest.skipIf("thread" in SANITIZE, "the limit stops the sanitizer's own files")
    def test_file_size_limit(self):
        """Like a full disk, for everyone: no file may grow beyond 4 KiB."""
        self.put("in.pgm", pgm(600, 600, noise(360000)))
        for name in OUTPUTS:
            self.put(name, OLD)
            with self.subTest(name=name):
                self.refused("halftone", "in.pgm", name, preexec_fn=lambda: resource.setrlimit(
                    resource.RLIMIT_FSIZE, (4096, 4096)))

    def test_small_file_system(self):
        """A real file system of 64 KiB, where this user may mount one."""
        where = self.path("small")
        os.mkdir(where)
        mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", where]
        if os.geteuid() != 0 or subprocess.run(mount, stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("cannot mount a small file system here")
        self.addCleanup(subprocess.run, ["umount", where])
        self.put("in.pgm", pgm(1200, 1200, noise(1440000)))
        for name in OUTPUTS:
            self.put("small/" + name, OLD)
        before = sorted(os.listdir(where))
        for name in OUTPUTS:
            with self.subTest(name=name):
                self.refused("halftone", "in.pgm", "small/" + name)
                self.assertEqual(sorted(os.listdir(where)), before)
                self.assertEqual(self.get("small/" + name), OLD)

    @unittest.skipIf("thread" in SANITIZE, "the limit stops the sanitizer's own files")
    def test_inks_together(self):
        """The cyan file fits, the black one does not: all four stay as they were."""
        pixels = bytearray(b"\xff" * 3 * 360000)  # paper white below, grey noise above
        for i, value in enumerate(noise(120000)):
            pixels[3 * i:3 * i + 3] = bytes([value]) * 3
        self.put("in.ppm", b"P6 600 600 255\n" + bytes(pixels))
        kind = "png" if supports("png") else None
        if not kind:
            self.skipTest("a build without PNG")
        for ink in "cmyk":
            self.put("out-%s.png" % ink, OLD)
        self.refused("halftone", "in.ppm", "out.png", "--separate", "cmyk",
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
        for ink in "cmyk":
            self.assertEqual(self.get("out-%s.png" % ink), OLD)


if __name__ == "__main__":
    unittest.main()
