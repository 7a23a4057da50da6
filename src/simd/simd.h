/* SPDX-License-Identifier: MIT */
/*
 * For files named *_simd.c, which are compiled once per instruction set: the name suffix of this
 * compilation, its ro_cpu and the width of its vectors. Arithmetic uses GNU vector types; what they
 * lack is written with intrinsics where it is needed.
 */
#ifndef RO_SIMD_SIMD_H
#define RO_SIMD_SIMD_H

#include <immintrin.h>

#define RO_SIMD_JOIN_(a, b) a##b
#define RO_SIMD_JOIN(a, b) RO_SIMD_JOIN_(a, b)

#if defined(RO_SIMD_AVX512)
#define RO_SIMD_NAME(name) RO_SIMD_JOIN(name, _avx512)
#define RO_SIMD_CPU RO_CPU_AVX512
#define RO_VECTOR_BYTES 64
#elif defined(RO_SIMD_AVX2)
#define RO_SIMD_NAME(name) RO_SIMD_JOIN(name, _avx2)
#define RO_SIMD_CPU RO_CPU_AVX2
#define RO_VECTOR_BYTES 32
#else
#error "compile *_simd.c with RO_SIMD_AVX2 or RO_SIMD_AVX512"
#endif

#define RO_INLINE static inline __attribute__((always_inline))
#define RO_UNROLL _Pragma("GCC unroll 64")

#endif
