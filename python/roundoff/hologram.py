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
from ._scenes import PITCH, WAVELENGTH, scene_of, target_of

__all__ = ["Hologram", "Modulator", "Optics", "frame", "light", "make", "modulators", "propagate",
           "quantize", "reconstruct", "show"]


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


class Modulator(NamedTuple):
    """A device that can be bought: its levels by name or as complex numbers."""

    name: str
    title: str
    shape: tuple[int, int]
    pitch: float
    levels: Any
    source: str


def modulators() -> dict[str, Modulator]:
    """The modulators that are known, by their names."""
    return {name: Modulator(name, title, (rows, columns), pitch, levels or np.frombuffer(
                _core.modulator_levels(name), np.complex64), source)
            for name, title, rows, columns, pitch, levels, source in _core.modulators()}


def _complex(values: Any, name: str, axes: int) -> np.ndarray:
    """Complex numbers as they are, real ones as radians."""
    array = np.asarray(values)
    if array.ndim != axes or array.size == 0 or array.dtype.kind not in "cf":
        raise BadArgument(f"{name}: must be complex numbers, or radians, not {array.shape} of "
                          f"{array.dtype}")
    return np.ascontiguousarray(array if array.dtype.kind == "c" else np.exp(1j * array),
                                np.complex64)


def _table(levels: Any) -> Any:
    return _complex(levels, "levels", 1).view(np.float32).reshape(-1, 2), _core.GREYF, 0


def _take_levels(levels: Any, members: Members) -> None:
    """A name stays one, an array becomes a table."""
    if levels is None or isinstance(levels, str):
        members["levels"] = levels
    else:
        members["table"] = _table(levels)


def _take_source(source: Any, members: Members) -> None:
    members["source"] = _view(_complex(source, "source", 2))


def _view(field: np.ndarray) -> tuple[np.ndarray, int, int]:
    return field.view(np.float32), _core.GREYF, 0


def _ignored(value: Any, members: Members) -> None:
    """A parameter of its own here."""


def _kept(name: str) -> Any:
    def put(value: Any, members: Members) -> None:
        members[name] = value

    return put


OPTICS = {"wavelength", "pitch", "viewer", "viewing_area"}
OF_REFINEMENT = {"refine", "target", "place", "distance", "region", "light", "edges"}
OF_FRAMES = {"frames", "phase", "distance", "seed", "refine"}
MAKE = Keywords("hologram", "ro_hologram_scene", "ro_optics", topics=("make", "optics"), own={
    name: _kept(name) for name in ("scene", "depth_map", "depth", "phase", "place")}, without=("size",))
QUANTIZE = Keywords("hologram", "ro_hologram_options", "ro_refinement", "ro_frames", "ro_optics",
                    topics=("quantize", "refine", "optics"), own={
                        "levels": _take_levels, "source": _take_source,
                        **{name: _kept(name) for name in ("target", "frames", "place")}})
SHOW = Keywords("hologram", "ro_refinement", "ro_optics", topics=("show", "refine", "optics"), own={
    "levels": _take_levels, "source": _take_source, "size": _kept("size"), "lens": _kept("lens"),
    "modulator": _kept("modulator"), "place": _kept("place"), "wavelength": _kept("wavelength"),
    "pitch": _kept("pitch"), "distance": _kept("distance"), "seed": _kept("seed")},
    without=("target", "phase", "frames", "scene"))
PROPAGATE = Keywords("hologram", "ro_optics", topics=("propagate", "optics"), own={
    "distance": _ignored}, without=("seed", "levels"))
RECONSTRUCT = Keywords("hologram", "ro_view", "ro_optics", topics=("reconstruct", "optics"), own={
    "depth": _ignored, "levels": _ignored}, without=("seed", "reference", "place"))


def _with(optics: Optics, members: Members) -> Optics:
    """Optics with what keywords say of them."""
    known = {name: members.pop(name) for name in OPTICS if name in members}
    return Optics(*_core.hologram_optics(tuple(optics), known)) if known else optics


