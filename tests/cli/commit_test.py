# SPDX-License-Identifier: MIT
"""A command with several files replaces all of them or none, and says what is true of it."""
import os
import resource
import signal
import subprocess
import threading
import time
import unittest

from command import Case, OLD, ROUNDOFF, certifies, pgm, supports


def small_files(size):
    """For subprocess: the disk is full after so many bytes of a file."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


class Commit(Case):
    def setUp(self):
        super().setUp()
        self.works("testcard", "in.pgm", "--size", "48x40", "--quiet")

    def olds(self, *names):
        for name in names:
            self.put(name, OLD)

    def fills_up(self, size, *arguments, names=()):
        """Whatever the size at which files end, all old files stay."""
        self.olds(*names)
        self.refused(*arguments, "--quiet", preexec_fn=small_files(size))

    def all_new(self, names):
        for name in names:
            self.assertNotEqual(self.get(name), OLD, name)

    def all_or_none(self, names, *arguments):
        """Every size of a full disk that makes a difference, then none."""
        self.olds(*names)
        self.works(*arguments, "--quiet")
        self.all_new(names)
        sizes = sorted(os.path.getsize(self.path(name)) for name in names)
        for size in sizes:
            self.fills_up(size * 9 // 10, *arguments, names=names)  # times differ, and their digits
        self.olds(*names)
        self.works(*arguments, "--quiet", preexec_fn=small_files(sizes[-1] + 99))
        self.all_new(names)
        self.assertFalse([name for name in os.listdir(self.folder) if name.startswith(".")])

    # ---- a full disk -----------------------------------------------------------------------------

    @unittest.skipUnless(certifies(), "no hashes")
    def test_certificates(self):
        wedge = "wedge.pgm"
        self.works("calibrate", "wedge", wedge, "--quiet")
        runs = [("out.pbm", "halftone", "in.pgm", "out.pbm"),
                ("out.pgm", "denoise", "in.pgm", "out.pgm", "--iterations", "2"),
                ("out.pgm", "segment", "in.pgm", "out.pgm", "--at", "20,20", "--iterations", "3"),
                ("out.pgm", "testcard", "out.pgm", "--size", "30x20"),
                ("out.pgm", "screen", "make", "bayer", "out.pgm"),
                ("out.pbm", "calibrate", "wedge", "out.pbm", "--patch", "16"),
                ("out.csv", "calibrate", "fit", wedge, "--curve", "out.csv"),
                ("out.html", "measure", "in.pgm", "in.pgm", "--report", "out.html"),
                ("out.html", "compare", "in.pgm", "--methods", "fs", "--report", "out.html")]
        for out, *arguments in runs:
            if out.endswith("html") and not supports("png"):
                continue
            self.all_or_none([out, "cert.json"], *arguments, "--certificate", "cert.json")

    def test_inks(self):
        self.works("testcard", "in.ppm", "--size", "40x30", "--colour", "--quiet")
        names = ["out-%s.pbm" % ink for ink in "cmyk"]
        self.all_or_none(names, "halftone", "in.ppm", "out.pbm", "--separate", "cmyk")
        if certifies():
            self.all_or_none(names + ["cert.json"], "halftone", "in.ppm", "out.pbm", "--separate",
                             "cmyk", "--certificate", "cert.json")

    def test_segment(self):
        names = ["out.pgm", "look.ppm", "lines.svg", "phi.npy", "how.gif"]
        self.all_or_none(names, "segment", "in.pgm", "out.pgm", "--at", "20,20", "--iterations",
                         "25", "--overlay", "look.ppm", "--contours", "lines.svg", "--phi",
                         "phi.npy", "--frames", "how.gif")

    def test_frames(self):
        names = ["out.pgm"] + ["how-%04d.ppm" % i for i in range(3)]
        arguments = ["segment", "in.pgm", "out.pgm", "--at", "20,20", "--iterations", "25",
                     "--frames", "how.ppm"]
        self.all_or_none(names, *arguments)
        if supports("png"):
            self.refused("segment", "in.pgm", "how-0001.png", *arguments[3:7], "--frames", "how.png",
                         words=["written twice"])

    def test_register(self):
        self.works("denoise", "in.pgm", "moving.pgm", "--iterations", "3", "--quiet")
        names = ["out.pgm", "u.npy", "figure.pgm", "energy.csv"]
        options = [word for name in names[1:] for word in ("--" + name.split(".")[0], name)]
        options[0] = "--field"
        more = ["--certificate", "cert.json"] if certifies() else []
        self.all_or_none(names + more[1:], "register", "in.pgm", "moving.pgm", "out.pgm",
                         "--scales", "2", *options, *more)

    def test_hologram(self):
        made = self.command("hologram", "make", "dice.npy", "--size", "64x64", "--quiet")
        if b"FFTW" in made.stderr:
            self.skipTest("no FFTW")
        self.all_or_none(["new.npy", "new.json"], "hologram", "make", "new.npy", "--size", "64x64")
        names = ["out.pgm", "report.json", "noise.pgm"] + (["cert.json"] if certifies() else [])
        more = ["--certificate", "cert.json"] if certifies() else []
        self.all_or_none(names, "hologram", "quantize", "dice.npy", "out.pgm", "--levels",
                         "phase:16", "--report", "report.json", "--spectrum", "noise.pgm", *more)
        self.all_or_none(["view-%d.pgm" % i for i in (1, 2)], "hologram", "reconstruct", "dice.npy",
                         "view.pgm", "--depth", "80mm,91mm")

    # ---- a closed output -------------------------------------------------------------------------

    def test_closed_stdout(self):
        names = ["look.ppm", "lines.svg", "how.gif"]
        self.olds(*names)
        before = self.snapshot()
        done = self.command("segment", "in.pgm", "-", "--at", "20,20", "--iterations", "9",
                            "--overlay", "look.ppm", "--contours", "lines.svg", "--frames",
                            "how.gif", "--quiet", preexec_fn=lambda: os.close(1), stdout=None)
        self.assertEqual(done.returncode, 1)
        self.one_sentence(done.stderr, "standard output")
        self.assertEqual(self.snapshot(), before)

    def test_closed_descriptors(self):
        """Files that are opened do not become the standard ones."""
        self.works("halftone", "in.pgm", "out.pbm")
        good = self.get("out.pbm")
        for closed in ([1], [2], [0, 1, 2]):
            self.olds("out.pbm")
            done = self.command("halftone", "in.pgm", "out.pbm", "--json",
                                preexec_fn=lambda: [os.close(fd) for fd in closed])
            self.assertEqual(done.returncode, 1 if 1 in closed else 0)
            self.assertEqual(self.get("out.pbm"), good)

    # ---- signals ---------------------------------------------------------------------------------

    def interrupted(self, number, *arguments, feed):
        """A named pipe that is read twice: while the certificate waits for it the signal comes."""
        os.mkfifo(self.path("pipe.pgm"))
        run = subprocess.Popen([ROUNDOFF, *arguments], cwd=self.folder, stderr=subprocess.PIPE)

        def write():
            with open(self.path("pipe.pgm"), "wb") as pipe:
                pipe.write(feed)
        writer = threading.Thread(target=write)
        writer.start()
        writer.join()
        time.sleep(1)
        self.assertIsNone(run.poll(), "the certificate did not wait")
        run.send_signal(number)
        said = run.communicate(timeout=60)[1]
        os.remove(self.path("pipe.pgm"))
        self.assertEqual(run.returncode, 128 + number)
        return said

    @unittest.skipUnless(certifies(), "no hashes")
    def test_signal_while_certifying(self):
        feed = pgm(40, 30, bytes(range(240)) * 5)
        for number, word in (signal.SIGINT, "interrupted"), (signal.SIGTERM, "terminated"):
            for out, *arguments in (["out.pbm", "halftone", "pipe.pgm", "out.pbm"],
                                    ["out.pgm", "denoise", "pipe.pgm", "out.pgm", "--iterations", "1"],
                                    ["out.pgm", "segment", "pipe.pgm", "out.pgm", "--at", "9,9", "--force"]):
                self.olds(out, "cert.json")
                before = self.snapshot()
                said = self.interrupted(number, *arguments, "--certificate", "cert.json",
                                        "--quiet", feed=feed)
                self.one_sentence(said, word, out + " was not written")
                self.assertEqual(self.snapshot(), before, arguments)

    @unittest.skipUnless(certifies(), "no hashes")
    def test_input_that_is_replaced(self):
        self.refused("halftone", "in.pgm", "in.pgm", "--certificate", "cert.json", status=2,
                     words=["overwritten"])


if __name__ == "__main__":
    unittest.main()
