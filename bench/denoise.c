/* SPDX-License-Identifier: MIT */
/*
 * Diffusion filters: models, number systems, threads and depths of a pass beside a copy of the same
 * bytes (the limit of a pass), OpenCV and ITK (the peers). Speeds are in million pixels and steps a
 * second, of one channel; our times are those of whole calls, conversion of pixels included.
 */
#include "bench/bench.h"
#include "bench/denoise_cuda.h"
#include "bench/denoise_trained.h"
#include "bench/peers/peer_itk.h"
#include "bench/peers/peer_opencv.h"
#include "bench/timing.h"
#include "roundoff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 7, MOST = 64 };
static const double BUDGET = 1.5; /* seconds for one contender */

struct entry {
    ro_context *context;
    const ro_image *in;
    ro_image *out;
    ro_denoise_options options;
};

static bool run_entry(void *data)
{
    struct entry *entry = data;
    return ro_denoise(entry->context, entry->in, entry->out, &entry->options, NULL) == RO_OK;
}

struct copy {
    void *from, *to;
    size_t bytes;
};

static bool run_copy(void *data)
{
    struct copy *copy = data;
    memcpy(copy->to, copy->from, copy->bytes);
    return true;
}

struct field {
    ro_image in[2], out[2]; /* 8 bits and float */
    struct copy copy;
    struct contender list[MOST];
    struct entry entries[MOST];
    int count;
};

static void enter(struct field *field, ro_context *context, int threads, const char *model,
                  const char *number, uint32_t depth, uint32_t steps)
{
    bool floats = strcmp(number, "s23e8") == 0;
    struct entry *entry = &field->entries[field->count];
    *entry = (struct entry){
        .context = context,
        .in = &field->in[floats],
        .out = &field->out[floats],
        .options = {RO_DENOISE_DEFAULTS, .model = model, .number = number, .scheme = "explicit",
                    .kappa = strcmp(model, "linear") == 0 ? 0 : 10,
                    .schedule = depth == 1 ? "passes" : "stream",
                    .steps_at_once = depth == 1 ? 0 : depth, .iterations = steps},
    };
    field->list[field->count++] =
        (struct contender){.threads = threads, .run = run_entry, .data = entry};
}

static void add_noise(const ro_image *image, const ro_image *floats)
{
    uint32_t state = 1;
    for (uint32_t y = 0; y < image->height; y++) {
        unsigned char *row = (unsigned char *)image->data + (ptrdiff_t)y * image->stride;
        float *to = (float *)(void *)((char *)floats->data + (ptrdiff_t)y * floats->stride);
        for (uint32_t x = 0; x < image->width; x++) {
            state = state * 1664525u + 1013904223u;
            int value = row[x] + (int)(state >> 26) - 32;
            row[x] = (unsigned char)(value < 0 ? 0 : value > 255 ? 255 : value);
            to[x] = (float)row[x] / 255;
        }
    }
}

static bool open_field(struct field *field, int size, ro_context *context)
{
    uint32_t side = (uint32_t)size;
    *field = (struct field){0};
    for (int i = 0; i < 2; i++)
        if (ro_image_alloc(context, i ? RO_GREYF : RO_GREY8, side, side, 0, &field->in[i]) !=
                RO_OK ||
            ro_image_alloc(context, i ? RO_GREYF : RO_GREY8, side, side, 0, &field->out[i]) !=
                RO_OK)
            return false;
    if (ro_testcard(context, &field->in[0]) != RO_OK)
        return false;
    add_noise(&field->in[0], &field->in[1]);
    size_t bytes = (size_t)size * (size_t)size * 2; /* a pass of 16-bit numbers */
    field->copy = (struct copy){malloc(bytes), malloc(bytes), bytes};
    if (!field->copy.from || !field->copy.to)
        return false;
    memset(field->copy.from, 1, bytes);
    return true;
}

