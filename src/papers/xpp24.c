/* SPDX-License-Identifier: MIT */
/*
 * Hardware profile xpp24: what the reconfigurable XPP array of section 4.3.3 computes. Numbers have
 * 24 bits, the diffusivity comes from a table of 9 bits, and a pixel's word holds 12 bits of the
 * weight of the element at its lower right and 12 bits of the pixel's inverse diagonal. A time step
 * is four Jacobi iterations of the linear problem, which smooth the gradient's image, and eight of
 * the non-linear one:
 *
 *     x' = x + inverse ((r - x) + tau sum k (x_b - x) / 6) / 2^24
 *
 * (Eq. 4.13 rearranged as Eq. 2.50: with 12 bits the plain form would darken an even image), where
 * k is twice a weight on diagonals and the sum of two on sides. Divisions round toward zero.
 */
#include "core/checked.h"
#include "denoise/denoise.h"
#include "papers/xpp24_rows.h"

#include <stdlib.h>

enum { SMOOTHINGS = 4, ITERATIONS = 8, WHOLE = 4096, LARGEST = 4095 };

/* 4096 / (1 + tau (2/3) W), W the sum of four 12-bit weights, of which the 9 upper bits count. */
static void fill_inverse(uint16_t *table, uint32_t time)
{
    for (uint64_t i = 0; i < RO_TABLE; i++) {
        uint64_t sum = 32 * i + 16; /* of 2^14 */
        uint64_t denominator = (uint64_t)3 * RO_TIME_ONE * WHOLE + 2 * time * sum;
        uint64_t value = (uint64_t)3 * RO_TIME_ONE * WHOLE * WHOLE / denominator;
        table[i] = (uint16_t)(value > LARGEST ? LARGEST : value);
    }
}

void xpp24_make(struct xpp24 *xpp, const struct diffusion_parameters *parameters)
{
    struct diffusion_parameters p = *parameters;
    const double sigma = p.sigma;
    *xpp = (struct xpp24){.time = p.time};
    p.time = RO_TIME_ONE;
    p.sigma = 0;
    diffusion_make(&xpp->diffusion, &p);
    xpp->smoothing_time = (uint32_t)(RO_TIME_ONE * sigma * sigma / 2);
    for (uint32_t i = 0; i < RO_TABLE; i++) {
        uint32_t weight = 8 * WHOLE / (8 + i);
        xpp->weight[i] = (uint16_t)(weight > LARGEST ? LARGEST : weight);
    }
    fill_inverse(xpp->inverse, xpp->time);
    fill_inverse(xpp->smoothing_inverse, xpp->smoothing_time);
}

/* A word: the weight above, the inverse below. */
static uint32_t weight_of(const int32_t *words, int64_t i) { return (uint32_t)words[i] >> 12; }

static void pack_inverses(int32_t *words, int64_t width, int64_t height, const uint16_t *inverse)
{
    for (int64_t y = 0, i = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++, i++) {
            uint32_t sum = weight_of(words, i);
            sum += x > 0 ? weight_of(words, i - 1) : 0;
            sum += y > 0 ? weight_of(words, i - width) : 0;
            sum += x > 0 && y > 0 ? weight_of(words, i - width - 1) : 0;
            words[i] |= inverse[sum >> 5];
        }
}

void xpp24_iterate(const int32_t *words, int64_t width, int64_t height, uint32_t time,
                   const int32_t *r, const int32_t *x, int32_t *next)
{
    for (int64_t row = 0, i = 0; row < height; row++)
        for (int64_t column = 0; column < width; column++, i++) {
            int64_t pull = 0;
            for (int dy = -1; dy <= 0; dy++)
                for (int dx = -1; dx <= 0; dx++) {
                    /* the four elements round the pixel; its neighbours in each are ahead or back
                     */
                    if (row + dy < 0 || column + dx < 0 || row + dy >= height - 1 ||
                        column + dx >= width - 1)
                        continue;
                    int64_t weight = weight_of(words, i + dy * width + dx);
                    int64_t aside = dx ? -1 : 1, along = dy ? -width : width;
                    pull += weight * (2 * (int64_t)x[i + aside + along] + x[i + aside] +
                                      x[i + along] - 4 * (int64_t)x[i]);
                }
            /* time in 2^-14 and weights in 2^-12; the inverse in 2^-12 */
            int64_t target =
                r[i] - x[i] + (int64_t)time * pull / ((int64_t)6 * RO_TIME_ONE * WHOLE);
            next[i] = x[i] + (int32_t)(target * (words[i] & LARGEST) / WHOLE);
        }
}

