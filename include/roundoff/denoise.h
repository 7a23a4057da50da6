/* SPDX-License-Identifier: MIT */
/*
 * Denoising by diffusion in small numbers. Part of roundoff.h.
 */
#ifndef ROUNDOFF_DENOISE_H
#define ROUNDOFF_DENOISE_H

#include "roundoff/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Denoising ---------------------------------------------------------------------------- */

/* What a denoising did. Sums, extrema and energies (sums of squares) are of the numbers the method
 * worked in, `white` being the number that stands for white; whole numbers below 2^53 are exact. */
typedef struct ro_denoise_report {
    const char *number; /* the number system */
    double white;
    uint32_t sample_white; /* the sample that stands for it; 0 of floats */
    double kappa;          /* in 1/255 of white; 0 where it does not apply */
    double noise;     /* estimated standard deviation in 1/255 of white, if kappa came from it */
    double time_step; /* tau/h^2 */
    uint32_t steps;   /* iterations done; with until_converged, until nothing moved */
    int converged;    /* a step was seen that changed nothing */
    double device_seconds; /* of the steps alone on a CUDA device; 0 on the CPU */
    double sum_before, sum_after;
    double min_before, min_after, max_before, max_after;
    double energy_before, energy_after;
    /* Of an output of integers, in its levels; 0 of floats. */
    double drift;      /* its sum minus that of the result it was rounded from */
    double difference; /* its sum minus that of the input: 0 where the system holds the levels of
                          the input and the output has the same, unless each pixel is rounded */
    double impulses;   /* the share of samples that look like impulse noise, or were mended */
    int saturating;    /* the time step is longer than is stable: neither sum nor extrema hold, and
                          numbers end at black and white */
} ro_denoise_report;

/* The image after a step, in the numbers of the working system: of integers exactly, the energy
 * being energy_high * 2^64 + energy_low; of floats as doubles. */
typedef struct ro_denoise_step {
    uint32_t step; /* 0: before the first */
    int exact;     /* integers; else the last four are filled in */
    int64_t sum, min, max;
    uint64_t energy_high, energy_low;
    double real_sum, real_min, real_max, real_energy;
} ro_denoise_step;
typedef void (*ro_denoise_step_fn)(void *data, const ro_denoise_step *step);

#define RO_WHITE_MAXVAL UINT32_MAX

typedef struct ro_denoise_options {
    size_t size;          /* RO_DENOISE_OPTIONS sets it */
    const char *model;    /* NULL: "anisotropic"; "linear", "perona-malik", "exponential",
                             "edge-enhancing" */
    const char *scheme;   /* NULL: "explicit", but "implicit" of u8 and s9 unless until_converged;
                             "conjugate", "naive", "xpp24" */
    const char *number;   /* NULL: s16 for 8-bit images, s17 for 16-bit, s23e8 for float; also u8,
                             s9, s12, s24, s10e5, s16e7 */
    const char *rounding; /* NULL: "zero"; "nearest"; for the naive scheme also others */
    const char *round;    /* of an integer output: NULL or "sum", the running sum, so that the file
                             keeps it; "nearest", each pixel */
    const char *schedule; /* NULL or "auto"; "reference", "passes", "stream" of the CPU: the same
                             bits */
    uint32_t
        iterations;   /* default: as `stop` has it; until converged 10000 at most */
    uint32_t steps_at_once; /* iterations in one pass of "stream", up to 64; 0: the fastest */
    uint32_t white;   /* the sample that is white, of integers in and out with the same levels; 0:
                         the maxval, or where kappa comes from the noise and samples have 16 bits
                         the smallest 2^n - 1 >= 255 that none exceeds; RO_WHITE_MAXVAL: the maxval */
    double kappa;     /* edges: differences per pixel in 1/255 of white; 0: from the noise */
    double sigma;     /* smoothing of the gradient in pixels, 0 to 64; default 0, of xpp24 0.5 */
    double time_step; /* tau/h^2; 0: the largest that is stable; of the explicit scheme in integers
                         up to 1, see `saturating` */
    int independent;  /* channels do not share the gradient */
    int until_converged;       /* end at the fixed point */
    uint64_t seed;             /* of the implicit scheme's dither */
    ro_denoise_step_fn
        on_step; /* called before the first step and after each, from the thread that
                    made the call; on the CPU, and not for streams. NULL: not wanted */
    void *on_step_data;
    const char *stop; /* how many steps, where `iterations` is not given: "auto", as many as an
                         estimate of the error on parts of the image tells (of "auto",
                         `iterations` is the bound); "usual", 20, or 5 of the implicit schemes.
                         NULL: auto unless kappa is given; a stream of rows cannot tell */
    int impulse; /* mend impulse noise before all else, by medians; of whole images */
    const char *diffusivity; /* how diffusion falls with the gradient x, in units of kappa: NULL or
                                "perona-malik", 1/(1 + x^2); "exponential", exp(-x^2); "decay",
                                exp(-x); "lines", the first by four straight lines in x^2 */
} ro_denoise_options;
#define RO_DENOISE_UNSET(UNSET) UNSET(iterations) UNSET(sigma)
#define RO_DENOISE_DEFAULTS RO_DEFAULTS_OF(ro_denoise_options, RO_DENOISE_UNSET)
#define RO_DENOISE_OPTIONS RO_OPTIONS_OF(ro_denoise_options, RO_DENOISE_UNSET)

