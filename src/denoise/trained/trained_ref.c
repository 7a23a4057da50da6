/* SPDX-License-Identifier: MIT */
/* Trained diffusion as trained.h defines it, pixel by pixel. Everything else in this folder must
 * give the same bits. */
#include "denoise/trained/trained.h"

#include <stdlib.h>
#include <string.h>

enum { MIDDLE = TRAINED_SIDE / 2 };

struct plane {
    int32_t width, height;
};

/* Returns the place of tap a from (x, y), or of the pixel nearest to it. */
static size_t place(const struct plane *plane, int32_t x, int32_t y, int a, int32_t distance)
{
    const int32_t column = x + (a % TRAINED_SIDE - MIDDLE) * distance;
    const int32_t row = y + (a / TRAINED_SIDE - MIDDLE) * distance;
    return (size_t)trained_clamp(row, 0, plane->height - 1) * (size_t)plane->width +
           (size_t)trained_clamp(column, 0, plane->width - 1);
}

/* Adds to `sum` what the filters of a step make of v at one pixel, whose level of noise is given if
 * it is uneven. */
static void spread(const struct trained_plan *plan, int t, const struct plane *plane, int32_t x,
                   int32_t y, int level, const int32_t *v, int32_t *sum)
{
    const struct trained_step *step = &plan->network->step[t];
    const int32_t slope = plan->uneven ? trained_slope(plan, level) : plan->slope;
    const int32_t scale = plan->uneven ? trained_spread(plan, t, level) : 0;
    size_t at[TRAINED_TAPS];
    for (int a = 0; a < TRAINED_TAPS; a++)
        at[a] = place(plane, x, y, a, step->distance);
    for (int i = 0; i < plan->network->filters; i++) {
        int32_t z = 0;
        for (int a = 0; a < TRAINED_TAPS; a++)
            z += step->forward[i][a] * v[at[a]];
        const int32_t y_i = trained_flux(plan, slope, step->flux[i], z);
        const int32_t flux = plan->uneven ? trained_round(y_i * scale, TRAINED_SPREAD) : y_i;
        for (int a = 0; a < TRAINED_TAPS; a++)
            sum[at[a]] += step->back[i][a] * flux;
    }
}

bool trained_ref(const struct trained_plan *plan, uint32_t width, uint32_t height,
                 const int16_t *seen, const uint8_t *levels, int32_t *change)
{
    const struct plane plane = {(int32_t)width, (int32_t)height};
    const size_t size = (size_t)width * height;
    int32_t *v = malloc(2 * size * sizeof *v), *sum = v + size;
    if (!v)
        return false;
    memset(change, 0, size * sizeof *change);
    for (int t = 0; t < plan->network->steps; t++) {
        for (size_t i = 0; i < size; i++)
            v[i] = trained_now(plan, plan->network->step[t].gain, seen[i], change[i]);
        memset(sum, 0, size * sizeof *sum);
        for (int32_t y = 0; y < plane.height; y++)
            for (int32_t x = 0; x < plane.width; x++)
                spread(plan, t, &plane, x, y,
                       plan->uneven ? levels[(size_t)y * width + (size_t)x] : 0, v, sum);
        for (size_t i = 0; i < size; i++)
            change[i] += (plan->uneven ? 1 : plan->move[t]) * sum[i];
    }
    free(v);
    return true;
}
