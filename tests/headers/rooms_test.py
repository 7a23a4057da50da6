# SPDX-License-Identifier: MIT
"""Includes go one way: rooms.txt says which room may include which. Prints every line that does not."""
import os
import re
import sys

SOURCE = os.environ.get("SOURCE_DIR", ".")
TABLE = os.path.join(SOURCE, "tests/headers/rooms.txt")
ROOTS = ["include", "src", ""]  # as the compiler is told
SOURCES = ["src", "cli"]

failures = 0


def fail(text):
    global failures
    failures += 1
    print(text, file=sys.stderr)


def read_table():
    allowed, exceptions = {}, set()
    for line in open(TABLE, encoding="utf-8"):
        line = line.split("#")[0].strip()
        if line.startswith("except "):
            exceptions.add(tuple(line.split()[1:]))
        elif line:
            room, may = line.split(":")
            for other in may.split():
                if other not in allowed and other != "bench":
                    fail(f"rooms.txt: {room} names {other}, which is no room above it")
            allowed[room] = set(may.split())
    return allowed, exceptions


def room_of(path, allowed):
    """The longest line of the table that a file belongs to."""
    inside = re.sub(r"^src/", "", path)
    while inside and inside not in allowed:
        inside = os.path.dirname(inside)
    return inside


def includes(path):
    for number, line in enumerate(open(os.path.join(SOURCE, path), encoding="utf-8"), 1):
        match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if match:
            yield number, line.strip(), match.group(1)


def find(name):
    for root in ROOTS:
        path = os.path.join(root, name)
        if os.path.isfile(os.path.join(SOURCE, path)):
            return path
    return None


def main():
    allowed, exceptions = read_table()
    seen, used = 0, set()
    for top in SOURCES:
        for folder, _, names in os.walk(os.path.join(SOURCE, top)):
            for name in sorted(names):
                if not name.endswith((".c", ".h", ".cu", ".cuh")):
                    continue
                path = os.path.relpath(os.path.join(folder, name), SOURCE)
                room = room_of(path, allowed)
                if not room:
                    fail(f"{path}: its room is not in rooms.txt")
                    continue
                own = {room, room_of(os.path.dirname(path), allowed)}
                for number, line, included in includes(path):
                    seen += 1
                    target = find(included)
                    if target is None or target.startswith("include"):
                        continue
                    there = "bench" if target.startswith("bench") else room_of(target, allowed)
                    if there in own or there in allowed[room]:
                        continue
                    if (path, included) in exceptions:
                        used.add((path, included))
                    else:
                        fail(f"{path}:{number}: {line}   ({room} may not include {there})")
    for path, included in sorted(exceptions - used):
        fail(f"rooms.txt: {path} no longer includes {included}: take the exception out")
    if seen < 500:
        fail(f"only {seen} includes were found in {SOURCE}")
    return 1 if failures else 0


sys.exit(main())
