/* SPDX-License-Identifier: MIT */
/*
 * How fast a contour wants to move, from the image: c + g1(intensity) + g2(|gradient|), sections
 * 2.1.2.1 and 4.1.3. Intensities are integers and so is their smoothing: mirrored and turned images
 * give exactly mirrored and turned speeds.
 */
#include "core/image.h"
#include "segment/segment.h"

#include <stdlib.h>
#include <string.h>

enum { WHITE = 65535, WEIGHT_BITS = 14, MOST_DEVIATION = 64 };

static uint32_t sample(const ro_image *image, const char *row, size_t at, uint32_t white)
{
    switch (ro_format_sample_bytes(image->format)) {
    case 1:
        return (uint32_t)(((const uint8_t *)row)[at] * (uint64_t)WHITE + white / 2) / white;
    case 2:
        return (
            uint32_t)((((const uint16_t *)(const void *)row)[at] * (uint64_t)WHITE + white / 2) /
                      white);
    default: {
        float v = ((const float *)(const void *)row)[at];
        return v > 0 ? v < 1 ? (uint32_t)lrintf(WHITE * v) : WHITE : 0;
    }
    }
}

ro_status intensity_read(ro_context *context, const ro_image *image, uint16_t *grey)
{
    const bool floats = ro_format_sample_bytes(image->format) == 4;
    const size_t channels = ro_format_is_colour(image->format) ? 3 : 1;
    const uint32_t white = floats ? WHITE : ro_image_white(image);
    for (uint32_t y = 0; y < image->height; y++) {
        const char *row = (const char *)image->data + (ptrdiff_t)y * image->stride;
        if (image->format == RO_GREY8 && white == 255) { /* the usual case, without divisions */
            for (uint32_t x = 0; x < image->width; x++)
                *grey++ = (uint16_t)(257 * ((const uint8_t *)row)[x]);
            continue;
        }
        for (uint32_t x = 0; x < image->width; x++, grey++) {
            size_t at = channels * x;
            for (size_t c = 0; floats && c < channels; c++)
                if (isnan(((const float *)(const void *)row)[at + c]))
                    return ro_context_fail(context, RO_E_ARGUMENT,
                                           "pixel (%u, %u) of the input is not a number", x, y);
            uint32_t v = sample(image, row, at, white);
            if (channels == 3)
                v = (uint32_t)((13933 * (uint64_t)v +
                                46871 * (uint64_t)sample(image, row, at + 1, white) +
                                4732 * (uint64_t)sample(image, row, at + 2, white) + 32768) >>
                               16);
            *grey = (uint16_t)(v < WHITE ? v : WHITE);
        }
    }
    return RO_OK;
}

/* ---- Smoothing ------------------------------------------------------------------------------- */

/* Weights of a Gaussian to three deviations, whose sum with their mirror images is 2^14. */
static int weights_of(double deviation, int32_t *weights)
{
    int reach = (int)ceil(3 * deviation);
    double sum = 1, value[3 * MOST_DEVIATION + 1];
    for (int i = 1; i <= reach; i++) {
        value[i] = exp(-0.5 * i * i / (deviation * deviation));
        sum += 2 * value[i];
    }
    weights[0] = 1 << WEIGHT_BITS;
    for (int i = 1; i <= reach; i++) {
        weights[i] = (int32_t)lrint(value[i] / sum * (1 << WEIGHT_BITS));
        weights[0] -= 2 * weights[i];
    }
    return reach;
}

static uint32_t inside(int64_t at, uint32_t size)
{
    return at < 0 ? 0 : at >= size ? size - 1 : (uint32_t)at;
}

/* Threads take bands of rows, first along them, then across. Nothing is rounded between the two, so
 * it does not matter which comes first. */
struct smoothing {
    const ro_context *context;
    const uint16_t *grey;
    uint32_t *rows; /* smoothed along */
    uint16_t *out;
    uint32_t width, height;
    int32_t weights[3 * MOST_DEVIATION + 1];
    int reach;
    bool across;
    char *scratch; /* a row of sums, or of pixels with its ends, a thread */
    size_t scratch_bytes;
    atomic_uint_fast32_t ticket;
};

static void smooth_along(const struct smoothing *s, uint32_t y, uint16_t *line)
{
    const uint16_t *from = s->grey + (size_t)y * s->width;
    uint32_t *to = s->rows + (size_t)y * s->width;
    const uint32_t width = s->width;
    for (int i = 0; i < s->reach; i++) {
        line[i] = from[0];
        line[(size_t)s->reach + width + (size_t)i] = from[width - 1];
    }
    memcpy(line + s->reach, from, width * sizeof *line);
    for (uint32_t x = 0; x < width; x++)
        to[x] = (uint32_t)s->weights[0] * from[x];
    for (int i = 1; i <= s->reach; i++) {
        const uint32_t weight = (uint32_t)s->weights[i];
        const uint16_t *left = line + s->reach - i, *right = line + s->reach + i;
        for (uint32_t x = 0; x < width; x++)
            to[x] += weight * ((uint32_t)left[x] + right[x]);
    }
}

