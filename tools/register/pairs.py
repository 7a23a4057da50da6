# SPDX-License-Identifier: MIT
"""Pairs of images with known maps, and pairs that have none, from photographs and a seed.

A picture is S, fixed(p) = S(F p), moving(q) = S(G q): the truth is q = G^-1 F p. Needs NumPy and
OpenCV (python3-opencv), and two folders with photographs: the data folder of scikit-image
(python3-skimage) and examples/data of OpenCV (opencv-doc).
"""
import os

import cv2
import numpy as np

PHOTOS = """brick.png hubble_deep_field.jpg ihc.png coins.png page.png retina.jpg camera.png
astronaut.png moon.png gravel.png chelsea.png coffee.png rocket.jpg cell.png text.png
motorcycle_left.png baboon.jpg building.jpg home.jpg fruits.jpg squirrel_cls.jpg aloeL.jpg graf1.png
starry_night.jpg smarties.png sudoku.png leuvenA.jpg board.jpg cards.png stuff.jpg butterfly.jpg
messi5.jpg left01.jpg rubberwhale1.png""".split()
REPEATING = ["grass.png"]


class Photos:
    def __init__(self, folders):
        self.folders = folders
        self.kept = {}

    def find(self, name):
        for folder in self.folders:
            if os.path.exists(os.path.join(folder, name)):
                return os.path.join(folder, name)
        raise SystemExit(f"{name} is in none of {' '.join(self.folders)}")

    def __call__(self, name, longest=900):
        if (name, longest) not in self.kept:
            grey = cv2.imread(self.find(name), cv2.IMREAD_GRAYSCALE).astype(np.float32) / 255
            by = longest / max(grey.shape)
            if by < 1:
                grey = cv2.resize(grey, None, fx=by, fy=by, interpolation=cv2.INTER_AREA)
            self.kept[name, longest] = grey
        return self.kept[name, longest]


def shift(x, y):
    return np.array([[1, 0, x], [0, 1, y], [0, 0, 1.]])


def turn(degrees, size=1.0):
    c, s = size * np.cos(np.radians(degrees)), size * np.sin(np.radians(degrees))
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.]])


def through(H, shape):
    y, x = np.mgrid[0:shape[0], 0:shape[1]].astype(np.float64)
    d = H[2, 0] * x + H[2, 1] * y + H[2, 2]
    return np.stack([(H[0, 0] * x + H[0, 1] * y + H[0, 2]) / d,
                     (H[1, 0] * x + H[1, 1] * y + H[1, 2]) / d], -1)


def view(photo, G, side, samples=3):
    """photo(G q), the mean of samples x samples places in a pixel; black beyond it."""
    out = np.zeros((side, side), np.float32)
    for j in range(samples):
        for i in range(samples):
            at = through(G @ shift((i + .5) / samples - .5, (j + .5) / samples - .5),
                         (side, side)).astype(np.float32)
            out += cv2.remap(photo, at[..., 0], at[..., 1], cv2.INTER_CUBIC,
                             borderMode=cv2.BORDER_CONSTANT, borderValue=0)
    return np.clip(out / samples ** 2, 0, 1)


def bytes_of(image):
    return np.round(np.clip(image, 0, 1) * 255).astype(np.uint8)


class Pair:
    def __init__(self, kind, name, fixed, moving, truth=None):
        self.kind, self.name = kind, name
        self.fixed, self.moving = bytes_of(fixed), bytes_of(moving)
        self.truth = truth  # places in the moving image, or None: there are none
        if truth is not None:
            h, w = self.moving.shape
            self.over = ((truth[..., 0] >= 0) & (truth[..., 0] <= w - 1)
                         & (truth[..., 1] >= 0) & (truth[..., 1] <= h - 1))


