# SPDX-License-Identifier: MIT
"""The code of docs/api.md and README.md, compiled as C11 and C++17 without a warning, and run."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap

SOURCE, BUILD = os.environ["SOURCE_DIR"], os.environ["BUILD_DIR"]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
LONGEST = 20  # lines of an example
FAMILIES = ["halftone", "denoise", "regions", "segment", "register", "multigrid", "hologram", "measure",
            "wedge", "halftone_plan", "denoise_plan", "regions_plan", "register_plan", "hologram_plan", "stream_open",
            "plan_run", "image_save", "context", "option_find", "palette", "screen", "number"]

HEAD = """#include <roundoff.h>
#include <roundoff/number.h>
#include <roundoff/solver.h>
#include <roundoff_io.h>
#include <stdio.h>
enum { SIDE = 64 };
static unsigned char grey[SIDE * SIDE], kept[SIDE * SIDE], packed[SIDE * SIDE / 8], bytes[SIDE * SIDE];
static float values[SIDE * SIDE], complex_values[2 * SIDE * SIDE];
"""
BLOCK = """static ro_status block_%d(ro_context *context, ro_image in, ro_image out, ro_image bits,
                          ro_image numbers, ro_image real, ro_field light)
{
    (void)context, (void)in, (void)out, (void)bits, (void)numbers, (void)real, (void)light;
%s
    return status;
}
"""
TAIL = """int main(void)
{
    ro_image in = ro_image_view(RO_GREY8, SIDE, SIDE, grey), out = ro_image_view(RO_GREY8, SIDE, SIDE, kept);
    ro_image bits = ro_image_view(RO_BITS, SIDE, SIDE, packed);
    ro_image numbers = ro_image_view(RO_INDEX8, SIDE, SIDE, bytes);
    ro_image real = ro_image_view(RO_GREYF, SIDE, SIDE, values);
    ro_field light = {SIDE, SIDE, 8 * SIDE, complex_values};
    ro_status (*const blocks[])(ro_context *, ro_image, ro_image, ro_image, ro_image, ro_image,
                                ro_field) = {%s};
    ro_context *context;
    int failed = 0;
    if (ro_context_open(NULL, &context) != RO_OK)
        return 2;
    for (int i = 0; i < SIDE * SIDE; i++) {
        int x = i %% SIDE, y = i / SIDE;
        grey[i] = (unsigned char)((x - 32) * (x - 32) + (y - 32) * (y - 32) < 300 ? 180 + x / 4 : 60 + y / 4);
        values[i] = (float)grey[i];
    }
    for (int i = 0; i < %d; i++)
        if (blocks[i](context, in, out, bits, numbers, real, light) != RO_OK) {
            fprintf(stderr, "block %%d of api.md: %%s\\n", i + 1, ro_context_message(context));
            failed = 1;
        }
    ro_context_close(context);
    return failed;
}
"""


def main():
    page = open(os.path.join(SOURCE, "docs/api.md"), encoding="utf-8").read()
    front = open(os.path.join(SOURCE, "README.md"), encoding="utf-8").read()
    blocks = re.findall(r"^```c( program)?\n(.*?)^```$", page, re.S | re.M)
    programs = [text for whole, text in blocks if whole]
    programs += re.findall(r"^```c\n(.*?)^```$", front, re.S | re.M)
    pieces = [text for whole, text in blocks if not whole]
    for piece in pieces:
        if piece.count("\n") > LONGEST:
            sys.exit(f"a piece of api.md has more than {LONGEST} lines:\n{piece}")
    for family in FAMILIES:
        if not any(re.search(r"\bro_%s" % family, text) for text in pieces):
            sys.exit(f"api.md has no code for ro_{family}")
    text = HEAD + "".join(BLOCK % (i, textwrap.indent(piece, "    ")) for i, piece in enumerate(pieces))
    text += TAIL % (", ".join(f"block_{i}" for i in range(len(pieces))), len(pieces))
    programs.append(text)
    compilers = [(os.environ["CC"], "c11", "c")]
    if shutil.which("c++"):
        compilers.append(("c++", "c++17", "c++"))
    sanitize = os.environ.get("SANITIZE")
    flags = ["-fsanitize=" + sanitize] if sanitize else []
    with tempfile.TemporaryDirectory() as folder:
        for compiler, standard, language in compilers:
            for number, program in enumerate(programs):
                name = os.path.join(folder, f"api{number}.{language}")
                open(name, "w", encoding="utf-8").write(program)
                subprocess.run([compiler, "-std=" + standard, *WARNINGS, *flags, "-x", language, name,
                                "-x", "none", "-I" + os.path.join(SOURCE, "include"), "-o", name + ".out",
                                "-L" + BUILD, "-lroundoff_io", "-lroundoff",
                                "-Wl,-rpath," + BUILD], check=True)
                subprocess.run([name + ".out"], check=True, cwd=folder, stdout=subprocess.DEVNULL)
    print(f"{len(pieces)} pieces of code ran as {', '.join(s for _, s, _ in compilers)}")


main()
