# SPDX-License-Identifier: MIT
"""Resizing as `roundoff halftone --resize` does it, to the bit (docs/numerics.md): Lanczos-3 along
rows and then down columns, in doubles that are kept as floats between the two, each sum in order."""
from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from ._arrays import Picture
from ._errors import BadArgument

LOBES = 3
MOST_SIDE, MOST_TIMES = 1 << 30, 1024


class Size(NamedTuple):
    """What a picture becomes: rows and columns, cut to others in its middle, or each pixel times."""

    rows: int
    columns: int
    cut: tuple[int, int]
    times: int


def _scaled(side: int, factor: float, divisor: float) -> int:
    return max(1, int(np.floor(side * factor / divisor + 0.5)))


def _boxed(rule: str, width: int, height: int, columns: int, rows: int) -> tuple[int, int]:
    fit = rule == "fit:"
    across, down = _scaled(columns, height, rows), _scaled(rows, width, columns)
    if (width * rows <= height * columns) == fit:
        return width, down if fit or down > height else height
    return across if fit or across > width else width, height


def size_of(resize: Any, columns: int, rows: int) -> Size:
    """A size as the command takes it, or a width and a height."""
    text = "x".join(map(str, resize)) if isinstance(resize, (tuple, list)) else str(resize)
    found = re.fullmatch(r"up:(\d+)", text)
    if found and 1 <= int(found[1]) <= MOST_TIMES:
        return Size(rows, columns, (rows, columns), int(found[1]))
    found = re.fullmatch(r"([0-9.]+) *%", text)
    if found and float(found[1]) > 0:
        high, wide = (_scaled(side, float(found[1]), 100) for side in (rows, columns))
        return Size(high, wide, (high, wide), 1)
    found = re.fullmatch(r"(fit:|fill:|)(\d*)[xX](\d*)", text)
    if not found or not (found[2] or found[3]) or (found[1] and not (found[2] and found[3])):
        raise BadArgument(f"resize {text}: must be a width and a height, or WxH, Wx, xH, P%, fit:WxH, "
                          "fill:WxH or up:N")
    width, height = int(found[2] or 0), int(found[3] or 0)
    if max(width, height) > MOST_SIDE or (found[2] and not width) or (found[3] and not height):
        raise BadArgument(f"resize {text}: a side has 1 to {MOST_SIDE} pixels")
    if found[1]:
        cut = (height, width)
        width, height = _boxed(found[1], width, height, columns, rows)
        return Size(height, width, cut if found[1] == "fill:" else (height, width), 1)
    width = width or _scaled(columns, height, rows)
    height = height or _scaled(rows, width, columns)
    return Size(height, width, (height, width), 1)


def _sin_pi(x: np.ndarray) -> np.ndarray:
    whole = np.floor(x)
    rest = x - whole
    angle = np.pi * np.where(rest > 0.5, 1 - rest, rest)
    square, term, total = angle * angle, angle, angle
    for n in range(2, 23, 2):
        term = -term * square / (n * (n + 1))
        total = total + term
    return np.where(whole % 2 == 1, -1.0, 1.0) * total


def _lanczos(x: np.ndarray) -> np.ndarray:
    x = np.abs(x)
    inside = np.where((x < LOBES) & (x >= 1e-9), x, 1.0)
    value = LOBES * _sin_pi(inside) * _sin_pi(inside / LOBES) / (np.pi * np.pi * inside * inside)
    return np.where(x >= LOBES, 0.0, np.where(x < 1e-9, 1.0, value))


def _filter(size_in: int, size_out: int) -> tuple[np.ndarray, np.ndarray]:
    """Where the taps of each output pixel begin, and their weights; those past the end are 0."""
    step = size_in / size_out
    scale = max(step, 1.0)
    reach = LOBES * scale
    most = min(int(2 * reach) + 2, size_in)
    centre = (np.arange(size_out) + 0.5) * step
    first = np.maximum(np.floor(centre - reach + 0.5), 0).astype(np.int64)
    last = np.minimum(np.floor(centre + reach + 0.5), size_in).astype(np.int64)
    count = np.minimum(last - first, most)
    weights, total = np.zeros((most, size_out)), np.zeros(size_out)
    for k in range(most):
        weights[k] = np.where(k < count, _lanczos((first + k + 0.5 - centre) / scale), 0)
        total = total + weights[k]
    return first, weights / total


