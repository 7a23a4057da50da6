/* SPDX-License-Identifier: MIT */
/*
 * The row kernel in 16-bit lanes, for every number system whose images fit 16 bits; see
 * diffusion_rows.h for the order of the lanes. All arithmetic is exact or wraps round where the
 * true result fits again:
 *
 *   flux      |d| w / 2^16 is the high half of a 16-bit product, the sign put back: odd by itself
 *   norm      p^2 + q^2 by a multiply-add of pairs into 32 bits
 *   table     Perona-Malik entries are floor(N / (8 + i)): a reciprocal and one Newton step leave
 *             an error below 2^-20, and (N + 1/2) / (8 + i) is at least 1 / (2 (8 + i)) from an
 *             integer, so the floor is exact as long as N < 2^18; other tables are gathered
 *   direction quotients of integers below 2^17, scaled by 2^8: float division cannot round one
 *             onto an integer that it does not equal
 *
 * "Narrow" images have differences below 2^15, "wide" ones need the sign beside 16 bits.
 */
#include "denoise/diffusion_rows.h"
#include "simd/lanes16.h"

#include <string.h>

/* ---- Differences and fluxes ------------------------------------------------------------------ */

struct difference {
    vec size;
    sign negative;
};

RO_INLINE struct difference difference_of(vec to, vec from, const bool wide)
{
    if (!wide) {
        vec d = V(sub_epi16)(to, from);
        return (struct difference){V(abs_epi16)(d), sign_narrow(d)};
    }
    vec deficit = V(subs_epu16)(from, to);
    return (struct difference){or_(V(subs_epu16)(to, from), deficit), sign_wide(deficit)};
}

RO_INLINE vec flux_of(struct difference d, vec weight, bool nearest)
{
    vec size = V(mulhi_epu16)(d.size, weight);
    if (nearest)
        size = V(add_epi16)(size, V(srli_epi16)(V(mullo_epi16)(d.size, weight), 15));
    return with_sign(size, d.negative);
}

/* ---- The weights of an element -------------------------------------------------------------- */

enum { JOINT_DROPPED = 2, WIDE_DROPPED = 3 };

/* Whether the norms of all channels together stay below 2^31. */
RO_INLINE bool fits_directly(int joint, int64_t white)
{
    return 2 * joint * white * white <= INT32_MAX;
}

/* What the weights need, in registers. */
struct constants {
    vec end, eight, scale; /* of the index */
    vec shift_left, shift_right, cap;
    fvec numerator; /* of Perona-Malik entries, plus a half */
    const uint32_t *table, *even;
    bool left, dropped;
    bool small; /* norms saturate in 16 bits without harm: 8-bit numbers, no shift to the right */
    vec small_cap, small_power;
};

RO_INLINE struct constants constants_of(const struct step_rows *rows)
{
    const struct step_weights *d = rows->diffusion;
    uint32_t whole = d->model == RO_MODEL_ANISOTROPIC ? 4 * d->time : 32 * d->time / 3;
    int dropped = rows->wide                             ? WIDE_DROPPED
                  : fits_directly(d->joint, rows->white) ? 0
                                                         : JOINT_DROPPED;
    int left = d->shift < 0 ? -d->shift : 0, right = d->shift > 0 ? d->shift - dropped : 0;
    return (struct constants){
        .end = V(set1_epi16)(RO_TABLE),
        .eight = V(set1_epi16)(8),
        .scale = V(set1_epi16)((short)d->factor),
        .shift_left = V(set1_epi32)(left),
        .shift_right = V(set1_epi32)(right),
        .cap = V(set1_epi32)(65536 >> left),
        .numerator = V(set1_ps)((float)whole + 0.5f),
        .table = rows->table,
        .even = rows->even,
        .left = left > 0,
        .dropped = dropped > 0,
        .small = rows->white <= UINT8_MAX && d->shift <= 0,
        .small_cap = V(set1_epi16)((short)(65535 >> left)),
        .small_power = V(set1_epi16)((short)(1 << left)),
    };
}

