/* SPDX-License-Identifier: MIT */
/*
 * Level sets: time of a step by size, number system, norm, schedule and threads, beside
 * scikit-image's contours; and a whole segmentation beside ITK's sparse field. In a step all pixels
 * move, or only those round a disc that grows from an eighth of the image to a quarter.
 */
#include "segment/segment.h"
#include "bench/bench.h"
#include "bench/peers/peer_levelset.h"
#include "bench/timing.h"
#include "core/random.h"
#include "segment/levelset/cuda/levelset_cuda.h"
#include "segment/levelset/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 5, MOST = 40, PEER_SIZE = 512 };
static const double BUDGET = 1;

/* ---- Fronts ---------------------------------------------------------------------------------- */

/* Random rows repeat: making them takes longer than what is measured. */
enum { RANDOM_ROWS = 256 };

static void copy_row(const struct level_field *field, uint32_t y)
{
    memcpy(field->data + y * field->pitch, field->data + (y - RANDOM_ROWS) * field->pitch,
           field->pitch - 2 * RO_LEVEL_PAD);
}

static bool make_front(ro_context *context, struct level_front *front, int size,
                       const char *number_name, const char *norm_name, bool dense)
{
    const struct level_number *number = level_number_find(number_name);
    const struct level_norm *norm = level_norm_find(norm_name);
    const double one = number->real ? 1 : 1 << number->bits;
    *front = (struct level_front){.level = {.width = (uint32_t)size,
                                            .height = (uint32_t)size,
                                            .real = number->real,
                                            .a = norm->a,
                                            .bits = number->bits,
                                            .min = number->min,
                                            .max = number->max}};
    if (level_field_make(context, &front->level, &front->phi[0]) != RO_OK ||
        level_field_make(context, &front->level, &front->phi[1]) != RO_OK ||
        level_field_make(context, &front->level, &front->speed) != RO_OK)
        return false;
    for (uint32_t y = 0; y < (uint32_t)size; y++) {
        if (dense && y >= RANDOM_ROWS) {
            copy_row(&front->phi[0], y);
            copy_row(&front->speed, y);
            continue;
        }
        for (uint32_t x = 0; x < (uint32_t)size; x++) {
            double d = hypot(x - 0.5 * size, y - 0.5 * size) - 0.125 * size;
            double phi = d * number->slope;
            if (dense)
                phi = number->min +
                      pixel_hash(1, x, y) * 0x1p-32 * ((double)number->max - number->min);
            phi = phi > number->max ? number->max : phi < number->min ? number->min : phi;
            double speed = level_bound(norm) * one;
            if (dense)
                speed *= 2 * (pixel_hash(2, x, y) * 0x1p-32) - 1;
            level_put(&front->level, &front->phi[0], x, y, phi);
            level_put(&front->level, &front->speed, x, y, number->real ? speed : trunc(speed));
        }
    }
    level_field_mirror(&front->level, &front->phi[0]);
    return true;
}

static void drop_front(struct level_front *front)
{
    level_field_free(&front->phi[0]);
    level_field_free(&front->phi[1]);
    level_field_free(&front->speed);
}

/* ---- Contenders ------------------------------------------------------------------------------ */

struct entry {
    struct level_front *front;
    const char *number, *norm, *schedule;
    struct thread_pool *pool;
    struct level_tiles tiles;
    struct level_passes passes;
    uint32_t steps, depth;
    bool dense;
    struct level_field start; /* where a disc grows from in every run; none: it goes on */
};

static bool run_entry(void *data)
{
    struct entry *entry = data;
    unsigned moves;
    if (entry->start.data) {
        memcpy(entry->front->phi[entry->front->now].data - RO_LEVEL_PAD,
               entry->start.data - RO_LEVEL_PAD, entry->start.pitch * entry->front->level.height);
        level_tiles_wake(&entry->tiles, 0);
    }
    if (entry->tiles.list) {
        static const bool chosen[RO_LEVEL_FRONTS] = {true};
        unsigned any[RO_LEVEL_FRONTS];
        for (uint32_t done = 0; done < entry->steps; done += entry->depth) {
            const struct level_tiled *of = &entry->tiles.of[0];
            for (size_t i = 0; entry->dense && i < (size_t)entry->tiles.columns * entry->tiles.rows;
                 i++)
                of->bits[of->round & 1][i] = RO_TILE_AWAKE; /* none sleeps */
            level_tiles_run(&entry->tiles, entry->pool, chosen, entry->depth, any);
        }
        return true;
    }
    return level_passes_run(&entry->passes, entry->pool, entry->steps, &moves) == RO_OK;
}

