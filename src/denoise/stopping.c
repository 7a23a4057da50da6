/* SPDX-License-Identifier: MIT */
/*
 * When to stop: after the step whose result is nearest to the picture without its noise. What that
 * picture is nobody knows, but Stein's estimate tells the distance without it: for noise of
 * standard deviation s and a filter f,
 *
 *     |f(y) - y|^2 / N - s^2 + 2 s^2 div f(y) / N
 *
 * is as large as the mean squared error, on average. The divergence is had by running the filter on
 * the picture and on a copy with a little noise of our own, d: it is the sum of d (f(y + d) - f(y))
 * over that of d^2 (Ramani, Blu and Unser 2008). Both lie in one image, the copy below, and so one
 * run tells both. Of large pictures it sees blocks from all over them.
 */
#include "core/image.h"
#include "core/random.h"
#include "denoise/denoise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PROBE_PIXELS = 1 << 17, /* that are looked at, at most */
    BLOCK = 64,             /* the side of a block of a large picture */
    ACROSS = 8,             /* blocks side by side, at most */
    DISTURBANCE = 8,        /* d is the noise over this */
    PATIENCE = 3,           /* steps without a better one, and half as many as the best took */
};

/* Blocks of the picture beside each other: block (i, j) of the probe begins at pixel
 * floor(i (w - bw) / (nx - 1)), floor(j (h - bh) / (ny - 1)). */
struct mosaic {
    uint32_t bw, bh, nx, ny;
};

static struct mosaic mosaic_of(uint32_t width, uint32_t height)
{
    if ((uint64_t)width * height <= PROBE_PIXELS)
        return (struct mosaic){width, height, 1, 1};
    struct mosaic m = {width < BLOCK ? width : BLOCK, height < BLOCK ? height : BLOCK, 0, 0};
    m.nx = width / m.bw < ACROSS ? width / m.bw : ACROSS;
    const uint32_t room = PROBE_PIXELS / (m.nx * m.bw * m.bh);
    m.ny = height / m.bh < room ? height / m.bh : room;
    return m;
}

static uint32_t place(uint32_t i, uint32_t count, uint32_t length, uint32_t block)
{
    return count > 1 ? (uint32_t)((uint64_t)i * (length - block) / (count - 1)) : 0;
}

/* A sample moved by a step up or down, as a hash tells, but not out of the range; floats have one
 * where they become integers. */
static void disturb(const ro_image *image, bool floating, char *row, size_t i, uint32_t y,
                    double step)
{
    const bool up = pixel_hash(0, (uint32_t)i, y) & 1;
    const int bytes = ro_format_sample_bytes(image->format);
    const int64_t white = bytes == 4 ? 0 : ro_image_white(image);
    if (bytes == 4) {
        float *sample = (float *)(void *)row + i;
        *sample += (float)(up ? step : -step);
        if (!floating)
            *sample = *sample < 0 ? 0 : *sample > 1 ? 1 : *sample;
        return;
    }
    uint8_t *one = (uint8_t *)row + i;
    uint16_t *two = (uint16_t *)(void *)row + i;
    int64_t moved = (bytes == 1 ? *one : *two) + (int64_t)(up ? step : -step);
    moved = moved < 0 ? 0 : moved > white ? white : moved;
    if (bytes == 1)
        *one = (uint8_t)moved;
    else
        *two = (uint16_t)moved;
}

/* The blocks, and below them the same disturbed. */
static void fill(const ro_image *in, const struct mosaic *m, bool floating, double step,
                 ro_image *probe)
{
    const size_t pixel = ro_format_row_bytes(in->format, 1);
    const size_t samples = (ro_format_is_colour(in->format) ? 3u : 1u) * (size_t)probe->width;
    const uint32_t half = probe->height / 2;
    for (uint32_t y = 0; y < half; y++) {
        char *row = (char *)probe->data + (ptrdiff_t)y * probe->stride;
        char *below = row + (ptrdiff_t)half * probe->stride;
        const uint32_t from_y = place(y / m->bh, m->ny, in->height, m->bh) + y % m->bh;
        const char *from = (const char *)in->data + (ptrdiff_t)from_y * in->stride;
        for (uint32_t i = 0; i < m->nx; i++)
            memcpy(row + i * m->bw * pixel, from + place(i, m->nx, in->width, m->bw) * pixel,
                   m->bw * pixel);
        memcpy(below, row, probe->width * pixel);
        for (size_t i = 0; i < samples; i++)
            disturb(probe, floating, below, i, y, step);
    }
}

/* ---- Watching a run ------------------------------------------------------------------------- */

/* Rows come in the same order in every step; `first` keeps them as they were before the first. */
struct stop_watch {
    size_t samples, seen; /* of the upper half, and in this step of both */
    size_t row;           /* samples of a row, all of one channel */
    size_t rows;          /* of one channel, both halves */
    size_t channels;
    bool by_rows; /* the channels of a row come one after another; else planes do */
    bool floating;
    void *first;
    double noise; /* in numbers */
    double distance, response, disturbance;
    uint32_t best;
    double best_risk;
    bool over;
};

