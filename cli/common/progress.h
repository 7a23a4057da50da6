/* SPDX-License-Identifier: MIT */
/* A progress bar for people: only on a terminal, only when work takes longer than a moment. */
#ifndef RO_CLI_COMMON_PROGRESS_H
#define RO_CLI_COMMON_PROGRESS_H

#include <stdbool.h>

struct progress {
    bool shown; /* a bar stands on the terminal */
    bool wanted;
    const char *notice; /* a line for where there is no terminal, once, when work takes long */
    double start, last; /* seconds */
};

double seconds_now(void);
void progress_begin(struct progress *progress, bool quiet);
int progress_step(void *progress, const char *phase, double done); /* a ro_progress_fn */
void progress_end(struct progress *progress);                      /* wipes the bar */

#endif
