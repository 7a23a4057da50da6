/* SPDX-License-Identifier: MIT */
/* roundoff-mpi hologram quantize: rounds a field to a modulator's levels, rows of hogels on each
 * rank. */
#include "cli/hologram/hologram.h"

#include "command.h"
#include "roundoff_io_command.h"

#include <string.h>

static const char *const with[] = {"levels", "drive",        "algorithm", "weights",    "p",
                                   "gain",   "window",       "hogel",     "wavelength", "pitch",
                                   "viewer", "viewing-area", "sidecar",   "type",       "schedule",
                                   "rows",   "checkpoint",   "resume",    "threads",    NULL};

static const struct option_words words[] = {
    {"levels", NULL, "quantize"},
    {"drive", NULL, "quantize"},
    {"algorithm", "vded (default) or truncate", NULL},
    {"gain", "root mean square of the field in levels (default 0.4)", NULL},
    {"type", "pgm, npy or tiff (default: OUT's name)", "quantize"},
    {"wavelength", "wavelength (default: the sidecar's)", NULL},
    {"pitch", "pixel pitch (default: the sidecar's)", NULL},
    {"viewer", "centre of the viewing area (default: the sidecar's)", NULL},
    {"sidecar", NULL, "optics"},
    {"viewing-area", "size of the viewing area (default: the sidecar's)", NULL},
    {0},
};

static const char *const examples[] = {
    "mpirun -n 16 roundoff-mpi hologram quantize plate.npy plate.tif --levels phase:16",
    "mpirun -n 4 roundoff-mpi hologram quantize plate.npy plate.pgm --checkpoint plate.state",
    NULL,
};

static struct quantize q;

static int check(const struct command *command, const void *values, const struct operands *files)
{
    (void)files;
    return hologram_take_quantize(command, values, &q);
}

static ro_status prepare(struct ranks_task *task)
{
    const char *in = task->files->path[0];
    const struct hologram_values *values = task->values;
    ro_status status = hologram_prepare_quantize(task->context, values, &q, task->out);
    if (status == RO_OK)
        status = ro_optics_load(task->context, in, values->sidecar, &q.options.optics);
    return status == RO_OK ? hologram_check_physics(task->context, &q.options, in) : status;
}

static ro_status work(struct ranks_task *task)
{
    const struct hologram_values *values = task->values;
    const ro_write_options write = {RO_WRITE_DEFAULTS, .type = values->type};
    uint32_t largest = 0;
    ro_status status = prepare(task);
    if (status == RO_OK)
        status = hologram_largest(task->context, values, &q.device, task->out, &largest);
    status = ranks_ready(task, status);
    if (status != RO_OK)
        return status;
    return ro_mpi_hologram(MPI_COMM_WORLD, task->context, task->files->path[0], task->out,
                           &q.options, &q.device, largest, &write, &task->how, &task->report);
}

static void say(const struct ranks_task *task)
{
    ranks_say(task);
    fprintf(stderr, "hologram: gain %.4g, %llu errors cut off\n", task->report.gain,
            (unsigned long long)task->report.clips);
}

static int run(const struct command *command, int argc, char **argv)
{
    static const struct ranks_command what = {.base = &command_hologram,
                                              .summary = "rounds a field to a modulator's levels",
                                              .words = "quantize IN OUT",
                                              .with = with,
                                              .of = words,
                                              .examples = examples,
                                              .operands = 2,
                                              .needs = "hologram quantize needs IN and OUT",
                                              .check = check,
                                              .work = work,
                                              .say = say};
    (void)command;
    const bool named = argc > 0 && strcmp(argv[0], "quantize") == 0;
    const bool asked = argc > 0 && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0);
    if (!named && !asked)
        return usage_error(&ranks_hologram, "hologram must be followed by quantize");
    return ranks_run(&what, argc - named, argv + named);
}

const struct command ranks_hologram = {.name = "hologram",
                                       .operands = "quantize IN OUT",
                                       .summary = "rounds a field to a modulator's levels",
                                       .examples = examples,
                                       .run = run};
