/* SPDX-License-Identifier: MIT */
/* Contours of free fronts: where phi, linear between the centres of two pixels, is zero. Pixels
 * that touch at a corner belong together if the mean of the four values around the corner is
 * negative. */
#include "segment/segment.h"

#include <stdlib.h>

struct front {
    const struct front_level *level;
    const struct level_field *phi;
};

static double value(const struct front *front, uint32_t x, uint32_t y)
{
    return level_value(front->level, front->phi, x, y);
}

static double place(const void *data, uint32_t x, uint32_t y, int side)
{
    const double a = value(data, x, y);
    const double b =
        value(data, x + (uint32_t)front_side_x[side], y + (uint32_t)front_side_y[side]);
    return a / (a - b);
}

static bool joined(const void *data, uint32_t x, uint32_t y)
{
    return value(data, x, y) + value(data, x + 1, y) + value(data, x, y + 1) +
               value(data, x + 1, y + 1) <
           0;
}

static bool add_label(struct ro_segmentation *work, int i, uint16_t *labels, unsigned char *signs)
{
    const struct front front = {&work->front[i].level, &work->front[i].phi[work->front[i].now]};
    for (uint32_t y = 0; y < work->height; y++) {
        level_signs(front.level, front.phi, y, signs);
        uint16_t *row = labels + outline_at(work->width, 0, y);
        for (uint32_t x = 0; x < work->width; x++)
            row[x] = (uint16_t)(signs[x] * (i + 1));
    }
    return outlines_add(&work->outlines, &(struct outline_map){.width = work->width,
                                                               .height = work->height,
                                                               .labels = labels,
                                                               .highest = (uint16_t)(i + 1),
                                                               .data = &front,
                                                               .place = place,
                                                               .joined = joined});
}

ro_status contours_make(struct ro_segmentation *work)
{
    uint16_t *labels = outline_labels(work->width, work->height);
    unsigned char *signs = malloc(work->width);
    bool made = labels && signs;
    for (int i = 0; i < RO_LABELS && made; i++)
        if (work->report.label[i].used)
            made = add_label(work, i, labels, signs);
    free(labels);
    free(signs);
    if (!made) {
        outlines_drop(&work->outlines);
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory for the contours");
    }
    return RO_OK;
}
