/* SPDX-License-Identifier: MIT */
/* Iterations of the profile xpp24 on vectors: the bits of the definition, on hostile words. */
#include "core/cpu.h"
#include "core/random.h"
#include "denoise/denoise.h"
#include "papers/xpp24_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST = 70 * 40, LARGEST = (1 << 23) - 1 };

static uint32_t drawn(uint32_t kind, uint32_t i) { return pixel_hash(kind, i, 3); }

static int32_t number(uint32_t kind, uint32_t i)
{
    const uint32_t h = drawn(kind + 40, i);
    switch (kind % 4) {
    case 0:
        return (int32_t)(h % (2u * LARGEST)) - LARGEST;
    case 1:
        return h & 1 ? LARGEST : -LARGEST - 1;
    case 2:
        return (int32_t)(h % 17);
    default:
        return h % 9 ? LARGEST / 3 : (int32_t)(h % LARGEST);
    }
}

static void vectors_have_the_same_bits(void **state)
{
    (void)state;
    static const struct xpp24_kernels *const kernels[RO_CPUS] = {RO_VARIANTS_OF(xpp24_kernels)};
    static const uint32_t times[] = {1, 2048, 16384, 16383, 100000, 131072};
    static int32_t words[MOST], r[MOST], x[MOST], want[MOST], got[MOST];
    for (uint32_t round = 0; round < 400; round++) {
        const int64_t width = 1 + drawn(1, round) % (round % 3 ? 70 : 9);
        const int64_t height = 1 + drawn(2, round) % (round % 5 ? 40 : 3);
        const uint32_t time = times[round % 6];
        for (uint32_t i = 0; i < MOST; i++) {
            words[i] = (int32_t)(drawn(3 + round, i) % (1u << 24));
            words[i] |= round % 4 ? 0 : 4095 << 12; /* the heaviest weights */
            x[i] = number(round, i);
            r[i] = number(round / 4, i + 7);
        }
        xpp24_iterate(words, width, height, time, r, x, want);
        for (ro_cpu cpu = RO_CPU_SCALAR + 1; cpu <= cpu_best(); cpu++) {
            if (!kernels[cpu])
                continue;
            kernels[cpu]->iterate(words, width, height, time, r, x, got);
            for (int64_t i = 0; i < width * height; i++)
                if (want[i] != got[i])
                    fail_msg("%s, round %u, %lld x %lld, pixel %lld: %d, not %d", ro_cpu_name(cpu),
                             round, (long long)width, (long long)height, (long long)i, got[i],
                             want[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(vectors_have_the_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
