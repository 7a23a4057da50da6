# SPDX-License-Identifier: MIT
"""Keywords are the options of the commands, so that one that is new there is missed here."""
import ast
import builtins
import inspect
import re
import subprocess
from pathlib import Path

import pytest

import roundoff
from roundoff import calibrate, hologram
from roundoff._calls import CALLS
from roundoff._keywords import OF_FILES
from roundoff._tables import COMMANDS


def options_of(program, name):
    """What --help of a command shows, its topics too."""
    def shown(*words):
        text = subprocess.run([program, name, "--help", *words], check=True, text=True,
                              capture_output=True).stdout
        return set(re.findall(r"^ +--([a-z-]+)", text, re.M)), text

    found, text = shown()
    topics = re.search(r"By topic: --help (.*(?:\n +.*)*)", text)
    for topic in re.split(r",\s+", topics.group(1)) if topics else []:
        found |= shown(topic)[0]
    return {option.replace("-", "_") for option in found}


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_tables_are_those_of_the_command(command, name):
    assert {row[0] for row in COMMANDS[name]} | {"help", "page"} == \
        options_of(command.program, name) | {"help", "page"}


@pytest.mark.parametrize("function, keywords", CALLS, ids=lambda value: getattr(value, "__name__", ""))
def test_every_option_is_a_keyword(function, keywords):
    """One that is new and no member of the library's structure needs a line in Keywords(own=…), or
    in `without` where it makes no sense for arrays."""
    assert keywords.unknown == []
    shown = inspect.signature(function).parameters
    assert set(keywords.rows) | {"progress"} <= set(shown)
    assert not any(p.kind is p.VAR_KEYWORD for p in shown.values())
    assert not set(keywords.rows) & OF_FILES
    for name, (_, told, _) in keywords.rows.items():
        assert f"\n{name} : " in function.__doc__, told


def test_what_is_left_out():
    """Nothing is left out without being named: tables = keywords, files, and `without`."""
    taken = set()
    for _, keywords in CALLS:
        taken |= set(keywords.rows)
    for name in ("halftone", "denoise", "measure", "screen"):
        left = {row[0] for row in COMMANDS[name] if not row[5]} - taken - OF_FILES
        assert left <= {"device", "threads", "cpu", "resize", "resample", "gain", "bits", "float",
                        "raw", "yule_nielsen", "profile_out", "intent", "content", "crop", "rotate",
                        "mirror", "scale_after"}, name


def test_names_that_are_said_by_words():
    shape = inspect.signature(roundoff.halftone).parameters
    assert {"serpentine", "inks", "ink_limit", "recolour", "spot", "device", "threads"} <= set(shape)
    assert {"wavelength", "viewer", "target"} <= set(inspect.signature(hologram.make).parameters)
    assert "patch" in inspect.signature(calibrate.wedge).parameters


def test_stubs_know_every_name():
    """Beside the package as it was built: they parse, and no name in them is unknown."""
    folder = Path(roundoff.__file__).parent
    assert (folder / "py.typed").exists()
    for path in (folder / "__init__.pyi", folder / "hologram.pyi", folder / "calibrate.pyi"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        known = set(dir(builtins)) | {"__version__"}
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                known.add(node.name)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                known |= {name.asname or name.name for name in node.names}
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                known.add(node.id)
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        assert sorted(used - known) == [], path.name
    text = (folder / "__init__.pyi").read_text(encoding="utf-8")
    assert all(re.search(rf"\b{name}\b", text) for name in roundoff.__all__)
    assert "serpentine: Optional[bool]" in text and "channels: Optional[Literal['grey', 'rgb']]" in text
