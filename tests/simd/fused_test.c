/* SPDX-License-Identifier: MIT */
/* fma_f32, as it is computed without an instruction for it, against the C library's fmaf. */
#define RO_SIMD_V128
#include "core/random.h"
#include "simd/fused.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static uint32_t drawn;

static uint32_t draw(void) { return pixel_hash(1, drawn++, 0); }

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

enum { ANY, ORDINARY, FEW_BITS, TINY, FRACTION, KINDS };

static float draw_of(int kind)
{
    const uint32_t bits = draw();
    switch (kind) {
    case ORDINARY:
        return float_of((bits & 0x807fffff) | (120 + draw() % 14) << 23);
    case FEW_BITS:
        return float_of((bits & 0x80000000) | (100 + draw() % 50) << 23 | (draw() & 7) << 20 |
                        draw() % 3);
    case TINY: /* and below the least normal number */
        return float_of((bits & 0x807fffff) | draw() % 4 << 23);
    case FRACTION:
        return (float)((int)(bits % 4097) - 2048) / (float)(1 << draw() % 12);
    default:
        return float_of(bits);
    }
}

/* A float so much larger than a * b that the product decides how it is rounded. */
static float larger_than(float product)
{
    const uint32_t exponent = (bits_of(product) >> 23 & 255) + 23 + draw() % 6;
    return exponent < 255 ? float_of((draw() & 0x807fffff) | exponent << 23) : 0;
}

static void every_sum_is_rounded_once(void **state)
{
    (void)state;
    for (int i = 0; i < 2000000; i++) {
        const float a = draw_of(i % KINDS), b = draw_of(i / KINDS % KINDS);
        const float c = i % 4 ? draw_of(i / KINDS / KINDS % KINDS) : larger_than(a * b);
        const float want = fmaf(a, b, c), got = fma_f32(a, b, c);
        if (bits_of(want) != bits_of(got) && !(isnan(want) && isnan(got)))
            fail_msg("%a * %a + %a: %a, not %a", (double)a, (double)b, (double)c, (double)got,
                     (double)want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_sum_is_rounded_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