static void smooth_across(const struct smoothing *s, uint32_t y, int64_t *sums)
{
    const uint32_t width = s->width;
    memset(sums, 0, width * sizeof *sums);
    for (int i = -s->reach; i <= s->reach; i++) {
        const uint32_t *from = s->rows + (size_t)inside((int64_t)y + i, s->height) * width;
        const int64_t weight = s->weights[i < 0 ? -i : i];
        for (uint32_t x = 0; x < width; x++)
            sums[x] += weight * from[x];
    }
    for (uint32_t x = 0; x < width; x++)
        s->out[(size_t)y * width + x] =
            (uint16_t)((sums[x] + (1 << (2 * WEIGHT_BITS - 1))) >> (2 * WEIGHT_BITS));
}

static void smooth_bands(void *data, int thread)
{
    enum { BAND = 16 };
    struct smoothing *s = data;
    void *scratch = s->scratch + (size_t)thread * s->scratch_bytes;
    for (uint32_t y; (y = (uint32_t)atomic_fetch_add(&s->ticket, BAND)) < s->height &&
                     !ro_context_cancelled(s->context);)
        for (uint32_t end = s->height - y < BAND ? s->height : y + BAND; y < end; y++)
            if (s->across)
                smooth_across(s, y, scratch);
            else
                smooth_along(s, y, scratch);
}

ro_status intensity_smooth(ro_context *context, const uint16_t *grey, uint32_t width,
                           uint32_t height, double deviation, uint16_t *out)
{
    struct smoothing s = {
        .context = context, .grey = grey, .out = out, .width = width, .height = height};
    const int threads = pool_threads(context->pool);
    s.reach = weights_of(deviation, s.weights);
    s.scratch_bytes =
        (width * sizeof(int64_t) + 2 * (size_t)s.reach * sizeof(uint16_t) + 63) / 64 * 64;
    s.scratch = malloc((size_t)threads * s.scratch_bytes);
    s.rows = malloc((size_t)width * height * sizeof *s.rows);
    const bool made = s.scratch && s.rows;
    for (int across = 0; across < 2 && made; across++) {
        s.across = across;
        atomic_init(&s.ticket, 0);
        pool_run(context->pool, threads, smooth_bands, &s);
    }
    free(s.scratch);
    free(s.rows);
    if (!made)
        return ro_context_fail(context, RO_E_MEMORY, "no memory to smooth %u x %u pixels", width,
                               height);
    return ro_context_progress(context, "segment", 0);
}

/* ---- The speed ------------------------------------------------------------------------------- */

double speed_of_intensity(const ro_speed *speed, uint32_t grey)
{
    const double level = grey / 257.0, unit = grey / (double)WHITE;
    double sum = speed->constant, power = 0;
    for (int i = speed->coefficients - 1; i >= 0; i--)
        power = power * unit + speed->polynomial[i];
    sum += power;
    if (speed->gaussian != 0) {
        double t = (level - speed->mean) / speed->deviation;
        sum += speed->gaussian * exp(-0.5 * t * t);
    }
    if (speed->window != 0)
        sum += level >= speed->low && level <= speed->high ? speed->window : -speed->window;
    return sum;
}

void speed_edge_row(const ro_speed *speed, const uint16_t *edges, uint32_t width, uint32_t height,
                    uint32_t y, float *out)
{
    const uint16_t *row = edges + (size_t)y * width;
    const uint16_t *up = y ? row - width : row, *down = y + 1 < height ? row + width : row;
    for (uint32_t x = 0; x < width; x++) {
        double gx = row[x + 1 < width ? x + 1 : x] - (double)row[x ? x - 1 : 0];
        double gy = down[x] - (double)up[x];
        double k = 2 * 257 * speed->kappa;
        out[x] = (float)(speed->edge / (1 + (gx * gx + gy * gy) / (k * k)));
    }
}

/* ---- The window ------------------------------------------------------------------------------ */

/* The intensity below which a share of the counted pixels lies. */
static double quantile(const uint32_t *histogram, uint64_t total, double share)
{
    uint64_t below = 0;
    for (int i = 0; i < 65536; i++) {
        below += histogram[i];
        if ((double)below >= share * (double)total && below > 0)
            return i / 257.0;
    }
    return 255;
}

/* The middle half of the pixels tells centre and spread, whatever else the seed touches. Normally
 * spread intensities have quartiles 0.674 deviations from the median; three and a half deviations
 * let one in two thousand out. */
ro_status window_estimate(const uint16_t *grey, const float *phi, uint32_t width, uint32_t height,
                          double least, double *low, double *high)
{
    static const double deviations = 3.5;
    uint32_t *histogram = calloc(65536, sizeof *histogram);
    uint64_t total = 0;
    *low = 0;
    *high = 255;
    if (!histogram)
        return RO_E_MEMORY;
    for (size_t i = 0; i < (size_t)width * height; i++)
        if (phi[i] < 0) {
            histogram[grey[i]]++;
            total++;
        }
    double middle = quantile(histogram, total, 0.5);
    double lower = middle - quantile(histogram, total, 0.25);
    double upper = quantile(histogram, total, 0.75) - middle;
    double spread = (lower + upper) / (2 * 0.67448975) * deviations;
    if (total && spread < least)
        spread = least;
    if (total) {
        *low = middle - spread;
        *high = middle + spread;
    }
    free(histogram);
    return RO_OK;
}
