/* SPDX-License-Identifier: MIT */
/* The thesis's other diffusivities and tensor, and time steps that are too long. */
#include "core/random.h"
#include "denoise/denoise.h"
#include "fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { W = 60, H = 44 };
static uint8_t before[W * H], after[W * H];
static const ro_image in = {
    .format = RO_GREY8, .width = W, .height = H, .maxval = 255, .stride = W, .data = before};
static ro_image out = {
    .format = RO_GREY8, .width = W, .height = H, .maxval = 255, .stride = W, .data = after};

static void draw(void)
{
    for (int i = 0; i < W * H; i++) {
        const uint32_t x = (uint32_t)(i % W), y = (uint32_t)(i / W);
        before[i] = (uint8_t)(40 + (x > y ? 130 : 0) + pixel_hash(3, x, y) % 60);
    }
}

static struct step_weights made(enum diffusion_model model, enum diffusivity diffusivity)
{
    static struct step_weights diffusion;
    const struct diffusion_parameters parameters = {.width = 8,
                                                    .height = 8,
                                                    .planes = 1,
                                                    .model = model,
                                                    .diffusivity = diffusivity,
                                                    .time = RO_TIME_ZERO,
                                                    .kappa = 10};
    diffusion_make(&diffusion, &parameters);
    return diffusion;
}

/* Each table against its function in double precision. */
static void tables(void **state)
{
    (void)state;
    const double whole = 4.0 * RO_TIME_ZERO;
    for (int f = 0; f < RO_DIFFUSIVITIES; f++) {
        const struct step_weights even = made(RO_MODEL_PERONA_MALIK, (enum diffusivity)f);
        const struct step_weights directed = made(RO_MODEL_ANISOTROPIC, (enum diffusivity)f);
        const struct step_weights tensor = made(RO_MODEL_TENSOR, (enum diffusivity)f);
        for (int i = 0; i < RO_TABLE; i++) {
            const double y = i / 8.0, lines[] = {1 - y, (3 - y) / 4, (7 - y) / 16, (15 - y) / 64};
            double line = 0;
            for (int k = 0; k < 4; k++)
                line = fmax(line, lines[k]);
            const double g = f == RO_DIFFUSIVITY_PERONA_MALIK  ? 1 / (1 + y)
                             : f == RO_DIFFUSIVITY_EXPONENTIAL ? exp(-y)
                             : f == RO_DIFFUSIVITY_DECAY       ? exp(-sqrt(y))
                                                               : line;
            assert_true(fabs(even.table[i] - (whole * g / 3 - 0.5)) <= 0.5001);
            assert_true(fabs(directed.table[i] - (whole * g / 8 - 0.5)) <= 0.5001);
            assert_true(fabs(tensor.table[i] - (whole * (1 - g) / 8 - 0.5)) <= 0.5001);
            assert_true(fabs(tensor.even[i] - (whole * g / 6 - 0.5)) <= 0.5001);
        }
    }
    const struct step_weights lines = made(RO_MODEL_PERONA_MALIK, RO_DIFFUSIVITY_LINES);
    const struct step_weights curve = made(RO_MODEL_PERONA_MALIK, RO_DIFFUSIVITY_PERONA_MALIK);
    for (int i = 0; i < RO_TABLE; i++)
        assert_true(lines.table[i] <= curve.table[i]);
    for (int touch = 0; touch < 4; touch++)
        assert_int_equal(lines.table[8 * ((1 << touch) - 1)], curve.table[8 * ((1 << touch) - 1)]);
}

/* Across a steep edge nothing but half flows along the gradient; flat, the linear model's weights.
 */
