/* SPDX-License-Identifier: MIT */
/*
 * What the schemes compute, against mathematics: the float version against the dense operator and
 * the spread of a Gaussian, the integers against the float version, noise removed from the test
 * card, what the naive product loses, and what the semi-implicit scheme keeps.
 */
#include "core/random.h"
#include "denoise/implicit/implicit.h"
#include "fixture.h"
#include "pictures.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void denoise(const ro_image *in, ro_image *out, const ro_denoise_options *options,
                    ro_denoise_report *report)
{
    if (ro_denoise(context, in, out, options, report) != RO_OK)
        fail_msg("%s", ro_context_message(context));
}

/* ---- Linear diffusion is known -------------------------------------------------------------- */

/* A = 1 - tau L on bilinear elements, assembled element by element. */
static void dense_step(const double *a, int side, double *out)
{
    const double time = (double)RO_TIME_ZERO / RO_TIME_ONE;
    static const double stiffness[4][4] = {
        {4, -1, -1, -2}, {-1, 4, -2, -1}, {-1, -2, 4, -1}, {-2, -1, -1, 4}};
    memcpy(out, a, (size_t)(side * side) * sizeof *a);
    for (int y = 0; y + 1 < side; y++)
        for (int x = 0; x + 1 < side; x++)
            for (int i = 0; i < 4; i++)
                for (int k = 0; k < 4; k++) {
                    int to = (y + i / 2) * side + x + i % 2;
                    int from = (y + k / 2) * side + x + k % 2;
                    out[to] -= time * stiffness[i][k] / 6 * a[from];
                }
}

static void float_is_the_dense_operator(void **state)
{
    (void)state;
    enum { SIDE = 16, STEPS = 25 };
    float in[SIDE * SIDE], out[SIDE * SIDE];
    double a[SIDE * SIDE], b[SIDE * SIDE];
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        a[i] = (double)(in[i] = (float)pixel_hash(1, i, 0) * 0x1p-32f);
    ro_image from = ro_image_view(RO_GREYF, SIDE, SIDE, in);
    ro_image to = ro_image_view(RO_GREYF, SIDE, SIDE, out);
    ro_denoise_options options = {RO_DENOISE_DEFAULTS, .model = "linear"};
    for (int n = 1; n <= STEPS; n++) {
        options.iterations = (uint32_t)n;
        dense_step(a, SIDE, b);
        memcpy(a, b, sizeof a);
        denoise(&from, &to, &options, NULL);
        for (int i = 0; i < SIDE * SIDE; i++)
            assert_true(fabs((double)out[i] - a[i]) < 2e-6);
    }
}

/* Variance along x grows by 2 tau a step, exactly so for this stencil. In s16 every flux loses up
 * to one unit of 1/32640 on both sides of the bell, which then spreads a little less. */
static void gaussian_spreads(void **state)
{
    (void)state;
    enum { SIDE = 96, STEPS = 40 };
    static float in[SIDE * SIDE], out[SIDE * SIDE], fixed[SIDE * SIDE];
    double centre = (SIDE - 1) / 2.0, deviation = 4;
    for (int i = 0; i < SIDE * SIDE; i++) {
        double x = i % SIDE - centre, y = i / SIDE - centre;
        in[i] = (float)exp(-(x * x + y * y) / (2 * deviation * deviation));
    }
    ro_image from = ro_image_view(RO_GREYF, SIDE, SIDE, in);
    ro_image to = ro_image_view(RO_GREYF, SIDE, SIDE, out);
    ro_image to_fixed = ro_image_view(RO_GREYF, SIDE, SIDE, fixed);
    ro_denoise_options options = {RO_DENOISE_DEFAULTS, .model = "linear", .iterations = STEPS};
    denoise(&from, &to, &options, NULL);
    options.number = "s16";
    denoise(&from, &to_fixed, &options, NULL);
    double sum = 0, second = 0, worst = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        double x = i % SIDE - centre, error = fabs((double)out[i] - (double)fixed[i]);
        sum += (double)out[i];
        second += x * x * (double)out[i];
        worst = error > worst ? error : worst;
    }
    double expected = deviation * deviation + 2 * STEPS * (double)RO_TIME_ZERO / RO_TIME_ONE;
    assert_true(fabs(second / sum / expected - 1) < 1e-4);
    print_message("s16 against float: off by at most %.2f/255\n", 255 * worst);
    assert_true(worst < 0.5 / 255);
}

