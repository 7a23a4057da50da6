#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the integer tables of a trained network (src/denoise/trained/network.h) from its weights.

    tables.py best tools/denoise_train/best.txt > src/denoise/trained/network_best.c

The weights are text: a line "steps filters distance distance ...", then for every step and filter
24 coefficients of the cosine basis without the constant, then for every step and filter the 6
amplitudes of odd clamps that make up its flux, then for every step the pull towards the input.
Numbers are in units of the noise's standard deviation. "fast" counts pixels in bytes, "best" in
16 bits.
"""
import hashlib
import math
import sys

SIDE, TAPS, FLUXES, REACH, BACK = 5, 25, 128, 6.0, 64
CLAMPS = (0.15, 0.35, 0.8, 1.6, 3.0, 6.0)
GAIN, CHANGE = 13, 24
LARGEST_NOISE = 128  # in steps of the picture


def cosine_basis():
    rows = [[math.cos(math.pi * (i + 0.5) * k / SIDE) * math.sqrt((2 if k else 1) / SIDE)
             for i in range(SIDE)] for k in range(SIDE)]
    order = sorted((i * i + j * j, i, j) for i in range(SIDE) for j in range(SIDE))[1:]
    return [[rows[i][y] * rows[j][x] for y in range(SIDE) for x in range(SIDE)]
            for _, i, j in order]


def read_weights(path):
    with open(path) as file:
        head = [int(v) for v in file.readline().split()]
        values = iter([float(v) for v in file.read().split()])
    steps, filters = head[:2]
    distances = head[2:] or [1] * steps
    take = lambda count: [next(values) for _ in range(count)]
    coefficients = [[take(24) for _ in range(filters)] for _ in range(steps)]
    amplitudes = [[take(6) for _ in range(filters)] for _ in range(steps)]
    pulls = [max(v, 0.0) for v in take(steps)]
    if next(values, None) is not None or len(distances) != steps:
        sys.exit(f'{path}: not the weights of {steps} steps with {filters} filters')
    return distances, coefficients, amplitudes, pulls


def filter_taps(coefficients, basis):
    taps = [sum(c * b[i] for c, b in zip(coefficients, basis)) for i in range(TAPS)]
    length = math.sqrt(sum(t * t for t in taps))
    return [t / length for t in taps]


def nearest(value):
    return math.floor(value + 0.5)


def whole_taps(taps, scale):
    """Rounds taps; those with the largest remainders are moved until the sum is zero."""
    wanted = [t * scale for t in taps]
    whole = [nearest(t) for t in wanted]
    while sum(whole):
        sign = 1 if sum(whole) > 0 else -1
        worst = max(range(TAPS), key=lambda i: ((whole[i] - wanted[i]) * sign, -i))
        whole[worst] -= sign
    return whole


def flux_at(amplitudes, z):
    return sum(a * min(z, t) for a, t in zip(amplitudes, CLAMPS))


def positive(taps):
    return sum(t for t in taps if t > 0)


def make(path, in_bytes):
    distances, coefficients, amplitudes, pulls = read_weights(path)
    basis, count = cosine_basis(), len(distances)
    taps = [[filter_taps(c, basis) for c in step] for step in coefficients]
    scale = 56 if in_bytes else 127
    while any(in_bytes and positive(whole_taps(t, scale)) > 128 or
              max(map(abs, whole_taps(t, scale))) > 127 for step in taps for t in step):
        scale -= 1  # sums of bytes times taps stay in 16 bits, taps in 8
    left = [1.0]
    for pull in pulls:
        left.append(left[-1] * (1 - pull))
    steps = []
    for t in range(count):
        values = [[flux_at(a, n * REACH / (FLUXES - 1)) for n in range(FLUXES)]
                  for a in amplitudes[t]]
        largest = max(abs(v) for row in values for v in row)
        steps.append({
            'distance': distances[t],
            'gain': nearest(left[t] / left[count] * (1 << GAIN)),
            'move': left[count] / left[t + 1] * largest / (FLUXES - 1) / BACK,
            'forward': [whole_taps(f, scale) for f in taps[t]],
            'back': [whole_taps(f, BACK) for f in taps[t]],
            'flux': [[nearest(v / largest * (FLUXES - 1)) for v in row] for row in values],
        })
    if any(s['gain'] >= 1 << 15 for s in steps):
        sys.exit(f'{path}: the pulls towards the input add up to a gain of 4')
    # The change counts as finely as 32 bits allow for whatever picture.
    fraction = 30
    while sum(nearest(s['move'] * LARGEST_NOISE * 2 ** fraction) * max(map(abs, table)) *
              sum(map(abs, back)) for s in steps
              for back, table in zip(s['back'], s['flux'])) >= 1 << 31:
        fraction -= 1
    for s in steps:
        s['change'] = nearest(s['move'] * 2.0 ** (fraction + CHANGE))
    return {'scale': scale, 'fraction': fraction, 'filters': len(taps[0]), 'steps': steps}


def lines_of(rows):
    return '\n'.join('    {%s},' % ', '.join(map(str, row)) for row in rows)


def write(name, path, net, in_bytes):
    with open(path, 'rb') as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    print('/* SPDX-License-Identifier: MIT */')
    print(f'/* Printed by tools/denoise_train/tables.py from weights with the SHA-256\n'
          f' * {digest}. */')
    print('#include "denoise/trained/network.h"\n\n/* clang-format off */')
    for t, s in enumerate(net['steps']):
        for kind, size in (('forward', 'TAPS'), ('back', 'TAPS'), ('flux', 'FLUXES')):
            print(f'static const int8_t {kind}_{t}[{net["filters"]}][TRAINED_{size}] = {{')
            print(lines_of(s[kind]))
            print('};')
    print(f'\nconst struct trained_network trained_{name} = {{')
    print(f'    .name = "{name}", .bytes = {"true" if in_bytes else "false"}, '
          f'.filters = {net["filters"]}, .steps = {len(net["steps"])},')
    print(f'    .scale = {net["scale"]}, .fraction = {net["fraction"]},')
    print('    .step = {')
    for t, s in enumerate(net['steps']):
        print(f'        {{{s["distance"]}, {s["gain"]}, {s["change"]}, '
              f'forward_{t}, back_{t}, flux_{t}}},')
    print('    },\n};')


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ('best', 'fast'):
        sys.exit('usage: tables.py best|fast WEIGHTS > TABLES')
    name, path = sys.argv[1:]
    write(name, path, make(path, name == 'fast'), name == 'fast')


if __name__ == '__main__':
    main()
