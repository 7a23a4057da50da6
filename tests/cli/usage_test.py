# SPDX-License-Identifier: MIT
"""Command lines that are wrong: one sentence that says what is allowed, and nothing touched."""
import unittest

from command import Case, OLD, pgm

USAGE = 2


class Usage(Case):
    def setUp(self):
        super().setUp()
        self.put("in.pgm", pgm(4, 4, range(16)))
        self.put("out.pbm", OLD)

    def wrong(self, *arguments, words=()):
        self.refused(*arguments, words=words, status=USAGE)

    def halftone(self, *arguments, words=()):
        self.wrong("halftone", "in.pgm", "out.pbm", *arguments, words=words)

    def test_commands(self):
        self.wrong(words=["no command"])
        self.wrong("halfton", words=["halftone"])
        self.wrong("xyzzyxyzzy", words=["unknown command"])
        self.wrong("--frobnicate", words=["unknown option --frobnicate"])

    def test_files_are_apart(self):
        """What is written beside the output is neither the output nor anything that is read."""
        self.put("out.png", OLD)
        segment = ["segment", "in.pgm", "out.png", "--at", "1,1"]
        self.wrong(*segment, "--overlay", "out.png", words=["--overlay", "out.png", "same file"])
        self.wrong(*segment, "--overlay", "./in.pgm", words=["--overlay", "in.pgm", "same file"])
        self.wrong(*segment, "--overlay", "o.png", "--frames", "o.png", words=["--frames"])
        self.wrong(*segment, "--mask", "in.pgm", "--phi", "in.pgm", words=["--phi"])
        self.wrong("halftone", "in.pgm", "out.mem", "--certificate", "c.json", words=["out.mem"])

    def test_unknown_options_suggest(self):
        self.halftone("--levls", "4", words=["--levls", "did you mean --levels"])
        self.halftone("--thread=2", words=["did you mean --threads"])
        self.halftone("--frobnicate", words=["unknown option --frobnicate"])
        self.halftone("-x", words=["-x"])
        self.halftone("--=3", words=["unknown option"])

    def test_options_that_do_not_apply(self):
        self.wrong("testcard", "out.pbm", "--levels", "4", words=["--levels", "testcard"])
        self.wrong("devices", "--threads", "2", words=["--threads", "devices"])
        self.wrong("bench", "--method=fs", words=["--method", "bench"])
        self.halftone("--depth", "8", words=["--depth", "halftone"])

    def test_values(self):
        for levels in ["1", "65537", "-2", "2.5", "4x", " 4", "", "99999999999999999999"]:
            self.halftone("--levels=" + levels, words=["levels", "2 to 65536"])
        self.halftone("--threads", "-1", words=["1 to 1024"])
        self.halftone("--threads", "1025", words=["1 to 1024"])
        self.halftone("--seed", "-1", words=["seed -1: must be"])
        self.halftone("--seed", "18446744073709551616", words=["must be"])
        self.halftone("--device", "gpu", words=["auto, cpu or cuda"])
        self.halftone("--cpu", "sse2", words=["avx2 or avx512"])
        self.halftone("--page", "0", words=["--page"])
        for dpi in ["nan", "inf", "-1", "600dpi"]:
            self.halftone("--dpi", dpi, words=["dpi"])
        for size in ["0x5", "0x", "x0", "0%", "-1%", "%", "x", "", "5", "5x5x5", "-1x5", "5 x 5",
                     "1073741825x1", "1073741825x", "99999999999999999999x", "1x 5", "nan%",
                     "inf%", "1e9%", "50%%", "50%x"]:
            self.halftone("--resize=" + size, words=["resize", "WxH, Wx, xH, P%"])
        self.halftone("--resample", "light", words=["needs resize"])
        self.wrong("testcard", "out.pbm", "--bits", "12", words=["8 or 16"])

    def test_missing_values(self):
        self.halftone("--levels", words=["--levels needs a value"])
        self.halftone("--method", "--quiet", words=["--method needs a value"])
        self.halftone("--quiet=yes", words=["quiet yes: must be true or false"])

    def test_operands(self):
        self.wrong("halftone", words=["IN and OUT"])
        self.wrong("halftone", "in.pgm", words=["IN and OUT"])
        self.wrong("halftone", "in.pgm", "out.pbm", "third", words=["third"])
        self.wrong("halftone", "--list", "in.pgm", words=["in.pgm"])
        self.wrong("testcard", words=["OUT"])
        self.wrong("devices", "x", words=["x"])
        self.wrong("bench", "difusion", words=["difusion", "diffusion"])

    def test_methods_and_schedules(self):
        run = ["halftone", "in.pgm", "out.pbm"]
        self.refused(*run, "--method", "floid-steinberg", words=["floyd-steinberg"], status=2)
        self.refused(*run, "--schedule", "wav", words=["wave"], status=2)
        self.refused(*run, "--seed", "5", words=["seed"])
        run += ["--method", "fs"]
        for schedule in ["ed", "ec"]:
            self.refused(*run, "--schedule", schedule, "--threads", "2", words=["thread"])
            self.refused(*run, "--schedule", schedule, "--cpu", "avx2", words=["avx2"])

    def test_devices(self):
        devices = self.works("devices").stdout.decode()
        if "cuda" not in devices:
            self.refused("halftone", "in.pgm", "out.pbm", "--device", "cuda",
                         words=["--device cuda", "no CUDA device"])
        if "avx512" not in devices:
            self.refused("halftone", "in.pgm", "out.pbm", "--cpu", "avx512",
                         words=["--cpu avx512"])

    def test_a_name_with_a_newline_stays_one_line(self):
        self.refused("halftone", "no\nsuch\x1b[31m.pgm", "out.pbm")

    def test_spellings(self):
        wanted = self.works("halftone", "in.pgm", "-", "--quiet").stdout
        for arguments in [["--method", "fs"], ["--method=FloydSteinberg"],
                          ["--method=floyd_steinberg"], ["--levels=2", "--cpu", "scalar"]]:
            self.assertEqual(self.works("halftone", "in.pgm", "-", "--quiet", *arguments).stdout,
                             wanted, arguments)
        self.put("--in", pgm(4, 4, range(16)))
        self.assertEqual(self.works("halftone", "--quiet", "--", "--in", "-").stdout, wanted)


if __name__ == "__main__":
    unittest.main()
