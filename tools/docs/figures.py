# SPDX-License-Identifier: MIT
"""Compares the figures in README and docs with the tables in bench/results they come from.

    python3 tools/docs/figures.py           writes the figures of bench/results into the pages
    python3 tools/docs/figures.py --check   names those that differ, and fails

The list in documented() holds, for each place in a page, its words with a # for each figure, and
the cells of bench/results that the figures are. A figure has to be its cell rounded to as many
decimals as the page shows. In the sections of COMPLETE, every number of a table must be in the
list. tests/docs/figures_test.py runs the comparison.
"""
import functools
import os
import re
import sys

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
NUMBER = r"(?<![\d.,])(\d+(?:,\d{3})*(?:\.\d+)?)(?!\d)"
COMPLETE = [("README.md", "## Speed"), ("docs/papers.md", "## Error diffusion"),
            ("docs/papers.md", "## Direct binary search"), ("docs/papers.md", "## Holograms"),
            ("docs/papers.md", "## Quantized PDE solvers")]


class Wrong(Exception):
    """A cell or words that are not there, or not just once."""


# ---- Tables -------------------------------------------------------------------------------------
def read(name):
    with open(os.path.join(SOURCE, name), encoding="utf-8") as file:
        return file.read()


def cells_of(line):
    return [" ".join(cell.split()) for cell in line.strip().strip("|").split("|")]


@functools.lru_cache(None)
def results(name):
    """The text of a file of results, and its tables: heading and text above, columns, rows."""
    text = read("bench/results/" + name)
    tables, heading, above, rows = [], "", "", None
    for line in text.splitlines() + [""]:
        if line.startswith("|"):
            if rows is None:
                rows = []
                tables.append((heading + "\n" + above, cells_of(line), rows))
            elif not re.fullmatch(r"[|\s:-]+", line):
                rows.append(cells_of(line))
            continue
        if rows is not None:
            above, rows = "", None
        if line.startswith("#"):
            heading, above = line, ""
        above += line + "\n"
    return text, tables


def cell(name, where, column, *row, nth=0):
    """The nth number of a cell: in the table with `where` above it, in the row that begins so."""
    found = [line[columns.index(column)] for above, columns, rows in results(name)[1]
             if where in above and column in columns
             for line in rows if tuple(line[:len(row)]) == row]
    if len(found) != 1:
        raise Wrong(f"bench/results/{name}, {where}: {len(found)} rows {row} with a column {column}")
    numbers = re.findall(r"\d+(?:\.\d+)?", found[0])
    if nth >= len(numbers):
        raise Wrong(f"bench/results/{name}, {where}: no number in {column} of {row}")
    return float(numbers[nth])


def said(name, pattern):
    """The number that a line beside the tables has at the group of the pattern."""
    found = re.findall(pattern, results(name)[0])
    if len(found) != 1:
        raise Wrong(f"bench/results/{name}: {len(found)} times {pattern}")
    return float(found[0])


def whole(page, name, where, column, key=1):
    """All rows of a table that a page has in the same words; the first `key` cells are not figures."""
    found = [rows for above, columns, rows in results(name)[1]
             if where in above and column in columns]
    if len(found) != 1:
        raise Wrong(f"bench/results/{name}: {len(found)} tables {where} with a column {column}")
    words = ["| " + " | ".join(row[:key] + [re.sub(NUMBER, "#", cell) for cell in row[key:]]) + " |"
             for row in found[0]]
    return (page, "\n".join(words), *(float(number) for row in found[0] for cell in row[key:]
                                      for number in re.findall(NUMBER, cell)))


# ---- The list -----------------------------------------------------------------------------------
def documented():
    """Yields page, words with a # for each figure, and the figures."""
    yield from readme()
    yield from papers()
    yield from peers()
    yield from performance()
    yield whole("docs/circuits.md", "circuits.md", "### Lattice ECP5-25F", "MHz: median (range)", 2)
    yield whole("docs/circuits.md", "circuits.md", "### Lattice iCE40", "MHz: median (range)", 2)
    yield ("docs/screen.md", "in four inks takes # s on two cores, # s of processor time in all, "
           "and # MB", said("screens.md", r"two threads: ([\d.]+) s,"),
           said("screens.md", r"([\d.]+) s of the processor, "),
           said("screens.md", r"of the processor, (\d+) MB"))
    ranks = functools.partial(cell, "xeon-2-cores.md", "## ranks", "seconds",
                              "30000 x 30000, 8 bits, floyd-steinberg", "0.355")
    yield "docs/scale.md", "Two ranks took # s, one # s;", ranks("2"), ranks("1")


