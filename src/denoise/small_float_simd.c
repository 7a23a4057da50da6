/* SPDX-License-Identifier: MIT */
/*
 * The row kernel of the small float formats in 32-bit lanes; see float_rows.h for the operations
 * and diffusion_rows.h for the order of the lanes. A result is rounded to fewer bits by a number so
 * large that a float beside it has no room for more:
 *
 *     anchor = 1.5 * 2^(exponent of x + bits that the mantissa lacks),   (x + anchor) - anchor
 *
 * which is nearest, ties to even. Sums of numbers of a format have no bits below its denormalized
 * ones; products and quotients have, and get an anchor as if they were not that small. What is too
 * large is made the largest number before it is rounded. Where it cannot be too large, that is left
 * out: weights are below 1, for time steps below 1.
 *
 * A zero never has a sign here, and a pixel has none in float_rows.h (denoiser_read); between
 * them it does not matter, for nothing is divided by a zero.
 */
#include "denoise/diffusion_rows.h"
#include "simd/simd.h"

#include <string.h>

enum { LANES = RO_VECTOR_BYTES / sizeof(float) };
typedef float vec __attribute__((vector_size(RO_VECTOR_BYTES)));
typedef int32_t bits __attribute__((vector_size(RO_VECTOR_BYTES)));

RO_INLINE vec load(const char *from) { return *(const vec *)(const void *)from; }
RO_INLINE void store(char *to, vec v) { *(vec *)(void *)to = v; }
RO_INLINE vec all(float value) { return (vec){0} + value; }
RO_INLINE vec where(bits mask, vec v) { return (vec)(mask & (bits)v); }

#if defined(RO_SIMD_AVX512)
RO_INLINE vec clamped(vec x, vec most) { return _mm512_range_ps(x, most, 2); } /* |x|, its sign */
RO_INLINE bits larger(bits a, bits b) { return (bits)_mm512_max_epi32((__m512i)a, (__m512i)b); }
RO_INLINE vec gather(const float *table, bits index)
{
    return _mm512_i32gather_ps((__m512i)index, table, 4);
}
#elif defined(RO_SIMD_V128)
RO_INLINE vec clamped(vec x, vec most)
{
    return (vec)v_min_ps(v_max_ps((v_f32)x, (v_f32)-most), (v_f32)most);
}
RO_INLINE bits larger(bits a, bits b) { return (bits)v_max_epi32((v_all)a, (v_all)b); }
RO_INLINE vec gather(const float *table, bits index)
{
    return (vec)v_gather32(table, (v_all)index, 4);
}
#else
RO_INLINE vec clamped(vec x, vec most) { return _mm256_min_ps(_mm256_max_ps(x, -most), most); }
RO_INLINE bits larger(bits a, bits b) { return (bits)_mm256_max_epi32((__m256i)a, (__m256i)b); }
RO_INLINE vec gather(const float *table, bits index)
{
    return _mm256_i32gather_ps(table, (__m256i)index, 4);
}
#endif

/* ---- Rounding -------------------------------------------------------------------------------- */

struct format {
    vec most;
    bits exponent, spare, least; /* its bits, what they get more, and the exponent of the least */
};

RO_INLINE struct format format_of(const struct ro_small_float *real)
{
    const int drop = 23 - real->mantissa, smallest = 2 - (1 << (real->exponent - 1));
    const int32_t most = (1 - smallest + 127) << 23 | (0x7fffff >> drop) << drop;
    return (struct format){
        .most = (vec)((bits){0} + most),
        .exponent = (bits){0} + 0x7f800000,
        .spare = (bits){0} + (drop << 23 | 1 << 22),
        .least = (bits){0} + ((smallest + 127) << 23),
    };
}

RO_INLINE vec beside(vec x, bits exponent, const struct format *f)
{
    const vec anchor = (vec)(exponent + f->spare);
    return (x + anchor) - anchor;
}

/* A sum or difference; `fits`: it is not too large. */
RO_INLINE vec sum(const struct format *f, vec x, const bool fits)
{
    if (!fits)
        x = clamped(x, f->most);
    return beside(x, (bits)x & f->exponent, f);
}

/* A product or quotient. */
RO_INLINE vec product(const struct format *f, vec x, const bool fits)
{
    if (!fits)
        x = clamped(x, f->most);
    return beside(x, larger((bits)x & f->exponent, f->least), f);
}

/* ---- The weights of an element --------------------------------------------------------------- */

struct weights {
    vec se, sw, e, s;
};

