# SPDX-License-Identifier: MIT
"""The figures that `roundoff hologram` prints, recomputed with NumPy from the files alone."""
import json
import sys
import unittest

from command import Case, noise

try:
    import numpy as np
except ImportError:
    sys.exit(77)

PITCH, WAVE = 8e-6, 532e-9


def pgm(data):
    head, size, top, rest = data.split(b"\n", 3)
    width, height = map(int, size.split())
    return np.frombuffer(rest, "u1").reshape(height, width)


def carried(light, distance):
    """The band-limited angular spectrum in a frame of zeros as large as the field on each side."""
    h, w = light.shape
    padded = np.zeros((2 * h, 2 * w), complex)
    padded[:h, :w] = light
    u, v = np.fft.fftfreq(2 * w, PITCH), np.fft.fftfreq(2 * h, PITCH)[:, None]
    rest = WAVE ** -2 - u * u - v * v
    limit = lambda n: 1 / (WAVE * np.hypot(distance / (n * PITCH), 1))
    passes = (rest > 0) & (abs(u) <= limit(w)) & (abs(v) <= limit(h))
    turn = np.where(passes, np.exp(2j * np.pi * distance * np.sqrt(np.maximum(rest, 0))), 0)
    return np.fft.ifft2(np.fft.fft2(padded) * turn)[:h, :w]


def psnr(shown, target):
    scale = (shown * target).sum() / (shown * shown).sum()
    return 10 * np.log10(target.max() ** 2 / ((scale * shown - target) ** 2).mean())


