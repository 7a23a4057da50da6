/* SPDX-License-Identifier: MIT */
/*
 * One transform by all lanes, for rows as they lie in memory: lanes are neighbours of a part, p of
 * the first and k of the second, and between them blocks of LANES x LANES numbers change sides.
 *
 *     row --split--> [j][p] --first part--> [k][p] --turned--> [p][k] --second--> [l][k] --> row
 *
 * A row needs room for a few vectors behind it: what lanes beyond a part write there is overwritten
 * by what follows, or nobody's.
 */
#ifndef RO_FFT_DFT_ROW_H
#define RO_FFT_DFT_ROW_H

#include "fft/dft_panel.h"

/* from[r * stride] to to[c * across], each a vector every second of which counts. */
#if defined(RO_SIMD_AVX512)
RO_INLINE void turn_block(const real *from, size_t stride, int rows, real *to, size_t across,
                          int columns)
{
    __m512 a[16], b[16];
    RO_UNROLL
    for (int r = 0; r < 16; r++)
        a[r] = r < rows ? (__m512)from[(size_t)r * stride] : _mm512_setzero_ps();
    RO_UNROLL
    for (int r = 0; r < 16; r += 2) {
        b[r] = _mm512_unpacklo_ps(a[r], a[r + 1]);
        b[r + 1] = _mm512_unpackhi_ps(a[r], a[r + 1]);
    }
    RO_UNROLL
    for (int r = 0; r < 16; r += 4)
        RO_UNROLL
    for (int h = 0; h < 2; h++) {
        const __m512d x = (__m512d)b[r + h], y = (__m512d)b[r + 2 + h];
        a[r + 2 * h] = (__m512)_mm512_unpacklo_pd(x, y);
        a[r + 2 * h + 1] = (__m512)_mm512_unpackhi_pd(x, y);
    }
    /* a[4 g + c]: column c of each four, rows 4 g to 4 g + 3 */
    RO_UNROLL
    for (int c = 0; c < 4; c++) {
        const __m512 x = _mm512_shuffle_f32x4(a[c], a[4 + c], 0x44);
        const __m512 y = _mm512_shuffle_f32x4(a[c], a[4 + c], 0xee);
        const __m512 z = _mm512_shuffle_f32x4(a[8 + c], a[12 + c], 0x44);
        const __m512 w = _mm512_shuffle_f32x4(a[8 + c], a[12 + c], 0xee);
        b[c] = _mm512_shuffle_f32x4(x, z, 0x88);
        b[4 + c] = _mm512_shuffle_f32x4(x, z, 0xdd);
        b[8 + c] = _mm512_shuffle_f32x4(y, w, 0x88);
        b[12 + c] = _mm512_shuffle_f32x4(y, w, 0xdd);
    }
    RO_UNROLL
    for (int c = 0; c < 16; c++)
        if (c < columns)
            to[(size_t)c * across] = (real)b[c];
}
#elif defined(RO_SIMD_V128)
RO_INLINE void turn_block(const real *from, size_t stride, int rows, real *to, size_t across,
                          int columns)
{
    v_all a[4], b[4];
    RO_UNROLL
    for (int r = 0; r < 4; r++)
        a[r] = r < rows ? (v_all)from[(size_t)r * stride] : (v_all){0};
    RO_UNROLL
    for (int r = 0; r < 4; r += 2) {
        b[r] = v_unpacklo_epi32(a[r], a[r + 1]);
        b[r + 1] = v_unpackhi_epi32(a[r], a[r + 1]);
    }
    a[0] = v_unpacklo_epi64(b[0], b[2]);
    a[1] = v_unpackhi_epi64(b[0], b[2]);
    a[2] = v_unpacklo_epi64(b[1], b[3]);
    a[3] = v_unpackhi_epi64(b[1], b[3]);
    RO_UNROLL
    for (int c = 0; c < 4; c++)
        if (c < columns)
            to[(size_t)c * across] = (real)a[c];
}
#else
RO_INLINE void turn_block(const real *from, size_t stride, int rows, real *to, size_t across,
                          int columns)
{
    __m256 a[8], b[8];
    RO_UNROLL
    for (int r = 0; r < 8; r++)
        a[r] = r < rows ? (__m256)from[(size_t)r * stride] : _mm256_setzero_ps();
    RO_UNROLL
    for (int r = 0; r < 8; r += 2) {
        b[r] = _mm256_unpacklo_ps(a[r], a[r + 1]);
        b[r + 1] = _mm256_unpackhi_ps(a[r], a[r + 1]);
    }
    RO_UNROLL
    for (int r = 0; r < 8; r += 4)
        RO_UNROLL
    for (int h = 0; h < 2; h++) {
        const __m256d x = (__m256d)b[r + h], y = (__m256d)b[r + 2 + h];
        a[r + 2 * h] = (__m256)_mm256_unpacklo_pd(x, y);
        a[r + 2 * h + 1] = (__m256)_mm256_unpackhi_pd(x, y);
    }
    RO_UNROLL
    for (int c = 0; c < 4; c++) {
        b[c] = _mm256_permute2f128_ps(a[c], a[4 + c], 0x20);
        b[4 + c] = _mm256_permute2f128_ps(a[c], a[4 + c], 0x31);
    }
    RO_UNROLL
    for (int c = 0; c < 8; c++)
        if (c < columns)
            to[(size_t)c * across] = (real)b[c];
}
#endif

