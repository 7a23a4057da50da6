# SPDX-License-Identifier: MIT
"""roundoff hologram: make, quantize, reconstruct, their files, and what they refuse."""
import json
import os
import struct
import unittest

from command import Case, OLD, ROUNDOFF, certifies, netpbm, noise


WINDOW = ["--window", "0.2,0.1,0.3,0.3"]


def npy(width, height, numbers, kind="<c8"):
    """A .npy file: pairs of floats, or whatever `numbers` are as bytes."""
    body = numbers if isinstance(numbers, bytes) else struct.pack("<%df" % len(numbers), *numbers)
    text = "{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }" % (kind, height, width)
    text += " " * (117 - len(text)) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + body


def field(width, height, seed=1):
    return npy(width, height, [b / 128 - 1 for b in noise(2 * width * height, seed)])


class Make(Case):
    def test_view_specific(self):
        """Written row by row: the file and the sidecar of whole planes, with other light."""
        for name, more in ("all", []), ("seen", ["--view-specific"]):
            self.works("hologram", "make", name + ".npy", "--size", "96x80", "--quiet", *more)
        self.assertEqual(self.get("all.json"), self.get("seen.json"))
        self.assertEqual(self.get("all.npy")[:128], self.get("seen.npy")[:128])
        self.assertEqual(len(self.get("all.npy")), len(self.get("seen.npy")))
        self.assertNotEqual(self.get("all.npy"), self.get("seen.npy"))
        self.works("testcard", "card.pgm", "--size", "40x30", "--quiet")
        self.works("hologram", "make", "card.npy", "--size", "96x80", "--scene", "card.pgm@20mm",
                   "--view-specific", "--quiet")
        self.works("hologram", "quantize", "card.npy", "out.pgm", "--report", "out.json", "--quiet")
        self.assertGreater(json.loads(self.get("out.json"))["field_in_window"], 0.5)
        self.refused("hologram", "make", "none/out.npy", "--size", "96x80", "--view-specific",
                     words=["none"])


    def test_points(self):
        """The same cloud in four kinds of files."""
        cloud = [(0.1e-3, 0.05e-3, 8e-3, 1, 0.5), (-0.1e-3, 0.02e-3, 9e-3, 0.5, 2)]
        lines = "".join("%g %g %g %g %g\n" % p for p in cloud)
        header = ("ply\nformat %s 1.0\ncomment none\nelement vertex 2\n" +
                  "".join("property double %s\n" % n for n in "x y z amplitude phase".split()) +
                  "element face 0\nproperty list uchar int vertex_index\nend_header\n")
        numbers = [n for p in cloud for n in p]
        files = {"a.xyz": lines.encode(),
                 "b.csv": ("z, y, x, phase, amplitude\n" +
                           "".join("%g, %g, %g, %g, %g\n" % (z, y, x, f, a)
                                   for x, y, z, a, f in cloud)).encode(),
                 "c.ply": (header % "ascii" + lines).encode(),
                 "d.ply": (header % "binary_little_endian").encode() + struct.pack("<10d", *numbers),
                 "e.ply": (header % "binary_big_endian").encode() + struct.pack(">10d", *numbers)}
        make = ["hologram", "make", "out.npy", "--size", "96x80", "--scene"]
        wanted = None
        for name, data in files.items():
            self.put(name, data)
            self.works(*make, name, "--quiet")
            wanted = wanted or self.get("out.npy")
            self.assertEqual(self.get("out.npy"), wanted, name)
        self.works(*make, "a.xyz", "--depth", "20mm,30mm", "--view-specific", "--quiet")
        self.assertNotEqual(self.get("out.npy"), wanted)
        self.works("hologram", "quantize", "out.npy", "out.pgm", "--quiet")
        for name, data in (("bad.ply", files["d.ply"][:-9]), ("bad.xyz", b"1 2\n"),
                           ("bad.ply", b"ply\nelement vertex 9\n"), ("bad.csv", b""),
                           ("bad.ply", files["c.ply"].replace(b"double x", b"double w")),
                           ("bad.ply", b"ply\nformat ascii 1.0\nelement face 1\nend_header\n"),
                           ("bad.xyz", b"0 0 nan\n"), ("bad.xyz", b"0 0 -1e-3\n"),
                           ("bad.xyz", b"\x00\x01"), ("bad.csv", b"a, b, c\n1, 2, 3\n")):
            self.put(name, data)
            self.refused(*make, name)

    def test_phases_of_a_picture(self):
        make = ["hologram", "make", "out.npy", "--size", "64x48", "--scene", "card.pgm@9mm",
                "--quiet", "--phase"]
        self.put("card.pgm", b"P5\n16 12\n255\n" + noise(192, 3))
        self.put("none.pgm", b"P5\n16 12\n255\n" + bytes(192))
        self.put("none.npy", npy(16, 12, bytes(4 * 192), "<f4"))
        self.put("some.pgm", b"P5\n16 12\n255\n" + noise(192, 4))
        fields = []
        for phase in "constant", "none.pgm", "none.npy", "some.pgm":
            self.works(*make, phase)
            fields.append(self.get("out.npy"))
        self.assertEqual(fields[0], fields[1])
        self.assertEqual(fields[0], fields[2])
        self.assertNotEqual(fields[0], fields[3])
        self.put("small.pgm", b"P5\n2 2\n255\n1234")
        self.refused(*make, "small.pgm", words=["2 x 2", "16 x 12"])
        self.refused(*make, "missing.pgm", words=["missing.pgm"])
        self.refused(*make, "given", words=["no phases"])

    def test_reference(self):
        self.works("testcard", "card.pgm", "--size", "40x30", "--quiet")
        self.works("hologram", "make", "card.npy", "--size", "192x144", "--scene", "card.pgm@3mm",
                   "--phase", "smooth", "--quiet")
        told = json.loads(self.works("hologram", "reconstruct", "card.npy", "view.pgm", "--json",
                                     "--reference", "card.pgm", "--depth", "3mm,9mm").stdout)
        sharp, blurred = told["seen"]
        self.assertGreater(sharp["psnr_db"], blurred["psnr_db"] + 2)
        self.assertGreater(sharp["ssim"], blurred["ssim"])
        self.refused("hologram", "reconstruct", "card.npy", "view.pgm", "--reference", "none.pgm",
                     words=["none.pgm"])


