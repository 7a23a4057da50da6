/* SPDX-License-Identifier: MIT */
/* The bodies of conjugate_lines.h, to be included by each of its compilations. */
#ifndef RO_DENOISE_IMPLICIT_CONJUGATE_LINES_BODY_H
#define RO_DENOISE_IMPLICIT_CONJUGATE_LINES_BODY_H

#include "denoise/implicit/conjugate_lines.h"

#ifdef RO_VECTOR_BYTES
enum { LANES = RO_VECTOR_BYTES / sizeof(float) };
#else
enum { LANES = 4 };
#endif
enum { HALF = LANES / 2, PARTS = 8 }; /* doubles of a vector; parts of a row's sum */
typedef float vec __attribute__((vector_size(LANES * sizeof(float)), may_alias));
typedef float loose
    __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float)), may_alias));
typedef float half __attribute__((vector_size(HALF * sizeof(float)), may_alias));
typedef double doubles __attribute__((vector_size(HALF * sizeof(double)), may_alias));
_Static_assert((int)RO_CONJUGATE_LANES % LANES == 0 && (int)RO_CONJUGATE_LANES % PARTS == 0,
               "a row is done in whole vectors and whole turns of its sums");

static inline vec at(const float *line) { return (vec) * (const loose *)line; }
static inline void put(float *line, vec value) { *(vec *)line = value; }

static inline doubles low(vec v)
{
    return __builtin_convertvector(((union {
                                       vec v;
                                       half h[2];
                                   }){v})
                                       .h[0],
                                   doubles);
}
static inline doubles high(vec v)
{
    return __builtin_convertvector(((union {
                                       vec v;
                                       half h[2];
                                   }){v})
                                       .h[1],
                                   doubles);
}

/* Columns x to x + LANES of a row's sum. */
static inline __attribute__((always_inline)) void add(doubles *parts, int64_t x, vec a, vec b)
{
    parts[x % PARTS / HALF] += low(a) * low(b);
    parts[(x + HALF) % PARTS / HALF] += high(a) * high(b);
}

static inline double together(const doubles *parts)
{
    double part[PARTS];
    for (int i = 0; i < PARTS; i++)
        part[i] = parts[i / HALF][i % HALF];
    for (int gap = PARTS / 2; gap > 0; gap /= 2)
        for (int i = 0; i < gap; i++)
            part[i] += part[i + gap];
    return part[0];
}

/* Columns in turns of RO_CONJUGATE_LANES, whose vectors are known at compile time. */
#define EACH_VECTOR(x, width)                                                                      \
    for (int64_t turn_ = 0; turn_ < (width); turn_ += RO_CONJUGATE_LANES)                          \
    _Pragma("GCC unroll 4") for (int64_t x = turn_; x < turn_ + RO_CONJUGATE_LANES; x += LANES)

static inline __attribute__((always_inline)) vec pulls(const struct conjugate_row *row, int64_t x)
{
    const vec centre = at(row->at + x);
    const vec east = at(row->here.e + x) * (at(row->at + x + 1) - centre);
    const vec west = at(row->here.e + x - 1) * (at(row->at + x - 1) - centre);
    const vec south = at(row->here.s + x) * (at(row->down + x) - centre);
    const vec north = at(row->above.s + x) * (at(row->up + x) - centre);
    const vec south_east = at(row->here.se + x) * (at(row->down + x + 1) - centre);
    const vec north_west = at(row->above.se + x - 1) * (at(row->up + x - 1) - centre);
    const vec south_west = at(row->here.sw + x) * (at(row->down + x - 1) - centre);
    const vec north_east = at(row->above.sw + x + 1) * (at(row->up + x + 1) - centre);
    return ((east + west) + (south + north)) +
           ((south_east + north_west) + (south_west + north_east));
}

static void weights(int64_t width, double time, const struct line_weights *from,
                    const struct conjugate_weights *to)
{
    for (int64_t x = 0; x < width; x++) {
        to->e[x] = (float)(time * from->e[x]);
        to->s[x] = (float)(time * from->s[x]);
        to->se[x] = (float)(time * from->se[x]);
        to->sw[x] = (float)(time * from->sw[x]);
    }
}

static double start(const struct conjugate_row *row, float *residual, float *direction)
{
    doubles parts[PARTS / HALF] = {0};
    EACH_VECTOR(x, row->width)
    {
        const vec pull = pulls(row, x), centre = at(row->at + x);
        put(residual + x, pull);
        put(direction + x, pull);
        add(parts, x - turn_, centre, centre);
    }
    return together(parts);
}

static void multiply(const struct conjugate_row *row, const float *residual, float *product,
                     struct conjugate_sums *sums)
{
    doubles square[PARTS / HALF] = {0}, along[PARTS / HALF] = {0}, length[PARTS / HALF] = {0};
    EACH_VECTOR(x, row->width)
    {
        const vec direction = at(row->at + x), result = direction - pulls(row, x);
        const vec rest = at(residual + x);
        put(product + x, result);
        add(square, x - turn_, rest, rest);
        add(along, x - turn_, direction, result);
        add(length, x - turn_, result, result);
    }
    *sums = (struct conjugate_sums){together(square), together(along), together(length)};
}

static void advance(const struct conjugate_steps *steps, int64_t width, const float *product,
                    float *x, float *residual, float *direction)
{
    const float step = steps->step, factor = steps->factor;
    EACH_VECTOR(i, width)
    {
        const vec old = at(direction + i), rest = at(residual + i) - step * at(product + i);
        put(x + i, at(x + i) + step * old);
        put(residual + i, rest);
        put(direction + i, rest + factor * old);
    }
}

/* Adding and subtracting 1.5 * 2^52 rounds to a whole number. */
static void store_integers(float step, int64_t width, const int32_t *r, const float *x,
                           const float *direction, double min, double max, int32_t *out)
{
    for (int64_t i = 0; i < width; i++) {
        const float way = x[i] + step * direction[i];
        double solution = r[i] + (double)way;
        solution = solution < min ? min : solution;
        solution = solution > max ? max : solution;
        out[i] = (int32_t)((solution + 0x1.8p52) - 0x1.8p52);
    }
}

static void store_floats(float step, int64_t width, const float *r, const float *x,
                         const float *direction, float *out)
{
    for (int64_t i = 0; i < width; i++) {
        const float way = x[i] + step * direction[i];
        out[i] = (float)((double)r[i] + (double)way);
    }
}

#define RO_CONJUGATE_KERNEL(set)                                                                   \
    {                                                                                              \
        set, weights, start, multiply, advance, store_integers, store_floats                       \
    }

#endif
