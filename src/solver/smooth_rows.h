/* SPDX-License-Identifier: MIT */
/*
 * Smoothing of lines: the definition, and all its variants; see smooth.h. `lanes` is a vector of
 * neighbouring lines, one in the code for any machine: lines do not know of each other.
 */
#ifndef RO_SOLVER_SMOOTH_ROWS_H
#define RO_SOLVER_SMOOTH_ROWS_H

#include "solver/smooth.h"

#include <math.h>

#define ALWAYS static inline __attribute__((always_inline))

#if defined(RO_SIMD_AVX512) || defined(RO_SIMD_AVX2) || defined(RO_SIMD_V128)
#include "simd/transpose.h"
enum { LANES = RO_VECTOR_BYTES / sizeof(float) };
typedef float lanes __attribute__((vector_size(RO_VECTOR_BYTES)));
typedef float loose __attribute__((vector_size(RO_VECTOR_BYTES), aligned(4), may_alias));
ALWAYS lanes all(float x) { return x - (lanes){0}; }
ALWAYS lanes load(const float *from) { return *(const loose *)from; }
ALWAYS void store(float *to, lanes x) { *(loose *)to = x; }
ALWAYS void transpose(lanes *square) { transpose32((whole *)square); }
#else
enum { LANES = 1 };
typedef float lanes;
ALWAYS lanes all(float x) { return x; }
ALWAYS lanes load(const float *from) { return *from; }
ALWAYS void store(float *to, lanes x) { *to = x; }
ALWAYS void transpose(lanes *square) { (void)square; }
#endif

ALWAYS lanes fma_of(lanes a, lanes b, lanes c)
{
#if defined(RO_SIMD_AVX512)
    return _mm512_fmadd_ps(a, b, c);
#elif defined(RO_SIMD_AVX2)
    return _mm256_fmadd_ps(a, b, c);
#elif defined(RO_SIMD_V128)
    return (lanes)v_fmadd_ps((v_f32)a, (v_f32)b, (v_f32)c);
#else
    return fmaf(a, b, c);
#endif
}

/* Lines side by side: WIDE vectors of them, nodes `step` floats apart. Both ends at once. */
enum { WIDE_COLUMNS = RO_SMOOTH_STRIP / LANES };

struct ends {
    lanes one, other;
};

ALWAYS void smooth_lines(const struct line_chain *chain, int wide, ptrdiff_t step, float *line)
{
    const int count = chain->count, half = count / 2;
    const float *const r = chain->r, *const q = chain->q;
    float *const end = line + (count - 1) * step;
    struct ends at[WIDE_COLUMNS];
    if (count == 1)
        return;
    for (int k = 0; k < wide; k++)
        at[k] = (struct ends){load(line + k * LANES), load(end + k * LANES)};
    for (int i = 1; i < half; i++) {
        const lanes by = all(r[i - 1]);
        float *const one = line + i * step, *const other = end - i * step;
        for (int k = 0; k < wide; k++) {
            at[k].one = fma_of(by, at[k].one, load(one + k * LANES));
            at[k].other = fma_of(by, at[k].other, load(other + k * LANES));
            store(one + k * LANES, at[k].one);
            store(other + k * LANES, at[k].other);
        }
    }
    const lanes p = all(chain->middle), crossed = all(chain->crossed);
    const lanes r_last = all(r[half - 1]), q_last = all(q[half - 1]);
    float *const one = line + (half - 1) * step, *const other = end - (half - 1) * step;
    for (int k = 0; k < wide; k++) {
        const struct ends f = at[k];
        if (count % 2) {
            float *const between = line + half * step + k * LANES;
            const lanes y = p * fma_of(r_last, f.one + f.other, load(between));
            store(between, y);
            at[k].one = fma_of(r_last, y, q_last * f.one);
            at[k].other = fma_of(r_last, y, q_last * f.other);
        } else {
            at[k].one = fma_of(p, f.one, crossed * f.other);
            at[k].other = fma_of(p, f.other, crossed * f.one);
        }
        store(one + k * LANES, at[k].one);
        store(other + k * LANES, at[k].other);
    }
    for (int i = half - 2; i >= 0; i--) {
        const lanes by = all(r[i]), own = all(q[i]);
        float *const up = line + i * step, *const down = end - i * step;
        for (int k = 0; k < wide; k++) {
            at[k].one = fma_of(by, at[k].one, own * load(up + k * LANES));
            at[k].other = fma_of(by, at[k].other, own * load(down + k * LANES));
            store(up + k * LANES, at[k].one);
            store(down + k * LANES, at[k].other);
        }
    }
}

/* Squares of LANES by LANES nodes, turned on the way; what is beyond the last row is its copy. */
ALWAYS void turn_in(int width, int rows, const float *from, ptrdiff_t stride, float *scratch)
{
    for (int x = 0; x < width; x += LANES) {
        lanes square[LANES];
        for (int i = 0; i < LANES; i++)
            square[i] = load(from + (i < rows ? i : rows - 1) * stride + x);
        transpose(square);
        for (int i = 0; i < LANES; i++)
            store(scratch + (x + i) * LANES, square[i]);
    }
}

ALWAYS void turn_out(int width, int rows, const float *scratch, float *to, ptrdiff_t stride)
{
    for (int x = 0; x < width; x += LANES) {
        lanes square[LANES];
        for (int i = 0; i < LANES; i++)
            square[i] = load(scratch + (x + i) * LANES);
        transpose(square);
        for (int i = 0; i < LANES && i < rows; i++)
            store(to + i * stride + x, square[i]);
    }
}

static void smooth_rows(const struct line_chain *chain, const struct smooth_plane *plane, int first,
                        int last, const float *from, float *to, float *scratch)
{
    for (int y = first; y < last; y += LANES) {
        const int rows = last - y < LANES ? last - y : LANES;
        turn_in(plane->width, rows, from + y * plane->stride, plane->stride, scratch);
        smooth_lines(chain, 1, LANES, scratch);
        turn_out(plane->width, rows, scratch, to + y * plane->stride, plane->stride);
    }
}

ALWAYS void weigh_strip(const struct smooth_plane *plane, int wide, const float *weight, float *to)
{
    for (int y = 0; y < plane->height; y++)
        for (int k = 0; k < wide; k++) {
            const ptrdiff_t at = y * plane->stride + k * LANES;
            store(to + at, load(to + at) * load(weight + at));
        }
}

static void smooth_columns(const struct line_chain *chain, const struct smooth_plane *plane,
                           int first, int last, int times, const float *weight, float *to)
{
    for (int x = first; x < last; x += RO_SMOOTH_STRIP) {
        const int columns = last - x < RO_SMOOTH_STRIP ? last - x : RO_SMOOTH_STRIP;
        const int wide = (columns + LANES - 1) / LANES;
        for (int i = 0; i < times; i++) {
            if (i > 0 && weight)
                weigh_strip(plane, wide, weight + x, to + x);
            if (wide == WIDE_COLUMNS)
                smooth_lines(chain, WIDE_COLUMNS, plane->stride, to + x);
            else
                for (int k = 0; k < wide; k++)
                    smooth_lines(chain, 1, plane->stride, to + x + k * LANES);
        }
    }
}

#define SMOOTH_KERNELS .together = LANES, .rows = smooth_rows, .columns = smooth_columns

#undef ALWAYS
#endif
