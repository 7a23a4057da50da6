# SPDX-License-Identifier: MIT
"""Python against its peers for the same jobs, and a small call against the same in C, in one run.

bench.py [--json FILE]    RO_BUILD_DIR names the build whose library C is timed with.
"""
import argparse
import ctypes
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import roundoff

HERE = Path(__file__).resolve().parent
TURNS = 5


def module(name):
    try:
        return __import__(name, fromlist=["x"])
    except ImportError:
        print(f"bench: {name} is not there", file=sys.stderr)
        return None


def in_turn(contenders, turns=TURNS):
    """The best time of each, all of them in every turn."""
    best = {name: float("inf") for name, _ in contenders}
    for turn in range(turns + 1):
        for name, call in contenders:
            if turn > 1 and best[name] > 2:  # seconds
                continue
            start = time.perf_counter()
            call()
            took = time.perf_counter() - start
            if turn or took > 2:  # the first warms up
                best[name] = min(best[name], took)
    return best


def scene(side, seed=1):
    """Discs on a ramp with noise."""
    y, x = np.mgrid[0:side, 0:side] / side
    image = 60 + 100 * x
    for cx, cy, r in ((0.3, 0.3, 0.15), (0.7, 0.6, 0.2), (0.35, 0.75, 0.12)):
        image = np.where(np.hypot(x - cx, y - cy) < r, 210 - 60 * y, image)
    noise = np.random.default_rng(seed).normal(0, 8, image.shape)
    return np.clip(image + noise, 0, 255).astype(np.uint8)


# ---- Jobs: (title, pixels, [(who, call)]) ---------------------------------------------------------
def jobs():
    image_module, cv2 = module("PIL.Image"), module("cv2")
    restoration, segmentation = module("skimage.restoration"), module("skimage.segmentation")
    registration, transform = module("skimage.registration"), module("skimage.transform")
    grey = scene(4096)
    calls = [("roundoff, packed bits", lambda: roundoff.halftone(grey, packed=True)),
             ("roundoff, bytes", lambda: roundoff.halftone(grey))]
    if image_module:
        pillow = image_module.fromarray(grey)
        calls.append(("Pillow, convert", lambda: pillow.convert("1")))
    yield "Floyd-Steinberg, 4096 x 4096 to black and white", grey.size, calls

    colour = np.dstack([scene(1024, seed) for seed in (1, 2, 3)])
    calls = [("roundoff", lambda: roundoff.halftone(colour, palette="spectra6", indices=True))]
    if image_module:
        table = image_module.new("P", (1, 1))
        table.putpalette(roundoff.palette("spectra6").tobytes())
        photo = image_module.fromarray(colour)
        calls.append(("Pillow, quantize", lambda: photo.quantize(palette=table, dither=1)))
    yield "Colours of an e-paper by error diffusion, 1024 x 1024", colour.size // 3, calls

    noisy = scene(1024)
    real = (noisy / 255).astype(np.float32)
    calls = [("roundoff, 20 steps", lambda: roundoff.denoise(noisy, model="perona-malik", kappa=4.0,
                                                             iterations=20))]
    if cv2 is not None and hasattr(cv2, "ximgproc"):
        bgr = np.dstack([noisy] * 3)
        calls.append(("OpenCV, anisotropicDiffusion, 20 steps, 3 channels",
                      lambda: cv2.ximgproc.anisotropicDiffusion(bgr, 0.2, 4 / 255, 20)))
    if cv2 is not None:
        calls.append(("OpenCV, bilateralFilter 9", lambda: cv2.bilateralFilter(noisy, 9, 25, 9)))
        calls.append(("OpenCV, fastNlMeansDenoising", lambda: cv2.fastNlMeansDenoising(noisy, None, 8)))
    if restoration:
        calls.append(("scikit-image, denoise_tv_chambolle, 20 steps",
                      lambda: restoration.denoise_tv_chambolle(real, weight=0.05, eps=0,
                                                               max_num_iter=20)))
    yield "Noise away, 1024 x 1024", noisy.size, calls

    seeds = [(307, 307, 5), (716, 614, 5), (358, 768, 5), (50, 900, 5)]
    marks = np.zeros(noisy.shape, np.int32)
    for label, (x, y, _) in enumerate(seeds, 1):
        marks[y - 4:y + 5, x - 4:x + 5] = label
    calls = [("roundoff, competing fronts", lambda: roundoff.segment(noisy, seeds))]
    if cv2 is not None:
        bgr2 = np.dstack([noisy] * 3)
        calls.append(("OpenCV, watershed", lambda: cv2.watershed(bgr2, marks.copy())))
    if segmentation:
        slope = np.hypot(*np.gradient(noisy.astype(np.float32)))
        calls.append(("scikit-image, watershed", lambda: segmentation.watershed(slope, marks)))
        calls.append(("scikit-image, random_walker", lambda: segmentation.random_walker(
            noisy, marks, mode="cg_j", tol=0.1)))
    yield "Labels from four seeds, 1024 x 1024", noisy.size, calls

    small = scene(256)
    moved = np.roll(small, (3, 2), axis=(0, 1))
    calls = [("roundoff", lambda: roundoff.register(small, moved))]
    if cv2 is not None:
        calls.append(("OpenCV, Farneback", lambda: cv2.calcOpticalFlowFarneback(
            small, moved, None, 0.5, 4, 21, 5, 7, 1.5, 0)))
    if registration:
        calls.append(("scikit-image, optical_flow_tvl1",
                      lambda: registration.optical_flow_tvl1(small / 255, moved / 255)))
    yield "Displacement between two pictures, 256 x 256", small.size, calls

    field = np.broadcast_to(np.array([1.5, 2.25], np.float32), (*noisy.shape, 2)).copy()
    rows, columns = np.mgrid[0:1024, 0:1024].astype(np.float32)
    calls = [("roundoff, warp", lambda: roundoff.warp(noisy, field))]
    if cv2 is not None:
        calls.append(("OpenCV, remap", lambda: cv2.remap(
            noisy, columns + field[..., 0], rows + field[..., 1], cv2.INTER_LINEAR)))
    if transform:
        calls.append(("scikit-image, warp", lambda: transform.warp(
            noisy, np.stack([rows + field[..., 1], columns + field[..., 0]]), order=1,
            preserve_range=True)))
    yield "A picture moved by a field, 1024 x 1024", noisy.size, calls