RO_INLINE struct weights weights_of(const struct float_weights *w, const struct format *f,
                                    const vec *p, const vec *q, bits here, const int joint,
                                    const enum diffusion_model model)
{
    vec norm = {0}, sine = {0}, cosine = {0}, even = {0}, value;
    RO_UNROLL for (int c = 0; c < joint; c++)
    {
        const vec pp = product(f, p[c] * p[c], false), qq = product(f, q[c] * q[c], false);
        const vec both = sum(f, pp + qq, false);
        norm = c ? sum(f, norm + both, false) : both;
        if (model >= RO_MODEL_ANISOTROPIC) {
            const vec less = sum(f, pp - qq, true), pq = product(f, p[c] * q[c], false);
            const vec twice = clamped(pq + pq, f->most);
            sine = c ? sum(f, sine + less, false) : less;
            cosine = c ? sum(f, cosine + twice, false) : twice;
        }
    }
    const vec square = product(f, norm * w->scale, false);
    if (model == RO_MODEL_TABLE || model == RO_MODEL_TENSOR) {
        const vec place = 8 * square;
        const bits inside = place < RO_TABLE;
        bits index = __builtin_convertvector(where(inside, place), bits);
        index = (inside & index) | (~inside & RO_TABLE);
        value = product(f, w->whole * gather(w->exponential, index), true);
        if (model == RO_MODEL_TENSOR)
            even = where(here, product(f, w->sixth * gather(w->even, index), true));
    } else {
        value = product(f, w->whole / sum(f, 1 + square, true), true);
        value = where(square < 64, value);
    }
    value = where(here, value);
    if (model < RO_MODEL_ANISOTROPIC) {
        const vec half = product(f, 0.5f * value, true);
        return (struct weights){value, value, half, half};
    }
    const bits level = norm == 0;
    const vec by = (vec)((level & (bits)all(1)) | (~level & (bits)norm));
    sine = product(f, sine / by, true);
    cosine = product(f, cosine / by, true);
    const struct weights directed = {
        .se = product(f, value * sum(f, 2 - sine, true), true),
        .sw = product(f, value * sum(f, 2 + sine, true), true),
        .e = product(f, value * sum(f, 1 - cosine, true), true),
        .s = product(f, value * sum(f, 1 + cosine, true), true),
    };
    if (model != RO_MODEL_TENSOR)
        return directed;
    const vec twice = even + even;
    return (struct weights){
        .se = sum(f, directed.se + twice, true),
        .sw = sum(f, directed.sw + twice, true),
        .e = sum(f, directed.e + even, true),
        .s = sum(f, directed.s + even, true),
    };
}

/* ---- A row ----------------------------------------------------------------------------------- */

/* What an element leaves to the next one on its right. */
struct left {
    vec p, qh;
};

RO_INLINE void row(const struct step_rows *rows, const struct row_work *work, const int joint,
                   const enum diffusion_model model, float diagonal, float side)
{
    const struct step_weights *d = rows->diffusion;
    const struct format f = format_of(d->real);
    const bool guided = work->guide_top != work->top;
    const char *exists = work->last ? rows->no_elements : rows->elements;
    const size_t line = rows->line_bytes, end = (rows->vectors + 1) * sizeof(vec);
    for (int plane = 0; plane < d->planes; plane += joint) {
        const size_t start = (size_t)plane * line;
        char *weights = work->weights + start;
        struct left left[RO_MAX_JOINT] = {0};
        vec left_s = {0};
        /* From the vector before the first, whose nodes are not ours but whose elements are. */
        for (size_t j = 0; j < end; j += sizeof(vec)) {
            vec a[RO_MAX_JOINT], p[RO_MAX_JOINT], q[RO_MAX_JOINT], h[RO_MAX_JOINT], v[RO_MAX_JOINT];
            RO_UNROLL for (int c = 0; c < joint; c++)
            {
                const char *top = work->top + start + (size_t)c * line + j;
                const char *bottom = work->bottom + start + (size_t)c * line + j;
                const vec right = load(top + sizeof(vec)), below = load(bottom);
                a[c] = load(top);
                h[c] = sum(&f, right - a[c], false);
                v[c] = sum(&f, below - a[c], false);
                p[c] = sum(&f, load(bottom + sizeof(vec)) - a[c], false);
                q[c] = sum(&f, right - below, false);
            }
            const bits here = (bits)load(exists + j);
            struct weights w;
            if (model == RO_MODEL_LINEAR) {
                w.se = w.sw = where(here, all(diagonal));
                w.e = w.s = where(here, all(side));
            } else {
                vec gp[RO_MAX_JOINT], gq[RO_MAX_JOINT];
                RO_UNROLL for (int c = 0; c < joint; c++)
                {
                    const char *top = work->guide_top + start + (size_t)c * line + j;
                    const char *bottom = work->guide_bottom + start + (size_t)c * line + j;
                    gp[c] = p[c];
                    gq[c] = q[c];
                    if (guided) {
                        gp[c] = sum(&f, load(bottom + sizeof(vec)) - load(top), false);
                        gq[c] = sum(&f, load(top + sizeof(vec)) - load(bottom), false);
                    }
                }
                w = weights_of(&d->weights, &f, gp, gq, here, joint, model);
            }
            const vec weight_e = sum(&f, load(weights + j) + w.e, true);
            const vec weight_s = sum(&f, left_s + w.s, true);
            store(weights + j, w.e);
            left_s = w.s;
            RO_UNROLL for (int c = 0; c < joint; c++)
            {
                const size_t at = start + (size_t)c * line + j;
                const vec fh = product(&f, weight_e * h[c], true);
                const vec fv = product(&f, weight_s * v[c], true);
                const vec fp = product(&f, w.se * p[c], true), fq = product(&f, w.sw * q[c], true);
                vec gain = sum(&f, sum(&f, fp + fv, false) + fh, false);
                gain = sum(&f, sum(&f, gain + load(work->carry + at), false) - left[c].qh, false);
                store(work->out + at, sum(&f, a[c] + gain, false));
                store(work->carry + at, sum(&f, sum(&f, fq - fv, false) - left[c].p, false));
                left[c] = (struct left){fp, sum(&f, fq + fh, false)};
            }
        }
    }
}

