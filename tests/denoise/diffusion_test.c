/* SPDX-License-Identifier: MIT */
/*
 * What the explicit scheme guarantees (Strzodka, section 2.3.3), tested on the definition: for
 * every fixed-point format, both odd roundings, all models, random, natural-like and adversarial
 * images.
 */
#include "denoise/diffusion.h"
#include "roundoff/number.h"

#include "pictures.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { W = 14, H = 11, N = W * H, STEPS = 200 };

static const char *const formats[] = {"u8", "s9", "s12", "s16", "s17", "s24"};
enum { FORMATS = sizeof formats / sizeof *formats, MODELS = 4 };

/* One combination of what can be chosen; a number from 0 to CASES - 1 names it. */
struct setting {
    const struct ro_fixed *q;
    int32_t low, high;
    struct step_weights diffusion;
    int32_t image[N];
};
enum { CASES = FORMATS * 2 * MODELS * PICTURES };

static void choose(struct setting *setting, int number, bool positive)
{
    static const double kappas[] = {10, 2, 60}, sigmas[] = {0, 0, 0.8, 1.5};
    int format = number % FORMATS, rest = number / FORMATS;
    bool nearest = rest % 2;
    enum diffusion_model model = (enum diffusion_model)(rest / 2 % MODELS);
    enum picture picture = (enum picture)(rest / 2 / MODELS);
    setting->q = &ro_number_find(formats[format])->fixed;
    setting->high =
        (int32_t)(setting->q->one < setting->q->max ? setting->q->one : setting->q->max);
    setting->low = positive ? 1 : setting->q->min < 0 ? -setting->high : 0;
    struct diffusion_parameters parameters = {
        .width = W,
        .height = H,
        .planes = 1,
        .model = model,
        .nearest = nearest,
        .time = nearest ? RO_TIME_NEAREST : RO_TIME_ZERO,
        .kappa = kappas[number % 3] * setting->high / 255,
        .sigma = sigmas[number / 3 % 4],
    };
    diffusion_make(&setting->diffusion, &parameters);
    picture_draw(picture, (uint64_t)number, W, H, setting->low, setting->high, setting->image);
}

static int32_t scratch[6 * N];

static void iterate(const struct step_weights *diffusion, int32_t *image, int steps)
{
    int32_t next[N];
    size_t size = (size_t)diffusion->width * diffusion->height;
    for (int i = 0; i < steps; i++) {
        diffusion_iterate_ref(diffusion, image, next, scratch);
        memcpy(image, next, size * sizeof *image);
    }
}

/* Sum, extrema, second and fourth moments at every one of 200 steps. */
static void moments(void **state)
{
    (void)state;
    for (int number = 0; number < CASES; number++) {
        struct setting s;
        choose(&s, number, false);
        int64_t sum = 0;
        __int128 squares = 0, fourths = 0;
        int32_t low = INT32_MAX, high = INT32_MIN;
        for (int n = 0; n <= STEPS; n++) {
            int64_t sum_now = 0;
            __int128 squares_now = 0, fourths_now = 0;
            int32_t low_now = INT32_MAX, high_now = INT32_MIN;
            for (int i = 0; i < N; i++) {
                int64_t u = s.image[i];
                sum_now += u;
                squares_now += u * u;
                fourths_now += (__int128)(u * u) * (u * u);
                low_now = u < low_now ? (int32_t)u : low_now;
                high_now = u > high_now ? (int32_t)u : high_now;
            }
            if (n > 0) {
                assert_int_equal(sum_now, sum);
                assert_true(low_now >= low && high_now <= high);
                assert_true(squares_now <= squares);
                assert_true(fourths_now <= fourths);
            }
            sum = sum_now, squares = squares_now, fourths = fourths_now;
            low = low_now, high = high_now;
            iterate(&s.diffusion, s.image, 1);
        }
    }
}

/* The sum of squares falls strictly until nothing moves, and then nothing ever moves again. */
static void energy_tells_convergence(void **state)
{
    (void)state;
    for (int number = 0; number < CASES; number++) {
        struct setting s;
        choose(&s, number, false);
        int32_t before[N];
        int steps = 0;
        for (;; steps++) {
            assert_true(steps < 200000);
            memcpy(before, s.image, sizeof before);
            iterate(&s.diffusion, s.image, 1);
            __int128 fall = 0;
            for (int i = 0; i < N; i++)
                fall += (int64_t)before[i] * before[i] - (int64_t)s.image[i] * s.image[i];
            bool same = memcmp(before, s.image, sizeof before) == 0;
            assert_int_equal(same, fall == 0);
            assert_true(fall >= 0);
            if (same)
                break;
        }
        iterate(&s.diffusion, s.image, 5);
        assert_memory_equal(before, s.image, sizeof before);
    }
}