/* ---- Noise ---------------------------------------------------------------------------------- */

static double gauss(uint64_t seed, uint32_t x, uint32_t y)
{
    double u = (pixel_hash(seed, x, y) + 0.5) * 0x1p-32, v = pixel_hash(seed + 1, x, y) * 0x1p-32;
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static double psnr(const ro_image *a, const ro_image *b)
{
    double error = 0;
    for (uint32_t y = 0; y < a->height; y++)
        for (uint32_t x = 0; x < a->width; x++) {
            double d = (double)((uint8_t *)a->data)[y * a->stride + x] -
                       (double)((uint8_t *)b->data)[y * b->stride + x];
            error += d * d;
        }
    return 10 * log10(255.0 * 255 * a->width * a->height / error);
}

static void noise_on_the_test_card(void **state)
{
    (void)state;
    enum { SIDE = 384 };
    ro_image card, noisy, out;
    ro_image_alloc(context, RO_GREY8, SIDE, SIDE, 255, &card);
    ro_image_alloc(context, RO_GREY8, SIDE, SIDE, 255, &noisy);
    ro_image_alloc(context, RO_GREY8, SIDE, SIDE, 255, &out);
    assert_int_equal(ro_testcard(context, &card), RO_OK);
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++) {
            double v = ((uint8_t *)card.data)[y * card.stride + x] + 20 * gauss(3, x, y);
            ((uint8_t *)noisy.data)[y * noisy.stride + x] = (uint8_t)lrint(v < 0     ? 0
                                                                           : v > 255 ? 255
                                                                                     : v);
        }
    double sigma;
    assert_int_equal(noise_estimate(context, &noisy, &sigma), RO_OK);
    assert_true(sigma > 17 && sigma < 22);

    static const char *const numbers[] = {"s9", "s12", "s16", "s23e8"};
    double linear = 0, anisotropic[4];
    for (uint32_t n = 1; n <= 20; n++) { /* the linear model at its best */
        ro_denoise_options options = {RO_DENOISE_DEFAULTS, .model = "linear", .iterations = n};
        denoise(&noisy, &out, &options, NULL);
        double now = psnr(&card, &out);
        linear = now > linear ? now : linear;
    }
    for (int i = 0; i < 4; i++) {
        ro_denoise_options options = {RO_DENOISE_DEFAULTS, .number = numbers[i]};
        denoise(&noisy, &out, &options, NULL);
        anisotropic[i] = psnr(&card, &out);
    }
    print_message("noisy %.2f dB, linear at best %.2f, anisotropic s9 %.2f, s12 %.2f, s16 %.2f, "
                  "float %.2f\n",
                  psnr(&card, &noisy), linear, anisotropic[0], anisotropic[1], anisotropic[2],
                  anisotropic[3]);
    assert_true(anisotropic[2] > linear + 2);
    assert_true(anisotropic[2] > psnr(&card, &noisy) + 2);
    assert_true(fabs(anisotropic[2] - anisotropic[3]) < 0.3);

    ro_denoise_options xpp = {RO_DENOISE_DEFAULTS, .scheme = "xpp24"},
                       implicit = {RO_DENOISE_DEFAULTS, .scheme = "implicit"};
    denoise(&noisy, &out, &xpp, NULL);
    double hardware = psnr(&card, &out);
    denoise(&noisy, &out, &implicit, NULL);
    print_message("xpp24 %.2f dB, implicit %.2f\n", hardware, psnr(&card, &out));
    assert_true(hardware > psnr(&card, &noisy) + 1 && psnr(&card, &out) > psnr(&card, &noisy) + 1);
    ro_image_free(&card);
    ro_image_free(&noisy);
    ro_image_free(&out);
}

/* ---- The naive product ---------------------------------------------------------------------- */

