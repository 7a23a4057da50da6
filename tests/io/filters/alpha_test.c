/* SPDX-License-Identifier: MIT */
/* Alpha against its definition, and as readers give it. */
#include "io/io_test.h"

#include "io/filters/alpha.h"

static void over(void **state)
{
    (void)state;
    struct alpha_rule rule = {
        .what = RO_ALPHA_OVER, .channels = 1, .given = 1, .white = 255, .background = {255}};
    struct alpha_rule wide = rule;
    wide.white = wide.background[0] = 65535;
    for (unsigned alpha = 0; alpha < 256; alpha++)
        for (unsigned colour = 0; colour < 256; colour++) {
            uint8_t in[2] = {(uint8_t)colour, (uint8_t)alpha}, out;
            uint16_t in16[2] = {(uint16_t)(257 * colour), (uint16_t)(257 * alpha)}, out16;
            rule.multiplied = false;
            assert_int_equal(alpha_row8(&rule, &out, in, 1), alpha < 255);
            assert_int_equal(out, (alpha * colour + (255 - alpha) * 255 + 127) / 255);
            rule.multiplied = true;
            alpha_row8(&rule, &out, in, 1);
            assert_int_equal(out, colour + 255 - alpha > 255 ? 255 : colour + 255 - alpha);
            alpha_row16(&wide, &out16, in16, 1);
            assert_int_equal(
                out16, ((uint64_t)in16[1] * in16[0] + (uint64_t)(65535 - in16[1]) * 65535 + 32767) /
                           65535);
        }
}

static void colours(void **state)
{
    (void)state;
    const uint8_t in[8] = {10, 20, 30, 255, 100, 50, 0, 0};
    uint8_t out[6];
    struct alpha_rule rule = {
        .what = RO_ALPHA_OVER, .channels = 3, .given = 3, .white = 255, .background = {1, 2, 3}};
    alpha_row8(&rule, out, in, 2);
    assert_memory_equal(out, ((uint8_t[]){10, 20, 30, 1, 2, 3}), 6);
    rule.what = RO_ALPHA_KEEP;
    alpha_row8(&rule, out, in, 2);
    assert_memory_equal(out, ((uint8_t[]){10, 20, 30, 1, 2, 3}), 6);
    rule.what = RO_ALPHA_DROP;
    alpha_row8(&rule, out, in, 2);
    assert_memory_equal(out, ((uint8_t[]){10, 20, 30, 100, 50, 0}), 6);
    rule.what = RO_ALPHA_ONLY;
    rule.given = 1;
    alpha_row8(&rule, out, in, 2);
    assert_memory_equal(out, ((uint8_t[]){255, 0}), 2);
    /* What was multiplied by alpha comes back, and grey takes on a background's colour. */
    const uint8_t half[2] = {50, 100};
    rule = (struct alpha_rule){
        .what = RO_ALPHA_KEEP, .multiplied = true, .channels = 1, .given = 1, .white = 255};
    alpha_row8(&rule, out, half, 1);
    assert_int_equal(out[0], (50 * 255 + 50) / 100);
    const uint8_t none[2] = {50, 0};
    rule = (struct alpha_rule){
        .what = RO_ALPHA_OVER, .channels = 1, .given = 3, .white = 255, .background = {200, 0, 9}};
    alpha_row8(&rule, out, none, 1);
    assert_memory_equal(out, ((uint8_t[]){200, 0, 9}), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(over), cmocka_unit_test(colours)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
