/* SPDX-License-Identifier: MIT */
/*
 * Contours as lines: marching squares over the cells between four pixels. Where phi changes its
 * sign between two neighbours, the line crosses that edge at the zero of the straight line between
 * them; in each cell crossings are joined so that the inside stays on one side. A cell with all
 * four edges crossed joins the inside if its mean is negative.
 *
 *     a --0-- b      edges of a cell: 0 top, 1 right, 2 bottom, 3 left
 *     3       1      edge numbers in the image: 2 (y w + x) for the one to the right of a pixel,
 *     c --2-- d      2 (y w + x) + 1 for the one below it
 */
#include "pde/segment/segment.h"

#include <stdlib.h>
#include <string.h>

struct walk {
    const struct ro_level *level;
    const struct ro_level_field *phi;
    unsigned char *seen; /* of an edge: 1: crossed and not yet walked over */
    double *points;
    size_t used, room; /* points */
    ro_polyline *lines;
    size_t count, line_room;
};

static double value(const struct walk *walk, uint32_t x, uint32_t y)
{
    return ro_level_value(walk->level, walk->phi, x, y);
}

static bool grow(void **memory, size_t *room, size_t needed, size_t bytes)
{
    if (needed <= *room)
        return true;
    size_t more = *room ? 2 * *room : 1024;
    void *larger = more > SIZE_MAX / 64 ? NULL : realloc(*memory, more * bytes);
    if (!larger)
        return false;
    *memory = larger;
    *room = more;
    return true;
}

static bool add_point(struct walk *walk, size_t edge)
{
    const uint32_t width = walk->level->width;
    uint32_t x = (uint32_t)(edge / 2 % width), y = (uint32_t)(edge / 2 / width);
    double a = value(walk, x, y), b = edge & 1 ? value(walk, x, y + 1) : value(walk, x + 1, y);
    double t = a / (a - b);
    if (!grow((void **)&walk->points, &walk->room, walk->used + 1, 2 * sizeof(double)))
        return false;
    walk->points[2 * walk->used] = x + (edge & 1 ? 0 : t);
    walk->points[2 * walk->used + 1] = y + (edge & 1 ? t : 0);
    walk->used++;
    return true;
}

/* The edge by which the line leaves a cell that it entered by another; corners inside are bits. */
static int leave(const struct walk *walk, uint32_t x, uint32_t y, int entered)
{
    const double a = value(walk, x, y), b = value(walk, x + 1, y);
    const double c = value(walk, x, y + 1), d = value(walk, x + 1, y + 1);
    const bool crossed[4] = {(a < 0) != (b < 0), (b < 0) != (d < 0), (c < 0) != (d < 0),
                             (a < 0) != (c < 0)};
    if (crossed[0] && crossed[1] && crossed[2] && crossed[3]) {
        /* a and d are alike: cut off b and c (0 with 1, 2 with 3) or a and d (0 with 3, 1 with 2)
         */
        static const int round_b[4] = {1, 0, 3, 2}, round_a[4] = {3, 2, 1, 0};
        bool inside = a + b + c + d < 0;
        return (a < 0) == inside ? round_b[entered] : round_a[entered];
    }
    for (int i = 0; i < 4; i++)
        if (i != entered && crossed[i])
            return i;
    return entered;
}

static size_t edge_of(const struct walk *walk, uint32_t x, uint32_t y, int side)
{
    const size_t width = walk->level->width;
    switch (side) {
    case 0:
        return 2 * ((size_t)y * width + x);
    case 1:
        return 2 * ((size_t)y * width + x + 1) + 1;
    case 2:
        return 2 * ((size_t)(y + 1) * width + x);
    default:
        return 2 * ((size_t)y * width + x) + 1;
    }
}

/* Follows a line from `edge` into the cell (x, y), entered by `side`, to its end or round. */
static bool follow(struct walk *walk, int64_t x, int64_t y, int side)
{
    static const int opposite[4] = {2, 3, 0, 1};
    static const int dx[4] = {0, 1, 0, -1}, dy[4] = {-1, 0, 1, 0};
    while (x >= 0 && y >= 0 && x + 1 < walk->level->width && y + 1 < walk->level->height) {
        int out = leave(walk, (uint32_t)x, (uint32_t)y, side);
        size_t edge = edge_of(walk, (uint32_t)x, (uint32_t)y, out);
        if (!walk->seen[edge])
            return true; /* round: back at the first edge */
        walk->seen[edge] = 0;
        if (!add_point(walk, edge))
            return false;
        x += dx[out];
        y += dy[out];
        side = opposite[out];
    }
    return true;
}