/* Places in the table for norms in two vectors of 32-bit lanes. */
RO_INLINE vec index_of(const struct constants *k, vec low, vec high)
{
    if (k->left) {
        low = V(sllv_epi32)(V(min_epu32)(low, k->cap), k->shift_left);
        high = V(sllv_epi32)(V(min_epu32)(high, k->cap), k->shift_left);
    } else {
        low = V(srlv_epi32)(low, k->shift_right);
        high = V(srlv_epi32)(high, k->shift_right);
    }
    return V(mulhi_epu16)(V(packus_epi32)(low, high), k->scale);
}

#if defined(RO_SIMD_V128)

/* A float division is exact to half of the last bit, so it needs no Newton step and no inverse. */
RO_INLINE vec quotient_of(fvec numerator, vec divisor)
{
    return V(cvttps_epi32)(numerator / V(cvtepi32_ps)(divisor));
}
RO_INLINE fvec inverse_of(fvec v) { return v; }
RO_INLINE vec ratio_of(vec value, fvec by, fvec inverse)
{
    (void)inverse;
    return V(cvttps_epi32)(V(cvtepi32_ps)(value) / by);
}

#else

/* 1/v with an error below 2^-21: one Newton step from the 11 or 14 bits of the machine. */
RO_INLINE fvec inverse_of(fvec v)
{
    fvec x = reciprocal(v);
    return V(fmadd_ps)(x, V(fnmadd_ps)(v, x, V(set1_ps)(1)), x);
}

RO_INLINE vec quotient_of(fvec numerator, vec divisor)
{
    return V(cvttps_epi32)(V(mul_ps)(numerator, inverse_of(V(cvtepi32_ps)(divisor))));
}

/* value / by toward zero: with the remainder, which is exact, the quotient is as good as divided.
 */
RO_INLINE vec ratio_of(vec value, fvec by, fvec inverse)
{
    fvec v = V(cvtepi32_ps)(value);
    fvec q = V(mul_ps)(v, inverse);
    return V(cvttps_epi32)(V(fmadd_ps)(V(fnmadd_ps)(q, by, v), inverse, q));
}

#endif

RO_INLINE vec looked_up(const uint32_t *table, vec index)
{
    return V(packus_epi32)(gather(table, V(unpacklo_epi16)(index, zero())),
                           gather(table, V(unpackhi_epi16)(index, zero())));
}

RO_INLINE vec entry_of(const struct constants *k, vec index, const bool gathered)
{
    if (gathered)
        return looked_up(k->table, index);
    vec divisor = V(add_epi16)(index, k->eight);
    vec low = quotient_of(k->numerator, V(unpacklo_epi16)(divisor, zero()));
    vec high = quotient_of(k->numerator, V(unpackhi_epi16)(divisor, zero()));
    return below(index, k->end, V(packus_epi32)(low, high));
}

struct weights {
    vec se, sw, e, s;
};

/* |gx| and |gy| are |p| + |q| and ||p| - |q||; which is which decides the sign of the cosine, and
 * |p| < |q| that of the sine. */
