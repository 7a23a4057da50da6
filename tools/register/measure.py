# SPDX-License-Identifier: MIT
"""How near registrations come, and what is accepted: ours against peers, on pairs from seeds.

    measure.py --images DIR --images DIR [--half odd] [--share 1] [NAME=]build/roundoff...

Constants were fixed on other pairs and on the even seeds; the odd ones are reported. Errors are
mean distances to the truth where both images are seen, in pixels. Peers, from OpenCV: SIFT with a
homography, and DIS, which is for small motion and is shown for noise and elastic pairs.
"""
import argparse
import json
import os
import subprocess
import tempfile

import cv2
import numpy as np

import pairs


def error_of(pair, places):
    return float(np.hypot(*np.moveaxis(places - pair.truth, -1, 0))[pair.over].mean())


def grid(shape):
    return np.stack(np.meshgrid(np.arange(shape[1]), np.arange(shape[0])), -1).astype(float)


def ours(program, pair, *options):
    """Its places and its report."""
    with tempfile.TemporaryDirectory() as folder:
        fixed, moving, out, field = (os.path.join(folder, name)
                                     for name in ("f.png", "m.png", "o.png", "u.npy"))
        cv2.imwrite(fixed, pair.fixed, [cv2.IMWRITE_PNG_COMPRESSION, 0])
        cv2.imwrite(moving, pair.moving, [cv2.IMWRITE_PNG_COMPRESSION, 0])
        done = subprocess.run([program, "register", fixed, moving, out, "--field", field, "--force",
                               "--json", "--threads", "1", *options], capture_output=True,
                              text=True)
        if done.returncode:
            return None, {"useless": True, "seconds": 0, "failed": done.stderr.strip()}
        return grid(pair.fixed.shape) + np.load(field), json.loads(done.stdout)


def sift(pair):
    finder = cv2.SIFT_create()
    points, bytes_ = zip(*(finder.detectAndCompute(a, None) for a in (pair.fixed, pair.moving)))
    if bytes_[0] is None or bytes_[1] is None or len(bytes_[1]) < 2:
        return None
    good = [a for a, *b in cv2.BFMatcher().knnMatch(*bytes_, k=2)
            if b and a.distance < .75 * b[0].distance]
    if len(good) < 4:
        return None
    H, _ = cv2.findHomography(np.float32([points[0][m.queryIdx].pt for m in good]),
                              np.float32([points[1][m.trainIdx].pt for m in good]), cv2.RANSAC, 3)
    return None if H is None else pairs.through(H, pair.fixed.shape)


def dis(pair):
    flow = cv2.DISOpticalFlow_create(cv2.DISOPTICAL_FLOW_PRESET_MEDIUM)
    if pair.fixed.shape != pair.moving.shape:
        return None
    return grid(pair.fixed.shape) + flow.calc(pair.fixed, pair.moving, None)


def tell(kind, name, results):
    errors = np.array([r["error"] for r in results])
    refused = sum(r["useless"] for r in results) if "useless" in results[0] else ""
    print(f"| {kind} | {len(errors)} | {name} | {(errors <= .5).sum()} | {(errors <= 1).sum()} | "
          f"{(errors <= 5).sum()} | {np.median(errors):.3f} | {refused} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--images", action="append", required=True)
    parser.add_argument("--half", choices=("even", "odd"), default="odd")
    parser.add_argument("--share", type=float, default=1)
    parser.add_argument("--kind", default="")
    parser.add_argument("programs", nargs="+")
    given = parser.parse_args()
    programs = [p.split("=", 1) if "=" in p else ["Roundoff", p] for p in given.programs]
    photos = pairs.Photos(given.images)
    cv2.setNumThreads(1)
    rows, odd = {}, []
    for pair in pairs.draw(photos, int(given.half == "odd"), given.share):
        if given.kind not in pair.kind:
            continue
        for name, program in programs:
            places, report = ours(program, pair)
            row = {"useless": bool(report["useless"]), "seconds": report["seconds"],
                   "error": np.inf if pair.truth is None or places is None
                   else error_of(pair, places)}
            rows.setdefault((pair.kind, name), []).append(row)
            wrong = row["useless"] if pair.truth is not None else not row["useless"]
            if wrong or (pair.truth is not None and row["error"] > 1):
                odd.append((name, pair.kind, pair.name, round(row["error"], 2), row["useless"],
                            *(report.get(k) for k in ("support", "matches", "directions",
                                                      "confidence", "folds"))))
        for name, peer in ("SIFT + homography", sift), ("DIS", dis):
            if pair.truth is None or (peer is dis and pair.kind not in ("noise", "elastic")):
                continue
            places = peer(pair)
            rows.setdefault((pair.kind, name), []).append(
                {"error": np.inf if places is None else error_of(pair, places)})
    print("| pairs | n | | within 0.5 | 1 | 5 px | median | refused |")
    print("| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: |")
    for (kind, name), results in rows.items():
        if kind in pairs.CAN:
            tell(kind, name, results)
    for name in dict.fromkeys(name for _, name in rows):
        can = [r for (kind, n), rs in rows.items() if n == name and kind in pairs.CAN for r in rs]
        if name != "DIS" and can:
            tell("all", name, can)
    for name, _ in programs:
        can = [r for (k, n), rs in rows.items() if n == name and k in pairs.CAN for r in rs]
        cannot = [r for (k, n), rs in rows.items() if n == name and k in pairs.CANNOT for r in rs]
        accepted = [r for r in can if not r["useless"]]
        print(f"\n{name}: {len(can) - len(accepted)} of {len(can)} that can match are refused, of "
              f"those accepted {sum(r['error'] > 5 for r in accepted)} are off by more than 5 px; "
              f"{sum(not r['useless'] for r in cannot)} of {len(cannot)} that cannot are accepted; "
              f"seconds: {sum(r['seconds'] for r in can):.1f} and "
              f"{sum(r['seconds'] for r in cannot):.1f}")
    noise = [key for key in rows if key[0] == "noise"]
    if noise:
        table = np.array([[r["error"] for r in rows[key]] for key in noise])
        print("nearest in noise:", {key[1]: int((table.argmin(0) == i).sum())
                                    for i, key in enumerate(noise)})
    print("\nRefused, accepted without a truth, or off by more than 1 px:")
    for line in odd:
        print(*line, sep="; ")


if __name__ == "__main__":
    main()