def make(size: Sequence[int], **options: Any) -> Hologram:
    """The field of a scene, ``size`` being rows and columns: ``roundoff hologram make``.

    Lengths are metres, or texts such as "635nm"; places and sizes are several numbers, or texts
    such as "0,0,-36mm". ``scene`` is a list of pictures and their depths, ``[(picture, "80mm")]``,
    or one picture with a ``depth_map``, whose black and white are at the two of ``depth`` (floats are
    metres). Integers are intensities, floats amplitudes. ``phase`` may be an array of radians.
    """
    run = _run.split(options)
    members = MAKE.take(options)
    rows, columns = size
    if rows < 1 or columns < 1:
        raise BadArgument(f"size {rows}, {columns}: must be rows and columns from 1 on")
    field = np.empty((rows, columns), np.complex64)
    if "scene" in members:
        optics = _with(Optics(wavelength=WAVELENGTH, pitch=PITCH), members)
        with _run.running(run) as how:
            pictures, scene = scene_of(members, (rows, columns), optics, how)
            return Hologram(field, Optics(*_core.hologram_pictures(
                _view(field), pictures, tuple(optics), scene, how)))
    if {"depth_map", "depth", "place"} & set(members) or not isinstance(members.get("phase", ""), str):
        raise BadArgument("depth_map, depth, place and an array of phases need a scene")
    optics = _with(Optics(), members)
    with _run.running(run) as how:
        return Hologram(field, Optics(*_core.hologram_make(_view(field), tuple(optics), members,
                                                           how)))


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


def _shown(source: np.ndarray, optics: Optics, members: Members, more: Members,
           run: dict[str, Any]) -> tuple[np.ndarray, Figures]:
    """Numbers of frames in time."""
    frames = more.pop("frames")
    if not 1 <= frames <= 1024:
        raise BadArgument(f"frames {frames}: must be 1 to 1024")
    result = np.empty((frames, *source.shape), np.uint8)
    with _run.running(run) as how:
        told = _core.hologram_frames(_view(source), [(one, _core.INDEX8, 255) for one in result],
                                     tuple(optics), members, more, how)
    return result, Figures(told)


def _refined(source: np.ndarray, optics: Optics, members: Members, more: Members,
             run: dict[str, Any]) -> tuple[np.ndarray, Figures]:
    """Numbers that were refined for a target."""
    wanted = more.pop("target", None)
    if wanted is None or "refine" not in more:
        raise BadArgument("refine and target need each other")
    result = np.empty(source.shape, np.uint8)
    with _run.running(run) as how:
        aim = target_of(wanted, source.shape, optics, more.pop("place", None), how)
        told = _core.hologram_refine(_view(source), (result, _core.INDEX8, 255),
                                     (aim, _core.GREYF, 0), tuple(optics), members, more, how)
    return result, Figures(told)


def _spots(places: Any) -> list[tuple[float, ...]]:
    """Rows of x, y, z and weight; without weights they are alike, without z in the focal plane."""
    array = np.asarray(places, np.float64)
    if array.ndim != 2 or array.shape[1] not in (2, 3, 4):
        raise BadArgument(f"spots are rows of x, y, z, weight, not {array.shape}")
    whole = np.zeros((len(array), 4))
    whole[:, 3] = 1
    whole[:, :array.shape[1]] = array
    return [tuple(row) for row in whole.tolist()]


def show(target: Any, modulator: Optional[str] = None, *, return_figures: bool = False,
         **options: Any) -> Any:
    """Numbers of levels that show a target: ``roundoff hologram show``.

    With ``distance`` the target is a picture in its plane; with ``lens``, a focal length, rows of x,
    y (downwards), z behind the focal plane and weight. ``levels`` may be an array of complex numbers
    or radians, ``source`` the light on the modulator, likewise. Without a ``modulator`` give ``size``
    (rows and columns) and ``pitch``. With three ``wavelength`` a colour target gives three arrays of
    numbers, one behind the other. ``frame`` makes of numbers what a modulator is sent.
    """
    run = _run.split(options)
    members = SHOW.take(options)
    waves = members.pop("wavelength", 532e-9)
    waves = numbers("wavelength", waves) if isinstance(waves, (list, tuple)) or (
        isinstance(waves, str) and "," in waves) else [waves]
    device = None
    if modulator is not None:
        known = modulators()
        if modulator not in known:
            raise BadArgument(f"modulator {modulator}: must be one of {', '.join(known)}")
        device = known[modulator]
        if not {"levels", "table"} & set(members):
            _take_levels(device.levels, members)
    shape = members.pop("size", device.shape if device else None)
    pitch = members.pop("pitch", device.pitch if device else None)
    if shape is None or pitch is None:
        raise BadArgument("show needs a modulator, or size and pitch")
    picture = np.asarray(target)
    if len(waves) > 1 and (picture.ndim != 3 or picture.shape[2] != len(waves)):
        raise BadArgument(f"{len(waves)} wavelengths need a target of as many colours")
    made = []
    for channel, wave in enumerate(waves):
        optics = Optics(wavelength=length("wavelength", wave), pitch=length("pitch", pitch))
        made.append(_show_one(picture[..., channel] if len(waves) > 1 else target, shape, optics,
                              dict(members), run))
    result = made[0][0] if len(waves) == 1 else np.stack([one for one, _ in made])
    told = made[0][1] if len(waves) == 1 else [figures for _, figures in made]
    return (result, told) if return_figures else result


