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

__all__ = ["Fit", "fit", "wedge"]


class Fit(NamedTuple):
    """Points for ``halftone(curve=…)`` and what was found in the scan."""

    curve: list[tuple[float, float]]
    figures: Figures


def wedge(patch: int = 64, method: Optional[str] = None, **options: Any) -> np.ndarray:
    """A wedge to print, 0 and 255; ``patch`` pixels a side, a multiple of 8 from 16 to 4096."""
    shape = _core.wedge_size(patch) if 0 <= patch <= 4096 else (0, 0)
    if 0 in shape:
        raise BadArgument(f"patch {patch}: must be a multiple of 8 from 16 to 4096")
    tones = np.empty(shape, np.uint8)
    with _run.running({}) as how:
        _core.wedge_draw(patch, (tones, _core.GRAY8, 255), how)
    return halftone(tones, method, **options)


def fit(scan: Any, *, maxval: Optional[int] = None, **run: Any) -> Fit:
    """The curve that makes printed tones the ones asked for."""
    how_to_run = _run.split(run)
    if run:
        raise TypeError(f"there is no option {next(iter(run))}")
    source = picture(scan, maxval, "scan")
    if source.stack:
        raise BadArgument("fit takes one scan, no stack")
    with _run.running(how_to_run) as how:
        points, figures = _core.wedge_fit(source.view(), how)
    return Fit(points, Figures(figures))
