/* SPDX-License-Identifier: MIT */
/* Accounts of halftones: they balance to the integer, and find a pixel that was altered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "fixture.h"
#include "roundoff.h"

#include <string.h>

static ro_halftone_audit audited(const ro_image *in, const ro_image *out,
                                 const ro_halftone_options *options)
{
    ro_halftone_audit audit = {.size = sizeof audit};
    ro_status status = ro_halftone_audit_of(context, in, out, options, &audit);
    if (status != RO_OK)
        print_error("%s\n", ro_context_message(context));
    assert_int_equal(status, RO_OK);
    return audit;
}

static int64_t sum_of(const ro_image *image)
{
    int64_t sum = 0;
    for (uint32_t y = 0; y < image->height; y++)
        for (uint32_t x = 0; x < image->width; x++) {
            const char *row = (const char *)image->data + (ptrdiff_t)y * image->stride;
            sum += image->format == RO_GREY16 ? ((const uint16_t *)(const void *)row)[x]
                                              : ((const uint8_t *)row)[x];
        }
    return sum;
}

/* Halftones, audits, alters a pixel, audits again. */
static void check(const char *method, ro_format format, const ro_halftone_options *more)
{
    ro_halftone_options options = *more;
    const uint32_t white = format == RO_GREY16 ? 65535 : 255;
    const int levels = options.levels ? options.levels : 2;
    ro_image in, out;
    options.method = method;
    assert_int_equal(ro_image_alloc(context, format, 97, 61, white, &in), RO_OK);
    assert_int_equal(ro_image_alloc(context, RO_INDEX8, 97, 61, (uint32_t)levels - 1, &out), RO_OK);
    assert_int_equal(ro_testcard(context, &in), RO_OK);
    assert_int_equal(ro_halftone(context, &in, &out, &options), RO_OK);
    ro_halftone_audit audit = audited(&in, &out, &options);
    if (audit.unlike)
        print_error("%s: %llu pixels are unlike, first (%u, %u)\n", method,
                    (unsigned long long)audit.unlike, audit.unlike_x, audit.unlike_y);
    assert_int_equal(audit.unlike, 0);
    assert_string_equal(audit.method, method);
    assert_int_equal(audit.white, 16 * (int64_t)white);
    assert_int_equal(audit.tone_in, 16 * sum_of(&in));
    if (levels == 2)
        assert_int_equal(audit.tone_out, 16 * (int64_t)white * sum_of(&out));
    if (audit.diffused)
        assert_int_equal(audit.divisor * audit.tone_in, audit.divisor * audit.tone_out +
                                                            audit.border + audit.carried +
                                                            audit.lost);
    if (audit.searched)
        assert_int_equal(audit.improving, 0);

    uint8_t *pixel = (uint8_t *)out.data + 30 * out.stride + 41;
    *pixel = (uint8_t)(*pixel ? *pixel - 1 : 1);
    ro_halftone_audit altered = audited(&in, &out, &options);
    assert_true(altered.unlike > 0);
    assert_int_equal(altered.unlike_x, 41);
    assert_int_equal(altered.unlike_y, 30);
    if (audit.diffused)
        assert_int_equal(altered.divisor * altered.tone_in, altered.divisor * altered.tone_out +
                                                                altered.border + altered.carried +
                                                                altered.lost);
    ro_image_free(&in);
    ro_image_free(&out);
}

static void test_every_method(void **state)
{
    (void)state;
    const ro_method *method;
    for (int i = 0; (method = ro_halftone_method_at(i)); i++)
        if (strcmp(method->name, "screen") != 0) {
            check(method->name, RO_GREY8, &(ro_halftone_options)RO_HALFTONE_OPTIONS);
            check(method->name, RO_GREY16, &(ro_halftone_options)RO_HALFTONE_OPTIONS);
        }
}

