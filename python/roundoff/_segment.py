# SPDX-License-Identifier: MIT
"""Segmentation: labels that grow from clicks, from discs and masks, or by themselves."""
from __future__ import annotations

import warnings
from typing import Any, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _core, _run
from ._arrays import picture
from ._errors import BadArgument
from ._figures import Figures
from ._keywords import Keywords, Members
from ._png import png


class Contour(NamedTuple):
    label: int
    closed: bool
    points: np.ndarray  # x, y between pixels


class Segmentation:
    """What ``segment`` found.

    ``labels`` : uint16 of the image's height and width, 0 where no label came.
    ``regions`` : a row of figures for each label: label, fronts, area, perimeter, box (left, top,
    right, bottom), centroid (x, y), mean, border (it touches the image's), confidence, medians (its
    area in medians of the others: above 10 most likely a flood). Means are in the image's numbers.
    ``seeds`` : a row for each seed: label, x, y, kind (bright, dark or band), window (the numbers
    that it grows over), area, confidence.
    ``contours`` : closed outlines as (label, closed, points), the points being x, y.

    ``numpy.asarray(found)`` is ``found.labels``.
    """

    def __init__(self, labels: np.ndarray, regions: list[Figures], contours: list[Contour],
                 seeds: Sequence[Figures] = ()) -> None:
        self.labels, self.regions, self.contours = labels, regions, contours
        self.seeds = list(seeds)

    def __array__(self, dtype: Any = None) -> np.ndarray:
        return self.labels if dtype is None else self.labels.astype(dtype)

    def __repr__(self) -> str:
        return f"<roundoff.Segmentation of {len(self.regions)} labels>"

    def _repr_png_(self) -> bytes:
        """The labels in colours of their own."""
        step = max(1, -(-max(self.labels.shape) // 1600))
        label = self.labels[::step, ::step].astype(np.uint32)
        mixed = label * 2654435761 & 0xFFFFFF  # neighbours look apart
        colours = np.stack([mixed >> shift & 255 for shift in (16, 8, 0)], axis=2) | 64
        return png((colours * (label > 0)[..., None]).astype(np.uint8))

    def _repr_html_(self) -> str:
        if not self.regions:
            return "<table></table>"
        head = "".join(f"<th>{name}</th>" for name in self.regions[0])
        rows = "".join("<tr>" + "".join(f"<td>{v}</td>" for v in r.values()) + "</tr>"
                       for r in self.regions)
        return f"<table><tr>{head}</tr>{rows}</table>"


def _picture(name: str) -> Any:
    def put(value: Any, members: Members) -> None:
        members[name] = picture(value, name=name).view()

    return put


def _labels(value: Any, members: Members) -> None:
    """Label numbers of any integer type, or what marks them."""
    array = np.asarray(value)
    if array.dtype.kind in "iu" and array.dtype.itemsize > 1 and not np.ma.is_masked(value):
        if array.size and not 0 <= int(array.min()) <= int(array.max()) <= 0xFFFF:
            raise BadArgument("mask: labels go from 0, which is none, to 65535, not from "
                              f"{array.min()} to {array.max()}")
        value = array.astype(np.uint16)
    members["mask"] = picture(value, name="mask").view()


def _kept(name: str) -> Any:
    def put(value: Any, members: Members) -> None:
        members[name] = value

    return put


# What a speed is made of: how many numbers, and where they go.
SPEED = ("speed", "gaussian", "window", "edge", "curvature")
SEGMENT = Keywords("segment", "ro_segment_options",
                   own={"mask": _labels, "factor": _picture("factor"),
                        **{name: _kept(name) for name in (*SPEED, "fronts",
                                                          "distance",
                                                          "velocity")}},
                   without=("at", "seeds"))
COMPETING = {"mask", "factor", "smooth", "schedule"}


def _speeds(members: Members) -> list[tuple[Any, ...]]:
    """A speed for each of four labels: numbers for all of them, or a dictionary by label."""
    speeds = [dict.fromkeys(SPEED, ()) for _ in range(4)]
    for name in SPEED:
        value = members.pop(name, None)
        if value is None:
            continue
        for label, numbers in (value if isinstance(value, dict) else
                               dict.fromkeys(range(1, 5), value)).items():
            if label not in (1, 2, 3, 4):
                raise BadArgument(f"{name}: labels go from 1 to 4")
            numbers = tuple(float(n) for n in np.atleast_1d(numbers))
            least, most = {"speed": (1, 8), "gaussian": (2, 3), "window": (2, 3),
                           "edge": (1, 2), "curvature": (1, 1)}[name]
            if not least <= len(numbers) <= most:
                raise BadArgument(f"{name}: must be {least} to {most} numbers")
            speeds[label - 1][name] = numbers

    def tuple_of(s: dict[str, Any]) -> tuple[Any, ...]:
        polynomial = list(s["speed"])
        if not polynomial and any(s[name] for name in SPEED if name != "curvature"):
            polynomial = [0.0]  # a speed of zero is not the same as none
        gaussian, window, edge = ((*s[name], 1.0)[:many] if s[name] else (0.0,) * many
                                  for name, many in (("gaussian", 3), ("window", 3), ("edge", 2)))
        return (polynomial, gaussian[2], *gaussian[:2], window[2], *window[:2],
                edge[1], edge[0], (*s["curvature"], 0.0)[0])

    return [tuple_of(speed) for speed in speeds]


def _free(source: Any, discs: list[Any], members: Members, run: dict[str, Any]) -> Any:
    """Labels, table and lines of level sets."""
    speeds = _speeds(members)
    distance, velocity = members.pop("distance", None), members.pop("velocity", None)
    if distance is not None:
        distance = np.ascontiguousarray(distance, np.float32), _core.GREYF, 0
    if velocity is not None:
        flow = np.ascontiguousarray(velocity, np.float32)
        if flow.shape != (*source.size, 2):
            raise BadArgument(f"velocity: has the shape height, width, 2, not {flow.shape}")
        velocity = flow.reshape(len(flow), -1), _core.GREYF, 0
    labels = np.empty(source.size, np.uint8)
    with _run.running(run) as how:
        table, lines = _core.evolve(source.view(), (labels, _core.GREY8, 255), discs, speeds,
                                    members.pop("mask", None), distance, velocity,
                                    members.pop("factor", None), members, how)
    return labels.astype(np.uint16), table, lines


def _discs(seeds: Any, free: bool) -> list[tuple[int, float, float, float]]:
    """Label, x, y and radius of each seed; without a label 0, which the library replaces, and of free
    fronts the number of the seed."""
    wrong = "seeds: must be a list of (x, y), (x, y, radius) or (x, y, radius, label), or \"auto\""
    if isinstance(seeds, str) or not hasattr(seeds, "__iter__"):
        raise BadArgument(f"{wrong}, not {seeds!r}")
    discs = []
    for count, seed in enumerate(seeds, 1):
        if not hasattr(seed, "__len__") or isinstance(seed, str):
            raise BadArgument(f"{wrong}, but there is {seed!r} in it")
        if not 2 <= len(seed) <= 4:
            raise BadArgument("a seed is x, y, and then a radius and a label if wanted")
        x, y, radius, label = (*seed, *(0, None)[len(seed) - 2:])[:4] if len(seed) < 4 else seed
        if label is not None and (label != int(label) or not 1 <= label <= 0xFFFF):
            raise BadArgument(f"seeds: labels go from 1 to 65535, not {label}")
        discs.append((int(label) if label is not None else count if free else 0, float(x), float(y),
                      float(radius)))
    return discs


def _found(labels: np.ndarray, table: Any, lines: Any, fronts: Any = ()) -> Segmentation:
    contours = [Contour(label, closed, np.frombuffer(points).reshape(-1, 2))
                for label, closed, points in lines]
    return Segmentation(labels, [Figures(row) for row in table], contours,
                        [Figures(row) for row in fronts])


def _is_marks(mask: tuple[np.ndarray, int, int]) -> bool:
    """Whether it shows what to start from rather than label numbers: bool, or 0 and 255 alone."""
    tones, white = set(np.unique(mask[0]).tolist()), mask[2] or 255
    return mask[0].dtype == np.uint8 and white in tones and tones <= {0, white}


def _tones(source: Any) -> Any:
    """Floats that do not lie from 0 to 1 as tones: 0, or the least of them, is black."""
    array = source.array
    if array.dtype.char != "f" or not np.isfinite(array).all():
        return source
    least, most = min(float(array.min()), 0.0), float(array.max())
    if least >= -0.001 and most <= 1.001:
        return source
    unit = 256.0
    while unit < most - least:
        unit *= 2
    return source._replace(array=((array - np.float32(least)) / np.float32(unit)),
                           zero=source.zero + source.unit * least, unit=source.unit * unit)


def _in_units(source: Any, table: Any, fronts: Any) -> None:
    """Means and windows in the numbers that the caller gave."""
    for row in table:
        row["mean"] = source.zero + source.unit * row["mean"]
    for row in fronts:
        row["window"] = tuple(source.zero + source.unit * edge for edge in row["window"])


def _warn_of_floods(table: Any) -> None:
    floods = [row["label"] for row in table if row["medians"] > 10]
    if floods:
        told = ", ".join(map(str, floods[:5])) + (" and more" if len(floods) > 5 else "")
        warnings.warn(f"label {told} of segment: more than 10 times the median area of the others, "
                      "most likely a flood", stacklevel=4)


def _compete(source: Any, discs: Any, members: Members, run: dict[str, Any]) -> Segmentation:
    """Labels of one picture by fronts that compete; discs None: they are found."""
    labels = np.empty(source.size, np.uint16)
    members = dict(members)
    mask, factor = members.pop("mask", None), members.pop("factor", None)
    with _run.running(run) as how:
        if mask is not None and _is_marks(mask):
            parts = np.empty(mask[0].shape, np.uint16)
            _core.components(mask, (parts, _core.GREY16, 65535), how)
            mask = parts, _core.GREY16, 65535
        table, lines, fronts = _core.grow(source.view(), (labels, _core.GREY16, 65535), discs, mask,
                                          factor, members, how)
    _in_units(source, table, fronts)
    _warn_of_floods(table)
    return _found(labels, table, lines, fronts)


def segment(image: Any, seeds: Union[str, Sequence[Sequence[float]]] = (), *,
            maxval: Optional[int] = None, **options: Any) -> Union[Segmentation, list[Segmentation]]:
    """Find the objects that were clicked on, or all of them.

    Parameters
    ----------
    image : array or Pillow image
        Height and width, with 3 for colours or 4 with alpha behind; numbers of any type. A stack of
        them, along the first axis, is segmented picture by picture, which is not 3-D.
    seeds : list of (x, y), (x, y, radius) or (x, y, radius, label), or "auto"
        Clicks anywhere inside the objects; with a radius above 0 a disc, all of which must lie
        inside. Without labels every seed is an object of its own and has the lowest number that is
        free; seeds of one label, from 1 to 65535, are one object. "auto" finds all bright or all
        dark objects.
    mask : array, optional
        Label numbers (any integers from 0 to 65535) to start from instead, or besides; or what to
        start from (bool, or 0 and 255 in uint8), of which every connected part is a label.
    factor : array, optional
        How fast fronts are in each pixel: white is fastest, 0 a wall.
    fronts : "competing" or "free", optional
        Free fronts, also chosen by any option that only they have, are level sets of up to four
        labels. The parts of their speed are numbers, or ``{2: (90, 140)}`` by label; seeds without a
        radius are discs of 5 pixels.

    Returns
    -------
    Segmentation, or a list of them for a stack
        ``labels``, ``regions``, ``seeds`` and ``contours``. With "auto" in an empty field nothing is
        found and ``regions`` is empty.

    Examples
    --------
    >>> found = roundoff.segment(image, [(50, 60), (115, 60)])
    >>> [(row.label, row.area, row.mean) for row in found.regions]
    >>> count = len(roundoff.segment(image, "auto").regions)
    """
    run = _run.split(options)
    members = SEGMENT.take(options)
    source = picture(image, maxval, numbers=True)
    way = members.pop("fronts", None)
    of_free = sorted(set(members) - COMPETING)
    if way not in (None, "competing", "free"):
        raise BadArgument(f"fronts {way}: must be competing or free")
    if way == "competing" and of_free:
        raise BadArgument(f"{of_free[0]}: is for free fronts, not for competing ones")
    free = way == "free" or bool(of_free)
    find = isinstance(seeds, str) and seeds == "auto"
    if find and free:
        raise BadArgument("seeds \"auto\": competing fronts can be found only")
    source = _tones(source)
    discs = None if find else _discs(seeds, free)
    one = (lambda page: _found(*_free(page, discs, dict(members), run))) if free else (
        lambda page: _compete(page, discs, members, run))
    if not source.stack:
        return one(source)
    warnings.warn("segment goes through a stack picture by picture: labels of one have nothing to do "
                  "with those of the next, and this is no segmentation in 3-D", stacklevel=2)
    return [one(page) for page in source.pages()]


SEGMENT.show(segment)
