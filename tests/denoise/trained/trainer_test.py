# SPDX-License-Identifier: MIT
"""The trainer in tools/denoise_train: its gradient agrees with differences; neither the number of
threads nor an interruption changes a bit; the licence of every package of photographs is listed."""
import os
import random
import struct
import subprocess
import sys
import tempfile

SOURCE = os.environ.get('SOURCE_DIR', '.')
FOLDER = os.path.join(SOURCE, 'tools', 'denoise_train')
CC = os.environ.get('CC', 'cc')
SIDE = 40
SETTINGS = ['--steps', '2', '--filters', '24', '--distances', '1 2', '--batch', '5', '--crop',
            '32', '--batches', '6', '--report', '3', '--whole', 'bytes', '--rate', '0.01']


def build(folder, name, sources, *flags):
    program = os.path.join(folder, name)
    done = subprocess.run([CC, '-std=gnu11', '-O2', *flags, '-o', program,
                           *[os.path.join(FOLDER, s) for s in sources], '-lm', '-pthread'],
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return program


def write_patches(path, count, seed):
    """Squares of random greys with some texture."""
    draw = random.Random(seed)
    with open(path, 'wb') as file:
        file.write(struct.pack('<ii', count, SIDE))
        for _ in range(count):
            greys = [draw.randrange(20, 230) for _ in range(16)]
            file.write(bytes(greys[y // 10 * 4 + x // 10] + draw.randrange(8)
                             for y in range(SIDE) for x in range(SIDE)))


def train(folder, program, out, *more):
    subprocess.run([program, '--patches', os.path.join(folder, 'train.bin'), '--validation',
                    os.path.join(folder, 'valid.bin'), *SETTINGS, *more,
                    os.path.join(folder, out)], check=True, stdout=subprocess.DEVNULL)
    results = []
    for name in (out, out + '.state'):
        with open(os.path.join(folder, name), 'rb') as file:
            results.append(file.read())
    return results


def gradient(folder):
    check = build(folder, 'check', ['check.c', 'passes.c', 'weights.c'], '-DREAL=double')
    done = subprocess.run([check], capture_output=True, text=True)
    if done.returncode:
        print('the gradient is not that of differences:\n' + done.stdout)
    return done.returncode != 0


def same_bytes(folder):
    failures = 0
    program = build(folder, 'train', ['train.c', 'batch.c', 'passes.c', 'weights.c'])
    write_patches(os.path.join(folder, 'train.bin'), 7, 1)
    write_patches(os.path.join(folder, 'valid.bin'), 2, 2)
    whole = train(folder, program, 'whole.txt')
    if train(folder, program, 'other.txt', '--seed', '2') == whole:
        print('another seed gives the same weights: nothing was trained')
        failures += 1
    for threads in ('2', '3', '8'):
        if train(folder, program, f'threads{threads}.txt', '--threads', threads) != whole:
            print(f'{threads} threads give other weights than one')
            failures += 1
    if train(folder, program, 'part.txt', '--until', '4') == whole:
        print('training was not interrupted')
        failures += 1
    if train(folder, program, 'part.txt') != whole:
        print('an interruption changes the weights')
        failures += 1
    return failures


def licences():
    with open(os.path.join(FOLDER, 'photographs.txt')) as file:
        used = {line.split('\t')[0] for line in file}
    with open(os.path.join(FOLDER, 'licences.txt')) as file:
        rows = [line.rstrip('\n').split('\t') for line in file if not line.startswith('#')]
    right = {row[0] for row in rows if len(row) == 4 and row[3] in ('file', 'package')}
    for package in sorted(used ^ right):
        print(f'licences.txt and photographs.txt disagree on {package}')
    return used != right


def main():
    failures = licences()
    with tempfile.TemporaryDirectory() as folder:
        failures += gradient(folder)
        failures += same_bytes(folder)
    return failures


if __name__ == '__main__':
    sys.exit(main() and 1)
