/* SPDX-License-Identifier: MIT */
/*
 * Vectors of 16 bytes for SSE4.1, NEON and WebAssembly SIMD128. Code written with these operations
 * is the v128 variant of a kernel; the wider variants use them too where 16 bytes are enough.
 *
 * What GNU vector types can express is written with them, once for all machines, at the end of this
 * file. The rest is one block per machine. The names are those of Intel's intrinsics with v_ in
 * front, so that a macro V(name) finds the operation for any width. Included by simd.h.
 */
#ifndef RO_SIMD_V128_H
#define RO_SIMD_V128_H

#include "simd/fused.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE4_1__)
#include <smmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#else
#error "v128 needs SSE4.1, NEON or WebAssembly SIMD128"
#endif

#define V_TYPE(type, name)                                                                         \
    typedef __attribute__((vector_size(16), may_alias)) type name;                                 \
    typedef __attribute__((vector_size(16), may_alias, aligned(1))) type name##_loose;
V_TYPE(uint8_t, v_u8)
V_TYPE(int8_t, v_i8)
V_TYPE(uint16_t, v_u16)
V_TYPE(int16_t, v_i16)
V_TYPE(uint32_t, v_u32)
V_TYPE(int32_t, v_i32)
V_TYPE(uint64_t, v_u64)
V_TYPE(int64_t, v_i64)
V_TYPE(float, v_f32)
V_TYPE(double, v_f64)
#undef V_TYPE
typedef v_i64 v_all; /* a vector of any lanes */
typedef __attribute__((vector_size(8), may_alias)) uint8_t v_half8;
typedef __attribute__((vector_size(8), may_alias, aligned(1))) uint8_t v_half8_loose;

/* ---- Operations that each machine names differently -------------------------------------------
 */

#if defined(__SSE4_1__)

#define V_PAIR(name, call)                                                                         \
    RO_INLINE v_all v_##name(v_all a, v_all b) { return (v_all)call((__m128i)a, (__m128i)b); }
