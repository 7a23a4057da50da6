/* SPDX-License-Identifier: MIT */
/*
 * A run as all commands have it, once their options have been read and checked:
 *
 *     may there be a certificate? -> a context -> work -> the certificate -> files get their names
 *     -> JSON, or what the command says -> the exit status
 *
 * Whatever fails is told in one sentence, and then no file has changed.
 */
#ifndef RO_CLI_TASK_TASK_H
#define RO_CLI_TASK_TASK_H

#include "cli/common/cli.h"
#include "cli/common/progress.h"

struct task {
    const struct command *command; /* whose certificate it is */
    const void *values;            /* begins with struct common */
    const struct operands *files;
    const char *out; /* the file that an interrupted run has not written; NULL: none */
    void *data;      /* the command's own */
    bool states_run; /* the certificate tells what ran */

    ro_status (*work)(struct task *task);
    void (*json)(const struct task *task, FILE *file); /* one object and the end of its line */
    void (*say)(const struct task *task);              /* unless --quiet */
    /* The work succeeded and its result is useless: nothing is certified or said but this, which
     * returns the exit status. `work` sets `refused`. */
    int (*refuse)(const struct task *task);
    bool refused;
    int ended; /* set by `work` when it has told what is wrong itself: the exit status */

    /* Set for `work`: */
    ro_context *context;
    struct progress *progress;
    /* Set after it: */
    ro_report ran; /* unless `work` has set it */
    double seconds;
};

/* The exit status. What `data` holds is the caller's to free. */
int task_run(struct task *task);

#endif
