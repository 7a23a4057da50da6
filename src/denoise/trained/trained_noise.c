/* SPDX-License-Identifier: MIT */
/*
 * The noise of an image for model trained: the mean energy of fine differences in blocks where
 * coarse ones are small.
 *
 * d_k(x, y) is the k-th difference along rows and columns of a channel's pixels, of sums of 2 x 2
 * and of 4 x 4 pixels (scales 0, 1 and 2). Its energy in a block, over what white noise of variance
 * 1 has, is E_k: the variance of white noise, plus texture, less of it for larger k. A block has 16
 * x 16 pixels at each scale. The quietest tenth by E_1 of scale 1 gives
 *
 *     sigma^2 = E_3 - 4 (E_2 - E_3)        E_2 >= E_3, else E_3
 *
 * of scale 0, because what texture is left falls from E_2 to E_3. Blocks with several black or
 * white pixels count only if there are no others.
 *
 * Noise that was blurred, as cameras and scalers do, has little energy at scale 0. For a Gaussian
 * blur, r^2 = (E_1 of scale 1) / (E_3 of scale 0) gives all other quotients. If they agree with r
 * and the quieter half of the blocks have about the same energy at scale 1, which texture does not,
 * then the noise is that energy times a gain, the one with which the network does best.
 *
 * The number 4 and the table are from photographs in tools/denoise_train; tolerances leave room for
 * what they had. Sums of squares are integers; sums of blocks are added in the order of their
 * ranks, so that the result has the same bits wherever it is computed.
 */
#include "core/image.h"
#include "denoise/noise.h"
#include "denoise/trained/trained_picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SCALES = 3,
    ORDERS = 3,
    SIDE = 16,              /* pixels of a block */
    ROWS = 28,              /* that differences of a block reach at the coarsest scale */
    FEW_CLIPPED = 4,        /* pixels of a block */
    LEAST_BLOCKS = 16,      /* for an estimate */
    MOST_SAMPLES = 1 << 22, /* of larger images, bands of rows at even distances are read */
    FALL = 4,
};

struct block {
    double energy[SCALES][ORDERS];
    uint32_t clipped, place;
};

/* A band of rows, one channel after another, and a copy for differences. */
struct strip {
    const ro_image *image;
    size_t channels, width, across; /* blocks across */
    float range;
    int32_t white; /* clipped samples are 0 or this; negative: floats are not clipped */
    int32_t *line, *plane, *work;
};

/* ---- Energies ------------------------------------------------------------------------------- */

