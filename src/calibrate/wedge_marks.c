/* SPDX-License-Identifier: MIT */
/*
 * Marks are found as those of QR codes are: a line through the middle of one is dark, light, dark,
 * light, dark in the proportions 1 1 3 1 1, along rows and along columns. What passes in both
 * directions is gathered; four of those that lie as the marks of a wedge do are the wedge.
 */
#include "calibrate/wedge_marks.h"

#include "calibrate/wedge.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 256, TRIED = 96 };

struct mark {
    double x, y, unit;
    int hits;
};

struct marks {
    struct mark list[MOST];
    int count;
};

/* Whether five runs have the proportions. Ink that spreads makes dark runs wider and light ones
 * narrower, so a run may be off by 0.6 units. */
static bool is_mark(const uint32_t run[5], double *unit)
{
    double total = 0;
    for (int i = 0; i < 5; i++)
        total += run[i];
    *unit = total / WEDGE_MARK;
    if (*unit < 2)
        return false;
    for (int i = 0; i < 5; i++)
        if (fabs(run[i] - (i == 2 ? 3 : 1) * *unit) > (i == 2 ? 0.9 : 0.6) * *unit)
            return false;
    return true;
}

/* The five runs round (x, y), which is dark, along a row or a column. */
static bool runs_about(const struct wedge_scan *scan, uint32_t x, uint32_t y, bool down,
                       uint32_t run[5], double *middle)
{
    const int64_t size = down ? scan->height : scan->width, start = down ? y : x;
    int64_t ends[2];
    for (int side = 0; side < 2; side++) {
        const int step = side ? 1 : -1;
        int64_t at = start;
        for (int k = 0; k < 3; k++) {
            const int64_t from = at;
            while (at >= 0 && at < size &&
                   wedge_dark(scan, down ? x : (uint32_t)at, down ? (uint32_t)at : y) == (k != 1))
                at += step;
            if (at == from || (at < 0 && k < 2) || (at >= size && k < 2))
                return false;
            run[2 + step * k] = (uint32_t)llabs(at - from);
            if (k == 0)
                ends[side] = at;
        }
    }
    run[2] = (uint32_t)(ends[1] - ends[0] - 1);
    *middle = (double)(ends[0] + ends[1]) / 2;
    return true;
}

static void gather(struct marks *marks, double x, double y, double unit)
{
    for (int i = 0; i < marks->count; i++) {
        struct mark *mark = &marks->list[i];
        if (hypot(mark->x - x, mark->y - y) > 2 * unit)
            continue;
        const double n = mark->hits++;
        mark->x = (n * mark->x + x) / (n + 1);
        mark->y = (n * mark->y + y) / (n + 1);
        mark->unit = (n * mark->unit + unit) / (n + 1);
        return;
    }
    if (marks->count < MOST)
        marks->list[marks->count++] = (struct mark){x, y, unit, 1};
}

/* (x, y) lies in the middle run of a row that has passed. */
static void try_place(const struct wedge_scan *scan, struct marks *marks, double x, uint32_t y)
{
    uint32_t run[5];
    double middle_y, middle_x, unit_y, unit_x;
    if (!runs_about(scan, (uint32_t)x, y, true, run, &middle_y) || !is_mark(run, &unit_y))
        return;
    if (!wedge_dark(scan, (uint32_t)x, (uint32_t)middle_y) ||
        !runs_about(scan, (uint32_t)x, (uint32_t)middle_y, false, run, &middle_x) ||
        !is_mark(run, &unit_x))
        return;
    if (unit_x < 0.6 * unit_y || unit_y < 0.6 * unit_x)
        return;
    gather(marks, middle_x, middle_y, (unit_x + unit_y) / 2);
}

static void scan_row(const struct wedge_scan *scan, struct marks *marks, uint32_t y)
{
    uint32_t run[5] = {0}, x = 0;
    int filled = 0;
    while (x < scan->width) {
        const uint32_t start = x;
        const bool dark = wedge_dark(scan, x, y);
        while (x < scan->width && wedge_dark(scan, x, y) == dark)
            x++;
        for (int i = 0; i < 4; i++)
            run[i] = run[i + 1];
        run[4] = x - start;
        filled++;
        double unit;
        if (dark && filled >= 5 && is_mark(run, &unit))
            try_place(scan, marks, (double)x - run[4] - run[3] - run[2] / 2.0, y);
    }
}

static int by_size(const void *a, const void *b)
{
    const struct mark *p = a, *q = b;
    const double x = p->unit * p->hits, y = q->unit * q->hits;
    return x > y ? -1 : x < y;
}

/* The mark nearest to a place, if it lies within `reach`. */
static const struct mark *near(const struct marks *marks, double x, double y, double reach)
{
    const struct mark *best = NULL;
    for (int i = 0; i < marks->count; i++) {
        const double far = hypot(marks->list[i].x - x, marks->list[i].y - y);
        if (far < reach) {
            reach = far;
            best = &marks->list[i];
        }
    }
    return best;
}

/* Whether a and b can be the upper marks, and the lower ones lie where they should. */
static bool is_wedge(const struct marks *marks, const struct mark *a, const struct mark *b,
                     const struct mark *four[4])
{
    const double dx = (b->x - a->x) / WEDGE_ACROSS, dy = (b->y - a->y) / WEDGE_ACROSS;
    const double unit = hypot(dx, dy);
    if (dx <= 0 || fabs(dy) > 0.27 * dx) /* 15 degrees */
        return false;
    if (fabs(a->unit - unit) > 0.3 * unit || fabs(b->unit - unit) > 0.3 * unit)
        return false;
    four[0] = a;
    four[1] = b;
    four[2] = near(marks, a->x - WEDGE_DOWN * dy, a->y + WEDGE_DOWN * dx, 3 * unit);
    four[3] = near(marks, b->x - WEDGE_DOWN * dy, b->y + WEDGE_DOWN * dx, 3 * unit);
    return four[2] && four[3];
}

bool wedge_find_marks(const struct wedge_scan *scan, double corner[4][2])
{
    struct marks marks = {.count = 0};
    for (uint32_t y = 0; y < scan->height; y++)
        scan_row(scan, &marks, y);
    qsort(marks.list, (size_t)marks.count, sizeof *marks.list, by_size);
    marks.count = marks.count < TRIED ? marks.count : TRIED;
    for (int i = 0; i < marks.count; i++)
        for (int k = 0; k < marks.count; k++) {
            const struct mark *four[4];
            if (i == k || !is_wedge(&marks, &marks.list[i], &marks.list[k], four))
                continue;
            for (int c = 0; c < 4; c++) {
                corner[c][0] = four[c]->x;
                corner[c][1] = four[c]->y;
            }
            return true;
        }
    return false;
}
