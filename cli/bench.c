/* SPDX-License-Identifier: MIT */
/* roundoff bench: runs one of the benches, or all of them. */
#include "bench/bench.h"

#include "cli/cli.h"
#include "core/names.h"

#include <string.h>

static const struct bench *const benches[] = {&bench_diffusion, &bench_halftone, &bench_ordered,
                                              &bench_palette,   &bench_dbs,      &bench_denoise,
                                              &bench_hologram};
enum { BENCHES = sizeof benches / sizeof *benches };

struct values {
    struct common common;
    int size;
    bool list;
};

static const struct option options[] = {
    {"size", "N", "measure N x N pixels only (default: the bench's own sizes)", OPTION_WHOLE,
     .offset = offsetof(struct values, size), .min = 1, .max = 1 << 16},
    {"list", NULL, "list the benches and stop", OPTION_FLAG,
     .offset = offsetof(struct values, list)},
    {0},
};

static const char *const examples[] = {
    "roundoff bench diffusion --size 4096",
    "roundoff bench --list",
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

static int run(const struct command *command, int argc, char **argv)
{
    struct values values = {0};
    struct operands names;
    switch (options_parse(command, argc, argv, &values, &names)) {
    case PARSED_HELP:
        return finish_stdout();
    case PARSED_ERROR:
        return EXIT_BAD_USAGE;
    case PARSED:
        break;
    }
    if (values.list && (names.count || values.size))
        return usage_error(command, "--list goes with --json only");
    if (values.list)
        return list_benches(values.common.json);
    if (names.count > 1)
        return usage_error(command, "bench takes one name, %s was given too", names.path[1]);

    struct bench_options bench = {.size = values.size,
                                  .json = values.common.json,
                                  .cuda = values.common.device == RO_DEVICE_CUDA};
    const char *listed[BENCHES];
    int ran = 0, result = 0;
    for (int i = 0; i < BENCHES; i++) {
        listed[i] = benches[i]->name;
        if (names.count && !ro_name_equal(names.path[0], benches[i]->name))
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
    .operands = "[NAME]",
    .summary = "measures speed, side by side with other programs",
    .options = options,
    .common = COMMON_DEVICE | COMMON_JSON,
    .examples = examples,
    .run = run,
};
