# SPDX-License-Identifier: MIT
"""roundoff denoise: pipes, the report, what it refuses, and that nothing is lost when it does."""
import json
import re
import struct
import subprocess
import unittest

from command import Case, OLD, ROUNDOFF, netpbm, noise, pgm


class Denoise(Case):
    def setUp(self):
        super().setUp()
        card = self.works("testcard", "-", "--size", "150x110", "--quiet").stdout
        pixels = netpbm(card)[2]
        grain = noise(len(pixels), 7)
        self.pixels = bytes(min(255, max(0, p + g % 31 - 15)) for p, g in zip(pixels, grain))
        self.put("in.pgm", pgm(150, 110, self.pixels))

    def report(self, *arguments):
        return json.loads(self.works("denoise", *arguments, "--json").stdout)

    def test_history(self):
        """Sums stay, energy falls, and the plot has a line for each figure."""
        told = self.report("in.pgm", "out.pgm", "--model", "linear", "--iterations", "6",
                           "--history", "steps.csv")
        rows = [line.split(",") for line in self.get("steps.csv").decode().splitlines()]
        self.assertEqual(rows[0], ["step", "sum", "min", "max", "energy", "change"])
        self.assertEqual([row[0] for row in rows[1:]], [str(i) for i in range(7)])
        self.assertEqual({int(row[1]) for row in rows[1:]}, {int(told["sum_before"])})
        energies = [int(row[4]) for row in rows[1:]]
        self.assertEqual(energies, sorted(energies, reverse=True))
        self.assertEqual(energies[-1], int(told["energy_after"]))
        self.works("denoise", "in.pgm", "out.pgm", "--history", "steps.svg")
        self.assertEqual(self.get("steps.svg").count(b"<polyline"), 5)
        self.put("out.pgm", OLD)
        self.refused("denoise", "in.pgm", "out.pgm", "--history", "steps.txt", words=[".csv or .svg"])

    def test_evolution(self):
        """From IN to OUT, as a series, a GIF and a video; without a part of it when it fails."""
        steps = ["denoise", "in.pgm", "out.pgm", "--model", "linear", "--iterations", "5", "--quiet",
                 "--evolution"]
        self.works(*steps, "s.pgm", "--every", "2")
        self.assertEqual(self.get("s-0000.pgm"), self.get("in.pgm"))
        self.assertEqual(self.get("s-0003.pgm"), self.get("out.pgm"))
        self.works("denoise", "in.pgm", "four.pgm", "--model", "linear", "--iterations", "4")
        self.assertEqual(self.get("s-0002.pgm"), self.get("four.pgm"))
        self.works(*steps, "s.y4m")
        head, _, rest = self.get("s.y4m").partition(b"\n")
        self.assertRegex(head, rb"^YUV4MPEG2 W150 H110 F\d+:1 Ip A1:1 Cmono XCOLORRANGE=FULL$")
        frames = rest.split(b"FRAME\n")[1:]
        self.assertEqual((len(frames), frames[0]), (6, self.pixels))
        self.assertEqual(frames[-1], netpbm(self.get("out.pgm"))[2])
        self.works(*steps, "s.gif")
        self.assertEqual(self.get("s.gif")[:10], b"GIF89a" + struct.pack("<2H", 150, 110))
        self.works("denoise", "in.pgm", "out.pgm", "--evolution", "a.gif")  # takes diffusion
        self.put("out.pgm", OLD)
        self.refused("denoise", "in.pgm", "out.pgm", "--every", "3", status=2, words=["evolution"])
        self.refused("denoise", "in.pgm", "out.pgm", "--evolution", "s.gif", "--model", "trained",
                     words=["trained"])
        self.put("in.ppm", b"P6 2 1 255\nabcdef")
        self.refused("denoise", "in.ppm", "out.pgm", "--model", "linear", "--evolution", "b.gif",
                     words=["out.pgm"])

    def test_smallest_number(self):
        """The fewest bits within a distance of floats; none is enough for a very small one."""
        few = ["denoise", "in.pgm", "out.pgm", "--model", "perona-malik", "--kappa", "20",
               "--iterations", "8"]
        lines = self.works(*few, "--number", "smallest:0.01dB").stderr.decode().splitlines()
        table = [re.match(r"denoise: (\w+) +([\d.]+) dB from floats, .*sum kept(.*)$", line)
                 for line in lines[:6]]
        self.assertEqual([row[1] for row in table], ["u8", "s9", "s12", "s16", "s17", "s24"])
        first = next(row for row in table if float(row[2]) <= 0.01)
        self.assertEqual([row[1] for row in table if row[3]], [first[1]])
        self.assertIn("in %s, kappa 20, 8 steps" % first[1], lines[6])
        self.assertGreater(float(table[0][2]), float(table[3][2]))
        self.put("out.pgm", OLD)
        self.refused(*few, "--number", "smallest:0.1", status=2, words=["smallest:0.1dB"])
        self.refused(*few, "--number", "smallest:1e-9dB", words=["no number system", "the nearest"])

    def test_tolerance(self):
        """A long step is solved where it is asked for, and refused where eight sweeps are all."""
        long = ["denoise", "in.pgm", "out.pgm", "--model", "linear", "--scheme", "implicit",
                "--time-step", "100", "--iterations", "1"]
        told = json.loads(self.works(*long, "--tolerance", "0.5", "--json").stdout)
        self.assertEqual(told["sum_before"], told["sum_after"])
        self.works(*long[:6], "conjugate", "--time-step", "100", "--iterations", "1")
        self.put("out.pgm", OLD)
        self.refused(*long, words=["at most 32", "tolerance"])
        self.refused("denoise", "in.pgm", "out.pgm", "--tolerance", "0.5", words=["tolerance"])

    def test_pipe_to_pipe(self):
        self.works("denoise", "in.pgm", "out.pgm", "--kappa", "8", "--quiet")
        for threads in "1", "2", "5":
            done = self.works("denoise", "-", "-", "--schedule", "stream", "--kappa=8", "--quiet",
                              "--threads", threads, input=self.get("in.pgm"))
            self.assertEqual(done.stdout, self.get("out.pgm"))
            self.assertEqual(done.stderr, b"")

    def test_schedules_give_the_same_bits(self):
        wanted = None
        for more in (["--schedule", "reference"], ["--schedule", "passes"], ["--cpu", "scalar"],
                     ["--schedule", "stream", "--steps-at-once", "7"], ["--threads", "3"], []):
            self.works("denoise", "in.pgm", "out.pgm", "--quiet", "--model", "anisotropic", *more)
            wanted = wanted or self.get("out.pgm")
            self.assertEqual(self.get("out.pgm"), wanted, more)
        wanted = None
        for more in (["--schedule", "reference"], ["--cpu", "scalar"], ["--threads", "3"], []):
            self.works("denoise", "in.pgm", "out.pgm", "--quiet", *more)
            wanted = wanted or self.get("out.pgm")
            self.assertEqual(self.get("out.pgm"), wanted, more)

    def test_device(self):
        if b"cuda" not in self.works("devices").stdout.lower():
            self.put("out.pgm", OLD)
            self.refused("denoise", "in.pgm", "out.pgm", "--device", "cuda",
                         words=["--device cuda", "no CUDA device"])
            return
        flat = "--model", "anisotropic"
        self.works("denoise", "in.pgm", "out.pgm", "--device", "cpu", "--quiet", *flat)
        told = self.report("in.pgm", "there.pgm", "--device", "cuda", *flat)
        self.assertEqual(told["device"], "cuda")
        self.assertEqual(self.get("there.pgm"), self.get("out.pgm"))
        self.refused("denoise", "in.pgm", "out.pgm", "--device", "cuda", "--schedule", "passes",
                     words=["schedule passes"])
        self.works("denoise", "in.pgm", "out.pgm", "--device", "cpu", "--quiet")
        told = self.report("in.pgm", "there.pgm", "--device", "cuda")
        self.assertEqual((told["model"], told["device"]), ("trained", "cuda"))
        self.assertEqual(self.get("there.pgm"), self.get("out.pgm"))

    def test_report(self):
        told = self.report("in.pgm", "out.pgm", "--model", "anisotropic")
        self.assertEqual(told["number"], "s16")
        self.assertEqual(told["sum_before"], 128 * sum(self.pixels))
        self.assertEqual(told["sum_after"], told["sum_before"])
        out = netpbm(self.get("out.pgm"))[2]
        self.assertEqual(sum(out), sum(self.pixels))
        self.assertEqual((told["drift"], told["difference"]), (0, 0))
        self.assertAlmostEqual(told["kappa"], told["noise"] / 2)
        exact = self.report("in.pgm", "out.pgm", "--number", "s9", "--until-converged")
        self.assertTrue(exact["converged"])
        self.assertEqual(exact["drift"], 0)
        self.assertEqual(sum(netpbm(self.get("out.pgm"))[2]), sum(self.pixels))

    def test_trained(self):
        """The default: what it says, the sum of the file, and options that it does not take."""
        grey = bytes(60 + p // 2 for p in self.pixels)
        self.put("grey.pgm", pgm(150, 110, grey))
        told = self.report("grey.pgm", "out.pgm")
        self.assertEqual((told["model"], told["quality"]), ("trained", "best"))
        self.assertNotIn("scheme", told)
        self.assertEqual(told["sum_before"], sum(grey))
        self.assertEqual((told["sum_after"], told["difference"]), (sum(grey), 0))
        out = netpbm(self.get("out.pgm"))[2]
        self.assertEqual(sum(out), sum(grey))
        self.assertNotEqual(out, grey)
        done = self.works("denoise", "grey.pgm", "again.pgm", "--noise-level", repr(told["noise"]))
        self.assertEqual(self.get("again.pgm"), self.get("out.pgm"))
        self.assertRegex(done.stderr.decode(),
                         r"^denoise: trained best, noise of [\d.]+/255, sum kept, 150 x 110, rows/")
        self.assertEqual(len(done.stderr.splitlines()), 1)
        for threads in "1", "3":
            done = self.works("denoise", "-", "-", "--schedule", "stream", "--noise-level", repr(told["noise"]),
                              "--quiet", "--threads", threads, input=self.get("grey.pgm"))
            self.assertEqual(done.stdout, self.get("out.pgm"))
        self.works("denoise", "grey.pgm", "fast.pgm", "--quality", "fast", "--quiet")
        self.assertNotEqual(self.get("fast.pgm"), self.get("out.pgm"))
        self.works("denoise", "grey.pgm", "same.pgm", "--noise-level", "0", "--quiet")
        self.assertEqual(netpbm(self.get("same.pgm"))[2], grey)
        for more in (["--kappa", "8"], ["--scheme", "explicit"], ["--number", "s12"],
                     ["--iterations", "3"], ["--schedule", "passes"]):
            self.works("denoise", "grey.pgm", "old.pgm", "--quiet", *more)
            self.works("denoise", "grey.pgm", "new.pgm", "--quiet", "--model", "anisotropic", *more)
            self.assertEqual(self.get("old.pgm"), self.get("new.pgm"))
            self.refused("denoise", "grey.pgm", "x.pgm", "--model", "trained", *more,
                         words=[more[0][2:], "not apply" if more[-1] != "passes" else "needs"])
        self.refused("denoise", "grey.pgm", "x.pgm", "--kappa", "3", "--quality", "fast",
                     words=["quality needs model trained, not anisotropic"])
        self.refused("denoise", "grey.pgm", "x.npy", "--raw", "--model", "trained", status=2,
                     words=["--raw does not apply to model trained"])
        self.refused("denoise", "grey.pgm", "x.pgm", "--noise-level", "-1", status=2,
                     words=["noise-level", "from 0 to 1000"])

    def test_counts(self):
        """Noise that grows with the tone is found, and one line says so."""
        wide, high = 260, 250
        grain = noise(4 * wide * high, 5)
        samples = bytearray()
        for i in range(wide * high):
            tone = 200 + 2400 * ((i % wide // 37 + i // wide // 41) % 5) / 4
            normal = (sum(grain[4 * i:4 * i + 4]) - 510) / 147.8
            samples += struct.pack(">H", min(4095, max(0, round(tone + (6 * tone) ** 0.5 * normal))))
        self.put("counts.pgm", b"P5\n%d %d\n4095\n" % (wide, high) + bytes(samples))
        done = self.works("denoise", "counts.pgm", "out.pgm")
        self.assertRegex(done.stderr.decode(), r"^denoise: trained best, white is 4095, noise that grows from "
                         r"[\d.]+ to [\d.]+/255, sum kept, 260 x 250, rows/")
        told = self.report("counts.pgm", "out.pgm")
        self.assertLess(told["noise_dark"], told["noise"] / 2)
        self.assertEqual((told["sum_after"], told["difference"]), (told["sum_before"], 0))
        told = self.report("counts.pgm", "out.pgm", "--noise-level", "5")
        self.assertEqual((told["noise_dark"], told["noise"]), (5, 5))

    def test_unclip(self):
        """It is suggested where noise was cut off, and refused where the sum is promised."""
        grain = noise(4 * 150 * 110, 9)
        clipped = bytes(min(255, max(0, p + (sum(grain[4 * i:4 * i + 4]) - 510) // 4))
                        for i, p in enumerate(self.pixels))
        self.put("clipped.pgm", pgm(150, 110, clipped))
        done = self.works("denoise", "clipped.pgm", "out.pgm", "--noise-level", "37")
        self.assertIn(b"--unclip undoes the bias", done.stderr)
        done = self.works("denoise", "clipped.pgm", "out.pgm", "--noise-level", "37", "--unclip")
        self.assertNotIn(b"--unclip", done.stderr)
        self.assertIn(b"the sum", done.stderr)
        self.refused("denoise", "clipped.pgm", "x.pgm", "--unclip", "--certificate", "c.txt",
                     words=["the sum is kept, which --unclip changes"])

    def test_lines(self):
        done = self.works("denoise", "in.pgm", "out.pgm", "--model", "anisotropic")
        lines = done.stderr.decode().splitlines()
        self.assertRegex(lines[0], r"^denoise: explicit anisotropic in s16, kappa [\d.]+ for noise")
        self.assertEqual(len(lines), 1, lines)
        done = self.works("denoise", "in.pgm", "out.pgm", "--round", "nearest", "--model", "anisotropic")
        moved = sum(netpbm(self.get("out.pgm"))[2]) - sum(self.pixels)
        self.assertIn(b"rounding to the levels of OUT changed the sum by %+d levels" % moved,
                      done.stderr)
        self.put("deep.pgm", pgm(75, 110, self.pixels, 65535))
        done = self.works("denoise", "deep.pgm", "out.pgm", "--number", "s12")
        self.assertRegex(done.stderr.decode(), "the sum of OUT differs from that of IN by [+-][0-9.e+]+ levels")
        done = self.works("denoise", "in.pgm", "out.pgm", "--scheme", "naive", "--number", "s9")
        self.assertIn(b"the sum changed by -", done.stderr)

    def test_ten_bits_of_sixteen(self):
        """Defaults are those of the bits in use, and --white says it to a pipe."""
        samples = b"".join(struct.pack(">H", p * 1023 // 255) for p in self.pixels)
        self.put("told.pgm", pgm(150, 110, samples, 1023))
        self.put("deep.pgm", pgm(150, 110, samples, 65535))
        told = self.report("told.pgm", "out.pgm")
        deep = self.report("deep.pgm", "deep-out.pgm")
        self.assertEqual((deep["sample_white"], deep["noise"]), (1023, told["noise"]))
        self.assertEqual(netpbm(self.get("deep-out.pgm"))[2], netpbm(self.get("out.pgm"))[2])
        told = self.report("told.pgm", "out.pgm", "--model", "anisotropic")
        deep = self.report("deep.pgm", "deep-out.pgm", "--model", "anisotropic")
        self.assertEqual((deep["sample_white"], deep["kappa"]), (1023, told["kappa"]))
        wanted = netpbm(self.get("out.pgm"))[2]
        self.assertEqual(netpbm(self.get("deep-out.pgm"))[2], wanted)
        done = self.works("denoise", "deep.pgm", "deep-out.pgm")
        self.assertIn(b"white is 1023", done.stderr)
        done = self.works("denoise", "-", "-", "--schedule", "stream", "--white", "1023", "--quiet",
                          "--kappa", repr(told["kappa"]), "--iterations", str(told["steps"]), input=self.get("deep.pgm"))
        self.assertEqual(netpbm(done.stdout)[2], wanted)

    def test_impulses(self):
        """Salt and pepper is told, and mended where it is asked for."""
        grains = bytes(255 * (i // 11 % 2) if i % 11 == 3 else 120 + i % 5 for i in range(90 * 70))
        self.put("grains.pgm", pgm(90, 70, grains))
        done = self.works("denoise", "grains.pgm", "out.pgm")
        self.assertRegex(done.stderr, b"look like salt and pepper, which diffusion keeps; --impulse")
        self.assertGreater(max(netpbm(self.get("out.pgm"))[2]), 200)
        done = self.works("denoise", "grains.pgm", "out.pgm", "--impulse")
        self.assertRegex(done.stderr, b"[0-9.]+ % of the samples were impulses")
        self.assertLess(max(netpbm(self.get("out.pgm"))[2]), 140)
        self.refused("denoise", "grains.pgm", "out.pgm", "--stop", "soon", status=2,
                     words=["stop soon: must be auto or usual"])
        done = self.works("denoise", "grains.pgm", "out.pgm", "--scheme", "implicit", "--time-step", "16")
        self.assertIn(b"time steps above 8", done.stderr)

    def test_until_converged(self):
        """It has a bound, says where it ended, and says something while it takes long."""
        done = self.works("denoise", "in.pgm", "out.pgm", "--until-converged", "--number", "s9")
        self.assertIn(b"to the fixed point", done.stderr)
        done = self.works("denoise", "in.pgm", "out.pgm", "--until-converged")
        self.assertIn(b"pixels were still changing after 10000 steps", done.stderr)
        done = self.works("denoise", "in.pgm", "out.pgm", "--until-converged", "--iterations", "30")
        self.assertIn(b"pixels were still changing after 30 steps", done.stderr)
        long = subprocess.Popen([ROUNDOFF, "denoise", "in.pgm", "out.pgm", "--until-converged",
                                 "--schedule", "reference", "--iterations", "1000000000"],
                                cwd=self.folder, stderr=subprocess.PIPE)
        self.assertRegex(long.stderr.readline(), b"^denoise: running until no pixel changes")
        long.terminate()
        self.assertEqual(long.wait(60), 143)
        long.stderr.close()

    def test_defaults_are_never_an_error(self):
        """A default value gives the same as leaving the option out, whatever else is asked for."""
        for run in [], ["--model", "linear"], ["--scheme", "xpp24"], ["--number", "s23e8"]:
            self.works("denoise", "in.pgm", "plain.pgm", "--quiet", *run)
            for name, *values in (("model",), ("rounding", "zero"), ("kappa", "0"),
                                  ("schedule", "auto"), ("sigma",), ("scheme",), ("stop",),
                                  ("diffusivity", "perona-malik"), ("independent", "false"),
                                  ("seed", "0"), ("steps-at-once", "0"), ("round", "sum")):
                for value in *values, "default":
                    if "--" + name not in run:
                        self.works("denoise", "in.pgm", "out.pgm", "--quiet", *run,
                                   "--%s=%s" % (name, value))
                        self.assertEqual(self.get("out.pgm"), self.get("plain.pgm"), (run, name))

    def test_refused(self):
        self.put("out.pgm", OLD)
        for words, *more in (
                (["kappa", "number above 0"], "--kappa", "-3"),
                (["given twice"], "--kappa=3", "--kappa=3"),
                (["number x8: must be", "did you mean u8?"], "--number", "x8"),
                (["model quadratic: must be"], "--model", "quadratic"),
                (["sigma", "number from 0"], "--sigma", "-1"),
                (["white", "whole number", "maxval"], "--white", "0.5"),
                (["time-step", "number above 0"], "--time-step", "-1")):
            self.refused("denoise", "in.pgm", "out.pgm", *more, words=words, status=2)
        for words, *more in (
                (["1.5", "not stable", "largest stable one is 0.3749"], "--time-step", "1.5"),
                (["white 0", "from 1 to 65535"], "--white", "0"),
                (["rounding down"], "--rounding", "down"),
                (["kappa does not apply"], "--model", "linear", "--kappa", "4")):
            self.refused("denoise", "in.pgm", "out.pgm", *more, words=words)

    def put_floats(self, values):
        head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }"
        head += b" " * (117 - len(head)) + b"\n"
        self.put("in.npy", b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head +
                 struct.pack("<12f", *values))

    def test_not_a_number(self):
        self.put_floats([0.5] * 7 + [float("nan")] + [0.5] * 4)
        self.put("out.npy", OLD)
        self.refused("denoise", "in.npy", "out.npy", words=["not a finite number", "(3, 1)"])

    def test_beyond_white(self):
        self.put_floats([0.5] * 7 + [1.5] + [0.5] * 4)
        self.put("out.npy", OLD)
        self.refused("denoise", "in.npy", "out.npy", "--number", "s16",
                     words=["1.5", "(3, 1)", "0 to 1"])
        self.works("denoise", "in.npy", "out.npy", "--quiet")
        self.put_floats([0.5] * 7 + [1e38] + [0.5] * 4)
        self.put("out.npy", OLD)
        self.refused("denoise", "in.npy", "out.npy", words=["1e+38"])

    def test_short_input(self):
        self.put("out.pgm", OLD)
        self.put("short.pgm", self.get("in.pgm")[:-1000])
        for more in [], ["--schedule", "stream", "--kappa", "5"]:
            self.refused("denoise", "short.pgm", "out.pgm", *more)


if __name__ == "__main__":
    unittest.main()
