/* SPDX-License-Identifier: MIT */
/*
 * Impulse noise: single samples that have nothing to do with those round them, as salt and pepper.
 * Diffusion takes them for edges and keeps them. A sample is an impulse if none of its eight
 * neighbours lies beyond it and even the four nearest of them in value are far from it (Garnett and
 * others 2005), which no edge and no line is; the median of the nine takes its place. Beyond the
 * border the nearest sample counts.
 */
#include "core/checked.h"
#include "core/image.h"
#include "denoise/denoise.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEAST_PART = 8, /* of white: less on average is no impulse, */
    NOISES = 3,     /* nor are so many standard deviations */
    LOOKED_AT = 4,  /* a row of so many, to notice impulses, */
    MOST_ROWS = 64  /* and about so many at most */
};

/* Samples of row y as doubles, one more pixel at either end. */
static void load(const ro_image *image, int64_t y, size_t channels, double *line)
{
    const int64_t last = (int64_t)image->height - 1;
    const char *row = (const char *)image->data + (ptrdiff_t)(y < 0      ? 0
                                                              : y > last ? last
                                                                         : y) *
                                                      image->stride;
    const size_t samples = channels * image->width;
    const int bytes = ro_format_sample_bytes(image->format);
    for (size_t i = 0; i < samples; i++)
        line[channels + i] = bytes == 1   ? ((const uint8_t *)row)[i]
                             : bytes == 2 ? ((const uint16_t *)(const void *)row)[i]
                                          : (double)((const float *)(const void *)row)[i];
    for (size_t c = 0; c < channels; c++) {
        line[c] = line[channels + c];
        line[channels + samples + c] = line[samples + c];
    }
}

static void put(ro_image *image, uint32_t y, size_t i, double value)
{
    char *row = (char *)image->data + (ptrdiff_t)y * image->stride;
    const int bytes = ro_format_sample_bytes(image->format);
    if (bytes == 1)
        ((uint8_t *)row)[i] = (uint8_t)value;
    else if (bytes == 2)
        ((uint16_t *)(void *)row)[i] = (uint16_t)value;
    else
        ((float *)(void *)row)[i] = (float)value;
}

/* Puts the five least of nine in order. */
static void order_five(double *v)
{
    for (int i = 0; i < 5; i++)
        for (int k = i + 1; k < 9; k++)
            if (v[k] < v[i]) {
                const double more = v[i];
                v[i] = v[k];
                v[k] = more;
            }
}

/* Whether sample i of the middle line is an impulse; its median if so. */
static bool is_impulse(double *const *lines, size_t channels, size_t i, double threshold,
                       double *median)
{
    const double here = lines[1][channels + i];
    const double left = lines[1][i], right = lines[1][i + 2 * channels];
    if ((here - left) * (right - here) > 0)
        return false; /* between them: as most are */
    double all[9], least = here, most = here;
    for (int y = 0; y < 3; y++)
        for (size_t x = 0; x < 3; x++) {
            const double v = lines[y][i + x * channels];
            all[3 * y + (int)x] = v;
            least = v < least ? v : least;
            most = v > most ? v : most;
        }
    if ((here > least && here < most) || most - least <= threshold)
        return false;
    double far[9];
    for (int i = 0; i < 9; i++)
        far[i] = all[i] < here ? here - all[i] : all[i] - here;
    order_five(far); /* the first is the sample's own */
    if (far[1] + far[2] + far[3] + far[4] <= 4 * threshold)
        return false;
    order_five(all);
    *median = all[4];
    return true;
}

/* Impulses in every `step`-th row; they are mended in `out` unless it is NULL. */
static ro_status run(ro_context *context, const ro_image *in, ro_image *out, uint32_t step,
                     uint64_t *found, uint64_t *seen)
{
    const size_t channels = ro_format_is_colour(in->format) ? 3 : 1;
    const size_t samples = channels * in->width, line = samples + 2 * channels;
    double noise, median;
    ro_status status = noise_of_rows(context, in, step, &noise);
    double *memory = malloc(3 * line * sizeof *memory);
    if (status == RO_OK && !memory)
        status =
            ro_context_fail(context, RO_E_MEMORY, "no memory for rows of %u pixels", in->width);
    *found = *seen = 0;
    const double white = ro_format_sample_bytes(in->format) == 4 ? 1 : ro_image_white(in);
    for (uint32_t y = 0; y < in->height && status == RO_OK; y += step) {
        double *lines[3] = {memory, memory + line, memory + 2 * line};
        const double part = white / LEAST_PART, noises = NOISES * noise * white / 255;
        for (int i = 0; i < 3; i++)
            load(in, (int64_t)y + i - 1, channels, lines[i]);
        for (size_t i = 0; i < samples; i++)
            if (is_impulse(lines, channels, i, part > noises ? part : noises, &median)) {
                ++*found;
                if (out)
                    put(out, y, i, median);
            }
        *seen += samples;
        if (ro_context_cancelled(context))
            status = ro_context_fail(context, RO_E_CANCELLED, "cancelled");
    }
    free(memory);
    return status;
}

ro_status impulses_notice(ro_context *context, const ro_image *image, double *share)
{
    uint64_t found, seen;
    const uint32_t step = image->height / MOST_ROWS;
    ro_status status =
        run(context, image, NULL, step > LOOKED_AT ? step : LOOKED_AT, &found, &seen);
    *share = seen ? (double)found / (double)seen : 0;
    return status;
}

ro_status impulses_mend(ro_context *context, const ro_image *in, ro_image *out, double *share)
{
    uint64_t found, seen;
    ro_status status = ro_image_alloc(context, in->format, in->width, in->height, in->maxval, out);
    if (status != RO_OK)
        return status;
    const size_t bytes = ro_format_row_bytes(in->format, in->width);
    for (uint32_t y = 0; y < in->height; y++)
        memcpy((char *)out->data + (ptrdiff_t)y * out->stride,
               (const char *)in->data + (ptrdiff_t)y * in->stride, bytes);
    status = run(context, in, out, 1, &found, &seen);
    *share = seen ? (double)found / (double)seen : 0;
    return status;
}
