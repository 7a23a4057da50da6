# SPDX-License-Identifier: MIT
"""Holograms: complex fields, and their levels for a modulator. Lengths are metres."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional, Sequence

import numpy as np

from . import _core, _run
from ._arrays import readable
from ._errors import BadArgument
from ._figures import Figures
from ._keywords import Keywords, Members, length, numbers
from ._png import png, shown

__all__ = ["Hologram", "Optics", "light", "make", "propagate", "quantize", "reconstruct"]


class Optics(NamedTuple):
    """What is known of a field's physics; zeros: not known."""

    wavelength: float = 0.0
    pitch: float = 0.0
    pitch_y: float = 0.0
    viewer: tuple[float, float, float] = (0.0, 0.0, 0.0)
    viewing_area: tuple[float, float] = (0.0, 0.0)
    depth: float = 0.0
    hogel: int = 0


class Hologram(NamedTuple):
    """A field of complex64 and its optics."""

    field: np.ndarray
    optics: Optics

    def _repr_png_(self) -> bytes:
        """The moduli, white being twice their mean."""
        moduli = np.abs(self.field)
        return png(shown(moduli / max(2 * float(moduli.mean()), 1e-30)))


def _pixels(field: Any, optics: Optional[Optics]) -> tuple[np.ndarray, Optics]:
    if isinstance(field, Hologram):
        field, optics = field.field, optics or field.optics
    array = np.asarray(field)
    if array.ndim != 2 or array.size == 0 or array.dtype.kind not in "cf":
        raise BadArgument(f"a field is an array of complex pixels, not {array.shape} of "
                          f"{array.dtype}")
    return np.ascontiguousarray(array, np.complex64), optics or Optics()


def _view(field: np.ndarray) -> tuple[np.ndarray, int, int]:
    return field.view(np.float32), _core.GRAYF, 0


def _ignored(value: Any, members: Members) -> None:
    """A parameter of its own here."""


def _die(number: int) -> Any:
    def put(value: Any, members: Members) -> None:
        size, depth = numbers("left, bottom, right", value)
        die = list(members.get("die", (0.0,) * 6))
        die[2 * number:2 * number + 2] = size, depth
        members["die"] = die

    return put


def _p(value: Any, members: Members) -> None:
    if value != "auto":
        members["p"] = int(value)


def _gain(value: Any, members: Members) -> None:
    members.update({"gain_auto": 1} if value == "auto" else {"gain": float(value)})


MAKE = Keywords("hologram", "ro_hologram_scene", topics=("make", "optics"), own={
    "left": _die(0), "bottom": _die(1), "right": _die(2),
    "unscaled": lambda value, members: members.update(scaled=int(not value))},
    without=("size", "scene", "depth_map", "near", "far", "hogel"))
QUANTIZE = Keywords("hologram", "ro_hologram_options", topics=("quantize", "optics"), own={
    "p": _p, "gain": _gain}, renamed={"snr": "least_snr"}, without=("seed",))
PROPAGATE = Keywords("hologram", "ro_hologram_options", topics=("propagate", "optics"), own={
    "distance": _ignored}, without=("hogel", "seed"))
RECONSTRUCT = Keywords("hologram", "ro_view", topics=("reconstruct", "optics"), own={
    "depth": _ignored, "levels": _ignored}, without=("hogel", "seed", "reference"))


def _with(optics: Optics, members: Members) -> Optics:
    """Optics with what keywords say of them."""
    known = {name: members.pop(name) for name in Optics._fields if name in members}
    return optics._replace(**known)


def make(size: Sequence[int], **options: Any) -> Hologram:
    """The field of a scene, ``size`` being rows and columns: ``roundoff hologram make``.

    Lengths are metres, or texts such as "635nm"; places and sizes are several numbers, or texts
    such as "0,0,-36mm".
    """
    run = _run.split(options)
    members = MAKE.take(options)
    rows, columns = size
    if rows < 1 or columns < 1:
        raise BadArgument(f"size {rows}, {columns}: must be rows and columns from 1 on")
    field = np.empty((rows, columns), np.complex64)
    members.setdefault("scaled", 1)
    with _run.running(run) as how:
        return Hologram(field, Optics(*_core.hologram_make(_view(field), members, how)))


