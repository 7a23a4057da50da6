/* SPDX-License-Identifier: MIT */
/* roundoff-mpi bench: what parts cost here. roundoff-mpi plan: what a picture would take there. */
#include "command.h"

#include "cli/common/shared_rows.h"

#include <string.h>

struct values {
    struct common common;
    const char *size, *method, *folder;
    int ranks, bits;
    struct size sides;
};

#define MEMBER(member) RO_MEMBER(struct values, member)

static const ro_option rows[] = {
    {MEMBER(size), ROW_SIZE, .derived = "30000x30000"},
    {MEMBER(bits), "N", "bits of a sample",
     .words = RO_WORDS({.name = "8", .value = 8}, {.name = "16", .value = 16}), .preset = "8"},
    {MEMBER(ranks), "N", "how many ranks there would be", .min = 1, .max = 1 << 24,
     .derived = "as many as there are"},
    {MEMBER(method), "M", "how to round", .derived = "floyd-steinberg"},
    {MEMBER(folder), "DIR", "where files will be", .preset = "."},
    {RO_MEMBER_AS(struct values, common.threads, "threads"), ROW_RANK_THREADS},
    {0},
};

static const struct values defaults = {.sides = {30000, 30000}};

static const ro_option_table own = {
    .name = "plan", .rows = rows, .unset = &defaults, .size = sizeof defaults};

static const char *ending(uint64_t count) { return count == 1 ? "" : "s"; }

static void print_costs(const ro_mpi_costs *costs, bool json)
{
    printf(json ? "{\"pixel_ns\": %.4f, \"read_byte_ns\": %.4f, \"write_byte_ns\": %.4f, "
                  "\"message_us\": %.3f, \"message_byte_ns\": %.4f, \"clock\": %.3f, "
                  "\"sync_byte_ns\": %.4f, \"fixed\": %.6f, \"fixed_processor\": %.6f, "
                : "a pixel %.3f ns, a byte read %.3f ns, written %.3f ns, a message %.1f us and "
                  "%.3f ns a byte\nby the clock %.2f times as long, a byte to the disk %.3f ns, "
                  "a run %.4f s beside, %.4f s of them computing\n",
           1e9 * costs->pixel, 1e9 * costs->read_byte, 1e9 * costs->write_byte,
           1e6 * costs->message, 1e9 * costs->message_byte, costs->clock, 1e9 * costs->sync_byte,
           costs->fixed, costs->fixed_processor);
    if (json)
        json_put(stdout, "rows %u, lines %d, band_rows %u}\n", costs->rows, costs->lines,
                 costs->band_rows);
    else
        printf("bands of %u row%s, %u at a time, %d line%s handed on\n", costs->band_rows,
               ending(costs->band_rows), costs->rows, costs->lines, ending((uint64_t)costs->lines));
}

static void print_plan(const ro_mpi_prediction *p, const struct values *values)
{
    const double whole = p->seconds * values->ranks;
    if (values->common.json) {
        json_put(stdout,
                 "{width %u, height %u, ranks %d, seconds %.4f, fill %.4f, processor_seconds %.4f, "
                 "waiting %.4f, efficiency %.4f, rank_bytes %.0f, sent_bytes %.0f, most_ranks "
                 "%.0f, bands %u, rows %u, columns %u}\n",
                 values->sides.width, values->sides.height, values->ranks, p->seconds, p->fill,
                 p->computing, p->waiting, p->efficiency, p->rank_bytes, p->sent, p->most_ranks,
                 p->bands, p->rows, p->columns);
        return;
    }
    printf("%u x %u on %d rank%s: %.3g s, of which %.3g s to fill and %.0f %% waiting; %.4g s of "
           "processors, efficiency %.2f\n",
           values->sides.width, values->sides.height, values->ranks,
           ending((uint64_t)values->ranks), p->seconds, p->fill,
           whole > 0 ? 100 * p->waiting / whole : 0, p->computing, p->efficiency);
    printf("memory of a rank %.3g bytes, messages %.3g bytes in all\n", p->rank_bytes, p->sent);
    printf("%u band%s of %u row%s", p->bands, ending(p->bands), p->rows, ending(p->rows));
    if (p->bands < (uint32_t)values->ranks)
        printf(": %u rank%s would have none\n", (uint32_t)values->ranks - p->bands,
               ending((uint32_t)values->ranks - p->bands));
    else if (p->sent > 0)
        printf(", handed on by %u column%s; the width keeps %.0f rank%s busy\n", p->columns,
               ending(p->columns), p->most_ranks, ending((uint64_t)(p->most_ranks + 0.5)));
    else
        printf(", nothing is handed on\n");
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
    if (values.size && !size_read(command, values.size, 1 << 30, &values.sides))
        return EXIT_BAD_USAGE;
    if (!values.ranks)
        MPI_Comm_size(MPI_COMM_WORLD, &values.ranks);
    ro_context *context = ranks_context(&values.common);
    if (!context)
        return 1;
    const ro_halftone_options halftone = {
        RO_HALFTONE_DEFAULTS, .method = values.method ? values.method : "floyd-steinberg"};
    const ro_image shape = {.format = values.bits == 8 ? RO_GREY8 : RO_GREY16,
                            .width = values.sides.width,
                            .height = values.sides.height,
                            .maxval = values.bits == 8 ? 255 : 65535,
                            .stride = 0,
                            .data = NULL};
    const ro_mpi_report report = {0};
    ro_mpi_costs costs;
    const ro_status status = ro_mpi_bench(MPI_COMM_WORLD, context, values.folder, &halftone, &shape,
                                          values.ranks, &costs);
    const int result = ranks_end(context, status, &report, NULL);
    if (result == 0 && strcmp(command->name, "bench") == 0) {
        print_costs(&costs, values.common.json);
    } else if (result == 0) {
        ro_mpi_prediction prediction;
        ro_mpi_plan(&costs, values.sides.width, values.sides.height, values.ranks,
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
                                   .own = &own,
                                   .common = COMMON_CPU | COMMON_JSON,
                                   .examples = examples,
                                   .run = run};

const struct command ranks_bench = {.name = "bench",
                                    .operands = "",
                                    .summary = "measures what the prediction is made of",
                                    .own = &own,
                                    .common = COMMON_CPU | COMMON_JSON,
                                    .examples = examples,
                                    .run = run};
