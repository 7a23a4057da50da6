/* SPDX-License-Identifier: MIT */
/*
 * Where a registration starts: a translation, or an affine map, from small copies of the images.
 *
 * The translation is the best of the peaks of a phase correlation. The affine map begins with the
 * best of such translations over a ring of rotations and three sizes, and is refined by
 * Gauss-Newton steps on copies that grow. What is best is told by the correlation of the tones in
 * the part where the images overlap, so that brightness and contrast may differ.
 */
#include "context/context.h"
#include "pde/register/register.h"
#include "pde/register/register_phase.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COPIES = 8, SEARCH_SIDE = 64, SHIFT_SIDE = 256, TURNS = 72, STEPS = 20 };

/* A copy of both images, `shrink` pixels of the images to one of its own. */
struct copy {
    int width, height;
    double shrink;
    float *image[2]; /* moving, fixed */
};

/* x' = m0 x + m1 y + m2, y' = m3 x + m4 y + m5, in pixels of a copy about its middle. */
struct map {
    double m[6];
};

static double sample(const struct copy *copy, double x, double y, double slope[2])
{
    int ix = (int)x, iy = (int)y;
    ix -= ix > 0 && ix >= copy->width - 1;
    iy -= iy > 0 && iy >= copy->height - 1;
    const int right = copy->width > 1, below = copy->height > 1 ? copy->width : 0;
    const float *p = copy->image[0] + iy * copy->width + ix;
    double fx = x - ix, fy = y - iy;
    double a = p[0], b = p[right], c = p[below], d = p[below + right];
    if (slope) {
        slope[0] = (b - a) * (1 - fy) + (d - c) * fy;
        slope[1] = (c - a) * (1 - fx) + (d - b) * fx;
    }
    return (a + fx * (b - a)) * (1 - fy) + (c + fx * (d - c)) * fy;
}

static bool place_of(const struct copy *copy, const struct map *map, int x, int y, double at[2])
{
    double mx = 0.5 * (copy->width - 1), my = 0.5 * (copy->height - 1);
    const double *m = map->m;
    at[0] = m[0] * (x - mx) + m[1] * (y - my) + m[2] + mx;
    at[1] = m[3] * (x - mx) + m[4] * (y - my) + m[5] + my;
    return at[0] >= 0 && at[0] <= copy->width - 1 && at[1] >= 0 && at[1] <= copy->height - 1;
}

/* Sums over the part where the images overlap. */
struct overlap {
    double count, m, f, mm, ff, mf;
};

static struct overlap overlap_of(const struct copy *copy, const struct map *map)
{
    struct overlap sum = {0};
    for (int y = 0; y < copy->height; y++)
        for (int x = 0; x < copy->width; x++) {
            double at[2];
            if (!place_of(copy, map, x, y, at))
                continue;
            double m = sample(copy, at[0], at[1], NULL), f = copy->image[1][y * copy->width + x];
            sum.count++;
            sum.m += m;
            sum.f += f;
            sum.mm += m * m;
            sum.ff += f * f;
            sum.mf += m * f;
        }
    return sum;
}

/* Correlation of the tones, -1 to 1; less for a small overlap, -1 where it proves nothing. */
static double likeness(const struct copy *copy, const struct map *map)
{
    struct overlap s = overlap_of(copy, map);
    double share = s.count / ((double)copy->width * copy->height);
    if (share < 0.2)
        return -1;
    double vm = s.mm - s.m * s.m / s.count, vf = s.ff - s.f * s.f / s.count;
    if (!(vm > 1e-9 * s.count) || !(vf > 1e-9 * s.count))
        return -1;
    return (s.mf - s.m * s.f / s.count) / sqrt(vm * vf) * fmin(1, 0.7 + 0.6 * share);
}

/* ---- Copies --------------------------------------------------------------------------------- */

