# SPDX-License-Identifier: MIT
"""Allocations of the Python extension and of roundoff-mpi that fail, one at a time: the call gives the
right result, or it ends with an exception or a sentence and leaves no file. FAULTS=all takes every
allocation, else some are taken. Only allocations of our own code fail: Python, numpy and MPI have
thousands.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE, BUILD = os.environ["SOURCE_DIR"], os.environ["BUILD_DIR"]
PRELOAD = os.path.join(BUILD, "tests", "libfaults.so")
WHOLE = os.environ.get("FAULTS") == "all"
FEW = 5  # of the calls of a run

PYTHON = """
import hashlib, sys
import numpy as np
import roundoff
grey = (np.add.outer(np.arange(30) * 5, np.arange(40) * 3) %% 256).astype("u1")
colours = np.stack([grey, grey[::-1], grey[:, ::-1]], -1)
def show(*arrays):
    print(hashlib.sha256(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays)).hexdigest())
try:
    %s
except (MemoryError, roundoff.Error) as error:
    print(type(error).__name__, error, file=sys.stderr)
    sys.exit(1)
"""
CALLS = {
    "halftone": "show(roundoff.halftone(grey))",
    "search": "show(roundoff.halftone(grey, method='dbs'))",
    "palette": "show(roundoff.halftone(colours, palette='black white red'))",
    "screen": "show(roundoff.screen('void-and-cluster', cell=16))",
    "denoise": "show(roundoff.denoise(grey, iterations=2))",
    "implicit": "show(roundoff.denoise(grey, scheme='implicit', iterations=1))",
    "segment": "show(roundoff.segment(grey, [(20, 15)]).labels)",
    "register": "show(roundoff.register(grey, np.roll(grey, 1, 1), scales=2).array)",
    "measure": "print(roundoff.measure(grey, roundoff.halftone(grey)))",
    "testcard": "show(roundoff.testcard((40, 30)))",
}
MPI = {
    "halftone": ["halftone", "in.pgm", "out.pbm", "--rows", "8"],
    "tiff": ["halftone", "in.pgm", "out.tif"],
    "denoise": ["denoise", "in.pgm", "out.pgm", "--kappa", "8", "--iterations", "2"],
    "hologram": ["hologram", "quantize", "light.npy", "out.pgm", "--levels", "phase:16"],
    "testcard": ["testcard", "out.ppm", "--size", "40x30", "--colour"],
}


def install(work):
    """Python and the place of the package with the library of this build; None: there is no such Python."""
    found = subprocess.run(["sh", "-c", ". python/interpreter.sh && find_python numpy setuptools wheel && "
                            "echo $python"], cwd=SOURCE, capture_output=True, text=True)
    if found.returncode:
        return None
    done = subprocess.run(["cmake", "--install", BUILD, "--component", "python", "--prefix", work],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=SOURCE)
    if done.returncode:
        sys.exit(done.stdout)
    return found.stdout.split()[-1], re.search(r"Installed: (.*)/roundoff\n", done.stdout)[1]


class Sweep:
    def __init__(self, work):
        self.work, self.tried, self.refused, self.faults = work, 0, 0, 0

    def run(self, command, source, at, environment):
        """What it ended with, printed, wrote; and how many calls there were."""
        folder, count = os.path.join(self.work, "run"), os.path.join(self.work, "count")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(os.path.join(self.work, "inputs"), folder)
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=300, env=dict(
            os.environ, LD_PRELOAD=PRELOAD, FAULT_KIND="alloc", FAULT_AT=str(at), FAULT_COUNT=count,
            FAULT_FROM=source, **environment))
        made = {name: open(os.path.join(folder, name), "rb").read() for name in os.listdir(folder)
                if name not in os.listdir(os.path.join(self.work, "inputs"))}
        calls = 0
        if os.path.exists(count):
            with open(count) as file:
                calls = int(file.read())
            os.remove(count)
        return done, made, calls

    def sweep(self, name, command, source, **environment):
        done, right, calls = self.run(command, source, 0, environment)
        printed = done.stdout
        if done.returncode or not calls:
            sys.exit("%s does not run: %d calls, %s" % (name, calls, done.stderr.decode()))
        points = range(1, calls + 1) if WHOLE or calls <= FEW else \
            sorted({1 + i * (calls - 1) // (FEW - 1) for i in range(FEW)})
        for at in points:
            done, made, _ = self.run(command, source, at, environment)
            self.tried += 1
            if done.returncode == 0:
                wrong = (made, done.stdout) != (right, printed) and "another result, and success"
            else:
                self.refused += 1
                wrong = (done.returncode < 0 or done.returncode > 1) and "ends with %d" % done.returncode or \
                    made and "leaves " + ", ".join(made) or not done.stderr.strip() and "says nothing"
            if wrong:
                self.faults += 1
                print("%s, allocation %d of %d: %s %s" % (name, at, calls, wrong, done.stderr.decode()[-300:]),
                      flush=True)


def main():
    if os.environ.get("SANITIZE") or not os.path.exists(PRELOAD):
        print("skipped: the library that fails cannot be loaded here")
        sys.exit(77)
    only, ran = sys.argv[1:], 0
    with tempfile.TemporaryDirectory() as work:
        sweep, inputs = Sweep(work), os.path.join(work, "inputs")
        os.mkdir(inputs)
        roundoff = os.environ["ROUNDOFF"]
        for arguments in ["testcard", "in.pgm", "--size", "40x30"], ["hologram", "make", "light.npy", "--size", "24x20"]:
            subprocess.run([roundoff, *arguments, "--quiet"], cwd=inputs, check=True)
        mpi = os.path.join(BUILD, "roundoff-mpi")
        for name, arguments in MPI.items() if os.path.exists(mpi) else ():
            if not only or "mpi-" + name in only:
                sweep.sweep("mpi-" + name, [mpi, *arguments, "--threads", "1", "--quiet"], "roundoff-mpi")
                ran += 1
        python = install(work) if not only or any(name in CALLS for name in only) else None
        for name, call in CALLS.items() if python else ():
            if not only or name in only:
                sweep.sweep(name, [python[0], "-c", PYTHON % call], "_core.abi3.so", PYTHONPATH=python[1],
                            PYTHONDONTWRITEBYTECODE="1")
                ran += 1
    print("%d allocations: %d refused, %d without harm, %d faults" %
          (sweep.tried, sweep.refused, sweep.tried - sweep.refused - sweep.faults, sweep.faults))
    if not ran:
        sys.exit(77)
    sys.exit(1 if sweep.faults else 0)


if __name__ == "__main__":
    main()
