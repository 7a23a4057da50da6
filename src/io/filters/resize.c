/* SPDX-License-Identifier: MIT */
/*
 * Resizing with Lanczos-3, first along the row, then across rows, in a window of rows that moves
 * down the image. A reduction widens the filter by its factor, so that every pixel of the source
 * counts; an enlargement interpolates. At the border the filter is cut off and what is left is
 * scaled to one, so a flat tone stays flat. Samples are mixed as they are, or as light: a fine
 * checkerboard of black and white then keeps its light, sRGB 188, not 128.
 *
 * The same everywhere: weights are made from additions, products and quotients of doubles only (no
 * sin() of a system's library), and every sum has one order.
 */
#include "core/checked.h"
#include "core/image.h"
#include "io/filters/convert.h"
#include "io/filters/light.h"
#include "io/filters/stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOBES = 3, ROWS_BEHIND = 8 };

/* sin(pi * x) for 0 <= x <= 3, by its series near 0. */
static double sin_pi(double x)
{
    static const double pi = 3.14159265358979323846;
    double sign = 1;
    for (; x >= 1; x -= 1)
        sign = -sign;
    double angle = pi * (x > 0.5 ? 1 - x : x), square = angle * angle, term = angle, sum = angle;
    for (int n = 2; n <= 22; n += 2) {
        term = -term * square / (n * (n + 1));
        sum += term;
    }
    return sign * sum;
}

static double lanczos(double x)
{
    static const double pi = 3.14159265358979323846;
    x = x < 0 ? -x : x;
    if (x >= LOBES)
        return 0;
    if (x < 1e-9)
        return 1;
    return LOBES * sin_pi(x) * sin_pi(x / LOBES) / (pi * pi * x * x);
}

/* The weights of one direction: out[i] = sum of weights[i * most + k] * in[first[i] + k]. */
struct filter {
    uint32_t size_in, size_out;
    uint32_t most;
    uint32_t *first, *count;
    double *weights;
};

/* The filter without its weights, which take time; false: they would not fit into memory. */
static bool filter_plan(struct filter *filter, uint32_t size_in, uint32_t size_out, uint64_t limit)
{
    double step = (double)size_in / size_out, scale = step > 1 ? step : 1, reach = LOBES * scale;
    size_t most = (size_t)(2 * reach) + 2, weights;
    if (most > size_in)
        most = size_in;
    *filter = (struct filter){.size_in = size_in, .size_out = size_out, .most = (uint32_t)most};
    return size_multiply(most, size_out, &weights) &&
           size_multiply(weights, sizeof(double), &weights) && weights <= limit;
}

static ro_status filter_open(struct filter *filter, struct open_file *file)
{
    uint32_t size_in = filter->size_in, size_out = filter->size_out;
    double step = (double)size_in / size_out, scale = step > 1 ? step : 1, reach = LOBES * scale;
    size_t most = filter->most, bytes = most * size_out * sizeof(double);
    filter->first = malloc(size_out * sizeof *filter->first);
    filter->count = malloc(size_out * sizeof *filter->count);
    filter->weights = malloc(bytes);
    if (!filter->first || !filter->count || !filter->weights)
        return file_no_memory(file, bytes);
    for (uint32_t i = 0; i < size_out; i++) {
        ro_status status = file_check_stop(file);
        if (status != RO_OK)
            return status;
        double centre = (i + 0.5) * step, sum = 0;
        double from = floor(centre - reach + 0.5), to = floor(centre + reach + 0.5);
        uint32_t first = from > 0 ? (uint32_t)from : 0;
        uint32_t last = to < size_in ? (uint32_t)to : size_in;
        double *weights_here = filter->weights + (size_t)i * most;
        uint32_t count = last - first < most ? last - first : (uint32_t)most;
        for (uint32_t k = 0; k < count; k++)
            sum += weights_here[k] = lanczos((first + k + 0.5 - centre) / scale);
        for (uint32_t k = 0; k < count; k++)
            weights_here[k] /= sum;
        filter->first[i] = first;
        filter->count[i] = count;
    }
    return RO_OK;
}