# ---- A small call -----------------------------------------------------------------------------------
def compiled(folder):
    """The same calls in C, or None where there is no build to link."""
    build = os.environ.get("RO_BUILD_DIR")
    if not build:
        print("bench: no RO_BUILD_DIR: C is not timed", file=sys.stderr)
        return None
    root = HERE.parents[1]
    made = Path(folder) / "call.so"
    needed = [line for line in (Path(build) / "roundoff.pc").read_text().splitlines()
              if line.startswith("Libs.private:")][0].split()[1:]
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-fPIC", "-shared", f"-I{root}/include",
                    str(HERE / "call.c"), f"{build}/libroundoff.a", *needed, "-o", str(made)],
                   check=True)
    library = ctypes.CDLL(str(made))
    library.calls_open.restype = ctypes.c_void_p
    library.calls_open.argtypes = [ctypes.c_char_p, ctypes.c_uint32, ctypes.c_void_p,
                                   ctypes.c_void_p]
    library.calls_time.restype = ctypes.c_double
    library.calls_time.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
    return library


def small_calls(side=64, count=100, turns=400):
    grey = scene(side)
    image_module = module("PIL.Image")
    out = np.empty_like(grey)
    result = {}
    with tempfile.TemporaryDirectory() as folder:
        library = compiled(folder)
        for method in ("bayer8", "floyd-steinberg"):
            name = method.encode()
            calls = library and library.calls_open(name, side, grey.ctypes.data, out.ctypes.data)
            best = dict.fromkeys(("Python", "C, ro_plan_run", "C, ro_halftone"), float("inf"))
            if image_module and method == "floyd-steinberg":
                pillow = image_module.fromarray(grey)
                best["Pillow"] = float("inf")
            halftone = roundoff.halftone
            for _ in range(turns):
                if calls:
                    for key, planned in (("C, ro_plan_run", 1), ("C, ro_halftone", 0)):
                        best[key] = min(best[key], library.calls_time(calls, planned, count))
                start = time.perf_counter()
                for _ in range(count):
                    halftone(grey, method)
                best["Python"] = min(best["Python"], (time.perf_counter() - start) / count)
                if "Pillow" in best:
                    start = time.perf_counter()
                    for _ in range(count):
                        pillow.convert("1")
                    best["Pillow"] = min(best["Pillow"], (time.perf_counter() - start) / count)
            result[method] = {key: value for key, value in best.items() if value < 1}
    return result


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--json")
    options.add_argument("--calls", action="store_true", help="the small call only")
    asked = options.parse_args()
    print(f"import roundoff {roundoff.__version__}, Python {platform.python_version()}, NumPy "
          f"{np.__version__}, {roundoff.devices()[0].name}\n")
    kept = {}
    print("A call for 64 x 64 pixels, microseconds\n")
    for method, times in small_calls().items():
        kept[f"call, {method}"] = times
        for name, seconds in times.items():
            print(f"  {method:18} {name:18} {1e6 * seconds:8.2f}")
        if "C, ro_plan_run" in times:
            more = 1e6 * (times["Python"] - times["C, ro_plan_run"])
            print(f"  {method:18} {'Python over C':18} {more:+8.2f}")
    for title, pixels, contenders in [] if asked.calls else jobs():
        times = in_turn(contenders)
        kept[title] = times
        print(f"\n{title}\n")
        first = next(iter(times.values()))
        for name, seconds in times.items():
            print(f"  {name:48} {1e3 * seconds:10.2f} ms {1e-6 * pixels / seconds:10.1f} Mpixel/s "
                  f"{seconds / first:8.2f} x")
    if asked.json:
        Path(asked.json).write_text(json.dumps(kept, indent=1) + "\n")


main()
