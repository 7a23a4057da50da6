/* SPDX-License-Identifier: MIT */
/*
 * What libroundoff and its module have of each other. Device code lies in libroundoff_cuda.so,
 * which load.c opens when a device is asked for. The module shows one name, ro_cuda_module; it gets
 * the library's functions as a structure, because not every program shows them.
 */
#ifndef RO_CUDA_MODULE_MODULE_H
#define RO_CUDA_MODULE_MODULE_H

#include "cuda/cuda.h"
#include "halftone/search/search.h"
#include "hologram/field/row_sum.h"
#include "hologram/quantize/levels.h"
#include "hologram/scene/scene.h"
#include "register/register.h"
#include "solver/multigrid/multigrid.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Functions of the library that device code calls: result, name, parameters, arguments. */
#define RO_CUDA_CORE(F)                                                                            \
    F(ro_status, ro_context_progress, (ro_context * context, const char *phase, double done),      \
      (context, phase, done))                                                                      \
    F(size_t, ro_format_row_bytes, (ro_format format, uint32_t width), (format, width))            \
    F(struct device_state **, context_cuda, (ro_context * context), (context))                     \
    F(int, context_device_number, (const ro_context *context), (context))                          \
    F(size_t, cycle_floats, (const struct multigrid *grids, int planes, int threads),              \
      (grids, planes, threads))                                                                    \
    F(void, cycle_place, (struct multigrid_cycle * cycle, float *memory, int threads),             \
      (cycle, memory, threads))                                                                    \
    F(ro_status, dbs_open_tables,                                                                  \
      (ro_context * context, const struct dbs_options *options, const ro_image *shape,             \
       struct dbs_state **state),                                                                  \
      (context, options, shape, state))                                                            \
    F(void, dbs_close, (struct dbs_state * state), (state))                                        \
    F(ro_status, field_rms_of,                                                                     \
      (ro_context * context, const struct row_sum *rows, uint64_t pixels, uint32_t height,         \
       double *rms),                                                                               \
      (context, rows, pixels, height, rms))                                                        \
    F(void, flow_run, (struct registration * flow), (flow))                                        \
    F(int, hologram_nearest, (const struct hologram_levels *levels, int x, int y), (levels, x, y)) \
    F(void, scene_extent, (const struct scene *scene, int plane, double low[2], double high[2]),   \
      (scene, plane, low, high))

/* Functions of the module that the library calls, declared in cuda.h. */
#define RO_CUDA_CALLS(F)                                                                           \
    F(ro_status, cuda_describe, (int index, ro_device_info *info), (index, info))                  \
    F(void, cuda_close, (struct device_state * cuda), (cuda))                                      \
    F(ro_status, cuda_alloc, (ro_context * context, size_t bytes, void **device),                  \
      (context, bytes, device))                                                                    \
    F(void, cuda_free, (void *device), (device))                                                   \
    F(ro_status, cuda_alloc_pinned, (ro_context * context, size_t bytes, void **host),             \
      (context, bytes, host))                                                                      \
    F(void, cuda_free_pinned, (void *host), (host))                                                \
    F(ro_status, cuda_copy, (ro_context * context, void *to, const void *from, size_t bytes),      \
      (context, to, from, bytes))                                                                  \
    F(ro_status, cuda_fill, (ro_context * context, void *device, int value, size_t bytes),         \
      (context, device, value, bytes))                                                             \
    F(ro_status, cuda_spoil_shared, (ro_context * context), (context))                             \
    F(void *, cuda_stream, (ro_context * context), (context))                                      \
    F(ro_status, cuda_timer_start, (ro_context * context), (context))                              \
    F(ro_status, cuda_timer_stop, (ro_context * context, double *milliseconds),                    \
      (context, milliseconds))                                                                     \
    F(ro_status, cuda_wait, (ro_context * context), (context))

/* Tables of functions that rooms call of their device code, declared in *_cuda.h. */
#define RO_CUDA_TABLES(F)                                                                          \
    F(dbs_cuda_calls, dbs_on_cuda)                                                                 \
    F(diffusion_cuda_calls, diffusion_on_cuda)                                                     \
    F(floats_cuda_calls, floats_on_cuda)                                                           \
    F(flow_cuda_calls, flow_on_cuda)                                                               \
    F(frames_cuda_calls, frames_on_cuda)                                                           \
    F(hologram_cuda_calls, hologram_on_cuda)                                                       \
    F(implicit_cuda_calls, implicit_on_cuda)                                                       \
    F(level_cuda_calls, level_on_cuda)                                                             \
    F(multigrid_cuda_calls, multigrid_on_cuda)                                                     \
    F(ordered_cuda_calls, ordered_on_cuda)                                                         \
    F(propagate_cuda_calls, propagate_on_cuda)                                                     \
    F(refine_cuda_calls, refine_on_cuda)                                                           \
    F(register_cuda_calls, register_on_cuda)                                                       \
    F(scene_cuda_calls, scene_on_cuda)                                                             \
    F(trained_cuda_calls, trained_on_cuda)

#define RO_CUDA_MEMBER(result, name, parameters, arguments) result(*name) parameters;
#define RO_CUDA_TABLE_MEMBER(calls, name) const struct calls **name;

struct cuda_core {
    ro_status (*fail)(ro_context *context, ro_status status, const char *text);
    RO_CUDA_CORE(RO_CUDA_MEMBER)
};

struct cuda_module {
    char version[16]; /* RO_VERSION; what follows may differ between versions */
    size_t bytes;     /* of both structures */
    void (*begin)(const struct cuda_core *core);
    int (*cuda_count)(char *why, size_t size);
    RO_CUDA_CALLS(RO_CUDA_MEMBER)
    RO_CUDA_TABLES(RO_CUDA_TABLE_MEMBER)
};
RO_API
extern const struct cuda_module ro_cuda_module;

enum { RO_CUDA_MODULE_BYTES = sizeof(struct cuda_module) + sizeof(struct cuda_core) };

#ifdef __cplusplus
}
#endif

#endif
