# SPDX-License-Identifier: MIT
"""Products of few bits with symmetric matrices, whose sum is kept exactly."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np

from . import _core
from ._errors import BadArgument

ONE = 1 << 16  # of float weights


class Product(NamedTuple):
    """What :func:`mass_product` gives."""

    values: np.ndarray
    sum: int
    """Of the result, in numbers of the system."""
    defect: int
    """What the sum is more than that of the row sums times the values."""
    saturated: int
    """Results that were cut to the range of the system."""


def _weights(weights: Any) -> tuple[np.ndarray, int]:
    weights = np.asarray(weights)
    if weights.dtype.kind in "iu":
        raise BadArgument("weights: must be floats; they are rounded to 1/65536")
    whole = np.rint(weights.astype(np.float64) * ONE)
    if not np.all(np.abs(whole) < 1 << 31):
        raise BadArgument("weights: must be numbers below 32768")
    return whole.astype(np.int32), ONE


def _stencil(kernel: np.ndarray, shape: tuple[int, ...]) -> tuple[int, int, None, None, np.ndarray]:
    if len(shape) != 2:
        raise BadArgument("a stencil needs values of two dimensions")
    if kernel.shape[0] % 2 == 0 or kernel.shape[1] % 2 == 0 or \
            not np.array_equal(kernel, kernel[::-1, ::-1]):
        raise BadArgument("a stencil has odd sides and is symmetric about its middle")
    y, x = kernel.shape[0] // 2, kernel.shape[1] // 2
    taps = [(j - x, i - y, kernel[i, j]) for i in range(kernel.shape[0])
            for j in range(kernel.shape[1]) if (i, j) > (y, x) and kernel[i, j]]
    return shape[1], shape[0], None, None, np.array(taps, np.int32).reshape(-1, 3)


def _matrix(matrix: Any, rows: int) -> tuple[int, int, np.ndarray, np.ndarray, np.ndarray]:
    if hasattr(matrix, "tocsr"):
        matrix = matrix.tocsr()
    if hasattr(matrix, "indptr"):
        starts, columns, data = matrix.indptr, matrix.indices, matrix.data
    else:
        starts, columns, data = matrix
    starts = np.ascontiguousarray(starts, np.uintp)
    columns = np.asarray(columns)
    if len(starts) != rows + 1 or (columns.size and
                                   not 0 <= columns.min() <= columns.max() < rows):
        raise BadArgument(f"the matrix: must be {rows} x {rows}, as there are values")
    return 0, 0, starts, np.ascontiguousarray(columns, np.uint32), _weights(data)[0]


def mass_product(values: np.ndarray, matrix: Any, *, number: str = "s16", rounding: str = "zero",
                 natural: bool = False, scale: int = 1,
                 scales: Optional[np.ndarray] = None) -> Product:
    """A product of a symmetric matrix with values in a number system.

    ``matrix`` is sparse (SciPy's, or starts, columns and weights of compressed rows), or, for values
    of two dimensions, a stencil: an array with odd sides whose middle is what is missing to 1.
    Weights are floats, rounded to 1/65536. Values are numbers of the system if they are integers,
    else they are rounded to it, and the result is floats too. ``scale`` and ``scales`` (a whole
    number for each value, −s being 1/s) are those of Eqs. 2.31 and 2.32 of Strzodka's thesis;
    ``natural`` is the product that does not keep the sum.

    >>> fifth = np.array([[0, .2, 0], [.2, .2, .2], [0, .2, 0]])
    >>> mass_product(np.full((4, 4), 100), fifth, number="s12").sum
    1600
    """
    values = np.asarray(values)
    system = {name: row for name, *row in _core.numbers()}.get(number.lower())
    if system is None:
        raise BadArgument(f"number {number}: must be one of fixed point, such as s12 or s16")
    least, most, one, step = system
    floats = values.dtype.kind == "f"
    if floats and not np.all(np.isfinite(values)):
        raise BadArgument("a value is not a number")
    exact = values.astype(np.float64) * one if floats else values
    if not floats and (values.dtype.kind not in "iub" or values.size and (
            values.min() < least or values.max() > most or np.any((values - least) % step))):
        raise BadArgument(f"a value is no number of {number}, which are from {least} to {most}")
    taken = np.clip(least + step * np.rint((exact - least) / step), least, most).astype(np.int32)
    dense = isinstance(matrix, (np.ndarray, list)) and np.ndim(matrix) == 2
    parts = _stencil(_weights(matrix)[0], values.shape) if dense else _matrix(matrix, values.size)
    by_row = None if scales is None else np.ascontiguousarray(
        np.broadcast_to(np.asarray(scales), values.shape), np.int32)
    out = np.empty_like(taken, order="C")
    status, total, defect, saturated = _core.product(
        number, int(natural), rounding, int(scale), ONE, (np.ascontiguousarray(taken), out, by_row),
        *parts)
    if status:
        raise BadArgument("the matrix, a scale (from 1 to 32768 or -1 to -32768) or the rounding "
                          "makes no sense")
    return Product(out / one if floats else out, total, defect, saturated)
