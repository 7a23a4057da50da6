/* SPDX-License-Identifier: MIT */
/* Dot diffusion: its class matrices, and its order for pixels of any kind. */
#ifndef RO_HALFTONE_ORDERS_DOT_DIFFUSION_H
#define RO_HALFTONE_ORDERS_DOT_DIFFUSION_H

#include "halftone/halftone.h"

enum dots_id { DOTS_KNUTH, DOTS_MESE_VAIDYANATHAN, DOTS_MATRICES };
enum { DOTS_SIDE = 8 };

/* What pixels are: `channels` numbers each, which are loaded from a row, then rounded to a level's or
 * a colour's number that leaves as many errors. `data` is freed by `free`, which may be NULL. */
struct dots_rule {
    int channels;
    void (*load)(void *data, const unsigned char *row, uint32_t width, int32_t *values);
    int (*round)(const void *data, const int32_t *value, int32_t *error);
    void (*free)(void *data);
    void *data;
};
enum { DOTS_CHANNELS = 3 };

/* The engine's open with a rule, whose data are freed with the engine, also after a failure. */
ro_status dots_open(struct halftoner *work, const struct dots_rule *rule);
ro_status dots_run(struct halftoner *work, const struct halftone_block *block);
void dots_close(struct halftoner *work);

extern const uint8_t dots_classes[DOTS_MATRICES][DOTS_SIDE][DOTS_SIDE];

#endif
