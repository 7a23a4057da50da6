/* SPDX-License-Identifier: MIT */
/* roundoff-mpi halftone: the options of roundoff halftone, for methods that stream. */
#include "cli/halftone/halftone.h"

#include "cli/common/pictures.h"
#include "command.h"

/* What needs the whole picture or files that ranks do not write. */
static const char *const without[] = {
    "list",         "out-dir", "vectors",   "resize",  "resample",   "distance",
    "sigma",        "aim",     "start",     "rounds",  "proof",      "gain",
    "yule-nielsen", "ones",    "bit-order", "numbers", "pixel-bits", NULL};

static const struct option_words words[] = {
    {"type", "pbm, pgm, ppm, npy or tiff (default: OUT's name)", NULL},
    {"palette", "\"black white #c00\", a name, a file, or list", NULL},
    {"page", "page of IN, where it has several", NULL},
    {"alpha", "over (default) the background, or drop it", NULL},
    {"separate", "cmyk-tiff or inks-tiff: one file of all inks", NULL},
    {0},
};

static const char *const examples[] = {
    "mpirun -n 64 roundoff-mpi halftone wall.tif out.tif --method stucki",
    "mpirun -n 4 roundoff-mpi halftone map.pgm map.pbm --checkpoint map.state",
    NULL,
};

static int check(const struct command *command, const void *values, const struct operands *files)
{
    return halftone_usage(command, values, files->path[0], files->path[1]);
}

static ro_status work(struct ranks_task *task)
{
    static struct halftone_request request;
    const struct halftone_given *values = task->values;
    pictures_begin(values->common.strict);
    ro_status status = halftone_prepare(task->context, values, task->files->path[0], &request);
    request.read.strict = values->common.strict;
    status = ranks_ready(task, status);
    if (status == RO_OK)
        status = ro_mpi_halftone(MPI_COMM_WORLD, task->context, task->files->path[0], task->out,
                                 &request.options, &request.read, &request.write, &task->how,
                                 &task->report);
    halftone_release(&request);
    return status;
}

static int run(const struct command *command, int argc, char **argv)
{
    static const struct ranks_command what = {.base = &command_halftone,
                                              .summary = "rounds a picture to a few levels",
                                              .words = "IN OUT",
                                              .without = without,
                                              .of = words,
                                              .examples = examples,
                                              .operands = 2,
                                              .needs = "halftone needs IN and OUT",
                                              .check = check,
                                              .work = work};
    (void)command;
    return ranks_run(&what, argc, argv);
}

const struct command ranks_halftone = {.name = "halftone",
                                       .operands = "IN OUT",
                                       .summary = "rounds a picture to a few levels",
                                       .run = run};
