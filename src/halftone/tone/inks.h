/* SPDX-License-Identifier: MIT */
/*
 * Inks of any colour: how much of each comes nearest to a colour of the picture. The inks lie on
 * each other as chance has it and let light through, so that a print with the shares a of the inks
 * c has the light (1 - a1 (1 - c1)) (1 - a2 (1 - c2)) ... in each channel. The shares are those of
 * least squared error of light, none negative, none above 1, and together within a limit.
 */
#ifndef RO_HALFTONE_TONE_INKS_H
#define RO_HALFTONE_TONE_INKS_H

#include "roundoff/halftone.h"

#include <stdbool.h>

enum { INKS_WHITE = 65535, INKS_STEPS = RO_SEPARATION_SIDE - 1 };

/* Shares of all inks at the corners of a grid over red, green and blue; between them, by the
 * tetrahedra that the corners make. */
struct ink_table {
    int count;
    uint16_t *shares; /* of INKS_WHITE: (INKS_STEPS + 1)^3 times one for each ink */
};

/* `limit`: of the sum of shares; 0: none. */
ro_status ink_table_make(ro_context *context, const ro_ink *inks, int count, double limit,
                         struct ink_table *table);
/* One that is given. */
ro_status ink_table_copy(ro_context *context, const ro_separation *separation,
                         struct ink_table *table);
void ink_table_free(struct ink_table *table);

/* What is left of the paper by each ink, INKS_WHITE being all of it; colours are of INKS_WHITE. */
void ink_table_at(const struct ink_table *table, const uint32_t rgb[3],
                  uint32_t paper[RO_INKS_MOST]);

#endif
