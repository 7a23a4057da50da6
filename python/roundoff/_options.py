# SPDX-License-Identifier: MIT
"""The options of `roundoff halftone` with underscores, as members of the library's structure."""
from __future__ import annotations

import re
from typing import Any, Sequence, TypedDict, Union

import numpy as np

from . import _core
from ._arrays import picture
from ._errors import BadArgument

Colours = Union[str, Sequence[Sequence[int]], np.ndarray]


class HalftoneOptions(TypedDict, total=False):
    """Keywords of halftone, as `roundoff halftone --help` explains them."""

    bits: int
    threshold: Union[int, str]
    schedule: str
    seed: int
    strength: int
    noise: int
    serpentine: bool
    kernel: tuple[int, Sequence[tuple[int, int, int]]]
    like: str
    cell: int
    lpi: float
    angle: float
    dot: int
    dpi: float
    dpi_y: float
    shape: str
    screen: Any
    white: float
    range: Union[str, tuple[float, float]]
    linear: bool
    gamma: float
    curve: Sequence[tuple[float, float]]
    invert: bool
    brightness: float
    contrast: float
    channels: str
    phases: str
    fit: str
    overshoot: int
    separate: str
    black: float
    view: Union[str, tuple[float, float]]
    sigma: float
    radius: int
    aim: str
    order: str
    start: Any
    rounds: int
    shadow: Union[str, tuple[int, int]]


CHANNELS = {"grey": 0, "rgb": 1, "cmyk": 2}
AS_THEY_ARE = set(HalftoneOptions.__annotations__) & set(_core.halftone_members()) - {
    "channels", "start", "overshoot", "threshold", "range", "fit"}


def adapted_count(palette: Any) -> int:
    """The N of "auto:N", 16 of "auto"; -1: it is another palette."""
    found = re.fullmatch(r"auto(?::([0-9]{1,4}))?", palette) if isinstance(palette, str) else None
    return int(found[1] or 16) if found else -1


def palette_text(palette: Colours) -> str:
    """Colours as the library reads them: a text, or rows of red, green, blue from 0 to 255."""
    if isinstance(palette, str):
        return palette
    colours = np.asarray(palette)
    if colours.ndim != 2 or colours.shape[1] != 3 or colours.dtype.kind not in "iu" or \
            colours.size == 0 or colours.min() < 0 or colours.max() > 255:
        raise BadArgument("palette: must be a text or rows of red, green and blue from 0 to 255")
    return " ".join("#%02x%02x%02x" % tuple(int(v) for v in c) for c in colours)


def _pair(name: str, value: Any, pattern: str, example: str) -> tuple[float, float]:
    if isinstance(value, str):
        found = re.fullmatch(pattern, value.strip())
        if not found:
            raise BadArgument(f"{name} {value}: must look like {example}")
        value = found.groups()
    first, second = value
    return float(first), float(second)


def _range(value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        return {"range": 1 + _choice("range", value, ("full", "limited"))}
    black, white = value
    return {"range_black": float(black), "range_white": float(white)}


def _choice(name: str, value: str, choices: Sequence[str]) -> int:
    if value not in choices:
        raise BadArgument(f"{name} {value}: must be {' or '.join(choices)}")
    return list(choices).index(value)


def halftone_members(options: dict[str, Any]) -> dict[str, Any]:
    """The members that the options stand for."""
    members: dict[str, Any] = {}
    for name, value in options.items():
        if value is None:
            continue
        if name in AS_THEY_ARE or name in ("method", "levels"):
            members[name] = value
        elif name == "bits":
            if not 1 <= value <= 16:
                raise BadArgument(f"bits {value}: must be from 1 to 16")
            members["levels"] = 1 << value
        elif name == "palette":
            members["palette"] = palette_text(value)
        elif name == "threshold":
            members["threshold"] = _core.BALANCED if value == "balanced" else value
        elif name == "white":
            members["range_white"] = value
        elif name == "range":
            members.update(_range(value))
        elif name == "channels":
            members["channels"] = _choice(name, value, tuple(CHANNELS))
        elif name == "separate":
            _choice(name, value, ("cmyk",))
            members["channels"] = CHANNELS["cmyk"]
        elif name == "phases":
            members["same_phases"] = _choice(name, value, ("own", "same"))
        elif name == "black":
            members["grey_in_colour"] = 100 - value
        elif name == "fit":
            members["fit"] = int(_choice(name, value, ("auto", "none", "full")) == 2)
        elif name == "overshoot":
            members["overshoot"] = value
            members["clamp"] = 1
        elif name == "view":
            members["dpi"], members["distance"] = _pair(
                name, value, r"([0-9.]+) *dpi *, *([0-9.]+) *mm", "600dpi,300mm")
        elif name == "shadow":
            low, white = _pair(name, value, r"([0-9]+)/([0-9]+)", "9/255")
            members["shadow_of"], members["shadow_in"] = int(low), int(white)
        elif name == "curve":
            members["curve"] = [(float(a), float(b)) for a, b in value]
        elif name == "kernel":
            divisor, taps = value
            members["kernel"] = int(divisor), [tuple(int(n) for n in tap) for tap in taps]
        elif name == "screen":
            members["screen"] = picture(value, name="screen").view()
            members.setdefault("method", options.get("method") or "screen")
        elif name == "start":
            if isinstance(value, str):
                members["start"] = value
            else:
                members["first"] = picture(value, name="start").view()
        else:
            raise TypeError(f"there is no option {name}")
    panel = isinstance(options.get("palette"), str) and options["palette"].endswith("-panel")
    if panel and options.get("fit") in (None, "auto") and options.get("overshoot") is None:
        members["fit"] = 1
    return members
