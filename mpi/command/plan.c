/* SPDX-License-Identifier: MIT */
/* roundoff-mpi bench: what parts cost here. roundoff-mpi plan: what a picture would take there. */
#include "command.h"

#include <string.h>

struct values {
    struct common common;
    struct size size;
    int ranks;
    const char *method, *folder;
};

static const struct values defaults = {.size = {30000, 30000}, .ranks = 1, .folder = "."};

#define PLACE(member) .offset = offsetof(struct values, member)
#define OF_BOTH                                                                                    \
    {"method", "M", "how to round (default floyd-steinberg)", OPTION_TEXT, PLACE(method)},         \
        {"folder", "DIR", "where files will lie (default: here)", OPTION_TEXT, PLACE(folder)},     \
    {                                                                                              \
        "threads", "N", "worker threads of each rank (default 1)", OPTION_WHOLE,                   \
            .offset = offsetof(struct common, threads), .min = 1, .max = RO_MAX_THREADS            \
    }

static const struct option bench_options[] = {OF_BOTH, {0}};
static const struct option plan_options[] = {
    OF_BOTH,
    {"size", "WxH", "of the picture (default 30000x30000)", OPTION_SIZE, PLACE(size), .min = 1,
     .max = 1 << 30},
    {"ranks", "N", "how many there would be", OPTION_WHOLE, PLACE(ranks), .min = 1, .max = 1 << 24},
    {0},
};

static void print_costs(const ro_mpi_costs *costs, bool json)
{
    printf(json ? "{\"pixel_ns\": %.4f, \"read_byte_ns\": %.4f, \"write_byte_ns\": %.4f, "
                  "\"message_us\": %.3f, \"message_byte_ns\": %.4f, \"rows\": %u, \"lines\": %d, "
                  "\"pixel_abreast_ns\": %.4f, \"clock\": %.3f, \"sync_byte_ns\": %.4f, "
                  "\"fixed\": %.6f}\n"
                : "a pixel %.3f ns, a byte read %.3f ns, written %.3f ns, a message %.1f us and "
                  "%.3f ns a byte, %u rows at a time, %d lines handed on\na pixel of bands abreast "
                  "%.3f ns, by the clock %.2f times as long, a byte to the disk %.3f ns, a run "
                  "%.3f s beside\n",
           1e9 * costs->pixel, 1e9 * costs->read_byte, 1e9 * costs->write_byte,
           1e6 * costs->message, 1e9 * costs->message_byte, costs->rows, costs->lines,
           1e9 * costs->pixel_abreast, costs->clock, 1e9 * costs->sync_byte, costs->fixed);
}

static void print_plan(const ro_mpi_prediction *p, const struct values *values)
{
    printf(values->common.json
               ? "{\"width\": %u, \"height\": %u, \"ranks\": %d, \"seconds\": %.3f, \"fill\": "
                 "%.3f, \"processor_seconds\": %.3f, \"efficiency\": %.4f, \"rank_bytes\": %.0f, "
                 "\"sent_bytes\": %.0f, \"most_ranks\": %.0f, \"bands\": %u, \"rows\": %u, "
                 "\"columns\": %u}\n"
               : "%u x %u on %d ranks: %.3g s, of which %.3g s to fill; %.4g s of processors, "
                 "efficiency %.2f\nmemory of a rank %.3g bytes, messages %.3g bytes in all; the "
                 "width keeps %.0f ranks busy\n%u bands of %u rows, pieces of %u columns\n",
           values->size.width, values->size.height, values->ranks, p->seconds, p->fill,
           p->computing, p->efficiency, p->rank_bytes, p->sent, p->most_ranks, p->bands, p->rows,
           p->columns);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct values values = defaults;
    struct operands files;
    int ended;
    if (!options_take(command, argc, argv, &values, &files, &ended))
        return ended;
    if (files.count)
        return usage_error(command, "%s takes no file", command->name);
    ro_context *context = ranks_context(&values.common);
    if (!context)
        return 1;
    const ro_halftone_options halftone = {RO_HALFTONE_DEFAULTS, .method = values.method};
    const ro_mpi_report report = {0};
    ro_mpi_costs costs;
    const ro_status status =
        ro_mpi_bench(MPI_COMM_WORLD, context, values.folder, &halftone, &costs);
    const int result = ranks_end(context, status, &report, NULL);
    if (result == 0 && strcmp(command->name, "bench") == 0) {
        print_costs(&costs, values.common.json);
    } else if (result == 0) {
        ro_mpi_prediction prediction;
        ro_mpi_plan(&costs, values.size.width, values.size.height, values.ranks,
                    values.common.threads, &prediction);
        print_plan(&prediction, &values);
    }
    ro_context_close(context);
    return result ? result : finish_stdout();
}

static const char *const examples[] = {
    "mpirun -n 2 roundoff-mpi plan --size 10000000x10000000 --ranks 4096",
    "mpirun -n 2 roundoff-mpi bench --method stucki --folder /scratch",
    NULL,
};

const struct command ranks_plan = {.name = "plan",
                                   .operands = "",
                                   .summary = "predicts time, memory and traffic of a halftone",
                                   .options = plan_options,
                                   .common = COMMON_CPU | COMMON_JSON,
                                   .examples = examples,
                                   .run = run};

const struct command ranks_bench = {.name = "bench",
                                    .operands = "",
                                    .summary = "measures what the prediction is made of",
                                    .options = bench_options,
                                    .common = COMMON_CPU | COMMON_JSON,
                                    .examples = examples,
                                    .run = run};