def xeon_diffusion(*row):
    return cell("xeon-2-cores.md", "## roundoff bench diffusion", "Mpixel/s", *row)


def h200_diffusion(size, column, nth=0):
    return cell("h200.md", "Kernel time, ms", column, size, nth=nth)


def h200_host(size, column):
    return cell("h200.md", "Host to host, ms", column, size)


def h200_many(source, target):
    return cell("h200.md", "Many levels", "ms", "floyd-steinberg", source, target)


def h200_dbs(size, start, column):
    return cell("h200.md", "## dbs", column, size, start)


def h200_denoise(size, model, column):
    return cell("h200.md", "## denoise", column, size, "explicit", model, "s16")


def h200_segment(size, number, norm, labels, column):
    return cell("h200.md", "## segment", column, size, number, norm, "fused", "cuda", labels)


def h200_hologram(size, weights, taps, p, column):
    return cell("h200.md", "## hologram", column, size, "2048", weights, taps, p)


def h200_register(size):
    return 1e3 * cell("h200.md", "## register", "seconds", size, "s23e8")


def levels(method, source, target, column):
    return cell("levels.md", "Levels, 3840 x 2160", column, method, source, target)


FLOOR = "floor: (w + 2.5 h) steps of the chain"
BIG = "16384²"


def readme():
    page = "README.md"
    wave = functools.partial(xeon_diffusion, "4096", "8", "wave", "avx512")
    yield (page, "runs at # gigapixels per second, # times as fast as zimg's best SIMD code.",
           wave("1") / 1e3, said("xeon-2-cores.md", r"ratio wave1/zimg ([\d.]+)"))
    yield page, "| Roundoff | # | # |", wave("1"), wave("2")
    yield (page, "| zimg 3.0.4, best SIMD (one byte per pixel out) | # | |",
           xeon_diffusion("4096", "8", "zimg", "best simd"))
    yield page, "| zimg 3.0.4, plain C | # | |", xeon_diffusion("4096", "8", "zimg", "c")
    yield (page, "| Floyd–Steinberg, 16384 × 16384 | # | # | # (", h200_diffusion(BIG, "wave"),
           h200_host(BIG, "wave"), h200_diffusion(BIG, "bwec", nth=1))
    yield (page, "| Direct binary search, 4096 × 3072 | # | # | # (",
           *(h200_dbs("4096 x 3072", "acuity", column)
             for column in ("kernels ms", "host to host ms", "paper's GPU ms")))
    yield (page, "| Hologram, 24576 × 24576, 27 taps | # | # | # (",
           *(h200_hologram("24576 x 24576", "paper", "27", "1", column)
             for column in ("kernel ms", "host to host ms", "paper's GPU ms")))
    yield (page, "| Anisotropic diffusion, 8192 × 8192, 16 bits, 64 steps | # | # | |",
           *(h200_denoise("8192", "anisotropic", column)
             for column in ("kernels ms", "host to host ms")))
    yield (page, "in 16 bits is # times as fast as OpenCV's",
           said("xeon-2-cores.md", r"ratio s16/OpenCV, 2048, one thread ([\d.]+)"))
    yield (page, "runs at # times the speed of zimg", levels("bayer16", "10", "8", "ratio"))


