# SPDX-License-Identifier: MIT
"""--help fits a screen and ends with two examples that work; the man page is in step with it."""
import gzip
import os
import re
import subprocess
import unittest

from command import Case, ROUNDOFF, SOURCE_DIR, certifies, have, supports

COMMANDS = ["halftone", "screen", "denoise", "hologram", "register", "segment",
            "measure", "compare", "calibrate", "verify", "testcard", "devices", "bench"]


class Help(Case):
    def help(self, command, *topic):
        return self.works(command, "--help", *topic).stdout.decode()

    def topics(self, command):
        """The help on each topic that a command's --help names."""
        line = re.search(r"^By topic: --help (.*(?:\n +.*)*)$", self.help(command), re.M)
        names = re.split(r",\s+", line.group(1)) if line else []
        return {name: self.help(command, name) for name in names}

    def test_fits_a_screen(self):
        texts = {name: self.help(name) for name in COMMANDS}
        texts[""] = self.works("--help").stdout.decode()
        for name, text in texts.items():
            lines = text.splitlines()
            self.assertLessEqual(len(lines), 24, name)
            self.assertLessEqual(max(map(len, lines)), 80, name)
            self.assertEqual(lines[-3], "Examples:", name)
            self.assertLessEqual(sum(line.startswith("  --") for line in lines), 12, name)
            for line in lines[-2:]:
                self.assertIn("roundoff ", line, name)

    def test_topics_fit_a_screen(self):
        for name in COMMANDS:
            for topic, text in self.topics(name).items():
                lines = text.splitlines()
                self.assertLessEqual(len(lines), 24, topic)
                self.assertLessEqual(max(map(len, lines)), 80, topic)
                self.assertIn("Options for %s:" % topic, lines[1:3])  # a usage line may be two
                self.assertIn("  --", text)

    def test_help_as_a_command(self):
        self.assertEqual(self.works("help").stdout, self.works("--help").stdout)
        self.assertEqual(self.works("help", "screen").stdout.decode(), self.help("screen"))
        self.assertEqual(self.works("help", "halftone", "tone").stdout.decode(),
                         self.help("halftone", "tone"))
        self.refused("help", "halfton", status=2, words=["did you mean halftone?"])

    def test_every_command_is_listed(self):
        listed = re.findall(r"^  (\w+) ", self.works("--help").stdout.decode(), re.M)
        self.assertEqual(listed[:len(COMMANDS)], COMMANDS)

    def test_man_page_is_in_step(self):
        with open(os.path.join(SOURCE_DIR, "docs/roundoff.1")) as file:
            page = file.read()
        sections = dict(re.findall(r"^\.Ss roundoff (\w+)(.*?)(?=^\.S[sh] )", page, re.M | re.S))
        for name in COMMANDS:
            texts = [self.help(name), *self.topics(name).values()]
            helped = set(re.findall(r"^  --([a-z]+)", "\n".join(texts), re.M))
            paged = set(re.findall(r"Fl -([a-z]+)", sections[name]))
            self.assertEqual(helped, paged, name)

    @unittest.skipUnless(have("mandoc"), "mandoc is not installed")
    def test_man_page_is_clean(self):
        page = os.path.join(SOURCE_DIR, "docs/roundoff.1")
        done = subprocess.run(["mandoc", "-Tlint", page], stdout=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stdout), (0, b""))

    @unittest.skipUnless(have("cjpeg"), "cjpeg is not installed")
    @unittest.skipUnless(all(map(supports, ["png", "tif", "jpg"])), "a file type was left out")
    @unittest.skipUnless(certifies(), "this build has no hashes")
    def test_examples_run(self):
        os.mkdir(self.path("bin"))
        os.symlink(os.path.abspath(ROUNDOFF), self.path("bin/roundoff"))
        self.works("testcard", "photo.ppm", "--size", "300x200", "--colour", "--quiet")
        with open(self.path("photo.jpg"), "wb") as file:
            subprocess.run(["cjpeg", self.path("photo.ppm")], stdout=file, check=True)
        self.works("testcard", "scan.pgm", "--quiet")
        self.works("testcard", "huge.pgm", "--size", "200x300", "--quiet")
        self.works("testcard", "scan.png", "--size", "200x120", "--quiet")
        for name in "night.png", "fixed.png", "moving.png", "labels.png":
            self.works("testcard", name, "--size", "200x100", "--quiet")
        with gzip.open(self.path("scan.pgm.gz"), "wb") as file:
            file.write(self.get("scan.pgm"))
        environment = dict(os.environ, PATH=self.path("bin") + ":" + os.environ["PATH"])
        self.works("testcard", "photo.png", "--size", "200x100", "--quiet")
        self.works("halftone", "photo.png", "photo.pbm", "--quiet", "--certificate", "photo.json")
        self.works("calibrate", "wedge", "scan.png", "--quiet")
        for name in COMMANDS[:-1]:  # a bench takes its time
            for line in self.help(name).splitlines()[-2:]:
                done = subprocess.run(["sh", "-c", line], cwd=self.folder, env=environment,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.assertEqual(done.returncode, 0, (line, done.stderr))

    def test_version(self):
        self.assertRegex(self.works("--version").stdout.decode(), r"^roundoff \d+\.\d+\.\d+\n$")

    def test_help_on_a_full_device(self):
        with open("/dev/full", "w") as full:
            done = self.command("--help", stdout=full)
        self.assertEqual(done.returncode, 1)
        self.one_sentence(done.stderr, "standard output")


if __name__ == "__main__":
    unittest.main()
