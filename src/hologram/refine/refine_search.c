/* SPDX-License-Identifier: MIT */
/*
 * The search. A change by delta of a pixel changes E by 2 Re(conj(delta) D) + K0 |delta|^2 as long
 * as the phases of r stay, and D about it by delta K. Tiles as wide as K reaches run in nine
 * colours: tiles of one colour do not touch each other's D, so that threads may take them in any
 * order, and before each colour D is computed anew. So D is followed inside the tile only.
 *
 *     0 1 2 0 1 2      inside a tile pixels run in raster order; once single pixels find little,
 *     3 4 5 3 4 5      a pixel is also tried together with each of the four neighbours after it
 *     6 7 8 6 7 8
 */
#include "hologram/refine/refine.h"

#include "context/context.h"

#include <stdlib.h>
#include <string.h>

enum {
    TILE = REFINE_TILE,
    COLOURS = REFINE_COLOURS,
    OTHERS = REFINE_OTHERS,
    NEIGHBOURS = REFINE_NEIGHBOURS,
};

static const int neighbour[NEIGHBOURS][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}};

struct search {
    struct refiner *f;
    struct refine_kernel kernel[2];
    int others;                                /* of a level, for pairs */
    uint8_t other[RO_HOLOGRAM_LEVELS][OTHERS]; /* the nearest to it */
    bool pairs;
    uint32_t across, down, colour;
    atomic_uint_fast32_t ticket, changes;
};

/* Which neighbour, or -1, and the levels of both. */
struct move {
    int which, level, second;
};

static void find_others(struct search *s)
{
    const struct refiner *f = s->f;
    s->others = f->levels.count - 1 < OTHERS ? f->levels.count - 1 : OTHERS;
    for (int k = 0; k < f->levels.count; k++) {
        double near[OTHERS] = {INFINITY, INFINITY, INFINITY};
        for (int j = 0; j < f->levels.count; j++) {
            const double d =
                hypot(f->table[2 * k] - f->table[2 * j], f->table[2 * k + 1] - f->table[2 * j + 1]);
            int at = s->others;
            if (j == k)
                continue;
            for (; at > 0 && d < near[at - 1]; at--)
                if (at < s->others) {
                    near[at] = near[at - 1];
                    s->other[k][at] = s->other[k][at - 1];
                }
            if (at < s->others) {
                near[at] = d;
                s->other[k][at] = (uint8_t)j;
            }
        }
    }
}

/* The change of a pixel's light from one level to another. */
static void step_of(const struct refiner *f, size_t at, const float *from, const float *to,
                    float *step)
{
    const float change[2] = {to[0] - from[0], to[1] - from[1]};
    refine_lit(f, at, change, step);
}

/* What E changes by if a pixel goes to a level. */
static float cost(const struct search *s, uint32_t x, uint32_t y, int level)
{
    const struct refiner *f = s->f;
    const size_t at = (size_t)y * f->width + x;
    const float *now = f->table + 2 * f->numbers[at], *d = f->r + 2 * at;
    float step[2];
    step_of(f, at, now, f->table + 2 * level, step);
    const float re = step[0], im = step[1];
    const float price = s->kernel[0].at[x][REFINE_RADIUS][0] * s->kernel[1].at[y][REFINE_RADIUS][0];
    return 2 * (re * d[0] + im * d[1]) + price * (re * re + im * im);
}

