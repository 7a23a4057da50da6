# SPDX-License-Identifier: MIT
"""Keywords of a function, from the option table of its command.

An option that is a member of the library's structure by the same name needs nothing else; one that
is more than a number or a name has a function here that says which members it stands for.
"""
from __future__ import annotations

import inspect
import re
from typing import Any, Callable, Mapping, Optional

from . import _core, _run
from ._errors import BadArgument
from ._tables import COMMANDS

# What commands need for their files and their output, and a call does not.
OF_FILES = {"json", "quiet", "certificate", "strict", "limit_memory",
            "limit_pixels", "help", "type", "page", "report", "vectors",
            "compression", "pixel_bits", "numbers", "bit_order", "ones", "out_dir", "alpha",
            "background", "profile", "list", "force", "drive", "sidecar", "evolution", "every",
            "history"}
UNITS = {"": 1.0, "nm": 1e-9, "um": 1e-6, "µm": 1e-6, "μm": 1e-6, "mm": 1e-3, "cm": 1e-2, "m": 1.0}
KINDS = {"flag": "bool", "whole": "int", "percent": "float", "number": "float", "share": "float",
         "seed": "int"}

Members = dict[str, Any]
Own = Callable[[Any, Members], None]


def choice(name: str, value: Any, choices: tuple[str, ...]) -> int:
    """The place of a name among choices."""
    try:
        return [c.lower() for c in choices].index(str(value).lower())
    except ValueError:
        raise BadArgument(f"{name} {value}: must be {', '.join(choices[:-1])} or "
                          f"{choices[-1]}") from None


def length(name: str, value: Any) -> float:
    """Metres, of a number or of a text such as "635nm"."""
    if not isinstance(value, str):
        return float(value)
    found = re.fullmatch(r"\s*([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)\s*(\w*)\s*", value)
    if not found or found.group(2) not in UNITS:
        raise BadArgument(f"{name} {value}: must be a number, or a length such as 635nm")
    return float(found.group(1)) * UNITS[found.group(2)]


def numbers(name: str, value: Any) -> Any:
    """Several numbers, of a text with commas or an x between them or as they are."""
    if isinstance(value, str):
        return tuple(length(name, word) for word in re.split(r"[,x]", value))
    return value


class Keywords:
    """The options of a command that a function takes."""

    def __init__(self, command: str, *structures: Optional[str], own: Mapping[str, Own] = {},
                 without: tuple[str, ...] = (),
                 topics: tuple[str, ...] = (), only: Optional[set[str]] = None) -> None:
        self.members = {name for structure in structures if structure
                        for name in _core.options(structure)}
        self.own = own
        self.rows: dict[str, tuple[str, str, tuple[str, ...]]] = {}
        self.unknown: list[str] = []  # a test says so
        self.run = {"progress", "device_number"}
        for name, kind, told, choices, of, writes in COMMANDS[command]:
            if name in _run.KEYS:
                self.run.add(name)
            elif writes or name in OF_FILES or name in without or (
                    only is not None and name not in only) or (
                    topics and of and not set(topics) & set(of)):
                continue
            elif name in own or name in self.members:
                self.rows[name] = kind, told, choices
            else:
                self.unknown.append(name)

    def take(self, options: dict[str, Any]) -> Members:
        """The members that options stand for; what is not an option is a TypeError."""
        members: Members = {}
        for name, value in options.items():
            if name not in self.rows:
                raise TypeError(f"there is no option {name}")
            if value is None:
                continue
            if name in self.own:
                self.own[name](value, members)
            else:
                flag = self.rows[name][0] == "flag" and not isinstance(value, str)
                members[name] = bool(value) if flag else value  # the library reads it
        return members

    def _type(self, name: str) -> str:
        kind, _, choices = self.rows[name]
        if name in self.own:
            return "Any"
        if kind == "choice":
            return "Literal[%s]" % ", ".join(map(repr, choices))
        if kind == "text":
            return "str"
        return KINDS.get(kind, "Any")

    def show(self, function: Any) -> Any:
        """Gives the function a signature with every option by its name, and tells of those that its
        own text does not."""
        given = inspect.signature(function)
        own = [p for p in given.parameters.values() if p.kind is not p.VAR_KEYWORD]
        there = {p.name for p in own}
        named = [(name, self._type(name)) for name in self.rows]
        named += [(name, kind.__forward_arg__) for name, kind in _run.Run.__annotations__.items()
                  if name in self.run]
        more = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None,
                                  annotation=f"Optional[{kind}]")
                for name, kind in named if name not in there]
        function.__signature__ = given.replace(parameters=[*own, *more])
        told_of = inspect.cleandoc(function.__doc__ or "")
        lines = [f"{name} : {told}" for name, (_, told, _) in self.rows.items()
                 if f"\n{name} : " not in told_of]
        function.__doc__ = "\n".join([told_of, "", "Options", "-------", *lines])
        return function
