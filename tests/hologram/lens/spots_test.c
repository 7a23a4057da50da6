/* SPDX-License-Identifier: MIT */
/* Spots behind a lens: figures against a direct sum in double precision; grids, weights, depths,
 * few levels; the same numbers from every CPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hologram/fields.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 160, HEIGHT = 96, SIDE = 5, SPOTS = SIDE * SIDE };
static const double focal = 0.2, tau = 6.283185307179586;
static const ro_optics optics = {.wavelength = 532e-9, .pitch = 8e-6};

static void make_grid(ro_spot *spots, double depth)
{
    for (int i = 0; i < SPOTS; i++)
        spots[i] = (ro_spot){(i % SIDE - 1.7) * 0.61e-3, (i / SIDE - 2.2) * 0.93e-3,
                             depth * (i % 3 - 1), 1 + i % 2};
}

/* The intensity in a spot as the definition says it. */
static double intensity(const ro_image *numbers, const ro_modulator *m, const ro_spot *s)
{
    double complex sum = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const uint8_t k = ((const uint8_t *)numbers->data)[y * numbers->stride + x];
            const double px = (x + 0.5 - WIDTH / 2.0) * optics.pitch;
            const double py = (y + 0.5 - HEIGHT / 2.0) * optics.pitch;
            const double turns =
                (px * s->x + py * s->y) / (optics.wavelength * focal) +
                s->z * (px * px + py * py) / (2 * optics.wavelength * focal * focal);
            sum += (m->table[2 * k] + I * m->table[2 * k + 1]) * cexp(-I * tau * turns);
        }
    return creal(sum * conj(sum)) / pow(WIDTH * HEIGHT, 2);
}

static void run(ro_context *context, const ro_spot *spots, const char *levels, uint64_t seed,
                ro_image *out, ro_spots_report *report)
{
    const ro_spots wanted = {RO_SPOTS_DEFAULTS, .spots = spots, .count = SPOTS, .focal = focal,
                             .seed = seed};
    const ro_hologram_options options = {RO_HOLOGRAM_DEFAULTS, .levels = levels, .optics = optics};
    *report = (ro_spots_report){.size = sizeof *report};
    assert_int_equal(ro_image_alloc(context, RO_INDEX8, WIDTH, HEIGHT, 255, out), RO_OK);
    assert_int_equal(ro_hologram_spots(context, &wanted, out, &options, report), RO_OK);
}

static void figures_are_true(void **state)
{
    static const struct {
        const char *levels;
        double depth, efficiency, uniformity;
    } cases[] = {{"phase:256", 0, 0.85, 0.98},
                 {"phase:256", 3e-3, 0.8, 0.98},
                 {"phase:16", 0, 0.8, 0.97},
                 {"phase-binary", 0, 0.33, 0.9},
                 {"binary", 0, 0.08, 0.9}};
    ro_context *context = *state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        ro_spot spots[SPOTS];
        ro_image out;
        ro_spots_report report;
        ro_modulator m;
        double sum = 0, least = INFINITY, most = 0;
        make_grid(spots, cases[c].depth);
        run(context, spots, cases[c].levels, 0, &out, &report);
        assert_int_equal(ro_modulator_named(context, cases[c].levels, &m), RO_OK);
        for (int i = 0; i < SPOTS; i++) {
            const double there = intensity(&out, &m, &spots[i]);
            sum += there;
            least = fmin(least, there / spots[i].weight);
            most = fmax(most, there / spots[i].weight);
        }
        assert_true(fabs(sum - report.efficiency) < 1e-4);
        assert_true(fabs(1 - (most - least) / (most + least) - report.uniformity) < 1e-3);
        assert_true(report.efficiency > cases[c].efficiency);
        assert_true(report.uniformity > cases[c].uniformity);
        ro_image_free(&out);
    }
}

/* Two spots, one twice as bright: weights that are followed at once would swing to and fro. */
static void two_spots(void **state)
{
    ro_context *context = *state;
    const ro_spot spots[] = {{1e-3, -0.5e-3, 0, 1}, {-0.8e-3, 1.2e-3, 1e-3, 2}};
    const ro_spots wanted = {RO_SPOTS_DEFAULTS, .spots = spots, .count = 2, .focal = focal};
    const ro_hologram_options options = {RO_HOLOGRAM_DEFAULTS, .optics = optics};
    ro_spots_report report = {.size = sizeof report};
    ro_image out;
    assert_int_equal(ro_image_alloc(context, RO_INDEX8, WIDTH, HEIGHT, 255, &out), RO_OK);
    assert_int_equal(ro_hologram_spots(context, &wanted, &out, &options, &report), RO_OK);
    assert_true(report.uniformity > 0.99 && report.efficiency > 0.8);
    ro_image_free(&out);
}

static void schedules_agree(void **state)
{
    uint8_t *first = NULL;
    (void)state;
    for (int v = 0; v < 4; v++) {
        ro_context *context;
        ro_context_options how = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU,
                                  .cpu = v == 0 ? RO_CPU_SCALAR : 0, .threads = v == 0 ? 1 : v};
        ro_spot spots[SPOTS];
        ro_image out;
        ro_spots_report report;
        make_grid(spots, 1e-3);
        assert_int_equal(ro_context_open(&how, &context), RO_OK);
        run(context, spots, "phase:16", 3, &out, &report);
        if (first)
            assert_memory_equal(first, out.data, (size_t)out.stride * HEIGHT);
        else
            first =
                memcpy(malloc((size_t)out.stride * HEIGHT), out.data, (size_t)out.stride * HEIGHT);
        ro_image_free(&out);
        ro_context_close(context);
    }
    free(first);
}

static void bad_input(void **state)
{
    ro_context *context = *state;
    const ro_spot far = {0.02, 0, 0, 1}, dark = {0, 0, 0, 0}, good = {1e-3, 0, 0, 1};
    const ro_spots cases[] = {
        {RO_SPOTS_DEFAULTS, .spots = &far, .count = 1, .focal = focal},
        {RO_SPOTS_DEFAULTS, .spots = &dark, .count = 1, .focal = focal},
        {RO_SPOTS_DEFAULTS, .spots = &good, .count = 1},
        {RO_SPOTS_DEFAULTS, .focal = focal},
    };
    const ro_hologram_options options = {RO_HOLOGRAM_DEFAULTS, .optics = optics};
    ro_image out;
    assert_int_equal(ro_image_alloc(context, RO_INDEX8, WIDTH, HEIGHT, 255, &out), RO_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(ro_hologram_spots(context, &cases[i], &out, &options, NULL),
                         RO_E_ARGUMENT);
        assert_true(strlen(ro_context_message(context)) > 10);
    }
    ro_image_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_true), cmocka_unit_test(two_spots),
        cmocka_unit_test(schedules_agree), cmocka_unit_test(bad_input)};
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
