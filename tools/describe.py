# SPDX-License-Identifier: MIT
"""Makes what shows options to people from `roundoff --describe`.

    roundoff --describe | python3 tools/describe.py           writes the files
    roundoff --describe | python3 tools/describe.py --check   names those that are out of date
    roundoff --describe | python3 tools/describe.py --count   counts the rows

docs/options.md, completions for bash, zsh and fish, Python's lists of options, the lists of options
in docs/roundoff.1 (between `.\\" options of NAME` and `.\\" end of options`) and the comments of
options in the public headers. The files are committed; tests/docs/options_test.py checks them.
"""
import json
import os
import re
import sys
import textwrap

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


# ---- Rows ---------------------------------------------------------------------------------------
def options_of(described, command):
    """The rows that a command takes: of its families, its own, which hide those, and common ones."""
    what = described["commands"][command]
    own = {dashed(row) for row in what["options"]}
    rows = [row for family in what["families"] for row in described["families"][family]["options"]
            if "help" in row and dashed(row) not in own] + what["options"]
    rows = [row for row in rows if dashed(row) in what.get("with", [dashed(row)])
            and dashed(row) not in what.get("without", ())]
    return rows, [row for row in described["common"] if row["name"] in what["common"]]


def dashed(row):
    return row["name"].replace("_", "-")


def users(described):
    """{(name, sentence): the commands that have such an option}. A row of several commands or
    families has one name and one sentence, and is one option; a row that no command has counts
    too."""
    found = {}
    for command in described["commands"]:
        for row in sum(options_of(described, command), []):
            found.setdefault((dashed(row), row["help"]), []).append(command)
    for family in described["families"].values():
        for row in family["options"]:
            if "help" in row:
                found.setdefault((dashed(row), row["help"]), [])
    return found


def count(described):
    found = users(described)
    yield f"{len(found)} rows"
    for (name, _), commands in sorted(found.items()):
        if len(commands) > 1:
            yield f"{name}: {' '.join(commands)}"


def words(row):
    return [word for word in row.get("words", ()) if "alias" not in word]


def is_default(row, word):
    return row.get("default") == word["name"] and "derived" not in row


def default(row):
    return row.get("derived") or row.get("default")


def conditions(text):
    """"scheme=naive,xpp24 stop" in words."""
    said = []
    for condition in text.split():
        name, _, values = condition.partition("=")
        values = values.replace(",", ", ").rpartition(", ")
        said.append(" ".join(filter(None, (name.replace("_", "-"),
                                           " or ".join(filter(None, values[::2]))))))
    return said


def sentences(row):
    """What is said of an option beside the list of its words."""
    yield row["help"][0].upper() + row["help"][1:] + "."
    if "allowed" in row and not row.get("words"):
        yield f"{row['allowed'][0].upper()}{row['allowed'][1:]}."
    elif "min" in row and "allowed" in row:
        yield f"Must be {row['allowed']}."
    if default(row) and row["type"] != "flag" and not any(is_default(row, w) for w in words(row)):
        yield f"Default: {default(row)}."
    if "applies" in row:
        every = len(row["applies"]) > len(row["spares"]) > 0
        *first, last = row["spares" if every else "applies"]
        yield (f"Applies to {'every ' * every}{row['method']}{' but' * every} "
               f"{', '.join(first)}{' and ' * bool(first)}{last}.")
    if "needs" in row:
        yield f"Needs {' and '.join(conditions(row['needs']))}."
    if "excludes" in row:
        yield f"Not with {', '.join(conditions(row['excludes']))}."
    if "more" in row:
        yield from re.split(r"(?<=\.) (?=[A-Z])", row["more"])


def word_sentence(row, word):
    parts = ["the default"] if is_default(row, word) else []
    parts += [word["help"]] if "help" in word else []
    parts += ["needs " + " and ".join(conditions(word["needs"]))] if "needs" in word else []
    return "; ".join(parts)


# ---- Manual -------------------------------------------------------------------------------------
def troff(text):
    text = text.replace("`", "").replace("\\", "\\e").replace("(-", "(\\-")
    return "\n".join("\\&" * (line[:1] in ".'") + line for line in textwrap.wrap(text, 80))


