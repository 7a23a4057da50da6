# SPDX-License-Identifier: MIT
"""CMYK by an ICC output profile: shares of ink, intents, certificates, what is refused."""
import itertools
import json
import struct
import unittest

from command import Case, certifies, netpbm, noise, profiles

D50 = [0.9642, 1.0, 0.8249]


def table(inputs, outputs, colour):
    """A lut8 tag of two points a side; `colour` gives bytes for corners of 0 and 255."""
    ramp = bytes(range(256))
    cells = b"".join(bytes(colour(*[255 * c for c in corner]))
                     for corner in itertools.product((0, 1), repeat=inputs))
    unit = struct.pack(">9i", *[65536 * (i % 4 == 0) for i in range(9)])
    return (b"mft1" + struct.pack(">I4B", 0, inputs, outputs, 2, 0) + unit + inputs * ramp + cells +
            outputs * ramp)


def profile(space=b"CMYK", kind=b"prtr"):
    """All black ink by L* for perception, all of cyan, magenta and yellow for relative colours."""
    lab = table(4, 3, lambda c, m, y, k: (255 - max(k, min(c, m, y)), 128, 128))
    text = b"text" + struct.pack(">I", 0) + b"none\0\0\0\0"
    name = b"desc" + struct.pack(">II", 0, 5) + b"test\0" + bytes(79)
    white = b"XYZ " + struct.pack(">I3i", 0, *(round(65536 * x) for x in D50))
    tags = [(b"desc", name), (b"cprt", text), (b"wtpt", white), (b"A2B0", lab), (b"A2B1", lab),
            (b"B2A0", table(3, 4, lambda l, a, b: (0, 0, 0, 255 - l))),
            (b"B2A1", table(3, 4, lambda l, a, b: (255 - l, 255 - l, 255 - l, 0))),
            (b"B2A2", table(3, 4, lambda l, a, b: (255 - l, 0, 0, 255 - l)))]
    at, list_, data = 128 + 4 + 12 * len(tags), b"", b""
    for key, value in tags:
        value += b"\0" * (-len(value) % 4)
        list_ += struct.pack(">4sII", key, at + len(data), len(value))
        data += value
    head = struct.pack(">I4sI4s4s4s", at + len(data), b"\0\0\0\0", 0x02400000, kind, space, b"Lab ")
    head += struct.pack(">6H", 2026, 1, 1, 0, 0, 0) + b"acsp" + bytes(28)
    head += struct.pack(">3i", *(round(65536 * x) for x in D50))
    return head + bytes(128 - len(head)) + struct.pack(">I", len(tags)) + list_ + data


def lightness(sample):
    """L* of a grey of sRGB."""
    x = sample / 255
    light = x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4
    return 116 * light ** (1 / 3) - 16 if light > 0.008856 else 903.3 * light


class ProfileOut(Case):
    def setUp(self):
        super().setUp()
        self.put("in.ppm", b"P6\n60 40\n255\n" + bytes(noise(3 * 60 * 40)))
        self.put("press.icc", profile())

    def inks(self, sample, *options):
        """Shares of the four inks of a flat grey."""
        self.put("flat.ppm", b"P6\n64 64\n255\n" + bytes([sample]) * (3 * 64 * 64))
        self.works("halftone", "flat.ppm", "flat.pgm", "--separate", "cmyk", "--profile-out",
                   "press.icc", "--method", "blue-noise", "--quiet", *options)
        plates = [netpbm(self.get("flat-%s.pgm" % ink))[2] for ink in "cmyk"]
        return [plate.count(0) / len(plate) for plate in plates]

    @unittest.skipUnless(profiles(), "no lcms2")
    def test_shares_and_intents(self):
        for sample in (0, 60, 118, 200, 255):
            dark = 1 - lightness(sample) / 100
            for intent, shares in (("perceptual", [0, 0, 0, 1]), ("relative", [1, 1, 1, 0]),
                                   ("saturation", [1, 0, 0, 1]), ("absolute", [1, 1, 1, 0])):
                found = self.inks(sample, "--intent", intent)
                for ink, share in zip(found, shares):
                    self.assertAlmostEqual(ink, share * dark, delta=0.02, msg=(sample, intent))
        self.assertEqual(self.inks(118), self.inks(118, "--intent", "perceptual"))

    @unittest.skipUnless(profiles(), "no lcms2")
    def test_certificates(self):
        options = ["--separate", "cmyk", "--profile-out", "press.icc", "--lpi", "40", "--dpi", "400",
                   "--intent", "saturation"]
        if not certifies():
            self.skipTest("no hashes")
        self.works("halftone", "in.ppm", "out.pbm", *options, "--proof", "proof.ppm", "--gain", "1.4",
                   "--yule-nielsen", "1.7", "--certificate", "out.json")
        told = json.loads(self.get("out.json"))
        self.assertEqual(len(told["profile_out_hash"]), 32)
        self.assertIn("proof_hash" if "proof_hash" in told else "proof", told)
        self.works("verify", "out.json", "in.ppm", "out.pbm", "--recompute")
        other = bytearray(profile())
        other[-10] ^= 1
        self.put("press.icc", bytes(other))
        self.refused("verify", "out.json", "in.ppm", "out.pbm", words=["profile_out_hash"])
        self.put("press.icc", profile())
        self.put("proof.ppm", self.get("proof.ppm")[:-1] + b"\x01")
        self.refused("verify", "out.json", "in.ppm", "out.pbm", words=["proof"])

    @unittest.skipUnless(profiles(), "no lcms2")
    def test_what_is_no_output_profile(self):
        files = {"rgb.icc": (profile(b"RGB "), "RGB, not for CMYK"),
                 "grey.icc": (profile(b"GRAY"), "grey, not for CMYK"),
                 "link.icc": (profile(kind=b"link"), "not of an output device"),
                 "junk.icc": (b"no profile at all" * 20, "not an ICC profile"),
                 "short.icc": (profile()[:300], "profile"),
                 "empty.icc": (b"", "ICC profile")}
        for name, (data, words) in files.items():
            self.put(name, data)
            self.refused("halftone", "in.ppm", "o.pbm", "--separate", "cmyk", "--profile-out", name,
                         words=[name, words])

    def test_refused(self):
        self.refused("halftone", "in.ppm", "o.pbm", "--profile-out", "press.icc",
                     words=["separate"], status=2)
        self.refused("halftone", "in.ppm", "o.pbm", "--separate", "cmyk", "--intent", "relative",
                     words=["profile-out"], status=2)
        cmyk = ["halftone", "in.ppm", "o.pbm", "--separate", "cmyk", "--profile-out"]
        self.refused(*cmyk, "press.icc", "--black-ink", "50", words=["black-ink"])
        if not profiles():
            self.refused(*cmyk, "press.icc", words=["no lcms2"])
            return
        self.refused(*cmyk, "none.icc", words=["none.icc"])
        self.refused(*cmyk, "press.icc", "--linear", words=["linear"])
        self.put("out-c.pbm", profile())
        self.refused("halftone", "in.ppm", "out.pbm", "--separate", "cmyk", "--profile-out",
                     "out-c.pbm", words=["overwrite"])


if __name__ == "__main__":
    unittest.main()
