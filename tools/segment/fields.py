# SPDX-License-Identifier: MIT
"""Fields of objects with their truths, for score.py: (name, picture, labels).

Pictures are scikit-image's, generated ones, and, if STARDIST is a checkout of
github.com/stardist/stardist, the nuclei of its tests. Needs Debian's python3-skimage, python3-pil
and fonts-dejavu-core. Truths of scikit-image's pictures are thresholds and watersheds, those of
generated ones are known, those of nuclei are StarDist's masks. Text breaks into strokes at half
tone; these are its objects.

Half of the generated fields and of the clicks (even seeds) served to choose constants; score.py
reports on the others (odd seeds)."""
import os

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from scipy import ndimage
from skimage import color, data, draw, filters, io, measure, morphology, segmentation, transform

SIZE = 384


def bytes_of(array, low=None, high=None):
    array = array.astype(float)
    low = array.min() if low is None else low
    high = array.max() if high is None else high
    return np.clip(np.rint((array - low) * 255 / (high - low)), 0, 255).astype(np.uint8)


def letters(seed):
    page = data.page()
    ink = measure.label(page < filters.threshold_local(page, 35, offset=12), connectivity=1)
    return page, morphology.remove_small_objects(ink, 12)


def text(height, bold=False):
    def make(seed):
        picture = Image.new("L", (SIZE, SIZE), 235)
        pen = ImageDraw.Draw(picture)
        font = ImageFont.truetype("DejaVuSans-Bold.ttf" if bold else "DejaVuSerif.ttf", height)
        words = "Fronts grow from seeds and compete for pixels until every object has its own outline; " * 20
        y, at = 6, 7 * seed
        while y < SIZE - height * 1.5:
            pen.text((8, y), words[at:at + int(2 * SIZE / height * 0.85)], fill=30, font=font)
            at, y = at + 17, y + int(height * 1.5)
        tones = np.asarray(picture).astype(float)
        ink = segmentation.clear_border(measure.label(tones < 132, connectivity=1))
        random = np.random.default_rng(seed)
        tones = tones * (1 - 0.35 * np.linspace(0, 1, SIZE)[None]) + random.normal(0, 4, tones.shape)
        return (np.clip(np.rint(tones), 0, 255).astype(np.uint8),
                morphology.remove_small_objects(ink, 6))
    return make


def coins(seed):
    picture = data.coins()
    markers = np.zeros_like(picture)
    markers[picture < 30], markers[picture > 150] = 1, 2
    inside = segmentation.watershed(filters.sobel(picture), markers) == 2
    inside = morphology.binary_opening(ndimage.binary_fill_holes(inside), morphology.disk(3))
    return picture, morphology.remove_small_objects(measure.label(inside), 300)


def stardist(folder):
    def make(seed):
        root = os.path.join(os.environ["STARDIST"], folder)
        picture, masks = (io.imread(os.path.join(root, name)).squeeze()
                          for name in ("img2d.tif", "mask2d.tif"))
        if picture.dtype != np.uint8:
            picture = bytes_of(picture, 0, np.percentile(picture, 99.9))
        return picture, masks.astype(int)
    return make


def nuclei(radius, light=0.5, peak=60, touching=0.35):
    """Textured ellipses, a third of which touch, under uneven light, with Poisson noise."""
    def make(seed):
        random = np.random.default_rng(seed)
        labels, tones = np.zeros((SIZE, SIZE), int), np.zeros((SIZE, SIZE))
        yy, xx = np.mgrid[:SIZE, :SIZE]
        centres, count, tries = [], 0, 0
        while count < int(0.3 * SIZE ** 2 / (np.pi * radius ** 2)) and tries < 20000:
            tries += 1
            a = radius * random.uniform(.8, 1.25)
            b, turn = a * random.uniform(.65, 1), random.uniform(0, np.pi)
            if centres and random.random() < touching:
                x, y, other = centres[random.integers(len(centres))]
                way, angle = (other + b) * random.uniform(.93, 1.02), random.uniform(0, 2 * np.pi)
                cx, cy = x + way * np.cos(angle), y + way * np.sin(angle)
            else:
                cx, cy = random.uniform(radius, SIZE - radius, 2)
            if not (2 < cx < SIZE - 3 and 2 < cy < SIZE - 3):
                continue
            box = np.s_[int(max(0, cy - 2 * a)):int(min(SIZE, cy + 2 * a + 1)),
                        int(max(0, cx - 2 * a)):int(min(SIZE, cx + 2 * a + 1))]
            x, y = xx[box] - cx, yy[box] - cy
            inside = (((x * np.cos(turn) + y * np.sin(turn)) / a) ** 2 +
                      ((y * np.cos(turn) - x * np.sin(turn)) / b) ** 2) < 1
            part = labels[box]
            if (part[inside] > 0).mean() > 0.12:
                continue
            inside &= part == 0
            if inside.sum() < 12:
                continue
            count += 1
            part[inside] = count
            tones[box][inside] = random.uniform(.45, 1)
            centres.append((cx, cy, a))
        for label in range(1, count + 1):  # one part each
            parts, many = ndimage.label(labels == label)
            if many > 1:
                sizes = np.bincount(parts.ravel())[1:]
                labels[(parts > 0) & (parts != 1 + np.argmax(sizes))] = 0
        texture = ndimage.gaussian_filter(random.normal(0, 1, labels.shape), max(1, radius / 5))
        tones = ndimage.gaussian_filter(tones * (labels > 0) * (1 + 0.15 * texture / texture.std()), 1.0)
        ramp = 1 - light * np.hypot(xx - SIZE * .3, yy - SIZE * .4) / SIZE
        counts = random.poisson(np.clip((tones + .12) * ramp, 0, None) * peak)
        return bytes_of(counts, 0, np.percentile(counts, 99.8)), labels
    return make


