/* SPDX-License-Identifier: MIT */
/*
 * Registration: the sizes of Strzodka's thesis with its times beside, and a larger one; then pairs
 * of other motions and tones, with the peers on each. Those of the first table are drawn blobs and
 * edges, displaced smoothly by up to 8 pixels, with noise of one grey level. The error is the mean
 * distance to the true displacement, a sixteenth of the side away from the border. Times are those
 * of whole calls.
 */
#include "bench/bench.h"
#include "bench/peers/peer_flow.h"
#include "bench/timing.h"
#include "roundoff.h"
#include "tests/phantoms/moved_pair.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 7, PEER_SIDE = 513 };
static const double BUDGET = 6; /* seconds for one contender */

struct field {
    struct moved_pair pair;
    ro_image fixed, moving, found;
};

static bool open_field(struct field *field, ro_context *context, const struct moved_pair *pair)
{
    const uint32_t width = pair->width, height = pair->height;
    *field = (struct field){.pair = *pair};
    if (ro_image_alloc(context, RO_GREY8, width, height, 255, &field->fixed) != RO_OK ||
        ro_image_alloc(context, RO_GREY8, width, height, 255, &field->moving) != RO_OK ||
        ro_image_alloc(context, RO_GREYF, 2 * width, height, 0, &field->found) != RO_OK)
        return false;
    draw_pair(&field->pair, &field->fixed, &field->moving);
    return true;
}

static void close_field(struct field *field)
{
    ro_image_free(&field->fixed);
    ro_image_free(&field->moving);
    ro_image_free(&field->found);
}

static double error_of(const struct field *field)
{
    const uint32_t width = field->pair.width, height = field->pair.height;
    double sum = 0, count = 0;
    for (uint32_t y = height / 16; y < height - height / 16; y++) {
        const char *line = (const char *)field->found.data + (ptrdiff_t)y * field->found.stride;
        const float *row = (const float *)(const void *)line;
        for (uint32_t x = width / 16; x < width - width / 16; x++) {
            double u[2];
            pair_field(&field->pair, x, y, u);
            if (x + u[0] < 0 || y + u[1] < 0 || x + u[0] > width - 1 || y + u[1] > height - 1)
                continue;
            count++;
            sum += hypot((double)row[2 * x] - u[0], (double)row[2 * x + 1] - u[1]);
        }
    }
    return count > 0 ? sum / count : 0;
}

struct entry {
    ro_context *context;
    struct field *field;
    ro_register_options options;
};

static bool run_entry(void *data)
{
    struct entry *entry = data;
    return ro_register(entry->context, &entry->field->fixed, &entry->field->moving,
                       &entry->field->found, &entry->options, NULL) == RO_OK;
}

/* ---- The table ------------------------------------------------------------------------------- */

enum { MOST_PEERS = 16 };

struct table {
    bool json, first;
    const char *missing[MOST_PEERS];
    int missing_count;
};

static void print_row(struct table *table, const struct field *field, const char *name,
                      const char *variant, int threads, double seconds, double error, double thesis)
{
    if (table->json) {
        printf("%s\n  {\"width\": %u, \"height\": %u, \"name\": \"%s\", \"variant\": \"%s\", "
               "\"threads\": %d, \"seconds\": %.6f, \"error\": %.4f}",
               table->first ? "" : ",", field->pair.width, field->pair.height, name, variant,
               threads, seconds, error);
        table->first = false;
        return;
    }
    char times[16] = "";
    if (thesis > 0)
        snprintf(times, sizeof times, "%.1f", thesis);
    printf("| %4u x %4u | %-17s | %-7s | %2d | %8.4f | %6.3f | %6s |\n", field->pair.width,
           field->pair.height, name, variant, threads, seconds, error, times);
    fflush(stdout);
}

static const struct size {
    uint32_t width, height;
    double thesis; /* seconds on a GeForceFX 5800 */
} sizes[] = {{257, 257, 3}, {513, 513, 9.8}, {513, 769, 8.5}, {2049, 2049, 0}};

