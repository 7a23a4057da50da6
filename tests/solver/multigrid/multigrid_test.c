/* SPDX-License-Identifier: MIT */
/*
 * The multigrid solver: against elimination on small grids, by how much a cycle shrinks the error,
 * and the same bits from every instruction set and thread count.
 */
#include "core/random.h"
#include "roundoff.h"
#include "roundoff/solver.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static ro_context *open_context(ro_cpu cpu, int threads)
{
    ro_context_options with = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .cpu = cpu,
                               .threads = threads};
    ro_context *context;
    ro_status status = ro_context_open(&with, &context);
    return status == RO_OK ? context : NULL;
}

static ro_image make_image(float *values, int width, int height)
{
    return (ro_image){.format = RO_GREYF,
                      .width = (uint32_t)width,
                      .height = (uint32_t)height,
                      .stride = width * (ptrdiff_t)sizeof(float),
                      .data = values};
}

static void fill(float *values, int width, int height, uint64_t seed)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            values[y * width + x] =
                (float)(pixel_hash(seed, (uint32_t)x, (uint32_t)y) >> 8) * 0x1p-24f - 0.5f;
}

static int mirrored(int i, int n)
{
    i = i < 0 ? -i : i;
    i = i >= n ? 2 * (n - 1) - i : i;
    return i < 0 ? 0 : i;
}

/* A row by row as the header states it, in doubles, for the finest grid. */
static double apply(const double *x, int width, int height, double sigma, int i, int j)
{
    double sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += x[mirrored(j + dy, height) * width + mirrored(i + dx, width)] - x[j * width + i];
    return x[j * width + i] - sigma * sigma / 6 * sum;
}

/* Elimination with a dense matrix. */
static void eliminate(int n, double *matrix, double *b)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(matrix[i * n + k]) > fabs(matrix[pivot * n + k]))
                pivot = i;
        for (int j = 0; j < n; j++) {
            double swap = matrix[k * n + j];
            matrix[k * n + j] = matrix[pivot * n + j];
            matrix[pivot * n + j] = swap;
        }
        double swap = b[k];
        b[k] = b[pivot];
        b[pivot] = swap;
        for (int i = 0; i < n; i++) {
            double by = i == k ? 0 : matrix[i * n + k] / matrix[k * n + k];
            for (int j = k; by != 0 && j < n; j++)
                matrix[i * n + j] -= by * matrix[k * n + j];
            b[i] -= by * b[k];
        }
    }
    for (int k = 0; k < n; k++)
        b[k] /= matrix[k * n + k];
}

static void test_elimination(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1, 1}, {2, 1},  {1, 7},  {5, 5},   {8, 3},   {2, 20},
                                   {9, 9}, {16, 5}, {35, 7}, {36, 11}, {40, 10}, {7, 41}};
    static const double sigmas[] = {0, 0.5, 3, 40};
    ro_context *context = open_context(RO_CPU_AUTO, 2);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t g = 0; g < sizeof sigmas / sizeof *sigmas; g++) {
            const int width = sizes[s][0], height = sizes[s][1], n = width * height;
            float *b = calloc((size_t)n, sizeof *b), *x = calloc((size_t)n, sizeof *x);
            double *matrix = calloc((size_t)n * (size_t)n, sizeof *matrix);
            double *unit = calloc((size_t)n, sizeof *unit),
                   *exact = calloc((size_t)n, sizeof *unit);
            fill(b, width, height, s);
            for (int k = 0; k < n; k++) {
                unit[k] = 1;
                for (int i = 0; i < n; i++)
                    matrix[i * n + k] = apply(unit, width, height, sigmas[g], i % width, i / width);
                unit[k] = 0;
                exact[k] = b[k];
            }
            eliminate(n, matrix, exact);
            ro_image vb = make_image(b, width, height), vx = make_image(x, width, height);
            ro_multigrid_options options = {RO_MULTIGRID_DEFAULTS, .sigma = sigmas[g],
                                            .cycles = 12};
            assert_int_equal(ro_multigrid_solve(context, &vb, &vx, &options), RO_OK);
            for (int i = 0; i < n; i++)
                if (fabs(x[i] - exact[i]) > 3e-6)
                    fail_msg("%d x %d, sigma %g: %g instead of %g at %d", width, height, sigmas[g],
                             x[i], exact[i], i);
            free(b);
            free(x);
            free(matrix);
            free(unit);
            free(exact);
        }
    ro_context_close(context);
}

static double norm_of(const float *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)x[i] * x[i];
    return sqrt(sum);
}

/* The largest factor after the first cycle by which an error of all frequencies shrinks toward the
 * solution 0 of b = 0. */