/* The scheme that options stand for, by name. */
RO_API
const char *ro_denoise_scheme(const ro_denoise_options *options);

/* Filters `in` (grey or RGB of any depth) into `out`, of the same size and number of channels and
 * any depth; both may be the same image. The explicit scheme keeps the sum of every channel in the
 * working numbers exactly and no pixel leaves the range of the input; an output with the input's
 * levels has its sum, too (`round`). `report` may be NULL. */
RO_API
ro_status ro_denoise(ro_context *context, const ro_image *in, ro_image *out,
                     const ro_denoise_options *options, ro_denoise_report *report);

/* The same, row by row, in memory that grows with the width and the iterations only: as with
 * ro_halftone_open. Explicit scheme; kappa must be given unless the model is linear. Of `in` and
 * `out` format, width, height and maxval are used. `report`, if not NULL, is filled in by the last
 * pull. */
typedef struct ro_denoise_stream ro_denoise_stream;
RO_API
ro_status ro_denoise_open(ro_context *context, const ro_image *in, const ro_image *out,
                          const ro_denoise_options *options, ro_denoise_stream **stream,
                          ro_denoise_report *report);
RO_API
ro_status ro_denoise_push(ro_denoise_stream *stream, const void *rows, ptrdiff_t stride,
                          uint32_t count, uint32_t *taken);
RO_API
ro_status ro_denoise_pull(ro_denoise_stream *stream, void *rows, ptrdiff_t stride, uint32_t count,
                          uint32_t *given);
RO_API
void ro_denoise_close(ro_denoise_stream *stream); /* NULL is allowed */

/*
 * A piece of a picture, `rows` rows from `first` on, in the numbers that the method works in, so that
 * machines share a picture: each loads its rows, gets rows of numbers from its neighbours, `reach` for
 * every step, and runs as many steps as these allow; then again. The last rounding takes what the rows
 * above add to the running sum. The explicit scheme as of ro_denoise_open, with its bits.
 *
 *     ro_denoise_piece_open(context, &in, &out, &options, first, rows, halo, &piece);
 *     ro_denoise_piece_load(piece, samples, stride);
 *     repeat: rows ro_denoise_piece_row(piece, y) of the halo from the neighbours,
 *             ro_denoise_piece_run(piece, steps);
 *     ro_denoise_piece_sums(piece, sums);  their sum over all pieces above, of every channel:
 *     ro_denoise_piece_round(piece, above, samples, stride);
 */
typedef struct ro_denoise_piece ro_denoise_piece;
typedef struct ro_denoise_piece_info {
    uint32_t reach;     /* rows that a step reaches up and down */
    uint32_t steps;     /* to be run */
    uint32_t above, below; /* rows of the halo, as far as the picture has them */
    size_t row_bytes;   /* of a row of numbers; rows lie without gaps */
} ro_denoise_piece_info;
RO_API
ro_status ro_denoise_piece_open(ro_context *context, const ro_image *in, const ro_image *out,
                                const ro_denoise_options *options, uint32_t first, uint32_t rows,
                                uint32_t halo, ro_denoise_piece **piece);
RO_API
const ro_denoise_piece_info *ro_denoise_piece_query(const ro_denoise_piece *piece);
RO_API
ro_status ro_denoise_piece_load(ro_denoise_piece *piece, const void *rows, ptrdiff_t stride);
/* Row y of the picture, of the piece or its halo. */
RO_API
void *ro_denoise_piece_row(ro_denoise_piece *piece, uint32_t y);
RO_API
ro_status ro_denoise_piece_run(ro_denoise_piece *piece, uint32_t steps);
/* 0 where nothing is carried from pixel to pixel; below 2^33 else. */
RO_API
void ro_denoise_piece_sums(const ro_denoise_piece *piece, uint64_t sums[3]);
RO_API
ro_status ro_denoise_piece_round(ro_denoise_piece *piece, const uint64_t above[3], void *rows,
                                 ptrdiff_t stride);
RO_API
void ro_denoise_piece_close(ro_denoise_piece *piece); /* NULL is allowed */

#ifdef __cplusplus
}
#endif

#endif
