#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs fuzz targets in turn, each for an equal share of CPU time, and keeps count in a table.

    fuzz.py BUILD [--until MINUTES | --rounds N] [--seconds N] [--table FILE] [TARGET...]

The target with the least CPU time comes next and runs for --seconds (60). This goes on until every
target has had --until minutes by the table, or for --rounds rounds (1). Corpora stay in BUILD/corpus,
the table is written after every run, so that it may be stopped at any time and started again. Without
--table nothing is counted. A target that finds a fault is left out from then on; its input and its log
are in BUILD, and the exit status is 1.
"""
import argparse
import datetime
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
HEAD = ("| target | CPU minutes | executions | edges | without new coverage | date | commit |\n"
        "|---|---|---|---|---|---|---|\n")
ROW = re.compile(r"^\| (\w+) \| ([\d.]+) \| (\d+) \| (\d+) \| ([\d.]+) min \| (\S+) \| (\w+) \|$", re.M)
EMPTY = {"minutes": 0.0, "runs": 0, "edges": 0, "quiet": 0.0, "date": "", "commit": ""}


def read_table(path):
    counts = {}
    if path and path.exists():
        for name, minutes, runs, edges, quiet, date, commit in ROW.findall(path.read_text()):
            counts[name] = {"minutes": float(minutes), "runs": int(runs), "edges": int(edges),
                            "quiet": float(quiet), "date": date, "commit": commit}
    return counts


def write_table(path, counts):
    """Puts the table in place of the one in the page, or at its end."""
    rows = "".join("| %s | %.2f | %d | %d | %.1f min | %s | %s |\n" % (
        name, row["minutes"], row["runs"], row["edges"], row["quiet"], row["date"], row["commit"])
        for name, row in sorted(counts.items()) if row["runs"])
    text = path.read_text() if path.exists() else ""
    if HEAD in text:
        before, after = text.split(HEAD)
        text = before + HEAD + rows + re.sub(r"\A(\|.*\n)*", "", after)
    else:
        text += HEAD + rows
    new = path.with_suffix(".new")
    new.write_text(text)
    new.replace(path)


def commit():
    done = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], cwd=HERE, capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def run(build, name, seconds):
    """Runs a target; returns what to add to its counts, or None if it found a fault."""
    corpus, log = build / "corpus" / name, build / (name + ".log")
    corpus.mkdir(parents=True, exist_ok=True)
    kind = name.removesuffix("_fuzz")
    seeds = [str(path) for path in (build / "seeds" / kind, HERE / "seeds" / kind) if path.is_dir()][:1]
    dictionary = HERE / "dictionaries" / (kind + ".dict")
    # A claimed width may ask for a long row; what counts is the memory that is touched.
    environment = dict(os.environ, ASAN_OPTIONS="allocator_may_return_null=1")
    arguments = [str(build / "fuzz" / name), "-max_total_time=%d" % seconds, "-timeout=600",
                 "-rss_limit_mb=2048", "-malloc_limit_mb=65536", "-print_final_stats=1",
                 "-artifact_prefix=%s-" % name, str(corpus), *seeds]
    if dictionary.exists():
        arguments.insert(1, "-dict=%s" % dictionary)
    with open(log, "wb") as file:
        child = subprocess.Popen(arguments, cwd=build, stdout=subprocess.DEVNULL, stderr=file, env=environment)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    text = log.read_text(errors="replace")
    if child.returncode:
        sys.stderr.write(text[-4000:])
        return None
    edges = [int(number) for number in re.findall(r" cov: (\d+) ", text)]
    newest = max((path.stat().st_mtime for path in corpus.iterdir()), default=0)
    minutes = (used.ru_utime + used.ru_stime) / 60
    return {"minutes": minutes, "runs": int(re.search(r"number_of_executed_units: *(\d+)", text)[1]),
            "edges": max(edges, default=0), "quiet": min(minutes, (time.time() - newest) / 60)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--until", type=float)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--table", type=pathlib.Path)
    given = parser.parse_args()
    build = given.build.resolve()
    names = given.targets or sorted(path.name for path in (build / "fuzz").glob("*_fuzz"))
    if not names:
        sys.exit("there are no fuzz targets in %s" % build)
    counts = read_table(given.table)
    rounds, faults = dict.fromkeys(names, 0), []
    while True:
        left = [name for name in names if name not in faults and
                (counts.get(name, EMPTY)["minutes"] < given.until if given.until else
                 rounds[name] < given.rounds)]
        if not left:
            break
        name = min(left, key=lambda name: (rounds[name], counts.get(name, EMPTY)["minutes"])
                   if not given.until else counts.get(name, EMPTY)["minutes"])
        found = run(build, name, given.seconds)
        rounds[name] += 1
        if not found:
            faults.append(name)
            print("%s found a fault" % name, flush=True)
            continue
        row = counts.setdefault(name, dict(EMPTY))
        # Without a new input in this run, the quiet time goes on.
        all_quiet = found["quiet"] >= found["minutes"] and row["runs"]
        row["quiet"] = row["quiet"] + found["minutes"] if all_quiet else found["quiet"]
        row["minutes"] += found["minutes"]
        row["runs"] += found["runs"]
        row["edges"] = max(row["edges"], found["edges"])
        row["date"], row["commit"] = datetime.date.today().isoformat(), commit()
        print("%s: %d runs in %.1f CPU minutes, %d edges" %
              (name, found["runs"], found["minutes"], found["edges"]), flush=True)
        if given.table:
            write_table(given.table, counts)
    if faults:
        sys.exit("faults: " + " ".join(faults))


if __name__ == "__main__":
    main()
