/* SPDX-License-Identifier: MIT */
/*
 * Plans: options are checked and tables built once, then any number of pictures of one shape are
 * run. Part of roundoff.h.
 *
 *     ro_image shape = {RO_GRAY8, width, height, 255, 0, NULL};
 *     ro_halftone_plan(context, &shape, RO_BITS, &options, &plan);
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

/* All of a picture, whose rows the plan's threads fetch and hand over by themselves, some at a
 * time: they stay in the cache of the core that runs them. Both functions are called from several
 * threads at once, in any order, for every row once; rows lie without gaps. What they return other
 * than RO_OK ends the run and is returned, without a message of the plan's own. */
typedef struct ro_halftone_rows {
    void *data;
    ro_status (*fetch)(void *data, uint32_t first_row, uint32_t count, void *rows);
    ro_status (*take)(void *data, uint32_t first_row, uint32_t count, void *rows);
} ro_halftone_rows;
RO_API
ro_status ro_halftone_pass(ro_plan *plan, const ro_halftone_rows *rows);
/* Whether it can: rows go in as they are, and bands of them run on threads. */
RO_API
int ro_halftone_passes(const ro_plan *plan);

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

/* What the rows above the piece carry into columns x to x + count - 1: `values` holds count numbers
 * of each of the ro_plan_info.carried lines, one line after another. Columns are given from left to
 * right, x being the number given so far. From any thread, also during a push: a push waits for
 * columns that it needs and are not given, until ro_context_cancel. */
RO_API
ro_status ro_halftone_carry_in(ro_halftone_stream *stream, uint32_t x, uint32_t count,
                               const int32_t *values);

/* What the piece carries on, in the same form, of any columns and as often as wanted. From any
 * thread: waits until the last row has passed them, or until ro_context_cancel, so that the
 * thread that pushes must have pushed all rows before it asks. */
RO_API
ro_status ro_halftone_carry_out(ro_halftone_stream *stream, uint32_t x, uint32_t count,
                                int32_t *values);

/* How many columns ro_halftone_carry_out gives without waiting. From any thread. */
RO_API
uint32_t ro_halftone_carry_ready(ro_halftone_stream *stream);

/* Who carries while rows are pushed, so that no thread is needed for it. A thread of the push calls
 * `bring` when it needs columns before `columns`: give them by ro_halftone_carry_in, or cancel the
 * context. Another, or the same, calls `take` when the first `ready` columns can be had by
 * ro_halftone_carry_out; at last all of them. Both may run at the same time, neither twice. Before
 * the first push. */
typedef struct ro_carrier {
    void (*bring)(void *data, uint32_t columns);
    void (*take)(void *data, uint32_t ready);
    void *data;
} ro_carrier;
RO_API
ro_status ro_halftone_carry_by(ro_halftone_stream *stream, const ro_carrier *carrier);

#ifdef __cplusplus
}
#endif

#endif
