# SPDX-License-Identifier: MIT
"""Compares two builds of roundoff on random command lines of one command.

    python3 tools/compare_options.py OLD NEW COMMAND [--lines N] [--seed S] [--jobs N]

The new build's `--describe` gives the options and their values: every value of every option, every
pair of allowed values of options that rules tie together, and random mixes of mostly allowed values. Both builds run each line; the
verdict, the bytes of every output and the JSON must be the same. Disagreements are listed by class
with one example each. "default" as a value is compared with the option left out.

A command needs an entry in COMMANDS: its operands (inputs are made below; with "verb" the first of
them stands before the options), values of options that are free text or would run for long, and
{new name: old name} of those that were renamed.
"""
import argparse
import collections
import hashlib
import json
import os
import random
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

from describe import options_of

UNLIKE = ("seconds", "device_seconds", "mpixel_per_second", "cpu", "threads")  # keys of JSON that may differ
LIMIT = 120  # seconds

COMMANDS = {
    "denoise": {
        "operands": [["grey.pgm", "out.pgm"], ["colour.ppm", "out.ppm"], ["deep.pgm", "out.pgm"],
                     ["grey.pgm", "out.tif"], ["float.pfm", "out.pfm"]],
        "values": {"iterations": ["1", "3", "40", "0", "-1", "x", "1073741825"],
                   "white": ["255", "1000", "maxval", "0", "-3", "x"],
                   "page": ["1", "2", "all", "0", "x"], "vectors": ["vectors.txt"],
                   "time_step": ["0.1", "0.25", "0.5", "1", "1.5", "4", "33", "0", "-1", "1e-9"],
                   "kappa": ["4", "8.5", "1e6", "0", "-3", "nan", "x", "1,5"],
                   "sigma": ["0", "0.7", "3", "5", "64", "65", "-1"]},
        "with": {"until_converged": ["--iterations", "30"]},
        "without": ["seed"],  # the old command had none
    },
    "halftone": {
        "operands": [*2 * [["grey.pgm", "out.pbm"]], ["grey.pgm", "out.png"],
                     *2 * [["colour.ppm", "out.png"]], ["colour.ppm", "out.tif"],
                     ["deep.pgm", "out.npy"], ["grey.pgm", "out.tif"], ["float.pfm", "out.pgm"],
                     ["stack.pgm", "out.pgm"], ["grey.pgm", "out.c"]],
        "values": {"method": ["floyd-steinberg", "Stucki", "fan", "zhou_fang", "acuity-4", "knuth",
                              "hilbert", "pinwheel", "bayer", "clustered-dot", "blue-noise", "am",
                              "green-noise", "screen", "random", "threshold", "otsu", "dbs",
                              "clipping-free", "x"],
                   "levels": ["2", "3", "4", "16", "256", "257", "65536", "1", "0", "-1", "x"],
                   "cell": ["2", "8", "16", "20", "1", "0", "-1", "1048577", "x"],
                   "dot": ["1", "2", "4", "9", "0", "-1", "1000001", "x"],
                   "lpi": ["20", "37.5", "60", "0", "-1", "1e7", "x", "1,5"],
                   "angle": ["0", "45", "15", "-30", "90", "360", "361", "3x"],
                   "dpi": ["300", "600", "600x300", "1200", "0", "-1", "1e7", "x", "600x"],
                   "sigma": ["1.2", "0.7", "3", "0", "-1", "1001", "x"],
                   "rounds": ["1", "2", "0", "-1", "1000001", "x"],
                   "start": ["acuity", "fs", "random", "half.pbm", "gone.pbm", "dbs", "x"],
                   "ink_limit": ["100", "250", "800", "0", "801", "x"],
                   "page": ["1", "2", "all", "0", "x"], "vectors": ["vectors.txt"],
                   "type": ["pbm", "pgm", "png", "tiff", "npy", "c", "bits", "x"],
                   "background": ["red", "#12f", "x"],
                   "numbers": ["0,1", "1,0", "3,5,7", "1,1", "0,256", "x"],
                   "resize": ["20x16", "20x", "x16", "50%", "12.5%", "fit:20x20", "fill:20x20",
                              "up:2", "0x4", "x", "", "0%", "up:0", "fit:3", "1e1%"],
                   "range": ["full", "limited", "data", "16,235", "0,255", "235,16", "x", "1"],
                   "curve": ["curve.csv", "gone.csv"], "kernel": ["kernel.json", "gone.json"],
                   "spot": ["flat.pgm", "grey.pgm", "gone.pgm"],
                   "screen": ["ranks.pgm", "grey.pgm", "gone.pgm"],
                   "palette": ["black white #c00", "spectra6-panel", "rgb:2", "auto:4", "auto",
                               "colours.hex", "gone.gpl", "x"],
                   "recolour": ["navy ivory", "navy #c60 ivory", "x"],
                   "inks": ["cyan,black", "#e30613", "x"],
                   "ink": ["cyan:lpi=30,angle=15", "black:shape=line", "c:curve=curve.csv", "x"],
                   "angles": ["auto", "15,75", "15,75,0,45", "x"],
                   "profile_out": ["gone.icc"], "proof": ["proof.png", "proof.ppm"]},
        "renamed": {"black_ink": "black"}, "without": ["distance", "out_dir", "list"],
    },
    "compare": {
        "operands": [["grey.pgm"], ["colour.ppm"]],
        "values": {"methods": ["fs", "bayer,fs", "otsu", "am,x", "x"], "report": ["page.html"],
                   "dpi": ["300", "72.5", "0.5", "0", "-1", "1e7", "x", "1,5"],
                   "distance": ["300", "45.5", "0", "-1", "1e7", "x"],
                   "palette": ["black white red", "x"]},
        "with": {"": ["--methods", "fs"]},
    },
    "register": {
        "operands": [["grey.pgm", "moved.pgm", "out.pgm"],
                     *3 * [["grey.pgm", "moved.pgm", "out.pgm", "--force"]],
                     ["moved.pgm", "colour.ppm", "out.ppm", "--force"],
                     ["grey.pgm", "deep.pgm", "out.pgm", "--force"],
                     ["apply", "u.npy", "grey.pgm", "out.pgm"], ["stack.pgm", "out.pgm"],
                     ["grey.pgm", "stack.pgm", "out.pgm", "--force"]],
        "values": {"page": ["1", "2", "all", "0", "x"], "field": ["f.npy", "f.flo", "f.txt"],
                   "figure": ["figure.pgm", "figure.jpg"], "energy": ["e.csv", "no/e.csv"],
                   "fixed_mask": ["ones.pgm", "grey.pgm", "flat.pgm", "gone.pgm"],
                   "moving_mask": ["ones.pgm", "grey.pgm", "half.pbm"],
                   "scales": ["1", "3", "10", "15", "64", "65", "0", "-1", "2.5", "x"],
                   "sigma": ["2", "6.5", "40", "1e6", "0.001", "0.0001", "0", "-1", "x", "1,5"]},
    },
    "segment": {
        "operands": [["grey.pgm", "out.pgm", "--at", "12,10,4"],
                     ["grey.pgm", "out.pgm", "--at", "12,10,4", "--force"],
                     ["colour.ppm", "out.npy", "--at", "12,10,4", "--at", "2:30,22", "--force"],
                     ["deep.pgm", "out.pgm", "--at", "30,22,3", "--force"],
                     ["float.pfm", "out.pgm", "--at", "5,5", "--force"], ["grey.pgm", "out.pgm"]],
        "values": {"at": ["10,12", "2:30,20,3", "5:8,8", "10", "x", "99,9"],
                   "mask": ["ones.pgm", "flat.pgm", "deep.pgm", "gone.pgm"],
                   "seeds": ["seeds.csv", "gone.csv"], "page": ["1", "2", "all", "0", "x"],
                   "distance": ["away.pfm", "float.pfm", "grey.pgm"], "factor": ["grey.pgm"],
                   "velocity": ["u.npy"], "window": ["60,200", "2:0,99", "9,3", "5"],
                   "speed": ["1", "-1", "0.5,1", "2:1", "0", "x"],
                   "gaussian": ["120,30", "120,30,2", "120,0", "x"],
                   "edge": ["8", "8,2", "0"], "curvature": ["0.2", "-1", "x"],
                   "overlay": ["look.ppm"], "contours": ["lines.svg", "lines.geojson", "lines.x"],
                   "table": ["table.csv", "table.json"], "phi": ["phi.npy", "phi.pgm"],
                   "frames": ["how.gif"], "vectors": ["vectors.txt"],
                   "iterations": ["1", "30", "200", "0", "-1", "x", "1073741825"],
                   "time_step": ["0.1", "0.4", "0.6", "0", "-1", "1e7", "x"],
                   "smooth": ["0", "1.5", "3", "64", "65", "-1", "x"],
                   "sigma": ["0", "1.5", "64", "65", "-1"]},
    },
    "measure": {
        "operands": [["grey.pgm", "half.pbm"], ["grey.pgm", "flat.pgm"],
                     ["colour.ppm", "colour.ppm"], ["deep.pgm", "grey.pgm"],
                     ["float.pfm", "half.pbm"]],
        "values": {"page": ["1", "2", "all", "0", "x"], "report": ["page.html"],
                   "dpi": ["300", "72.5", "1", "600", "0.5", "0", "-1", "1e6", "1e7", "x", "1,5"],
                   "distance": ["300", "45.5", "1", "2000", "0", "-1", "1e7", "x"],
                   "border": ["16", "1", "3", "15", "40", "1048576", "1048577", "0", "-1", "x"]},
    },
    "screen": {
        "verb": True,
        "operands": [["make", "am", "out.pgm"], ["make", "void-and-cluster", "out.pgm"],
                     ["make", "bayer", "out.mem"], ["make", "clustered-dot", "out.tif"],
                     ["make", "green-noise", "out.pgm"], ["make", "am", "out.npy"],
                     ["show", "out.svg"]],
        "values": {"cell": ["8", "16", "20", "32", "45", "1", "0", "-1", "1025", "1048577", "x"],
                   "angle": ["0", "45", "15", "-30", "90", "360", "361", "3x"],
                   "lpi": ["60", "85.5", "100", "0", "-1", "700", "1e7", "x", "1,5"],
                   "dpi": ["600", "300", "1200", "0", "1", "-1", "1e7", "x"],
                   "dpi_y": ["600", "300", "1200", "0", "1", "-1", "x"],
                   "dot": ["1", "2", "4", "9", "0", "-1", "1000001", "x"],
                   "spot": ["flat.pgm", "grey.pgm", "none.pgm"],
                   "inks": ["cyan,black", "#e30613", "x"], "angles": ["auto", "15,75", "45", "x"],
                   "ink": ["cyan:lpi=100,angle=15", "black:shape=line", "x"],
                   "type": ["pgm", "mem", "npy", "tiff", "xyz"], "list": []},
        "renamed": {"cell": "size"},
    },
    "calibrate": {
        "verb": True,
        "operands": [*4 * [["wedge", "out.pbm", "--method", "am"]],
                     ["wedge", "out.pbm", "--method", "clustered-dot"],
                     ["wedge", "out.png"], ["wedge", "out.png", "--lpi", "30"],
                     ["fit", "grey.pgm"], *2 * [["fit", "wedge.pbm", "--curve", "out.csv"]]],
        "values": {"method": ["floyd-steinberg", "clustered-dot", "am", "bayer", "x"],
                   "dpi": ["300", "72.5", "150", "0", "-1", "1e7", "x", "1,5"],
                   "patch": ["16", "24", "32", "64", "60", "15", "0", "-1", "4097", "x"],
                   "cell": ["8", "16", "20", "1", "0", "-1", "1048577", "x"],
                   "lpi": ["20", "30.5", "0", "-1", "1e7", "x"],
                   "angle": ["0", "45", "15", "-30", "360", "361", "3x"],
                   "shape": ["round", "line", "square", "x"], "dot": ["1", "2", "4", "0", "-1", "x"],
                   "type": ["pbm", "png", "tiff"],
                   "curve": ["out.csv", "curve.csv", "curve.csv", "gone.csv"],
                   "ink": ["cyan", "#e30613", "black", "white", "rot"]},
    },
}


