/* SPDX-License-Identifier: MIT */
/* Pieces of a field give the bits of the whole field. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hologram/fields.h"
#include "roundoff/pieces.h"

enum { SIDE = 150, HOGEL = 32 };
static const ro_window window = {0.1, 0.15, 0.25, 0.25};
static const ro_optics optics = {.wavelength = 635e-9,
                                 .pitch = 2e-6,
                                 .viewer = {0, 0, -0.05},
                                 .viewing_area = {0.004, 0.004},
                                 .hogel = HOGEL};

static ro_field rows_of(const ro_field *field, uint32_t y, uint32_t rows)
{
    return (ro_field){field->width, rows, field->stride, row_of(field, y)};
}

static double energy_of(ro_context *context, const ro_field *field, const ro_hologram_options *o)
{
    double energies[SIDE], sum = 0;
    const ro_field top = rows_of(field, 0, 50), rest = rows_of(field, 50, SIDE - 50);
    assert_int_equal(ro_hologram_energy(context, &top, o, energies), RO_OK);
    assert_int_equal(ro_hologram_energy(context, &rest, o, energies + 50), RO_OK);
    for (int y = 0; y < SIDE; y++)
        sum += energies[y];
    return sum;
}

static void same_bits(void **state)
{
    const ro_hologram_options cases[] = {
        {RO_HOLOGRAM_DEFAULTS, .optics = optics},
        {RO_HOLOGRAM_DEFAULTS, .optics = optics, .levels = "binary", .weights = "paper"},
        {RO_HOLOGRAM_DEFAULTS, .window = window, .hogel = 20, .levels = "phase:4", .gain = 1.2},
        {RO_HOLOGRAM_DEFAULTS, .algorithm = "truncate"},
    };
    ro_context *context = *state;
    ro_field field = window_field(context, SIDE, window, 3);
    ro_image one, many;
    assert_int_equal(ro_image_alloc(context, RO_INDEX8, SIDE, SIDE, 255, &one), RO_OK);
    assert_int_equal(ro_image_alloc(context, RO_INDEX8, SIDE, SIDE, 255, &many), RO_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const ro_hologram_options *o = &cases[i];
        ro_hologram_report whole = {.size = sizeof whole}, part = {.size = sizeof part};
        uint32_t rows = 0, hogels = 0;
        assert_int_equal(ro_hologram_quantize(context, &field, &one, o, &whole), RO_OK);
        assert_int_equal(ro_hologram_rows(context, o, &field, &rows), RO_OK);
        const uint32_t step = i == 1 ? 2 * rows : rows < 8 ? 37 : rows;
        for (uint32_t y = 0; y < SIDE; y += step) {
            const uint32_t count = SIDE - y < step ? SIDE - y : step;
            const ro_field in = rows_of(&field, y, count);
            const ro_hologram_piece piece = {y, SIDE, energy_of(context, &field, o)};
            ro_image out = {.format = RO_INDEX8,
                            .width = SIDE,
                            .height = count,
                            .maxval = 255,
                            .stride = many.stride,
                            .data = (char *)many.data + (ptrdiff_t)y * many.stride};
            assert_int_equal(ro_hologram_quantize_piece(context, &in, &out, o, &piece, &part),
                             RO_OK);
            assert_true(part.gain == whole.gain);
            for (uint32_t k = 0; k < part.hogels && o->algorithm == NULL; k++, hogels++) {
                assert_int_equal(part.hogel[k].y, whole.hogel[hogels].y);
                assert_true(part.hogel[k].window.eta == whole.hogel[hogels].window.eta);
            }
            ro_free(part.hogel);
        }
        for (uint32_t y = 0; y < SIDE; y++)
            assert_memory_equal((char *)one.data + (ptrdiff_t)y * one.stride,
                                (char *)many.data + (ptrdiff_t)y * many.stride, SIDE);
        ro_free(whole.hogel);
    }
    ro_image_free(&one);
    ro_image_free(&many);
    ro_field_free(&field);
}

static void refused(void **state)
{
    ro_context *context = *state;
    ro_field field = window_field(context, SIDE, window, 3);
    const ro_hologram_options whole[] = {
        {RO_HOLOGRAM_DEFAULTS, .window = window, .algorithm = "swed"},
        {RO_HOLOGRAM_DEFAULTS, .algorithm = "fs"},
        {RO_HOLOGRAM_DEFAULTS, .window = window, .gain = RO_GAIN_AUTO},
    };
    const ro_hologram_options o = {RO_HOLOGRAM_DEFAULTS, .window = window, .hogel = 20};
    const struct {
        uint32_t y, rows, height;
        double energy;
        ro_status status;
    } cases[] = {
        {10, 20, SIDE, 1, RO_E_SIZE},      {20, 30, SIDE, 1, RO_E_SIZE},
        {140, 20, SIDE, 1, RO_E_SIZE},     {0, 20, 10, 1, RO_E_SIZE},
        {0, 20, SIDE, NAN, RO_E_ARGUMENT}, {0, 20, SIDE, -1, RO_E_ARGUMENT},
        {140, 10, SIDE, 1, RO_OK},         {0, 20, SIDE, 0, RO_OK},
    };
    uint32_t rows;
    ro_image out;
    assert_int_equal(ro_image_alloc(context, RO_INDEX8, SIDE, SIDE, 255, &out), RO_OK);
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        assert_int_equal(ro_hologram_rows(context, &whole[i], &field, &rows), RO_E_UNSUPPORTED);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const ro_field in = rows_of(&field, 0, cases[i].rows);
        const ro_hologram_piece piece = {cases[i].y, cases[i].height, cases[i].energy};
        ro_image part = out;
        part.height = cases[i].rows;
        assert_int_equal(ro_hologram_quantize_piece(context, &in, &part, &o, &piece, NULL),
                         cases[i].status);
    }
    ro_image_free(&out);
    ro_field_free(&field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
