/* SPDX-License-Identifier: MIT */
/* Transforms against direct sums in double precision, and every instruction set against plain C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define FIXTURE_OPTIONS                                                                            \
    &(ro_context_options) { RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU }
#include "core/cpu.h"
#include "core/random.h"
#include "fft/dft.h"
#include "fft/phasor.h"
#include "fixture.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double tau = 6.283185307179586476925286766559;

/* Short, in two parts, with large primes, by a chirp (37, 683, 1366), of devices. */
static const uint32_t lengths[] = {1,   2,   3,   4,   5,   6,    7,    8,    9,    11,
                                   16,  17,  25,  30,  31,  37,   64,   100,  170,  256,
                                   257, 360, 512, 683, 961, 1080, 1366, 1920, 2160, 4096};

static float value(uint32_t i, uint32_t lane)
{
    return (float)pixel_hash(3, i, lane) * 0x1p-31f - 1;
}

static void run(const struct dft_kernel *k, const struct dft *plan, const float *in, float *out,
                int count, bool inverse)
{
    const size_t lanes = (size_t)k->lanes;
    float *panel = aligned_alloc(64, (dft_panel_numbers(plan) * lanes * 4 + 63) / 64 * 64);
    float *spare = aligned_alloc(64, (dft_spare_numbers(plan) * lanes * 4 + 63) / 64 * 64);
    k->load_rows(panel, in, (size_t)plan->n, count, plan->n, inverse);
    k->run(plan, panel, spare);
    k->store_rows(panel, out, (size_t)plan->n, count, plan->n, inverse);
    free(panel);
    free(spare);
}

/* One row by all lanes. */
static void run_row(const struct dft_kernel *k, const struct dft *plan, const float *in, float *out,
                    bool inverse)
{
    const size_t lanes = (size_t)k->lanes, n = (size_t)plan->n;
    float *row = malloc((n + 16) * 8);
    float *spare = aligned_alloc(64, (dft_spare_numbers(plan) * lanes * 4 + 63) / 64 * 64);
    for (size_t i = 0; i < 2 * n; i++)
        row[i] = in[i ^ inverse];
    k->run_row(plan, row, spare);
    for (size_t i = 0; i < 2 * n; i++)
        out[i] = row[i ^ inverse];
    free(row);
    free(spare);
}

static void transforms_are_sums(void **state)
{
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const uint32_t n = lengths[i];
        struct dft *plan;
        assert_int_equal(dft_open(*state, n, &plan), RO_OK);
        float *in = malloc(n * 8), *out = malloc(n * 8);
        for (uint32_t k = 0; k < 2 * n; k++)
            in[k] = value(k, 0);
        for (int inverse = 0; inverse < 2; inverse++) {
            run(&dft_kernel_plain, plan, in, out, 1, inverse);
            double error = 0, all = 0;
            for (uint32_t k = 0; k < n; k += 1 + n / 100) {
                double complex sum = 0;
                for (uint32_t j = 0; j < n; j++)
                    sum += (in[2 * j] + I * in[2 * j + 1]) *
                           cexp((inverse ? I : -I) * tau * ((uint64_t)j * k % n) / n);
                error += pow(cabs(sum - (out[2 * k] + I * out[2 * k + 1])), 2);
                all += pow(cabs(sum), 2);
            }
            assert_true(sqrt(error / all) < 6e-7);
        }
        free(in);
        free(out);
        dft_close(plan);
    }
}

