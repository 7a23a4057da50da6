# SPDX-License-Identifier: MIT
"""Certificates and roundoff verify: what holds, and that every change is found."""
import json
import re
import sys
import unittest

from command import Case, OLD, certifies, floyd_steinberg, netpbm, noise, pgm, supports


class Certificates(Case):
    def setUp(self):
        super().setUp()
        self.works("testcard", "in.pgm", "--size", "90x70", "--quiet")

    def lines(self, name):
        return json.loads(self.get(name))

    def halftone(self, *more, out="out.pbm"):
        self.works("halftone", "in.pgm", out, "--quiet", "--certificate", "cert.json", *more)
        return self.lines("cert.json")

    def holds(self, *arguments):
        done = self.works("verify", *arguments)
        self.assertRegex(done.stderr.decode(), r"^verify: \S+ holds, \d+ lines checked")

    def fails(self, *arguments, words=()):
        self.refused("verify", *arguments, words=words)

    # ---- halftones -------------------------------------------------------------------------------

    def test_every_method(self):
        listed = json.loads(self.works("halftone", "--list", "--json").stdout)
        for name in (m["name"] for m in listed if m["name"] != "screen"):
            told = self.halftone("--method", name)
            self.assertEqual(told["method"], name)
            self.assertEqual(told["pixels_unlike_the_method"], 0)
            self.holds("cert.json", "in.pgm", "out.pbm", "--recompute")
            if "tone_divisor" in told:
                self.assertEqual(told["tone_divisor"] * (told["tone_in"] - told["tone_out"]),
                                 told["tone_over_borders"] + told["tone_carried"] +
                                 told["tone_lost"])

    def test_integers(self):
        pixels = netpbm(self.get("in.pgm"))[2]
        told = self.halftone("--method", "fs")
        self.assertEqual(told["tone_in"], 16 * sum(pixels))
        levels = floyd_steinberg(pixels, 90, 70)
        self.assertEqual(told["tone_out"], 16 * 255 * sum(levels))
        self.assertEqual(told["output_sum"], [sum(levels)])
        self.assertEqual(told["tone_lost"], 0)
        self.assertEqual(told["option_seed"], 0)

    def test_options_and_files(self):
        self.put("kernel.json", b'{"divisor": 8, "taps": [[1,0,3], [0,1,5]]}')
        self.put("curve.csv", b"0, 0\n0.5, 0.4\n1, 1\n")
        self.works("screen", "make", "bayer", "screen.pgm", "--quiet")
        self.works("halftone", "in.pgm", "first.pbm", "--method", "ostromoukhov", "--quiet")
        runs = [("out.pgm", "--levels", "5", "--noise", "20%", "--seed", "7"),
                ("out.npy", "--levels", "3", "--method", "jjn", "--serpentine"),
                ("out.pbm", "--kernel", "kernel.json"), ("out.pbm", "--curve", "curve.csv"),
                ("out.pbm", "--screen", "screen.pgm"), ("out.pbm", "--resize", "40x60"),
                ("out.pbm", "--resize", "x31"), ("out.pbm", "--resize", "33.3%", "--linear"),
                ("out.pbm", "--linear", "--invert", "--gamma", "1.7", "--brightness=-5%"),
                ("out.pbm", "--method", "dbs-clipping-free", "--sigma", "1.5"),
                ("out.pbm", "--method", "dbs", "--rounds", "2", "--start", "fs"),
                ("out.pbm", "--method", "dbs", "--aim", "picture", "--start", "random", "--seed", "4"),
                ("out.pbm", "--method", "dbs", "--dpi", "600", "--distance", "200", "--start", "first.pbm"),
                ("out.ppm", "--palette", "black white #c00"), ("out.ppm", "--channels", "rgb"),
                ("out.pbm", "--like", "pillow"), ("out.pbm", "--separate", "cmyk", "--black-ink", "60"),
                ("out.pbm", "--schedule", "ec", "--strength", "70")]
        for out, *more in runs:
            self.halftone(*more, out=out)
            self.holds("cert.json", "in.pgm", out, "--recompute")
        self.put("kernel.json", b'{"divisor": 8, "taps": [[1,0,5], [0,1,3]]}')
        self.halftone("--kernel", "kernel.json")
        self.put("kernel.json", b'{"divisor": 8, "taps": [[1,0,3], [0,1,5]]}')
        self.fails("cert.json", "in.pgm", "out.pbm", words=["kernel"])

    def test_search(self):
        told = self.halftone("--method", "dbs")
        self.assertEqual(told["search_improving_trials"], 0)
        self.assertGreater(told["search_error"], 0)
        short = self.halftone("--method", "dbs", "--rounds", "1")
        self.assertGreater(short["search_improving_trials"], 0)
        self.assertGreater(short["search_error"], told["search_error"])

    def test_many_levels(self):
        """Of more than 256 levels a certificate states the hashes."""
        for out in "out.pgm", "out.png":
            self.works("halftone", "in.pgm", out, "--levels", "1024", "--quiet",
                       "--certificate", "cert.json")
            self.holds("cert.json", "in.pgm", out, "--recompute")
            self.works("halftone", "in.pgm", out, "--levels", "1000", "--quiet")
            self.fails("cert.json", "in.pgm", out, words=["certificate says"])

    @unittest.skipUnless(supports("png"), "this build has no PNG support")
    def test_another_type_of_file_with_the_same_pixels(self):
        self.halftone()
        self.works("halftone", "in.pgm", "out.png", "--quiet")
        self.holds("cert.json", "in.pgm", "out.png", "--recompute")

    def test_schedules_make_one_certificate(self):
        stated = []
        for more in [], ["--threads", "1"], ["--cpu", "scalar"]:
            told = self.halftone(*more)
            stated.append({k: v for k, v in told.items() if k[:4] != "ran_" and k != "checksum"})
        self.assertEqual(stated[1], stated[0])
        self.assertEqual(stated[2], stated[0])

    # ---- changes are found -----------------------------------------------------------------------

    def test_altered_output(self):
        self.halftone()
        good = self.get("out.pbm")
        for bit in 0x80, 0x01:
            bad = bytearray(good)
            bad[-200] ^= bit
            self.put("out.pbm", bytes(bad))
            self.fails("cert.json", "in.pgm", "out.pbm", words=["output_hash", "certificate says"])

    def test_altered_input(self):
        self.halftone()
        pixels = bytearray(self.get("in.pgm"))
        pixels[-1000] ^= 1
        self.put("in.pgm", bytes(pixels))
        self.fails("cert.json", "in.pgm", "out.pbm", words=["input_hash"])

    def test_every_edit_is_found(self):
        self.halftone()
        good = self.get("cert.json")
        for change in ((b'"tone_in": ', b'"tone_in": 1'), (b'"option_seed": 0', b'"option_seed": 1'),
                       (b'  "version"', b' "version"'), (b'"ran_threads": ', b'"ran_threads": 9'),
                       (b'"checksum": "', b'"checksum": "0')):
            self.assertIn(change[0], good)
            self.put("bad.json", good.replace(change[0], change[1]))
            self.fails("bad.json", "in.pgm", "out.pbm")
        for i in range(2, len(good) - 60, 97):
            bad = bytearray(good)
            bad[i] ^= 2
            self.put("bad.json", bytes(bad))
            self.fails("bad.json", "in.pgm", "out.pbm", words=["edited"])

    def test_certificate_of_another_run(self):
        self.halftone("--method", "random", "--seed", "1")
        self.works("halftone", "in.pgm", "other.pbm", "--method", "random", "--seed", "2", "--quiet")
        self.fails("cert.json", "in.pgm", "other.pbm", words=["output_hash", "more lines differ"])

    def test_no_certificate(self):
        self.halftone()
        for text in b"", b"{}\n", noise(500), self.get("cert.json")[:-30], OLD, b"{\n" + b"\0" * 99:
            self.put("bad.json", text)
            self.fails("bad.json", "in.pgm", "out.pbm", words=["bad.json"])
        self.fails("missing.json", "in.pgm", "out.pbm", words=["missing.json"])
        self.fails("cert.json", "in.pgm", "missing.pbm", words=["missing.pbm"])
        self.fails("cert.json", "out.pbm", words=["IN and OUT"])
        self.refused("halftone", "in.pgm", "new.pbm", "--certificate", "no/cert.json",
                     words=["no/cert.json"])
        self.put("other.pgm", pgm(5, 5, range(25)))
        self.fails("cert.json", "other.pgm", "out.pbm", words=["5 x 5"])
        self.refused("verify", "cert.json", status=2, words=["needs CERT"])

    def test_refused(self):
        self.put("cert.json", OLD)
        for files in ("-", "out.pbm"), ("in.pgm", "-"):
            self.refused("halftone", *files, "--certificate", "cert.json", status=2,
                         words=["cannot be read again"], input=self.get("in.pgm"))
        for name in "in.pgm", "out.pbm":
            self.refused("halftone", "in.pgm", "out.pbm", "--certificate", name, status=2,
                         words=["same file"])
        self.refused("devices", "--certificate", "cert.json", status=2, words=["does not apply"])

    # ---- other commands --------------------------------------------------------------------------

    def test_denoise(self):
        grain = noise(90 * 70, 3)
        pixels = bytes(min(255, max(0, p + g % 41 - 20))
                       for p, g in zip(netpbm(self.get("in.pgm"))[2], grain))
        self.put("in.pgm", pgm(90, 70, pixels))
        for more in ([], ["--quality", "fast", "--noise-level", "9"], ["--model", "anisotropic"],
                     ["--schedule", "stream", "--kappa", "6"], ["--schedule", "stream", "--steps-at-once", "3"],
                     ["--number", "s9", "--until-converged"], ["--scheme", "implicit"],
                     ["--scheme", "naive", "--number", "s9"], ["--number", "s23e8"],
                     ["--scheme", "xpp24"], ["--number", "s9", "--impulse"],
                     ["--kappa", "8", "--stop", "auto"]):
            self.works("denoise", "in.pgm", "out.pgm", "--quiet", "--certificate", "cert.json", *more)
            told = self.lines("cert.json")
            self.assertEqual(told["pixels_unlike_the_method"], 0)
            if "mass" in told:
                self.assertEqual(len(told["mass"]), told["steps"] + 1)
            if "naive" not in more and "mass" in told and "xpp24" not in more:
                self.assertEqual(set(told["mass"]), {told["mass"][0]})
                self.assertEqual(told["min"], sorted(told["min"]))
                self.assertEqual(told["energy"], sorted(told["energy"], reverse=True))
            self.holds("cert.json", "in.pgm", "out.pgm", "--recompute")
        self.works("denoise", "in.pgm", "out.pgm", "--quiet", "--certificate", "cert.json")
        told = self.lines("cert.json")
        self.assertEqual((told["mass_before"], told["mass_after"]), (sum(pixels), sum(pixels)))
        self.works("denoise", "in.pgm", "out.pgm", "--quiet", "--certificate", "cert.json", "--model", "linear")
        self.assertEqual(self.lines("cert.json")["mass"][0], 128 * sum(pixels))
        changed = bytearray(self.get("out.pgm"))
        changed[-50] ^= 1
        self.put("out.pgm", bytes(changed))
        self.fails("cert.json", "in.pgm", "out.pgm", words=["output_hash"])

    def test_register(self):
        pixels = netpbm(self.get("in.pgm"))[2]
        moved = b"".join(pixels[y * 90 + 2:y * 90 + 90] + pixels[y * 90 + 88:y * 90 + 90]
                         for y in range(70))
        self.put("moving.pgm", pgm(90, 70, moved))
        files = "in.pgm", "moving.pgm", "out.pgm"
        self.works("register", *files, "--field", "u.npy", "--scales", "3", "--quiet",
                   "--certificate", "cert.json")
        told = self.lines("cert.json")
        self.assertEqual(told["pixels_unlike_the_method"], 0)
        self.assertLess(told["energy_after"], told["energy_before"])
        self.assertEqual(told["field_hash"], told["found_field_hash"])
        self.holds("cert.json", *files, "--recompute")
        self.fails("cert.json", "in.pgm", "out.pgm", words=["both inputs and OUT"])
        good = self.get("u.npy")
        self.put("u.npy", good[:-1] + bytes([good[-1] ^ 1]))
        self.fails("cert.json", *files, words=["field_hash"])
        self.put("u.npy", good)
        self.works("register", "apply", "u.npy", "moving.pgm", "again.pgm", "--quiet",
                   "--certificate", "apply.json")
        self.holds("apply.json", "moving.pgm", "again.pgm", "--recompute")
        self.fails("cert.json", "moving.pgm", "in.pgm", "out.pgm", words=["fixed_hash"])

    def test_segment(self):
        for more in (["--at", "40,30"], ["--at", "20,20,4", "--at", "2:60,50", "--speed", "1"],
                     ["--at", "40,30", "--number", "s12", "--schedule", "passes"]):
            for out in "out.pgm", "out.npy":
                self.works("segment", "in.pgm", out, *more, "--iterations", "40", "--quiet",
                           "--certificate", "cert.json")
                told = self.lines("cert.json")
                self.assertEqual(told["pixels_unlike_the_method"], 0, more)
                self.assertGreater(told["label_area"][0], 0)
                self.holds("cert.json", "in.pgm", out, "--recompute")
        self.works("segment", "in.pgm", "out.pgm", "--at", "41,30", "--iterations", "40", "--quiet")
        self.fails("cert.json", "in.pgm", "out.pgm", words=["differ"])

    def test_measure(self):
        self.works("halftone", "in.pgm", "out.pbm", "--quiet")
        self.works("measure", "in.pgm", "out.pbm", "--quiet", "--distance", "400",
                   "--certificate", "cert.json")
        self.assertEqual(sum(self.lines("cert.json")["level_pixels"]), 90 * 70)
        self.holds("cert.json", "in.pgm", "out.pbm")
        self.holds("cert.json", "in.pgm", "out.pbm", "--threads", "1")
        self.fails("cert.json", "in.pgm", "out.pbm", "--recompute", words=["no picture"])
        self.fails("cert.json", "in.pgm", "in.pgm", words=["result_maxval"])

    def test_what_is_drawn(self):
        self.works("testcard", "out.pgm", "--size", "60x40", "--quiet", "--certificate", "cert.json")
        self.holds("cert.json", "out.pgm", "--recompute")
        changed = bytearray(self.get("out.pgm"))
        changed[-50] ^= 1
        self.put("out.pgm", bytes(changed))
        self.fails("cert.json", "out.pgm", words=["output_hash"])
        self.works("screen", "make", "void-and-cluster", "out.pgm", "--cell", "16", "--seed", "5",
                   "--quiet", "--certificate", "cert.json")
        self.assertEqual(self.lines("cert.json")["operand"], "void-and-cluster")
        self.holds("cert.json", "out.pgm", "--recompute")
        self.works("screen", "make", "am", "out.pgm", "--dpi", "600x300", "--quiet",
                   "--certificate", "cert.json")
        self.assertEqual(self.lines("cert.json")["option_dpi"], "600,300")
        self.holds("cert.json", "out.pgm", "--recompute")

    def test_fit_of_a_wedge(self):
        self.works("calibrate", "wedge", "wedge.pbm", "--quiet")
        self.works("calibrate", "fit", "wedge.pbm", "--curve", "curve.csv", "--quiet",
                   "--certificate", "cert.json")
        self.assertEqual(self.lines("cert.json")["points_unlike_the_fit"], 0)
        self.holds("cert.json", "wedge.pbm")
        lines = self.get("curve.csv").split(b"\n")
        lines[20] = lines[20][:-1] + (b"1" if lines[20][-1:] == b"0" else b"0")
        self.put("curve.csv", b"\n".join(lines))
        self.fails("cert.json", "wedge.pbm", words=["points_unlike_the_fit"])

    def test_compare(self):
        self.works("compare", "in.pgm", "--methods", "fs,bayer8", "--quiet",
                   "--certificate", "cert.json")
        self.assertIn("bayer8_hash", self.lines("cert.json"))
        self.holds("cert.json", "in.pgm")
        changed = bytearray(self.get("in.pgm"))
        changed[-50] ^= 64
        self.put("in.pgm", bytes(changed))
        self.fails("cert.json", "in.pgm", words=["input_hash"])

    def test_help_says_what_it_is_not(self):
        self.assertRegex(self.works("verify", "--help").stdout.decode(), "finds edits, not forgery")
        self.assertTrue(re.search("--certificate", self.works("halftone", "--help").stdout.decode()))


if __name__ == "__main__":
    if not certifies():
        print("skipped: this build has no hashes")
        sys.exit(77)
    unittest.main()