static void filter_close(struct filter *filter)
{
    free(filter->first);
    free(filter->count);
    free(filter->weights);
}

struct resize {
    struct row_stage stage; /* first, so that a stage can be cast back */
    struct row_stage *before;
    int channels;
    double scale; /* of the values: from the maxval before to the one after */
    bool as_light;
    struct light_curve light;
    struct filter across, down;
    uint8_t *line;  /* a row as it comes */
    float *values;  /* the same as numbers */
    float *window;  /* down.most rows, each already resized along itself; row y at y % most */
    double *sums;   /* of one row of the result */
    uint32_t ready; /* rows that went into the window */
    uint32_t row;   /* of the result, the next one */
};

static void row_to_values(const ro_file_info *info, float *values, const void *row, size_t count)
{
    switch (info->format) {
    case RO_GREY16:
    case RO_RGB16:
        for (size_t i = 0; i < count; i++)
            values[i] = ((const uint16_t *)row)[i];
        break;
    case RO_GREYF:
    case RO_RGBF:
        memcpy(values, row, count * sizeof *values);
        break;
    default:
        for (size_t i = 0; i < count; i++)
            values[i] = ((const uint8_t *)row)[i];
    }
}

static void light_to_row(const struct resize *resize, void *row, size_t count)
{
    const struct light_curve *light = &resize->light;
    const double *sums = resize->sums;
    switch (resize->stage.info.format) {
    case RO_GREY16:
    case RO_RGB16:
        for (size_t i = 0; i < count; i++)
            ((uint16_t *)row)[i] = (uint16_t)light_to_sample(light, sums[i]);
        break;
    case RO_GREYF:
    case RO_RGBF:
        for (size_t i = 0; i < count; i++)
            ((float *)row)[i] = light_to_float(sums[i]);
        break;
    default:
        for (size_t i = 0; i < count; i++)
            ((uint8_t *)row)[i] = (uint8_t)light_to_sample(light, sums[i]);
    }
}

static double clamped(double value, double most)
{
    return value > 0 ? (value < most ? floor(value + 0.5) : most) : 0;
}

static void sums_to_row(const struct resize *resize, void *row, size_t count)
{
    const double *sums = resize->sums;
    double scale = resize->scale, most = resize->stage.info.maxval;
    switch (resize->stage.info.format) {
    case RO_GREY16:
    case RO_RGB16:
        for (size_t i = 0; i < count; i++)
            ((uint16_t *)row)[i] = (uint16_t)clamped(sums[i] * scale, most);
        break;
    case RO_GREYF:
    case RO_RGBF:
        for (size_t i = 0; i < count; i++)
            ((float *)row)[i] = (float)sums[i];
        break;
    default:
        for (size_t i = 0; i < count; i++)
            ((uint8_t *)row)[i] = (uint8_t)clamped(sums[i] * scale, most);
    }
}

/* The weights are made when the first row has arrived: not for a file that only claims its size. */
static ro_status start(struct resize *resize)
{
    struct open_file *file = resize->stage.file;
    const uint32_t white_in = resize->before->info.maxval, white_out = resize->stage.info.maxval;
    ro_status status = filter_open(&resize->across, file);
    if (status == RO_OK)
        status = filter_open(&resize->down, file);
    if (status == RO_OK && resize->as_light)
        status = light_open(&resize->light, file, resize->stage.info.format, white_in, white_out);
    return status;
}

