# SPDX-License-Identifier: MIT
"""Writes stubs (.pyi) beside the modules of a package that has been built: every keyword by its name
and type, for editors and type checkers. stubs.py FOLDER"""
import importlib
import inspect
import sys
from pathlib import Path

HEAD = '''from typing import Any, Callable, Iterator, Literal, NamedTuple, Optional, Sequence, Union

import numpy as np

Colours = Union[str, Sequence[Sequence[int]], np.ndarray]
'''
FIELDS = {"Field": ("array: np.ndarray", "figures: Figures"),
          "Segmentation": ("labels: np.ndarray", "regions: list[Figures]", "contours: list[Contour]"),
          "Comparison": ("entries: list[Entry]",), "Figures": ()}


SHOWN = ("__init__", "__getattr__", "__getitem__", "__iter__", "__len__", "__enter__", "__exit__",
         "__array__", "_repr_png_", "_repr_html_")


def text(annotation):
    if annotation is inspect.Parameter.empty:
        return "Any"
    said = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return said.replace("roundoff.", "")


def lines_of(parameters):
    starred = False
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        if p.kind is p.VAR_KEYWORD:
            yield f"**{p.name}: {text(p.annotation)}"
            continue
        default = "" if p.default is p.empty else " = ..."
        yield p.name if p.name in ("self", "cls") else f"{p.name}: {text(p.annotation)}{default}"


def function(name, value, indent=""):
    shape = inspect.signature(value)
    lines = list(lines_of(shape.parameters.values()))
    told = inspect.getdoc(value) or ""
    told = told.splitlines()[0] if told and not name.startswith("__") else ""
    body = f'\n{indent}    """{told}"""\n' if told else " ...\n"
    opening = f"({', '.join(lines)})" if len(", ".join(lines)) < 60 else \
        "(\n%s\n%s)" % ("\n".join(f"{indent}    {line}," for line in lines), indent)
    return f"{indent}def {name}{opening} -> {text(shape.return_annotation)}:{body}"


def methods(value):
    for name, member in vars(value).items():
        made_here = name == "__init__" and value.__name__ in ("Comparison", "Segmentation")
        plain = not name.startswith("_") or name in SHOWN
        if plain and not made_here and inspect.isfunction(member):
            yield function(name, member, "    ")


def klass(name, value):
    if issubclass(value, tuple):
        rows = [f"    {field}: {kind if isinstance(kind, str) else text(getattr(kind, '__forward_arg__', kind))}"
                for field, kind in value.__annotations__.items()]
        return f"class {name}(NamedTuple):\n" + "\n".join(rows) + "\n"
    bases = ", ".join(base.__name__ for base in value.__bases__ if base is not object)
    rows = [f"    {row}\n" for row in FIELDS.get(name, ())] + list(methods(value))
    return f"class {name}{f'({bases})' if bases else ''}:\n" + ("".join(rows) or "    ...\n")


def stub(module, names):
    parts = [HEAD]
    for name in sorted(names, key=lambda n: (not inspect.isclass(getattr(module, n)), n)):
        value = getattr(module, name)
        if inspect.ismodule(value):
            parts.insert(1, f"from . import {name} as {name}\n")
        elif inspect.isclass(value):
            parts.append(klass(name, value))
        else:
            parts.append(function(name, value))
    return "\n".join(parts)


def main(folder):
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True
    package = importlib.import_module("roundoff")
    to = Path(package.__file__).parent
    assert to.parent.resolve() == Path(folder).resolve()
    (to / "__init__.pyi").write_text(stub(package, package.__all__) + "\n__version__: str\n",
                                     encoding="utf-8")
    for name in ("hologram", "calibrate"):
        module = importlib.import_module(f"roundoff.{name}")
        (to / f"{name}.pyi").write_text("from . import Figures\n" + stub(module, module.__all__),
                                        encoding="utf-8")


main(sys.argv[1])
