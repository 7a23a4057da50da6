/* SPDX-License-Identifier: MIT */
/* Vectors of the instruction set at hand, or one float in plain C: LANES complex numbers as they
 * lie to real and imaginary parts (split), and back (join). */
#ifndef RO_FFT_DFT_LANES_H
#define RO_FFT_DFT_LANES_H

#if defined(RO_VECTOR_BYTES)
enum { LANES = RO_VECTOR_BYTES / 4 };
typedef float real __attribute__((vector_size(RO_VECTOR_BYTES)));
#define DFT_INLINE RO_INLINE
#define DFT_LOOP RO_UNROLL
#else
enum { LANES = 1 };
typedef float real;
#define DFT_INLINE static inline
#define DFT_LOOP
#endif

#if defined(RO_SIMD_AVX512)
RO_INLINE void split(const float *from, real *re, real *im)
{
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512 a = _mm512_loadu_ps(from), b = _mm512_loadu_ps(from + LANES);
    *re = (real)_mm512_permutex2var_ps(a, even, b);
    *im = (real)_mm512_permutex2var_ps(a, _mm512_or_si512(even, _mm512_set1_epi32(1)), b);
}
RO_INLINE void join(float *to, real re, real im)
{
    const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
    _mm512_storeu_ps(to, _mm512_permutex2var_ps((__m512)re, low, (__m512)im));
    _mm512_storeu_ps(to + LANES, _mm512_permutex2var_ps((__m512)re, high, (__m512)im));
}
#elif defined(RO_SIMD_V128)
RO_INLINE void split(const float *from, real *re, real *im)
{
    const real a = (real)v_load(from), b = (real)v_load(from + LANES);
    *re = __builtin_shufflevector(a, b, 0, 2, 4, 6);
    *im = __builtin_shufflevector(a, b, 1, 3, 5, 7);
}
RO_INLINE void join(float *to, real re, real im)
{
    v_store(to, v_unpacklo_epi32((v_all)re, (v_all)im));
    v_store(to + LANES, v_unpackhi_epi32((v_all)re, (v_all)im));
}
#elif defined(RO_SIMD_AVX2)
RO_INLINE void split(const float *from, real *re, real *im)
{
    const __m256 a = _mm256_loadu_ps(from), b = _mm256_loadu_ps(from + LANES);
    const __m256 x = _mm256_shuffle_ps(a, b, 0x88), y = _mm256_shuffle_ps(a, b, 0xdd);
    *re = (real)_mm256_permute4x64_pd((__m256d)x, 0xd8);
    *im = (real)_mm256_permute4x64_pd((__m256d)y, 0xd8);
}
RO_INLINE void join(float *to, real re, real im)
{
    const __m256 x = (__m256)_mm256_permute4x64_pd((__m256d)re, 0xd8);
    const __m256 y = (__m256)_mm256_permute4x64_pd((__m256d)im, 0xd8);
    _mm256_storeu_ps(to, _mm256_unpacklo_ps(x, y));
    _mm256_storeu_ps(to + LANES, _mm256_unpackhi_ps(x, y));
}
#else
DFT_INLINE void split(const float *from, real *re, real *im)
{
    *re = from[0];
    *im = from[1];
}
DFT_INLINE void join(float *to, real re, real im)
{
    to[0] = re;
    to[1] = im;
}
#endif

#endif
