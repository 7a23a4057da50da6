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

/* ---- In even places ------------------------------------------------------------------------- */

/*
 * The median is too large where most of a picture is texture, and too small where much of it is
 * black. What decides when to stop looks at blocks of 16 x 16 squares: of those in which at most 12
 * pixels are black or white the one at a tenth of their order by the sum of |a - b - c + d|, which
 * for noise alone is 0.914 of the mean.
 */
enum { SIDE = 16, FEW_CLIPPED = 12, LEAST_BLOCKS = 16 };

static int by_size(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return (one > other) - (one < other);
}

/* The sum of a block whose first sample is `i` of row `y`; false: too much of it is clipped. */
static bool block_sum(const ro_image *image, uint32_t y, size_t i, size_t channels, float range,
                      int64_t white, uint64_t *sum)
{
    int clipped = 0;
    *sum = 0;
    for (uint32_t row = y; row < y + SIDE; row++) {
        const char *top = (const char *)image->data + (ptrdiff_t)row * image->stride;
        const char *bottom = top + image->stride;
        for (size_t k = i; k < i + SIDE * channels; k += channels) {
            const int64_t a = sample(image, top, k, range);
            const int64_t cross = a - sample(image, top, k + channels, range) -
                                  sample(image, bottom, k, range) +
                                  sample(image, bottom, k + channels, range);
            *sum += (uint64_t)(cross < 0 ? -cross : cross);
            clipped += a == 0 || a == white;
        }
    }
    return clipped <= FEW_CLIPPED;
}

ro_status ro_noise_in_blocks(ro_context *context, const ro_image *image, double *sigma)
{
    const bool floats = ro_format_sample_bytes(image->format) == 4;
    const uint32_t white = floats ? 65535 : ro_image_white(image);
    const size_t channels = ro_format_is_colour(image->format) ? 3 : 1;
    const float range = floats ? float_range(image, channels * image->width) : 1;
    const size_t across = (image->width - 1) / SIDE, down = (image->height - 1) / SIDE;
    uint64_t *sums = malloc((across * down * channels + 1) * sizeof *sums);
    size_t count = 0;
    if (!sums)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for blocks of noise");
    for (uint32_t y = 0; y < down; y++)
        for (size_t x = 0; x < across; x++)
            for (size_t c = 0; c < channels; c++)
                count += block_sum(image, SIDE * y, SIDE * x * channels + c, channels, range,
                                   floats ? -1 : (int64_t)white, &sums[count]);
    qsort(sums, count, sizeof *sums, by_size);
    const double sum = (double)sums[count / 10]; /* of |a - b - c + d|, 0.797885 of twice sigma */
    free(sums);
    if (count < LEAST_BLOCKS)
        return ro_noise_estimate(context, image, sigma);
    *sigma = sum / (SIDE * SIDE * 2 * 0.797885 * 0.914) * 255 / white * (double)range;
    return RO_OK;
}

/* ---- The whole picture ---------------------------------------------------------------------- */

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
