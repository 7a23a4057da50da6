# SPDX-License-Identifier: MIT
"""Pipes, signals and reports: what a shell script relies on."""
import json
import os
import pty
import signal
import subprocess
import time
import unittest

from command import Case, OLD, ROUNDOFF, netpbm, noise, pgm, supports


class Pipes(Case):
    def test_pipe_to_pipe(self):
        picture = pgm(300, 200, noise(60000))
        self.put("in.pgm", picture)
        self.works("halftone", "in.pgm", "out.pbm", "--quiet")
        done = self.works("halftone", "-", "-", "--quiet", input=picture)
        self.assertEqual(done.stdout, self.get("out.pbm"))
        self.assertEqual(done.stderr, b"")
        self.works("halftone", "in.pgm", "out.pgm", "--quiet", "--levels=5")
        done = self.works("halftone", "-", "-", "--quiet", "--levels=5", input=picture)
        self.assertEqual(done.stdout, self.get("out.pgm"))

    def test_in_place(self):
        picture = pgm(300, 200, noise(60000))
        wanted = self.works("halftone", "-", "-", "--type", "pgm", input=picture).stdout
        self.put("same.pgm", picture)
        self.works("halftone", "same.pgm", "same.pgm")
        self.assertEqual(self.get("same.pgm"), wanted)
        self.assertEqual(os.listdir(self.folder), ["same.pgm"])

    def test_named_pipe_as_output(self):
        os.mkfifo(self.path("fifo.pbm"))
        self.put("in.pgm", pgm(30, 20, noise(600)))
        wanted = self.works("halftone", "in.pgm", "-").stdout
        with subprocess.Popen([ROUNDOFF, "halftone", "in.pgm", "fifo.pbm", "--quiet"],
                              cwd=self.folder) as running:
            with open(self.path("fifo.pbm"), "rb") as fifo:
                self.assertEqual(fifo.read(), wanted)
            self.assertEqual(running.wait(), 0)

    def test_closed_pipe(self):
        self.put("in.pgm", pgm(4000, 8000, bytes(32000000)))
        for arguments in [["halftone", "in.pgm", "-"], ["halftone", "in.pgm", "-", "--levels=3"],
                          ["testcard", "-", "--size", "2000x3000"]]:
            with subprocess.Popen([ROUNDOFF, *arguments], cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE) as running:
                self.assertEqual(len(running.stdout.read(10)), 10)
                running.stdout.close()
                text = running.stderr.read()
                self.assertEqual(running.wait(), 1, arguments)
                self.one_sentence(text)

    def test_closed_standard_output(self):
        done = subprocess.run('"%s" devices >&-' % ROUNDOFF, shell=True, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 1)
        self.one_sentence(done.stderr)


class Signals(Case):
    """The signal comes while the command waits for a writer that is slow."""

    def interrupted(self, number, word, arguments, stdout=subprocess.DEVNULL):
        self.put("old.pbm", OLD)
        before = self.snapshot()
        with subprocess.Popen([ROUNDOFF, *arguments], cwd=self.folder, stdin=subprocess.PIPE,
                              stdout=stdout, stderr=subprocess.PIPE) as running:
            running.stdin.write(pgm(1000, 100000, noise(1000) * 2000))
            running.stdin.flush()
            time.sleep(0.5)
            self.assertIsNone(running.poll())
            start = time.monotonic()
            running.send_signal(number)
            text = running.stderr.read()
            self.assertEqual(running.wait(), 128 + number)
            self.assertLess(time.monotonic() - start, 10)
            running.stdin.close()
        self.one_sentence(text, word)
        self.assertEqual(self.snapshot(), before)

    def test_ctrl_c(self):
        for out in ["old.pbm", "new.tif", "new.png", "new.npy", "-"]:
            if out[-3:] in ("tif", "png") and not supports(out[-3:]):
                continue
            with self.subTest(out=out):
                self.interrupted(signal.SIGINT, "interrupted", ["halftone", "-", out])

    def test_terminate(self):
        self.interrupted(signal.SIGTERM, "terminated", ["halftone", "-", "old.pbm"])

    def test_schedules(self):
        for schedule in ["ed", "ec", "wave"]:
            with self.subTest(schedule=schedule):
                self.interrupted(signal.SIGINT, "interrupted",
                                 ["halftone", "-", "old.pbm", "--method", "fs", "--schedule",
                                  schedule])

    def test_before_the_header(self):
        self.put("old.pbm", OLD)
        with subprocess.Popen([ROUNDOFF, "halftone", "-", "old.pbm"], cwd=self.folder,
                              stdin=subprocess.PIPE, stderr=subprocess.PIPE) as running:
            time.sleep(0.3)
            running.send_signal(signal.SIGINT)
            text = running.stderr.read()
            self.assertEqual(running.wait(), 130)
            running.stdin.close()
        self.one_sentence(text, "interrupted")
        self.assertEqual(self.snapshot(), {"old.pbm": OLD})


