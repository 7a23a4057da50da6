# SPDX-License-Identifier: MIT
"""A printer's tone curve from the scan of a printed wedge."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np

from . import _core, _run
from ._arrays import picture
from ._errors import BadArgument
from ._figures import Figures
from ._halftone import halftone
from ._keywords import Keywords

__all__ = ["Fit", "fit", "wedge"]


class Fit(NamedTuple):
    """Points for ``halftone(curve=…)`` and what was found in the scan."""

    curve: list[tuple[float, float]]
    figures: Figures


WEDGE = Keywords("calibrate", "ro_halftone_options", own={
    name: lambda value, members: None for name in ("patch", "curve")},
                 without=("ink", "linear"))
FIT = Keywords("calibrate", None, only={"ink", "linear"}, own={
    "ink": lambda value, members: members.update(ink=value),
    "linear": lambda value, members: members.update(linear=bool(value))})


def wedge(patch: Optional[int] = None, method: Optional[str] = None, *, dpi: float = 300,
          **options: Any) -> np.ndarray:
    """A wedge to print, 0 and 255; ``patch`` pixels a side, a multiple of 8 from 16 to 4096.

    Without ``patch`` it is 5 mm at ``dpi``. The keywords are those of ``roundoff calibrate wedge``,
    ``curve`` being points to try.
    """
    if patch is None:
        patch = max(16, min(4096, int(dpi * 5 / 25.4 / 8 + 0.5) * 8))
    unknown = set(options) - set(WEDGE.rows) - set(_run.KEYS)
    if unknown:
        raise TypeError(f"there is no option {unknown.pop()}")
    shape = _core.wedge_size(patch) if 0 <= patch <= 4096 else (0, 0)
    if 0 in shape:
        raise BadArgument(f"patch {patch}: must be a multiple of 8 from 16 to 4096")
    tones = np.empty(shape, np.uint8)
    with _run.running({}) as how:
        _core.wedge_draw(patch, (tones, _core.GREY8, 255), how)
    if options.get("lpi"):
        options["dpi"] = dpi
    return halftone(tones, method, **options)


WEDGE.show(wedge)


def fit(scan: Any, *, maxval: Optional[int] = None, **options: Any) -> Fit:
    """The curve that makes a print as light as its picture: ``roundoff calibrate fit``.

    ``ink``, a colour by name or "#rrggbb", says that the sheet is a plate, ``linear`` that the scan
    is linear in light, not sRGB.
    """
    run = _run.split(options)
    told = FIT.take(options)
    source = picture(scan, maxval, "scan")
    if source.stack:
        raise BadArgument("fit takes one scan, no stack")
    with _run.running(run) as how:
        colour = tuple(_core.palette_colours(f"{told['ink']} black white", how)[:3]) \
            if "ink" in told else None
        points, figures = _core.wedge_fit(source.view(), told.get("linear", False), colour, how)
    return Fit(points, Figures(figures))


FIT.show(fit)
