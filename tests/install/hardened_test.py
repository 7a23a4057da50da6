# SPDX-License-Identifier: MIT
"""Programs and libraries are protected as cmake/harden.cmake has it, and load nothing from the current
folder."""
import os
import platform
import re
import shutil
import subprocess
import sys

BUILD = os.environ["BUILD_DIR"]
FILES = ["roundoff", "roundoff-mpi", "rocheck", "libroundoff.so", "libroundoff_io.so",
         "libroundoff_mpi.so", "libroundoff_cuda.so"]
wrong = 0


def readelf(option, path):
    return subprocess.run(["readelf", "-W", option, path], check=True, capture_output=True,
                          text=True).stdout


def fault(path, what):
    global wrong
    wrong = 1
    print("%s: %s" % (os.path.basename(path), what), file=sys.stderr)


def check(path, fortified):
    dynamic, program = readelf("-d", path), readelf("-l", path)
    for kind, folders in re.findall(r"\((R(?:UN)?PATH)\)[^\[]*\[(.*)\]", dynamic):
        for folder in folders.split(":"):
            if not folder.startswith("/") and not re.match(r"\$ORIGIN(/|$)", folder):
                fault(path, "%s has '%s'" % (kind, folder))
    for name in re.findall(r"\(NEEDED\)[^\[]*\[(.*)\]", dynamic):
        if "/" in name:
            fault(path, "needs %s by a path" % name)
    if "GNU_RELRO" not in program or not re.search(r"BIND_NOW|FLAGS_1.*NOW", dynamic):
        fault(path, "is not read-only after it was loaded (RELRO)")
    if not re.search(r"GNU_STACK.*RW ", program):
        fault(path, "has a stack that can be executed")
    if not re.search(r"Type:\s+DYN", readelf("-h", path)):
        fault(path, "does not move in memory (PIE)")
    symbols = readelf("--dyn-syms", path)
    if "__stack_chk_fail" not in symbols:
        fault(path, "has no stack protector")
    if fortified and not re.search(r"\b__(?!stack)\w+_chk\b", symbols):
        fault(path, "calls no checked functions (FORTIFY)")


def check_branches(archive):
    """Whether the compiler marked every object for Intel's CET."""
    notes = re.split(r"^File: ", readelf("-n", archive), flags=re.M)[1:]
    plain = [note.splitlines()[0] for note in notes
             if not re.search(r"x86 feature:.*IBT.*SHSTK", note)]
    if plain:
        fault(archive, "%d objects are not marked for CET: %s ..." % (len(plain), plain[0]))
    if not notes:
        fault(archive, "is empty")


def main():
    if os.environ.get("SANITIZE") or not shutil.which("readelf"):
        print("skipped: a sanitizer has its own checks, and without readelf nobody can tell")
        return 77
    with open(os.path.join(BUILD, "CMakeCache.txt")) as file:
        cache = file.read()
    fortified = "CMAKE_BUILD_TYPE:STRING=Debug" not in cache and "RO_BUILD_FUZZ:BOOL=ON" not in cache
    found = [path for path in (os.path.join(BUILD, name) for name in FILES) if os.path.exists(path)]
    for path in found:
        check(path, fortified and not path.endswith("_cuda.so")) # C++ calls few such functions
    if platform.machine() == "x86_64" and "CMAKE_SYSTEM_PROCESSOR:" not in cache:
        check_branches(os.path.join(BUILD, "libroundoff_internal.a"))
        check_branches(os.path.join(BUILD, "libroundoff_io_internal.a"))
    print("%d programs and libraries" % len(found))
    return wrong or len(found) < 3


sys.exit(main())
