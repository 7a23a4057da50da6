/* SPDX-License-Identifier: MIT */
/*
 * The noise of an image for model trained: the mean energy of fine differences in blocks where
 * coarse ones are small. trained_blocks.c has the energies E_k. The quietest tenth by E_1 of scale
 * 1 gives
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
 * what they had. Sums of blocks are added in the order of their ranks, so that the result has the
 * same bits wherever it is computed.
 */
#include "denoise/trained/noise/trained_noise.h"

#include "core/image.h"
#include "denoise/denoise.h"
#include "denoise/noise.h"

#include <math.h>
#include <stdlib.h>

enum { FALL = 4 };

/* ---- Quiet blocks --------------------------------------------------------------------------- */

static int by_place(const struct noise_block *a, const struct noise_block *b)
{
    return (a->place > b->place) - (a->place < b->place);
}

static int by_scale_1(const void *a, const void *b)
{
    const struct noise_block *one = a, *other = b;
    const double x = one->energy[1][0], y = other->energy[1][0];
    return x != y ? (x > y) - (x < y) : by_place(one, other);
}

static int by_scale_2(const void *a, const void *b)
{
    const struct noise_block *one = a, *other = b;
    const double x = one->energy[2][0], y = other->energy[2][0];
    return x != y ? (x > y) - (x < y) : by_place(one, other);
}

double noise_mean(const struct noise_block *blocks, size_t count, int scale, int order)
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
static double blurred(struct noise_block *blocks, size_t count, const double fine[NOISE_ORDERS],
                      double next)
{
    const size_t tenth = count / 10, quarter = count / 4, half = count / 2;
    struct blur blur;
    qsort(blocks, count, sizeof *blocks, by_scale_2);
    const double coarse = noise_mean(blocks, tenth, 1, 1);
    if (!(fine[2] > 0) || !find_blur(sqrt(coarse / fine[2]), &blur) ||
        !is_near(sqrt(fine[0] / fine[2]), blur.fine, 0.045) ||
        !is_near(sqrt(coarse / noise_mean(blocks, tenth, 1, 3)), blur.coarse, 0.1) ||
        !is_near(sqrt(next / coarse), blur.next, 0.3) ||
        !(noise_mean(blocks, quarter, 1, 1) < 1.12 * coarse) ||
        !(noise_mean(blocks, half, 1, 1) < 1.4 * coarse))
        return 0;
    return blur.best_gain * blur.best_gain * coarse;
}

/* ---- The whole ------------------------------------------------------------------------------ */

/* Moves blocks that are not clipped to the front. Returns how many count. */
static size_t choose(struct noise_block *blocks, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        kept += blocks[i].black + blocks[i].white <= NOISE_FEW_CLIPPED;
    if (kept < NOISE_LEAST_BLOCKS || kept == count)
        return count;
    kept = 0;
    for (size_t i = 0; i < count; i++)
        if (blocks[i].black + blocks[i].white <= NOISE_FEW_CLIPPED) {
            const struct noise_block other = blocks[kept];
            blocks[kept++] = blocks[i];
            blocks[i] = other;
        }
    return kept;
}

double noise_white(struct noise_block *blocks, size_t count, size_t quiet,
                   double fine[NOISE_ORDERS])
{
    qsort(blocks, count, sizeof *blocks, by_scale_1);
    for (int k = 1; k <= NOISE_ORDERS; k++)
        fine[k - 1] = noise_mean(blocks, quiet, 0, k);
    return fmax(fine[2] - FALL * fmax(fine[1] - fine[2], 0), 0);
}

static double variance_of(struct noise_block *blocks, size_t count)
{
    double fine[NOISE_ORDERS];
    const double white = noise_white(blocks, count, count / 10, fine);
    const double next = noise_mean(blocks, count / 10, 2, 1);
    return fmax(blurred(blocks, count, fine, next), white);
}

void noise_of_blocks(struct noise_block *blocks, size_t count, double unit,
                     struct trained_noise *noise)
{
    if (!noise_grows(blocks, count, noise)) {
        const double sigma = sqrt(variance_of(blocks, choose(blocks, count))) * unit;
        *noise = (struct trained_noise){.sigma = sigma, .dark = sigma};
        return;
    }
    noise->darkest *= unit;
    noise->brightest *= unit;
    noise->gain *= unit;
    noise->base *= unit * unit;
    noise->sigma = sqrt(noise->base + noise->gain * noise->brightest);
    noise->dark = sqrt(fmax(noise->base + noise->gain * noise->darkest, 0));
}

double noise_unit(const ro_image *image, float range)
{
    const bool floats = ro_format_sample_bytes(image->format) == 4;
    return (double)range * 255 / (floats ? 65535 : ro_image_white(image));
}

ro_status trained_noise(ro_context *context, const ro_image *image, struct trained_noise *noise)
{
    const float range = noise_range(image);
    struct noise_grid grid;
    *noise = (struct trained_noise){0};
    if (!noise_grid_make(&grid, image)) {
        const ro_status status = noise_in_blocks(context, image, &noise->sigma);
        noise->dark = noise->sigma;
        return status;
    }
    const size_t count = noise_grid_blocks(&grid);
    struct noise_block *blocks = malloc(count * sizeof *blocks);
    if (!blocks)
        return ro_context_fail(context, RO_E_MEMORY, "no memory to estimate the noise");
    const ro_status status = noise_measure(context, image, 0, range, &grid, 0, grid.bands, blocks);
    if (status == RO_OK)
        noise_of_blocks(blocks, count, noise_unit(image, range), noise);
    free(blocks);
    return status;
}
