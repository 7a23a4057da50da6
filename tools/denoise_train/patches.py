#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Cuts the patches that train and validate the denoiser, and prepares the test images.

    patches.py FOLDER

Debian packages are downloaded to FOLDER/debs (nothing is installed). The photographs listed in
photographs.txt are taken from them, reduced until compression leaves no blocks, and cut into
patches of 128 x 128 pixels at up to three scales. Every twelfth photograph is only used for
validation. The results:

    FOLDER/train.bin, FOLDER/valid.bin   two 32-bit integers (count, side), then count * side^2 bytes
    FOLDER/tests.bin                     scikit-image's eleven images, never used for training

A photograph whose SHA-256 differs from the list is an error.
"""
import hashlib
import io
import os
import struct
import subprocess
import sys
import tarfile

import numpy as np
from PIL import Image

HERE = os.path.dirname(os.path.abspath(__file__))
SIDE = 128
SHORT_SIDES = (280, 520, 880)  # of a photograph after reduction
LEAST_REDUCTION = 1.7
MOST_PATCHES = {280: 3, 520: 5, 880: 8}
LEAST_DEVIATION = 8  # grey levels; patches below are mostly sky
EVERY = 12  # this photograph validates
TESTS = ('camera.png', 'astronaut.png', 'chelsea.png', 'coffee.png', 'rocket.jpg',
         'hubble_deep_field.jpg', 'gravel.png', 'brick.png', 'motorcycle_left.png', 'ihc.png',
         'coins.png')
TEST_PACKAGE, TEST_FOLDER = 'python3-skimage', './usr/lib/python3/dist-packages/skimage/data/'


def package_file(folder, package):
    """Returns the path of a package, downloaded if it is not there yet."""
    debs = os.path.join(folder, 'debs')
    os.makedirs(debs, exist_ok=True)
    found = lambda: [f for f in os.listdir(debs) if f.startswith(package + '_')]
    if not found():
        subprocess.run(['apt-get', 'download', package], cwd=debs, check=True,
                       stderr=subprocess.DEVNULL)
    return os.path.join(debs, found()[0])


def members(folder, package, wanted):
    """Yields (path, bytes) of the wanted files of a package."""
    unpack = subprocess.Popen(['dpkg-deb', '--fsys-tarfile', package_file(folder, package)],
                              stdout=subprocess.PIPE)
    with tarfile.open(fileobj=unpack.stdout, mode='r|') as tar:
        for member in tar:
            if member.isfile() and member.name in wanted:
                yield member.name, tar.extractfile(member).read()
    unpack.stdout.close()
    unpack.wait()


def photographs(folder):
    """Yields the photographs in the order of the list: a name and an image."""
    with open(os.path.join(HERE, 'photographs.txt')) as file:
        rows = [line.rstrip('\n').split('\t') for line in file]
    for package in dict.fromkeys(row[0] for row in rows):
        mine = [row for row in rows if row[0] == package]
        files = dict(members(folder, package, {'./' + row[2].split('@')[0] for row in mine}))
        for _, digest, path in mine:
            name, _, offset = path.partition('@')
            data = files.get('./' + name)
            if data and offset:  # a file within a Qt resource, after its length
                start = int(offset)
                data = data[start:start + struct.unpack('>I', data[start - 4:start])[0]]
            if not data or hashlib.sha256(data).hexdigest() != digest:
                sys.exit(f'{package}: {path} is not the photograph of the list')
            yield f'{package}/{path}', Image.open(io.BytesIO(data))


def planes(image):
    """Returns grey levels and opacity."""
    if image.mode in ('P', 'LA', 'PA') or 'transparency' in image.info:
        image = image.convert('RGBA')
    if image.mode == 'RGBA':
        return image.convert('RGB').convert('L'), image.getchannel('A')
    return image.convert('RGB').convert('L'), None


def cut(image, random):
    """Returns patches of one photograph, which overlap by half at most."""
    grey, opacity = planes(image)
    patches = []
    reductions = set()
    for short in SHORT_SIDES:
        reduction = max(min(grey.size) / short, LEAST_REDUCTION)
        size = tuple(round(n / reduction) for n in grey.size)
        if min(size) < SIDE or any(r < 1.2 * reduction for r in reductions):
            continue
        reductions.add(reduction)
        small = np.asarray(grey.resize(size, Image.LANCZOS))
        cover = np.asarray(opacity.resize(size, Image.BOX)) if opacity else None
        taken = []
        for _ in range(300):
            y = int(random.integers(0, small.shape[0] - SIDE + 1))
            x = int(random.integers(0, small.shape[1] - SIDE + 1))
            patch = small[y:y + SIDE, x:x + SIDE]
            if any((SIDE - abs(y - b)) * (SIDE - abs(x - a)) * 2 > SIDE * SIDE
                   for b, a in taken if abs(y - b) < SIDE and abs(x - a) < SIDE):
                continue
            if patch.std() < LEAST_DEVIATION:
                continue
            if cover is not None and cover[y:y + SIDE, x:x + SIDE].min() < 250:
                continue
            taken.append((y, x))
            patches.append(patch)
            if len(taken) == MOST_PATCHES[short]:
                break
    return patches


def write_patches(path, patches):
    with open(path, 'wb') as file:
        file.write(struct.pack('<ii', len(patches), SIDE))
        for patch in patches:
            file.write(patch.tobytes())


def write_tests(folder):
    """Writes the test images, at most 600 pixels long, and noise of deviation 1 for each."""
    files = dict(members(folder, TEST_PACKAGE, {TEST_FOLDER + name for name in TESTS}))
    with open(os.path.join(folder, 'tests.bin'), 'wb') as file:
        file.write(struct.pack('<i', len(TESTS)))
        for name in TESTS:
            image = Image.open(io.BytesIO(files[TEST_FOLDER + name])).convert('L')
            scale = 600 / max(image.size)
            if scale < 1:
                image = image.resize(tuple(round(n * scale) for n in image.size), Image.LANCZOS)
            pixels = np.asarray(image)
            noise = np.random.default_rng(7).normal(0, 1, pixels.shape).astype('<f4')
            file.write(struct.pack('<16sii', name.split('.')[0].encode()[:15], *pixels.shape))
            file.write(pixels.tobytes() + noise.tobytes())


def main():
    if len(sys.argv) != 2:
        sys.exit('usage: patches.py FOLDER')
    folder = sys.argv[1]
    random = np.random.default_rng(0)
    train, valid, used, held = [], [], 0, 0
    for number, (name, image) in enumerate(photographs(folder)):
        patches = cut(image, random)
        used += bool(patches)
        if number % EVERY == EVERY - 1:
            held += bool(patches)
            valid += patches
        else:
            train += patches
        if not patches:
            print(f'{name}: no patch')
    random.shuffle(train)
    write_patches(os.path.join(folder, 'train.bin'), train)
    write_patches(os.path.join(folder, 'valid.bin'), valid)
    write_tests(folder)
    print(f'{used} photographs, {held} of them for validation; '
          f'{len(train)} patches train, {len(valid)} validate')


if __name__ == '__main__':
    main()
