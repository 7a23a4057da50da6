/* SPDX-License-Identifier: MIT */
/* Options of programs that are older or newer than the library. */
#include "roundoff/solver.h"
#include "roundoff_io.h"
#include "streams.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 64, BYTES = SIDE * SIDE / 8 };

static ro_context *context;
static uint8_t grey[SIDE * SIDE];
static const ro_image in = {
    .format = RO_GREY8, .width = SIDE, .height = SIDE, .maxval = 255, .stride = SIDE, .data = grey};

static ro_status halftone(const void *options, uint8_t bits[BYTES])
{
    ro_image out = {.format = RO_BITS,
                    .width = SIDE,
                    .height = SIDE,
                    .maxval = 0,
                    .stride = SIDE / 8,
                    .data = bits};
    return ro_halftone(context, &in, &out, options);
}

/* The structure as a program has it that was built when it ended behind `levels`: what lies behind
 * is none of the library's business, and here it would be refused. */
static void smaller_options_get_defaults(void **state)
{
    (void)state;
    struct {
        size_t size;
        const char *method;
        int levels;
        char behind[sizeof(ro_halftone_options)];
    } old = {.method = "bayer", .levels = 2};
    ro_halftone_options now = RO_HALFTONE_OPTIONS;
    uint8_t a[BYTES], b[BYTES], fs[BYTES];
    old.size = offsetof(ro_halftone_options, schedule);
    assert_true(sizeof old.size + sizeof old.method + sizeof old.levels <= old.size);
    memset(old.behind, 0x55, sizeof old.behind);
    now.method = "bayer";
    assert_int_equal(halftone(&old, a), RO_OK);
    assert_int_equal(halftone(&now, b), RO_OK);
    assert_memory_equal(a, b, BYTES);
    now.method = NULL;
    old.size = sizeof old.size; /* nothing but the size */
    assert_int_equal(halftone(&old, a), RO_OK);
    assert_int_equal(halftone(&now, b), RO_OK);
    assert_int_equal(halftone(NULL, fs), RO_OK);
    assert_memory_equal(a, b, BYTES);
    assert_memory_equal(fs, b, BYTES);
}

static void larger_options_must_say_nothing_unknown(void **state)
{
    (void)state;
    struct {
        ro_halftone_options known;
        long added[2];
    } next = {.known = RO_HALFTONE_OPTIONS};
    uint8_t bits[BYTES];
    next.known.size = sizeof next;
    assert_int_equal(halftone(&next, bits), RO_OK);
    next.added[1] = 1;
    assert_int_equal(halftone(&next, bits), RO_E_ARGUMENT);
    assert_non_null(strstr(ro_context_message(context), "RO_HALFTONE_OPTIONS"));
}

static void zero_is_said(void **state)
{
    (void)state;
    uint8_t bits[BYTES];
    ro_halftone_options options = RO_HALFTONE_OPTIONS;
    options.strength = 0;
    assert_int_equal(halftone(&options, bits), RO_E_ARGUMENT);
    assert_string_equal(ro_context_message(context),
                        "strength 0: must be a whole percentage from 1 to 100");
    options.strength = RO_DEFAULT;
    assert_int_equal(halftone(&options, bits), RO_OK);
}