static void edges(void **state)
{
    (void)state;
    const struct step_weights d = made(RO_MODEL_TENSOR, RO_DIFFUSIVITY_PERONA_MALIK);
    const int32_t none = 0, steep[] = {2000, 2000}; /* a gradient along x */
    const struct edge_weights flat = element_weights(&d, &none, &none);
    assert_int_equal(flat.se, 2 * (4 * RO_TIME_ZERO / 6));
    assert_int_equal(flat.e, 4 * RO_TIME_ZERO / 6);
    const struct edge_weights edge = element_weights(&d, &steep[0], &steep[1]);
    assert_int_equal(edge.e, 0); /* m/6 - d/2 = 0 */
    assert_int_equal(edge.s, 4 * RO_TIME_ZERO / 8 * 2);
    assert_int_equal(edge.se, 4 * RO_TIME_ZERO / 8 * 2);
}

/* What every model promises in integers, on every schedule with the same bits. */
static void promises(void **state)
{
    (void)state;
    static const char *const models[] = {"perona-malik", "anisotropic", "edge-enhancing"};
    static const char *const diffusivities[] = {"perona-malik", "exponential", "decay", "lines"};
    uint8_t reference[W * H];
    draw();
    for (int m = 0; m < 3; m++)
        for (int f = 0; f < 4; f++)
            for (int implicit = 0; implicit < 2; implicit++) {
                ro_denoise_options options = {RO_DENOISE_DEFAULTS,
                                              .model = models[m],
                                              .diffusivity = diffusivities[f],
                                              .kappa = 8,
                                              .scheme = implicit ? "implicit" : "explicit",
                                              .iterations = 4,
                                              .schedule = "reference"};
                ro_denoise_report report = {.size = sizeof report};
                assert_int_equal(ro_denoise(context, &in, &out, &options, &report), RO_OK);
                memcpy(reference, after, sizeof after);
                assert_true(report.sum_after == report.sum_before && report.difference == 0);
                assert_true(report.min_after >= report.min_before);
                assert_true(report.max_after <= report.max_before);
                assert_true(report.energy_after < report.energy_before);
                assert_int_equal(report.saturating, 0);
                options.schedule = NULL;
                assert_int_equal(ro_denoise(context, &in, &out, &options, &report), RO_OK);
                assert_memory_equal(after, reference, sizeof after);
            }
}

static void long_steps(void **state)
{
    (void)state;
    uint8_t reference[W * H];
    ro_denoise_report report = {.size = sizeof report};
    draw();
    ro_denoise_options options = {RO_DENOISE_DEFAULTS, .model = "linear", .iterations = 30,
                                  .time_step = 0.45, .schedule = "reference"};
    assert_int_equal(ro_denoise(context, &in, &out, &options, &report), RO_OK);
    assert_int_equal(report.saturating, 1);
    options.time_step = 0.9;
    assert_int_equal(ro_denoise(context, &in, &out, &options, &report), RO_OK);
    assert_true(report.min_after == 0 && report.max_after == report.white); /* it swings */
    memcpy(reference, after, sizeof after);
    options.schedule = NULL;
    assert_int_equal(ro_denoise(context, &in, &out, &options, &report), RO_OK);
    assert_memory_equal(after, reference, sizeof after);

    const ro_denoise_options wrong[] = {
        {RO_DENOISE_DEFAULTS, .time_step = 1.01},
        {RO_DENOISE_DEFAULTS, .number = "s23e8", .time_step = 0.4},
        {RO_DENOISE_DEFAULTS, .scheme = "naive", .time_step = 0.4},
        {RO_DENOISE_DEFAULTS, .model = "linear", .diffusivity = "lines"},
        {RO_DENOISE_DEFAULTS, .model = "exponential"},
        {RO_DENOISE_DEFAULTS, .scheme = "xpp24", .diffusivity = "decay"},
        {RO_DENOISE_DEFAULTS, .diffusivity = "line"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(ro_denoise(context, &in, &out, &wrong[i], NULL), RO_E_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables),
        cmocka_unit_test(edges),
        cmocka_unit_test(promises),
        cmocka_unit_test(long_steps),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
