/* SPDX-License-Identifier: MIT */
/* Plans that tests make for one stream or one run. */
#ifndef TESTS_STREAMS_H
#define TESTS_STREAMS_H

#include "roundoff.h"

/* Opens a stream with a plan of its own; close_stream closes both. */
static inline ro_status open_halftone(ro_context *context, const ro_image *in, ro_format out,
                                      const ro_halftone_options *options, ro_plan **plan,
                                      ro_stream **stream)
{
    *stream = NULL;
    ro_status status = ro_halftone_plan(context, in, out, options, plan);
    if (status == RO_OK)
        status = ro_stream_open(*plan, NULL, stream);
    if (status != RO_OK) {
        ro_plan_free(*plan);
        *plan = NULL;
    }
    return status;
}

static inline ro_status open_denoise(ro_context *context, const ro_image *in, const ro_image *out,
                                     const ro_denoise_options *options, ro_plan **plan,
                                     ro_stream **stream, ro_denoise_report *report)
{
    *stream = NULL;
    ro_status status = ro_denoise_plan(context, in, out, options, plan);
    if (status == RO_OK)
        status = ro_stream_open(*plan, report, stream);
    if (status != RO_OK) {
        ro_plan_free(*plan);
        *plan = NULL;
    }
    return status;
}

static inline void close_stream(ro_plan *plan, ro_stream *stream)
{
    ro_stream_close(stream);
    ro_plan_free(plan);
}

/* Runs pictures in device memory by a plan of their own. */
static inline ro_status halftone_there(ro_context *context, const ro_image *in, ro_image *out,
                                       uint32_t count, const ro_halftone_options *options,
                                       void *stream)
{
    ro_plan *plan;
    ro_run run = RO_RUN;
    run.count = count;
    run.on_device = 1;
    run.stream = stream;
    ro_status status = ro_halftone_plan(context, in, out->format, options, &plan);
    if (status == RO_OK)
        status = ro_plan_run(plan, in, out, &run);
    ro_plan_free(plan);
    return status;
}

#endif