struct field {
    struct contender list[MOST];
    struct entry entries[MOST];
    struct level_front fronts[MOST];
    int count;
};

static void enter(struct field *field, ro_context *context, struct thread_pool *pool, int size,
                  const char *number, const char *norm, const char *schedule, bool dense)
{
    struct entry *entry = &field->entries[field->count];
    struct level_front *front = &field->fronts[field->count];
    const bool passes = strcmp(schedule, "passes") == 0, tiles = strcmp(schedule, "active") == 0;
    const int threads = pool_threads(pool);
    if (!make_front(context, front, size, number, norm, dense))
        return;
    const struct level_kernel *kernel = level_kernel_find(&front->level, RO_CPU_AUTO);
    *entry = (struct entry){.front = front,
                            .number = number,
                            .norm = norm,
                            .schedule = schedule,
                            .pool = pool,
                            .depth = passes ? 1 : 8,
                            .steps = size >= 4096   ? 8
                                     : size >= 1024 ? 32
                                                    : 400,
                            .dense = dense};
    if (!dense) {
        entry->steps = (uint32_t)size / 4;
        if (level_field_make(context, &front->level, &entry->start) != RO_OK)
            return;
        memcpy(entry->start.data - RO_LEVEL_PAD, front->phi[0].data - RO_LEVEL_PAD,
               entry->start.pitch * front->level.height);
    }
    struct level_front *const fronts[RO_LEVEL_FRONTS] = {front};
    const struct level_kernel *const kernels[RO_LEVEL_FRONTS] = {kernel};
    if (tiles && level_tiles_open(&entry->tiles, fronts, kernels, 8, threads) != RO_OK)
        return;
    if (!tiles)
        level_passes_open(&entry->passes, front, kernel, entry->depth);
    field->list[field->count++] = (struct contender){.name = schedule,
                                                     .variant = ro_cpu_name(kernel->cpu),
                                                     .threads = threads,
                                                     .run = run_entry,
                                                     .data = entry};
}

static void close_field(struct field *field)
{
    for (int i = 0; i < field->count; i++) {
        level_tiles_close(&field->entries[i].tiles);
        level_passes_close(&field->entries[i].passes);
        level_field_free(&field->entries[i].start);
        drop_front(&field->fronts[i]);
    }
}

/* ---- Tables ---------------------------------------------------------------------------------- */

struct table {
    bool json, first;
};

static void print_row(struct table *table, int size, const char *number, const char *norm,
                      const char *schedule, const char *variant, int threads, const char *moves,
                      double seconds)
{
    const bool device = strcmp(variant, "cuda") == 0; /* then they are labels */
    const double speed = (device ? threads : 1) * (double)size * size / seconds / 1e9;
    if (table->json) {
        printf("%s\n  {\"size\": %d, \"number\": \"%s\", \"norm\": \"%s\", \"schedule\": \"%s\", "
               "\"variant\": \"%s\", \"%s\": %d, \"moves\": \"%s\", \"ms\": %.5f, "
               "\"gpixel_steps_per_s\": %.3f}",
               table->first ? "" : ",", size, number, norm, schedule, variant,
               device ? "labels" : "threads", threads, moves, 1e3 * seconds, speed);
        table->first = false;
        return;
    }
    printf("| %5d | %-6s | %-6s | %-26s | %-7s | %2d | %-5s | %9.4f | %8.2f |\n", size, number,
           norm, schedule, variant, threads, moves, 1e3 * seconds, speed);
}

