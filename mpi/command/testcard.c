/* SPDX-License-Identifier: MIT */
/* roundoff-mpi testcard: a test card of any size, drawn by all ranks. */
#include "cli/testcard/testcard.h"

#include "command.h"

static const char *const without[] = {"checkpoint", "resume", NULL};

static const char *const examples[] = {
    "mpirun -n 4 roundoff-mpi testcard card.pgm --size 30000x30000",
    "mpirun -n 16 roundoff-mpi testcard card.tif --size 100000x100000 --bits 16",
    NULL,
};

static ro_status work(struct ranks_task *task)
{
    const struct testcard_values *values = task->values;
    const ro_image shape = testcard_shape(values);
    const ro_write_options write = {RO_WRITE_DEFAULTS, .type = values->type};
    return ro_mpi_testcard(MPI_COMM_WORLD, task->context, &shape, task->out, &write, &task->how,
                           &task->report);
}

static int check(const struct command *command, const void *values, const struct operands *files)
{
    (void)files;
    return testcard_check(command, values) ? 0 : EXIT_BAD_USAGE;
}

static int run(const struct command *command, int argc, char **argv)
{
    static const struct ranks_command what = {.base = &command_testcard,
                                              .summary = "draws the test card in any size",
                                              .without = without,
                                              .examples = examples,
                                              .operands = 1,
                                              .needs = "testcard needs OUT and nothing else",
                                              .check = check,
                                              .work = work};
    (void)command;
    return ranks_run(&what, argc, argv);
}

const struct command ranks_testcard = {.name = "testcard",
                                       .operands = "OUT",
                                       .summary = "draws the test card in any size",
                                       .run = run};
