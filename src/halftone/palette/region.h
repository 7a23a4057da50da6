/* SPDX-License-Identifier: MIT */
/*
 * Projection by a region of the hull, in doubles, which are checked: what is not certain is left to
 * palette_project. Light is 0 to TONE_WHITE here.
 */
#ifndef RO_HALFTONE_PALETTE_REGION_H
#define RO_HALFTONE_PALETTE_REGION_H

#include "halftone/palette/palette.h"

#include <math.h>

typedef double palette_four __attribute__((vector_size(32), aligned(8)));
typedef int64_t palette_counts __attribute__((vector_size(32), aligned(8)));

/* How near to a whole number a rounding is left to integers. */
#define PALETTE_UNSURE 0x1p-20

/* Macros, for vectors of 32 bytes are no arguments or results everywhere. */
#define PALETTE_MAP(map, light)                                                                    \
    (((map)[0] * (light)[0] + (map)[1] * (light)[1]) + ((map)[2] * (light)[2] + (map)[3]))
#if defined(__AVX__)
#include <immintrin.h>
#define PALETTE_ALL(yes) (_mm256_movemask_pd((__m256d)(yes)) == 15)
#else
#define PALETTE_ALL(yes) ((yes)[0] && (yes)[1] && (yes)[2] && (yes)[3])
#endif

/* In units of W, rounded to nearest, the fourth number of no use; false where a whole number might
 * be another. Points of the hull are not negative, so that cutting rounds down; doubles are off by
 * far less than 2^-20. */
static inline bool palette_region_light(const struct palette_region *region, const double light[3],
                                        int32_t to[4])
{
    typedef int32_t whole __attribute__((vector_size(16), aligned(4)));
    const palette_four sum = PALETTE_MAP((const palette_four *)region->from, light);
    const whole cut = __builtin_convertvector(sum, whole);
    const palette_four rest = sum - __builtin_convertvector(cut, palette_four);
    *(whole *)to = cut;
    return PALETTE_ALL((rest > PALETTE_UNSURE) & (rest < 1 - PALETTE_UNSURE));
}

/* Whether a colour certainly goes to the region's part of the hull: the shares of its corners are
 * positive, and no colour beyond that part's own plane (line, point) is as far towards the light.
 */
static inline bool palette_region_holds(const struct palette_light *known,
                                        const struct palette_region *region, const double light[3])
{
    const palette_four share = PALETTE_MAP((const palette_four *)region->share, light);
    if (!PALETTE_ALL(share > 0))
        return false;
    if (region->set.count == 4)
        return true;
    const palette_four at = PALETTE_MAP((const palette_four *)region->from, light) - 0.5;
    const double red = light[0] - at[0] / 16, green = PALETTE_GREEN * (light[1] - at[1] / 16),
                 blue = light[2] - at[2] / 16;
    if (fabs(red) + fabs(green) + fabs(blue) < 0x1p-20)
        return true; /* a point of the hull, which stays */
    const int corner = region->set.corner[0];
    const double level = red * known->colour[0][corner] + green * known->colour[1][corner] +
                         blue * known->colour[2][corner] - 0x1p-8;
    const palette_four *colour[3] = {(const palette_four *)known->colour[0],
                                     (const palette_four *)known->colour[1],
                                     (const palette_four *)known->colour[2]};
    palette_counts high = {0};
    for (int k = 0; k < known->fours; k++) {
        const palette_four height = red * colour[0][k] + green * colour[1][k] + blue * colour[2][k];
        high -= height > level;
    }
    return high[0] + high[1] + high[2] + high[3] == region->level;
}

/* palette_light_near where nothing is known or certain. */
int palette_light_exact(const struct palette_plan *plan, struct palette_light *known,
                        const uint32_t sample[3], int32_t to[4]);

/* The light of a pixel that is not known to lie in the hull; three numbers and one of no use.
 * Returns its region; where there is no number for it, PALETTE_INSIDE if it stays or PALETTE_MIXED.
 */
static inline int palette_light_near(const struct palette_plan *plan, struct palette_light *known,
                                     const uint32_t sample[3], uint32_t cell, int32_t to[4])
{
    const int found = known->cell[cell];
    const double light[3] = {plan->linear[sample[0]], plan->linear[sample[1]],
                             plan->linear[sample[2]]};
    if (found > PALETTE_INSIDE && found < PALETTE_MIXED) {
        if (palette_region_light(&known->region[found], light, to))
            return found;
    } else if (found == PALETTE_MIXED) {
        uint16_t *tries = known->tries[cell];
        for (int i = 0; i < PALETTE_TRIES && tries[i]; i++) {
            const int region = tries[i];
            if (!palette_region_holds(known, &known->region[region], light))
                continue;
            tries[i] = tries[0];
            tries[0] = (uint16_t)region;
            if (palette_region_light(&known->region[region], light, to))
                return region;
            break;
        }
    }
    return palette_light_exact(plan, known, sample, to);
}

/* The light that a pixel is diffused with. */
static inline void palette_light_of(const struct palette_plan *plan, struct palette_light *known,
                                    const uint32_t sample[3], int32_t to[4])
{
    const uint32_t cell = palette_grid_cell(plan, sample);
    for (int c = 0; c < 3; c++)
        to[c] = 16 * plan->linear[sample[c]];
    if (known->cell[cell] != PALETTE_INSIDE)
        palette_light_near(plan, known, sample, cell, to);
}

#endif
