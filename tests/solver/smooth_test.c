/* SPDX-License-Identifier: MIT */
/*
 * Smoothing along lines: against elimination in double precision, the definition operation by
 * operation, what it must keep (constants, sums, mirror images), and the same bits from every
 * instruction set.
 */
#include "solver/smooth.h"

#include "core/cpu.h"
#include "core/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 160, PITCH = MOST + 32, ALONG = 0, ACROSS = 1 };

struct field {
    _Alignas(64) float node[MOST * PITCH];
};

static float number(uint64_t seed, int x, int y)
{
    return (float)(pixel_hash(seed, (uint32_t)x, (uint32_t)y) >> 8) * 0x1p-24f - 0.5f;
}

static void fill(struct field *field, uint64_t seed, int width, int height)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            field->node[y * PITCH + x] = number(seed, x, y);
}

/* By the kernels of one instruction set. */
static void smooth(ro_cpu cpu, int direction, double a, int times, const struct field *weight,
                   int width, int height, struct field *field)
{
    const struct smooth_kernels *kernels = smooth_kernels_for(cpu);
    const struct smooth_plane plane = {width, height, PITCH};
    float *tables = malloc((chain_floats(MOST) + 1) * sizeof *tables);
    float *scratch = aligned_alloc(64, (smooth_scratch(MOST) + 15) / 16 * 64);
    const struct line_chain chain = chain_make(direction == ALONG ? width : height, a, tables);
    if (direction == ALONG)
        kernels->rows(&chain, &plane, 0, height, field->node, field->node, scratch);
    else
        kernels->columns(&chain, &plane, 0, width, times, weight ? weight->node : NULL,
                         field->node);
    free(tables);
    free(scratch);
}

/* y - a (y[i-1] - 2 y[i] + y[i+1]) = b without a flow across the ends, from one end to the other.
 */
static void eliminate(int n, double a, const double *b, double *y)
{
    double ratio[MOST];
    for (int i = 0; i < n; i++) {
        const double own = 1 + (i > 0 ? a : 0) + (i + 1 < n ? a : 0);
        const double left = own - (i > 0 ? a * ratio[i - 1] : 0);
        ratio[i] = a / left;
        y[i] = (b[i] + (i > 0 ? a * y[i - 1] : 0)) / left;
    }
    for (int i = n - 2; i >= 0; i--)
        y[i] += ratio[i] * y[i + 1];
}

static void same_as_elimination(void **state)
{
    static const double as[] = {0, 0.3, 4.5, 128, 20000};
    struct field *field = calloc(1, sizeof *field);
    (void)state;
    for (int n = 1; n <= MOST; n += n < 12 ? 1 : 13)
        for (size_t k = 0; k < sizeof as / sizeof *as; k++) {
            double b[MOST], y[MOST];
            fill(field, 3, n, 1);
            for (int i = 0; i < n; i++)
                b[i] = (double)field->node[i];
            eliminate(n, as[k], b, y);
            smooth(RO_CPU_SCALAR, ALONG, as[k], 1, NULL, n, 1, field);
            for (int i = 0; i < n; i++)
                assert_true(fabs((double)field->node[i] - y[i]) < 2e-6);
        }
    free(field);
}

/* The definition, with coefficients of its own; see docs/numerics.md. */
static void define(int n, double a, const float *b, float *y)
{
    const int k = n / 2, last = n - 1;
    double e[MOST];
    float f[2][MOST], r[MOST], q[MOST];
    for (int i = 0; i < k; i++) {
        e[i] = i > 0 ? 1 + a * e[i - 1] / (a + e[i - 1]) : 1;
        r[i] = (float)(a / (a + e[i]));
        q[i] = (float)(1 / (a + e[i]));
        f[0][i] = i > 0 ? fmaf(r[i - 1], f[0][i - 1], b[i]) : b[0];
        f[1][i] = i > 0 ? fmaf(r[i - 1], f[1][i - 1], b[last - i]) : b[last];
    }
    if (n == 1) {
        y[0] = b[0];
    } else if (n % 2) {
        const float p = (float)(1 / (1 + 2 * a * e[k - 1] / (a + e[k - 1])));
        y[k] = p * fmaf(r[k - 1], f[0][k - 1] + f[1][k - 1], b[k]);
    } else {
        const double d = e[k - 1] * (2 * a + e[k - 1]);
        const float p = (float)((a + e[k - 1]) / d), s = (float)(a / d);
        y[k - 1] = fmaf(p, f[0][k - 1], s * f[1][k - 1]);
        y[k] = fmaf(p, f[1][k - 1], s * f[0][k - 1]);
    }
    for (int i = n % 2 ? k - 1 : k - 2; i >= 0; i--) {
        y[i] = fmaf(r[i], y[i + 1], q[i] * f[0][i]);
        y[last - i] = fmaf(r[i], y[last - i - 1], q[i] * f[1][i]);
    }
}

