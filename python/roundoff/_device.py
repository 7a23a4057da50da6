# SPDX-License-Identifier: MIT
"""Arrays in the memory of a CUDA device: CuPy, PyTorch, Numba and others, worked on where they lie.

What is told of them comes from ``__cuda_array_interface__`` or DLPack. Calls are put on the stream
that the array is used on, and return before they are done, as other calls of such libraries do.
"""
from __future__ import annotations

import sys
from typing import Any, NamedTuple, Optional

import numpy as np

from . import _core, _run
from ._arrays import COLOUR, GREY
from ._errors import BadArgument

CUDA = 2  # of DLPack's kinds of devices
TYPES = {(1, 8): "|u1", (1, 16): "<u2", (2, 32): "<f4", (6, 8): "|b1"}  # of DLPack


class DeviceArray(NamedTuple):
    """Where an array lies, and how."""

    owner: Any  # kept while the array is looked at
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]  # in bytes
    dtype: np.dtype
    read_only: bool
    number: Optional[int]  # of the device; None: the thread's own
    stream: int


def on_device(array: Any) -> bool:
    """Whether an array is in the memory of a CUDA device."""
    if getattr(array, "__cuda_array_interface__", None) is not None:
        return True
    tell = getattr(array, "__dlpack_device__", None)
    return tell is not None and tell()[0] == CUDA


def _library(array: Any) -> str:
    return type(array).__module__.partition(".")[0]