V_PAIR(min_epu8, _mm_min_epu8)
V_PAIR(max_epu8, _mm_max_epu8)
V_PAIR(min_epu16, _mm_min_epu16)
V_PAIR(max_epu16, _mm_max_epu16)
V_PAIR(min_epi16, _mm_min_epi16)
V_PAIR(max_epi16, _mm_max_epi16)
V_PAIR(min_epu32, _mm_min_epu32)
V_PAIR(max_epu32, _mm_max_epu32)
V_PAIR(min_epi32, _mm_min_epi32)
V_PAIR(max_epi32, _mm_max_epi32)
V_PAIR(avg_epu8, _mm_avg_epu8)
V_PAIR(avg_epu16, _mm_avg_epu16)
V_PAIR(adds_epu16, _mm_adds_epu16)
V_PAIR(adds_epi16, _mm_adds_epi16)
V_PAIR(subs_epu8, _mm_subs_epu8)
V_PAIR(subs_epu16, _mm_subs_epu16)
V_PAIR(mulhi_epu16, _mm_mulhi_epu16)
V_PAIR(mulhrs_epi16, _mm_mulhrs_epi16)
V_PAIR(madd_epi16, _mm_madd_epi16)
V_PAIR(packs_epi16, _mm_packs_epi16)
V_PAIR(packus_epi16, _mm_packus_epi16)
V_PAIR(packs_epi32, _mm_packs_epi32)
V_PAIR(packus_epi32, _mm_packus_epi32)
V_PAIR(shuffle_epi8, _mm_shuffle_epi8)
V_PAIR(maddubs_epi16, _mm_maddubs_epi16)
#undef V_PAIR
RO_INLINE v_all v_abs_epi16(v_all a) { return (v_all)_mm_abs_epi16((__m128i)a); }
RO_INLINE v_all v_abs_epi32(v_all a) { return (v_all)_mm_abs_epi32((__m128i)a); }
/* Multiplies 32-bit lanes that hold numbers from 0 to 2^15 - 1. */
RO_INLINE v_all v_times_small(v_all a, v_all b) { return v_madd_epi16(a, b); }
RO_INLINE v_all v_mulhi_epu32(v_all a, v_all b)
{
    __m128i even = _mm_srli_epi64(_mm_mul_epu32((__m128i)a, (__m128i)b), 32);
    __m128i odd = _mm_mul_epu32(_mm_srli_epi64((__m128i)a, 32), _mm_srli_epi64((__m128i)b, 32));
    return (v_all)_mm_blend_epi16(even, odd, 0xcc);
}
/* Rounds floats to the nearest integer, ties to even. They must lie in the range of int32_t. */
RO_INLINE v_all v_cvtps_epi32(v_f32 a) { return (v_all)_mm_cvtps_epi32((__m128)a); }
RO_INLINE v_f64 v_sqrt_pd(v_f64 a) { return (v_f64)_mm_sqrt_pd((__m128d)a); }
RO_INLINE v_f32 v_min_ps(v_f32 a, v_f32 b) { return (v_f32)_mm_min_ps((__m128)a, (__m128)b); }
RO_INLINE v_f32 v_max_ps(v_f32 a, v_f32 b) { return (v_f32)_mm_max_ps((__m128)a, (__m128)b); }
RO_INLINE v_f64 v_min_pd(v_f64 a, v_f64 b) { return (v_f64)_mm_min_pd((__m128d)a, (__m128d)b); }
RO_INLINE v_f64 v_max_pd(v_f64 a, v_f64 b) { return (v_f64)_mm_max_pd((__m128d)a, (__m128d)b); }
/* Collects the highest bit of each lane; that of the first lane is bit 0. */
RO_INLINE uint32_t v_mask8(v_all a) { return (uint32_t)_mm_movemask_epi8((__m128i)a); }
RO_INLINE uint32_t v_mask16(v_all a)
{
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16((__m128i)a, _mm_setzero_si128()));
}
RO_INLINE uint32_t v_mask32(v_all a) { return (uint32_t)_mm_movemask_ps((__m128)a); }
RO_INLINE uint32_t v_mask64(v_all a) { return (uint32_t)_mm_movemask_pd((__m128d)a); }
RO_INLINE uint64_t v_mask_of_64(v_all a, v_all b, v_all c, v_all d)
{
    return v_mask8(a) | v_mask8(b) << 16 | (uint64_t)(v_mask8(c) | v_mask8(d) << 16) << 32;
}
/* Does the same with the bits of each byte of the result in reverse: the first lane is bit 7. */
RO_INLINE uint64_t v_turned_mask_of_64(v_all a, v_all b, v_all c, v_all d)
{
    const v_all turn = (v_all)(v_u8){7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8};
    return v_mask_of_64(v_shuffle_epi8(a, turn), v_shuffle_epi8(b, turn), v_shuffle_epi8(c, turn),
                        v_shuffle_epi8(d, turn));
}
RO_INLINE bool v_any(v_all a) { return !_mm_testz_si128((__m128i)a, (__m128i)a); }

#elif defined(__aarch64__)

#define V_PAIR(name, call, type)                                                                   \
    RO_INLINE v_all v_##name(v_all a, v_all b) { return (v_all)call((type)a, (type)b); }
