# SPDX-License-Identifier: MIT
"""The libraries show what the public headers declare, no more and no less; in the archives no private
name can meet one of the user's."""
import os
import re
import shutil
import subprocess
import sys

SOURCE, BUILD = os.environ["SOURCE_DIR"], os.environ["BUILD_DIR"]
# Functions that programs may rely on, and all that are exported: no more than there are today.
STABLE, EXPORTED = 131, 276
UNSTABLE = {"command.h", "library.h", "number.h", "pieces.h", "solver.h"}
OF_THE_LINKER = {"_init", "_fini", "__bss_start", "_edata", "_end"}


def declared(*paths):
    names = set()
    for path in paths:
        text = re.sub(r"/\*.*?\*/", "", open(path, encoding="utf-8").read(), flags=re.S)
        for declaration in re.findall(r"^RO_API\s(.*?);", text, re.S | re.M):
            names.add(re.match(r"[\w\s*]*?\b(ro_\w+)\s*\(", declaration)[1])
    return names


def shown(library, *options):
    done = subprocess.run(["nm", "--defined-only", *options, library], check=True, capture_output=True,
                          text=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    return {row[2].split("@")[0] for row in rows if len(row) == 3 and row[1] not in "aA"} - OF_THE_LINKER


def main():
    if os.environ.get("SANITIZE") or not shutil.which("nm"):
        print("skipped: with a sanitizer archives are not closed, and without nm nobody can tell")
        return 77
    folder = os.path.join(SOURCE, "include")
    parts = [os.path.join(folder, "roundoff", name) for name in sorted(os.listdir(folder + "/roundoff"))]
    headers = {"roundoff": declared(*parts), "roundoff_io": declared(*(os.path.join(folder, name) for name in os.listdir(folder)
                                       if re.fullmatch(r"roundoff_io\w*\.h", name)))}
    stable = declared(*(path for path in parts if os.path.basename(path) not in UNSTABLE),
                      os.path.join(folder, "roundoff_io.h"))
    exported = sum(map(len, headers.values()))
    print(f"{len(stable)} functions in stable headers, {exported} in all")
    if len(stable) > STABLE or exported > EXPORTED:
        sys.exit(f"at most {STABLE} and {EXPORTED}")
    if os.path.exists(os.path.join(BUILD, "libroundoff_mpi.so")):
        headers["roundoff_mpi"] = declared(os.path.join(folder, "roundoff_mpi.h"))
    wrong = 0
    for name, public in headers.items():
        if len(public) < (3 if name == "roundoff_mpi" else 20):
            sys.exit(f"only {len(public)} names were found in the headers of {name}")
        for library, options in ((f"lib{name}.so", ["-D"]), (f"lib{name}.a", ["-g"])):
            found = shown(os.path.join(BUILD, library), *options)
            for what, names in (("shows", found - public), ("lacks", public - found)):
                if names:
                    wrong = 1
                    print(f"{library} {what} {len(names)}: {' '.join(sorted(names)[:40])}", file=sys.stderr)
    return wrong


sys.exit(main())