/* Takes one row of the source, resized along itself, into the window. */
static ro_status next_row(struct resize *resize)
{
    struct row_stage *before = resize->before;
    const struct filter *across = &resize->across;
    size_t channels = (size_t)resize->channels, samples = across->size_in * channels;
    ro_status status = before->rows(before, resize->line, (ptrdiff_t)stage_row_bytes(before), 1);
    if (status == RO_OK && resize->ready == 0)
        status = start(resize);
    if (status != RO_OK)
        return status;
    if (resize->as_light)
        light_from_row(&resize->light, resize->values, resize->line, before->info.format, samples);
    else
        row_to_values(&before->info, resize->values, resize->line, samples);
    float *to = resize->window +
                (size_t)(resize->ready++ % resize->down.most) * across->size_out * channels;
    for (uint32_t x = 0; x < across->size_out; x++) {
        const double *weights = across->weights + (size_t)x * across->most;
        for (size_t c = 0; c < channels; c++) {
            const float *from = resize->values + across->first[x] * channels + c;
            double sum = 0;
            for (uint32_t k = 0; k < across->count[x]; k++)
                sum += weights[k] * from[k * channels];
            *to++ = (float)sum;
        }
    }
    return RO_OK;
}

static ro_status read_rows(struct row_stage *stage, uint8_t *rows, ptrdiff_t stride, uint32_t count)
{
    struct resize *resize = (struct resize *)stage;
    const struct filter *down = &resize->down;
    size_t samples = (size_t)stage->info.width * (size_t)resize->channels;
    if (count > 0 && resize->ready == 0) {
        ro_status status = next_row(resize);
        if (status != RO_OK)
            return status;
    }
    for (uint32_t y = 0; y < count; y++, rows += stride, resize->row++) {
        uint32_t first = down->first[resize->row], taps = down->count[resize->row];
        const double *weights = down->weights + (size_t)resize->row * down->most;
        while (resize->ready < first + taps) {
            ro_status status = next_row(resize);
            if (status != RO_OK)
                return status;
        }
        memset(resize->sums, 0, samples * sizeof *resize->sums);
        for (uint32_t k = 0; k < taps; k++) {
            const float *from = resize->window + (size_t)((first + k) % down->most) * samples;
            double weight = weights[k];
            for (size_t i = 0; i < samples; i++)
                resize->sums[i] += weight * from[i];
        }
        if (resize->as_light)
            light_to_row(resize, rows, samples);
        else
            sums_to_row(resize, rows, samples);
    }
    /* The rest of the file is read too, so that damage in it is not overlooked. */
    while (resize->row == stage->info.height && resize->ready < down->size_in) {
        ro_status status = next_row(resize);
        if (status != RO_OK)
            return status;
    }
    return RO_OK;
}

static void close_stage(struct row_stage *stage)
{
    struct resize *resize = (struct resize *)stage;
    resize->before->close(resize->before);
    filter_close(&resize->across);
    filter_close(&resize->down);
    light_close(&resize->light);
    free(resize->line);
    free(resize->values);
    free(resize->window);
    free(resize->sums);
    free(resize);
}

static ro_status too_large(const struct resize *resize)
{
    const ro_file_info *from = &resize->before->info, *to = &resize->stage.info;
    return file_fail(resize->stage.file, RO_E_SIZE,
                     "resizing %u x %u to %u x %u takes more memory than this machine has",
                     from->width, from->height, to->width, to->height);
}

/* Bytes of a filter's weights, places and counts; below 2^63, for each alone fits the memory. */
static uint64_t filter_bytes(const struct filter *filter)
{
    return filter->size_out * (filter->most * (uint64_t)sizeof *filter->weights +
                               sizeof *filter->first + sizeof *filter->count);
}

static ro_status open_buffers(struct resize *resize)
{
    const ro_file_info *from = &resize->before->info, *to = &resize->stage.info;
    size_t channels = (size_t)resize->channels, window;
    const uint64_t limit = memory_limit(resize->stage.file);
    if (!filter_plan(&resize->across, from->width, to->width, limit) ||
        !filter_plan(&resize->down, from->height, to->height, limit) ||
        !size_multiply(to->width * channels * sizeof(float), resize->down.most, &window) ||
        window > limit)
        return too_large(resize);
    /* All together, with a few rows that whoever asked for them will hold. */
    if (filter_bytes(&resize->across) + filter_bytes(&resize->down) + window +
            (ROWS_BEHIND + 1) * to->width * channels * sizeof *resize->sums >
        limit)
        return too_large(resize);
    resize->line = malloc(stage_row_bytes(resize->before));
    resize->values = malloc(from->width * channels * sizeof *resize->values);
    resize->window = malloc(window);
    resize->sums = malloc(to->width * channels * sizeof *resize->sums);
    if (!resize->line || !resize->values || !resize->window || !resize->sums)
        return file_no_memory(resize->stage.file, window);
    return RO_OK;
}

