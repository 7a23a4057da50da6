# SPDX-License-Identifier: MIT
"""Public functions begin with ro_, private ones do not; a folder has at most 25 source files."""
import collections
import os
import re
import sys

SOURCE = os.environ.get("SOURCE_DIR", ".")
MOST_FILES = 25
SUFFIXES = (".c", ".h", ".cu", ".cuh")
FUNCTION = re.compile(r"^[a-zA-Z_][\w \*]*?[ \*](ro_\w+)\([^;{}]*\)\s*\{", re.M)
DECLARED = re.compile(r"\b(ro_\w+)\s*\(")


def sources(*folders):
    for folder in folders:
        for path, _, names in os.walk(os.path.join(SOURCE, folder)):
            for name in sorted(names):
                if name.endswith(SUFFIXES):
                    yield os.path.relpath(os.path.join(path, name), SOURCE)


def text(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def main():
    wrong = []
    public = {name for path in sources("include") for name in DECLARED.findall(text(path))}
    defined = set()
    for path in sources("src", "cli", "mpi", "bench"):
        for name in FUNCTION.findall(text(path)):
            defined.add(name)
            if name not in public:
                wrong.append(f"{path}: {name} begins as public functions do and is in no public header")
    assert len(defined) > 200, len(defined)  # else nothing was looked at
    files = collections.Counter(map(os.path.dirname, sources("include", "src", "cli", "mpi", "bench")))
    wrong += [f"{folder}: {count} source files, at most {MOST_FILES}"
              for folder, count in sorted(files.items()) if count > MOST_FILES]
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


sys.exit(main())