static void test_options(void **state)
{
    (void)state;
    static const ro_halftone_options some[] = {
        {RO_HALFTONE_DEFAULTS, .serpentine = 1},
        {RO_HALFTONE_DEFAULTS, .strength = 60},
        {RO_HALFTONE_DEFAULTS, .noise = 40, .seed = 5},
        {RO_HALFTONE_DEFAULTS, .levels = 5},
        {RO_HALFTONE_DEFAULTS, .threshold = 30},
        {RO_HALFTONE_DEFAULTS, .strength = 80, .serpentine = 1, .levels = 3},
        {RO_HALFTONE_DEFAULTS, .schedule = "ec"},
    };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        check("floyd-steinberg", RO_GREY8, &some[i]);
        check("jarvis-judice-ninke", RO_GREY16, &some[i]);
        check("atkinson", RO_GREY8, &some[i]);
    }
    check("ostromoukhov", RO_GREY8, &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .serpentine = 1});
    check("zhou-fang", RO_GREY16,
          &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .serpentine = 1, .seed = 3});
    check("dbs", RO_GREY8,
          &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .start = "fs", .sigma = 1.5});
    check("random", RO_GREY8, &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .seed = 9, .levels = 4});
}

static void test_tone_steps(void **state)
{
    (void)state;
    ro_image in, out;
    const ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = "fs",
                                         .tone = {.linear = 1}};
    assert_int_equal(ro_image_alloc(context, RO_RGB8, 97, 61, 255, &in), RO_OK);
    assert_int_equal(ro_image_alloc(context, RO_BITS, 97, 61, 0, &out), RO_OK);
    assert_int_equal(ro_testcard(context, &in), RO_OK);
    assert_int_equal(ro_halftone(context, &in, &out, &options), RO_OK);
    const ro_halftone_audit audit = audited(&in, &out, &options);
    assert_int_equal(audit.unlike, 0);
    assert_int_equal(audit.white, 16 * 65535);
    assert_int_equal(16 * audit.tone_in, 16 * audit.tone_out + audit.border + audit.carried);
    assert_true(audited(&in, &out, NULL).unlike > 100); /* another method's account */
    ro_image_free(&in);
    ro_image_free(&out);
}

static void test_search_cut_short(void **state)
{
    (void)state;
    ro_image in, out;
    const ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = "dbs", .rounds = 1};
    assert_int_equal(ro_image_alloc(context, RO_GREY8, 97, 61, 255, &in), RO_OK);
    assert_int_equal(ro_image_alloc(context, RO_BITS, 97, 61, 0, &out), RO_OK);
    assert_int_equal(ro_testcard(context, &in), RO_OK);
    assert_int_equal(ro_halftone(context, &in, &out, &options), RO_OK);
    const ro_halftone_audit audit = audited(&in, &out, &options);
    assert_int_equal(audit.rounds, 1);
    assert_int_equal(audit.unlike, 0);
    assert_true(audit.improving > 0);
    ro_image_free(&in);
    ro_image_free(&out);
}

static void test_refused(void **state)
{
    (void)state;
    uint8_t pixels[16] = {0}, levels[16] = {2};
    const ro_image in = ro_image_view(RO_GREY8, 4, 4, pixels),
                   grey = ro_image_view(RO_GREY8, 4, 4, levels);
    const ro_image out = {.format = RO_INDEX8,
                          .width = 4,
                          .height = 4,
                          .maxval = 1,
                          .stride = 4,
                          .data = levels},
                   less = {.format = RO_INDEX8,
                           .width = 4,
                           .height = 3,
                           .maxval = 1,
                           .stride = 4,
                           .data = levels};
    ro_halftone_audit audit = {.size = sizeof audit};
    assert_int_equal(ro_halftone_audit_of(context, &in, &less, NULL, &audit), RO_E_SIZE);
    assert_int_equal(ro_halftone_audit_of(context, &in, &grey, NULL, &audit), RO_E_UNSUPPORTED);
    assert_int_equal(ro_halftone_audit_of(context, &in, &out, NULL, &audit), RO_E_ARGUMENT);
    assert_non_null(strstr(ro_context_message(context), "level 2 at (0, 0)"));
    assert_int_equal(ro_halftone_audit_of(
                         context, &in, &out,
                         &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .channels = RO_CHANNELS_RGB},
                         &audit),
                     RO_E_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_method), cmocka_unit_test(test_options),
        cmocka_unit_test(test_tone_steps),   cmocka_unit_test(test_search_cut_short),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
