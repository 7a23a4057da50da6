/* SPDX-License-Identifier: MIT */
/*
 * How noisy the images of a registration are: the median of a second difference in both directions,
 * in which shading and straight edges cancel; of independent noise it is 6 times as wide.
 */
#include "context/context.h"
#include "pde/register/register_image.h"

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
    const struct ro_flow *flow;
    int p, step;
    atomic_int ticket;
    atomic_uint bins[BINS], count;
};

static void count_row(const struct counting *counting, int y, uint32_t *bins, uint32_t *count)
{
    const struct ro_flow *flow = counting->flow;
    const struct ro_grid *grid = &flow->grids.grid[0];
    const size_t at = ro_grid_at(grid, y);
    const float *b = flow->images[counting->p] + at, *a = b - grid->stride, *c = b + grid->stride;
    const float *keep = flow->keep[counting->p] ? flow->keep[counting->p] + at : NULL;
    const int width = flow->size[counting->p].width;
    for (int from = 1; from + 1 < width; from += CHUNK) {
        const int last = from + CHUNK < width - 1 ? from + CHUNK : width - 1;
        int bin[CHUNK];
        for (int x = from; x < last; x++) {
            const float difference = (a[x - 1] + a[x + 1] + c[x - 1] + c[x + 1]) -
                                     2 * (a[x] + c[x] + b[x - 1] + b[x + 1]) + 4 * b[x];
            const int at_bin = (int)(fabsf(difference) * (BINS / 8));
            bin[x - from] = at_bin < BINS ? at_bin : BINS - 1;
        }
        for (int x = from; x < last; x++) {
            const bool counts = !keep || keep[x] != 0;
            bins[bin[x - from]] += counts;
            *count += counts;
        }
    }
}

static void count_rows(void *data, int thread)
{
    struct counting *counting = data;
    uint32_t bins[BINS], count = 0;
    const int height = counting->flow->size[counting->p].height;
    int y;
    (void)thread;
    memset(bins, 0, sizeof bins);
    while ((y = 1 + counting->step * atomic_fetch_add(&counting->ticket, 1)) + 1 < height &&
           !ro_context_cancelled(counting->flow->context))
        count_row(counting, y, bins, &count);
    for (int i = 0; i < BINS; i++)
        if (bins[i])
            atomic_fetch_add(&counting->bins[i], bins[i]);
    atomic_fetch_add(&counting->count, count);
}

double ro_register_noise(const struct ro_flow *flow, int p)
{
    const int height = flow->size[p].height;
    struct counting counting = {.flow = flow, .p = p};
    counting.step = height > 1024 ? height / 512 : 2; /* some rows will do */
    const size_t pixels = (size_t)flow->size[p].width * (size_t)(height / counting.step);
    ro_pool_run(flow->context->pool, ro_register_threads(flow, pixels), count_rows, &counting);
    return counting.count ? median(counting.bins, counting.count) / (0.6745 * 6) : 0;
}
