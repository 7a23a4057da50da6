# SPDX-License-Identifier: MIT
"""roundoff register: its files, its report, fields applied again, and what it refuses."""
import gzip
import json
import math
import struct
import unittest

from command import Case, OLD, netpbm, noise, pgm

WIDTH, HEIGHT = 96, 72


def texture(x, y):
    return (128 + 50 * math.sin(0.21 * x + 0.1 * y) + 40 * math.sin(0.17 * y - 0.06 * x + 1)
            + 20 * math.sin(0.4 * x) * math.sin(0.37 * y))


def picture(dx, dy, gain=1.0):
    return bytes(int(gain * texture(x + dx, y + dy) + 0.5)
                 for y in range(HEIGHT) for x in range(WIDTH))


def npy(data):
    """Shape and floats of a NPY file of float32."""
    length = struct.unpack("<H", data[8:10])[0]
    head = eval(data[10:10 + length].decode())
    values = struct.unpack("<%df" % ((len(data) - 10 - length) // 4), data[10 + length:])
    return head["descr"], head["shape"], values


def to_npy(shape, values, kind="<f4"):
    head = repr({"descr": kind, "fortran_order": False, "shape": shape}).encode()
    head += b" " * (117 - len(head)) + b"\n"
    letter = {"<f4": "f", "<f8": "d", "|u1": "B"}[kind]
    return (b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head
            + struct.pack("<%d%s" % (len(values), letter), *values))


class Register(Case):
    def setUp(self):
        super().setUp()
        self.put("fixed.pgm", pgm(WIDTH, HEIGHT, picture(3, -2)))
        self.put("moving.pgm", pgm(WIDTH, HEIGHT, picture(0, 0)))

    def report(self, *arguments):
        return json.loads(self.works("register", *arguments, "--json").stdout)

    def inside(self, values):
        """Displacements away from the border."""
        return [(values[2 * (y * WIDTH + x)], values[2 * (y * WIDTH + x) + 1])
                for y in range(10, HEIGHT - 10) for x in range(10, WIDTH - 10)]

    def test_field(self):
        told = self.report("fixed.pgm", "moving.pgm", "out.pgm", "--field", "u.npy")
        kind, shape, values = npy(self.get("u.npy"))
        self.assertEqual((kind, shape), ("<f4", (HEIGHT, WIDTH, 2)))
        errors = [math.hypot(u - 3, v + 2) for u, v in self.inside(values)]
        self.assertLess(sum(errors) / len(errors), 0.1)
        self.assertLess(told["energy_after"], told["energy_before"] / 20)
        self.assertGreater(told["jacobian"], 0)
        self.assertEqual(sum(told["updates"]), told["steps"])
        self.assertEqual(len(told["updates"]), 10)
        self.assertAlmostEqual(told["rms"], math.hypot(3, 2), delta=0.3)

    def test_flo_holds_the_same(self):
        self.works("register", "fixed.pgm", "moving.pgm", "out.pgm", "--field", "u.npy", "--quiet")
        self.works("register", "fixed.pgm", "moving.pgm", "out.pgm", "--field", "u.flo", "--quiet")
        data = self.get("u.flo")
        self.assertEqual(struct.unpack("<fII", data[:12]), (202021.25, WIDTH, HEIGHT))
        values = struct.unpack("<%df" % (2 * WIDTH * HEIGHT), data[12:])
        self.assertEqual(values, npy(self.get("u.npy"))[2])

    def test_apply(self):
        self.works("register", "fixed.pgm", "moving.pgm", "out.pgm", "--field", "u.npy", "--quiet")
        done = self.works("register", "apply", "u.npy", "moving.pgm", "again.pgm")
        self.assertRegex(done.stderr.decode(), r"^register: u.npy applied, bilinear, 96 x 72, ")
        self.assertEqual(self.get("again.pgm"), self.get("out.pgm"))
        labels = bytes(7 if x // 16 % 2 else 200 for y in range(HEIGHT) for x in range(WIDTH))
        self.put("labels.pgm", pgm(WIDTH, HEIGHT, labels))
        self.works("register", "apply", "u.npy", "labels.pgm", "moved.pgm", "--sampling",
                   "nearest", "--quiet")
        self.assertEqual(set(netpbm(self.get("moved.pgm"))[2]), {7, 200})

    def test_apply_shifts(self):
        self.put("u.npy", to_npy((2, 3, 2), [1, 0] * 6, "<f8"))
        self.put("in.pgm", pgm(3, 2, b"abcdef"))
        self.works("register", "apply", "u.npy", "in.pgm", "out.pgm", "--quiet")
        self.assertEqual(netpbm(self.get("out.pgm"))[2], b"bcceff")

    def test_apply_is_a_verb(self):
        self.works("register", "fixed.pgm", "moving.pgm", "out.pgm", "--field", "u.mha", "--quiet")
        self.works("register", "apply", "u.mha", "moving.pgm", "again.pgm", "--quiet",
                   "--certificate", "c.json")
        self.assertEqual(self.get("again.pgm"), self.get("out.pgm"))
        self.works("verify", "c.json", "moving.pgm", "again.pgm", "--recompute")
        for names in [], ["u.mha"], ["u.mha", "moving.pgm"]:
            self.refused("register", "apply", *names, status=2, words=["FIELD, IN and OUT"])
        self.refused("register", "apply", "u.mha", "moving.pgm", "a.pgm", "b.pgm", status=2,
                     words=["b.pgm is one name too many"])
        self.refused("register", "fixed.pgm", "moving.pgm", "out.pgm", "--inverse", status=2,
                     words=["--inverse is for register apply"])

    def test_fields_for_itk(self):
        self.works("register", "fixed.pgm", "moving.pgm", "out.pgm", "--field", "u.npy", "--quiet")
        values = npy(self.get("u.npy"))[2]
        raw = struct.pack("<%df" % len(values), *values)
        for name, end in ("u.nrrd", b"\n\n"), ("u.mha", b"LOCAL\n"):
            self.works("register", "fixed.pgm", "moving.pgm", "out.pgm", "--field", name, "--quiet")
            data = self.get(name)
            self.assertEqual(data[data.index(end) + len(end):], raw)
            self.works("register", "apply", name, "moving.pgm", "again.pgm", "--quiet")
            self.assertEqual(self.get("again.pgm"), self.get("out.pgm"))
        self.assertIn(b"sizes: 2 %d %d\n" % (WIDTH, HEIGHT), self.get("u.nrrd"))
        big = self.get("u.nrrd").replace(b"little", b"big").replace(b"float", b"double")
        head = big[:big.index(b"\n\n") + 2]
        self.put("big.nrrd", head + struct.pack(">%dd" % len(values), *values))
        self.works("register", "apply", "big.nrrd", "moving.pgm", "again.pgm", "--quiet")
        self.assertEqual(self.get("again.pgm"), self.get("out.pgm"))
        if self.zlib():
            self.put("gz.nrrd", head.replace(b"raw", b"gzip") +
                     gzip.compress(struct.pack(">%dd" % len(values), *values)))
            self.works("register", "apply", "gz.nrrd", "moving.pgm", "again.pgm", "--quiet")
            self.assertEqual(self.get("again.pgm"), self.get("out.pgm"))
        wide = struct.pack("<%df" % len(values), *(value * (0.25, 0.5)[i % 2]
                                                   for i, value in enumerate(values)))
        for name, was, now in (
                ("wide.nrrd", b"none (1,0) (0,1)", b"none (0.25,0) (0,0.5)"),
                ("wide.mha", b"ElementSpacing = 1 1", b"ElementSpacing = 0.25 0.5")):
            self.put(name, self.get("u" + name[4:])[:-len(raw)].replace(was, now) + wide)
            self.works("register", "apply", name, "moving.pgm", "again.pgm", "--quiet")
            self.assertEqual(self.get("again.pgm"), self.get("out.pgm"))
        for name, data, words in (
                ("turned.nrrd", self.get("u.nrrd").replace(b"(1,0) (0,1)", b"(0,1) (1,0)"),
                 "turned"),
                ("mirrored.mha", self.get("u.mha").replace(b"Matrix = 1 0", b"Matrix = -1 0"),
                 "mirrored"),
                ("none.mha", self.get("u.mha").replace(b"Spacing = 1 1", b"Spacing = 0 1"),
                 "turned"),
                ("three.nrrd", self.get("u.nrrd").replace(b"sizes: 2", b"sizes: 3"), "two floats"),
                ("zip.mha", self.get("u.mha").replace(b"CompressedData = False",
                                                      b"CompressedData = True"), "two floats"),
                ("short.mha", self.get("u.mha")[:-9], "ends early"),
                ("head.nrrd", b"NRRD0004\ntype: float\n", "ends early"),
                ("head.mha", b"ObjectType = Image\n", "ends early")):
            self.put(name, data)
            self.refused("register", "apply", name, "moving.pgm", "no.pgm", words=[words])

    def test_points(self):
        """There and back again; other columns and comments stay."""
        self.works("register", "fixed.pgm", "moving.pgm", "out.pgm", "--field", "u.npy", "--quiet")
        self.put("p.csv", b"name,x,y\n# corners\na,20,30\nb,70.5,41.25\n")
        self.works("register", "apply", "u.npy", "p.csv", "q.csv", "--quiet")
        lines = self.get("q.csv").decode().splitlines()
        self.assertEqual(lines[:2], ["name,x,y", "# corners"])
        for line, (name, x, y) in zip(lines[2:], (("a", 20, 30), ("b", 70.5, 41.25))):
            got = line.split(",")
            self.assertEqual(got[0], name)
            self.assertLess(math.hypot(float(got[1]) - x - 3, float(got[2]) - y + 2), 0.3)
        self.works("register", "apply", "u.npy", "q.csv", "r.csv", "--inverse", "--quiet")
        back = self.get("r.csv").decode().splitlines()[2].split(",")
        self.assertLess(math.hypot(float(back[1]) - 20, float(back[2]) - 30), 1e-3)
        self.put("dos.csv", b"x,y\r\n20,30\r\n")
        self.works("register", "apply", "u.npy", "dos.csv", "out.csv", "--quiet")
        self.assertRegex(self.get("out.csv"), rb"^x,y\r\n[0-9.]+,[0-9.]+\r\n$")
        self.refused("register", "apply", "u.npy", "p.csv", "q.png", status=2,
                     words=["q.png", ".csv"])
        self.put("one.npy", to_npy((4, 5, 2), [v for y in range(4) for x in range(5)
                                               for v in (2 - x, 2 - y)]))  # all to one place
        self.put("p.csv", b"1,1\n2,2\n3,1\n")
        done = self.works("register", "apply", "one.npy", "p.csv", "q.csv", "--inverse")
        self.assertIn(b"from nowhere", done.stderr)
        self.assertIn(b"nan,nan\n", self.get("q.csv"))
        done = self.works("register", "apply", "one.npy", "p.csv", "q.csv", "--inverse", "--quiet")
        self.assertEqual(done.stderr, b"")
        done = self.works("register", "apply", "one.npy", "moving.pgm", "q.pgm", "--inverse",
                          "--quiet")
        self.assertEqual(done.stderr, b"")
        self.put("bad.csv", b"1,2\n3\n")
        self.refused("register", "apply", "u.npy", "bad.csv", "q.csv", words=["bad.csv", "line 2"])

    def test_inverse(self):
        """The picture that was moved comes back, by a rotation too."""
        self.put("u.npy", to_npy((HEIGHT, WIDTH, 2), [v for y in range(HEIGHT) for x in range(WIDTH)
                 for v in ((WIDTH - 1 - x) - x, (HEIGHT - 1 - y) - y)]))
        self.works("register", "apply", "u.npy", "moving.pgm", "turned.pgm", "--quiet")
        self.works("register", "apply", "u.npy", "turned.pgm", "back.pgm", "--inverse", "--quiet")
        self.assertEqual(self.get("back.pgm"), self.get("moving.pgm"))

    def test_masks_and_sizes(self):
        small = b"".join(picture(0, 0)[y * WIDTH:y * WIDTH + 80] for y in range(60))
        self.put("small.pgm", pgm(80, 60, small))
        mask = bytes(0 if x < 20 and y < 20 else 1 for y in range(HEIGHT) for x in range(WIDTH))
        self.put("mask.pgm", pgm(WIDTH, HEIGHT, mask))
        told = self.report("fixed.pgm", "small.pgm", "out.pgm", "--fixed-mask", "mask.pgm",
                           "--figure", "six.pgm", "--certificate", "c.json")
        self.assertLess(told["counted"], 1)
        self.assertEqual(netpbm(self.get("out.pgm"))[1][:2], [WIDTH, HEIGHT])
        self.works("verify", "c.json", "fixed.pgm", "small.pgm", "out.pgm", "--recompute")

    def test_masks_of_floats(self):
        """NaN, which stands for what was not measured, counts no more than 0."""
        hidden = [x < 20 and y < 20 for y in range(HEIGHT) for x in range(WIDTH)]
        fields = []
        for none in 0, float("nan"):
            self.put("mask.npy", to_npy((HEIGHT, WIDTH), [none if h else 1 for h in hidden]))
            self.works("register", "fixed.pgm", "moving.pgm", "out.pgm", "--fixed-mask", "mask.npy",
                       "--field", "u.npy", "--quiet")
            fields.append(self.get("u.npy"))
        self.assertEqual(*fields)

    def test_contrast_of_either_sign(self):
        """The right half of the fixed image is a negative; of waves one could not tell."""
        wide = WIDTH + 8
        tones = [128 + (v - 128) * 4 for v in noise(wide * (HEIGHT + 8))]
        for _ in range(3):
            tones = [(tones[i - 1] + tones[i] + tones[(i + 1) % len(tones)] + tones[i - wide]
                      + tones[(i + wide) % len(tones)]) / 5 for i in range(len(tones))]

        def part(dx, dy, negative):
            at = [(x, y) for y in range(HEIGHT) for x in range(WIDTH)]
            there = [tones[(y + 4 + dy) * wide + x + 4 + dx] for x, y in at]
            return bytes(round(min(max(255 - v if negative and x >= WIDTH // 2 else v, 0), 255))
                         for (x, y), v in zip(at, there))
        self.put("half.pgm", pgm(WIDTH, HEIGHT, part(3, -2, True)))
        self.put("whole.pgm", pgm(WIDTH, HEIGHT, part(0, 0, False)))
        self.works("register", "half.pgm", "whole.pgm", "out.pgm", "--match", "ncc-size",
                   "--field", "u.npy", "--quiet")
        errors = [math.hypot(u - 3, v + 2) for u, v in self.inside(npy(self.get("u.npy"))[2])]
        self.assertLess(sum(errors) / len(errors), 0.2)

    def test_other_files(self):
        self.works("register", "fixed.pgm", "moving.pgm", "out.pgm", "--figure", "figure.pgm",
                   "--energy", "e.csv", "--quiet")
        sizes, figure = netpbm(self.get("figure.pgm"))[1:]
        width = 3 * WIDTH + 32
        self.assertEqual(sizes[:2], [width, 2 * HEIGHT + 24])

        def tile(column, row):
            at = (8 + row * (HEIGHT + 8)) * width + 8 + column * (WIDTH + 8)
            return b"".join(figure[at + y * width:][:WIDTH] for y in range(HEIGHT))
        moving, fixed, before, grid, warped, after = (tile(i % 3, i // 3) for i in range(6))
        for part, name in (moving, "moving.pgm"), (fixed, "fixed.pgm"), (warped, "out.pgm"):
            self.assertEqual(part, netpbm(self.get(name))[2], name)
        self.assertGreater(sum(before), 20 * sum(after))
        self.assertGreater(grid.count(255), len(grid) // 3)
        self.assertGreater(grid.count(0), WIDTH)
        rows = self.get("e.csv").decode().splitlines()
        self.assertEqual(rows[0], "update,scale,width,height,epsilon,sigma,energy,change,trials")
        self.assertEqual([row.split(",")[0] for row in rows[1:]],
                         [str(i) for i in range(1, len(rows))])

    def test_same_bits(self):
        wanted = None
        for more in ["--threads", "1"], ["--threads", "3"], ["--cpu", "scalar"]:
            self.works("register", "fixed.pgm", "moving.pgm", "out.pgm", "--field", "u.npy",
                       "--scales", "4", "--quiet", *more)
            wanted = wanted or self.get("u.npy")
            self.assertEqual(self.get("u.npy"), wanted, more)

    def test_lines(self):
        done = self.works("register", "fixed.pgm", "moving.pgm", "out.pgm", "--number", "s10e5")
        lines = done.stderr.decode().splitlines()
        self.assertRegex(lines[0], r"^register: auto, field in s10e5, 96 x 72, rows/")
        self.assertRegex(lines[1], r"^register: (ncc|ssd), start .*, noise \d+\.\d of 255$")
        self.assertRegex(lines[2], r"^register: energy \S+ before, \S+ after; \d+ updates \(")
        self.assertRegex(lines[3], r"^register: displacement \S+ px RMS, .*Jacobian 0\.\d+$")
        self.assertRegex(lines[4], r"^register: confidence (1\.00|0\.9\d): the images are alike ")
        self.assertEqual(len(lines), 5)

    def test_folding_is_told(self):
        """Against a picture that has nothing to do with it, hardly smoothed."""
        self.put("other.pgm", pgm(WIDTH, HEIGHT, bytes((x * 37 + y * 91 + x * y) % 251
                                                       for y in range(HEIGHT)
                                                       for x in range(WIDTH))))
        astray = ["register", "fixed.pgm", "other.pgm", "out.pgm", "--sigma", "0.6", "--field",
                  "u.npy", "--scheme", "annealed"]
        self.put("out.pgm", OLD)
        self.refused(*astray, "--certificate", "c.json", status=3,
                     words=["folds at", "out.pgm was not written",
                            "--match ncc for a change of brightness", "--init affine", "--force"])
        before = self.snapshot()
        done = self.command(*astray, "--json")
        self.assertEqual(done.returncode, 3)
        self.assertTrue(json.loads(done.stdout)["useless"])
        self.assertEqual(self.snapshot(), before)
        done = self.works(*astray, "--force")
        self.assertIn(b"warning: the displacement folds at ", done.stderr)
        self.assertNotEqual(self.get("out.pgm"), OLD)

    def test_options(self):
        for more in (["--init", "translation"], ["--init", "affine"], ["--match", "ncc"],
                     ["--scheme", "thesis", "--force"], ["--scales", "1"], ["--sigma", "6"]):
            told = self.report("fixed.pgm", "moving.pgm", "out.pgm", *more)
            self.assertLess(told["energy_after"], told["energy_before"], more)

    def test_verdict(self):
        """What does not match is refused, --force writes it, and the report says why."""
        self.put("fixed.pgm", pgm(96, 96, noise(96 * 96)))
        self.put("other.pgm", pgm(96, 96, noise(2 * 96 * 96)[96 * 96:]))
        self.refused("register", "fixed.pgm", "other.pgm", "no.pgm", status=3,
                     words=["the images do not match", "confidence", "--force"])
        told = self.report("fixed.pgm", "other.pgm", "out.pgm", "--force")
        self.assertLess(told["confidence"], 0.5)
        self.assertTrue(told["useless"])
        self.assertGreaterEqual(told["matches"], told["support"])

    def test_transform(self):
        """A map of each kind, as JSON, for ITK and as a matrix; apply takes all of them."""
        for kind in "translation", "rigid", "similarity", "affine", "homography":
            told = self.report("fixed.pgm", "moving.pgm", "out.pgm", "--transform", kind, "--field",
                               "map.json")
            there = told["map"]
            for value, wanted in zip(there, (1, 0, 3, 0, 1, -2, 0, 0, 1)):
                self.assertLess(abs(value - wanted), 0.12, (kind, there))
            self.assertEqual(told["transform"], kind)
            self.assertLess(told["residual"], 0.1)
            told = json.loads(self.get("map.json"))
            self.assertEqual([x for row in told["map"] for x in row], there)
            self.assertEqual((told["width"], told["height"]), (WIDTH, HEIGHT))
            for name in "map.json", "map.tfm", "map.txt", "u.npy":
                if name == "map.tfm" and kind == "homography":
                    self.refused("register", "fixed.pgm", "moving.pgm", "no.pgm", "--transform",
                                 kind, "--field", name, words=["no perspective"])
                    continue
                self.works("register", "fixed.pgm", "moving.pgm", "out.pgm", "--transform", kind,
                           "--field", name, "--quiet")
                self.works("register", "apply", name, "moving.pgm", "again.pgm", "--quiet")
                self.assertEqual(self.get("again.pgm"), self.get("out.pgm"), (kind, name))
        self.put("points.csv", b"x,y\n10,20\n")
        self.works("register", "apply", "map.txt", "points.csv", "there.csv", "--quiet")
        x, y = map(float, self.get("there.csv").split()[1].split(b","))
        self.assertLess(math.hypot(x - 13, y - 18), 0.2)
        self.works("register", "apply", "map.txt", "there.csv", "back.csv", "--inverse", "--quiet")
        self.assertEqual(self.get("back.csv"), b"x,y\n10.000000,20.000000\n")
        self.refused("register", "fixed.pgm", "moving.pgm", "no.pgm", "--field", "map.json",
                     words=["is no map"])
        for name, data in (("a.json", b'{"transform": "affine"}'), ("b.json", b'{"map": [[1, 0]]}'),
                           ("c.txt", b"1 0 0\n0 1\n"), ("d.txt", b"0 0 0\n0 0 0\n0 0 1\n"),
                           ("e.tfm", b"#Insight Transform File V1.0\nTransform: BSpline\n"),
                           ("f.txt", b"1 0 nan\n0 1 0\n")):
            self.put(name, data)
            self.refused("register", "apply", name, "moving.pgm", "no.pgm")

    def test_tfm_about_a_centre(self):
        """x' = A (x - c) + c + t."""
        for text in (b"Euler2DTransform_double_2_2\nParameters: 1.5707963267948966 5 6\n"
                     b"FixedParameters: 10 20\n",
                     b"AffineTransform_double_2_2\nParameters: 0 -1 1 0 5 6\n"
                     b"FixedParameters: 10 20\n",
                     b"Similarity2DTransform_double_2_2\nParameters: 1 1.5707963267948966 5 6\n"
                     b"FixedParameters: 10 20\n"):
            self.put("map.tfm", b"#Insight Transform File V1.0\n#Transform 0\nTransform: " + text)
            self.put("points.csv", b"x,y\n12,20\n")
            self.works("register", "apply", "map.tfm", "points.csv", "there.csv", "--quiet")
            self.assertEqual(self.get("there.csv"), b"x,y\n15.000000,28.000000\n")

    def test_tiny(self):
        for width, height in (2, 1), (1, 2), (3, 3), (40, 1):
            pixels = bytes(40 * (i % 5) for i in range(width * height))
            self.put("a.pgm", pgm(width, height, pixels))
            self.works("register", "a.pgm", "a.pgm", "out.pgm", "--quiet")
            self.assertEqual(self.get("out.pgm"), self.get("a.pgm"))

    def test_one_row(self):
        def row(shift):
            return bytes(round(128 + 60 * math.sin(.2 * (x + shift)) +
                               40 * math.sin(.053 * (x + shift) + 1)) for x in range(300))
        self.put("a.pgm", pgm(300, 1, row(0)))
        self.put("b.pgm", pgm(300, 1, row(-2)))
        self.works("register", "a.pgm", "b.pgm", "out.pgm", "--quiet")
        inside = list(zip(self.get("out.pgm")[-290:-10], row(0)[10:290]))
        self.assertLess(max(abs(x - y) for x, y in inside), 8)

    def test_names_twice(self):
        for more in (["out.png", "--figure", "out.png"],
                     ["out.png", "--figure", "fixed.pgm"],
                     ["-", "--energy", "-"]):
            self.refused("register", "fixed.pgm", "moving.pgm", *more, words=["same file"],
                         status=2)
        self.put("u.npy", to_npy((2, 2, 2), [0] * 8))
        self.refused("register", "apply", "u.npy", "fixed.pgm", "u.npy", words=["same file"],
                     status=2)
        self.refused("register", "fixed.pgm", "moving.pgm", "mask.pgm", "--moving-mask", "mask.pgm",
                     words=["same file"], status=2)

    def test_refused(self):
        self.put("out.pgm", OLD)
        self.put("small.pgm", pgm(5, 4, bytes(range(20))))
        self.put("flat.pgm", pgm(WIDTH, HEIGHT, bytes([9]) * WIDTH * HEIGHT))
        self.put("black.pgm", pgm(WIDTH, HEIGHT, bytes(WIDTH * HEIGHT)))
        self.put("short.pgm", self.get("fixed.pgm")[:-9])
        self.put("nan.npy", to_npy((2, 2), [0, 1, float("nan"), 2]))
        self.put("ok.npy", to_npy((2, 2), [0, 1, 3, 2]))
        out = "out.pgm"
        for words, *files in (
                (["moving image is constant"], "fixed.pgm", "flat.pgm"),
                (["fixed image is constant"], "flat.pgm", "moving.pgm"),
                (["short.pgm"], "short.pgm", "moving.pgm"),
                (["gone.pgm"], "gone.pgm", "moving.pgm")):
            self.refused("register", *files, out, words=words)
        self.put("out.npy", OLD)
        self.refused("register", "nan.npy", "ok.npy", "out.npy", words=["not a finite number", "(0, 1)"])
        for words, *more in (
                (["96 x 72", "5 x 4", "mask"], "--fixed-mask", "small.pgm"),
                (["nothing to match"], "--moving-mask", "black.pgm"),
                (["field", ".npy, .flo, .nrrd or .mha"], "--field", "u.txt"),
                (["figure.jpg"], "--figure", "figure.jpg"),
                (["nowhere"], "--energy", "nowhere/e.csv")):
            self.refused("register", "fixed.pgm", "moving.pgm", out, *more, words=words)
        for words, *more in (
                (["FIXED, MOVING and OUT"], "fixed.pgm", "moving.pgm"),
                (["one name too many"], "fixed.pgm", "moving.pgm", out, "x.pgm"),
                (["match does not apply to register apply"], "apply", "u.npy", "fixed.pgm", out,
                 "--match", "ncc"),
                (["FIELD, IN and OUT"], "apply", "u.npy", "fixed.pgm"),
                (["match sad", "ssd"], "fixed.pgm", "moving.pgm", out, "--match", "sad"),
                (["init turned"], "fixed.pgm", "moving.pgm", out, "--init", "turned"),
                (["number s12"], "fixed.pgm", "moving.pgm", out, "--number", "s12"),
                (["sigma -1"], "fixed.pgm", "moving.pgm", out, "--sigma", "-1")):
            self.refused("register", *more, words=words, status=2)

    def test_fields_refused(self):
        self.put("out.pgm", OLD)
        self.put("three.npy", to_npy((4, 5, 3), [0] * 60))
        self.put("bytes.npy", to_npy((2, 2, 2), [0] * 8, "|u1"))
        self.put("short.npy", to_npy((HEIGHT, WIDTH, 2), [0] * 100))
        self.put("short.flo", b"PIEH" + struct.pack("<II", WIDTH, HEIGHT) + bytes(50))
        self.put("huge.flo", b"PIEH" + struct.pack("<II", 0xffffffff, 0xffffffff) + bytes(50))
        self.put("text.npy", b"no field at all")
        self.put("nan.npy", to_npy((HEIGHT, WIDTH, 2), [float("nan")] * 2 * WIDTH * HEIGHT))
        for words, field in (
                (["(4, 5, 3)"], "three.npy"),
                (["not a field"], "bytes.npy"), (["ends early"], "short.npy"),
                (["ends early"], "short.flo"), (["huge.flo"], "huge.flo"),
                (["not a displacement field"], "text.npy"), (["not a finite number"], "nan.npy"),
                (["gone.npy"], "gone.npy")):
            self.refused("register", "apply", field, "fixed.pgm", "out.pgm", words=words)
        self.put("far.npy", to_npy((2, 2, 2), [0] * 7 + [float("inf")]))
        self.refused("register", "apply", "far.npy", "fixed.pgm", "out.pgm",
                     words=["field at (1, 1)", "not a finite number"])
        self.put("zero.npy", to_npy((2, 2, 2), [0] * 8))
        self.put("hole.npy", to_npy((2, 2), [0, 1, float("nan"), 2]))
        self.refused("register", "apply", "zero.npy", "hole.npy", "out.npy",
                     words=["not a finite number"])


if __name__ == "__main__":
    unittest.main()
