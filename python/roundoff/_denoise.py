# SPDX-License-Identifier: MIT
"""Denoising by diffusion in small numbers."""
from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np

from . import _core, _run
from ._arrays import picture, target
from ._errors import BadArgument
from ._figures import Figures

WHITE_IS_MAXVAL = 0xFFFFFFFF


def denoise(image: Any, model: Optional[str] = None, *, iterations: Optional[int] = None,
            kappa: Optional[float] = None, white: Union[int, str, None] = None,
            sigma: Optional[float] = None, time_step: Optional[float] = None,
            scheme: Optional[str] = None, number: Optional[str] = None,
            rounding: Optional[str] = None, round: Optional[str] = None,
            independent: bool = False, until_converged: bool = False,
            impulse: bool = False, diffusivity: Optional[str] = None,
            schedule: Optional[str] = None, steps_at_once: Optional[int] = None,
            seed: Optional[int] = None, stop: Optional[str] = None,
            out: Optional[np.ndarray] = None,
            maxval: Optional[int] = None, return_figures: bool = False, **run: Any) -> Any:
    """Smooth noise away and keep edges; integers keep their sum to the last unit.

    The keywords are the options of ``roundoff denoise``. ``model`` is "anisotropic",
    "perona-malik", "exponential", "edge-enhancing" or "linear"; ``diffusivity`` is
    "perona-malik", "exponential", "decay" or "lines". The result has the shape and type of the image; of a
    stack every picture is done on its own. Without ``iterations`` as many steps are done as
    ``stop`` says: "auto" or "usual". With ``return_figures`` also what was done: sums,
    extrema, energies, kappa, steps.
    """
    how_to_run = _run.split(run)
    if run:
        raise TypeError(f"there is no option {next(iter(run))}")
    source = picture(image, maxval)
    if source.boolean:
        raise BadArgument("image: bool has no levels to smooth")
    result = target(out, source.array.shape, source.array.dtype, source.array)
    options = dict(model=model, iterations=iterations, kappa=kappa, sigma=sigma,
                   time_step=time_step, scheme=scheme, number=number, rounding=rounding,
                   round=round, independent=int(independent), until_converged=int(until_converged),
                   impulse=int(impulse), diffusivity=diffusivity,
                   schedule=schedule, steps_at_once=steps_at_once, seed=seed,
                   stop=stop,
                   white=WHITE_IS_MAXVAL if white == "maxval" else white)
    figures: list[Figures] = []
    with _run.running(how_to_run) as how:
        pages = zip(source.pages(), result) if source.stack else [(source, result)]
        for page, to in pages:
            figures.append(Figures(_core.denoise(page.view(), (to, page.format, page.maxval),
                                                 options, how)))
    done: Any = result
    if source.pillow and out is None:
        from PIL import Image

        done = Image.fromarray(result)
    if return_figures:
        return done, figures if source.stack else figures[0]
    return done
