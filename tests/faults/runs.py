# SPDX-License-Identifier: MIT
"""The commands that are made to fail: each with the files that it writes, every option that names
one used at least once. Names of files that differ from run to run (times) are in VARY."""
import functools
import glob
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import profile_out_test  # noqa: E402
import profiles_test  # noqa: E402
from command import ROUNDOFF, SOURCE_DIR, certifies, profiles, supports  # noqa: E402

VARY = {"report.json", "report.html"}
EACH = {"halftone-folder"}  # outputs on their own: one that fails leaves the others
THREADS = ["--threads", "2"]
CERTIFY = ["--certificate", "cert.json"]


def picture(kind):
    """A type of picture that this build writes."""
    return kind if supports(kind) else "ppm"


def make_inputs(folder):
    """What the runs read, made once."""
    def run(*arguments):
        subprocess.run([ROUNDOFF, *arguments, "--quiet"], cwd=folder, check=True)

    def put(name, data):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)

    run("testcard", "in.pgm", "--size", "37x29")
    run("testcard", "in16.pgm", "--size", "37x29", "--bits", "16")
    run("testcard", "in.ppm", "--size", "37x29", "--colour")
    for kind in "png", "tif":
        if supports(kind):
            run("testcard", "in." + kind, "--size", "37x29", "--colour")
    run("denoise", "in.pgm", "moved.pgm", "--iterations", "3")
    run("halftone", "in.pgm", "half.pbm")
    run("calibrate", "wedge", "wedge.pgm", "--patch", "16")
    run("screen", "make", "bayer", "screen.pgm")
    run("hologram", "make", "light.npy", "--size", "48x40")
    run("hologram", "quantize", "light.npy", "levels.png" if supports("png") else "levels.pgm",
        "--levels", "phase:16")
    run("register", "in.pgm", "moved.pgm", "warped.pgm", "--scales", "1", "--field", "field.npy",
        "--force")
    run("halftone", "in.pgm", "made.pbm", *CERTIFY) if certifies() else None
    texts = {"curve.csv": "0, 0\n0.5, 0.4\n1, 1\n", "three.gpl": "GIMP Palette\n0 0 0\n9 9 200\n"
             "255 255 255\n", "kernel.json": '{"divisor": 2, "taps": [[1,0,1], [0,1,1]]}',
             "levels.csv": "real, imaginary\n1, 0\n-1, 0\n0, 1\n0, -1\n",
             "taps.csv": "1, 0, 0.5\n0, 1, 0.5\n"}
    for name, text in texts.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    for name, kind, width in ("stack.npy", "|u1", 16), ("signed.npy", "<i2", 8):
        header = "{'descr': '%s', 'fortran_order': False, 'shape': (3, 20, %d), }" % (kind, width)
        header = header.ljust(117) + "\n"
        put(name, b"\x93NUMPY\x01\x00" + bytes([len(header), 0]) + header.encode() +
            bytes(i * 7 % 251 for i in range(3 * 20 * 16)))
    run("denoise", "stack.npy", "stack.h5", "--iterations", "1")
    put("press.icc", profile_out_test.profile())
    put("wide.png", profiles_test.png(profiles_test.RGB, profiles_test.with_icc(profiles_test.icc())))
    put("grey.png", profiles_test.png(profiles_test.RGB[:45], profiles_test.with_icc(
        profiles_test.icc(b"GRAY")), kind=0))
    put("gamma.png", profiles_test.png(profiles_test.RGB, profiles_test.chunk(
        b"gAMA", (100000).to_bytes(4, "big"))))
    put("wide.tif", profiles_test.tiff(profiles_test.RGB, 2, profile=profiles_test.icc()))
    put("lab.tif", profiles_test.tiff(profiles_test.RGB, 8))
    with open(os.path.join(SOURCE_DIR, "tests", "fuzz", "seeds", "jpeg", "plain"), "rb") as file:
        data = file.read()
    part = b"ICC_PROFILE\0\1\1" + profiles_test.icc()
    put("wide.jpg", data[:2] + b"\xff\xe2" + (len(part) + 2).to_bytes(2, "big") + part + data[2:])
    put("in.y4m", b"YUV4MPEG2 W16 H12 F25:1 Ip A1:1 C420jpeg\n" + b"".join(
        b"FRAME\n" + bytes(16 + (i * 5 + frame) % 200 for i in range(16 * 12 * 3 // 2))
        for frame in range(3)))
    with open(os.path.join(folder, "points.csv"), "w") as file:
        file.write("x,y\n3,4\n20,11.5\n")


@functools.lru_cache(None)
def reads_hdf5():
    """Whether libhdf5 is found."""
    with tempfile.TemporaryDirectory() as folder:
        for arguments in ["testcard", "a.h5", "--size", "4x4"], ["denoise", "a.h5", "a.npy"]:
            done = subprocess.run([ROUNDOFF, *arguments], cwd=folder, capture_output=True)
    return done.returncode == 0


# A file of each type, and of each way that a type packs its pixels, from the seeds of the fuzzers.
SEEDS = {"jpg": ["jpeg/cmyk", "jpeg/progressive", "jpeg/turned"], "webp": ["webp/alpha", "webp/lossless", "webp/frames"],
         "png": ["png/interlaced", "png/key", "png/palette", "png/la",
                 "nrrd/gzip.nrrd", "archives/a.npy.gz", "archives/deflated.npz"],  # which need zlib, too
         "tif": ["tiff/bits", "tiff/cmyk16", "tiff/f8.tif", "tiff/jpeg", "tiff/pages", "tiff/palettealpha",
                 "tiff/planes", "tiff/rgba", "tiff/sparse", "tiff/tiles", "tiff/ycbcr", "tiff/stack_i2.tif"],
         "": ["gif/frames", "gif/interlaced", "bmp/runs", "bmp/masks", "bmp/five", "pam/rgba", "pfm/big", "pnm/p1",
              "pnm/p5pages", "nrrd/raw.nrrd", "nifti/i2.nii", "nifti/n2.nii", "npy/u2columns", "npy/stack_f.npy"]}


def read_runs():
    """Every page of each as colours or, of numbers, as grey."""
    for kind, names in SEEDS.items():
        for name in names:
            path = os.path.join(SOURCE_DIR, "tests", "fuzz", "seeds", name)
            if kind and not supports(kind):
                continue
            arguments = ["halftone", path, "out.npy", *THREADS]
            yield "read-" + name.replace("/", "-"), arguments, ["out.npy"]


def options_that_write():
    """(command, option) of every option that names a file to write, from the tables of options."""
    found = set()
    for path in glob.glob(os.path.join(SOURCE_DIR, "cli", "*", "*.c")):
        with open(path) as file:
            text = file.read()
        command = os.path.relpath(path, os.path.join(SOURCE_DIR, "cli"))
        for table in re.findall(r'\{"([a-z-]+)",[^{}]*\.writes = true', text):
            found.add((os.path.dirname(command), table))
    return found


def options_without_run():
    """Those that no run uses; the speeds are nobody's data."""
    used = {(arguments[0], word[2:]) for _, arguments, _ in runs() for word in arguments
            if word.startswith("--")}
    return sorted(option for option in options_that_write() - used if option[0] != "bench")


def runs():
    """(name, arguments, outputs) of each."""
    sure = CERTIFY if certifies() else []
    cert = sure[1:]
    png, tif = picture("png"), picture("tif")
    levels = "levels.png" if supports("png") else "levels.pgm"
    halftone = ["halftone", "in.pgm", "out.pbm", *THREADS]
    denoise = ["denoise", "in.pgm", "out.pgm", "--iterations", "3", *THREADS]
    segment = ["segment", "in.pgm", "out.pgm", "--at", "18,14", "--iterations", "9", *THREADS]
    register = ["register", "in.pgm", "moved.pgm", "out.pgm", "--scales", "2",
                "--force", *THREADS]
    quantize = ["hologram", "quantize", "light.npy", "out.pgm", "--levels", "phase:16", *THREADS]
    list_of_runs = [
        ("halftone", [*halftone, *sure], ["out.pbm", *cert]),
        ("halftone-text", [*halftone, "--kernel", "kernel.json", "--curve", "curve.csv"],
         ["out.pbm"]),
        ("halftone-screen", [*halftone, "--screen", "screen.pgm"], ["out.pbm"]),
        ("halftone-resize", [*halftone, "--resize", "20x31"], ["out.pbm"]),
        ("halftone-search", [*halftone, "--method", "dbs", "--rounds", "2", *sure],
         ["out.pbm", *cert]),
        ("halftone-riemersma", ["halftone", "in.pgm", "out.pbm", "--method", "riemersma"], ["out.pbm"]),
        ("halftone-dots", [*halftone, "--method", "dot-diffusion"], ["out.pbm"]),
        ("halftone-blue", [*halftone, "--method", "blue-noise", "--cell", "16"], ["out.pbm"]),
        ("halftone-palette", ["halftone", "in.ppm", "out." + png, "--palette", "three.gpl",
                              *THREADS, *sure], ["out." + png, *cert]),
        ("halftone-picture-palette", ["halftone", "in." + png, "out.ppm", "--palette",
                                      "./half.pbm", *THREADS], ["out.ppm"]),
        ("halftone-inks", ["halftone", "in.ppm", "out.pbm", "--separate", "cmyk", *THREADS, *sure],
         ["out-c.pbm", "out-m.pbm", "out-y.pbm", "out-k.pbm", *cert]),
        ("halftone-rgb", ["halftone", "in." + tif, "out." + tif, "--channels", "rgb", *THREADS],
         ["out." + tif]),
        ("halftone-proof", ["halftone", "in.ppm", "out.pbm", "--inks", "#e30613,black", "--proof",
                            "proof.ppm", *THREADS], ["out-e30613.pbm", "out-black.pbm", "proof.ppm"]),
        ("halftone-folder", ["halftone", "in.pgm", "in16.pgm", "--out-dir", ".", "--type", "pbm",
                             *THREADS], ["in.pbm", "in16.pbm"]),
        ("halftone-vectors", ["halftone", "in.pgm", "out.pbm", "--vectors", "bench.txt"],
         ["out.pbm", "bench.txt"]),
        ("halftone-video", ["halftone", "in.y4m", "out.y4m", *THREADS], ["out.y4m"]),
        ("halftone-bits", ["halftone", "in.pgm", "out.h", "--type", "c"], ["out.h"]),
        ("halftone-bitmap", ["halftone", "in.ppm", "out.bmp", "--palette", "bwr", *THREADS],
         ["out.bmp"]),
        ("denoise", [*denoise, *sure], ["out.pgm", *cert]),
        ("denoise-stack", ["denoise", "stack.npy", "out.npy", "--iterations", "2", *THREADS],
         ["out.npy"]),
        ("denoise-archive", ["denoise", "in.pgm", "out.npz", "--iterations", "2"], ["out.npz"]),
        ("denoise-medical", ["denoise", "stack.npy", "out.nii", "--iterations", "2"], ["out.nii"]),
        ("denoise-vectors", ["denoise", "in.pgm", "out.pgm", "--iterations", "2", "--vectors",
                             "bench.txt"], ["out.pgm", "bench.txt"]),
        ("denoise-rows", [*denoise, "--schedule", "stream", "--kappa", "8"], ["out.pgm"]),
        ("denoise-sigma", [*denoise, "--sigma", "2"], ["out.pgm"]),
        ("denoise-implicit", ["denoise", "in16.pgm", "out.npy", "--scheme", "implicit",
                              "--iterations", "1", *THREADS], ["out.npy"]),
        ("segment", [*segment, "--overlay", "look." + png, "--contours", "lines.svg", "--phi",
                     "phi.npy", "--frames", "how.gif", *sure],
         ["out.pgm", "look." + png, "lines.svg", "phi.npy", "how.gif", *cert]),
        ("segment-series", [*segment, "--contours", "lines.geojson", "--frames", "how.ppm"],
         ["out.pgm", "lines.geojson", "how-0000.ppm", "how-0001.ppm"]),
        ("segment-velocity", [*segment, "--velocity", "field.npy", "--number", "s23e8", "--speed", "1"],
         ["out.pgm"]),
        ("segment-fronts", ["segment", "in.pgm", "out.pgm", "--at", "18,14", "--at", "4,4", "--table",
                            "table.csv", "--force", *THREADS], ["out.pgm", "table.csv"]),
        ("segment-vectors", ["segment", "in.pgm", "out.pgm", "--at", "18,14", "--number", "s12",
                             "--iterations", "2", "--vectors", "bench.txt"],
         ["out.pgm", "bench.txt"]),
        ("register", [*register, "--field", "u.npy", "--figure", "figure.pgm", "--energy",
                      "energy.csv", *sure],
         ["out.pgm", "u.npy", "figure.pgm", "energy.csv", *cert]),
        ("register-flo", [*register, "--field", "u.flo", "--init", "affine", "--match", "ncc"],
         ["out.pgm", "u.flo"]),
        ("register-apply", ["register", "apply", "field.npy", "in.pgm", "out.pgm", *THREADS],
         ["out.pgm"]),
        ("register-points", ["register", "apply", "field.npy", "points.csv", "moved.csv"],
         ["moved.csv"]),
        ("hologram-make", ["hologram", "make", "new.npy", "--size", "48x40", *THREADS],
         ["new.npy", "new.json"]),
        ("hologram-quantize", [*quantize, "--report", "report.json", "--spectrum", "noise.pgm",
                               *sure], ["out.pgm", "report.json", "noise.pgm", *cert]),
        ("hologram-lists", ["hologram", "quantize", "light.npy", "out.pgm", "--levels",
                            "levels.csv", "--weights", "taps.csv", *THREADS], ["out.pgm"]),
        ("hologram-reconstruct", ["hologram", "reconstruct", "light.npy", "view.pgm", "--depth",
                                  "80mm,91mm", *THREADS], ["view-1.pgm", "view-2.pgm"]),
        ("hologram-numbers", ["hologram", "reconstruct", levels, "view.npy", "--levels", "phase:16",
                              "--sidecar", "light.json", *THREADS], ["view.npy"]),
        ("hologram-frames", ["hologram", "quantize", "light.npy", "out.pgm", "--levels", "binary",
                             "--window", "0.25,0.25,0.4,0.4",
                             "--frames", "3", *THREADS], ["out-1.pgm", "out-2.pgm", "out-3.pgm"]),
        ("hologram-propagate", ["hologram", "propagate", "light.npy", "far.npy", "--distance", "5mm",
                                *THREADS], ["far.npy", "far.json"]),
        ("measure", ["measure", "in.pgm", "half.pbm", *THREADS, *sure], [*cert]),
        ("screen", ["screen", "make", "void-and-cluster", "out.pgm", "--cell", "16", *sure],
         ["out.pgm", *cert]),
        ("screen-show", ["screen", "show", "moire.svg", "--lpi", "133", "--dpi", "2400"],
         ["moire.svg"]),
        ("testcard", ["testcard", "out." + tif, "--size", "30x20", "--colour", *sure],
         ["out." + tif, *cert]),
        ("wedge", ["calibrate", "wedge", "out.pgm", "--patch", "16", "--curve", "curve.csv", *sure],
         ["out.pgm", *cert]),
        ("fit", ["calibrate", "fit", "wedge.pgm", "--curve", "made.csv", *sure],
         ["made.csv", *cert]),
    ]
    list_of_runs += [("halftone-signed", ["halftone", "signed.npy", "out.pbm", "--page", "2", *THREADS],
                      ["out.pbm"]),
                     ("denoise-signed", ["denoise", "signed.npy", "out.npy", "--iterations", "2",
                                         *THREADS], ["out.npy"])]
    list_of_runs += read_runs()
    if reads_hdf5():
        list_of_runs += [("denoise-hdf5", ["denoise", "stack.h5", "out.npy", "--iterations", "2",
                                           *THREADS], ["out.npy"])]
    if profiles():
        list_of_runs += [("halftone-" + name.replace(".", "-"),
                          ["halftone", name, "out.ppm", "--channels", "rgb", "--levels", "4"],
                          ["out.ppm"])
                         for name in ("wide.png", "gamma.png", "wide.tif", "lab.tif", "wide.jpg")
                         if supports(name[-3:])]
        list_of_runs += [
            ("halftone-grey-png", ["halftone", "grey.png", "out.pbm"], ["out.pbm"]),
            ("halftone-press", ["halftone", "in.ppm", "out.pbm", "--separate", "cmyk",
                                "--profile-out", "press.icc", *THREADS],
             ["out-c.pbm", "out-m.pbm", "out-y.pbm", "out-k.pbm"])]
    if supports("png"):
        list_of_runs += [
            ("measure-page", ["measure", "in.pgm", "half.pbm", "--report", "report.html", *THREADS],
             ["report.html"]),
            ("compare", ["compare", "in.pgm", "--methods", "fs,bayer8", "--report", "report.html",
                         *sure], ["report.html", *cert])]
    if certifies():
        list_of_runs += [("verify", ["verify", "cert.json", "in.pgm", "made.pbm", "--recompute",
                                     *THREADS], [])]
    return list_of_runs
