/* SPDX-License-Identifier: MIT */
/*
 * How noisy the images of a registration are: the median of a second difference in both directions,
 * in which shading and straight edges cancel; of independent noise it is 6 times as wide.
 */
#include "pde/register/register_image.h"

#include <math.h>
#include <string.h>

enum { BINS = 4096 };

/* The middle of |difference|, which is 8 at most, in the tones of the planes. */
static double median(const uint32_t *bins, uint32_t count)
{
    uint32_t seen = 0;
    int m = 0;
    while (m < BINS && (seen += bins[m]) < count / 2)
        m++;
    return (m + 0.5) * 8 / BINS;
}

double ro_register_noise(const struct ro_flow *flow, int p)
{
    const struct ro_grid *grid = &flow->grids.grid[0];
    const float *keep = flow->keep[p];
    uint32_t bins[BINS], count = 0;
    memset(bins, 0, sizeof bins);
    const int height = flow->size[p].height, step = height > 1024 ? height / 512 : 2;
    for (int y = 1; y + 1 < height; y += step) { /* some rows will do */
        const size_t at = ro_grid_at(grid, y);
        const float *b = flow->images[p] + at, *a = b - grid->stride, *c = b + grid->stride;
        for (int x = 1; x + 1 < flow->size[p].width; x++) {
            const float difference = (a[x - 1] + a[x + 1] + c[x - 1] + c[x + 1]) -
                                     2 * (a[x] + c[x] + b[x - 1] + b[x + 1]) + 4 * b[x];
            if (keep && keep[at + (size_t)x] == 0)
                continue;
            const int bin = (int)(fabsf(difference) * (BINS / 8));
            bins[bin < BINS ? bin : BINS - 1]++;
            count++;
        }
    }
    return count ? median(bins, count) / (0.6745 * 6) : 0;
}
