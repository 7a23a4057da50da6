# SPDX-License-Identifier: MIT
"""members.h for the extension: the members of structures of options, from the public headers; but
those that have a table of options need none, because the library describes them."""
import re
from pathlib import Path

STRUCTURES = ("ro_halftone_options",)
KINDS = {"int": "INT", "uint32_t": "U32", "uint64_t": "U64", "double": "REAL"}
NUMBERS = ("ro_range", "ro_channels", "ro_format")  # enumerations


# ---- Members ------------------------------------------------------------------------------------
def structures(headers):
    """{name: [(type, name, how many)]} of the structures of headers."""
    text = "\n".join(path.read_text() for path in headers)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    found = {}
    for name, body in re.findall(r"typedef struct (\w+) \{([^{}]*)\} \1;", text):
        found[name] = list(declared(body))
    return found


def declared(body):
    for line in body.split(";"):
        match = re.fullmatch(r"\s*(const\s+)?(\w+)\s+(.*)", line, re.S)
        for word in (match.group(3).split(",") if match else ()):
            kind = ("const " if match.group(1) else "") + match.group(2)
            parts = re.fullmatch(r"\s*(\**)\s*(\w+)((?:\[[^]]*\])*)\s*", word)
            if parts:
                pointer, name, count = parts.groups()
                yield kind + " *" * len(pointer), name, count[1:-1]


def members(name, known, path=""):
    """(name, kind, path in the structure, how many); those of structures inside come last, and a
    name is looked for from the front."""
    inside = []
    for kind, member, count in known[name]:
        place, many = path + member, int(count or 1) if (count or "1").isdigit() else 0
        if kind == "const char *" and not count:
            yield member, "TEXT", place, 1
        elif (kind in KINDS or kind in NUMBERS) and many and member != "size":
            yield member, KINDS.get(kind, "INT"), place, many
        elif kind in known and many and all(k == "double" and not n for k, _, n in known[kind]):
            first = "[0]" if count else ""
            yield member, "REAL", f"{place}{first}.{known[kind][0][1]}", many * len(known[kind])
        elif kind in known and not count:
            inside.append((kind, place))
    for kind, place in inside:
        yield from members(kind, known, place + ".")


def write_members(source, to):
    known = structures(sorted((source / "include/roundoff").glob("*.h")))
    lines = ["/* Made by python/generate.py. */"]
    for structure in STRUCTURES:
        lines.append(f"static const struct member {structure}_members[] = {{")
        lines += [f'    {{"{name}", MEMBER_{kind}, offsetof({structure}, {place}), {count}}},'
                  for name, kind, place, count in members(structure, known)]
        lines.append("};")
    lines.append("static const struct member_table member_tables[] = {")
    lines += [f'    {{"{structure}", {structure}_members, sizeof {structure}_members / '
              f"sizeof *{structure}_members}}," for structure in STRUCTURES]
    lines.append("};")
    to.write_text("\n".join(lines) + "\n")
