/* SPDX-License-Identifier: MIT */
/*
 * How noisy an image is: the median of |a - b - c + d| over all squares of four pixels. Shading and
 * straight edges cancel in it, and a median does not see the few squares where they do not; for
 * independent noise it is 0.6745 times twice the standard deviation.
 */
#include "denoise/noise.h"

#include "core/image.h"
#include "denoise/denoise.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The picture as lines of whole numbers; floats in 65535 steps of `range`, NaN as 0. */
struct lines {
    const ro_image *image;
    size_t channels, samples; /* of a line */
    float range;
    int32_t *upper, *lower, *cross; /* |a - b - c + d| of the squares between the two */
};

static size_t samples_of(const ro_image *image)
{
    return (ro_format_is_colour(image->format) ? 3 : 1) * (size_t)image->width;
}

void noise_load(const ro_image *image, float range, uint32_t y, int32_t *line)
{
    const char *row = (const char *)image->data + (ptrdiff_t)y * image->stride;
    const size_t samples = samples_of(image);
    switch (ro_format_sample_bytes(image->format)) {
    case 1:
        for (size_t i = 0; i < samples; i++)
            line[i] = ((const uint8_t *)row)[i];
        break;
    case 2:
        for (size_t i = 0; i < samples; i++)
            line[i] = ((const uint16_t *)(const void *)row)[i];
        break;
    default:
        for (size_t i = 0; i < samples; i++) {
            float x = ((const float *)(const void *)row)[i];
            line[i] = isfinite(x) ? (int32_t)lrintf(65535 * (x / range)) : 0;
        }
    }
}

float noise_range(const ro_image *image)
{
    const size_t samples = samples_of(image);
    float range = 1;
    if (ro_format_sample_bytes(image->format) != 4)
        return range;
    for (uint32_t y = 0; y < image->height; y++) {
        const char *row = (const char *)image->data + (ptrdiff_t)y * image->stride;
        for (size_t i = 0; i < samples; i++) {
            float x = fabsf(((const float *)(const void *)row)[i]);
            range = isfinite(x) && x > range ? x : range;
        }
    }
    return range;
}

static void load(const struct lines *lines, uint32_t y, int32_t *line)
{
    noise_load(lines->image, lines->range, y, line);
}

static ro_status open_lines(ro_context *context, const ro_image *image, struct lines *lines)
{
    const size_t channels = ro_format_is_colour(image->format) ? 3 : 1;
    const size_t samples = channels * image->width;
    *lines = (struct lines){.image = image, .channels = channels, .samples = samples};
    lines->range = noise_range(image);
    lines->upper = malloc(3 * samples * sizeof *lines->upper);
    if (!lines->upper)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for rows of %u pixels",
                               image->width);
    lines->lower = lines->upper + samples;
    lines->cross = lines->lower + samples;
    load(lines, 0, lines->lower);
    return RO_OK;
}

/* Goes on to the squares between rows y and y + 1. */
static ro_status next_squares(ro_context *context, struct lines *lines, uint32_t y)
{
    int32_t *lower = lines->upper, *upper = lines->lower;
    load(lines, y + 1, lower);
    for (size_t i = 0; i + lines->channels < lines->samples; i++)
        lines->cross[i] =
            abs(upper[i] - upper[i + lines->channels] - lower[i] + lower[i + lines->channels]);
    lines->upper = upper;
    lines->lower = lower;
    return ro_context_cancelled(context) ? ro_context_fail(context, RO_E_CANCELLED, "cancelled")
                                         : RO_OK;
}