/* A side times a factor, at least a pixel. */
static double scaled(uint32_t side, double factor, double divisor)
{
    double size = floor((double)side * factor / divisor + 0.5);
    return size < 1 ? 1 : size;
}

static ro_status new_size(const struct row_stage *before, const ro_read_options *options,
                          ro_file_info *info)
{
    const ro_file_info *old = &before->info;
    const double percent = options->resize_percent;
    double width = options->resize_width, height = options->resize_height;
    if (percent != 0 && (width != 0 || height != 0))
        return file_fail(before->file, RO_E_ARGUMENT,
                         "resizing takes a percentage or a size, not both");
    if (percent != 0 && !(percent > 0 && percent <= RO_MAX_SIDE))
        return file_fail(before->file, RO_E_ARGUMENT, "cannot resize to %g %%", percent);
    if (percent != 0) {
        width = scaled(old->width, percent, 100);
        height = scaled(old->height, percent, 100);
    } else if (options->resize_rule != RO_RESIZE_EXACT) {
        if (width == 0 || height == 0)
            return file_fail(before->file, RO_E_ARGUMENT,
                             "fitting and filling need a width and a height");
        const bool fit = options->resize_rule == RO_RESIZE_FIT;
        const bool by_width = (width * old->height <= height * old->width) == fit;
        const double across = scaled(old->width, height, old->height);
        const double down = scaled(old->height, width, old->width);
        if (by_width)
            height = fit || down > height ? down : height;
        else
            width = fit || across > width ? across : width;
    } else if (width == 0) {
        width = scaled(old->width, height, old->height);
    } else if (height == 0) {
        height = scaled(old->height, width, old->width);
    }
    if (width > RO_MAX_SIDE || height > RO_MAX_SIDE)
        return file_fail(before->file, RO_E_SIZE,
                         "resizing %u x %u to %.0f x %.0f is too large; a side has at most %d "
                         "pixels",
                         old->width, old->height, width, height, RO_MAX_SIDE);
    info->width = (uint32_t)width;
    info->height = (uint32_t)height;
    stage_scale_resolution(info, (double)info->width / old->width,
                           (double)info->height / old->height);
    return RO_OK;
}

ro_status resize_stage(struct row_stage *before, const ro_read_options *options,
                       struct row_stage **stage)
{
    ro_file_info info = before->info;
    ro_status status = new_size(before, options, &info);
    if (status == RO_OK && info.width == before->info.width && info.height == before->info.height) {
        *stage = before;
        return RO_OK;
    }
    struct resize *resize = status == RO_OK ? calloc(1, sizeof *resize) : NULL;
    if (status == RO_OK && !resize)
        status = file_no_memory(before->file, sizeof *resize);
    if (status != RO_OK) {
        before->close(before);
        return status;
    }
    if (info.maxval == 1 && (info.format == RO_GREY8 || info.format == RO_RGB8))
        info.maxval = 255; /* between black and white there are tones now */
    resize->before = before;
    resize->channels = channels_of(info.format);
    resize->scale = (double)info.maxval / before->info.maxval;
    resize->as_light = options->resize_light;
    resize->stage = (struct row_stage){
        .file = before->file, .info = info, .rows = read_rows, .close = close_stage};
    status = open_buffers(resize);
    if (status != RO_OK)
        close_stage(&resize->stage);
    else
        *stage = &resize->stage;
    return status;
}
