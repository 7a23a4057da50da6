/* SPDX-License-Identifier: MIT */
/* The textbook's transform: against direct sums, back and forth, and lane for lane. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/random.h"
#include "fft/radix2.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double tau = 6.283185307179586476925286766559;

static double value(uint32_t i, uint32_t lane) { return pixel_hash(7, i, lane) * 0x1p-31 - 1; }

/* `stride` numbers apart, the lanes beside one another. */
static void floats_are_sums(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 512; n *= 2) {
        struct radix2_float plan;
        const uint32_t lanes = 5, stride = 7;
        float *re = malloc(n * stride * sizeof *re), *im = malloc(n * stride * sizeof *im);
        float *scratch = malloc(radix2_scratch(n) * sizeof *scratch);
        assert_true(radix2_float_open(&plan, n));
        for (uint32_t i = 0; i < n * stride; i++) {
            re[i] = (float)value(i, 0);
            im[i] = (float)value(i, 1);
        }
        radix2_float_run(&plan, re, im, stride, 1, lanes, scratch);
        double error = 0, all = 0;
        for (uint32_t l = 0; l < lanes; l++)
            for (uint32_t k = 0; k < n; k++) {
                double complex sum = 0;
                for (uint32_t j = 0; j < n; j++)
                    sum += ((float)value(j * stride + l, 0) + I * (float)value(j * stride + l, 1)) *
                           cexp(-I * tau * (j * k % n) / n);
                error += pow(cabs(sum - (re[k * stride + l] + I * im[k * stride + l])), 2);
                all += pow(cabs(sum), 2);
            }
        assert_true(sqrt(error / all) < 6e-7);
        for (uint32_t i = 0; i < n; i++) /* other lanes are left alone */
            assert_true(re[i * stride + lanes] == (float)value(i * stride + lanes, 0));
        radix2_float_close(&plan);
        free(re);
        free(im);
        free(scratch);
    }
}

/* Parts exchanged make it the inverse; as rows and as columns the bits are the same. */
static void doubles_go_and_come_back(void **state)
{
    (void)state;
    enum { N = 64, LANES = 16 };
    struct radix2_double plan;
    static double rows[LANES][N][2], columns[N][LANES][2];
    double *scratch = malloc(radix2_scratch(N) * sizeof *scratch);
    assert_true(radix2_double_open(&plan, N));
    for (uint32_t l = 0; l < LANES; l++)
        for (uint32_t i = 0; i < N; i++)
            for (uint32_t part = 0; part < 2; part++)
                rows[l][i][part] = columns[i][l][part] = value(2 * i + part, l);
    double *r = rows[0][0], *c = columns[0][0];
    radix2_double_run(&plan, r, r + 1, 2, 2 * N, LANES, scratch);
    radix2_double_run(&plan, c, c + 1, 2 * LANES, 2, LANES, scratch);
    for (uint32_t l = 0; l < LANES; l++)
        for (uint32_t i = 0; i < N; i++)
            assert_memory_equal(rows[l][i], columns[i][l], sizeof rows[l][i]);
    radix2_double_run(&plan, r + 1, r, 2, 2 * N, LANES, scratch);
    for (uint32_t l = 0; l < LANES; l++)
        for (uint32_t i = 0; i < N; i++)
            for (uint32_t part = 0; part < 2; part++)
                assert_true(fabs(rows[l][i][part] / N - value(2 * i + part, l)) < 1e-14);
    radix2_double_close(&plan);
    free(scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_are_sums),
        cmocka_unit_test(doubles_go_and_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