static void variants_agree(void **state)
{
    static const struct dft_kernel *const kernels[RO_CPUS] = {RO_VARIANTS_OF(dft_kernel)};
    int checked = 0;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int v = 0; v < RO_CPUS; v++) {
            const struct dft_kernel *k = kernels[v];
            const uint32_t n = lengths[i], lanes = k ? (uint32_t)k->lanes : 0;
            struct dft *plan;
            if (!k || k->cpu > cpu_best())
                continue;
            checked++;
            assert_int_equal(dft_open(*state, n, &plan), RO_OK);
            float *in = malloc(n * lanes * 8), *want = malloc(n * lanes * 8);
            float *got = malloc(n * lanes * 8);
            for (uint32_t l = 0; l < lanes; l++) {
                for (uint32_t x = 0; x < 2 * n; x++)
                    in[2 * n * l + x] = value(x, l);
                run(&dft_kernel_plain, plan, in + 2 * n * l, want + 2 * n * l, 1, v % 2);
            }
            for (uint32_t count = 1; count <= lanes; count++) {
                memset(got, 0xa5, n * lanes * 8);
                run(k, plan, in, got, (int)count, v % 2);
                assert_memory_equal(got, want, n * count * 8);
                for (size_t x = (size_t)n * count * 8; x < n * lanes * 8; x++)
                    assert_int_equal(((uint8_t *)got)[x], 0xa5);
            }
            if (dft_by_rows(plan))
                for (uint32_t l = 0; l < 2; l++) {
                    run_row(k, plan, in + 2 * n * l, got, v % 2);
                    assert_memory_equal(got, want + 2 * n * l, n * 8);
                }
            free(in);
            free(want);
            free(got);
            dft_close(plan);
        }
    if (!checked)
        skip();
}

/* Two directions, any number of threads and any instruction set; there and back is n times it. */
static void fields(void **state)
{
    static const uint32_t sizes[][2] = {{1, 1}, {5, 3}, {37, 20}, {64, 48}, {100, 131}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const uint32_t w = sizes[i][0], h = sizes[i][1];
        float *first = NULL, *data = malloc((size_t)w * h * 8);
        for (int v = 0; v < 4; v++) {
            ro_context *context;
            struct dft_field *plan;
            ro_context_options how = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU,
                                      .cpu = v ? 0 : RO_CPU_SCALAR, .threads = v + 1};
            assert_int_equal(ro_context_open(&how, &context), RO_OK);
            assert_int_equal(dft_field_open(context, w, h, &plan), RO_OK);
            for (uint32_t k = 0; k < 2 * w * h; k++)
                data[k] = value(k, 9);
            dft_field_run(plan, data, false);
            if (first)
                assert_memory_equal(data, first, (size_t)w * h * 8);
            else
                first = memcpy(malloc((size_t)w * h * 8), data, (size_t)w * h * 8);
            dft_field_run(plan, data, true);
            for (uint32_t k = 0; k < 2 * w * h; k++)
                assert_true(fabsf(data[k] / (float)(w * h) - value(k, 9)) < 3e-6f);
            dft_field_close(plan);
            ro_context_close(context);
        }
        double complex sum = 0; /* one frequency by hand */
        const uint32_t u = w / 3, s = h / 2;
        for (uint32_t y = 0; y < h; y++)
            for (uint32_t x = 0; x < w; x++)
                sum += (value(2 * (y * w + x), 9) + I * value(2 * (y * w + x) + 1, 9)) *
                       cexp(-I * tau * ((double)u * x / w + (double)s * y / h));
        assert_true(cabs(sum - (first[2 * (s * w + u)] + I * first[2 * (s * w + u) + 1])) <
                    1e-5 * w * h);
        free(first);
        free(data);
    }
}

static void phasors_are_phasors(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 100000; i++) {
        const double t = ((double)pixel_hash(1, i, 0) * 0x1p-31 - 1) * (i % 2 ? 1 : 1e6);
        float c, s;
        double x, y;
        phasor(t, &c, &s);
        phasor_double(t, &x, &y);
        const double angle = tau * (t - rint(t));
        assert_true(fabs(c - cos(angle)) < 2e-7 && fabs(s - sin(angle)) < 2e-7);
        assert_true(fabs(x - cos(angle)) < 1e-15 + 4e-16 * 8 && fabs(y - sin(angle)) < 4e-15);
    }
    float c, s;
    phasor(-0.25, &c, &s);
    assert_true(c == 0 && s == -1);
    phasor(0.5, &c, &s);
    assert_true(c == -1 && s == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transforms_are_sums),
        cmocka_unit_test(variants_agree),
        cmocka_unit_test(fields),
        cmocka_unit_test(phasors_are_phasors),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