/* Times of one step at PEER_SIZE, one thread, for the ratios below. */
static void time_size(int size, ro_context *context, struct thread_pool *one,
                      struct thread_pool *all, struct table *table, double *at_peer_size)
{
    static const char *const schedules[] = {"passes", "stream", "active"};
    static const char *const others[][2] = {
        {"u8", "lin"}, {"s12", "euclid"}, {"s16", "lin"}, {"s16", "euclid"}, {"s23e8", "lin"}};
    struct field *field = calloc(1, sizeof *field);
    if (!field)
        return;
    for (int i = 0; i < 3; i++) {
        enter(field, context, one, size, "s12", "lin", schedules[i], true);
        if (all != one)
            enter(field, context, all, size, "s12", "lin", schedules[i], true);
    }
    enter(field, context, all, size, "s12", "lin", "active", false);
    for (int i = 0; i < 5 && size < 4096; i++)
        enter(field, context, one, size, others[i][0], others[i][1], "stream", true);
    time_in_turns(field->list, field->count, ROUNDS, BUDGET);
    for (int i = 0; i < field->count; i++) {
        const struct contender *c = &field->list[i];
        const struct entry *entry = c->data;
        if (c->failed)
            continue;
        double seconds = c->best / entry->steps;
        print_row(table, size, entry->number, entry->norm, entry->schedule, c->variant, c->threads,
                  entry->dense ? "all" : "disc", seconds);
        if (size == PEER_SIZE && c->threads == 1 && strcmp(entry->number, "s12") == 0 &&
            strcmp(entry->norm, "lin") == 0 && (*at_peer_size == 0 || seconds < *at_peer_size))
            *at_peer_size = seconds;
    }
    close_field(field);
    free(field);
    fflush(stdout);
}

/* ---- From a disc to a shape ------------------------------------------------------------------ */

static double lobed_edge(double dx, double dy, double radius)
{
    return radius * (1 + 0.25 * cos(5 * atan2(dy, dx)));
}

/* Shapes in noise: one in the middle, or one in every quarter. */
static bool draw_lobes(ro_context *context, uint32_t side, int across, double radius,
                       ro_image *image)
{
    if (ro_image_alloc(context, RO_GREY8, side, side, 255, image) != RO_OK)
        return false;
    const double room = (double)side / across;
    for (uint32_t y = 0; y < side; y++)
        for (uint32_t x = 0; x < side; x++) {
            double dx = fmod(x, room) - 0.5 * room, dy = fmod(y, room) - 0.5 * room, noise = 0;
            for (uint32_t i = 0; i < 4; i++)
                noise += pixel_hash(i, x, y) * 0x1p-32 - 0.5; /* deviation 0.577 */
            double value = (hypot(dx, dy) < lobed_edge(dx, dy, radius) ? 160 : 80) + 20.8 * noise;
            ((uint8_t *)image->data + (ptrdiff_t)y * image->stride)[x] = (uint8_t)value;
        }
    return true;
}

/* The best of some whole calls; the last result stays in `labels`, if that is not NULL. */
static double time_calls(ro_context *context, const ro_image *image,
                         const ro_segment_options *options, int calls, ro_image *labels,
                         ro_segment_report *report)
{
    double best = 0;
    for (int i = 0; i < calls; i++) {
        ro_segmentation *result;
        double begin = bench_seconds();
        if (ro_segment(context, image, options, &result, report) != RO_OK)
            break;
        double took = bench_seconds() - begin;
        best = best == 0 || took < best ? took : best;
        if (labels)
            ro_segmentation_labels(result, labels);
        ro_segmentation_free(result);
    }
    return best;
}

/* The time, and the likeness of what is found. */
static double time_lobes(ro_context *context, int size, double radius, double start,
                         const char *number, double *dice, uint32_t *steps)
{
    ro_image image = {0}, labels = {0};
    const uint32_t side = (uint32_t)size;
    const ro_seed seed = {1, 0.5 * size, 0.5 * size, start};
    ro_segment_report report = {.size = sizeof report};
    const ro_segment_options options = {
        RO_SEGMENT_DEFAULTS, .number = number,
        .smooth = 1,         .speed = {{.window = 1, .low = 120, .high = 250}},
        .seeds = &seed,      .seed_count = 1};
    double best = 0;
    uint64_t both = 0, sum = 0;
    if (draw_lobes(context, side, 1, radius, &image) &&
        ro_image_alloc(context, RO_GREY8, side, side, 255, &labels) == RO_OK)
        best = time_calls(context, &image, &options, 7, &labels, &report);
    for (uint32_t y = 0; y < side && best > 0; y++)
        for (uint32_t x = 0; x < side; x++) {
            double dx = x - 0.5 * size, dy = y - 0.5 * size;
            bool truth = hypot(dx, dy) < lobed_edge(dx, dy, radius);
            bool found = ((uint8_t *)labels.data + (ptrdiff_t)y * labels.stride)[x];
            both += truth && found;
            sum += (uint64_t)truth + found;
        }
    *dice = sum ? 2 * (double)both / (double)sum : 0;
    *steps = report.steps;
    ro_image_free(&image);
    ro_image_free(&labels);
    return best;
}

