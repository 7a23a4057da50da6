/* SPDX-License-Identifier: MIT */
/* Calls that make no sense are refused, not obeyed; tests/misuse has those that need no state. */
#include "io/io_test.h"
#include "roundoff_io_command.h"
#include "streams.h"

static _Alignas(8) uint8_t pixels[4 * 4];

static void views_that_are_none(void **state)
{
    (void)state;
    const struct {
        ro_image view;
        ro_status status;
    } cases[] = {
        {{.format = RO_GREY8, .width = 4, .height = 4, .maxval = 255, .stride = 4, .data = NULL},
         RO_E_ARGUMENT},
        {{.format = RO_GREY8, .width = 4, .height = 4, .maxval = 255, .stride = 3, .data = pixels},
         RO_E_ARGUMENT},
        {{.format = RO_GREY8, .width = 4, .height = 4, .maxval = 255, .stride = -3, .data = pixels},
         RO_E_ARGUMENT},
        {{.format = RO_GREY8, .width = 0, .height = 4, .maxval = 255, .stride = 4, .data = pixels},
         RO_E_SIZE},
        {{.format = RO_GREY8, .width = 4, .height = 0, .maxval = 255, .stride = 4, .data = pixels},
         RO_E_SIZE},
        {{.format = RO_GREY8,
          .width = 4,
          .height = 4,
          .maxval = 255,
          .stride = PTRDIFF_MAX,
          .data = pixels},
         RO_E_SIZE},
        {{RO_FORMAT_NONE, 4, 4, 255, 4, pixels}, RO_E_ARGUMENT},
        {{.format = RO_GREY16, .width = 2, .height = 2, .maxval = 0, .stride = 5, .data = pixels},
         RO_E_ARGUMENT},
        {{.format = RO_GREY16,
          .width = 2,
          .height = 2,
          .maxval = 0,
          .stride = 4,
          .data = pixels + 1},
         RO_E_ARGUMENT},
    };
    void *bytes;
    size_t size;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const ro_image *view = &cases[i].view;
        assert_int_equal(ro_image_save(context, path_to("a.pgm"), view, NULL), cases[i].status);
        assert_int_equal(ro_image_encode(context, "pgm", view, &bytes, &size), cases[i].status);
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
    ro_plan *plan;
    ro_stream *stream;
    const ro_image shape = {
        .format = RO_GREY8, .width = 4, .height = 4, .maxval = 255, .stride = 0, .data = NULL};
    uint32_t count;
    assert_int_equal(open_halftone(context, &shape, RO_BITS, NULL, &plan, &stream), RO_OK);
    assert_int_equal(ro_stream_push(stream, NULL, 4, 2, &count), RO_E_ARGUMENT);
    assert_int_equal(ro_stream_push(stream, pixels, 0, 2, &count), RO_E_ARGUMENT);
    assert_int_equal(ro_stream_push(stream, pixels, 3, 2, &count), RO_E_ARGUMENT);
    assert_int_equal(ro_stream_pull(stream, NULL, 4, 2, &count), RO_E_ARGUMENT);
    assert_int_equal(ro_stream_push(stream, pixels, 4, 4, &count), RO_OK);
    close_stream(plan, stream);
    const ro_image whole = ro_image_view(RO_GREY8, 4, 4, pixels);
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
    ro_image out = ro_image_view(RO_BITS, 4, 4, bits);
    const ro_image crooked[] = {
        {.format = RO_GREY16, .width = 4, .height = 4, .maxval = 0, .stride = 8, .data = room + 1},
        {.format = RO_GREY16, .width = 4, .height = 4, .maxval = 0, .stride = 9, .data = room},
        {.format = RO_GREYF, .width = 4, .height = 4, .maxval = 0, .stride = 16, .data = room + 2},
        {.format = RO_GREYF, .width = 4, .height = 4, .maxval = 0, .stride = 18, .data = room}};
    for (size_t i = 0; i < sizeof crooked / sizeof *crooked; i++)
        assert_int_equal(ro_halftone(context, &crooked[i], &out, NULL), RO_E_ARGUMENT);
    const ro_image straight = {
        .format = RO_GREY16, .width = 4, .height = 4, .maxval = 0, .stride = 10, .data = room + 2};
    assert_int_equal(ro_halftone(context, &straight, &out, NULL), RO_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_that_are_none),
        cmocka_unit_test(out_of_order),
        cmocka_unit_test(crooked_rows),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
