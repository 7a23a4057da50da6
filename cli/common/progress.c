/* SPDX-License-Identifier: MIT */
#include "cli/common/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double patience = 0.5, interval = 0.1; /* seconds before the first, between two */
static const double long_wait = 2;                  /* before something is said without a bar */

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_begin(struct progress *progress, bool quiet)
{
    double now = seconds_now();
    *progress = (struct progress){.wanted = !quiet && isatty(STDERR_FILENO), .start = now};
}

int progress_step(void *data, const char *phase, double done)
{
    struct progress *progress = data;
    if (!progress->wanted && !progress->notice)
        return 0;
    double now = seconds_now();
    if (!progress->wanted) {
        if (now - progress->start >= long_wait) {
            fprintf(stderr, "%s\n", progress->notice);
            progress->notice = NULL;
        }
        return 0;
    }
    if (now - progress->start < patience || now - progress->last < interval)
        return 0;
    progress->last = now;
    progress->shown = true;
    static const char full[] = "########################################";
    enum { WIDTH = sizeof full - 1 };
    int filled = done >= 1 ? WIDTH : done > 0 ? (int)(done * WIDTH) : 0;
    fprintf(stderr, "\r%-20.20s [%-*.*s] %3.0f %%", phase, WIDTH, filled, full,
            100.0 * filled / WIDTH);
    fflush(stderr);
    return 0;
}

void progress_end(struct progress *progress)
{
    if (progress->shown)
        fprintf(stderr, "\r%*s\r", 76, "");
    progress->shown = false;
}