static void try_pair(const struct search *s, uint32_t x, uint32_t y, int which, float *best,
                     struct move *move)
{
    const struct refiner *f = s->f;
    const int dx = neighbour[which][0], dy = neighbour[which][1];
    const uint32_t u = x + (uint32_t)dx, v = y + (uint32_t)dy;
    const int a = f->numbers[(size_t)y * f->width + x], b = f->numbers[(size_t)v * f->width + u];
    const float *kx = s->kernel[0].at[x][REFINE_RADIUS + dx];
    const float *ky = s->kernel[1].at[y][REFINE_RADIUS + dy];
    const float kr = kx[0] * ky[0] - kx[1] * ky[1], ki = kx[0] * ky[1] + kx[1] * ky[0];
    float there[OTHERS];
    for (int j = 0; j < s->others; j++)
        there[j] = cost(s, u, v, s->other[b][j]);
    for (int i = 0; i < s->others; i++) {
        const float *to = f->table + 2 * s->other[a][i];
        float step[2], second[2];
        step_of(f, (size_t)y * f->width + x, f->table + 2 * a, to, step);
        const float re = step[0], im = step[1];
        const float cr = re * kr - im * ki, ci = re * ki + im * kr;
        const float here = cost(s, x, y, s->other[a][i]);
        for (int j = 0; j < s->others; j++) {
            const float *other = f->table + 2 * s->other[b][j];
            step_of(f, (size_t)v * f->width + u, f->table + 2 * b, other, second);
            const float both = second[0] * cr + second[1] * ci;
            const float change = here + there[j] + 2 * both;
            if (change < *best) {
                *best = change;
                *move = (struct move){which, s->other[a][i], s->other[b][j]};
            }
        }
    }
}

/* A tile's pixels. */
struct tile {
    uint32_t x0, y0, x1, y1;
};

static void change(const struct search *s, const struct tile *tile, uint32_t x, uint32_t y,
                   int level)
{
    const struct refiner *f = s->f;
    const size_t at = (size_t)y * f->width + x;
    const float *now = f->table + 2 * f->numbers[at];
    float step[2];
    step_of(f, at, now, f->table + 2 * level, step);
    const float re = step[0], im = step[1];
    const float(*kx)[2] = s->kernel[0].at[x] + (tile->x0 + REFINE_RADIUS - x);
    const float(*ky)[2] = s->kernel[1].at[y] + (tile->y0 + REFINE_RADIUS - y);
    f->numbers[at] = (uint8_t)level;
    for (uint32_t v = tile->y0; v < tile->y1; v++, ky++) {
        const float cr = re * ky[0][0] - im * ky[0][1], ci = re * ky[0][1] + im * ky[0][0];
        float *d = f->r + 2 * ((size_t)v * f->width + tile->x0);
        for (uint32_t i = 0; i < tile->x1 - tile->x0; i++) {
            d[2 * i] += cr * kx[i][0] - ci * kx[i][1];
            d[2 * i + 1] += cr * kx[i][1] + ci * kx[i][0];
        }
    }
}

static uint32_t search_tile(struct search *s, uint32_t x0, uint32_t y0)
{
    const struct refiner *f = s->f;
    const uint32_t x1 = x0 + TILE < f->width ? x0 + TILE : f->width;
    const uint32_t y1 = y0 + TILE < f->height ? y0 + TILE : f->height;
    const struct tile tile = {x0, y0, x1, y1};
    uint32_t changes = 0;
    for (uint32_t y = y0; y < y1; y++)
        for (uint32_t x = x0; x < x1; x++) {
            struct move move = {.which = -1, .level = -1};
            float best = REFINE_LEAST;
            for (int k = 0; k < f->levels.count; k++) {
                const float gain = cost(s, x, y, k);
                if (gain < best) {
                    best = gain;
                    move.level = k;
                }
            }
            for (int i = 0; i < NEIGHBOURS && s->pairs; i++) {
                const uint32_t u = x + (uint32_t)neighbour[i][0], v = y + (uint32_t)neighbour[i][1];
                if (u >= x0 && u < x1 && v < y1)
                    try_pair(s, x, y, i, &best, &move);
            }
            if (move.level < 0)
                continue;
            change(s, &tile, x, y, move.level);
            changes++;
            if (move.which >= 0)
                change(s, &tile, x + (uint32_t)neighbour[move.which][0],
                       y + (uint32_t)neighbour[move.which][1], move.second);
        }
    return changes;
}

static void search_tiles(void *data, int thread)
{
    struct search *s = data;
    const uint32_t i0 = s->colour % COLOURS, j0 = s->colour / COLOURS;
    const uint32_t wide = s->across > i0 ? (s->across - i0 + COLOURS - 1) / COLOURS : 0;
    const uint32_t high = s->down > j0 ? (s->down - j0 + COLOURS - 1) / COLOURS : 0;
    (void)thread;
    for (uint_fast32_t t; (t = atomic_fetch_add(&s->ticket, 1)) < (uint_fast32_t)wide * high;) {
        const uint32_t i = i0 + (uint32_t)t % wide * COLOURS, j = j0 + (uint32_t)t / wide * COLOURS;
        atomic_fetch_add(&s->changes, search_tile(s, i * TILE, j * TILE));
    }
}

