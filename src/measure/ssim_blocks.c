/* SPDX-License-Identifier: MIT */
/*
 * One block of the picture: tones of both pictures with what lies round the block, the eye's
 * Gaussian, then SSIM's window over what the eye has left. Everything stays in a core's cache.
 *
 *     |<- eye radius ->|<- 5 ->|<--- block --->|<- 5 ->|<- eye radius ->|
 */
#include "measure/measure.h"

#include <math.h>
#include <string.h>

enum { WINDOW = 5 }; /* radius of SSIM's window */

struct block {
    uint32_t x, y, width, height;
};

struct planes {
    size_t pitch;    /* floats of a row, in all planes */
    float *tones[2]; /* original and result, with the margin of eye and window */
    float *across;   /* a plane filtered along its rows */
    float *seen[2];  /* after the eye, with the margin of the window */
    float *means[4]; /* windowed means of a, b, a^2 + b^2, ab */
};

static size_t pitch_of(int radius)
{
    return (MEASURE_BLOCK_WIDTH + 2 * (size_t)(radius + WINDOW) + 15) & ~(size_t)15;
}

static size_t rows_of(int radius) { return MEASURE_BLOCK_HEIGHT + 2 * (size_t)(radius + WINDOW); }

size_t measure_block_scratch(int radius) { return 9 * pitch_of(radius) * rows_of(radius); }

static struct planes planes_in(float *scratch, int radius)
{
    struct planes planes = {.pitch = pitch_of(radius)};
    float **const all[] = {&planes.tones[0], &planes.tones[1], &planes.across,
                           &planes.seen[0],  &planes.seen[1],  &planes.means[0],
                           &planes.means[1], &planes.means[2], &planes.means[3]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] = scratch + i * planes.pitch * rows_of(radius);
    return planes;
}

/* A symmetric filter: to[x] = w0 f[x] + sum of wk (f[x - k step] + f[x + k step]). */
static void filter(const float *restrict from, ptrdiff_t step, const float *weights, int radius,
                   size_t count, float *restrict to)
{
    for (size_t x = 0; x < count; x++)
        to[x] = weights[0] * from[x];
    for (int k = 1; k <= radius; k++) {
        const float weight = weights[k];
        const float *restrict left = from - k * step, *restrict right = from + k * step;
        for (size_t x = 0; x < count; x++)
            to[x] += weight * (left[x] + right[x]);
    }
}

/* Filters a plane of rows + 2 radius by columns + 2 radius into one of rows by columns. */
static void filter_plane(const struct planes *planes, const float *from, const float *weights,
                         int radius, size_t rows, size_t columns, float *to)
{
    const size_t pitch = planes->pitch;
    for (size_t y = 0; y < rows + 2 * (size_t)radius; y++)
        filter(from + y * pitch + radius, 1, weights, radius, columns, planes->across + y * pitch);
    for (size_t y = 0; y < rows; y++)
        filter(planes->across + (y + (size_t)radius) * pitch, (ptrdiff_t)pitch, weights, radius,
               columns, to + y * pitch);
}

/* ---- what is summed ------------------------------------------------------------------------- */

/* Tones, errors, levels and the sides of the frame; the error goes to the transform. */
static void sum_tones(const struct measure_job *job, const struct planes *planes,
                      const struct block *block, struct measure_sums *sums)
{
    const size_t margin = (size_t)job->radius + WINDOW;
    for (uint32_t r = 0; r < block->height; r++) {
        const size_t from = (r + margin) * planes->pitch + margin;
        const float *a = planes->tones[0] + from, *b = planes->tones[1] + from;
        const uint32_t y = block->y + r;
        const bool top = y < job->border, bottom = job->height - 1 - y < job->border;
        const size_t line = y * job->error_stride;
        double in = 0, out = 0, squares = 0;
        for (uint32_t i = 0; i < block->width; i++) {
            const uint32_t x = block->x + i;
            const float e = b[i] - a[i];
            const double tone_in = (double)a[i], tone_out = (double)b[i], wrong = (double)e;
            const int level = (int)(255 * a[i] + 0.5f);
            job->error[x & 1][line + x / 2] = e;
            in += tone_in;
            out += tone_out;
            squares += wrong * wrong;
            sums->level_pixels[level]++;
            sums->level_in[level] += tone_in;
            sums->level_out[level] += tone_out;
            sums->between += b[i] != 0 && b[i] != 1;
            if (x < job->border)
                sums->sides[0] += wrong;
            if (job->width - 1 - x < job->border)
                sums->sides[1] += wrong;
            if (top)
                sums->sides[2] += wrong;
            if (bottom)
                sums->sides[3] += wrong;
        }
        sums->in += in;
        sums->out += out;
        sums->squares += squares;
    }
}

