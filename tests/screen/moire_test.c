/* SPDX-License-Identifier: MIT */
/* Moiré: its periods by trigonometry, its contrast in the light of dots on each other, and angles
 * that make less of it. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "context/context.h"
#include "fixture.h"
#include "screen/dots.h"

#include <complex.h>
#include <math.h>
#include <string.h>

static const double tau = 6.283185307179586;
static const ro_screen_options coarse = {RO_SCREEN_DEFAULTS, .kind = "am", .lpi = 60, .dpi = 600};

static ro_moire find(const ro_screen_options *screen, const ro_ink *inks, int count, int measured)
{
    ro_moire moire = {.size = sizeof moire};
    if (ro_moire_find(context, screen, inks, count, measured, &moire) != RO_OK)
        fail_msg("%s", ro_context_message(context));
    return moire;
}

static void two_inks_beat(void **state)
{
    (void)state;
    for (double turn = 3; turn < 12; turn += 4) {
        const ro_ink inks[] = {{.degrees = 10}, {.degrees = 10 + turn}};
        const ro_moire moire = find(&coarse, inks, 2, 0);
        const double period = 25.4 / (2 * 60 * sin(turn / 2 * tau / 360));
        assert_true(fabs(moire.waves[0].period / period - 1) < 0.01);
        assert_true(fabs(moire.waves[0].pixels_long / (period / 25.4 * 600) - 1) < 0.01);
        for (int i = 0; i < 2; i++)
            assert_int_equal(moire.waves[0].times[0][i], -moire.waves[0].times[1][i]);
    }
}

/* Where both are black ink of half a tone, light is where neither is; its wave of that frequency.
 */
static double contrast_in_light(const ro_ink *inks, const ro_moire_wave *wave)
{
    enum { SIDE = 600 };
    struct screen screens[2];
    double complex sum = 0;
    double weight = 0;
    for (int i = 0; i < 2; i++) {
        ro_screen_options options = coarse;
        options.angle = inks[i].degrees;
        assert_int_equal(screen_make(context, &options, false, &screens[i]), RO_OK);
    }
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++) {
            bool paper = true;
            for (int i = 0; i < 2; i++) {
                const struct screen *s = &screens[i];
                const uint64_t column = x + (uint64_t)s->shift * (y / s->height);
                paper = paper && s->ranks[y % s->height * s->width + column % s->width] <
                                     s->width * s->height / 2;
            }
            const double soft =
                pow(sin(tau / 2 * (x + 0.5) / SIDE) * sin(tau / 2 * (y + 0.5) / SIDE), 2);
            weight += soft;
            sum += paper * soft * cexp(-I * tau * (wave->x * x + wave->y * y) / 600);
        }
    for (int i = 0; i < 2; i++)
        screen_free(&screens[i]);
    return 2 * cabs(sum) / weight;
}

static void contrast_is_that_of_light(void **state)
{
    (void)state;
    const ro_ink inks[] = {{.degrees = 10}, {.degrees = 22}};
    const ro_moire moire = find(&coarse, inks, 2, 1);
    const double light = contrast_in_light(inks, &moire.waves[0]);
    assert_true(moire.waves[0].contrast > 0.05);
    if (fabs(light / moire.waves[0].contrast - 1) > 0.05)
        fail_msg("contrast %.4f, but in light %.4f", moire.waves[0].contrast, light);
    /* a single screen has moiré with the pixels only, and little */
    const ro_moire alone = find(&coarse, inks, 1, 1);
    for (int i = 0; i < alone.count; i++) {
        assert_true(alone.waves[i].pixels[0] || alone.waves[i].pixels[1]);
        assert_true(alone.waves[i].contrast < 0.02);
    }
}

static const ro_ink cmyk[4] = {{.name = "cyan", .colour = {0, 174, 239}, .degrees = 15},
                               {.name = "magenta", .colour = {236, 0, 140}, .degrees = 75},
                               {.name = "yellow", .colour = {255, 242, 0}, .degrees = 0},
                               {.name = "black", .colour = {35, 31, 32}, .degrees = 45}};

static double worth(const ro_moire *moire)
{
    return moire->seen * moire->seen + 4 * moire->shift * moire->shift;
}

static void angles_are_found(void **state)
{
    (void)state;
    const ro_moire usual = find(&coarse, cmyk, 4, 0);
    ro_ink inks[8];
    ro_moire moire = {.size = sizeof moire};
    memcpy(inks, cmyk, sizeof cmyk);
    assert_int_equal(ro_angles_find(context, &coarse, inks, 4, &moire), RO_OK);
    assert_true(worth(&moire) < worth(&usual));
    /* no ink may be moved by some degrees without more moiré */
    for (int i = 0; i < 4; i++) {
        ro_ink turned[4];
        memcpy(turned, inks, sizeof turned);
        turned[i].degrees = fmod(turned[i].degrees + 2.5, 90);
        const ro_moire other = find(&coarse, turned, 4, 0);
        assert_true(worth(&other) > 0.98 * worth(&moire));
    }
    /* coarse dots too keep off each other */
    const ro_screen_options poster = {RO_SCREEN_DEFAULTS, .kind = "am", .lpi = 20, .dpi = 160};
    assert_int_equal(ro_angles_find(context, &poster, inks, 4, NULL), RO_OK);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++) {
            const double apart = fmod(fabs(inks[i].degrees - inks[k].degrees), 90);
            assert_true(fmin(apart, 90 - apart) >= 5);
        }
    /* all inks at one angle make none, but shift */
    for (int i = 0; i < 4; i++)
        inks[i].degrees = 45;
    const ro_moire one = find(&coarse, inks, 4, 0);
    assert_true(one.shift > 10 * usual.shift);
    /* whatever their number, and lines, which go half round */
    memcpy(inks, cmyk, sizeof cmyk);
    memcpy(inks + 4, cmyk, sizeof cmyk);
    const ro_screen_options low = {RO_SCREEN_DEFAULTS, .kind = "am", .lpi = 20, .dpi = 160};
    assert_int_equal(ro_angles_find(context, &low, inks, 1, NULL), RO_OK);
    inks[0].shape = inks[1].shape = "line";
    assert_int_equal(ro_angles_find(context, &low, inks, 2, &moire), RO_OK);
    assert_true(fabs(inks[0].degrees - inks[1].degrees) > 20);
}

static void what_cannot_be_is_told(void **state)
{
    (void)state;
    const ro_screen_options none = {RO_SCREEN_DEFAULTS, .dpi = 600};
    ro_ink inks[9] = {{0}};
    ro_moire moire = {.size = sizeof moire};
    assert_int_equal(ro_moire_find(context, &coarse, inks, 9, 0, &moire), RO_E_ARGUMENT);
    assert_non_null(strstr(ro_context_message(context), "1 to 8"));
    assert_int_equal(ro_angles_find(context, &none, inks, 2, NULL), RO_E_ARGUMENT);
    assert_non_null(strstr(ro_context_message(context), "lines per inch"));
    inks[1].lpi = 400;
    assert_int_equal(ro_moire_find(context, &coarse, inks, 2, 1, &moire), RO_E_ARGUMENT);
    assert_non_null(strstr(ro_context_message(context), "300 is the most"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_inks_beat),
        cmocka_unit_test(contrast_is_that_of_light),
        cmocka_unit_test(angles_are_found),
        cmocka_unit_test(what_cannot_be_is_told),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
