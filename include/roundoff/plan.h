/* SPDX-License-Identifier: MIT */
/*
 * Plans: options are checked and tables built once, then any number of pictures of one shape are
 * run. Part of roundoff.h.
 *
 *     ro_image shape = ro_image_view(RO_GREY8, width, height, NULL);
 *     ro_halftone_plan(context, &shape, RO_BITS, &options, &plan);
 *     ro_plan_run(plan, &in, &out, NULL);       any number of times
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
#include "roundoff/hologram.h"
#include "roundoff/regions.h"
#include "roundoff/register.h"
#include "roundoff/segment.h"

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
    int inputs;    /* images that a run takes for each that it makes; 2: registration */
} ro_plan_info;

/* ---- Making plans ---------------------------------------------------------------------------- */

/*
 * Of images given here format, width, height and maxval are used. Options are copied with all that
 * they point to, but for the pixels of `first` and the data of callbacks, which must stay until the
 * plan is freed. What is found wrong without pixels is refused here, by the codes that a call for
 * one image returns; the rest by the run.
 */

/* `out` is the format of the results. */
RO_API
ro_status ro_halftone_plan(ro_context *context, const ro_image *shape, ro_format out,
                           const ro_halftone_options *options, ro_plan **plan);

/* `out` may have another depth than `in`. kappa must be given unless the model is linear: without
 * pixels there is no noise to measure. */
RO_API
ro_status ro_denoise_plan(ro_context *context, const ro_image *in, const ro_image *out,
                          const ro_denoise_options *options, ro_plan **plan);

/* Label numbers, RO_GREY8 or RO_INDEX8, and of competing fronts RO_GREY16. A callback of the
 * options is called by every run. Plans to segment, register and quantize take scratch memory in
 * each run and give it back; ro_plan_info.bytes has what they keep. */
RO_API
ro_status ro_segment_plan(ro_context *context, const ro_image *in, ro_format out,
                          const ro_segment_options *options, ro_plan **plan);
RO_API
ro_status ro_regions_plan(ro_context *context, const ro_image *in, ro_format out,
                          const ro_regions_options *options, ro_plan **plan);

/* A run takes two images, the fixed one and the moving one, and makes the displacement, which is
 * RO_GREYF and twice as wide as the fixed image. */
RO_API
ro_status ro_register_plan(ro_context *context, const ro_image *fixed, const ro_image *moving,
                           const ro_register_options *options, ro_plan **plan);

/* Rounds light to level numbers, RO_INDEX8: the input is RO_GREYF and twice as wide, real and
 * imaginary parts by turns, as they lie in ro_field. */
RO_API
ro_status ro_hologram_plan(ro_context *context, const ro_image *in,
                           const ro_hologram_options *options, ro_plan **plan);

/* ---- Running them ---------------------------------------------------------------------------- */

RO_API
ro_status ro_plan_query(const ro_plan *plan, ro_plan_info *info);

/* How a plan is run. */
typedef struct ro_run {
    size_t size;    /* RO_RUN sets it */
    uint32_t count; /* pictures, one behind another in `in` and in `out`; 0: one */
    int on_device;  /* 1: their data are pointers to memory of the plan's device */
    void *stream;   /* on a device: a cudaStream_t; NULL: the default stream */
    void *report;   /* the family's, such as a ro_denoise_report; NULL: figures are not taken */
} ro_run;
#define RO_RUN_DEFAULTS RO_DEFAULTS_OF(ro_run, RO_NONE_UNSET)
#define RO_RUN RO_OPTIONS_OF(ro_run, RO_NONE_UNSET)

/*
 * Runs pictures of the plan's shape, one after another. `run` may be NULL: one picture in host
 * memory. ro_context_report says how it ran. Returns RO_E_SIZE or RO_E_ARGUMENT if a picture has
 * another shape, RO_E_UNSUPPORTED for what the plan cannot do, and what the method returns.
 *
 * In host memory a run allocates nothing, but for the first of a plan to denoise, direct binary
 * search, and denoising other than by the explicit scheme.
 *
 * On a device, for which the context must have been opened, pictures are grey of 8 or 16 bits or
 * floats in, and RO_BITS, RO_INDEX8 or RO_GREY16 out, if the plan is one to halftone; of every
 * format, by the explicit scheme, if it is one to denoise. The call returns when everything is
 * launched on `stream`: no copy and no waiting of its own, so errors of the run show at the
 * caller's next synchronisation. It waits only for the tables that the first run makes, for floats
 * to halftone, because one that is not a number is refused, and for what runs until converged. Rows
 * that start at multiples of 16 bytes are read in place, others are copied on the device first.
 * Values above maxval are not looked for.
 */
RO_API
ro_status ro_plan_run(ro_plan *plan, const ro_image *in, ro_image *out, const ro_run *run);

RO_API
void ro_plan_free(ro_plan *plan); /* NULL is allowed */

/* ---- Streams --------------------------------------------------------------------------------- */

/*
 * A run row by row, in memory that grows with the width only:
 *
 *     ro_stream_open(plan, NULL, &stream);
 *     repeat: ro_stream_push(stream, rows, stride, n, &taken);   until all rows are taken
 *             ro_stream_pull(stream, rows, stride, n, &given);   until it gives none
 *     ro_stream_close(stream);
 *
 * A push takes what there is room for and may take fewer rows than offered while finished rows wait
 * to be pulled; rows come out in order, some rows later than they went in. Plans that need the
 * whole image give RO_E_UNSUPPORTED. `report`, the family's or NULL, is filled in by the last pull.
 * A stream must be closed before its plan is freed.
 */
typedef struct ro_stream ro_stream;
RO_API
ro_status ro_stream_open(ro_plan *plan, void *report, ro_stream **stream);
RO_API
ro_status ro_stream_push(ro_stream *stream, const void *rows, ptrdiff_t stride, uint32_t count,
                         uint32_t *taken);
RO_API
ro_status ro_stream_pull(ro_stream *stream, void *rows, ptrdiff_t stride, uint32_t count,
                         uint32_t *given);
RO_API
void ro_stream_close(ro_stream *stream); /* NULL is allowed */

#ifdef __cplusplus
}
#endif

#endif
