# SPDX-License-Identifier: MIT
"""Methods side by side: times, figures, and the page of `roundoff compare --report`."""
from __future__ import annotations

import base64
import json
import math
import time
from html import escape
from importlib import resources
from typing import Any, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _core, _run
from ._arrays import Picture, picture
from ._errors import BadArgument
from ._figures import Figures
from ._halftone import halftone
from ._keywords import Keywords, Members, choice
from ._options import palette_text
from ._png import png

GREYS, FIELD = (8, 32, 64, 112, 170, 224, 244), 256  # whose texture is measured
RUNS, BUDGET = 3, 0.5  # of one method; seconds after which no other run begins
PAGE_BYTES = 4_900_000  # a page is no larger
TEXTURE = ("grain", "worms", "anisotropy")


def _here(value: Any, members: Members) -> None:
    """A parameter of its own here."""


COMPARE = Keywords("compare", "ro_measure_options", own={"methods": _here, "palette": _here, "fit": _here},
                   without=("resize",))


class Entry(NamedTuple):
    """A method, its result and its figures."""

    name: str
    image: np.ndarray
    figures: Figures


class Comparison:
    """Results of methods on one picture; a page to look at them in Jupyter."""

    def __init__(self, source: Picture, entries: list[Entry], head: dict[str, Any],
                 name: str) -> None:
        self._source, self.entries, self._head, self._name = source, entries, head, name

    def __getitem__(self, name: str) -> Entry:
        for entry in self.entries:
            if entry.name == name:
                return entry
        raise KeyError(name)

    def __iter__(self) -> Any:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __repr__(self) -> str:
        names = ("method", "speed", "psnr_gaussian", "ssim", "tone_error")
        lines = ["%-24s %12s %14s %8s %11s" % names]
        lines += ["%-24s %12.1f %14.2f %8.4f %+11.6f" % (e.name, *(e.figures[n] for n in names[1:]))
                  for e in self.entries]
        return "\n".join(lines)

    def page(self) -> str:
        """One HTML file that needs nothing else, as ``roundoff compare --report`` writes it."""
        rows, columns = self._source.size
        area = min(32.0 * PAGE_BYTES / (len(self.entries) + 8), float(rows * columns))
        while True:
            text = self._page(area)
            share = PAGE_BYTES / len(text)
            if share >= 1:
                return text
            area *= 0.95 * share

    def save(self, path: Any) -> None:
        """Writes the page."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.page())

    def _page(self, area: float) -> str:
        rows, columns = self._source.size
        x, y, width, height = _part(columns, rows, area)
        cut = np.s_[y:y + height, x:x + width]
        data = dict(version=_core.version, **self._head,
                    crop=dict(x=x, y=y, width=width, height=height),
                    original=_uri(_bytes(self._source)[cut]),
                    methods=[dict(_json(e), picture=_uri(e.image[cut])) for e in self.entries])
        return (f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
                f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
                f"<title>{escape(self._name)}</title>\n"
                f'<link rel="icon" href="data:,">\n<style>\n{_file("page.css")}</style>\n</head>\n'
                f"<body>\n<noscript>This page draws its plots with a script.</noscript>\n"
                f'<script type="application/json" id="data">'
                f'{json.dumps(data).replace("</", "<" + chr(92) + "/")}</script>\n'
                f'<script>\n{_file("plots.js")}{_file("compare.js")}</script>\n</body>\n</html>\n')

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{escape(self.page())}" width="100%" height="900" '
                f'style="border: 0"></iframe>')


def _file(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _bytes(source: Picture) -> np.ndarray:
    array = source.array
    if array.dtype == np.float32:
        return (np.clip(array, 0, 1) * 255 + 0.5).astype(np.uint8)
    white = source.maxval or np.iinfo(array.dtype).max
    return array if white == 255 else (array.astype(np.uint32) * 255 // white).astype(np.uint8)


def _uri(image: np.ndarray) -> str:
    bits = 1 if image.ndim == 2 and not np.any((image != 0) & (image != 255)) else 8
    return "data:image/png;base64," + base64.b64encode(png(image, bits=bits)).decode()


def _part(width: int, height: int, area: float) -> tuple[int, int, int, int]:
    """The part of a picture that the page shows: the middle, of about so many pixels."""
    whole = width, height
    if width * height > area:
        side = math.sqrt(area)
        if width < side:
            height = int(area / width)
        elif height < side:
            width = int(area / height)
        else:
            width = height = int(side)
        width = width & ~7 if width > 8 else width
    return (whole[0] - width) // 2 & ~7, (whole[1] - height) // 2, width, height


def _json(entry: Entry) -> dict[str, Any]:
    return {name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in dict(name=entry.name, **entry.figures).items()}


def _names(methods: Union[str, Sequence[str], None], palette: Optional[str]) -> list[str]:
    members = {"palette": palette}
    found: list[str] = []
    with _run.running({}) as how:
        if methods is None:
            for name in (row[0] for row in _core.methods() if row[0] != "screen"):
                try:
                    found.append(_core.method_named(name, members, how))
                except BadArgument:
                    if palette is None:
                        raise
            return found
        for name in methods.split(",") if isinstance(methods, str) else methods:
            method = _core.method_named(name, members, how)
            if method in found:
                raise BadArgument(f"methods: {method} is named twice")
            found.append(method)
    return found


def _entry(name: str, source: Picture, wedge: np.ndarray, options: dict[str, Any],
           measure: Members, adapted: Members, how: tuple[Any, ...]) -> Entry:
    colour = "palette" in options
    family = next(row[1] for row in _core.methods() if row[0] == name)
    fields: dict[str, Any] = {}
    if not colour:  # flat greys first, which also warms up
        flat = halftone(wedge, name)
        fields = _core.measure((wedge, _core.GREY8, 255), (flat, _core.GREY8, 255), {}, how)
    seconds, spent = math.inf, 0.0
    maxval = None if source.boolean else source.maxval or None
    given = source.array.view(bool) if source.boolean else source.array
    for run in range(RUNS):
        if run and spent >= BUDGET:
            break
        start = time.perf_counter()
        image = halftone(given, name, maxval=maxval, **options)
        took = time.perf_counter() - start
        seconds, spent = min(seconds, took), spent + took
    result = image, _core.RGB8 if colour else _core.GREY8, 255
    photo = _core.measure(source.view(), result, measure, how)
    figures = Figures(family=family)
    if colour:
        figures.update(_core.measure_colour(source.view(), result, dict(measure, **adapted),
                                             how))
    rows, columns = source.size
    figures.update(seconds=seconds, speed=rows * columns / seconds * 1e-6)
    figures.update((key, photo[key]) for key in ("psnr", "psnr_gaussian", "psnr_contrast", "ssim",
                                                 "tone_error", "tone_rms"))
    figures["border"] = photo["border"]["rms"]
    if any(field["rms"] > 0 for field in fields.get("fields", ())):
        figures.update((key, fields[key]) for key in TEXTURE)
        figures["clumping"] = fields["dots"]["clumping"] if "dots" in fields else 0.0
    return Entry(name, image, figures)


def compare(image: Any, methods: Union[str, Sequence[str], None] = None, *, palette: Any = None,
            name: str = "the picture", maxval: Optional[int] = None, **options: Any) -> Comparison:
    """Run methods on a picture and on flat greys, time and measure them: ``roundoff compare``.

    ``methods`` are names, or a text with commas between them; all of them unless said otherwise.
    ``palette`` compares in colour, ``fit`` being that of ``halftone``, and the eye is adapted to a
    panel or to what the picture is fitted to. The result holds images and figures by method, prints as a
    table, and shows itself in Jupyter as the page that the command writes; ``save`` writes it.
    """
    run = _run.split(options)
    measure = COMPARE.take(options)
    fit = choice("fit", options.get("fit") or "auto", ("auto", "none", "full"))
    if options.get("fit") is not None and palette is None:
        raise BadArgument("fit needs palette")
    source = picture(image, maxval)
    if source.stack:
        raise BadArgument("compare takes one picture, no stack")
    text = None if palette is None else palette_text(palette)
    if text is not None and measure.get("linear"):
        raise BadArgument("linear: palettes are always rounded in light")
    how_to_run: dict[str, Any] = dict(run)
    progress = how_to_run.pop("progress", None)
    halftoning: dict[str, Any] = dict(how_to_run)
    if text is not None:
        halftoning.update(palette=text, fit=("auto", "none", "full")[fit])
    if measure.get("linear"):
        halftoning["linear"] = True
    measure = dict({"dpi": 300.0, "distance": 300.0}, **measure)
    wedge = np.repeat(np.array(GREYS, np.uint8), FIELD)[:, None].repeat(FIELD, axis=1).copy()
    chosen = _names(methods, text)
    panel = text is not None and text.endswith("-panel")
    adapted = {"adapted": text} if panel or fit == 2 else {}
    entries = []
    with _run.running(how_to_run) as how, _run.running({"progress": progress}) as telling:
        for number, method in enumerate(chosen, 1):
            entries.append(_entry(method, source, wedge, halftoning, measure, adapted, how))
            if telling[4]:
                telling[4]("compare", number / len(chosen))
        sigma = _core.measure(source.view(), (entries[0].image, _core.RGB8 if text else _core.GREY8,
                                              255), measure, how)["sigma"]
    rows, columns = source.size
    head = dict(input=name, width=columns, height=rows, dpi=measure["dpi"],
                distance=measure["distance"], **adapted, sigma=sigma, machine=_core.devices()[0][2],
                greys=list(GREYS))
    if text is not None:
        with _run.running({}) as how:
            head["colours"] = len(_core.palette_colours(text, how)) // 3
    return Comparison(source, entries, head, name)


COMPARE.show(compare)
