/* SPDX-License-Identifier: MIT */
/*
 * What a call costs in C, for python/bench/bench.py, which loads this and runs both in turn:
 * seconds of ro_plan_run, which is what a call from Python comes to, and of ro_halftone, which
 * makes its plan anew. All pictures are grey of bytes, side x side.
 */
#include <roundoff.h>

#include <stdlib.h>
#include <time.h>

struct calls {
    ro_context *context;
    ro_halftone_options options;
    ro_plan *plan;
    ro_image in, out;
};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void calls_close(struct calls *calls);
void calls_close(struct calls *calls)
{
    ro_plan_free(calls->plan);
    ro_context_close(calls->context);
    free(calls);
}

/* `method` and the pixels must stay. NULL: it cannot be done. */
struct calls *calls_open(const char *method, uint32_t side, void *from, void *to);
struct calls *calls_open(const char *method, uint32_t side, void *from, void *to)
{
    struct calls *calls = calloc(1, sizeof *calls);
    if (!calls)
        return NULL;
    calls->options = (ro_halftone_options)RO_HALFTONE_OPTIONS;
    calls->options.method = method;
    calls->in = calls->out = (ro_image){.format = RO_GREY8,
                                        .width = side,
                                        .height = side,
                                        .maxval = 255,
                                        .stride = (ptrdiff_t)side,
                                        .data = from};
    calls->out.data = to;
    if (ro_context_open(NULL, &calls->context) == RO_OK &&
        ro_halftone_plan(calls->context, &calls->in, RO_GREY8, &calls->options, &calls->plan) ==
            RO_OK)
        return calls;
    calls_close(calls);
    return NULL;
}

/* Seconds a call; below 0: one failed. */
double calls_time(struct calls *calls, int planned, int count);
double calls_time(struct calls *calls, int planned, int count)
{
    const double start = seconds_now();
    for (int i = 0; i < count; i++) {
        const ro_status status =
            planned ? ro_plan_run(calls->plan, &calls->in, &calls->out, NULL)
                    : ro_halftone(calls->context, &calls->in, &calls->out, &calls->options);
        if (status != RO_OK)
            return -1;
    }
    return (seconds_now() - start) / count;
}
