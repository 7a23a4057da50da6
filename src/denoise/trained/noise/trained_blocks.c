/* SPDX-License-Identifier: MIT */
/*
 * The energies of fine differences in blocks of an image.
 *
 * d_k(x, y) is the k-th difference along rows and columns of a channel's pixels, of sums of 2 x 2
 * and of 4 x 4 pixels (scales 0, 1 and 2). Its energy in a block, over what white noise of variance
 * 1 has, is E_k: the variance of white noise, plus texture, less of it for larger k. A block has 16
 * x 16 pixels at each scale. Sums of squares are integers, so that energies are the same wherever
 * they are computed.
 */
#include "core/image.h"
#include "denoise/noise.h"
#include "denoise/trained/noise/trained_noise.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SAMPLES = 1 << 22 /* of larger images, bands of rows at even distances are read */ };

/* A band of rows, one channel after another, and a copy for differences. */
struct strip {
    const ro_image *image;
    size_t channels, width, across; /* blocks across */
    float range;
    int32_t white; /* clipped samples are 0 or this; INT32_MIN: floats are not clipped */
    int32_t *line, *plane, *work;
};

/* ---- Energies ------------------------------------------------------------------------------- */

static void load_rows(const struct strip *strip, uint32_t top)
{
    const size_t width = strip->width, channels = strip->channels;
    for (uint32_t y = 0; y < NOISE_ROWS; y++) {
        noise_load(strip->image, strip->range, top + y, strip->line);
        for (size_t c = 0; c < channels; c++) {
            int32_t *row = strip->plane + (c * NOISE_ROWS + y) * width;
            for (size_t x = 0; x < width; x++)
                row[x] = strip->line[x * channels + c];
        }
    }
}

/* Replaces each pixel by a - b - c + d of it and those on the right and below. */
static void differ(int32_t *plane, size_t stride, size_t width, int rows)
{
    for (int y = 0; y + 1 < rows; y++) {
        int32_t *row = plane + (size_t)y * stride;
        const int32_t *below = row + stride;
        for (size_t x = 0; x < width; x++)
            row[x] -= below[x];
        for (size_t x = 0; x + 1 < width; x++)
            row[x] -= row[x + 1];
    }
}

/* Replaces a plane by sums of 2 x 2 pixels. */
static void halve(int32_t *plane, size_t stride, size_t width, int rows)
{
    for (int y = 0; y < rows / 2; y++) {
        const int32_t *upper = plane + 2 * (size_t)y * stride, *lower = upper + stride;
        int32_t *out = plane + (size_t)y * stride;
        for (size_t x = 0; x < width / 2; x++)
            out[x] = upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1];
    }
}

static double energy_of(const int32_t *plane, size_t stride, int side)
{
    uint64_t sum = 0;
    for (int y = 0; y < side; y++, plane += stride)
        for (int x = 0; x < side; x++)
            sum += (uint64_t)((int64_t)plane[x] * plane[x]);
    return (double)sum;
}

static void look(const struct strip *strip, const int32_t *plane, struct noise_block *block)
{
    block->tone = 0;
    block->black = block->white = 0;
    for (int y = 0; y < NOISE_SIDE; y++, plane += strip->width)
        for (int x = 0; x < NOISE_SIDE; x++) {
            block->tone += plane[x];
            block->black += strip->white > 0 && plane[x] == 0;
            block->white += plane[x] == strip->white;
        }
}

static void measure(const struct strip *strip, int32_t *plane, struct noise_block *blocks)
{
    static const double gains[NOISE_ORDERS] = {4, 36, 400}; /* squared lengths of d_k */
    const size_t stride = strip->width;
    size_t width = stride;
    int rows = NOISE_ROWS, side = NOISE_SIDE;
    for (size_t b = 0; b < strip->across; b++)
        look(strip, plane + b * NOISE_SIDE, &blocks[b]);
    for (int s = 0; s < NOISE_SCALES; s++, width /= 2, rows /= 2, side /= 2) {
        memcpy(strip->work, plane, (size_t)rows * stride * sizeof *plane);
        for (int k = 0; k < NOISE_ORDERS; k++) {
            differ(strip->work, stride, width - (size_t)k, rows - k);
            for (size_t b = 0; b < strip->across; b++)
                blocks[b].energy[s][k] = energy_of(strip->work + b * (size_t)side, stride, side) /
                                         (side * side * gains[k] * (double)(1 << 2 * s));
        }
        halve(plane, stride, width, rows);
    }
}

/* ---- All blocks ----------------------------------------------------------------------------- */

bool noise_grid_make(struct noise_grid *grid, const ro_image *shape)
{
    *grid = (struct noise_grid){.channels = ro_format_is_colour(shape->format) ? 3 : 1};
    if (shape->width < NOISE_ROWS || shape->height < NOISE_ROWS)
        return false;
    const size_t samples = grid->channels * shape->width * shape->height;
    grid->across = (shape->width - NOISE_ROWS) / NOISE_SIDE + 1;
    grid->apart = (samples - 1) / MOST_SAMPLES + 1;
    grid->bands = ((shape->height - NOISE_ROWS) / NOISE_SIDE) / grid->apart + 1;
    return noise_grid_blocks(grid) >= NOISE_LEAST_BLOCKS;
}

size_t noise_grid_blocks(const struct noise_grid *grid)
{
    return grid->bands * grid->across * grid->channels;
}

ro_status noise_measure(ro_context *context, const ro_image *image, uint32_t top, float range,
                        const struct noise_grid *grid, size_t first, size_t end,
                        struct noise_block *blocks)
{
    const bool floats = ro_format_sample_bytes(image->format) == 4;
    const size_t size = NOISE_ROWS * (size_t)image->width, in_band = grid->across * grid->channels;
    struct strip strip = {.image = image,
                          .channels = grid->channels,
                          .width = image->width,
                          .across = grid->across,
                          .range = range,
                          .white = floats ? INT32_MIN : (int32_t)ro_image_white(image)};
    strip.line =
        malloc((strip.channels * strip.width + (strip.channels + 1) * size) * sizeof *strip.line);
    if (!strip.line)
        return ro_context_fail(context, RO_E_MEMORY, "no memory to estimate the noise");
    strip.plane = strip.line + strip.channels * strip.width;
    strip.work = strip.plane + strip.channels * size;
    ro_status status = RO_OK;
    for (size_t b = first; b < end && status == RO_OK; b++) {
        struct noise_block *band = blocks + (b - first) * in_band;
        load_rows(&strip, (uint32_t)(b * grid->apart * NOISE_SIDE) - top);
        for (size_t c = 0; c < strip.channels; c++)
            measure(&strip, strip.plane + c * size, band + c * strip.across);
        for (size_t i = 0; i < in_band; i++)
            band[i].place = b * in_band + i;
        if (ro_context_cancelled(context))
            status = ro_context_fail(context, RO_E_CANCELLED, "cancelled");
    }
    free(strip.line);
    return status;
}