def man_row(row):
    yield f".It Fl -{dashed(row)}" + (f" Ar {row['argument']}" if "argument" in row else "")
    yield from map(troff, sentences(row))
    if any(word_sentence(row, word) for word in words(row)):
        yield ".Bl -tag -width Ds -compact"
        for word in words(row):
            yield f".It Cm {word['name']}"
            yield from filter(None, [troff(word_sentence(row, word))])
        yield ".El"
    elif words(row):
        *first, last = (word["name"] for word in words(row))
        yield "One of"
        yield f".Cm {' , '.join(first)}\nor\n.Cm {last} ."


def man(described, text):
    def block(found):
        lines = [line for row in options_of(described, found.group(2))[0] for line in man_row(row)]
        return found.group(1) + "\n".join(lines) + "\n" + found.group(3)

    return re.sub(r'(\.\\" options of (\w+)\n).*?(\.\\" end of options\n)', block, text, flags=re.S)


# ---- Markdown -----------------------------------------------------------------------------------
def markdown_row(row, member):
    said = " ".join(sentences(row))
    listed = [f"`{word['name']}`" + (f" ({told})" if (told := word_sentence(row, word)) else "")
              for word in words(row)]
    said += f" Words: {', '.join(listed)}." if listed else ""
    argument = f" {row['argument']}" if "argument" in row else ""
    return f"| `--{dashed(row)}{argument}` | {member} | " + said.replace("|", "\\|") + " |"


def markdown(described):
    yield "# Options\n"
    yield ("Made by tools/describe.py from the tables of options; do not edit. An option is *set* if "
           "its value differs from its default, and only then it is checked against others. The word "
           "`default` stands for the default of every option but free text. In C `default` is what "
           "the initialiser of the structure leaves (0, NULL or RO_DEFAULT).\n")
    lines = {}
    for name, command in described["commands"].items():
        members = {row["name"]: f"`{structure}.{member_of(structure, row['name'])}`"
                   for family in command["families"]
                   for structure in [described["families"][family]["structure"]]
                   for row in described["families"][family]["options"]}
        rows, common = options_of(described, name)
        lines[name] = [(row, markdown_row(row, members.get(row["name"], "")
                                          if row not in common else "")) for row in rows + common]
    used = {}
    for name, listed in lines.items():
        for row, line in listed:
            used.setdefault(line, (row, []))[1].append(name)
    head = "| option | member | |\n|---|---|---|"
    yield f"## Several commands\n\n{head}"
    for line, (row, commands) in used.items():
        if len(commands) > 1:
            yield f"{line[:-2]} Commands: {', '.join(commands)}. |"
    for name, command in described["commands"].items():
        yield f"\n## roundoff {name} {command['operands']}\n\n{head}"
        yield from (line for _, line in lines[name] if len(used[line][1]) == 1)
        several = [f"`--{dashed(row)}`" for row, line in lines[name] if len(used[line][1]) > 1]
        yield f"\nOf several commands: {', '.join(several)}." if several else ""


# ---- Completions --------------------------------------------------------------------------------
def names_of(row):
    return " ".join(word["name"] for word in words(row))


def is_file(row):
    return row.get("writes") or row.get("argument") in ("FILE", "F")


