/* SPDX-License-Identifier: MIT */
/* The bodies of lines.h, to be included by each of its compilations. */
#ifndef RO_DENOISE_IMPLICIT_LINES_BODY_H
#define RO_DENOISE_IMPLICIT_LINES_BODY_H

#include "core/random.h"
#include "denoise/implicit/lines.h"

#include <string.h>

/* ---- Elements ------------------------------------------------------------------------------- */

/* As element_weights: places of norms in the table, and entries. */
static void entries(const struct step_weights *d, const int32_t *table, const double *norm,
                    int64_t count, int32_t *entry)
{
    const double cap = d->shift < 0 ? (double)(65535u >> -d->shift) : 65535;
    double scale = 1;
    for (int i = 0; i < d->shift; i++)
        scale /= 2;
    for (int i = 0; i < -d->shift; i++)
        scale *= 2;
    const int32_t factor = (int32_t)d->factor;
    if (d->shift < 0)
        for (int64_t x = 0; x < count; x++) {
            const double scaled = norm[x] > cap ? 65535 : norm[x] * scale;
            entry[x] = table[(uint32_t)((int32_t)scaled * factor) >> 16];
        }
    else
        for (int64_t x = 0; x < count; x++) {
            const double scaled = norm[x] * scale;
            entry[x] = table[(uint32_t)((int32_t)(scaled > cap ? cap : scaled) * factor) >> 16];
        }
}

/* The direction: as in element_weights, the length of the longest |g| by the exponent of a float
 * whose second bit is cleared, so that it is not rounded up to the next power of two. */
static void directions(int joint, const double *const *top, const double *const *bottom,
                       int64_t count, int32_t *shift, float *length, int32_t *sine, int32_t *cosine,
                       int32_t *square)
{
    for (int64_t x = 0; x < count; x++)
        shift[x] = sine[x] = cosine[x] = square[x] = 0;
    for (int c = 0; c < joint; c++)
        for (int64_t x = 0; x < count; x++) {
            const int32_t p = (int32_t)(bottom[c][x + 1] - top[c][x]);
            const int32_t q = (int32_t)(top[c][x + 1] - bottom[c][x]);
            const int32_t gx = p + q, gy = p - q;
            shift[x] |= (gx < 0 ? -gx : gx) | (gy < 0 ? -gy : gy);
        }
    for (int64_t x = 0; x < count; x++)
        length[x] = (float)(shift[x] & ~(shift[x] >> 1));
    memcpy(shift, length, (size_t)count * sizeof *shift);
    for (int64_t x = 0; x < count; x++) {
        const int32_t bits = (shift[x] >> 23) - 126 - 7;
        shift[x] = bits > 0 ? bits : 0;
    }
    for (int c = 0; c < joint; c++)
        for (int64_t x = 0; x < count; x++) {
            const int32_t p = (int32_t)(bottom[c][x + 1] - top[c][x]);
            const int32_t q = (int32_t)(top[c][x + 1] - bottom[c][x]);
            const int32_t gx = p + q, gy = p - q;
            const int32_t a = (gx < 0 ? -gx : gx) >> shift[x], b = (gy < 0 ? -gy : gy) >> shift[x];
            const int32_t twice = 2 * a * b;
            sine[x] += (gx ^ gy) < 0 ? -twice : twice;
            cosine[x] += a * a - b * b;
            square[x] += a * a + b * b;
        }
    for (int64_t x = 0; x < count; x++) {
        const float by = (float)(square[x] > 0 ? square[x] : 1);
        sine[x] = (int32_t)((float)(256 * sine[x]) / by);
        cosine[x] = (int32_t)((float)(256 * cosine[x]) / by);
    }
}

