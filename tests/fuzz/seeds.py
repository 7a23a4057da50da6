# SPDX-License-Identifier: MIT
"""Writes the seeds of every fuzz target into FOLDER/TARGET: those of tests/fuzz/seeds, and for `pages` every
pair of pages that differ in type, size, turning, alpha or compression.

    seeds.py FOLDER
"""
import itertools
import pathlib
import shutil
import struct
import sys
import zlib

HERE = pathlib.Path(__file__).resolve().parent

# (bits, samples, format of samples, photometric, further samples, orientation, width, height, compression)
PAGES = [(1, 1, 1, 0, 0, 1, 9, 4, 1), (8, 1, 1, 1, 0, 1, 5, 3, 1), (16, 1, 1, 1, 0, 1, 5, 3, 8),
         (16, 1, 2, 1, 0, 1, 5, 3, 1), (32, 1, 1, 1, 0, 1, 4, 3, 1), (32, 1, 3, 1, 0, 1, 7, 3, 1),
         (64, 1, 3, 1, 0, 1, 3, 5, 8), (8, 2, 1, 1, 2, 1, 5, 3, 1), (8, 3, 1, 2, 0, 1, 5, 3, 8),
         (8, 3, 1, 2, 0, 6, 5, 3, 1), (8, 4, 1, 2, 2, 1, 6, 3, 1), (16, 4, 1, 2, 1, 3, 5, 3, 1),
         (8, 4, 1, 5, 0, 1, 5, 3, 1), (16, 4, 1, 5, 0, 8, 3, 5, 1), (8, 1, 1, 1, 0, 1, 300, 1, 8)]


def tiff(pages):
    data, links = b"II*\0\0\0\0\0", [4]
    for number, (bits, samples, kind, photometric, extra, turned, width, height, packing) in enumerate(pages):
        row = (width * bits * samples + 7) // 8
        pixels = bytes((i * 37 + number * 91) & 255 for i in range(row * height))
        pixels = zlib.compress(pixels) if packing == 8 else pixels
        place = len(data)
        data += pixels + b"\0" * (-len(pixels) % 2)
        entries = [(256, 4, width), (257, 4, height), (258, 3, bits), (259, 3, packing), (262, 3, photometric),
                   (273, 4, place), (274, 3, turned), (277, 3, samples), (278, 4, height),
                   (279, 4, len(pixels)), (339, 3, kind)]
        if extra:
            entries.insert(-1, (338, 3, extra))
        several = []
        for tag, size, value in entries:  # a number for each sample
            if tag in (258, 339) and samples > 2:
                several.append((tag, size, samples, len(data)))
                data += struct.pack("<H", value) * samples
            elif tag in (258, 339):
                several.append((tag, size, samples, value | value << 16))
            else:
                several.append((tag, size, 1, value))
        at = len(data)
        data = data[:links[-1]] + struct.pack("<I", at) + data[links[-1] + 4:]
        data += struct.pack("<H", len(several)) + b"".join(struct.pack("<HHII", *entry) for entry in several)
        links.append(len(data))
        data += b"\0\0\0\0"
    return data


def main():
    folder = pathlib.Path(sys.argv[1])
    shutil.copytree(HERE / "seeds", folder, dirs_exist_ok=True)
    for first, second in itertools.product(range(len(PAGES)), repeat=2):
        name = "pair-%02d-%02d.tif" % (first, second)
        (folder / "pages" / name).write_bytes(tiff([PAGES[first], PAGES[second]]))


if __name__ == "__main__":
    main()
