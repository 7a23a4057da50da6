# SPDX-License-Identifier: MIT
"""Checks polygons in GeoJSON and lines in SVG in whole numbers, so that no rounding decides: rings are
simple, meet nowhere, turn the right way, and holes lie in their outline.

    roundoff segment x.png out.png --at 9,9 --contours x.geojson --json > x.json
    python3 polygons.py x.geojson x.json    names each label that is not valid"""
import collections
import json
import re
import sys

SCALE = 10000  # files have four decimals


def whole(ring):
    return [(round(x * SCALE), round(y * SCALE)) for x, y in ring]


def area(ring):
    """Twice the area of a closed ring, positive if it turns counterclockwise where y points up."""
    return sum(x * v - y * u for (x, y), (u, v) in zip(ring, ring[1:]))


def side(a, b, c):
    """On which side of the line from a to b a point is."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def between(a, b, c):
    """Whether c, on the line through a and b, lies between them or on one of them."""
    return min(a[0], b[0]) <= c[0] <= max(a[0], b[0]) and min(a[1], b[1]) <= c[1] <= max(a[1], b[1])


def meet(a, b, c, d):
    """Whether the segments ab and cd have a point in common."""
    abc, abd, cda, cdb = side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b)
    if ((abc > 0) != (abd > 0) and (cda > 0) != (cdb > 0) and abc and abd and cda and cdb):
        return True
    return (not abc and between(a, b, c) or not abd and between(a, b, d) or
            not cda and between(c, d, a) or not cdb and between(c, d, b))


def holds(ring, point):
    """Whether a point lies inside a ring that does not pass it."""
    x, y = point
    inside = False
    for a, b in zip(ring, ring[1:]):
        if (a[1] > y) != (b[1] > y) and (side(a, b, point) > 0) == (b[1] > a[1]):
            inside = not inside
    return inside


def first_meeting(rings):
    """Two segments of closed rings that meet elsewhere than at the end that neighbours share."""
    cells = collections.defaultdict(list)
    for r, ring in enumerate(rings):
        for k, (a, b) in enumerate(zip(ring, ring[1:])):
            for x in range(min(a[0], b[0]) // (2 * SCALE), max(a[0], b[0]) // (2 * SCALE) + 1):
                for y in range(min(a[1], b[1]) // (2 * SCALE), max(a[1], b[1]) // (2 * SCALE) + 1):
                    cells[x, y].append((r, k, a, b))
    for found in cells.values():
        for i, (r, k, a, b) in enumerate(found):
            for s, m, c, d in found[:i]:
                count = len(rings[r]) - 1
                if r == s and (k - m) % count in (1, count - 1):
                    if (k - m) % count == 1 and count > 2:
                        a_, shared, d_ = c, a, b  # cd comes before ab
                    else:
                        a_, shared, d_ = a, b, d
                    back = side(a_, shared, d_) == 0 and (
                        (a_[0] - shared[0]) * (d_[0] - shared[0]) +
                        (a_[1] - shared[1]) * (d_[1] - shared[1]) > 0)
                    if back:
                        return a_, shared, d_
                elif meet(a, b, c, d):
                    return a, b, c, d
    return None


def faults_of_rings(rings):
    for ring in rings:
        if ring[0] != ring[-1]:
            return ["a ring is open"]
        if len(ring) < 4:
            return ["a ring has %d points" % (len(ring) - 1)]
        if any(a == b for a, b in zip(ring, ring[1:])):
            return ["a ring has a point twice"]
    meeting = first_meeting(rings)
    return ["lines meet: %s" % (meeting,)] if meeting else []


def faults(polygons, pixels):
    """What is wrong with a MultiPolygon of a label of so many pixels."""
    polygons = [[whole(ring) for ring in polygon] for polygon in polygons]
    found = faults_of_rings([ring for polygon in polygons for ring in polygon])
    for polygon in polygons:
        if area(polygon[0]) <= 0 or any(area(hole) >= 0 for hole in polygon[1:]):
            found.append("a ring turns the wrong way")
        if not all(holds(polygon[0], hole[0]) for hole in polygon[1:]):
            found.append("a hole lies outside its outline")
        if any(holds(hole, other[0]) for hole in polygon[1:] for other in polygon[1:]
               if other is not hole):
            found.append("a hole lies in a hole")
    for i, polygon in enumerate(polygons):
        for k, other in enumerate(polygons):
            if i != k and sum(holds(ring, polygon[0][0]) for ring in other) % 2:
                found.append("a polygon lies in another")
    inside = sum(area(ring) for polygon in polygons for ring in polygon) / 2 / SCALE ** 2
    if abs(inside - pixels) > max(0.02 * pixels, 0.5):
        found.append("an area of %.2f for %d pixels" % (inside, pixels))
    return found


def faults_of_file(contours, table):
    """What is wrong with a GeoJSON file, given the labels that --json lists."""
    pixels = {row["label"]: row["area"] for row in table if row["area"]}
    features = {f["properties"]["label"]: f["geometry"]["coordinates"] for f in contours["features"]}
    found = []
    if len(features) != len(contours["features"]):
        found.append("a label has two features")
    if set(features) != set(pixels):
        found.append("labels %s but pixels of %s" % (sorted(features), sorted(pixels)))
    for label in features:
        found += ["label %s: %s" % (label, fault) for fault in faults(features[label],
                                                                      pixels.get(label, 0))]
    return found


def svg_rings(text):
    """The closed lines of an SVG file, by label."""
    rings = collections.defaultdict(list)
    for label, path in re.findall(r'<path class="label(\d+)"[^>]* d="M([^"]*)"', text):
        points = [tuple(map(float, pair.split())) for pair in path.rstrip("Z").split("L")]
        rings[int(label)].append(whole(points + points[:1]))
        if not path.endswith("Z"):
            rings[int(label)][-1].pop()
    return rings


if __name__ == "__main__":
    with open(sys.argv[1]) as contours, open(sys.argv[2]) as report:
        complaints = faults_of_file(json.load(contours), json.load(report)["labels"])
    print("\n".join(complaints) or "valid")
    sys.exit(bool(complaints))