MAKE.show(make)


def propagate(field: Any, distance: Any, optics: Optional[Optics] = None,
              **options: Any) -> Hologram:
    """The field ``distance`` further, positive in the direction of the light."""
    run = _run.split(options)
    source, optics = _pixels(field, optics)
    optics = _with(optics, PROPAGATE.take(options))
    result = np.empty_like(source)
    with _run.running(run) as how:
        _core.hologram_propagate(_view(source), _view(result), tuple(optics),
                                 length("distance", distance), how)
    return Hologram(result, optics)


PROPAGATE.show(propagate)


def quantize(field: Any, levels: Optional[str] = None, optics: Optional[Optics] = None, *,
             return_figures: bool = False, **options: Any) -> Any:
    """Numbers of a modulator's levels (uint8), the noise kept out of the viewer's window.

    ``levels`` is "phase:256" unless said otherwise; "phase:N", "amplitude:N", "binary",
    "phase-binary". The keywords are the options of ``roundoff hologram quantize``.
    """
    run = _run.split(options)
    members = QUANTIZE.take(dict(options, levels=levels))
    if "least_snr" in members and "gain_auto" not in members:
        raise BadArgument("snr: needs gain=\"auto\"")
    hogel = members.pop("hogel", None)
    source, optics = _pixels(field, optics)
    optics = _with(optics, members)
    if hogel is not None:
        members["hogel"] = hogel
    target = np.empty(source.shape, np.uint8)
    with _run.running(run) as how:
        figures = _core.hologram_quantize(_view(source), (target, _core.INDEX8, 0), tuple(optics),
                                          members, return_figures or "gain_auto" in members, how)
    return (target, Figures(figures)) if return_figures else target


QUANTIZE.show(quantize)


def light(numbers: Any, levels: str = "phase:256", optics: Optional[Optics] = None) -> Hologram:
    """The light that leaves a modulator at these numbers of levels."""
    array = readable(np.asarray(numbers))
    if array.ndim != 2 or array.dtype != np.uint8 or array.size == 0:
        raise BadArgument(f"numbers of levels are uint8, not {array.shape} of {array.dtype}")
    field = np.empty(array.shape, np.complex64)
    with _run.running({}) as how:
        _core.hologram_light((array, _core.INDEX8, 0), _view(field), levels, how)
    return Hologram(field, optics or Optics())


def reconstruct(field: Any, optics: Optional[Optics] = None, *, depth: Any = None,
                levels: str = "phase:256", **options: Any) -> Any:
    """What an eye sees that focuses at ``depth`` (else where the optics say), as float32.

    Several depths give a list of views. ``field`` may also be numbers of ``levels``, as uint8: the
    light that such a modulator sends out is seen.
    """
    run = _run.split(options)
    members = RECONSTRUCT.take(options)
    if isinstance(field, np.ndarray) and field.dtype == np.uint8:
        field = light(field, levels, optics)
    source, optics = _pixels(field, optics)
    optics = _with(optics, members)
    several = isinstance(depth, (list, tuple)) or isinstance(depth, str) and "," in depth
    depths = numbers("depth", depth) if several else \
        [optics.depth if depth is None else length("depth", depth)]
    views = []
    for place in depths:
        seen = np.empty(source.shape, np.float32)
        with _run.running(run) as how:
            _core.hologram_reconstruct(_view(source), (seen, _core.GRAYF, 0), tuple(optics),
                                       members.get("normalize"), length("depth", place),
                                       members.get("scale", 0.0), how)
        views.append(seen)
    return views if several else views[0]


RECONSTRUCT.show(reconstruct)
