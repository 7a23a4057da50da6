/* SPDX-License-Identifier: MIT */
/*
 * Between rows and lanes of 16 bits for level numbers: a chunk's rows turned into steps, and what
 * the steps decided, k or k + 1, turned into rows again. With AVX-512 a step leaves a bit per lane;
 * with AVX2, which would have to gather it, all ones or zeros in each lane.
 */
#ifndef RO_HALFTONE_ERROR_DIFFUSION_WAVE_WAVE_TRANSPOSE_H
#define RO_HALFTONE_ERROR_DIFFUSION_WAVE_WAVE_TRANSPOSE_H

#include "halftone/error_diffusion/wave/wave.h"
#include "halftone/error_diffusion/wave/wave_ops.h"

enum {
    ROW_BYTES_16 = 2 * WAVE_CHUNK,
    PART_BYTES_16 = 16, /* eight columns */
};

#if defined(RO_SIMD_AVX512)

/* From each of the rows that lie eight lanes apart a part. */
RO_INLINE whole parts_of_rows(const unsigned char *from)
{
    const int apart = 8 * ROW_BYTES_16;
    whole v = _mm512_castsi128_si512(_mm_load_si128((const __m128i *)from));
    v = _mm512_mask_broadcast_i32x4(v, 0x00f0, _mm_load_si128((const __m128i *)(from + apart)));
    v = _mm512_mask_broadcast_i32x4(v, 0x0f00, _mm_load_si128((const __m128i *)(from + 2 * apart)));
    return _mm512_mask_broadcast_i32x4(v, 0xf000,
                                       _mm_load_si128((const __m128i *)(from + 3 * apart)));
}

struct decided {
    __attribute__((aligned(64))) uint32_t step[WAVE_CHUNK];          /* a bit per lane */
    __attribute__((aligned(64))) unsigned char plane[4][WAVE_CHUNK]; /* eight lanes a byte */
};
typedef uint64_t decided_row; /* a bit per step */

/* k + 1 where f is the less of two. */
RO_INLINE void decide(struct decided *decided, int q, lanes16 f, lanes16 less)
{
    decided->step[q] = _mm512_cmpeq_epu16_mask((whole)f, (whole)less);
}

/* Bytes of four steps side by side in each part, then in all. */
RO_INLINE void turn_decided(struct decided *decided)
{
    const whole bytes_of_four = _mm512_set4_epi32(0x0f0b0703, 0x0e0a0602, 0x0d090501, 0x0c080400);
    const whole low = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
    const whole high = _mm512_or_si512(low, _mm512_set1_epi32(2));
    whole a[4];
    for (int i = 0; i < 4; i++)
        a[i] = _mm512_shuffle_epi8(_mm512_load_si512(decided->step + 16 * i), bytes_of_four);
    const whole b0 = _mm512_permutex2var_epi32(a[0], low, a[1]);
    const whole b1 = _mm512_permutex2var_epi32(a[2], low, a[3]);
    const whole d0 = _mm512_permutex2var_epi32(a[0], high, a[1]);
    const whole d1 = _mm512_permutex2var_epi32(a[2], high, a[3]);
    _mm512_store_si512(decided->plane[0], _mm512_shuffle_i64x2(b0, b1, 0x44));
    _mm512_store_si512(decided->plane[1], _mm512_shuffle_i64x2(b0, b1, 0xee));
    _mm512_store_si512(decided->plane[2], _mm512_shuffle_i64x2(d0, d1, 0x44));
    _mm512_store_si512(decided->plane[3], _mm512_shuffle_i64x2(d0, d1, 0xee));
}
RO_INLINE decided_row decided_of(const struct decided *decided, int i)
{
    return gather_bit(decided->plane[i / 8], i % 8);
}
RO_INLINE void add_decided8(unsigned char *to, const unsigned char *from, decided_row up)
{
    const whole k = _mm512_load_si512(from);
    _mm512_storeu_si512(to, _mm512_mask_add_epi8(k, up, k, _mm512_set1_epi8(1)));
}
RO_INLINE void add_decided16(unsigned char *to, const unsigned char *from, decided_row up)
{
    for (int half = 0; half < 2; half++, up >>= 32) {
        const whole k = _mm512_load_si512(from + 64 * half);
        const whole more = _mm512_mask_add_epi16(k, (__mmask32)up, k, _mm512_set1_epi16(1));
        _mm512_storeu_si512(to + 64 * half, more);
    }
}

#elif defined(RO_SIMD_V128)

RO_INLINE whole parts_of_rows(const unsigned char *from) { return v_load(from); }

struct decided {
    lanes16 step[WAVE_CHUNK];
    __attribute__((aligned(64))) unsigned char row[8][WAVE_CHUNK]; /* all ones: k + 1 */
};
typedef const unsigned char *decided_row;

RO_INLINE void decide(struct decided *decided, int q, lanes16 f, lanes16 less)
{
    decided->step[q] = (lanes16)(f == less);
}