static double value(const struct stop_watch *w, const void *values, size_t i)
{
    return w->floating ? (double)((const float *)values)[i] : ((const int32_t *)values)[i];
}

/* Where in `first` the disturbed row of an undisturbed one lies, and whether this is one. */
static bool is_disturbed(const struct stop_watch *w, size_t row, size_t *other)
{
    const size_t y = w->by_rows ? row / w->channels : row % w->rows;
    const size_t gap = (w->by_rows ? w->channels : 1) * (w->rows / 2) * w->row;
    const bool disturbed = y >= w->rows / 2;
    *other = disturbed ? row * w->row - gap : row * w->row + gap;
    return disturbed;
}

void stop_see(struct stop_watch *w, uint32_t step, const void *values)
{
    size_t other;
    const size_t at = w->seen, row = at / w->row;
    const bool disturbed = is_disturbed(w, row, &other);
    w->seen += w->row;
    if (step == 0) {
        memcpy((char *)w->first + 4 * at, values, 4 * w->row);
        return;
    }
    double distance = 0, response = 0, disturbance = 0;
    for (size_t i = 0; i < w->row; i++) {
        const double here = value(w, w->first, at + i), there = value(w, w->first, other + i);
        const double now = value(w, values, i);
        if (disturbed) {
            const double d = here - there;
            response += d * now;
            disturbance += d * d;
        } else {
            const double d = there - here, moved = now - here;
            distance += moved * moved;
            response -= d * now;
        }
    }
    w->distance += distance;
    w->response += response;
    w->disturbance += disturbance;
}

/* All rows of a step were seen. */
void stop_weigh(struct stop_watch *w, uint32_t step)
{
    const double n = (double)w->samples;
    const double reacts = w->disturbance > 0 ? w->response / w->disturbance : 0;
    const double risk = w->distance / n + 2 * w->noise * w->noise * reacts;
    w->seen = 0;
    w->distance = w->response = w->disturbance = 0;
    if (step == 0)
        return;
    if (w->best == 0 || risk < w->best_risk) {
        w->best = step;
        w->best_risk = risk;
    }
    w->over = step >= w->best + PATIENCE + w->best / 2;
}

bool stop_is_over(const struct stop_watch *w) { return w && w->over; }

/* ---- The whole ------------------------------------------------------------------------------ */

static ro_status run_probe(const struct denoiser *work, const ro_image *probe,
                           struct stop_watch *watch)
{
    ro_denoise_options options = work->options;
    options.scheme = work->scheme->name;
    options.kappa = work->report.kappa;
    options.white = RO_WHITE_MAXVAL;
    options.schedule = "auto";
    options.steps_at_once = 0;
    options.stop = "usual";
    options.on_step = NULL;
    options.frame_every = 0;
    if (work->parameters.model == RO_MODEL_LINEAR)
        options.kappa = 0;
    struct denoiser inner;
    ro_status status = denoiser_remake(&inner, work->context, probe, probe, &options);
    inner.watch = watch;
    if (status == RO_OK && inner.scheme->run == denoise_explicit)
        status = explicit_open(&inner);
    if (status == RO_OK) {
        status = inner.scheme->run(&inner);
        if (status == RO_E_ARGUMENT)
            status = RO_OK; /* a sample that is not a number: the run itself says where it is */
    }
    denoiser_free(&inner);
    return status;
}

ro_status stop_choose(struct denoiser *work, uint32_t *steps)
{
    const struct mosaic m = mosaic_of(work->in.width, work->in.height);
    const uint32_t width = m.nx * m.bw, half = m.ny * m.bh;
    const size_t samples = (size_t)width * half * (size_t)work->channels;
    const bool floats = ro_format_sample_bytes(work->in.format) == 4;
    double noise = 0;
    ro_status status = noise_in_blocks(work->context, &work->in, &noise);
    if (status != RO_OK)
        return status;
    double step = noise / 255 * (floats ? 1 : (double)ro_image_white(&work->in)) / DISTURBANCE;
    if (!floats)
        step = floor(step + 0.5) > 1 ? floor(step + 0.5) : 1;
    struct stop_watch watch = {
        .samples = samples,
        .row = width,
        .rows = 2 * (size_t)half,
        .channels = (size_t)work->channels,
        .by_rows = work->scheme->run == denoise_explicit,
        .floating = work->number->floating,
        .first = malloc(2 * samples * 4),
        .noise = noise / 255 * work->report.white,
    };
    ro_image probe = {0};
    status = ro_image_alloc(work->context, work->in.format, width, 2 * half,
                            floats ? 0 : ro_image_white(&work->in), &probe);
    if (status == RO_OK && !watch.first)
        status = ro_context_fail(work->context, RO_E_MEMORY, "no memory to choose when to stop");
    if (status == RO_OK) {
        fill(&work->in, &m, watch.floating, step, &probe);
        status = run_probe(work, &probe, &watch);
    }
    *steps = watch.best ? watch.best : 1;
    ro_image_free(&probe);
    free(watch.first);
    return status;
}