static void entropy(void **state)
{
    (void)state;
    for (int number = 0; number < CASES; number++) {
        struct setting s;
        choose(&s, number, true);
        double last = -INFINITY;
        for (int n = 0; n <= STEPS; n++) {
            double now = 0;
            for (int i = 0; i < N; i++) {
                double u = (double)s.image[i] / (double)s.q->one;
                assert_true(u > 0);
                now -= u * log(u);
            }
            assert_true(now >= last - 1e-12 * N);
            last = now;
            iterate(&s.diffusion, s.image, 1);
        }
    }
}

/* ---- Invariances --------------------------------------------------------------------------- */

static void grey_shift_and_reversal(void **state)
{
    (void)state;
    for (int number = 0; number < CASES; number++) {
        struct setting s;
        choose(&s, number, false);
        int32_t shifted[N], reversed[N];
        int32_t shift = s.high / 3 + 1;
        for (int i = 0; i < N; i++) {
            shifted[i] = s.image[i] + shift;
            reversed[i] = -s.image[i];
        }
        iterate(&s.diffusion, s.image, 20);
        iterate(&s.diffusion, shifted, 20);
        iterate(&s.diffusion, reversed, 20);
        for (int i = 0; i < N; i++) {
            assert_int_equal(shifted[i], s.image[i] + shift);
            assert_int_equal(reversed[i], -s.image[i]);
        }
    }
}

/* Mirror in x, and transposition; together they make all quarter turns and mirrors. */
static void isometries(void **state)
{
    (void)state;
    for (int number = 0; number < CASES; number++) {
        struct setting s;
        choose(&s, number, false);
        int32_t mirrored[N], transposed[N], turned[N];
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                mirrored[y * W + W - 1 - x] = s.image[y * W + x];
                transposed[x * H + y] = s.image[y * W + x];
                turned[x * H + H - 1 - y] = s.image[y * W + x];
            }
        struct step_weights other = s.diffusion;
        other.width = H;
        other.height = W;
        iterate(&s.diffusion, s.image, 20);
        iterate(&s.diffusion, mirrored, 20);
        iterate(&other, transposed, 20);
        iterate(&other, turned, 20);
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                assert_int_equal(mirrored[y * W + W - 1 - x], s.image[y * W + x]);
                assert_int_equal(transposed[x * H + y], s.image[y * W + x]);
                assert_int_equal(turned[x * H + H - 1 - y], s.image[y * W + x]);
            }
    }
}

/* A picture on even ground moved by (dx, dy): its evolution moves with it. */
static void translation(void **state)
{
    (void)state;
    enum { SIDE = 40, CORE = 8, DX = 5, DY = 3, MARGIN = 14, MOVES = 8 };
    static int32_t room[6 * SIDE * SIDE];
    for (int number = 0; number < FORMATS * 2 * MODELS; number++) {
        struct setting s;
        choose(&s, number, false);
        s.diffusion.width = s.diffusion.height = SIDE;
        s.diffusion.smoothings = 0;
        static int32_t here[SIDE * SIDE], there[SIDE * SIDE], next[SIDE * SIDE];
        for (int i = 0; i < SIDE * SIDE; i++)
            here[i] = there[i] = (s.low + s.high) / 2;
        for (int y = 0; y < CORE; y++)
            for (int x = 0; x < CORE; x++) {
                int32_t value = s.image[y * W + x];
                here[(y + MARGIN) * SIDE + x + MARGIN] = value;
                there[(y + MARGIN + DY) * SIDE + x + MARGIN + DX] = value;
            }
        for (int n = 0; n < MOVES; n++) {
            diffusion_iterate_ref(&s.diffusion, here, next, room);
            memcpy(here, next, sizeof here);
            diffusion_iterate_ref(&s.diffusion, there, next, room);
            memcpy(there, next, sizeof there);
        }
        for (int y = 0; y < SIDE - DY; y++)
            for (int x = 0; x < SIDE - DX; x++)
                assert_int_equal(here[y * SIDE + x], there[(y + DY) * SIDE + x + DX]);
    }
}

