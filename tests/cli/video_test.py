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
        self.works("halftone", "in.y4m", "out.y4m", "--levels", "4", "--quiet")
        line, got = frames_of(self.get("out.y4m"), "420", 8, 6)
        self.assertIn("XCOLORRANGE=LIMITED", line)
        for plane, (white, size) in enumerate(((235, (8, 6)), (240, (4, 3)), (240, (4, 3)))):
            samples = [min(max(s, 64), 4 * white) - 64 for s in frames[0][plane]]
            levels = floyd_steinberg(samples, *size, 4 * (white - 16), 4)
            self.assertEqual(got[0][plane],
                             [16 + (2 * (white - 16) * k + 3) // 6 for k in levels])

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
                                (["out.y4m", "--palette=black white"], "palette"),
                                (["out.y4m", "--channels=rgb", "--levels=256"], "channels"),
                                (["out.y4m", "--range=0,900"], "black and white"),
                                (["out.y4m", "--resize=50%"], "size"),
                                (["out.y4m", "--alpha=keep"], "no alpha"),
                                (["out.y4m", "--compression=zip"], "TIFF"),
                                (["out.y4m", "--bit-order=lsb"], "order of bits"),
                                (["out.y4m", "--certificate=c.json"], "certificate"),
                                (["out.y4m", "--vectors=v.txt"], "vectors")):
            self.refused("halftone", "in.y4m", *arguments, words=[word])
        for option in ("--gamma=2", "--brightness=20%", "--linear", "--invert"):
            self.refused("halftone", "in.y4m", "out.y4m", "--levels=256", option,
                         words=["a change of tone"])
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