RO_INLINE struct weights directed(vec entry, const struct difference *p, const struct difference *q,
                                  const int joint)
{
    vec large[2][RO_MAX_JOINT], small[2][RO_MAX_JOINT];
    vec bits[2] = {zero(), zero()};
    for (int c = 0; c < joint; c++)
        for (int half = 0; half < 2; half++) {
            vec a =
                half ? V(unpackhi_epi16)(p[c].size, zero()) : V(unpacklo_epi16)(p[c].size, zero());
            vec b =
                half ? V(unpackhi_epi16)(q[c].size, zero()) : V(unpacklo_epi16)(q[c].size, zero());
            large[half][c] = V(add_epi32)(a, b);
            small[half][c] = V(abs_epi32)(V(sub_epi32)(a, b));
            bits[half] = or_(bits[half], large[half][c]); /* never shorter than `small` */
        }
    vec shift[2], sine[2], cosine[2], square[2];
    for (int half = 0; half < 2; half++) {
        /* the exponent of a float tells the length; below 2^24 the conversion is exact */
        vec exponent = V(srli_epi32)(BITS_OF(V(cvtepi32_ps)(bits[half])), 23);
        shift[half] = V(max_epi32)(V(sub_epi32)(exponent, V(set1_epi32)(126 + 7)), zero());
        sine[half] = cosine[half] = square[half] = zero();
    }
    for (int c = 0; c < joint; c++) {
        vec x = V(packus_epi32)(V(srlv_epi32)(large[0][c], shift[0]),
                                V(srlv_epi32)(large[1][c], shift[1]));
        vec y = V(packus_epi32)(V(srlv_epi32)(small[0][c], shift[0]),
                                V(srlv_epi32)(small[1][c], shift[1]));
        sign turned = sign_differs(p[c].negative, q[c].negative);
        sign down = sign_less(p[c].size, q[c].size);
        vec cx = with_sign(x, turned), cy = with_sign(V(sub_epi16)(zero(), y), turned);
        vec sx = with_sign(x, down), sy = with_sign(y, down);
        for (int half = 0; half < 2; half++) {
            vec xy = half ? V(unpackhi_epi16)(x, y) : V(unpacklo_epi16)(x, y);
            vec cxy = half ? V(unpackhi_epi16)(cx, cy) : V(unpacklo_epi16)(cx, cy);
            vec syx = half ? V(unpackhi_epi16)(sy, sx) : V(unpacklo_epi16)(sy, sx);
            square[half] = V(add_epi32)(square[half], V(madd_epi16)(xy, xy));
            cosine[half] = V(add_epi32)(cosine[half], V(madd_epi16)(xy, cxy));
            sine[half] = V(add_epi32)(sine[half], V(madd_epi16)(xy, syx));
        }
    }
    for (int half = 0; half < 2; half++) {
        vec divisor = V(max_epi32)(square[half], V(set1_epi32)(1));
        fvec by = V(mul_ps)(V(cvtepi32_ps)(divisor), V(set1_ps)(1 / 256.0f));
        fvec inverse = inverse_of(by);
        sine[half] = ratio_of(sine[half], by, inverse);
        cosine[half] = ratio_of(cosine[half], by, inverse);
    }
    /* entry (512 - sine) / 256 as the high half of a product of numbers shifted by 4 each */
    vec four = V(slli_epi16)(entry, 4);
    vec sine4 = V(slli_epi16)(V(packs_epi32)(sine[0], sine[1]), 4);
    vec cosine4 = V(slli_epi16)(V(packs_epi32)(cosine[0], cosine[1]), 4);
    vec two = V(set1_epi16)(512 << 4), one = V(set1_epi16)(256 << 4);
    return (struct weights){
        .se = V(mulhi_epu16)(four, V(sub_epi16)(two, sine4)),
        .sw = V(mulhi_epu16)(four, V(add_epi16)(two, sine4)),
        .e = V(mulhi_epu16)(four, V(sub_epi16)(one, cosine4)),
        .s = V(mulhi_epu16)(four, V(add_epi16)(one, cosine4)),
    };
}

RO_INLINE struct weights with_even(struct weights w, vec even)
{
    const vec twice = V(add_epi16)(even, even);
    return (struct weights){V(add_epi16)(w.se, twice), V(add_epi16)(w.sw, twice),
                            V(add_epi16)(w.e, even), V(add_epi16)(w.s, even)};
}

/* The place of p^2 + q^2, summed over the channels. One narrow norm fits 31 bits. Sums that might
 * not fit 32 are formed of numbers without their last bits (k->dropped), the last bits apart. */
RO_INLINE vec sum_without(const vec *squares, const int count, const int dropped)
{
    vec mask = V(set1_epi32)((1 << dropped) - 1), sum = zero(), rest = zero();
    for (int i = 0; i < count; i++) {
        sum = V(add_epi32)(sum, V(srli_epi32)(squares[i], dropped));
        rest = V(add_epi32)(rest, and_(squares[i], mask));
    }
    return V(add_epi32)(sum, V(srli_epi32)(rest, dropped));
}

