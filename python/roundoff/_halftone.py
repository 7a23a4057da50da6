# SPDX-License-Identifier: MIT
"""Halftoning: whole pictures, stacks and rows as they come."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np

from . import _core, _device, _run
from ._arrays import Picture, check_floats, filled, picture, readable, target
from ._errors import BadArgument
from ._keywords import Keywords, choice
from ._options import HALFTONE, Colours, adapted, halftone_members, palette_text
from ._resize import resized

BYTE = np.dtype(np.uint8)


class Kind(NamedTuple):
    """How a result lies in memory."""

    format: int
    dtype: np.dtype
    tail: tuple[int, ...]  # shape behind the height
    value: int  # maxval, or the width of packed bits

    def view(self, array: np.ndarray) -> tuple[np.ndarray, int, int]:
        return array, self.format, self.value


def kind_of(members: dict[str, Any], width: int, packed: bool, indices: bool) -> Kind:
    channels = str(members.get("channels", "grey")).lower()
    if packed:
        if indices or "palette" in members or "recolour" in members or channels != "grey":
            raise BadArgument("packed: only grey of two levels can be packed bits")
        return Kind(_core.BITS, BYTE, ((width + 7) // 8,), width)
    if channels in ("cmyk", "inks"):
        return Kind(_core.INDEX8, BYTE, (width,), 0)
    coloured = "palette" in members or "recolour" in members
    if channels == "rgb" or (coloured and not indices):
        if indices:
            raise BadArgument("indices: channels that are rounded each on its own have no numbers")
        return Kind(_core.RGB8, BYTE, (width, 3), 255)
    levels = str(members.get("levels", ""))
    if levels.isdigit() and int(levels) > 256:
        return Kind(_core.GREY16, np.dtype(np.uint16), (width,), int(levels) - 1)
    if indices:
        return Kind(_core.INDEX8, BYTE, (width,), 0)
    return Kind(_core.GREY8, BYTE, (width,), 255)


def _to_pillow(array: np.ndarray, source: Picture, members: dict[str, Any], kind: Kind) -> Any:
    from PIL import Image

    rows, columns = source.size
    if kind.format == _core.BITS:
        return Image.frombytes("1", (columns, rows), array.tobytes())
    if kind.format == _core.INDEX8 and "palette" in members:
        image = Image.fromarray(array, "P")
        image.putpalette(palette(members["palette"]).tobytes())
        return image
    return Image.fromarray(array)


def _adapt(source: Picture, count: int, options: dict[str, Any], run: dict[str, Any]) -> np.ndarray:
    """The colours that a picture is told best by."""
    if source.stack:
        raise BadArgument("palette: auto is for one picture, no stack")
    members = halftone_members(dict(options, palette=None, method=None))
    if {"range", "white"} & set(members):
        raise BadArgument("palette: auto takes all of the range, not a part of it")
    with _run.running(run) as how:
        found = _core.palette_adapt(source.view(), members, count, how)
    return np.frombuffer(found, np.uint8).reshape(-1, 3)


def halftone(image: Any, method: Optional[str] = None, *, levels: Optional[int] = None,
             palette: Optional[Colours] = None, packed: bool = False, indices: bool = False,
             out: Optional[np.ndarray] = None, maxval: Optional[int] = None, **options: Any) -> Any:
    """Round a picture to few levels or colours, the rounding error kept where it does no harm.

    Parameters
    ----------
    image : array or Pillow image
        uint8, uint16, floats (0 to 1) or bool; other integers from their least, black, to their
        largest, white. Height × width, colours behind, a stack of pictures in front. Four colours
        are red, green, blue and alpha, which is laid over white. Any strides; what is not read in
        place is copied first.
    method : str
        "acuity" up to 16 levels of grey, else "floyd-steinberg", unless said otherwise;
        ``roundoff.methods()`` lists them.
    levels : int
        2 to 256, error diffusion up to 65536.
    palette : str, list of colours, or rows of red, green, blue
        Colours to round to instead: a name of ``roundoff.palettes()``, "black white #c00000", or
        ["black", "white", "#c00000"].
    packed : bool
        Give bits, eight a byte, the first the most significant, 1 for white.
    indices : bool
        Give numbers of levels or colours instead of tones.
    out : array
        Receives the result; its rows must be whole.
    maxval : int
        The sample that is white, where it is not the largest of the type.
    **options
        The options of ``roundoff halftone`` with underscores, such as ``serpentine=True``,
        ``linear=True``, ``seed=1``; and ``threads``, ``device``, ``cpu``, ``progress``. What is
        a file there is an array here: ``screen``, ``spot``, ``start``; ``curve`` is pairs of tones,
        ``kernel`` a divisor and taps (dx, dy, weight), ``inks`` and ``recolour`` are colours,
        ``resize`` may be (width, height), and
        ``ink`` may be ``{"cyan": {"lpi": 133, "angle": 15}}``.

    Returns
    -------
    array
        uint8 from 0 to 255 (a palette or ``channels="rgb"``: colours behind); uint16 numbers of
        levels above 256 levels; of inks a bit each, the first the highest. A Pillow image for a
        Pillow image. Of an array on a CUDA device, an array of its library.
    """
    if (levels is None and palette is None and out is None and maxval is None and not options and
            not packed and not indices and type(image) is np.ndarray and image.dtype is BYTE):
        result = np.empty(image.shape, BYTE)
        if _core.quick(image, result, method):
            return result
    run = _run.split(options)
    if method is not None or levels is not None or palette is not None:
        options.update(method=method, levels=levels, palette=palette)
    if type(image) is not np.ndarray and _device.on_device(image):
        return _device.halftone(image, halftone_members(options), packed, indices, out, maxval, run)
    source = picture(image, maxval, numbers=True)
    if "range" not in options:
        check_floats(source)
    resize, mix = options.pop("resize", None), options.pop("resample", None)
    if mix is not None and (resize is None or str(resize).startswith("up:")):
        raise BadArgument("resample needs resize to a size")
    if resize is not None:
        works_in_light = bool(palette is not None or options.get("linear"))
        way = choice("resample", mix or "auto", ("auto", "light", "values"))
        source = resized(source, resize, (works_in_light, True, False)[way])
    if options.get("range", "data" if source.unit != 1 else None) == "data":
        options["range"] = float(source.array.min()), float(source.array.max())
    elif "range" in options and (source.zero or source.unit != 1):
        options["range"] = tuple((n - source.zero) / source.unit for n in options["range"])
    if palette is not None and adapted(palette):
        options["palette"] = _adapt(source, adapted(palette), options, run)
    members = halftone_members(options) if options else {}
    rows, columns = source.size
    kind = kind_of(members, columns, packed, indices)
    shape = (*((len(source.array),) if source.stack else ()), rows, *kind.tail)
    result = target(out, shape, kind.dtype, source.array)
    with _run.running(run) as how, filled(out, result, source) as room:
        if source.stack:
            for page, to in zip(source.pages(), room):
                _core.halftone(page.view(), kind.view(to), members, how)
        else:
            _core.halftone(source.view(), kind.view(room), members, how)
    return _to_pillow(result, source, members, kind) if source.pillow and out is None else result


HALFTONE.show(halftone)
dither = halftone


def palette(colours: Colours) -> np.ndarray:
    """The colours of a palette, rows of red, green and blue."""
    with _run.running({}) as how:
        found = _core.palette_colours(palette_text(colours), how)
    return np.frombuffer(found, np.uint8).reshape(-1, 3)


SCREEN = Keywords("screen", "ro_screen_options", own={
    "spot": lambda image, members: members.update(spot=picture(image, name="spot").view())},
                  without=("inks", "ink", "angles"))  # of screen show


def screen(kind: Optional[str] = None, *, ranks: bool = False, **options: Any) -> np.ndarray:
    """A threshold array for ordered dithering, uint16; with ``ranks`` the ranks themselves.

    ``kind`` is "void-and-cluster" unless said otherwise, and the keywords are the options of
    ``roundoff screen make``; ``spot`` is an array.
    """
    run = _run.split(options)
    with _run.running(run) as how:
        data, width, height, _ = _core.screen(kind, ranks, SCREEN.take(options), how)
    return np.frombuffer(data, np.uint16).reshape(height, width).copy()


SCREEN.show(screen)


class HalftoneStream:
    """A halftone row by row, in memory that grows with the width only.

    >>> with roundoff.HalftoneStream(height=480, width=640) as stream:
    ...     for rows in camera:
    ...         finished = stream.push(rows)    # some rows later than they went in

    The same bits as one call. ``first_row`` and ``carry`` begin below rows that another stream has
    done: its ``carry()``. Methods that need the whole picture raise BadArgument.
    """

    def __init__(self, height: int, width: int, dtype: Any = np.uint8, colour: bool = False,
                 method: Optional[str] = None, *, levels: Optional[int] = None,
                 palette: Optional[Colours] = None, packed: bool = False, indices: bool = False,
                 maxval: Optional[int] = None, first_row: int = 0, rows: Optional[int] = None,
                 carry: Optional[bytes] = None, **options: Any) -> None:
        run = _run.split(options)
        members = halftone_members(dict(options, method=method, levels=levels, palette=palette))
        # One row stands for all: only its shape and type are looked at.
        self._shape = picture(np.zeros((1, width, 3) if colour else (1, width), dtype), maxval)
        self._kind = kind_of(members, width, packed, indices)
        self._rows = height - first_row if rows is None else rows
        self._pushed = self._pulled = 0
        if not 0 <= first_row < height or not 1 <= self._rows <= height - first_row:
            raise BadArgument(f"rows {first_row} to {first_row + self._rows - 1} are not in a "
                              f"picture of {height}")
        with _run.running(run) as how:
            self._stream: Any = _core.stream_open(
                self._shape.view(), height, self._kind.format, first_row, self._rows, members, how)
        if carry is not None:
            _core.stream_carry_in(self._stream, carry)

    def _open(self) -> Any:
        if self._stream is None:
            raise BadArgument("the stream is closed")
        return self._stream

    def push(self, rows: Any) -> np.ndarray:
        """Takes rows and gives those that are finished, which may be none."""
        stream = self._open()
        source = picture(rows, None if self._shape.boolean else self._shape.maxval or None)
        if source.array.dtype != self._shape.array.dtype or source.stack or \
                source.array.shape[1:] != self._shape.array.shape[1:] or \
                source.boolean != self._shape.boolean:
            raise BadArgument(f"rows of the shape {source.array.shape} of {source.array.dtype} do "
                              "not belong to this stream")
        array = readable(source.array)
        if len(array) > self._rows - self._pushed:
            raise BadArgument(f"{len(array)} rows are more than the {self._rows - self._pushed} "
                              "that are left")
        finished = []
        while True:
            taken = 0
            if len(array):
                taken = _core.stream_push(stream, (array, source.format, source.maxval))
                self._pushed += taken
                array = array[taken:]
            given = self._pull(stream)
            finished += given
            if not len(array) and not given:
                break
        return np.concatenate(finished or [self._empty(0)])

    def _empty(self, rows: int) -> np.ndarray:
        return np.empty((rows, *self._kind.tail), self._kind.dtype)

    def _pull(self, stream: Any) -> list[np.ndarray]:
        left = self._pushed - self._pulled
        if left == 0:
            return []
        rows = self._empty(left)
        given = _core.stream_pull(stream, self._kind.view(rows))
        self._pulled += given
        return [rows[:given]] if given else []

    def carry(self) -> bytes:
        """What the rows carry on to those below, after the last was pushed."""
        stream = self._open()
        if self._pushed < self._rows:
            raise BadArgument(f"{self._rows - self._pushed} rows are still to be pushed")
        return _core.stream_carry_out(stream)

    def close(self) -> None:
        self._stream = None

    def __enter__(self) -> HalftoneStream:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
