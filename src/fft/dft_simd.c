/* SPDX-License-Identifier: MIT */
/* Transforms of as many rows or columns at once as a vector has lanes. */
#include "simd/simd.h"

#include <string.h>

#include "fft/dft_lanes.h"
#include "fft/dft_panel.h"
#include "fft/dft_row.h"

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

#if defined(RO_SIMD_V128)
typedef struct {
    v_all low, high;
} four;
RO_INLINE four load_four(const void *from)
{
    return (four){v_load(from), v_load((const char *)from + 16)};
}
RO_INLINE void store_four(void *to, four v)
{
    v_store(to, v.low);
    v_store((char *)to + 16, v.high);
}
RO_INLINE four no_four(void) { return (four){{0}, {0}}; }
RO_INLINE void turn_four(const four from[4], four to[4])
{
    to[0] = (four){v_unpacklo_epi64(from[0].low, from[1].low),
                   v_unpacklo_epi64(from[2].low, from[3].low)};
    to[1] = (four){v_unpackhi_epi64(from[0].low, from[1].low),
                   v_unpackhi_epi64(from[2].low, from[3].low)};
    to[2] = (four){v_unpacklo_epi64(from[0].high, from[1].high),
                   v_unpacklo_epi64(from[2].high, from[3].high)};
    to[3] = (four){v_unpackhi_epi64(from[0].high, from[1].high),
                   v_unpackhi_epi64(from[2].high, from[3].high)};
}
#else
typedef __m256d four;
RO_INLINE four load_four(const void *from) { return _mm256_loadu_pd(from); }
RO_INLINE void store_four(void *to, four v) { _mm256_storeu_pd(to, v); }
RO_INLINE four no_four(void) { return _mm256_setzero_pd(); }
RO_INLINE void turn_four(const four from[4], four to[4])
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
#endif

static void load_rows(float *panel, const float *from, size_t stride, int count, int n,
                      bool swapped)
{
    real *to = (real *)panel;
    for (int i = 0; i < n; i += 4) {
        float turned[4][2 * LANES];
        const int wide = n - i < 4 ? n - i : 4;
        for (int group = 0; group < FOURS; group++) {
            four row[4], column[4];
            for (int r = 0; r < 4; r++) {
                const float *at = from + 2 * (stride * (size_t)(4 * group + r) + (size_t)i);
                double some[4] = {0};
                if (4 * group + r >= count)
                    row[r] = no_four();
                else if (wide == 4)
                    row[r] = load_four(at);
                else
                    row[r] = load_four(memcpy(some, at, (size_t)wide * sizeof *some));
            }
            turn_four(row, column);
            for (int c = 0; c < 4; c++)
                store_four(turned[c] + 8 * group, column[c]);
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
        for (int group = 0; group < FOURS; group++) {
            four column[4], row[4];
            for (int c = 0; c < 4; c++)
                column[c] = c < wide ? load_four(joined[c] + 8 * group) : no_four();
            turn_four(column, row);
            for (int r = 0; r < 4 && 4 * group + r < count; r++) {
                float *at = to + 2 * (stride * (size_t)(4 * group + r) + (size_t)i);
                double some[4];
                if (wide == 4) {
                    store_four(at, row[r]);
                } else {
                    store_four(some, row[r]);
                    memcpy(at, some, (size_t)wide * sizeof *some);
                }
            }
        }
    }
}

const struct dft_kernel RO_SIMD_NAME(dft_kernel) = {
    RO_SIMD_CPU, LANES, load_rows, load_columns, store_rows, store_columns, run_panel, run_row};
