/* SPDX-License-Identifier: MIT */
/*
 * Plans: options are checked and tables built once, then any number of pictures of one shape are
 * run. Part of roundoff.h.
 *
 *     ro_image shape = {.format = RO_GREY8, .width = width, .height = height, .maxval = 255,
 * .stride = 0, .data = NULL}; ro_halftone_plan(context, &shape, RO_BITS, &options, &plan);
 *     ro_plan_run(plan, &in, &out);       any number of times
 *     ro_plan_free(plan);
 *
 * A plan uses the threads and the device of its context and must be freed before it is closed. It
 * does not change: any number of threads may run it at the same time, as whole images and as
 * streams. It has scratch memory for one run and makes more, which it keeps, when runs meet.
 */
#ifndef ROUNDOFF_PLAN_H
#define ROUNDOFF_PLAN_H

#include "roundoff/denoise.h"
#include "roundoff/halftone.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ro_plan ro_plan;

/* What a plan will do. */
typedef struct ro_plan_info {
    size_t size; /* of the structure; set it before the call */
    const char *method;
    const char *schedule;
    ro_device device;
    ro_cpu cpu;
    int threads;
    int streams;   /* 1: rows can be pushed and pulled; 0: a run needs the whole image */
    uint32_t rows; /* rows are run by multiples of this, but for the last; 1 or more */
    size_t bytes;  /* of host memory for each run at the same time */
    int carried;   /* of a halftone: numbers a column that a stream hands on (docs/numerics.md); 0:
                      rows know nothing of each other; -1: it cannot be cut into pieces */
} ro_plan_info;

/* Of `shape` format, width, height and maxval are used. `out` is the format of the results. An
 * image in the options (`first`) must stay until the plan is freed; all else is copied. */
RO_API
ro_status ro_halftone_plan(ro_context *context, const ro_image *shape, ro_format out,
                           const ro_halftone_options *options, ro_plan **plan);

/* kappa must be given unless the model is linear: without pixels there is no noise to measure. */
RO_API
ro_status ro_denoise_plan(ro_context *context, const ro_image *in, const ro_image *out,
                          const ro_denoise_options *options, ro_plan **plan);

RO_API
ro_status ro_plan_query(const ro_plan *plan, ro_plan_info *info);

/* Runs a picture of the plan's shape. ro_context_report says how it ran. Allocates nothing, but for
 * direct binary search, for denoising other than by the explicit scheme, and on devices. */
RO_API
ro_status ro_plan_run(ro_plan *plan, const ro_image *in, ro_image *out);

/* The same for a plan to denoise, with the figures of that; NULL: they are not taken. */
RO_API
ro_status ro_denoise_run(ro_plan *plan, const ro_image *in, ro_image *out,
                         ro_denoise_report *report);

/* The same for `count` pictures in the memory of the plan's device; see ro_halftone_device. The
 * context must have been opened for the device.
 *
 * To denoise: every format, rows in either order, the explicit scheme. All pictures go through one
 * after another on `stream`. The first run makes tables and fields, which the plan keeps, and waits
 * for that; later ones wait for nothing, unless they run until converged. Values that are no pixels
 * (above maxval, floats outside 0 to 1 for integer numbers) are not looked for. */
RO_API
ro_status ro_plan_run_device(ro_plan *plan, const ro_image *in, ro_image *out, uint32_t count,
                             void *stream);

RO_API
void ro_plan_free(ro_plan *plan); /* NULL is allowed */

/* ---- Streams of a plan, and pieces of a picture -----------------------------------------------
 */

/* A run row by row (ro_halftone_push, ro_halftone_pull) of `rows` rows from `first_row` on; from 0
 * on all of them is the picture. ro_halftone_close ends it and leaves the plan; another stream of
 * the plan then allocates nothing.
 *
 * A piece gives the same bits as its rows have in the whole picture, if what the rows above carry
 * on is given to it: by ro_halftone_carry_in, from the stream of the piece above and its
 * ro_halftone_carry_out, on this machine or another. The numbers are the same for all instruction
 * sets, threads and devices. Methods that cannot be cut give RO_E_UNSUPPORTED for a piece. */
RO_API
ro_status ro_halftone_begin(ro_plan *plan, uint32_t first_row, uint32_t rows,
                            ro_halftone_stream **stream);

#ifdef __cplusplus
}
#endif

#endif
