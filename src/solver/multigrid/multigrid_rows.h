/* SPDX-License-Identifier: MIT */
/*
 * The arithmetic of multigrid on rows: the definition, and all its variants. Every node's value
 * comes from the operations written here in this order, so that vectors of any width, and CUDA,
 * give the same bits. Loops are plain, for the compiler to turn into vectors.
 */
#ifndef RO_SOLVER_MULTIGRID_MULTIGRID_ROWS_H
#define RO_SOLVER_MULTIGRID_MULTIGRID_ROWS_H

#include "simd/fused.h"
#include "solver/each_node.h"
#include "solver/multigrid/multigrid.h"

#include <math.h>
#if defined(RO_SIMD_AVX512)
#include <immintrin.h>
#endif

#define ALWAYS static inline __attribute__((always_inline))

ALWAYS void mirror_ghosts(int width, float *row)
{
    row[-1] = row[mirror_index(-1, width)];
    row[width] = row[mirror_index(width, width)];
}

/* What is made of three rows of x and one of b: b - A x, a Jacobi step, or such a step from x = s
 * b, the rows of which are b's. */
enum step { RESIDUAL, RELAX, BEGIN };

#if defined(RO_SIMD_AVX512)

/* The sixteen floats from x + i on, of which the row has those before `end` only. */
ALWAYS __m512 some_of(const float *x, int i, int end)
{
    const int count = end - i;
    if (count >= 16)
        return _mm512_loadu_ps(x + i);
    return _mm512_maskz_loadu_ps((__mmask16)(count > 0 ? (1u << count) - 1 : 0), x + i);
}

/* V and x of neighbouring columns come from vectors that are there already. */
ALWAYS void step_columns(const struct stencil k, int width, const float *restrict above,
                         const float *restrict x, const float *restrict below,
                         const float *restrict b, float *restrict out, const enum step step)
{
    const __m512 ky = _mm512_set1_ps(k.ky), kh = _mm512_set1_ps(k.kh);
    const __m512 kc = _mm512_set1_ps(k.kc), s = _mm512_set1_ps(k.s);
    const __m512 by = step == BEGIN ? s : _mm512_set1_ps(1);
    __m512 x0 = _mm512_set1_ps(x[-1]) * by, x1 = some_of(x, 0, width + 1) * by;
    __m512 v0 = (_mm512_set1_ps(above[-1]) * by - x0) + (_mm512_set1_ps(below[-1]) * by - x0);
    __m512 v1 = (some_of(above, 0, width + 1) * by - x1) + (some_of(below, 0, width + 1) * by - x1);
    for (int i = 0; i < width; i += 16) {
        __m512 x2 = some_of(x, i + 16, width + 1);
        __m512 above2 = some_of(above, i + 16, width + 1);
        __m512 below2 = some_of(below, i + 16, width + 1);
        if (step == BEGIN) {
            x2 *= s;
            above2 *= s;
            below2 *= s;
        }
        const __m512 v2 = (above2 - x2) + (below2 - x2);
        const __m512i xi = _mm512_castps_si512(x1), vi = _mm512_castps_si512(v1);
        const __m512 left = (__m512)_mm512_alignr_epi32(xi, _mm512_castps_si512(x0), 15);
        const __m512 right = (__m512)_mm512_alignr_epi32(_mm512_castps_si512(x2), xi, 1);
        const __m512 v_left = (__m512)_mm512_alignr_epi32(vi, _mm512_castps_si512(v0), 15);
        const __m512 v_right = (__m512)_mm512_alignr_epi32(_mm512_castps_si512(v2), vi, 1);
        const __m512 h = (left - x1) + (right - x1);
        __m512 r = _mm512_fmadd_ps(kh, h, some_of(b, i, width) - x1);
        r = _mm512_fmadd_ps(kc, v_left + v_right, _mm512_fmadd_ps(ky, v1, r));
        if (step != RESIDUAL)
            r = _mm512_fmadd_ps(s, r, x1);
        if (width - i >= 16)
            _mm512_storeu_ps(out + i, r);
        else
            _mm512_mask_storeu_ps(out + i, (__mmask16)((1u << (width - i)) - 1), r);
        x0 = x1;
        v0 = v1;
        x1 = x2;
        v1 = v2;
    }
}

#else

enum { PIECE = 512 };

/* A piece of a row. V is needed of three columns: it is kept in a line of its own. */
ALWAYS void step_piece(const struct stencil k, int count, const float *restrict above,
                       const float *restrict x, const float *restrict below,
                       const float *restrict b, float *restrict out, const enum step step)
{
    _Alignas(64) float line[PIECE + 32], scaled[PIECE + 32];
    float *restrict v = line + 16;
    if (step == BEGIN) {
        float *restrict to = scaled + 16;
        for (int i = -1; i <= count; i++) {
            to[i] = k.s * x[i];
            v[i] = (k.s * above[i] - to[i]) + (k.s * below[i] - to[i]);
        }
        x = to;
    } else {
        for (int i = -1; i <= count; i++)
            v[i] = (above[i] - x[i]) + (below[i] - x[i]);
    }
    EACH_NODE
    for (int i = 0; i < count; i++) {
        float h = (x[i - 1] - x[i]) + (x[i + 1] - x[i]);
        float r =
            fma_f32(k.kc, v[i - 1] + v[i + 1], fma_f32(k.ky, v[i], fma_f32(k.kh, h, b[i] - x[i])));
        out[i] = step == RESIDUAL ? r : fma_f32(k.s, r, x[i]);
    }
}

