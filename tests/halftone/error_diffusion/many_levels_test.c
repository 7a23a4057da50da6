/* SPDX-License-Identifier: MIT */
/* Many levels in narrow lanes: every tone is split into a level and a rest, and from the rest and
 * any error that can come the level nearest is chosen, as by the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "halftone/error_diffusion/diffusion.h"
#include "halftone/error_diffusion/many_levels.h"

static int64_t level_of(const struct diffusion_steps *steps, int64_t k)
{
    int64_t extra = steps_line_at(&steps->extra, (uint32_t)k, steps->lane_bits);
    return steps->near * k + (steps->extra_down ? -extra : extra);
}

static int64_t base_of(const struct diffusion_steps *steps, int64_t sample)
{
    int64_t k = steps_line_at(&steps->base, (uint32_t)sample, steps->lane_bits);
    if (steps->guess)
        k += 16 * sample - level_of(steps, k + 1) >= steps->least;
    return k < steps->base.top ? k : steps->base.top;
}

/* The same by the product and the shift alone: white may be the highest level. */
static void check_plain(const struct diffusion_steps *steps, int64_t levels, int64_t sample)
{
    const int64_t product = sample * steps->base.by >> steps->lane_bits;
    const int64_t k = product >> steps->base.down;
    if (k != base_of(steps, sample)) {
        assert_int_equal(k, levels - 1);
        assert_int_equal(16 * sample, level_of(steps, k));
    }
}

/* What turns over tells a level and whether the step above it is the one that is asked for. */
static void check_turn(const struct diffusion_steps *steps, int64_t levels, int64_t k)
{
    const struct steps_turn *turn = &steps->turn;
    const uint16_t at = (uint16_t)((k << turn->up) + turn->plus);
    const int64_t extra = (uint32_t)at * turn->by >> 16;
    assert_int_equal(steps->near * k + (steps->extra_down ? -extra : extra), level_of(steps, k));
    const uint16_t low = (uint16_t)(at * turn->low);
    const bool turned = (low + turn->middle + 1) / 2 >> 15;
    const bool longer = k + 1 < levels && level_of(steps, k + 1) - level_of(steps, k) > steps->gap;
    if (k + 1 < levels)
        assert_int_equal(turned, steps->limit ? !longer : longer);
}

/* By the definition, from a level that is not above it. */
static int64_t nearest(int64_t white, int64_t levels, int64_t k, int64_t v)
{
    while (k + 1 < levels &&
           v > (halftone_level(white, levels, k) + halftone_level(white, levels, k + 1)) / 2)
        k++;
    return k;
}

static void check_sample(const struct diffusion_steps *steps, int64_t white, int64_t levels,
                         int64_t sample)
{
    const int64_t widest = steps->gap + steps->uneven, lowest = widest / 2 + 1 - widest;
    const int64_t k = base_of(steps, sample), level = level_of(steps, k);
    const int64_t gap = level_of(steps, k + 1) - level, rest = 16 * sample - level;
    assert_true(k >= 0 && k + 1 < levels);
    assert_int_equal(level, halftone_level(white, levels, k));
    assert_int_equal(level + gap, halftone_level(white, levels, k + 1));
    assert_true(rest >= 0 && rest <= gap);
    const int64_t errors[] = {lowest, lowest + 1, 0, widest / 2 - 1, widest / 2};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if (errors[i] < lowest || errors[i] > widest / 2)
            continue;
        const int64_t v = 16 * sample + errors[i],
                      right = nearest(white, levels, k > 2 ? k - 2 : 0, v);
        const int64_t y = rest + errors[i] + steps->bias;
        const int64_t up = y >= (steps->limit > gap ? steps->limit : gap);
        assert_true(y >= 0);
        assert_int_equal(k + up, right);
        const int64_t f = y - (up ? gap : 0);
        assert_int_equal(f, v - halftone_level(white, levels, right) + steps->bias);
        assert_true(f >= 0 && f < widest);
    }
}

static void every_tone_and_error(void **state)
{
    (void)state;
    static const uint32_t maxvals[] = {1,    3,     100,   255,   1000, 1023,
                                       4095, 16383, 40000, 65280, 65535};
    static const int32_t levels[] = {2,   3,   4,    7,    15,   16,   17,    100,   235,  255,
                                     256, 257, 1000, 1023, 1024, 4096, 16384, 60000, 65536};
    for (int lane_bits = 16; lane_bits <= 32; lane_bits += 16) {
        int found = 0, all = 0, turning = 0;
        for (size_t m = 0; m < sizeof maxvals / sizeof *maxvals; m++)
            for (size_t n = 0; n < sizeof levels / sizeof *levels; n++) {
                const int64_t white = 16 * (int64_t)maxvals[m];
                if (levels[n] - 1 > white ||
                    (lane_bits == 16 && white / (levels[n] - 1) >= 1 << 14))
                    continue;
                const struct diffusion_steps steps =
                    diffusion_steps_of(maxvals[m], levels[n], lane_bits);
                all++;
                found += steps.lane_bits == lane_bits;
                const int64_t stride = maxvals[m] > 5000 ? 7 : 1;
                for (int64_t a = 0; steps.lane_bits && a <= maxvals[m]; a += stride)
                    check_sample(&steps, white, levels[n], a);
                if (steps.lane_bits)
                    check_sample(&steps, white, levels[n], maxvals[m]);
                for (int64_t a = 0; steps.base.plain && a <= maxvals[m]; a++)
                    check_plain(&steps, levels[n], a);
                turning += steps.turn.by != 0;
                for (int64_t k = 0; steps.lane_bits && steps.turn.by && k < levels[n]; k++)
                    check_turn(&steps, levels[n], k);
            }
        print_message("lanes of %d bits: %d of %d, %d turn\n", lane_bits, found, all, turning);
        assert_true(lane_bits == 32 ? found == all : 5 * found >= 4 * all);
    }
}

/* What most people ask for is among those that narrow lanes can do. */
static void common_depths_fit_narrow_lanes(void **state)
{
    (void)state;
    static const struct {
        uint32_t maxval;
        int32_t levels;
    } common[] = {{255, 4},    {255, 16},    {65535, 256}, {65535, 1024}, {65535, 4096},
                  {1023, 256}, {4095, 1024}, {65280, 256}, {65535, 16384}};
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        assert_int_equal(diffusion_steps_of(common[i].maxval, common[i].levels, 16).lane_bits, 16);
    const struct diffusion_steps eight = diffusion_steps_of(65535, 256, 16);
    const struct diffusion_steps ten = diffusion_steps_of(65535, 1024, 16);
    assert_true(eight.base.plain && ten.base.plain && ten.turn.by && !ten.guess);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tone_and_error),
        cmocka_unit_test(common_depths_fit_narrow_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
