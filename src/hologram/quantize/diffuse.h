/* SPDX-License-Identifier: MIT */
/*
 * Complex error diffusion of hogels: what a schedule is given, and the schedules.
 *
 * A pixel of a hogel, in fixed point with 2048 to one, G being the field times the gain:
 *
 *     u = G + (sum w(k) e(x - k) + 2^(shift-1)) >> shift     errors outside the hogel are zero
 *     k = the level nearest to u,   e = u - level(k)
 *
 * G and e are kept within +-HOLOGRAM_LIMIT and u within +-HOLOGRAM_SUM, each component by itself;
 * errors that were cut off are counted. All of it is integers, so that any order of the sum and any
 * schedule gives the same bits.
 */
#ifndef RO_HOLOGRAM_QUANTIZE_DIFFUSE_H
#define RO_HOLOGRAM_QUANTIZE_DIFFUSE_H

#include "hologram/quantize/levels.h"
#include "hologram/quantize/weights.h"
#include "roundoff/hologram.h"
#include "simd/variants.h"
#include "thread/pool.h"

#include <math.h>

static inline int hologram_clamp(int v, int limit)
{
    return v < -limit ? -limit : v > limit ? limit : v;
}

/* A component of the field in fixed point: one product, rounded to nearest even. */
static inline int hologram_fixed(float v, float scale)
{
    float t = v * scale;
    t = t < -HOLOGRAM_LIMIT ? -HOLOGRAM_LIMIT : t > HOLOGRAM_LIMIT ? HOLOGRAM_LIMIT : t;
    return (int)lrintf(t);
}

/* The definition. */
ro_status hologram_run_reference(struct hologram_job *job);

/* ---- Bands: lanes are rows ------------------------------------------------------------------
 *
 * A band is BAND_ROWS rows. At step t its row r is at column t - p * r, so that all of them can be
 * rounded at once; the errors of a step are a vector. Tap (dx, dy) of every row is the vector of
 * dx + p * dy steps ago, moved down by dy rows; what moves in at the top are the errors of the band
 * above, which it left p * BAND_ROWS steps later in its own count.
 */
enum {
    BAND_ROWS = 32,
    BAND_CHUNK = 64, /* steps between looks at the band above */
    BAND_AGE = REACH_X + RO_HOLOGRAM_SKEW * REACH_Y,
    BAND_SLOTS = 128, /* steps kept, a power of two above BAND_AGE */
    BAND_CARRY = 8,   /* rows handed down */
};

/* Errors are pairs of 16 bits, the real part low. */
struct band_scratch {
    _Alignas(64) uint32_t ring[BAND_SLOTS * (REACH_Y + 1) * BAND_ROWS];
    _Alignas(64) uint32_t pixels[BAND_CHUNK * BAND_ROWS]; /* steps of rows */
    _Alignas(64) uint8_t numbers[BAND_CHUNK * BAND_ROWS];
    _Alignas(64) uint32_t tile[BAND_ROWS][BAND_CHUNK]; /* rows of steps */
    _Alignas(64) uint8_t byte_tile[BAND_ROWS][BAND_CHUNK];
    _Alignas(64) uint32_t moves[REACH_Y + 1][16];        /* how lanes move down */
    uint32_t re[RO_HOLOGRAM_TAPS], im[RO_HOLOGRAM_TAPS]; /* weights for pairs */
    uint32_t place[RO_HOLOGRAM_TAPS]; /* of a tap's vector in the ring, from this step's */
    uint32_t slot, mask;              /* words of a step, words of the ring less one */
    int used, dy[REACH_Y + 1];        /* the distances down that taps have */
    int down;                         /* the largest */
};

struct band {
    const struct hologram_taps *taps;
    const struct hologram_levels *levels;
    const float *field; /* of the band's first pixel */
    ptrdiff_t field_stride, out_stride;
    uint8_t *out;
    int width, rows;
    float scale;
    uint32_t
        *carry; /* BAND_CARRY errors for each step of the band above; replaced by this band's */
    uint64_t clips;
};

typedef void band_begin_fn(const struct band *band, struct band_scratch *scratch);
/* Steps t0 to t0 + BAND_CHUNK - 1. */
typedef void band_steps_fn(struct band *band, struct band_scratch *scratch, int t0);

struct band_kernel {
    ro_cpu cpu;
    band_begin_fn *begin;
    band_steps_fn *steps;
};
RO_VARIANTS_DECLARE(const struct band_kernel, band_kernel);

/* The one for this machine, or the one that was asked for; NULL: there is none. */
const struct band_kernel *hologram_band_kernel(const ro_context *context);

static inline int band_steps(int width, int p) { return width + p * (BAND_ROWS - 1); }

/* Threads over hogels and bands. */
ro_status hologram_run_bands(struct hologram_job *job, const struct band_kernel *kernel,
                             int *threads);

#endif