/* Halves until the longer side fits, by the mean of two by two pixels. copies[0] is the largest. */
static ro_status make_copies(struct ro_flow *flow, int longest, struct copy copies[COPIES],
                             int *count)
{
    const struct ro_grid *grid = &flow->grids.grid[0];
    *count = 0;
    struct copy last = {.width = flow->width, .height = flow->height, .shrink = 1};
    for (;;) {
        struct copy next = last;
        if (last.image[0]) {
            next.width = last.width / 2 + (last.width < 2);
            next.height = last.height / 2 + (last.height < 2);
            next.shrink = 2 * last.shrink;
        }
        for (int p = 0; p < 2; p++) {
            next.image[p] = malloc((size_t)next.width * (size_t)next.height * sizeof(float));
            if (!next.image[p])
                return ro_context_fail(flow->context, RO_E_MEMORY, "no memory to align images");
            for (int y = 0; y < next.height; y++)
                for (int x = 0; x < next.width; x++) {
                    float *to = &next.image[p][y * next.width + x];
                    if (!last.image[0]) {
                        *to = flow->images[p][ro_grid_at(grid, y) + (size_t)x];
                        continue;
                    }
                    const float *from = last.image[p] + 2 * y * last.width + 2 * x;
                    int right = last.width > 1, below = last.height > 1 ? last.width : 0;
                    *to = 0.25f * ((from[0] + from[right]) + (from[below] + from[below + right]));
                }
        }
        int longer = next.width > next.height ? next.width : next.height;
        if (last.image[0] && (*count == 0 || copies[*count - 1].image[0] != last.image[0])) {
            free(last.image[0]);
            free(last.image[1]);
        }
        if (longer <= longest || *count > 0) {
            copies[(*count)++] = next;
            if (longer <= SEARCH_SIDE || *count == COPIES)
                return RO_OK;
        }
        last = next;
    }
}

/* ---- Search --------------------------------------------------------------------------------- */

static void rotated(double degrees, double size, struct map *map)
{
    double c = size * cos(degrees * M_PI / 180), s = size * sin(degrees * M_PI / 180);
    *map = (struct map){{c, -s, 0, s, c, 0}};
}

/* The best translation on top of `map`, which is replaced if `best` is beaten. */
static void try_shifts(const struct copy *copy, struct ro_phase *phase, const struct map *map,
                       float *turned, double *best, struct map *winner)
{
    double shifts[RO_PHASE_PEAKS][2];
    for (int y = 0; y < copy->height; y++)
        for (int x = 0; x < copy->width; x++) {
            double at[2];
            place_of(copy, map, x, y, at);
            double ax = fmin(fmax(at[0], 0), copy->width - 1);
            double ay = fmin(fmax(at[1], 0), copy->height - 1);
            turned[y * copy->width + x] = (float)sample(copy, ax, ay, NULL);
        }
    ro_phase_shifts(phase, turned, copy->width, copy->height, shifts);
    for (int i = 0; i < RO_PHASE_PEAKS; i++) {
        struct map moved = *map;
        moved.m[2] += map->m[0] * shifts[i][0] + map->m[1] * shifts[i][1];
        moved.m[5] += map->m[3] * shifts[i][0] + map->m[4] * shifts[i][1];
        double value = likeness(copy, &moved);
        if (value > *best) {
            *best = value;
            *winner = moved;
        }
    }
}

static bool solve6(double a[6][7])
{
    for (int k = 0; k < 6; k++) {
        int pivot = k;
        for (int i = k + 1; i < 6; i++)
            if (fabs(a[i][k]) > fabs(a[pivot][k]))
                pivot = i;
        if (!(fabs(a[pivot][k]) > 1e-12))
            return false;
        double row[7];
        memcpy(row, a[k], sizeof row);
        memcpy(a[k], a[pivot], sizeof row);
        memcpy(a[pivot], row, sizeof row);
        for (int i = 0; i < 6; i++) {
            double by = i == k ? 0 : a[i][k] / a[k][k];
            for (int j = k; j < 7; j++)
                a[i][j] -= by * a[k][j];
        }
    }
    for (int k = 0; k < 6; k++)
        a[k][6] /= a[k][k];
    return true;
}

/* One Gauss-Newton step for the squared difference of tones, both brought to the same mean and
 * deviation; false where it does not help. */