V_PAIR(min_epu8, vminq_u8, uint8x16_t)
V_PAIR(max_epu8, vmaxq_u8, uint8x16_t)
V_PAIR(min_epu16, vminq_u16, uint16x8_t)
V_PAIR(max_epu16, vmaxq_u16, uint16x8_t)
V_PAIR(min_epi16, vminq_s16, int16x8_t)
V_PAIR(max_epi16, vmaxq_s16, int16x8_t)
V_PAIR(min_epu32, vminq_u32, uint32x4_t)
V_PAIR(max_epu32, vmaxq_u32, uint32x4_t)
V_PAIR(min_epi32, vminq_s32, int32x4_t)
V_PAIR(max_epi32, vmaxq_s32, int32x4_t)
V_PAIR(avg_epu8, vrhaddq_u8, uint8x16_t)
V_PAIR(avg_epu16, vrhaddq_u16, uint16x8_t)
V_PAIR(adds_epu16, vqaddq_u16, uint16x8_t)
V_PAIR(adds_epi16, vqaddq_s16, int16x8_t)
V_PAIR(subs_epu8, vqsubq_u8, uint8x16_t)
V_PAIR(subs_epu16, vqsubq_u16, uint16x8_t)
V_PAIR(mulhrs_epi16, vqrdmulhq_s16, int16x8_t) /* -2^15 times itself differs */
#undef V_PAIR
RO_INLINE v_all v_abs_epi16(v_all a) { return (v_all)vabsq_s16((int16x8_t)a); }
RO_INLINE v_all v_abs_epi32(v_all a) { return (v_all)vabsq_s32((int32x4_t)a); }
RO_INLINE v_all v_mulhi_epu16(v_all a, v_all b)
{
    const uint16x8_t x = (uint16x8_t)a, y = (uint16x8_t)b;
    const uint32x4_t low = vmull_u16(vget_low_u16(x), vget_low_u16(y)), high = vmull_high_u16(x, y);
    return (v_all)vuzp2q_u16((uint16x8_t)low, (uint16x8_t)high);
}
RO_INLINE v_all v_madd_epi16(v_all a, v_all b)
{
    const int16x8_t x = (int16x8_t)a, y = (int16x8_t)b;
    return (v_all)vpaddq_s32(vmull_s16(vget_low_s16(x), vget_low_s16(y)), vmull_high_s16(x, y));
}
RO_INLINE v_all v_times_small(v_all a, v_all b) { return (v_all)((v_u32)a * (v_u32)b); }
RO_INLINE v_all v_packs_epi16(v_all a, v_all b)
{
    return (v_all)vqmovn_high_s16(vqmovn_s16((int16x8_t)a), (int16x8_t)b);
}
RO_INLINE v_all v_packus_epi16(v_all a, v_all b)
{
    return (v_all)vqmovun_high_s16(vqmovun_s16((int16x8_t)a), (int16x8_t)b);
}
RO_INLINE v_all v_packs_epi32(v_all a, v_all b)
{
    return (v_all)vqmovn_high_s32(vqmovn_s32((int32x4_t)a), (int32x4_t)b);
}
RO_INLINE v_all v_packus_epi32(v_all a, v_all b)
{
    return (v_all)vqmovun_high_s32(vqmovun_s32((int32x4_t)a), (int32x4_t)b);
}
/* Indices must be below 16, or at least 128, which gives zero. */
RO_INLINE v_all v_shuffle_epi8(v_all a, v_all b)
{
    return (v_all)vqtbl1q_u8((uint8x16_t)a, (uint8x16_t)b);
}
RO_INLINE v_all v_mulhi_epu32(v_all a, v_all b)
{
    const uint32x4_t x = (uint32x4_t)a, y = (uint32x4_t)b;
    const uint64x2_t low = vmull_u32(vget_low_u32(x), vget_low_u32(y)), high = vmull_high_u32(x, y);
    return (v_all)vuzp2q_u32((uint32x4_t)low, (uint32x4_t)high);
}
RO_INLINE v_all v_cvtps_epi32(v_f32 a) { return (v_all)vcvtnq_s32_f32((float32x4_t)a); }
RO_INLINE v_f64 v_sqrt_pd(v_f64 a) { return (v_f64)vsqrtq_f64((float64x2_t)a); }
RO_INLINE v_f32 v_min_ps(v_f32 a, v_f32 b)
{
    return (v_f32)vminq_f32((float32x4_t)a, (float32x4_t)b);
}
RO_INLINE v_f32 v_max_ps(v_f32 a, v_f32 b)
{
    return (v_f32)vmaxq_f32((float32x4_t)a, (float32x4_t)b);
}
RO_INLINE v_f64 v_min_pd(v_f64 a, v_f64 b)
{
    return (v_f64)vminq_f64((float64x2_t)a, (float64x2_t)b);
}
RO_INLINE v_f64 v_max_pd(v_f64 a, v_f64 b)
{
    return (v_f64)vmaxq_f64((float64x2_t)a, (float64x2_t)b);
}
RO_INLINE uint64_t v_weighed(v_all a, v_all b, v_all c, v_all d, v_u8 weight)
{
    const uint8x16_t w = (uint8x16_t)weight;
#define V_SIGNS(x) vandq_u8((uint8x16_t)vshrq_n_s8((int8x16_t)(x), 7), w)
    const uint8x16_t ab = vpaddq_u8(V_SIGNS(a), V_SIGNS(b)), cd = vpaddq_u8(V_SIGNS(c), V_SIGNS(d));
#undef V_SIGNS
    const uint8x16_t four = vpaddq_u8(ab, cd);
    return vgetq_lane_u64((uint64x2_t)vpaddq_u8(four, four), 0);
}
RO_INLINE uint64_t v_mask_of_64(v_all a, v_all b, v_all c, v_all d)
{
    const v_u8 weight = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    return v_weighed(a, b, c, d, weight);
}
RO_INLINE uint64_t v_turned_mask_of_64(v_all a, v_all b, v_all c, v_all d)
{
    const v_u8 weight = {128, 64, 32, 16, 8, 4, 2, 1, 128, 64, 32, 16, 8, 4, 2, 1};
    return v_weighed(a, b, c, d, weight);
}
RO_INLINE uint32_t v_mask8(v_all a)
{
    const v_u8 weight = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t set = vandq_u8((uint8x16_t)vshrq_n_s8((int8x16_t)a, 7), (uint8x16_t)weight);
    return vaddv_u8(vget_low_u8(set)) | (uint32_t)vaddv_u8(vget_high_u8(set)) << 8;
}
RO_INLINE uint32_t v_mask16(v_all a)
{
    const v_u16 weight = {1, 2, 4, 8, 16, 32, 64, 128};
    return vaddvq_u16(vandq_u16((uint16x8_t)vshrq_n_s16((int16x8_t)a, 15), (uint16x8_t)weight));
}
RO_INLINE uint32_t v_mask32(v_all a)
{
    const v_u32 weight = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32((uint32x4_t)vshrq_n_s32((int32x4_t)a, 31), (uint32x4_t)weight));
}
RO_INLINE uint32_t v_mask64(v_all a)
{
    return (uint32_t)((uint64_t)a[0] >> 63 | ((uint64_t)a[1] >> 63) << 1);
}
RO_INLINE bool v_any(v_all a) { return vmaxvq_u32((uint32x4_t)a) != 0; }

