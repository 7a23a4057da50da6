/* SPDX-License-Identifier: MIT */
/*
 * Outlines of regions as closed lines. A line runs between pixels of a region and pixels that are
 * none of it, the inside on its left as seen on the screen; pixels that touch at a corner only are
 * kept apart, and the border of the picture closes what reaches it.
 *
 * Where exactly it crosses the way from a pixel p inside to its neighbour q outside is told by the
 * intensities: along the row or column, as far as they rise or fall without a turn, they are a ramp
 * from a to b, and the line is where a step from a to b would have the same sum:
 *
 *     a a a m b b      the mixed pixel m = a f + b (1 - f) puts it at the share f of its width
 *
 * So an edge between two even tones is found exactly, however it was blurred.
 */
#include "pde/compete/regions.h"

#include <math.h>
#include <stdlib.h>

enum { RIGHT, DOWN, LEFT, UP, REACH = 8 };
static const int step_x[4] = {1, 0, -1, 0}, step_y[4] = {0, 1, 0, -1};

struct tracing {
    const struct ro_regions *work;
    unsigned char *seen; /* bits of a pixel's sides that a line has passed */
    double *points;
    size_t used, room; /* points */
    ro_polyline *lines;
    size_t count, line_room;
};

static int32_t way_of(const struct ro_regions *work, int side)
{
    return step_y[side] * (int32_t)work->plane.pitch + step_x[side];
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
    if (work->arrival[q] == 0 || grey[p] == grey[q])
        return 0.5;
    const int sign = grey[p] > grey[q] ? 1 : -1;
    const int inward = ramp(work, p, -way, -sign), outward = ramp(work, q, way, sign);
    const int32_t a = grey[p - (uint32_t)(inward * way)], b = grey[q + (uint32_t)(outward * way)];
    int64_t sum = 0;
    for (int i = -inward; i <= outward + 1; i++)
        sum += grey[p + (uint32_t)(i * way)] - b;
    const double place = (double)sum / (a - b) - inward - 0.5;
    return place < -0.5 ? -0.5 : place > 1.5 ? 1.5 : place;
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

static bool grow(void **memory, size_t *room, size_t needed, size_t bytes)
{
    if (needed <= *room)
        return true;
    const size_t more = *room ? 2 * *room : 1024;
    void *larger = more > SIZE_MAX / 64 ? NULL : realloc(*memory, more * bytes);
    if (!larger)
        return false;
    *memory = larger;
    *room = more;
    return true;
}

static bool add_point(struct tracing *tracing, uint32_t p, int side)
{
    const struct ro_regions *work = tracing->work;
    const uint32_t pitch = work->plane.pitch;
    const double place = crossing(work, p, side);
    if (!grow((void **)&tracing->points, &tracing->room, tracing->used + 1, 2 * sizeof(double)))
        return false;
    double *point = tracing->points + 2 * tracing->used++;
    point[0] = (double)(p % pitch) - RO_PLANE_MARGIN + place * step_x[side];
    point[1] = (double)(p / pitch) - RO_PLANE_MARGIN + place * step_y[side];
    return true;
}

/* Goes along a line from a side of p until it is back there. */
static bool walk(struct tracing *tracing, uint32_t label, uint32_t p, int side, bool all)
{
    const struct ro_regions *work = tracing->work;
    const uint32_t first = p;
    const int first_side = side;
    do {
        tracing->seen[p] |= (unsigned char)(1 << side);
        if ((all || !is_oblique(work, p, side)) && !add_point(tracing, p, side))
            return false;
        const int ahead = (side + 3) % 4; /* the inside is on the left */
        const uint32_t before = p + (uint32_t)way_of(work, ahead);
        const uint32_t beyond = before + (uint32_t)way_of(work, side);
        if (ro_regions_label(work, before) != label) {
            side = ahead;
        } else if (ro_regions_label(work, beyond) != label) {
            p = before;
        } else {
            p = beyond;
            side = (ahead + 2) % 4;
        }
    } while (p != first || side != first_side);
    return true;
}

static bool add_line(struct tracing *tracing, uint32_t label, uint32_t p, int side)
{
    const size_t first = tracing->used;
    if (!grow((void **)&tracing->lines, &tracing->line_room, tracing->count + 1,
              sizeof *tracing->lines) ||
        !walk(tracing, label, p, side, false))
        return false;
    if (tracing->used - first < 3) { /* a closed line has three at least */
        tracing->used = first;
        if (!walk(tracing, label, p, side, true))
            return false;
    }
    tracing->lines[tracing->count++] =
        (ro_polyline){.label = (int)label, .closed = 1, .count = tracing->used - first};
    return true;
}

static bool trace(struct tracing *tracing)
{
    const struct ro_regions *work = tracing->work;
    for (uint32_t y = 0; y < work->height; y++)
        for (uint32_t x = 0; x < work->width; x++) {
            const uint32_t p = ro_plane_at(&work->plane, x, y);
            const uint32_t label = ro_regions_label(work, p);
            for (int side = 0; side < 4 && label; side++)
                if (ro_regions_label(work, p + (uint32_t)way_of(work, side)) != label &&
                    !(tracing->seen[p] >> side & 1) && !add_line(tracing, label, p, side))
                    return false;
        }
    return true;
}

ro_status ro_regions_trace(struct ro_regions *work)
{
    struct tracing tracing = {.work = work, .seen = calloc(ro_plane_size(&work->plane), 1)};
    const bool made = tracing.seen && trace(&tracing);
    free(tracing.seen);
    if (!made) {
        free(tracing.points);
        free(tracing.lines);
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory for the contours");
    }
    for (size_t i = 0, at = 0; i < tracing.count; at += tracing.lines[i++].count)
        tracing.lines[i].points = tracing.points + 2 * at;
    free(work->lines);
    free(work->points);
    work->lines = tracing.lines;
    work->line_count = tracing.count;
    work->points = tracing.points;
    return RO_OK;
}
