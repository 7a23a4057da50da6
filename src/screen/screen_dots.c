/* SPDX-License-Identifier: MIT */
/*
 * Screens that are a formula: Bayer's dispersed dots and clustered dots.
 *
 * Bayer (An optimum method for two-level rendition of continuous-tone pictures, 1973): a screen of
 * twice the size has four copies of a screen in the order 0 2 / 3 1, so that a cell's rank is made
 * of the bits of its place, the lowest of them counting most.
 *
 * Clustered dots: a cell's rank follows from a spot function of its place in the dot, which is
 * largest at the centre; there the last black remains.
 *
 *     angle 0       angle 45        dots of a screen of size x size; at 45 degrees there are two,
 *     . . . .       . . o .         size / sqrt 2 apart
 *     . . . .       . . . .
 *     . . o .       o . . .
 *     . . . .       . . . .
 */
#include "screen/screen.h"

#include <stdlib.h>
#include <string.h>

ro_status screen_bayer(ro_context *context, const ro_screen_options *options, uint32_t *ranks)
{
    const uint32_t size = options->cell;
    if (size & (size - 1))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "a Bayer screen has 2, 4, 8 ... 256 cells per side, not %u", size);
    uint32_t spread[256]; /* of a number: its bits turned round, two places apart */
    for (uint32_t i = 0; i < size; i++) {
        spread[i] = 0;
        for (uint32_t bit = 1; bit < size; bit *= 2)
            spread[i] = 4 * spread[i] + ((i & bit) != 0);
    }
    for (uint32_t y = 0; y < size; y++)
        for (uint32_t x = 0; x < size; x++)
            *ranks++ = 2 * spread[x ^ y] + spread[y];
    return RO_OK;
}

/* By the distances p and q from the dot's centre, each from 0 to s: the value grows towards the
 * centre and is never negative. All turn into themselves when black and white change places. */
static int32_t spot_round(int32_t p, int32_t q, int32_t s)
{
    if (p + q <= s)
        return 2 * s * s - (p * p + q * q);
    return (s - p) * (s - p) + (s - q) * (s - q);
}

static int32_t spot_line(int32_t p, int32_t q, int32_t s)
{
    (void)p;
    return s - q;
}

static int32_t spot_diamond(int32_t p, int32_t q, int32_t s) { return 2 * s - (p + q); }

static const struct {
    const char *name;
    int32_t (*value)(int32_t p, int32_t q, int32_t s);
} shapes[] = {{"round", spot_round}, {"line", spot_line}, {"diamond", spot_diamond}};

ro_status screen_clustered(ro_context *context, const ro_screen_options *options, uint32_t *ranks)
{
    const int32_t size = (int32_t)options->cell;
    int shape = 0;
    while (options->shape && strcmp(options->shape, shapes[shape].name) != 0)
        shape++;
    if (options->angle != 0 && options->angle != 45)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "dots cannot be turned by %g degrees, only by 0 or 45",
                               options->angle);
    if (options->angle == 45 && size % 2)
        return ro_context_fail(
            context, RO_E_ARGUMENT,
            "a screen at 45 degrees has an even number of cells per side, not %d", size);
    uint32_t *values = malloc((size_t)(size * size) * sizeof *values);
    if (!values)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a screen of %d x %d cells",
                               size, size);
    for (int32_t y = 0; y < size; y++)
        for (int32_t x = 0; x < size; x++) {
            /* In half pixels; the dots repeat every 2 * size of them along p and along q. */
            int32_t p = 2 * x + 1, q = 2 * y + 1;
            if (options->angle == 45) {
                int32_t sum = p + q;
                q = p - q + 2 * size;
                p = sum;
            }
            p = abs(p % (2 * size) - size);
            q = abs(q % (2 * size) - size);
            values[y * size + x] = (uint32_t)shapes[shape].value(p, q, size);
        }
    ro_status status = screen_rank_values(context, values, (uint32_t)(size * size), ranks);
    free(values);
    return status;
}
