/* SPDX-License-Identifier: MIT */
/* Refinement: what arrives in the target's plane, computed here once more, is nearer to the target;
 * schedules agree; bad input is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hologram/fields.h"

#include <complex.h>

enum { SIDE = 128, FIRST = 32, WIDE = 64 };
static const ro_optics optics = {.wavelength = 532e-9, .pitch = 8e-6};
static const double distance = 0.02;

/* Soft blobs on grey: a picture that the window can carry. */
static ro_image target_of(ro_context *context)
{
    ro_image target;
    assert_int_equal(ro_image_alloc(context, RO_GREYF, SIDE, SIDE, 0, &target), RO_OK);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            const bool in = x >= FIRST && x < FIRST + WIDE && y >= FIRST && y < FIRST + WIDE;
            const double v = 0.5 + 0.3 * sin(x * 0.35) * cos(y * 0.22) + 0.2 * sin(0.11 * (x + y));
            ((float *)((char *)target.data + y * target.stride))[x] = in ? (float)v : 0;
        }
    return target;
}

static ro_image whole_target(ro_context *context)
{
    ro_image target;
    assert_int_equal(ro_image_alloc(context, RO_GREYF, SIDE, SIDE, 0, &target), RO_OK);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            ((float *)((char *)target.data + y * target.stride))[x] =
                (float)(0.5 + 0.3 * sin(x * 0.35) * cos(y * 0.22) + 0.2 * sin(0.11 * (x + y)));
    return target;
}

/* The light of the target sent back to the modulator, bent to the given frequency. */
static ro_field field_of(ro_context *context, const ro_image *target, double xi, double eta)
{
    ro_field field;
    assert_int_equal(ro_field_alloc(context, SIDE, SIDE, &field), RO_OK);
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++) {
            const float t = ((const float *)((const char *)target->data + y * target->stride))[x];
            row_of(&field, y)[2 * x] = t * (float)cos(6.283185307 * (xi * x + eta * y));
            row_of(&field, y)[2 * x + 1] = t * (float)sin(6.283185307 * (xi * x + eta * y));
        }
    assert_int_equal(ro_field_propagate(context, &field, &field, &optics, -distance), RO_OK);
    return field;
}

/* Amplitude PSNR in the region and the share of light, through the public propagation: no window,
 * nothing round the modulator. */
static double psnr_in(ro_context *context, const ro_image *numbers, const char *levels,
                      const ro_image *target, uint32_t first, uint32_t wide, double *light)
{
    ro_modulator m;
    ro_field q;
    double aa = 0, at = 0, tt = 0, peak = 0;
    assert_int_equal(ro_modulator_named(context, levels, &m), RO_OK);
    assert_int_equal(ro_field_alloc(context, SIDE, SIDE, &q), RO_OK);
    assert_int_equal(ro_modulator_light(context, &m, numbers, &q), RO_OK);
    assert_int_equal(ro_field_propagate(context, &q, &q, &optics, distance), RO_OK);
    for (uint32_t y = first; y < first + wide; y++)
        for (uint32_t x = first; x < first + wide; x++) {
            const double t = ((const float *)((const char *)target->data + y * target->stride))[x];
            const double a = hypot(row_of(&q, y)[2 * x], row_of(&q, y)[2 * x + 1]);
            aa += a * a;
            at += a * t;
            tt += t * t;
            peak = fmax(peak, t);
        }
    ro_field_free(&q);
    *light = aa / (SIDE * SIDE);
    return 10 * log10(peak * peak * wide * wide / (tt - at * at / aa));
}

static double psnr(ro_context *context, const ro_image *numbers, const char *levels,
                   const ro_image *target, double *light)
{
    return psnr_in(context, numbers, levels, target, FIRST, WIDE, light);
}

static double psnr_of_all(ro_context *context, const ro_image *numbers, const char *levels,
                          const ro_image *target, double *light)
{
    return psnr_in(context, numbers, levels, target, 0, SIDE, light);
}