RO_INLINE vec norm_index(const struct constants *k, const struct difference *p,
                         const struct difference *q, const int joint, const bool wide)
{
    vec low[2 * RO_MAX_JOINT], high[2 * RO_MAX_JOINT];
    if (!wide && k->small) {
        vec sum = zero();
        for (int c = 0; c < joint; c++)
            sum = V(adds_epu16)(sum, V(adds_epu16)(V(mullo_epi16)(p[c].size, p[c].size),
                                                   V(mullo_epi16)(q[c].size, q[c].size)));
        /* what is cut off lies behind the table, and stays there */
        sum = V(mullo_epi16)(V(min_epu16)(sum, k->small_cap), k->small_power);
        return V(mulhi_epu16)(sum, k->scale);
    }
    if (wide) {
        for (int c = 0; c < 2 * joint; c++) {
            vec size = c < joint ? p[c].size : q[c - joint].size;
            vec lower = V(mullo_epi16)(size, size), upper = V(mulhi_epu16)(size, size);
            low[c] = V(unpacklo_epi16)(lower, upper);
            high[c] = V(unpackhi_epi16)(lower, upper);
        }
        return index_of(k, sum_without(low, 2 * joint, WIDE_DROPPED),
                        sum_without(high, 2 * joint, WIDE_DROPPED));
    }
    for (int c = 0; c < joint; c++) {
        vec ab = V(unpacklo_epi16)(p[c].size, q[c].size);
        low[c] = V(madd_epi16)(ab, ab);
        ab = V(unpackhi_epi16)(p[c].size, q[c].size);
        high[c] = V(madd_epi16)(ab, ab);
    }
    if (k->dropped)
        return index_of(k, sum_without(low, joint, JOINT_DROPPED),
                        sum_without(high, joint, JOINT_DROPPED));
    for (int c = 1; c < joint; c++) {
        low[0] = V(add_epi32)(low[0], low[c]);
        high[0] = V(add_epi32)(high[0], high[c]);
    }
    return index_of(k, low[0], high[0]);
}

/* ---- A row ---------------------------------------------------------------------------------- */

/* What an element leaves to the next one on its right. */
struct left {
    vec p, qh;
};

RO_INLINE void row(const struct step_rows *rows, const struct row_work *work, const int joint,
                   const enum diffusion_model model, const bool wide,
                   const struct edge_weights *constant)
{
    const struct constants k = constants_of(rows);
    const bool nearest = rows->diffusion->nearest;
    const bool guided = work->guide_top != work->top;
    const char *exists = work->last ? rows->no_elements : rows->elements;
    const size_t line = rows->line_bytes, end = (rows->vectors + 1) * sizeof(vec);
    const vec diagonal = V(set1_epi16)((short)constant->se),
              side = V(set1_epi16)((short)constant->e);

    for (int plane = 0; plane < rows->diffusion->planes; plane += joint) {
        const size_t start = (size_t)plane * line;
        char *weights = work->weights + start;
        struct left left[RO_MAX_JOINT];
        vec left_s = zero();
        for (int c = 0; c < joint; c++)
            left[c] = (struct left){zero(), zero()};
        /* From the vector before the first, whose nodes are not ours but whose elements are. */
        for (size_t j = 0; j < end; j += sizeof(vec)) {
            struct difference p[RO_MAX_JOINT], q[RO_MAX_JOINT], h[RO_MAX_JOINT], v[RO_MAX_JOINT];
            vec a[RO_MAX_JOINT];
            RO_UNROLL for (int c = 0; c < joint; c++)
            {
                const char *top = work->top + start + (size_t)c * line + j;
                const char *bottom = work->bottom + start + (size_t)c * line + j;
                vec b = load(top + sizeof(vec)), d = load(bottom), e = load(bottom + sizeof(vec));
                a[c] = load(top);
                h[c] = difference_of(b, a[c], wide);
                v[c] = difference_of(d, a[c], wide);
                p[c] = difference_of(e, a[c], wide);
                q[c] = difference_of(b, d, wide);
            }
            struct weights w;
            vec here = load(exists + j);
            if (model == RO_MODEL_LINEAR) {
                w.se = w.sw = and_(diagonal, here);
                w.e = w.s = and_(side, here);
            } else {
                struct difference gp[RO_MAX_JOINT], gq[RO_MAX_JOINT];
                RO_UNROLL for (int c = 0; c < joint; c++)
                {
                    gp[c] = p[c];
                    gq[c] = q[c];
                    if (guided) {
                        const char *top = work->guide_top + start + (size_t)c * line + j;
                        const char *bottom = work->guide_bottom + start + (size_t)c * line + j;
                        gp[c] = difference_of(load(bottom + sizeof(vec)), load(top), wide);
                        gq[c] = difference_of(load(top + sizeof(vec)), load(bottom), wide);
                    }
                }
                vec index = norm_index(&k, gp, gq, joint, wide);
                const bool gathered = model == RO_MODEL_TABLE || model == RO_MODEL_TENSOR;
                vec entry = and_(entry_of(&k, index, gathered), here);
                if (model >= RO_MODEL_ANISOTROPIC) {
                    w = directed(entry, gp, gq, joint);
                    if (model == RO_MODEL_TENSOR)
                        w = with_even(w, and_(looked_up(k.even, index), here));
                } else {
                    w.se = w.sw = entry;
                    w.e = w.s = V(srli_epi16)(entry, 1);
                }
            }
            vec weight_e = V(add_epi16)(load(weights + j), w.e);
            vec weight_s = V(add_epi16)(left_s, w.s);
            store(weights + j, w.e);
            left_s = w.s;
            RO_UNROLL for (int c = 0; c < joint; c++)
            {
                const size_t at = start + (size_t)c * line + j;
                vec fh = flux_of(h[c], weight_e, nearest), fv = flux_of(v[c], weight_s, nearest);
                vec fp = flux_of(p[c], w.se, nearest), fq = flux_of(q[c], w.sw, nearest);
                vec gain = V(add_epi16)(V(add_epi16)(fp, fv), fh);
                gain = V(sub_epi16)(V(add_epi16)(gain, load(work->carry + at)), left[c].qh);
                store(work->out + at, V(add_epi16)(a[c], gain));
                store(work->carry + at, V(sub_epi16)(V(sub_epi16)(fq, fv), left[c].p));
                left[c] = (struct left){fp, V(add_epi16)(fq, fh)};
            }
        }
    }
}

