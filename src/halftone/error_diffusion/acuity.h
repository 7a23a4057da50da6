/* SPDX-License-Identifier: MIT */
/*
 * Acuity: error diffusion whose weights and thresholds follow the tone, trained to what an eye
 * sees.
 *
 *                  *    1,0   2,0        the shares of an error; what their weights leave, to the
 *    -2,1  -1,1   0,1   1,1   2,1        last bit, goes straight below (0,1)
 *          -1,2   0,2   1,2
 *
 * A pixel's tone is looked at between the two levels on either side of it, so that one table does
 * for any number of levels. It runs by the schedules of error diffusion.
 *
 * Of fewer taps there are two: (1,0) and the five of the row below, or the three in its middle.
 * They are the same method with weights of zero; code for vectors leaves those out.
 */
#ifndef RO_HALFTONE_ERROR_DIFFUSION_ACUITY_H
#define RO_HALFTONE_ERROR_DIFFUSION_ACUITY_H

#include "halftone/error_diffusion/diffusion.h"

enum {
    ACUITY_TAPS = 10,
    ACUITY_DOWN = 4, /* the tap that takes the rest */
    ACUITY_CLASSES = 32,
    ACUITY_TONES = 256,
    ACUITY_ONE = 128,    /* weights count in 128ths */
    ACUITY_BLACK = 3686, /* the threshold of a tone that is a level: nothing is to light up there */
    ACUITY_SKEW = 4,
};

/* Weights by class, in the order of acuity_taps; the threshold of a class's first tone and its rise
 * from tone to tone, in 4096ths of the step between two levels. Made by tools/acuity_train.c. */
struct acuity_table {
    int8_t weights[ACUITY_CLASSES][ACUITY_TAPS];
    int16_t thresholds[ACUITY_CLASSES][2];
};
extern const struct acuity_table acuity_table_10, acuity_table_6, acuity_table_4;
extern const struct diffusion_kernel acuity_taps; /* where shares go; not their weights */

enum acuity_variant { ACUITY_TEN, ACUITY_SIX, ACUITY_FOUR, ACUITY_VARIANTS }; /* numbers of taps */
const struct acuity_table *acuity_table_of(enum acuity_variant variant);

/* Whether weights of a tap can be other than zero. */
static inline bool acuity_has(enum acuity_variant variant, int tap)
{
    static const bool six[ACUITY_TAPS] = {
        [0] = true, [2] = true, [3] = true, [4] = true, [5] = true, [6] = true};
    return variant == ACUITY_TEN || (variant == ACUITY_SIX ? six[tap] : six[tap] && tap % 4 != 2);
}

/* What the method makes of a pixel before anything flows into it. */
struct acuity_tone {
    int32_t above;     /* the level below the tone: by so much it is passed */
    int32_t step;      /* to the next level */
    int32_t threshold; /* the next level is taken above it */
    uint8_t class;     /* of weights */
    uint8_t level;     /* number of the level below */
};

/* Tables by class for vectors: the weights of each tap, then these. */
enum { ACUITY_FIRST_HIGH = ACUITY_TAPS, ACUITY_FIRST_LOW, ACUITY_RISE, ACUITY_TABLES };

struct acuity_plan {
    enum acuity_variant variant;
    const struct acuity_table *table;
    int8_t bytes[ACUITY_TABLES][ACUITY_CLASSES];
    int16_t words[ACUITY_TABLES][ACUITY_CLASSES]; /* times 256 */
    int32_t fours[(ACUITY_TAPS + 3) / 4]
                 [ACUITY_CLASSES]; /* the weights of four taps, a byte each */
    struct acuity_tone tones[];    /* of every sample up to maxval */
};

/* The threshold of a tone from 0 to 255 between two levels, in 4096ths of their step. */
int acuity_threshold_at(const struct acuity_table *table, int tone);
struct acuity_tone acuity_tone_of(const struct diffusion_plan *plan, int32_t tone);

/* The error that is passed on; what lies beyond a step and a quarter is lost. */
static inline int32_t acuity_kept(const struct acuity_tone *tone, int32_t error)
{
    const int32_t most = 5 * tone->step / 4;
    return error > most ? most : error < -most ? -most : error;
}

static inline int32_t acuity_share(int32_t weight, int32_t error)
{
    return (weight * error + ACUITY_ONE / 2) >> 7;
}

/* Fills in the diffusion plan; NULL without memory, else to be freed. */
struct acuity_plan *acuity_plan_make(struct diffusion_plan *plan,
                                     const struct diffusion_request *request,
                                     enum acuity_variant variant);

/* A row, in pieces: columns first to last-1. Lines of a row: `line[0]`, all that flows into the row
 * below, and `line[2]`, what this row alone sends to the row after that; `line[1]` and `line[3]`
 * are those of the row above. A column of line[0] is complete two columns later. */
void acuity_columns(const struct diffusion_plan *plan, struct diffusion_row *row, int64_t first,
                    int64_t last);

/* What a device looks up by tone (acuity_cuda.c), of so many entries; NULL without memory, else to
 * be freed. */
uint32_t (*acuity_cuda_table(const struct diffusion_plan *plan, size_t *entries))[4];

extern const struct diffusion_schedule acuity_reference; /* the definition, for tests */
extern const struct diffusion_schedule acuity_ed;

#endif
