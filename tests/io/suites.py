# SPDX-License-Identifier: MIT
"""Reads all pictures in a folder with roundoff and with its peers, Pillow, ImageMagick and libtiff.

    suites.py FOLDER [--jobs N] [--list]

The kind of a file is told by its first bytes. Samples pass through `roundoff halftone` unchanged, because
there are as many levels as values. Per format it counts the files that are

    right     as a peer reads them
    alone     read, and by no peer
    wrong     read, and otherwise than every peer that reads them; the exit status is 1 if there are any
    known     the same, for a reason in the table KNOWN below
    refused   by us and by the peers
    missed    refused, and read by a peer
    large     not compared: over 16 Mpixel

A file that ends in a crash or not at all is wrong, too. --list names files that are wrong or missed.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

import numpy
from PIL import Image, ImageOps

ROUNDOFF = os.environ["ROUNDOFF"]
SECONDS = 60
MOST_PIXELS = 1 << 24
KINDS = [("PNG", rb"\x89PNG\r\n\x1a\n"), ("TIFF", rb"II\*\0|MM\0\*|II\+\0|MM\0\+"), ("JPEG", rb"\xff\xd8\xff"),
         ("WebP", rb"RIFF....WEBP"), ("GIF", rb"GIF8[79]a"), ("BMP", rb"BM"), ("PNM", rb"P[1-7Ff]\s")]

# Where peers are no judge: names of files, and why.
KNOWN = [(r"badpal/|pal8badindex|invalid_palette_index", "numbers beyond the palette have no colour"),
         (r"pal4rlecut|pal8rlecut", "what is missing has no colour"),
         (r"anim/oob|oversized|frame-out-of-bounds", "a frame leaves the screen: the screen counts here"),
         (r"[lL]ab[.-]|ColorCheckerCalculator", "Lab: the CIE's formula here, tables of whole numbers there"),
         (r"rgb16-231|rgba16-|16_bitmask444|V3_[AX]4_R4|rgba32-61754", "few bits of a colour: their largest number is all of it here, ImageMagick shifts them"),
         (r"8bit\.s\.tif|-i8|-i16|gray-i8|/int8|/int16|separate_planar_extra", "signed numbers: the least is black here, zero there"),
         (r"miniswhite.*12b|1[024]b-miniswhite", "white is zero, which ImageMagick overlooks in 10, 12 and 14 bits"),
         (r"(minisblack|contig|planar)-32", "numbers of 32 bits go from their least to their largest here"),
         (r"overflow_rows_per_strip", "tiff2rgba gives up, and its picture is black"),
         (r"gradient-1c-32b", "Pillow takes unsigned numbers for signed ones"),
         (r"exif_imagemagick_orientation", "an orientation in a text is not followed; a line names the text")]


def kind_of(path):
    with open(path, "rb") as file:
        head = file.read(16)
    return next((kind for kind, pattern in KINDS if re.match(pattern, head, re.S)), None)


def run(*command):
    """Standard output, or None: refused. Raises what makes a file wrong."""
    done = subprocess.run(command, capture_output=True, timeout=SECONDS)
    if done.returncode < 0 or done.returncode > 1:
        raise RuntimeError("ends with %d" % done.returncode)
    return done


def ours(path, folder, *alpha):
    """Samples as height x width x 3 from 0 to 1, or the message."""
    out, levels = os.path.join(folder, "o.npy"), "65536"
    for _ in range(2):
        done = run(ROUNDOFF, "halftone", path, out, "--channels", "rgb", "--levels", levels, "--profile", "ignore",
                   *(alpha or ["--alpha", "drop"]), "--page", "1", "--threads", "1", "--quiet")
        white = re.search(rb"the most of a picture whose white is (\d+)", done.stderr)
        if done.returncode == 0 or not white:
            break
        levels = str(int(white[1]) + 1)
    if done.returncode:
        if os.path.exists(out):
            raise RuntimeError("leaves a file after a refusal")
        return None, done.stderr.decode(errors="replace").strip()
    samples = numpy.load(out)
    if samples.ndim == 2:
        samples = numpy.stack([samples] * 3, -1)
    return samples.astype("f8") / (255 if samples.dtype == numpy.uint8 else 65535), ""


def visible(path, shape):
    """Which pixels do not change with the background; None: unlike this shape, or they cannot be read."""
    with tempfile.TemporaryDirectory() as folder:
        black, white = (ours(path, folder, "--background", colour)[0] for colour in ("black", "white"))
    if black is None or white is None or black.shape != shape:
        return None
    return (black == white).all(-1)


def pillow(path):
    """The same, and which pixels can be seen; None: refused."""
    Image.MAX_IMAGE_PIXELS = None
    try:
        with Image.open(path) as image:
            if image.width * image.height > MOST_PIXELS:
                return None
            image.seek(0)
            image.getexif()  # afterwards the file may be closed
            image.load()
            image = ImageOps.exif_transpose(image)
            seen = None
            if "A" in image.getbands() or "transparency" in image.info:
                seen = numpy.asarray(image.convert("RGBA"))[..., 3] > 0
            if image.mode in ("I", "F", "I;16", "I;16B", "I;16L"):
                samples = numpy.asarray(image).astype("f8")
                return numpy.stack([samples] * 3, -1), seen, True
            if image.mode in ("PA", "P", "LA", "La", "RGBa"):
                image = image.convert("RGBA")
            return numpy.asarray(image.convert("RGB")).astype("f8") / 255, seen, False
    except Exception:  # pylint: disable=broad-except  # whatever it says, it does not read the file
        return None


def magick(path):
    tool = next(filter(None, map(shutil.which, ("magick", "convert-im6.q16", "convert-im6"))), None)
    if not tool:
        return None
    frame = [path, "-coalesce", "-delete", "1--1"] if kind_of(path) == "GIF" else [path + "[0]"]
    try:
        shown = subprocess.run([tool, *frame, "-auto-orient", "+profile", "icc", "-alpha", "off", "-colorspace",
                                "sRGB", "-depth", "16", "ppm:-"], capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return None
    head = re.match(rb"P6\s+(\d+)\s+(\d+)\s+(\d+)\s", shown.stdout)
    if shown.returncode or not head:
        return None
    width, height, white = (int(number) for number in head.groups())
    kind = ">u2" if white > 255 else "u1"
    samples = numpy.frombuffer(shown.stdout, kind, offset=head.end())
    return samples.reshape(height, width, 3).astype("f8") / white, None, False


def libtiff(path):
    tool = shutil.which("tiff2rgba") if kind_of(path) == "TIFF" else None
    if not tool:
        return None
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "o.tif")
        subprocess.run([tool, "-c", "none", path, out], capture_output=True, timeout=SECONDS, check=False)
        return pillow(out) if os.path.exists(out) else None


def agree(mine, theirs, seen, numbers):
    """Whether samples are alike to a level of 8 bits and, of most, to half of it; numbers that are no tones
    only up to their scale and offset."""
    if mine.shape != theirs.shape:
        return False
    if numbers:
        keep = numpy.isfinite(theirs[..., 0])
        if not keep.any():
            return True
        a, b = mine[..., 0][keep], theirs[..., 0][keep]
        if b.max() == b.min() or a.max() == a.min():
            return True
        inside = (a > 0) & (a < a.max())
        if inside.sum() < 3:
            return True
        slope, offset = numpy.polyfit(b[inside], a[inside], 1)
        return bool(numpy.abs(slope * b[inside] + offset - a[inside]).max() <= 1.5 / 255)
    off = 255 * numpy.abs(mine - theirs).max(-1)
    if seen is not None:
        off = off[seen]
    return not off.size or bool(off.max() <= 1.5 or (off.mean() <= 0.25 and off.max() <= 4.01))


def look(path):
    """(kind, verdict, why)"""
    kind = kind_of(path)
    if not kind:
        return None
    with tempfile.TemporaryDirectory() as folder:
        try:
            mine, said = ours(path, folder)
        except (RuntimeError, subprocess.TimeoutExpired) as fault:
            return kind, "wrong", str(fault)
        if mine is not None and mine.shape[0] * mine.shape[1] > MOST_PIXELS:
            return kind, "large", ""
        others = []
        for peer in (pillow, magick, libtiff):
            theirs = peer(path)
            if theirs is None:
                continue
            if mine is None:
                return kind, "missed", said
            if kind == "GIF":  # what no frame fills has no colour
                theirs = (theirs[0], visible(path, theirs[0].shape), theirs[2])
            if agree(mine, *theirs):
                return kind, "right", ""
            others.append("%s %s" % (peer.__name__, theirs[0].shape == mine.shape and
                                     "%.1f/255" % (255 * numpy.abs(mine - theirs[0]).max()) or
                                     "%s against %s" % (theirs[0].shape, mine.shape)))
        if mine is None:
            return kind, "refused", said
        known = any(re.search(pattern, path) for pattern, _ in KNOWN)
        return kind, "alone" if not others else "known" if known else "wrong", ", ".join(others)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--list", action="store_true")
    given = parser.parse_args()
    paths = sorted(os.path.join(at, name) for at, _, names in os.walk(given.folder) for name in names)
    counts, kinds = collections.Counter(), [kind for kind, _ in KINDS]
    with concurrent.futures.ProcessPoolExecutor(given.jobs) as pool:
        for path, found in zip(paths, pool.map(look, paths, chunksize=4)):
            if not found:
                continue
            kind, verdict, why = found
            counts[kind, verdict] += 1
            if verdict == "wrong" or given.list and verdict == "missed":
                print("%s %s: %s" % (verdict, os.path.relpath(path, given.folder), why), flush=True)
    words = ("right", "alone", "wrong", "known", "refused", "missed", "large")
    print("%-6s" % "" + "".join("%9s" % word for word in words))
    for kind in kinds:
        print("%-6s" % kind + "".join("%9d" % counts[kind, word] for word in words))
    return any(counts[kind, "wrong"] for kind in kinds)


if __name__ == "__main__":
    sys.exit(main())
