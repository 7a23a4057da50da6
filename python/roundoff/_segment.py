# SPDX-License-Identifier: MIT
"""Segmentation by fronts that compete."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional, Sequence

import numpy as np

from . import _core, _run
from ._arrays import picture
from ._errors import BadArgument
from ._figures import Figures


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

    def _repr_html_(self) -> str:
        if not self.regions:
            return "<table></table>"
        head = "".join(f"<th>{name}</th>" for name in self.regions[0])
        rows = "".join("<tr>" + "".join(f"<td>{v}</td>" for v in r.values()) + "</tr>"
                       for r in self.regions)
        return f"<table><tr>{head}</tr>{rows}</table>"


def segment(image: Any, seeds: Sequence[Sequence[float]] = (), *, mask: Any = None,
            factor: Any = None, smooth: Optional[float] = None, maxval: Optional[int] = None,
            **run: Any) -> Segmentation:
    """Grow labels from seeds; a pixel belongs to the first front that arrives.

    ``seeds`` are (x, y), (x, y, radius) or (x, y, radius, label); without labels they count from 1.
    ``mask`` holds label numbers to start from instead or besides, ``factor`` how fast fronts are.
    """
    how_to_run = _run.split(run)
    if run:
        raise TypeError(f"there is no option {next(iter(run))}")
    source = picture(image, maxval)
    if source.stack:
        raise BadArgument("segment takes one picture, no stack")
    discs = []
    for count, seed in enumerate(seeds, 1):
        if not 2 <= len(seed) <= 4:
            raise BadArgument("a seed is x, y, and then a radius and a label if wanted")
        x, y, *more = seed
        discs.append((int(more[1]) if len(more) > 1 else count, float(x), float(y),
                      float(more[0]) if more else 0.0))
    labels = np.empty(source.size, np.uint16)
    with _run.running(how_to_run) as how:
        table, lines = _core.grow(
            source.view(), (labels, _core.GRAY16, 65535), discs,
            None if mask is None else picture(mask, name="mask").view(),
            None if factor is None else picture(factor, name="factor").view(), smooth, how)
    contours = [Contour(label, closed, np.frombuffer(points).reshape(-1, 2))
                for label, closed, points in lines]
    return Segmentation(labels, [Figures(row) for row in table], contours)
