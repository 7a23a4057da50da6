/* SPDX-License-Identifier: MIT */
/* Dot diffusion: its class matrices, and its order for pixels of any kind. */
#ifndef RO_HALFTONE_TRAVERSAL_DOT_DIFFUSION_H
#define RO_HALFTONE_TRAVERSAL_DOT_DIFFUSION_H

#include "halftone/halftone.h"

enum dots_id { DOTS_KNUTH, DOTS_MESE_VAIDYANATHAN, DOTS_MATRICES };
enum { DOTS_SIDE = 8 };

/* What pixels are: `channels` numbers each, which are loaded from a row, then rounded to a level's
 * or a colour's number that leaves as many errors. `data` is freed by `free`, which may be NULL. */
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

/* Where a class stands in the tile and where its errors go: targets in raster order. */
enum { DOTS_CLASSES = DOTS_SIDE * DOTS_SIDE, DOTS_NEIGHBOURS = 8 };
struct dots_target {
    int dx, dy, weight;
};
struct dots_class {
    uint32_t x, y;
    int count, sum;
    uint64_t magic; /* of the sum, for share_of */
    struct dots_target targets[DOTS_NEIGHBOURS];
};
void dots_plan_classes(struct dots_class classes[DOTS_CLASSES], enum dots_id id);

/* The same at a pixel of an image, without the targets outside it. */
struct dots_class dots_cut(const struct dots_class *class, uint32_t x, uint32_t y, uint32_t width,
                           uint32_t height);

/* Grey of up to 255 on vectors (dot_rows.c); false: there are none, or its white is larger. */
bool dots_rows_suit(const struct halftoner *work);
ro_status dots_rows_open(struct halftoner *work);
ro_status dots_rows_run(struct halftoner *work, const struct halftone_block *block);
void dots_rows_close(struct halftoner *work);

extern const uint8_t dots_classes[DOTS_MATRICES][DOTS_SIDE][DOTS_SIDE];

#endif