static void amplitudes_come_nearer(void **state)
{
    static const struct {
        const char *levels;
        double xi, eta, least, light;
    } cases[] = {{"phase:256", 0, 0, 45, 0.2},
                 {"phase:16", 0, 0, 29, 0.15},
                 {"phase:4", 0, 0, 22, 0.15},
                 {"phase:3", 0, 0, 20, 0.15}};
    ro_context *context = *state;
    ro_image target = target_of(context), out;
    assert_int_equal(ro_image_alloc(context, RO_INDEX8, SIDE, SIDE, 255, &out), RO_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ro_field field = field_of(context, &target, cases[i].xi, cases[i].eta);
        ro_refinement_report report = {.size = sizeof report};
        ro_refinement refinement = {RO_REFINEMENT_DEFAULTS, .target = target, .distance = distance,
                                    .edges = "dark"};
        ro_hologram_options options = {RO_HOLOGRAM_DEFAULTS, .levels = cases[i].levels,
                                       .optics = optics};
        double light;
        assert_int_equal(ro_hologram_refine(context, &field, &out, &options, &refinement, &report),
                         RO_OK);
        const double reached = psnr(context, &out, cases[i].levels, &target, &light);
        assert_true(reached > cases[i].least && reached > report.start_psnr + 1.5);
        assert_true(light > cases[i].light);
        assert_true(fabs(report.psnr - reached) < 0.2); /* the region's edges see the window */
        assert_true(fabs(report.efficiency - light) < 0.01);
        ro_field_free(&field);
    }
    ro_image_free(&out);
    ro_image_free(&target);
}

/* A target as large as the field: by default nothing surrounds the modulator, and what is reported
 * is there. Light of random phase, and none at all, lead to the same. */
static void figures_are_true(void **state)
{
    ro_context *context = *state;
    ro_image target = whole_target(context), out;
    uint64_t seed = 7;
    ro_field field;
    double first = 0, light;
    assert_int_equal(ro_image_alloc(context, RO_INDEX8, SIDE, SIDE, 255, &out), RO_OK);
    assert_int_equal(ro_field_alloc(context, SIDE, SIDE, &field), RO_OK);
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < 2 * SIDE; x++)
            row_of(&field, y)[x] =
                (float)((seed = seed * 6364136223846793005u + 1) >> 40) - 0x1p23f;
    for (int i = 0; i < 2; i++) {
        ro_refinement_report report = {.size = sizeof report};
        ro_refinement refinement = {RO_REFINEMENT_DEFAULTS, .target = target, .distance = distance};
        ro_hologram_options options = {RO_HOLOGRAM_DEFAULTS, .optics = optics};
        assert_int_equal(
            ro_hologram_refine(context, i ? NULL : &field, &out, &options, &refinement, &report),
            RO_OK);
        const double reached = psnr_of_all(context, &out, "phase:256", &target, &light);
        assert_true(reached > 30 && fabs(report.psnr - reached) < 0.1);
        assert_true(fabs(report.efficiency - light) < 0.01);
        assert_true(i == 0 || report.psnr == first);
        first = report.psnr;
    }
    ro_field_free(&field);
    ro_image_free(&out);
    ro_image_free(&target);
}

/* More light goes to a viewing area beside the axis if it is known. */
static void the_viewer_gets_the_light(void **state)
{
    ro_context *context = *state;
    ro_image target = target_of(context), out;
    ro_modulator m;
    ro_field q;
    double seen[2] = {0};
    assert_int_equal(ro_image_alloc(context, RO_INDEX8, SIDE, SIDE, 255, &out), RO_OK);
    assert_int_equal(ro_modulator_named(context, "phase:256", &m), RO_OK);
    assert_int_equal(ro_field_alloc(context, SIDE, SIDE, &q), RO_OK);
    for (int i = 0; i < 2; i++) {
        ro_optics viewed = optics;
        if (i == 1) {
            viewed.viewer[0] = 0.3e-3;
            viewed.viewer[2] = -0.04;
            viewed.viewing_area[0] = viewed.viewing_area[1] = 0.3e-3;
        }
        ro_refinement refinement = {RO_REFINEMENT_DEFAULTS, .target = target,
                                    .distance = -distance};
        ro_hologram_options options = {RO_HOLOGRAM_DEFAULTS, .optics = viewed};
        assert_int_equal(ro_hologram_refine(context, NULL, &out, &options, &refinement, NULL),
                         RO_OK);
        assert_int_equal(ro_modulator_light(context, &m, &out, &q), RO_OK);
        assert_int_equal(ro_field_propagate(context, &q, &q, &optics, 0.04), RO_OK);
        for (uint32_t y = 0; y < SIDE; y++)
            for (uint32_t x = 0; x < SIDE; x++)
                if (fabs((x + 0.5 - SIDE / 2.0) * 8e-6 - 0.3e-3) < 0.15e-3 &&
                    fabs((y + 0.5 - SIDE / 2.0) * 8e-6) < 0.15e-3)
                    seen[i] += pow(row_of(&q, y)[2 * x], 2) + pow(row_of(&q, y)[2 * x + 1], 2);
    }
    assert_true(seen[1] > 1.5 * seen[0]);
    ro_field_free(&q);
    ro_image_free(&out);
    ro_image_free(&target);
}

/* Binary, off the axis: 0 and 1 are light, so the share is a quarter of what -1 and 1 would give.
 */
