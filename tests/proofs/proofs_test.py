#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the proofs: every function proof_NAME of every *_proof.c here is given to cbmc, which looks
for values that break an assertion. Lines " * sources:" name the files of src/ that belong to it,
" * options:" what cbmc needs to know, such as how often loops run."""

import os
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
INCLUDED = [part for folder in ("include", "src", "tests") for part in ("-I", os.path.join(ROOT, folder))]


def words(kind, text):
    return " ".join(re.findall(rf"^ \* {kind}: (.*)$", text, re.M)).split()


def prove(path, text, proof):
    sources = [os.path.join(ROOT, "src", source) for source in words("sources", text)]
    command = ["cbmc", "-D_GNU_SOURCE", *INCLUDED, path, *sources, "--function", proof,
               "--drop-unused-functions", "--slice-formula", *words("options", text)]
    start = time.time()
    result = subprocess.run(command, capture_output=True, text=True)
    name = f"{os.path.basename(path)[:-len('_proof.c')]}/{proof[len('proof_'):]}"
    if result.returncode == 0 and "VERIFICATION SUCCESSFUL" in result.stdout:
        print(f"ok   {name} ({time.time() - start:.0f} s)", flush=True)
        return True
    lines = (result.stdout + result.stderr).splitlines()
    wrong = [line for line in lines if "FAILURE" in line or "error" in line]
    print(f"FAIL {name}", *(wrong or lines[-20:]), sep="\n  ", flush=True)
    return False


def main():
    if not shutil.which("cbmc"):
        print("skipped: cbmc was not found")
        return 77
    done = []
    for file in sorted(os.listdir(HERE)):
        if file.endswith("_proof.c"):
            path = os.path.join(HERE, file)
            with open(path, encoding="utf-8") as source:
                text = source.read()
            done += [prove(path, text, proof) for proof in re.findall(r"^void (proof_\w+)\(void\)", text, re.M)]
    print(f"{sum(done)} of {len(done)} proved")
    return 0 if done and all(done) else 1


if __name__ == "__main__":
    sys.exit(main())
