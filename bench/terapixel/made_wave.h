/* SPDX-License-Identifier: MIT */
/*
 * The picture of made.h under the wave: each thread makes the pixels of its band's next steps in a
 * small window, runs the steps there and hashes the words that they complete. Nothing goes through
 * memory but the lines between bands.
 *
 *     row 0           [ k .. k+512 )            the window: every row from its own column on,
 *     row 1       [ k-4 .. k+508 )              so that it holds what the steps use and no more
 *     row 2   [ k-8 .. k+504 )
 */
#ifndef RO_BENCH_TERAPIXEL_MADE_WAVE_H
#define RO_BENCH_TERAPIXEL_MADE_WAVE_H

#include "halftone/error_diffusion/diffusion.h"
#include "simd/variants.h"

#include <stddef.h>

enum {
    MADE_STEPS = 512, /* of a window */
    MADE_ROWS = 32,   /* at most: lanes of the widest vectors */
    MADE_MARGIN = 64, /* vectors at the picture's sides are loaded whole */
    MADE_WORDS = MADE_STEPS / 64,
    MADE_BEHIND = 2, /* words that the last row may be behind the first one */
};

/* Samples of row y from column x on, a multiple of 64 of them, and the hash of `count` words. */
struct made_code {
    void (*samples)(uint8_t *to, uint32_t y, int64_t x, int count);
    uint64_t (*hash)(const uint64_t *words, uint32_t y, uint32_t first, int count);
};
RO_VARIANTS_DECLARE(const struct made_code, made_code);

struct made_window {
    _Alignas(64) uint8_t in[MADE_ROWS][MADE_STEPS + 2 * MADE_MARGIN];
    uint64_t out[MADE_ROWS][MADE_BEHIND + MADE_WORDS];
    uint64_t hash; /* of all words so far, modulo 2^64 */
    const struct made_code *code;
};

/* The hash of the picture of side^2 pixels, on the context's threads. */
ro_status diffusion_made(ro_context *context, uint32_t side, uint64_t *hash);

#endif
