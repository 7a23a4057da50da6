/* SPDX-License-Identifier: MIT */
/*
 * Tone-dependent error diffusion: three shares of an error, whose weights are those of the tone of
 * the pixel that made it.
 *
 *         *   q1          q1 and q2 rounded to whole numbers, q3 the rest: nothing is lost
 *     q2  q3
 *
 * Of more than two levels, a pixel's tone is looked at between those on either side of it. It runs
 * by the schedules of error diffusion; here is what differs from fixed kernels.
 */
#ifndef RO_HALFTONE_ERROR_DIFFUSION_TONE_DEPENDENT_H
#define RO_HALFTONE_ERROR_DIFFUSION_TONE_DEPENDENT_H

#include "halftone/error_diffusion/diffusion.h"

enum tonal_id { TONAL_OSTROMOUKHOV, TONAL_ZHOU_FANG };

enum { TONAL_TONES = 256, TONAL_BITS = 40 /* of a share in fixed point */ };

/* A sample between two levels. */
struct tonal_tone {
    int32_t above;      /* the level below the tone: by so much it is passed */
    int32_t step;       /* to the next level */
    int32_t index;      /* whose weights: of 255 */
    int32_t level;      /* number of the level below */
    int32_t modulation; /* the threshold rises by up to half of this */
};

struct tonal_plan {
    int32_t weights[TONAL_TONES][3], sum[TONAL_TONES];
    bool modulated;
    int32_t modulation[TONAL_TONES]; /* the threshold rises by up to half of this */

    /* The shares to the right and below left, for tones of 8 bits in fixed point, for any as
     * floating point. Either way, rounded products are those of the weights: see tone_dependent.c.
     */
    int64_t fixed[2][TONAL_TONES];
    double share[2][TONAL_TONES];
    double tone_scale;        /* from a sample to its tone of 255 */
    struct tonal_tone *tones; /* of every sample, for more than two levels; NULL: of two */
};

/* Makes the plan of a kernel and fills in the diffusion plan that runs it. False without memory;
 * tonal_plan_free frees, also then. */
bool tonal_plan_make(struct tonal_plan *tonal, struct diffusion_plan *plan, enum tonal_id id,
                     const struct diffusion_request *request);
void tonal_plan_free(struct tonal_plan *tonal);

/* The tone of 255 nearest to a sample. */
static inline uint32_t tonal_index(const struct diffusion_plan *plan, int32_t tone)
{
    uint64_t sample = (uint32_t)tone / 16, maxval = (uint32_t)plan->white / 16;
    return maxval == 255 ? (uint32_t)sample : (uint32_t)((510 * sample + maxval) / (2 * maxval));
}

static inline struct tonal_tone tonal_tone_of(const struct diffusion_plan *plan, int32_t tone)
{
    const struct tonal_plan *tonal = plan->tonal;
    if (tonal->tones)
        return tonal->tones[tone / 16];
    const int32_t i = (int32_t)tonal_index(plan, tone);
    return (struct tonal_tone){tone, plan->white, i, 0, tonal->modulation[i]};
}

/* By how much the threshold lies above the middle at a pixel; `row_hash` is hash_of_row of it. */
static inline int32_t tonal_rise(int32_t modulation, uint32_t row_hash, uint32_t x)
{
    return (int32_t)(mix_bits(row_hash ^ x) % 128) * modulation >> 8;
}

/* A row for the wave without vectors: columns first to last-1, `line[1]` what flows in from above,
 * `line[0]` what flows out below, of which the last column is complete at the row's end only. */
void tonal_columns(const struct diffusion_plan *plan, struct diffusion_row *row, int64_t first,
                   int64_t last);

extern const struct diffusion_schedule tonal_reference; /* the definition, for tests */
extern const struct diffusion_schedule tonal_ed;

#endif
