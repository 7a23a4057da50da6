/* SPDX-License-Identifier: MIT */
/* What the processor can do. */
#ifndef RO_CORE_CPU_H
#define RO_CORE_CPU_H

#include "roundoff/core.h"

#include <stdbool.h>

ro_cpu cpu_best(void);
bool cpu_usable(ro_cpu cpu);             /* compiled in, and this processor runs it */
int cpu_threads(void);                   /* cores this process may run on */
void cpu_model(char *name, size_t size); /* as the system names it */

/*
 * The instruction sets that vector code was compiled for, the widest last: DO(set, cpu, whether
 * this processor runs it, ...). CMakeLists.txt compiles every *_simd.c once per row; a build for
 * one machine alone (RO_WITH_SIMD=NATIVE) has one row.
 */
#if defined(RO_NO_SIMD)
#define RO_INSTRUCTION_SETS(DO, ...)
#elif defined(__x86_64__) && defined(__GNUC__)
#if !defined(RO_SIMD_ONLY) || defined(RO_SIMD_ONLY_V128)
#define RO_ROW_V128(DO, ...) DO(v128, RO_CPU_V128, __builtin_cpu_supports("sse4.1"), __VA_ARGS__)
#else
#define RO_ROW_V128(DO, ...)
#endif
#if !defined(RO_SIMD_ONLY) || defined(RO_SIMD_ONLY_AVX2)
#define RO_ROW_AVX2(DO, ...)                                                                       \
    DO(avx2, RO_CPU_AVX2, __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"),         \
       __VA_ARGS__)
#else
#define RO_ROW_AVX2(DO, ...)
#endif
#if !defined(RO_SIMD_ONLY) || defined(RO_SIMD_ONLY_AVX512)
#define RO_HAS_AVX512 1
#define RO_ROW_AVX512(DO, ...)                                                                     \
    DO(avx512, RO_CPU_AVX512,                                                                      \
       __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&                  \
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"),               \
       __VA_ARGS__)
#else
#define RO_ROW_AVX512(DO, ...)
#endif
#define RO_INSTRUCTION_SETS(DO, ...)                                                               \
    RO_ROW_V128(DO, __VA_ARGS__) RO_ROW_AVX2(DO, __VA_ARGS__) RO_ROW_AVX512(DO, __VA_ARGS__)
#elif defined(__aarch64__) || defined(__wasm_simd128__)
#define RO_INSTRUCTION_SETS(DO, ...) DO(v128, RO_CPU_V128, 1, __VA_ARGS__)
#else
#define RO_INSTRUCTION_SETS(DO, ...)
#endif

enum { RO_CPUS = RO_CPU_AVX512 + 1 };

#endif
