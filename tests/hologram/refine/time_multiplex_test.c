/* SPDX-License-Identifier: MIT */
/* Frames: their mean intensity, summed here once more, comes nearer to the field's with every frame
 * and far nearer than that of independent frames. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hologram/fields.h"

enum { SIDE = 128, MOST = 24 };
static const ro_window window = {0.25, 0.25, 0.4, 0.4};

/* A picture of blobs and bars, its light bent into the window. */
static ro_field picture(ro_context *context)
{
    ro_field field;
    assert_int_equal(ro_field_alloc(context, SIDE, SIDE, &field), RO_OK);
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++) {
            const double a =
                0.6 + 0.3 * sin(x * 0.15) * cos(y * 0.1) + (x / 16 % 2 && y < 40) * 0.1;
            const double angle = 6.283185307179586 * (window.xi * x + window.eta * y);
            row_of(&field, y)[2 * x] = (float)(a * cos(angle));
            row_of(&field, y)[2 * x + 1] = (float)(a * sin(angle));
        }
    return field;
}

/* What the window lets pass of light on the modulator. */
static void through(ro_context *context, float *data)
{
    struct dft_field *plan;
    assert_int_equal(dft_field_open(context, SIDE, SIDE, &plan), RO_OK);
    dft_field_run(plan, data, false);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            const double u = (double)x / SIDE - (2 * x >= SIDE),
                         v = (double)y / SIDE - (2 * y >= SIDE);
            const bool in = fabs(u - window.xi) <= window.width / 2 + 1e-9 &&
                            fabs(v - window.eta) <= window.height / 2 + 1e-9;
            for (int i = 0; i < 2; i++)
                data[2 * (y * SIDE + x) + i] *= in ? 1.0f / (SIDE * SIDE) : 0;
        }
    dft_field_run(plan, data, true);
    dft_field_close(plan);
}

static double psnr(ro_context *context, const ro_field *field, const ro_image *frames, int count)
{
    float *data = dft_alloc(context, SIDE, SIDE);
    double *seen = calloc(SIDE * SIDE, sizeof *seen), *wanted = calloc(SIDE * SIDE, sizeof *wanted);
    double aa = 0, at = 0, tt = 0, most = 0;
    for (int k = -1; k < count; k++) {
        for (uint32_t i = 0; i < SIDE * SIDE; i++) {
            const uint32_t x = i % SIDE, y = i / SIDE;
            data[2 * i] =
                k < 0 ? row_of(field, y)[2 * x]
                      : ((const uint8_t *)frames[k].data)[(ptrdiff_t)y * frames[k].stride + x];
            data[2 * i + 1] = k < 0 ? row_of(field, y)[2 * x + 1] : 0;
        }
        through(context, data);
        for (uint32_t i = 0; i < SIDE * SIDE; i++)
            (k < 0 ? wanted : seen)[i] += pow(data[2 * i], 2) + pow(data[2 * i + 1], 2);
    }
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        aa += seen[i];
        at += sqrt(seen[i] * wanted[i]);
        tt += wanted[i];
        most = fmax(most, wanted[i]);
    }
    free(data);
    free(seen);
    free(wanted);
    return 10 * log10(most * SIDE * SIDE / (tt - at * at / aa));
}

static void errors_are_carried(void **state)
{
    ro_context *context = *state;
    ro_field field = picture(context);
    ro_image frames[MOST];
    double reached[3], alone = 0;
    for (int i = 0; i < MOST; i++)
        assert_int_equal(ro_image_alloc(context, RO_INDEX8, SIDE, SIDE, 255, &frames[i]), RO_OK);
    const ro_hologram_options options = {RO_HOLOGRAM_DEFAULTS, .levels = "binary",
                                         .window = window};
    for (int k = 0; k < 4; k++) {
        ro_frames_report report = {.size = sizeof report};
        const int count = k == 0 ? 1 : k == 1 ? 8 : MOST;
        const ro_frames how = {RO_FRAMES_DEFAULTS, .count = count, .independent = k == 3};
        assert_int_equal(ro_hologram_frames(context, &field, frames, &options, &how, &report),
                         RO_OK);
        const double own = psnr(context, &field, frames, count);
        assert_true(fabs(own - report.psnr) < 0.05);
        *(k < 3 ? &reached[k] : &alone) = own;
    }
    assert_true(reached[1] > reached[0] + 10 && reached[2] > 28);
    assert_true(reached[2] > alone + 5);
    for (int i = 0; i < MOST; i++)
        ro_image_free(&frames[i]);
    ro_field_free(&field);
}