static void naive_loses_mass(void **state)
{
    (void)state;
    enum { SIDE = 64 };
    static int32_t values[SIDE * SIDE];
    static uint8_t in[SIDE * SIDE], out[SIDE * SIDE];
    picture_draw(PICTURE_NATURAL, 5, SIDE, SIDE, 0, 255, values);
    for (int i = 0; i < SIDE * SIDE; i++)
        in[i] = (uint8_t)values[i];
    ro_image from = ro_image_view(RO_GREY8, SIDE, SIDE, in),
             to = ro_image_view(RO_GREY8, SIDE, SIDE, out);
    ro_denoise_report exact = {.size = sizeof exact}, lost = {.size = sizeof lost};
    ro_denoise_options options = {RO_DENOISE_DEFAULTS, .model = "linear", .number = "s9",
                                  .iterations = 50};
    denoise(&from, &to, &options, &exact);
    options.scheme = "naive";
    denoise(&from, &to, &options, &lost);
    double share = 1 - lost.sum_after / lost.sum_before;
    print_message("the naive product loses %.1f %% of the sum in 50 steps of s9\n", 100 * share);
    assert_true(exact.sum_after == exact.sum_before);
    assert_true(lost.sum_before == exact.sum_before);
    assert_true(share > 0.2);
}

/* ---- Semi-implicit -------------------------------------------------------------------------- */

static void implicit_keeps_sum_and_range(void **state)
{
    (void)state;
    enum { W = 37, H = 29 };
    static const char *const numbers[] = {"u8", "s9", "s12", "s16", "s17", "s24"};
    static const char *const models[] = {"linear", "perona-malik", "perona-malik", "anisotropic"};
    static const char *const diffusivities[] = {NULL, NULL, "exponential", NULL};
    static int32_t values[W * H];
    static uint8_t in[W * H], out[W * H];
    for (int number = 0; number < 6 * 4 * 3; number++) {
        int pick = number / 24;
        picture_draw(pick == 0   ? PICTURE_NATURAL
                     : pick == 1 ? PICTURE_RANDOM
                                 : PICTURE_SPIKE,
                     9, W, H, 20, 200, values);
        for (int i = 0; i < W * H; i++)
            in[i] = (uint8_t)values[i];
        ro_image from = ro_image_view(RO_GREY8, W, H, in), to = ro_image_view(RO_GREY8, W, H, out);
        ro_denoise_report r = {.size = sizeof r};
        ro_denoise_options options = {RO_DENOISE_DEFAULTS,
                                      .scheme = "implicit",
                                      .number = numbers[number % 6],
                                      .model = models[number / 6 % 4],
                                      .diffusivity = diffusivities[number / 6 % 4],
                                      .rounding = number % 2 ? "nearest" : "zero",
                                      .time_step = number % 3 ? 2 : 8,
                                      .iterations = 4,
                                      .seed = 1 + (uint64_t)number};
        denoise(&from, &to, &options, &r);
        assert_true(r.sum_after == r.sum_before);
        assert_true(r.min_after >= r.min_before && r.max_after <= r.max_before);
    }
}

/* Eight sweeps of 24 bits, and conjugate gradients in few bits, many and float, against a solution
 * by very many sweeps in double precision. */
static void solvers_solve(void **state)
{
    (void)state;
    enum { SIDE = 24, SIZE = SIDE * SIDE };
    static float in[SIZE], out[SIZE];
    static double r[SIZE], x[SIZE], edges[4 * SIZE], scratch[4 * SIZE];
    for (int i = 0; i < SIZE; i++)
        r[i] = x[i] = (double)(in[i] = (float)(pixel_hash(2, (uint32_t)i, 1) >> 16) / 65535);
    for (int y = 0; y < SIDE; y++)
        for (int c = 0; c < SIDE; c++) {
            int i = y * SIDE + c;
            double right = c + 1 < SIDE, down = y + 1 < SIDE;
            edges[i] = right * ((y > 0) + down) / 6;
            edges[SIZE + i] = down * ((c > 0) + right) / 6;
            edges[2 * SIZE + i] = right * down / 3;
            edges[3 * SIZE + i] = (c > 0) * down / 3;
        }
    struct real_system system = {
        SIDE, SIDE, 2, edges, edges + SIZE, edges + 2 * SIZE, edges + 3 * SIZE, NULL};
    solve_by_jacobi(&system, 2000, r, x, scratch);
    ro_image from = ro_image_view(RO_GREYF, SIDE, SIDE, in);
    ro_image to = ro_image_view(RO_GREYF, SIDE, SIDE, out);
    static const struct {
        const char *number, *scheme;
        double bound;
    } cases[] = {{"s24", "implicit", 0.05},    {"s24", "conjugate", 1e-5},
                 {"s23e8", "conjugate", 5e-7}, {"s16", "conjugate", 6e-5},
                 {"s12", "conjugate", 1e-3},   {"s9", "conjugate", 8e-3},
                 {"s23e8", "implicit", 0.05}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ro_denoise_options options = {RO_DENOISE_DEFAULTS, .scheme = cases[k].scheme,
                                      .model = "linear",   .number = cases[k].number,
                                      .time_step = 2,      .iterations = 1};
        denoise(&from, &to, &options, NULL);
        double worst = 0;
        for (int i = 0; i < SIZE; i++)
            worst = fmax(worst, fabs((double)out[i] - x[i]));
        if (worst > cases[k].bound)
            fail_msg("%s %s is off by %g", cases[k].number, cases[k].scheme, worst);
    }
}

