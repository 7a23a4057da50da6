# SPDX-License-Identifier: MIT
"""A picture of pairs and what came of them: the fixed image, the moving one, and that pulled to it.

    failures.py --images DIR... OUT.png PROGRAM KIND:SEED...

A row a pair, of those that measure.py names; what the report says of each is printed.
"""
import argparse
import os
import subprocess
import tempfile

import cv2
import numpy as np

import measure
import pairs

SIDE = 176


def tile(image):
    by = SIDE / max(image.shape)
    small = cv2.resize(image, None, fx=by, fy=by, interpolation=cv2.INTER_AREA)
    out = np.full((SIDE, SIDE), 255, np.uint8)
    out[:small.shape[0], :small.shape[1]] = small[:SIDE, :SIDE]
    return out


def pulled(places, moving):
    at = places.astype(np.float32)
    return cv2.remap(moving, at[..., 0], at[..., 1], cv2.INTER_LINEAR,
                     borderMode=cv2.BORDER_CONSTANT, borderValue=0)


def say(program, pair):
    """The command's own words."""
    with tempfile.TemporaryDirectory() as folder:
        names = [os.path.join(folder, n) for n in ("fixed.png", "moving.png", "out.png")]
        cv2.imwrite(names[0], pair.fixed)
        cv2.imwrite(names[1], pair.moving)
        done = subprocess.run([program, "register", *names], capture_output=True, text=True)
        return done.returncode, done.stderr.replace(folder + os.sep, "").strip()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--images", action="append", required=True)
    parser.add_argument("out")
    parser.add_argument("program")
    parser.add_argument("pairs", nargs="+")
    given = parser.parse_args()
    photos, rows = pairs.Photos(given.images), []
    for name in given.pairs:
        kind, seed = name.rsplit(":", 1)
        pair = (pairs.can_match if kind in pairs.CAN else pairs.cannot_match)(photos, kind,
                                                                              int(seed))
        places, report = measure.ours(given.program, pair)
        error = measure.error_of(pair, places) if pair.truth is not None else float("nan")
        rows.append(np.hstack([tile(pair.fixed), tile(pair.moving),
                               tile(pulled(places, pair.moving))]))
        status, words = say(given.program, pair)
        print(f"{kind}: {pair.name}: {error:.2f} px, support {report['support']} of "
              f"{report['matches']}, confidence {report['confidence']:.2f}, exit {status}")
        print("   ", words.replace("\n", "\n    "))
    cv2.imwrite(given.out, np.vstack(rows), [cv2.IMWRITE_PNG_COMPRESSION, 9])


if __name__ == "__main__":
    main()