static void elements_integers(const struct step_weights *d, const int32_t *table,
                              const double *const *top, const double *const *bottom, int64_t count,
                              const struct line_elements *out, double *norm, double *scratch)
{
    int32_t *entry = (int32_t *)scratch, *shift = entry + count, *sine = shift + count;
    int32_t *cosine = sine + count, *square = cosine + count;
    float *length = (float *)(void *)(square + count);
    int32_t *even = square + 2 * count;
    entries(d, table, norm, count, entry);
    if (d->model < RO_MODEL_ANISOTROPIC) {
        for (int64_t x = 0; x < count; x++) {
            out->se[x] = out->sw[x] = entry[x];
            out->e[x] = out->s[x] = entry[x] >> 1;
        }
        return;
    }
    directions(d->joint, top, bottom, count, shift, length, sine, cosine, square);
    for (int64_t x = 0; x < count; x++) {
        out->se[x] = entry[x] * (512 - sine[x]) >> 8;
        out->sw[x] = entry[x] * (512 + sine[x]) >> 8;
        out->e[x] = entry[x] * (256 - cosine[x]) >> 8;
        out->s[x] = entry[x] * (256 + cosine[x]) >> 8;
    }
    if (d->model != RO_MODEL_TENSOR)
        return;
    entries(d, table + RO_LINE_TABLE, norm, count, even);
    for (int64_t x = 0; x < count; x++) {
        out->se[x] += 2 * even[x];
        out->sw[x] += 2 * even[x];
        out->e[x] += even[x];
        out->s[x] += even[x];
    }
}

static void elements_real(const struct step_weights *d, int64_t count,
                          const struct line_elements *out, const double *norm, const double *sine,
                          const double *cosine)
{
    const double scale = (double)d->weights.scale;
    if (d->model == RO_MODEL_TENSOR) {
        for (int64_t x = 0; x < count; x++) {
            const double square = norm[x] * scale, by = norm[x] > 0 ? norm[x] : 1;
            const int place = 8 * square < RO_TABLE ? (int)(8 * square) : RO_TABLE;
            const double value = (double)d->weights.exponential[place] / 8;
            const double even = (double)d->weights.even[place] / 6;
            const double s = norm[x] > 0 ? sine[x] / by : 0, c = norm[x] > 0 ? cosine[x] / by : 0;
            out->se[x] = value * (2 - s) + 2 * even;
            out->sw[x] = value * (2 + s) + 2 * even;
            out->e[x] = value * (1 - c) + even;
            out->s[x] = value * (1 + c) + even;
        }
        return;
    }
    if (d->model == RO_MODEL_ANISOTROPIC) {
        for (int64_t x = 0; x < count; x++) {
            const double square = norm[x] * scale, falling = 1 / (8 * (1 + square));
            const double value = square < 64 ? falling : 0, by = norm[x] > 0 ? norm[x] : 1;
            const double s = norm[x] > 0 ? sine[x] / by : 0, c = norm[x] > 0 ? cosine[x] / by : 0;
            out->se[x] = value * (2 - s);
            out->sw[x] = value * (2 + s);
            out->e[x] = value * (1 - c);
            out->s[x] = value * (1 + c);
        }
        return;
    }
    for (int64_t x = 0; x < count; x++) {
        const double square = norm[x] * scale;
        double value = square < 64 ? 1 / (3 * (1 + square)) : 0;
        if (d->model == RO_MODEL_TABLE)
            value =
                (double)
                    d->weights.exponential[8 * square < RO_TABLE ? (int)(8 * square) : RO_TABLE] /
                3;
        out->se[x] = out->sw[x] = value;
        out->e[x] = out->s[x] = value / 2;
    }
}

static void elements(const struct step_weights *d, const int32_t *table, const double *const *top,
                     const double *const *bottom, int64_t count, const struct line_elements *out,
                     double *scratch)
{
    if (d->model == RO_MODEL_LINEAR) {
        const double third = 1.0 / 3;
        for (int64_t x = 0; x < count; x++) {
            out->se[x] = out->sw[x] = d->real ? third : d->constant.se;
            out->e[x] = out->s[x] = d->real ? third / 2 : d->constant.e;
        }
        return;
    }
    double *norm = scratch, *sine = norm + count, *cosine = sine + count;
    for (int64_t x = 0; x < count; x++)
        norm[x] = sine[x] = cosine[x] = 0;
    for (int c = 0; c < d->joint; c++)
        for (int64_t x = 0; x < count; x++) {
            const double p = bottom[c][x + 1] - top[c][x], q = top[c][x + 1] - bottom[c][x];
            const double pp = p * p, qq = q * q;
            norm[x] += pp + qq;
            if (d->real) {
                sine[x] += pp - qq;
                cosine[x] += 2 * p * q;
            }
        }
    if (d->real)
        elements_real(d, count, out, norm, sine, cosine);
    else
        elements_integers(d, table, top, bottom, count, out, norm, sine);
}

