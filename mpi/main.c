/* SPDX-License-Identifier: MIT */
/* roundoff-mpi: the command over ranks, as `mpirun -n 64 roundoff-mpi halftone in.pgm out.pbm`. */
#include "roundoff_mpi.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: mpirun -n N roundoff-mpi halftone IN OUT [options]\n"
    "\n"
    "IN is PGM (8 or 16 bits); OUT is PBM, PGM or NPY. The bytes are those of roundoff halftone.\n"
    "  --method NAME    as of roundoff halftone; methods that need the whole image are refused\n"
    "  --levels N       2 to 256\n"
    "  --noise P        per cent of a step; --seed N\n"
    "  --serpentine     odd rows right to left\n"
    "  --rows N         of a band; bands go round the ranks (256)\n"
    "  --threads N      of each rank (1)\n";

struct arguments {
    const char *in, *out;
    ro_halftone_options options;
    uint32_t rows;
    int threads;
    bool help;
    char wrong[160];
};

static bool is_number(const char *text, long least, long most, long *number)
{
    char *end;
    errno = 0;
    *number = strtol(text, &end, 10);
    return *text && !*end && errno == 0 && *number >= least && *number <= most;
}

static bool read_arguments(int count, char **words, struct arguments *given)
{
    const char *files[3] = {NULL, NULL, NULL};
    int found = 0;
    for (int i = 1; i < count; i++) {
        const char *word = words[i], *value = i + 1 < count ? words[i + 1] : NULL;
        long number = 0;
        if (strncmp(word, "--", 2) != 0) {
            if (found == 3) {
                snprintf(given->wrong, sizeof given->wrong, "'%s' is one operand too many", word);
                return false;
            }
            files[found++] = word;
            continue;
        }
        if (strcmp(word, "--help") == 0) {
            given->help = true;
            return true;
        }
        if (strcmp(word, "--serpentine") == 0) {
            given->options.serpentine = 1;
            continue;
        }
        if (strcmp(word, "--method") == 0 && value)
            given->options.method = value;
        else if (strcmp(word, "--levels") == 0 && value && is_number(value, 2, 256, &number))
            given->options.levels = (int)number;
        else if (strcmp(word, "--noise") == 0 && value && is_number(value, 0, 100, &number))
            given->options.noise = (int)number;
        else if (strcmp(word, "--seed") == 0 && value && is_number(value, 0, LONG_MAX, &number))
            given->options.seed = (uint64_t)number;
        else if (strcmp(word, "--rows") == 0 && value && is_number(value, 1, 1 << 20, &number))
            given->rows = (uint32_t)number;
        else if (strcmp(word, "--threads") == 0 && value && is_number(value, 1, 1024, &number))
            given->threads = (int)number;
        else {
            snprintf(given->wrong, sizeof given->wrong, "%s %s makes no sense; see --help", word,
                     value ? value : "");
            return false;
        }
        i++;
    }
    given->in = files[1];
    given->out = files[2];
    if (found == 3 && strcmp(files[0], "halftone") == 0)
        return true;
    snprintf(given->wrong, sizeof given->wrong, "halftone IN OUT is what it can do; see --help");
    return false;
}

static int run(const struct arguments *given, int rank)
{
    ro_context_options how = RO_CONTEXT_OPTIONS;
    ro_context *context;
    ro_mpi_report report;
    how.device = RO_DEVICE_CPU;
    how.threads = given->threads;
    if (ro_context_open(&how, &context) != RO_OK) {
        fprintf(stderr, "roundoff-mpi: rank %d has no context\n", rank);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    ro_status status = ro_mpi_halftone(MPI_COMM_WORLD, context, given->in, given->out,
                                       &given->options, given->rows, &report);
    if (status == RO_OK && rank == 0) {
        const ro_report *one = &report.run;
        fprintf(stderr,
                "halftone: %s, %u x %u, %d ranks, %u bands of %u rows, %.3f s, %.1f Mpixel/s, "
                "%.0f %% of the time in pushes\n",
                one->method, one->width, one->height, report.ranks, report.bands, report.rows,
                report.seconds, one->width * (double)one->height / report.seconds / 1e6,
                100 * report.pushing);
        if ((uint32_t)report.ranks > report.bands)
            fprintf(stderr, "halftone: %u ranks had no band\n",
                    (uint32_t)report.ranks - report.bands);
    }
    const char *sentence = ro_context_message(context);
    const bool told_by_all = strcmp(sentence, "another rank could not begin") == 0;
    if (status != RO_OK && (rank == 0 || !told_by_all)) {
        fprintf(stderr, "roundoff-mpi: %s\n", sentence);
        fflush(stderr);
    }
    if (status != RO_OK)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    ro_context_close(context);
    return EXIT_SUCCESS;
}

int main(int count, char **words)
{
    struct arguments given = {.options = RO_HALFTONE_OPTIONS, .threads = 1};
    int granted, rank;
    MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &granted);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int status = EXIT_FAILURE;
    const bool right = read_arguments(count, words, &given);
    if (granted < MPI_THREAD_MULTIPLE && rank == 0)
        fprintf(stderr, "roundoff-mpi: this MPI does not let threads send\n");
    else if (!right && rank == 0)
        fprintf(stderr, "roundoff-mpi: %s\n", given.wrong);
    else if (given.help && rank == 0)
        fputs(help, stdout);
    if (right && given.help)
        status = EXIT_SUCCESS;
    else if (right && granted >= MPI_THREAD_MULTIPLE)
        status = run(&given, rank);
    MPI_Finalize();
    return status;
}
