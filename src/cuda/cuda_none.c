/* SPDX-License-Identifier: MIT */
/* Built in place of cuda.cu when there is no CUDA compiler. */
#include "cuda/cuda.h"

#include "halftone/dbs/dbs_cuda.h"
#include "halftone/diffusion/cuda/diffusion_cuda.h"
#include "halftone/ordered/ordered_cuda.h"
#include "hologram/field/propagate_cuda.h"
#include "hologram/quantize/cuda/diffuse_cuda.h"
#include "pde/denoise/cuda/flow_cuda.h"
#include "pde/levelset/cuda/levelset_cuda.h"
#include "pde/multigrid/multigrid_cuda.h"
#include "pde/register/register_cuda.h"

#include <stdio.h>

static const char no_cuda[] = "this build has no CUDA support";

int ro_cuda_count(char *why, size_t size)
{
    if (why)
        snprintf(why, size, "%s", no_cuda);
    return 0;
}

ro_status ro_cuda_describe(int index, ro_device_info *info)
{
    (void)index, (void)info;
    return RO_E_ARGUMENT;
}

ro_status ro_cuda_open(ro_context *context, struct ro_cuda **cuda)
{
    *cuda = NULL;
    return ro_context_fail(context, RO_E_DEVICE, "%s", no_cuda);
}

void ro_cuda_close(struct ro_cuda *cuda) { (void)cuda; }

ro_status ro_cuda_alloc(ro_context *context, size_t bytes, void **device)
{
    (void)bytes;
    *device = NULL;
    return ro_context_fail(context, RO_E_DEVICE, "%s", no_cuda);
}

void ro_cuda_free(void *device) { (void)device; }

ro_status ro_cuda_alloc_pinned(ro_context *context, size_t bytes, void **host)
{
    return ro_cuda_alloc(context, bytes, host);
}

void ro_cuda_free_pinned(void *host) { (void)host; }

ro_status ro_cuda_copy(ro_context *context, void *to, const void *from, size_t bytes)
{
    (void)to, (void)from, (void)bytes;
    return ro_context_fail(context, RO_E_DEVICE, "%s", no_cuda);
}

ro_status ro_cuda_fill(ro_context *context, void *device, int value, size_t bytes)
{
    (void)value;
    return ro_cuda_copy(context, device, NULL, bytes);
}

ro_status ro_cuda_spoil_shared(ro_context *context)
{
    return ro_context_fail(context, RO_E_DEVICE, "%s", no_cuda);
}

void *ro_cuda_stream(ro_context *context)
{
    (void)context;
    return NULL;
}

ro_status ro_cuda_timer_start(ro_context *context)
{
    return ro_context_fail(context, RO_E_DEVICE, "%s", no_cuda);
}

ro_status ro_cuda_timer_stop(ro_context *context, double *milliseconds)
{
    *milliseconds = 0;
    return ro_cuda_timer_start(context);
}

ro_status ro_cuda_wait(ro_context *context) { return ro_cuda_timer_start(context); }

ro_status diffusion_cuda_open(ro_context *context, const struct diffusion_cuda_plan *plan,
                              const char *schedule, struct diffusion_cuda **work)
{
    (void)plan, (void)schedule;
    *work = NULL;
    return ro_cuda_timer_start(context);
}

const char *diffusion_cuda_schedule(const struct diffusion_cuda *work)
{
    (void)work;
    return "";
}

ro_status diffusion_cuda_run(struct diffusion_cuda *work, const struct diffusion_cuda_rows *rows,
                             struct diffusion_cuda_count *count)
{
    (void)work, (void)rows, (void)count;
    return RO_E_DEVICE;
}

ro_status diffusion_cuda_run_resident(struct diffusion_cuda *work, const ro_image *in,
                                      const ro_image *out, uint32_t images, void *stream,
                                      struct diffusion_cuda_count *count)
{
    (void)work, (void)in, (void)out, (void)images, (void)stream, (void)count;
    return RO_E_DEVICE;
}

void diffusion_cuda_close(struct diffusion_cuda *work) { (void)work; }

ro_status diffusion_cuda_chain(ro_context *context, double *nanoseconds)
{
    *nanoseconds = 0;
    return ro_cuda_timer_start(context);
}

ro_status dbs_cuda_open(ro_context *context, const struct dbs_options *options,
                        const ro_image *shape, const struct dbs_cuda_start *start,
                        struct dbs_cuda **work)
{
    (void)options, (void)shape, (void)start;
    *work = NULL;
    return ro_cuda_timer_start(context);
}

ro_status dbs_cuda_run(struct dbs_cuda *work, const ro_image *in, const ro_image *own,
                       const ro_image *out, struct dbs_result *result)
{
    (void)work, (void)in, (void)own, (void)out, (void)result;
    return RO_E_DEVICE;
}

ro_status dbs_cuda_run_resident(struct dbs_cuda *work, const ro_image *in, const ro_image *out,
                                uint32_t images, void *stream)
{
    (void)work, (void)in, (void)out, (void)images, (void)stream;
    return RO_E_DEVICE;
}

int dbs_cuda_launches(const struct dbs_cuda *work)
{
    (void)work;
    return 0;
}

void dbs_cuda_close(struct dbs_cuda *work) { (void)work; }

ro_status ordered_cuda_open(ro_context *context, const struct ordered_cuda_plan *plan,
                            struct ordered_cuda **work)
{
    (void)plan;
    *work = NULL;
    return ro_cuda_timer_start(context);
}

ro_status ordered_cuda_run(struct ordered_cuda *work, const struct ordered_cuda_rows *rows)
{
    (void)work, (void)rows;
    return RO_E_DEVICE;
}