def placed(photos, kind, name, M, side=360, longest=900, tones=None, noise=None, rng=None):
    """Two windows in the middle of a photograph; M maps offsets from their middles."""
    photo = photos(name, longest)
    side = min(side, *photo.shape)
    middle, window = [(n - 1) / 2 for n in photo.shape[::-1]], (side - 1) / 2
    F = shift(middle[0] - window, middle[1] - window)
    H = shift(window, window) @ M @ shift(-window, -window)
    fixed, moving = view(photo, F, side, 1), view(photo, F @ np.linalg.inv(H), side)
    if tones:
        moving = tones(moving)
    if noise:
        fixed, moving = noise(rng, fixed), noise(rng, moving)
    return Pair(kind, name, fixed, moving, through(H, fixed.shape))


def gaussian(sigma):
    return lambda rng, a: a + rng.normal(0, sigma / 255, a.shape)


def poisson(counts):
    return lambda rng, a: rng.poisson(a * counts) / counts


def other_tissue(a):
    """Tones of tissues change places, as from T1 to T2."""
    return np.interp(a, [0, .15, .35, .55, .75, 1], [0, .95, .35, .7, .2, .55]).astype(np.float32)


TONES = {"inverted": lambda a: 1 - a, "gamma 2.5": lambda a: a ** 2.5,
         "inverted, gamma 0.5": lambda a: 1 - a ** .5}


def perspective(rng, most):
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32) * 180
    moved = (corners + rng.uniform(-most, most, (4, 2))).astype(np.float32)
    return cv2.getPerspectiveTransform(corners, moved).astype(np.float64)


def affine(rng):
    return (turn(rng.uniform(-180, 180), 2 ** rng.uniform(-.5, .5))
            @ np.diag([1, rng.uniform(.7, 1.3), 1]) @ turn(rng.uniform(-90, 90)))


def elastic(photos, name, size, rng):
    photo = photos(name, 400)
    h, w = photo.shape
    u = np.stack([cv2.GaussianBlur(rng.normal(size=(h, w)), (0, 0), 40) for _ in range(2)], -1)
    u *= size / np.abs(u).max()
    at = through(np.eye(3), (h, w)) + u
    fixed = cv2.remap(photo, at[..., 0].astype(np.float32), at[..., 1].astype(np.float32),
                      cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT)
    return Pair("elastic", f"{name} {size:.0f} px", fixed, photo, at)


