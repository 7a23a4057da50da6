/* SPDX-License-Identifier: MIT */
/*
 * The noise of an image for model trained. Blocks of 16 x 16 pixels are measured first
 * (trained_blocks.c): they may be measured anywhere and in any order. The noise follows from all of
 * them (trained_noise.c), and how it grows with the tone, if it does (trained_tones.c).
 */
#ifndef RO_DENOISE_TRAINED_TRAINED_NOISE_H
#define RO_DENOISE_TRAINED_TRAINED_NOISE_H

#include "roundoff/core.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    NOISE_SCALES = 3,
    NOISE_ORDERS = 3,
    NOISE_SIDE = 16,         /* pixels of a block */
    NOISE_ROWS = 28,         /* that differences of a block reach at the coarsest scale */
    NOISE_LEAST_BLOCKS = 16, /* for an estimate */
    NOISE_FEW_CLIPPED = 4,   /* samples of a block */
};

struct noise_block {
    double energy[NOISE_SCALES][NOISE_ORDERS];
    int64_t tone;          /* the sum of its samples */
    uint32_t black, white; /* how many samples are cut off, perhaps */
    uint64_t place;
};

/* Which blocks of an image are measured: those of every `apart`-th band of rows, in all channels.
 */
struct noise_grid {
    size_t channels, across, bands, apart;
};

/* Returns false if the image is too small to be measured in blocks. */
bool noise_grid_make(struct noise_grid *grid, const ro_image *shape);
size_t noise_grid_blocks(const struct noise_grid *grid);

/* Measures the blocks of some bands; `range` is that of noise_range. The image begins with row
 * `top` of the one that the grid is of. */
ro_status noise_measure(ro_context *context, const ro_image *image, uint32_t top, float range,
                        const struct noise_grid *grid, size_t first, size_t end,
                        struct noise_block *blocks);

/* What noise there is. Standard deviations and tones are in 1/255 of white. */
struct trained_noise {
    double sigma; /* everywhere; if it grows, at the brightest tone */
    double dark;  /* the same; if it grows, at the darkest tone */
    double gain;  /* the variance is base + gain * tone; 0: the same for all tones */
    double base;
    double darkest, brightest; /* the tones that were measured, if it grows */
};

/* What a sample of an image is in 1/255 of white. */
double noise_unit(const ro_image *image, float range);

/* From all blocks, in any order; they are sorted. A sample is `unit` / 255 of white. */
void noise_of_blocks(struct noise_block *blocks, size_t count, double unit,
                     struct trained_noise *noise);

/* Whether the noise grows with the tone; then gain, base and tones are filled in, in samples. */
bool noise_grows(struct noise_block *blocks, size_t count, struct trained_noise *noise);

/* The variance of white noise in the quietest blocks, which are sorted; and E_k of scale 0. */
double noise_white(struct noise_block *blocks, size_t count, size_t quiet,
                   double fine[NOISE_ORDERS]);
double noise_mean(const struct noise_block *blocks, size_t count, int scale, int order);

/* What a picture spans, where only pieces of it are at hand. */
struct trained_extent {
    double least, most; /* of floats */
    float range;        /* as of noise_range */
    uint32_t largest;   /* of integers */
    struct trained_noise noise;
};

/* Estimates the noise of an image. */
ro_status trained_noise(ro_context *context, const ro_image *image, struct trained_noise *noise);

#endif