/* Transposes: sixteen steps of eight lanes become eight rows of sixteen bytes. */
RO_INLINE void turn_decided(struct decided *decided)
{
    for (int q = 0; q < WAVE_CHUNK; q += 16) {
        whole v[8];
        for (int i = 0; i < 8; i++)
            v[i] =
                v_packs_epi16((whole)decided->step[q + 2 * i], (whole)decided->step[q + 2 * i + 1]);
        static const int apart[] = {4, 2, 1, 4};
        RO_UNROLL
        for (int t = 0; t < 4; t++)
            RO_UNROLL
        for (int i = 0; i < 8; i++)
            if (!(i & apart[t])) {
                const whole a = v[i], b = v[i | apart[t]];
                v[i] = v_unpacklo_epi8(a, b);
                v[i | apart[t]] = v_unpackhi_epi8(a, b);
            }
        RO_UNROLL
        for (int i = 0; i < 8; i++)
            v_store(decided->row[i] + q, v[(i & 1) * 4 + (i >> 2) * 2 + (i >> 1 & 1)]);
    }
}
RO_INLINE decided_row decided_of(const struct decided *decided, int i) { return decided->row[i]; }
RO_INLINE void add_decided8(unsigned char *to, const unsigned char *from, decided_row up)
{
    for (int at = 0; at < WAVE_CHUNK; at += 16)
        v_store(to + at, v_sub_epi8(v_load(from + at), v_load(up + at)));
}
RO_INLINE void add_decided16(unsigned char *to, const unsigned char *from, decided_row up)
{
    for (int at = 0; at < WAVE_CHUNK; at += 16) {
        const whole more = v_load(up + at);
        v_store(to + 2 * at, v_sub_epi16(v_load(from + 2 * at), v_unpacklo_epi8(more, more)));
        v_store(to + 2 * at + 16,
                v_sub_epi16(v_load(from + 2 * at + 16), v_unpackhi_epi8(more, more)));
    }
}

#else /* RO_SIMD_AVX2 */

RO_INLINE whole parts_of_rows(const unsigned char *from)
{
    const __m128i *next = (const __m128i *)(from + 8 * ROW_BYTES_16);
    const whole v = _mm256_castsi128_si256(_mm_load_si128((const __m128i *)from));
    return _mm256_inserti128_si256(v, _mm_load_si128(next), 1);
}

struct decided {
    lanes16 step[WAVE_CHUNK];
    __attribute__((aligned(64))) unsigned char row[16][WAVE_CHUNK]; /* all ones: k + 1 */
};
typedef const unsigned char *decided_row;

RO_INLINE void decide(struct decided *decided, int q, lanes16 f, lanes16 less)
{
    decided->step[q] = (lanes16)(f == less);
}

/* Sixteen steps of eight lanes in each half, packed to bytes. */
RO_INLINE void turn_decided(struct decided *decided)
{
    for (int q = 0; q < WAVE_CHUNK; q += 16) {
        whole v[8];
        for (int i = 0; i < 8; i++)
            v[i] = _mm256_packs_epi16((whole)decided->step[q + 2 * i],
                                      (whole)decided->step[q + 2 * i + 1]);
        static const int apart[] = {4, 2, 1, 4};
        RO_UNROLL
        for (int t = 0; t < 4; t++)
            RO_UNROLL
        for (int i = 0; i < 8; i++)
            if (!(i & apart[t])) {
                const whole a = v[i], b = v[i | apart[t]];
                v[i] = _mm256_unpacklo_epi8(a, b);
                v[i | apart[t]] = _mm256_unpackhi_epi8(a, b);
            }
        RO_UNROLL
        for (int i = 0; i < 8; i++) {
            const whole lane = v[(i & 1) * 4 + (i >> 2) * 2 + (i >> 1 & 1)];
            _mm_store_si128((__m128i *)(decided->row[i] + q), _mm256_castsi256_si128(lane));
            _mm_store_si128((__m128i *)(decided->row[i + 8] + q),
                            _mm256_extracti128_si256(lane, 1));
        }
    }
}
RO_INLINE decided_row decided_of(const struct decided *decided, int i) { return decided->row[i]; }
RO_INLINE void add_decided8(unsigned char *to, const unsigned char *from, decided_row up)
{
    for (int at = 0; at < WAVE_CHUNK; at += 32) {
        const whole k = _mm256_load_si256((const whole *)(from + at));
        const whole more = _mm256_load_si256((const whole *)(up + at));
        _mm256_storeu_si256((whole *)(to + at), _mm256_sub_epi8(k, more));
    }
}
RO_INLINE void add_decided16(unsigned char *to, const unsigned char *from, decided_row up)
{
    for (int at = 0; at < WAVE_CHUNK; at += 16) {
        const whole k = _mm256_load_si256((const whole *)(from + 2 * at));
        const whole more = _mm256_cvtepi8_epi16(_mm_load_si128((const __m128i *)(up + at)));
        _mm256_storeu_si256((whole *)(to + 2 * at), _mm256_sub_epi16(k, more));
    }
}

#endif

/* Steps that are not run decide nothing. */
RO_INLINE void no_more_decided(struct decided *decided, int count)
{
    if (count < WAVE_CHUNK)
        memset(decided->step + count, 0, (size_t)(WAVE_CHUNK - count) * sizeof *decided->step);
}

/* A chunk's rows of 16-bit numbers to lanes: eight columns at a time, whose squares come into their
 * places when they are loaded. */
RO_INLINE void turn_rows16(whole *to, const unsigned char *rows)
{
    for (int part = 0; part < ROW_BYTES_16; part += PART_BYTES_16, to += 8) {
        whole squares[8];
        for (int i = 0; i < 8; i++)
            squares[i] = parts_of_rows(rows + i * ROW_BYTES_16 + part);
        turn_squares16(squares);
        for (int i = 0; i < 8; i++)
            to[i] = squares[i];
    }
}

#endif