def ellipses(seed, size=512):
    random = np.random.default_rng(seed)
    labels, tones = np.zeros((size, size), int), np.full((size, size), .15)
    for i in range(400):
        y, x = i // 20 * 25.6 + 13 + random.uniform(-2, 2), i % 20 * 25.6 + 13 + random.uniform(-2, 2)
        rows, columns = draw.ellipse(y, x, random.uniform(6, 9.5), random.uniform(6, 9.5),
                                     labels.shape, random.uniform(0, 3))
        labels[rows, columns], tones[rows, columns] = i + 1, random.uniform(.5, 1)
    tones = ndimage.gaussian_filter(tones, .7) * (1 - .4 * np.linspace(0, 1, size)[:, None])
    return bytes_of(random.poisson(tones * 80), 0, 100), labels


def galaxies(seed):
    """To 6 deviations of the background."""
    picture = np.rint(color.rgb2gray(data.hubble_deep_field()) * 255)[180:692, 250:762].astype(np.uint8)
    smooth = ndimage.gaussian_filter(picture.astype(float), 1)
    ground = ndimage.median_filter(picture[::4, ::4].astype(float), 25)
    away = smooth - transform.resize(ground, picture.shape, order=1, preserve_range=True)
    deviation = 1.4826 * np.median(np.abs(away - np.median(away)))
    inside = morphology.remove_small_objects(away > 6 * deviation, 20)
    peaks = morphology.h_maxima(ndimage.gaussian_filter(picture.astype(float), 1.5), 12)
    labels = segmentation.watershed(-smooth, measure.label(peaks * inside), mask=inside)
    return picture, morphology.remove_small_objects(labels, 20)


def cell(seed):
    picture = data.cell()[60:572, 20:532]
    edges = filters.sobel(ndimage.gaussian_filter(picture.astype(float), 2))
    inside = ndimage.binary_fill_holes(edges > filters.threshold_otsu(edges))
    labels = measure.label(morphology.binary_opening(inside, morphology.disk(5)))
    return picture, (labels == 1 + np.argmax(np.bincount(labels.ravel())[1:])).astype(int)


def brick(seed):
    picture = data.brick()
    dark = ndimage.gaussian_filter(picture.astype(float), 1) < 128
    labels = measure.label(morphology.binary_opening(dark, morphology.disk(3)), connectivity=1)
    return picture, segmentation.clear_border(morphology.remove_small_objects(labels, 400))


def empty(seed):
    """White noise, counts, a ramp with noise, correlated noise."""
    random, shape = np.random.default_rng(seed), (SIZE, SIZE)
    tones = (random.normal(128, 10, shape) if seed % 4 == 0 else
             random.poisson(20, shape) * 4. if seed % 4 == 1 else
             random.normal(100, 8, shape) + 60 * np.linspace(0, 1, SIZE)[None] if seed % 4 == 2 else
             ndimage.gaussian_filter(random.normal(0, 1, shape), 1.2) * 60 + 120)
    return np.clip(np.rint(tones), 0, 255).astype(np.uint8)


# Name, maker, whether another seed gives another field.
FIELDS = [
    ("letters of a page", letters, False), ("text, 16 px", text(16), True),
    ("text, 28 px", text(28), True), ("text, 28 px bold", text(28, True), True),
    ("text, 48 px", text(48), True), ("coins", coins, False), ("400 ellipses", ellipses, True),
    ("nuclei 512² (StarDist)", stardist("stardist/data/images"), False),
    ("nuclei 256² (StarDist)", stardist("tests/data"), False),
    *((f"generated nuclei, {r} px", nuclei(r), True) for r in (4, 7, 12, 20)),
    ("generated nuclei, 7 px, 15 counts", nuclei(7, peak=15), True),
    ("generated nuclei, 12 px, light .9", nuclei(12, light=.9), True),
    ("galaxies", galaxies, False), ("cell", cell, False), ("brick", brick, False),
]


def fields(seed, only=""):
    """All fields of a seed; those of nobody's making are the same for all seeds."""
    for name, make, generated in FIELDS:
        if only not in name or (name.endswith("(StarDist)") and "STARDIST" not in os.environ):
            continue
        picture, labels = make(seed)
        yield name, picture, segmentation.relabel_sequential(labels.astype(int))[0], generated


def clicks(labels, seed):
    """One random pixel of each object: (x, y, label)."""
    random = np.random.default_rng(1000 + seed)
    found = []
    for i, box in enumerate(ndimage.find_objects(labels)):
        rows, columns = np.nonzero(labels[box] == i + 1)
        k = random.integers(len(rows))
        found.append((columns[k] + box[1].start, rows[k] + box[0].start, i + 1))
    return found