static void binary_off_axis(void **state)
{
    ro_context *context = *state;
    ro_image target = target_of(context), out;
    ro_field field = field_of(context, &target, 0.25, 0.2);
    ro_refinement_report report = {.size = sizeof report};
    assert_int_equal(ro_image_alloc(context, RO_INDEX8, SIDE, SIDE, 255, &out), RO_OK);
    ro_refinement refinement = {RO_REFINEMENT_DEFAULTS, .target = target, .distance = distance};
    ro_hologram_options options = {RO_HOLOGRAM_DEFAULTS, .levels = "binary", .optics = optics,
                                   .window = {0.25, 0.2, 0.3, 0.3}};
    assert_int_equal(ro_hologram_refine(context, &field, &out, &options, &refinement, &report),
                     RO_OK);
    assert_true(report.psnr > 20 && report.psnr > report.start_psnr + 3);
    assert_true(report.efficiency > 0.016 && report.efficiency < 0.025);
    assert_string_equal(report.edges, "dark");
    ro_image_free(&out);
    ro_image_free(&target);
    ro_field_free(&field);
}

/* A field whose light wraps round is taken for what it is, and a direct sum over the frequencies of
 * the window agrees with the figure. */
static void wrapped_fields(void **state)
{
    enum { N = 48 };
    static const double tau = 6.283185307179586;
    static double complex h[N][N], spectrum[N][N], r[N][N];
    ro_context *context = *state;
    ro_image target, out;
    ro_field field;
    ro_refinement_report report = {.size = sizeof report};
    const double z = 0.05, half = 0.25;
    assert_int_equal(ro_image_alloc(context, RO_GREYF, N, N, 0, &target), RO_OK);
    assert_int_equal(ro_image_alloc(context, RO_INDEX8, N, N, 255, &out), RO_OK);
    assert_int_equal(ro_field_alloc(context, N, N, &field), RO_OK);
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            const bool in = x >= 12 && x < 36 && y >= 12 && y < 36;
            ((float *)((char *)target.data + y * target.stride))[x] =
                in ? 0.6f + 0.4f * (float)sin(x * 0.4) * (float)sin(y * 0.3) : 0;
            const double u = (x < N / 2 ? x : x - N) / (double)N,
                         v = (y < N / 2 ? y : y - N) / (double)N;
            const double k = 1 / optics.wavelength, a = (u * u + v * v) / pow(optics.pitch, 2);
            h[y][x] = fabs(u) <= half && fabs(v) <= half
                          ? cexp(I * tau * fmod(z * k - z * (a / (sqrt(k * k - a) + k)), 1))
                          : 0;
        }
    /* g = the adjoint of the target. */
    for (int v = 0; v < N; v++)
        for (int u = 0; u < N; u++) {
            spectrum[v][u] = 0;
            for (int y = 0; y < N; y++)
                for (int x = 0; x < N; x++)
                    spectrum[v][u] +=
                        ((const float *)((const char *)target.data + y * target.stride))[x] *
                        cexp(-I * tau * ((double)u * x + (double)v * y) / N) * conj(h[v][u]) /
                        (N * N);
        }
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            double complex sum = 0;
            for (int v = 0; v < N; v++)
                for (int u = 0; u < N; u++)
                    sum += spectrum[v][u] * cexp(I * tau * ((double)u * x + (double)v * y) / N);
            row_of(&field, (uint32_t)y)[2 * x] = (float)creal(sum);
            row_of(&field, (uint32_t)y)[2 * x + 1] = (float)cimag(sum);
        }
    ro_hologram_options options = {RO_HOLOGRAM_DEFAULTS, .levels = "phase:4", .optics = optics,
                                   .window = {0, 0, 2 * half, 2 * half}};
    ro_refinement refinement = {RO_REFINEMENT_DEFAULTS, .target = target, .distance = z,
                                .edges = "wrap"};
    assert_int_equal(ro_hologram_refine(context, &field, &out, &options, &refinement, &report),
                     RO_OK);
    assert_string_equal(report.edges, "wrap");
    for (int v = 0; v < N; v++)
        for (int u = 0; u < N; u++) {
            spectrum[v][u] = 0;
            for (int y = 0; y < N; y++)
                for (int x = 0; x < N; x++)
                    spectrum[v][u] +=
                        cexp(I * tau * ((uint8_t *)out.data)[y * out.stride + x] / 4) *
                        cexp(-I * tau * ((double)u * x + (double)v * y) / N) * h[v][u] / (N * N);
        }
    double aa = 0, at = 0, tt = 0, peak = 0;
    for (int y = 12; y < 36; y++)
        for (int x = 12; x < 36; x++) {
            r[y][x] = 0;
            for (int v = 0; v < N; v++)
                for (int u = 0; u < N; u++)
                    r[y][x] += spectrum[v][u] * cexp(I * tau * ((double)u * x + (double)v * y) / N);
            const double t = ((const float *)((const char *)target.data + y * target.stride))[x];
            aa += pow(cabs(r[y][x]), 2);
            at += cabs(r[y][x]) * t;
            tt += t * t;
            peak = fmax(peak, t);
        }
    const double direct = 10 * log10(peak * peak * 24 * 24 / (tt - at * at / aa));
    assert_true(fabs(direct - report.psnr) < 0.01);
    assert_true(fabs(aa / (N * N) - report.efficiency) < 1e-4);
    assert_true(report.psnr > report.start_psnr + 3);
    ro_image_free(&out);
    ro_image_free(&target);
    ro_field_free(&field);
}

