# SPDX-License-Identifier: MIT
"""Denoising by diffusion in small numbers."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _core, _device, _run
from ._arrays import filled, picture, target
from ._errors import BadArgument
from ._figures import Figures
from ._keywords import Keywords

# The result has the type of the image, so that nothing is to be said of it.
DENOISE = Keywords("denoise", "ro_denoise_options",
                   without=("bits", "float", "raw"))


def denoise(image: Any, model: Optional[str] = None, *, out: Optional[np.ndarray] = None,
            maxval: Optional[int] = None, seed: Optional[int] = None, return_figures: bool = False,
            **options: Any) -> Any:
    """Smooth noise away and keep edges; integers keep their sum to the last unit.

    The keywords are the options of ``roundoff denoise``. ``model`` is "trained", which is the
    default, "anisotropic", "edge-enhancing", "perona-malik" or "linear". The result has the shape and type
    of the image, which is of integers or floats; of a stack every picture is done on its own. ``seed`` is that of the implicit
    scheme's dither. With ``return_figures`` also what was done: sums, extrema, energies, kappa,
    steps. Arrays on a CUDA device are done there, if kappa is given.
    """
    run = _run.split(options)
    members = dict(DENOISE.take(dict(options, model=model)), seed=seed)
    if _device.on_device(image):
        if return_figures:
            raise BadArgument("return_figures: of an array on a device none are taken")
        return _device.denoise(image, members, out, maxval, run)
    source = picture(image, maxval, numbers=True)
    if source.boolean:
        raise BadArgument("image: bool has no levels to smooth")
    result = target(out, source.array.shape, source.given, source.array)
    work = result if source.given == source.array.dtype else np.empty_like(source.array)
    figures: list[Figures] = []
    with _run.running(run) as how, filled(out, work, source) as room:
        pages = zip(source.pages(), room) if source.stack else [(source, room)]
        for page, to in pages:
            figures.append(Figures(_core.denoise(page.view(), (to, page.format, page.maxval),
                                                 members, how)))
    if work is not result:
        result[...] = source.restored(work)
    done: Any = result
    if source.pillow and out is None:
        from PIL import Image

        done = Image.fromarray(result)
    if return_figures:
        return done, figures if source.stack else figures[0]
    return done


DENOISE.show(denoise)
