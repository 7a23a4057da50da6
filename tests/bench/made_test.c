/* SPDX-License-Identifier: MIT */
/* A picture made where it is used has the hash of the same one in memory, by every instruction set
 * and with any number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bench/terapixel/made.h"
#include "bench/terapixel/made_wave.h"
#include "roundoff.h"

static uint64_t hash_in_memory(uint32_t side)
{
    const size_t bytes = ro_format_row_bytes(RO_BITS, side);
    unsigned char *samples = malloc((size_t)side * side), *bits = calloc(side, bytes);
    ro_image in = ro_image_view(RO_GREY8, side, side, samples);
    ro_image out = {.format = RO_BITS,
                    .width = side,
                    .height = side,
                    .maxval = 1,
                    .stride = (ptrdiff_t)bytes,
                    .data = bits};
    ro_context_options how = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU};
    ro_context *context;
    uint64_t sum = 0;
    for (uint32_t y = 0; y < side; y++)
        for (uint32_t x = 0; x < side; x++)
            samples[(size_t)y * side + x] = (unsigned char)made_sample(made_step(y) * x);
    assert_int_equal(ro_context_open(&how, &context), RO_OK);
    const ro_halftone_options classic = {RO_HALFTONE_DEFAULTS, .method = "floyd-steinberg"};
    assert_int_equal(ro_halftone(context, &in, &out, &classic), RO_OK);
    for (uint32_t y = 0; y < side; y++)
        for (uint32_t i = 0; i < (side + 63) / 64; i++) {
            uint64_t word = 0;
            for (size_t b = 8 * i; b < 8 * i + 8; b++)
                word = word << 8 | (b < bytes ? bits[y * bytes + b] : 0);
            sum += made_hash(word, y, i);
        }
    ro_context_close(context);
    free(samples);
    free(bits);
    return sum;
}

static void same_hash(void **state)
{
    (void)state;
    static const uint32_t sides[] = {1, 2, 31, 33, 63, 64, 65, 129, 511, 640, 1300};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        const uint64_t right = hash_in_memory(sides[i]);
        for (int cpu = RO_CPU_SCALAR; cpu < RO_CPUS; cpu++)
            for (int threads = 1; threads <= 3; threads++) {
                ro_context_options how = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU,
                                          .cpu = (ro_cpu)cpu, .threads = threads};
                ro_context *context;
                uint64_t hash;
                if (ro_context_open(&how, &context) != RO_OK)
                    continue; /* this machine has no such vectors */
                assert_int_equal(diffusion_made(context, sides[i], &hash), RO_OK);
                if (hash != right)
                    fail_msg("side %u, %s, %d threads", sides[i], ro_cpu_name((ro_cpu)cpu),
                             threads);
                ro_context_close(context);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_hash)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
