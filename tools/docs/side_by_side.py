#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Crops of halftones side by side in one PNG, for the documentation.

    side_by_side.py OUT.png [--crop X,Y,W,H] [--zoom N] [--columns N] ONE.pbm TWO.pbm ...

Pictures are PBM (P4) of one size. A crop is taken from each, a pixel becomes N x N, and the crops
stand in rows with a grey gap between them.
"""
import argparse
import struct
import zlib

GAP, GREY = 6, 160


def read_bits(path):
    with open(path, "rb") as file:
        data = file.read()
    words, at = [], 0
    while len(words) < 3:
        end = at
        while not data[end : end + 1].isspace():
            end += 1
        words.append(data[at:end])
        at = end + 1
    if words[0] != b"P4":
        raise SystemExit(f"{path} is not a PBM of packed bits")
    width, height = int(words[1]), int(words[2])
    stride = (width + 7) // 8
    rows = []
    for y in range(height):
        row = data[at + y * stride : at + (y + 1) * stride]
        rows.append(bytes(0 if row[x >> 3] >> (7 - x % 8) & 1 else 255 for x in range(width)))
    return rows


def write_png(path, rows):
    def chunk(kind, body):
        head = struct.pack(">I", len(body)) + kind + body
        return head + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    body = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body))
        file.write(chunk(b"IEND", b""))


def crop(rows, where, zoom):
    x, y, width, height = where or (0, 0, len(rows[0]), len(rows))
    wide = [b"".join(row[i : i + 1] * zoom for i in range(x, x + width)) for row in rows[y : y + height]]
    return [row for row in wide for _ in range(zoom)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    parser.add_argument("pictures", nargs="+")
    parser.add_argument("--crop", type=lambda text: [int(word) for word in text.split(",")])
    parser.add_argument("--zoom", type=int, default=1)
    parser.add_argument("--columns", type=int, default=0)
    asked = parser.parse_args()
    crops = [crop(read_bits(path), asked.crop, asked.zoom) for path in asked.pictures]
    columns = asked.columns or len(crops)
    rows = []
    for first in range(0, len(crops), columns):
        line = crops[first : first + columns]
        line += [[bytes([GREY]) * len(crops[0][0])] * len(crops[0])] * (columns - len(line))
        if rows:
            rows += [bytes([GREY]) * len(rows[0])] * GAP
        rows += [(bytes([GREY]) * GAP).join(parts) for parts in zip(*line)]
    write_png(asked.out, rows)


if __name__ == "__main__":
    main()
