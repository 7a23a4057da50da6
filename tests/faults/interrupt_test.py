# SPDX-License-Identifier: MIT
"""Every loop hears Ctrl-C: a run of about two seconds is interrupted here and there, and ends after
half a second of the processor's time, nothing written. FAULTS=all takes pictures of 6000 x 6000 and
more moments, of the first half minute at most."""
import os
import signal
import subprocess
import sys
import tempfile
import time

from runs import ROUNDOFF, certifies
from sweep_test import WHOLE

MOST = 0.5  # seconds
MOMENTS = [i / 12 for i in range(12)]  # of the whole run, or of its beginning
LONG = 30  # seconds
SAMPLE = [0.2, 0.9]  # seconds
SOME = ["halftone-riemersma", "halftone-dbs", "denoise-sigma", "denoise-implicit", "segment-smooth",
        "register", "hologram-make", "hologram-view-specific", "measure", "fit", "testcard"]
TICK = os.sysconf("SC_CLK_TCK")


def size(side):
    """Of the sampled runs, about two seconds; the whole ones have 36 million pixels or more."""
    side = max(side, 6000) if WHOLE else side
    return "%dx%d" % (side, side)


def runs(sure):
    """(name, side of the picture, arguments); IN is a picture of that side."""
    def halftone(method, side, *more):
        return ("halftone-" + method, side, ["halftone", "IN", "out.pbm", "--method", method, *more])

    def denoise(name, side, *more):
        return ("denoise-" + name, side, ["denoise", "IN", "out.pgm", *more])

    return [
        ("halftone", 6000, ["halftone", "IN", "out.pbm", "--cpu", "scalar", *sure]),
        halftone("riemersma", 8000), halftone("dot-diffusion", 8000), halftone("dbs", 3500),
        halftone("pinwheel", 8000),
        ("palette", 6000, ["halftone", "IN", "out.ppm", "--palette", "black white #c00 #00c"]),
        ("resize", 8000, ["halftone", "IN", "out.pbm", "--resize", "3000x2500"]),
        denoise("steps", 3000, *sure), denoise("sigma", 1300, "--sigma", "20"),
        denoise("implicit", 1400, "--scheme", "implicit"),
        denoise("converged", 300, "--until-converged"),
        ("segment", 1500, ["segment", "IN", "out.pgm", "--at", "300,300", "--speed", "1",
                           "--phi", "phi.npy", "--overlay", "look.ppm", "--force", *sure]),
        ("segment-smooth", 2500, ["segment", "IN", "out.pgm", "--at", "300,300", "--speed", "1",
                                  "--smooth", "20", "--iterations", "200", "--number", "s23e8"]),
        ("register", 1200, ["register", "IN", "IN", "out.pgm", "--force", *sure]),
        ("register-affine", 1500, ["register", "IN", "IN", "out.pgm", "--init", "affine",
                                   "--scales", "2", "--force"]),
        ("hologram-make", 700, ["hologram", "make", "out.npy", "--size", "SIZE"]),
        ("hologram-view-specific", 2500, ["hologram", "make", "out.npy", "--size", "SIZE",
                                          "--view-specific"]),
        ("hologram-quantize", 3000, ["hologram", "quantize", "LIGHT", "out.pgm", "--levels",
                                     "phase:16", *sure]),
        ("hologram-reconstruct", 1000, ["hologram", "reconstruct", "LIGHT", "view.pgm", "--depth",
                                        "80mm,85mm,91mm"]),
        ("measure", 4000, ["measure", "IN", "IN"]),
        ("compare", 1000, ["compare", "IN", "--methods", "fs,dbs,bayer8"]),
        ("testcard", 3000, ["testcard", "out.ppm", "--size", "SIZE", "--colour", "--bits", "16",
                            *sure]),
        ("screen", 0, ["screen", "make", "void-and-cluster", "out.pgm", "--cell", "512"]),
        ("screen-uniform", 0, ["screen", "make", "uniform", "out.npy", "--cell", "512"]),
        ("fit", 0, ["calibrate", "fit", "WEDGE", "--curve", "out.csv"]),
    ]


def cpu_seconds(pid):
    with open("/proc/%d/stat" % pid) as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


