# SPDX-License-Identifier: MIT
"""The code of docs/python.md, one piece after the other in one namespace."""
import re
from importlib.util import find_spec
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs/python.md"


def test_the_page_runs():
    pieces = re.findall(r"^```python *(\w*)\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    assert len(pieces) >= 7
    names = {}
    for needs, code in pieces:
        if not needs or find_spec(needs):
            exec(compile(code, str(PAGE), "exec"), names)