static void wrap(const struct step_rows *rows, char *line)
{
    wrap_line(rows, line, sizeof(vec), sizeof(uint16_t));
}

static void wrap_row(const struct step_rows *rows, char *row)
{
    for (int plane = 0; plane < rows->diffusion->planes; plane++)
        wrap(rows, row + (size_t)plane * rows->line_bytes);
}

/* A function for each combination, so that each has all registers to itself. */
typedef void row_fn(const struct step_rows *rows, const struct row_work *work,
                    const struct edge_weights *constant);
#define ROW(name, joint, model, wide)                                                              \
    static void name(const struct step_rows *rows, const struct row_work *work,                    \
                     const struct edge_weights *constant)                                          \
    {                                                                                              \
        row(rows, work, joint, RO_MODEL_##model, wide, constant);                                  \
    }
#define ROWS(name, joint, model)                                                                   \
    ROW(name##_narrow, joint, model, false)                                                        \
    ROW(name##_wide, joint, model, true)
ROWS(linear, 1, LINEAR)
ROWS(perona_malik, 1, PERONA_MALIK)
ROWS(perona_malik3, 3, PERONA_MALIK)
ROWS(table, 1, TABLE)
ROWS(table3, 3, TABLE)
ROWS(anisotropic, 1, ANISOTROPIC)
ROWS(anisotropic3, 3, ANISOTROPIC)
ROWS(tensor, 1, TENSOR)
ROWS(tensor3, 3, TENSOR)

static row_fn *const functions[][2][2] = {
    [RO_MODEL_LINEAR] = {{linear_narrow, linear_wide}, {linear_narrow, linear_wide}},
    [RO_MODEL_PERONA_MALIK] = {{perona_malik_narrow, perona_malik_wide},
                               {perona_malik3_narrow, perona_malik3_wide}},
    [RO_MODEL_TABLE] = {{table_narrow, table_wide}, {table3_narrow, table3_wide}},
    [RO_MODEL_ANISOTROPIC] = {{anisotropic_narrow, anisotropic_wide},
                              {anisotropic3_narrow, anisotropic3_wide}},
    [RO_MODEL_TENSOR] = {{tensor_narrow, tensor_wide}, {tensor3_narrow, tensor3_wide}},
};

static void step(const struct step_rows *rows, const struct row_work *work)
{
    const struct step_weights *diffusion = rows->diffusion;
    functions[diffusion->model][diffusion->joint > 1][rows->wide](rows, work, &diffusion->constant);
    wrap_row(rows, work->out);
}

static void smooth(const struct step_rows *rows, const struct row_work *work)
{
    functions[RO_MODEL_LINEAR][0][rows->wide](rows, work, &rows->diffusion->smoothing);
    wrap_row(rows, work->out);
}

/* Norms are shifted by what was dropped at least, and packed as signed numbers. */
static bool supports(const struct step_weights *diffusion, int64_t white)
{
    if (diffusion->real || diffusion->ceiling || white > UINT16_MAX ||
        (diffusion->joint != 1 && diffusion->joint != 3))
        return false;
    if (diffusion->model == RO_MODEL_LINEAR)
        return true;
    if (white > INT16_MAX)
        return diffusion->shift > WIDE_DROPPED;
    return fits_directly(diffusion->joint, white) || diffusion->shift >= JOINT_DROPPED;
}

/* ---- Columns to lanes and back -------------------------------------------------------------- */

RO_INLINE void store_widened(int32_t *to, v_all v)
{
#if defined(RO_SIMD_V128)
    v_store(to, v_unpacklo_epi16(v, (v_all){0}));
    v_store(to + 4, v_unpackhi_epi16(v, (v_all){0}));
#else
    _mm256_storeu_si256((__m256i *)to, _mm256_cvtepu16_epi32((__m128i)v));
#endif
}
/* Squares of 8 lanes and 8 vectors are transposed in registers; what is left, one by one. */
RO_INLINE void transpose8(v_all r[8])
{
    v_all a[8];
    for (int i = 0; i < 4; i++) {
        a[2 * i] = v_unpacklo_epi16(r[i], r[i + 4]);
        a[2 * i + 1] = v_unpackhi_epi16(r[i], r[i + 4]);
    }
    for (int i = 0; i < 4; i++) {
        r[2 * i] = v_unpacklo_epi16(a[i], a[i + 4]);
        r[2 * i + 1] = v_unpackhi_epi16(a[i], a[i + 4]);
    }
    for (int i = 0; i < 4; i++) {
        a[2 * i] = v_unpacklo_epi16(r[i], r[i + 4]);
        a[2 * i + 1] = v_unpackhi_epi16(r[i], r[i + 4]);
    }
    for (int i = 0; i < 8; i++)
        r[i] = a[i];
}

/* Lanes behind the image repeat its last column. */
static void pack(const struct step_rows *rows, const void *values, char *line)
{
    const int32_t *in = values;
    uint16_t *out = (uint16_t *)line + LANES;
    const size_t width = rows->diffusion->width, vectors = rows->vectors;
    for (size_t l = 0; l < LANES; l += 8) {
        size_t whole = (l + 8) * vectors <= width ? vectors / 8 * 8 : 0;
        for (size_t j = 0; j < whole; j += 8) {
            v_all r[8];
            for (size_t i = 0; i < 8; i++) {
                const int32_t *from = in + (l + i) * vectors + j;
                r[i] = v_packus_epi32(v_load(from), v_load(from + 4));
            }
            transpose8(r);
            for (size_t i = 0; i < 8; i++)
                v_store(out + (j + i) * LANES + l, r[i]);
        }
        for (size_t j = whole; j < vectors; j++)
            for (size_t i = l; i < l + 8; i++) {
                size_t column = i * vectors + j;
                out[j * LANES + i] = (uint16_t)in[column < width ? column : width - 1];
            }
    }
    wrap(rows, line);
}

static void unpack(const struct step_rows *rows, const char *line, void *values)
{
    int32_t *out = values;
    const uint16_t *in = (const uint16_t *)line + LANES;
    const size_t width = rows->diffusion->width, vectors = rows->vectors;
    for (size_t l = 0; l < LANES; l += 8) {
        size_t whole = (l + 8) * vectors <= width ? vectors / 8 * 8 : 0;
        for (size_t j = 0; j < whole; j += 8) {
            v_all r[8];
            for (size_t i = 0; i < 8; i++)
                r[i] = v_load(in + (j + i) * LANES + l);
            transpose8(r);
            for (size_t i = 0; i < 8; i++)
                store_widened(out + (l + i) * vectors + j, r[i]);
        }
        for (size_t i = l; i < l + 8; i++)
            for (size_t j = whole; j < vectors && i * vectors + j < width; j++)
                out[i * vectors + j] = in[j * LANES + i];
    }
}

const struct row_kernel RO_SIMD_NAME(row_kernel) = {
    .cpu = RO_SIMD_CPU,
    .lanes = LANES,
    .sample_bytes = sizeof(uint16_t),
    .supports = supports,
    .step = step,
    .smooth = smooth,
    .pack = pack,
    .unpack = unpack,
};