def _mixed(values: np.ndarray, size_out: int) -> np.ndarray:
    """Doubles along the first axis."""
    first, weights = _filter(len(values), size_out)
    result = np.zeros((size_out, *values.shape[1:]))
    behind = (slice(None),) + (None,) * (values.ndim - 1)
    for k, weight in enumerate(weights):
        result += weight[behind] * values[np.minimum(first + k, len(values) - 1)]
    return result


def _power(x: np.ndarray, y: float) -> np.ndarray:
    """x to the y by the library's series (src/number/power.c); x above 0."""
    m, exponent = np.frexp(x)
    low = m < 0.70710678118654752
    m, exponent = np.where(low, 2 * m, m), exponent - low
    s = (m - 1) / (m + 1)
    square, log = s * s, np.zeros_like(s)
    for n in range(23, 0, -2):
        log = log * square + 1.0 / n
    log = 2 * s * log
    whole = y * exponent
    k = np.floor(whole + 0.5)
    f = (whole - k) * 0.693147180559945309417 + y * log
    more = np.floor(f / 0.693147180559945309417 + 0.5)
    f = f - more * 0.693147180559945309417
    power = np.ones_like(f)
    for n in range(16, 0, -1):
        power = 1 + power * f / n
    return np.ldexp(power, (k + more).astype(np.int64))


def _light(x: np.ndarray) -> np.ndarray:
    curved = x > 0.04045
    return np.where(curved, _power(np.where(curved, (x + 0.055) / 1.055, 1.0), 2.4), x / 12.92)


def _srgb(x: np.ndarray) -> np.ndarray:
    curved = x > 0.04045 / 12.92
    return np.where(curved, 1.055 * _power(np.where(curved, x, 1.0), 1 / 2.4) - 0.055, 12.92 * x)


def _lanczos_resized(array: np.ndarray, white: int, size: Size, light: bool) -> np.ndarray:
    real = array.dtype == np.float32
    if light:
        table = None if real else _light(np.arange(white + 1) / white).astype(np.float32)
        values = _light(array.astype(np.float64)).astype(np.float32) if real else table[array]
    else:
        values = array.astype(np.float32)
    across = _mixed(values.swapaxes(0, 1), size.columns).astype(np.float32).swapaxes(0, 1)
    mixed = _mixed(across, size.rows)
    if real:
        return (_srgb(mixed) if light else mixed).astype(np.float32)
    if light:
        return np.searchsorted(_light((np.arange(white) + 0.5) / white), mixed,
                               side="right").astype(array.dtype)
    return np.clip(np.floor(mixed + 0.5), 0, white).astype(array.dtype)


def _page(array: np.ndarray, white: int, size: Size, light: bool) -> np.ndarray:
    if size.times > 1:
        return array.repeat(size.times, 0).repeat(size.times, 1)
    if array.shape[:2] != (size.rows, size.columns):
        array = _lanczos_resized(array, white, size, light)
    top, left = (size.rows - size.cut[0]) // 2, (size.columns - size.cut[1]) // 2
    return np.ascontiguousarray(array[top:top + size.cut[0], left:left + size.cut[1]])


def resized(source: Picture, resize: Any, light: bool) -> Picture:
    """A picture of another size; `light` says that light is mixed, not samples."""
    size = size_of(resize, *source.size[::-1])
    if source.boolean and size.times == 1:  # bits become tones
        source = source._replace(array=source.array * np.uint8(255), maxval=255, boolean=False)
    white = source.maxval or (0 if source.array.dtype == np.float32
                              else int(np.iinfo(source.array.dtype).max))
    if not source.stack:
        return source._replace(array=_page(source.array, white, size, light))
    return source._replace(array=np.stack([_page(page, white, size, light)
                                           for page in source.array]))
