/* SPDX-License-Identifier: MIT */
/*
 * Level-set steps row by row. A row kernel computes the next values of some pixels of a row from
 * the rows above and below; rows have a sample to look at on either side. The loops here are plain
 * C that compilers turn into vector code; levelset_simd.c has them once per instruction set, with a
 * kernel in 16-bit lanes beside them.
 */
#ifndef RO_SEGMENT_LEVELSET_LEVELSET_ROWS_H
#define RO_SEGMENT_LEVELSET_LEVELSET_ROWS_H

#include "roundoff/core.h"
#include "segment/levelset/levelset.h"
#include "simd/variants.h"

struct level_row {
    const char *above, *row, *below; /* at the first pixel */
    const char *speed, *vx, *vy;
    char *out;
    uint32_t count;
};

/* `step` gives LEVEL_ bits. It may read and write up to RO_LEVEL_OVERRUN pixels more
 * than it was asked for. */
enum { RO_LEVEL_OVERRUN = 31 };
struct level_kernel {
    ro_cpu cpu;
    bool (*supports)(const struct front_level *level);
    unsigned (*step)(const struct front_level *level, const struct level_row *row);
};

/* The fastest for this level set, at most of the instruction set `best`. */
const struct level_kernel *level_kernel_find(const struct front_level *level, ro_cpu best);

/* The kernels of an instruction set, the fastest first; the last takes all level sets. */
struct level_kernels {
    struct level_kernel list[5];
};
RO_VARIANTS_DECLARE(const struct level_kernels, level_kernels);
extern const struct level_kernel level_plain; /* the definition, row by row */

/* ---- Everything, by the definition ----------------------------------------------------------- */

/* LEVEL_ bits from all bits that differ between pixels before and after a step. */
static inline unsigned level_moves(int32_t differ)
{
    return (differ != 0 ? LEVEL_MOVED : 0) | (differ < 0 ? LEVEL_CROSSED : 0);
}

static inline __attribute__((always_inline)) unsigned
level_row_any(const struct front_level *any, const struct level_row *row, const bool is_real,
              const bool carried, const bool curved, const int a)
{
    struct front_level level = *any; /* what is known here is known in the loop */
    level.a = a;
    level.moved_by_field = carried;
    level.curvature = curved ? any->curvature : 0;
    const ptrdiff_t count = row->count;
    int32_t moved = 0;
    if (is_real) {
        const float *restrict above = (const float *)row->above;
        const float *restrict here = (const float *)row->row;
        const float *restrict below = (const float *)row->below;
        const float *restrict speed = (const float *)row->speed;
        const float *restrict vx = carried ? (const float *)row->vx : speed;
        const float *restrict vy = carried ? (const float *)row->vy : speed;
        float *restrict out = (float *)row->out;
        for (ptrdiff_t x = 0; x < count; x++) {
            const struct level_window_real w = {here[x],      here[x - 1],  here[x + 1],
                                                above[x],     below[x],     above[x - 1],
                                                above[x + 1], below[x - 1], below[x + 1]};
            const float next = level_step_real(&level, &w, speed[x], vx[x], vy[x]);
            out[x] = next;
            moved |= next != w.p;
        }
    } else {
        const int16_t *restrict above = (const int16_t *)row->above;
        const int16_t *restrict here = (const int16_t *)row->row;
        const int16_t *restrict below = (const int16_t *)row->below;
        const int16_t *restrict speed = (const int16_t *)row->speed;
        const int16_t *restrict vx = carried ? (const int16_t *)row->vx : speed;
        const int16_t *restrict vy = carried ? (const int16_t *)row->vy : speed;
        int16_t *restrict out = (int16_t *)row->out;
        for (ptrdiff_t x = 0; x < count; x++) {
            const struct level_window w = {here[x],      here[x - 1],  here[x + 1],
                                           above[x],     below[x],     above[x - 1],
                                           above[x + 1], below[x - 1], below[x + 1]};
            const int32_t next = level_step(&level, &w, speed[x], vx[x], vy[x]);
            out[x] = (int16_t)next;
            moved |= next ^ w.p;
        }
        return level_moves(moved);
    }
    return moved != 0;
}

static inline __attribute__((always_inline)) unsigned
level_row_plain_of(const struct front_level *level, const struct level_row *row, const int a)
{
    const bool carried = level->moved_by_field;
    if (level->curvature > 0)
        return level->real ? carried ? level_row_any(level, row, true, true, true, a)
                                     : level_row_any(level, row, true, false, true, a)
               : carried ? level_row_any(level, row, false, true, true, a)
                           : level_row_any(level, row, false, false, true, a);
    return level->real ? level_row_any(level, row, true, true, false, a)
                       : level_row_any(level, row, false, true, false, a);
}

static inline unsigned level_row_plain(const struct front_level *level, const struct level_row *row)
{
    return level->a == 43  ? level_row_plain_of(level, row, 43)
           : level->a == 0 ? level_row_plain_of(level, row, 0)
                           : level_row_plain_of(level, row, level->a);
}

/* ---- Integers in 32-bit lanes ---------------------------------------------------------------- */

/*
 * flux = |F| N with |F| N <= 2^k D, D the largest difference, so that the result needs no clamping.
 * Of 16-bit numbers it has 38 bits: N is cut into its upper part and seven bits, and
 * floor((|F| N + r) / 2^22) = floor((|F| (N >> 7) + floor((|F| (N & 127) + r) / 2^7)) / 2^15).
 *
 * The root of up to 2^26, times 128: a float root is right within one, and the remainder tells.
 */
