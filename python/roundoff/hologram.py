# SPDX-License-Identifier: MIT
"""Holograms: complex fields, and their levels for a modulator. Lengths are metres."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional, Sequence

import numpy as np

from . import _core, _run
from ._arrays import readable
from ._errors import BadArgument
from ._figures import Figures

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


def _run_of(run: dict[str, Any]) -> dict[str, Any]:
    taken = _run.split(run)
    if run:
        raise TypeError(f"there is no option {next(iter(run))}")
    return taken


def make(size: Sequence[int], *, target: Optional[str] = None, phase: Optional[str] = None,
         seed: Optional[int] = None, wavelength: Optional[float] = None,
         pitch: Optional[float] = None, fringe: Optional[float] = None,
         layers: Optional[int] = None, unscaled: bool = False, **run: Any) -> Hologram:
    """The field of a scene, ``size`` being rows and columns: ``roundoff hologram make``."""
    how_to_run = _run_of(run)
    rows, columns = size
    field = np.empty((rows, columns), np.complex64)
    scene = dict(target=target, phase=phase, seed=seed, wavelength=wavelength, pitch=pitch,
                 fringe=fringe, layers=layers, scaled=int(not unscaled))
    with _run.running(how_to_run) as how:
        return Hologram(field, Optics(*_core.hologram_make(_view(field), scene, how)))


def propagate(field: Any, distance: float, optics: Optional[Optics] = None, **run: Any) -> Hologram:
    """The field ``distance`` further, positive in the direction of the light."""
    how_to_run = _run_of(run)
    source, optics = _pixels(field, optics)
    result = np.empty_like(source)
    with _run.running(how_to_run) as how:
        _core.hologram_propagate(_view(source), _view(result), tuple(optics), distance, how)
    return Hologram(result, optics)


def quantize(field: Any, levels: Optional[str] = None, optics: Optional[Optics] = None, *,
             algorithm: Optional[str] = None, weights: Optional[str] = None,
             taps: Optional[int] = None, p: Optional[int] = None, hogel: Optional[int] = None,
             rho: Optional[float] = None, gain: Optional[float] = None,
             kappa: Optional[float] = None, window: Optional[Sequence[float]] = None,
             schedule: Optional[str] = None, return_figures: bool = False, **run: Any) -> Any:
    """Numbers of a modulator's levels (uint8), the noise kept out of the viewer's window.

    ``levels`` is "phase:256" unless said otherwise; "phase:N", "amplitude:N", "binary",
    "phase-binary". The keywords are the options of ``roundoff hologram quantize``.
    """
    how_to_run = _run_of(run)
    source, optics = _pixels(field, optics)
    numbers = np.empty(source.shape, np.uint8)
    options = dict(levels=levels, algorithm=algorithm, weights=weights, taps=taps, p=p,
                   hogel=hogel, rho=rho, gain=gain, kappa=kappa, schedule=schedule,
                   window=None if window is None else tuple(float(v) for v in window))
    with _run.running(how_to_run) as how:
        figures = _core.hologram_quantize(_view(source), (numbers, _core.INDEX8, 0), tuple(optics),
                                          options, return_figures, how)
    return (numbers, Figures(figures)) if return_figures else numbers


def light(numbers: Any, levels: str = "phase:256", optics: Optional[Optics] = None) -> Hologram:
    """The light that leaves a modulator at these numbers of levels."""
    array = readable(np.asarray(numbers))
    if array.ndim != 2 or array.dtype != np.uint8 or array.size == 0:
        raise BadArgument(f"numbers of levels are uint8, not {array.shape} of {array.dtype}")
    field = np.empty(array.shape, np.complex64)
    with _run.running({}) as how:
        _core.hologram_light((array, _core.INDEX8, 0), _view(field), levels, how)
    return Hologram(field, optics or Optics())


def reconstruct(field: Any, optics: Optional[Optics] = None, *, depth: Optional[float] = None,
                normalize: Optional[str] = None, scale: Optional[float] = None,
                **run: Any) -> np.ndarray:
    """What an eye sees that focuses at ``depth`` (else where the optics say), as float32."""
    how_to_run = _run_of(run)
    source, optics = _pixels(field, optics)
    seen = np.empty(source.shape, np.float32)
    with _run.running(how_to_run) as how:
        _core.hologram_reconstruct(_view(source), (seen, _core.GRAYF, 0), tuple(optics), normalize,
                                   optics.depth if depth is None else depth, scale or 0.0, how)
    return seen