class Light(Case):
    def test_refined(self):
        """Targets as large as the field, in the middle and at the side: nothing wraps round."""
        side = 128
        for x, y, w, h in (0, 0, side, side), (32, 32, 64, 64), (6, 70, 50, 40):
            target = np.zeros((side, side), "f4")
            target[y:y + h, x:x + w] = np.sqrt(
                np.frombuffer(noise(w * h, 5), "u1").reshape(h, w) / 512 + 0.5)
            np.save(self.path("to.npy"), target)
            told = json.loads(self.works(
                "hologram", "show", "to.npy", "slm.pgm", "--size", "%dx%d" % (side, side),
                "--pitch", "8um", "--distance", "-20mm", "--place", "centre", "--json").stdout)
            light = np.exp(2j * np.pi * pgm(self.get("slm.pgm")) / 256)
            there = abs(carried(light, -0.02))[y:y + h, x:x + w]
            self.assertLess(abs(psnr(there, target[y:y + h, x:x + w]) - told["psnr_db"]), 0.05)
            self.assertLess(abs((there ** 2).sum() / side ** 2 - told["efficiency"]), 1e-3)

    def test_source(self):
        """A beam that is brighter in the middle, a bent modulator and a lens are made up for."""
        side = 96
        y, x = (np.mgrid[:side, :side] + 0.5 - side / 2) * PITCH
        beam = np.exp(-(x * x + y * y) / (0.4e-3) ** 2 + 1j * 9e6 * (x * x - y * x))
        target = np.zeros((side, side), "f4")
        target[24:72, 20:76] = np.sqrt(np.frombuffer(noise(48 * 56, 5), "u1").reshape(48, 56) / 512 +
                                       0.5)
        np.save(self.path("to.npy"), target)
        np.save(self.path("beam.npy"), beam.astype("c8"))
        bent = beam * np.exp(-1j * np.pi * (x * x + y * y) / (WAVE * 0.05))
        for levels, more in ("phase:256", ()), ("phase:4", ("--refine", "4")):
            arguments = ["hologram", "show", "to.npy", "slm.pgm", "--size", "96x96", "--pitch",
                         "8um", "--distance", "20mm", "--levels", levels, "--json", *more]
            told = json.loads(self.works(*arguments, "--source", "beam.npy", "--source",
                                         "lens:50mm").stdout)
            light = np.exp(2j * np.pi * pgm(self.get("slm.pgm")) / int(levels[6:])) * bent
            there = abs(carried(light, 0.02))[24:72, 20:76]
            self.assertLess(abs(psnr(there, target[24:72, 20:76]) - told["psnr_db"]), 0.1)
            self.assertLess(abs((there ** 2).sum() / (abs(bent) ** 2).sum() - told["efficiency"]),
                            2e-3)
            self.assertGreater(told["psnr_db"], 22 if levels == "phase:256" else 16)
            self.works(*arguments) # what takes no account of the beam is worse by far
            light = np.exp(2j * np.pi * pgm(self.get("slm.pgm")) / int(levels[6:])) * bent
            there = abs(carried(light, 0.02))[24:72, 20:76]
            self.assertLess(psnr(there, target[24:72, 20:76]), told["psnr_db"] - 3)
        told = json.loads(self.works(*arguments[:-5], "--levels", "phase-binary", "--json", "--refine",
                                     "4", "--source", "beam.npy", "--source", "lens:50mm").stdout)
        self.assertGreater(told["psnr_db"], told["start_psnr_db"] + 3)  # the search alone
        self.put("flat.pgm", b"P5\n160 120\n255\n" + bytes(range(256)) * 75)
        told, at = self.spots("--size", "160x120", "--pitch", "8um", "--source", "flat.pgm",
                              "--source", "tilt:0.05,-0.1")
        flat = pgm(self.get("flat.pgm")) / 255 + 0.05 * np.arange(160) - 0.1 * np.arange(120)[:, None]
        light = np.exp(2j * np.pi * (pgm(self.get("slm.pgm")) / 256 + flat))
        self.check_spots(light, told, at, PITCH)
        for name, word in (("flat.pgm", "160 x 120"), ("lens:0", "focal"), ("tilt:1", "two")):
            self.refused(*arguments, "--source", name, words=[name, word])

    def test_packed(self):
        """24 frames in 24 bits: their mean is what the single files show."""
        light = np.exp(2j * np.pi * np.add.outer(0.2 * np.arange(40), 0.25 * np.arange(48)))
        np.save(self.path("in.npy"), light.astype("c8"))
        arguments = ["hologram", "quantize", "in.npy", "--levels", "binary", "--window",
                     "0.25,0.2,0.3,0.3", "--frames", "24"]
        self.works(*arguments, "out.ppm", "--drive", "packed", "--quiet")
        self.works(*arguments, "one.pgm", "--quiet", "--drive", "numbers")
        head, size, top, rest = self.get("out.ppm").split(b"\n", 3)
        packed = np.frombuffer(rest, "u1").reshape(40, 48, 3)
        for i in range(24):
            bit = packed[:, :, (1, 0, 2)[i // 8]] >> i % 8 & 1
            self.assertTrue((bit == pgm(self.get("one-%d.pgm" % (i + 1)))).all())
        self.refused(*arguments[:-1], "25", "out.ppm", "--drive", "packed", words=["24"], status=2)

    def test_colours(self):
        """From a picture in colour to three files and back: each channel at its wavelength."""
        side = 96
        y, x = np.mgrid[:side, :side]
        picture = np.stack([128 + 90 * np.sin(x / 7), 128 + 90 * np.cos(y / 9),
                            128 + 90 * np.sin((x + y) / 11)], axis=2).astype("u1")
        self.put("to.ppm", b"P6\n96 96\n255\n" + picture.tobytes())
        waves = ["--wavelength", "638nm,520nm,450nm", "--pitch", "8um"]
        told = self.works("hologram", "show", "to.ppm", "slm.pgm", "--size", "96x96", "--distance",
                          "-9mm", *waves).stderr.decode()
        self.assertEqual(told.count("% of the light"), 3)
        self.works("hologram", "reconstruct", "slm.pgm", "seen.ppm", "--levels", "phase:256",
                   "--depth", "9mm", *waves, "--quiet")
        seen = np.frombuffer(self.get("seen.ppm").split(b"\n", 3)[3], "u1").reshape(side, side, 3)
        inner = np.s_[16:-16, 16:-16]
        for c in range(3):
            likeness = [np.corrcoef(seen[inner][..., c].ravel(), picture[inner][..., k].ravel())[0, 1]
                        for k in range(3)]
            self.assertEqual(int(np.argmax(likeness)), c)
            self.assertGreater(likeness[c], 0.9)
        for more, word in ((["--distance", "9mm", "--wavelength", "1um,2um"], "three"),
                           (["--lens", "1m", *waves[:2]], "three wavelengths")):
            self.refused("hologram", "show", "to.ppm", "slm.pgm", "--size", "96x96", "--pitch",
                         "8um", *more, words=[word], status=2)

    def test_planes(self):
        """Three pictures at three depths: the worst of them is what is printed."""
        side, targets = 160, []
        for k, depth in enumerate((6, 20, 60)):
            target = np.zeros((side, side), "f4")
            target[48:112, 48:112] = np.sqrt(
                np.kron(np.frombuffer(noise(64, 5 + k), "u1").reshape(8, 8), np.ones((8, 8))) / 512 +
                0.3)
            np.save(self.path("%d.npy" % depth), target)
            targets.append((depth, target))
        told = json.loads(self.works(
            "hologram", "show", "6.npy", "slm.pgm", "--size", "160x160", "--pitch", "8um",
            "--distance", "-6mm", "--scene", "20.npy@20mm", "--scene", "60.npy@60mm", "--place",
            "centre", "--json").stdout)
        light = np.exp(2j * np.pi * pgm(self.get("slm.pgm")) / 256)
        inner = np.s_[48:112, 48:112]
        there = [abs(carried(light, -depth / 1e3))[inner] for depth, _ in targets]
        reached = [psnr(a, t[inner]) for a, (_, t) in zip(there, targets)]
        self.assertLess(abs(min(reached) - told["psnr_db"]), 0.05)
        self.assertGreater(min(reached), 18)
        self.assertLess(abs(sum((a ** 2).sum() for a in there) / side ** 2 - told["efficiency"]),
                        2e-3)
        self.refused("hologram", "show", "6.npy", "slm.pgm", "--size", "160x160", "--pitch", "8um",
                     "--distance", "-6mm", "--scene", "20.npy@20mm", "--levels", "phase:16",
                     "--place", "centre", words=["several planes", "64"])

    def spots(self, *arguments):
        """What is told of a list of spots, and their places and weights."""
        at = np.array([[(i - 1.5) * 0.5e-3, (k - 2) * 0.4e-3, (i % 2) * 1e-3, 1 + (k == 1)]
                       for i in range(4) for k in range(5)])
        rows = [",".join("%.9g" % number for number in row) for row in at]
        self.put("spots.csv", "\n".join(["x,y,z,weight"] + rows).encode())
        return json.loads(self.works("hologram", "show", "spots.csv", "slm.pgm", "--lens", "200mm",
                                     "--json", *arguments).stdout), at

    def check_spots(self, light, told, at, pitch):
        h, w = light.shape
        x, y = (np.arange(w) + 0.5 - w / 2) * pitch, (np.arange(h) + 0.5 - h / 2) * pitch
        there = []
        for X, Y, z, _ in at: # y upwards
            turns = np.add.outer(-Y * y + z * y * y / 0.4, X * x + z * x * x / 0.4) / (WAVE * 0.2)
            there.append(abs((light * np.exp(-2j * np.pi * turns)).sum()) ** 2 / (w * h) ** 2)
        even = there / at[:, 3]
        self.assertLess(abs(sum(there) - told["efficiency"]), 1e-3)
        self.assertLess(abs(1 - np.ptp(even) / (even.max() + even.min()) - told["uniformity"]),
                        1e-3)
        self.assertGreater(told["uniformity"], 0.97)

    def test_spots(self):
        for levels, least in (256, 0.8), (16, 0.8):
            told, at = self.spots("--size", "160x120", "--pitch", "8um", "--levels",
                                  "phase:%d" % levels)
            light = np.exp(2j * np.pi * pgm(self.get("slm.pgm")) / levels)
            self.check_spots(light, told, at, PITCH)
            self.assertGreater(told["efficiency"], least)

    def test_electrodes(self):
        """A phase light modulator: its levels read back from the bits of four electrodes."""
        told, at = self.spots("--modulator", "plm-67")
        bits = pgm(self.get("slm.pgm"))[:, ::-1] > 0
        self.assertEqual(bits.shape, (1600, 2716))
        memory = (bits[1::2, 0::2] * 1 + bits[0::2, 0::2] * 2 + bits[1::2, 1::2] * 4 +
                  bits[0::2, 1::2] * 8)
        level = np.argsort([3, 2, 1, 7, 0, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12])[memory]
        moved = np.array([0.0, 0.0107, 0.0219, 0.0450, 0.0598, 0.0775, 0.1206, 0.1850, 0.3655,
                          0.3955, 0.4510, 0.5244, 0.6393, 0.7116, 0.8502, 1.0]) * 15 / 16
        self.check_spots(np.exp(2j * np.pi * moved[level]), told, at, 10.8e-6)

    def test_micromirrors(self):
        told, at = self.spots("--modulator", "dlp7000")
        mirrors = pgm(self.get("slm.pgm"))
        self.assertEqual(sorted(set(mirrors.ravel())), [0, 255])
        self.check_spots(mirrors / 255, told, at, 13.68e-6)


if __name__ == "__main__":
    unittest.main()
