/* SPDX-License-Identifier: MIT */
/* Tone adjustments as tables of integers, made once and applied to every sample. */
#ifndef RO_HALFTONE_TONE_TONE_H
#define RO_HALFTONE_TONE_TONE_H

#include "roundoff/halftone.h"

#include <stdbool.h>

enum { TONE_WHITE = 65535 };

/* Tables are NULL where they would change nothing. Samples stay at the depth of the file when
 * nothing or inversion alone is asked for; all else leaves 16 bits, so that no shadows collapse. */
struct tone {
    uint32_t in_white, white;
    uint16_t *channel; /* of every sample, in_white + 1 entries and one more */
    uint16_t *curve; /* of the grey, the channel or the ink that is halftoned: white + 1 entries */
};

/* `linear` stands for options->linear, which a palette implies. */
ro_status tone_make(ro_context *context, const ro_tone *options, bool linear, uint32_t in_white,
                    struct tone *tone);
void tone_free(struct tone *tone);

/* Linear light of an sRGB value, both 0 to 1. */
double tone_from_srgb(double x);

/* The nearest integer to TONE_WHITE * x, x cut to 0 .. 1; a tie goes up. */
uint16_t tone_round(double x);

#endif