def _show_one(target: Any, shape: Sequence[int], optics: Optics, members: Members,
              run: dict[str, Any]) -> tuple[np.ndarray, Figures]:
    result = np.empty(tuple(shape), np.uint8)
    of_levels = {name: members.pop(name) for name in ("levels", "table", "source")
                 if name in members}
    lens, seed = members.pop("lens", None), members.pop("seed", 0)
    place, away = members.pop("place", None), members.pop("distance", None)
    if (lens is None) == (away is None):
        raise BadArgument("show needs a distance or a lens, not both")
    with _run.running(run) as how:
        if lens is not None:
            told = _core.hologram_spots((result, _core.INDEX8, 255), _spots(target),
                                        length("lens", lens), int(members.get("refine") or 0),
                                        int(seed), tuple(optics), of_levels, how)
        else:
            optics = _with(optics, members)
            members["distance"] = length("distance", away)
            aim = target_of(target, shape, optics, place, how)
            told = _core.hologram_refine(None, (result, _core.INDEX8, 255), (aim, _core.GREYF, 0),
                                         tuple(optics), of_levels, members, how)
    return result, Figures(told)


SHOW.show(show)


def frame(levels_of: Any, modulator: str) -> np.ndarray:
    """What a modulator is sent for numbers of its levels."""
    array = np.ascontiguousarray(levels_of)
    if array.ndim != 2 or array.dtype != np.uint8 or array.size == 0:
        raise BadArgument(f"numbers of levels are uint8, not {array.shape} of {array.dtype}")
    data, rows, columns, stride = _core.modulator_frame(modulator, (array, _core.INDEX8, 255))
    return np.frombuffer(data, np.uint8).reshape(rows, stride)[:, :columns].copy()


def quantize(field: Any, levels: Any = None, optics: Optional[Optics] = None, *,
             return_figures: bool = False, **options: Any) -> Any:
    """Numbers of a modulator's levels (uint8), the noise kept out of the viewer's window.

    ``levels`` is "phase:256" unless said otherwise; "phase:N", "amplitude:N", "binary",
    "phase-binary", or an array of complex numbers or radians, as a modulator was measured. The keywords are the options of ``roundoff hologram quantize``: ``refine`` makes
    the light fit a picture ``target`` at a ``distance``, and ``frames`` gives several, one behind
    the other, whose mean is the field's.
    """
    run = _run.split(options)
    members = QUANTIZE.take(dict(options, levels=levels))
    source, optics = _pixels(field, optics)
    optics = _with(optics, members)
    names, work = (OF_FRAMES, _shown) if "frames" in members else (OF_REFINEMENT, _refined)
    more = {name: members.pop(name) for name in names if name in members}
    wrong = set(members) & (OF_FRAMES | OF_REFINEMENT)
    if wrong:
        raise BadArgument(f"{min(wrong)}: needs frames or refine")
    if more:
        result, told = work(source, optics, members, more, run)
        return (result, told) if return_figures else result
    target = np.empty(source.shape, np.uint8)
    with _run.running(run) as how:
        figures = _core.hologram_quantize(_view(source), (target, _core.INDEX8, 0), tuple(optics),
                                          members, return_figures or members.get("gain") == "auto",
                                          how)
    return (target, Figures(figures)) if return_figures else target


QUANTIZE.show(quantize)


def light(numbers: Any, levels: Any = "phase:256", optics: Optional[Optics] = None) -> Hologram:
    """The light that leaves a modulator at these numbers of levels."""
    array = readable(np.asarray(numbers))
    if array.ndim != 2 or array.dtype != np.uint8 or array.size == 0:
        raise BadArgument(f"numbers of levels are uint8, not {array.shape} of {array.dtype}")
    field = np.empty(array.shape, np.complex64)
    with _run.running({}) as how:
        named = isinstance(levels, str)
        _core.hologram_light((array, _core.INDEX8, 0), _view(field), levels if named else None,
                             None if named else _table(levels), how)
    return Hologram(field, optics or Optics())


def reconstruct(field: Any, optics: Optional[Optics] = None, *, depth: Any = None,
                levels: Any = "phase:256", **options: Any) -> Any:
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
            _core.hologram_reconstruct(_view(source), (seen, _core.GREYF, 0), tuple(optics),
                                       length("depth", place), members, how)
        views.append(seen)
    return views if several else views[0]


RECONSTRUCT.show(reconstruct)
