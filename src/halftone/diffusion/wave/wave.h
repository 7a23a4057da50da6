/* SPDX-License-Identifier: MIT */
/*
 * The wave: rows as SIMD lanes, each lane `skew` columns behind the one above.
 *
 *     column   0 1 2 3 4 5 6 7 8 9           the pixels of step 9 at skew 3
 *     lane 0   . . . . . . . . . 9
 *     lane 1   . . . . . . 9
 *     lane 2   . . . 9
 *     lane 3   9
 *
 * A band of as many rows as there are lanes runs from left to right. It reads the errors of the
 * rows above it from lines that the band above wrote, and writes its own last rows' errors.
 */
#ifndef RO_HALFTONE_DIFFUSION_WAVE_WAVE_H
#define RO_HALFTONE_DIFFUSION_WAVE_WAVE_H

#include "halftone/diffusion/diffusion.h"
#include "simd/variants.h"

enum {
    WAVE_CHUNK = 64, /* steps between looks at the neighbours; columns of an output word */
    WAVE_LINE_PAD =
        1024, /* lane-sized entries on either side of a line: skew times lanes and more */
};

struct wave_band {
    const unsigned char *in;
    ptrdiff_t in_stride;
    int readable; /* rows of it: lanes beyond them read the first one */
    unsigned char *out;
    ptrdiff_t out_stride;
    int rows;                            /* up to the number of lanes */
    int64_t end;                         /* steps to run: the rest of the last chunk is of no use */
    uint32_t first_row;                  /* in the image */
    const void *above[DIFFUSION_MAX_DY]; /* column 0 of the biased errors of rows -1, -2, -3 */
    void *below[DIFFUSION_MAX_DY];       /* of this band's rows lanes-1, lanes-2, lanes-3; or what
                                          * flows out, see tonal_lanes.h and acuity_lanes.h */
    void *left[DIFFUSION_MAX_DY]; /* the same of rows rows-1, ..., where these are fewer than lanes
                                   * and lines are wanted; `below` is then of no use. Or NULL */
    void *scratch;                /* wave_code.scratch_bytes, aligned to 64 */
    const unsigned char *next;    /* the next band's rows, where the same thread runs it; or NULL */
    int64_t next_share, next_end; /* bytes of it for every chunk, and all of them */
};

/* Brings a share of the next band's rows nearer while a chunk of this one runs: as they lie, which
 * the hardware follows, and it does not follow as many rows as a band has. */
static inline void wave_fetch_next(const struct wave_band *band, int64_t k0)
{
    if (!band->next)
        return;
    const int64_t from = k0 / WAVE_CHUNK * band->next_share, to = from + band->next_share;
    for (int64_t at = from; at < to && at < band->next_end; at += 64)
        __builtin_prefetch(band->next + at, 0, 2);
}

/* Of the chunk of steps from k0 on, those that are run. */
static inline int wave_count(const struct wave_band *band, int64_t k0)
{
    const int64_t left = band->end - k0;
    return left <= 0 ? 0 : left < WAVE_CHUNK ? (int)left : WAVE_CHUNK;
}

/* Code for one instruction set and lane width. `steps` takes steps first to last-1, whole chunks.
 */
struct wave_code {
    int lanes;
    size_t scratch_bytes;
    void (*begin)(const struct diffusion_plan *plan, struct wave_band *band);
    void (*steps)(const struct diffusion_plan *plan, struct wave_band *band, int64_t first,
                  int64_t last);
};

RO_VARIANTS_DECLARE(const struct wave_code, wave_16);
RO_VARIANTS_DECLARE(const struct wave_code, wave_32);
RO_VARIANTS_DECLARE(const struct wave_code, wave_numbers_16);
RO_VARIANTS_DECLARE(const struct wave_code, wave_numbers_32);
RO_VARIANTS_DECLARE(const struct wave_code, wave_tonal);
RO_VARIANTS_DECLARE(const struct wave_code, wave_acuity_ten_16);
RO_VARIANTS_DECLARE(const struct wave_code, wave_acuity_six_16);
RO_VARIANTS_DECLARE(const struct wave_code, wave_acuity_four_16);
RO_VARIANTS_DECLARE(const struct wave_code, wave_acuity_ten_32);
RO_VARIANTS_DECLARE(const struct wave_code, wave_acuity_six_32); /* of four taps too */

#endif
