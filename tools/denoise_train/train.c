/* SPDX-License-Identifier: MIT */
/*
 * Trains the denoiser u <- u - sum of K' phi(K u) - pull (u - input): filters K and fluxes phi of
 * every step. README.md has the recipe of the weights that are committed.
 *
 *     gcc -std=gnu11 -O3 -march=native -o train train.c batch.c passes.c weights.c -lm -pthread
 *     ./train --patches train.bin --validation valid.bin --start best.txt --batches 10000 best2.txt
 *
 * Weights are written to the file named last, and beside it to FILE.state all that the next batch
 * depends on. If FILE.state is there, training goes on from it and ends with the same bytes as
 * without the interruption. Results don't depend on --threads.
 *
 * Options:
 *   --patches FILE       patches to train with, as patches.py writes them
 *   --validation FILE    patches of other photographs
 *   --start FILE         weights to start from; otherwise --steps and --filters
 *   --steps N --filters N
 *   --distances "1 2"    from tap to tap, for each step
 *   --batches N          after which training is complete
 *   --seconds S          instead of --batches: as many as fit in this time, measured first
 *   --stop S             stop after so many seconds; FILE.state goes on from there
 *   --until N            stop after so many batches of --batches, likewise
 *   --batch N --crop N   patches in a batch (32), pixels of their sides (96)
 *   --rate R             learning rate (0.001), which falls to a hundredth along a cosine
 *   --noise LOW:HIGH     standard deviations in grey levels (3:60)
 *   --clipped S          share of patches in bytes, clipped at 0 and 255 (0.5)
 *   --whole none|words|bytes   round filters, fluxes and for "bytes" states as the tables do
 *   --tied 1             filters are the eight symmetric forms of every eighth one
 *   --seed N --threads N --report N
 */
#include "batch.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct settings {
    struct drawing drawing;
    int64_t batches;
    double rate;
    int32_t whole, bytes, tied, steps, filters, distance[MOST_STEPS];
};

/* What the next batch depends on. */
struct state {
    struct settings settings;
    int64_t done;
    double first_power, second_power; /* of Adam's decays */
    struct weights weights;
    double *first, *second; /* Adam's means of the gradient and its square */
};

struct options {
    const char *patches, *validation, *start, *out, *distances;
    struct settings settings;
    double seconds, stop;
    int64_t until;
    int threads, report;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

static void fail(const char *what)
{
    fprintf(stderr, "train: %s\n", what);
    exit(1);
}

static bool save_state(const struct state *s, const char *path)
{
    char draft[4096];
    if (snprintf(draft, sizeof draft, "%s.part", path) >= (int)sizeof draft)
        return false;
    FILE *file = fopen(draft, "wb");
    size_t count = s->weights.count;
    bool good = file && fwrite(&s->settings, sizeof s->settings, 1, file) == 1 &&
                fwrite(&s->done, sizeof s->done, 1, file) == 1 &&
                fwrite(&s->first_power, sizeof s->first_power, 1, file) == 1 &&
                fwrite(&s->second_power, sizeof s->second_power, 1, file) == 1 &&
                fwrite(s->weights.value, sizeof(double), count, file) == count &&
                fwrite(s->first, sizeof(double), count, file) == count &&
                fwrite(s->second, sizeof(double), count, file) == count;
    if (file && fclose(file))
        good = false;
    return good && !rename(draft, path);
}

/* Returns false if there is no state. Fails if it is that of other settings. */
static bool load_state(struct state *s, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file && errno == ENOENT)
        return false;
    struct settings saved;
    size_t count = s->weights.count;
    bool good = file && fread(&saved, sizeof saved, 1, file) == 1;
    if (good && !s->settings.batches)
        s->settings.batches = saved.batches;
    if (good && memcmp(&saved, &s->settings, sizeof saved))
        fail("the state beside the weights belongs to other settings");
    good = good && fread(&s->done, sizeof s->done, 1, file) == 1 &&
           fread(&s->first_power, sizeof s->first_power, 1, file) == 1 &&
           fread(&s->second_power, sizeof s->second_power, 1, file) == 1 &&
           fread(s->weights.value, sizeof(double), count, file) == count &&
           fread(s->first, sizeof(double), count, file) == count &&
           fread(s->second, sizeof(double), count, file) == count && fgetc(file) == EOF;
    if (!good)
        fail("the state beside the weights is damaged");
    fclose(file);
    return true;
}

