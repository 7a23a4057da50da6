/* SPDX-License-Identifier: MIT */
/* Built in place of cuda.cu when there is no CUDA compiler: no devices. */
#include "cuda/cuda.h"

#include <stdio.h>

static const char no_cuda[] = "this build has no CUDA support";

static ro_status missing(ro_context *context)
{
    return ro_context_fail(context, RO_E_DEVICE, "%s", no_cuda);
}

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
    return missing(context);
}

void ro_cuda_close(struct ro_cuda *cuda) { (void)cuda; }

ro_status ro_cuda_alloc(ro_context *context, size_t bytes, void **device)
{
    (void)bytes;
    *device = NULL;
    return missing(context);
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
    return missing(context);
}

ro_status ro_cuda_fill(ro_context *context, void *device, int value, size_t bytes)
{
    (void)value;
    return ro_cuda_copy(context, device, NULL, bytes);
}

ro_status ro_cuda_spoil_shared(ro_context *context) { return missing(context); }

void *ro_cuda_stream(ro_context *context)
{
    (void)context;
    return NULL;
}

ro_status ro_cuda_timer_start(ro_context *context) { return missing(context); }

ro_status ro_cuda_timer_stop(ro_context *context, double *milliseconds)
{
    *milliseconds = 0;
    return missing(context);
}

ro_status ro_cuda_wait(ro_context *context) { return missing(context); }
