/* SPDX-License-Identifier: MIT */
/*
 * roundoff bench: runs one of the benches, or all of them. `bench all` also keeps what they print,
 * under the machine's name.
 */
#include "bench/bench.h"

#include "bench/timing.h"
#include "cli/common/session.h"
#include "cli/common/shared_rows.h"
#include "cli/common/string_buffer.h"
#include "roundoff/library.h"
#include "roundoff_io.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* clang-format off */
static const struct bench *const benches[] = {
    &bench_diffusion,
    &bench_halftone,
    &bench_ordered,
    &bench_tiles,
    &bench_plan,
    &bench_levels,
    &bench_scaling,
    &bench_screens,
    &bench_terapixel,
    &bench_palette,
    &bench_dbs,
    &bench_denoise,
    &bench_hologram,
    &bench_light,
    &bench_register,
    &bench_segment,
    &bench_papers,
    &bench_quality,
};
/* clang-format on */
enum { BENCHES = sizeof benches / sizeof *benches };

struct values {
    struct common common;
    int size, list;
    const char *plot;
};

#define MEMBER(member) RO_MEMBER(struct values, member)

static const ro_option rows[] = {
    {MEMBER(size), "N", "measure N x N pixels only", .min = 1, .max = 1 << 16,
     .derived = "the sizes of the bench"},
    {MEMBER(plot), "FILE", "draw what bench quality found, as SVG", .writes = 1},
    {MEMBER(list), ROW_LIST},
    {0},
};

static const struct values defaults;

static const ro_option_table own = {
    .name = "bench", .rows = rows, .unset = &defaults, .size = sizeof defaults};

static const char *const examples[] = {
    "roundoff bench diffusion --size 4096",
    "roundoff bench all",
    NULL,
};

static int list_benches(bool json)
{
    for (int i = 0; i < BENCHES; i++) {
        if (!json) {
            printf("%-12s %s\n", benches[i]->name, benches[i]->summary);
            continue;
        }
        printf("%s{\"name\": \"%s\", \"summary\": ", i ? ", " : "[", benches[i]->name);
        json_string(stdout, benches[i]->summary);
        putchar('}');
    }
    if (json)
        puts("]");
    return finish_stdout();
}

/* ---- All, kept ------------------------------------------------------------------------------ */

/* "Intel(R) Xeon(R) Processor" and 2 threads make "intel-xeon-2-threads". */
static void name_machine(bool cuda, char *name, size_t size)
{
    static const char *const idle[] = {"r", "tm", "cpu", "processor", "nvidia"};
    ro_device_info info = {.size = sizeof info};
    char words[160] = "unknown", *next;
    size_t length = 0;
    if (ro_device_at(cuda ? 1 : 0, &info) == RO_OK) {
        const char *threads = strrchr(info.detail, ',');
        snprintf(words, sizeof words, "%s %s", info.name, cuda || !threads ? "" : threads + 1);
    }
    name[0] = '\0';
    for (char *c = words; *c; c++)
        *c = (char)(isalnum((unsigned char)*c) ? tolower((unsigned char)*c) : ' ');
    for (char *word = strtok_r(words, " ", &next); word; word = strtok_r(NULL, " ", &next)) {
        bool skipped = false;
        for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
            skipped |= strcmp(word, idle[i]) == 0;
        if (!skipped && length + strlen(word) + 2 < size)
            length +=
                (size_t)snprintf(name + length, size - length, "%s%s", length ? "-" : "", word);
    }
}

static void print_head(FILE *file, bool cuda)
{
    ro_device_info info = {.size = sizeof info};
    char date[32], commit[64] = "";
    const time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    FILE *git = popen("git rev-parse --short HEAD 2>/dev/null", "r");
    if (git) {
        if (!fgets(commit, sizeof commit, git))
            commit[0] = '\0';
        commit[strcspn(commit, "\n")] = '\0';
        pclose(git);
    }
    if (ro_device_at(cuda ? 1 : 0, &info) == RO_OK)
        fprintf(file, "# %s, %s\n\n", info.name, info.detail);
    fprintf(file, "%s, roundoff %s%s%s\n", date, ro_version(), *commit ? ", commit " : "", commit);
}