static void close_field(struct field *field)
{
    for (int i = 0; i < 2; i++) {
        ro_image_free(&field->in[i]);
        ro_image_free(&field->out[i]);
    }
    free(field->copy.from);
    free(field->copy.to);
}

/* ---- The table ------------------------------------------------------------------------------- */

struct table {
    bool json, first;
};

static void print_row(struct table *table, int size, const char *model, const char *number,
                      const char *schedule, const char *variant, int threads, uint32_t depth,
                      double speed)
{
    if (table->json) {
        printf("%s\n  {\"size\": %d, \"model\": \"%s\", \"number\": \"%s\", \"schedule\": \"%s\", "
               "\"variant\": \"%s\", \"threads\": %d, \"depth\": %u, "
               "\"mpixel_steps_per_s\": %.1f}",
               table->first ? "" : ",", size, model, number, schedule, variant, threads, depth,
               speed / 1e6);
        table->first = false;
        return;
    }
    printf("| %5d | %-12s | %-6s | %-9s | %-7s | %2d | %2u | %8.0f |\n", size, model, number,
           schedule, variant, threads, depth, speed / 1e6);
}

/* Speeds of interest for the lines below the table. */
struct marks {
    double s16, s9, passes, stream, opencv, itk;
};

static void raise_to(double *mark, double speed) { *mark = speed > *mark ? speed : *mark; }

static void mark(struct marks *marks, int size, int threads, const struct contender *c,
                 double speed)
{
    const ro_denoise_options *o = &((const struct entry *)c->data)->options;
    const bool s16 = strcmp(o->number, "s16") == 0, s9 = strcmp(o->number, "s9") == 0;
    if (size == 2048 && strcmp(o->model, "perona-malik") == 0 && c->threads == 1 && (s16 || s9))
        raise_to(s16 ? &marks->s16 : &marks->s9, speed);
    if (size == 8192 && strcmp(o->model, "linear") == 0 && s16 && c->threads == threads)
        raise_to(o->steps_at_once > 1 ? &marks->stream : &marks->passes, speed);
}

static void enter_all(struct field *field, ro_context *one, ro_context *all, int threads,
                      uint32_t steps)
{
    static const char *const models[] = {"linear", "perona-malik", "edge-enhancing", "anisotropic"};
    static const char *const numbers[] = {"u8", "s9", "s16", "s23e8"};
    for (int m = 0; m < 4; m++)
        for (int n = 0; n < 4; n++) {
            enter(field, one, 1, models[m], numbers[n], 8, steps);
            if (threads > 1)
                enter(field, all, threads, models[m], numbers[n], 8, steps);
        }
    enter(field, one, 1, "perona-malik", "s9", 1, steps);
    enter(field, one, 1, "perona-malik", "s9", 16, steps);
    for (uint32_t depth = 1; depth <= 16; depth *= 2)
        for (int m = 0; m < 2; m++) {
            enter(field, one, 1, models[m], "s16", depth, steps);
            if (threads > 1)
                enter(field, all, threads, models[m], "s16", depth, steps);
        }
    field->list[field->count++] = (struct contender){.run = run_copy, .data = &field->copy};
}

/* Another program, on one thread and on all. */
static void time_peer(const char *name, const char *number, double (*run)(int, int, int), int size,
                      int steps, double pixels, int threads, struct table *table, double *marked)
{
    for (int t = 1; t <= threads && size <= 2048; t += threads > 1 ? threads - 1 : 1) {
        const double seconds = run(size, steps, t);
        if (seconds <= 0)
            continue;
        print_row(table, size, name, number, "", "", t, 1, pixels * steps / seconds);
        if (size == 2048 && t == 1)
            *marked = pixels * steps / seconds;
    }
}