def bash(described):
    yield ("# Made by tools/describe.py; do not edit.\n_roundoff()\n{\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
           "    case ${COMP_WORDS[1]} in")
    for name in described["commands"]:
        rows = sum(options_of(described, name), [])
        yield f"    {name})\n        case $prev in"
        for row in rows:
            if names_of(row):
                yield (f"        --{dashed(row)}) "
                       f"COMPREPLY=($(compgen -W '{names_of(row)}' -- \"$cur\")); return ;;")
        values = [f"--{dashed(row)}" for row in rows
                  if "argument" in row and not names_of(row) and not is_file(row)]
        if values:
            yield f"        {' | '.join(values)}) return ;;"
        yield "        esac"
        listed = " ".join("--" + dashed(row) for row in rows)
        yield ("        [[ $cur == -* ]] && "
               f"COMPREPLY=($(compgen -W '{listed} --help' -- \"$cur\"))\n        ;;")
    yield (f"    *) COMPREPLY=($(compgen -W '{' '.join(described['commands'])}' -- \"$cur\")) ;;\n"
           "    esac\n}\ncomplete -o default -F _roundoff roundoff")


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh(described):
    yield "#compdef roundoff\n# Made by tools/describe.py; do not edit.\n_roundoff() {"
    yield "    if ((CURRENT == 2)); then\n        local -a commands=("
    for name, command in described["commands"].items():
        yield f"            {quoted(name + ':' + command['summary'].replace(':', ' '))}"
    yield "        )\n        _describe command commands\n        return\n    fi"
    yield "    case $words[2] in"
    for name in described["commands"]:
        yield f"    {name})\n        _arguments '*:file:_files' \\"
        for row in sum(options_of(described, name), []):
            told = re.sub(r"([][:\\])", r"\\\1", row["help"])
            many = "*" if row["type"] == "texts" else ""
            action = f":{row['argument']}:" if "argument" in row else ""
            action += f"({names_of(row)})" if names_of(row) else "_files" if is_file(row) else ""
            yield f"            {quoted(f'{many}--{dashed(row)}[{told}]{action}')} \\"
        yield "            '--help[show the options]'\n        ;;"
    yield "    esac\n}\n_roundoff \"$@\""


def fish(described):
    def text(told):
        return quoted(told).replace("'\\''", "\\'")

    yield "# Made by tools/describe.py; do not edit."
    for name, command in described["commands"].items():
        yield (f"complete -c roundoff -n __fish_use_subcommand -a {name} "
               f"-d {text(command['summary'])}")
        for row in sum(options_of(described, name), []):
            value = f" -xa '{names_of(row)}'" if names_of(row) else \
                " -rF" if is_file(row) else " -x" if "argument" in row else ""
            yield (f"complete -c roundoff -n '__fish_seen_subcommand_from {name}' "
                   f"-l {dashed(row)}{value} -d {text(row['help'])}")


# ---- Python and C -------------------------------------------------------------------------------
def python(described):
    """The options of commands: (name, kind, help, choices, topics, writes a file)."""
    kinds = {"int": "whole", "u32": "whole", "u64": "seed", "real": "number", "texts": "list"}
    yield ('"""The options of the commands: (name, kind, help, choices, topics, writes a file). Made '
           'by\ntools/describe.py; do not edit."""\nCOMMANDS = {')
    for name in sorted(described["commands"]):
        yield f"    {name!r}: ("
        for row in sum(options_of(described, name), []):
            closed = words(row) and "min" not in row and row["type"] in ("u32", "int", "text")
            kind = "numbers" if "count" in row else "choice" if closed else kinds.get(row["type"], row["type"])
            topics = row.get("topic", "").split()
            yield "        " + repr((row["name"].replace("-", "_"), kind, row["help"],
                                     tuple(word["name"] for word in words(row)), tuple(topics),
                                     row.get("writes", False))) + ","
        yield "    ),"
    yield "}"


def camel(name):
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def typescript_row(row):
    said = row["help"][0].upper() + row["help"][1:]
    if default(row) and row["type"] != "flag":
        said += ". Default: " + default(row)
    named = [word["name"] for word in words(row)]
    if row["type"] == "flag":
        kind = "boolean"
    elif named and "min" not in row and row["type"] in ("u32", "int", "text"):
        kind = " | ".join(repr(name) for name in named)
    else:
        kind = {"text": "string", "other": "string | readonly string[]"}.get(row["type"], "number")
    return f"  /** {said}. */\n" + textwrap.fill(f"{camel(row['name'])}?: {kind};", 100,
                                                  initial_indent="  ", subsequent_indent="    ")