class Quantize(Case):
    def setUp(self):
        super().setUp()
        self.put("in.npy", field(70, 50))

    def test_schedules_give_the_same_bits(self):
        wanted = None
        for more in (["--schedule", "reference"], ["--cpu", "scalar"], ["--threads", "3"], []):
            self.works("hologram", "quantize", "in.npy", "out.pgm", *WINDOW, "--hogel", "32",
                       "--quiet", *more)
            wanted = wanted or self.get("out.pgm")
            self.assertEqual(self.get("out.pgm"), wanted, more)

    def test_gain_auto(self):
        arguments = ["hologram", "quantize", "in.npy", "out.pgm", *WINDOW]
        told = json.loads(self.works(*arguments, "--gain", "auto", "--json").stdout)
        plain = json.loads(self.works(*arguments, "--report", "r.json", "--json").stdout)
        self.assertGreaterEqual(told["reached_snr_db"], plain["reached_snr_db"])
        self.refused(*arguments, "--snr", "9", words=["snr needs gain auto"])
        self.refused(*arguments, "--gain", "best", words=["must be", "auto"], status=2)
        self.refused(*arguments, "--gain", "auto", "--snr", "180", words=["cannot be reached"])
        if certifies():
            self.works(*arguments, "--gain", "auto", "--certificate", "c.json", "--quiet")
            self.works("verify", "c.json", "in.npy", "out.pgm", "--quiet")

    def test_files_hold_the_numbers(self):
        arguments = ["--levels", "phase:16", *WINDOW, "--quiet"]
        self.works("hologram", "quantize", "in.npy", "out.pgm", *arguments)
        pixels = netpbm(self.get("out.pgm"))[2]
        self.assertLess(max(pixels), 16)
        self.assertGreater(max(pixels), 12)
        self.works("hologram", "quantize", "in.npy", "out.npy", *arguments)
        self.assertEqual(self.get("out.npy")[-70 * 50:], pixels)
        self.works("hologram", "quantize", "in.npy", "out.bmp", *arguments)
        data = self.get("out.bmp")
        self.assertEqual(data[:2], b"BM")
        start, width, height = (struct.unpack("<I", data[i:i + 4])[0] for i in (10, 18, 22))
        self.assertEqual((width, height), (70, 50))
        rows = [data[start + 72 * y:start + 72 * y + 70] for y in range(49, -1, -1)]
        self.assertEqual(b"".join(rows), pixels)

    def test_levels_from_a_file(self):
        self.put("plm.csv", b"degrees, amplitude\n0, 1\n95, 0.9\n170, 0.95\n280, 0.9\n")
        told = json.loads(self.works("hologram", "quantize", "in.npy", "out.pgm", "--levels",
                                     "plm.csv", *WINDOW, "--json").stdout)
        self.assertEqual(told["levels"], 4)
        self.assertEqual(set(netpbm(self.get("out.pgm"))[2]), {0, 1, 2, 3})

    def test_headings_of_levels(self):
        arguments = ["hologram", "quantize", "in.npy", "out.pgm", "--levels", "l.csv", *WINDOW]
        levels = b"1, 0\n0, 1\n-1, 0\n0, -1\n"
        seen = set()
        for heading in (b"", b"real, imaginary\n", b"# measured\n\nReal;Imaginary\r\n"):
            self.put("l.csv", heading + levels)
            self.works(*arguments)
            seen.add(self.get("out.pgm"))
        self.assertEqual(len(seen), 1)
        self.put("out.pgm", OLD)
        for heading in (b"nan,0", b"O.5,0", b"phase", b"phases, amplitude", b"x, y",
                        b"phase, amplitude, more", b"phase amplitude 1"):
            self.put("l.csv", heading + b"\n" + levels)
            self.refused(*arguments, words=["l.csv", "line 1 ", "degrees, amplitude"])
        self.put("l.csv", b"real, imaginary\nphase, amplitude\n" + levels)
        self.refused(*arguments, words=["l.csv", "line 2 "])

    def test_drives(self):
        arguments = ["hologram", "quantize", "in.npy", "out.pgm", *WINDOW, "--quiet", "--levels"]
        self.works(*arguments, "binary")
        numbers = netpbm(self.get("out.pgm"))[2]
        self.works(*arguments, "binary", "--drive", "full")
        self.assertEqual(netpbm(self.get("out.pgm"))[2], bytes(255 * k for k in numbers))
        arguments[3] = "out.pbm"
        self.works(*arguments, "binary")
        rows = [self.get("out.pbm")[-9 * 50:][9 * y:9 * y + 9] for y in range(50)]
        bits = [1 - (row[x // 8] >> (7 - x % 8) & 1) for row in rows for x in range(70)]
        self.assertEqual(bytes(bits), numbers)
        arguments[3] = "out.npy"
        self.put("lcos.csv", b"level, drive, degrees\n0, 7, 0\n1, 90, 95\n2, 160, 170\n"
                             b"3, 255, 280\n")
        self.works(*arguments, "lcos.csv", "--drive", "numbers")
        numbers = self.get("out.npy")[-70 * 50:]
        self.assertEqual(set(numbers), {0, 1, 2, 3})
        self.works(*arguments, "lcos.csv")
        self.assertEqual(self.get("out.npy")[-70 * 50:],
                         numbers.translate(bytes([7, 90, 160, 255]) + bytes(252)))
        self.put("out.npy", OLD)
        cases = [(b"level, drive, degrees\n0, 7, 0\n1, 7, 95\n", "repeats"),
                 (b"level, drive, degrees\n0, 7, 0\n2, 8, 95\n", "level 2, but 1"),
                 (b"drive, phase\n0, 0\n256, 1\n", "0 to 255"),
                 (b"drive, phase\n0, 0\n25\n", "line 3")]
        for text, word in cases:
            self.put("bad.csv", text)
            self.refused(*arguments, "bad.csv", words=["bad.csv", word])
        self.refused(*arguments, "phase:4", "--drive", "bits", words=["two levels"])

    def test_taps_from_a_file(self):
        self.put("taps.csv", b"dx, dy, re, im\n1, 0, 0.5\n-1, 1, 0.25, 0.1\n")
        self.works("hologram", "quantize", "in.npy", "out.pgm", "--weights", "taps.csv", *WINDOW)
        self.put("out.pgm", OLD)
        self.refused("hologram", "quantize", "in.npy", "out.pgm", "--weights", "taps.csv", *WINDOW,
                     "--p", "1", words=["outside the wedge", "need 2"])

    def test_one_pixel(self):
        self.put("one.npy", field(1, 1))
        self.works("hologram", "quantize", "one.npy", "out.pgm", *WINDOW)
        self.assertEqual(netpbm(self.get("out.pgm"))[1], [1, 1, 255])

    def test_sidecar(self):
        self.put("in.json", b'{"wavelength": 6.35e-7, "pitch": 7.5e-7, "viewer": [0, 0, -0.036],'
                            b' "viewing_area": [0.0092, 0.0092], "made": {"by": ["hand", null]}}')
        self.works("hologram", "quantize", "in.npy", "out.pgm", "--hogel", "32")
        self.put("out.pgm", OLD)
        cases = {
            b'{"wavelength": 635, "pitch": 7.5e-7}': "wavelength",
            b'{"wavelength": 6.35e-7, "pitch": 0}': "pitch",
            b'{"wavelength": 6.35e-7, "pitch": 7.5e-7, "viewer": [0, 0, 1]}': "z must be negative",
            b'{"wavelength": 6.35e-7, "pitch": 7.5e-7, "hogel": 1.5}': "hogel",
            b'{"wavelength": 6.35e-7': "missing",
            b'[]': "missing",
        }
        for text, word in cases.items():
            self.put("in.json", text)
            self.refused("hologram", "quantize", "in.npy", "out.pgm", words=["in.json", word])

    def test_sidecar_that_lacks_a_key(self):
        told = {"wavelength": 6.35e-7, "pitch": 7.5e-7, "viewer": [0, 0, -0.036],
                "viewing_area": [0.0092, 0.0092]}
        given = {"wavelength": "635nm", "pitch": "750nm", "viewer": "0,0,-36mm",
                 "viewing_area": "9.2mmx9.2mm"}
        arguments = ["hologram", "quantize", "in.npy", "out.pgm", "--hogel", "32"]
        self.put("in.json", json.dumps(told).encode())
        self.works(*arguments)
        wanted = self.get("out.pgm")
        self.put("in.json", json.dumps({**told, "wavelength": 5e-7}).encode())
        self.works(*arguments, "--wavelength", "635nm")
        self.assertEqual(self.get("out.pgm"), wanted)
        every = []
        for key, value in given.items():
            option = ["--" + key.replace("_", "-"), value]
            every += option
            self.put("in.json", json.dumps({k: v for k, v in told.items() if k != key}).encode())
            self.refused(*arguments, words=[key + " is missing"])
            self.works(*arguments, *option)
            self.assertEqual(self.get("out.pgm"), wanted, key)
        self.put("in.json", b"{}")
        self.refused(*arguments, words=["in.json: wavelength is missing"])
        self.refused(*arguments, "--wavelength", "635nm", words=["in.json: pitch is missing"])
        self.works(*arguments, *every)
        self.assertEqual(self.get("out.pgm"), wanted)

    def test_stored_by_columns(self):
        """As numpy.save writes what numpy.fft.ifft2 gives."""
        width, height = 70, 50
        rows = field(width, height)
        pixels = [rows[128 + 8 * i:136 + 8 * i] for i in range(width * height)]
        columns = b"".join(pixels[y * width + x] for x in range(width) for y in range(height))
        head = rows[:128].replace(b"'fortran_order': False", b"'fortran_order': True ")
        self.put("rows.npy", rows)
        self.put("columns.npy", head + columns)
        self.works("hologram", "quantize", "rows.npy", "rows.pgm", *WINDOW)
        self.works("hologram", "quantize", "columns.npy", "columns.pgm", *WINDOW)
        self.assertEqual(self.get("columns.pgm"), self.get("rows.pgm"))
        self.put("short.npy", head + columns[:-1])
        self.refused("hologram", "quantize", "short.npy", "out.pgm", *WINDOW, words=["ends early"])

    def test_refused(self):
        self.put("out.pgm", OLD)
        self.put("nan.npy", npy(2, 1, [0, float("nan"), 1, 1]))
        self.put("real.npy", npy(2, 1, b"12", "|u1"))
        self.put("short.npy", field(20, 20)[:-9])
        self.put("deep.npy", field(70, 50).replace(b"(50, 70), }   ", b"(5, 10, 70), }"))
        self.put("junk.npy", b"junk")
        self.put("one.csv", b"1, 0\n")
        self.put("same.csv", b"1, 0\n1, 0\n")
        self.put("dark.csv", b"0, 0\n0, 0\n")
        self.put("bad.csv", b"1, 0\nx\n")
        self.put("none.csv", b"# nothing\n")
        cases = [
            (["nan.npy", "out.pgm", *WINDOW], "NaN"),
            (["real.npy", "out.pgm", *WINDOW], "complex64"),
            (["short.npy", "out.pgm", *WINDOW], "ends early"),
            (["deep.npy", "out.pgm", *WINDOW], "shape (h, w)"),
            (["junk.npy", "out.pgm", *WINDOW], "junk.npy"),
            (["missing.npy", "out.pgm", *WINDOW], "missing.npy"),
            (["in.npy", "out.pgm"], "sidecar"),
            (["in.npy", "out.pgm", *WINDOW, "--levels", "one.csv"], "at least 2 levels"),
            (["in.npy", "out.pgm", *WINDOW, "--levels", "same.csv"], "two different levels"),
            (["in.npy", "out.pgm", *WINDOW, "--levels", "dark.csv"], "two different levels"),
            (["in.npy", "out.pgm", *WINDOW, "--levels", "bad.csv"], "line 2"),
            (["in.npy", "out.pgm", *WINDOW, "--weights", "none.csv"], "no taps"),
            (["in.npy", "out.pgm", *WINDOW, "--levels", "phase:1"], "2 to 256"),
            (["in.npy", "out.xyz", *WINDOW], "xyz"),
            (["in.npy", "out.pgm", "--window", "0.6,0,0.1,0.1"], "-0.5 to 0.5"),
        ]
        for arguments, word in cases:
            self.refused("hologram", "quantize", *arguments, words=[word])
        cases = [
            (["quantize", "in.npy", "out.pgm", *WINDOW, "--p", "9"], "1 to 8"),
            (["quantize", "in.npy", "out.pgm", *WINDOW, "--algorithm", "magic"], "magic"),
            (["quantize", "in.npy", "out.pgm", "--window", "1,2"], "4 numbers"),
            (["quantize", "in.npy", "out.pgm", *WINDOW, "--gain", "0"], "gain 0: must be"),
            (["quantize", "in.npy", "out.pgm", *WINDOW, "--gain", "-1"], "gain -1: must be"),
            (["make", "out.npy", "--size", "8x8", "--gain", "0.5"], "does not apply"),
            (["quantize", "in.npy", "out.pgm", *WINDOW, "--size", "2x2"], "does not apply"),
            (["quantize", "in.npy", "out.pgm", *WINDOW, "--seed", "1"], "does not apply"),
            (["quantize", "in.npy", "out.pgm", "--viewer", "0,0,1"], "z must be negative"),
            (["quantize", "in.npy"], "IN and OUT"),
            (["make", "out.npy"], "--size"),
            (["make", "out.png", "--size", "8x8"], ".npy"),
            (["reconstruct", "in.npy", "out.pgm", "--scale", "-1"], "scale -1"),
            (["reconstruct", "in.npy", "out.pgm", "--scale", "loud"], "scale loud"),
            (["in.npy", "out.pgm"], "make, quantize, show, propagate or reconstruct"),
        ]
        for arguments, word in cases:
            self.refused("hologram", *arguments, words=[word], status=2)

    def test_help_lists_what_two_actions_take(self):
        for topic in "quantize", "reconstruct":
            text = self.works("hologram", "--help", topic).stdout
            for option in b"--levels", b"--type":
                self.assertIn(b"\n  " + option + b" ", text, topic)


class Optics(Case):
    def test_real_devices_by_default(self):
        """Fields of the pitches that are sold, made with nothing said of a viewer, are taken."""
        self.put("a.pgm", b"P5 4 3 255\n" + bytes(range(10, 250, 20)))
        for size, pitch in (("1920x1080", "8um"), ("1920x1080", "6.4um"), ("3840x2160", "3.74um"),
                            ("4096x2400", "3.74um"), ("1920x1080", "8umx6.4um")):
            self.works("hologram", "make", "f.npy", "--size", size, "--pitch", pitch,
                       "--wavelength", "532nm", "--scene", "a.pgm@20cm", "--view-specific",
                       "--quiet")
            self.works("hologram", "quantize", "f.npy", "f.bmp", "--levels", "phase:256", "--quiet")

    @unittest.skipUnless(certifies(), "this build has no hashes")
    def test_from_scene_to_picture(self):
        self.works("hologram", "make", "dice.npy", "--size", "160x120", "--quiet")
        optics = json.loads(self.get("dice.json"))
        self.assertEqual(optics["wavelength"], 635e-9)
        told = json.loads(self.works("hologram", "quantize", "dice.npy", "out.pgm", "--report",
                                     "report.json", "--json").stdout)
        report = json.loads(self.get("report.json"))
        self.assertEqual(report["reached_snr_db"], told["reached_snr_db"])
        self.assertEqual(len(report["hogel"]), report["hogels"])
        for key in ("predicted_snr_db", "reached_snr_db", "p", "taps", "weight_sum", "clips",
                    "efficiency"):
            self.assertIn(key, report["hogel"][0])
        self.works("hologram", "quantize", "dice.npy", "out.pgm", "--levels", "phase:16",
                   "--certificate", "cert.json")
        cert = json.loads(self.get("cert.json"))
        self.assertEqual(cert["pixels_unlike_the_method"], 0)
        self.assertEqual(len(cert["hogel_reached_snr_tenths_of_db"]), cert["hogels"])
        self.works("verify", "cert.json", "dice.npy", "out.pgm", "--recompute")
        data = self.get("out.pgm")
        self.put("out.pgm", data[:-1] + bytes([data[-1] ^ 1]))
        self.refused("verify", "cert.json", "dice.npy", "out.pgm", words=["output"])
        self.works("hologram", "quantize", "dice.npy", "out.pgm", "--quiet")
        self.works("hologram", "reconstruct", "dice.npy", "view.pgm")
        self.assertEqual(netpbm(self.get("view.pgm"))[1], [160, 120, 65535])
        near = "%.9g" % (optics["depth"] * 0.9)
        self.works("hologram", "reconstruct", "out.pgm", "stack.npy", "--levels", "phase:256",
                   "--sidecar", "dice.json", "--depth", near + ",4mm", "--scale", "none")
        self.assertTrue(os.path.exists(self.path("stack-1.npy")))
        self.assertTrue(os.path.exists(self.path("stack-2.npy")))

    def test_drives_are_read_back(self):
        self.put("in.npy", field(40, 30))
        physics = ["--wavelength", "635nm", "--pitch", "8\u00b5m", "--depth", "1mm", "--quiet",
                   "--scale", "none"]
        seen = set()
        for out, more in (("a.pgm", []), ("b.pgm", ["--drive", "full"]), ("c.pbm", []),
                          ("d.npy", ["--drive", "full"])):
            self.works("hologram", "quantize", "in.npy", out, "--levels", "binary", *WINDOW,
                       "--quiet", "--report", out[0] + ".json", *more)
            self.works("hologram", "reconstruct", out, "view.npy", "--levels", "binary", *physics)
            seen.add(self.get("view.npy"))
        self.assertEqual(len(seen), 1)
        self.put("lcos.csv", b"drive, phase\n7, 0\n90, 1.5\n160, 3\n255, 4.5\n")
        self.works("hologram", "quantize", "in.npy", "l.pgm", "--levels", "lcos.csv", *WINDOW)
        self.works("hologram", "reconstruct", "l.pgm", "view.npy", "--levels", "lcos.csv", *physics)
        self.refused("hologram", "reconstruct", "a.pgm", "v.npy", "--levels", "lcos.csv", *physics,
                     words=["a.pgm", "not the drive of any level"])

    def test_light_of_binary_levels_is_0_and_1(self):
        self.put("on.pgm", b"P5\n16 16\n255\n" + b"\x01" * 256)
        self.put("off.pgm", b"P5\n16 16\n255\n" + b"\x00" * 256)
        for name, most in (("on", 0.5), ("off", 0)):
            self.works("hologram", "reconstruct", name + ".pgm", "view.npy", "--levels", "binary",
                       "--wavelength", "635nm", "--pitch", "8\u03bcm", "--depth", "1um",
                       "--scale", "none")
            light = struct.unpack("<256f", self.get("view.npy")[-1024:])
            (self.assertGreater if most else self.assertEqual)(max(light), most)

    def test_reports_are_no_sidecars(self):
        self.put("in.npy", field(40, 30))
        self.works("hologram", "quantize", "in.npy", "out.npy", "--levels", "phase:4", *WINDOW,
                   "--report", "out.json")
        arguments = ["hologram", "reconstruct", "out.npy", "view.pgm", "--levels", "phase:4"]
        self.works(*arguments, "--wavelength", "635nm", "--pitch", "8um", "--depth", "1mm")
        self.put("view.pgm", OLD)
        self.refused(*arguments, words=["no sidecar"])
        self.refused(*arguments, "--sidecar", "out.json", words=["out.json", "report of a run"])

    def test_twin_images_are_told(self):
        self.put("in.npy", field(40, 30))
        arguments = ["hologram", "quantize", "in.npy", "out.pgm", "--report", "r.json"]
        for levels, window, told, shown in (("binary", "0,0.1,0.3,0.3", b"twin image and the zero",
                                             1), ("phase-binary", "0,0,0.3,0.3", b"twin image too",
                                                  1), ("binary", "0.2,0,0.3,0.3", None, 0),
                                            ("phase:4", "0,0,0.3,0.3", None, 0)):
            said = self.works(*arguments, "--levels", levels, "--window", window).stderr
            self.assertEqual(b"overlaps its mirror image" in said, told is not None, levels)
            self.assertIn(told or b"hologram", said)
            report = json.loads(self.get("r.json"))
            self.assertEqual(report["windows_over_their_mirror"], shown)
            self.assertLessEqual(report["efficiency"], report["in_window"])
            self.assertLess(report["in_window"], report["outgoing"])

    def test_scenes(self):
        self.put("a.pgm", b"P5\n20 16\n255\n" + noise(320, 5))
        self.put("c.ppm", b"P6\n20 16\n255\n" + noise(960, 6))
        self.put("d.pgm", b"P5\n20 16\n255\n" + noise(320, 7))
        make = ["hologram", "make", "out.npy", "--size", "96x64", "--quiet"]
        self.works(*make, "--pitch", "8umx6.4um", "--scene", "a.pgm@5cm", "--scene", "c.ppm@4cm",
                   "--phase", "constant")
        told = json.loads(self.get("out.json"))
        self.assertEqual(told["pitch"], [8e-6, 6.4e-6])
        self.assertEqual(told["depth"], 0.04)
        self.works("hologram", "quantize", "out.npy", "q.pgm", "--quiet")
        self.works(*make, "--scene", "a.pgm", "--depth-map", "d.pgm", "--depth", "40mm,5cm")
        self.works(*make, "--scene", "c.ppm@4cm", "--wavelength", "640nm,520nm,450nm")
        fields = {self.get("out-%s.npy" % c) for c in "rgb"}
        self.assertEqual(len(fields), 3)
        self.assertEqual(json.loads(self.get("out-b.json"))["wavelength"], 450e-9)
        self.put("out.npy", OLD)
        make[-1:] = []
        cases = [(["--scene", "a.pgm"], "needs a depth"),
                 (["--scene", "a.pgm@5cm", "--depth-map", "d.pgm"], "comes from the depth map"),
                 (["--scene", "a.pgm@deep"], "must be a length"),
                 (["--scene", "a.pgm", "--depth-map", "d.pgm", "--depth", "1cm"], "two lengths"),
                 (["--scene", "a.pgm@5cm", "--target", "ring"], "does not apply"),
                 (["--scene", "a.pgm@5cm", "--wavelength", "1um,2um"], "one length, or three"),
                 (["--scene", "a.pgm@5cm", "--depth", "1cm,2cm"], "needs --depth-map"),
                 (["--depth", "1cm,2cm"], "needs --scene")]
        for more, word in cases:
            self.refused(*make, *more, words=[word], status=2)
        self.refused(*make, "--scene", "a.pgm", "--depth-map", "d.pgm", words=["with --depth"])
        self.refused(*make, "--scene", "a.pgm@5cm", "--viewer", "0,0,-1mm",
                     words=["out of reach", "would do at"])
        self.refused(*make, "--scene", "missing.pgm@5cm", words=["missing.pgm"])

    def test_propagate(self):
        self.put("in.npy", field(40, 30))
        self.put("in.json", b'{"wavelength": 6.35e-7, "pitch": [8e-6, 6e-6], "depth": 0.01,'
                            b' "viewer": [0, 0, -0.02], "viewing_area": [1e-4, 1e-4]}')
        self.works("hologram", "propagate", "in.npy", "out.npy", "--distance", "5mm")
        told = json.loads(self.get("out.json"))
        self.assertEqual(told["pitch"], [8e-6, 6e-6])
        self.assertAlmostEqual(told["depth"], 0.015)
        self.assertAlmostEqual(told["viewer"][2], -0.015)
        self.works("hologram", "propagate", "out.npy", "back.npy", "--distance", "-5mm")
        self.works("hologram", "reconstruct", "out.npy", "view.pgm")
        for name in "in.npy", "out.npy":
            self.works("hologram", "reconstruct", name, name[:-4] + ".pgm", "--depth",
                       {"in.npy": "-2mm", "out.npy": "3mm"}[name])
        self.works("hologram", "propagate", "in.npy", "on.npy", "--distance", "30mm", "--quiet")
        self.assertNotIn("viewer", json.loads(self.get("on.json")))
        self.put("out.npy", OLD)
        for more, word in ((["--distance", "none"], "must be a number"), ([], "needs --distance"),
                           (["--distance", "1mm", "--depth", "2mm"], "does not apply")):
            self.refused("hologram", "propagate", "in.npy", "out.npy", *more, words=[word],
                         status=2)

    @unittest.skipUnless(certifies(), "this build has no hashes")
    def test_refine(self):
        self.put("in.npy", field(48, 40))
        self.put("to.pgm", b"P5\n20 16\n255\n" + noise(320, 5))
        arguments = ["hologram", "quantize", "in.npy", "out.pgm", "--wavelength", "532nm",
                     "--pitch", "8um", "--target", "to.pgm", "--distance", "3mm",
                     "--place", "centre"]
        for levels in "phase:256", "phase:4", "binary":
            told = json.loads(self.works(*arguments, "--refine", "3", "--levels", levels,
                                         "--certificate", "c.json", "--json").stdout)
            self.assertGreater(told["psnr_db"], told["start_psnr_db"], levels)
            self.assertEqual((told["iterations"], told["passes"]),
                             {"phase:256": (3, 0), "phase:4": (15, 3), "binary": (0, 3)}[levels])
            self.works("verify", "c.json", "in.npy", "out.pgm", "--recompute")
        self.put("out.pgm", OLD)
        for more, word in ((["--refine", "0.5"], "whole number"), ([], "needs --refine"),
                           (["--refine", "auto", "--region", "1,2"], "4 whole numbers"),
                           (["--refine", "auto", "--light", "120%"], "percentage"),
                           (["--refine", "auto", "--size", "3x3"], "does not apply")):
            self.refused(*arguments, *more, words=[word], status=2)
        self.refused(*arguments, "--refine", "auto", "--p", "3", words=["does not apply"])
        self.put("big.pgm", b"P5\n49 16\n255\n" + noise(49 * 16, 5))
        arguments[8:10] = ["--target", "big.pgm"]
        self.refused(*arguments, "--refine", "auto", words=["big.pgm", "48 x 40", "fit"])
        for place in "fit", "fill":
            arguments[-1] = place
            self.works(*arguments, "--refine", "2", "--quiet")
            self.works("hologram", "make", "card.npy", "--size", "48x40", "--scene",
                       "big.pgm@9mm", "--place", place, "--quiet")
            self.works("hologram", "reconstruct", "card.npy", "view.pgm", "--place", place,
                       "--reference", "big.pgm", "--quiet")
        self.refused("hologram", "make", "card.npy", "--size", "48x40", "--scene", "big.pgm",
                     "--depth-map", "big.pgm", "--depth", "8mm,9mm", "--place", "fill",
                     words=["fill does not apply"], status=2)

    def test_show(self):
        self.put("to.pgm", b"P5\n20 16\n255\n" + noise(320, 5))
        self.put("out.pgm", OLD)
        away, small = ["--distance", "3mm"], ["--size", "48x40", "--pitch", "8um"]
        told = json.loads(self.works("hologram", "show", "to.pgm", "slm.pgm", *away, *small,
                                     "--refine", "3", "--json").stdout)
        self.assertEqual((told["width"], told["height"], told["levels"]), (48, 40, 256))
        for more, word in (([*small], "--distance"), ([*away], "--modulator"),
                           ([*away, *small, "--lens", "1m"], "or --lens"),
                           ([*away, *small, "--frames", "2"], "does not apply"),
                           ([*away, "--modulator", "pluto-2", "--gain", "1"], "does not apply")):
            self.refused("hologram", "show", "to.pgm", "out.pgm", *more, words=[word], status=2)
        for more, word in ((["--distance", "3m", *small], "band limit"),
                           ([*away, "--modulator", "pluto"], "pluto-2, gaea-2")):
            self.refused("hologram", "show", "to.pgm", "out.pgm", *more, words=[word])
        self.put("far.csv", b"x,y,z\n0.01,0,0\n")
        self.refused("hologram", "show", "far.csv", "out.pgm", "--lens", "100mm", *small,
                     words=["spot 1", "from the axis"])
        self.put("turns.csv", b"drive,degrees\n0,0\n9,40\n20,30\n")
        self.refused("hologram", "show", "to.pgm", "out.pgm", *away, *small, "--levels",
                     "turns.csv", words=["line 4", "monotonic"])

    def test_frames(self):
        self.put("in.npy", field(48, 40))
        arguments = ["hologram", "quantize", "in.npy", "out.pbm", "--levels", "binary"]
        told = json.loads(self.works(*arguments, "--window", "0.25,0.25,0.4,0.4", "--frames", "6",
                                     "--seed", "3", "--json").stdout)
        self.assertGreater(told["psnr_db"], told["first_psnr_db"] + 3)
        frames = {self.get("out-%d.pbm" % (i + 1)) for i in range(6)}
        self.assertEqual(len(frames), 6)
        self.assertEqual({data[:9] for data in frames}, {b"P4\n48 40\n"[:9]})
        text = self.works(*arguments, "--window", "0.25,0.25,0.4,0.4", "--frames", "2").stderr
        self.assertIn(b"out-3.pbm is there from before", text)
        if certifies():
            self.works(*arguments, "--window", "0.25,0.25,0.4,0.4", "--frames", "3", "--seed", "3",
                       "--certificate", "c.json", "--quiet")
            self.works("verify", "c.json", "in.npy", "out.pbm", "--recompute")
            self.works("verify", "c.json", "in.npy", "out-1.pbm")
            self.put("out-2.pbm", self.get("out-3.pbm"))
            self.refused("verify", "c.json", "in.npy", "out.pbm", words=["output_2"])
            # a number of OUT's own is no frame's
            arguments[3] = "out-1.pbm"
            self.works(*arguments, "--window", "0.25,0.25,0.4,0.4", "--frames", "2",
                       "--certificate", "d.json", "--quiet")
            self.works("verify", "d.json", "in.npy", "out-1.pbm")
        self.refused("hologram", "quantize", "in.npy", "in.npy", words=["lost"], status=2)
        self.works("hologram", "quantize", "in.npy", "any.pbm", "--levels", "binary", "--gain",
                   "auto", "--window", "0.25,0.25,0.4,0.4", "--quiet")
        self.refused(*arguments, "--phase", "smooth", words=["--frames"], status=2)
        for more, word in (([], "window"), (["--p", "3"], "does not apply")):
            self.refused(*arguments, "--frames", "2", *more, words=[word])

    def test_help_of_a_verb(self):
        for verb in "make", "quantize", "show", "reconstruct", "propagate":
            text = self.works("hologram", verb, "--help").stdout
            self.assertIn(b"Options for " + verb.encode(), text)

    def test_phases_are_light(self):
        self.put("phase.npy", npy(16, 16, [b / 40 for b in noise(256)], "<f4"))
        self.works("hologram", "reconstruct", "phase.npy", "view.pgm", "--wavelength", "635nm",
                   "--pitch", "8um", "--depth", "1mm")

    def test_options_fill_in_a_sidecar(self):
        self.put("in.npy", field(16, 16))
        self.put("in.json", b'{"pitch": 8e-6}')
        arguments = ["hologram", "reconstruct", "in.npy", "view.pgm"]
        self.refused(*arguments, "--depth", "1mm", words=["in.json: wavelength is missing"])
        self.refused(*arguments, "--wavelength", "635nm", words=["depth is missing", "--depth"])
        self.works(*arguments, "--wavelength", "635nm", "--depth", "1mm")

    def test_refused(self):
        self.put("in.npy", field(16, 16))
        self.put("out.pgm", OLD)
        physics = ["--wavelength", "635nm", "--pitch", "8um"]
        self.put("high.pgm", b"P5\n2 1\n255\n\x01\x09")
        cases = [
            (["in.npy", "out.pgm"], "wavelength and pitch"),
            (["in.npy", "out.pgm", *physics], "--depth"),
            (["high.pgm", "out.pgm", *physics, "--depth", "1mm"], "give levels"),
            (["in.npy", "out.pgm", *physics, "--depth", "1mm", "--scale", "none"], "float"),
            (["high.pgm", "out.pgm", "--levels", "phase:4", *physics, "--depth", "1mm"],
             "level 9"),
        ]
        for arguments, word in cases:
            self.refused("hologram", "reconstruct", *arguments, words=[word])
        # The plane is 128 um wide.
        for viewer, area, seen in (("0,0,-1mm", "8.1umx8.1um", True),
                                   ("0,0,-1mm", "7.9umx9um", False),
                                   ("0,0,-1mm", "9umx7.9um", False),
                                   ("70um,0,-1mm", "10umx1mm", False),
                                   ("0,-1mm,-1mm", "1mmx1mm", False),
                                   ("70um,0,-1mm", "19.9umx1mm", False),
                                   ("70um,0,-1mm", "20.1umx1mm", True)):
            arguments = ["hologram", "reconstruct", "in.npy", "out.pgm", *physics, "--depth",
                         "1mm", "--viewer", viewer, "--viewing-area", area]
            if seen:
                self.works(*arguments)
                self.put("out.pgm", OLD)
            else:
                self.refused(*arguments, words=["eye at", "0.000128 x 0.000128 m"])
        self.refused("hologram", "quantize", "in.npy", "out.pgm", "--window", "0,0,0.3,0.3",
                     "--report", "in.json", words=["optics"], status=2)
        # Before the work: these would take hours.
        self.refused("hologram", "make", "nowhere/out.npy", "--size", "24576x24576",
                     words=["nowhere/out.npy", "cannot be written"])


if __name__ == "__main__":
    unittest.main()
