/* SPDX-License-Identifier: MIT */
/* A run of a command that computes: its context with progress and signals tied to it. */
#ifndef RO_CLI_COMMON_SESSION_H
#define RO_CLI_COMMON_SESSION_H

#include "cli/common/cli.h"
#include "cli/common/progress.h"

/* The limits that were given. */
ro_limits limits_given(const struct common *common);

struct work {
    ro_context *context;
    struct progress progress;
    double seconds; /* of the work, set by work_end */
};

int work_begin(struct work *work,
               const struct common *common); /* 0, or the exit status, the reason told */
void work_end(struct work *work);

/* Gives all files that the command has made their names, if all went well; else removes them. Until
 * then nothing has changed, and files are read as they will be. */
ro_status work_commit(struct work *work, ro_status status);

/* A second context, on the CPU, for work that is to be done there whatever the first one's device
 * is: while it is open, it is the one that signals cancel. A failure's sentence goes to the first,
 * which is watched again after the close. */
ro_status work_cpu_open(ro_context *first, ro_context **cpu);
void work_cpu_close(ro_context *first, ro_context *cpu); /* NULL: just as well */

/* Says in one line why a call failed, what became of `out`, and returns the exit status. */
int work_failed(const struct work *work, ro_status status, const char *out);
void work_close(struct work *work);

/* Whether a file can be made at `path`; if not, says so. Asked before long work. */
bool can_write(const char *path);

#endif
