# SPDX-License-Identifier: MIT
"""Figures: what a call says of its result, and what an eye sees of a halftone."""
from __future__ import annotations

from html import escape
from typing import Any, Optional

from . import _core, _run
from ._arrays import picture
from ._errors import BadArgument
from ._keywords import Keywords
from ._options import palette_text


def _text(value: Any) -> str:
    if isinstance(value, list) and len(value) > 8:
        return f"{len(value)} of them"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


class Figures(dict):
    """Figures by name, also as attributes; a table in Jupyter."""

    def __getattr__(self, name: str) -> Any:
        try:
            value = self[name]
            return Figures(value) if type(value) is dict else value
        except KeyError:
            raise AttributeError(name) from None

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th>{escape(str(k))}</th><td>{escape(_text(v))}</td></tr>"
                       for k, v in self.items())
        return f"<table>{rows}</table>"


MEASURE = Keywords("measure", "ro_measure_options",
                   own={"palette": lambda value, members: members.update(adapted=palette_text(value))},
                   without=("resize",))


def measure(original: Any, result: Any, *, maxval: Optional[int] = None, **options: Any) -> Figures:
    """What an eye sees of the error of a halftone: the figures of ``roundoff measure --json``.

    The keywords are the options of ``roundoff measure``; ``maxval`` is that of the original. A
    result in colour has ``colour``: what an eye sees of differences of colour, adapted to the black
    and white of ``palette``.
    """
    run = _run.split(options)
    members = MEASURE.take(options)
    first, second = picture(original, maxval, "original"), picture(result, name="result")
    if first.stack or second.stack:
        raise BadArgument("measure takes one picture and its result, no stacks")
    adapted = members.pop("adapted", None)
    if adapted and not second.colour:
        raise BadArgument("palette: the result has no colours")
    with _run.running(run) as how:
        figures = Figures(_core.measure(first.view(), second.view(), members, how))
        if second.colour:
            seen = dict(members, **({"adapted": adapted} if adapted else {}))
            figures["colour"] = _core.measure_colour(first.view(), second.view(), seen, how)
    return figures


MEASURE.show(measure)
