# SPDX-License-Identifier: MIT
"""Figures: what a call says of its result, and what an eye sees of a halftone."""
from __future__ import annotations

from html import escape
from typing import Any, Optional

from . import _core, _run
from ._arrays import picture
from ._errors import BadArgument


class Figures(dict):
    """Figures by name, also as attributes; a table in Jupyter."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th>{escape(str(k))}</th><td>{escape(str(v))}</td></tr>"
                       for k, v in self.items())
        return f"<table>{rows}</table>"


def measure(original: Any, result: Any, *, dpi: Optional[float] = None,
            distance: Optional[float] = None, linear: bool = False, tile: Optional[int] = None,
            border: Optional[int] = None, maxval: Optional[int] = None, **run: Any) -> Figures:
    """What an eye sees of the error of a halftone: the figures of ``roundoff measure --json``."""
    how_to_run = _run.split(run)
    if run:
        raise TypeError(f"there is no option {next(iter(run))}")
    first, second = picture(original, maxval, "original"), picture(result, name="result")
    if first.stack or second.stack:
        raise BadArgument("measure takes one picture and its result, no stacks")
    options = dict(dpi=dpi, distance=distance, linear=int(linear), tile=tile, border=border)
    with _run.running(how_to_run) as how:
        return Figures(_core.measure(first.view(), second.view(), options, how))