/* What further labels cost: shapes in four quarters, found by one label or by four. */
static void compare_labels(ro_context *context, int threads)
{
    static const int sizes[] = {512, 2048};
    static const char *const numbers[] = {"s12", "s16"};
    printf("\nFour noisy shapes, one found by one label or each by its own, whole call, %d "
           "thread%s:\n\n|  size | number | one label, ms | four labels, ms | ratio |\n"
           "| ----: | ------ | ----: | ----: | ----: |\n",
           threads, threads == 1 ? "" : "s");
    for (int s = 0; s < 2; s++) {
        ro_image image = {0};
        const double side = sizes[s], radius = 0.17 * side;
        ro_seed seeds[RO_LABELS];
        if (!draw_lobes(context, (uint32_t)sizes[s], 2, radius, &image))
            return;
        for (int i = 0; i < RO_LABELS; i++)
            seeds[i] = (ro_seed){i + 1, side * (i % 2 ? 0.75 : 0.25), side * (i < 2 ? 0.25 : 0.75),
                                 0.4 * radius};
        for (int n = 0; n < 2; n++) {
            double took[2];
            for (int all = 0; all < 2; all++) {
                ro_segment_options options = {
                    RO_SEGMENT_DEFAULTS,
                    .number = numbers[n],
                    .smooth = 1,
                    .seeds = seeds,
                    .seed_count = all ? RO_LABELS : 1,
                };
                for (int i = 0; i < RO_LABELS; i++)
                    options.speed[i] = (ro_speed){.window = 1, .low = 120, .high = 250};
                took[all] = time_calls(context, &image, &options, 5, NULL, NULL);
            }
            printf("| %5d | %-6s | %.1f | %.1f | %.2f |\n", sizes[s], numbers[n], 1e3 * took[0],
                   1e3 * took[1], took[1] / took[0]);
        }
        ro_image_free(&image);
    }
}

static void compare_lobes(ro_context *context, int threads)
{
    static const char *const numbers[] = {"u8", "s12", "s16"};
    struct peer_itk itk = peer_itk_lobes(512, 150, 61, threads);
    printf("\nA noisy five-lobed shape of radius 150 from a disc of radius 61, 512 x 512, whole "
           "call:\n\n| program | ms | dice |\n| ------- | -: | -: |\n");
    for (int i = 0; i < 3; i++) {
        double dice;
        uint32_t steps;
        double seconds = time_lobes(context, 512, 150, 61, numbers[i], &dice, &steps);
        printf("| %s, %u steps, %d threads | %.2f | %.4f |\n", numbers[i], steps, threads,
               1e3 * seconds, dice);
    }
    if (itk.seconds > 0)
        printf("| ITK sparse field, %d steps, %d threads | %.2f | %.4f |\n", itk.iterations,
               threads, 1e3 * itk.seconds, itk.dice);
    else
        printf("\nno ITK here: it is not compared\n");
}

/* ---- On a device ----------------------------------------------------------------------------- */

/* Seconds of a step of `labels` equal fronts; 0: it failed. */
static double time_cuda(ro_context *context, struct level_front *front, int labels, uint32_t depth,
                        uint32_t steps)
{
    struct level_front copies[RO_LEVEL_FRONTS], *fronts[RO_LEVEL_FRONTS] = {0};
    struct level_cuda *cuda = NULL;
    bool chosen[RO_LEVEL_FRONTS] = {0};
    unsigned moves[RO_LEVEL_FRONTS];
    double best = 0;
    for (int i = 0; i < labels; i++) {
        copies[i] = *front;
        fronts[i] = &copies[i];
        chosen[i] = true;
    }
    ro_status status = level_on_cuda->open(context, fronts, depth, &cuda);
    for (int i = 0; i <= ROUNDS && status == RO_OK; i++) {
        double begin = bench_seconds();
        status = level_on_cuda->run(cuda, chosen, i ? steps : 16, moves);
        double took = bench_seconds() - begin;
        if (i && (best == 0 || took < best))
            best = took;
    }
    level_on_cuda->close(cuda);
    if (status != RO_OK)
        fprintf(stderr, "roundoff: %s\n", ro_context_message(context));
    return status == RO_OK ? best / steps : 0;
}