static bool time_size(const struct size *size, ro_context *const contexts[2], const int threads[2],
                      struct table *table)
{
    static const char *const numbers[] = {"s23e8", "s10e5"};
    struct field field;
    const struct moved_pair pair = {size->width, size->height, RO_MOTION_SMOOTH, 8, 1, 0, 100};
    bool good = open_field(&field, contexts[0], &pair);
    struct contender list[4] = {{0}};
    struct entry entries[4];
    int count = 0;
    for (int c = 0; good && c < 2; c++)
        for (int n = 0; n < 2; n++) {
            if (c == 1 && contexts[1] == contexts[0])
                continue;
            entries[count] =
                (struct entry){contexts[c], &field, {RO_REGISTER_DEFAULTS, .number = numbers[n]}};
            list[count] = (struct contender){.name = numbers[n],
                                             .threads = threads[c],
                                             .run = run_entry,
                                             .data = &entries[count]};
            count++;
        }
    if (good)
        time_in_turns(list, count, ROUNDS, BUDGET);
    for (int i = 0; good && i < count; i++) {
        if (list[i].failed) {
            fprintf(stderr, "roundoff: %s\n", ro_context_message(entries[i].context));
            good = false;
            break;
        }
        run_entry(&entries[i]); /* for its field */
        const ro_report *ran = ro_context_report(entries[i].context);
        print_row(table, &field, list[i].name,
                  ran->device == RO_DEVICE_CUDA ? "cuda" : ro_cpu_name(ran->cpu), list[i].threads,
                  list[i].best, error_of(&field), i == 0 ? size->thesis : 0);
    }
    close_field(&field);
    return good;
}

/* ---- Other motions and tones ---------------------------------------------------------------- */

static const struct kind {
    const char *name;
    enum motion motion;
    double size, noise, cell;
    double gain, add, gamma; /* of the fixed image's tones, white being 255 */
} kinds[] = {
    {"smooth, 8 px", RO_MOTION_SMOOTH, 8, 1, 0, 1, 0, 1},
    {"shift, 14 px", RO_MOTION_SHIFT, 14.46, 1, 16, 1, 0, 1},
    {"rotation, 8", RO_MOTION_ROTATION, 8, 1, 16, 1, 0, 1},
    {"rotation, 35", RO_MOTION_ROTATION, 35, 1, 16, 1, 0, 1},
    {"elastic, 10 px", RO_MOTION_ELASTIC, 10, 1, 16, 1, 0, 1},
    {"with noise 12", RO_MOTION_ELASTIC, 10, 12, 16, 1, 0, 1},
    {"0.6x + 60", RO_MOTION_ELASTIC, 10, 1, 16, 0.6, 60, 1},
    {"inverted, ^0.7", RO_MOTION_ELASTIC, 10, 1, 16, -1, 255, 0.7},
    {"fine, 3 px", RO_MOTION_FINE, 3, 1, 16, 1, 0, 1},
};

static void change_tones(const struct kind *kind, const ro_image *image)
{
    for (uint32_t y = 0; y < image->height; y++) {
        uint8_t *row = (uint8_t *)image->data + (ptrdiff_t)y * image->stride;
        for (uint32_t x = 0; x < image->width; x++) {
            const double tone = fmin(fmax(kind->gain * row[x] + kind->add, 0), 255);
            row[x] = (uint8_t)rint(255 * pow(tone / 255, kind->gamma));
        }
    }
}

/* Seconds 0: it failed. */
static void print_kind(struct table *table, const char *pair, const char *name, double seconds,
                       double error)
{
    if (seconds <= 0 && table->json)
        printf("%s\n  {\"pair\": \"%s\", \"name\": \"%s\", \"failed\": true}",
               table->first ? "" : ",", pair, name);
    else if (seconds <= 0)
        printf("| %-16s | %-17s |   failed |          |\n", pair, name);
    else if (table->json)
        printf("%s\n  {\"pair\": \"%s\", \"name\": \"%s\", \"seconds\": %.6f, \"error\": %.4f}",
               table->first ? "" : ",", pair, name, seconds, error);
    else
        printf("| %-16s | %-17s | %8.4f | %8.3f |\n", pair, name, seconds, error);
    table->first = false;
    fflush(stdout);
}

static void note_missing(struct table *table, const char *name)
{
    for (int i = 0; i < table->missing_count; i++)
        if (table->missing[i] == name)
            return;
    if (table->missing_count < MOST_PEERS)
        table->missing[table->missing_count++] = name;
}

static void say_missing(const struct table *table)
{
    FILE *file = table->json ? stderr : stdout;
    if (table->missing_count == 0)
        return;
    fputs(table->json ? "roundoff: not installed" : "\nNot installed", file);
    for (int i = 0; i < table->missing_count; i++)
        fprintf(file, "%s %s", i ? "," : ":", table->missing[i]);
    fputs("; `./run bench` installs what it can.\n", file);
}