class Reports(Case):
    def setUp(self):
        super().setUp()
        self.put("in.pgm", pgm(64, 48, noise(64 * 48)))

    def test_line(self):
        done = self.works("halftone", "in.pgm", "out.pbm", "--cpu", "scalar", "--threads", "1")
        self.assertRegex(done.stderr.decode(),
                         r"^halftone: acuity, 2 levels, 64 x 48, \w+/scalar, 1 thread, "
                         r"[\d.]+ m?s, [\d.]+ Mpixel/s\n$")
        self.assertEqual(done.stdout, b"")
        done = self.works("halftone", "in.pgm", "out.pbm", "--quiet")
        self.assertEqual((done.stdout, done.stderr), (b"", b""))

    def test_json(self):
        done = self.works("halftone", "in.pgm", "out.pgm", "--json", "--levels", "4",
                          "--method", "fs", "--schedule", "ec")
        self.assertEqual(done.stderr, b"")
        report = json.loads(done.stdout)
        for key, value in {"input": "in.pgm", "output": "out.pgm", "method": "floyd-steinberg",
                           "schedule": "ec", "levels": 4, "width": 64, "height": 48,
                           "threads": 1, "device": "cpu"}.items():
            self.assertEqual(report[key], value, key)
        self.assertGreater(report["seconds"], 0)

    def test_json_beside_a_picture(self):
        done = self.works("halftone", "in.pgm", "-", "--json")
        self.assertEqual(netpbm(done.stdout)[1], [64, 48])
        self.assertEqual(json.loads(done.stderr)["output"], "-")
        done = self.works("testcard", "-", "--json", "--size", "20x10")
        self.assertEqual(netpbm(done.stdout)[1], [20, 10, 255])
        self.assertEqual(json.loads(done.stderr)["width"], 20)

    def test_json_of_the_others(self):
        self.assertEqual(json.loads(self.works("devices", "--json").stdout)[0]["device"], "cpu")
        names = [row["name"] for row in
                 json.loads(self.works("halftone", "--list", "--json").stdout)]
        self.assertIn("floyd-steinberg", names)
        self.assertIn("floyd-steinberg", self.works("halftone", "--list").stdout.decode())
        names = [row["name"] for row in json.loads(self.works("bench", "--list", "--json").stdout)]
        self.assertIn("diffusion", names)
        done = self.works("testcard", "out.ppm", "--json", "--colour", "--bits", "16")
        self.assertEqual(json.loads(done.stdout)["colour"], True)

    def test_json_of_a_strange_name(self):
        name = b'a "b"\\\n\xff\xc3\xa9.pgm'
        with open(os.path.join(self.folder.encode(), name), "wb") as file:
            file.write(self.get("in.pgm"))
        report = json.loads(self.works("halftone", name, "out.pbm", "--json").stdout.decode())
        self.assertEqual(report["input"], 'a "b"\\\n\ufffd\u00e9.pgm')

    def test_progress_on_a_terminal_only(self):
        """A writer that takes its time: a bar on a terminal, wiped at the end; none in a pipe."""
        rows = noise(1000)

        def feed(stderr, *more):
            with subprocess.Popen([ROUNDOFF, "halftone", "-", "out.pbm", *more], cwd=self.folder,
                                  stdin=subprocess.PIPE, stderr=stderr) as running:
                running.stdin.write(pgm(1000, 5000, b""))
                for _ in range(20):
                    running.stdin.write(rows * 250)
                    running.stdin.flush()
                    time.sleep(0.06)
                running.stdin.close()
                text = running.stderr.read() if running.stderr else b""
                self.assertEqual(running.wait(), 0)
                return text

        self.assertNotIn(b"[", feed(subprocess.PIPE))
        for more, shown in [([], True), (["--quiet"], False)]:
            try:
                ours, theirs = pty.openpty()
            except OSError:
                self.skipTest("there are no terminals here")
            feed(theirs, *more)
            os.close(theirs)
            text = b""
            try:
                while True:
                    text += os.read(ours, 65536)
            except OSError:  # the other end is closed and all is read
                pass
            os.close(ours)
            self.assertEqual(b"[#" in text, shown, text)


if __name__ == "__main__":
    unittest.main()