/* One step of Adam. The gradient's norm is at most 1. */
static void descend(struct state *s, const double *gradient)
{
    const struct settings *set = &s->settings;
    double along = (double)s->done / set->batches, norm = 0;
    double rate = set->rate * (0.5 * (1 + cos(M_PI * along)) * 0.99 + 0.01);
    for (int i = 0; i < s->weights.count; i++)
        norm += gradient[i] * gradient[i];
    double shrink = norm > 1 ? 1 / sqrt(norm) : 1;
    s->first_power *= 0.9;
    s->second_power *= 0.999;
    for (int i = 0; i < s->weights.count; i++) {
        double g = gradient[i] * shrink;
        s->first[i] = 0.9 * s->first[i] + 0.1 * g;
        s->second[i] = 0.999 * s->second[i] + 0.001 * g * g;
        s->weights.value[i] -= rate * (s->first[i] / (1 - s->first_power)) /
                               (sqrt(s->second[i] / (1 - s->second_power)) + 1e-8);
    }
    weights_expand(&s->weights);
    s->done++;
}

static void number_option(const char *text, double least, double most, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end || !(*value >= least && *value <= most))
        fail("a number is not one or out of range");
}

static void count_option(const char *text, int *value)
{
    double number;
    number_option(text, 0, 1e9, &number);
    *value = number;
}

static void read_options(struct options *o, int argc, char **argv)
{
    memset(o, 0, sizeof *o); /* padding too: settings are compared and saved as bytes */
    struct settings *set = &o->settings;
    set->drawing.patches = 32, set->drawing.crop = 96, set->drawing.seed = 1;
    set->drawing.least_noise = 3, set->drawing.most_noise = 60, set->drawing.clipped = 0.5;
    set->rate = 1e-3, set->steps = 5, set->filters = 24;
    o->until = INT64_MAX, o->threads = 1, o->report = 250;
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i];
        if (strncmp(name, "--", 2)) {
            if (o->out)
                fail("one file of weights is written");
            o->out = name;
            continue;
        }
        if (++i == argc)
            fail("the last option has no value");
        const char *value = argv[i];
        double number;
        if (!strcmp(name, "--patches"))
            o->patches = value;
        else if (!strcmp(name, "--validation"))
            o->validation = value;
        else if (!strcmp(name, "--start"))
            o->start = value;
        else if (!strcmp(name, "--distances"))
            o->distances = value;
        else if (!strcmp(name, "--steps"))
            count_option(value, &set->steps);
        else if (!strcmp(name, "--filters"))
            count_option(value, &set->filters);
        else if (!strcmp(name, "--batches"))
            number_option(value, 1, 1e9, &number), set->batches = number;
        else if (!strcmp(name, "--seconds"))
            number_option(value, 1, 1e6, &o->seconds);
        else if (!strcmp(name, "--stop"))
            number_option(value, 0, 1e6, &o->stop);
        else if (!strcmp(name, "--until"))
            number_option(value, 0, 1e9, &number), o->until = number;
        else if (!strcmp(name, "--batch"))
            count_option(value, &set->drawing.patches);
        else if (!strcmp(name, "--crop"))
            count_option(value, &set->drawing.crop);
        else if (!strcmp(name, "--rate"))
            number_option(value, 0, 1, &set->rate);
        else if (!strcmp(name, "--noise")) {
            if (sscanf(value, "%lf:%lf", &set->drawing.least_noise, &set->drawing.most_noise) != 2)
                fail("--noise is LOW:HIGH");
        } else if (!strcmp(name, "--clipped"))
            number_option(value, 0, 1, &set->drawing.clipped);
        else if (!strcmp(name, "--whole")) {
            set->bytes = !strcmp(value, "bytes");
            set->whole = set->bytes || !strcmp(value, "words");
            if (!set->whole && strcmp(value, "none"))
                fail("--whole is none, words or bytes");
        } else if (!strcmp(name, "--tied"))
            count_option(value, &set->tied);
        else if (!strcmp(name, "--seed"))
            number_option(value, 0, 1e9, &number), set->drawing.seed = number;
        else if (!strcmp(name, "--threads"))
            count_option(value, &o->threads);
        else if (!strcmp(name, "--report"))
            count_option(value, &o->report);
        else
            fail("there is no such option");
    }
    if (!o->patches || !o->validation || !o->out)
        fail("usage: train --patches FILE --validation FILE --batches N WEIGHTS");
    if (o->threads < 1 || o->threads > 1024 || o->report < 1 || set->drawing.patches < 1 ||
        !(set->drawing.least_noise > 0 && set->drawing.least_noise <= set->drawing.most_noise))
        fail("threads, reports, patches and noise are 1 or more");
}

