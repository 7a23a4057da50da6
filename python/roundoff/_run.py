# SPDX-License-Identifier: MIT
"""Where a call runs and how it tells its progress."""
from __future__ import annotations

import sys
from typing import Any, Callable, Literal, TypedDict, Union


class Run(TypedDict, total=False):
    """Keywords of every function that computes."""

    device: Literal["auto", "cpu", "cuda"]
    device_number: int
    cpu: Literal["auto", "scalar", "v128", "avx2", "avx512"]
    threads: int
    progress: Union[bool, Callable[[str, float], object]]


KEYS = tuple(Run.__annotations__)
DEFAULT = ("auto", "auto", 0, None, None)


class _Line:
    """Progress on standard error: tqdm's where it is installed, else a line of our own."""

    def __init__(self) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            tqdm = None
        self.bar: Any = tqdm(total=100, leave=False) if tqdm else None
        self.shown = False

    def __call__(self, phase: str, done: float) -> None:
        percent = int(100 * done)
        if self.bar is not None:
            self.bar.set_description(phase, refresh=False)
            self.bar.n = percent
            self.bar.refresh()
        else:
            print(f"\r{phase} {percent:3d} %\033[K", end="", file=sys.stderr, flush=True)
            self.shown = True

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
        elif self.shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def split(options: dict[str, Any]) -> dict[str, Any]:
    """Takes the keywords of Run out of the options."""
    return {key: options.pop(key) for key in KEYS if key in options} if options else {}


class running:
    """What the extension wants to know: device, instruction set, threads, number, progress."""

    def __init__(self, run: dict[str, Any]) -> None:
        self.run = run
        self.line: Any = None

    def __enter__(self) -> tuple[Any, ...]:
        run = self.run
        if not run:
            return DEFAULT
        progress = run.get("progress")
        if progress is True:
            progress = self.line = _Line()
        return (run.get("device", "auto"), run.get("cpu", "auto"), run.get("threads") or 0,
                run.get("device_number"), progress or None)

    def __exit__(self, *exception: object) -> None:
        if self.line:
            self.line.close()