static bool refine(const struct copy *copy, struct map *map, double *value)
{
    struct overlap s = overlap_of(copy, map);
    double mean_m = s.m / s.count, mean_f = s.f / s.count;
    double dev_m = sqrt(s.mm / s.count - mean_m * mean_m);
    double dev_f = sqrt(s.ff / s.count - mean_f * mean_f);
    double a[6][7] = {{0}}, mx = 0.5 * (copy->width - 1), my = 0.5 * (copy->height - 1);
    if (!(dev_m > 0) || !(dev_f > 0))
        return false;
    for (int y = 0; y < copy->height; y++)
        for (int x = 0; x < copy->width; x++) {
            double at[2], slope[2];
            if (!place_of(copy, map, x, y, at))
                continue;
            double m = (sample(copy, at[0], at[1], slope) - mean_m) / dev_m;
            double f = ((double)copy->image[1][y * copy->width + x] - mean_f) / dev_f;
            double gx = slope[0] / dev_m, gy = slope[1] / dev_m, dx = x - mx, dy = y - my;
            double j[6] = {gx * dx, gx * dy, gx, gy * dx, gy * dy, gy};
            for (int i = 0; i < 6; i++) {
                for (int k = 0; k < 6; k++)
                    a[i][k] += j[i] * j[k];
                a[i][6] -= j[i] * (m - f);
            }
        }
    if (!solve6(a))
        return false;
    for (double by = 1; by > 0.1; by /= 2) {
        struct map next = *map;
        for (int i = 0; i < 6; i++)
            next.m[i] += by * a[i][6];
        double now = likeness(copy, &next);
        if (now > *value + 1e-7) {
            *value = now;
            *map = next;
            return true;
        }
    }
    return false;
}

static ro_status align_shift(struct ro_flow *flow, const struct copy *copy, struct map *map)
{
    struct ro_phase phase;
    int side = 8;
    while (side < copy->width || side < copy->height)
        side *= 2;
    float *turned = malloc((size_t)copy->width * (size_t)copy->height * sizeof *turned);
    if (!turned || !ro_phase_open(&phase, side)) {
        free(turned);
        return ro_context_fail(flow->context, RO_E_MEMORY, "no memory to align images");
    }
    double best = likeness(copy, map);
    const struct map still = *map;
    ro_phase_fix(&phase, copy->image[1], copy->width, copy->height);
    try_shifts(copy, &phase, &still, turned, &best, map);
    ro_phase_close(&phase);
    free(turned);
    return RO_OK;
}

static ro_status search_turns(struct ro_flow *flow, const struct copy *copy, struct map *map)
{
    static const double sizes[] = {1, 0.8, 1.25};
    struct ro_phase phase;
    ro_status status = RO_OK;
    float *turned = malloc((size_t)copy->width * (size_t)copy->height * sizeof *turned);
    if (!turned || !ro_phase_open(&phase, SEARCH_SIDE)) {
        free(turned);
        return ro_context_fail(flow->context, RO_E_MEMORY, "no memory to align images");
    }
    double best = likeness(copy, map);
    ro_phase_fix(&phase, copy->image[1], copy->width, copy->height);
    for (int turn = 0; turn < TURNS && status == RO_OK; turn++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            struct map turned_by;
            rotated(360.0 * turn / TURNS, sizes[i], &turned_by);
            try_shifts(copy, &phase, &turned_by, turned, &best, map);
        }
        status = ro_context_progress(flow->context, "align", (turn + 1.0) / TURNS);
    }
    ro_phase_close(&phase);
    free(turned);
    return status;
}

ro_status ro_register_align(struct ro_flow *flow, bool affine)
{
    struct copy copies[COPIES] = {{0}};
    int count = 0;
    struct map map = {{1, 0, 0, 0, 1, 0}};
    ro_status status = make_copies(flow, SHIFT_SIDE, copies, &count);
    if (status != RO_OK)
        goto done;
    int used = 0; /* the copy that the map's numbers belong to */
    if (!affine) {
        status = align_shift(flow, &copies[0], &map);
    } else {
        status = search_turns(flow, &copies[count - 1], &map);
        for (used = count - 1; status == RO_OK; used--) {
            double value = likeness(&copies[used], &map);
            for (int step = 0; step < STEPS && refine(&copies[used], &map, &value); step++)
                ;
            if (used == 0)
                break;
            /* halves cut off an odd last pixel: the middle of the larger copy may lie apart */
            map.m[2] *= 2;
            map.m[5] *= 2;
        }
    }
    if (status == RO_OK) {
        /* from the middle of the copy to that of the images' first pixel */
        const struct copy *copy = &copies[used];
        double mx = (0.5 * (copy->width - 1) + 0.5) * copy->shrink - 0.5;
        double my = (0.5 * (copy->height - 1) + 0.5) * copy->shrink - 0.5;
        double *start = flow->report.start;
        memcpy(start, map.m, sizeof map.m);
        start[2] = map.m[2] * copy->shrink + mx - map.m[0] * mx - map.m[1] * my;
        start[5] = map.m[5] * copy->shrink + my - map.m[3] * mx - map.m[4] * my;
    }
done:
    for (int i = 0; i < count; i++)
        for (int p = 0; p < 2; p++)
            free(copies[i].image[p]);
    return status;
}
