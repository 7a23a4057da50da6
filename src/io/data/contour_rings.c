/* SPDX-License-Identifier: MIT */
/*
 * Lines have the inside on their left. One that ends at the border goes on along the rim of the
 * outermost pixels, with the inside on its left too, until the next line of the label begins:
 *
 *     +---<---E   S-<-+     from the end E on to the left, down, to the right and up again;
 *     |       |   |   |     the first beginning S on the way is where to go on
 *     v       line    ^
 *     +------->-------+
 */
#include "io/data/contour_rings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Rings ---------------------------------------------------------------------------------- */

double ro_ring_area(const ro_polyline *line)
{
    double sum = 0;
    for (size_t k = 0; k < line->count; k++) {
        const double *a = line->points + 2 * k, *b = line->points + 2 * ((k + 1) % line->count);
        sum += a[0] * b[1] - b[0] * a[1];
    }
    return sum / 2;
}

bool ro_ring_holds(const ro_polyline *line, const double *point)
{
    bool inside = false;
    for (size_t k = 0; k < line->count; k++) {
        const double *a = line->points + 2 * k, *b = line->points + 2 * ((k + 1) % line->count);
        if ((a[1] > point[1]) != (b[1] > point[1]) &&
            point[0] < a[0] + (point[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]))
            inside = !inside;
    }
    return inside;
}

/* ---- Ends at the border --------------------------------------------------------------------- */

/* How far along the rim the end of a line is, from the upper right corner on. */
static double along_rim(const double *point, uint32_t width, uint32_t height)
{
    const double x = point[0], y = point[1], w = width, h = height;
    if (y == 0)
        return w - 0.5 - x;
    if (x == 0)
        return w + y + 0.5;
    if (y == h - 1)
        return w + h + x + 0.5;
    return 2 * w + h + (h - 0.5 - y);
}

/* The place on the rim that is so far along. */
static void on_rim(double along, uint32_t width, uint32_t height, double place[2])
{
    const double w = width, h = height;
    along = fmod(along, 2 * (w + h));
    if (along <= w) {
        place[0] = w - 0.5 - along;
        place[1] = -0.5;
    } else if (along <= w + h) {
        place[0] = -0.5;
        place[1] = along - w - 0.5;
    } else if (along <= 2 * w + h) {
        place[0] = along - w - h - 0.5;
        place[1] = h - 0.5;
    } else {
        place[0] = w - 0.5;
        place[1] = h - 0.5 - (along - 2 * w - h);
    }
}

struct joining {
    const ro_polyline *const *lines;
    size_t count;
    uint32_t width, height;
    bool *used;
    double *next; /* where points go */
};

static void add(struct joining *joining, const double place[2])
{
    memcpy(joining->next, place, 2 * sizeof(double));
    joining->next += 2;
}

/* The open line that begins first after a place on the rim, and how far away. */
static size_t next_line(const struct joining *joining, double from, double *away)
{
    const double round = 2 * ((double)joining->width + joining->height);
    size_t found = 0;
    *away = INFINITY;
    for (size_t i = 0; i < joining->count; i++) {
        const ro_polyline *line = joining->lines[i];
        if (line->closed)
            continue;
        double far = along_rim(line->points, joining->width, joining->height) - from;
        far = far < 0 ? far + round : far;
        if (far < *away) {
            *away = far;
            found = i;
        }
    }
    return found;
}

/* Along the rim, with the corners that lie between. */
static void follow_rim(struct joining *joining, double from, double away)
{
    const double w = joining->width, h = joining->height, round = 2 * (w + h);
    const double corners[] = {w,         w + h,         2 * w + h,        round,
                              round + w, round + w + h, round + 2 * w + h};
    double place[2];
    on_rim(from, joining->width, joining->height, place);
    add(joining, place);
    for (size_t i = 0; i < sizeof corners / sizeof *corners; i++)
        if (corners[i] > from && corners[i] < from + away) {
            on_rim(corners[i], joining->width, joining->height, place);
            add(joining, place);
        }
    on_rim(from + away, joining->width, joining->height, place);
    add(joining, place);
}

/* The ring that a line is part of. */
static void join(struct joining *joining, size_t first, ro_polyline *ring)
{
    size_t i = first;
    *ring = (ro_polyline){joining->lines[first]->label, 1, 0, joining->next};
    do {
        const ro_polyline *line = joining->lines[i];
        const double *last = line->points + 2 * (line->count - 1);
        double away;
        joining->used[i] = true;
        for (size_t k = 0; k < line->count; k++)
            add(joining, line->points + 2 * k);
        const double from = along_rim(last, joining->width, joining->height);
        i = next_line(joining, from, &away);
        follow_rim(joining, from, away);
    } while (i != first && !joining->used[i]);
    ring->count = (size_t)(joining->next - ring->points) / 2;
}

/* Whether a hole lies in no outline: then the label goes all round the picture. */
static bool fills_the_rim(const struct ro_rings *rings)
{
    for (size_t i = 0; i < rings->count; i++) {
        bool held = ro_ring_area(&rings->lines[i]) < 0;
        for (size_t k = 0; k < rings->count && !held; k++)
            held = ro_ring_area(&rings->lines[k]) < 0 &&
                   ro_ring_holds(&rings->lines[k], rings->lines[i].points);
        if (!held)
            return true;
    }
    return false;
}

bool ro_rings_of(const ro_polyline *const *lines, size_t count, uint32_t width, uint32_t height,
                 struct ro_rings *rings)
{
    enum { RIM = 10 }; /* points that a way along the rim adds at most */
    size_t points = 5;
    for (size_t i = 0; i < count; i++)
        points += lines[i]->closed ? 0 : lines[i]->count + RIM;
    *rings = (struct ro_rings){.lines = malloc((count + 2) * sizeof *rings->lines),
                               .points = malloc(2 * points * sizeof *rings->points)};
    struct joining joining = {lines,        count, width, height, calloc(count + 1, sizeof(bool)),
                              rings->points};
    const bool good = rings->lines && rings->points && joining.used;
    for (size_t i = 0; good && i < count; i++) {
        ro_polyline *ring = &rings->lines[rings->count];
        if (lines[i]->closed)
            *ring = *lines[i];
        else if (!joining.used[i])
            join(&joining, i, ring);
        else
            continue;
        rings->count += ring->count > 2;
    }
    if (good && fills_the_rim(rings)) {
        const double w = width, h = height, corners[] = {0, w, w + h, 2 * w + h};
        double place[2];
        rings->lines[rings->count++] = (ro_polyline){lines[0]->label, 1, 4, joining.next};
        for (int i = 0; i < 4; i++) {
            on_rim(corners[i], width, height, place);
            add(&joining, place);
        }
    }
    free(joining.used);
    if (!good)
        ro_rings_free(rings);
    return good;
}

void ro_rings_free(struct ro_rings *rings)
{
    free(rings->lines);
    free(rings->points);
    *rings = (struct ro_rings){0};
}
