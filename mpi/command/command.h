/* SPDX-License-Identifier: MIT */
/*
 * A command of `roundoff` over ranks: the same options but for some, those of ranks beside them,
 * and a call of libroundoff_mpi instead of one of libroundoff. Rank 0 speaks for all; a rank that
 * fails alone speaks for itself and ends the others.
 */
#ifndef RO_MPI_COMMAND_H
#define RO_MPI_COMMAND_H

#include "cli/common/cli.h"
#include "roundoff_mpi.h"

struct ranks_values {
    int rows;
    const char *checkpoint;
    int resume, threads;
};

/* Beside the other processes of a machine one thread is the rule. */
#define ROW_RANK_THREADS                                                                           \
    "N", "worker threads of each rank", .min = 1, .max = RO_MAX_THREADS, .preset = "1"

struct ranks_task {
    const struct command *command; /* as --help shows it */
    void *values;                  /* as the command of one process has them */
    const struct operands *files;
    const char *out; /* NULL: none */
    ro_context *context;
    ro_mpi_options how;
    ro_mpi_report report;
    int rank;
};

struct ranks_command {
    const struct command *base;
    const char *summary;
    const char *words;             /* operands, where they are not those of the base */
    const char *const *without;    /* options of the base and of ranks, ended by NULL */
    const char *const *with;       /* instead: those that it takes */
    const struct option_words *of; /* ended by a name of NULL; NULL: none */
    const char *const *examples;
    int operands;      /* how many it needs; the last is OUT */
    const char *needs; /* a sentence for when it has others */
    int (*check)(const struct command *command, const void *values, const struct operands *files);
    ro_status (*work)(struct ranks_task *task);
    void (*say)(const struct ranks_task *task); /* NULL: the line of all commands */
};

/* The exit status. */
int ranks_run(const struct ranks_command *what, int argc, char **argv);

/* Files that options name are read by each rank: all go on, or none. */
ro_status ranks_ready(struct ranks_task *task, ro_status status);

/* The line of all commands. */
void ranks_say(const struct ranks_task *task);

/* For commands of their own: a context on this rank, NULL with the reason told; and the end of a
 * call that may have failed. */
ro_context *ranks_context(const struct common *common);
int ranks_end(const ro_context *context, ro_status status, const ro_mpi_report *report,
              const char *out);

extern const struct command ranks_halftone, ranks_denoise, ranks_hologram, ranks_testcard,
    ranks_verify, ranks_hash, ranks_plan, ranks_bench;

#endif
