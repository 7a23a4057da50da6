/* SPDX-License-Identifier: MIT */
/* Built in place of cuda.cu when there is no CUDA compiler: no devices. */
#include "cuda/cuda.h"

#include <stdio.h>

static const char no_cuda[] = "this build has no CUDA support";

static ro_status missing(ro_context *context)
{
    return ro_context_fail(context, RO_E_DEVICE, "%s", no_cuda);
}

int cuda_count(char *why, size_t size)
{
    if (why)
        snprintf(why, size, "%s", no_cuda);
    return 0;
}

ro_status cuda_describe(int index, ro_device_info *info)
{
    (void)index, (void)info;
    return RO_E_ARGUMENT;
}

ro_status cuda_open(ro_context *context, struct ro_cuda **cuda)
{
    *cuda = NULL;
    return missing(context);
}

void cuda_close(struct ro_cuda *cuda) { (void)cuda; }

ro_status cuda_alloc(ro_context *context, size_t bytes, void **device)
{
    (void)bytes;
    *device = NULL;
    return missing(context);
}

void cuda_free(void *device) { (void)device; }

ro_status cuda_alloc_pinned(ro_context *context, size_t bytes, void **host)
{
    return cuda_alloc(context, bytes, host);
}

void cuda_free_pinned(void *host) { (void)host; }

ro_status cuda_copy(ro_context *context, void *to, const void *from, size_t bytes)
{
    (void)to, (void)from, (void)bytes;
    return missing(context);
}

ro_status cuda_fill(ro_context *context, void *device, int value, size_t bytes)
{
    (void)value;
    return cuda_copy(context, device, NULL, bytes);
}

ro_status cuda_spoil_shared(ro_context *context) { return missing(context); }

void *cuda_stream(ro_context *context)
{
    (void)context;
    return NULL;
}

ro_status cuda_timer_start(ro_context *context) { return missing(context); }

ro_status cuda_timer_stop(ro_context *context, double *milliseconds)
{
    *milliseconds = 0;
    return missing(context);
}

ro_status cuda_wait(ro_context *context) { return missing(context); }
