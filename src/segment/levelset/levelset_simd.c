/* SPDX-License-Identifier: MIT */
/*
 * Row kernels of level sets in vectors. Numbers of 8 and 12 bits with a linear norm stay in 16-bit
 * lanes: with S the sum of the differences and M the largest,
 *
 *   flux = |F| (a S + (128 - a) M) = (a |F|) (S - M) + (64 |F|) (2 M)
 *
 * both products being of numbers below 2^16. All that is wanted of their sum is
 * floor((flux + 2^17) / 2^18) = (floor(flux / 2^16) + 2) >> 2: the two upper halves and the carry
 * of the lower ones. A negative speed rounds ties the other way, which takes one from the lower
 * half. Speeds of 8-bit numbers are in 1/256 and count eightfold.
 *
 * So do 16-bit numbers while no difference in a vector is above 2^14 - 1, which is 64 pixels at the
 * slope of a new front. With R = S - M and N = a R + 128 M = 128 n1 + n0,
 *
 *   n1 = M + floor(a R / 128)     n0 = a R mod 128
 *   floor((|F| N + 2^21) / 2^22) = (|F| n1 + floor(|F| n0 / 128) + 2^14) >> 15
 *
 * and every floor is the upper half of a product of 16-bit numbers.
 */
#include "segment/levelset/levelset_rows.h"
#include "simd/lanes16.h"

#if defined(RO_SIMD_AVX512)
typedef __mmask32 choice;
RO_INLINE vec load_any(const int16_t *from) { return _mm512_loadu_si512(from); }
RO_INLINE void store_any(int16_t *to, vec v) { _mm512_storeu_si512(to, v); }
RO_INLINE choice negative(vec v) { return _mm512_movepi16_mask(v); }
/* (p - q)+ or, where chosen, (q - p)+ */
RO_INLINE vec against(vec p, vec q, choice turned)
{
    return _mm512_mask_subs_epu16(_mm512_subs_epu16(p, q), turned, q, p);
}
RO_INLINE choice less(vec a, vec b) { return _mm512_cmplt_epu16_mask(a, b); }
RO_INLINE choice is_none(vec v) { return _mm512_testn_epi16_mask(v, v); }
RO_INLINE choice both(choice a, choice b) { return a & b; }
RO_INLINE bool any_of(choice c) { return c != 0; }
RO_INLINE vec one_more(vec v, choice c)
{
    return _mm512_mask_sub_epi16(v, c, v, V(set1_epi16)(-1));
}
RO_INLINE vec one_less(vec v, choice c)
{
    return _mm512_mask_add_epi16(v, c, v, V(set1_epi16)(-1));
}
RO_INLINE vec signed_by(vec size, choice turned)
{
    return _mm512_mask_sub_epi16(size, turned, zero(), size);
}
RO_INLINE vec mix_in(vec all, vec a, vec b)
{
    return _mm512_ternarylogic_epi32(all, a, b, 0xf6); /* all | (a ^ b) */
}
RO_INLINE bool is_zero(vec v) { return _mm512_test_epi32_mask(v, v) == 0; }
RO_INLINE vec first_lanes(vec v, uint32_t count)
{
    return _mm512_maskz_mov_epi16(_bzhi_u32(~0u, count), v);
}
#elif defined(RO_SIMD_V128)
typedef vec choice;
RO_INLINE vec load_any(const int16_t *from) { return v_load(from); }
RO_INLINE void store_any(int16_t *to, vec v) { v_store(to, v); }
RO_INLINE choice negative(vec v) { return v_srai_epi16(v, 15); }
RO_INLINE vec against(vec p, vec q, choice turned)
{
    return v_chosen(turned, v_subs_epu16(q, p), v_subs_epu16(p, q));
}
RO_INLINE choice less(vec a, vec b) { return ~v_cmpeq_epi16(v_max_epu16(a, b), a); }
RO_INLINE choice is_none(vec v) { return v_cmpeq_epi16(v, zero()); }
RO_INLINE choice both(choice a, choice b) { return a & b; }
RO_INLINE bool any_of(choice c) { return v_any(c); }
RO_INLINE vec one_more(vec v, choice c) { return v_sub_epi16(v, c); }
RO_INLINE vec one_less(vec v, choice c) { return v_add_epi16(v, c); }
RO_INLINE vec signed_by(vec size, choice turned) { return v_sub_epi16(size ^ turned, turned); }
RO_INLINE vec mix_in(vec all, vec a, vec b) { return all | (a ^ b); }
RO_INLINE bool is_zero(vec v) { return !v_any(v); }
RO_INLINE vec first_lanes(vec v, uint32_t count)
{
    return v & v_cmpgt_epi16(v_set1_epi16((int)count), (vec)(v_i16){0, 1, 2, 3, 4, 5, 6, 7});
}
#else
typedef __m256i choice;
RO_INLINE vec load_any(const int16_t *from) { return _mm256_loadu_si256((const vec *)from); }
RO_INLINE void store_any(int16_t *to, vec v) { _mm256_storeu_si256((vec *)to, v); }
RO_INLINE choice negative(vec v) { return _mm256_srai_epi16(v, 15); }
RO_INLINE vec against(vec p, vec q, choice turned)
{
    return _mm256_blendv_epi8(_mm256_subs_epu16(p, q), _mm256_subs_epu16(q, p), turned);
}
RO_INLINE choice less(vec a, vec b)
{
    return _mm256_xor_si256(_mm256_cmpeq_epi16(V(max_epu16)(a, b), a), V(set1_epi16)(-1));
}
RO_INLINE choice is_none(vec v) { return _mm256_cmpeq_epi16(v, zero()); }
RO_INLINE choice both(choice a, choice b) { return and_(a, b); }
RO_INLINE bool any_of(choice c) { return _mm256_movemask_epi8(c) != 0; }
RO_INLINE vec one_more(vec v, choice c) { return V(sub_epi16)(v, c); }
RO_INLINE vec one_less(vec v, choice c) { return V(add_epi16)(v, c); }
RO_INLINE vec signed_by(vec size, choice turned)
{
    return V(sub_epi16)(_mm256_xor_si256(size, turned), turned);
}
RO_INLINE vec mix_in(vec all, vec a, vec b) { return or_(all, _mm256_xor_si256(a, b)); }
RO_INLINE bool is_zero(vec v) { return _mm256_testz_si256(v, v); }
RO_INLINE vec first_lanes(vec v, uint32_t count)
{
    const vec number = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return and_(v, _mm256_cmpgt_epi16(_mm256_set1_epi16((short)count), number));
}
#endif

