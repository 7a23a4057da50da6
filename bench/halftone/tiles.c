/* SPDX-License-Identifier: MIT */
/*
 * Screens of many sizes beside blue noise of 64 x 64 cells, one thread, in turns: squares without a
 * shift, odd and even, given as pictures, and dots in rows, whose tiles are shifted from one row of
 * tiles to the next and may be one pixel high.
 */
#include "bench/bench.h"
#include "bench/contenders.h"
#include "bench/timing.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 15, SETS = 3, SQUARES = 6 };
static const double BUDGET = 2; /* seconds for one contender */

static const uint32_t sides[SQUARES] = {3, 17, 145, 255, 256, 1024};
static const struct {
    double lpi, degrees, dpi;
} dots[] = {{75, 0, 600},    {71, 45, 1200},  {150, 75, 2540}, {150, 15, 1270},
            {85, 22.5, 600}, {110, 30, 1440}, {133, 15, 2400}, {133, 75, 2400}};
enum { DOTS = sizeof dots / sizeof *dots, TILES = 1 + SQUARES + DOTS };

struct tile {
    struct halftoning work;
    ro_image screen;
    ro_plan *plan;
    char name[48];
};

static bool run_plan(void *data)
{
    struct tile *tile = data;
    return ro_plan_run(tile->plan, tile->work.in, tile->work.out, NULL) == RO_OK;
}

/* Every rank once, far from its neighbours. */
static bool draw_square(ro_context *context, uint32_t side, ro_image *screen)
{
    const uint32_t cells = side * side;
    if (ro_image_alloc(context, RO_GREY16, side, side, 65535, screen) != RO_OK)
        return false;
    for (uint32_t i = 0; i < cells; i++)
        ((uint16_t *)screen->data)[i / side * (size_t)screen->stride / 2 + i % side] =
            (uint16_t)((uint64_t)i * 7919 % cells * 65535 / cells);
    return true;
}

static bool open_tile(struct tile *tile, int number, int levels)
{
    ro_halftone_options *options = &tile->work.options;
    ro_context *context = tile->work.context;
    ro_dots found = {.size = sizeof found};
    *options =
        (ro_halftone_options){RO_HALFTONE_DEFAULTS, .method = "blue-noise", .levels = levels};
    snprintf(tile->name, sizeof tile->name, "blue noise");
    if (number > SQUARES) {
        const int d = number - 1 - SQUARES;
        options->method = "am";
        options->lpi = dots[d].lpi;
        options->angle = dots[d].degrees;
        options->dpi = dots[d].dpi;
        if (ro_dots_find(context,
                         &(ro_screen_options){RO_SCREEN_DEFAULTS, .kind = "am", .lpi = dots[d].lpi,
                                              .angle = dots[d].degrees, .dpi = dots[d].dpi},
                         0, &found) != RO_OK)
            return false;
        snprintf(tile->name, sizeof tile->name, "am %u x %u + %u", found.width, found.height,
                 found.shift);
    } else if (number > 0) {
        const uint32_t side = sides[number - 1];
        if (!draw_square(context, side, &tile->screen))
            return false;
        options->method = "screen";
        options->screen = &tile->screen;
        snprintf(tile->name, sizeof tile->name, "%u x %u", side, side);
    }
    return ro_halftone_plan(context, tile->work.in, tile->work.out->format, options, &tile->plan) ==
           RO_OK;
}

static bool measure(const ro_image *in, ro_image *out, int levels, ro_cpu set, bool json,
                    bool *first)
{
    struct tile tiles[TILES] = {0};
    struct contender list[TILES] = {0};
    const int depth = in->format == RO_GREY8 ? 8 : 16;
    const ro_context_options how = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .threads = 1,
                                    .cpu = set};
    bool done = true;
    for (int i = 0; i < TILES && done; i++) {
        tiles[i].work.in = in;
        tiles[i].work.out = out;
        done = ro_context_open(&how, &tiles[i].work.context) == RO_OK;
        if (done && !open_tile(&tiles[i], i, levels)) {
            fprintf(stderr, "roundoff: %s\n", ro_context_message(tiles[i].work.context));
            done = false;
        }
        list[i] = (struct contender){.name = tiles[i].name,
                                     .variant = ro_cpu_name(set),
                                     .threads = 1,
                                     .run = run_plan,
                                     .data = &tiles[i]};
    }
    if (done)
        time_in_turns(list, TILES, ROUNDS, BUDGET);
    for (int i = 0; i < TILES && done; i++) {
        const double speed = (double)in->width * in->height / list[i].best / 1e6;
        if (json)
            printf("%s\n  {\"tile\": \"%s\", \"depth\": %d, \"levels\": %d, \"variant\": \"%s\", "
                   "\"mpixels_per_s\": %.1f, \"of_blue_noise\": %.3f}",
                   *first ? "" : ",", list[i].name, depth, levels, list[i].variant, speed,
                   list[0].best / list[i].best);
        else
            printf("| %-24s | %2d | %d | %-6s | %8.0f | %5.2f |\n", list[i].name, depth, levels,
                   list[i].variant, speed, list[0].best / list[i].best);
        *first = false;
    }
    for (int i = 0; i < TILES; i++) {
        ro_plan_free(tiles[i].plan);
        ro_image_free(&tiles[i].screen);
        ro_context_close(tiles[i].work.context);
    }
    return done;
}

static int run(const struct bench_options *options)
{
    static const ro_cpu sets[SETS] = {RO_CPU_V128, RO_CPU_AVX2, RO_CPU_AVX512};
    const uint32_t side = options->size ? (uint32_t)options->size : 4096;
    ro_context *context;
    bool first = true, done = true;
    if (ro_context_open(NULL, &context) != RO_OK)
        return 1;
    if (options->json) {
        printf("[");
    } else {
        printf("Screens of many sizes, test card of %u x %u, one thread. ", side, side);
        print_machine();
        printf("Best of %d, in turns. The last column is the speed over that of blue noise.\n\n"
               "| tile                     | bit | levels | variant | Mpixel/s | blue noise |\n"
               "| ------------------------ | -: | -: | ------ | -------: | ----: |\n",
               ROUNDS);
    }
    for (int k = 0; k < 2 * 2 * SETS && done; k++) {
        const int levels = k / SETS % 2 ? 4 : 2;
        ro_image in = {0}, out = {0};
        done = ro_image_alloc(context, k / SETS / 2 ? RO_GREY16 : RO_GREY8, side, side, 0, &in) ==
                   RO_OK &&
               ro_image_alloc(context, levels == 2 ? RO_BITS : RO_INDEX8, side, side, 0, &out) ==
                   RO_OK &&
               ro_testcard(context, &in) == RO_OK &&
               measure(&in, &out, levels, sets[k % SETS], options->json, &first);
        ro_image_free(&in);
        ro_image_free(&out);
    }
    if (options->json)
        printf("\n]\n");
    ro_context_close(context);
    return done ? 0 : 1;
}

const struct bench bench_tiles = {
    .name = "tiles",
    .summary = "screens of many sizes beside blue noise",
    .run = run,
};
