# SPDX-License-Identifier: MIT
"""What the package takes from the sources of the library and of the command, at every build.

members.h (for the extension): the members of structures of options, from the public headers.
_tables.py (for the package): the options of the commands, from their tables, with what --help says.

So an option that a command gets, and that is a member of the library's structure by the same name,
is a keyword in Python without a line written for it. python/tests/test_keywords.py compares with
what the command itself says.
"""
import re
from pathlib import Path

STRUCTURES = ("ro_halftone_options", "ro_screen_options", "ro_denoise_options", "ro_measure_options",
              "ro_register_options", "ro_regions_options", "ro_segment_options", "ro_hologram_scene",
              "ro_hologram_options", "ro_picture_scene", "ro_point_scene", "ro_refinement",
              "ro_frames", "ro_view")
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


# ---- Options ------------------------------------------------------------------------------------
STRING = r'"((?:[^"\\]|\\.)*)"'
ROW = re.compile(r'\{\s*' + STRING + r',\s*(?:NULL|' + STRING + r'),\s*((?:' + STRING +
                 r'\s*)+),\s*OPTION_(\w+),(.*?)\},?\s*(?=\{|$)', re.S)


def strings(text):
    return [word.encode().decode("unicode_escape") for word in re.findall(STRING, text)]


def options_of(text, table, lists):
    body = re.search(r"struct option %s\[\] = \{(.*?)\n\};" % table, text, re.S).group(1)
    for name, argument, told, _, kind, rest in ROW.findall(body):
        named = re.search(r"\.choices =\s*(?:\([^)]*\[\]\)\s*\{([^}]*)\}|(\w+))", rest)
        choices = strings(named.group(1) or lists[named.group(2)]) if named else []
        topics = re.findall(r'\.(?:topic|also) = "(\w+)"', rest)
        yield (name.replace("-", "_"), kind.lower(), "".join(strings(told)), tuple(choices),
               tuple(topics), ".writes = true" in rest)


def read_tables(source):
    """{command: [(name, kind, help, choices, topics, writes)]}, the common options behind."""
    frame = (source / "cli/frame/options.c").read_text()
    texts = {path: path.read_text() for path in sorted((source / "cli/commands").rglob("*.c"))}
    lists = {name: body for text in (*texts.values(), frame) for name, body in
             re.findall(r"const char \*const (\w+)\[\] = \{([^}]*)\};", text)}
    common = list(options_of(frame, "common_options", lists))
    tables = {}
    for text in texts.values():
        row = re.search(r'const struct command command_(\w+) = \{\s*\.name = "\1".*?'
                        r"\.common = ([A-Z_|\s]*),", text, re.S)
        if row:
            bits = re.findall(r"COMMON_(\w+)", row.group(2))
            tables[row.group(1)] = [*options_of(text, "options", lists),
                                    *(o for o in common if o[0].upper() in bits)]
    return tables


def write_tables(source, to):
    lines = ['"""The options of the commands: (name, kind, help, choices, topics, writes a file)."""',
             "COMMANDS = {"]
    for command, options in sorted(read_tables(source).items()):
        lines.append(f"    {command!r}: (")
        lines += [f"        {option!r}," for option in options]
        lines.append("    ),")
    lines.append("}")
    to.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    here = Path(__file__).resolve().parents[1]
    for command, options in read_tables(here).items():
        print(command, len(options), " ".join(option[0] for option in options))