#else /* __wasm_simd128__ */

#define V_PAIR(name, call)                                                                         \
    RO_INLINE v_all v_##name(v_all a, v_all b) { return (v_all)call((v128_t)a, (v128_t)b); }
V_PAIR(min_epu8, wasm_u8x16_min)
V_PAIR(max_epu8, wasm_u8x16_max)
V_PAIR(min_epu16, wasm_u16x8_min)
V_PAIR(max_epu16, wasm_u16x8_max)
V_PAIR(min_epi16, wasm_i16x8_min)
V_PAIR(max_epi16, wasm_i16x8_max)
V_PAIR(min_epu32, wasm_u32x4_min)
V_PAIR(max_epu32, wasm_u32x4_max)
V_PAIR(min_epi32, wasm_i32x4_min)
V_PAIR(max_epi32, wasm_i32x4_max)
V_PAIR(avg_epu8, wasm_u8x16_avgr)
V_PAIR(avg_epu16, wasm_u16x8_avgr)
V_PAIR(adds_epu16, wasm_u16x8_add_sat)
V_PAIR(adds_epi16, wasm_i16x8_add_sat)
V_PAIR(subs_epu8, wasm_u8x16_sub_sat)
V_PAIR(subs_epu16, wasm_u16x8_sub_sat)
V_PAIR(mulhrs_epi16, wasm_i16x8_q15mulr_sat)
V_PAIR(madd_epi16, wasm_i32x4_dot_i16x8)
V_PAIR(packs_epi16, wasm_i8x16_narrow_i16x8)
V_PAIR(packus_epi16, wasm_u8x16_narrow_i16x8)
V_PAIR(packs_epi32, wasm_i16x8_narrow_i32x4)
V_PAIR(packus_epi32, wasm_u16x8_narrow_i32x4)
V_PAIR(shuffle_epi8, wasm_i8x16_swizzle)
#undef V_PAIR
RO_INLINE v_all v_abs_epi16(v_all a) { return (v_all)wasm_i16x8_abs((v128_t)a); }
RO_INLINE v_all v_abs_epi32(v_all a) { return (v_all)wasm_i32x4_abs((v128_t)a); }
RO_INLINE v_all v_times_small(v_all a, v_all b) { return v_madd_epi16(a, b); }
RO_INLINE v_all v_mulhi_epu16(v_all a, v_all b)
{
    const v128_t low = wasm_u32x4_extmul_low_u16x8((v128_t)a, (v128_t)b);
    const v128_t high = wasm_u32x4_extmul_high_u16x8((v128_t)a, (v128_t)b);
    return (v_all)wasm_i16x8_shuffle(low, high, 1, 3, 5, 7, 9, 11, 13, 15);
}
RO_INLINE v_all v_mulhi_epu32(v_all a, v_all b)
{
    const v128_t low = wasm_u64x2_extmul_low_u32x4((v128_t)a, (v128_t)b);
    const v128_t high = wasm_u64x2_extmul_high_u32x4((v128_t)a, (v128_t)b);
    return (v_all)wasm_i32x4_shuffle(low, high, 1, 3, 5, 7);
}
RO_INLINE v_all v_cvtps_epi32(v_f32 a)
{
    return (v_all)wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_nearest((v128_t)a));
}
RO_INLINE v_f64 v_sqrt_pd(v_f64 a) { return (v_f64)wasm_f64x2_sqrt((v128_t)a); }
RO_INLINE v_f32 v_min_ps(v_f32 a, v_f32 b) { return (v_f32)wasm_f32x4_min((v128_t)a, (v128_t)b); }
RO_INLINE v_f32 v_max_ps(v_f32 a, v_f32 b) { return (v_f32)wasm_f32x4_max((v128_t)a, (v128_t)b); }
RO_INLINE v_f64 v_min_pd(v_f64 a, v_f64 b) { return (v_f64)wasm_f64x2_min((v128_t)a, (v128_t)b); }
RO_INLINE v_f64 v_max_pd(v_f64 a, v_f64 b) { return (v_f64)wasm_f64x2_max((v128_t)a, (v128_t)b); }
RO_INLINE uint32_t v_mask8(v_all a) { return (uint32_t)wasm_i8x16_bitmask((v128_t)a); }
RO_INLINE uint32_t v_mask16(v_all a) { return (uint32_t)wasm_i16x8_bitmask((v128_t)a); }
RO_INLINE uint32_t v_mask32(v_all a) { return (uint32_t)wasm_i32x4_bitmask((v128_t)a); }
RO_INLINE uint32_t v_mask64(v_all a) { return (uint32_t)wasm_i64x2_bitmask((v128_t)a); }
RO_INLINE uint64_t v_mask_of_64(v_all a, v_all b, v_all c, v_all d)
{
    return v_mask8(a) | v_mask8(b) << 16 | (uint64_t)(v_mask8(c) | v_mask8(d) << 16) << 32;
}
RO_INLINE v_all v_turned(v_all a)
{
    return (v_all)__builtin_shufflevector((v_i8)a, (v_i8)a, 7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12,
                                          11, 10, 9, 8);
}
RO_INLINE uint64_t v_turned_mask_of_64(v_all a, v_all b, v_all c, v_all d)
{
    return v_mask_of_64(v_turned(a), v_turned(b), v_turned(c), v_turned(d));
}
RO_INLINE bool v_any(v_all a) { return wasm_v128_any_true((v128_t)a); }

