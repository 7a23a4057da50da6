/* SPDX-License-Identifier: MIT */
/*
 * Signed distances to start from: discs, the outline of a mask, a field of the user's own; of
 * several the smallest counts, which is their union. Outlines of masks run half-way between the
 * last pixel inside and the first outside.
 */
#include "core/misuse.h"
#include "roundoff/command.h"
#include "segment/segment.h"

#include <stdlib.h>
#include <string.h>

static void add_disc(float *phi, uint32_t width, uint32_t y, double reach, const ro_seed *seed)
{
    double radius = seed->radius > 0 ? seed->radius : 5, far = radius + reach;
    double dy = (double)y - seed->y;
    int64_t left = (int64_t)floor(seed->x - far), right = (int64_t)ceil(seed->x + far);
    if (fabs(dy) > far + 1)
        return;
    left = left < 0 ? 0 : left;
    right = right < width ? right : (int64_t)width - 1;
    for (int64_t x = left; x <= right; x++) {
        double dx = (double)x - seed->x;
        float distance = (float)(sqrt(dx * dx + dy * dy) - radius);
        if (distance < phi[x])
            phi[x] = distance;
    }
}

static int label_of(const ro_seed *seed) { return seed->label ? seed->label : 1; }

int ro_segment_has_seed(const ro_segment_options *options, int label)
{
    if (ABSENT(options))
        return 0;
    const ro_image *mask = options->mask;
    bool any = options->distance && label == 1;
    for (size_t i = 0; i < options->seed_count && !any; i++)
        any = label_of(&options->seeds[i]) == label;
    for (uint32_t y = 0; mask && y < mask->height && !any; y++)
        any = memchr((const char *)mask->data + (ptrdiff_t)y * mask->stride, label, mask->width);
    return any;
}

void seeds_fill_row(const ro_segment_options *options, int label, uint32_t width, uint32_t y,
                    double reach, float *phi)
{
    for (uint32_t x = 0; x < width; x++)
        phi[x] = (float)reach;
    for (size_t i = 0; i < options->seed_count; i++)
        if (label_of(&options->seeds[i]) == label)
            add_disc(phi, width, y, reach, &options->seeds[i]);
    if (!options->distance || label != 1)
        return;
    const float *row = (const float *)(const void *)((const char *)options->distance->data +
                                                     (ptrdiff_t)y * options->distance->stride);
    for (uint32_t x = 0; x < width; x++)
        phi[x] = row[x] < phi[x] ? row[x] : phi[x];
}

/* ---- Masks: the exact distance to the nearest pixel of a kind (Meijster and others, 2000) --- */

struct plane {
    uint32_t width, height;
    int64_t *column; /* distance to the nearest in the same column */
    int64_t *square; /* of a row */
    int64_t *stack;
};

static const int64_t FAR = (int64_t)1 << 31;

static bool mask_is(const ro_image *mask, int label, uint32_t x, uint32_t y)
{
    return ((const uint8_t *)mask->data + (ptrdiff_t)y * mask->stride)[x] == label;
}

static void fill_columns(struct plane *plane, const ro_image *mask, int label, bool inside)
{
    const uint32_t width = plane->width, height = plane->height;
    for (uint32_t y = 0; y < height; y++) {
        int64_t *row = plane->column + (size_t)y * width;
        for (uint32_t x = 0; x < width; x++) {
            const int64_t above = y ? row[(ptrdiff_t)x - (ptrdiff_t)width] : FAR;
            row[x] = mask_is(mask, label, x, y) == inside ? 0 : above < FAR ? above + 1 : FAR;
        }
    }
    for (uint32_t y = height - 1; y-- > 0;) {
        int64_t *row = plane->column + (size_t)y * width;
        for (uint32_t x = 0; x < width; x++)
            row[x] = row[x + width] + 1 < row[x] ? row[x + width] + 1 : row[x];
    }
}

/* The lower envelope of the parabolas g(i)^2 + (x - i)^2 of a row. */
static void fill_row(struct plane *plane, uint32_t y)
{
    const int64_t width = plane->width, *g = plane->column + (size_t)y * plane->width;
    int64_t *from = plane->stack, *start = plane->stack + width, top = -1;
    for (int64_t i = 0; i < width; i++) {
        if (g[i] >= FAR)
            continue;
        int64_t begin = 0;
        while (top >= 0) {
            int64_t j = from[top];
            begin = (i * i - j * j + g[i] * g[i] - g[j] * g[j]);
            begin = begin >= 0 ? begin / (2 * (i - j)) + 1 : 0;
            if (begin > start[top])
                break;
            top--;
            begin = 0;
        }
        if (begin < width) {
            top++;
            from[top] = i;
            start[top] = begin;
        }
    }
    int64_t at = 0;
    for (int64_t x = 0; x < width; x++) {
        while (at < top && start[at + 1] <= x)
            at++;
        plane->square[x] =
            top < 0 ? FAR * FAR / 4 : (x - from[at]) * (x - from[at]) + g[from[at]] * g[from[at]];
    }
}

ro_status seeds_add_mask(ro_context *context, const ro_image *mask, int label, float *phi)
{
    const uint32_t width = mask->width, height = mask->height;
    size_t size = (size_t)width * height;
    struct plane plane = {.width = width, .height = height};
    plane.column = malloc(size * sizeof *plane.column);
    plane.square = malloc(width * sizeof *plane.square);
    plane.stack = malloc(2 * (size_t)width * sizeof *plane.stack);
    ro_status status = RO_OK;
    if (!plane.column || !plane.square || !plane.stack) {
        status = ro_context_fail(context, RO_E_MEMORY, "no memory for the distances of a mask");
        goto done;
    }
    for (int inside = 0; inside < 2; inside++) {
        fill_columns(&plane, mask, label, inside);
        for (uint32_t y = 0; y < height; y++) {
            fill_row(&plane, y);
            for (uint32_t x = 0; x < width; x++) {
                if (mask_is(mask, label, x, y) == (bool)inside)
                    continue;
                double distance = sqrt((double)plane.square[x]) - 0.5;
                float *at = phi + (size_t)y * width + x;
                float value = (float)(inside ? distance : -distance);
                *at = value < *at ? value : *at;
            }
        }
    }
done:
    free(plane.column);
    free(plane.square);
    free(plane.stack);
    return status;
}