static void wrap(const struct step_rows *rows, char *line)
{
    wrap_line(rows, line, sizeof(vec), sizeof(float));
}

static void wrap_row(const struct step_rows *rows, char *row)
{
    for (int plane = 0; plane < rows->diffusion->planes; plane++)
        wrap(rows, row + (size_t)plane * rows->line_bytes);
}

/* A function for each combination, so that each has all registers to itself. */
typedef void row_fn(const struct step_rows *rows, const struct row_work *work);
#define ROW(name, joint, model)                                                                    \
    static void name(const struct step_rows *rows, const struct row_work *work)                    \
    {                                                                                              \
        const struct float_weights *w = &rows->diffusion->weights;                                 \
        row(rows, work, joint, RO_MODEL_##model, w->diagonal, w->side);                            \
    }
ROW(linear, 1, LINEAR)
ROW(perona_malik, 1, PERONA_MALIK)
ROW(perona_malik3, RO_MAX_JOINT, PERONA_MALIK)
ROW(table, 1, TABLE)
ROW(table3, RO_MAX_JOINT, TABLE)
ROW(anisotropic, 1, ANISOTROPIC)
ROW(anisotropic3, RO_MAX_JOINT, ANISOTROPIC)
ROW(tensor, 1, TENSOR)
ROW(tensor3, RO_MAX_JOINT, TENSOR)

static row_fn *const functions[][2] = {
    [RO_MODEL_LINEAR] = {linear, linear},  [RO_MODEL_PERONA_MALIK] = {perona_malik, perona_malik3},
    [RO_MODEL_TABLE] = {table, table3},    [RO_MODEL_ANISOTROPIC] = {anisotropic, anisotropic3},
    [RO_MODEL_TENSOR] = {tensor, tensor3},
};

static void step(const struct step_rows *rows, const struct row_work *work)
{
    functions[rows->diffusion->model][rows->diffusion->joint > 1](rows, work);
    wrap_row(rows, work->out);
}

static void smooth(const struct step_rows *rows, const struct row_work *work)
{
    const struct float_weights *w = &rows->diffusion->weights;
    row(rows, work, 1, RO_MODEL_LINEAR, w->smooth_diagonal, w->smooth_side);
    wrap_row(rows, work->out);
}

static bool supports(const struct step_weights *diffusion, int64_t white)
{
    (void)white;
    return diffusion->real && diffusion->real->mantissa < 23 && diffusion->time < RO_TIME_ONE &&
           (diffusion->joint == 1 || diffusion->joint == RO_MAX_JOINT);
}

/* ---- Columns to lanes and back --------------------------------------------------------------- */

/* Lanes behind the image repeat its last column. */
static void pack(const struct step_rows *rows, const void *values, char *line)
{
    const float *in = values;
    float *out = (float *)(void *)line + LANES;
    const size_t width = rows->diffusion->width, vectors = rows->vectors;
    for (size_t l = 0; l < LANES; l++)
        for (size_t j = 0; j < vectors; j++) {
            const size_t column = l * vectors + j;
            out[j * LANES + l] = in[column < width ? column : width - 1];
        }
    wrap(rows, line);
}

static void unpack(const struct step_rows *rows, const char *line, void *values)
{
    float *out = values;
    const float *in = (const float *)(const void *)line + LANES;
    const size_t width = rows->diffusion->width, vectors = rows->vectors;
    for (size_t l = 0; l < LANES; l++)
        for (size_t j = 0; j < vectors && l * vectors + j < width; j++)
            out[l * vectors + j] = in[j * LANES + l];
}

const struct row_kernel RO_SIMD_NAME(float_kernel_rounded) = {
    .cpu = RO_SIMD_CPU,
    .lanes = LANES,
    .sample_bytes = sizeof(float),
    .supports = supports,
    .step = step,
    .smooth = smooth,
    .pack = pack,
    .unpack = unpack,
};
