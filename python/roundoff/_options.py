# SPDX-License-Identifier: MIT
"""The options of `roundoff halftone` that are more than a number or a name."""
from __future__ import annotations

import re
from typing import Any, Callable, Mapping, Sequence, Union

import numpy as np

from . import _core
from ._arrays import picture
from ._errors import BadArgument
from ._inks import inks_of, turned
from ._keywords import Keywords, Members, choice

Colours = Union[str, Sequence[str], Sequence[Sequence[int]], np.ndarray]


def palette_text(palette: Colours) -> str:
    """Colours as the library reads them: a text, a list of colours as texts, or rows of red, green
    and blue from 0 to 255."""
    if isinstance(palette, str):
        return palette
    if isinstance(palette, (list, tuple)) and palette and all(isinstance(c, str) for c in palette):
        return " ".join(palette)
    colours = np.asarray(palette)
    if colours.ndim != 2 or colours.shape[1] != 3 or colours.dtype.kind not in "iu" or \
            colours.size == 0 or colours.min() < 0 or colours.max() > 255:
        raise BadArgument("palette: must be a text, a list of texts, or rows of red, green and blue "
                          "from 0 to 255")
    return " ".join("#%02x%02x%02x" % tuple(int(v) for v in c) for c in colours)


def adapted(palette: Any) -> int:
    """How many colours "auto:16" asks for; 0: it is not that."""
    found = re.fullmatch(r"auto(?::([0-9]{1,4}))?", palette) if isinstance(palette, str) else None
    return int(found.group(1) or 16) if found else 0


def _pair(name: str, value: Any, pattern: str, example: str) -> tuple[float, float]:
    if isinstance(value, str):
        found = re.fullmatch(pattern, value.strip())
        if not found:
            raise BadArgument(f"{name} {value}: must look like {example}")
        value = found.groups()
    first, second = value
    return float(first), float(second)


def _range(value: Any, members: Members) -> None:
    if isinstance(value, str) and value in ("full", "limited"):
        members["range"] = value
    else:
        members["black"], members["white"] = _pair(
            "range", value, r"([0-9.eE+-]+) *, *([0-9.eE+-]+)", "full, limited, data or 64,940")


def _separate(value: Any, members: Members) -> None:
    # As one array both kinds of files are the same.
    place = choice("separate", str(value).removesuffix("-tiff"), ("none", "cmyk", "inks"))
    if place:
        members["channels"] = ("grey", "cmyk", "inks")[place]


def _kernel(value: Any, members: Members) -> None:
    divisor, taps = value
    members["kernel"] = int(divisor), [tuple(int(n) for n in tap) for tap in taps]


def _start(value: Any, members: Members) -> None:
    if isinstance(value, str):
        members["start"] = value
    else:
        members["first"] = picture(value, name="start").view()


def curve_of(value: Any) -> list[tuple[float, float]]:
    return [(float(a), float(b)) for a, b in value]


def _set(name: str, convert: Callable[[Any], Any]) -> Callable[[Any, Members], None]:
    def put(value: Any, members: Members) -> None:
        members[name] = convert(value)

    return put


def _of_call(value: Any, members: Members) -> None:
    """What halftone() does with the picture itself."""


OWN: Mapping[str, Callable[[Any, Members], None]] = {
    "range": _range, "separate": _separate, "kernel": _kernel, "start": _start,
    "palette": _set("palette", palette_text), "recolour": _set("recolour", palette_text),
    "screen": _set("screen", lambda image: picture(image, name="screen").view()),
    "spot": _set("spot", lambda image: picture(image, name="spot").view()),
    "curve": _set("curve", curve_of),
    "inks": _set("inks", lambda list_of: list_of), "ink": _set("ink", lambda screens: screens),
    "angles": _set("angles", lambda list_of: list_of),
    "resize": _of_call, "resample": _of_call,
}
HALFTONE = Keywords("halftone", "ro_halftone_options", own=OWN,
                    without=("content", "crop", "rotate", "mirror", "scale_after", "proof", "gain", "yule_nielsen", "profile_out",
                             "intent"))


def halftone_members(options: dict[str, Any]) -> Members:
    """The members that the options stand for, as the command has them together."""
    members = HALFTONE.take(options)
    if "inks" in members:
        members["channels"] = "inks"
    angles = members.pop("angles", None)
    if "inks" in members or "ink" in members or angles is not None:
        members["inks"] = inks_of(members.pop("inks", None), members.pop("ink", ()), members,
                                  palette_text, curve_of)
    if angles is not None:
        members["inks"] = turned(members["inks"], angles, options.get("ink") or (), members)
    return members