static ro_status keep_best(struct refiner *f, double error, double *best)
{
    if (!(error < *best))
        return RO_OK;
    *best = error;
    if (f->device)
        return refine_on_cuda->keep(f->device);
    memcpy(f->best, f->numbers, (size_t)f->width * f->height);
    return RO_OK;
}

static ro_status take_best(struct refiner *f)
{
    if (f->device)
        return refine_on_cuda->take_best(f->device);
    memcpy(f->numbers, f->best, (size_t)f->width * f->height);
    return RO_OK;
}

/* E of the numbers, whose residual stays in r; if it counts, the best of them are kept. */
static ro_status measure(struct refiner *f, bool counts, double *best)
{
    double error = 0;
    ro_status status = refine_light(f, f->table, f->levels.count);
    if (status == RO_OK)
        status = refine_arrive(f, f->q);
    if (status == RO_OK)
        status = refine_residual(f, counts ? &error : NULL);
    return status == RO_OK && counts ? keep_best(f, error, best) : status;
}

/* A colour of tiles, after D is computed anew; before the first one the best numbers are kept. */
static ro_status run_colour(struct search *s, double *best)
{
    struct refiner *f = s->f;
    struct thread_pool *pool = f->context->pool;
    ro_status status = measure(f, s->colour == 0, best);
    if (status == RO_OK)
        status = refine_back(f);
    if (status != RO_OK)
        return status;
    if (f->device)
        return refine_on_cuda->search(f->device,
                                      &(struct refine_colour){(int)s->colour, s->others, s->pairs});
    atomic_store(&s->ticket, 0);
    pool_run(pool, pool_threads(pool), search_tiles, s);
    return RO_OK;
}

static ro_status run_pass(struct search *s, double done, double share, double *best,
                          uint32_t *changes)
{
    ro_status status = RO_OK;
    atomic_store(&s->changes, 0);
    for (s->colour = 0; s->colour < COLOURS * COLOURS && status == RO_OK; s->colour++) {
        s->f->done = done + share * s->colour / (COLOURS * COLOURS);
        status = run_colour(s, best);
    }
    *changes = (uint32_t)atomic_load(&s->changes);
    return status == RO_OK && s->f->device ? refine_on_cuda->changes(s->f->device, changes)
                                           : status;
}

static ro_status open_search(struct search *s)
{
    struct refiner *f = s->f;
    find_others(s);
    ro_status status = refine_kernel_open(f, 0, &s->kernel[0]);
    if (status == RO_OK)
        status = refine_kernel_open(f, 1, &s->kernel[1]);
    if (status == RO_OK && f->device)
        status = refine_on_cuda->open_search(f->device, s->kernel[0].at[0][0],
                                             s->kernel[1].at[0][0], s->other[0]);
    return status;
}

ro_status refine_search(struct refiner *f)
{
    const uint64_t n = (uint64_t)f->width * f->height;
    const double before = f->done, share = f->share / f->passes;
    struct search *s = calloc(1, sizeof *s);
    double best = INFINITY;
    if (!s)
        return ro_context_fail(f->context, RO_E_MEMORY, "no memory for the search");
    s->f = f;
    s->across = (f->width + TILE - 1) / TILE;
    s->down = (f->height + TILE - 1) / TILE;
    ro_status status = open_search(s);
    int pass = 0;
    for (; pass < f->passes && status == RO_OK; pass++) {
        uint32_t changes = 0;
        status = run_pass(s, before + pass * share, share, &best, &changes);
        const bool few = (uint64_t)changes * 1024 < n;
        if (few && s->pairs)
            break;
        s->pairs |= few || pass >= 3;
    }
    if (status == RO_OK)
        status = measure(f, true, &best);
    if (status == RO_OK)
        status = take_best(f);
    if (status == RO_OK)
        status = refine_light(f, f->table, f->levels.count);
    f->passes = pass;
    free(s->kernel[0].at);
    free(s->kernel[1].at);
    free(s);
    return status;
}
