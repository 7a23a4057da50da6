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
#ifndef RO_HALFTONE_ERROR_DIFFUSION_WAVE_WAVE_H
#define RO_HALFTONE_ERROR_DIFFUSION_WAVE_WAVE_H

#include "halftone/error_diffusion/diffusion.h"
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
                                          * flows out, see tone_dependent_lanes.h and acuity_lanes.h */
    void *left[DIFFUSION_MAX_DY]; /* the same of rows rows-1, ..., where these are fewer than lanes
                                   * and lines are wanted; `below` is then of no use. Or NULL */
    void *scratch;                /* wave_code.scratch_bytes, aligned to 64 */
    bool more;                    /* the next band lies behind it, and the same thread runs it */
};

/*
 * Brings lines of rows nearer that a later chunk of this band needs, or, past its columns, the next
 * band: a line or a part of it with every step, for the hardware follows fewer rows than a band
 * has, and many requests at once would wait for one another.
 */
struct wave_ahead {
    const unsigned char *from;
    ptrdiff_t apart; /* of rows, each `skew` columns behind the one above */
    int part;        /* of a row, as many as steps for each */
};
static inline struct wave_ahead wave_ahead_of(const struct wave_band *band, const void *rows,
                                              ptrdiff_t stride, int pixel, int lanes, int skew,
                                              int64_t column, uint32_t width)
{
    const int64_t past = column - width;
    struct wave_ahead ahead = {rows, stride - skew * pixel, lanes * pixel};
    if (past >= 0 && !band->more)
        return (struct wave_ahead){band->scratch, 0, 0};
    ahead.from += past < 0 ? column * pixel : lanes * stride + past * pixel;
    return ahead;
}
static inline __attribute__((always_inline)) const unsigned char *
wave_ahead_at(const struct wave_ahead *ahead, int q, int lanes)
{
    const int steps = WAVE_CHUNK / lanes;
    return ahead->from + q / steps * ahead->apart + q % steps * ahead->part;
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

/*
 * Runs the steps of bands on pixels that are nowhere stored: puts them into memory of its own,
 * calls code->steps or diffusion_gather, and takes the bits. Called by each thread for its own
 * bands.
 */
struct wave_source {
    void (*lanes)(void *data, int thread, const struct diffusion_plan *plan,
                  const struct wave_code *code, struct wave_band *band, int64_t first,
                  int64_t last);
    void (*row)(void *data, int thread, const struct diffusion_plan *plan,
                struct diffusion_row *row, int64_t first, int64_t last);
    void *data;
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