static void open_weights(struct state *s, const struct options *o)
{
    struct weights *w = &s->weights;
    if (o->start ? !weights_read(w, o->start)
                 : !weights_open(w, s->settings.steps, s->settings.filters))
        fail("no such weights");
    const char *at = o->distances;
    for (int t = 0; at && t < w->steps; t++) {
        char *end;
        w->distance[t] = strtol(at, &end, 10);
        if (end == at || w->distance[t] < 1 || w->distance[t] > MOST_DISTANCE)
            fail("each step has a distance from 1 to 4");
        at = end;
    }
    w->whole = s->settings.whole, w->bytes = s->settings.bytes, w->tied = s->settings.tied;
    if (w->tied && w->filters % 8)
        fail("tied filters are a multiple of 8");
    if (!o->start)
        weights_start(w, s->settings.drawing.seed);
    if (w->tied)
        weights_tie(w, w->value, false);
    s->settings.steps = w->steps, s->settings.filters = w->filters;
    memcpy(s->settings.distance, w->distance, sizeof s->settings.distance);
    s->first = calloc(w->count, sizeof *s->first);
    s->second = calloc(w->count, sizeof *s->second);
    s->first_power = s->second_power = 1;
    if (!s->first || !s->second)
        fail("no memory");
}

/* Returns how many batches fit in so many seconds. */
static int64_t batches_in(double seconds, struct batch *train, struct batch *validation,
                          double *gradient, int report)
{
    double start = now();
    batch_run(validation, 0, NULL);
    double checked = now() - start;
    int tried = 0;
    batch_run(train, 0, gradient);
    start = now();
    while (now() - start < fmin(10, seconds / 10))
        batch_run(train, tried++, gradient);
    return 1 + 0.98 * seconds / ((now() - start) / tried + checked / report);
}

static void save(const struct state *s, const struct options *o)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.state", o->out);
    if (!weights_write(&s->weights, o->out) || !save_state(s, path))
        fail("weights cannot be written");
}

int main(int argc, char **argv)
{
    struct options o;
    read_options(&o, argc, argv);
    double start = now();
    struct patches patches, held;
    if (!patches_read(&patches, o.patches) || !patches_read(&held, o.validation))
        return 1;
    struct state s = {.settings = o.settings};
    memcpy(&s.settings, &o.settings, sizeof s.settings);
    if (s.settings.drawing.crop < 16 || s.settings.drawing.crop > patches.side ||
        s.settings.drawing.crop > held.side)
        fail("a crop is 16 pixels or more and within a patch");
    open_weights(&s, &o);
    weights_expand(&s.weights);

    struct batch train, validation;
    struct drawing held_drawing = s.settings.drawing;
    held_drawing.patches = held.count, held_drawing.seed = 999;
    double *gradient = malloc(s.weights.count * sizeof *gradient);
    if (!gradient ||
        !batch_open(&train, &s.weights, &patches, &s.settings.drawing, o.threads, true) ||
        !batch_open(&validation, &s.weights, &held, &held_drawing, o.threads, false))
        fail("no memory");
    validation.in_order = true;

    char path[4096];
    snprintf(path, sizeof path, "%s.state", o.out);
    bool resumed = load_state(&s, path);
    weights_expand(&s.weights);
    if (!resumed && !s.settings.batches && o.seconds > 0)
        s.settings.batches = batches_in(o.seconds, &train, &validation, gradient, o.report);
    if (!s.settings.batches)
        fail("--batches or --seconds is missing");
    printf("%lld of %lld batches, validation %.5f\n", (long long)s.done,
           (long long)s.settings.batches, batch_run(&validation, 0, NULL));
    double loss = 0;
    int losses = 0;
    while (s.done < s.settings.batches && s.done < o.until &&
           !(o.stop > 0 && now() - start > o.stop)) {
        loss += batch_run(&train, s.done, gradient);
        losses++;
        descend(&s, gradient);
        if (s.done % o.report == 0 || s.done == s.settings.batches) {
            printf("%lld  %.0f s  training %.5f  validation %.5f\n", (long long)s.done,
                   now() - start, loss / losses, batch_run(&validation, 0, NULL));
            fflush(stdout);
            loss = losses = 0;
            save(&s, &o);
        }
    }
    save(&s, &o);
    batch_close(&train);
    batch_close(&validation);
    return 0;
}
