# SPDX-License-Identifier: MIT
"""Registration: the displacement that makes one picture look like another."""
from __future__ import annotations

import warnings
from typing import Any, Optional, Union

import numpy as np

from . import _core, _run
from ._arrays import picture, readable, target
from ._png import png
from ._errors import BadArgument, FieldFolds, NoMatch
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
    """A mask of numbers of any type: 0 and NaN do not count."""
    def put(value: Any, members: Members) -> None:
        given = np.asarray(value)
        if given.dtype.kind not in "biuf" or given.ndim != 2:
            raise BadArgument(f"{name}: must be numbers, height x width, not {given.dtype} of "
                              f"shape {given.shape}")
        counts = (given != 0) & (given == given)
        members[name] = picture(counts.astype(np.uint8) * 255, name=name).view()

    return put


REGISTER = Keywords("register", "ro_register_options",
                    own={name: _mask(name) for name in ("fixed_mask", "moving_mask")},
                    without=("apply", "inverse", "sampling", "series"))
WARP = Keywords("register", None, only={"sampling", "inverse"},  # parameters of their own
                own=dict.fromkeys(("sampling", "inverse"), lambda value, members: None))


def _why(figures: Figures) -> str:
    """What is wrong with a result: bits of ro_register_report.useless."""
    of = int(figures["useless"])
    if of & 8:
        return (f"the pictures do not match: of {figures['matches']} points that look the same "
                f"{figures['support']} agree (confidence {figures['confidence']:.2f})")
    if of & 1:
        return f"the displacement folds at {figures['folds']} pixels"
    if of & 2:
        return (f"{100 * figures['outside']:.0f} % of the pixels map to outside the moving "
                "picture")
    return "the pictures are less alike than before"


def _pair(one: Any, other: Any, members: Members, run: Any, force: bool, page: str) -> Field:
    rows, columns = one.size
    field = Field(np.empty((rows, columns, 2), np.float32))
    with _run.running(run) as how:
        figures = _core.register(one.view(), other.view(), field.view(), members, how)
    field.figures = Figures(figures)
    if figures["useless"] and not force:
        raise NoMatch(f"{page}{_why(field.figures)}; force=True returns the field", field)
    if figures["folds"]:
        warnings.warn(f"{page}the displacement folds at {figures['folds']} pixels", FieldFolds,
                      stacklevel=3)
    return field


def register(fixed: Any, moving: Any, *, maxval: Optional[int] = None, force: bool = False,
             **options: Any) -> Union[Field, list[Field]]:
    """Find where each pixel of one picture lies in another.

    Parameters
    ----------
    fixed : array, height x width or height x width x 3
        The picture that stays. Or a stack of pictures.
    moving : array
        The picture that is brought to it, of any size. Or a stack.
    maxval : int, optional
        What is white, if it is not the largest value of the type.
    force : bool
        Return a field even if it is of no use.

    Returns
    -------
    Field
        ``field.array[y, x]`` is (u, v) with moving[y + v, x + u] like fixed[y, x]. For stacks a
        list with a field for each page; either may be one picture for all pages.
        ``field.figures`` has what is known of the result, with a ``confidence`` from 0 to 1, and
        with ``transform="affine"`` and the like ``map``, a matrix of 3 x 3.

    Raises
    ------
    NoMatch
        The pictures do not match. Its ``field`` is what was found.

    Notes
    -----
    Needs no options. A displacement that folds at a few pixels is returned with a warning,
    FieldFolds. Pages are registered one by one: this is no registration of volumes.

    Examples
    --------
    >>> field = roundoff.register(fixed, moving)
    >>> straight = roundoff.warp(moving, field)
    """
    run = _run.split(options)
    members = REGISTER.take(options)
    one, other = picture(fixed, maxval, "fixed", True), picture(moving, maxval, "moving", True)
    several = one.stack or other.stack
    stays = list(one.pages()) if one.stack else [one]
    moves = list(other.pages()) if other.stack else [other]
    if len(stays) > 1 and len(moves) == 1:
        moves = moves * len(stays)
    if len(stays) not in (1, len(moves)):
        raise BadArgument(f"fixed is a stack of {len(stays)} pictures and moving of {len(moves)}")
    fields = [_pair(stays[i if len(stays) > 1 else 0], page, members, run, force,
                    f"page {i}: " if several else "") for i, page in enumerate(moves)]
    return fields if several else fields[0]


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