#endif

/* ---- Operations written once ------------------------------------------------------------------
 */

#define V_PLAIN(name, type, operator)                                                              \
    RO_INLINE v_all v_##name(v_all a, v_all b) { return (v_all)((type)a operator(type) b); }
V_PLAIN(add_epi8, v_u8, +)
V_PLAIN(sub_epi8, v_u8, -)
V_PLAIN(add_epi16, v_u16, +)
V_PLAIN(sub_epi16, v_u16, -)
V_PLAIN(mullo_epi16, v_u16, *)
V_PLAIN(add_epi32, v_u32, +)
V_PLAIN(sub_epi32, v_u32, -)
V_PLAIN(mullo_epi32, v_u32, *)
V_PLAIN(cmpeq_epi8, v_i8, ==)
V_PLAIN(cmpeq_epi16, v_i16, ==)
V_PLAIN(cmpeq_epi32, v_i32, ==)
V_PLAIN(cmpgt_epi8, v_i8, >)
V_PLAIN(cmpgt_epi16, v_i16, >)
V_PLAIN(cmpgt_epi32, v_i32, >)
#undef V_PLAIN
RO_INLINE v_all v_set1_epi8(int a) { return (v_all)((v_i8){0} + (int8_t)a); }
RO_INLINE v_all v_set1_epi16(int a) { return (v_all)((v_i16){0} + (int16_t)a); }
RO_INLINE v_all v_set1_epi32(int a) { return (v_all)((v_i32){0} + (int32_t)a); }
RO_INLINE v_f32 v_set1_ps(float a) { return a - (v_f32){0}; }
RO_INLINE v_all v_srli_epi16(v_all a, int by) { return (v_all)((v_u16)a >> by); }
RO_INLINE v_all v_slli_epi16(v_all a, int by) { return (v_all)((v_u16)a << by); }
RO_INLINE v_all v_srai_epi16(v_all a, int by) { return (v_all)((v_i16)a >> by); }
RO_INLINE v_all v_srli_epi32(v_all a, int by) { return (v_all)((v_u32)a >> by); }
RO_INLINE v_all v_slli_epi32(v_all a, int by) { return (v_all)((v_u32)a << by); }
RO_INLINE v_all v_srai_epi32(v_all a, int by) { return (v_all)((v_i32)a >> by); }
/* A shift by 32 or more gives zero. */
RO_INLINE v_all v_sllv_epi32(v_all a, v_all b)
{
    return (v_all)((v_u32)a << ((v_u32)b & 31) & (v_u32)((v_u32)b < 32));
}
RO_INLINE v_all v_srlv_epi32(v_all a, v_all b)
{
    return (v_all)((v_u32)a >> ((v_u32)b & 31) & (v_u32)((v_u32)b < 32));
}
RO_INLINE v_f32 v_cvtepi32_ps(v_all a) { return __builtin_convertvector((v_i32)a, v_f32); }
#if !defined(__SSE4_1__)
/* Multiplies unsigned bytes of a by signed bytes of b and adds the products of neighbours, which
 * must fit into 16 bits. */