def papers():
    page = "docs/papers.md"
    sizes = ("1024²", "4096²", BIG)

    def table(column):
        return [cell("xeon-2-cores.md", "Table I of Kasagi", column, size) for size in sizes]

    yield page, "| ED, CPU | theirs, Core i7-3770K | # | # | # |", *table("ED theirs")
    yield page, "| | ours, one thread of a Xeon | # | # | # |", *table("ED ours")
    yield (page, "| EC, CPU | theirs | # | # | # |\n| | ours | # | # | # |",
           *table("EC theirs"), *table("EC ours"))
    for name, device in [("PWED", ", GTX 780 Ti"), ("PWEC", ""), ("BWED", ""), ("BWEC", "")]:
        own = ", H200" if device else ""
        yield (page, f"| {name} | theirs{device} | # | # | # |\n| | ours{own} | # | # | # |",
               *(h200_diffusion(size, name.lower(), nth) for nth in (1, 0) for size in sizes))
    yield page, "| wave | ours, two Xeon threads | # | # | # |", *table("wave ours")
    yield (page, "| | ours, H200 | # | # | # |\n| | the same from and to host memory | # | # | # |",
           *(h200_diffusion(size, "wave") for size in sizes),
           *(h200_host(size, "wave") for size in sizes))
    for words, size in [("512 × 512", "512 x 512"), ("2048 × 2560", "2048 x 2560"),
                        ("4096 × 3072", "4096 x 3072")]:
        xeon = functools.partial(cell, "xeon-2-cores.md", "Table 1 of Koge")
        yield (page, f"| {words} | # | # | # | # | # |", xeon("CPU theirs", size),
               xeon("CPU ours", size), xeon("GPU theirs", size),
               h200_dbs(size, "random", "host to host ms"), h200_dbs(size, "random", "kernels ms"))
    cpu = [1e3 * cell("xeon-2-cores.md", "## roundoff bench hologram", column, "24576", "paper",
                      "27", "1") for column in ("paper's CPU", "seconds")]
    yield page, "ours two Xeon threads), p = 1 | # | # | # |", *cpu, cpu[1]
    for words, p in [("| GPU (theirs RTX 2080 Ti, ours H200), p = 1", "1"), ("| p = 3", "3"),
                     ("| p = 6", "6")]:
        yield (page, words + " | # | # | # |",
               *(h200_hologram("24576 x 24576", "paper", "27", p, column)
                 for column in ("paper's GPU ms", "kernel ms", "host to host ms")))
    yield (page, "| least squares, 12 taps, p = 2 | | # | # |",
           *(h200_hologram("24576 x 24576", "ls", "12", "2", column)
             for column in ("kernel ms", "host to host ms")))
    for what, size, machine in [
            ("explicit anisotropic step", "256", "GeForce3"),
            ("Jacobi iteration", "256", "XPP, simulated at 40 MHz"),
            ("level-set step", "128", "graphics hardware (DX7)"), ("level-set step", "256", "FPGA"),
            ("registration", "257", "GeForceFX 5800 Ultra"),
            ("registration", "513", "GeForceFX 5800 Ultra")]:
        solver = functools.partial(cell, "xeon-2-cores.md", "Solvers of Strzodka's thesis")
        row = (what, f"{size} x {size}", machine)
        yield (page, f"| {what} | {size}² | {machine} | # | # |", solver("theirs", *row),
               solver("ours", *row))


