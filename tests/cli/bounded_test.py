# SPDX-License-Identifier: MIT
"""Work and memory follow what has been read, and whoever asks a run to end is heard."""
import os
import resource
import signal
import subprocess
import threading
import time
import unittest

from command import Case, OLD, ROUNDOFF, SANITIZE, pgm

GIGABYTE = 1 << 30


def little_memory():
    resource.setrlimit(resource.RLIMIT_AS, (GIGABYTE, GIGABYTE))


class Bounded(Case):
    def setUp(self):
        super().setUp()
        self.works("testcard", "in.pgm", "--size", "24x16", "--quiet")
        self.put("out.pbm", OLD)

    # ---- text files ------------------------------------------------------------------------------

    def readers(self):
        """Commands that read a text, and the text's name."""
        self.put("light.npy", b"")
        yield "a.csv", ["halftone", "in.pgm", "out.pbm", "--curve"]
        yield "a.json", ["halftone", "in.pgm", "out.pbm", "--kernel"]
        yield "a.gpl", ["halftone", "in.pgm", "out.png", "--palette"]
        made = self.command("hologram", "make", "light.npy", "--size", "16x16", "--quiet")
        if made.returncode == 0:
            yield "a.csv", ["hologram", "quantize", "light.npy", "out.pgm", "--levels"]
            yield "a.csv", ["hologram", "quantize", "light.npy", "out.pgm", "--weights"]
            yield "a.json", ["hologram", "quantize", "light.npy", "out.pgm", "--sidecar"]

    def test_texts_without_end(self):
        for name, arguments in self.readers():
            os.symlink("/dev/zero", self.path(name))
            start = time.monotonic()
            self.refused(*arguments, name, words=[name])
            self.assertLess(time.monotonic() - start, 20)
            os.remove(self.path(name))
        self.refused("verify", "/dev/zero", "in.pgm", "in.pgm", words=["/dev/zero"])

    def test_texts_with_nul(self):
        for name, arguments in self.readers():
            self.put(name, b"GIMP Palette\n0 0 0\n\x00255 255 255\n" if name.endswith("gpl") else
                     b"0, 0\n1, 1\n\x00\n")
            self.refused(*arguments, name, words=["not text"])
            os.remove(self.path(name))

    def test_texts_that_are_too_large(self):
        for name, arguments in self.readers():
            self.put(name, b"GIMP Palette\n" + b"# comment\n" * 200000)
            self.refused(*arguments, name, words=[name])
            os.remove(self.path(name))

    def test_signal_while_a_text_is_awaited(self):
        for name, arguments in self.readers():
            os.mkfifo(self.path(name))
            before = sorted(os.listdir(self.folder))
            run = subprocess.Popen([ROUNDOFF, *arguments, name], cwd=self.folder,
                                   stderr=subprocess.PIPE)
            time.sleep(0.5)
            self.assertIsNone(run.poll())
            run.send_signal(signal.SIGINT)
            said = run.communicate(timeout=20)[1]
            self.assertEqual(run.returncode, 130)
            self.one_sentence(said, "interrupted", "was not written")
            self.assertEqual(sorted(os.listdir(self.folder)), before)
            os.remove(self.path(name))

    # ---- claimed sizes ---------------------------------------------------------------------------

    @unittest.skipIf(SANITIZE, "sanitizers need memory of their own")
    def test_claimed_sizes(self):
        claims = [("a.pgm", b"P5 100000000 1 255\n"), ("b.pgm", b"P5 1 100000000 255\n"),
                  ("c.ppm", b"P6 30000 30000 65535\n"), ("d.pgm", b"P2 90000000 2 255\n1 2 3"),
                  ("e.npy", b"\x93NUMPY\x01\x00\x76\x00" +
                   b"{'descr': '<f8', 'fortran_order': True, 'shape': (100000, 100000), }"
                   .ljust(117) + b"\n")]
        ways = [[], ["--resize", "9x9"], ["--method", "dbs"], ["--method", "riemersma"]]
        for name, head in claims:
            self.put(name, head)
            for more in ways:
                self.small_work(["halftone", name, "out.pbm", *more])
                if not name.endswith(".npy"):  # a pipe does not tell how little there is
                    self.small_work(["halftone", "-", "out.pbm", *more], head)

    def small_work(self, arguments, given=b""):
        run = subprocess.Popen([ROUNDOFF, *arguments], cwd=self.folder, stdin=subprocess.PIPE,
                               stderr=subprocess.PIPE)
        run.stdin.write(given)
        run.stdin.close()
        said = run.stderr.read()
        _, status, used = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
        run.stderr.close()
        self.assertEqual(run.returncode, 1, said)
        self.one_sentence(said)
        self.assertLess(used.ru_maxrss, 150000, (arguments, given))  # kilobytes
        self.assertLess(used.ru_utime + used.ru_stime, 3, (arguments, given))

    @unittest.skipIf(SANITIZE, "sanitizers need memory of their own")
    def test_narrow_pictures(self):
        """A column of a million pixels takes no padded rows."""
        self.put("column.pgm", pgm(1, 1000000, bytes(1000000)))
        self.works("halftone", "column.pgm", "out.pbm", preexec_fn=little_memory)
        self.works("halftone", "column.pgm", "out.pbm", "--method", "dbs", "--rounds", "1",
                   "--threads", "2", preexec_fn=little_memory)

    # ---- a second request ------------------------------------------------------------------------

    def test_second_signal_ends_the_process(self):
        """Both are there at once: the second finds the first not yet done with."""
        os.mkfifo(self.path("pipe.pgm"))
        before = self.snapshot()
        run = subprocess.Popen([ROUNDOFF, "halftone", "pipe.pgm", "out.pbm", "--quiet"],
                               cwd=self.folder, stderr=subprocess.PIPE)
        done = threading.Event()

        def write():
            with open(self.path("pipe.pgm"), "wb") as pipe:
                pipe.write(pgm(64, 64, bytes(500)))
                pipe.flush()
                done.wait()
        writer = threading.Thread(target=write)
        writer.start()
        for _ in range(100):
            if len(os.listdir(self.folder)) > len(before):
                break
            time.sleep(0.1)
        self.assertGreater(len(os.listdir(self.folder)), len(before), "a temporary file")
        run.send_signal(signal.SIGSTOP)
        run.send_signal(signal.SIGINT)
        run.send_signal(signal.SIGTERM)
        run.send_signal(signal.SIGCONT)
        run.communicate(timeout=20)
        done.set()
        writer.join()
        self.assertIn(run.returncode, (128 + signal.SIGINT, 128 + signal.SIGTERM))
        self.assertEqual(self.snapshot(), before)


if __name__ == "__main__":
    unittest.main()