static inline __attribute__((always_inline)) unsigned level_row_whole(const struct level_row *row,
                                                                      const int a, const int bits)
{
    const int16_t *restrict above = (const int16_t *)row->above;
    const int16_t *restrict here = (const int16_t *)row->row;
    const int16_t *restrict below = (const int16_t *)row->below;
    const int16_t *restrict speed = (const int16_t *)row->speed;
    int16_t *restrict out = (int16_t *)row->out;
    const int k = bits + 7;
    const ptrdiff_t count = row->count;
    int32_t moved = 0;
    for (ptrdiff_t x = 0; x < count; x++) {
        const int32_t p = here[x], f = speed[x], turn = f >> 31;
        const int32_t dl = ((p - here[x - 1]) ^ turn) - turn;
        const int32_t dr = ((p - here[x + 1]) ^ turn) - turn;
        const int32_t du = ((p - above[x]) ^ turn) - turn;
        const int32_t dd = ((p - below[x]) ^ turn) - turn;
        const int32_t l = dl > 0 ? dl : 0, r = dr > 0 ? dr : 0;
        const int32_t u = du > 0 ? du : 0, d = dd > 0 ? dd : 0;
        uint32_t size;
        if (a) {
            const int32_t lr = l > r ? l : r, ud = u > d ? u : d, most = lr > ud ? lr : ud;
            size = (uint32_t)(a * (l + r + u + d) + (128 - a) * most);
        } else if (bits < 15) {
            const uint32_t square = (uint32_t)(l * l + r * r + u * u + d * d);
            int32_t root = (int32_t)(128 * sqrtf((float)(int32_t)square));
            const int32_t rest = (int32_t)((square << 14) - (uint32_t)root * (uint32_t)root);
            root += (rest > 2 * root) - (rest < 0);
            size = (uint32_t)root;
        } else {
            const double square = ((double)l * l + (double)r * r) + ((double)u * u + (double)d * d);
            size = (uint32_t)(int32_t)(128 * sqrt(square));
        }
        const uint32_t rate = (uint32_t)((f ^ turn) - turn);
        const uint32_t half = (1u << (k - 1)) - (uint32_t)(turn & 1);
        uint32_t change;
        if (bits < 15)
            change = (rate * size + half) >> k;
        else
            change = (rate * (size >> 7) + ((rate * (size & 127) + half) >> 7)) >> 15;
        const int32_t next = p - (((int32_t)change ^ turn) - turn);
        out[x] = (int16_t)next;
        moved |= next ^ p;
    }
    return level_moves(moved);
}

/* ---- Floats ---------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) unsigned
level_row_real(const struct front_level *level, const struct level_row *row, const int a)
{
    const float *restrict above = (const float *)row->above;
    const float *restrict here = (const float *)row->row;
    const float *restrict below = (const float *)row->below;
    const float *restrict speed = (const float *)row->speed;
    float *restrict out = (float *)row->out;
    const float min = (float)level->min, max = (float)level->max;
    const float sum_part = (float)a / 128, most_part = (float)(128 - a) / 128;
    const ptrdiff_t count = row->count;
    int32_t moved = 0;
    for (ptrdiff_t x = 0; x < count; x++) {
        const float p = here[x], f = speed[x], side = f >= 0 ? 1.0f : -1.0f;
        const float dl = side * (p - here[x - 1]), dr = side * (p - here[x + 1]);
        const float du = side * (p - above[x]), dd = side * (p - below[x]);
        const float l = dl > 0 ? dl : 0, r = dr > 0 ? dr : 0;
        const float u = du > 0 ? du : 0, d = dd > 0 ? dd : 0;
        float size;
        if (a) {
            const float lr = l > r ? l : r, ud = u > d ? u : d, most = lr > ud ? lr : ud;
            size = sum_part * ((l + r) + (u + d)) + most_part * most;
        } else {
            size = sqrtf((l * l + r * r) + (u * u + d * d));
        }
        float next = p - f * size;
        next = next < min ? min : next;
        next = next > max ? max : next;
        out[x] = next;
        moved |= next != p;
    }
    return moved != 0;
}

/* Kernels that know the Engquist-Osher flux only. */
static inline bool level_is_simple(const struct front_level *level)
{
    return !level->moved_by_field && !(level->curvature > 0);
}

/* What the kernels of all instruction sets support. */
static inline bool level_is_any(const struct front_level *level)
{
    (void)level;
    return true;
}
static inline bool level_is_whole(const struct front_level *level)
{
    return !level->real && level_is_simple(level);
}
static inline bool level_is_real(const struct front_level *level)
{
    return level->real && level_is_simple(level);
}

/* The norm and the bits as constants, where they are usual ones. */
static inline unsigned level_row_of_norm(const struct front_level *level,
                                         const struct level_row *row)
{
    if (level->bits == 15)
        return level->a == 43  ? level_row_whole(row, 43, 15)
               : level->a == 0 ? level_row_whole(row, 0, 15)
                               : level_row_whole(row, level->a, 15);
    if (level->bits == 11)
        return level->a == 43  ? level_row_whole(row, 43, 11)
               : level->a == 0 ? level_row_whole(row, 0, 11)
                               : level_row_whole(row, level->a, 11);
    return level->a == 0 ? level_row_whole(row, 0, level->bits)
                         : level_row_whole(row, level->a, level->bits);
}

static inline unsigned level_row_of_norm_real(const struct front_level *level,
                                              const struct level_row *row)
{
    return level->a == 43  ? level_row_real(level, row, 43)
           : level->a == 0 ? level_row_real(level, row, 0)
                           : level_row_real(level, row, level->a);
}

#endif
