# SPDX-License-Identifier: MIT
"""The code of docs/python.md, one piece after the other in one namespace, and the pictures in it.

python3 test_recipes.py makes the pictures anew."""
import re
import sys
import zlib
from importlib.util import find_spec
from pathlib import Path

import numpy as np

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "python.md"


def pieces():
    """(heading, what it needs, code, its picture or None)."""
    for part in re.split(r"^#+ ", PAGE.read_text(encoding="utf-8"), flags=re.M)[1:]:
        shown = re.search(r"^!\[.*?\]\((images/python/.*?)\)", part, re.M)
        for needs, code in re.findall(r"^```python *(\w*)\n(.*?)^```", part, re.M | re.S):
            yield part.splitlines()[0], needs, code, shown and DOCS / shown.group(1)


def run_page():
    """What the pieces show: (path, picture)."""
    names = {}
    for heading, needs, code, path in pieces():
        if needs and not find_spec(needs) or needs == "cupy" and not has_cuda():
            continue
        names.pop("picture", None)
        exec(compile(code, f"{PAGE}: {heading}", "exec"), names)
        assert (path is None) == ("picture" not in names), heading
        if path:
            yield path, names["picture"]


def has_cuda():
    import roundoff

    return any(device.kind == "cuda" for device in roundoff.devices())


def read_png(path):
    """What roundoff._png wrote: no filters, no interlacing."""
    data, place, packed = path.read_bytes(), 8, b""
    while place < len(data):
        size, kind = int.from_bytes(data[place:place + 4], "big"), data[place + 4:place + 8]
        body = data[place + 8:place + 8 + size]
        if kind == b"IHDR":
            width, height = (int.from_bytes(body[i:i + 4], "big") for i in (0, 4))
            channels = 3 if body[9] == 2 else 1
        packed += body if kind == b"IDAT" else b""
        place += 12 + size
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, -1)[:, 1:]
    return rows.reshape(height, width, 3) if channels == 3 else rows


def test_the_page_runs():
    assert len(list(pieces())) >= 9 and sum(path is not None for *_, path in pieces()) >= 6
    for path, picture in run_page():
        assert np.array_equal(read_png(path), picture), path.name


if __name__ == "__main__":
    from roundoff._png import png

    for path, picture in run_page():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(png(picture))
        print(path.relative_to(DOCS), picture.shape, file=sys.stderr)
