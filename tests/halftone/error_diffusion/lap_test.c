/* SPDX-License-Identifier: MIT */
/*
 * Threads that lap one another. In an image of few columns and very many bands, a thread may lose
 * its core at the end of a band while the others go round all the slots that bands share. More
 * threads than cores make this happen within moments; a hand-over that allows it hangs here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/random.h"
#include "roundoff.h"

#include <stdlib.h>

static void run(const ro_image *in, ro_image *out, int threads, int rounds,
                const unsigned char *wanted)
{
    ro_context *context;
    ro_context_options options = {RO_CONTEXT_DEFAULTS, .threads = threads};
    ro_halftone_options halftone = {RO_HALFTONE_DEFAULTS, .schedule = threads == 1 ? "ed" : "wave"};
    assert_int_equal(ro_context_open(&options, &context), RO_OK);
    for (int round = 0; round < rounds; round++) {
        assert_int_equal(ro_halftone(context, in, out, &halftone), RO_OK);
        assert_memory_equal(out->data, wanted, (size_t)in->width * in->height);
    }
    ro_context_close(context);
}

static void check(uint32_t width, uint32_t height, int threads, int rounds)
{
    size_t size = (size_t)width * height;
    unsigned char *pixels = malloc(size), *wanted = malloc(size), *got = malloc(size);
    assert_true(pixels && wanted && got);
    for (size_t i = 0; i < size; i++)
        pixels[i] = (unsigned char)pixel_hash(1, (uint32_t)i, 0);
    ro_image in = ro_image_view(RO_GREY8, width, height, pixels);
    ro_image out = {.format = RO_INDEX8,
                    .width = width,
                    .height = height,
                    .maxval = 1,
                    .stride = (ptrdiff_t)width,
                    .data = wanted};
    run(&in, &out, 1, 1, wanted);
    out.data = got;
    run(&in, &out, threads, rounds, wanted);
    free(pixels);
    free(wanted);
    free(got);
}

static void one_column(void **state)
{
    (void)state;
    check(1, 100000, 8, 8);
}

static void few_columns(void **state)
{
    (void)state;
    check(200, 20000, 2, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_column), cmocka_unit_test(few_columns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
