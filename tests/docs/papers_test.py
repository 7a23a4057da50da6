# SPDX-License-Identifier: MIT
"""Every command of docs/papers.md runs, on small pictures, and does what the page says. A command
of the page that has no check here fails, and so does a check whose command is gone."""
import json
import math
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.path.abspath(os.environ.get("SOURCE_DIR", "."))
ROUNDOFF = os.path.abspath(os.environ.get("ROUNDOFF", "build/roundoff"))
COMMANDS = ("halftone", "denoise", "segment", "register", "hologram")


def of_page():
    """Commands as they stand in the page, those after "and" without their beginning left out."""
    with open(os.path.join(SOURCE, "docs/papers.md"), encoding="utf-8") as file:
        text = file.read()
    found = re.findall(r"^roundoff (.*)$", text, re.M)
    found += [code for code in re.findall(r"`([^`\n]+)`", text)
              if code.split()[0] in COMMANDS and len(code.split()) > 2]
    return found


def put(name, width, height, tone):
    with open(name, "wb") as file:
        file.write(b"P5\n%d %d\n255\n" % (width, height) +
                   bytes(min(255, max(0, round(tone(x, y)))) for y in range(height)
                         for x in range(width)))


def pixels(name):
    with open(name, "rb") as file:
        data = file.read()
    kind, width, height, *more = re.match(
        rb"(P[45])\s+(\d+)\s+(\d+)\s(?:(\d+)\s)?", data).groups()
    start = len(data) - int(height) * ((int(width) + 7) // 8 if kind == b"P4" else int(width))
    rows = data[start:]
    if kind == b"P5":
        return rows
    stride = (int(width) + 7) // 8
    return bytes(255 * (1 - (rows[y * stride + x // 8] >> (7 - x % 8) & 1))
                 for y in range(int(height)) for x in range(int(width)))


def run(command, *more, ends=0):
    words = [ROUNDOFF, *command.split(), *more]
    done = subprocess.run(words, capture_output=True)
    if done.returncode != ends:
        sys.exit("%s ends with %d:\n%s" % (" ".join(words[1:]), done.returncode,
                                           done.stderr.decode()))
    return done


def report(command, *more):
    return json.loads(run(command, "--json", *more).stdout)


def must(truth, *what):
    if not truth:
        sys.exit("papers.md is wrong: %s" % ", ".join(map(str, what)))


# ---- Checks, a function each, by the beginning of their command -------------------------------


def searched(command):
    """Plain search leaves no dot in a shadow of 5/255, clipping-free search keeps its tone."""
    run(command)
    white = sum(p > 127 for p in pixels(command.split()[2])) / 96 ** 2
    if "clipping-free" in command:
        must(abs(255 * white - 5) < 1, "clipping-free search has the tone", 255 * white)
    else:
        must(white == 0, "plain search left dots", white)


def octagon(command):
    """The way along the diagonal beside that along an axis: (1 + c)/sqrt(2) in an octagon."""
    def diagonal(norm):
        run(command.replace("card.png", "flat.pgm").replace("lin", norm)
            .replace("out.png", "out.pgm"))
        inside = [p > 0 for p in pixels("out.pgm")]
        axis = sum(inside[128 * 256 + 128:128 * 256 + 256])
        return math.sqrt(2) * sum(inside[k * 256 + k] for k in range(128, 256)) / axis

    linear, euclid = diagonal("lin"), diagonal("euclid")
    must(abs(euclid - 1) < 0.03, "euclid stays round", euclid)
    must(abs(linear - (1 + 43 / 128) / math.sqrt(2)) < 0.03, "an octagon", linear)
    must(os.path.getsize("how.gif") > 1000, "there is an animation")


def grows(command):
    label, = report(command.replace("X,Y", "40,40"))["labels"]
    must(label["area"] > 500 and label["ended"], "contours grow until they end", label)


def two_labels(command):
    labels = report(command.replace("1:X,Y", "1:32,32").replace("2:X,Y", "2:96,96"))["labels"]
    must(len(labels) == 2 and all(l["area"] > 300 for l in labels), "two contours at once", labels)


def edge(name):
    row = pixels(name)[20 * 128:21 * 128]
    return max(abs(a - b) for a, b in zip(row[50:77], row[51:78]))


def edges_stay(command):
    run(command.replace("in.png", "edge.pgm").replace("out.png", "linear.pgm"))
    run(command.replace("in.png", "edge.pgm").replace("out.png", "kept.pgm")
        .replace("linear", "perona-malik"), "--kappa", "6")
    must(edge("kept.pgm") > 5 * edge("linear.pgm"), "edges stay", edge("kept.pgm"),
         edge("linear.pgm"))


def few_bits(command):
    for number in "s9", "s12", "s16":
        told = report(command, "--number", number)
        must(told["sum_before"] == told["sum_after"], "the sum stays", number)


def mass(command):
    for scheme, least, most in ("naive", 0, 0.03), ("explicit", 1, 1):
        told = report(command, "--scheme", scheme)
        share = told["sum_after"] / told["sum_before"]
        must(least <= share <= most, "the mass of", scheme, share)


def stable(command):
    told = report(command)
    must(told["steps"] == 10 and told["sum_after"] == told["sum_before"] and
         told["max_after"] <= told["max_before"], "ten stable steps", told)


def stops(command):
    told = report(command)
    must(told["converged"] and told["steps"] == 282, "u8 stops after 282 steps", told["steps"])


def registered(command):
    run(command, "--sigma", "100")
    must(os.path.exists("six.png"), "there are six pictures")


def twelve_bits(command):
    grows(command.replace("in.png", "slice.png"))


def pipeline(command):
    run(command.replace("in.png", "edge.pgm").replace("out.png", "a.pgm"), "--cpu", "scalar")
    told = report(command.replace("in.png", "edge.pgm").replace("out.png", "b.pgm"))
    must(told["steps"] == 5 and pixels("a.pgm") == pixels("b.pgm"), "the same bits", told)


def real_valued(command):
    """Error diffusion in exact fractions, for a few rows, as it is published."""
    from fractions import Fraction
    run(command.replace("in.png", "noise.pgm"))
    width, height, tones = 64, 9, pixels("noise.pgm")
    a = [[Fraction(tones[y * width + x], 255) for x in range(width)] for y in range(height)]
    got = pixels("bits.pbm")
    for y in range(height):
        for x in range(width):
            r = 0 if a[y][x] <= Fraction(1, 2) else 1
            must(got[y * width + x] == 255 * r, "the published bits at", x, y)
            e = a[y][x] - r
            for dx, dy, share in (1, 0, 7), (-1, 1, 3), (0, 1, 5), (1, 1, 1):
                if 0 <= x + dx < width and y + dy < height:
                    a[y + dy][x + dx] += e * Fraction(share, 16)


def hologram(command):
    run(command.replace("2048x2048", "256x256"))


CHECKS = [
    ("halftone photo.png clipped.pbm", searched),
    ("halftone photo.png kept.pbm", searched),
    ("halftone in.png bits.pbm --like paper", real_valued),
    ("hologram make dice.npy", hologram),
    ("hologram quantize dice.npy", hologram),
    ("hologram reconstruct dice.png", hologram),
    ("segment card.png out.png --fronts free --at 128,128", octagon),
    ("segment slice.png", grows),
    ("segment fence.png", two_labels),
    ("denoise in.png out.png --model linear", edges_stay),
    ("denoise in.png out.png --scheme implicit", few_bits),
    ("denoise card.pgm out.pgm --model perona-malik", mass),
    ("denoise in.png out.png --number s9", stable),
    ("denoise card.pgm out.pgm --model linear --until-converged", stops),
    ("register fixed.png moving.png", registered),
    ("segment in.png out.png --fronts free --at X,Y --number s12", twelve_bits),
    ("denoise in.png out.png --scheme xpp24", pipeline),
]


def inputs():
    def disc(x, y, cx, cy, r):
        return math.hypot(x - cx, y - cy) < r

    put("photo.png.pgm", 96, 96, lambda x, y: 5)
    put("flat.pgm", 256, 256, lambda x, y: 100)
    put("slice.png.pgm", 128, 128, lambda x, y: 180 if disc(x, y, 50, 50, 30) else 60)
    put("fence.png.pgm", 128, 128, lambda x, y: 180 if disc(x, y, 32, 32, 20) or
        disc(x, y, 96, 96, 20) else 60)
    put("edge.pgm", 128, 96, lambda x, y: (60 if x < 64 else 180) + (x * 7919 + y * 104729) % 13)
    put("noise.pgm", 64, 9, lambda x, y: ((x * 7919 + y * 104729) ** 2 // 7) % 256)
    put("fixed.png.pgm", 65, 65, lambda x, y: 60 + 120 * math.exp(-math.hypot(x - 32, y - 32) / 12))
    put("moving.png.pgm", 65, 65,
        lambda x, y: 60 + 120 * math.exp(-math.hypot(x - 34, y - 31) / 12))
    for name in "photo.png", "slice.png", "fence.png", "fixed.png", "moving.png":
        run("denoise %s.pgm %s --model linear --iterations 1 --time-step 0.001 --quiet" % (name, name))
    run("testcard card.pgm --size 256x256 --quiet")
    run("testcard in.png --size 128x96 --quiet")


def main():
    commands = of_page()
    folder = tempfile.TemporaryDirectory()
    os.chdir(folder.name)
    inputs()
    used = set()
    for command in commands:
        rows = [row for row in CHECKS if command.startswith(row[0])]
        must(rows, "no check for", command)
        check = max(rows, key=lambda row: len(row[0]))
        used.add(check[0])
        check[1](command)
    for start, _ in CHECKS:
        must(start in used, "no command on the page begins with", start)
    print("%d commands of papers.md do what it says" % len(commands))


if __name__ == "__main__":
    main()
