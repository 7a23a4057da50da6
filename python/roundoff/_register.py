# SPDX-License-Identifier: MIT
"""Registration: the displacement that makes one picture look like another."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _core, _run
from ._arrays import picture, readable, target
from ._errors import BadArgument
from ._figures import Figures


class Field:
    """A displacement in pixels: ``array[y, x]`` is (to the right, down), and the figures of it."""

    def __init__(self, array: Any, figures: Optional[Figures] = None) -> None:
        self.array = np.ascontiguousarray(array, np.float32)
        if self.array.ndim != 3 or self.array.shape[2] != 2:
            raise BadArgument(f"a field has the shape height, width, 2, not {self.array.shape}")
        self.figures = figures or Figures()

    def __array__(self, dtype: Any = None) -> np.ndarray:
        return self.array if dtype is None else self.array.astype(dtype)

    def __repr__(self) -> str:
        height, width = self.array.shape[:2]
        return f"<roundoff.Field {width} x {height}>"

    def _repr_html_(self) -> str:
        return self.figures._repr_html_()

    def view(self) -> tuple[np.ndarray, int, int]:
        return self.array.reshape(len(self.array), -1), _core.GRAYF, 0


def register(fixed: Any, moving: Any, *, fixed_mask: Any = None, moving_mask: Any = None,
             maxval: Optional[int] = None, **options: Any) -> Field:
    """Find the displacement u with moving(x + u(x)) like fixed(x).

    Needs no options; ``scheme``, ``match``, ``init``, ``number``, ``scales``, ``updates``,
    ``trials``, ``cycles``, ``sigma_first``, ``sigma``, ``finest`` and ``tolerance`` are those of
    ``roundoff register``. ``field.figures.useless`` is 0 where the result may be of use.
    """
    how_to_run = _run.split(options)
    one, other = picture(fixed, maxval, "fixed"), picture(moving, maxval, "moving")
    if one.stack or other.stack:
        raise BadArgument("register takes two pictures, no stacks")
    for name, mask in (("fixed_mask", fixed_mask), ("moving_mask", moving_mask)):
        if mask is not None:
            options[name] = picture(mask, name=name).view()
    rows, columns = one.size
    field = Field(np.empty((rows, columns, 2), np.float32))
    with _run.running(how_to_run) as how:
        figures = _core.register(one.view(), other.view(), field.view(), options, how)
    field.figures = Figures(figures)
    return field


def warp(image: Any, field: Any, *, nearest: bool = False, out: Optional[np.ndarray] = None,
         **run: Any) -> np.ndarray:
    """The picture as the field shows it: out(x) = image(x + u(x)); ``nearest`` for labels."""
    how_to_run = _run.split(run)
    if run:
        raise TypeError(f"there is no option {next(iter(run))}")
    source = picture(image)
    if source.stack:
        raise BadArgument("warp takes one picture, no stack")
    way = field if isinstance(field, Field) else Field(field)
    shape = (*way.array.shape[:2], *source.array.shape[2:])
    result = target(out, shape, source.array.dtype, source.array)
    with _run.running(how_to_run) as how:
        _core.warp((readable(source.array), source.format, source.maxval), way.view(),
                   (result, source.format, source.maxval), nearest, how)
    return result