/* Frames that take account of each other: 24 of them come 2 dB nearer, as summed here. */
static void frames_join(void **state)
{
    ro_context *context = *state;
    ro_field field = picture(context);
    ro_image frames[MOST];
    double reached[2];
    for (int i = 0; i < MOST; i++)
        assert_int_equal(ro_image_alloc(context, RO_INDEX8, SIDE, SIDE, 255, &frames[i]), RO_OK);
    const ro_hologram_options options = {RO_HOLOGRAM_DEFAULTS, .levels = "binary",
                                         .window = window};
    for (int k = 0; k < 2; k++) {
        ro_frames_report report = {.size = sizeof report};
        const ro_frames how = {RO_FRAMES_DEFAULTS, .count = MOST, .refine = k};
        assert_int_equal(ro_hologram_frames(context, &field, frames, &options, &how, &report),
                         RO_OK);
        reached[k] = psnr(context, &field, frames, MOST);
        assert_true(fabs(reached[k] - report.psnr) < 0.05);
        assert_true(report.efficiency > 0.018);
    }
    assert_true(reached[1] > reached[0] + 2);
    for (int i = 0; i < MOST; i++)
        ro_image_free(&frames[i]);
    ro_field_free(&field);
}

static void schedules_agree(void **state)
{
    uint8_t *first = NULL;
    (void)state;
    for (int v = 0; v < 3; v++) {
        ro_context *context;
        ro_context_options how = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU,
                                  .cpu = v ? 0 : RO_CPU_SCALAR, .threads = v + 1};
        assert_int_equal(ro_context_open(&how, &context), RO_OK);
        ro_field field = picture(context);
        ro_image frames[3];
        for (int i = 0; i < 3; i++)
            assert_int_equal(ro_image_alloc(context, RO_INDEX8, SIDE, SIDE, 255, &frames[i]),
                             RO_OK);
        const ro_optics optics = {.wavelength = 532e-9, .pitch = 8e-6};
        const ro_hologram_options options = {RO_HOLOGRAM_DEFAULTS, .levels = "phase:4",
                                             .window = window, .optics = optics};
        const ro_frames three = {RO_FRAMES_DEFAULTS, .count = 3, .distance = 0.01, .refine = 1,
                                 .phase = v ? "smooth" : "Smooth"};
        assert_int_equal(ro_hologram_frames(context, &field, frames, &options, &three, NULL),
                         RO_OK);
        const size_t bytes = (size_t)frames[2].stride * SIDE;
        if (first)
            assert_memory_equal(first, frames[2].data, bytes);
        else
            first = memcpy(malloc(bytes), frames[2].data, bytes);
        for (int i = 0; i < 3; i++)
            ro_image_free(&frames[i]);
        ro_field_free(&field);
        ro_context_close(context);
    }
    free(first);
}

static void bad_input(void **state)
{
    ro_context *context = *state;
    ro_field field = picture(context);
    ro_image frame;
    assert_int_equal(ro_image_alloc(context, RO_INDEX8, SIDE, SIDE, 255, &frame), RO_OK);
    const ro_hologram_options good = {RO_HOLOGRAM_DEFAULTS, .window = window},
                              bare = RO_HOLOGRAM_OPTIONS;
    const ro_frames one = {RO_FRAMES_DEFAULTS, .count = 1}, none = RO_FRAMES,
                    loud = {RO_FRAMES_DEFAULTS, .count = 1, .phase = "loud"};
    const ro_frames far = {RO_FRAMES_DEFAULTS, .count = 1, .distance = 0.1};
    assert_int_equal(ro_hologram_frames(context, &field, &frame, &bare, &one, NULL), RO_E_ARGUMENT);
    assert_int_equal(ro_hologram_frames(context, &field, &frame, &good, &none, NULL),
                     RO_E_ARGUMENT);
    assert_int_equal(ro_hologram_frames(context, &field, &frame, &good, &loud, NULL),
                     RO_E_ARGUMENT);
    assert_int_equal(ro_hologram_frames(context, &field, &frame, &good, &far, NULL), RO_E_ARGUMENT);
    for (uint32_t y = 0; y < SIDE; y++)
        memset(row_of(&field, y), 0, SIDE * 8);
    assert_int_equal(ro_hologram_frames(context, &field, &frame, &good, &one, NULL), RO_E_ARGUMENT);
    ro_image_free(&frame);
    ro_field_free(&field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_carried),
        cmocka_unit_test(frames_join),
        cmocka_unit_test(schedules_agree),
        cmocka_unit_test(bad_input),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