class Interrupts:
    def __init__(self, folder):
        self.folder = folder
        self.faults = 0

    def make(self, *arguments):
        subprocess.run([ROUNDOFF, *arguments, "--quiet"], cwd=self.folder, check=True)

    def arguments(self, side, arguments):
        names = {"IN": "in-%d.pgm" % side, "LIGHT": "light-%d.npy" % side, "WEDGE": "wedge.pgm"}
        made = []
        for word in arguments:
            if word == "SIZE":
                word = size(side)
            if word in names:
                name = names[word]
                if not os.path.exists(os.path.join(self.folder, name)):
                    if word == "IN":
                        self.make("testcard", name, "--size", size(side))
                    elif word == "LIGHT":
                        self.make("hologram", "make", name, "--size", size(side))
                    else:
                        self.make("calibrate", "wedge", name, "--patch", "400", "--dpi", "600")
                word = name
            made.append(word)
        threads = [] if made[0] in ("screen", "testcard", "calibrate", "compare") else \
            ["--threads", "1"]
        return made + threads + ["--quiet"]

    def start(self, arguments):
        return subprocess.Popen([ROUNDOFF, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE)

    def wait(self, run):
        """How long it ran on the processor, and what it said."""
        said = run.stderr.read().decode()
        _, status, used = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
        run.stderr.close()
        return used.ru_utime + used.ru_stime, said

    def runs_for(self, run, moment):
        """The seconds it has spent on the processor by then; None: it ended before."""
        spent = 0
        while os.waitid(os.P_PID, run.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            if spent >= moment:
                return spent
            time.sleep(0.005)
            spent = cpu_seconds(run.pid)
        return None

    def once(self, arguments, moment):
        """Seconds from the signal to the end, by the clock or, where others keep the processor busy,
        the processor's; None: it had ended before."""
        run = self.start(arguments)
        spent = self.runs_for(run, moment)
        if spent is None:
            self.wait(run)
            return None
        sent = time.monotonic()
        os.kill(run.pid, signal.SIGINT)
        total, said = self.wait(run)
        took = time.monotonic() - sent
        if run.returncode == 0:
            return None
        if run.returncode == -signal.SIGINT and moment == 0:
            return 0  # it had not begun to listen, nor to do anything
        if run.returncode != 130 or "interrupted" not in said:
            raise AssertionError("ended with %d: %s" % (run.returncode, said))
        return min(took, total - spent)

    def moments(self, name, arguments):
        run = self.start(arguments)
        if self.runs_for(run, LONG):
            os.kill(run.pid, signal.SIGKILL)
            total, _ = self.wait(run)
        else:
            total, said = self.wait(run)
            if run.returncode != 0:
                print("%s does not run: %s" % (name, said))
                self.faults += 1
        return [moment * total for moment in MOMENTS]

    def try_run(self, name, side, arguments):
        arguments = self.arguments(side, arguments)
        before = sorted(os.listdir(self.folder))
        moments = SAMPLE if not WHOLE else self.moments(name, arguments)
        for made in set(os.listdir(self.folder)) - set(before):
            os.remove(os.path.join(self.folder, made))
        longest = 0
        for moment in moments:
            try:
                took = self.once(arguments, moment)
            except AssertionError as error:
                print("%s: %s" % (name, error))
                self.faults += 1
                continue
            if took is None:
                for made in set(os.listdir(self.folder)) - set(before):
                    os.remove(os.path.join(self.folder, made))
                continue
            longest = max(longest, took)
            if sorted(os.listdir(self.folder)) != before:
                print("%s left %s" % (name, set(os.listdir(self.folder)) ^ set(before)))
                self.faults += 1
        print("%-24s heard after %.2f s at most%s" %
              (name, longest, "" if longest <= MOST else ": TOO LATE"), flush=True)
        self.faults += longest > MOST


def main():
    if os.environ.get("SANITIZE"):
        print("skipped: sanitizers take their time")
        sys.exit(77)
    only = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        interrupts = Interrupts(folder)
        for name, side, arguments in runs(["--certificate", "c.json"] if certifies() else []):
            if name in only or not only and (WHOLE or name in SOME):
                interrupts.try_run(name, side, arguments)
    print("%d faults" % interrupts.faults)
    sys.exit(1 if interrupts.faults else 0)


if __name__ == "__main__":
    main()