static void close_lines(struct lines *lines)
{
    free(lines->upper < lines->lower ? lines->upper : lines->lower);
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

/* Adds the squares of a line to the sums of the blocks that it crosses. */
static void add_line(const struct lines *lines, size_t across, int64_t white, uint64_t *sums,
                     int *clipped)
{
    const size_t channels = lines->channels;
    for (size_t x = 0; x < across; x++)
        for (size_t c = 0; c < channels; c++) {
            const size_t first = SIDE * x * channels + c, block = x * channels + c;
            uint32_t sum = 0;
            int few = 0;
            for (size_t k = first; k < first + SIDE * channels; k += channels) {
                sum += (uint32_t)lines->cross[k];
                few += lines->upper[k] == 0 || lines->upper[k] == white;
            }
            sums[block] += sum;
            clipped[block] += few;
        }
}

/* The sums of blocks that are not clipped, in the order of rows; *count says how many. */
static ro_status sum_blocks(ro_context *context, struct lines *lines, int64_t white, uint64_t *sums,
                            int *clipped, size_t *count)
{
    const size_t across = (lines->image->width - 1) / SIDE, in_row = across * lines->channels;
    const uint32_t down = (lines->image->height - 1) / SIDE;
    ro_status status = RO_OK;
    *count = 0;
    for (uint32_t block = 0; block < down && status == RO_OK; block++) {
        uint64_t *row = sums + *count;
        memset(row, 0, in_row * sizeof *row);
        memset(clipped, 0, in_row * sizeof *clipped);
        for (uint32_t y = SIDE * block; y < SIDE * (block + 1) && status == RO_OK; y++) {
            status = next_squares(context, lines, y);
            add_line(lines, across, white, row, clipped);
        }
        for (size_t i = 0; i < in_row; i++)
            if (clipped[i] <= FEW_CLIPPED)
                sums[(*count)++] = row[i];
    }
    return status;
}

ro_status noise_in_blocks(ro_context *context, const ro_image *image, double *sigma)
{
    const bool floats = ro_format_sample_bytes(image->format) == 4;
    const uint32_t white = floats ? 65535 : ro_image_white(image);
    struct lines lines;
    size_t count = 0;
    ro_status status = open_lines(context, image, &lines);
    if (status != RO_OK)
        return status;
    const size_t in_row = (image->width - 1) / SIDE * lines.channels;
    uint64_t *sums = malloc(((image->height - 1) / SIDE * in_row + 1) * sizeof *sums);
    int *clipped = malloc((in_row + 1) * sizeof *clipped);
    if (sums && clipped)
        status = sum_blocks(context, &lines, floats ? -1 : (int64_t)white, sums, clipped, &count);
    else
        status = ro_context_fail(context, RO_E_MEMORY, "no memory for blocks of noise");
    const double range = (double)lines.range;
    close_lines(&lines);
    free(clipped);
    if (status == RO_OK && count >= LEAST_BLOCKS) {
        qsort(sums, count, sizeof *sums, by_size);
        const double sum = (double)sums[count / 10]; /* 0.797885 of twice sigma, see above */
        *sigma = sum / (SIDE * SIDE * 2 * 0.797885 * 0.914) * 255 / white * range;
    } else if (status == RO_OK) {
        status = noise_estimate(context, image, sigma);
    }
    free(sums);
    return status;
}

/* ---- The whole picture ---------------------------------------------------------------------- */

ro_status noise_estimate(ro_context *context, const ro_image *image, double *sigma)
{
    return noise_of_rows(context, image, 1, sigma);
}

ro_status noise_of_rows(ro_context *context, const ro_image *image, uint32_t step, double *sigma)
{
    const bool floats = ro_format_sample_bytes(image->format) == 4;
    const uint32_t white = floats ? 65535 : ro_image_white(image);
    const size_t size = 2 * (size_t)white + 1;
    struct lines lines;
    ro_status status = open_lines(context, image, &lines);
    if (status != RO_OK)
        return status;
    uint64_t *histogram = calloc(size, sizeof *histogram);
    if (!histogram)
        status = ro_context_fail(context, RO_E_MEMORY, "no memory for a histogram of the noise");
    for (uint32_t y = 0; y + 1 < image->height && status == RO_OK; y += step) {
        if (step > 1)
            load(&lines, y, lines.lower);
        status = next_squares(context, &lines, y);
        for (size_t i = 0; i + lines.channels < lines.samples; i++) {
            const size_t bin = (size_t)lines.cross[i];
            histogram[bin < size ? bin : size - 1]++;
        }
    }
    if (status == RO_OK)
        *sigma = median(histogram, size) / (2 * 0.67448975) * 255 / white * (double)lines.range;
    close_lines(&lines);
    free(histogram);
    return status;
}
