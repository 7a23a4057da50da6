# SPDX-License-Identifier: MIT
"""roundoff segment with fronts that compete: any number of labels without a setting, seeds from
words, lists and masks, every output read back, certificates, and what is refused."""
import csv
import io
import json
import math
import struct
import unittest

from command import Case, OLD, certifies, netpbm, noise, pgm, supports

PITCH, ACROSS = 32, 9
SIDE = PITCH * ACROSS
RADIUS = 10.3


def share(x, y, cx, cy, radius):
    """How much of a pixel lies in a disc, nearly."""
    return min(1, max(0, radius - math.hypot(x - cx, y - cy) + 0.5))


class Regions(Case):
    def setUp(self):
        super().setUp()
        grain = noise(SIDE * SIDE, 5)
        pixels = bytearray()
        for y in range(SIDE):
            for x in range(SIDE):
                cx, cy = (x // PITCH + 0.5) * PITCH, (y // PITCH + 0.5) * PITCH
                tone = 40 + 30 * x / SIDE + 90 * share(x, y, cx, cy, RADIUS)
                pixels.append(int(tone + grain[y * SIDE + x] % 7 + 0.5))
        self.pixels = bytes(pixels)
        self.put("in.pgm", pgm(SIDE, SIDE, self.pixels))
        self.centres = [((i % ACROSS + 0.5) * PITCH, (i // ACROSS + 0.5) * PITCH)
                        for i in range(ACROSS * ACROSS)]

    def seeds(self, name, first=1, rows="x,y,r,label", count=ACROSS * ACROSS):
        text = "# discs\n" + rows + "\n"
        for i, (x, y) in enumerate(self.centres[:count]):
            values = {"x": x, "y": y, "r": 4, "label": first + i, "name": "cell"}
            text += ",".join(str(values[column]) for column in rows.split(",")) + "\n"
        return self.put(name, text.encode())

    def labels(self, name):
        (magic, (width, height, maxval), data) = netpbm(self.get(name))
        self.assertEqual((width, height), (SIDE, SIDE))
        if maxval > 255:
            return struct.unpack(">%dH" % (SIDE * SIDE), data)
        return data

    def test_any_number_of_labels(self):
        self.seeds("seeds.csv", first=1000)
        told = json.loads(self.works("segment", "in.pgm", "out.pgm", "--seeds", "seeds.csv",
                                     "--json").stdout)
        self.assertEqual(told["fronts"], "competing")
        self.assertEqual(len(told["labels"]), ACROSS * ACROSS)
        labels = self.labels("out.pgm")
        for i, ((x, y), label) in enumerate(zip(self.centres, told["labels"])):
            self.assertEqual(label["label"], 1000 + i)
            self.assertAlmostEqual(label["area"], math.pi * RADIUS ** 2, delta=25)
            self.assertAlmostEqual(label["centroid"][0], x, delta=0.4)
            self.assertAlmostEqual(label["centroid"][1], y, delta=0.4)
            self.assertEqual(label["ended"], "held")
            self.assertEqual(labels.count(1000 + i), label["area"])

    def test_seeds_as_words_lists_and_masks(self):
        words = sum((["--at", "%d:%g,%g,4" % (i + 1, x, y)]
                     for i, (x, y) in enumerate(self.centres)), [])
        self.works("segment", "in.pgm", "out.pgm", *words, "--quiet")
        wanted = self.get("out.pgm")
        for rows in "x,y,r,label", "label,name,y,x,r":
            self.seeds("seeds.csv", rows=rows)
            self.works("segment", "in.pgm", "out.pgm", "--seeds", "seeds.csv", "--quiet")
            self.assertEqual(self.get("out.pgm"), wanted)
        mask = bytearray(2 * SIDE * SIDE)
        for i, (cx, cy) in enumerate(self.centres):
            for y in range(int(cy) - 4, int(cy) + 5):
                for x in range(int(cx) - 4, int(cx) + 5):
                    if (x - cx) ** 2 + (y - cy) ** 2 < 16:
                        mask[2 * (y * SIDE + x):2 * (y * SIDE + x) + 2] = struct.pack(">H", i + 1)
        self.put("mask.pgm", pgm(SIDE, SIDE, mask, 65535))
        self.works("segment", "in.pgm", "out.pgm", "--mask", "mask.pgm", "--quiet")
        self.assertEqual(self.get("out.pgm"), wanted)
        white = bytes(255 if mask[2 * i + 1] else 0 for i in range(SIDE * SIDE))
        self.put("white.pgm", pgm(SIDE, SIDE, white))
        self.works("segment", "in.pgm", "out.pgm", "--mask", "white.pgm", "--quiet")
        self.assertEqual(self.get("out.pgm"), wanted)
        self.put("white.pbm", b"P4\n%d %d\n" % (SIDE, SIDE) + bytes(
            sum((x + b < SIDE and not white[y * SIDE + x + b]) << 7 - b for b in range(8))
            for y in range(SIDE) for x in range(0, SIDE, 8)))
        self.works("segment", "in.pgm", "out.pgm", "--mask", "white.pbm", "--quiet")
        self.assertEqual(self.get("out.pgm"), wanted)
        self.put("ones.pgm", pgm(SIDE, SIDE, bytes(p // 255 for p in white)))
        told = json.loads(self.works("segment", "in.pgm", "out.pgm", "--mask", "ones.pgm",
                                     "--json").stdout)
        self.assertEqual([label["label"] for label in told["labels"]], [1])

    def test_clicks_without_labels(self):
        """As ImageJ writes points: an index, X and Y. Each is an object."""
        points = " ,X,Y\n" + "".join("%d,%d,%d\n" % (i + 1, x + 5, y - 4)
                                      for i, (x, y) in enumerate(self.centres))
        self.put("points.csv", points.encode())
        told = json.loads(self.works("segment", "in.pgm", "out.pgm", "--seeds", "points.csv",
                                     "--json").stdout)
        self.assertEqual([label["label"] for label in told["labels"]],
                         list(range(1, ACROSS * ACROSS + 1)))
        for label in told["labels"]:
            self.assertAlmostEqual(label["area"], math.pi * RADIUS ** 2, delta=25)
        two = ["segment", "in.pgm", "out.pgm", "--json"]
        told = json.loads(self.works(*two, "--at", "16,16", "--at", "1:48,16").stdout)
        self.assertEqual([seed["label"] for seed in told["seeds"]], [2, 1])

    def test_seeds_are_found(self):
        told = json.loads(self.works("segment", "in.pgm", "out.pgm", "--seeds", "auto", "--table",
                                     "t.csv", "--json").stdout)
        self.assertEqual(len(told["labels"]), ACROSS * ACROSS)
        wanted = self.get("out.pgm")
        for label, (x, y) in zip(sorted(told["labels"], key=lambda r: (round(r["centroid"][1] / PITCH - .5),
                                                                      r["centroid"][0])), self.centres):
            self.assertAlmostEqual(label["centroid"][0], x, delta=0.4)
            self.assertAlmostEqual(label["centroid"][1], y, delta=0.4)
            self.assertAlmostEqual(label["area"], math.pi * RADIUS ** 2, delta=40)
            self.assertGreater(label["confidence"], 5)
        rows = list(csv.DictReader(io.StringIO(self.get("t.csv").decode())))
        self.assertEqual([round(float(row["confidence"]), 3) for row in rows],
                         [label["confidence"] for label in told["labels"]])
        for threads in "1", "3":
            self.works("segment", "in.pgm", "out.pgm", "--seeds", "auto", "--threads", threads,
                       "--quiet")
            self.assertEqual(self.get("out.pgm"), wanted)
        self.put("empty.pgm", pgm(SIDE, SIDE, bytes(90 + b % 13 for b in noise(SIDE * SIDE, 9))))
        self.refused("segment", "empty.pgm", "no.pgm", "--seeds", "auto", status=3,
                     words=["no object was found"])
        self.works("segment", "empty.pgm", "no.pgm", "--seeds", "auto", "--force", "--table",
                   "none.csv", "--quiet")
        self.assertEqual(set(self.labels("no.pgm")), {0})
        self.refused("segment", "in.pgm", "out.pgm", "--seeds", "auto", "--at", "16,16", status=2,
                     words=["--seeds auto", "--at"])

    def test_floods_are_announced(self):
        """A ground that one click takes, between spots that the others take."""
        told = self.works("segment", "in.pgm", "out.pgm",
                          *sum((["--at", "%g,%g" % c] for c in self.centres[:12]), []),
                          "--at", "50:2,2,2", "--json").stdout
        told = json.loads(told)["labels"]
        self.assertGreater(told[-1]["medians"], 20)
        areas = sorted(label["area"] for label in told[:-1])
        self.assertAlmostEqual(told[-1]["medians"], told[-1]["area"] / areas[6], delta=0.01)
        arguments = ["segment", "in.pgm", "out.pgm", "--at", "50:2,2,2",
                     *sum((["--at", "%g,%g" % c] for c in self.centres[:12]), [])]
        self.assertIn(b"warning: label 50 has more than 10 times", self.works(*arguments).stderr)
        inner = [c for c in self.centres if min(c) > PITCH]
        self.refused("segment", "in.pgm", "out.pgm", "--at", "50:2,2,2", "--strict", status=3,
                     *sum((["--at", "%g,%g" % c] for c in inner[:12]), []), words=["20 times"])
        few = self.works("segment", "in.pgm", "out.pgm", *arguments[3:9])
        self.assertNotIn(b"warning", few.stderr)

    def test_numbers_are_those_of_the_file(self):
        """8 bits, 16 bits with few in use, and floats beyond 0 to 1 of the same picture."""
        def told(name):
            found = json.loads(self.works("segment", name, "out.pgm", "--at", "16,16", "--json").stdout)
            return found["labels"][0]["area"], found["labels"][0]["mean"], found["seeds"][0]["window"]

        area, mean, window = told("in.pgm")
        wide = b"".join(struct.pack(">H", p + 400) for p in self.pixels)
        self.put("wide.pgm", pgm(SIDE, SIDE, wide, 65535))
        head = (b"\x93NUMPY\1\0\x76\0" + (b"{'descr': '<f4', 'fortran_order': False, 'shape': "
                b"(%d, %d), }" % (SIDE, SIDE)).ljust(117) + b"\n")
        self.put("float.npy", head + b"".join(struct.pack("<f", 3 * p - 50) for p in self.pixels))
        self.put("short.npy", head.replace(b"<f4", b"<i2") +
                 b"".join(struct.pack("<h", p - 500) for p in self.pixels))
        for name, zero, unit in ("wide.pgm", 400, 1), ("float.npy", -50, 3), ("short.npy", -500, 1):
            other, its_mean, its_window = told(name)
            self.assertAlmostEqual(other, area, delta=12)
            self.assertAlmostEqual(its_mean, zero + unit * mean, delta=3 * unit)
            self.assertAlmostEqual(its_window[0], zero + unit * window[0], delta=12 * unit)

    def test_tiff_holds_numbers(self):
        """Bytes or words that any program reads, never bits."""
        def tags(name):
            data = self.get(name)
            at, = struct.unpack_from("<I", data, 4)
            count, = struct.unpack_from("<H", data, at)
            entries = [struct.unpack_from("<HHIHxx", data, at + 2 + 12 * i) for i in range(count)]
            return {tag: value for tag, _, _, value in entries}

        if not supports("tif"):
            self.skipTest("no TIFF")
        for at, most in (["--at", "16,16"], 1), (["--at", "16,16", "--at", "3:48,16"], 3):
            self.works("segment", "in.pgm", "out.tif", *at, "--quiet")
            tag = tags("out.tif")
            self.assertEqual((tag[258], tag[262]), (8, 1))  # bits a sample, black is zero
            self.assertNotIn(tag[259], (2, 3, 4))
            told = json.loads(self.works("segment", "in.pgm", "out.pgm", "--mask", "out.tif",
                                         "--json").stdout)
            self.assertEqual(max(label["label"] for label in told["labels"]), most)
        if certifies():
            self.works("segment", "in.pgm", "out.tif", *at, "--certificate", "c.json", "--quiet")
            self.works("verify", "c.json", "in.pgm", "out.tif")

    def test_lists_of_seeds(self):
        """Planes must agree, and labels begin at 1."""
        def of(text, *words):
            self.put("s.csv", text.encode())
            if words:
                self.refused("segment", "in.pgm", "out.pgm", "--seeds", "s.csv", words=words)
            else:
                self.works("segment", "in.pgm", "out.pgm", "--seeds", "s.csv", "--quiet")

        of("x,y,z\n16,16,4\n48,16,4\n")
        of("x,y,z\n16,16,4\n48,16,5\n", "plane 5", "one by one")
        of(" ,X,Y,Slice\n1,16,16,1\n2,48,16,2\n", "plane 2")
        of("x,y,radius,label\n16,16,0,7\n48,16,,\n")
        of("x,y,radius,label\n16,16,0,0\n", "from 1 to 65535")

    def test_same_bits(self):
        self.seeds("seeds.csv", count=12)
        wanted = None
        for more in ["--threads", "1"], ["--threads", "3"], ["--cpu", "scalar"], []:
            self.works("segment", "in.pgm", "out.pgm", "--seeds", "seeds.csv", "--quiet", *more)
            wanted = wanted or self.get("out.pgm")
            self.assertEqual(self.get("out.pgm"), wanted, more)
        turned = bytes(self.pixels[x * SIDE + y] for y in range(SIDE) for x in range(SIDE))
        self.put("turned.pgm", pgm(SIDE, SIDE, turned))
        self.works("segment", "in.pgm", "out.pgm", "--at", "80,112,4", "--quiet")
        self.works("segment", "turned.pgm", "turned.out.pgm", "--at", "112,80,4", "--quiet")
        a, b = self.labels("out.pgm"), self.labels("turned.out.pgm")
        self.assertEqual(bytes(a[x * SIDE + y] for y in range(SIDE) for x in range(SIDE)), b)

    def test_outputs(self):
        self.seeds("seeds.csv")
        self.works("segment", "in.pgm", "out.pgm", "--seeds", "seeds.csv", "--table", "t.csv",
                   "--contours", "o.geojson", "--overlay", "o.ppm", "--frames", "f.ppm", "--quiet")
        rows = list(csv.DictReader(io.StringIO(self.get("t.csv").decode())))
        self.assertEqual(len(rows), ACROSS * ACROSS)
        features = json.loads(self.get("o.geojson"))["features"]
        self.assertEqual([f["properties"]["label"] for f in features],
                         [int(row["label"]) for row in rows])
        for (cx, cy), row, feature in zip(self.centres, rows, features):
            self.assertEqual(feature["geometry"]["type"], "MultiPolygon")
            rings = [ring for polygon in feature["geometry"]["coordinates"] for ring in polygon]
            ring = max(rings, key=len)
            self.assertEqual(ring[0], ring[-1])
            off = [math.hypot(x - cx, y - cy) - RADIUS for x, y in ring]
            self.assertAlmostEqual(sum(off) / len(off), 0, delta=0.1)
            length = sum(math.dist(a, b) for r in rings for a, b in zip(r, r[1:]))
            self.assertAlmostEqual(float(row["perimeter"]), length, delta=0.1)
        self.works("segment", "in.pgm", "out.pgm", "--seeds", "seeds.csv", "--table", "t.json",
                   "--quiet")
        self.assertEqual([r["area"] for r in json.loads(self.get("t.json"))],
                         [int(row["area"]) for row in rows])
        self.assertNotEqual(self.get("f-0000.ppm"), self.get("f-0001.ppm"))

    def test_holes_and_borders(self):
        """A ring that the border cuts: one polygon with a hole, one feature."""
        pixels = bytes(int(50 + 120 * (share(x, y, 15, 40, 30) - share(x, y, 15, 40, 9)) + 0.5)
                       for y in range(80) for x in range(80))
        self.put("ring.pgm", pgm(80, 80, pixels))
        done = self.works("segment", "ring.pgm", "out.pgm", "--at", "35,40,3", "--contours", "o.geojson")
        self.assertIn(b"1 label reached the border", done.stderr)
        feature, = json.loads(self.get("o.geojson"))["features"]
        (outline, hole), = feature["geometry"]["coordinates"]

        def area(ring):
            return sum(x * v - y * u for (x, y), (u, v) in zip(ring, ring[1:])) / 2
        self.assertGreater(area(outline), 0)
        self.assertAlmostEqual(-area(hole), math.pi * 81, delta=6)
        self.assertEqual(min(x for x, _ in outline), -0.5)
        self.refused("segment", "ring.pgm", "out.pgm", "--at", "35,40,3", "--strict", status=3,
                     words=["reached the border"])

    def test_factor(self):
        """On even ground a slow half is left to the other front."""
        self.put("even.pgm", pgm(90, 30, [99] * 2700))
        self.put("factor.pgm", pgm(90, 30, ([255] * 45 + [85] * 45) * 30))
        for more, at in ([], 45), (["--factor", "factor.pgm"], 54):
            self.works("segment", "even.pgm", "out.pgm", "--at", "15,15,3", "--at", "2:75,15,3",
                       "--quiet", *more)
            row = netpbm(self.get("out.pgm"))[2][15 * 90:16 * 90]
            self.assertAlmostEqual(row.count(128), at, delta=2)

    @unittest.skipUnless(certifies(), "this build has no hashes")
    def test_certificate(self):
        self.seeds("seeds.csv", count=4)
        self.works("segment", "in.pgm", "out.pgm", "--seeds", "seeds.csv", "--quiet",
                   "--certificate", "cert.json")
        told = json.loads(self.get("cert.json"))
        self.assertEqual((told["labels"], told["pixels_unlike_the_method"]), ([1, 2, 3, 4], 0))
        self.works("verify", "cert.json", "in.pgm", "out.pgm")
        small = pgm(40, 40, [p for y in range(40) for p in self.pixels[y * SIDE:y * SIDE + 40]])
        self.put("small.pgm", small)
        self.works("segment", "small.pgm", "out.pgm", "--at", "16,16,4", "--quiet",
                   "--certificate", "cert.json")
        self.works("verify", "cert.json", "small.pgm", "out.pgm", "--recompute")
        changed = bytearray(self.get("out.pgm"))
        changed[-1] ^= 255
        self.put("out.pgm", bytes(changed))
        self.refused("verify", "cert.json", "small.pgm", "out.pgm", words=["output_hash"])

    def test_lists_of_programs(self):
        """Empty fields, quotes, an index without a name, blanks, and the mark of UTF-8."""
        for text in (b"9,8,,3\n", b"9;8;;3\n", b"9\t8\t\t3\n", b"9,8,5,3", b" 9  8 5 3\n",
                     b'"9","8","5","3"\r\n', b",x,y,label\n0,9,8,3\n",
                     b'"","label","y","x"\n"1",3,8,9\n', b"\xef\xbb\xbfx,y,label\n9,8,3\n",
                     b"x,y,name,label\n9,8,a b,3\n"):
            self.put("list.csv", text)
            told = json.loads(self.works("segment", "in.pgm", "out.pgm", "--seeds", "list.csv",
                                         "--json", "--force").stdout)
            seed, = told["seeds"]
            self.assertEqual((seed["label"], seed["x"], seed["y"]), (3, 9, 8), text)
        for text in b"9a,8\n", b"9,\n", b"9,5;8,5\n", b"9 8,5\n", b"9,8,5,3,1\n", b"9,8,5,1.5\n":
            self.put("list.csv", text)
            self.refused("segment", "in.pgm", "out.pgm", "--seeds", "list.csv",
                         words=["list.csv", "line 1"])

    def test_useless(self):
        self.put("even.pgm", pgm(50, 50, [99] * 2500))
        self.put("out.pgm", OLD)
        self.refused("segment", "even.pgm", "out.pgm", "--at", "20,20", status=3,
                     words=["filled the whole picture", "--force"])
        self.works("segment", "even.pgm", "out.pgm", "--at", "20,20", "--force", "--quiet")

    def test_refused(self):
        self.put("out.pgm", OLD)
        self.put("bad.csv", b"x,y\n3,4\n5\n")
        self.put("none.csv", b"a,b\n3,4\n")
        self.put("empty.csv", b"# nothing\n")
        for words, *more in (
                (["there is no seed"],),
                (["competing or free"], "--at", "9,9", "--fronts", "wild"),
                (["--seeds", "competing", "--window", "free"], "--seeds", "s.csv", "--window", "1,2"),
                (["--number", "free fronts"], "--at", "9,9", "--fronts", "competing", "--number", "s12"),
                (["--phi", "--fronts free"], "--at", "9,9", "--phi", "o.npy"),
                (["labels go from 1 to 65535"], "--at", "65536:9,9")):
            self.refused("segment", "in.pgm", "out.pgm", *more, words=words, status=2)
        for words, *more in (
                (["bad.csv", "line 3"], "--seeds", "bad.csv"),
                (["none.csv", "columns x and y"], "--seeds", "none.csv"),
                (["empty.csv", "no seeds"], "--seeds", "empty.csv"),
                (["outside the image"], "--at", "999,9"),
                (["schedule active", "auto or reference"], "--at", "9,9", "--schedule", "active")):
            self.refused("segment", "in.pgm", "out.pgm", *more, words=words)


if __name__ == "__main__":
    unittest.main()
