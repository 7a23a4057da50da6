# SPDX-License-Identifier: MIT
"""Y4M video: every layout and depth, both ranges, pipes, damage, and a real ffmpeg at both ends."""
import json
import subprocess
import unittest

from command import Case, ROUNDOFF, floyd_steinberg, have, noise

LAYOUTS = {"420jpeg": (2, 2), "420": (2, 2), "411": (4, 1), "422": (2, 1), "444": (1, 1),
           "mono": None}


def planes_of(layout, width, height):
    """The sizes of a frame's planes."""
    base = layout.split("p1")[0] if layout[:4] != "mono" else "mono"
    across = LAYOUTS[base]
    if not across:
        return [(width, height)]
    colour = (-(-width // across[0]), -(-height // across[1]))
    return [(width, height), colour, colour]


def video(layout, width, height, frames, bits=8, more=""):
    """A video of noise, and its frames as lists of planes of samples."""
    data = b"YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C%s%s\n" % (width, height, layout.encode(),
                                                        more.encode())
    made = []
    for number in range(frames):
        frame = []
        data += b"FRAME\n"
        for plane, (w, h) in enumerate(planes_of(layout, width, height)):
            high = noise(w * h, 1 + 10 * number + plane)
            low = noise(w * h, 1001 + 10 * number + plane)
            samples = [(a * 256 + b) >> (16 - bits) for a, b in zip(high, low)]
            data += b"".join(s.to_bytes(2 if bits > 8 else 1, "little") for s in samples)
            frame.append(samples)
        made.append(frame)
    return data, made


def frames_of(data, layout, width, height, bits=8):
    """A video taken apart: its first line and its frames."""
    line, rest = data.split(b"\n", 1)
    size = 2 if bits > 8 else 1
    found = []
    while rest:
        assert rest.startswith(b"FRAME\n")
        rest, frame = rest[6:], []
        for w, h in planes_of(layout, width, height):
            raw, rest = rest[:w * h * size], rest[w * h * size:]
            frame.append([int.from_bytes(raw[i:i + size], "little")
                          for i in range(0, len(raw), size)])
        found.append(frame)
    return line.decode(), found


class Video(Case):
    def halve(self, layout, out_layout, bits, out_bits, width=13, height=7):
        data, frames = video(layout, width, height, 3, bits)
        self.put("in.y4m", data)
        self.works("halftone", "in.y4m", "out.y4m", "--levels", str(1 << out_bits), "--quiet")
        line, got = frames_of(self.get("out.y4m"), layout, width, height, out_bits)
        self.assertIn(" C%s " % out_layout, line + " ")
        self.assertIn(" F25:1 Ip A1:1", line)
        # limited numbers: those of fewer bits times a power of two; what lies above is cut off
        white = ((1 << out_bits) - 1) << (bits - out_bits)
        for have_frame, frame in zip(got, frames, strict=True):
            for (w, h), plane, want in zip(planes_of(layout, width, height), have_frame, frame):
                cut = [min(sample, white) for sample in want]
                self.assertEqual(plane, floyd_steinberg(cut, w, h, white, 1 << out_bits))

    def test_layouts(self):
        for layout, out in (("420p10", "420"), ("422p10", "422"), ("444p10", "444"),
                            ("411p10", "411"), ("mono10", "mono"), ("420jpeg", "420jpeg")):
            self.halve(layout, out, 10 if "10" in layout else 8, 8, 9, 5)

    def test_depths(self):
        self.halve("420p12", "420", 12, 8, 5, 3)
        self.halve("420p12", "420p10", 12, 10, 5, 3)
        self.halve("mono16", "mono12", 16, 12, 3, 2)
        self.halve("444p16", "444", 16, 8, 1, 1)

    def test_full_range(self):
        """White is the largest number of both; colour is the same as in the limited range."""
        data, frames = video("444p10", 8, 6, 2, 10, " XCOLORRANGE=FULL")
        self.put("in.y4m", data)
        self.works("halftone", "in.y4m", "out.y4m", "--levels", "256", "--quiet")
        line, got = frames_of(self.get("out.y4m"), "444", 8, 6)
        self.assertIn("XCOLORRANGE=FULL", line)
        self.assertEqual(got[1][0], floyd_steinberg(frames[1][0], 8, 6, 1023, 256))
        cut = [min(sample, 1020) for sample in frames[1][2]]
        self.assertEqual(got[1][2], floyd_steinberg(cut, 8, 6, 1020, 256))
        limited, _ = video("444p10", 8, 6, 2, 10)
        self.put("limited.y4m", limited)
        self.works("halftone", "limited.y4m", "full.y4m", "--levels=256", "--range=full", "--quiet")
        self.assertEqual(self.get("full.y4m"), self.get("out.y4m"))

    def test_few_levels(self):
        """Of fewer than 256 levels the first is black and the last white, as numbers of 8 bits."""
        data, frames = video("420p10", 8, 6, 1, 10)
        self.put("in.y4m", data)
        self.works("halftone", "in.y4m", "out.y4m", "--levels", "4", "--method", "fs", "--quiet")
        line, got = frames_of(self.get("out.y4m"), "420", 8, 6)
        self.assertIn("XCOLORRANGE=LIMITED", line)
        samples = [min(max(s, 64), 4 * 235) - 64 for s in frames[0][0]]
        levels = floyd_steinberg(samples, 8, 6, 4 * 219, 4)
        self.assertEqual(got[0][0], [16 + (2 * 219 * k + 3) // 6 for k in levels])
        self.assertEqual(got[0][1:], [[128] * 12] * 2)  # grey, not tinted

    def test_grey(self):
        for layout in "420", "411", "422", "444", "mono", "420p12":
            bits = 12 if layout == "420p12" else 8
            data, _ = video(layout, 13, 7, 2, bits)
            self.put("in.y4m", data)
            self.works("halftone", "in.y4m", "out.y4m", "--quiet")
            _, got = frames_of(self.get("out.y4m"), layout.removesuffix("p12"), 13, 7)
            for frame in got:
                self.assertEqual(set(frame[0]), {16, 235})
                self.assertTrue(all(set(plane) == {128} for plane in frame[1:]), layout)

    def flat(self, rgb, width=16, height=12):
        """A video of one colour, by BT.601 in the limited range."""
        r, g, b = (v / 255 for v in rgb)
        light = 0.299 * r + 0.587 * g + 0.114 * b
        planes = 16 + 219 * light, 128 + 224 * (b - light) / 1.772, 128 + 224 * (r - light) / 1.402
        size = width * height
        return (b"YUV4MPEG2 W%d H%d F25:1 C420\n" % (width, height) + 2 * (b"FRAME\n" + b"".join(
            bytes([round(v)]) * n for v, n in zip(planes, (size, size // 4, size // 4)))))

    def seen(self, name, width, height):
        """The colours of the first frame of 4:4:4, nearest multiples of 5."""
        line, got = frames_of(self.get(name), "444", width, height)
        self.assertIn(" C444 ", line)
        found = set()
        for y, u, v in zip(*got[0]):
            light, blue, red = (y - 16) / 219, (u - 128) / 224, (v - 128) / 224
            r, b = light + 1.402 * red, light + 1.772 * blue
            g = (light - 0.299 * r - 0.114 * b) / 0.587
            found.add(tuple(5 * round(51 * c) for c in (r, g, b)))
        return found

    def test_palettes_and_channels(self):
        self.put("in.y4m", self.flat((200, 30, 60)))
        self.works("halftone", "in.y4m", "out.y4m", "--palette", "black white red #c01e3c", "--quiet")
        self.assertEqual(self.seen("out.y4m", 16, 12) - {(255, 0, 0), (0, 0, 0), (255, 255, 255)},
                         {(190, 30, 60)})
        self.works("halftone", "in.y4m", "out.y4m", "--channels", "rgb", "--quiet")
        self.assertIn((255, 0, 0), self.seen("out.y4m", 16, 12))
        self.assertTrue(all(v in (0, 255) for c in self.seen("out.y4m", 16, 12) for v in c))
        self.works("halftone", "in.y4m", "out.y4m", "--channels", "rgb", "--levels", "256", "--quiet")
        self.assertEqual(self.seen("out.y4m", 16, 12), {(200, 30, 60)})

    def test_sizes_and_tones(self):
        self.put("in.y4m", self.flat((120, 120, 120)))
        for options, size in ((["--resize", "50%"], (8, 6)), (["--resize", "fill:8x8"], (8, 8)),
                              (["--resize", "up:2"], (32, 24))):
            self.works("halftone", "in.y4m", "out.y4m", "--levels", "3", "--quiet", *options)
            line, got = frames_of(self.get("out.y4m"), "420", *size)
            self.assertIn(" W%d H%d " % size, line)
            self.assertEqual(len(got), 2)
            mean = sum(got[0][0]) / len(got[0][0])
            self.assertAlmostEqual(mean, 16 + 219 * 120 / 255, delta=12)

        def mean(*options):
            self.works("halftone", "in.y4m", "out.y4m", "--quiet", *options)
            return sum(frames_of(self.get("out.y4m"), "420", 16, 12)[1][0][0]) / 192

        plain = mean()
        self.assertGreater(mean("--brightness", "20%"), plain + 20)
        self.assertLess(mean("--linear"), plain - 20)
        self.assertAlmostEqual(mean("--invert"), 251 - plain, delta=12)
        data = self.flat((120, 120, 120))
        done = self.works("halftone", "-", "-", "--linear", "--threads=3", input=data)
        self.works("halftone", "in.y4m", "out.y4m", "--quiet", "--linear")
        self.assertEqual(done.stdout, self.get("out.y4m"))

    def test_pipes_threads_and_methods(self):
        data, _ = video("420p10", 30, 20, 7, 10)
        self.put("in.y4m", data)
        for options in (["--levels=256"], ["--method=bayer", "--levels=256"], ["--method=ostromoukhov",
                        "--levels=256"], ["--method=riemersma"], ["--levels=256", "--serpentine"]):
            self.works("halftone", "in.y4m", "one.y4m", "--quiet", "--threads=1", *options)
            done = self.works("halftone", "-", "-", "--threads=3", *options, input=data)
            self.assertEqual(done.stdout, self.get("one.y4m"), options)
            self.assertRegex(done.stderr, rb"7 frames, .* frames/s\n$")
        done = self.works("halftone", "in.y4m", "out.y4m", "--json", "--levels=256")
        said = json.loads(done.stdout)
        self.assertEqual((said["frames"], said["bits_in"], said["bits_out"]), (7, 10, 8))

    def test_damage(self):
        data, _ = video("420p10", 30, 20, 3, 10)
        start = data.index(b"FRAME")
        for broken, word in ((data[:-1], "ends early"), (data[:start + 9], "ends early"),
                             (data.replace(b"W30 ", b""), "empty"),
                             (data.replace(b"W30 ", b"W0 "), "empty"),
                             (data.replace(b"W30 ", b"W3x "), "no size"),
                             (data.replace(b"W30 ", b"W4000000000 "), "too large"),
                             (data.replace(b"C420p10", b"C420p17"), "layout"),
                             (data.replace(b"C420p10", b"C444alpha"), "layout"),
                             (data.replace(b"FRAME", b"FLAME"), "no frame"),
                             (b"YUV4MPEG2 " + b"X" * 5000, "too long")):
            self.put("in.y4m", broken)
            self.put("out.y4m", b"old")
            self.refused("halftone", "in.y4m", "out.y4m", "--levels=256", words=[word])
        self.put("in.y4m", data[:start])  # no frames at all
        done = self.works("halftone", "in.y4m", "out.y4m", "--levels=256")
        self.assertRegex(done.stderr, rb"30 x 20, 420, 10 to 8 bits, .* 0 frames")
        said = json.loads(self.works("halftone", "in.y4m", "out.y4m", "--levels=256", "--json").stdout)
        self.assertEqual((said["frames"], said["width"]), (0, 30))
        self.refused("halftone", "in.y4m", "out.y4m", "--certificate=c.json", words=["certificate"])

    def test_refused(self):
        data, _ = video("420p10", 8, 6, 1, 10)
        self.put("in.y4m", data)
        self.put("picture.pgm", b"P5 1 1 255 a")
        for arguments, word in ((["out.png"], ".y4m"), (["out.y4m", "--levels=4096"], "10 bits"),
                                (["out.y4m", "--levels=1000"], "power of two"),
                                (["out.y4m", "--palette=auto:8"], "palette"),
                                (["out.y4m", "--separate=cmyk-tiff"], "inks"),
                                (["out.y4m", "--gamma=2", "--levels=512"], "planes"),
                                (["out.y4m", "--range=0,900"], "black and white"),
                                (["out.y4m", "--alpha=keep"], "no alpha"),
                                (["out.y4m", "--compression=zip"], "TIFF"),
                                (["out.y4m", "--bit-order=lsb"], "order of bits"),
                                (["out.y4m", "--certificate=c.json"], "certificate"),
                                (["out.y4m", "--vectors=v.txt"], "vectors")):
            self.refused("halftone", "in.y4m", *arguments, words=[word])
        self.refused("halftone", "picture.pgm", "out.y4m", words=["picture"])

    @unittest.skipUnless(have("ffmpeg"), "no ffmpeg")
    def test_ffmpeg(self):
        """ffmpeg's own video in, ffmpeg at the other end: what it reads is what was written."""
        make = ["ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i",
                "testsrc2=size=64x48:rate=25:duration=0.4", "-pix_fmt", "yuv420p10le", "-strict",
                "-1", "-f", "yuv4mpegpipe", "-"]
        read = ["ffmpeg", "-v", "error", "-f", "yuv4mpegpipe", "-i", "-", "-f", "rawvideo",
                "-pix_fmt", "yuv420p", "-"]
        made = subprocess.run(make, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
                              check=True).stdout
        with subprocess.Popen(make, stdout=subprocess.PIPE,
                              stdin=subprocess.DEVNULL) as maker:
            with subprocess.Popen([ROUNDOFF, "halftone", "-", "-", "--levels", "256", "--quiet"],
                                  stdin=maker.stdout, stdout=subprocess.PIPE) as halftone:
                done = subprocess.run(read, stdin=halftone.stdout, stdout=subprocess.PIPE,
                                      check=True)
        self.assertEqual((maker.returncode, halftone.returncode), (0, 0))
        self.put("in.y4m", made)
        self.works("halftone", "in.y4m", "out.y4m", "--levels", "256", "--quiet")
        _, frames = frames_of(self.get("out.y4m"), "420", 64, 48)
        self.assertEqual(len(frames), 10)
        self.assertEqual(done.stdout, bytes(s for frame in frames for plane in frame for s in plane))


if __name__ == "__main__":
    unittest.main()