ALWAYS void step_columns(const struct stencil k, int width, const float *restrict above,
                         const float *restrict x, const float *restrict below,
                         const float *restrict b, float *restrict out, const enum step step)
{
    for (int at = 0; at < width; at += PIECE)
        step_piece(k, width - at < PIECE ? width - at : PIECE, above + at, x + at, below + at,
                   b + at, out + at, step);
}

#endif

static void relax(const struct stencil *stencil, int width, const float *above, const float *x,
                  const float *below, const float *b, float *out)
{
    step_columns(*stencil, width, above, x, below, b, out, RELAX);
    mirror_ghosts(width, out);
}

static void residual(const struct stencil *stencil, int width, const float *above, const float *x,
                     const float *below, const float *b, float *out)
{
    step_columns(*stencil, width, above, x, below, b, out, RESIDUAL);
    mirror_ghosts(width, out);
}

static void begin(const struct stencil *stencil, int width, const float *above, const float *b,
                  const float *below, float *out)
{
    step_columns(*stencil, width, above, b, below, b, out, BEGIN);
    mirror_ghosts(width, out);
}

static void restrict_row(const struct grid_axis *axis, const float *const rows[4],
                         const float weights[4], float *restrict line, float *restrict out)
{
    const float *restrict r0 = rows[0], *restrict r1 = rows[1], *restrict r2 = rows[2],
                          *restrict r3 = rows[3];
    const float w0 = weights[0], w1 = weights[1], w2 = weights[2], w3 = weights[3];
    if (w3 == 0)
        for (int i = -1; i <= axis->fine; i++)
            line[i] = fma_f32(w2, r2[i], fma_f32(w1, r1[i], w0 * r0[i]));
    else
        for (int i = -1; i <= axis->fine; i++)
            line[i] = fma_f32(w3, r3[i], fma_f32(w2, r2[i], fma_f32(w1, r1[i], w0 * r0[i])));
    if (axis->halved) { /* three weights, the same everywhere */
        EACH_NODE
        for (int i = 0; i < axis->coarse; i++)
            out[i] = fma_f32(0.25f, line[2 * i + 1],
                             fma_f32(0.5f, line[2 * i], 0.25f * line[2 * i - 1]));
    } else {
        for (int i = 0; i < axis->coarse; i++) {
            const float *restrict from = line + axis->first[i];
            out[i] = fma_f32(
                axis->weight[3][i], from[3],
                fma_f32(axis->weight[2][i], from[2],
                        fma_f32(axis->weight[1][i], from[1], axis->weight[0][i] * from[0])));
        }
    }
    mirror_ghosts(axis->coarse, out);
}

static void prolong_row(const struct grid_axis *axis, const float *restrict low,
                        const float *restrict high, float part, const float *restrict x,
                        float *restrict line, float *restrict out)
{
    for (int i = 0; i <= axis->coarse; i++)
        line[i] = fma_f32(part, high[i] - low[i], low[i]);
    if (axis->halved && x) {
        EACH_NODE
        for (int i = 0; i < axis->coarse - 1; i++) {
            out[2 * i] = x[2 * i] + line[i];
            out[2 * i + 1] = x[2 * i + 1] + fma_f32(0.5f, line[i + 1] - line[i], line[i]);
        }
        out[axis->fine - 1] = x[axis->fine - 1] + line[axis->coarse - 1];
    } else {
        for (int i = 0; i < axis->fine; i++) {
            int at = axis->low[i];
            float value = fma_f32(axis->part[i], line[at + 1] - line[at], line[at]);
            out[i] = x ? x[i] + value : value;
        }
    }
    mirror_ghosts(axis->fine, out);
}

static void product(int rows, int terms, int width, const float *restrict a, ptrdiff_t a_stride,
                    const float *restrict b, ptrdiff_t b_stride, float *restrict out,
                    ptrdiff_t out_stride)
{
    for (int y = 0; y < rows; y++) {
        float *restrict to = out + y * out_stride;
        for (int x = 0; x < width; x++)
            to[x] = 0;
        for (int k = 0; k < terms; k++) {
            const float *restrict from = b + k * b_stride;
            const float by = a[y * a_stride + k];
            for (int x = 0; x < width; x++)
                to[x] = fma_f32(by, from[x], to[x]);
        }
    }
}

#define GRID_KERNELS                                                                               \
    .relax = relax, .residual = residual, .begin = begin, .restrict_row = restrict_row,            \
    .prolong_row = prolong_row, .product = product

#undef ALWAYS
#endif