/* A line from the edge between (x, y) and its neighbour, the inside on its left on the screen. */
static bool add_line(struct walk *walk, int label, size_t edge, bool closed)
{
    const uint32_t width = walk->level->width;
    const int64_t x = (int64_t)(edge / 2 % width), y = (int64_t)(edge / 2 / width);
    const bool first_inside = value(walk, (uint32_t)x, (uint32_t)y) < 0;
    size_t start = walk->used;
    walk->seen[edge] = 0;
    if (!grow((void **)&walk->lines, &walk->line_room, walk->count + 1, sizeof *walk->lines) ||
        !add_point(walk, edge))
        return false;
    /* inside above: go left to right below it, and so on; y points down */
    bool going = true;
    if (edge & 1) /* a vertical edge, crossed sideways */
        going = first_inside ? follow(walk, x, y, 3) : follow(walk, x - 1, y, 1);
    else
        going = first_inside ? follow(walk, x, y - 1, 2) : follow(walk, x, y, 0);
    if (!going)
        return false;
    walk->lines[walk->count++] = (ro_polyline){
        .label = label, .closed = closed, .count = walk->used - start, .points = NULL};
    return true;
}

/* Whether a line that starts here goes into the image (it leaves it at the other end). */
static bool starts_here(const struct walk *walk, size_t edge)
{
    const uint32_t width = walk->level->width, height = walk->level->height;
    const uint32_t x = (uint32_t)(edge / 2 % width), y = (uint32_t)(edge / 2 / width);
    const bool first_inside = value(walk, x, y) < 0;
    if (edge & 1)
        return first_inside ? x == 0 : x + 1 == width;
    return first_inside ? y + 1 == height : y == 0;
}

/* Which pixels of a row are inside, and one behind its end. */
static void row_signs(const struct walk *walk, uint32_t y, unsigned char *signs)
{
    ro_level_signs(walk->level, walk->phi, y, signs);
    signs[walk->level->width] = signs[walk->level->width - 1];
}

static void mark_edges(struct walk *walk, unsigned char *signs)
{
    const uint32_t width = walk->level->width, height = walk->level->height;
    unsigned char *here = signs, *below = signs + width + 1;
    row_signs(walk, 0, here);
    for (uint32_t y = 0; y < height; y++) {
        unsigned char *edge = walk->seen + 2 * (size_t)y * width;
        row_signs(walk, y + 1 < height ? y + 1 : y, below);
        for (uint32_t x = 0; x < width; x++) {
            edge[2 * x] = here[x] ^ here[x + 1];
            edge[2 * x + 1] = here[x] ^ below[x];
        }
        unsigned char *swap = here;
        here = below;
        below = swap;
    }
}

static bool trace(struct walk *walk, int label, unsigned char *signs)
{
    const unsigned char *end = walk->seen + 2 * (size_t)walk->level->width * walk->level->height;
    mark_edges(walk, signs);
    for (int closed = 0; closed < 2; closed++) {
        const unsigned char *at = walk->seen;
        while ((at = memchr(at, 1, (size_t)(end - at)))) {
            size_t edge = (size_t)(at - walk->seen);
            if ((closed || starts_here(walk, edge)) && !add_line(walk, label, edge, closed))
                return false;
            at++;
        }
    }
    return true;
}

ro_status ro_contours_make(struct ro_segmentation *work)
{
    struct walk walk = {.seen = malloc(2 * (size_t)work->width * work->height)};
    unsigned char *signs = malloc(2 * ((size_t)work->width + 1));
    bool made = walk.seen && signs;
    for (int i = 0; i < RO_LABELS && made; i++) {
        walk.level = &work->front[i].level;
        walk.phi = &work->front[i].phi[work->front[i].now];
        if (work->report.label[i].used)
            made = trace(&walk, i + 1, signs);
    }
    free(walk.seen);
    free(signs);
    if (!made) {
        free(walk.points);
        free(walk.lines);
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory for the contours");
    }
    for (size_t i = 0, at = 0; i < walk.count; at += walk.lines[i++].count)
        walk.lines[i].points = walk.points + 2 * at;
    work->lines = walk.lines;
    work->line_count = walk.count;
    work->points = walk.points;
    return RO_OK;
}

void ro_contours_drop(struct ro_segmentation *work)
{
    free(work->lines);
    free(work->points);
    work->lines = NULL;
    work->points = NULL;
    work->line_count = 0;
}