static double factor_of(ro_context *context, int width, int height, double sigma)
{
    const int n = width * height;
    float *b = calloc((size_t)n, sizeof *b), *x = calloc((size_t)n, sizeof *x);
    double worst = 0, last;
    for (int i = 0; i < n; i++)
        x[i] = (float)(sin(0.002 * i) + (pixel_hash(3, (uint32_t)i, 0) >> 8) * 0x1p-24);
    ro_image vb = make_image(b, width, height), vx = make_image(x, width, height);
    ro_multigrid_options options = {RO_MULTIGRID_DEFAULTS, .sigma = sigma, .warm = 1};
    last = norm_of(x, n);
    for (int cycle = 0; cycle < 6; cycle++) {
        assert_int_equal(ro_multigrid_solve(context, &vb, &vx, &options), RO_OK);
        double now = norm_of(x, n);
        worst = cycle > 0 && now / last > worst ? now / last : worst;
        last = now;
    }
    free(b);
    free(x);
    return worst;
}

static void test_convergence(void **state)
{
    (void)state;
    static const struct {
        int width, height;
        double bound;
    } sizes[] = {
        {65, 65, 0.1},   {129, 129, 0.1}, {257, 257, 0.1}, {513, 513, 0.1}, {257, 129, 0.1},
        {101, 101, 0.2}, {75, 139, 0.2},  {331, 331, 0.2}, {643, 201, 0.2}, {515, 515, 0.2},
        {64, 64, 0.2},   {100, 300, 0.2}, {400, 38, 0.2},  {35, 500, 0.2},
    };
    static const double sigmas[] = {0.5, 2, 16, 128, 1024};
    ro_context *context = open_context(RO_CPU_AUTO, 2);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t g = 0; g < sizeof sigmas / sizeof *sigmas; g++) {
            double factor = factor_of(context, sizes[s].width, sizes[s].height, sigmas[g]);
            if (!(factor < sizes[s].bound))
                fail_msg("%d x %d, sigma %g: factor %.3f", sizes[s].width, sizes[s].height,
                         sigmas[g], factor);
        }
    ro_context_close(context);
}

static void test_same_bits(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1, 1}, {33, 34}, {130, 67}, {257, 65}, {200, 300}, {1000, 36}};
    static const int threads[] = {1, 3, 40}; /* more than the coarse grid of the last has rows */
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int width = sizes[s][0], height = sizes[s][1], n = width * height;
        size_t bytes = (size_t)n * sizeof(float);
        float *b = malloc(bytes), *want = calloc((size_t)n, sizeof *want), *got = malloc(bytes);
        fill(b, width, height, 7);
        ro_image vb = make_image(b, width, height), vwant = make_image(want, width, height);
        ro_image vgot = make_image(got, width, height);
        ro_multigrid_options options = {RO_MULTIGRID_DEFAULTS, .sigma = 9, .cycles = 2};
        for (int cpu = RO_CPU_SCALAR; cpu <= RO_CPU_AVX512; cpu++)
            for (int t = 0; t < 3; t++) {
                ro_context *context = open_context((ro_cpu)cpu, threads[t]);
                if (!context)
                    continue;
                bool first = cpu == RO_CPU_SCALAR && t == 0;
                memset(got, 0xa5, bytes);
                assert_int_equal(ro_multigrid_solve(context, &vb, first ? &vwant : &vgot, &options),
                                 RO_OK);
                if (!first)
                    assert_memory_equal(got, want, bytes);
                ro_context_close(context);
            }
        free(b);
        free(want);
        free(got);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    ro_context *context = open_context(RO_CPU_AUTO, 1);
    float values[600] = {0};
    ro_image b = make_image(values, 6, 5), x = make_image(values, 5, 6);
    assert_int_equal(ro_multigrid_solve(context, &b, &x, NULL), RO_E_SIZE);
    ro_multigrid_options options = {RO_MULTIGRID_DEFAULTS, .sigma = -1};
    assert_int_equal(ro_multigrid_solve(context, &b, &b, &options), RO_E_ARGUMENT);
    options.sigma = NAN;
    assert_int_equal(ro_multigrid_solve(context, &b, &b, &options), RO_E_ARGUMENT);
    ro_image thin = make_image(values, 600, 1);
    assert_int_equal(ro_multigrid_solve(context, &thin, &thin, NULL), RO_E_SIZE);
    values[3] = INFINITY;
    assert_int_equal(ro_multigrid_solve(context, &b, &b, NULL), RO_E_ARGUMENT);
    ro_context_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elimination),
        cmocka_unit_test(test_convergence),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
