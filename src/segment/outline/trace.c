/* SPDX-License-Identifier: MIT */
/*
 * Outlines that are valid by construction. A line crosses each way from the centre of a pixel p of
 * the region to the centre of a neighbour q outside the region exactly once, at a place of its own
 * between the two centres, and joins such crossings within the square between four centres:
 *
 *     p --o-- q      p --o-- q      p --o-- q      o: crossings
 *     |   |   |      | .'    |      | .'    |
 *     p --o-- q      o'      |      o'     .o      The third square could also be joined the other
 *     |       |      |       |      |    .' |      way; map->joined decides.
 *     p       p      q       q      q --o-- p
 *
 * No two lines in a square meet, and no point can overtake its neighbour, wherever the crossings
 * are. So lines are simple, disjoint and nested, and any rule may choose the places. In the image's
 * outermost half pixel a line goes straight to the border and follows it.
 *
 * Moving a crossing outwards only ever adds area to the region. All crossings of a label are
 * therefore moved by one and the same distance, the least that brings its area near enough to the
 * number of its pixels.
 */
#include "segment/outline/trace.h"

#include <math.h>
#include <stdlib.h>

const int front_side_x[4] = {1, 0, -1, 0}, front_side_y[4] = {0, 1, 0, -1};

static const double NEAREST = 1.0 / 128; /* a crossing may come to a pixel's centre */
enum { STEPS = 16 };                     /* of bisection */

/* A point while it can still move. At a corner the line reaches or leaves the image's border, or
 * turns with it, behind this side of the pixel and the one ahead (the next counterclockwise). */
union vertex {
    struct {
        uint64_t at; /* 8 pixel + 2 side + (it is a corner) */
        double place;
    };
    double point[2];
};

/* What all lines of a label enclose together. */
struct label {
    double pixels, area;
    double near, far; /* shifts: not enough, and enough */
};

struct tracing {
    const struct outline_map *map;
    struct outline_set *out;
    unsigned char *seen; /* the upper side of a pixel, by a line */
    struct label *labels;
    ptrdiff_t way[4];
};