static void semigroup(void **state)
{
    (void)state;
    struct setting s;
    choose(&s, 3, false);
    int32_t once[N], twice[N];
    memcpy(once, s.image, sizeof once);
    memcpy(twice, s.image, sizeof twice);
    iterate(&s.diffusion, once, 12);
    iterate(&s.diffusion, twice, 5);
    iterate(&s.diffusion, twice, 7);
    assert_memory_equal(once, twice, sizeof once);
}

/* ---- The stall, the element matrix, the tables --------------------------------------------- */

/* Whether a ramp of this many intervals over the whole range changes in one step. */
static bool ramp_moves(const char *format, int intervals)
{
    enum { ROWS = 4 };
    const struct ro_fixed *q = &ro_number_find(format)->fixed;
    int width = intervals + 1;
    size_t size = (size_t)width * ROWS;
    int32_t *memory = calloc(8 * size, sizeof *memory);
    int32_t *u = memory, *out = u + size, *room = out + size;
    for (size_t i = 0; i < size; i++)
        u[i] = (int32_t)ro_round_quotient((int64_t)(i % (size_t)width) * q->one, intervals,
                                          RO_ROUND_NEAREST);
    struct step_weights diffusion;
    struct diffusion_parameters parameters = {.width = (uint32_t)width,
                                              .height = ROWS,
                                              .planes = 1,
                                              .model = RO_MODEL_LINEAR,
                                              .time = RO_TIME_ZERO};
    diffusion_make(&diffusion, &parameters);
    diffusion_iterate_ref(&diffusion, u, out, room);
    bool moves = memcmp(u, out, size * sizeof *u) != 0;
    free(memory);
    return moves;
}

static void stall(void **state)
{
    (void)state;
    assert_false(ramp_moves("s9", 32));
    assert_true(ramp_moves("s9", 16));
    assert_false(ramp_moves("s16", 4096));
    assert_true(ramp_moves("s16", 2048));
}

/* The element's stiffness with the tensor of Eq. 2.44, integrated numerically, against the integer
 * weights: off by the 7 bits of the direction and the 512 entries of the table. */
static double integrate(double gxx, double gxy, double gyy, int from, int to)
{
    enum { POINTS = 64 };
    double sum = 0;
    for (int i = 0; i < POINTS; i++)
        for (int k = 0; k < POINTS; k++) {
            double x = (i + 0.5) / POINTS, y = (k + 0.5) / POINTS, d[2][2];
            for (int n = 0; n < 2; n++) {
                int node = n ? to : from;
                double fx = node & 1 ? x : 1 - x, fy = node & 2 ? y : 1 - y;
                d[n][0] = (node & 1 ? 1 : -1) * fy;
                d[n][1] = (node & 2 ? 1 : -1) * fx;
            }
            sum += d[0][0] * (gxx * d[1][0] + gxy * d[1][1]) +
                   d[0][1] * (gxy * d[1][0] + gyy * d[1][1]);
        }
    return sum / (POINTS * POINTS);
}

static void element_matrix(void **state)
{
    (void)state;
    struct step_weights diffusion;
    struct diffusion_parameters parameters = {
        .width = 2, .height = 2, .planes = 1, .time = RO_TIME_ZERO, .kappa = 1280};
    for (int m = 0; m < MODELS; m++) {
        parameters.model = (enum diffusion_model)m;
        parameters.diffusivity =
            m == RO_MODEL_TABLE ? RO_DIFFUSIVITY_EXPONENTIAL : RO_DIFFUSIVITY_PERONA_MALIK;
        diffusion_make(&diffusion, &parameters);
        for (int k = 0; k < 60; k++) {
            double angle = 0.1 + k * 0.7, length = 100 + 150 * k;
            double x = length * cos(angle), y = length * sin(angle);
            int32_t p = (int32_t)lrint(x + y), q = (int32_t)lrint(x - y); /* 2 g = (p+q, p-q) */
            double bx = x / length, by = y / length;
            double square = length * length / (1280.0 * 1280.0);
            double value = m == RO_MODEL_TABLE ? exp(-square) : 1 / (1 + square);
            double g1 = value, g2 = value;
            if (m == RO_MODEL_LINEAR)
                g1 = g2 = 1;
            if (m == RO_MODEL_ANISOTROPIC)
                g1 = value / 2;
            double gxx = g1 * bx * bx + g2 * by * by, gyy = g1 * by * by + g2 * bx * bx;
            double gxy = (g1 - g2) * bx * by, unit = 65536.0 * RO_TIME_ZERO / RO_TIME_ONE;
            struct edge_weights w = element_weights(&diffusion, &p, &q);
            double bound = unit * 0.045 * (g1 + g2) / 2 + 2;
            assert_true(fabs(w.se + unit * integrate(gxx, gxy, gyy, 0, 3)) < bound);
            assert_true(fabs(w.sw + unit * integrate(gxx, gxy, gyy, 1, 2)) < bound);
            assert_true(fabs(w.e + unit * integrate(gxx, gxy, gyy, 0, 1)) < bound);
            assert_true(fabs(w.s + unit * integrate(gxx, gxy, gyy, 0, 2)) < bound);
            assert_true(w.se >= 0 && w.sw >= 0 && w.e >= 0 && w.s >= 0);
        }
    }
}

