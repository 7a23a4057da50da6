/* SPDX-License-Identifier: MIT */
/*
 * The CUDA side of a context, as C sees it. The functions are those of libroundoff_cuda.so, which
 * cuda_count loads (module/load.c). Nothing else here may be called before it has found a device.
 *
 * What a room calls of its device code is a table of functions, declared in its *_cuda.h, filled in
 * by its .cu and listed in module/module.h. The table is NULL until then.
 */
#ifndef RO_CUDA_CUDA_H
#define RO_CUDA_CUDA_H

#include "roundoff/core.h"
#include "roundoff/library.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How many devices can be used; 0 without the module or a driver. `why`, if not NULL, says why
 * there are none. */
int cuda_count(char *why, size_t size);
ro_status cuda_describe(int index, ro_device_info *info);

/* What a context holds on its device: streams, events, scratch memory that grows and is kept. */
struct device_state;
ro_status cuda_open(ro_context *context, struct device_state **cuda);
void cuda_close(struct device_state *cuda);
struct device_state **context_cuda(ro_context *context); /* where a context keeps it */
int context_device_number(const ro_context *context);    /* that was asked for; -1: none */

/* Memory and time for programs that measure: device memory, pinned host memory, copies that wait,
 * and a pair of events round whatever was put on the context's stream between them. */
ro_status cuda_alloc(ro_context *context, size_t bytes, void **device);
void cuda_free(void *device);
ro_status cuda_alloc_pinned(ro_context *context, size_t bytes, void **host);
void cuda_free_pinned(void *host);
ro_status cuda_copy(ro_context *context, void *to, const void *from, size_t bytes);
ro_status cuda_fill(ro_context *context, void *device, int value, size_t bytes);
/* Leaves ones in the shared memory of all multiprocessors, for whoever reads before it writes. */
ro_status cuda_spoil_shared(ro_context *context);
void *cuda_stream(ro_context *context); /* the one the timer watches; NULL without a device */
ro_status cuda_timer_start(ro_context *context);
ro_status cuda_timer_stop(ro_context *context, double *milliseconds); /* waits */
ro_status cuda_wait(ro_context *context);

#ifdef __cplusplus
}
#endif

#endif
