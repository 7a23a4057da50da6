/* SPDX-License-Identifier: MIT */
/* Fields for tests: light of random phase inside a window of frequencies. */
#ifndef TESTS_HOLOGRAM_FIELDS_H
#define TESTS_HOLOGRAM_FIELDS_H

#define FIXTURE_OPTIONS                                                                            \
    &(ro_context_options) { RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .threads = 2 }
#include "core/random.h"
#include "fft/dft.h"
#include "fixture.h"
#include "roundoff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static inline ro_context *open_context(int threads)
{
    ro_context *context = NULL;
    ro_context_options options = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .threads = threads};
    assert_int_equal(ro_context_open(&options, &context), RO_OK);
    return context;
}

static inline float *row_of(const ro_field *field, uint32_t y)
{
    return (float *)((char *)field->data + (ptrdiff_t)y * field->stride);
}

static inline ro_field window_field(ro_context *context, uint32_t side, ro_window w, uint64_t seed)
{
    ro_field field;
    struct dft_field *transform;
    float *data = dft_alloc(context, side, side);
    assert_non_null(data);
    assert_int_equal(dft_field_open(context, side, side, &transform), RO_OK);
    assert_int_equal(ro_field_alloc(context, side, side, &field), RO_OK);
    for (uint32_t y = 0; y < side; y++)
        for (uint32_t x = 0; x < side; x++) {
            double u = (double)x / side - (x > side / 2), v = (double)y / side - (y > side / 2);
            double angle = 6.283185307179586 * pixel_hash(seed, x, y) * 0x1p-32;
            bool inside = fabs(u - w.xi) <= w.width / 2 && fabs(v - w.eta) <= w.height / 2;
            data[2 * ((size_t)y * side + x)] = inside ? (float)cos(angle) : 0;
            data[2 * ((size_t)y * side + x) + 1] = inside ? (float)sin(angle) : 0;
        }
    dft_field_run(transform, data, true);
    for (uint32_t y = 0; y < side; y++)
        memcpy(row_of(&field, y), data + 2 * (size_t)y * side, (size_t)side * 8);
    dft_field_close(transform);
    free(data);
    return field;
}

#endif
