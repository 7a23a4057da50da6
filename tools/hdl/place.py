#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Synthesises and places the circuits of hdl/ and prints their figures as a Markdown table.

    tools/hdl/place.py [--seeds N] [--only PATTERN] [--work FOLDER] [--device ecp5|ice40] [--placed]

Needs yosys and nextpnr-ecp5 or nextpnr-ice40; the variables YOSYS, NEXTPNR_ECP5 and NEXTPNR_ICE40
name other programs. Devices whose tool is missing are left out and named. What an earlier run has
placed of the same circuit counts, so one that was stopped goes on; --placed prints that and places
nothing. A clock is the median over
the seeds; every pin has two registers in a wrapper, so that pins anywhere on the chip do not count.
"""
import argparse
import fnmatch
import hashlib
import json
import os
import re
import shutil
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HDL = os.path.join(ROOT, "hdl")

# name, top, parameters, device, clock to aim at, steps of a pass (0: no steps)
DESIGNS = [
    ("errordiffusion", "ro_errordiffusion", {"WIDTH": 2048}, "ecp5", 220, 0),
    ("errordiffusion_lines", "ro_errordiffusion_lines", {"WIDTH": 2048}, "ecp5", 240, 0),
    ("levelset", "ro_levelset", {"WIDTH": 512, "STEPS": 16}, "ecp5", 160, 16),
    ("diffusion", "ro_diffusion", {"WIDTH": 512, "STEPS": 4, "BITS": 12}, "ecp5", 180, 4),
    ("jacobi", "ro_jacobi", {"WIDTH": 512, "STEPS": 1}, "ecp5", 180, 1),
    ("levelset", "ro_levelset", {"WIDTH": 512, "STEPS": 1}, "ecp5", 220, 1),
    ("ordered", "ro_ordered", {"SCREEN_WIDTH": 64, "SCREEN_HEIGHT": 64}, "ecp5", 220, 0),
    ("errordiffusion", "ro_errordiffusion", {"WIDTH": 2048, "LEVELS": 16}, "ecp5", 200, 0),
    ("errordiffusion_lines", "ro_errordiffusion_lines",
     {"WIDTH": 2048, "LEVELS": 16}, "ecp5", 220, 0),
    ("errordiffusion", "ro_errordiffusion",
     {"WIDTH": 2048, "KERNEL": '"sierra-two-row"'}, "ecp5", 200, 0),
    ("levelset_run", "ro_levelset_run", {"WIDTH": 512, "STEPS": 12}, "ecp5", 160, 12),
    ("diffusion", "ro_diffusion", {"WIDTH": 512, "STEPS": 16, "BITS": 9}, "ecp5", 160, 16),
    ("levelset", "ro_levelset", {"WIDTH": 512, "STEPS": 1, "BLOCKS": 0}, "ice40", 120, 1),
    ("errordiffusion", "ro_errordiffusion", {"WIDTH": 1024}, "ice40", 120, 0),
    ("errordiffusion_lines", "ro_errordiffusion_lines", {"WIDTH": 1024}, "ice40", 120, 0),
    ("diffusion", "ro_diffusion", {"WIDTH": 512, "STEPS": 1, "BITS": 12}, "ice40", 120, 1),
    ("ordered", "ro_ordered", {"SCREEN_WIDTH": 32, "SCREEN_HEIGHT": 32}, "ice40", 120, 0),
]

DEVICES = {
    "ecp5": {
        "title": "Lattice ECP5-25F, speed grade 6",
        "tool": os.environ.get("NEXTPNR_ECP5", "nextpnr-ecp5"),
        "vendor": "ecp5.v",
        "synth": "synth_ecp5",
        "flags": ["--25k", "--package", "CABGA381", "--speed", "6", "--parallel-refine"],
    },
    "ice40": {
        "title": "Lattice iCE40 HX8K",
        "tool": os.environ.get("NEXTPNR_ICE40", "nextpnr-ice40"),
        "vendor": "generic.v",
        "synth": "synth_ice40",
        "flags": ["--hx8k", "--package", "ct256"],
    },
}
YOSYS = os.environ.get("YOSYS", "yosys")


def version(tool):
    said = subprocess.run([tool, "--version"], capture_output=True, text=True)
    found = re.search(r"(?:Version|Yosys) ([^\s)]+)", said.stderr + said.stdout)
    return found.group(1) if found else ""


def call(command, log):
    with open(log, "w") as file:
        if subprocess.run(command, stdout=file, stderr=subprocess.STDOUT).returncode:
            with open(log) as file:
                sys.exit("%s\n%s" % (" ".join(command), "".join(file.readlines()[-15:])))
    with open(log) as file:
        return file.read()


def sources(vendor):
    found = [os.path.join(HDL, "vendor", vendor)]
    for folder in sorted(os.listdir(HDL)):
        path = os.path.join(HDL, folder)
        if folder != "vendor" and os.path.isdir(path):
            found += [os.path.join(path, f) for f in sorted(os.listdir(path)) if f.endswith(".v")]
    return found


def read(vendor, more=()):
    folders = " ".join("-I" + os.path.join(HDL, f) for f in ("common", "errordiffusion"))
    return "read_verilog -defer %s %s; " % (folders, " ".join(list(more) + sources(vendor)))


def wrapper(top, parameters, base):
    """A module with registers at every pin of the circuit, made from the ports it really has."""
    values = "; ".join("chparam -set %s %s %s" % (k, v, top) for k, v in parameters.items())
    ports_file = base + ".ports.json"
    call([YOSYS, "-q", "-p", read("generic.v") + values + "; hierarchy -check -top %s; proc; "
          "flatten; write_json %s" % (top, ports_file)], base + ".ports.log")
    with open(ports_file) as file:
        modules = json.load(file)["modules"]
    ports = modules[top]["ports"] if top in modules else next(iter(modules.values()))["ports"]
    lines = ["module placed (", "    input wire clk,"]
    body, connections = [], [".clk(clk)"]
    for name, port in ports.items():
        if name == "clk":
            continue
        bits = len(port["bits"])
        side = "input wire" if port["direction"] == "input" else "output reg"
        lines.append("    %s [%d:0] %s," % (side, bits - 1, name))
        if port["direction"] == "input":
            body.append("    reg [%d:0] p_%s, r_%s; always @(posedge clk) {r_%s, p_%s} <= {p_%s, %s};"
                        % (bits - 1, name, name, name, name, name, name))
        else:
            body.append("    wire [%d:0] r_%s; reg [%d:0] p_%s; always @(posedge clk) {%s, p_%s} <= "
                        "{p_%s, r_%s};" % (bits - 1, name, bits - 1, name, name, name, name, name))
        connections.append(".%s(r_%s)" % (name, name))
    lines[-1] = lines[-1].rstrip(",") + ");"
    given = ", ".join(".%s(%s)" % item for item in parameters.items())
    body.append("    %s #(%s) circuit (%s);" % (top, given, ", ".join(connections)))
    path = base + ".placed.v"
    with open(path, "w") as file:
        file.write("\n".join(lines + body + ["endmodule", ""]))
    return path


def changed(base, *words):
    """Whether a circuit differs from what its files in the work folder were made of."""
    text = hashlib.sha256("\n".join(words).encode()).hexdigest()
    key = base + ".key"
    if os.path.exists(key) and open(key).read() == text:
        return False
    for name in os.listdir(os.path.dirname(base)):
        if re.fullmatch(re.escape(os.path.basename(base)) + r"\.(\d+\.log|json|yosys\.log)", name):
            os.remove(os.path.join(os.path.dirname(base), name))
    with open(key, "w") as file:
        file.write(text)
    return True


def done(log):
    """What a program has printed, if it came to its end."""
    text = open(log).read() if os.path.exists(log) else ""
    return text if "Program finished normally" in text or "Time spent" in text else None


def number(pattern, text):
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def synthesise(device, clock, base, placed):
    files = [open(f).read() for f in sorted(sources(device["vendor"]) + [placed])]
    changed(base, *files, *device["flags"], str(clock), version(YOSYS), version(device["tool"]))
    if not done(base + ".yosys.log"):
        call([YOSYS, "-p", read(device["vendor"], [placed]) + "%s -top placed -json %s.json; stat"
              % (device["synth"], base)], base + ".yosys.log")


def label_of(design):
    words = [re.sub(r"\W", "", "%s%s" % p).lower() for p in design[2].items()]
    return "-".join([design[0], design[3]] + words)


def figures(design, work, seeds, only_placed):
    name, top, parameters, kind, clock, _ = design
    device = DEVICES[kind]
    parameters = dict(parameters)
    label = label_of(design)
    base = os.path.join(work, label)
    if top == "ro_ordered":
        cells = parameters["SCREEN_WIDTH"] * parameters["SCREEN_HEIGHT"]
        with open(base + ".mem", "w") as file:  # any permutation has the same figures
            file.writelines("%x\n" % (i * 7 % cells) for i in range(cells))
        parameters["SCREEN_FILE"] = '"%s"' % (base + ".mem")
    if only_placed:
        found = [seed for seed in range(1, seeds + 1) if done("%s.%d.log" % (base, seed))]
    else:
        found = range(1, seeds + 1)
    if not found:
        return None
    if not only_placed:
        synthesise(device, clock, base, wrapper(top, parameters, base))
    netlist = base + ".json"
    text = done(base + ".yosys.log")
    text = text[text.rindex("Printing statistics"):]
    used = {cell: int(count) for cell, count in
            re.findall(r"^\s+(\w+)\s+(\d+)\s*$", text, re.M)}
    used.update({cell: int(count) for count, cell in
                 re.findall(r"^\s+(\d+)\s+(\w+)\s*$", text, re.M)})
    clocks = []
    for seed in found:
        log = "%s.%d.log" % (base, seed)
        placed_text = done(log) or call(
            [device["tool"]] + device["flags"] + ["--json", netlist, "--freq", str(clock),
                                                  "--seed", str(seed), "--timing-allow-fail"], log)
        clocks.append(float(re.findall(r"Max frequency for clock.*?: ([\d.]+) MHz", placed_text)[-1]))
        print("%s seed %d: %.1f MHz" % (label, seed, clocks[-1]), file=sys.stderr, flush=True)
    flip_flops = sum(n for cell, n in used.items() if "DFF" in cell or cell == "TRELLIS_FF")
    if kind == "ecp5":
        luts = number(r"Total LUT4s:\s+(\d+)/", placed_text)
        blocks, products = used.get("DP16KD", 0), used.get("MULT18X18D", 0)
    else:
        luts = number(r"ICESTORM_LC:\s+(\d+)/", placed_text)
        blocks, products = number(r"ICESTORM_RAM:\s+(\d+)/", placed_text), 0
    return luts, flip_flops, products, blocks, clocks


def row(design, found):
    name, _, parameters, _, _, steps = design
    luts, flip_flops, products, blocks, clocks = found
    clock = statistics.median(clocks)
    what = ", ".join("%s %s" % (k.lower(), str(v).strip('"')) for k, v in parameters.items())
    cells = [name, what, luts, flip_flops, products, blocks, len(clocks),
             "**%.1f** (%.1f to %.1f)" % (clock, min(clocks), max(clocks)), "%.0f" % clock]
    if steps:
        rate = clock * 1e6 * steps
        cells += ["%.2f" % (rate / 1e9), "%.0f" % (rate / 65536), "%.0f" % (rate / 1048576)]
    else:
        cells += ["", "", ""]
    return "| " + " | ".join(str(c) for c in cells) + " |"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", default="*")
    parser.add_argument("--work", default=os.path.join(ROOT, "build", "hdl", "placed"))
    parser.add_argument("--placed", action="store_true")
    parser.add_argument("--device", default=None, choices=sorted(DEVICES))
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    if not shutil.which(YOSYS):
        sys.exit("skipped: there is no yosys here")
    for kind, device in DEVICES.items():
        if options.device and options.device != kind:
            continue
        if not shutil.which(device["tool"]):
            print("skipped: there is no %s here\n" % device["tool"])
            continue
        print("### %s\n\nyosys %s, %s %s.\n" % (
            device["title"], version(YOSYS), os.path.basename(device["tool"]),
            version(device["tool"])))
        print("| circuit | parameters | LUT4 | FF | DSP | BRAM | seeds | MHz: median (range) | Mpixel/s | "
              "Gpixel-steps/s | steps/s, 256² | steps/s, 1024² |")
        print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
        for design in DESIGNS:
            if design[3] == kind and fnmatch.fnmatch(label_of(design), options.only):
                found = figures(design, options.work, options.seeds, options.placed)
                if found:
                    print(row(design, found), flush=True)
        print()


if __name__ == "__main__":
    main()