static void time_size(int size, ro_context *one, ro_context *all, int threads, struct table *table,
                      struct marks *marks)
{
    enum { ITK_STEPS = 4 }; /* it takes its time */
    struct field field;
    const uint32_t steps = size >= 4096 ? 16 : 48;
    const double pixels = (double)size * size;
    if (!open_field(&field, size, one)) {
        fprintf(stderr, "roundoff: no memory to measure %d x %d\n", size, size);
        close_field(&field);
        return;
    }
    enter_all(&field, one, all, threads, steps);
    time_in_turns(field.list, field.count, ROUNDS, BUDGET);
    for (int i = 0; i < field.count; i++) {
        const struct contender *c = &field.list[i];
        const struct entry *entry = c->data;
        if (c->failed)
            continue;
        if (c->run == run_copy) {
            print_row(table, size, "memcpy", "16 bit", "", "", 1, 1, pixels / c->best);
            continue;
        }
        const double speed = pixels * steps / c->best;
        const ro_denoise_options *o = &entry->options;
        print_row(table, size, o->model, o->number, o->schedule,
                  ro_cpu_name(ro_context_report(entry->context)->cpu), c->threads,
                  o->steps_at_once ? o->steps_at_once : 1, speed);
        mark(marks, size, threads, c, speed);
    }
    close_field(&field);
    /* OpenCV's has three channels. */
    time_peer("OpenCV", "8 bit", peer_opencv_diffusion, size, (int)steps, 3 * pixels, threads,
              table, &marks->opencv);
    time_peer("ITK", "float", peer_itk_diffusion, size, ITK_STEPS, pixels, threads, table,
              &marks->itk);
    fflush(stdout);
}

static int run(const struct bench_options *options)
{
    static const int sizes[] = {512, 2048, 8192};
    ro_context_options with = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .threads = 1};
    ro_context *one = NULL, *all = NULL;
    struct table table = {.json = options->json, .first = true};
    struct marks marks = {0};
    if (options->cuda)
        return bench_denoise_cuda(options);
    if (ro_context_open(&with, &one) != RO_OK)
        return 1;
    ro_device_info info = {.size = sizeof info};
    int threads = 1;
    if (ro_device_at(0, &info) == RO_OK && strrchr(info.detail, ','))
        sscanf(strrchr(info.detail, ',') + 1, "%d", &threads);
    with.threads = threads;
    if (ro_context_open(&with, &all) != RO_OK) {
        ro_context_close(one);
        return 1;
    }
    if (options->json) {
        printf("[");
    } else {
        printf("Diffusion filters, noisy test card, 48 steps (16 from 4096 on). ");
        print_machine();
        printf("Best of %d, in turns. OpenCV: anisotropicDiffusion, three channels. ITK: "
               "GradientAnisotropicDiffusion, grey.\n\n",
               ROUNDS);
        printf("|  size | model        | number | schedule  | variant | threads | depth | "
               "Mpixel-steps/s |\n"
               "| ----: | ------------ | ------ | --------- | ------- | -: | -: | -------: |\n");
    }
    for (int i = 0; i < (options->size ? 1 : 3); i++)
        time_size(options->size ? options->size : sizes[i], one, all, threads, &table, &marks);
    if (options->json) {
        printf("\n]\n");
    } else {
        printf("\n");
        if (marks.opencv > 0)
            printf("ratio s16/OpenCV, 2048, one thread %.2f\nratio s9/OpenCV %.2f\n",
                   marks.s16 / marks.opencv, marks.s9 / marks.opencv);
        else
            printf("no OpenCV here: no ratios to it\n");
        if (marks.itk > 0)
            printf("ratio s16/ITK, 2048, one thread %.0f\n", marks.s16 / marks.itk);
        if (marks.passes > 0)
            printf("ratio stream/passes, 8192, linear, %d threads %.2f\n", threads,
                   marks.stream / marks.passes);
        bench_denoise_trained(one, all, threads, options->size ? options->size : 2048);
    }
    ro_context_close(one);
    ro_context_close(all);
    return 0;
}

const struct bench bench_denoise = {
    .name = "denoise",
    .summary = "diffusion by model, number system, threads and depth, trained filters, beside "
               "other programs",
    .run = run,
    .cuda = true,
};
