/* SPDX-License-Identifier: MIT */
/* Loops over the pixels of a row that a compiler makes vector code of; each file of kernels has
 * them for its instruction set. */
#ifndef RO_DENOISE_TRAINED_TRAINED_LOOPS_H
#define RO_DENOISE_TRAINED_TRAINED_LOOPS_H

#include "denoise/trained/trained_rows.h"

/* Puts two or four samples of each column side by side. */
static inline void zip_words(const uint16_t *restrict a, const uint16_t *restrict b,
                             uint32_t *restrict out, size_t count)
{
    for (size_t x = 0; x < count; x++)
        out[x] = a[x] | (uint32_t)b[x] << 16;
}

static inline void zip_bytes(const uint8_t *restrict a, const uint8_t *restrict b,
                             uint16_t *restrict out, size_t count)
{
    for (size_t x = 0; x < count; x++)
        out[x] = (uint16_t)(a[x] | b[x] << 8);
}

static inline void zip_four(const uint8_t *restrict a, const uint8_t *restrict b,
                            const uint8_t *restrict c, const uint8_t *restrict d,
                            uint32_t *restrict out, size_t count)
{
    for (size_t x = 0; x < count; x++)
        out[x] = a[x] | (uint32_t)b[x] << 8 | (uint32_t)c[x] << 16 | (uint32_t)d[x] << 24;
}

/* Rows 0 to 3 one above the other; and pixels of the last row, as far apart as taps are. */
static inline void gather_rows(enum trained_layout layout, uint32_t width, int distance,
                               const void *const rows[TRAINED_SIDE], void *const lines[3])
{
    const ptrdiff_t reach = (TRAINED_SIDE / 2) * distance;
    const size_t count = width + 2 * (size_t)reach;
    if (layout == TRAINED_PAIRS16) {
        const uint16_t *v[TRAINED_SIDE];
        uint32_t *out[3];
        for (int i = 0; i < TRAINED_SIDE; i++)
            v[i] = (const uint16_t *)rows[i] - reach;
        for (int i = 0; i < 3; i++)
            out[i] = (uint32_t *)lines[i] - reach;
        zip_words(v[0], v[1], out[0], count);
        zip_words(v[2], v[3], out[1], count);
        zip_words(v[4], v[4] + distance, out[2], count);
        return;
    }
    const uint8_t *v[TRAINED_SIDE];
    for (int i = 0; i < TRAINED_SIDE; i++)
        v[i] = (const uint8_t *)rows[i] - reach;
    if (layout == TRAINED_PAIRS8) {
        uint16_t *out[3];
        for (int i = 0; i < 3; i++)
            out[i] = (uint16_t *)lines[i] - reach;
        zip_bytes(v[0], v[1], out[0], count);
        zip_bytes(v[2], v[3], out[1], count);
        zip_bytes(v[4], v[4] + distance, out[2], count);
    } else {
        const uint8_t *e = v[4];
        zip_four(v[0], v[1], v[2], v[3], (uint32_t *)lines[0] - reach, count);
        zip_four(e, e + distance, e + 2 * distance, e + 3 * distance, (uint32_t *)lines[2] - reach,
                 count);
    }
}

static inline void add_sums(const int32_t *restrict change, const int32_t *restrict sum,
                            int32_t move, int32_t *restrict changed, size_t count)
{
    for (size_t x = 0; x < count; x++)
        changed[x] = change[x] + move * sum[x];
}

static inline void see_bytes(struct trained_plan plan, int32_t gain, const uint8_t *restrict seen,
                             const int32_t *restrict changed, uint8_t *restrict now, size_t count)
{
    for (size_t x = 0; x < count; x++)
        now[x] = (uint8_t)trained_now(&plan, gain, seen[x], changed[x]);
}

static inline void see_words(struct trained_plan plan, int32_t gain, const int16_t *restrict seen,
                             const int32_t *restrict changed, int16_t *restrict now, size_t count)
{
    for (size_t x = 0; x < count; x++)
        now[x] = (int16_t)trained_now(&plan, gain, seen[x], changed[x]);
}

/* D of the next step, and v of it. */
static inline void move_row(const struct trained_move *work)
{
    const size_t width = work->width;
    add_sums(work->change, work->sum, work->move, work->changed, width);
    if (!work->now)
        return;
    if (work->plan->bytes)
        see_bytes(*work->plan, work->gain, work->seen, work->changed, work->now, width);
    else
        see_words(*work->plan, work->gain, work->seen, work->changed, work->now, width);
}

#endif
