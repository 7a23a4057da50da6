# SPDX-License-Identifier: MIT
"""A program that was compiled with an older header runs with this library: the header of a release before
the last member of every structure that begins with its size was added. The members' room behind each
structure must stay as it was."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE, BUILD = os.environ.get("SOURCE_DIR", "."), os.environ["BUILD_DIR"]
PROGRAM = r"""
#include <roundoff_io.h>
#include <stdio.h>
#include <string.h>
#define GROWN(type, name, initial) struct { type it; unsigned char behind[64]; } name; \
    memset(&name, 0xa5, sizeof name); { type initially = initial; name.it = initially; } \
    whole(name.behind, __LINE__)
static int failed;
static void need(int right, int line)
{
    if (!right)
        failed = fprintf(stderr, "line %d does not hold\n", line);
}
static void whole(const unsigned char *behind, int line)
{
    for (int i = 0; i < 64; i++)
        if (behind[i] != 0xa5)
            need(0, line);
}
enum { SIDE = 32 };
static unsigned char pixels[SIDE * SIDE], one[SIDE * SIDE], two[SIDE * SIDE];
int main(void)
{
    ro_image in = ro_image_view(RO_GREY8, SIDE, SIDE, pixels), out = in, same = in;
    ro_context *context;
    ro_plan *plan;
    out.data = one, same.data = two;
    GROWN(ro_context_options, options, RO_CONTEXT_OPTIONS);
    need(ro_context_open(&options.it, &context) == RO_OK, __LINE__);
    for (int i = 0; i < SIDE * SIDE; i++)
        pixels[i] = (unsigned char)(i * 37 >> 3);
    GROWN(ro_halftone_options, halftone, RO_HALFTONE_OPTIONS);
    ro_halftone_options_init(&halftone.it, sizeof halftone.it);
    whole(halftone.behind, __LINE__);
    need(ro_halftone(context, &in, &out, &halftone.it) == RO_OK, __LINE__);
    GROWN(ro_plan_info, info, (ro_plan_info){.size = sizeof(ro_plan_info)});
    GROWN(ro_run, run, RO_RUN);
    need(ro_halftone_plan(context, &in, RO_GREY8, &halftone.it, &plan) == RO_OK, __LINE__);
    need(ro_plan_query(plan, &info.it) == RO_OK && info.it.threads > 0, __LINE__);
    whole(info.behind, __LINE__);
    need(ro_plan_run(plan, &in, &same, &run.it) == RO_OK, __LINE__);
    need(memcmp(one, two, sizeof one) == 0, __LINE__);
    ro_plan_free(plan);
    GROWN(ro_denoise_options, denoise, RO_DENOISE_OPTIONS);
    GROWN(ro_denoise_report, report, (ro_denoise_report){.size = sizeof(ro_denoise_report)});
    need(ro_denoise(context, &in, &out, &denoise.it, &report.it) == RO_OK, __LINE__);
    need(report.it.size == sizeof report.it && report.it.noise > 0, __LINE__);
    whole(report.behind, __LINE__);
    ro_seed seed = {1, 16, 16, 4};
    GROWN(ro_regions_report, regions, (ro_regions_report){.size = sizeof(ro_regions_report)});
    GROWN(ro_regions_options, grow, RO_REGIONS_OPTIONS);
    ro_regions *found;
    grow.it.seeds = &seed, grow.it.seed_count = 1;
    need(ro_regions_grow(context, &in, &grow.it, &found, &regions.it) == RO_OK, __LINE__);
    need(regions.it.fronts == 1, __LINE__);
    whole(regions.behind, __LINE__);
    ro_regions_free(found);
    GROWN(ro_measure_report, measure, (ro_measure_report){.size = sizeof(ro_measure_report)});
    need(ro_measure(context, &in, &out, NULL, &measure.it) == RO_OK, __LINE__);
    whole(measure.behind, __LINE__);
    ro_context_close(context);
    return failed != 0;
}
"""


def older(text):
    """The header without the last member of each structure that begins with its size."""
    def shorten(match):
        members = re.split(r"(?<=;)", re.sub(r"/\*.*?\*/", "", match[2], flags=re.S))
        members = [member for member in members if member.strip()]
        if len(members) < 4:  # its size, and two that stay
            return match[0]
        cut.append(match[3])
        return match[1] + "".join(members[:-1]) + "\n} " + match[3] + ";"
    cut = []
    text = re.sub(r"(typedef struct \w+ \{\s+(?:/\*(?:(?!\*/).)*\*/\s*)?size_t size;)(.*?)\n\} (\w+);", shorten, text,
                  flags=re.S)
    for name in cut:  # initialisers name members, which may be gone
        text = re.sub(r"#define RO_\w+_UNSET\(UNSET\) .*", lambda line: keep_members(line[0], text), text)
    return text, cut


def keep_members(line, text):
    kept = [name for name in re.findall(r"UNSET\((\w+)\)", line.split(")", 1)[1])
            if re.search(r"\b%s;" % name, text)]
    return line.split(")", 1)[0] + ") " + " ".join(f"UNSET({name})" for name in kept)


def main():
    if os.environ.get("SANITIZE"):
        return 77
    with tempfile.TemporaryDirectory() as folder:
        include = os.path.join(folder, "include")
        shutil.copytree(os.path.join(SOURCE, "include"), include)
        cut = []
        for path, _, names in os.walk(include):
            for name in names:
                with open(os.path.join(path, name), encoding="utf-8") as file:
                    text, here = older(file.read())
                cut += here
                with open(os.path.join(path, name), "w", encoding="utf-8") as file:
                    file.write(text)
        if len(cut) < 30:
            sys.exit(f"only {len(cut)} structures were found that can grow")
        for name, headers in (("old", include), ("new", os.path.join(SOURCE, "include"))):
            program = os.path.join(folder, name)
            with open(program + ".c", "w", encoding="utf-8") as file:
                file.write(PROGRAM)
            subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-w", "-I", headers, program + ".c", "-o",
                            program, "-L", BUILD, "-lroundoff_io", "-lroundoff", "-Wl,-rpath," + BUILD], check=True)
            if subprocess.run([program], check=False).returncode:
                sys.exit(f"the program of the {name} headers fails")
        print(f"{len(cut)} structures had a member less")
    return 0


sys.exit(main())