static bool time_kind(const struct kind *kind, ro_context *context, int threads,
                      struct table *table)
{
    enum { TIMES = 3 };
    static const char *const schemes[] = {"auto", "annealed"};
    const struct moved_pair pair = {PEER_SIDE,   PEER_SIDE,  kind->motion, kind->size,
                                    kind->noise, kind->cell, 100};
    struct field field;
    bool good = open_field(&field, context, &pair);
    if (good)
        change_tones(kind, &field.fixed);
    for (int i = 0; i < 2 && good; i++) {
        struct entry entry = {context, &field, {RO_REGISTER_DEFAULTS, .scheme = schemes[i]}};
        struct contender one = {
            .name = schemes[i], .threads = threads, .run = run_entry, .data = &entry};
        time_in_turns(&one, 1, TIMES, BUDGET);
        good = !one.failed;
        if (good)
            print_kind(table, kind->name, schemes[i], one.best, error_of(&field));
        else
            fprintf(stderr, "roundoff: %s\n", ro_context_message(context));
    }
    struct peer_flow peer;
    for (int i = 0;
         good && peer_flow_run(i, &field.fixed, &field.moving, threads, &field.found, &peer); i++)
        if (peer.seconds == PEER_FLOW_MISSING)
            note_missing(table, peer.name);
        else
            print_kind(table, kind->name, peer.name, peer.seconds, error_of(&field));
    close_field(&field);
    return good;
}

static bool time_kinds(ro_context *context, int threads, struct table *table)
{
    bool good = true;
    if (!table->json)
        printf("\nPairs of %d x %d, %d threads; fixed images in other tones where it is said. "
               "elastix: an\naffine map, then B-splines 16 px apart, by correlation (NCC) or "
               "mutual information (MI).\nITK: diffeomorphic demons, 60 iterations on each of four "
               "resolutions; +match: after the\nhistograms were matched.\n\n"
               "| pair             | scheme or peer    | seconds  | error, px |\n"
               "| ---------------- | ----------------- | -------: | -------: |\n",
               PEER_SIDE, PEER_SIDE, threads);
    for (size_t i = 0; good && i < sizeof kinds / sizeof *kinds; i++)
        good = time_kind(&kinds[i], context, threads, table);
    say_missing(table);
    return good;
}

static int run(const struct bench_options *options)
{
    ro_context_options with = {RO_CONTEXT_DEFAULTS,
                               .device = options->cuda ? RO_DEVICE_CUDA : RO_DEVICE_CPU,
                               .threads = 1};
    ro_context *contexts[2] = {NULL, NULL};
    int threads[2] = {1, 1};
    struct table table = {.json = options->json, .first = true};
    ro_device_info info = {.size = sizeof info};
    if (ro_device_at(0, &info) == RO_OK && strrchr(info.detail, ','))
        sscanf(strrchr(info.detail, ',') + 1, "%d", &threads[1]);
    if (options->cuda) /* images are loaded, and the start is found, by all threads */
        with.threads = threads[0] = threads[1];
    if (ro_context_open(&with, &contexts[0]) != RO_OK) {
        fprintf(stderr, "roundoff: no %s device was found\n", options->cuda ? "CUDA" : "usable");
        return 1;
    }
    contexts[1] = contexts[0];
    with.threads = threads[1];
    if (!options->cuda && threads[1] > 1 && ro_context_open(&with, &contexts[1]) != RO_OK) {
        ro_context_close(contexts[0]);
        return 1;
    }
    if (options->json) {
        printf("[");
    } else {
        printf("Registration, drawn pairs displaced by up to 8 pixels. ");
        print_machine();
        printf("Best of %d, in turns. Error: mean distance to the true displacement, pixels.\n\n",
               ROUNDS);
        printf("|        size | number or peer    | variant | threads | seconds | error | thesis "
               "s |\n"
               "| ----------: | ----------------- | ------- | -: | -------: | -----: | -----: |\n");
    }
    const struct size own = {(uint32_t)options->size, (uint32_t)options->size, 0};
    bool good = true;
    for (size_t i = 0; good && i < (options->size ? 1 : sizeof sizes / sizeof *sizes); i++)
        good = time_size(options->size ? &own : &sizes[i], contexts, threads, &table);
    if (good && !options->size)
        good = time_kinds(contexts[1], threads[1], &table);
    printf(options->json ? "\n]\n" : "\n");
    if (contexts[1] != contexts[0])
        ro_context_close(contexts[1]);
    ro_context_close(contexts[0]);
    return good ? 0 : 1;
}

const struct bench bench_register = {
    .name = "register",
    .summary = "registration by size, beside the thesis and other programs",
    .run = run,
    .cuda = true,
};
