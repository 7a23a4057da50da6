/* SPDX-License-Identifier: MIT */
/*
 * How noisy an image is: the median of |a - b - c + d| over all squares of four pixels. Shading and
 * straight edges cancel in it, and a median does not see the few squares where they do not; for
 * independent noise it is 0.6745 times twice the standard deviation.
 */
#include "core/image.h"
#include "pde/denoise.h"

#include <math.h>
#include <stdlib.h>

static uint32_t sample(const ro_image *image, const char *row, size_t index)
{
    switch (ro_format_sample_bytes(image->format)) {
    case 1:
        return ((const uint8_t *)row)[index];
    case 2:
        return ((const uint16_t *)row)[index];
    default: {
        float x = ((const float *)row)[index];
        return x > 0 ? x < 1 ? (uint32_t)lrintf(65535 * x) : 65535 : 0; /* NaN gives 0 */
    }
    }
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
    uint32_t white = ro_format_sample_bytes(image->format) == 4 ? 65535 : ro_image_white(image);
    size_t channels = ro_format_is_colour(image->format) ? 3 : 1, size = 2 * (size_t)white + 1;
    uint64_t *histogram = calloc(size, sizeof *histogram);
    if (!histogram)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a histogram of the noise");
    for (uint32_t y = 0; y + 1 < image->height; y++) {
        const char *top = (const char *)image->data + (ptrdiff_t)y * image->stride;
        const char *bottom = top + image->stride;
        for (size_t i = 0; i + channels < channels * image->width; i++) {
            int64_t cross = (int64_t)sample(image, top, i) - sample(image, top, i + channels) -
                            sample(image, bottom, i) + sample(image, bottom, i + channels);
            size_t bin = (size_t)(cross < 0 ? -cross : cross);
            histogram[bin < size ? bin : size - 1]++;
        }
    }
    *sigma = median(histogram, size) / (2 * 0.67448975) * 255 / white;
    free(histogram);
    return RO_OK;
}
