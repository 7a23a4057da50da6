/* SPDX-License-Identifier: MIT */
/*
 * How noisy an image is: the median of |a - b - c + d| over all squares of four pixels. Shading and
 * straight edges cancel in it, and a median does not see the few squares where they do not; for
 * independent noise it is 0.6745 times twice the standard deviation.
 */
#include "core/image.h"
#include "pde/denoise/denoise.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* A sample as a whole number; floats in 65535 steps of `range`, NaN as 0. */
static int64_t sample(const ro_image *image, const char *row, size_t index, float range)
{
    switch (ro_format_sample_bytes(image->format)) {
    case 1:
        return ((const uint8_t *)row)[index];
    case 2:
        return ((const uint16_t *)row)[index];
    default: {
        float x = ((const float *)(const void *)row)[index];
        return isfinite(x) ? lrintf(65535 * (x / range)) : 0;
    }
    }
}

/* The largest value of a float image, 1 at least. */
static float float_range(const ro_image *image, size_t samples)
{
    float range = 1;
    for (uint32_t y = 0; y < image->height; y++) {
        const char *row = (const char *)image->data + (ptrdiff_t)y * image->stride;
        for (size_t i = 0; i < samples; i++) {
            float x = fabsf(((const float *)(const void *)row)[i]);
            range = isfinite(x) && x > range ? x : range;
        }
    }
    return range;
}

/* The median of whole numbers, each standing for the unit interval round it. */
static double median(const uint64_t *histogram, size_t size)
{
    uint64_t total = 0, below = 0;
    for (size_t i = 0; i < size; i++)
        total += histogram[i];
    for (size_t i = 0; i < size; i++) {
        if (2 * (below + histogram[i]) >= total && histogram[i]) {
            double part = (0.5 * (double)total - (double)below) / (double)histogram[i];
            return i == 0 ? 0.5 * part : (double)i - 0.5 + part;
        }
        below += histogram[i];
    }
    return 0;
}

ro_status ro_noise_estimate(ro_context *context, const ro_image *image, double *sigma)
{
    const bool floats = ro_format_sample_bytes(image->format) == 4;
    uint32_t white = floats ? 65535 : ro_image_white(image);
    size_t channels = ro_format_is_colour(image->format) ? 3 : 1, size = 2 * (size_t)white + 1;
    const float range = floats ? float_range(image, channels * image->width) : 1;
    uint64_t *histogram = calloc(size, sizeof *histogram);
    if (!histogram)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a histogram of the noise");
    for (uint32_t y = 0; y + 1 < image->height; y++) {
        const char *top = (const char *)image->data + (ptrdiff_t)y * image->stride;
        const char *bottom = top + image->stride;
        for (size_t i = 0; i + channels < channels * image->width; i++) {
            int64_t cross = sample(image, top, i, range) - sample(image, top, i + channels, range) -
                            sample(image, bottom, i, range) +
                            sample(image, bottom, i + channels, range);
            size_t bin = (size_t)(cross < 0 ? -cross : cross);
            histogram[bin < size ? bin : size - 1]++;
        }
    }
    *sigma = median(histogram, size) / (2 * 0.67448975) * 255 / white * (double)range;
    free(histogram);
    return RO_OK;
}
