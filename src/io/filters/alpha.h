/* SPDX-License-Identifier: MIT */
/* Colours with alpha: laid over a background, taken without it, or the alpha alone. */
#ifndef RO_IO_FILTERS_ALPHA_H
#define RO_IO_FILTERS_ALPHA_H

#include "io/filters/stage.h"

/* What becomes of samples that have alpha behind them. Both run from 0 to `white`. */
struct alpha_rule {
    ro_alpha what;   /* never RO_ALPHA_DEFAULT */
    bool multiplied; /* colours were multiplied by alpha */
    int channels;    /* of colour in the row, 1 or 3 */
    int given;       /* of the result: 1 or 3, no fewer than `channels` but for the alpha alone */
    uint32_t white;  /* up to 65535 */
    uint32_t background[3]; /* from 0 to `white` */
};

/* A row of `channels` colour samples and an alpha a pixel. Over: (a*c + (A-a)*b + A/2) / A, A being
 * white; if multiplied: c + ((A-a)*b + A/2) / A, at most A. Kept: the colour that was multiplied by
 * alpha, but the background where nothing is seen. True: some pixel was not opaque. */
bool alpha_row8(const struct alpha_rule *rule, uint8_t *to, const uint8_t *from, uint32_t width);
bool alpha_row16(const struct alpha_rule *rule, uint16_t *to, const uint16_t *from, uint32_t width);

/* A stage on top of one whose rows have alpha; of others, on top of those that are asked for their
 * alpha alone. Owns `before` from then on, and closes it on a failure. */
ro_status alpha_stage(struct row_stage *before, const ro_read_options *options,
                      struct row_stage **stage);

#endif
