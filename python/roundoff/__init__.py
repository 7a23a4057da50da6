# SPDX-License-Identifier: MIT
"""Pictures with few bits, the rounding error kept where it does no harm.

>>> import roundoff
>>> bits = roundoff.halftone(image)                        # 0 and 255
>>> panel = roundoff.halftone(photo, palette="spectra6")   # colours of an e-paper
"""
from typing import NamedTuple

from . import _core, calibrate, hologram
from ._compare import Comparison, Entry, compare
from ._denoise import denoise
from ._errors import BadArgument, Cancelled, Error, OutOfMemory, SystemFailure
from ._figures import Figures, measure
from ._halftone import HalftoneStream, dither, halftone, palette, screen
from ._register import Field, register, warp
from ._segment import Contour, Segmentation, segment

__version__: str = _core.version

__all__ = [
    "BadArgument", "Cancelled", "Comparison", "Contour", "Device", "Entry", "Error", "Field", "Figures", "HalftoneStream",
    "Method", "OutOfMemory", "Palette", "Segmentation", "SystemFailure", "calibrate", "compare", "denoise",
    "devices", "dither", "halftone", "hologram", "measure", "methods", "palette", "palettes",
    "register", "screen", "segment", "warp",
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


def methods() -> list[Method]:
    """The halftoning methods."""
    return [Method(*row) for row in _core.methods()]


def palettes() -> list[Palette]:
    """The palettes that have a name."""
    return [Palette(*row) for row in _core.palettes()]


def devices() -> list[Device]:
    """The CPU first, then accelerators."""
    return [Device(*row) for row in _core.devices()]
