# SPDX-License-Identifier: MIT
"""ROUNDOFF names the command that results are compared with."""
import os
import shutil
import subprocess

import numpy as np
import pytest


def write_pnm(path, array, maxval=None):
    maxval = maxval or np.iinfo(array.dtype).max
    kind = b"P6" if array.ndim == 3 else b"P5"
    head = b"%s %d %d %d\n" % (kind, array.shape[1], array.shape[0], maxval)
    path.write_bytes(head + (array.astype(">u2") if array.dtype == np.uint16 else array).tobytes())


def read_pnm(path):
    data = path.read_bytes()
    kind, place, words = data[:2], 2, []
    while len(words) < (2 if kind == b"P4" else 3):
        while data[place:place + 1].isspace():
            place += 1
        end = place
        while not data[end:end + 1].isspace():
            end += 1
        words.append(int(data[place:end]))
        place = end
    place += 1
    width, height = words[:2]
    if kind == b"P4":  # 1 is black there
        rows = np.frombuffer(data[place:], np.uint8).reshape(height, -1)
        return 1 - np.unpackbits(rows, axis=1)[:, :width]
    kind_of_sample = np.uint8 if words[2] < 256 else np.dtype(">u2")
    pixels = np.frombuffer(data[place:], kind_of_sample)
    shape = (height, width, 3) if kind == b"P6" else (height, width)
    return pixels.reshape(shape).astype(pixels.dtype.newbyteorder("="))


@pytest.fixture(scope="session")
def command():
    """Runs the command on an array: command("halftone", array, ".pgm", "--levels", "4")."""
    program = os.environ.get("ROUNDOFF") or shutil.which("roundoff")
    if not program:
        pytest.skip("no command to compare with: set ROUNDOFF")

    def run(folder, name, array, suffix, *options, maxval=None):
        source = folder / ("in.ppm" if array.ndim == 3 else "in.pgm")
        if array.dtype == np.float32:
            source = folder / "in.npy"
            np.save(source, array)
        else:
            write_pnm(source, array, maxval)
        result = folder / ("out" + suffix)
        subprocess.run([program, name, source, result, "--quiet", *options], check=True)
        return np.load(result) if suffix == ".npy" else read_pnm(result)

    run.program = program
    return run


@pytest.fixture(scope="session")
def grey():
    """A ramp with noise and a dark corner, of an odd size."""
    y, x = np.mgrid[0:61, 0:83]
    noise = np.random.default_rng(1).integers(-20, 21, (61, 83))
    return np.clip(3 * x + y // 2 + noise, 0, 255).astype(np.uint8)


@pytest.fixture(scope="session")
def colour(grey):
    return np.stack([grey, grey[::-1], 255 - grey], axis=2).copy()
