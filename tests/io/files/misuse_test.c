/* SPDX-License-Identifier: MIT */
/* Calls that make no sense are refused, not obeyed. */
#include "io/io_test.h"

static uint8_t pixels[4 * 4];
static const ro_file_info grey = {.format = RO_GRAY8, .width = 4, .height = 4, .maxval = 255};

static void nothing_to_work_with(void **state)
{
    (void)state;
    ro_reader *reader;
    ro_writer *writer;
    ro_gif *gif;
    ro_image image, whole = {RO_GRAY8, 4, 4, 255, 4, pixels};
    ro_kernel kernel;
    ro_palette palette;
    ro_tone_point points[RO_CURVE_POINTS];
    ro_hologram_taps taps;
    ro_field field = {0};
    ro_optics optics = {0};
    char *bytes;
    size_t size;
    int count;
    for (int i = 0; i < 2; i++) { /* no name, no context */
        ro_context *to = i ? NULL : context;
        const char *path = i ? path_to("a.pgm") : NULL;
        assert_int_equal(ro_reader_open(to, path, NULL, &reader), RO_E_ARGUMENT);
        assert_int_equal(ro_writer_open(to, path, &grey, NULL, &writer), RO_E_ARGUMENT);
        assert_int_equal(ro_writer_accepts(to, path, &grey, NULL), RO_E_ARGUMENT);
        assert_int_equal(ro_image_load(to, path, NULL, &image, NULL, NULL), RO_E_ARGUMENT);
        assert_int_equal(ro_image_save(to, path, &whole, NULL), RO_E_ARGUMENT);
        assert_int_equal(ro_gif_open(to, path, 4, 4, pixels, &gif), RO_E_ARGUMENT);
        assert_int_equal(ro_kernel_read(to, path, &kernel), RO_E_ARGUMENT);
        assert_int_equal(ro_palette_load(to, path, &palette), RO_E_ARGUMENT);
        assert_int_equal(ro_curve_load(to, path, points, &count), RO_E_ARGUMENT);
        assert_int_equal(ro_taps_load(to, path, &taps), RO_E_ARGUMENT);
        assert_int_equal(ro_displacement_load(to, path, &image), RO_E_ARGUMENT);
        assert_int_equal(ro_displacement_accepts(to, path), RO_E_ARGUMENT);
        assert_int_equal(ro_displacement_save(to, path, &whole), RO_E_ARGUMENT);
        assert_int_equal(ro_hologram_load(to, path, NULL, &field, &optics), RO_E_ARGUMENT);
        assert_int_equal(ro_hologram_save(to, path, &field, &optics), RO_E_ARGUMENT);
        assert_int_equal(ro_optics_load(to, path, NULL, &optics), RO_E_ARGUMENT);
        assert_int_equal(ro_contours_accepts(to, path), RO_E_ARGUMENT);
        assert_int_equal(ro_contours_save(to, path, NULL, 0, 4, 4), RO_E_ARGUMENT);
        assert_int_equal(ro_bytes_save(to, path, "", 0), RO_E_ARGUMENT);
        assert_int_equal(ro_bytes_accepts(to, path), RO_E_ARGUMENT);
        assert_int_equal(ro_bytes_load(to, path, 9, &bytes, &size), RO_E_ARGUMENT);
    }
    assert_int_equal(ro_halftone(NULL, &whole, &whole, NULL), RO_E_ARGUMENT);
    assert_int_equal(count_files(), 0);
}

static void views_that_are_none(void **state)
{
    (void)state;
    const ro_image views[] = {
        {RO_GRAY8, 4, 4, 255, 4, NULL},    {RO_GRAY8, 4, 4, 255, 3, pixels},
        {RO_GRAY8, 4, 4, 255, -3, pixels}, {RO_GRAY8, 0, 4, 255, 4, pixels},
        {RO_GRAY8, 4, 0, 255, 4, pixels},  {RO_FORMAT_NONE, 4, 4, 255, 4, pixels},
    };
    void *bytes;
    size_t size;
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        assert_int_equal(ro_image_save(context, path_to("a.pgm"), &views[i], NULL), RO_E_ARGUMENT);
        assert_int_equal(ro_image_encode(context, "pgm", &views[i], &bytes, &size), RO_E_ARGUMENT);
        assert_null(bytes);
    }
    assert_int_equal(ro_image_save(context, path_to("a.pgm"), NULL, NULL), RO_E_ARGUMENT);
    assert_int_equal(count_files(), 0);
}

static void out_of_order(void **state)
{
    (void)state;
    static const uint8_t colours[768];
    ro_gif *gif;
    assert_int_equal(ro_gif_open(context, path_to("a.gif"), 4, 4, colours, &gif), RO_OK);
    assert_int_equal(ro_gif_frame(gif, NULL, 4, 1), RO_E_ARGUMENT);
    assert_int_equal(ro_gif_frame(gif, pixels, 4, 1), RO_OK);
    assert_int_equal(ro_gif_commit(gif), RO_OK);
    assert_int_equal(ro_gif_frame(gif, pixels, 4, 1), RO_E_STATE);
    assert_int_equal(ro_gif_commit(gif), RO_E_STATE);
    ro_gif_close(gif);
    empty_folder();
    ro_halftone_stream *stream;
    const ro_image shape = {RO_GRAY8, 4, 4, 255, 0, NULL};
    uint32_t count;
    assert_int_equal(ro_halftone_open(context, &shape, RO_BITS, NULL, &stream), RO_OK);
    assert_int_equal(ro_halftone_push(stream, NULL, 4, 2, &count), RO_E_ARGUMENT);
    assert_int_equal(ro_halftone_push(stream, pixels, 0, 2, &count), RO_E_ARGUMENT);
    assert_int_equal(ro_halftone_push(stream, pixels, 3, 2, &count), RO_E_ARGUMENT);
    assert_int_equal(ro_halftone_pull(stream, NULL, 4, 2, &count), RO_E_ARGUMENT);
    assert_int_equal(ro_halftone_push(stream, pixels, 4, 4, &count), RO_OK);
    ro_halftone_close(stream);
    const ro_image whole = {RO_GRAY8, 4, 4, 255, 4, pixels};
    ro_segmentation *result;
    assert_int_equal(ro_segment(context, &whole,
                                &(ro_segment_options){RO_SEGMENT_DEFAULTS, .seed_count = 3},
                                &result, NULL),
                     RO_E_ARGUMENT);
}

/* Samples of several bytes begin where the machine wants them. */
static void crooked_rows(void **state)
{
    (void)state;
    _Alignas(8) static uint8_t room[4 * 32], bits[4];
    ro_image out = {RO_BITS, 4, 4, 0, 1, bits};
    const ro_image crooked[] = {{RO_GRAY16, 4, 4, 0, 8, room + 1},
                                {RO_GRAY16, 4, 4, 0, 9, room},
                                {RO_GRAYF, 4, 4, 0, 16, room + 2},
                                {RO_GRAYF, 4, 4, 0, 18, room}};
    for (size_t i = 0; i < sizeof crooked / sizeof *crooked; i++)
        assert_int_equal(ro_halftone(context, &crooked[i], &out, NULL), RO_E_ARGUMENT);
    const ro_image straight = {RO_GRAY16, 4, 4, 0, 10, room + 2};
    assert_int_equal(ro_halftone(context, &straight, &out, NULL), RO_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_to_work_with),
        cmocka_unit_test(views_that_are_none),
        cmocka_unit_test(out_of_order),
        cmocka_unit_test(crooked_rows),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
