# SPDX-License-Identifier: MIT
"""Names and texts of files reach a terminal as letters only; JSON keeps them."""
import json
import unittest

from command import Case, certifies

# Escape sequences of one and of two bytes, ends of lines, a change of direction, broken UTF-8.
HOSTILE = b"a\x1b[2J\x07\r\nb\xc2\x9b31m\xe2\x80\xaec\xe2\x80\xa8\x9b\xffd\x7f"
PLAIN = b"a?[2J???b?31m?c???d?"


class Terminal(Case):
    def setUp(self):
        super().setUp()
        self.works("testcard", "in.pgm", "--size", "24x16", "--quiet")

    def letters(self, text):
        """Lines of printable characters."""
        for line in text.decode().splitlines():
            self.assertTrue(line.isprintable(), line)

    def hostile(self, ending):
        return (HOSTILE + ending).decode("utf-8", "surrogateescape")

    def test_failures(self):
        done = self.command("halftone", self.hostile(b".pgm"), "out.pbm")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count(b"\n"), 1)
        self.assertIn(PLAIN + b".pgm: cannot be opened", done.stderr)
        self.letters(done.stderr)
        for arguments in (["halftone", "in.pgm", "out.pbm", "--method", self.hostile(b"")],
                          ["screen", "make", self.hostile(b""), "out.pgm"],
                          [self.hostile(b"")], ["halftone", "--" + self.hostile(b"")]):
            done = self.command(*arguments)
            self.assertNotEqual(done.returncode, 0)
            self.letters(done.stderr)

    def test_lines_of_success(self):
        name = self.hostile(b".npy")
        self.works("register", "in.pgm", "in.pgm", "out.pgm", "--scales", "1", "--field", name,
                   "--quiet", "--force")
        done = self.works("register", "apply", name, "in.pgm", "moved.pgm")
        self.assertIn(PLAIN + b".npy applied", done.stderr)
        self.letters(done.stderr)
        done = self.works("halftone", "in.pgm", self.hostile(b".pbm"))
        self.letters(done.stderr)
        self.works("calibrate", "wedge", "wedge.pgm", "--quiet")
        done = self.works("calibrate", "fit", "wedge.pgm", "--curve", self.hostile(b".csv"))
        self.assertIn(PLAIN + b".csv", done.stderr)
        self.letters(done.stderr)

    def test_json_keeps_the_name(self):
        done = self.works("halftone", "in.pgm", "a\x1b[2J\nb\u009b31m.pbm", "--json")
        self.assertNotIn(b"\x1b", done.stdout)
        self.assertNotIn(b"\xc2\x9b", done.stdout)
        self.assertEqual(json.loads(done.stdout)["output"], "a\x1b[2J\nb\u009b31m.pbm")

    @unittest.skipUnless(certifies(), "no hashes")
    def test_certificates(self):
        name = "a\x1b[2J\nb\u009b31m\"\\<.json"
        self.put(name, b'{"divisor": 2, "taps": [[1,0,1], [0,1,1]]}')
        cert = self.hostile(b"-cert.json")
        self.works("halftone", "in.pgm", "out.pbm", "--kernel", name, "--certificate", cert)
        done = self.works("verify", cert, "in.pgm", "out.pbm", "--recompute")
        self.assertIn(PLAIN + b"-cert.json holds", done.stderr)
        self.letters(done.stderr)


if __name__ == "__main__":
    unittest.main()