ro_status ordered_cuda_run_resident(struct ordered_cuda *work, const ro_image *in,
                                    const ro_image *out, uint32_t images, void *stream)
{
    (void)work, (void)in, (void)out, (void)images, (void)stream;
    return RO_E_DEVICE;
}

uint64_t ordered_cuda_launches(const struct ordered_cuda *work)
{
    (void)work;
    return 0;
}

void ordered_cuda_close(struct ordered_cuda *work) { (void)work; }

size_t diffusion_device_bytes(const struct ro_diffusion *diffusion, int64_t white,
                              bool until_converged, bool tables)
{
    (void)diffusion, (void)white, (void)until_converged, (void)tables;
    return 0;
}

ro_status diffusion_device_open(ro_context *context, const struct ro_diffusion *diffusion,
                                int64_t white, bool until_converged, bool tables,
                                struct diffusion_device **work)
{
    (void)diffusion, (void)white, (void)until_converged, (void)tables;
    *work = NULL;
    return ro_cuda_timer_start(context);
}

void diffusion_device_close(struct diffusion_device *work) { (void)work; }

ro_status diffusion_device_load(struct diffusion_device *work, const ro_image *in,
                                const uint32_t *numbers, uint32_t count)
{
    (void)work, (void)in, (void)numbers, (void)count;
    return RO_E_DEVICE;
}

ro_status diffusion_device_store(struct diffusion_device *work, const ro_image *out,
                                 const uint32_t *pixels, uint32_t count)
{
    (void)work, (void)out, (void)pixels, (void)count;
    return RO_E_DEVICE;
}

ro_status diffusion_device_store_sums(struct diffusion_device *work, const ro_image *out,
                                      uint32_t levels, uint32_t numbers, uint64_t totals[3])
{
    (void)work, (void)out, (void)levels, (void)numbers, (void)totals;
    return RO_E_DEVICE;
}

ro_status diffusion_device_load_planes(struct diffusion_device *work, const void *planes)
{
    (void)work, (void)planes;
    return RO_E_DEVICE;
}

ro_status diffusion_device_store_planes(struct diffusion_device *work, void *planes)
{
    (void)work, (void)planes;
    return RO_E_DEVICE;
}

ro_status diffusion_device_figures(struct diffusion_device *work, const uint32_t *pixels,
                                   uint32_t count, struct diffusion_figures *figures)
{
    (void)work, (void)pixels, (void)count, (void)figures;
    return RO_E_DEVICE;
}

ro_status diffusion_device_run(struct diffusion_device *work, uint32_t iterations,
                               struct diffusion_run *run)
{
    (void)work, (void)iterations, (void)run;
    return RO_E_DEVICE;
}

ro_status ro_multigrid_on_cuda(ro_context *context, const struct ro_multigrid *grids,
                               const struct ro_stencil *stencils, const float *inverse,
                               const ro_image *b, const ro_image *x, uint32_t cycles, bool warm,
                               uint64_t *launches)
{
    (void)grids, (void)stencils, (void)inverse, (void)b, (void)x, (void)cycles, (void)warm;
    *launches = 0;
    return ro_cuda_timer_start(context);
}

ro_status ro_flow_on_cuda(struct ro_flow *flow, const ro_image *field, ro_report *ran)
{
    (void)field, (void)ran;
    return ro_cuda_timer_start(flow->context);
}

ro_status hologram_cuda_load(struct hologram_job *job, bool real)
{
    (void)real;
    return ro_cuda_timer_start(job->context);
}

ro_status hologram_cuda_prepare(struct hologram_job *job)
{
    return ro_cuda_timer_start(job->context);
}

ro_status hologram_cuda_rms(struct hologram_job *job, double *rms)
{
    (void)rms;
    return ro_cuda_timer_start(job->context);
}

void hologram_cuda_wait(struct hologram_job *job) { (void)job; }

ro_status hologram_cuda_run(struct hologram_job *job) { return ro_cuda_timer_start(job->context); }

ro_status hologram_cuda_store(struct hologram_job *job)
{
    return ro_cuda_timer_start(job->context);
}

ro_status propagate_cuda_open(ro_context *context, uint32_t width, uint32_t height,
                              struct propagate_cuda **device)
{
    (void)width, (void)height;
    *device = NULL;
    return ro_cuda_timer_start(context);
}

void propagate_cuda_close(struct propagate_cuda *device) { (void)device; }

ro_status propagate_cuda_run(struct propagate_cuda *device, float *field,
                             const struct propagate_filter *filter)
{
    (void)device, (void)field, (void)filter;
    return RO_E_DEVICE;
}

ro_status ro_level_cuda_open(ro_context *context, struct ro_level_front *const *fronts,
                             uint32_t depth, struct ro_level_cuda **cuda)
{
    (void)fronts, (void)depth;
    *cuda = NULL;
    return ro_cuda_timer_start(context);
}

ro_status ro_level_cuda_run(struct ro_level_cuda *cuda, const bool *chosen, uint32_t steps,
                            bool *moved)
{
    (void)cuda, (void)chosen, (void)steps, (void)moved;
    return RO_E_DEVICE;
}

ro_status ro_level_cuda_fetch(struct ro_level_cuda *cuda, int front)
{
    (void)cuda, (void)front;
    return RO_E_DEVICE;
}

ro_status ro_level_cuda_change(struct ro_level_cuda *cuda, int front, double *rms)
{
    (void)cuda, (void)front, (void)rms;
    return RO_E_DEVICE;
}

void ro_level_cuda_wake(struct ro_level_cuda *cuda, int front) { (void)cuda, (void)front; }

uint64_t ro_level_cuda_launches(const struct ro_level_cuda *cuda)
{
    (void)cuda;
    return 0;
}

void ro_level_cuda_close(struct ro_level_cuda *cuda) { (void)cuda; }
