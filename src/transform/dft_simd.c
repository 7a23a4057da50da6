/* SPDX-License-Identifier: MIT */
/* Transforms of as many rows or columns at once as a vector has lanes. */
#include "simd/simd.h"

#include <string.h>

#include "transform/dft_lanes.h"
#include "transform/dft_panel.h"
#include "transform/dft_row.h"

enum { FOURS = LANES / 4 };

/* ---- Columns: lanes lie side by side --------------------------------------------------------- */

static void load_columns(float *panel, const float *from, size_t stride, int count, int n,
                         bool swapped)
{
    real *to = (real *)panel;
    for (int i = 0; i < n; i++, from += 2 * stride) {
        float some[2 * LANES] = {0};
        const float *row = from;
        if (count < LANES)
            row = memcpy(some, from, (size_t)count * 2 * sizeof *some);
        split(row, &to[2 * i + swapped], &to[2 * i + !swapped]);
    }
}

static void store_columns(const float *panel, float *to, size_t stride, int count, int n,
                          bool swapped)
{
    const real *from = (const real *)panel;
    for (int i = 0; i < n; i++, to += 2 * stride) {
        float some[2 * LANES];
        join(count < LANES ? some : to, from[2 * i + swapped], from[2 * i + !swapped]);
        if (count < LANES)
            memcpy(to, some, (size_t)count * 2 * sizeof *some);
    }
}

/* ---- Rows: four complex numbers of four rows are turned, for all lanes in turn -------------- */

RO_INLINE void turn_four(const __m256d from[4], __m256d to[4])
{
    const __m256d a = _mm256_unpacklo_pd(from[0], from[1]),
                  b = _mm256_unpackhi_pd(from[0], from[1]);
    const __m256d c = _mm256_unpacklo_pd(from[2], from[3]),
                  d = _mm256_unpackhi_pd(from[2], from[3]);
    to[0] = _mm256_permute2f128_pd(a, c, 0x20);
    to[1] = _mm256_permute2f128_pd(b, d, 0x20);
    to[2] = _mm256_permute2f128_pd(a, c, 0x31);
    to[3] = _mm256_permute2f128_pd(b, d, 0x31);
}

static void load_rows(float *panel, const float *from, size_t stride, int count, int n,
                      bool swapped)
{
    real *to = (real *)panel;
    for (int i = 0; i < n; i += 4) {
        float turned[4][2 * LANES];
        const int wide = n - i < 4 ? n - i : 4;
        for (int four = 0; four < FOURS; four++) {
            __m256d row[4], column[4];
            for (int r = 0; r < 4; r++) {
                const float *at = from + 2 * (stride * (size_t)(4 * four + r) + (size_t)i);
                double some[4] = {0};
                if (4 * four + r >= count)
                    row[r] = _mm256_setzero_pd();
                else if (wide == 4)
                    row[r] = (__m256d)_mm256_loadu_ps(at);
                else
                    row[r] = _mm256_loadu_pd(memcpy(some, at, (size_t)wide * sizeof *some));
            }
            turn_four(row, column);
            for (int c = 0; c < 4; c++)
                _mm256_storeu_ps(turned[c] + 8 * four, (__m256)column[c]);
        }
        for (int c = 0; c < wide; c++)
            split(turned[c], &to[2 * (i + c) + swapped], &to[2 * (i + c) + !swapped]);
    }
}

static void store_rows(const float *panel, float *to, size_t stride, int count, int n, bool swapped)
{
    const real *from = (const real *)panel;
    for (int i = 0; i < n; i += 4) {
        float joined[4][2 * LANES];
        const int wide = n - i < 4 ? n - i : 4;
        for (int c = 0; c < wide; c++)
            join(joined[c], from[2 * (i + c) + swapped], from[2 * (i + c) + !swapped]);
        for (int four = 0; four < FOURS; four++) {
            __m256d column[4], row[4];
            for (int c = 0; c < 4; c++)
                column[c] =
                    c < wide ? (__m256d)_mm256_loadu_ps(joined[c] + 8 * four) : _mm256_setzero_pd();
            turn_four(column, row);
            for (int r = 0; r < 4 && 4 * four + r < count; r++) {
                float *at = to + 2 * (stride * (size_t)(4 * four + r) + (size_t)i);
                double some[4];
                if (wide == 4) {
                    _mm256_storeu_ps(at, (__m256)row[r]);
                } else {
                    _mm256_storeu_pd(some, row[r]);
                    memcpy(at, some, (size_t)wide * sizeof *some);
                }
            }
        }
    }
}

const struct dft_kernel RO_SIMD_NAME(dft_kernel) = {
    RO_SIMD_CPU, LANES, load_rows, load_columns, store_rows, store_columns, run_panel, run_row};
