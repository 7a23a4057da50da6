# SPDX-License-Identifier: MIT
"""The figures in README and docs are those of bench/results, and a figure changed by hand in
either place is noticed."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.environ["SOURCE_DIR"]
SCRIPT = "tools/docs/figures.py"


def check(folder):
    return subprocess.run([sys.executable, os.path.join(folder, SCRIPT), "--check"],
                          capture_output=True, text=True)


def change(folder, name, old, new):
    """Replaces words of a file, compares, and puts the file back."""
    path = os.path.join(folder, name)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    changed, count = re.subn(old, new, text, count=1)
    if count != 1:
        sys.exit(f"{name} has no \"{old}\" to change")
    with open(path, "w", encoding="utf-8") as file:
        file.write(changed)
    done = check(folder)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return done


def must_fail(done, what, words):
    if done.returncode == 0 or words not in done.stderr:
        sys.exit(f"{what} was not noticed: {done.stdout}{done.stderr}")


def main():
    done = check(SOURCE)
    sys.stderr.write(done.stderr)
    if done.returncode:
        sys.exit(done.returncode)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("README.md", "docs", "bench/results", "tools/docs"):
            source, target = os.path.join(SOURCE, name), os.path.join(folder, name)
            if os.path.isdir(source):
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("images"))
            else:
                shutil.copy(source, target)
        done = change(folder, "README.md", r"(\| Anisotropic .*? steps \| )[\d.]+", r"\g<1>0.5")
        must_fail(done, "a figure changed in README", "README.md: 0.5 in")
        done = change(folder, "docs/papers.md", r"(\| BWEC .*\n.*\| )[\d.]+ \|", r"\g<1>0.5 |")
        must_fail(done, "a figure changed in papers.md", "docs/papers.md: 0.5 in")
        done = change(folder, "bench/results/h200.md", r"(\| +8192 \| explicit +\| anisotropic +\| s16 .*?"
                      r"\| +64 \| +)[\d.]+", r"\g<1>0.5")
        must_fail(done, "a figure changed in h200.md", "is 0.5 in bench/results")
        done = change(folder, "README.md", r"(\| Roundoff \| .*\n)", r"\1| of memory | 5.5 | |\n")
        must_fail(done, "a figure without a source", "no source of 5.5")
        if check(folder).returncode:
            sys.exit("the copy was not put back")
    print(check(SOURCE).stdout, end="")


main()
