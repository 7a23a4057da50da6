# SPDX-License-Identifier: MIT
"""Arrays and Pillow images as views of pixels, copied only where the library cannot read them."""
from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Iterator, NamedTuple

import numpy as np

from . import _core
from ._errors import BadArgument

# By the character of the type: names take NumPy a microsecond.
GREY = {"B": _core.GREY8, "H": _core.GREY16, "f": _core.GREYF}
COLOUR = {"B": _core.RGB8, "H": _core.RGB16, "f": _core.RGBF}
PILLOW_MODES = ("1", "L", "P", "RGB", "RGBA", "I;16")


class Picture(NamedTuple):
    """Pixels in a type that the library has: a picture, or a stack of them along the first axis."""

    array: np.ndarray
    colour: bool
    maxval: int
    pillow: bool
    boolean: bool
    given: np.dtype  # of numbers that became others: given = zero + unit * array
    zero: float = 0
    unit: float = 1

    @property
    def stack(self) -> bool:
        return self.array.ndim == (4 if self.colour else 3)

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns."""
        at = 1 if self.stack else 0
        return self.array.shape[at], self.array.shape[at + 1]

    @property
    def format(self) -> int:
        return (COLOUR if self.colour else GREY)[self.array.dtype.char]

    def view(self) -> tuple[np.ndarray, int, int]:
        return readable(self.array), self.format, self.maxval

    def restored(self, result: np.ndarray) -> np.ndarray:
        """A result in the type and units of what was given."""
        if result.dtype == self.given:
            return result
        if self.given.kind == "f":
            return result.astype(self.given)
        if self.unit != 1:
            most = np.iinfo(self.given)
            top = float(most.max)
            if top > most.max:  # rounded up
                top = np.nextafter(top, 0)
            return np.clip(np.rint(result.astype(np.float64) * self.unit), float(most.min),
                           top).astype(self.given)
        wide = result.astype(np.uint64 if self.zero > 1 << 62 else np.int64)
        return (wide + wide.dtype.type(self.zero)).astype(self.given)

    @property
    def doubtful(self) -> bool:
        """Whether it holds what the library may refuse when it comes to that row."""
        if self.array.dtype.kind == "f":
            return not np.isfinite(self.array).all()
        return bool(self.maxval) and bool((self.array > self.maxval).any())

    def pages(self) -> Iterator[Picture]:
        for page in self.array:
            yield self._replace(array=page)


def is_pillow(image: Any) -> bool:
    return type(image).__module__.partition(".")[0] == "PIL"


def _numbers(array: np.ndarray, name: str) -> tuple[np.ndarray, int, float]:
    """Other integers and floats as the files' readers take them: counted from their least in 16
    bits where they span no more, else as floats, white being a power of two."""
    if array.dtype.kind == "f":
        with np.errstate(over="ignore"):
            floats = array.astype(np.float32)
        if np.isinf(floats).any() and np.isfinite(array[np.isinf(floats)]).any():
            raise BadArgument(f"{name}: holds numbers that are too large for float32")
        return floats, 0, 1
    if 0 in array.shape:
        return array.astype(np.uint16), 0, 1
    least, most = int(array.min()), int(array.max())
    if most - least <= 0xFFFF:
        wide = array if array.dtype.char in "LQ" else array.astype(np.int64)
        return (wide - wide.dtype.type(least)).astype(np.uint16), least, 1
    unit = 256.0
    while unit < max(most, -least):
        unit *= 2
    return (array / unit).astype(np.float32), 0, unit


def _over_white(array: np.ndarray, maxval: int | None) -> np.ndarray:
    """Colours with alpha as they look over white, as files with alpha are read."""
    if array.dtype.kind == "f":
        alpha = np.clip(array[..., 3:], 0, 1)
        return alpha * array[..., :3] + (1 - alpha)
    white = np.uint64(maxval or np.iinfo(array.dtype).max)
    wide = array.astype(np.uint64)
    alpha = np.minimum(wide[..., 3:], white)
    return ((alpha * wide[..., :3] + (white - alpha) * white + white // np.uint64(2)) //
            white).astype(array.dtype)


def check_floats(source: Picture, name: str = "image") -> None:
    """Refuses floats that are most likely in other units than 0, black, to 1, white. What resampling
    overshoots by is cut off by the library."""
    if source.array.dtype.char != "f" or source.unit != 1:
        return
    most = float(source.array.max())
    if most > 1 + 1 / 256:
        unit = "255" if most <= 255 else "65535" if most <= 65535 else f"{most:.9g}"
        raise BadArgument(f"{name}: floats go from 0, black, to 1, white, but there are some up to "
                          f"{most:.6g}: divide by {unit}, or say what white is, as range=(0, {unit})")


def picture(image: Any, maxval: int | None = None, name: str = "image",
            numbers: bool = False) -> Picture:
    """What a caller gave as a picture; BadArgument where it cannot be one. With `numbers` also
    integers and floats that the library has no samples for."""
    pillow = type(image) is not np.ndarray and is_pillow(image)
    if pillow:
        if image.mode not in PILLOW_MODES:
            raise BadArgument(f"{name}: Pillow's mode {image.mode} must be converted to L or RGB first")
        image = image.convert("RGB") if image.mode == "P" else image
    elif hasattr(image, "__cuda_array_interface__"):
        raise BadArgument(f"{name}: arrays on a device can be halftoned and denoised only")
    if isinstance(image, np.ma.MaskedArray) and np.ma.is_masked(image):
        raise BadArgument(f"{name}: some of its numbers are masked, and a mask cannot be taken into "
                          "account here: fill them in, as with image.filled(0)")
    array = np.asarray(image)
    char = array.dtype.char
    boolean = char == "?"
    given, zero, unit = array.dtype, 0, 1.0
    if boolean:
        array = array.view(np.uint8)
        if array.size and array.max() > 1:  # Pillow fills its booleans with 255
            array = np.minimum(array, 1)
        maxval = 1
    elif char == "d" and not numbers:
        array = array.astype(np.float32)
    elif not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype.char not in GREY and numbers and array.dtype.kind in "iuf":
        array, zero, unit = _numbers(array, name)
        if array.dtype.char == "H":
            maxval = max(int(array.max(initial=0)), 1) if maxval is None else maxval - zero
    if array.dtype.char not in GREY:
        raise BadArgument(f"{name}: arrays of {array.dtype} cannot be read: " +
                          ("integers, floats and bool can" if numbers else
                           "uint8, uint16, float32, float64 and bool can"))
    if array.ndim >= 3 and array.shape[-1] == 4 and not boolean:
        array = _over_white(array, maxval)
    colour = array.ndim >= 3 and array.shape[-1] == 3
    if array.ndim not in ((3, 4) if colour else (2, 3)):
        raise BadArgument(f"{name}: a shape of {array.shape} is no picture: height and width, "
                          "3 for colours or 4 with alpha behind, a number of pictures in front")
    if 0 in array.shape:
        raise BadArgument(f"{name}: a shape of {array.shape} is empty")
    if maxval is not None and (array.dtype == np.float32 or
                               not 1 <= maxval <= np.iinfo(array.dtype).max):
        raise BadArgument(f"{name}: a maxval of {maxval} does not suit {array.dtype}")
    return Picture(array, colour, maxval or 0, pillow, boolean, given, zero, unit)


@contextmanager
def filled(out: Any, result: np.ndarray, source: Picture) -> Iterator[np.ndarray]:
    """The array to write to: `out` keeps what it holds where the image may be refused half way."""
    if out is None or not source.doubtful:
        yield result
        return
    aside = np.empty_like(result)
    yield aside
    result[...] = aside


def readable(array: np.ndarray) -> np.ndarray:
    """The same array where rows lie one behind the other without gaps between pixels, else a copy."""
    return array if rows_are_whole(array) else np.ascontiguousarray(array)


def rows_are_whole(array: np.ndarray) -> bool:
    if array.flags.carray:
        return True
    step = array.itemsize
    for length, stride in zip(array.shape[:0:-1], array.strides[:0:-1]):
        if length > 1 and stride != step:
            return False
        step *= length
    return array.flags.aligned and (array.shape[0] == 1 or array.strides[0] >= step)


def target(out: Any, shape: tuple[int, ...], dtype: Any, source: np.ndarray) -> np.ndarray:
    """An array for a result: `out` where it fits, or a new one."""
    if out is None:
        return np.empty(shape, dtype)
    if not isinstance(out, np.ndarray):
        raise BadArgument("out: must be a NumPy array")
    if out.shape != shape or out.dtype != dtype:
        raise BadArgument(f"out: has the shape {out.shape} of {out.dtype}, the result "
                          f"{shape} of {np.dtype(dtype)}")
    if not out.flags.writeable:
        raise BadArgument("out: is read-only")
    if not all(rows_are_whole(page) for page in (out if len(shape) > 3 else [out])):
        raise BadArgument("out: its rows must lie one behind the other without gaps between pixels")
    if np.may_share_memory(out, source):
        raise BadArgument("out: shares memory with the image")
    return out