uint16_t *outline_labels(uint32_t width, uint32_t height)
{
    return calloc(((size_t)width + 2) * ((size_t)height + 2), sizeof(uint16_t));
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

static int64_t column(const struct tracing *tracing, size_t pixel)
{
    return (int64_t)(pixel % ((size_t)tracing->map->width + 2)) - 1;
}

static int64_t row(const struct tracing *tracing, size_t pixel)
{
    return (int64_t)(pixel / ((size_t)tracing->map->width + 2)) - 1;
}

/* Whether a side of a pixel lies on the border of the image. */
static bool on_border(const struct tracing *tracing, size_t pixel, int side)
{
    const int64_t x = column(tracing, pixel) + front_side_x[side];
    const int64_t y = row(tracing, pixel) + front_side_y[side];
    return x < 0 || y < 0 || x >= tracing->map->width || y >= tracing->map->height;
}

/* Leaves NAN as it is. */
static double clamp(double place)
{
    return place < NEAREST ? NEAREST : place > 1 - NEAREST ? 1 - NEAREST : place;
}

/* ---- Walking along a line -------------------------------------------------------------------- */

static bool add_vertex(struct tracing *tracing, size_t pixel, int side, bool corner)
{
    struct outline_set *out = tracing->out;
    const struct outline_map *map = tracing->map;
    if (!grow((void **)&out->points, &out->room, out->used + 1, sizeof(union vertex)))
        return false;
    union vertex *vertex = (union vertex *)(void *)out->points + out->used++;
    vertex->at = 8 * (uint64_t)pixel + 2 * (unsigned)side + corner;
    vertex->place = 0.5; /* of a corner until that of the crossing beside it is known */
    if (!corner)
        vertex->place = clamp(map->place(map->data, (uint32_t)column(tracing, pixel),
                                         (uint32_t)row(tracing, pixel), side));
    return true;
}

static bool is_joined(const struct tracing *tracing, size_t pixel, size_t other)
{
    const struct outline_map *map = tracing->map;
    const int64_t x = column(tracing, pixel), u = column(tracing, other);
    const int64_t y = row(tracing, pixel), v = row(tracing, other);
    return map->joined &&
           map->joined(map->data, (uint32_t)(x < u ? x : u), (uint32_t)(y < v ? y : v));
}

/* Follows a line, the inside on its left, from the upper side of a pixel until it is back there. */
static bool walk(struct tracing *tracing, size_t first)
{
    const uint16_t *labels = tracing->map->labels;
    const uint16_t label = labels[first];
    struct label *sums = &tracing->labels[label];
    size_t p = first;
    int side = RO_SIDE_UP;
    do {
        const int ahead = (side + 3) % 4;
        const size_t before = p + (size_t)tracing->way[ahead];
        const size_t beyond = before + (size_t)tracing->way[side];
        const bool border = on_border(tracing, p, side);
        if (side == RO_SIDE_UP)
            tracing->seen[p] = 1;
        else if (side == RO_SIDE_RIGHT)
            sums->pixels += (double)column(tracing, p) + 1;
        else if (side == RO_SIDE_LEFT)
            sums->pixels -= (double)column(tracing, p);
        if (!border && !add_vertex(tracing, p, side, false))
            return false;
        if (labels[beyond] == label && (labels[before] == label || is_joined(tracing, p, beyond))) {
            p = beyond;
            side = (side + 1) % 4;
        } else if (labels[before] == label) {
            p = before;
        } else {
            if ((border || on_border(tracing, p, ahead)) && !add_vertex(tracing, p, side, true))
                return false;
            side = ahead;
        }
    } while (p != first || side != RO_SIDE_UP);
    return true;
}

/* ---- Where points are ------------------------------------------------------------------------ */

/* Moves outwards by `shift` what is not on the border. */
static void point_of(const struct tracing *tracing, const union vertex *vertex, double shift,
                     double point[2])
{
    const size_t pixel = (size_t)(vertex->at / 8);
    const int side = vertex->at / 2 % 4, ahead = (side + 3) % 4;
    const double place = isnan(vertex->place) ? 0.5 : clamp(vertex->place + shift);
    point[0] = (double)column(tracing, pixel);
    point[1] = (double)row(tracing, pixel);
    if (vertex->at % 2) {
        const double here = on_border(tracing, pixel, side) ? 0.5 : place;
        const double next = on_border(tracing, pixel, ahead) ? 0.5 : place;
        point[0] += here * front_side_x[side] + next * front_side_x[ahead];
        point[1] += here * front_side_y[side] + next * front_side_y[ahead];
    } else {
        point[0] += place * front_side_x[side];
        point[1] += place * front_side_y[side];
    }
}

/* The place where the straight line from a to b crosses the way that a vertex is on. */
static double chord(const struct tracing *tracing, const union vertex *vertex, const double a[2],
                    const double b[2])
{
    const size_t pixel = (size_t)(vertex->at / 8);
    const int side = vertex->at / 2 % 4;
    const double x = (double)column(tracing, pixel), y = (double)row(tracing, pixel);
    const double dx = front_side_x[side], dy = front_side_y[side];
    const double off_a = (a[0] - x) * dy - (a[1] - y) * dx,
                 off_b = (b[0] - x) * dy - (b[1] - y) * dx;
    const double far_a = (a[0] - x) * dx + (a[1] - y) * dy,
                 far_b = (b[0] - x) * dx + (b[1] - y) * dy;
    return clamp(far_a - off_a * (far_b - far_a) / (off_b - off_a));
}

/* Gives places to the vertices that have none: those that asked for the chord, whose neighbours
 * count as half-way if they asked too, and then corners, from the crossing beside them. */
static void complete(const struct tracing *tracing, union vertex *line, size_t count)
{
    double first[2], before[2], here[2], after[2];
    point_of(tracing, &line[0], 0, first);
    point_of(tracing, &line[count - 1], 0, before);
    for (size_t k = 0; k < count; k++) {
        point_of(tracing, &line[k], 0, here);
        if (k + 1 < count)
            point_of(tracing, &line[k + 1], 0, after);
        if (isnan(line[k].place))
            line[k].place = chord(tracing, &line[k], before, k + 1 < count ? after : first);
        before[0] = here[0];
        before[1] = here[1];
    }
    for (size_t k = 0; k < count; k++)
        if (line[k].at % 2) {
            const union vertex *beside = &line[k ? k - 1 : count - 1];
            if (on_border(tracing, (size_t)(line[k].at / 8), line[k].at / 2 % 4))
                beside = &line[k + 1 < count ? k + 1 : 0];
            line[k].place = beside->place;
        }
}

static double area_of(const struct tracing *tracing, const union vertex *line, size_t count,
                      double shift)
{
    double last[2], point[2], sum = 0;
    point_of(tracing, &line[count - 1], shift, last);
    for (size_t k = 0; k < count; k++) {
        point_of(tracing, &line[k], shift, point);
        sum += point[0] * last[1] - last[0] * point[1];
        last[0] = point[0];
        last[1] = point[1];
    }
    return sum / 2;
}

/* ---- The area of a label --------------------------------------------------------------------- */

/* The difference from the number of pixels that is left alone. */
static double tolerance(const struct label *label) { return fmax(label->pixels / 64, 0.25); }

/* Adds up the areas of labels whose shift is still sought. */
static void measure(const struct tracing *tracing, size_t first)
{
    const union vertex *line = (const union vertex *)(const void *)tracing->out->points;
    for (size_t i = 0; i < tracing->out->count; line += tracing->out->lines[i++].count) {
        struct label *label = &tracing->labels[tracing->out->lines[i].label];
        if (i >= first && label->near != label->far)
            label->area += area_of(tracing, line, tracing->out->lines[i].count,
                                   (label->near + label->far) / 2);
    }
}

/* Finds the shift of each label. */
static void settle(const struct tracing *tracing, size_t first)
{
    const uint32_t highest = tracing->map->highest;
    for (uint32_t i = 1; i <= highest; i++)
        if (tracing->labels[i].pixels > 0) {
            tracing->labels[i].near = -1; /* the middle is the first to be measured */
            tracing->labels[i].far = 1;
        }
    measure(tracing, first);
    for (uint32_t i = 1; i <= highest; i++) {
        struct label *label = &tracing->labels[i];
        const double missing = label->pixels - label->area;
        label->near = 0;
        label->far = fabs(missing) <= tolerance(label) ? 0 : missing > 0 ? 1 : -1;
    }
    for (int step = 0; step < STEPS; step++) {
        for (uint32_t i = 1; i <= highest; i++)
            tracing->labels[i].area = 0;
        measure(tracing, first);
        for (uint32_t i = 1; i <= highest; i++) {
            struct label *label = &tracing->labels[i];
            const double missing = label->pixels - label->area;
            const double middle = (label->near + label->far) / 2;
            if (label->near == label->far)
                continue;
            if ((label->far > 0 ? missing : -missing) <= tolerance(label))
                label->far = middle;
            else
                label->near = middle;
        }
    }
}

/* ---- All lines ------------------------------------------------------------------------------- */

static bool add_lines(struct tracing *tracing)
{
    struct outline_set *out = tracing->out;
    const size_t width = tracing->map->width, height = tracing->map->height, pitch = width + 2;
    for (size_t y = 1; y <= height; y++)
        for (size_t p = y * pitch + 1; p <= y * pitch + width; p++) {
            const uint16_t label = tracing->map->labels[p];
            if (!label || label == tracing->map->labels[p - pitch] || tracing->seen[p])
                continue;
            const size_t start = out->used;
            if (!grow((void **)&out->lines, &out->line_room, out->count + 1, sizeof *out->lines) ||
                !walk(tracing, p))
                return false;
            complete(tracing, (union vertex *)(void *)out->points + start, out->used - start);
            out->lines[out->count++] =
                (ro_polyline){.label = label, .closed = 1, .count = out->used - start};
        }
    return true;
}

/* Puts every point where it stays. */
static void place(const struct tracing *tracing, size_t first)
{
    union vertex *vertex = (union vertex *)(void *)tracing->out->points;
    for (size_t i = 0; i < tracing->out->count; i++) {
        ro_polyline *line = &tracing->out->lines[i];
        line->points = vertex->point;
        for (size_t k = 0; k < line->count; k++, vertex++)
            if (i >= first) {
                double point[2];
                point_of(tracing, vertex, tracing->labels[line->label].far, point);
                vertex->point[0] = point[0];
                vertex->point[1] = point[1];
            }
    }
}

bool outlines_add(struct outline_set *outlines, const struct outline_map *map)
{
    const ptrdiff_t pitch = (ptrdiff_t)map->width + 2;
    const size_t first = outlines->count;
    struct tracing tracing = {.map = map, .out = outlines, .way = {1, pitch, -1, -pitch}};
    tracing.seen = calloc((size_t)pitch * ((size_t)map->height + 2), 1);
    tracing.labels = calloc((size_t)map->highest + 1, sizeof *tracing.labels);
    const bool made = tracing.seen && tracing.labels && add_lines(&tracing);
    if (made) {
        settle(&tracing, first);
        place(&tracing, first);
    }
    free(tracing.seen);
    free(tracing.labels);
    return made;
}

void outlines_drop(struct outline_set *outlines)
{
    free(outlines->lines);
    free(outlines->points);
    *outlines = (struct outline_set){0};
}
