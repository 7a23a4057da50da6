# SPDX-License-Identifier: MIT
"""Certificates that a forger wrote, their checksums right: verify says no in one sentence."""
import os
import re
import subprocess
import sys
import unittest

from command import BUILD_DIR, Case, OLD, certifies


class Forged(Case):
    def setUp(self):
        super().setUp()
        self.works("testcard", "in.pgm", "--size", "24x16", "--quiet")

    def certify(self, *arguments):
        self.works(*arguments, "--quiet", "--certificate", "good.json")
        text = self.get("good.json").decode()
        return text[:text.index('  "checksum"')]

    def forge(self, lines, name="bad.json"):
        made = subprocess.run([os.path.join(BUILD_DIR, "tests", "forge")], input=lines.encode(),
                              stdout=subprocess.PIPE, check=True).stdout
        self.put(name, made)
        return name

    def halftone(self):
        return self.certify("halftone", "in.pgm", "out.pbm")

    def refuses(self, lines, *files, words=()):
        """In one sentence; recomputing is asked for and not come to."""
        self.forge(lines)
        before = self.snapshot()
        done = self.command("verify", "bad.json", *files, "--recompute")
        self.assertIn(done.returncode, (1, 2), (lines[:400], done.stderr))
        self.one_sentence(done.stderr, *words)
        self.assertEqual(done.stdout, b"")
        self.assertEqual(self.snapshot(), before)

    def test_a_right_one_holds(self):
        self.forge(self.halftone())
        self.works("verify", "bad.json", "in.pgm", "out.pbm", "--recompute")

    def test_number_of_files(self):
        good = self.halftone()
        for count in "1", "0", "3", "4", "5", "-1", '"2"', "[2]", "99999999999999999999", "null":
            lines = good.replace('"files": 2', '"files": ' + count)
            for files in ["out.pbm"], ["in.pgm", "out.pbm"], ["in.pgm", "out.pbm", "in.pgm"]:
                self.refuses(lines, *files)
        self.refuses(good.replace('  "files": 2,\n', ""), "in.pgm", "out.pbm")

    def test_a_line_again_and_again(self):
        good = self.halftone()
        for line in '  "option_levels": 2,\n', '  "operand": "x",\n', '  "files": 2,\n':
            for count in 2, 5000:
                self.refuses(good + count * line, "in.pgm", "out.pbm")
        many = "".join('  "line_%d": 1,\n' % i for i in range(5000))
        self.refuses(good + many, "in.pgm", "out.pbm")

    def test_every_line_of_every_kind(self):
        """Each value by one of another kind, and huge; text of files is not taken for more."""
        kinds = ["null", "true", "-1", "1e999", "9" * 400, '"x"', "[]", '["1", "2"]', "{}", '"',
                 "[", '["', '"\\"', '"\\u0000"', '"\\u00e9"', '"\\uZZZZ"', '"\\ufffd"', "[" * 5000,
                 '"' + "a" * 100000 + '"', '["' + '", "'.join("x" * 300) + '"]']
        unchecked = ["version", "option_list", "option_schedule", "option_type", "option_dpi",
                     "option_vectors", "option_out-dir", "option_proof"]
        good = self.halftone()
        for number, line in enumerate(good.splitlines()[1:]):
            name, value = re.match(r'  "(.*?)": (.*),$', line).groups()
            if name.startswith("ran_") or name in unchecked:
                continue
            for kind in kinds[number % 5::5]:
                if kind != value:
                    self.refuses(good.replace(line, '  "%s": %s,' % (name, kind)),
                                 "in.pgm", "out.pbm")
            self.refuses(good.replace(line + "\n", ""), "in.pgm", "out.pbm")

    def test_options_that_no_certificate_has(self):
        good = self.halftone()
        self.put("kept.txt", OLD)
        for option, value in (("certificate", '"kept.txt"'), ("help", "true"), ("json", "true"),
                              ("quiet", "true"), ("threads", "4096"), ("device", '"cuda"'),
                              ("nothing", "1"), ("x" * 4000, "1"), ("", "1")):
            self.refuses(good + '  "option_%s": %s,\n' % (option, value), "in.pgm", "out.pbm")

    def test_recomputing_writes_nothing_else(self):
        good = self.certify("segment", "in.pgm", "out.pgm", "--at", "12,8", "--iterations", "3")
        self.put("kept.png", OLD)
        self.forge(good.replace('"option_overlay": null', '"option_overlay": "kept.png"'))
        self.works("verify", "bad.json", "in.pgm", "out.pgm", "--recompute", "--quiet")
        self.assertEqual(self.get("kept.png"), OLD)

    def test_commands(self):
        good = self.halftone()
        for name in ("verify", "devices", "bench", "halftone ", "", "calibrate fit", "register",
                     "hologram", "measure", "compare", "screen", "testcard", "segment", "denoise"):
            other = good.replace('"command": "halftone"', '"command": "%s"' % name)
            bare = '{\n  "certificate": 1,\n  "version": "0.1.0",\n  "command": "%s",\n' % name
            for files in ["out.pbm"], ["in.pgm", "out.pbm"], ["in.pgm", "in.pgm", "out.pbm"]:
                self.refuses(other, *files)
                for count in 1, 2, 3:
                    self.refuses(bare + '  "files": %d,\n' % count, *files)
        for quoted in "5", "halftone", '"halftone', "xhalftonex", '["halftone"]':
            self.refuses(good.replace('"command": "halftone"', '"command": ' + quoted), "in.pgm",
                         "out.pbm")

    def test_not_lines(self):
        good = self.halftone()
        for line in "x\n", '  "a": \n', '  "a": ,\n', '"a": 1,\n', '  "a" 1,\n', "\0\n", "}\n":
            self.refuses(good + line, "in.pgm", "out.pbm")
        self.refuses("{\n", "in.pgm", "out.pbm")


if __name__ == "__main__":
    if not certifies():
        print("skipped: this build has no hashes")
        sys.exit(77)
    unittest.main()