def can_match(photos, kind, seed):
    """The pair of a kind and a seed, or None where too little is seen of it."""
    rng = np.random.default_rng([sum(map(ord, kind)), seed])
    name = PHOTOS[rng.integers(len(PHOTOS))]
    if kind == "scale":
        size = 2 ** rng.uniform(-1, 1)
        pair = placed(photos, kind, name, turn(0, size))
    elif kind == "scale and rotation":
        pair = placed(photos, kind, name, turn(rng.uniform(-180, 180),
                                               2 ** rng.uniform(-np.log2(2.5), np.log2(2.5))))
    elif kind == "affine":
        pair = placed(photos, kind, name, affine(rng))
    elif kind == "homography":
        pair = placed(photos, kind, name, perspective(rng, 75))
    elif kind == "overlap 30 to 60 %":
        part, side = rng.uniform(.3, .6), 300
        away = (1 - np.sqrt(part)) * side
        pair = placed(photos, kind, name, turn(rng.uniform(-12, 12)) @ shift(
            *(away * rng.choice([-1, 1], 2))), side)
    elif kind == "inverted, gamma":
        tones = list(TONES)[seed // 2 % 3]
        pair = placed(photos, kind, name, turn(rng.uniform(-90, 90), 2 ** rng.uniform(-.5, .5)),
                      tones=TONES[tones])
        pair.name += ", " + tones
    elif kind == "tones as T1 and T2":
        pair = placed(photos, kind, name, turn(rng.uniform(-20, 20), 2 ** rng.uniform(-.15, .15))
                      @ shift(*rng.uniform(-8, 8, 2)), tones=other_tissue)
    elif kind == "noise":
        how = seed // 2 % 3
        pair = placed(photos, kind, name, turn(rng.uniform(-10, 10), 2 ** rng.uniform(-.1, .1))
                      @ shift(*rng.uniform(-12, 12, 2)), rng=rng,
                      noise=(gaussian(25), gaussian(50), poisson(10))[how])
        pair.name += ", " + ("25 of 255", "50 of 255", "Poisson 10")[how]
    elif kind == "elastic":
        pair = elastic(photos, name, rng.uniform(8, 25), rng)
    elif kind == "rotation":
        pair = placed(photos, kind, name, turn(rng.uniform(-180, 180)) @ shift(3.3, -7.7), 256, 512)
    elif kind == "shift":
        pair = placed(photos, kind, name, shift(*rng.uniform(-40, 40, 2)), longest=600)
    else:
        M = [turn(rng.uniform(-180, 180), 2 ** rng.uniform(-1.3, 1.3)), affine(rng),
             turn(rng.uniform(-30, 30), 2 ** rng.uniform(-.4, .4)) @ perspective(rng, 50),
             turn(rng.uniform(-15, 15)) @ shift(*rng.uniform(-20, 20, 2)),
             turn(rng.uniform(-20, 20)) @ shift(*(rng.choice([-1, 1], 2) * rng.uniform(60, 130, 2)))
             ][rng.integers(5)]
        which = rng.choice(4, p=[.4, .3, .2, .1])
        tones = [None, None, list(TONES.values())[rng.integers(3)], other_tissue][which]
        pair = placed(photos, kind, name, M, int(rng.integers(260, 400)),
                      int(rng.choice([512, 900])), tones=tones, rng=rng,
                      noise=gaussian(rng.uniform(5, 40)) if which == 1 else None)
    pair.name += f", seed {seed}"
    seen = pair.fixed[pair.over]
    noisy = kind == "noise" or kind == "any"
    if seen.size < .25 * pair.fixed.size or seen.std() < (20 if noisy else 12):
        return None
    return None if (pair.moving == 0).mean() > .4 and not noisy else pair


def cannot_match(photos, kind, seed):
    rng = np.random.default_rng([sum(map(ord, kind)), seed])
    names = PHOTOS + REPEATING

    def cloud():
        a = rng.normal(size=(320, 320)).astype(np.float32)
        wide = rng.uniform(0, 10)
        a = cv2.GaussianBlur(a, (0, 0), wide) if wide > .3 else a
        return .5 + .18 * (a - a.mean()) / a.std()

    if kind == "two scenes":
        a, b = rng.choice(names, 2, replace=False)
        return Pair(kind, f"{a} {b}, seed {seed}", photos(a, 420), photos(b, int(
            rng.integers(300, 500))))
    if kind == "noise and noise":
        return Pair(kind, f"seed {seed}", cloud(), cloud())
    name = names[rng.integers(len(names))]
    if kind == "scene and noise":
        return Pair(kind, f"{name}, seed {seed}", photos(name, 400), cloud())
    if kind == "mirror image":
        return Pair(kind, f"{name}, seed {seed}", photos(name, 400), photos(name, 400)[:, ::-1])
    photo = photos(name, 900)  # overlap below 10 %: opposite corners
    h, w = photo.shape
    side = int(min(h, w) * .51)
    if max(0, 2 * side - w) * max(0, 2 * side - h) / side ** 2 > .09:
        return None
    corners = [photo[:side, :side], photo[h - side:, w - side:]]
    if rng.integers(2):
        corners = [photo[:side, w - side:], photo[h - side:, :side]]
    return Pair(kind, f"{name}, seed {seed}", *corners[::1 if rng.integers(2) else -1])


CAN = {"scale": 20, "scale and rotation": 20, "affine": 12, "homography": 16,
       "overlap 30 to 60 %": 16, "inverted, gamma": 16, "tones as T1 and T2": 16, "noise": 12,
       "elastic": 12, "rotation": 16, "shift": 8, "any": 40}
CANNOT = {"two scenes": 100, "noise and noise": 24, "scene and noise": 26,
          "overlap below 10 %": 40, "mirror image": 10}


def draw(photos, half, share=1.0):
    """All pairs of one half of the seeds: the even ones or the odd ones."""
    for make, kinds in (can_match, CAN), (cannot_match, CANNOT):
        for kind, count in kinds.items():
            seed, made = half, 0
            while made < max(1, round(count * share)):
                pair = make(photos, kind, seed)
                seed += 2
                if pair:
                    made += 1
                    yield pair