/* Plus one where a + b, the lower halves, carry; turned: where a + b - 1 does. */
RO_INLINE vec with_carry(vec upper, vec a, vec b, choice turned)
{
    vec sum = V(add_epi16)(a, b);
    return one_less(one_more(upper, less(sum, a)), both(turned, is_none(sum)));
}

/* Pixels of a row: phi, the speed's size and side, and the differences to the four neighbours that
 * lie against the motion. They are unsigned: phi is moved up by 2^15. */
struct pixels {
    vec p, rate, l, r, u, d;
    choice turned;
};

RO_INLINE vec raised(const char *row, ptrdiff_t x)
{
    return V(add_epi16)(load_any((const int16_t *)row + x), V(set1_epi16)(INT16_MIN));
}

RO_INLINE struct pixels look(const struct level_row *row, ptrdiff_t x)
{
    struct pixels at;
    const vec f = load_any((const int16_t *)row->speed + x), b = raised(row->row, x);
    at.p = load_any((const int16_t *)row->row + x);
    at.turned = negative(f);
    at.rate = V(abs_epi16)(f);
    at.l = against(b, raised(row->row, x - 1), at.turned);
    at.r = against(b, raised(row->row, x + 1), at.turned);
    at.u = against(b, raised(row->above, x), at.turned);
    at.d = against(b, raised(row->below, x), at.turned);
    return at;
}

/* `left` pixels of the row are there from these on. */
RO_INLINE vec note_moved(vec moved, vec next, vec p, uint32_t left)
{
    return left >= LANES ? mix_in(moved, next, p)
                         : or_(moved, first_lanes(mix_in(zero(), next, p), left));
}

static unsigned moves_of(vec moved)
{
    return (is_zero(moved) ? 0 : LEVEL_MOVED) | (any_of(negative(moved)) ? LEVEL_CROSSED : 0);
}

/* Speeds below a half, as a from 43 on makes them: products above hold no more bits. */
static bool is_slow(const struct front_level *level) { return level->a >= 43; }

static bool narrow_linear(const struct front_level *level)
{
    return !level->real && level->bits <= 11 && is_slow(level) && level_is_simple(level);
}

