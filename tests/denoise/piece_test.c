/* SPDX-License-Identifier: MIT */
/* Pieces that get rows of numbers from each other give the bits of the whole picture. */
#include "roundoff.h"
#include "roundoff/pieces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_PIECES = 5 };

static void fill(ro_image *image)
{
    uint32_t state = 7;
    const size_t bytes = (size_t)image->stride * image->height;
    for (size_t i = 0; i < bytes; i++) {
        state = state * 1664525u + 1013904223u;
        ((uint8_t *)image->data)[i] = (uint8_t)(i / 3 % 150 + (state >> 24) % 60);
    }
}

/* Cuts a picture into pieces, the last of which may be short, and runs `at_once` steps between two
 * exchanges. */
static void check(ro_format format, const ro_denoise_options *options, int threads, uint32_t pieces,
                  uint32_t at_once)
{
    const ro_context_options how = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU,
                                    .threads = threads};
    ro_context *context;
    ro_image in, whole, got;
    ro_denoise_piece *piece[MOST_PIECES];
    assert_int_equal(ro_context_open(&how, &context), RO_OK);
    assert_int_equal(ro_image_alloc(context, format, 53, 91, 0, &in), RO_OK);
    assert_int_equal(ro_image_alloc(context, format, 53, 91, 0, &whole), RO_OK);
    assert_int_equal(ro_image_alloc(context, format, 53, 91, 0, &got), RO_OK);
    fill(&in);
    assert_int_equal(ro_denoise(context, &in, &whole, options, NULL), RO_OK);

    const uint32_t rows = (91 + pieces - 1) / pieces;
    uint32_t first[MOST_PIECES + 1], steps = 0;
    uint64_t above[3] = {0}, sums[3];
    for (uint32_t i = 0; i < pieces; i++) {
        first[i] = i * rows;
        first[i + 1] = first[i] + rows < 91 ? first[i] + rows : 91;
        assert_int_equal(ro_denoise_piece_open(context, &in, &got, options, first[i],
                                               first[i + 1] - first[i], rows, &piece[i]),
                         RO_OK);
        assert_int_equal(ro_denoise_piece_load(piece[i],
                                               (char *)in.data + (ptrdiff_t)first[i] * in.stride,
                                               in.stride),
                         RO_OK);
    }
    const ro_denoise_piece_info *info = ro_denoise_piece_query(piece[0]);
    for (uint32_t done = 0; done < info->steps; done += steps) {
        steps = at_once < info->steps - done ? at_once : info->steps - done;
        for (uint32_t i = 0; i < pieces; i++)
            for (uint32_t y = 0; y < 91; y++) /* rows of the halo, from the piece that has them */
                for (uint32_t k = 0; k < pieces; k++) {
                    const ro_denoise_piece_info *of = ro_denoise_piece_query(piece[i]);
                    if (k != i && y >= first[k] && y < first[k + 1] && y + of->above >= first[i] &&
                        y < first[i + 1] + of->below)
                        memcpy(ro_denoise_piece_row(piece[i], y), ro_denoise_piece_row(piece[k], y),
                               of->row_bytes);
                }
        for (uint32_t i = 0; i < pieces; i++)
            assert_int_equal(ro_denoise_piece_run(piece[i], steps), RO_OK);
    }
    for (uint32_t i = 0; i < pieces; i++) {
        ro_denoise_piece_sums(piece[i], sums);
        assert_int_equal(ro_denoise_piece_round(piece[i], above,
                                                (char *)got.data + (ptrdiff_t)first[i] * got.stride,
                                                got.stride),
                         RO_OK);
        for (int c = 0; c < 3; c++)
            above[c] += sums[c];
        ro_denoise_piece_close(piece[i]);
    }
    for (uint32_t y = 0; y < 91; y++)
        assert_memory_equal((char *)whole.data + (ptrdiff_t)y * whole.stride,
                            (char *)got.data + (ptrdiff_t)y * got.stride,
                            ro_format_row_bytes(format, 53));
    ro_image_free(&in);
    ro_image_free(&whole);
    ro_image_free(&got);
    ro_context_close(context);
}

static void same_bits(void **state)
{
    (void)state;
    const ro_denoise_options given[] = {
        {RO_DENOISE_DEFAULTS, .kappa = 9, .iterations = 7},
        {RO_DENOISE_DEFAULTS, .model = "linear", .iterations = 5, .number = "s12"},
        {RO_DENOISE_DEFAULTS, .model = "perona-malik", .kappa = 4, .iterations = 4, .sigma = 1},
        {RO_DENOISE_DEFAULTS, .kappa = 6, .iterations = 3, .round = "nearest", .number = "s23e8"},
    };
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        check(RO_GREY8, &given[i], 1, 3, 2);
        check(RO_RGB8, &given[i], 2, 2, 3);
        check(RO_GREY16, &given[i], 2, 5, 1);
    }
}

static void refusals(void **state)
{
    (void)state;
    ro_context *context;
    ro_denoise_piece *piece;
    const ro_image shape = {
        .format = RO_GREY8, .width = 20, .height = 30, .maxval = 0, .stride = 0, .data = NULL};
    const ro_denoise_options edges = {RO_DENOISE_DEFAULTS, .model = "anisotropic"};
    double extent[3];
    const ro_denoise_options linear = {RO_DENOISE_DEFAULTS, .model = "linear", .iterations = 20};
    assert_int_equal(ro_context_open(NULL, &context), RO_OK);
    assert_int_equal(ro_denoise_piece_open(context, &shape, &shape, &edges, 0, 5, 4, &piece),
                     RO_E_ARGUMENT); /* kappa */
    assert_null(piece);
    assert_int_equal(ro_denoise_piece_open(context, &shape, &shape, &linear, 28, 5, 4, &piece),
                     RO_E_SIZE);
    assert_int_equal(ro_denoise_piece_open(context, &shape, &shape, &linear, 10, 5, 4, &piece),
                     RO_OK);
    assert_int_equal(ro_denoise_piece_run(piece, 5), RO_E_ARGUMENT);
    assert_int_equal(ro_denoise_piece_extent(piece, extent), RO_E_STATE);
    ro_denoise_piece_close(piece);
    ro_context_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
