/* SPDX-License-Identifier: MIT */
/*
 * A halftone as it prints: discs of ink instead of squares, and light that enters the paper at one
 * place and leaves it at another (Yule and Nielsen): the mean of 0.2 mm, to the power n.
 */
#include "core/dot_gain.h"
#include "core/image.h"
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ink of a row, with RO_DISC_REACH pixels of paper at either end; false: it is of more levels. */
static bool read_row(const struct measure_tones *tones, int64_t y, float *line, uint8_t *ink)
{
    const uint32_t width = tones->image->width;
    memset(ink, 0, (size_t)width + 2 * RO_DISC_REACH);
    if (y < 0 || y >= tones->image->height)
        return true;
    measure_tones_row(tones, 0, (uint32_t)y, width, line);
    for (uint32_t x = 0; x < width; x++) {
        if (line[x] != 0 && line[x] != 1)
            return false;
        ink[RO_DISC_REACH + x] = line[x] == 0;
    }
    return true;
}

static void cover_row(const struct dot_discs *discs, uint8_t *const rows[RO_DISC_WINDOW],
                      uint32_t width, float *light)
{
    for (uint32_t x = 0; x < width; x++) {
        uint64_t covered = 0;
        for (int k = 0; k < discs->count; k++)
            if (rows[RO_DISC_REACH + discs->from[k].y]
                    [RO_DISC_REACH + (ptrdiff_t)x + discs->from[k].x])
                covered |= discs->from[k].points;
        light[x] = (float)__builtin_popcountll(~covered) / RO_DISC_POINTS;
    }
}

static ro_status print_dots(ro_context *context, const ro_image *result, double diameter,
                            ro_image *paper)
{
    struct measure_tones tones = {0};
    struct dot_discs discs;
    const size_t room = (size_t)result->width + 2 * RO_DISC_REACH;
    uint8_t *memory = calloc(RO_DISC_WINDOW, room), *rows[RO_DISC_WINDOW];
    float *line = malloc(result->width * sizeof *line);
    ro_status status = memory && line
                           ? measure_tones_open(context, result, false, &tones)
                           : ro_context_fail(context, RO_E_MEMORY, "no memory for a print");
    discs_find(&discs, diameter);
    for (int i = 0; i < RO_DISC_WINDOW && memory; i++)
        rows[i] = memory + (size_t)i * room;
    bool two = true;
    for (int i = RO_DISC_REACH; i < RO_DISC_WINDOW - 1 && status == RO_OK; i++)
        two = two && read_row(&tones, i - RO_DISC_REACH, line, rows[i + 1]);
    for (uint32_t y = 0; y < result->height && status == RO_OK && two; y++) {
        uint8_t *first = rows[0];
        memmove(rows, rows + 1, (RO_DISC_WINDOW - 1) * sizeof *rows);
        rows[RO_DISC_WINDOW - 1] = first;
        two = read_row(&tones, (int64_t)y + RO_DISC_REACH, line, first);
        cover_row(&discs, rows, result->width,
                  (float *)(void *)((char *)paper->data + (ptrdiff_t)y * paper->stride));
    }
    if (status == RO_OK && !two)
        status =
            ro_context_fail(context, RO_E_ARGUMENT,
                            "dots on paper are those of a result of two levels, which it is not");
    measure_tones_close(&tones);
    free(memory);
    free(line);
    return status;
}

/* Means of `side` along a line, its ends repeated. */
static void mean_line(const float *from, uint32_t count, uint32_t side, float *to)
{
    const int64_t half = side / 2, last = (int64_t)count - 1;
    double sum = 0;
    for (int64_t i = -half; i <= half; i++)
        sum += (double)from[i < 0 ? 0 : i > last ? last : i];
    for (int64_t i = 0; i <= last; i++) {
        to[i] = (float)(sum / side);
        const int64_t in = i + half + 1, out = i - half;
        sum += (double)from[in > last ? last : in] - (double)from[out < 0 ? 0 : out];
    }
}

static ro_status spread_light(ro_context *context, ro_image *paper, uint32_t side, double n)
{
    const uint32_t width = paper->width, height = paper->height;
    const uint32_t longest = width > height ? width : height;
    float *from = calloc(longest, sizeof *from), *to = calloc(longest, sizeof *to);
    if (!from || !to) {
        free(from);
        free(to);
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a print");
    }
    for (uint32_t y = 0; y < height; y++) {
        float *row = (float *)(void *)((char *)paper->data + (ptrdiff_t)y * paper->stride);
        mean_line(row, width, side, to);
        memcpy(row, to, width * sizeof *to);
    }
    for (uint32_t x = 0; x < width; x++) {
        for (uint32_t y = 0; y < height; y++)
            from[y] = ((const float *)(const void *)((const char *)paper->data +
                                                     (ptrdiff_t)y * paper->stride))[x];
        mean_line(from, height, side, to);
        for (uint32_t y = 0; y < height; y++) {
            const double light = to[y] < 0 ? 0 : to[y] > 1 ? 1 : (double)to[y];
            ((float *)(void *)((char *)paper->data + (ptrdiff_t)y * paper->stride))[x] =
                (float)pow(light, n);
        }
    }
    free(from);
    free(to);
    return RO_OK;
}

ro_status measure_print(ro_context *context, const ro_image *result,
                        const ro_measure_options *options, ro_image *paper)
{
    ro_status status = ro_image_alloc(context, RO_GREYF, result->width, result->height, 0, paper);
    if (status == RO_OK)
        status = print_dots(context, result, options->gain, paper);
    if (status == RO_OK && options->yule_nielsen > 0)
        status = spread_light(context, paper, paper_spread(options->dpi), options->yule_nielsen);
    return status;
}