/* Phi is never clamped, for the speed is within the monotone bound. */
static unsigned step_lanes(const struct front_level *level, const struct level_row *row)
{
    const struct level_row rows = *row; /* which no store here changes */
    int16_t *out = (int16_t *)row->out;
    const vec two = V(set1_epi16)(2);
    const vec sum_weight = V(set1_epi16)((short)(level->a << (11 - level->bits)));
    const int most_shift = 6 + 11 - level->bits;
    const uint32_t count = row->count;
    vec moved = zero();
    for (uint32_t x = 0; x < count; x += LANES) {
        const struct pixels at = look(&rows, x);
        const vec p = at.p, rate = at.rate, l = at.l, r = at.r, u = at.u, d = at.d;
        const choice turned = at.turned;
        vec most = V(max_epi16)(V(max_epi16)(l, r), V(max_epi16)(u, d));
        if (is_zero(most)) { /* flat, as most of an image is */
            store_any(out + x, p);
            continue;
        }
        vec rest = V(sub_epi16)(V(add_epi16)(V(add_epi16)(l, r), V(add_epi16)(u, d)), most);
        vec sum_rate = V(mullo_epi16)(rate, sum_weight),
            most_rate = V(slli_epi16)(rate, most_shift);
        vec twice = V(add_epi16)(most, most);
        vec upper = V(add_epi16)(V(mulhi_epu16)(rest, sum_rate), V(mulhi_epu16)(twice, most_rate));
        upper = with_carry(upper, V(mullo_epi16)(rest, sum_rate), V(mullo_epi16)(twice, most_rate),
                           turned);
        vec change = V(srai_epi16)(V(add_epi16)(upper, two), 2);
        vec next = V(sub_epi16)(p, signed_by(change, turned));
        store_any(out + x, next);
        moved = note_moved(moved, next, p, count - x);
    }
    return moves_of(moved);
}

static bool wide_linear(const struct front_level *level)
{
    return !level->real && level->bits == 15 && is_slow(level) && level_is_simple(level);
}

/* Some pixels of a row in 32-bit lanes. */
static unsigned step_part(const struct front_level *level, const struct level_row *row, uint32_t x,
                          uint32_t count)
{
    const size_t at = x * sizeof(int16_t);
    const struct level_row part = {.above = row->above + at,
                                   .row = row->row + at,
                                   .below = row->below + at,
                                   .speed = row->speed + at,
                                   .out = row->out + at,
                                   .count = count};
    return level_row_of_norm(level, &part);
}

static unsigned step_wide_lanes(const struct front_level *level, const struct level_row *row)
{
    const struct level_row rows = *row;
    int16_t *out = (int16_t *)row->out;
    const vec low = V(set1_epi16)(127);
    const vec weight = V(set1_epi16)((short)level->a);
    const vec weight_up = V(set1_epi16)((short)(level->a << 9));
    const vec half = V(set1_epi16)(1 << 14), largest = V(set1_epi16)((1 << 14) - 1);
    const uint32_t count = row->count;
    unsigned apart = 0;
    vec moved = zero();
    for (uint32_t x = 0; x < count; x += LANES) {
        const struct pixels at = look(&rows, x);
        const vec p = at.p, rate = at.rate, l = at.l, r = at.r, u = at.u, d = at.d;
        const choice turned = at.turned;
        vec most = V(max_epu16)(V(max_epu16)(l, r), V(max_epu16)(u, d));
        if (is_zero(most)) {
            store_any(out + x, p);
            continue;
        }
        if (any_of(less(largest, most))) {
            apart |= step_part(level, row, x, x + LANES <= count ? LANES : count - x);
            continue;
        }
        vec rest = V(sub_epi16)(V(add_epi16)(V(add_epi16)(l, r), V(add_epi16)(u, d)), most);
        vec n1 = V(add_epi16)(most, V(mulhi_epu16)(rest, weight_up));
        vec n0 = and_(V(mullo_epi16)(rest, weight), low);
        vec small = V(mulhi_epu16)(V(slli_epi16)(rate, 2), V(slli_epi16)(n0, 7));
        choice even = is_none(and_(V(mullo_epi16)(rate, n0), low));
        small = V(add_epi16)(one_less(small, both(turned, even)), half);
        vec sum = V(add_epi16)(V(mullo_epi16)(rate, n1), small);
        vec upper = one_more(V(mulhi_epu16)(rate, n1), less(sum, small));
        vec change = V(add_epi16)(V(add_epi16)(upper, upper), V(srli_epi16)(sum, 15));
        vec next = V(sub_epi16)(p, signed_by(change, turned));
        store_any(out + x, next);
        moved = note_moved(moved, next, p, count - x);
    }
    return apart | moves_of(moved);
}

const struct level_kernels RO_SIMD_NAME(level_kernels) = {{
    {RO_SIMD_CPU, narrow_linear, step_lanes},
    {RO_SIMD_CPU, wide_linear, step_wide_lanes},
    {RO_SIMD_CPU, level_is_whole, level_row_of_norm},
    {RO_SIMD_CPU, level_is_real, level_row_of_norm_real},
    {RO_SIMD_CPU, level_is_any, level_row_plain},
}};
