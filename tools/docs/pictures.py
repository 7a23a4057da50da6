# SPDX-License-Identifier: MIT
"""Pictures for the documentation that the command does not draw itself.

crop IN.ppm OUT.ppm X Y W H   a part of a PPM or PGM picture
cells OUT.pgm SEEDS.csv W H   nuclei under a microscope: uneven light, photon noise, one seed each
stack ZOOM OUT.ppm IN.ppm ...  pictures of one width below each other, a pixel ZOOM x ZOOM
beside ZOOM X Y W H OUT.png IN.pgm ...  the same part of grey pictures, a pixel ZOOM x ZOOM
noise IN.pgm OUT.pgm SIGMA    a PGM picture with Gaussian noise
bend OUT.flo W H              displacements that turn a picture and bend it
"""
import math
import random
import struct
import sys

from side_by_side import write_png


def read_pnm(path):
    with open(path, "rb") as file:
        kind, size, maxval = file.readline().split()[0], file.readline().split(), file.readline()
        width, height = map(int, size)
        assert kind in (b"P5", b"P6") and int(maxval) == 255
        return kind, width, height, file.read()


def write_pnm(path, kind, width, height, data):
    with open(path, "wb") as file:
        file.write(b"%s\n%d %d\n255\n" % (kind, width, height) + data)


def crop(source, target, *box):
    kind, width, _, data = read_pnm(source)
    x, y, w, h = map(int, box)
    samples = 3 if kind == b"P6" else 1
    rows = [data[samples * (row * width + x):samples * (row * width + x + w)]
            for row in range(y, y + h)]
    write_pnm(target, kind, w, h, b"".join(rows))


def stack(zoom, target, *sources):
    zoom, rows, out = int(zoom), [], []
    for source in sources:
        kind, width, height, data = read_pnm(source)
        assert kind == b"P6"
        rows += [data[3 * y * width:3 * (y + 1) * width] for y in range(height)]
    for row in rows:
        out += [b"".join(row[3 * x:3 * x + 3] * zoom for x in range(width))] * zoom
    write_pnm(target, b"P6", zoom * width, zoom * len(rows), b"".join(out))


def beside(zoom, *given):
    zoom, (x, y, w, h), target, sources = int(zoom), map(int, given[:4]), given[4], given[5:]
    gap, rows = bytes([255] * 6), [b""] * h
    for source in sources:
        _, width, _, data = read_pnm(source)
        for i in range(h):
            part = data[(y + i) * width + x:(y + i) * width + x + w]
            rows[i] += (gap if rows[i] else b"") + bytes(v for v in part for _ in range(zoom))
    write_png(target, [row for row in rows for _ in range(zoom)])


class Nucleus:
    def __init__(self, chance, x, y):
        self.x, self.y = x, y
        self.long, self.short = chance.uniform(17, 24), chance.uniform(12, 16)
        self.turn = chance.uniform(0, math.pi)
        self.light = chance.uniform(70, 130)
        self.waves = [(chance.uniform(0.2, 0.5), chance.uniform(0, 7), chance.uniform(0, math.pi))
                      for _ in range(4)]
        self.dents = [(n, chance.uniform(0, 0.06), chance.uniform(0, 7)) for n in (2, 3, 5)]

    def at(self, x, y):
        dx, dy = x - self.x, y - self.y
        u = dx * math.cos(self.turn) + dy * math.sin(self.turn)
        v = dy * math.cos(self.turn) - dx * math.sin(self.turn)
        angle = math.atan2(v, u)
        edge = 1 + sum(a * math.sin(n * angle + p) for n, a, p in self.dents)
        reach = math.hypot(u / self.long, v / self.short) / edge
        inside = 1 / (1 + math.exp(min(60, 14 * (reach - 1))))  # a blurred edge
        grain = sum(math.sin(f * (dx * math.cos(t) + dy * math.sin(t)) + p)
                    for f, p, t in self.waves)
        return self.light * inside * (1 + 0.09 * grain)


def place(chance, width, height, apart):
    nuclei = []
    for _ in range(4000):
        x, y = chance.uniform(14, width - 14), chance.uniform(14, height - 14)
        if all(math.hypot(x - n.x, y - n.y) > apart for n in nuclei):
            nuclei.append(Nucleus(chance, x, y))
    return nuclei


def cells(picture, seeds, *size):
    width, height = map(int, size)
    chance = random.Random(4)
    nuclei = place(chance, width, height, 46)
    light = [[18 + 10 * math.exp(-((x - 300) ** 2 + (y - 120) ** 2) / 40000) for x in range(width)]
             for y in range(height)]
    for nucleus in nuclei:
        for y in range(max(0, int(nucleus.y) - 40), min(height, int(nucleus.y) + 40)):
            for x in range(max(0, int(nucleus.x) - 40), min(width, int(nucleus.x) + 40)):
                light[y][x] += nucleus.at(x, y) * (0.8 + 0.3 * light[y][x] / 150)
    data = bytes(max(0, min(255, round(v + chance.gauss(0, 0.7 * math.sqrt(v) + 1))))
                 for row in light for v in row)
    write_pnm(picture, b"P5", width, height, data)
    with open(seeds, "w", encoding="ascii") as file:
        for label, nucleus in enumerate(nuclei, 1):
            file.write(f"{nucleus.x:.0f},{nucleus.y:.0f},,{label}\n")


def noise(source, target, sigma):
    kind, width, height, data = read_pnm(source)
    chance = random.Random(3)
    write_pnm(target, kind, width, height,
              bytes(max(0, min(255, round(v + chance.gauss(0, float(sigma))))) for v in data))


def bend(target, *size):
    width, height = map(int, size)
    with open(target, "wb") as file:
        file.write(b"PIEH" + struct.pack("<II", width, height))
        for y in range(height):
            for x in range(width):
                u = 5 * math.sin(0.031 * x + 0.017 * y) + 0.07 * ((height - 1) / 2 - y)
                v = 4 * math.sin(0.026 * y - 0.013 * x + 1) - 0.07 * ((width - 1) / 2 - x)
                file.write(struct.pack("<2f", u, v))


if __name__ == "__main__":
    {"crop": crop, "stack": stack, "beside": beside, "cells": cells, "noise": noise,
     "bend": bend}[sys.argv[1]](*sys.argv[2:])
