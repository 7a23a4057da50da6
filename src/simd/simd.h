/* SPDX-License-Identifier: MIT */
/*
 * For files named *_simd.c, which are compiled once per instruction set: the name suffix of this
 * compilation, its ro_cpu and the width of its vectors. Arithmetic uses GNU vector types; what they
 * lack is written with intrinsics where it is needed.
 */
#ifndef RO_SIMD_SIMD_H
#define RO_SIMD_SIMD_H

#if !defined(RO_SIMD_V128)
#include <immintrin.h>
#endif

#define RO_SIMD_JOIN_(a, b) a##b
#define RO_SIMD_JOIN(a, b) RO_SIMD_JOIN_(a, b)

#if defined(RO_SIMD_AVX512)
#define RO_SIMD_NAME(name) RO_SIMD_JOIN(name, _avx512)
#define RO_SIMD_CPU RO_CPU_AVX512
#define RO_SIMD_SET "avx512"
#define RO_VECTOR_BYTES 64
#elif defined(RO_SIMD_AVX2)
#define RO_SIMD_NAME(name) RO_SIMD_JOIN(name, _avx2)
#define RO_SIMD_CPU RO_CPU_AVX2
#define RO_SIMD_SET "avx2"
#define RO_VECTOR_BYTES 32
#elif defined(RO_SIMD_V128)
#define RO_SIMD_NAME(name) RO_SIMD_JOIN(name, _v128)
#define RO_SIMD_CPU RO_CPU_V128
#define RO_SIMD_SET "v128"
#define RO_VECTOR_BYTES 16
#else
#error "compile *_simd.c with RO_SIMD_V128, RO_SIMD_AVX2 or RO_SIMD_AVX512"
#endif

#define RO_INLINE static inline __attribute__((always_inline))
/* Makes the compiler compute x here, so that it cannot form a sum in another order. */
#if defined(__x86_64__)
#define RO_KEEP(x) asm("" : "+v"(x))
#elif defined(__aarch64__)
#define RO_KEEP(x) asm("" : "+w"(x))
#else
#define RO_KEEP(x) (void)0
#endif
#define RO_UNROLL _Pragma("GCC unroll 64")

#include "simd/v128.h"

#endif
