/* SPDX-License-Identifier: MIT */
/* Levels, regions and weights: against brute force and direct Fourier sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define FIXTURE_OPTIONS                                                                            \
    &(ro_context_options) { RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU }
#include "core/random.h"
#include "fixture.h"
#include "hologram/quantize/levels.h"
#include "hologram/quantize/weights.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/* ---- Levels --------------------------------------------------------------------------------- */

static void nearest_by_cells(void **state)
{
    static const char *const names[] = {"phase:256", "phase:16",      "phase:3",
                                        "phase:5",   "amplitude:256", "binary"};
    static struct hologram_levels levels;
    ro_context *context = *state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        float table[2 * RO_HOLOGRAM_LEVELS];
        int count;
        assert_int_equal(hologram_levels_named(context, names[i], table, &count), RO_OK);
        assert_int_equal(hologram_levels_open(context, table, count, &levels), RO_OK);
        assert_int_not_equal(levels.kind, LEVELS_PLAIN);
        for (int y = -30; y <= 30; y++)
            for (int x = -30; x <= 30; x++)
                assert_int_equal(hologram_nearest(&levels, x, y),
                                 hologram_nearest_ref(&levels, x, y));
        for (uint32_t n = 0; n < 100000; n++) {
            int x = (int)(pixel_hash(1, n, 0) % 65535) - 32767;
            int y = (int)(pixel_hash(2, n, 0) % 65535) - 32767;
            assert_int_equal(hologram_nearest(&levels, x, y), hologram_nearest_ref(&levels, x, y));
        }
    }
}

/* The nearest of a ring is the nearest point, as far as fixed point can tell. */
static void nearest_is_nearest(void **state)
{
    static struct hologram_levels levels;
    float table[2 * RO_HOLOGRAM_LEVELS];
    int count;
    assert_int_equal(hologram_levels_named(*state, "phase:16", table, &count), RO_OK);
    assert_int_equal(hologram_levels_open(*state, table, count, &levels), RO_OK);
    for (uint32_t n = 0; n < 20000; n++) {
        double x = (int)(pixel_hash(3, n, 0) % 8001) - 4000,
               y = (int)(pixel_hash(4, n, 0) % 8001) - 4000;
        int found = hologram_nearest_ref(&levels, (int)x, (int)y);
        double best = 1e9, own = 0;
        for (int k = 0; k < count; k++) {
            double d = hypot(x - 2048 * table[2 * k], y - 2048 * table[2 * k + 1]);
            best = d < best ? d : best;
            own = k == found ? d : own;
        }
        assert_true(own <= best + 0.5);
    }
}

static void bad_levels(void **state)
{
    static struct hologram_levels levels;
    float table[2 * RO_HOLOGRAM_LEVELS] = {0, 0, NAN, 0};
    int count;
    static const char *const names[] = {"phase:1", "phase:257", "phase:", "phase:4x", "bits", ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(hologram_levels_named(*state, names[i], table, &count), RO_E_ARGUMENT);
    assert_int_equal(hologram_levels_open(*state, table, 1, &levels), RO_E_ARGUMENT);
    assert_int_equal(hologram_levels_open(*state, table, 2, &levels), RO_E_ARGUMENT);
}

/* ---- Regions --------------------------------------------------------------------------------- */

/* Whether a frequency lies in what the region is meant to be. */
struct meant {
    ro_window w;
    bool twin;
    double kappa; /* 0: no frame */
};

static bool is_inside(const struct meant *m, double u, double v)
{
    bool in = fabs(u - m->w.xi) < m->w.width / 2 && fabs(v - m->w.eta) < m->w.height / 2;
    bool mirror = fabs(u + m->w.xi) < m->w.width / 2 && fabs(v + m->w.eta) < m->w.height / 2;
    bool frame = m->kappa > 0 && (fabs(u) > m->kappa / 2 || fabs(v) > m->kappa / 2);
    return in || (m->twin && mirror) || frame;
}

/* A direct sum over the band. */
static double complex direct(const struct meant *m, int x, int y)
{
    enum { N = 500 };
    double complex sum = 0;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            double u = (i + 0.5) / N - 0.5, v = (k + 0.5) / N - 0.5;
            if (is_inside(m, u, v))
                sum += cexp(2 * pi * I * (u * x + v * y)) / (N * N);
        }
    return sum;
}

