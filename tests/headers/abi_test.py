# SPDX-License-Identifier: MIT
"""The binary interface of the stable headers beside the one in roundoff.abi, by abidiff. Functions may
be added, and structures and enumerations may grow at their ends; anything else breaks programs that were
built before. A library of empty functions, made from the declarations, stands for the real one, which
headers/closed holds to them. If a break is meant, run this with --write and say so in CHANGELOG.md."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.environ.get("SOURCE_DIR", ".")
BASELINE = os.path.join(SOURCE, "tests/headers/roundoff.abi")
UNSTABLE = {"command.h", "library.h", "number.h", "pieces.h", "solver.h"}
GROWTH = """[suppress_type]
type_kind = struct
has_data_member_inserted_at = end
"""


def stubs(paths):
    """C that defines each declared function."""
    code = '#include "roundoff.h"\n#include "roundoff_io.h"\n'
    for path in paths:
        text = re.sub(r"/\*.*?\*/", "", open(path, encoding="utf-8").read(), flags=re.S)
        for declaration in re.findall(r"^RO_API\s(.*?);", text, re.S | re.M):
            declaration = re.sub(r"RO_PRINTF\(.*?\)", "", declaration)
            code += f"{declaration} {{ __builtin_trap(); }}\n"
    return code


def describe(folder):
    include = os.path.join(SOURCE, "include")
    parts = os.path.join(include, "roundoff")
    paths = [os.path.join(parts, name) for name in sorted(os.listdir(parts)) if name not in UNSTABLE]
    code, library, abi = (os.path.join(folder, name) for name in ("stubs.c", "libstubs.so", "now.abi"))
    with open(code, "w", encoding="utf-8") as file:
        file.write(stubs([*paths, os.path.join(include, "roundoff_io.h")]))
    subprocess.run([os.environ.get("CC", "cc"), "-g", "-O0", "-w", "-shared", "-fPIC", "-I", include, code, "-o",
                    library], check=True)
    subprocess.run(["abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--type-id-style",
                    "hash", "--out-file", abi, library], check=True)
    return abi


def values(abi):
    """The values of enumerations, whose changes abidiff takes for additions."""
    with open(abi, encoding="utf-8") as file:
        return dict(re.findall(r"<enumerator name='(\w+)' value='(-?\d+)'", file.read()))


def main():
    if not shutil.which("abidw") or not shutil.which("abidiff"):
        print("skipped: abigail-tools are not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        now = describe(folder)
        if "--write" in sys.argv:
            shutil.copy(now, BASELINE)
            return 0
        growth = os.path.join(folder, "growth.ini")
        with open(growth, "w", encoding="utf-8") as file:
            file.write(GROWTH)
        done = subprocess.run(["abidiff", "--suppressions", growth, "--no-added-syms", BASELINE, now],
                              capture_output=True, text=True)
        before, after = values(BASELINE), values(now)
        changed = sorted(name for name in before if before[name] != after.get(name))
        if changed:
            print("other values:", *changed, file=sys.stderr)
        if done.returncode:
            print(done.stdout[-4000:], file=sys.stderr)
        if done.returncode or changed:
            print("the interface is no longer that of roundoff.abi", file=sys.stderr)
        return 1 if done.returncode or changed else 0


if __name__ == "__main__":
    sys.exit(main())
