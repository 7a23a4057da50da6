/* SPDX-License-Identifier: MIT */
/* roundoff-mpi denoise: the trained model or the explicit scheme, a block of rows on each rank. */
#include "cli/denoise/files.h"

#include "command.h"
#include "roundoff/command.h"

static const char *const without[] = {
    "white",  "page",      "bits",     "float",         "raw",
    "scheme", "vectors",   "schedule", "steps-at-once", "until-converged",
    "stop",   "impulse",   "seed",     "rows",          "checkpoint",
    "resume", "evolution", "every",    "history",       "tolerance",
    NULL};

static const struct option_words words[] = {
    {"iterations", "time steps (default with --kappa: the usual ones)", NULL},
    {"kappa", "gradient of an edge in 1/255; a diffusion but --model linear needs it", NULL},
    {0},
};

static const char *const examples[] = {
    "mpirun -n 16 roundoff-mpi denoise map.tif clean.tif",
    "mpirun -n 16 roundoff-mpi denoise map.tif clean.tif --model anisotropic --kappa 8",
    "mpirun -n 4 roundoff-mpi denoise map.pgm smooth.pgm --model linear --iterations 50",
    NULL,
};

static ro_status work(struct ranks_task *task)
{
    ro_denoise_options options = *denoise_options(task->values);
    if (ro_denoise_scheme(&options)) /* model trained has none */
        options.scheme = "explicit";
    const ro_read_options read = {RO_READ_DEFAULTS, .carries = 1};
    return ro_mpi_denoise(MPI_COMM_WORLD, task->context, task->files->path[0], task->out, &options,
                          &read, NULL, &task->how, &task->report);
}

static int run(const struct command *command, int argc, char **argv)
{
    static const struct ranks_command what = {.base = &command_denoise,
                                              .summary = "smooths noise and keeps edges",
                                              .without = without,
                                              .of = words,
                                              .examples = examples,
                                              .operands = 2,
                                              .needs = "denoise needs IN and OUT",
                                              .work = work};
    (void)command;
    return ranks_run(&what, argc, argv);
}

const struct command ranks_denoise = {.name = "denoise",
                                      .operands = "IN OUT",
                                      .summary = "smooths noise and keeps edges",
                                      .run = run};
