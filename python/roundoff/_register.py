# SPDX-License-Identifier: MIT
"""Registration: the displacement that makes one picture look like another."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _core, _run
from ._arrays import picture, readable, target
from ._png import png
from ._errors import BadArgument
from ._figures import Figures
from ._keywords import Keywords, Members, choice


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

    def inverse(self, shape: Optional[tuple[int, int]] = None) -> Field:
        """The displacement back, on pixels of the moving image (whose shape may be another)."""
        back = Field(np.empty((*(shape or self.array.shape[:2]), 2), np.float32))
        with _run.running({}) as how:
            missed = _core.inverse(self.view(), back.view(), how)
        back.figures = Figures(missed=missed)
        return back

    def points(self, points: Any, *, inverse: bool = False) -> np.ndarray:
        """Points (x, y) of the fixed image to where they are in the moving one; or back."""
        given = np.ascontiguousarray(points, np.float64)
        if given.ndim != 2 or given.shape[1] != 2:
            raise BadArgument(f"points are rows of x and y, not {given.shape}")
        moved = np.empty_like(given)
        with _run.running({}) as how:
            _core.points(self.view(), given, moved, inverse, how)
        return moved

    def _repr_png_(self) -> bytes:
        """How far pixels move: white is the farthest."""
        far = np.hypot(self.array[..., 0], self.array[..., 1])
        return png(np.rint(far * (255 / max(float(far.max()), 1e-9))).astype(np.uint8))

    def view(self) -> tuple[np.ndarray, int, int]:
        return self.array.reshape(len(self.array), -1), _core.GREYF, 0


def _mask(name: str) -> Any:
    def put(value: Any, members: Members) -> None:
        members[name] = picture(value, name=name).view()

    return put


REGISTER = Keywords("register", "ro_register_options",
                    own={name: _mask(name) for name in ("fixed_mask", "moving_mask")},
                    without=("apply", "inverse", "sampling", "series"))
WARP = Keywords("register", None, only={"sampling", "inverse"},  # parameters of their own
                own=dict.fromkeys(("sampling", "inverse"), lambda value, members: None))


def register(fixed: Any, moving: Any, *, maxval: Optional[int] = None, **options: Any) -> Field:
    """Find the displacement u with moving(x + u(x)) like fixed(x).

    Needs no options; the keywords are those of ``roundoff register``, masks being arrays.
    ``field.figures.useless`` is 0 where the result may be of use.
    """
    run = _run.split(options)
    members = REGISTER.take(options)
    one, other = (picture(fixed, maxval, "fixed", True),
                  picture(moving, maxval, "moving", True))
    if one.stack or other.stack:
        raise BadArgument("register takes two pictures, no stacks")
    rows, columns = one.size
    field = Field(np.empty((rows, columns, 2), np.float32))
    with _run.running(run) as how:
        figures = _core.register(one.view(), other.view(), field.view(), members, how)
    field.figures = Figures(figures)
    return field


REGISTER.show(register)


def warp(image: Any, field: Any, *, sampling: str = "bilinear", inverse: bool = False,
         out: Optional[np.ndarray] = None, **options: Any) -> np.ndarray:
    """The picture as the field shows it, out(x) = image(x + u(x)): ``roundoff register apply``.

    ``sampling="nearest"`` is for labels: no value that is not in the image. ``inverse`` goes back:
    the image is a fixed one, and comes out as the moving one was.
    """
    run = _run.split(options)
    WARP.take(options)
    nearest = choice("sampling", sampling, ("bilinear", "nearest"))
    source = picture(image, numbers=True)
    if source.stack:
        raise BadArgument("warp takes one picture, no stack")
    way = field if isinstance(field, Field) else Field(field)
    if inverse:
        way = way.inverse()
    shape = (*way.array.shape[:2], *source.array.shape[2:])
    result = target(out, shape, bool if source.boolean else source.given, source.array)
    work = np.empty(shape, source.array.dtype)
    with _run.running(run) as how:
        _core.warp((readable(source.array), source.format, source.maxval), way.view(),
                   (work, source.format, source.maxval), nearest, how)
    result[...] = source.restored(work)
    return result


WARP.show(warp)