def _gapless(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    strides = [itemsize]
    for length in shape[:0:-1]:
        strides.insert(0, strides[0] * length)
    return tuple(strides[:len(shape)])


def _number_and_stream(array: Any) -> tuple[Optional[int], int]:
    """The device and its current stream, as the array's library has them; else the legacy stream."""
    library = _library(array)
    if library == "cupy":
        return int(array.device.id), int(sys.modules["cupy"].cuda.get_current_stream().ptr)
    if library == "torch":
        cuda = sys.modules["torch"].cuda
        return int(array.device.index or 0), int(cuda.current_stream(array.device).cuda_stream)
    return None, 0


def device_array(array: Any, name: str = "image") -> DeviceArray:
    """What is told of an array; BadArgument where it cannot be a picture."""
    number, stream = _number_and_stream(array)
    told = getattr(array, "__cuda_array_interface__", None)
    if told is not None:
        if told.get("mask") is not None:
            raise BadArgument(f"{name}: arrays with a mask cannot be read")
        address, read_only = told["data"]
        text, shape = told["typestr"], tuple(told["shape"])
        strides = told.get("strides")
        stream = stream or told.get("stream") or 0
        owner = array
    else:
        owner = array.__dlpack__(stream=stream or 1)
        address, number, code, bits, shape, strides = _core.read_dlpack(owner)
        text, read_only = TYPES.get((code, bits), f"DLPack's type {code} of {bits} bits"), False
        if strides is not None:
            strides = tuple(stride * (bits // 8) for stride in strides)
    if text not in ("|u1", "|b1", "<u2", "<f4"):
        raise BadArgument(f"{name}: arrays of {text} cannot be read on a device: uint8, uint16, "
                          "float32 and bool can")
    dtype = np.dtype(text)
    return DeviceArray(owner, address, shape, tuple(strides or _gapless(shape, dtype.itemsize)),
                       dtype, read_only, number, stream)


def _pictures(array: DeviceArray, colour: bool, maxval: int, name: str, format: Optional[int] = None,
              width: Optional[int] = None) -> list[tuple[int, int, int, int, int, int]]:
    """(address, format, width, height, stride, maxval) of each picture of a stack."""
    shape, strides, size = array.shape, array.strides, array.dtype.itemsize
    pixel = (3 if colour else 1) * size
    at = len(shape) - (3 if colour else 2)
    rows, columns = shape[at], shape[at + 1]
    whole = columns == 1 or strides[at + 1] == pixel
    whole = whole and (not colour or strides[at + 2] == size)
    whole = whole and (rows == 1 or strides[at] >= columns * pixel)
    if not whole:
        raise BadArgument(f"{name}: the rows of an array on a device must lie one behind the other "
                          "without gaps between pixels")
    if format is None:
        format = (COLOUR if colour else GREY)["B" if array.dtype.char == "?" else array.dtype.char]
    stride = strides[at] if rows > 1 else columns * pixel
    pages = [0] if at == 0 else [page * strides[0] for page in range(shape[0])]
    return [(array.address + offset, format, width or columns, rows, stride, maxval)
            for offset in pages]


def _made(like: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
    """A new array of the library that the picture is of."""
    library = _library(like)
    if library == "cupy":
        with like.device:
            return sys.modules["cupy"].empty(shape, dtype)
    if library == "torch":
        torch = sys.modules["torch"]
        return torch.empty(shape, dtype=getattr(torch, dtype.name), device=like.device)
    if library == "numba":
        from numba import cuda

        return cuda.device_array(shape, dtype)
    raise BadArgument(f"out: must be given for an array of {library}")


def _target(out: Any, like: Any, shape: tuple[int, ...], dtype: np.dtype,
            source: DeviceArray) -> tuple[Any, DeviceArray]:
    result = _made(like, shape, dtype) if out is None else out
    if not on_device(result):
        raise BadArgument("out: must be on the device, as the image is")
    there = device_array(result, "out")
    if there.shape != shape or there.dtype != dtype:
        raise BadArgument(f"out: has the shape {there.shape} of {there.dtype}, the result {shape} "
                          f"of {dtype}")
    if there.read_only:
        raise BadArgument("out: is read-only")
    if _overlap(there, source):
        raise BadArgument("out: shares memory with the image")
    return result, there


def _overlap(a: DeviceArray, b: DeviceArray) -> bool:
    def end(array: DeviceArray) -> int:
        reach = sum((n - 1) * s for n, s in zip(array.shape, array.strides))
        return array.address + reach + array.dtype.itemsize

    return a.address < end(b) and b.address < end(a)


def _how(run: dict[str, Any], source: DeviceArray) -> dict[str, Any]:
    if run.get("device") not in (None, "auto", "cuda"):
        raise BadArgument(f"device: the image is on a CUDA device, not on {run['device']}")
    number = run.get("device_number")
    return dict(run, device="cuda", device_number=source.number if number is None else number)


def _source(image: Any, maxval: Optional[int]) -> tuple[DeviceArray, bool, int]:
    """An array, whether it has colours, and its maxval."""
    source = device_array(image)
    colour = len(source.shape) >= 3 and source.shape[-1] == 3
    if len(source.shape) not in ((3, 4) if colour else (2, 3)) or 0 in source.shape:
        raise BadArgument(f"image: a shape of {source.shape} is no picture")
    most = {"?": 1, "B": 255, "H": 65535, "f": 0}[source.dtype.char]
    if maxval is not None and not 1 <= maxval <= most:
        raise BadArgument(f"image: a maxval of {maxval} does not suit {source.dtype}")
    return source, colour, maxval or most


def halftone(image: Any, members: dict[str, Any], packed: bool, indices: bool, out: Any,
             maxval: Optional[int], run: dict[str, Any]) -> Any:
    source, colour, white = _source(image, maxval)
    if colour:
        raise BadArgument("image: on a device only grey can be halftoned")
    rows, columns = source.shape[-2:]
    tail = (columns + 7) // 8 if packed else columns
    levels = members.get("levels") or 2
    tones = 0 if packed or indices else 255 // (levels - 1)
    if tones * (levels - 1) != 255 and tones:
        raise BadArgument(f"indices: must be True for {levels} levels on a device")
    if tones and out is not None:
        raise BadArgument("out: on a device it takes packed bits or numbers (indices=True)")
    result, there = _target(out, image, (*source.shape[:-2], rows, tail), np.dtype(np.uint8), source)
    with _run.running(_how(run, source)) as how:
        _core.halftone_device(
            _pictures(source, False, white, "image"),
            _pictures(there, False, 0, "out", _core.BITS if packed else _core.INDEX8, columns),
            members, how, source.stream)
    if tones > 1:
        result *= tones
    return result


def denoise(image: Any, options: dict[str, Any], out: Any, maxval: Optional[int],
            run: dict[str, Any]) -> Any:
    source, colour, white = _source(image, maxval)
    if source.dtype.char == "?":
        raise BadArgument("image: bool has no levels to smooth")
    result, there = _target(out, image, source.shape, source.dtype, source)
    with _run.running(_how(run, source)) as how:
        _core.denoise_device(_pictures(source, colour, white, "image"),
                             _pictures(there, colour, white, "out"), options, how, source.stream)
    return result
