/* SPDX-License-Identifier: MIT */
/*
 * Differences and fluxes in 16-bit lanes (diffusion_simd.c, AVX2) against their definition, by
 * counting all inputs: narrow ones as of s9 and s16, and wide ones. PROOFS=all takes every pair of
 * values and every weight that there is; else every value comes with a part of the others.
 */
#include <stdint.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && !defined(__clang__) && !defined(RO_NO_SIMD)

#define RO_SIMD_AVX2
#pragma GCC target("avx2,fma")
#include "denoise/diffusion_simd.c"

enum { MOST_WEIGHT = 16383 };

static bool can_run(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static int step_of(int part)
{
    const char *asked = getenv("PROOFS");
    return asked && strcmp(asked, "all") == 0 ? 1 : part;
}

static vec from_on(int32_t first)
{
    const vec number = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return V(add_epi16)(V(set1_epi16)((short)first), number);
}

/* Of LANES values from `first` on and one other, both ways. */
static void check(int32_t first, int32_t other, int32_t weight, bool wide, bool nearest)
{
    _Alignas(sizeof(vec)) int16_t there[LANES], back[LANES];
    const vec many = from_on(first), one = V(set1_epi16)((short)other);
    const vec w = V(set1_epi16)((short)weight);
    store((char *)there, flux_of(difference_of(many, one, wide), w, nearest));
    store((char *)back, flux_of(difference_of(one, many, wide), w, nearest));
    int wrong = 0;
    for (int i = 0; i < LANES; i++) {
        const int32_t flux = edge_flux(weight, first + i - other, nearest);
        wrong |= (there[i] ^ (int16_t)flux) | (back[i] ^ (int16_t)-flux);
    }
    if (wrong)
        fail_msg("differences %d to %d, weight %d, %s, %s", first - other,
                 first - other + LANES - 1, weight, wide ? "wide" : "narrow",
                 nearest ? "nearest" : "toward zero");
}

static void every_weight(void **state)
{
    (void)state;
    if (!can_run())
        skip();
    for (int wide = 0; wide < 2; wide++)
        for (int nearest = 0; nearest < 2; nearest++)
            for (int32_t weight = 0; weight <= MOST_WEIGHT; weight += step_of(7))
                for (int32_t d = 0; d <= (wide ? UINT16_MAX : INT16_MAX); d += LANES)
                    check(d, 0, weight, wide, nearest);
}

static void every_pair(void **state)
{
    (void)state;
    if (!can_run())
        skip();
    for (int wide = 0; wide < 2; wide++) {
        const int32_t most = wide ? UINT16_MAX : INT16_MAX;
        for (int32_t other = 0; other <= most; other += step_of(61))
            for (int32_t first = 0; first <= most; first += LANES)
                check(first, other, MOST_WEIGHT, wide, false);
    }
}

#else

static void every_weight(void **state)
{
    (void)state;
    skip();
}
static void every_pair(void **state)
{
    (void)state;
    skip();
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_weight),
        cmocka_unit_test(every_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