static void transforms_are_sums(void **state)
{
    (void)state;
    static const struct meant cases[] = {
        {{0.2, 0.1, 0.3, 0.25}, false, 0},
        {{0.2, 0.1, 0.3, 0.25}, true, 0},   /* apart from its mirror image */
        {{0.05, 0.02, 0.3, 0.25}, true, 0}, /* overlapping it */
        {{0.4, 0.4, 0.3, 0.3}, false, 0},   /* beyond the band */
        {{0.3, -0.3, 0.3, 0.3}, true, 0.8}, /* overlapping the frame */
    };
    static const int at[][2] = {{0, 0}, {1, 0}, {0, 1}, {3, 2}, {-2, 1}, {-7, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct meant *m = &cases[i];
        struct region region = m->kappa > 0 ? region_paper(&m->w, m->kappa)
                               : m->twin    ? region_twin(&m->w)
                                            : region_window(&m->w);
        for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
            double complex got = region_transform(&region, at[k][0], at[k][1]);
            assert_true(cabs(got - direct(m, at[k][0], at[k][1])) < 3e-3);
        }
    }
}

/* ---- Weights --------------------------------------------------------------------------------- */

static void check_legal(const struct hologram_taps *taps, int p)
{
    assert_int_equal(taps->p, p);
    for (int i = 0; i < taps->count; i++) {
        assert_true(taps->dx[i] + p * taps->dy[i] > 0);
        assert_true(taps->dy[i] > 0 || taps->dx[i] > 0);
        assert_true(taps->dy[i] <= REACH_Y && abs(taps->dx[i]) <= REACH_X);
        for (int k = 0; k < i; k++)
            assert_false(taps->dx[i] == taps->dx[k] && taps->dy[i] == taps->dy[k]);
    }
}

static void taps_stay_in_the_wedge(void **state)
{
    (void)state;
    const ro_window w = {0.2, 0.1, 0.3, 0.3};
    struct region region = region_window(&w);
    for (int p = 1; p <= RO_HOLOGRAM_SKEW; p++)
        for (int n = 1; n <= RO_HOLOGRAM_TAPS; n += 9) {
            struct hologram_taps taps;
            weights_least_squares(&region, n, p, 0.01, &taps);
            assert_int_equal(taps.count, n);
            check_legal(&taps, p);
            weights_paper(&w, 0.9, n, p, n % 2, &taps);
            assert_int_equal(taps.count, n);
            check_legal(&taps, p);
            weights_transform(&region, n, p, &taps);
            assert_int_equal(taps.count, n);
            check_legal(&taps, p);
        }
    struct hologram_taps taps;
    weights_paper(&w, 0.9, 27, 0, true, &taps); /* p as the weights need it */
    assert_in_range(taps.p, 1, RO_HOLOGRAM_SKEW);
    check_legal(&taps, taps.p);
}

/* Eq. 1: 2 M_s cos + M_hf where nothing overlaps; against the field over its value at 0, 0. */
static void check_paper(bool against_field)
{
    const ro_window w = {0.25, 0.1, 0.2, 0.15};
    const double kappa = 0.9;
    struct hologram_taps taps;
    const double unit = against_field ? 2 * w.width * w.height + 1 - kappa * kappa : 1;
    weights_paper(&w, kappa, 27, 3, against_field, &taps);
    assert_true(taps.against_field == against_field);
    for (int i = 0; i < taps.count; i++) {
        double x = taps.dx[i], y = taps.dy[i];
        double sx = x == 0 ? 1 : sin(pi * w.width * x) / (pi * w.width * x);
        double sy = y == 0 ? 1 : sin(pi * w.height * y) / (pi * w.height * y);
        double kx = x == 0 ? 1 : sin(pi * kappa * x) / (pi * kappa * x);
        double ky = y == 0 ? 1 : sin(pi * kappa * y) / (pi * kappa * y);
        double want = 2 * w.width * w.height * sx * sy * cos(2 * pi * (w.xi * x + w.eta * y)) -
                      kappa * kappa * kx * ky;
        assert_true(fabs(ldexp(taps.re[i], -taps.shift) - want / unit) <= ldexp(0.51, -taps.shift));
        assert_int_equal(taps.im[i], 0);
    }
}