RO_INLINE v_all v_maddubs_epi16(v_all a, v_all b)
{
    return (v_all)((v_i16)((v_u16)a & 255) * ((v_i16)((v_u16)b << 8) >> 8) +
                   (v_i16)((v_u16)a >> 8) * ((v_i16)b >> 8));
}
#endif
RO_INLINE v_all v_cvttps_epi32(v_f32 a) { return (v_all) __builtin_convertvector(a, v_i32); }
/* Computes a * b + c with one rounding. */
RO_INLINE v_f32 v_fmadd_ps(v_f32 a, v_f32 b, v_f32 c)
{
    v_f32 sum;
    for (int i = 0; i < 4; i++)
        sum[i] = fma_f32(a[i], b[i], c[i]);
    return sum;
}
RO_INLINE v_f32 v_mul_ps(v_f32 a, v_f32 b) { return a * b; }
#define V_ZIP(name, type, ...)                                                                     \
    RO_INLINE v_all v_##name(v_all a, v_all b)                                                     \
    {                                                                                              \
        return (v_all)__builtin_shufflevector((type)a, (type)b, __VA_ARGS__);                      \
    }
V_ZIP(unpacklo_epi8, v_u8, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
V_ZIP(unpackhi_epi8, v_u8, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
V_ZIP(unpacklo_epi16, v_u16, 0, 8, 1, 9, 2, 10, 3, 11)
V_ZIP(unpackhi_epi16, v_u16, 4, 12, 5, 13, 6, 14, 7, 15)
V_ZIP(unpacklo_epi32, v_u32, 0, 4, 1, 5)
V_ZIP(unpackhi_epi32, v_u32, 2, 6, 3, 7)
V_ZIP(unpacklo_epi64, v_u64, 0, 2)
V_ZIP(unpackhi_epi64, v_u64, 1, 3)
#undef V_ZIP
RO_INLINE v_all v_load(const void *from) { return (v_all) * (const v_i64_loose *)from; }
RO_INLINE void v_store(void *to, v_all a) { *(v_i64_loose *)to = (v_i64_loose)a; }
RO_INLINE v_all v_chosen(v_all yes, v_all a, v_all b) { return (yes & a) | (~yes & b); }
RO_INLINE v_all v_gather32(const void *table, v_all index, int scale)
{
    v_i32 found;
    for (int i = 0; i < 4; i++) {
        int32_t one;
        memcpy(&one, (const char *)table + (ptrdiff_t)((v_i32)index)[i] * scale, sizeof one);
        found[i] = one;
    }
    return (v_all)found;
}
/* Load integers into wider lanes. */
RO_INLINE v_all v_load_8_to_16(const void *from)
{
    return (v_all) __builtin_convertvector((v_half8) * (const v_half8_loose *)from, v_u16);
}
RO_INLINE v_all v_load_8_to_32(const void *from)
{
    typedef __attribute__((vector_size(4))) uint8_t four;
    four bytes;
    memcpy(&bytes, from, sizeof bytes);
    return (v_all) __builtin_convertvector(bytes, v_u32);
}
RO_INLINE v_all v_load_16_to_32(const void *from)
{
    typedef __attribute__((vector_size(8))) uint16_t four;
    four words;
    memcpy(&words, from, sizeof words);
    return (v_all) __builtin_convertvector(words, v_u32);
}

#endif