/* Runs a bench with standard output going to a file, then copies what it printed to both. */
static int run_kept(const struct bench *bench, const struct bench_options *options, FILE *kept)
{
    FILE *text = tmpfile();
    const int out = dup(STDOUT_FILENO);
    fflush(stdout);
    if (!text || out < 0 || dup2(fileno(text), STDOUT_FILENO) < 0) {
        if (text)
            fclose(text);
        if (out >= 0)
            close(out);
        return fail("cannot make a temporary file");
    }
    const int result = bench->run(options);
    fflush(stdout);
    dup2(out, STDOUT_FILENO);
    close(out);
    rewind(text);
    char block[4096];
    size_t got;
    fprintf(kept, "\n## roundoff bench %s\n\n", bench->name);
    printf("\n## roundoff bench %s\n\n", bench->name);
    while ((got = fread(block, 1, sizeof block, text)) > 0) {
        fwrite(block, 1, got, kept);
        fwrite(block, 1, got, stdout);
    }
    fflush(stdout);
    fclose(text);
    return result;
}

static int run_all(const struct bench_options *bench)
{
    static const char folder[] = "bench/results";
    char machine[96], output[128];
    name_machine(bench->cuda, machine, sizeof machine);
    snprintf(output, sizeof output, "%s/%s.md", folder, machine);
    if (access(folder, W_OK) != 0)
        return fail("%s: cannot write the results there; run it where the folder %s is", output,
                    folder);
    ro_context *context = NULL;
    struct printed kept = {0};
    int result = 0;
    if (ro_context_open(NULL, &context) != RO_OK || printed_open(context, &kept) != RO_OK)
        result = fail("not enough memory");
    else
        print_head(kept.file, bench->cuda);
    for (int i = 0; i < BENCHES && result == 0; i++)
        if (!benches[i]->pictures && !benches[i]->alone && (!bench->cuda || benches[i]->cuda))
            result = run_kept(benches[i], bench, kept.file);
    if (result == 0 && printed_save(context, &kept, output) != RO_OK)
        result = fail("%s", ro_context_message(context));
    printed_close(&kept);
    ro_context_close(context);
    if (result == 0)
        tell("bench: the results are in %s", output);
    return result ? result : finish_stdout();
}

static int run(const struct command *command, int argc, char **argv)
{
    struct values values = defaults;
    struct operands names;
    int ended;
    if (!options_take(command, argc, argv, &values, &names, &ended))
        return ended;
    if (values.list && (names.count || values.size))
        return usage_error(command, "--list can be combined with --json only");
    if (values.list)
        return list_benches(values.common.json);
    const bool quality = names.count && ro_name_equal(names.path[0], bench_quality.name);
    if (names.count > 1 && !quality)
        return usage_error(command, "bench takes one name; %s was given as well", names.path[1]);
    if (values.plot && !quality)
        return usage_error(command, "--plot applies to bench quality only");

    struct bench_options bench = {.size = values.size,
                                  .json = values.common.json,
                                  .cuda = values.common.device == RO_DEVICE_CUDA,
                                  .files = names.path + 1,
                                  .files_count = names.count > 1 ? names.count - 1 : 0,
                                  .plot = values.plot};
    const bool all = names.count && ro_name_equal(names.path[0], "all");
    if (all && values.common.json)
        return usage_error(command, "bench all writes Markdown; --json applies to one bench");
    if (all)
        return run_all(&bench);
    const char *listed[BENCHES];
    int ran = 0, result = 0;
    for (int i = 0; i < BENCHES; i++) {
        listed[i] = benches[i]->name;
        if (names.count && !ro_name_equal(names.path[0], benches[i]->name))
            continue;
        if (!names.count && bench.json && benches[i] == &bench_papers)
            continue; /* it has no JSON */
        if (!names.count && (benches[i]->pictures || benches[i]->alone))
            continue;
        ran++;
        result = benches[i]->run(&bench);
        if (result)
            return result;
    }
    if (ran)
        return finish_stdout();
    const char *nearest = ro_name_nearest(names.path[0], listed, BENCHES);
    return usage_error(command, "unknown bench %s, did you mean %s?", names.path[0],
                       nearest ? nearest : listed[0]);
}

const struct command command_bench = {
    .name = "bench",
    .operands = "[NAME] [PICTURE...]",
    .summary = "measures speed, side by side with other programs",
    .own = &own,
    .common = COMMON_DEVICE | COMMON_JSON,
    .examples = examples,
    .run = run,
};
