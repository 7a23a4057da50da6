/* SPDX-License-Identifier: MIT */
/*
 * How noisy the images of a registration are: the median of a second difference in both directions,
 * in which shading and straight edges cancel; of independent noise it is 6 times as wide.
 */
#include "context/context.h"
#include "register/image.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { BINS = 4096, CHUNK = 256 };

/* The middle of |difference|, which is 8 at most, in the tones of the planes. */
static double median(const atomic_uint *bins, uint32_t count)
{
    uint32_t seen = 0;
    int m = 0;
    while (m < BINS && (seen += bins[m]) < count / 2)
        m++;
    return (m + 0.5) * 8 / BINS;
}

/* Rows are counted by many threads, each in bins of its own that are added up at the end. */
struct counting {
    const struct registration *flow;
    int step[2]; /* of the rows that are looked at: some will do */
    struct {
        atomic_uint bins[BINS], count;
    } of[2];
};

static void count_row(const struct registration *flow, int p, int y, uint32_t *bins,
                      uint32_t *count)
{
    const struct solver_grid *grid = &flow->grids.grid[0];
    const size_t at = grid_at(grid, y);
    const float *b = flow->images[p] + at, *a = b - grid->stride, *c = b + grid->stride;
    const float *keep = flow->keep[p] ? flow->keep[p] + at : NULL;
    const int width = flow->size[p].width;
    uint32_t left_out = 0;
    for (int from = 1; from + 1 < width; from += CHUNK) {
        const int last = from + CHUNK < width - 1 ? from + CHUNK : width - 1;
        int bin[CHUNK];
        for (int x = from; x < last; x++) {
            const float difference = (a[x - 1] + a[x + 1] + c[x - 1] + c[x + 1]) -
                                     2 * (a[x] + c[x] + b[x - 1] + b[x + 1]) + 4 * b[x];
            const int at_bin = (int)(fabsf(difference) * (BINS / 8));
            bin[x - from] = at_bin < BINS ? at_bin : BINS - 1;
        }
        for (int x = from; x < last && !keep; x++)
            bins[bin[x - from]]++;
        for (int x = from; x < last && keep; x++) {
            const bool counts = keep[x] != 0;
            bins[bin[x - from]] += counts;
            left_out += !counts;
        }
    }
    *count += (width > 2 ? (uint32_t)width - 2 : 0) - left_out;
}

static int rows_of(const struct counting *counting, int p)
{
    const int inside = counting->flow->size[p].height - 2;
    return inside > 0 ? (inside + counting->step[p] - 1) / counting->step[p] : 0;
}

static void count_rows(void *data, int part, int parts)
{
    struct counting *counting = data;
    for (int p = 0; p < 2; p++) {
        uint32_t bins[BINS], count = 0;
        int i, to;
        memset(bins, 0, sizeof bins);
        for (team_share(rows_of(counting, p), part, parts, &i, &to);
             i < to && !ro_context_cancelled(counting->flow->context); i++)
            count_row(counting->flow, p, 1 + i * counting->step[p], bins, &count);
        for (int bin = 0; count > 0 && bin < BINS; bin++)
            if (bins[bin])
                atomic_fetch_add(&counting->of[p].bins[bin], bins[bin]);
        atomic_fetch_add(&counting->of[p].count, count);
    }
}

double register_noise(const struct registration *flow)
{
    struct counting counting = {.flow = flow};
    size_t pixels = 0;
    double most = 0;
    for (int p = 0; p < 2; p++) {
        const int height = flow->size[p].height;
        counting.step[p] = height > 1024 ? height / 512 : 2;
        pixels += (size_t)flow->size[p].width * (size_t)(height / counting.step[p]);
    }
    register_pass(flow, pixels, count_rows, &counting);
    for (int p = 0; p < 2; p++) {
        const uint32_t count = counting.of[p].count;
        const double noise = count ? median(counting.of[p].bins, count) / (0.6745 * 6) : 0;
        most = noise > most ? noise : most;
    }
    return most;
}
