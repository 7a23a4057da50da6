# SPDX-License-Identifier: MIT
"""Pictures with few bits, the rounding error kept where it does no harm.

>>> import roundoff
>>> bits = roundoff.halftone(image)                        # 0 and 255
>>> panel = roundoff.halftone(photo, palette="spectra6")   # colours of an e-paper
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import _core, _run, calibrate, hologram
from ._arrays import COLOUR, GREY
from ._compare import Comparison, Entry, compare
from ._denoise import denoise
from ._errors import (BadArgument, Cancelled, Error, FieldFolds, NoMatch, OutOfMemory,
                      SystemFailure)
from ._figures import Figures, measure
from ._halftone import HalftoneStream, dither, halftone, palette, screen
from ._number import Product, mass_product
from ._register import Field, register, warp
from ._segment import Contour, Segmentation, segment

__version__: str = _core.version

__all__ = [
    "BadArgument", "Cancelled", "Comparison", "Contour", "Device", "Entry", "Error", "Field",
    "FieldFolds", "Figures", "HalftoneStream", "Method", "NoMatch", "OutOfMemory", "Palette",
    "Product", "Segmentation", "SystemFailure", "calibrate", "compare", "denoise", "devices",
    "dither", "halftone", "hologram", "mass_product", "measure", "methods", "palette", "palettes",
    "register", "screen", "segment",
    "testcard", "warp",
]


class Method(NamedTuple):
    """A halftoning method."""

    name: str
    family: str
    summary: str
    paper: str


class Palette(NamedTuple):
    """A built-in palette."""

    name: str
    summary: str
    source: str


class Device(NamedTuple):
    """What a call may run on."""

    kind: str
    index: int
    name: str
    detail: str
    memory: int


def testcard(size: tuple[int, int] = (1024, 1024), *, colour: bool = False,
             bits: int = 8) -> np.ndarray:
    """The built-in test card, ``size`` being rows and columns: ``roundoff testcard``."""
    rows, columns = size
    if not (1 <= rows <= 1 << 20 and 1 <= columns <= 1 << 20) or bits not in (8, 16):
        raise BadArgument("a test card has rows and columns from 1 on, and 8 or 16 bits")
    card = np.empty((rows, columns, 3) if colour else (rows, columns),
                    np.uint8 if bits == 8 else np.uint16)
    with _run.running({}) as how:
        _core.testcard((card, (COLOUR if colour else GREY)[card.dtype.char], 0), how)
    return card


def methods() -> list[Method]:
    """The halftoning methods."""
    return [Method(*row) for row in _core.methods()]


def palettes() -> list[Palette]:
    """The palettes that have a name."""
    return [Palette(*row) for row in _core.palettes()]


def devices() -> list[Device]:
    """The CPU first, then accelerators."""
    return [Device(*row) for row in _core.devices()]
