# SPDX-License-Identifier: MIT
"""Random options through the command, C and Python: all three take them, or all three refuse them
with the same status and the same sentence.

    agree_test.py [LINES [SEED]]      lines of each family; ./run test takes 120
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

SOURCE, BUILD, ROUNDOFF = (os.environ[name] for name in ("SOURCE_DIR", "BUILD_DIR", "ROUNDOFF"))
sys.path.insert(0, os.path.join(SOURCE, "tools"))
import compare_options  # noqa: E402

LINES = int(sys.argv[1]) if len(sys.argv) > 1 else 120
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 1
W, H = 24, 20

# What the command is called with, and Python's call. C's is in calls.c.
FAMILIES = {
    "halftone": (["halftone", "a.pgm", "out.png"], "halftone(a, options)"),
    "denoise": (["denoise", "a.pgm", "out.pgm"], "roundoff.denoise(a, **options)"),
    "measure": (["measure", "a.pgm", "b.pgm"], "roundoff.measure(a, b, **options)"),
    "register": (["register", "a.pgm", "b.pgm", "out.pgm", "--force"],
                 "roundoff.register(a, b, force=True, **options)"),
    "segment": (["segment", "a.pgm", "out.pgm", "--at", "12,10,4", "--fronts", "free", "--force"],
                "roundoff.segment(a, [(12, 10, 4)], fronts='free', **options)"),
    "screen": (["screen", "make", "", "out.pgm"], "roundoff.screen(**options)"),
}

PYTHON = """
import json, sys, numpy as np, roundoff
a, b = (np.frombuffer(open(name, "rb").read()[-%d:], np.uint8).reshape(%d, %d)
        for name in sys.argv[1:])
CALLS = {%s}
def halftone(image, options):  # numbers of levels, as the command's files have them
    deep = str(options.get("levels", 2)).isdigit() and int(options.get("levels", 2)) > 256
    return roundoff.halftone(image, **options, **({} if deep else {"indices": True}))
for line in sys.stdin:
    family, options = json.loads(line)
    try:
        CALLS[family](options)
        print(json.dumps(["ok", ""]), flush=True)
    except (roundoff.Error, TypeError) as error:
        print(json.dumps([type(error).__name__, str(error)]), flush=True)
""" % (W * H, H, W, ", ".join(f'"{name}": lambda options: {call}'
                              for name, (_, call) in FAMILIES.items()))

TEXT = {"type": "text"}
KINDS = {"1": "BadArgument", "2": "BadArgument", "3": "BadArgument", "value": "BadArgument"}


class Process:
    """A program that answers each line with a line."""

    def __init__(self, *command, **more):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, **more)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().rstrip("\n")


def install(work):
    """The package with the library of this build."""
    found = subprocess.run(["sh", "-c", ". python/interpreter.sh && find_python numpy setuptools "
                            "wheel && echo $python"], cwd=SOURCE, capture_output=True, text=True)
    if found.returncode:
        print("skipped: no python3 with numpy, setuptools and wheel")
        sys.exit(77)
    done = subprocess.run(["cmake", "--install", BUILD, "--component", "python", "--prefix", work],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=SOURCE)
    if done.returncode:
        sys.exit(done.stdout)
    place = re.search(r"Installed: (.*)/roundoff\n", done.stdout)[1]
    return found.stdout.split()[-1], place


def pictures(work):
    rng = random.Random(SEED)
    a = [min(255, max(0, (x // 6 * 40 + y // 5 * 30) % 200 + rng.randint(0, 30)))
         for y in range(H) for x in range(W)]
    b = [a[y * W + min(x + 1, W - 1)] for y in range(H) for x in range(W)]
    for name, data in ("a", a), ("b", b):
        with open(os.path.join(work, name + ".pgm"), "wb") as file:
            file.write(b"P5\n%d %d\n255\n" % (W, H) + bytes(data))


def command(work, family, options):
    words = list(FAMILIES[family][0])
    options = dict(options)
    if family == "screen":
        words[2] = options.pop("kind")
    for name, value in options.items():
        words.append(f"--{name.replace('_', '-')}" + ("" if value is None else f"={value}"))
    done = subprocess.run([ROUNDOFF, *words, "--quiet"], cwd=work, capture_output=True, text=True)
    found = re.match(r"roundoff: (.*?)(?: \(see roundoff \w+ --help\))?\n", done.stderr)
    return done.returncode, found[1] if found else done.stderr


def library(process, family, options):
    words = [f"{name}={'true' if value is None else value}" for name, value in options.items()]
    status, _, sentence = process.ask("\t".join([family, *words])).partition("\t")
    return status, sentence


def python(process, family, options, rows, rng):
    """Numbers half of the time as numbers."""
    def value_of(row, text):
        if text is None:
            return True
        kind = {"real": float, "text": str}.get(row["type"], int)
        try:
            if "count" not in row and rng.random() < 0.5 and str(kind(text)) == text:
                return kind(text)
        except ValueError:
            pass
        return text

    return json.loads(process.ask(json.dumps([family, {name: value_of(rows.get(name, TEXT), value)
                                                       for name, value in options.items()}])))


def rows_of(described, family):
    """The rows of the family's table that its command takes."""
    taken, _ = compare_options.options_of(described, family)
    return {row["name"]: row for row in described["families"][family]["options"] if row in taken}


def main():
    if os.environ.get("SANITIZE"):
        print("skipped: the build without sanitizers runs this")
        sys.exit(77)
    rng, wrong = random.Random(SEED), 0
    described = json.loads(subprocess.check_output([ROUNDOFF, "--describe"]))
    kinds = 5 * ["am"] + [word["name"] for row in described["families"]["screen"]["options"]
             if row["name"] == "kind" for word in row["words"]]
    with tempfile.TemporaryDirectory() as work:
        interpreter, place = install(work)
        pictures(work)
        files = [os.path.join(work, name) for name in ("a.pgm", "b.pgm")]
        c = Process(os.path.join(BUILD, "tests/calls"), *files)
        py = Process(interpreter, "-c", PYTHON, *files, env={**os.environ, "PYTHONPATH": place})
        for family in FAMILIES:
            rows = rows_of(described, family)
            counts = {True: 0, False: 0}
            lines = [line for line in compare_options.lines(rows, family, 2 * LINES, SEED)
                     if not any(str(value).endswith(".pbm") for _, value in line)]  # files
            for line in lines[:LINES]:
                options = dict(line)
                if family == "screen":
                    options = {"kind": rng.choice(kinds), **options}
                said = command(work, family, options), library(c, family, options), \
                    python(py, family, options, rows, rng)
                (code, one), (status, two), (kind, three) = said
                taken = code == 0
                counts[taken] += 1
                same = one == two == three and taken == (status == "0") == (kind == "ok")
                if not taken:
                    same &= code == (2 if status == "value" else 1) and kind == KINDS.get(status)
                if not same:
                    wrong += 1
                    print(family, options, *said, sep="\n    ")
            print(f"{family}: {counts[True]} taken, {counts[False]} refused", flush=True)
            if not counts[True] or not counts[False]:
                sys.exit("all lines are alike")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
