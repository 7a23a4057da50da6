/* SPDX-License-Identifier: MIT */
/* What several benches time: a halftoning of ours, and memcpy of its input as the limit. */
#ifndef RO_BENCH_CONTENDERS_H
#define RO_BENCH_CONTENDERS_H

#include "roundoff.h"

#include <stdbool.h>

/* A context with its own threads, and what it runs. */
struct halftoning {
    ro_context *context;
    const ro_image *in;
    ro_image *out;
    ro_halftone_options options;
};
bool run_halftoning(void *halftoning);

struct copying {
    const ro_image *from;
    void *to;
};
bool run_copying(void *copying);

#endif
