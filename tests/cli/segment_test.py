# SPDX-License-Identifier: MIT
"""roundoff segment with free fronts, from file to files: every output read back, schedules, and what
is refused. Fronts that compete are in regions_test.py."""
import json
import math
import os
import re
import struct
import unittest
import xml.etree.ElementTree

from command import Case, OLD, netpbm, pbm, pgm, supports

WIDTH, HEIGHT = 120, 90


def npy(shape, values, kind="<f4"):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (kind, shape)
    head += " " * (117 - len(head)) + "\n"
    data = struct.pack("<%df" % len(values), *values)
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head.encode() + data


def floats(data):
    size = struct.unpack("<H", data[8:10])[0] + 10
    shape = re.search(rb"'shape': \((\d+), (\d+)\)", data[:size])
    return (int(shape[1]), int(shape[2])), struct.unpack("<%df" % ((len(data) - size) // 4),
                                                        data[size:])


def unpack(data, count):
    """The numbers of a GIF's image data."""
    table, bits, held, have, last, out = None, 9, 0, 0, None, bytearray()
    for byte in data:
        held |= byte << have
        have += 8
        while have >= bits:
            code, held, have = held & ((1 << bits) - 1), held >> bits, have - bits
            if code == 256:
                table, bits, last = [bytes([i]) for i in range(256)] + [b"", b""], 9, None
                continue
            if code == 257:
                assert len(out) == count
                return bytes(out)
            entry = table[code] if code < len(table) else last + last[:1]
            out += entry
            if last is not None and len(table) < 4096:
                table.append(last + entry[:1])
                if len(table) == 1 << bits and bits < 12:
                    bits += 1
            last = entry
    raise AssertionError("no end code")


def gif(data):
    """Width, height and the frames of a GIF."""
    assert data[:6] == b"GIF89a" and data[-1:] == b";"
    width, height = struct.unpack("<HH", data[6:10])
    at, frames = 13 + 768, []
    while data[at] != 0x3b:
        image = data[at] == 0x2c
        if not image:
            at += 2
        else:
            assert data[at + 1:at + 9] == struct.pack("<4H", 0, 0, width, height)
            assert data[at + 10] == 8
            at += 11
        packed = bytearray()
        while data[at]:
            packed += data[at + 1:at + 1 + data[at]]
            at += 1 + data[at]
        at += 1
        if image:
            frames.append(unpack(packed, width * height))
    return width, height, frames


class Segment(Case):
    def command(self, *arguments, **more):
        if arguments[0] == "segment" and "--fronts" not in arguments:
            arguments += ("--fronts", "free")
        return super().command(*arguments, **more)

    def setUp(self):
        super().setUp()
        self.object = [math.hypot(x - 60, y - 45) < 30 for y in range(HEIGHT)
                       for x in range(WIDTH)]
        self.put("in.pgm", pgm(WIDTH, HEIGHT, [180 if o else 60 for o in self.object]))

    def run_it(self, *more):
        return self.works("segment", "in.pgm", "out.pgm", *more)

    def mask(self):
        return [p > 0 for p in netpbm(self.get("out.pgm"))[2]]

    def test_only_a_seed(self):
        done = self.run_it("--at", "50,40")
        self.assertEqual(self.mask(), self.object)
        self.assertRegex(done.stderr.decode(), r"^segment: s16, norm lin, \d+ steps of 0.4981, "
                         r"120 x 90, active/\w+, \d+ threads?, .*\nsegment: label 1: area 2809, "
                         r"perimeter [\d.]+, ended after \d+ steps, window 174.0 to 186.0\n$")

    def test_report(self):
        told = json.loads(self.run_it("--at", "50,40", "--at=2:5,5", "--json").stdout)
        self.assertEqual([one["label"] for one in told["labels"]], [1, 2])
        self.assertEqual(told["labels"][0]["area"], sum(self.object))
        self.assertEqual(told["labels"][1]["area"], WIDTH * HEIGHT - sum(self.object))
        self.assertAlmostEqual(told["labels"][0]["perimeter"], 2 * math.pi * 30, delta=19)
        for one in told["labels"]:
            self.assertTrue(one["ended"])
            self.assertEqual((one["rescalings"], one["held"]), ([], 0))
        tones = netpbm(self.get("out.pgm"))[2]
        self.assertEqual([{128: 1, 255: 2}[t] for t in tones], [1 if o else 2 for o in self.object])

    def test_rms(self):
        """Told where it was measured, and only there."""
        def rms(*more):
            return json.loads(self.run_it("--at", "50,40", "--json", *more).stdout)["rms"]
        for number in "u8", "s12", "s16":
            self.assertIsNone(rms("--number", number))
        self.assertIsNone(rms("--number", "float", "--iterations", "19"))
        self.assertGreater(rms("--number", "float", "--iterations", "20"), 0.01)
        self.assertLessEqual(rms("--number", "float"), 0.001)

    def put_slow(self):
        """A region of speed 1 beside one of 0.002, which is below half a unit of u8."""
        rows = [[500 if 10 <= x < 60 else 1 if 60 <= x < 110 else 0 for x in range(120)]
                for _ in range(70)]
        self.put("slow.pgm", b"P5 120 70 500\n" +
                 b"".join(struct.pack(">H", v) for row in rows for v in row))
        return ["segment", "slow.pgm", "out.pgm", "--at", "30,30", "--speed", "0,1"]

    def test_factor(self):
        """White leaves the speed as it is, black lets no front in."""
        self.put("even.pgm", pgm(90, 30, [99] * 2700))
        self.put("factor.pgm", pgm(90, 30, ([255] * 45 + [128] * 30 + [0] * 15) * 30))
        self.works("segment", "even.pgm", "out.pgm", "--at", "15,15,3", "--speed", "1", "--factor",
                   "factor.pgm")
        self.assertEqual([p > 0 for p in netpbm(self.get("out.pgm"))[2]],
                         ([True] * 75 + [False] * 15) * 30)

    def test_stalled(self):
        """Where u8's speed rounds to zero it says so, with the number of pixels; s12 goes on."""
        slow = self.put_slow()
        for schedule in "active", "reference":
            label, = json.loads(self.works(*slow, "--number", "u8", "--json", "--schedule",
                                           schedule).stdout)["labels"]
            self.assertEqual((label["area"], label["held"]), (50 * 70, 70))
            self.assertEqual((label["ended"], label["stalled"]), (False, True))
            self.assertAlmostEqual(label["slowest"], 1 / 127.5, places=3)
        self.assertRegex(self.works(*slow, "--number", "u8").stderr.decode(),
                         r"stalled after \d+ steps.*\n.*warning: label 1 .* 70 more pixels.*"
                         r"smallest speed of u8 is 0.0078.*use --number s12 or s16\n$")
        label, = json.loads(self.works(*slow, "--number", "s12", "--json").stdout)["labels"]
        self.assertEqual(label["area"], 100 * 70)
        self.assertEqual((label["ended"], label["stalled"], label["held"]), (True, False, 0))
        self.assertEqual([(r["phi"], r["speed"]) for r in label["rescalings"][:2]],
                         [(2, 1), (1, 2)])
        done = self.works(*slow, "--number", "u8", "--iterations", "40")
        self.assertIn(b"stopped after 40 steps", done.stderr)
        for number in "u8", "s12", "s16", "float":
            label, = json.loads(self.run_it("--at", "50,40", "--number", number,
                                            "--json").stdout)["labels"]
            self.assertEqual((label["ended"], label["stalled"]), (True, False))

    def test_strict(self):
        """What stalled or reached the border is refused, and written all the same with --force."""
        stalled = self.put_slow() + ["--number", "u8"]
        border = ["segment", "in.pgm", "out.pgm", "--at", "50,40", "--at=2:5,5", "--fronts", "free"]
        for words, run in ((["label 1", "stalled"], stalled), (["label 2", "border"], border)):
            self.refused(*run, "--strict", status=3, words=words)
            self.works(*run, "--strict", "--force")
            self.works(*run)
        self.works("segment", "in.pgm", "out.pgm", "--at", "50,40", "--fronts", "free", "--strict")

    def test_schedules_give_the_same_bits(self):
        wanted = None
        for more in (["--schedule", "reference"], ["--schedule", "passes"], ["--cpu", "scalar"],
                     ["--schedule", "stream"], ["--threads", "3"], []):
            told = json.loads(self.run_it("--at", "50,40,3", "--phi", "phi.npy", "--json", "--edge",
                                          "9", "--speed", "-0.5", "--curvature", "0.1",
                                          "--iterations", "90", *more).stdout)
            told = self.get("phi.npy"), told["labels"]
            wanted = wanted or told
            self.assertEqual(told, wanted, more)

    def test_curvature_of_one_label(self):
        """Each label has the kernel that it needs."""
        for curved in "1", "2":
            wanted = None
            for schedule in "reference", "active", "stream", "passes":
                self.run_it("--at", "50,40", "--at", "2:70,50", "--window", "100,255",
                            "--curvature", curved + ":0.5", "--iterations", "60", "--phi",
                            "phi.npy", "--schedule", schedule)
                told = self.get("phi-1.npy"), self.get("phi-2.npy")
                wanted = wanted or told
                self.assertEqual(told, wanted, schedule)
            self.assertNotEqual(*wanted)

    def test_phi_goes_on(self):
        """40 steps, or 20 and from there on 20 more: the same phi, as far as floats tell."""
        shape = ["--window", "100,255", "--number", "float", "--quiet"]
        self.run_it("--at", "50,40", "--iterations", "40", "--phi", "long.npy", *shape)
        self.run_it("--at", "50,40", "--iterations", "20", "--phi", "half.npy", *shape)
        self.run_it("--distance", "half.npy", "--iterations", "20", "--phi", "two.npy", *shape)
        size, phi = floats(self.get("long.npy"))
        self.assertEqual(size, (HEIGHT, WIDTH))
        self.assertEqual(floats(self.get("two.npy"))[1], phi)
        self.assertEqual([p < 0 for p in phi], self.mask())

    def test_masks(self):
        self.put("disc.pgm", pgm(WIDTH, HEIGHT, [255 * (math.hypot(x - 55, y - 50) < 9)
                                                 for y in range(HEIGHT) for x in range(WIDTH)]))
        self.run_it("--mask", "disc.pgm")
        self.assertEqual(self.mask(), self.object)
        self.put("two.pgm", pgm(WIDTH, HEIGHT, [90 * (x < 9) + 200 * (abs(x - 60) < 9)
                                                for y in range(HEIGHT) for x in range(WIDTH)]))
        self.run_it("--mask", "two.pgm", "--window", "1:0,99", "--window", "2:100,255")
        self.assertEqual([t == 255 for t in netpbm(self.get("out.pgm"))[2]], self.object)

    def test_contours(self):
        self.run_it("--at", "50,40", "--contours", "out.svg")
        tree = xml.etree.ElementTree.fromstring(self.get("out.svg"))
        self.assertEqual(tree.get("viewBox"), "0 0 120 90")
        path, = tree
        numbers = [float(n) for n in re.findall(r"[\d.]+", path.get("d"))]
        for x, y in zip(numbers[::2], numbers[1::2]):
            self.assertAlmostEqual(math.hypot(x - 60.5, y - 45.5), 30, delta=1.2)
        self.run_it("--at", "50,40", "--contours", "out.geojson")
        told = json.loads(self.get("out.geojson"))
        line, = told["features"]
        self.assertEqual(line["geometry"]["type"], "MultiPolygon")
        (points,), = line["geometry"]["coordinates"]
        self.assertEqual(points[0], points[-1])
        self.assertEqual(line["properties"], {"label": 1})
        for x, y in points:
            self.assertAlmostEqual(math.hypot(x - 60, y - 45), 30, delta=1.2)
        self.assertEqual(len(points), len(numbers) // 2 + 1)
        backwards = points[-2::-1] + points[-1:]
        for (x, y), u, v in zip(backwards, numbers[::2], numbers[1::2]):  # centres and corners
            self.assertAlmostEqual(x + 0.5, u, delta=0.001)
            self.assertAlmostEqual(y + 0.5, v, delta=0.001)
        turns = sum(x * v - y * u for (x, y), (u, v) in zip(points, points[1:]))
        self.assertGreater(turns, 0)  # counterclockwise, as if y pointed up

    def test_contours_close_at_the_border(self):
        """No line stays open: a corner, a band across, all but a disc."""
        def area(ring):
            return sum(x * v - y * u for (x, y), (u, v) in zip(ring, ring[1:])) / 2
        for inside, at in ((lambda x, y: x + y < 45, "8,8"), (lambda x, y: 20 <= x < 41, "30,20"),
                           (lambda x, y: math.hypot(x - 30, y - 20) > 9, "5,5")):
            pixels = bytes(200 if inside(x, y) else 30 for y in range(40) for x in range(60))
            self.put("shape.pgm", pgm(60, 40, pixels))
            self.works("segment", "shape.pgm", "out.pgm", "--at", at, "--fronts", "free",
                       "--contours", "out.geojson", "--quiet")
            counted = sum(1 for label in netpbm(self.get("out.pgm"))[2] if label)
            feature, = json.loads(self.get("out.geojson"))["features"]
            self.assertEqual(feature["geometry"]["type"], "MultiPolygon")
            found = 0
            for polygon in feature["geometry"]["coordinates"]:
                for ring in polygon:
                    self.assertEqual(ring[0], ring[-1])
                    found += area(ring)
            self.assertAlmostEqual(found, counted, delta=0.06 * counted)

    def test_overlay(self):
        self.run_it("--at", "50,40", "--overlay", "look.ppm")
        _, size, pixels = netpbm(self.get("look.ppm"))
        self.assertEqual(size, [WIDTH, HEIGHT, 255])
        red = [pixels[3 * i] > pixels[3 * i + 1] + 50 for i in range(WIDTH * HEIGHT)]
        for y in range(HEIGHT):
            for x in range(WIDTH):
                off = abs(math.hypot(x - 60, y - 45) - 30)
                if off > 2.5:
                    self.assertFalse(red[y * WIDTH + x])
        self.assertGreater(sum(red), 150)

    def test_frames(self):
        told = json.loads(self.run_it("--at", "50,40", "--frames", "all.gif", "--json").stdout)
        width, height, frames = gif(self.get("all.gif"))
        self.assertEqual((width, height), (WIDTH, HEIGHT))
        self.assertEqual(len(frames), 1 + (told["steps"] + 9) // 10)  # the end as well
        for frame in frames:
            rest = {n for n in frame if n < 252}
            self.assertEqual(len(rest), 2)
        self.assertLess(sum(n == 252 for n in frames[0]), sum(n == 252 for n in frames[-1]))
        kind = "png" if supports("png") else "ppm"
        self.run_it("--at", "50,40", "--frames", "f." + kind, "--iterations", "19")
        names = [n for n in sorted(os.listdir(self.folder)) if n.startswith("f-")]
        self.assertEqual(names, ["f-0000." + kind, "f-0001." + kind, "f-0002." + kind])

    def test_frames_are_all_or_none(self):
        self.put("f-0000.ppm", OLD)
        self.put("out.pgm", OLD)
        os.mkdir(os.path.join(self.folder, "f-0003.ppm"))
        self.refused("segment", "in.pgm", "out.pgm", "--at", "50,40", "--frames", "f.ppm",
                     words=["f-0003.ppm", "directory"])
        self.assertEqual(self.get("f-0000.ppm"), OLD)
        os.rmdir(os.path.join(self.folder, "f-0003.ppm"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["f-0000.ppm", "in.pgm", "out.pgm"])

    def test_device(self):
        if b"cuda" in self.works("devices").stdout.lower():
            told = json.loads(self.run_it("--at", "50,40", "--device", "cuda", "--json").stdout)
            self.assertEqual((told["device"], told["schedule"]), ("cuda", "fused"))
            self.assertEqual(self.mask(), self.object)
            self.put("out.pgm", OLD)
            self.refused("segment", "in.pgm", "out.pgm", "--at", "50,40", "--device", "cuda",
                         "--schedule", "stream", words=["no schedule stream", "fused"])
            return
        told = json.loads(self.run_it("--at", "50,40", "--device", "auto", "--json").stdout)
        self.assertEqual((told["device"], told["schedule"]), ("cpu", "active"))
        self.put("out.pgm", OLD)
        self.refused("segment", "in.pgm", "out.pgm", "--at", "50,40", "--device", "cuda",
                     words=["--device cuda", "no CUDA device"])
        self.refused("segment", "in.pgm", "out.pgm", "--at", "50,40", "--schedule", "fused",
                     words=["schedule fused", "CUDA"])

    def test_velocity(self):
        self.put("wind.npy", npy("(90, 120, 2)", [0.5, 0.0] * (WIDTH * HEIGHT)))
        self.run_it("--at", "30,40,10", "--velocity", "wind.npy", "--time-step", "1",
                    "--iterations", "60")
        inside = [i % WIDTH for i, m in enumerate(self.mask()) if m]
        self.assertAlmostEqual(sum(inside) / len(inside), 60, delta=1)
        self.put("small.npy", npy("(9, 120, 2)", [0.5, 0.0] * (WIDTH * 9)))
        self.put("out.pgm", OLD)
        self.refused("segment", "in.pgm", "out.pgm", "--at", "30,40", "--velocity", "small.npy",
                     words=["velocity is 120 x 9", "120 x 90"])
        self.refused("segment", "in.pgm", "out.pgm", "--at", "30,40", "--velocity", "in.pgm",
                     words=["in.pgm", "field"])
        self.refused("segment", "wind.npy", "out.pgm", "--at", "30,40", words=["is not an image"])

    def test_refused(self):
        self.put("out.pgm", OLD)
        self.put("mask.pgm", pgm(20, 10, [255] * 200))
        self.put("five.pgm", pgm(WIDTH, HEIGHT, [x % 6 * 40 for y in range(HEIGHT)
                                                 for x in range(WIDTH)]))
        self.put("two.pgm", pgm(WIDTH, HEIGHT, [x % 3 * 40 for y in range(HEIGHT)
                                                for x in range(WIDTH)]))
        self.put("black.pgm", pgm(WIDTH, HEIGHT, [0] * (WIDTH * HEIGHT)))
        for words, *more in (
                (["no seed"],),
                (["labels go from 1 to 4"], "--at", "5:10,10"),
                (["must be X,Y"], "--at", "10"),
                (["must be X,Y"], "--at", "ten,ten"),
                (["must be X,Y"], "--at", "10,nan"),
                (["radius", "positive"], "--at", "10,10,0"),
                (["LOW,HIGH"], "--at", "9,9", "--window", "5"),
                (["time-step -1", "above 0"], "--at", "9,9", "--time-step", "-1"),
                (["number s9", "must be u8"], "--at", "9,9", "--number", "s9"),
                (["schedule fast"], "--at", "9,9", "--schedule", "fast")):
            self.refused("segment", "in.pgm", "out.pgm", *more, words=words, status=2)
        for words, *more in (
                (["seed (120, 10)", "outside", "120 x 90"], "--at", "120,10"),
                (["seed (-1, 10)", "outside"], "--at", "-1,10"),
                (["sigma needs", "edge"], "--at", "9,9", "--sigma", "2"),
                (["zero everywhere"], "--at", "9,9", "--speed", "0,0"),
                (["zero everywhere"], "--at", "9,9", "--speed", "0"),
                (["label 2", "zero everywhere"], "--at", "9,9", "--at", "2:20,20", "--speed", "1",
                 "--speed", "2:0"),
                (["mask is 20 x 10", "120 x 90"], "--mask", "mask.pgm"),
                (["5 tones", "4 labels"], "--mask", "five.pgm"),
                (["--window 2:0,50", "label 2 has no seed", "--at 2:X,Y"], "--at", "9,9",
                 "--window", "2:0,50"),
                (["--curvature 1:0.5", "label 1 has no seed"], "--at", "2:9,9", "--curvature",
                 "1:0.5"),
                (["--speed 3:1", "label 3 has no seed"], "--mask", "two.pgm", "--speed", "3:1"),
                (["no seed"], "--mask", "black.pgm"),
                (["empty"], "--at", "9,9", "--window", "9,3"),
                (["not monotone", "0.498"], "--at", "9,9", "--speed", "1", "--time-step", "0.6"),
                (["missing.npy"], "--distance", "missing.npy"),
                ([".svg or .geojson"], "--at", "9,9", "--contours", "out.txt"),
                (["look.jpg"], "--at", "9,9", "--overlay", "look.jpg"),
                (["phi.pgm"], "--at", "9,9", "--phi", "phi.pgm"),
                (["frames-0000.xyz"], "--at", "9,9", "--frames", "no/frames.xyz")):
            self.refused("segment", "in.pgm", "out.pgm", *more, words=words)
        self.put("short.pgm", self.get("in.pgm")[:-1000])
        self.refused("segment", "short.pgm", "out.pgm", "--at", "9,9", "--overlay", "o.ppm",
                     "--contours", "o.svg", "--frames", "o.gif")

    def test_everything_and_nothing(self):
        """Neither is a success: a sentence, a status of its own, and no file."""
        self.put("out.pgm", OLD)
        for words, *more in ((["filled the whole picture", "narrower --window", "--force"],
                              "--window", "0,255"),
                             (["vanished", "under the seeds", "--force"], "--speed=-1")):
            beside = ["--overlay", "o.ppm", "--contours", "o.svg", "--frames", "o.gif", "--phi",
                      "o.npy"]
            self.refused("segment", "in.pgm", "out.pgm", "--at", "50,40", *more, *beside, status=3,
                         words=words)
            before = self.snapshot()
            done = self.command("segment", "in.pgm", "out.pgm", "--at", "50,40", *more, "--json")
            self.assertEqual((done.returncode, self.snapshot()), (3, before))
            self.assertTrue(json.loads(done.stdout)["labels"][0]["useless"])
            forced = self.works("segment", "in.pgm", "forced.pgm", "--at", "50,40", *more,
                                "--force")
            self.assertIn(b"warning: label 1", forced.stderr)
            self.assertEqual(len(set(netpbm(self.get("forced.pgm"))[2])), 1)

    def test_tiny(self):
        self.put("one.pgm", pgm(1, 1, [7]))
        self.works("segment", "one.pgm", "one.out.pgm", "--at", "0,0", "--contours", "one.svg",
                   "--overlay", "one.ppm", "--frames", "one.gif", "--force")
        self.assertEqual(netpbm(self.get("one.out.pgm"))[2], b"\xff")
        self.put("row.pgm", pgm(70, 1, [7] * 35 + [200] * 35))
        self.works("segment", "row.pgm", "row.out.pgm", "--at", "5,0,2", "--contours", "row.svg",
                   "--overlay", "row.ppm")
        self.assertEqual(netpbm(self.get("row.out.pgm"))[2], b"\xff" * 35 + b"\0" * 35)

    def test_pipe(self):
        done = self.works("segment", "-", "-", "--at", "50,40", "--json", input=self.get("in.pgm"))
        self.assertEqual(done.stdout, pbm(self.object, WIDTH, HEIGHT))
        self.assertEqual(json.loads(done.stderr)["labels"][0]["area"], sum(self.object))


if __name__ == "__main__":
    unittest.main()
