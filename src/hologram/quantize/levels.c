/* SPDX-License-Identifier: MIT */
#include "hologram/quantize/levels.h"

#include "core/misuse.h"
#include "core/names.h"
#include "hologram/quantize/nearest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double tau = 6.283185307179586476925286766559;

/* ---- Names -------------------------------------------------------------------------------- */

static ro_status bad_name(ro_context *context, const char *name)
{
    return ro_context_fail(
        context, RO_E_ARGUMENT,
        "levels %s: must be phase:N or amplitude:N (N from 2 to 256), binary or phase-binary",
        name);
}

/* Of what kind a name is and how many levels it asks for; false where it is none. */
static bool read_name(const char *name, bool *phase, long *count)
{
    const char *colon = strchr(name, ':');
    char kind[16], *end;
    *count = 2;
    *phase = ro_name_equal(name, "phase-binary");
    if (!colon)
        return *phase || ro_name_equal(name, "binary");
    snprintf(kind, sizeof kind, "%.*s", (int)(colon - name), name);
    *phase = ro_name_equal(kind, "phase");
    *count = strtol(colon + 1, &end, 10);
    return (*phase || ro_name_equal(kind, "amplitude")) && end != colon + 1 && !*end;
}

bool hologram_levels_are_amplitudes(const char *name)
{
    bool phase;
    long count;
    return read_name(name, &phase, &count) && !phase;
}

ro_status hologram_levels_named(ro_context *context, const char *name, float *table, int *count)
{
    bool phase;
    long n;
    if (!read_name(name, &phase, &n))
        return bad_name(context, name);
    if (n < 2 || n > RO_HOLOGRAM_LEVELS)
        return ro_context_fail(context, RO_E_ARGUMENT, "levels %s: must be from 2 to %d", name,
                               RO_HOLOGRAM_LEVELS);
    /* Amplitudes 0 to 1 are computed as -1 to 1: the difference is the zero frequency alone. */
    for (long k = 0; k < n; k++) {
        table[2 * k] = (float)(phase && n > 2 ? cos(tau * (double)k / (double)n)
                                              : -1 + 2 * (double)k / (double)(n - 1));
        table[2 * k + 1] = (float)(phase && n > 2 ? sin(tau * (double)k / (double)n) : 0);
    }
    *count = (int)n;
    return RO_OK;
}

/* ---- Kinds -------------------------------------------------------------------------------- */