static void element_words(const struct xpp24 *xpp, const int32_t *guide, int plane, int32_t *words)
{
    const struct step_weights *d = &xpp->diffusion;
    const int64_t width = d->width, height = d->height, size = width * height;
    for (int64_t y = 0, i = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++, i++) {
            uint64_t norm = 0;
            words[i] = 0;
            if (x == width - 1 || y == height - 1)
                continue;
            for (int c = 0; c < d->joint; c++) {
                const int32_t *a = guide + (plane + c) * size + i;
                int64_t p = a[width + 1] - a[0], q = a[1] - a[width];
                norm += (uint64_t)(p * p + q * q);
            }
            uint32_t index = table_index(d, norm);
            words[i] = index < RO_TABLE ? xpp->weight[index] << 12 : 0;
        }
}

static const struct xpp24_kernels plain = {xpp24_iterate};

/* An even number of iterations from r to `to`, every other one in `next`. */
static void march(const struct xpp24_kernels *kernels, const int32_t *words,
                  const struct step_weights *d, uint32_t time, int iterations, const int32_t *r,
                  int32_t *to, int32_t *next)
{
    const int32_t *from = r;
    for (int n = 0; n < iterations; n++) {
        int32_t *out = n % 2 ? to : next;
        kernels->iterate(words, d->width, d->height, time, r, from, out);
        from = out;
    }
}

static void step_by(const struct xpp24_kernels *kernels, const struct xpp24 *xpp, const int32_t *u,
                    int32_t *out, int32_t *scratch)
{
    const struct step_weights *d = &xpp->diffusion;
    const int64_t width = d->width, height = d->height, size = width * height;
    int32_t *words = scratch, *next = words + size, *guide = next + size;
    for (int64_t y = 0, i = 0; y < height; y++)
        for (int64_t column = 0; column < width; column++, i++)
            words[i] = column < width - 1 && y < height - 1 ? LARGEST << 12 : 0;
    pack_inverses(words, width, height, xpp->smoothing_inverse);
    for (int plane = 0; plane < d->planes; plane++) {
        const int32_t *r = u + plane * size;
        march(kernels, words, d, xpp->smoothing_time, SMOOTHINGS, r, guide + plane * size, next);
    }
    for (int plane = 0; plane < d->planes; plane++) {
        const int32_t *r = u + plane * size;
        if (plane % d->joint == 0) {
            element_words(xpp, guide, plane, words);
            pack_inverses(words, width, height, xpp->inverse);
        }
        march(kernels, words, d, xpp->time, ITERATIONS, r, out + plane * size, next);
    }
}

void xpp24_step(const struct xpp24 *xpp, const int32_t *u, int32_t *out, int32_t *scratch)
{
    step_by(&plain, xpp, u, out, scratch);
}

static ro_cpu cpu_of(const struct denoiser *work)
{
    const ro_cpu asked = work->context->options.cpu;
    return asked ? asked : work->context->cpu;
}

static void step(const struct denoiser *work, const void *xpp, const int32_t *now, int32_t *next,
                 int32_t *scratch)
{
    static const struct xpp24_kernels *const kernels[RO_CPUS] = {[RO_CPU_SCALAR] = &plain,
                                                                 RO_VARIANTS_OF(xpp24_kernels)};
    step_by(kernels[cpu_of(work)], xpp, now, next, scratch);
}

ro_status denoise_xpp24(struct denoiser *work)
{
    struct xpp24 xpp;
    xpp24_make(&xpp, &work->parameters);
    ro_status status = denoiser_march(work, 2 + (size_t)work->channels, step, &xpp);
    if (status == RO_OK && cpu_of(work) != RO_CPU_SCALAR)
        denoiser_report(work, "passes", cpu_of(work), 1);
    return status;
}
