# SPDX-License-Identifier: MIT
"""Signals at random moments: all old files whole, or all new; after SIGINT and SIGTERM nothing else
is left and what is said is true. FAULTS=all tries more moments."""
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

from runs import EACH, ROUNDOFF, VARY, make_inputs, runs
from sweep_test import Sweep, WHOLE

SOME = ["halftone", "halftone-inks", "halftone-search", "denoise", "segment", "register",
        "hologram-make", "hologram-quantize", "compare", "fit"]
WORDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}


class Signals(Sweep):
    def __init__(self, inputs):
        super().__init__(inputs)
        self.ends = {"before": 0, "stopped": 0, "after": 0}
        self.random = random.Random(7)

    def once(self, folder, name, arguments, outputs, number, seconds, right):
        self.begin(folder, outputs)
        before = self.files(folder)
        run = subprocess.Popen([ROUNDOFF, *arguments], cwd=os.path.join(folder, "work"),
                               env=dict(os.environ, TMPDIR=os.path.join(folder, "tmp")),
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(seconds)
        run.send_signal(number)
        said = run.communicate(timeout=60)[1].decode(errors="replace")
        after, code = self.files(folder), run.returncode
        at = int(1e6 * seconds)
        olds = ["work/" + output for output in outputs]
        for path in before:
            if path not in after:
                self.fault(name, number.name, at, path + " is gone")
            elif path not in olds and after[path] != before[path]:
                self.fault(name, number.name, at, path + " has changed")
        new = [path for path in olds if after.get(path) != before[path]]
        for path in new:
            if os.path.basename(path) not in VARY and after[path] != right[path]:
                self.fault(name, number.name, at, path + " is neither old nor new")
        if code == 0:
            self.ends["after"] += 1
            if len(new) != len(olds):
                self.fault(name, number.name, at, "success, but old files")
        elif code == -number:
            self.ends["before" if number != signal.SIGKILL else "stopped"] += 1
            if number != signal.SIGKILL and (new or said):
                self.fault(name, number.name, at, "killed at work: " + said)
        elif code == 128 + number:
            self.ends["stopped"] += 1
            others = [os.path.basename(path) for path in new] if name in EACH else []
            if said.count("\n") != 1 + len(others) or WORDS[number] not in said or \
                    len(new) != len(others) or not all(other in said for other in others):
                self.fault(name, number.name, at, "new %s, said %s" % (new, said))
        else:
            self.fault(name, number.name, at, "ended with %d: %s" % (code, said))
        extra = [path for path in set(after) - set(before)
                 if number != signal.SIGKILL or not (os.path.basename(path).startswith(".") or
                                                     path.startswith("tmp/"))]
        if extra:
            self.fault(name, number.name, at, "left %s" % extra)

    def try_run(self, folder, name, arguments, outputs):
        self.begin(folder, outputs)
        start = time.monotonic()
        done = subprocess.run([ROUNDOFF, *arguments], cwd=os.path.join(folder, "work"),
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        seconds, right = time.monotonic() - start, self.files(folder)
        if done.returncode != 0:
            self.fault(name, "none", 0, "does not run: " + done.stderr.decode())
            return
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGKILL:
            for _ in range(60 if WHOLE else 4):
                self.once(folder, name, arguments, outputs, number,
                          self.random.uniform(0, 1.1 * seconds), right)


def main():
    with tempfile.TemporaryDirectory() as folder:
        inputs = os.path.join(folder, "inputs")
        os.mkdir(inputs)
        make_inputs(inputs)
        sweep = Signals(inputs)
        for name, arguments, outputs in runs():
            if (WHOLE or name in SOME) and outputs:
                sweep.try_run(folder, name, arguments, outputs)
    print("signals: %d came before the command listened, %d stopped it, %d came after" %
          (sweep.ends["before"], sweep.ends["stopped"], sweep.ends["after"]))
    print("%d faults" % len(sweep.faults))
    sys.exit(1 if sweep.faults else 0)


if __name__ == "__main__":
    main()