def typescript(described):
    """The types of web/lib/roundoff.js; its options are those of the library that need no file."""
    yield "// The types of roundoff.js. Made by tools/describe.py from the rows of options; do not edit."
    yield read("tools/roundoff.d.ts.in").rstrip()
    for name in ("halftone", "denoise"):
        yield ""
        yield f"export interface {name.capitalize()}Options {{"
        for row in described["families"][name]["options"]:
            if "help" in row and (row["type"] != "other" or row["name"] == "palette"):
                yield typescript_row(row)
            elif name == "halftone" and row["name"] == "palette":
                yield "  /** Rounds to these colours: a name, CSS colours, or \"auto:16\". */"
                yield "  palette?: string | readonly string[];"
        yield "}"


def comment(row):
    said = row["help"][0].upper() + row["help"][1:]
    if "allowed" in row:
        said += ": " + row["allowed"]
    if default(row) and row["type"] != "flag":
        said += f". Default ({row['unset']}): " + default(row)
    return textwrap.fill(said + ". */", 100, initial_indent="    /* ", subsequent_indent="     * ",
                         break_on_hyphens=False)


def member_of(structure, name):
    """The path of an option's member, which may lie in a structure inside: "tone.gamma"."""
    text = "".join(read("include/roundoff/" + file)
                   for file in sorted(os.listdir(os.path.join(SOURCE, "include/roundoff"))))

    def body(named):
        found = re.search(r"typedef struct %s \{\n(.*?)\n\} %s;" % (named, named), text, re.S)
        return re.sub(r"/\*.*?\*/", "", found[1], flags=re.S) if found else ""

    if re.search(r"\b%s[;,[]" % name, body(structure)):
        return name
    for inside, member in re.findall(r"^ +(ro_\w+) (\w+);", body(structure), re.M):
        if re.search(r"\b%s[;,[]" % name, body(inside)):
            return f"{member}.{name}"
    return name


def header(family, text):
    """The comments above the members of a structure that have rows with help."""
    rows = {row["name"]: row for row in family["options"] if "help" in row}

    def member(found):
        row = rows.get(found.group(3))
        return f"{comment(row)}\n    {found.group(2).strip()}" if row else found.group(0)

    def body(found):
        one = re.compile(r"( *(?:/\*(?:(?!\*/).)*\*/\n *)*)( *[a-z]\w*[^;/]*?(\w+)(?:\[\d+\])*;)", re.S)
        return found.group(1) + one.sub(member, found.group(2)) + found.group(3)

    return re.sub(r"(typedef struct %s \{\n)(.*?)(\n\} %s;)" % ((family["structure"],) * 2), body,
                  text, flags=re.S)


# ---- Files --------------------------------------------------------------------------------------
def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def made(described):
    """{path: text} of everything."""
    lines = {"docs/options.md": markdown, "completions/roundoff.bash": bash,
             "completions/_roundoff": zsh, "completions/roundoff.fish": fish,
             "python/roundoff/_tables.py": python, "web/lib/roundoff.d.ts": typescript}
    texts = {path: "\n".join(make(described)).rstrip() + "\n" for path, make in lines.items()}
    texts["docs/roundoff.1"] = man(described, read("docs/roundoff.1"))
    for family in described["families"].values():
        for name in sorted(os.listdir(os.path.join(SOURCE, "include/roundoff"))):
            path = "include/roundoff/" + name
            text = texts.get(path) or read(path)
            if f"typedef struct {family['structure']} {{" in text:
                texts[path] = header(family, text)
    return texts


def main():
    stale = []
    described = json.load(sys.stdin)
    if "--count" in sys.argv[1:]:
        print("\n".join(count(described)))
        return
    for path, text in made(described).items():
        there = os.path.exists(os.path.join(SOURCE, path)) and read(path)
        if there != text:
            stale.append(path)
            if "--check" not in sys.argv[1:]:
                os.makedirs(os.path.dirname(os.path.join(SOURCE, path)), exist_ok=True)
                with open(os.path.join(SOURCE, path), "w", encoding="utf-8") as file:
                    file.write(text)
    for path in stale:
        print(path)
    sys.exit(bool(stale) and "--check" in sys.argv[1:])


if __name__ == "__main__":
    main()
