/* SPDX-License-Identifier: MIT */
/*
 * What a plan saves: one-line calls, which check options and build tables every time, beside runs
 * of a plan, on one thread. A small picture, where that counts, and a large one, where it does not.
 */
#include "bench/bench.h"
#include "bench/contenders.h"
#include "bench/timing.h"

#include <stdio.h>
#include <stdlib.h>

enum { SMALL = 64, LARGE = 4096, ROUNDS = 15, AT_ONCE = 200 };
static const double BUDGET = 2; /* seconds for one way of one method */

static const char *const methods[] = {"bayer",        "blue-noise", "floyd-steinberg", "stucki",
                                      "ostromoukhov", "acuity",     "acuity-6",        "acuity-4"};
enum { METHODS = sizeof methods / sizeof *methods };

/* A method on one size; small pictures many times over. */
struct planned {
    struct halftoning once;
    ro_plan *plan;
    int times;
};

static bool run_once(void *data)
{
    struct planned *planned = data;
    for (int i = 0; i < planned->times; i++)
        if (!run_halftoning(&planned->once))
            return false;
    return true;
}

static bool run_plan(void *data)
{
    struct planned *planned = data;
    for (int i = 0; i < planned->times; i++)
        if (ro_plan_run(planned->plan, planned->once.in, planned->once.out, NULL) != RO_OK)
            return false;
    return true;
}

static void print_row(const struct planned *planned, const struct contender ways[2], bool json,
                      bool *first)
{
    const double once = ways[0].best / planned->times * 1e6,
                 plan = ways[1].best / planned->times * 1e6;
    const char *name = planned->once.options.method;
    const unsigned side = planned->once.in->width;
    if (json)
        printf("%s\n  {\"method\": \"%s\", \"size\": %u, \"call_us\": %.3f, \"plan_us\": %.3f}",
               *first ? "" : ",", name, side, once, plan);
    else
        printf("| %-16s | %4u^2 | %11.2f | %11.2f |\n", name, side, once, plan);
    *first = false;
    fflush(stdout);
}

static bool measure(ro_context *context, uint32_t side, bool json, bool *first)
{
    ro_image in, out;
    bool right = ro_image_alloc(context, RO_GREY8, side, side, 255, &in) == RO_OK;
    if (!right)
        return false;
    right = ro_image_alloc(context, RO_BITS, side, side, 0, &out) == RO_OK &&
            ro_testcard(context, &in) == RO_OK;
    for (int i = 0; i < METHODS && right; i++) {
        struct planned planned = {
            {context, &in, &out, {RO_HALFTONE_DEFAULTS, .method = methods[i]}},
            NULL,
            side == SMALL ? AT_ONCE : 1};
        right =
            ro_halftone_plan(context, &in, RO_BITS, &planned.once.options, &planned.plan) == RO_OK;
        if (!right)
            break;
        struct contender ways[2] = {{.run = run_once, .data = &planned},
                                    {.run = run_plan, .data = &planned}};
        time_in_turns(ways, 2, ROUNDS, BUDGET);
        print_row(&planned, ways, json, first);
        ro_plan_free(planned.plan);
    }
    ro_image_free(&in);
    ro_image_free(&out);
    return right;
}

static int run(const struct bench_options *options)
{
    ro_context_options how = RO_CONTEXT_OPTIONS;
    ro_context *context;
    bool first = true;
    how.device = RO_DEVICE_CPU;
    how.threads = 1;
    if (ro_context_open(&how, &context) != RO_OK)
        return EXIT_FAILURE;
    if (options->json) {
        printf("[");
    } else {
        printf("# Plans: microseconds of a call, and of a run of a plan, on one thread\n\n");
        print_machine();
        printf("\n| method           | size   | one call    | plan        |\n");
        printf("| ---------------- | ------ | ----------- | ----------- |\n");
    }
    bool right =
        measure(context, SMALL, options->json, &first) &&
        measure(context, options->size ? (uint32_t)options->size : LARGE, options->json, &first);
    if (options->json)
        printf("\n]\n");
    if (!right)
        fprintf(stderr, "roundoff bench: %s\n", ro_context_message(context));
    ro_context_close(context);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

const struct bench bench_plan = {
    .name = "plan",
    .summary = "runs of a plan beside one-line calls",
    .run = run,
};