def peers():
    page = "docs/peers.md"
    halftone = functools.partial(cell, "xeon-2-cores.md", "## roundoff bench halftone", "Mpixel/s")
    yield (page, "| Roundoff, `wave` | # to # |",
           xeon_diffusion("4096", "8", "wave", "avx512", "1"),
           halftone("floyd-steinberg", "wave, avx512"))
    yield page, "| Pillow, `convert('1')` | # |", halftone("Pillow, convert('1')")
    yield page, "| Netpbm, `pgmtopbm -fs` | # |", halftone("Netpbm, pgmtopbm -fs")
    yield (page, "| zimg 3.0.4, best SIMD | # to # |",
           halftone("zimg, Floyd-Steinberg", "best simd"),
           xeon_diffusion("4096", "8", "zimg", "best simd"))
    yield page, "| zimg, plain C | # |", xeon_diffusion("4096", "8", "zimg", "c")
    for words, program in [("| Roundoff, `--lpi 133 --angle 0, 15, 45, 75`", "Roundoff"),
                           ("| Ghostscript 10.00, `sethalftone`, the same", "Ghostscript")]:
        speed, lines, angles = ([cell("screens.md", "## roundoff bench screens", column, program,
                                      angle) for angle in ("0", "15", "45", "75")]
                                for column in ("Mpixel/s", "lpi off", "degrees off"))
        yield (page, words + " | # to # | # | # |", min(speed), max(speed), max(lines),
               max(angles))
    palette = functools.partial(cell, "xeon-2-cores.md", "## roundoff bench palette", "Mpixel/s",
                                "2048")
    yield (page, "Roundoff # Mpixel/s on one thread, ImageMagick #.",
           palette("roundoff", "avx512", "1"), palette("ImageMagick"))
    yield (page, "from 16 to 8 bits # Mpixel/s, zimg #; from 16 to 10 bits #, zimg #.",
           *(levels("floyd-steinberg", "16", target, column)
             for target in ("8", "10") for column in ("roundoff", "zimg")))
    yield (page, "to 10 bits (#, Roundoff #) and from 10 to 8 (#, Roundoff #).",
           *(levels("bayer16", source, target, column) for source, target in (("16", "10"),
             ("10", "8")) for column in ("zimg", "roundoff")))
    yield (page, "Roundoff # s to a true local optimum",
           cell("xeon-2-cores.md", "## roundoff bench dbs", "seconds", "2048 x 2560", "groups",
                "avx512", "2"))
    yield (page, "per step: times as fast as OpenCV | # | 1 |\n"
           "| the same: times as fast as ITK 5.2 | # | 1 |",
           said("xeon-2-cores.md", r"ratio s16/OpenCV, 2048, one thread ([\d.]+)"),
           said("xeon-2-cores.md", r"ratio s16/ITK, 2048, one thread ([\d.]+)"))
    step = functools.partial(cell, "xeon-2-cores.md", "## roundoff bench segment", "ms/step", "512")
    yield (page, "| # ms | # ms (chan_vese), # ms (geodesic), scikit-image |",
           step("s12", "lin", "stream", "avx512", "1"),
           step("double", "", "scikit-image chan_vese"), step("", "", "scikit-image geodesic"))
    shape = functools.partial(cell, "xeon-2-cores.md", "A noisy five-lobed shape")
    own, peer = "s12, 360 steps, 2 threads", "ITK sparse field, 620 steps, 2 threads"
    yield (page, "| # ms, Dice # | # ms, # (ITK sparse field) |", shape("ms", own),
           shape("dice", own), shape("ms", peer), shape("dice", peer))
    pairs = functools.partial(cell, "epyc-2-cores.md", "Pairs of 513 x 513")
    errors = functools.partial(pairs, "error, px")
    yield (page, "0.6x + 60 (# against # pixels) and fine motion (# against #), in",
           *(errors(pair, scheme) for pair in ("0.6x + 60", "fine, 3 px")
             for scheme in ("elastix NCC", "auto")))
    yield (page, "DIS (#), demons and ilk are nearer than the default (#), and so is "
           "`--scheme annealed` (#).", *(errors("with noise 12", scheme)
                                         for scheme in ("OpenCV DIS", "auto", "annealed")))

    def smooth(peer):
        return [pairs(column, "smooth, 8 px", peer) for column in ("seconds", "error, px")]

    yield (page, "seconds, error in pixels | #, # | #, # (OpenCV DIS); #, # (DualTVL1); #, # "
           "(elastix: affine, B-splines by correlation); #, # (ITK demons) |",
           *smooth("auto"), *smooth("OpenCV DIS"), *smooth("OpenCV DualTVL1"),
           *smooth("elastix NCC"), *smooth("ITK demons"))