static void edges(int64_t width, const double *e_above, const struct line_elements *below,
                  const struct line_weights *here)
{
    for (int64_t x = 0; x < width; x++) {
        here->e[x] = e_above[x] + below->e[x];
        here->s[x] = below->s[x - 1] + below->s[x];
        here->se[x] = below->se[x];
        here->sw[x] = below->sw[x - 1];
    }
}

static void sums(int64_t width, const struct line_weights *above, const struct line_weights *here)
{
    for (int64_t x = 0; x < width; x++)
        here->sum[x] = ((here->e[x] + here->e[x - 1]) + (here->s[x] + above->s[x]) +
                        (here->se[x] + above->se[x - 1])) +
                       (here->sw[x] + above->sw[x + 1]);
}

/* ---- Sweeps --------------------------------------------------------------------------------- */

/* Vectors may reach beyond the width, by less than the margin: weights are zero there, and so what
 * is written is what r and x have there, zero. */
#ifdef RO_VECTOR_BYTES
enum { LANES = RO_VECTOR_BYTES / sizeof(double) };
#else
enum { LANES = 2 };
#endif
typedef double vec __attribute__((vector_size(LANES * sizeof(double))));
typedef double loose __attribute__((vector_size(LANES * sizeof(double)), aligned(8), may_alias));
typedef int32_t whole __attribute__((vector_size(LANES * sizeof(int32_t))));
typedef int64_t mask __attribute__((vector_size(LANES * sizeof(int64_t))));
_Static_assert((int)LANES <= (int)RO_LINE_MARGIN, "vectors may not reach beyond the margin");

static inline vec at(const double *line) { return (vec) * (const loose *)line; }
static inline void put(double *line, vec value) { *(loose *)line = (loose)value; }
static inline vec truncated(vec v)
{
    return __builtin_convertvector(__builtin_convertvector(v, whole), vec);
}
static inline vec one_where(mask m)
{
    const vec one = (vec){0} + 1;
    return (vec)(m & (mask)one);
}

/* a b + c, which is exact here, fused or not. */
static inline vec fused(vec a, vec b, vec c)
{
#if defined(RO_SIMD_AVX512)
    return _mm512_fmadd_pd(a, b, c);
#elif defined(RO_SIMD_AVX2)
    return _mm256_fmadd_pd(a, b, c);
#else
    return a * b + c;
#endif
}

/* A pixel's neighbours and their weights. */
#define LINES(w)                                                                                   \
    const double *const e = (w)->here->e, *const s = (w)->here->s, *const se = (w)->here->se;      \
    const double *const sw = (w)->here->sw, *const s_up = (w)->above->s;                           \
    const double *const se_up = (w)->above->se, *const sw_up = (w)->above->sw;                     \
    const double *const x = (w)->x, *const up = (w)->x_above, *const down = (w)->x_below

static void inverses(int64_t width, double time, const struct line_weights *here)
{
    for (int64_t i = 0; i < width; i += LANES)
        put(here->inverse + i, (1 - 0x1p-51) / ((double)(1 << 30) + time * at(here->sum + i)));
}

