/* SPDX-License-Identifier: MIT */
/*
 * Ordered dithering beside a copy of the same bytes: to packed bits it must be no slower on one
 * thread. Dots in rows beside blue noise, whose tile is small: tiles of up to 256 x 256 pixels, and
 * the larger ones that most angles need. And the time that void-and-cluster screens take to make.
 */
#include "bench/bench.h"
#include "bench/contenders.h"
#include "bench/halftone/ordered_cuda.h"
#include "bench/timing.h"
#include "roundoff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 15, SETS = 3 };
static const double BUDGET = 2; /* seconds for one contender */

static const struct {
    const char *name, *method;
    int levels, cell;
    double lpi, degrees, dpi;
} methods[] = {
    {"bayer8", "bayer8", 2, 0, 0, 0, 0},
    {"bayer", "bayer", 2, 256, 0, 0, 0},
    {"clustered-dot", "clustered-dot", 2, 7, 0, 0, 0},
    {"blue-noise", "blue-noise", 2, 0, 0, 0, 0},
    {"am, 128^2", "am", 2, 0, 75, 0, 600},
    {"am, 145^2", "am", 2, 0, 150, 75, 2540},
    {"am, 623^2", "am", 2, 0, 133, 15, 2400},
    {"threshold", "threshold", 2, 0, 0, 0, 0},
    {"random", "random", 2, 0, 0, 0, 0},
    {"otsu", "otsu", 2, 0, 0, 0, 0},
    {"blue-noise", "blue-noise", 4, 0, 0, 0, 0},
};
enum { METHODS = sizeof methods / sizeof *methods };

/* Screens of dots take longer to make than to use, so all methods run a plan. */
struct planned {
    struct halftoning *work;
    ro_plan *plan;
};

static bool run_planned(void *data)
{
    struct planned *own = data;
    return own->plan && ro_plan_run(own->plan, own->work->in, own->work->out, NULL) == RO_OK;
}

static void print_row(const struct contender *c, int size, int depth, int levels, double copy,
                      bool json, bool *first)
{
    double pixels = (double)size * size;
    if (json)
        printf("%s\n  {\"size\": %d, \"depth\": %d, \"method\": \"%s\", \"levels\": %d, "
               "\"variant\": \"%s\", \"threads\": 1, \"ms\": %.4f, \"mpixels_per_s\": %.1f, "
               "\"of_memcpy\": %.3f}",
               *first ? "" : ",", size, depth, c->name, levels, c->variant, c->best * 1e3,
               pixels / c->best / 1e6, copy / c->best);
    else
        printf("| %5d | %2d | %-13s | %d | %-7s | %8.3f | %8.0f | %6.2f |\n", size, depth, c->name,
               levels, c->variant, c->best * 1e3, pixels / c->best / 1e6, copy / c->best);
    *first = false;
}