def performance():
    page = "docs/performance.md"
    yield (page, "takes # ms, to 10 bits #, from 8 to 4 bits #;", h200_many("16", "8"),
           h200_many("16", "10"), h200_many("8", "4"))
    yield page, "An H200 takes # s,", said("h200.md", r"hashed: \w+, ([\d.]+) s")
    yield page, "16384² takes # times the copies.", h200_host(BIG, "wave / copying")
    yield (page, "the bench prints it): # ns,",
           said("h200.md", r"the chain alone takes ([\d.]+) ns a step"))
    yield page, "which makes # ms; the bytes", h200_diffusion(BIG, FLOOR)
    yield page, "What is reached is # ms.", h200_diffusion(BIG, "wave")
    more = said("h200.md", r"256 rows more add ([\d.]+) us")
    yield page, "# µs, which is # µs for a block of four", more / 4, more
    yield (page, "which an H200 copies in # ms: one step a pass could not do more than # "
           "Gpixel-steps/s", said("h200.md", r"in s16 on the device takes ([\d.]+) ms"),
           said("h200.md", r"in s16 on the device takes .* (\d+) Gpixel/s"))
    yield (page, "takes # µs with the anisotropic model in s16, in launches of three",
           h200_denoise("256", "anisotropic", "us a step"))
    register = functools.partial(cell, "epyc-2-cores.md", "## roundoff bench register", "seconds",
                                 "513 x 513", "s23e8", "avx512")
    yield (page, "and takes # ms on one thread and # ms on two", 1e3 * register("1"),
           1e3 * register("2"))
    yield whole(page, "epyc-2-cores.md", "## roundoff register, photographs", "error now, px")
    step = functools.partial(cell, "xeon-2-cores.md", "## roundoff bench segment", "ms/step")
    yield (page, "| s12, 256 × 256, a step, one thread | # |\n| s12, 512 × 512, a step, one thread "
           "| # |\n| scikit-image chan_vese, 512 × 512, an iteration | # |\n| scikit-image "
           "morphological geodesic active contour, an iteration | # |",
           *(step(size, "s12", "lin", "stream", "avx512", "1") for size in ("256", "512")),
           step("512", "double", "", "scikit-image chan_vese"),
           step("512", "", "", "scikit-image geodesic"))
    pixel = functools.partial(cell, "xeon-2-cores.md", "## roundoff bench hologram", "ns a pixel",
                              "8192")
    yield (page, "Two cores take # ns per pixel for 27 taps at p = 3 and # ns for 12 at p = 2",
           pixel("paper", "27", "3"), pixel("ls", "12", "2"))
    frame = functools.partial(h200_hologram, "4096 x 2400")
    yield (page, "that is # ms for 27 taps and p = 1 and # ms for `ls`, # and # frames a second.",
           *(frame(*row, column) for column in ("host to host ms", "frames a second")
             for row in (("paper", "27", "1"), ("ls", "12", "2"))))
    usual, wide = "acuity", "acuity, radius 11"
    yield (page, "from `acuity`: # ms with radius 4 (7.3 before), host to host # ms; # ms with "
           "radius 11 (35.1 before), host to host # ms.",
           *(h200_dbs("4096 x 3072", start, column) for start in (usual, wide)
             for column in ("kernels ms", "host to host ms")))
    yield (page, "Perona-Malik in s16 is # times as fast as OpenCV and # times as fast as ITK",
           said("xeon-2-cores.md", r"ratio s16/OpenCV, 2048, one thread ([\d.]+)"),
           said("xeon-2-cores.md", r"ratio s16/ITK, 2048, one thread ([\d.]+)"))
    yield (page, "| Gpixel-steps/s, 8192², s16 | # | # | # |",
           *(h200_denoise("8192", model, "Gpixel-steps/s")
             for model in ("linear", "perona-malik", "anisotropic")))
    bayer = functools.partial(cell, "h200.md", "## ordered")
    yield (page, "take # ms at the speed of a copy, and a Bayer screen # ms.",
           *(bayer(column, "16384", "8", "bayer8", "2") for column in ("floor ms", "ms")))
    for words, number, norm in [
            ("u8, lin | 19", "u8", "lin"), ("s12, lin | 19", "s12", "lin"),
            ("s16, lin | 26", "s16", "lin"), ("floats, lin | 30", "s23e8", "lin"),
            ("s12, s16, euclid | 50", "s12", "euclid"), ("floats, euclid | 49", "s23e8", "euclid")]:
        yield (page, f"| {words} | # | # | # |",
               h200_segment("8192", number, norm, "1", "Gpixel-steps/s"),
               1e3 * h200_segment("256", number, norm, "1", "ms/step"),
               1e3 * h200_segment("256", number, norm, "4", "ms/step"))
    shapes = functools.partial(cell, "xeon-2-cores.md", "A noisy five-lobed shape", "ms")
    yield (page, "s12, whole call, two threads | # |\n| the same in u8 | # |\n"
           "| the same in s16 | # |\n| ITK, sparse field, to Dice 0.999 | # |",
           shapes("s12, 360 steps, 2 threads"), shapes("u8, 400 steps, 2 threads"),
           shapes("s16, 440 steps, 2 threads"), shapes("ITK sparse field, 620 steps, 2 threads"))
    yield (page, "as it is now ([table](../bench/results/h200.md)) | # | # |",
           h200_register("513 x 513"), h200_register("2049 x 2049"))
    light = functools.partial(cell, "h200.md", "## light", "ms")
    for words, row in [
            ("refine, 512 × 512, 256 phases, 50 iterations", "refine, phase:256, 512 x 512"),
            ("refine, 512 × 512, 4 phases, 15 iterations and 9 passes",
             "refine, phase:4, 512 x 512"),
            ("refine, 3840 × 2160, 256 phases", "refine, phase:256, 3840 x 2160"),
            ("24 binary frames of 1920 × 1080", "24 binary frames of 1920 x 1080, 0 mm away"),
            ("the same for a plane at 200 mm", "24 binary frames of 1920 x 1080, 200 mm away"),
            ("made, rounded, numbers to the host", "a frame, 4 layers, 4096 x 2400"),
            ("`make`, dice, 24,576 × 24,576, into host memory",
             "make, dice, 24576 x 24576, whole planes"),
            ("the same, view-specific", "make, dice, 24576 x 24576, view-specific")]:
        yield page, f"{words} | # |", light(row)