static bool is_ring(const float *table, int count, double *angle, int *order)
{
    if (count < 3)
        return false;
    for (int i = 0; i < count; i++) {
        double r = hypot(table[2 * i], table[2 * i + 1]), r0 = hypot(table[0], table[1]);
        if (r0 < 0.01 || fabs(r - r0) > 0.001 * r0)
            return false;
        double a = atan2(table[2 * i + 1], table[2 * i]);
        angle[i] = a < 0 ? a + tau : a;
        int at = i;
        for (; at > 0 && angle[order[at - 1]] > angle[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (int i = 0; i < count; i++) {
        double gap = angle[order[(i + 1) % count]] - angle[order[i]];
        gap += i + 1 == count ? tau : 0;
        if (gap < tau / 400 || gap > tau * 170 / 360)
            return false;
    }
    return true;
}

static bool is_line(const struct hologram_levels *levels)
{
    for (int i = 1; i < levels->count; i++)
        if (levels->x[i] - levels->x[i - 1] <= LINE_CELL)
            return false;
    return levels->real;
}

/* An angle as it is cut into cells: y / (|x| + |y|), carried on where x is negative. */
static double diamond(double x, double y)
{
    double a = y / (fabs(x) + fabs(y));
    return (x >= 0 ? a + 1 : 3 - a) * (LEVEL_CELLS / 4);
}

static void fill_entry(struct hologram_levels *levels, int cell, int low, int high, int nx, int ny,
                       int c)
{
    levels->entry[cell] = (struct level_entry){
        .nx = (int16_t)nx,
        .ny = (int16_t)ny,
        .low_x = levels->x[low],
        .low_y = levels->y[low],
        .high_x = levels->x[high],
        .high_y = levels->y[high],
        .low = (uint8_t)low,
        .high = (uint8_t)high,
        .c = (int16_t)c,
    };
}

static void fill_ring(struct hologram_levels *levels, const double *angle, const int *order)
{
    const int n = levels->count;
    int met[LEVEL_ENTRIES]; /* the border that a cell meets, or -1 */
    for (int cell = 0; cell < LEVEL_ENTRIES; cell++)
        met[cell] = -1;
    int last = 0; /* the border before the first cell */
    double before = -1e9;
    for (int i = 0; i < n; i++) {
        int k = order[i], next = order[(i + 1) % n];
        double middle = (angle[k] + angle[next] + (i + 1 == n ? tau : 0)) / 2;
        levels->border_x[k] = (int16_t)lrint(16384 * cos(middle));
        levels->border_y[k] = (int16_t)lrint(16384 * sin(middle));
        double at = diamond(levels->border_x[k], levels->border_y[k]);
        for (int turn = -1; turn <= 1; turn++) {
            double b = at + turn * LEVEL_CELLS;
            for (int cell = (int)ceil(b - 0.7); cell <= (int)floor(b + 0.7); cell++)
                if (cell >= 0 && cell < LEVEL_ENTRIES)
                    met[cell] = i;
            if (b < -0.7 && b > before) {
                before = b;
                last = i;
            }
        }
    }
    for (int cell = 0; cell < LEVEL_ENTRIES; cell++) {
        if (met[cell] >= 0) {
            last = met[cell];
            int k = order[last];
            fill_entry(levels, cell, k, order[(last + 1) % n], -levels->border_y[k],
                       levels->border_x[k], 0);
        } else {
            int k = order[(last + 1) % n];
            fill_entry(levels, cell, k, k, 0, 0, 0);
        }
    }
}

static void fill_line(struct hologram_levels *levels)
{
    for (int cell = 0; cell < LEVEL_ENTRIES; cell++) {
        int x = (cell - LEVEL_CELLS / 2) * LINE_CELL, k = 0;
        while (k + 1 < levels->count && 2 * x > levels->x[k] + levels->x[k + 1])
            k++;
        int next = k + 1 < levels->count ? k + 1 : k;
        fill_entry(levels, cell, k, next, 2, 0, levels->x[k] + levels->x[next] + 1);
    }
}

ro_status hologram_levels_open(ro_context *context, const float *table, int count,
                               struct hologram_levels *levels)
{
    if (count < 2 || count > RO_HOLOGRAM_LEVELS)
        return ro_context_fail(context, RO_E_ARGUMENT, "a modulator has 2 to %d levels, not %d",
                               RO_HOLOGRAM_LEVELS, count);
    *levels = (struct hologram_levels){.count = count, .real = true};
    bool differ = false; /* as they are rounded */
    for (int i = 0; i < count; i++) {
        double x = table[2 * i], y = table[2 * i + 1];
        if (!(fabs(x) <= 2 && fabs(y) <= 2)) /* not a number either */
            return ro_context_fail(context, RO_E_ARGUMENT,
                                   "level %d is %g%+gi: its parts must be from -2 to 2", i, x, y);
        levels->x[i] = (int16_t)lrint(HOLOGRAM_ONE * x);
        levels->y[i] = (int16_t)lrint(HOLOGRAM_ONE * y);
        levels->real &= y == 0;
        differ |= levels->x[i] != levels->x[0] || levels->y[i] != levels->y[0];
    }
    if (!differ)
        return ro_context_fail(
            context, RO_E_ARGUMENT,
            "all %d levels are %g%+gi: a modulator needs at least two different levels", count,
            table[0], table[1]);
    double angle[RO_HOLOGRAM_LEVELS];
    int order[RO_HOLOGRAM_LEVELS];
    levels->kind = LEVELS_PLAIN;
    if (is_line(levels)) {
        levels->kind = LEVELS_LINE;
        fill_line(levels);
    } else if (!levels->real && is_ring(table, count, angle, order)) {
        levels->kind = LEVELS_RING;
        fill_ring(levels, angle, order);
    }
    return RO_OK;
}

ro_status hologram_levels_of(ro_context *context, const ro_hologram_options *options,
                             float table[2 * RO_HOLOGRAM_LEVELS], struct hologram_levels *levels,
                             bool *amplitude)
{
    const char *name = options->levels;
    int count = options->table_count;
    *amplitude = false;
    if (options->table) {
        if (count > 0 && count <= RO_HOLOGRAM_LEVELS)
            memcpy(table, options->table, (size_t)count * 2 * sizeof *table);
        return hologram_levels_open(context, table, count, levels);
    }
    ro_status status = hologram_levels_named(context, name, table, &count);
    if (status != RO_OK)
        return status;
    *amplitude = hologram_levels_are_amplitudes(name);
    return hologram_levels_open(context, table, count, levels);
}

/* ---- The nearest -------------------------------------------------------------------------- */

static int cross(int ax, int ay, int bx, int by) { return ax * by - ay * bx; }

static int nearest_on_ring(const struct hologram_levels *levels, int x, int y)
{
    if (x == 0 && y == 0)
        x = 1;
    /* The first border ahead, counter-clockwise; one that u lies on has been passed. */
    int found = 0;
    bool first = true;
    for (int k = 0; k < levels->count; k++) {
        int bx = levels->border_x[k], by = levels->border_y[k];
        if (cross(bx, by, x, y) >= 0) /* passed, or half a turn away and more */
            continue;
        if (first || cross(levels->border_x[found], levels->border_y[found], bx, by) < 0)
            found = k;
        first = false;
    }
    return found;
}

static int nearest_on_line(const struct hologram_levels *levels, int x)
{
    int k = 0;
    while (k + 1 < levels->count && 2 * x > levels->x[k] + levels->x[k + 1])
        k++;
    return k;
}

static int nearest_of_all(const struct hologram_levels *levels, int x, int y)
{
    int best = 0, most = 0;
    for (int k = 0; k < levels->count; k++) {
        int lx = levels->x[k], ly = levels->y[k];
        int score = 2 * (lx * x + ly * y) - (lx * lx + ly * ly);
        if (k == 0 || score > most) {
            best = k;
            most = score;
        }
    }
    return best;
}

int hologram_nearest_ref(const struct hologram_levels *levels, int x, int y)
{
    switch (levels->kind) {
    case LEVELS_RING:
        return nearest_on_ring(levels, x, y);
    case LEVELS_LINE:
        return nearest_on_line(levels, x);
    case LEVELS_PLAIN:
        break;
    }
    return nearest_of_all(levels, x, y);
}

int hologram_nearest(const struct hologram_levels *levels, int x, int y)
{
    return levels->kind == LEVELS_RING ? nearest_of_ring(levels->entry, x, y)
                                       : nearest_of_line(levels->entry, x, y);
}