/* Rows once, and columns twice with weights in between, of every instruction set. */
static void as_defined(void **state)
{
    static const double as[] = {0, 0.3, 40, 5e11};
    struct field *field = calloc(1, sizeof *field), *weight = calloc(1, sizeof *weight);
    (void)state;
    for (int cpu = RO_CPU_SCALAR; cpu <= (int)cpu_best(); cpu++)
        for (int n = 1; n <= MOST; n += n < 70 ? 1 : 29)
            for (size_t k = 0; k < sizeof as / sizeof *as; k++) {
                float b[MOST], once[MOST], twice[MOST];
                for (int i = 0; i < n; i++)
                    b[i] = number(4, i, 0);
                define(n, as[k], b, once);
                memcpy(field->node, b, (size_t)n * sizeof *b);
                smooth((ro_cpu)cpu, ALONG, as[k], 1, NULL, n, 1, field);
                assert_memory_equal(field->node, once, (size_t)n * sizeof *once);
                for (int i = 0; i < n; i++) {
                    field->node[i * PITCH] = b[i];
                    weight->node[i * PITCH] = number(5, i, 0);
                    once[i] *= weight->node[i * PITCH];
                }
                define(n, as[k], once, twice);
                smooth((ro_cpu)cpu, ACROSS, as[k], 2, weight, 1, n, field);
                for (int i = 0; i < n; i++)
                    assert_memory_equal(&field->node[i * PITCH], &twice[i], sizeof *twice);
            }
    free(field);
    free(weight);
}

static void the_same_bits(void **state)
{
    struct field *want = calloc(1, sizeof *want), *got = calloc(1, sizeof *got);
    struct field *weight = calloc(1, sizeof *weight);
    static const int sizes[][2] = {{1, 1},  {2, 7},   {7, 2},    {15, 33},  {16, 16},
                                   {33, 5}, {65, 50}, {100, 31}, {131, 17}, {160, 97}};
    (void)state;
    for (int cpu = RO_CPU_SCALAR + 1; cpu <= (int)cpu_best(); cpu++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (int way = 0; way < 4; way++) {
                const int width = sizes[i][0], height = sizes[i][1], times = 1 + (way > 1);
                const struct field *by = way == 3 ? weight : NULL;
                const int direction = way == 0 ? ALONG : ACROSS;
                fill(want, i, width, height);
                fill(got, i, width, height);
                fill(weight, i + 100, width, height);
                smooth(RO_CPU_SCALAR, direction, 40, times, by, width, height, want);
                smooth((ro_cpu)cpu, direction, 40, times, by, width, height, got);
                for (int y = 0; y < height; y++)
                    assert_memory_equal(want->node + y * PITCH, got->node + y * PITCH,
                                        (size_t)width * sizeof(float));
            }
    free(want);
    free(got);
    free(weight);
}

/* A constant stays, sums stay, and what is mirrored comes out mirrored, to the bit. */
static void what_is_kept(void **state)
{
    struct field *field = calloc(1, sizeof *field), *mirror = calloc(1, sizeof *mirror);
    (void)state;
    for (int n = 1; n <= 100; n += 9) {
        const double as[] = {1, 50, 1e7};
        for (int k = 0; k < 3; k++) {
            double before = 0, after = 0;
            for (int x = 0; x < n; x++)
                field->node[x] = 0.75f;
            smooth(RO_CPU_SCALAR, ALONG, as[k], 1, NULL, n, 1, field);
            for (int x = 0; x < n; x++)
                assert_true(fabsf(field->node[x] - 0.75f) < 1e-5f);
            fill(field, 8, n, 1);
            for (int x = 0; x < n; x++) {
                mirror->node[n - 1 - x] = field->node[x];
                before += (double)field->node[x];
            }
            smooth(RO_CPU_SCALAR, ALONG, as[k], 1, NULL, n, 1, field);
            smooth(RO_CPU_SCALAR, ALONG, as[k], 1, NULL, n, 1, mirror);
            for (int x = 0; x < n; x++) {
                assert_memory_equal(&field->node[x], &mirror->node[n - 1 - x], sizeof(float));
                after += (double)field->node[x];
            }
            assert_true(fabs(after - before) < 2e-5 * n);
        }
    }
    free(field);
    free(mirror);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_elimination),
        cmocka_unit_test(as_defined),
        cmocka_unit_test(the_same_bits),
        cmocka_unit_test(what_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
