# SPDX-License-Identifier: MIT
"""Segmentation by fronts that compete."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional, Sequence

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
    """Labels (uint16, 0 where no front came), a row of figures for each label, outlines."""

    def __init__(self, labels: np.ndarray, regions: list[Figures], contours: list[Contour]) -> None:
        self.labels, self.regions, self.contours = labels, regions, contours

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


def _kept(name: str) -> Any:
    def put(value: Any, members: Members) -> None:
        members[name] = value

    return put


# What a speed is made of: how many numbers, and where they go.
SPEED = ("speed", "gaussian", "window", "edge", "curvature")
SEGMENT = Keywords("segment", "ro_segment_options",
                   own={"mask": _picture("mask"), "factor": _picture("factor"),
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
                                    members.pop("mask", None), distance, velocity, members, how)
    return labels.astype(np.uint16), table, lines


def _discs(seeds: Sequence[Sequence[float]]) -> list[tuple[int, float, float, float]]:
    discs = []
    for count, seed in enumerate(seeds, 1):
        if not 2 <= len(seed) <= 4:
            raise BadArgument("a seed is x, y, and then a radius and a label if wanted")
        x, y, *more = seed
        discs.append((int(more[1]) if len(more) > 1 else count, float(x), float(y),
                      float(more[0]) if more else 0.0))
    return discs


def _found(labels: np.ndarray, table: Any, lines: Any) -> Segmentation:
    contours = [Contour(label, closed, np.frombuffer(points).reshape(-1, 2))
                for label, closed, points in lines]
    return Segmentation(labels, [Figures(row) for row in table], contours)


def _is_marks(mask: tuple[np.ndarray, int, int]) -> bool:
    """Whether it shows what to start from rather than label numbers: bool, or 0 and 255 alone."""
    tones, white = set(np.unique(mask[0]).tolist()), mask[2] or 255
    return mask[0].dtype == np.uint8 and white in tones and tones <= {0, white}


def segment(image: Any, seeds: Sequence[Sequence[float]] = (), *, maxval: Optional[int] = None,
            **options: Any) -> Segmentation:
    """Grow labels from seeds; a pixel belongs to the first front that arrives.

    ``seeds`` are (x, y), (x, y, radius) or (x, y, radius, label); without labels they count from 1.
    The keywords are the options of ``roundoff segment``: ``mask`` holds label numbers to start from
    instead or besides, or marks what to start from (bool, or 0 and 255: every connected part is a
    label), and ``factor`` says how fast competing fronts are. ``fronts="free"``, or an option of these, grows up to four
    labels as level sets; the parts of a speed are numbers, or ``{2: (90, 140)}`` by label.
    """
    run = _run.split(options)
    members = SEGMENT.take(options)
    source = picture(image, maxval, numbers=True)
    if source.stack:
        raise BadArgument("segment takes one picture, no stack")
    discs = _discs(seeds)
    way = members.pop("fronts", None)
    of_free = sorted(set(members) - COMPETING)
    if way not in (None, "competing", "free"):
        raise BadArgument(f"fronts {way}: must be competing or free")
    if way == "competing" and of_free:
        raise BadArgument(f"{of_free[0]}: is for free fronts, not for competing ones")
    if way == "free" or of_free:
        if "factor" in members:
            raise BadArgument("factor: is for competing fronts, not for free ones")
        labels, table, lines = _free(source, discs, members, run)
        return _found(labels, table, lines)
    labels = np.empty(source.size, np.uint16)
    mask, factor = members.pop("mask", None), members.pop("factor", None)
    with _run.running(run) as how:
        if mask is not None and _is_marks(mask):
            parts = np.empty(mask[0].shape, np.uint16)
            _core.components(mask, (parts, _core.GREY16, 65535), how)
            mask = parts, _core.GREY16, 65535
        table, lines = _core.grow(source.view(), (labels, _core.GREY16, 65535), discs, mask, factor,
                                  members, how)
    return _found(labels, table, lines)


SEGMENT.show(segment)