/* The weights round a pixel stay below 2^16, below 2^15 for nearest, whatever the elements. */
static void weights_are_stable(void **state)
{
    (void)state;
    for (int m = 0; m < MODELS; m++)
        for (int nearest = 0; nearest < 2; nearest++) {
            struct step_weights diffusion;
            struct diffusion_parameters parameters = {
                .width = 2,
                .height = 2,
                .planes = 1,
                .model = (enum diffusion_model)m,
                .diffusivity =
                    m == RO_MODEL_TABLE ? RO_DIFFUSIVITY_EXPONENTIAL : RO_DIFFUSIVITY_PERONA_MALIK,
                .nearest = nearest,
                .time = nearest ? RO_TIME_NEAREST : RO_TIME_ZERO,
                .kappa = 100};
            diffusion_make(&diffusion, &parameters);
            int32_t largest = 0;
            for (int32_t p = -130; p <= 130; p++)
                for (int32_t q = -130; q <= 130; q++) {
                    struct edge_weights w = element_weights(&diffusion, &p, &q);
                    int32_t diagonal = w.se > w.sw ? w.se : w.sw;
                    int32_t sum = 4 * (diagonal + w.e + w.s);
                    largest = sum > largest ? sum : largest;
                }
            assert_true(largest < (nearest ? 32768 : 65536));
        }
}

static void tables(void **state)
{
    (void)state;
    for (int m = RO_MODEL_PERONA_MALIK; m < MODELS; m++) {
        struct step_weights diffusion;
        struct diffusion_parameters parameters = {.width = 2,
                                                  .height = 2,
                                                  .planes = 1,
                                                  .model = (enum diffusion_model)m,
                                                  .diffusivity = m == RO_MODEL_TABLE
                                                                     ? RO_DIFFUSIVITY_EXPONENTIAL
                                                                     : RO_DIFFUSIVITY_PERONA_MALIK,
                                                  .time = RO_TIME_ZERO,
                                                  .kappa = 1280};
        diffusion_make(&diffusion, &parameters);
        double whole = 4.0 * RO_TIME_ZERO / (m == RO_MODEL_ANISOTROPIC ? 8 : 3);
        for (int i = 0; i < RO_TABLE; i++) {
            double value = m == RO_MODEL_TABLE ? exp(-i / 8.0) : 1 / (1 + i / 8.0);
            assert_true(fabs(diffusion.table[i] - (whole * value - 0.5)) <= 0.5001);
        }
        /* the squared gradient is half of the norm p^2 + q^2; the table ends at 64 kappa^2 */
        double end = 128.0 * 1280 * 1280;
        assert_int_equal(table_index(&diffusion, 0), 0);
        assert_true(table_index(&diffusion, (uint64_t)(0.998 * end)) < RO_TABLE);
        assert_true(table_index(&diffusion, (uint64_t)(1.002 * end)) >= RO_TABLE);
        assert_true(table_index(&diffusion, UINT64_MAX) >= RO_TABLE);
        assert_int_equal(table_index(&diffusion, (uint64_t)(end / 2 * 1.002)), RO_TABLE / 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments),        cmocka_unit_test(energy_tells_convergence),
        cmocka_unit_test(entropy),        cmocka_unit_test(grey_shift_and_reversal),
        cmocka_unit_test(isometries),     cmocka_unit_test(translation),
        cmocka_unit_test(semigroup),      cmocka_unit_test(stall),
        cmocka_unit_test(element_matrix), cmocka_unit_test(weights_are_stable),
        cmocka_unit_test(tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