RO_INLINE int least(int a, int b) { return a < b ? a : b; }

static void turn_blocks(const real *from, int rows, real *to, int columns)
{
    const int g1 = (rows + LANES - 1) / LANES, g2 = (columns + LANES - 1) / LANES;
    for (int r = 0; r < g1; r++)
        for (int c = 0; c < g2; c++)
            for (int part = 0; part < 2; part++) {
                const real *at = from + 2 * ((size_t)r * LANES * (size_t)g2 + (size_t)c) + part;
                real *there = to + 2 * ((size_t)c * LANES * (size_t)g1 + (size_t)r) + part;
                const int high = least(rows - r * LANES, LANES);
                const int wide = least(columns - c * LANES, LANES);
                if (high == LANES && wide == LANES)
                    turn_block(at, 2 * (size_t)g2, LANES, there, 2 * (size_t)g1, LANES);
                else
                    turn_block(at, 2 * (size_t)g2, high, there, 2 * (size_t)g1, wide);
            }
}

static void run_row(const struct dft *plan, float *row, float *spare)
{
    const int n1 = plan->first.n, n2 = plan->second.n;
    const int g1 = (n1 + LANES - 1) / LANES, g2 = (n2 + LANES - 1) / LANES;
    const size_t wide = 2 * (size_t)g2, narrow = 2 * (size_t)g1;
    const size_t numbers =
        wide * (size_t)n1 > narrow * (size_t)n2 ? wide * (size_t)n1 : narrow * (size_t)n2;
    real *a = (real *)spare, *b = a + numbers;
    real *buffers[2] = {b + numbers, b + numbers + 2 * DFT_SHORT};
    for (int j = 0; j < n1; j++)
        for (int g = 0; g < g2; g++) {
            real *to = a + (size_t)j * wide + 2 * g;
            split(row + 2 * ((size_t)j * (size_t)n2 + (size_t)g * LANES), to, to + 1);
        }
    for (int g = 0; g < g2; g++)
        run_short(&plan->first,
                  (struct places){.x = a + 2 * g,
                                  .in = (size_t)g2,
                                  .y = b + 2 * g,
                                  .out = (size_t)g2,
                                  .across = plan->across + (size_t)g * LANES,
                                  .gap = dft_across_gap(n2),
                                  .keeps = g == 0},
                  buffers);
    turn_blocks(b, n1, a, n2);
    for (int g = 0; g < g1; g++)
        run_short(
            &plan->second,
            (struct places){.x = a + 2 * g, .in = (size_t)g1, .y = b + 2 * g, .out = (size_t)g1},
            buffers);
    for (int l = 0; l < n2; l++)
        for (int g = 0; g < g1; g++) {
            const real *from = b + (size_t)l * narrow + 2 * g;
            join(row + 2 * ((size_t)l * (size_t)n1 + (size_t)g * LANES), from[0], from[1]);
        }
}

#endif
