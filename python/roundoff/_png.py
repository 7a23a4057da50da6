# SPDX-License-Identifier: MIT
"""PNG files in memory, for what Jupyter shows; Pillow is not needed."""
from __future__ import annotations

import struct
import zlib
from typing import Optional

import numpy as np

MOST = 1600  # pixels a side that are shown


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(image: np.ndarray, palette: Optional[np.ndarray] = None, bits: int = 8) -> bytes:
    """A picture of uint8, grey, RGB or numbers of a palette; `bits` 1 is for 0 and 255 only."""
    image = np.ascontiguousarray(image)
    height, width = image.shape[:2]
    kind = 3 if palette is not None else 2 if image.ndim == 3 else 0
    rows = np.packbits(image > 0, axis=1) if bits == 1 else image.reshape(height, -1)
    lines = np.zeros((height, rows.shape[1] + 1), np.uint8)  # a filter byte before each
    lines[:, 1:] = rows
    parts = [b"\x89PNG\r\n\x1a\n",
             _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, kind, 0, 0, 0))]
    if palette is not None:
        parts.append(_chunk(b"PLTE", np.ascontiguousarray(palette, np.uint8).tobytes()))
    parts += [_chunk(b"IDAT", zlib.compress(lines.tobytes(), 6)), _chunk(b"IEND", b"")]
    return b"".join(parts)


def shown(image: np.ndarray) -> np.ndarray:
    """A picture as bytes, with pixels left out where there are too many to look at."""
    step = max(1, -(-max(image.shape[:2]) // MOST))
    image = image[::step, ::step]
    if image.dtype.kind == "f":
        return (np.clip(image, 0, 1) * 255 + 0.5).astype(np.uint8)
    if image.dtype != np.uint8:
        most = int(image.max()) or 1
        return (image.astype(np.uint32) * 255 // most).astype(np.uint8)
    return image