static void schedules_agree(void **state)
{
    static const char *const levels[] = {"phase:256", "phase:5", "binary"};
    (void)state;
    for (size_t l = 0; l < 3; l++) {
        uint8_t *first = NULL;
        for (int v = 0; v < 4; v++) {
            ro_context *context;
            ro_context_options how = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU,
                                      .cpu = v == 0 ? RO_CPU_SCALAR : 0, .threads = v == 0 ? 1 : v};
            assert_int_equal(ro_context_open(&how, &context), RO_OK);
            ro_image target = target_of(context), out;
            ro_field field = field_of(context, &target, 0.1, 0.2);
            assert_int_equal(ro_image_alloc(context, RO_INDEX8, SIDE, SIDE, 255, &out), RO_OK);
            ro_refinement refinement = {RO_REFINEMENT_DEFAULTS, .target = target,
                                        .distance = distance, .iterations = 6, .passes = 5};
            ro_hologram_options options = {RO_HOLOGRAM_DEFAULTS, .levels = levels[l],
                                           .optics = optics};
            assert_int_equal(ro_hologram_refine(context, &field, &out, &options, &refinement, NULL),
                             RO_OK);
            if (first)
                assert_memory_equal(first, out.data, (size_t)out.stride * SIDE);
            else
                first =
                    memcpy(malloc((size_t)out.stride * SIDE), out.data, (size_t)out.stride * SIDE);
            ro_image_free(&out);
            ro_image_free(&target);
            ro_field_free(&field);
            ro_context_close(context);
        }
        free(first);
    }
}

static void bad_input(void **state)
{
    ro_context *context = *state;
    ro_image target = target_of(context), out, black, small;
    ro_field field = field_of(context, &target, 0, 0);
    assert_int_equal(ro_image_alloc(context, RO_INDEX8, SIDE, SIDE, 255, &out), RO_OK);
    assert_int_equal(ro_image_alloc(context, RO_GREYF, SIDE, SIDE, 0, &black), RO_OK);
    assert_int_equal(ro_image_alloc(context, RO_GREYF, 8, 8, 0, &small), RO_OK);
    memset(black.data, 0, (size_t)black.stride * SIDE);
    const ro_refinement cases[] = {
        {RO_REFINEMENT_DEFAULTS, .target = small, .distance = distance},
        {RO_REFINEMENT_DEFAULTS, .target = black, .distance = distance},
        {RO_REFINEMENT_DEFAULTS, .target = target},
        {RO_REFINEMENT_DEFAULTS, .target = target, .distance = 10},
        {RO_REFINEMENT_DEFAULTS, .target = target, .distance = NAN},
        {RO_REFINEMENT_DEFAULTS, .target = target, .distance = distance, .light = 200},
        {RO_REFINEMENT_DEFAULTS, .target = target, .distance = distance, .edges = "torn"},
        {RO_REFINEMENT_DEFAULTS, .target = target, .distance = distance,
         .region = {100, 100, 50, 50}},
    };
    const ro_hologram_options options = {RO_HOLOGRAM_DEFAULTS, .optics = optics};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(ro_hologram_refine(context, &field, &out, &options, &cases[i], NULL),
                         RO_E_ARGUMENT);
        assert_true(strlen(ro_context_message(context)) > 10);
    }
    ro_image_free(&small);
    ro_image_free(&black);
    ro_image_free(&out);
    ro_image_free(&target);
    ro_field_free(&field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amplitudes_come_nearer),
        cmocka_unit_test(figures_are_true),
        cmocka_unit_test(the_viewer_gets_the_light),
        cmocka_unit_test(binary_off_axis),
        cmocka_unit_test(wrapped_fields),
        cmocka_unit_test(schedules_agree),
        cmocka_unit_test(bad_input),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