static int run_cuda(const struct bench_options *options)
{
    static const int sizes[] = {256, 2048, 8192};
    static const char *const kinds[][2] = {{"s12", "lin"},     {"u8", "lin"},     {"s16", "lin"},
                                           {"s23e8", "lin"},   {"s12", "euclid"}, {"s16", "euclid"},
                                           {"s23e8", "euclid"}};
    static const struct {
        uint32_t depth;
        int labels;
    } ways[] = {{4, 1}, {6, 1}, {8, 1}, {12, 1}, {0, 1}, {0, 4}};
    ro_context *context = bench_device();
    struct table table = {.json = options->json, .first = true};
    int result = 0;
    if (!context)
        return 1;
    printf(options->json ? "["
                         : "Level sets on the device, steps of phi that is there already; in the "
                           "last column pixels of all labels count.\n\n"
                           "|  size | number | norm   | schedule                   | variant | "
                           "labels | moves |   ms/step | Gpixel-steps/s |\n"
                           "| ----: | ------ | ------ | -------------------------- | ------- | -: "
                           "| ----- | --------: | -------: |\n");
    for (int s = 0; s < (options->size ? 1 : 3) && result == 0; s++) {
        const int size = options->size ? options->size : sizes[s];
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds && result == 0; k++) {
            struct level_front front;
            if (!make_front(context, &front, size, kinds[k][0], kinds[k][1], true))
                result = 1;
            for (size_t i = 0; i < sizeof ways / sizeof *ways && result == 0; i++) {
                char schedule[32];
                double seconds = time_cuda(context, &front, ways[i].labels, ways[i].depth,
                                           size >= 4096 ? 240 : 960);
                if (ways[i].depth)
                    snprintf(schedule, sizeof schedule, "fused, depth %u", ways[i].depth);
                else
                    snprintf(schedule, sizeof schedule, "fused");
                if (seconds > 0)
                    print_row(&table, size, kinds[k][0], kinds[k][1], schedule, "cuda",
                              ways[i].labels, "all", seconds);
                else
                    result = 1;
            }
            drop_front(&front);
        }
    }
    if (options->json)
        printf("\n]\n");
    ro_context_close(context);
    return result;
}

static int run(const struct bench_options *options)
{
    static const int sizes[] = {256, PEER_SIZE, 2048, 8192};
    struct table table = {.json = options->json, .first = true};
    const ro_context_options with = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU};
    ro_context *context;
    double own = 0;
    if (options->cuda)
        return run_cuda(options);
    if (ro_context_open(&with, &context) != RO_OK)
        return 1;
    struct thread_pool *one = pool_open(1, NULL), *all = context->pool;
    const int threads = pool_threads(all);
    if (!options->json) {
        printf("Level sets. ");
        print_machine();
        printf("Best of %d, in turns; stream and active take 8 steps at once.\n\n", ROUNDS);
        printf("|  size | number | norm   | schedule                   | variant | threads | moves "
               "|   ms/step | Gpixel-steps/s |\n"
               "| ----: | ------ | ------ | -------------------------- | ------- | -: | ----- | "
               "--------: | -------: |\n");
    } else {
        printf("[");
    }
    for (int i = 0; i < (options->size ? 1 : 4); i++)
        time_size(options->size ? options->size : sizes[i], context, one, threads > 1 ? all : one,
                  &table, &own);
    struct peer_skimage peers = {0, 0};
    if (!options->size || options->size == PEER_SIZE)
        peers = peer_skimage_contours(PEER_SIZE);
    if (peers.chan_vese > 0) {
        print_row(&table, PEER_SIZE, "double", "", "scikit-image chan_vese", "", 1, "all",
                  peers.chan_vese);
        print_row(&table, PEER_SIZE, "", "", "scikit-image geodesic", "", 1, "all", peers.geodesic);
    }
    if (options->json) {
        printf("\n]\n");
    } else {
        if (peers.chan_vese > 0 && own > 0)
            printf("\nratio of a step, %d, one thread: chan_vese %.0f, geodesic %.0f\n", PEER_SIZE,
                   peers.chan_vese / own, peers.geodesic / own);
        else
            printf("\nno scikit-image here: no ratios to it\n");
        if (!options->size) {
            compare_labels(context, threads);
            compare_lobes(context, threads);
        }
    }
    pool_close(one);
    ro_context_close(context);
    return 0;
}

const struct bench bench_segment = {
    .name = "segment",
    .summary = "level sets by number system, norm and schedule, scikit-image and ITK",
    .run = run,
    .cuda = true,
};
