# SPDX-License-Identifier: MIT
"""Pictures as light of a scene: amplitudes, depths, phases."""
from __future__ import annotations

import math
from typing import Any, Optional, Sequence

import numpy as np

from . import _core
from ._arrays import picture
from ._errors import BadArgument
from ._keywords import Members, choice, length, numbers

WAVELENGTH, PITCH = 635e-9, 8e-6  # unless said otherwise
PLACES = ("fit", "fill", "centre")  # RO_PLACE_FIT and those that follow


def amplitudes(image: Any) -> np.ndarray:
    """Floats are amplitudes; other samples are intensities, of colours what an eye sees of them."""
    source = picture(image, name="picture of a scene")
    if source.stack:
        raise BadArgument("a picture of a scene is one picture, no stack")
    array = source.array
    if array.dtype == np.float32:
        light = array.astype(np.float64) ** 2 if source.colour else None
    else:
        light = array / float(source.maxval or np.iinfo(array.dtype).max)
    if light is None:
        return np.ascontiguousarray(array)
    if source.colour:
        light = 0.2126 * light[..., 0] + 0.7152 * light[..., 1] + 0.0722 * light[..., 2]
    return np.sqrt(light).astype(np.float32)


def _place(image: np.ndarray, shape: Sequence[int], optics: Any, place: Any, ready: bool,
           how: Any) -> tuple[np.ndarray, float]:
    number = PLACES.index("fit") if place is None else choice("place", place, PLACES)
    pixels, stride, columns, rows, width = _core.hologram_place(
        _view(image), *shape, tuple(optics), number, ready, how)
    array = np.frombuffer(pixels, np.float32).reshape(rows, stride // 4)
    return np.ascontiguousarray(array[:, :columns]), width


def target_of(image: Any, shape: Sequence[int], optics: Any, place: Any, how: Any) -> np.ndarray:
    """A target's amplitudes at the pixels of a field."""
    return _place(amplitudes(image), shape, optics, place, False, how)[0]


def _numbers(image: Any, name: str, low: float, high: Optional[float], scaled: bool) -> np.ndarray:
    """A grey picture as numbers, black being `low` and white `high`; floats as they are unless they
    are scaled too."""
    source = picture(image, name=name)
    if source.colour or source.stack:
        raise BadArgument(f"{name}: must be grey")
    real = source.array.dtype == np.float32
    if real and not scaled:
        return np.ascontiguousarray(source.array)
    if high is None:
        raise BadArgument(f"{name}: give the depths of black and white with depth")
    white = 1.0 if real else float(source.maxval or np.iinfo(source.array.dtype).max)
    return (low + (high - low) * (source.array.astype(np.float64) / white)).astype(np.float32)


def _view(array: Optional[np.ndarray]) -> Any:
    return None if array is None else (array, _core.GREYF, 0)


def two_depths(value: Any) -> tuple[float, float]:
    """The nearest and the farthest, in metres."""
    both = numbers("depth", value)
    if len(both) != 2:
        raise BadArgument(f"depth {value}: must be two lengths, the nearest and the farthest")
    return length("depth", both[0]), length("depth", both[1])


def scene_of(given: Members, shape: Sequence[int], optics: Any,
             how: Any) -> tuple[list[tuple[Any, ...]], Members]:
    """The pictures of a scene in a field of this shape, and the members of its structure."""
    scene, mapped = given.pop("scene"), given.pop("depth_map", None)
    depth = given.pop("depth", None)
    phase, place = given.pop("phase", None), given.pop("place", None)
    wrong = set(given) - {"view_specific", "seed"}
    if wrong:
        raise BadArgument(f"{min(wrong)}: does not apply to a scene of pictures")
    near, far = (None, None) if depth is None else two_depths(depth)
    if depth is not None and mapped is None:
        raise BadArgument("depth: needs depth_map")
    pairs = [(scene, 0.0)] if mapped is not None else scene
    depths = phases = None
    if mapped is not None:
        depths = _numbers(mapped, "depth_map", near or 0.0, far, near is not None)
    if phase is not None and not isinstance(phase, str):
        if len(pairs) > 1:
            raise BadArgument("phase: an array takes exactly one picture")
        phases, phase = _numbers(phase, "phase", 0.0, 2 * math.pi, False), "given"
    members = dict(given, phase=phase)
    try:
        lights = [(amplitudes(image), length("scene", depth)) for image, depth in pairs]
    except (TypeError, ValueError) as error:
        if isinstance(error, BadArgument):
            raise
        raise BadArgument("scene: must be pairs of a picture and its depth, or one picture with "
                          "depth_map") from None
    alone = depths is None and phases is None
    if not alone and place == "fill":
        raise BadArgument("place fill: does not apply to depth_map and to an array of phases")
    pictures = []
    for image, depth in lights:
        placed, width = _place(image, shape, optics, place, True, how)
        pictures.append((_view(placed if alone else image), _view(depths), depth, _view(phases),
                         width))
    return pictures, members