/* Every call that takes options looks at their size before anything else of them. */
static void sizes_of_zero_are_refused(void **state)
{
    (void)state;
    static float light[2 * SIDE * SIDE], floats[2 * SIDE * SIDE];
    static uint8_t bytes[SIDE * SIDE], bits[BYTES];
    ro_image out = {.format = RO_BITS,
                    .width = SIDE,
                    .height = SIDE,
                    .maxval = 0,
                    .stride = SIDE / 8,
                    .data = bits},
             screen;
    ro_image same = ro_image_view(RO_GREY8, SIDE, SIDE, bytes);
    ro_image real = ro_image_view(RO_GREYF, SIDE, SIDE, floats);
    ro_image pairs = {.format = RO_GREYF,
                      .width = 2 * SIDE,
                      .height = SIDE,
                      .maxval = 0,
                      .stride = 8 * SIDE,
                      .data = floats};
    ro_image numbers = ro_image_view(RO_INDEX8, SIDE, SIDE, bytes);
    ro_field field = {SIDE, SIDE, 8 * SIDE, light};
    ro_hologram_options quantize = RO_HOLOGRAM_OPTIONS;
    ro_file_info info = {.format = RO_GREY8, .width = 1, .height = 1, .maxval = 255};
    ro_plan *plan;
    ro_stream *halftones;
    ro_stream *denoised;
    ro_halftone_audit audit = {.size = sizeof audit};
    ro_segmentation *segmentation;
    ro_regions *regions;
    ro_measure_report measured = {.size = sizeof measured};
    ro_reader *reader;
    ro_writer *writer;
    ro_optics optics;
    static const ro_context_options none;
    ro_context *other;
    assert_int_equal(ro_context_open(&none, &other), RO_E_ARGUMENT);
    assert_null(other);
#define REFUSED(type, initialiser, call)                                                           \
    do {                                                                                           \
        static const type o;                                                                       \
        assert_int_equal(call, RO_E_ARGUMENT);                                                     \
        assert_string_equal(ro_context_message(context),                                           \
                            "the size of the options is 0: begin with " initialiser);              \
    } while (0)
#define OPTIONS(name, capitals, call) REFUSED(ro_##name##_options, "RO_" capitals "_OPTIONS", call)
    OPTIONS(halftone, "HALFTONE", ro_halftone(context, &in, &out, &o));
    OPTIONS(halftone, "HALFTONE", open_halftone(context, &in, RO_BITS, &o, &plan, &halftones));
    OPTIONS(halftone, "HALFTONE", ro_halftone_audit_of(context, &in, &out, &o, &audit));
    OPTIONS(halftone, "HALFTONE",
            ro_halftone_file(context, "in.pgm", "out.pbm", &o, NULL, NULL, NULL));
    OPTIONS(screen, "SCREEN", ro_screen_make(context, &o, &screen));
    OPTIONS(denoise, "DENOISE", ro_denoise(context, &in, &same, &o, NULL));
    OPTIONS(denoise, "DENOISE", open_denoise(context, &in, &same, &o, &plan, &denoised, NULL));
    OPTIONS(segment, "SEGMENT", ro_segment(context, &in, &o, &segmentation, NULL));
    OPTIONS(regions, "REGIONS", ro_regions_grow(context, &in, &o, &regions, NULL));
    OPTIONS(register, "REGISTER", ro_register(context, &in, &same, &pairs, &o, NULL));
    OPTIONS(multigrid, "MULTIGRID", ro_multigrid_solve(context, &real, &real, &o));
    OPTIONS(measure, "MEASURE", ro_measure(context, &in, &same, &o, &measured));
    OPTIONS(hologram, "HOLOGRAM", ro_hologram_quantize(context, &field, &numbers, &o, NULL));
    OPTIONS(read, "READ", ro_reader_open(context, "in.pgm", &o, &reader));
    OPTIONS(write, "WRITE", ro_writer_open(context, "out.pgm", &info, &o, &writer));
    OPTIONS(write, "WRITE", ro_writer_accepts(context, "out.pgm", &info, &o));
    REFUSED(ro_hologram_scene, "RO_HOLOGRAM_SCENE", ro_hologram_make(context, &o, &field, &optics));
    REFUSED(ro_picture_scene, "RO_PICTURE_SCENE",
            ro_hologram_pictures(context, &o, &field, &optics));
    REFUSED(ro_point_scene, "RO_POINT_SCENE", ro_hologram_points(context, &o, &field, &optics));
    REFUSED(ro_refinement, "RO_REFINEMENT",
            ro_hologram_refine(context, &field, &numbers, &quantize, &o, NULL));
    REFUSED(ro_frames, "RO_FRAMES",
            ro_hologram_frames(context, &field, &numbers, &quantize, &o, NULL));
    REFUSED(ro_view, "RO_VIEW", ro_hologram_reconstruct(context, &field, &real, &o, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smaller_options_get_defaults),
        cmocka_unit_test(larger_options_must_say_nothing_unknown),
        cmocka_unit_test(zero_is_said),
        cmocka_unit_test(sizes_of_zero_are_refused),
    };
    for (int i = 0; i < SIDE * SIDE; i++)
        grey[i] = (uint8_t)(i * 7 / 3);
    if (ro_context_open(NULL, &context) != RO_OK)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ro_context_close(context);
    return failed;
}
