/* SPDX-License-Identifier: MIT */
/*
 * Grey from colour and from floats. The luma is that of Rec. 709 in sixteenths of 4096:
 * (13933 R + 46871 G + 4732 B + 32768) >> 16, whose weights sum to 65536, so that grey stays grey.
 */
#include "halftone/grey.h"

#include "core/image.h"

#include <math.h>

ro_status grey_form_of(ro_context *context, const ro_image *in, struct grey_form *form)
{
    switch (in->format) {
    case RO_GRAY8:
    case RO_RGB8:
        *form = (struct grey_form){.sample_bytes = 1, .white = ro_image_white(in)};
        form->direct = in->format == RO_GRAY8 && form->white == UINT8_MAX;
        return RO_OK;
    case RO_GRAY16:
    case RO_RGB16:
        *form = (struct grey_form){.sample_bytes = 2, .white = ro_image_white(in)};
        form->direct = in->format == RO_GRAY16 && form->white == UINT16_MAX;
        return RO_OK;
    case RO_GRAYF:
    case RO_RGBF:
        *form = (struct grey_form){.sample_bytes = 2, .white = UINT16_MAX};
        return RO_OK;
    default:
        return ro_context_fail(context, RO_E_UNSUPPORTED, "%s cannot be halftoned",
                               ro_format_name(in->format));
    }
}

static inline uint32_t luma(uint32_t r, uint32_t g, uint32_t b)
{
    return (uint32_t)((13933ull * r + 46871ull * g + 4732ull * b + 32768) >> 16);
}

static inline uint16_t from_float(float x)
{
    return (uint16_t)lrint(65535.0 * (x < 0 ? 0.0 : x > 1 ? 1.0 : (double)x));
}

ro_status grey_row(ro_context *context, const ro_image *in, const void *row, uint32_t y,
                   const struct grey_form *form, void *out)
{
    const uint8_t *in8 = row;
    const uint16_t *in16 = row;
    const float *inf = row;
    uint8_t *out8 = out;
    uint16_t *out16 = out;
    const uint32_t width = in->width;
    uint32_t largest = 0;
    switch (in->format) {
    case RO_GRAY8:
        for (uint32_t x = 0; x < width; x++)
            largest = (out8[x] = in8[x]) > largest ? in8[x] : largest;
        break;
    case RO_RGB8:
        for (uint32_t x = 0; x < width; x++) {
            uint32_t grey = luma(in8[3 * x], in8[3 * x + 1], in8[3 * x + 2]);
            out8[x] = (uint8_t)grey;
            largest = grey > largest ? grey : largest;
        }
        break;
    case RO_GRAY16:
        for (uint32_t x = 0; x < width; x++)
            largest = (out16[x] = in16[x]) > largest ? in16[x] : largest;
        break;
    case RO_RGB16:
        for (uint32_t x = 0; x < width; x++) {
            uint32_t grey = luma(in16[3 * x], in16[3 * x + 1], in16[3 * x + 2]);
            out16[x] = (uint16_t)grey;
            largest = grey > largest ? grey : largest;
        }
        break;
    case RO_GRAYF:
    case RO_RGBF:
        for (uint32_t x = 0; x < width; x++) {
            const float *p = inf + (in->format == RO_RGBF ? 3 * x : x);
            int channels = in->format == RO_RGBF ? 3 : 1;
            for (int c = 0; c < channels; c++)
                if (isnan(p[c]))
                    return ro_context_fail(context, RO_E_FORMAT,
                                           "the pixel at column %u, row %u is not a number", x, y);
            out16[x] = channels == 1
                           ? from_float(p[0])
                           : (uint16_t)luma(from_float(p[0]), from_float(p[1]), from_float(p[2]));
        }
        break;
    default:
        break;
    }
    if (largest > form->white)
        return ro_context_fail(context, RO_E_FORMAT, "row %u holds %u, more than the maxval %u", y,
                               largest, form->white);
    return RO_OK;
}