def inputs(program, folder, seed):
    """Small noisy pictures: 8 bits grey and colour, 10 bits, floats; a plain one, and bits."""
    rng = random.Random(seed)
    w, h = 40, 30

    def sample(x, y, white):
        tone = white * (x // 9 * 7 + y // 7 * 5) % (white + 1) * 0.7 + white * 0.1
        return min(white, max(0, int(tone + rng.gauss(0, white / 20))))

    def samples(white, n=1):
        return [sample(x, y, white) for y in range(h) for x in range(w) for _ in range(n)]

    def put(name, head, data):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(head + data)

    put("grey.pgm", b"P5\n%d %d\n255\n" % (w, h), bytes(samples(255)))
    put("colour.ppm", b"P6\n%d %d\n255\n" % (w, h), bytes(samples(255, 3)))
    put("deep.pgm", b"P5\n%d %d\n65535\n" % (w, h),
        b"".join(n.to_bytes(2, "big") for n in samples(1023)))
    put("flat.pgm", b"P5\n%d %d\n255\n" % (w, h), bytes([100]) * w * h)
    put("half.pbm", b"P4\n%d %d\n" % (w, h), rng.randbytes((w + 7) // 8 * h))
    import struct
    moved = [min(x + 1, w - 1) + y * w for y in range(h) for x in range(w)]
    grey = samples(255)
    put("moved.pgm", b"P5\n%d %d\n255\n" % (w, h), bytes(grey[i] for i in moved))
    put("stack.pgm", b"", 2 * (b"P5\n%d %d\n255\n" % (w, h) + bytes(grey)))
    put("ones.pgm", b"P5\n%d %d\n255\n" % (w, h),
        bytes(9 < x < 20 and 9 < y < 20 for y in range(h) for x in range(w)))
    subprocess.run([program, "calibrate", "wedge", os.path.join(folder, "wedge.pbm"), "--patch", "32",
                    "--quiet"], check=True)
    put("ranks.pgm", b"P5\n4 4\n255\n", bytes(i * 7 % 16 * 16 for i in range(16)))
    put("kernel.json", b"", b'{"divisor": 4, "taps": [[1,0,2], [0,1,2]]}')
    put("colours.hex", b"", b"000000\nffffff\nff0000\n")
    put("curve.csv", b"", b"0,0\n0.5,0.6\n1,1\n")
    put("seeds.csv", b"x,y,radius,label\n", b"8,9,3,1\n25,20,2,4\n")
    head = repr({"descr": "<f4", "fortran_order": False, "shape": (h, w, 2)}).encode()
    put("u.npy", b"\x93NUMPY\x01\0" + struct.pack("<H", 118) + head.ljust(117) + b"\n",
        b"".join(struct.pack("<ff", 0.5 + x / w, y / h - 0.5) for y in range(h) for x in range(w)))
    put("away.pfm", b"Pf\n%d %d\n-1.0\n" % (w, h),
        b"".join(struct.pack("<f", ((x - 15) ** 2 + (y - 12) ** 2) ** 0.5 - 6)
                 for y in range(h) for x in range(w)))
    put("float.pfm", b"Pf\n%d %d\n-1.0\n" % (w, h),
        b"".join(struct.pack("<f", n / 255) for n in samples(255)))


def rows_of(described, command):
    """{name: row} of the options that the command takes, but those that say how to report."""
    rows = {row["name"]: row for row in options_of(described, command)[0]}
    for name in COMMANDS[command].get("without", ()):
        rows.pop(name, None)
    return rows


def values_of(row, given):
    """Texts to try for an option, good and bad; None: a flag without a value."""
    if row["name"] in given:
        return given[row["name"]] + ["default"] * (row["type"] not in ("text", "texts"))
    if row["type"] == "flag":
        return [None]
    values = [word["name"] for word in row.get("words", ())]
    values += [values[0].upper().replace("-", "_"), values[0] + "x"] if values else []
    if "min" in row:
        low, high = row["min"], row["max"]
        whole = row["type"] != "real"
        for n in (low, high, (low + high) / 2, low + 1, low - 1, high + 1):
            values.append(str(int(n)) if whole or n == int(n) else repr(n))
        values += ["2.5" if whole else "0.3", "x", ""]
    if row["type"] == "u64":
        values += ["0", "7", "18446744073709551615", "18446744073709551616", "-1"]
    return values + ["default"]


def is_good(row, value):
    """Whether a value is allowed as far as it goes by itself."""
    named = {word["name"] for word in row.get("words", ())}
    if value in (None, "default") or value in named or ("min" not in row and not named):
        return True
    try:
        return row.get("min", 1) <= float(value) <= row.get("max", 0)
    except ValueError:
        return False


def tied(rows):
    """Pairs of options that a rule names together."""
    pairs = set()
    for name, row in rows.items():
        conditions = [row.get("needs"), row.get("excludes")]
        conditions += [word.get("needs") for word in row.get("words", ())]
        for condition in " ".join(filter(None, conditions)).split():
            other = condition.split("=")[0]
            if other in rows:
                pairs.add((name, other))
    return sorted(pairs)


def options(name, value):
    dashed = "--" + name.replace("_", "-")
    return [dashed] if value is None else [f"{dashed}={value}"]


def lines(rows, command, count, seed):
    """Lists of (name, value)."""
    rng = random.Random(seed)
    given = COMMANDS[command].get("values", {})
    values = {name: values_of(row, given) for name, row in rows.items()}
    method = [(name, row["method"]) for name, row in rows.items()
              if "applies" in row and row["method"] in rows]
    good = {name: [v for v in values[name] if is_good(rows[name], v)] for name in rows}
    made = [[]] + [[(name, value)] for name in rows for value in values[name]]
    for a, b in sorted(set(tied(rows)) | set(method)):
        made += [[(a, x), (b, y)] for x in good[a] for y in good[b] if a != b]
    while len(made) < count:
        names = rng.sample(list(rows), min(len(rows), rng.randint(2, 4)))
        made.append([(name, rng.choice(good[name] if good[name] and rng.random() < 0.95
                                       else values[name])) for name in names])
    rng.shuffle(made)
    return made


def run(program, folder, arguments):
    with tempfile.TemporaryDirectory() as work:
        for name in os.listdir(folder):
            os.symlink(os.path.join(folder, name), os.path.join(work, name))
        before = set(os.listdir(work))
        try:
            done = subprocess.run([program, *arguments], cwd=work, capture_output=True,
                                  stdin=subprocess.DEVNULL, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return None, {}, None, "took longer than the limit"
        files = {name: hashlib.sha256(open(os.path.join(work, name), "rb").read()).hexdigest()
                 for name in sorted(set(os.listdir(work)) - before)}
        report = json.loads(done.stdout) if done.stdout else {}
        for key in UNLIKE:
            report.pop(key, None)
        for key, value in report.items():  # words as the user spelled them
            if isinstance(value, str):
                report[key] = re.sub("[-_ ]", "", value).lower()
        said = done.stderr.decode(errors="replace").splitlines()
        return done.returncode, files, report, said[0] if said else ""


def kind(sentence):
    """A sentence without numbers and what the user wrote."""
    return re.sub(r"[-+]?[0-9][0-9.e+-]*", "#", sentence.split(" (see")[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("old", type=os.path.abspath)
    parser.add_argument("new", type=os.path.abspath)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--lines", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    what = COMMANDS[asked.command]
    described = json.loads(subprocess.check_output([asked.new, "--describe"]))
    rows = rows_of(described, asked.command)
    rng = random.Random(asked.seed)
    counts, classes = collections.Counter(), collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        inputs(asked.old, folder, asked.seed)

        def compare(job):
            line, operands = job
            tail = [word for name, _ in line for word in what.get("with", {}).get(name, ())
                    if name != "iterations" and "iterations" not in dict(line)]
            tail += ["--json", *(word for name, value in (("cpu", "scalar"), ("threads", "1"))
                                 if name in described["commands"][asked.command]["common"]
                                 for word in ("--" + name, value)), *operands[what.get("verb", 0):]]
            new = [word for name, value in line for word in options(name, value)]
            renamed = what.get("renamed", {})  # {new name: old name}
            old = [word for name, value in line if value != "default"
                   for word in options(renamed.get(name, name), value)]
            head = [asked.command, *operands[:what.get("verb", 0)]]
            return (line, operands, run(asked.old, folder, [*head, *old, *tail]),
                    run(asked.new, folder, [*head, *new, *tail]))

        jobs = [(line, rng.choice(what["operands"]))
                for line in lines(rows, asked.command, asked.lines, asked.seed)]
        with ThreadPoolExecutor(asked.jobs) as pool:
            for line, operands, old, new in pool.map(compare, jobs):
                shown = " ".join(w for n, v in line for w in options(n, v)) + " " + " ".join(operands)
                if (old[0] == 0) != (new[0] == 0):
                    verdict = "refused by the new" if old[0] == 0 else "accepted by the new"
                    counts[verdict] += 1
                    classes[verdict, kind(old[3] if old[0] else new[3])].append(shown)
                elif old[0] == 0:
                    same = old[1] == new[1] and old[2] == new[2]
                    counts["accepted by both, " + ("same" if same else "other results")] += 1
                    if not same:
                        keys = [key for key in sorted(old[2].keys() | new[2].keys())
                                if old[2].get(key) != new[2].get(key)]
                        classes["other bytes" if old[1] != new[1] else "the same bytes",
                                "JSON differs in " + ", ".join(keys)].append(shown)
                else:
                    counts["refused by both"] += 1
                    counts["    with another exit status"] += old[0] != new[0]
                    counts["    leaving other files"] += old[1] != new[1]
    print(f"{asked.command}: {len(jobs)} lines, seed {asked.seed}")
    for name, count in sorted(counts.items()):
        print(f"{count:8} {name.strip()}")
    print(f"{sum(map(len, classes.values()))} disagreements in {len(classes)} classes")
    for (verdict, sentence), found in sorted(classes.items(), key=lambda item: -len(item[1])):
        shortest = min(found, key=len)
        print(f"{len(found):8} {verdict}: {sentence}\n         {shortest}")


if __name__ == "__main__":
    main()
