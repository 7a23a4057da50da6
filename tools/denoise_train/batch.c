/* SPDX-License-Identifier: MIT */
#include "batch.h"
#include "random.h"
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

double clipped_mean(double level, double noise)
{
    double low = -level / noise, high = (255 - level) / noise;
    double below_low = 0.5 * erfc(-low * M_SQRT1_2), below_high = 0.5 * erfc(-high * M_SQRT1_2);
    return level * (below_high - below_low) +
           noise * (exp(-low * low / 2) - exp(-high * high / 2)) / sqrt(2 * M_PI) +
           255 * (1 - below_high);
}

bool patches_read(struct patches *p, const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t size = 0;
    p->pixels = NULL;
    bool good = file && fread(&p->count, 4, 1, file) == 1 && fread(&p->side, 4, 1, file) == 1 &&
                p->count > 0 && p->side > 0 && p->side < 4096;
    if (good) {
        size = (size_t)p->count * p->side * p->side;
        p->pixels = malloc(size);
        good = p->pixels && fread(p->pixels, 1, size, file) == size;
    }
    if (file)
        fclose(file);
    if (!good)
        fprintf(stderr, "%s: no patches\n", path);
    return good;
}

void run_threads(void *(*work)(void *), void *argument, int threads)
{
    pthread_t id[threads];
    int started = 1;
    while (started < threads && !pthread_create(&id[started], NULL, work, argument))
        started++;
    work(argument);
    for (int i = 1; i < started; i++)
        pthread_join(id[i], NULL);
}

bool batch_open(struct batch *b, const struct weights *w, const struct patches *patches,
                const struct drawing *drawing, int threads, bool gradient)
{
    size_t count = drawing->patches, taps = (size_t)w->steps * w->filters * TAPS;
    *b = (struct batch){.weights = w,
                        .patches = patches,
                        .drawing = *drawing,
                        .threads = threads,
                        .gradient = gradient};
    b->passes = calloc(threads, sizeof *b->passes);
    b->error = malloc(count * sizeof *b->error);
    b->of_taps = gradient ? malloc(count * taps * sizeof *b->of_taps) : NULL;
    b->of_values = gradient ? malloc(count * w->count * sizeof *b->of_values) : NULL;
    bool good = b->passes && b->error && (!gradient || (b->of_taps && b->of_values));
    for (int i = 0; good && i < threads; i++)
        good = (b->passes[i] = passes_open(drawing->crop, drawing->crop, w, gradient));
    return good;
}

void batch_close(struct batch *b)
{
    for (int i = 0; b->passes && i < b->threads; i++)
        passes_close(b->passes[i]);
    free(b->passes);
    free(b->error);
    free(b->of_taps);
    free(b->of_values);
}

/* Draws a crop, one of its eight symmetric forms, and noise. */
static void draw(struct passes *p, const struct batch *b, int number)
{
    const struct drawing *d = &b->drawing;
    random_state random = random_for(d->seed, b->number, number);
    int side = b->patches->side, room = side - d->crop + 1;
    size_t any = random_bits(&random) % b->patches->count;
    size_t patch = b->in_order ? (size_t)number % b->patches->count : any;
    const uint8_t *pixels = b->patches->pixels + patch * side * side;
    int top = random_bits(&random) % room, left = random_bits(&random) % room;
    int symmetry = random_bits(&random) & 7;
    double low = log(d->least_noise), high = log(d->most_noise);
    double noise = exp(low + random_uniform(&random) * (high - low));
    bool clipped = random_uniform(&random) < d->clipped;
    double aim[256];
    for (int v = 0; v < 256; v++)
        aim[v] = (clipped ? clipped_mean(v, noise) : v) / noise;
    p->levels = clipped ? noise : 0;
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x += 2) {
            float pair[2];
            random_normal(&random, pair);
            for (int i = 0; i < 2 && x + i < p->width; i++) {
                int row = symmetry & 1 ? p->height - 1 - y : y;
                int column = symmetry & 2 ? p->width - 1 - x - i : x + i;
                int level = symmetry & 4 ? pixels[(column + top) * side + row + left]
                                         : pixels[(row + top) * side + column + left];
                double noisy = level + noise * pair[i];
                if (clipped)
                    noisy = rint(fmin(fmax(noisy, 0), 255));
                p->truth[pixel_at(p, y, x + i)] = aim[level];
                p->input[pixel_at(p, y, x + i)] = noisy / noise;
            }
        }
}

static void *work_on_patches(void *argument)
{
    struct batch *b = argument;
    const struct weights *w = b->weights;
    struct passes *p = b->passes[atomic_fetch_add(&b->next_thread, 1)];
    size_t taps = (size_t)w->steps * w->filters * TAPS;
    for (int i; (i = atomic_fetch_add(&b->next_patch, 1)) < b->drawing.patches;) {
        draw(p, b, i);
        passes_forward(p, w);
        b->error[i] = passes_error(p);
        if (b->gradient)
            passes_backward(p, w, b->of_taps + i * taps, b->of_values + (size_t)i * w->count);
    }
    return NULL;
}

double batch_run(struct batch *b, uint64_t number, double *gradient)
{
    const struct weights *w = b->weights;
    int patches = b->drawing.patches, taps = w->steps * w->filters * TAPS;
    double loss = 0;
    b->number = number;
    atomic_store(&b->next_patch, 0);
    atomic_store(&b->next_thread, 0);
    run_threads(work_on_patches, b, b->threads);
    for (int i = 0; i < patches; i++)
        loss += log(b->error[i]) / patches;
    if (!b->gradient)
        return loss;
    for (int i = 1; i < patches; i++) {
        for (int j = 0; j < taps; j++)
            b->of_taps[j] += b->of_taps[(size_t)i * taps + j];
        for (int j = amplitude_at(w, 0, 0); j < w->count; j++)
            b->of_values[j] += b->of_values[(size_t)i * w->count + j];
    }
    weights_chain(w, b->of_taps, b->of_values);
    if (w->tied)
        weights_tie(w, b->of_values, true);
    for (int j = 0; j < w->count; j++)
        gradient[j] = b->of_values[j] / patches;
    return loss;
}
