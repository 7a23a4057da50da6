# SPDX-License-Identifier: MIT
"""Makes the n-th allocation, read, write, sync, close, rename and start of a thread fail in every
command, for a sample of n, or for all of them where FAULTS=all. What must hold: one sentence and
status 1, all old files whole and nothing else left; or, where it does not matter, the right result.
"""
import os
import shutil
import subprocess
import sys
import tempfile

from runs import EACH, ROUNDOFF, VARY, make_inputs, options_without_run, runs

KINDS = ["alloc", "read", "write", "sync", "close", "rename", "thread"]
SAMPLE = {"alloc": 12}  # points of a kind and a command; of the others
FEW = 4
OLD = b"the old file\n"
PRELOAD = os.path.join(os.environ.get("BUILD_DIR", "build"), "tests", "libfaults.so")
LIBRARIES = ("libtiff.so", "libwebp.so", "libhdf5")  # do not survive all failures of their own memory
WHOLE = os.environ.get("FAULTS") == "all"


class Sweep:
    def __init__(self, inputs):
        self.inputs = inputs
        self.counts = {kind: {"tried": 0, "refused": 0, "right": 0} for kind in KINDS}
        self.faults = []
        self.inside = {}  # crashes of other people's libraries, by their names

    def fault(self, name, kind, at, what):
        self.faults.append("%s, %s %d: %s" % (name, kind, at, what))
        print(self.faults[-1], flush=True)

    def run(self, folder, arguments, kind, at):
        count, where = os.path.join(folder, "count"), os.path.join(folder, "where")
        environment = dict(os.environ, LD_PRELOAD=PRELOAD, FAULT_KIND=kind, FAULT_AT=str(at),
                           FAULT_COUNT=count, FAULT_WHERE=where, TMPDIR=os.path.join(folder, "tmp"))
        done = subprocess.run([ROUNDOFF, *arguments], cwd=os.path.join(folder, "work"),
                              env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=120)
        calls, self.where = 0, ""
        if os.path.exists(where):
            with open(where) as file:
                self.where = os.path.basename(file.read())
            os.remove(where)
        if os.path.exists(count):
            with open(count) as file:
                calls = int(file.read())
            os.remove(count)
        return done, calls

    def begin(self, folder, outputs):
        work = os.path.join(folder, "work")
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(self.inputs, work)
        os.makedirs(os.path.join(folder, "tmp"), exist_ok=True)
        for name in outputs:
            with open(os.path.join(work, name), "wb") as file:
                file.write(OLD)

    def files(self, folder):
        found = {}
        for part in "work", "tmp":
            for name in os.listdir(os.path.join(folder, part)):
                path = os.path.join(folder, part, name)
                if os.path.isdir(path):
                    found[part + "/" + name] = b"a folder"
                else:
                    with open(path, "rb") as file:
                        found[part + "/" + name] = file.read()
        return found

    def check(self, name, kind, at, done, before, after, right, outputs):
        """Whether what is there is what may be there; the one word for it."""
        said = done.stderr.decode(errors="replace")
        written = ["work/" + output for output in outputs]
        inside = kind == "alloc" and (self.where.startswith(LIBRARIES) or
                                      "hdf5" in name and self.where.startswith("libc.so"))
        crashed = done.returncode < 0 or done.returncode > 1
        if inside and (crashed or done.returncode == 1 and said.count("\n") > 1):
            self.inside[self.where] = self.inside.get(self.where, 0) + 1
            if any(after.get(path) != before[path] for path in before):
                self.fault(name, kind, at, "old files have changed: " + said[-300:])
        elif crashed:
            self.fault(name, kind, at, "ended with %d: %s" % (done.returncode, said[-300:]))
        elif done.returncode == 0:
            for path in set(after) | set(right):
                if path not in after or path not in right:
                    self.fault(name, kind, at, path + " is there, or is not")
                elif os.path.basename(path) in VARY:
                    if len(after[path]) < len(right[path]) * 9 // 10:
                        self.fault(name, kind, at, path + " is too short")
                elif after[path] != right[path]:
                    self.fault(name, kind, at, "a wrong result, and success: " + path)
            return "right"
        else:
            lines = [line for line in said.splitlines() if line.startswith("roundoff: ")]
            if not lines or len(said.splitlines()) > 2 and name not in EACH or said[-1] != "\n":
                self.fault(name, kind, at, "says " + repr(said[-300:]))
            if set(after) != set(before):
                self.fault(name, kind, at, "left %s" % (set(after) ^ set(before)))
            for path in set(before) & set(after):
                new = after[path] != before[path]
                if new and not (path in written and
                                (name in EACH or "is written" in said or "already" in said)):
                    self.fault(name, kind, at, path + " has changed: " + said[-200:])
                if new and os.path.basename(path) not in VARY and after[path] != right.get(path):
                    self.fault(name, kind, at, path + " is neither old nor new")
            return "refused"
        return "refused"

    def sweep(self, folder, name, arguments, outputs):
        self.begin(folder, outputs)
        before = self.files(folder)
        done, _ = self.run(folder, arguments, "none", 0)
        right = self.files(folder)
        if done.returncode != 0:
            self.fault(name, "none", 0, "does not run: " + done.stderr.decode())
            return
        for kind in KINDS:
            self.begin(folder, outputs)
            _, calls = self.run(folder, arguments, kind, 0)
            few = SAMPLE.get(kind, FEW)
            points = range(1, calls + 1)
            if not WHOLE and calls > few:  # spread evenly, ends included
                points = sorted({1 + i * (calls - 1) // (few - 1) for i in range(few)})
            for at in points:
                self.begin(folder, outputs)
                try:
                    done, _ = self.run(folder, arguments, kind, at)
                except subprocess.TimeoutExpired:
                    self.fault(name, kind, at, "does not end")
                    continue
                word = self.check(name, kind, at, done, before, self.files(folder), right, outputs)
                self.counts[kind]["tried"] += 1
                self.counts[kind][word] += 1
                shutil.rmtree(os.path.join(folder, "tmp"))


def main():
    if os.environ.get("SANITIZE") or not os.path.exists(PRELOAD):
        print("skipped: the library that fails cannot be loaded here")
        sys.exit(77)
    only = sys.argv[1:]
    forgotten = options_without_run()
    if forgotten:
        sys.exit("no run uses " + ", ".join("%s --%s" % option for option in forgotten))
    with tempfile.TemporaryDirectory() as folder:
        inputs = os.path.join(folder, "inputs")
        os.mkdir(inputs)
        make_inputs(inputs)
        sweep = Sweep(inputs)
        for name, arguments, outputs in runs():
            if not only or name in only:
                sweep.sweep(folder, name, arguments, outputs)
    for kind, count in sweep.counts.items():
        print("%-7s %6d failures: %6d refused, %6d without harm" %
              (kind, count["tried"], count["refused"], count["right"]))
    for library, count in sweep.inside.items():
        print("%s crashed or complained %d times where it asked for memory itself" % (library, count))
    print("%d faults" % len(sweep.faults))
    sys.exit(1 if sweep.faults else 0)


if __name__ == "__main__":
    main()