/* N/D rounded toward the pixel, or to nearest with ties away from it. */
static inline __attribute__((always_inline)) void jacobi(const struct line_sweep *w,
                                                         const bool nearest)
{
    LINES(w);
    const vec time = (vec){0} + w->time, one = (vec){0} + (double)(1 << 30);
    for (int64_t i = 0; i < w->width; i += LANES) {
        const vec c = at(x + i);
        vec sum = at(e + i) * at(x + i + 1), more = at(e + i - 1) * at(x + i - 1);
        sum = fused(at(s + i), at(down + i), sum);
        more = fused(at(s_up + i), at(up + i), more);
        sum = fused(at(se + i), at(down + i + 1), sum);
        more = fused(at(se_up + i - 1), at(up + i - 1), more);
        sum = fused(at(sw + i), at(down + i - 1), sum);
        more = fused(at(sw_up + i + 1), at(up + i + 1), more);
        const vec numerator = fused(time, sum + more, at(w->r + i) * one);
        const vec denominator = fused(time, at(w->here->sum + i), one);
        vec floor = truncated(numerator * at(w->here->inverse + i));
        vec rest = fused(-floor, denominator, numerator);
        const vec over = one_where(rest >= denominator);
        floor += over;
        rest = fused(-over, denominator, rest);
        if (nearest)
            floor +=
                one_where((2 * rest > denominator) | ((2 * rest == denominator) & (floor >= c)));
        else
            floor += one_where((floor < c) & (rest > 0));
        put(w->next + i, floor);
    }
}

static void jacobi_integers(const struct line_sweep *w)
{
    if (w->nearest)
        jacobi(w, true);
    else
        jacobi(w, false);
}

/* tau L x without its diagonal part; the order of the sums is the definition's. */
#define PULL(i)                                                                                    \
    (((((((0 - at(e + i) * at(x + i + 1)) - at(e + i - 1) * at(x + i - 1)) -                       \
         at(s + i) * at(down + i)) -                                                               \
        at(s_up + i) * at(up + i)) -                                                               \
       at(se + i) * at(down + i + 1)) -                                                            \
      at(se_up + i - 1) * at(up + i - 1)) -                                                        \
     at(sw + i) * at(down + i - 1)) -                                                              \
        at(sw_up + i + 1) * at(up + i + 1)

static void jacobi_real(const struct line_sweep *w)
{
    LINES(w);
    for (int64_t i = 0; i < w->width; i += LANES) {
        const vec pull = PULL(i);
        put(w->next + i, (at(w->r + i) - w->time * pull) / (1 + w->time * at(w->here->sum + i)));
    }
}

static void apply_real(const struct line_sweep *w)
{
    LINES(w);
    for (int64_t i = 0; i < w->width; i += LANES) {
        const vec pull = PULL(i);
        put(w->next + i, (1 + w->time * at(w->here->sum + i)) * at(x + i) + w->time * pull);
    }
}

/* An explicit step: the flux over each edge is rounded on its own, by an odd rule. */
static inline vec flux(vec weight, vec difference, double half)
{
    const vec product = weight * difference * 0x1p-16;
    return truncated(product + half * (one_where(product > 0) - one_where(product < 0)));
}

static void flow_integers(const struct line_sweep *w)
{
    LINES(w);
    const double half = w->nearest ? 0.5 : 0;
    for (int64_t i = 0; i < w->width; i += LANES) {
        const vec c = at(x + i);
        vec sum = c + flux(at(e + i), at(x + i + 1) - c, half);
        sum += flux(at(e + i - 1), at(x + i - 1) - c, half);
        sum += flux(at(s + i), at(down + i) - c, half);
        sum += flux(at(s_up + i), at(up + i) - c, half);
        sum += flux(at(se + i), at(down + i + 1) - c, half);
        sum += flux(at(se_up + i - 1), at(up + i - 1) - c, half);
        sum += flux(at(sw + i), at(down + i - 1) - c, half);
        put(w->next + i, sum + flux(at(sw_up + i + 1), at(up + i + 1) - c, half));
    }
}

/* ---- Hashes ---------------------------------------------------------------------------------- */

static void hash(uint32_t row, uint32_t width, uint32_t *out)
{
    for (uint32_t x = 0; x < width; x++)
        out[x] = mix_bits(row ^ x);
}

#define RO_LINE_KERNEL(set)                                                                        \
    {                                                                                              \
        set, elements, edges, sums, inverses, jacobi_integers, jacobi_real, flow_integers,         \
            apply_real, hash                                                                       \
    }

#endif
