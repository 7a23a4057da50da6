# SPDX-License-Identifier: MIT
"""Inks of a separation, and the screen of each: `--inks` and `--ink` of the command."""
from __future__ import annotations

import re
from typing import Any, Callable, Mapping

from . import _core, _run
from ._errors import BadArgument

CMYK = (("cyan", (0, 174, 239), 15), ("magenta", (236, 0, 140), 75), ("yellow", (255, 242, 0), 0),
        ("black", (35, 31, 32), 45))
ANGLES = (45, 75, 15, 0, 60, 30, 22.5, 67.5)  # of inks of one's own, in their order


def above_zero(value: Any) -> bool:
    """Whether a number is given, as a text or as it is."""
    try:
        return float(value or 0) > 0
    except (TypeError, ValueError):
        return False  # the library refuses it


def _own(given: Any, palette_text: Callable[[Any], str]) -> list[dict[str, Any]]:
    """Inks from "#e30613,black", a list of such names, or rows of red, green and blue."""
    words = given if isinstance(given, str) else \
        given if all(isinstance(word, str) for word in given) else palette_text(given)
    names = [w for w in re.split(r"[ ,]+", words.strip()) if w] if isinstance(words, str) else \
        list(words)
    if not 1 <= len(names) <= len(ANGLES):
        raise BadArgument(f"inks: must be 1 to {len(ANGLES)} colours such as \"#e30613,black\"")
    inks = []
    for name, angle in zip(names, ANGLES):
        with _run.running({}) as how:
            colour = tuple(_core.palette_colours(f"{name} black white", how)[:3])
        inks.append(dict(name=name.removeprefix("#"), colour=colour, angle=angle))
    return inks


def _screens(given: Any) -> list[tuple[str, dict[str, Any]]]:
    """What is told of inks: {"cyan": {"lpi": 133}}, or "cyan:lpi=133,angle=15" or several."""
    if isinstance(given, Mapping):
        return [(name, dict(told)) for name, told in given.items()]
    screens = []
    for text in [given] if isinstance(given, str) else given:
        name, _, rest = text.partition(":")
        pairs = [word.partition("=")[::2] for word in rest.split(",") if word]
        screens.append((name, {key: value if key == "shape" else float(value)
                               for key, value in pairs if key != "curve" and value}))
        if len(screens[-1][1]) != len(pairs):
            raise BadArgument(f"ink {text}: must look like cyan:lpi=133,angle=15,shape=round; give "
                              "a curve by a dictionary")
    return screens


def inks_of(own: Any, screens: Any, members: dict[str, Any], palette_text: Callable[[Any], str],
            curve_of: Callable[[Any], Any]) -> list[tuple[Any, ...]]:
    """The inks as the extension wants them; sets the method where their screens ask for it."""
    if own is None:
        if members.get("channels") != "cmyk":
            raise BadArgument("ink: needs separate or inks")
        inks = [dict(name=name, colour=colour, angle=angle) for name, colour, angle in CMYK]
    else:
        inks = _own(own, palette_text)
    screened = False
    for name, told in _screens(screens):
        found = [ink for ink in inks if ink["name"] == name or (own is None and ink["name"][0] == (
            "b" if name == "k" else name) and len(name) == 1)]
        if not found:
            raise BadArgument(f"ink: there is no ink '{name}'")
        unknown = set(told) - {"lpi", "angle", "shape", "curve"}
        if unknown:
            raise BadArgument(f"ink {name}: there is no '{unknown.pop()}'; use lpi, angle, shape or "
                              "curve")
        screened = screened or "angle" in told or "shape" in told
        found[0].update(told)
    in_rows = sum(ink.get("lpi", 0) > 0 or above_zero(members.get("lpi")) for ink in inks)
    if (screened or in_rows) and in_rows < len(inks):
        raise BadArgument("ink: screens of inks need lines per inch: lpi for all, or for each")
    return [(ink["name"], *ink["colour"], float(ink.get("lpi", 0)),
             float(ink["angle"]) if in_rows else 0.0, ink.get("shape"),
             curve_of(ink["curve"]) if "curve" in ink else None) for ink in inks]


def turned(inks: list[tuple[Any, ...]], angles: Any, screens: Any, members: Mapping[str, Any]) \
        -> list[tuple[Any, ...]]:
    """The inks at other angles: one for each, or "auto": those of least moiré."""
    if any("angle" in told for _, told in _screens(screens)):
        raise BadArgument("angles and the angle of an ink exclude each other")
    if not all(ink[4] > 0 or above_zero(members.get("lpi")) for ink in inks):
        raise BadArgument("angles: screens of inks need lines per inch: lpi for all, or for each")
    if isinstance(angles, str) and angles.lower() == "auto":
        asked = {name: members[name] for name in ("lpi", "dpi", "shape") if name in members}
        with _run.running({}) as how:
            found = _core.angles(dict(asked, inks=inks), how)
    else:
        try:
            found = [float(a) for a in (angles.split(",") if isinstance(angles, str) else angles)]
        except ValueError:
            found = []
    if len(found) != len(inks):
        raise BadArgument(f"angles {angles}: must be auto, or degrees for each of {len(inks)} inks")
    return [(*ink[:5], angle, *ink[6:]) for ink, angle in zip(inks, found)]
