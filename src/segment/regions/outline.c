/* SPDX-License-Identifier: MIT */
/*
 * Where the outlines of competing fronts cross the way from a pixel p inside to its neighbour q
 * outside depends on the intensities: along the row or column, as far as they rise or fall without
 * a turn, they are a ramp from a to b, and the line is where a step from a to b would have the same
 * sum:
 *
 *     a a a m b b      the mixed pixel m = a f + b (1 - f) puts it at the share f of its width
 *
 * So an edge between two even tones is found exactly, however it was blurred, if it lies between
 * the centres of p and q.
 */
#include "segment/regions/regions.h"

#include <math.h>
#include <stdlib.h>

enum { REACH = 8 }; /* of a ramp, in pixels */

static int32_t way_of(const struct ro_regions *work, int side)
{
    return front_side_y[side] * (int32_t)work->plane.pitch + front_side_x[side];
}

/* How far the ramp goes on from `at` by steps of `way`, falling in the sense of `sign`. */
static int ramp(const struct ro_regions *work, uint32_t at, int32_t way, int sign)
{
    const uint16_t *grey = work->grey;
    int steps = 0;
    while (steps < REACH) {
        const uint32_t next = at + (uint32_t)way;
        if (work->arrival[next] == 0 || sign * ((int)grey[at] - grey[next]) <= 0)
            break; /* beside the picture, or a turn */
        at = next;
        steps++;
    }
    return steps;
}

/* The place of the line between p and the pixel behind one of its sides, in pixels from p. */
static double crossing(const struct ro_regions *work, uint32_t p, int side)
{
    const int32_t way = way_of(work, side);
    const uint32_t q = p + (uint32_t)way;
    const uint16_t *grey = work->grey;
    if (grey[p] == grey[q])
        return 0.5;
    const int sign = grey[p] > grey[q] ? 1 : -1;
    const int inward = ramp(work, p, -way, -sign), outward = ramp(work, q, way, sign);
    const int32_t a = grey[p - (uint32_t)(inward * way)], b = grey[q + (uint32_t)(outward * way)];
    int64_t sum = 0;
    for (int i = -inward; i <= outward + 1; i++)
        sum += grey[p + (uint32_t)(i * way)] - b;
    return (double)sum / (a - b) - inward - 0.5;
}

/* Whether intensities change mostly along the line rather than across it, so that this row or
 * column does not tell where it is, as at the top of a disc. */
static bool is_oblique(const struct ro_regions *work, uint32_t p, int side)
{
    const int32_t way = way_of(work, side), beside = way_of(work, (side + 1) % 4);
    const uint32_t q = p + (uint32_t)way;
    const uint16_t *grey = work->grey;
    const uint32_t round[4] = {p + (uint32_t)beside, q + (uint32_t)beside, p - (uint32_t)beside,
                               q - (uint32_t)beside};
    for (int i = 0; i < 4; i++)
        if (work->arrival[round[i]] == 0)
            return false;
    const int along = grey[p] - grey[q];
    const int across = grey[round[0]] + grey[round[1]] - grey[round[2]] - grey[round[3]];
    return abs(across) > 8 * abs(along); /* twice a pixel, of a sum over four pixels */
}

static double place(const void *data, uint32_t x, uint32_t y, int side)
{
    const struct ro_regions *work = data;
    const uint32_t p = plane_value_at(&work->plane, x, y);
    return is_oblique(work, p, side) ? NAN : crossing(work, p, side);
}

ro_status regions_trace(struct ro_regions *work)
{
    const uint32_t width = work->width, height = work->height;
    uint16_t *labels = outline_labels(width, height);
    struct outline_set outlines = {0};
    const uint32_t highest = work->labels ? work->table[work->labels - 1].label : 0;
    for (uint32_t y = 0; y < height && labels; y++)
        for (uint32_t x = 0; x < width; x++)
            labels[outline_at(width, x, y)] =
                (uint16_t)regions_label(work, plane_value_at(&work->plane, x, y));
    const struct outline_map map = {.width = width,
                                    .height = height,
                                    .labels = labels,
                                    .highest = (uint16_t)highest,
                                    .data = work,
                                    .place = place};
    const bool made = labels && outlines_add(&outlines, &map);
    free(labels);
    if (!made) {
        outlines_drop(&outlines);
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory for the contours");
    }
    outlines_drop(&work->outlines);
    work->outlines = outlines;
    return RO_OK;
}