/* The defect goes back unit by unit, nowhere past the extremes, the same for the same seed. */
static void dither(void **state)
{
    (void)state;
    enum { W = 31, H = 17 };
    static int32_t r[W * H], x[W * H], again[W * H];
    for (int defect = -700; defect <= 700; defect += 100) {
        int64_t sum = 0, sum_x = 0;
        for (int i = 0; i < W * H; i++) {
            r[i] = 100 + (int)(pixel_hash(4, (uint32_t)i, 0) % 9);
            x[i] = 101 + (int)(pixel_hash(5, (uint32_t)i, 0) % 7);
        }
        for (int i = 0; i < W * H; i++) {
            sum += r[i];
            sum_x += x[i];
        }
        r[0] += (int32_t)(sum_x - sum);
        r[1] += defect;
        /* the two odd pixels must not widen the range that counts */
        sum = sum_x + defect;
        int32_t low = INT32_MAX, high = INT32_MIN;
        for (int i = 0; i < W * H; i++) {
            low = r[i] < low ? r[i] : low;
            high = r[i] > high ? r[i] : high;
        }
        memcpy(again, x, sizeof x);
        assert_true(dither_defect(r, x, W, H, 11));
        assert_true(dither_defect(r, again, W, H, 11));
        assert_memory_equal(x, again, sizeof x);
        int64_t after = 0;
        for (int i = 0; i < W * H; i++) {
            after += x[i];
            assert_true(x[i] >= low && x[i] <= high);
        }
        assert_int_equal(after, sum);
    }
}

/* ---- The hardware profile ------------------------------------------------------------------- */

static void xpp24_keeps_even_images_and_range(void **state)
{
    (void)state;
    enum { W = 21, H = 19 };
    static int32_t u[3 * W * H], out[3 * W * H], scratch[6 * W * H];
    struct diffusion_parameters parameters = {.width = W,
                                              .height = H,
                                              .planes = 3,
                                              .time = 8 * RO_TIME_ONE,
                                              .kappa = 400000,
                                              .sigma = 0.5,
                                              .model = RO_MODEL_PERONA_MALIK};
    struct xpp24 xpp;
    xpp24_make(&xpp, &parameters);
    for (int picture = -1; picture < PICTURES; picture++) {
        int32_t low = 0, high = 8388480;
        for (int plane = 0; plane < 3; plane++)
            if (picture < 0)
                for (int i = 0; i < W * H; i++)
                    u[plane * W * H + i] = 1234567;
            else
                picture_draw((enum picture)picture, 3, W, H, low, high, u + plane * W * H);
        xpp24_step(&xpp, u, out, scratch);
        for (int i = 0; i < 3 * W * H; i++) {
            assert_true(out[i] >= low && out[i] <= high);
            if (picture < 0)
                assert_int_equal(out[i], 1234567);
        }
    }
    for (int i = 0; i < RO_TABLE; i++)
        assert_true(xpp.weight[i] < 4096 && xpp.inverse[i] < 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(float_is_the_dense_operator),
        cmocka_unit_test(gaussian_spreads),
        cmocka_unit_test(noise_on_the_test_card),
        cmocka_unit_test(naive_loses_mass),
        cmocka_unit_test(implicit_keeps_sum_and_range),
        cmocka_unit_test(solvers_solve),
        cmocka_unit_test(dither),
        cmocka_unit_test(xpp24_keeps_even_images_and_range),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