static void paper_weights(void **state)
{
    (void)state;
    check_paper(false);
    check_paper(true);
}

/* |1 - W|^2 as the formula has it and summed over the window. */
static void rejection_is_the_integral(void **state)
{
    (void)state;
    enum { N = 200 };
    const ro_window w = {0.2, -0.1, 0.3, 0.2};
    struct region region = region_window(&w);
    struct hologram_taps taps;
    weights_least_squares(&region, 12, 2, 0.01, &taps);
    double sum = 0;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            double u = w.xi + ((i + 0.5) / N - 0.5) * w.width;
            double v = w.eta + ((k + 0.5) / N - 0.5) * w.height;
            double complex response = 1;
            for (int t = 0; t < taps.count; t++)
                response -= ldexp(1, -taps.shift) * (taps.re[t] + I * taps.im[t]) *
                            cexp(-2 * pi * I * (u * taps.dx[t] + v * taps.dy[t]));
            sum += creal(response * conj(response)) / (N * N);
        }
    assert_true(fabs(sum - weights_rejection(&taps, &region)) < 1e-3 * sum + 1e-6);
    assert_true(10 * log10(sum) < -15);
    for (int t = 0; t < taps.count; t++) /* the other sign makes it worse */
        taps.im[t] = (int8_t)-taps.im[t];
    assert_true(weights_rejection(&taps, &region) > 10 * sum);
}

/* 1/|1 + W|^2 likewise, in a finer grid than the formula's. */
static void rejection_against_the_field(void **state)
{
    (void)state;
    enum { N = 200 };
    const ro_window w = {0.2, -0.1, 0.3, 0.2};
    const struct region region = region_window(&w);
    struct hologram_taps taps;
    double sum = 0;
    weights_transform(&region, 27, 6, &taps);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            const double u = w.xi + ((i + 0.5) / N - 0.5) * w.width;
            const double v = w.eta + ((k + 0.5) / N - 0.5) * w.height;
            double complex response = 1;
            for (int t = 0; t < taps.count; t++)
                response += ldexp(1, -taps.shift) * (taps.re[t] + I * taps.im[t]) *
                            cexp(-2 * pi * I * (u * taps.dx[t] + v * taps.dy[t]));
            sum += 1 / creal(response * conj(response)) / (N * N);
        }
    assert_true(fabs(sum - weights_rejection(&taps, &region)) < 5e-3 * sum);
    assert_true(10 * log10(sum) < -10);
}

/* Eight bits lose next to nothing: rounding each weight by itself loses more. */
static void rounding_together(void **state)
{
    (void)state;
    const ro_window w = {0.2, 0.15, 0.3, 0.3};
    struct region region = region_window(&w);
    struct hologram_taps taps;
    weights_least_squares(&region, 27, 6, 0.01, &taps);
    assert_true(10 * log10(weights_rejection(&taps, &region)) < -22);
}

/* A viewer to the right is seen at positive frequencies. */
static void windows_follow_the_viewer(void **state)
{
    (void)state;
    ro_optics optics = {.wavelength = 635e-9,
                        .pitch = 750e-9,
                        .viewer = {5e-3, -3e-3, -36e-3},
                        .viewing_area = {9.2e-3, 9.2e-3}};
    ro_window w = window_of_hogel(&optics, 0, 0);
    assert_true(w.xi > 0.1 && w.eta < -0.05);
    w = window_of_hogel(&optics, 5e-3, -3e-3);
    assert_true(fabs(w.xi) < 1e-9 && fabs(w.eta) < 1e-9);
    assert_true(fabs(w.width - 2 * 750.0 / 635 * 4.6 / hypot(4.6, 36)) < 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_by_cells),
        cmocka_unit_test(nearest_is_nearest),
        cmocka_unit_test(bad_levels),
        cmocka_unit_test(transforms_are_sums),
        cmocka_unit_test(taps_stay_in_the_wedge),
        cmocka_unit_test(paper_weights),
        cmocka_unit_test(rejection_is_the_integral),
        cmocka_unit_test(rejection_against_the_field),
        cmocka_unit_test(rounding_together),
        cmocka_unit_test(windows_follow_the_viewer),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