static void load_rows(const struct strip *strip, uint32_t top)
{
    const size_t width = strip->width, channels = strip->channels;
    for (uint32_t y = 0; y < ROWS; y++) {
        noise_load(strip->image, strip->range, top + y, strip->line);
        for (size_t c = 0; c < channels; c++) {
            int32_t *row = strip->plane + (c * ROWS + y) * width;
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

static uint32_t clipped_in(const struct strip *strip, const int32_t *plane)
{
    uint32_t clipped = 0;
    for (int y = 0; y < SIDE && strip->white >= 0; y++, plane += strip->width)
        for (int x = 0; x < SIDE; x++)
            clipped += plane[x] == 0 || plane[x] == strip->white;
    return clipped;
}

static void measure(const struct strip *strip, int32_t *plane, struct block *blocks)
{
    static const double gains[ORDERS] = {4, 36, 400}; /* squared lengths of d_k */
    const size_t stride = strip->width;
    size_t width = stride;
    int rows = ROWS, side = SIDE;
    for (size_t b = 0; b < strip->across; b++)
        blocks[b].clipped = clipped_in(strip, plane + b * SIDE);
    for (int s = 0; s < SCALES; s++, width /= 2, rows /= 2, side /= 2) {
        memcpy(strip->work, plane, (size_t)rows * stride * sizeof *plane);
        for (int k = 0; k < ORDERS; k++) {
            differ(strip->work, stride, width - (size_t)k, rows - k);
            for (size_t b = 0; b < strip->across; b++)
                blocks[b].energy[s][k] = energy_of(strip->work + b * (size_t)side, stride, side) /
                                         (side * side * gains[k] * (double)(1 << 2 * s));
        }
        halve(plane, stride, width, rows);
    }
}

/* ---- Quiet blocks --------------------------------------------------------------------------- */

static int by_place(const struct block *a, const struct block *b)
{
    return (a->place > b->place) - (a->place < b->place);
}

static int by_scale_1(const void *a, const void *b)
{
    const struct block *one = a, *other = b;
    const double x = one->energy[1][0], y = other->energy[1][0];
    return x != y ? (x > y) - (x < y) : by_place(one, other);
}

static int by_scale_2(const void *a, const void *b)
{
    const struct block *one = a, *other = b;
    const double x = one->energy[2][0], y = other->energy[2][0];
    return x != y ? (x > y) - (x < y) : by_place(one, other);
}

static double mean(const struct block *blocks, size_t count, int scale, int order)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += blocks[i].energy[scale][order - 1];
    return sum / (double)count;
}

/* ---- Noise that was blurred ----------------------------------------------------------------- */

/* Quotients of standard deviations for Gaussian blurs of 0.45 to 0.75 pixels. */
struct blur {
    double r;         /* d_1 of scale 1 over d_3 of scale 0, */
    double fine;      /* d_1 over d_3 at scale 0, */
    double coarse;    /* and at scale 1, */
    double next;      /* d_1 of scale 2 over that of scale 1 */
    double best_gain; /* the noise with which the network does best, over d_1 of scale 1 */
};
static const struct blur blurs[] = {
    {1.50, 1.115, 1.033, 1.16, 1.07}, {1.78, 1.182, 1.055, 1.22, 1.10},
    {3.13, 1.472, 1.120, 1.35, 1.26}, {4.10, 1.667, 1.152, 1.41, 1.35},
    {5.40, 1.922, 1.176, 1.48, 1.45}, {6.80, 2.190, 1.228, 1.57, 1.53},
};
enum { BLURS = sizeof blurs / sizeof *blurs };

static double between(double a, double b, double share) { return a + share * (b - a); }

/* Returns false if r is outside of the table. */
static bool find_blur(double r, struct blur *blur)
{
    for (int i = 0; i + 1 < BLURS; i++) {
        const struct blur *a = &blurs[i], *b = &blurs[i + 1];
        const double share = (r - a->r) / (b->r - a->r);
        if (!(share >= 0 && share <= 1))
            continue;
        *blur = (struct blur){
            r, between(a->fine, b->fine, share), between(a->coarse, b->coarse, share),
            between(a->next, b->next, share), between(a->best_gain, b->best_gain, share)};
        return true;
    }
    return false;
}

static bool is_near(double x, double wanted, double tolerance)
{
    return fabs(x - wanted) <= tolerance * wanted;
}

/* Returns the variance of blurred noise, or 0. `fine` has energies of scale 0 and `next` E_1 of
 * scale 2, both of the blocks that are quietest at scale 1. */
static double blurred(struct block *blocks, size_t count, const double fine[ORDERS], double next)
{
    const size_t tenth = count / 10, quarter = count / 4, half = count / 2;
    struct blur blur;
    qsort(blocks, count, sizeof *blocks, by_scale_2);
    const double coarse = mean(blocks, tenth, 1, 1);
    if (!(fine[2] > 0) || !find_blur(sqrt(coarse / fine[2]), &blur) ||
        !is_near(sqrt(fine[0] / fine[2]), blur.fine, 0.045) ||
        !is_near(sqrt(coarse / mean(blocks, tenth, 1, 3)), blur.coarse, 0.1) ||
        !is_near(sqrt(next / coarse), blur.next, 0.3) ||
        !(mean(blocks, quarter, 1, 1) < 1.12 * coarse) ||
        !(mean(blocks, half, 1, 1) < 1.4 * coarse))
        return 0;
    return blur.best_gain * blur.best_gain * coarse;
}

/* ---- The whole ------------------------------------------------------------------------------ */

/* Moves blocks that are not clipped to the front. Returns how many count. */
static size_t choose(struct block *blocks, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        kept += blocks[i].clipped <= FEW_CLIPPED;
    if (kept < LEAST_BLOCKS || kept == count)
        return count;
    kept = 0;
    for (size_t i = 0; i < count; i++)
        if (blocks[i].clipped <= FEW_CLIPPED)
            blocks[kept++] = blocks[i];
    return kept;
}

static double variance_of(struct block *blocks, size_t count)
{
    const size_t tenth = count / 10;
    double fine[ORDERS];
    qsort(blocks, count, sizeof *blocks, by_scale_1);
    for (int k = 1; k <= ORDERS; k++)
        fine[k - 1] = mean(blocks, tenth, 0, k);
    const double white = fine[2] - FALL * fmax(fine[1] - fine[2], 0);
    const double next = mean(blocks, tenth, 2, 1);
    return fmax(blurred(blocks, count, fine, next), fmax(white, 0));
}

ro_status trained_noise(ro_context *context, const ro_image *image, double *noise)
{
    const bool floats = ro_format_sample_bytes(image->format) == 4;
    const double white = floats ? 65535 : ro_image_white(image);
    struct strip strip = {.image = image,
                          .channels = ro_format_is_colour(image->format) ? 3 : 1,
                          .width = image->width,
                          .white = floats ? -1 : (int32_t)white};
    const size_t size = ROWS * strip.width;
    if (image->width < ROWS || image->height < ROWS)
        return noise_in_blocks(context, image, noise);
    strip.across = (strip.width - ROWS) / SIDE + 1;
    const size_t samples = strip.channels * strip.width * image->height;
    const size_t bands = (image->height - ROWS) / SIDE + 1,
                 apart = (samples - 1) / MOST_SAMPLES + 1;
    const size_t in_band = strip.across * strip.channels, count = (bands - 1) / apart + 1;
    if (count * in_band < LEAST_BLOCKS)
        return noise_in_blocks(context, image, noise);
    struct block *blocks = malloc(count * in_band * sizeof *blocks);
    strip.line =
        malloc((strip.channels * strip.width + (strip.channels + 1) * size) * sizeof *strip.line);
    ro_status status = RO_OK;
    if (!blocks || !strip.line)
        status = ro_context_fail(context, RO_E_MEMORY, "no memory to estimate the noise");
    if (status == RO_OK) {
        strip.plane = strip.line + strip.channels * strip.width;
        strip.work = strip.plane + strip.channels * size;
        strip.range = noise_range(image);
    }
    for (size_t b = 0; b < count && status == RO_OK; b++) {
        load_rows(&strip, (uint32_t)(b * apart * SIDE));
        for (size_t c = 0; c < strip.channels; c++)
            measure(&strip, strip.plane + c * size, blocks + b * in_band + c * strip.across);
        if (ro_context_cancelled(context))
            status = ro_context_fail(context, RO_E_CANCELLED, "cancelled");
    }
    if (status == RO_OK) {
        for (size_t i = 0; i < count * in_band; i++)
            blocks[i].place = (uint32_t)i;
        *noise = sqrt(variance_of(blocks, choose(blocks, count * in_band))) * 255 / white *
                 (double)strip.range;
    }
    free(blocks);
    free(strip.line);
    return status;
}