/* Every method on every instruction set, one thread, and the copy in turns with them. */
static bool measure(ro_context *context, int size, int depth, bool json, bool *first)
{
    static const ro_cpu sets[SETS] = {RO_CPU_V128, RO_CPU_AVX2, RO_CPU_AVX512};
    struct contender list[METHODS * SETS + 1] = {0};
    struct halftoning ours[METHODS * SETS] = {0};
    struct planned plans[METHODS * SETS] = {0};
    int number[METHODS * SETS], count = 0;
    ro_image in = {0}, bits = {0}, levels = {0};
    struct copying copy = {&in, NULL};
    ro_format format = depth == 8 ? RO_GREY8 : RO_GREY16;
    uint32_t side = (uint32_t)size;
    bool done = ro_image_alloc(context, format, side, side, 0, &in) == RO_OK &&
                ro_image_alloc(context, RO_BITS, side, side, 0, &bits) == RO_OK &&
                ro_image_alloc(context, RO_INDEX8, side, side, 0, &levels) == RO_OK &&
                ro_testcard(context, &in) == RO_OK &&
                posix_memalign(&copy.to, 64, (size_t)in.stride * in.height) == 0;
    for (int i = 0; done && i < METHODS * SETS; i++) {
        int m = i / SETS;
        ro_context_options how = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .threads = 1,
                                  .cpu = sets[i % SETS]};
        if (ro_context_open(&how, &ours[count].context) != RO_OK)
            continue;
        ours[count].in = &in;
        ours[count].out = methods[m].levels == 2 ? &bits : &levels;
        ours[count].options = (ro_halftone_options){
            RO_HALFTONE_DEFAULTS,    .method = methods[m].method, .levels = methods[m].levels,
            .cell = methods[m].cell, .lpi = methods[m].lpi,       .angle = methods[m].degrees,
            .dpi = methods[m].dpi};
        list[count] = (struct contender){.name = methods[m].name,
                                         .variant = ro_cpu_name(sets[i % SETS]),
                                         .threads = 1,
                                         .run = run_planned,
                                         .data = &plans[count]};
        plans[count].work = &ours[count];
        if (ro_halftone_plan(ours[count].context, &in, ours[count].out->format,
                             &ours[count].options, &plans[count].plan) != RO_OK)
            fprintf(stderr, "roundoff: %s\n", ro_context_message(ours[count].context));
        number[count++] = m;
    }
    list[count] = (struct contender){
        .name = "memcpy", .variant = "", .threads = 1, .run = run_copying, .data = &copy};
    if (done)
        time_in_turns(list, count + 1, ROUNDS, BUDGET);
    for (int i = 0; done && i <= count; i++)
        if (!list[i].failed)
            print_row(&list[i], size, depth, i < count ? methods[number[i]].levels : 0,
                      list[count].best, json, first);
    for (int i = 0; i < count; i++) {
        ro_plan_free(plans[i].plan);
        ro_context_close(ours[i].context);
    }
    ro_image_free(&in);
    ro_image_free(&bits);
    ro_image_free(&levels);
    free(copy.to);
    return done;
}

static bool make_screens(ro_context *context, bool json)
{
    static const uint32_t sizes[] = {64, 256, 1024};
    if (!json)
        printf("\n| void and cluster | s |\n| --: | --: |\n");
    for (int i = 0; i < 3; i++) {
        ro_image screen;
        double start = bench_seconds();
        if (ro_screen_make(context, &(ro_screen_options){RO_SCREEN_DEFAULTS, .cell = sizes[i]},
                           &screen) != RO_OK)
            return false;
        double took = bench_seconds() - start;
        ro_image_free(&screen);
        if (json)
            printf(",\n  {\"screen\": %u, \"ms\": %.4f}", sizes[i], took * 1e3);
        else
            printf("| %u x %u | %.3f |\n", sizes[i], sizes[i], took);
    }
    return true;
}

static int run(const struct bench_options *options)
{
    ro_context *context;
    int size = options->size ? options->size : 4096;
    bool first = true;
    if (options->cuda)
        return bench_ordered_cuda(options);
    if (ro_context_open(NULL, &context) != RO_OK)
        return 1;
    if (options->json) {
        printf("[");
    } else {
        printf("Ordered dithering, test card, one thread. ");
        print_machine();
        printf("Best of %d, in turns. The last column is the speed over that of memcpy.\n\n"
               "|  size | bit | method | levels | variant |     ms | Mpixel/s | memcpy |\n"
               "| ----: | -: | ------------- | -: | ------- | -------: | -------: | -----: |\n",
               ROUNDS);
    }
    bool done = measure(context, size, 8, options->json, &first) &&
                measure(context, size, 16, options->json, &first) &&
                make_screens(context, options->json);
    if (options->json)
        printf("\n]\n");
    if (!done)
        fprintf(stderr, "roundoff: no memory to measure %d x %d\n", size, size);
    ro_context_close(context);
    return done ? 0 : 1;
}

const struct bench bench_ordered = {
    .name = "ordered",
    .summary = "ordered dithering beside memcpy, and the making of screens",
    .run = run,
    .cuda = true,
};