static void sum_seen(const struct measure_job *job, const struct planes *planes,
                     const struct block *block, struct measure_sums *sums)
{
    for (uint32_t r = 0; r < block->height; r++) {
        const size_t from = (r + WINDOW) * planes->pitch + WINDOW;
        const float *a = planes->seen[0] + from, *b = planes->seen[1] + from;
        const uint32_t y = block->y + r;
        const bool ends = y < job->border || job->height - 1 - y < job->border;
        for (uint32_t i = 0; i < block->width; i++) {
            const uint32_t x = block->x + i;
            const double e = (double)(b[i] - a[i]), square = e * e;
            sums->seen += square;
            if (ends || x < job->border || job->width - 1 - x < job->border)
                sums->seen_frame += square;
        }
    }
}

static void sum_ssim(const struct measure_job *job, struct planes *planes,
                     const struct block *block, struct measure_sums *sums)
{
    const float c1 = 0.01f * 0.01f, c2 = 0.03f * 0.03f;
    const size_t rows = block->height, columns = block->width, pitch = planes->pitch;
    float *const products[2] = {planes->tones[0], planes->tones[1]}; /* not needed any more */
    for (size_t y = 0; y < rows + 2 * WINDOW; y++) {
        const float *a = planes->seen[0] + y * pitch, *b = planes->seen[1] + y * pitch;
        for (size_t x = 0; x < columns + 2 * WINDOW; x++) {
            products[0][y * pitch + x] = a[x] * a[x] + b[x] * b[x];
            products[1][y * pitch + x] = a[x] * b[x];
        }
    }
    const float *const from[4] = {planes->seen[0], planes->seen[1], products[0], products[1]};
    for (int i = 0; i < 4; i++)
        filter_plane(planes, from[i], job->window, WINDOW, rows, columns, planes->means[i]);
    for (size_t y = 0; y < rows; y++) {
        const float *ma = planes->means[0] + y * pitch, *mb = planes->means[1] + y * pitch;
        const float *mq = planes->means[2] + y * pitch, *mp = planes->means[3] + y * pitch;
        float *map = planes->across; /* a row */
        for (size_t x = 0; x < columns; x++) {
            const float ab = ma[x] * mb[x], qq = ma[x] * ma[x] + mb[x] * mb[x];
            map[x] = (2 * ab + c1) * (2 * (mp[x] - ab) + c2) / ((qq + c1) * (mq[x] - qq + c2));
        }
        double sum = 0;
        for (size_t x = 0; x < columns; x++)
            sum += (double)map[x];
        sums->ssim += sum;
    }
}

static void run_block(const struct measure_job *job, struct planes *planes,
                      const struct block *block, struct measure_sums *sums)
{
    const int radius = job->radius;
    const uint32_t margin = (uint32_t)radius + WINDOW;
    const struct measure_tones *const pictures[2] = {&job->original, &job->result};
    memset(sums, 0, sizeof *sums);
    for (int i = 0; i < 2; i++) {
        for (uint32_t y = 0; y < block->height + 2 * margin; y++)
            measure_tones_mirrored(pictures[i], (int64_t)block->x - margin,
                                   (int64_t)block->y + y - margin, block->width + 2 * margin,
                                   planes->tones[i] + y * planes->pitch);
        filter_plane(planes, planes->tones[i], job->eye, radius, block->height + 2 * WINDOW,
                     block->width + 2 * WINDOW, planes->seen[i]);
    }
    sum_tones(job, planes, block, sums);
    sum_seen(job, planes, block, sums);
    sum_ssim(job, planes, block, sums);
}

void measure_blocks(void *data, int thread)
{
    struct measure_job *job = data;
    struct planes planes =
        planes_in(job->scratch + job->scratch_floats * (size_t)thread, job->radius);
    uint32_t number;
    while ((number = (uint32_t)atomic_fetch_add(&job->ticket, 1)) < job->blocks) {
        struct block block = {.x = number % job->across * MEASURE_BLOCK_WIDTH,
                              .y = number / job->across * MEASURE_BLOCK_HEIGHT};
        block.width =
            job->width - block.x < MEASURE_BLOCK_WIDTH ? job->width - block.x : MEASURE_BLOCK_WIDTH;
        block.height = job->height - block.y < MEASURE_BLOCK_HEIGHT ? job->height - block.y
                                                                    : MEASURE_BLOCK_HEIGHT;
        if (!ro_context_cancelled(job->context))
            run_block(job, &planes, &block, &job->sums[number]);
    }
}
