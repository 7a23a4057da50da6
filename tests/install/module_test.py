# SPDX-License-Identifier: MIT
"""Device code is a module of its own: the library needs nothing of CUDA or C++ and is small, a program
loads the module from its own folder or the installed one alone, and says what is missing or wrong."""
import os
import platform
import shutil
import subprocess
import sys
import tempfile

BUILD, CC = os.environ["BUILD_DIR"], os.environ["CC"]
LIBRARY, MODULE = os.path.join(BUILD, "libroundoff.so"), os.path.join(BUILD, "libroundoff_cuda.so")
ALLOWED = ("libc.", "libm.", "libpthread.", "libdl.", "ld-linux")
MOST = 7 << 20
STRANGER = 'const struct { char version[16]; unsigned long bytes; } ro_cuda_module = {"0.0.0", 1};\n'
wrong = 0


def check(right, what):
    global wrong
    if not right:
        wrong = 1
        print(what, file=sys.stderr)


def compiled(text, path):
    subprocess.run([CC, "-shared", "-fPIC", "-x", "c", "-", "-o", path], input=text, text=True,
                   check=True)


def refusal(program, folder):
    """What a program says that was asked for a device."""
    subprocess.run([program, "testcard", "card.pgm", "--size", "16x16", "--quiet"], cwd=folder,
                   check=True)
    done = subprocess.run([program, "halftone", "card.pgm", "card.pbm", "--device", "cuda"], cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    check(done.returncode == 1 and done.stdout.count("\n") == 1,
          "status %d: %s" % (done.returncode, done.stdout))
    return done.stdout


def main():
    if os.environ.get("SANITIZE") or platform.system() != "Linux" or not shutil.which("readelf"):
        print("skipped: sanitizers add libraries, and without readelf nobody can tell")
        return 77
    dynamic = subprocess.run(["readelf", "-dW", LIBRARY], check=True, capture_output=True,
                             text=True).stdout
    needed = [line.split("[")[1].rstrip("]") for line in dynamic.splitlines() if "(NEEDED)" in line]
    check(all(name.startswith(ALLOWED) for name in needed), "libroundoff.so needs %s" % needed)
    size = os.path.getsize(LIBRARY)
    check(size <= MOST, "libroundoff.so has %d bytes, at most %d are right" % (size, MOST))
    if os.path.exists(MODULE):
        names = subprocess.run(["nm", "-D", "--defined-only", MODULE], check=True,
                               capture_output=True, text=True).stdout.split()[2::3]
        check(names == ["ro_cuda_module"], "libroundoff_cuda.so shows %s" % names)

    with tempfile.TemporaryDirectory() as folder:
        program = shutil.copy(os.environ["ROUNDOFF"], os.path.join(folder, "roundoff"))
        current = os.path.join(folder, "current")
        os.mkdir(current)
        compiled("#include <stdlib.h>\n"
                 "__attribute__((constructor)) static void run(void) { abort(); }\n",
                 os.path.join(current, "libroundoff_cuda.so"))
        check("without libroundoff_cuda.so" in refusal(program, current), "the module is not named")
        beside = os.path.join(folder, "libroundoff_cuda.so")
        compiled(STRANGER, beside)
        check("is not of version" in refusal(program, current), "another version is not refused")
        compiled("int other;\n", beside)
        check("ro_cuda_module" in refusal(program, current), "another library is not refused")
    return wrong


sys.exit(main())
