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


SEGMENT = Keywords("segment", "ro_regions_options", topics=("fronts",),
                   own={"mask": _picture("mask"), "factor": _picture("factor"),
                        "components": lambda value, members: members.update(components=bool(value))},
                   without=("at", "seeds", "window", "fronts", "every"))


def _discs(seeds: Sequence[Sequence[float]]) -> list[tuple[int, float, float, float]]:
    discs = []
    for count, seed in enumerate(seeds, 1):
        if not 2 <= len(seed) <= 4:
            raise BadArgument("a seed is x, y, and then a radius and a label if wanted")
        x, y, *more = seed
        discs.append((int(more[1]) if len(more) > 1 else count, float(x), float(y),
                      float(more[0]) if more else 0.0))
    return discs


def segment(image: Any, seeds: Sequence[Sequence[float]] = (), *, maxval: Optional[int] = None,
            **options: Any) -> Segmentation:
    """Grow labels from seeds; a pixel belongs to the first front that arrives.

    ``seeds`` are (x, y), (x, y, radius) or (x, y, radius, label); without labels they count from 1.
    The keywords are the options of competing fronts of ``roundoff segment``: ``mask`` holds label
    numbers to start from instead or besides, with ``components`` every connected part of it is a
    label, and ``factor`` says how fast fronts are.
    """
    run = _run.split(options)
    members = SEGMENT.take(options)
    source = picture(image, maxval)
    if source.stack:
        raise BadArgument("segment takes one picture, no stack")
    discs = _discs(seeds)
    labels = np.empty(source.size, np.uint16)
    mask, factor = members.pop("mask", None), members.pop("factor", None)
    with _run.running(run) as how:
        if members.pop("components", False):
            if mask is None:
                raise BadArgument("components: needs a mask")
            parts = np.empty(mask[0].shape, np.uint16)
            _core.components(mask, (parts, _core.GRAY16, 65535), how)
            mask = parts, _core.GRAY16, 65535
        table, lines = _core.grow(source.view(), (labels, _core.GRAY16, 65535), discs, mask, factor,
                                  members, how)
    contours = [Contour(label, closed, np.frombuffer(points).reshape(-1, 2))
                for label, closed, points in lines]
    return Segmentation(labels, [Figures(row) for row in table], contours)


SEGMENT.show(segment)
