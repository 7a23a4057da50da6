# SPDX-License-Identifier: MIT
"""The same for dask arrays: chunks are exact, without seams, for any chunking.

Error diffusion passes its errors from each band of rows to the one below, so that bands run one
after another; methods without errors to pass on run side by side.
"""
from __future__ import annotations

from typing import Any, Optional

import dask
import dask.array as da
import numpy as np

from ._denoise import denoise as _denoise_block
from ._errors import BadArgument
from ._halftone import HalftoneStream, kind_of
from ._options import halftone_members


def _band(block: np.ndarray, carry: Optional[bytes], height: int, first_row: int, last: bool,
          options: dict[str, Any]) -> tuple[np.ndarray, Optional[bytes]]:
    """The halftone of a band of rows, and what it carries on."""
    with HalftoneStream(height, block.shape[1], block.dtype, block.ndim == 3, first_row=first_row,
                        rows=len(block), carry=carry, **options) as stream:
        done = stream.push(block)
        return done, None if last else stream.carry()


def halftone(x: da.Array, method: Optional[str] = None, **options: Any) -> da.Array:
    """``roundoff.halftone`` of a dask array, height × width or with colours behind.

    The same bits as one call on the whole array. Bands are whole rows, chunked along the height as
    ``x`` is; methods that cannot be cut into bands raise BadArgument when computed.
    """
    if x.ndim != 2 and not (x.ndim == 3 and x.shape[2] == 3):
        raise BadArgument(f"a shape of {x.shape} is no picture")
    wide = x.rechunk({axis: -1 for axis in range(1, x.ndim)})
    asked = {key: options[key] for key in options if key not in (
        "packed", "indices", "maxval", "device", "device_number", "cpu", "threads")}
    kind = kind_of(halftone_members(dict(asked, method=method)), x.shape[1],
                   options.get("packed", False), options.get("indices", False))
    blocks = wide.to_delayed().ravel()
    heights = wide.chunks[0]
    band = dask.delayed(_band, nout=2, pure=True)
    carry: Any = None
    bands, first_row = [], 0
    for block, height in zip(blocks, heights):
        done, carry = band(block, carry, x.shape[0], first_row,
                           first_row + height == x.shape[0], dict(options, method=method))
        bands.append(da.from_delayed(done, (height, *kind.tail), kind.dtype))
        first_row += height
    return da.concatenate(bands)


def denoise(x: da.Array, *, iterations: int = 20, kappa: Optional[float] = None,
            **options: Any) -> da.Array:
    """``roundoff.denoise`` of a dask array of float32, chunks overlapping by the steps' reach.

    Levels of integers are one pass in row order, so the array must be of floats (0 to 1); kappa
    must be given unless the model is linear, since the noise is a figure of the whole picture.
    """
    if kappa is None and options.get("model") != "linear":
        raise BadArgument("kappa: must be given for chunks")
    if x.dtype != np.float32:
        raise BadArgument(f"denoise of chunks needs float32, not {x.dtype}")
    for name in ("sigma", "until_converged", "scheme"):
        if options.get(name):
            raise BadArgument(f"{name}: its reach is not known, so chunks would have seams")
    # A step looks at neighbours, and at theirs for the gradient.
    reach = 2 * iterations
    depth = {axis: reach if axis < 2 else 0 for axis in range(x.ndim)}
    wanted = dict(options, scheme="explicit", iterations=iterations, kappa=kappa)
    return da.map_overlap(lambda block: _denoise_block(block, **wanted), x, depth=depth,
                          boundary="none", dtype=np.float32, meta=np.empty((0,) * x.ndim, np.float32))
