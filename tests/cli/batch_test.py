# SPDX-License-Identifier: MIT
"""halftone --out-dir: many pictures, one line each, and what must not be lost."""
import json
import os
import signal
import subprocess
import time
import unittest

from command import Case, ROUNDOFF, noise, pgm


class Batch(Case):
    def setUp(self):
        super().setUp()
        self.names = ["p%d.pgm" % i for i in range(9)]
        for i, name in enumerate(self.names):
            self.put(name, pgm(40 + i, 30, noise((40 + i) * 30, i + 1)))

    def wrong(self, *arguments, words=()):
        """Wrong usage: one sentence, and nothing has changed."""
        before = self.snapshot()
        done = self.command("halftone", *arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr.decode())
        self.assertEqual(self.snapshot(), before)

    def test_same_as_one_by_one(self):
        for threads in ["1", "3"]:
            done = self.works("halftone", *self.names, "--out-dir", "out", "--type", "pbm",
                              "--threads", threads)
            lines = done.stderr.decode().splitlines()
            self.assertEqual(len(lines), 10)
            self.assertRegex(lines[-1], r"^halftone: 9 of 9 files, ")
            self.assertEqual(len(os.listdir(self.path("out"))), 9)
            for name in self.names:
                self.works("halftone", name, "one.pbm", "--quiet")
                self.assertEqual(self.get("out/" + name.replace("pgm", "pbm")), self.get("one.pbm"))
        self.assertEqual(self.works("halftone", *self.names, "--out-dir", "out/", "--type", "pbm",
                                    "--quiet").stderr, b"")

    def test_one_fails(self):
        self.put("p3.pgm", b"P5 9 9 255\nshort")
        self.put("p4.pgm", b"garbage")
        os.mkdir(self.path("out"))
        self.put("out/p3.pbm", b"old")
        done = self.command("halftone", *self.names, "none.pgm", "--out-dir", "out", "--type", "pbm")
        self.assertEqual(done.returncode, 1)
        text = done.stderr.decode()
        for words in ["roundoff: p3.pgm: ", "roundoff: p4.pgm: ", "roundoff: none.pgm: ",
                      "halftone: 7 of 10 files"]:
            self.assertIn(words, text)
        self.assertEqual(self.get("out/p3.pbm"), b"old")
        self.assertEqual(len(os.listdir(self.path("out"))), 8)
        done = self.command("halftone", *self.names, "--out-dir", "out", "--type", "pbm", "--json")
        told = json.loads(done.stdout)
        self.assertEqual((told["files"], told["failed"]), (9, 2))
        self.assertEqual([entry["input"] for entry in told["results"]], self.names)
        self.assertIn("p3.pgm", told["results"][3]["error"])
        self.assertEqual(told["results"][5]["output"], "out/p5.pbm")

    def test_plates_are_named(self):
        done = self.works("halftone", "p1.pgm", "--out-dir", "plates", "--type", "pbm", "--separate",
                          "cmyk")
        self.assertIn("plates/p1-c.pbm and 3 more: ", done.stderr.decode())
        done = self.works("halftone", "p1.pgm", "--out-dir", "plates", "--type", "pbm", "--separate",
                          "cmyk", "--json")
        told = json.loads(done.stdout)["results"][0]
        self.assertNotIn("output", told)
        self.assertEqual(sorted(ink["output"] for ink in told["inks"]),
                         sorted("plates/" + name for name in os.listdir(self.path("plates"))))

    def test_refused_first(self):
        os.mkdir(self.path("other"))
        self.put("other/p1.pgm", self.get("p1.pgm"))
        self.put("file", b"a file")
        pictures = self.names + ["--type", "pbm"]
        self.refused("halftone", *pictures, "other/p1.pgm", "--out-dir", "out",
                     words=["p1.pgm", "other/p1.pgm", "both become out/p1.pbm"])
        self.assertFalse(os.path.exists(self.path("out")) and os.listdir(self.path("out")))
        self.refused("halftone", *pictures, "--out-dir", "file", words=["file", "not a folder"])
        self.refused("halftone", *pictures, "--out-dir", "no/such", words=["no/such"])
        self.refused("halftone", *self.names, "--type", "pgm", "--out-dir", ".",
                     words=["p0.pgm", "overwritten"])
        self.wrong("-", "--out-dir", "out", words=["standard input"])
        self.wrong(*pictures, "--out-dir", "out", "--certificate", "c.json", words=["--certificate"])
        self.wrong(*pictures, "--out-dir", "out", "--vectors", "v.txt", words=["vectors"])
        self.wrong(*pictures, words=["one name too many", "--out-dir"])
        self.wrong("--out-dir", "out", words=["needs IN"])
        done = self.command("halftone", *self.names, "--out-dir", "out", "--type", "xyz")
        self.assertEqual(done.returncode, 1)

    def test_interrupted(self):
        """What is complete stays, nothing else does."""
        os.mkfifo(self.path("pipe.pgm"))  # nobody writes to it
        with subprocess.Popen([ROUNDOFF, "halftone", "p0.pgm", "pipe.pgm", "--out-dir", "out",
                               "--type", "pbm", "--threads", "2"], cwd=self.folder,
                              stderr=subprocess.PIPE) as run:
            pipe = os.open(self.path("pipe.pgm"), os.O_RDWR)
            os.write(pipe, b"P5 9 9 255\n")
            for _ in range(200):
                if os.path.exists(self.path("out/p0.pbm")):
                    break
                time.sleep(0.05)
            run.send_signal(signal.SIGINT)
            self.assertIn(b"interrupted", run.communicate(timeout=60)[1])
            os.close(pipe)
        self.assertEqual(run.returncode, 130)
        self.assertEqual(os.listdir(self.path("out")), ["p0.pbm"])


if __name__ == "__main__":
    unittest.main()