# ---- Comparing ----------------------------------------------------------------------------------
def shown(value, like):
    """The value with the decimals, and commas, of a figure that is there."""
    decimals = len(like.partition(".")[2])
    return f"{value:{',' if ',' in like else ''}.{decimals}f}"


def agrees(figure, value):
    half = 0.5 * 10.0 ** -len(figure.partition(".")[2])
    return abs(float(figure.replace(",", "")) - value) <= half * (1 + 1e-6)


def place(text, page, words, count):
    """The spans of the figures in a page."""
    pattern = NUMBER.join(re.escape(part) for part in words.split("#"))
    found = list(re.finditer(pattern, text))
    if len(found) != 1:
        raise Wrong(f"{page}: {len(found)} times \"{words}\"")
    if found[0].re.groups != count:
        raise Wrong(f"{page}: {count} figures for \"{words}\"")
    return [found[0].span(i + 1) for i in range(count)]


def unlisted(page, heading, text, spans):
    """Numbers of a section's tables that the list does not have."""
    start = text.index(heading + "\n")
    end = text.find("\n## ", start + 1)
    for line in re.finditer(r"^\|.*\|$", text[start:end], re.M):
        for found in re.finditer(r"(?<=\| )\d[\d.,]*(?= \|)", line.group()):
            first = start + line.start() + found.start()
            if first not in spans:
                yield f"{page}, {heading}: no source of {found.group()} in \"{line.group()}\""


def main():
    check = sys.argv[1:] == ["--check"]
    pages, spans, problems = {}, {}, []
    count = 0
    try:
        for page, words, *values in documented():
            text = pages.setdefault(page, read(page))
            try:
                places = place(text, page, words, len(values))
            except Wrong as wrong:
                problems.append(str(wrong))
                continue
            for (first, end), value in zip(places, values):
                count += 1
                spans.setdefault(page, {})[first] = (end, value)
                if check and not agrees(text[first:end], value):
                    start = text.rfind("\n", 0, first) + 1
                    line = text[max(start, first - 60):].partition("\n")[0][:120]
                    problems.append(f"{page}: {text[first:end]} in \"{line}\" is "
                                    f"{value:.6g} in bench/results")
        for page, heading in COMPLETE:
            problems += unlisted(page, heading, pages[page], spans[page])
    except Wrong as wrong:
        sys.exit(str(wrong))
    if problems:
        sys.exit("\n".join(problems) + "\npython3 tools/docs/figures.py writes the figures of "
                 "bench/results into the pages")
    if check:
        print(f"{count} figures of {len(pages)} pages are those of bench/results")
        return
    for page, text in pages.items():
        for first, (end, value) in sorted(spans[page].items(), reverse=True):
            if not agrees(text[first:end], value):
                text = text[:first] + shown(value, text[first:end]) + text[end:]
        if text != pages[page]:
            with open(os.path.join(SOURCE, page), "w", encoding="utf-8") as file:
                file.write(text)


main()
