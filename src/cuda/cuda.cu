/* SPDX-License-Identifier: MIT */
/* Devices, streams and scratch memory. The process never aborts: what fails becomes a status. */
#include "cuda/cuda.cuh"

#include <initializer_list>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LARGE_PAGE = 2 << 20 };

static void unpin(struct device_state *cuda, int number);

ro_status cuda_check(ro_context *context, cudaError_t error, const char *doing)
{
    if (error == cudaSuccess)
        return RO_OK;
    cudaGetLastError(); /* an error that is not sticky is over */
    char call[48];
    snprintf(call, sizeof call, "%.*s", (int)strcspn(doing, "("), doing);
    if (error == cudaErrorMemoryAllocation)
        return ro_context_fail(context, RO_E_MEMORY, "the CUDA device is out of memory (%s)", call);
    return ro_context_fail(context, RO_E_DEVICE, "the CUDA device failed in %s: %s", call,
                           cudaGetErrorString(error));
}

int cuda_count(char *why, size_t size)
{
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess) {
        cudaGetLastError();
        count = 0;
    }
    if (count == 0 && why)
        snprintf(why, size, "no CUDA device was found (%s)",
                 error == cudaSuccess ? "none present" : cudaGetErrorString(error));
    return count;
}

ro_status cuda_describe(int index, ro_device_info *info)
{
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, index) != cudaSuccess) {
        cudaGetLastError();
        return RO_E_DEVICE;
    }
    memset(info, 0, sizeof *info);
    info->device = RO_DEVICE_CUDA;
    info->index = index;
    snprintf(info->name, sizeof info->name, "%.*s", (int)sizeof info->name - 1, properties.name);
    snprintf(info->detail, sizeof info->detail, "compute capability %d.%d, %d multiprocessors",
             properties.major, properties.minor, properties.multiProcessorCount);
    info->memory = properties.totalGlobalMem;
    return RO_OK;
}

/* Memory that comes back is kept for the next call, a quarter of the device's at most. */
static ro_status open_pool(struct device_state *cuda)
{
    size_t left = 0;
    cudaMemPoolProps made = {};
    made.allocType = cudaMemAllocationTypePinned;
    made.location.type = cudaMemLocationTypeDevice;
    made.location.id = cuda->device;
    RO_CUDA_TRY(cuda->context, cudaMemPoolCreate(&cuda->pool, &made));
    RO_CUDA_TRY(cuda->context, cudaMemGetInfo(&left, &cuda->memory));
    uint64_t most = cuda->memory / 4;
    RO_CUDA_TRY(cuda->context,
                cudaMemPoolSetAttribute(cuda->pool, cudaMemPoolAttrReleaseThreshold, &most));
    return RO_OK;
}

static ro_status open_streams(struct device_state *cuda)
{
    ro_context *context = cuda->context;
    RO_CUDA_TRY(context, cudaGetDevice(&cuda->device));
    RO_CUDA_TRY(context, cudaDeviceGetAttribute(&cuda->processors, cudaDevAttrMultiProcessorCount,
                                                cuda->device));
    RO_CUDA_TRY(context, cudaDeviceGetAttribute(
                             &cuda->shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda->device));
    RO_TRY(open_pool(cuda));
    cudaStream_t *streams[] = {&cuda->copy_in, &cuda->compute, &cuda->copy_out};
    for (cudaStream_t *stream : streams)
        RO_CUDA_TRY(context, cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
    RO_CUDA_TRY(context, cudaEventCreate(&cuda->begin));
    RO_CUDA_TRY(context, cudaEventCreate(&cuda->end));
    RO_CUDA_TRY(context, cudaEventCreateWithFlags(&cuda->scratch_free, cudaEventDisableTiming));
    for (int i = 0; i < RO_CUDA_LANES; i++)
        for (cudaEvent_t *event : {&cuda->ready[i], &cuda->computed[i], &cuda->fetched[i]})
            RO_CUDA_TRY(context, cudaEventCreateWithFlags(event, cudaEventDisableTiming));
    return RO_OK;
}

ro_status cuda_open(ro_context *context, struct device_state **cuda)
{
    char why[160];
    *cuda = NULL;
    if (cuda_count(why, sizeof why) == 0)
        return ro_context_fail(context, RO_E_DEVICE, "%s", why);
    struct device_state *made = (struct device_state *)calloc(1, sizeof *made);
    if (!made)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a CUDA context");
    made->context = context;
    ro_status status = open_streams(made);
    if (status != RO_OK) {
        cuda_close(made);
        return status;
    }
    *cuda = made;
    return RO_OK;
}

void cuda_close(struct device_state *cuda)
{
    cudaStream_t streams[] = {cuda->copy_in, cuda->compute, cuda->copy_out};
    for (cudaStream_t stream : streams)
        if (stream) {
            cudaStreamSynchronize(stream);
            cudaStreamDestroy(stream);
        }
    if (cuda->scratch_used)
        cudaEventSynchronize(cuda->scratch_free);
    for (cudaEvent_t event : {cuda->begin, cuda->end, cuda->scratch_free})
        if (event)
            cudaEventDestroy(event);
    for (int i = 0; i < RO_CUDA_LANES; i++)
        for (cudaEvent_t event : {cuda->ready[i], cuda->computed[i], cuda->fetched[i]})
            if (event)
                cudaEventDestroy(event);
    cuda_drop_graph(cuda);
    for (const struct cuda_scratch &slot : cuda->slot)
        cudaFree(slot.data);
    for (int i = 0; i < 2 * RO_CUDA_LANES; i++)
        unpin(cuda, i);
    if (cuda->pool)
        cudaMemPoolDestroy(cuda->pool);
    cudaGetLastError();
    free(cuda);
}

ro_status cuda_of(ro_context *context, struct device_state **cuda)
{
    struct device_state **kept = context_cuda(context);
    const int number = context_device_number(context);
    if (number >=
        0) /* the current device is the thread's, and a context may go from one to another */
        RO_CUDA_TRY(context, cudaSetDevice(number));
    if (!*kept)
        RO_TRY(cuda_open(context, kept));
    *cuda = *kept;
    return RO_OK;
}

const char cuda_in[RO_CUDA_LANES] = {0}, cuda_out[RO_CUDA_LANES] = {0};

struct cuda_scratch *cuda_scratch_of(struct device_state *cuda, const void *key)
{
    for (struct cuda_scratch &slot : cuda->slot)
        if (slot.key == key)
            return &slot;
    return NULL;
}

ro_status cuda_reserve(struct device_state *cuda, const void *key, size_t bytes,
                       cudaStream_t stream, void **data)
{
    struct cuda_scratch *slot = cuda_scratch_of(cuda, key);
    if (!slot)
        slot = cuda_scratch_of(cuda, NULL);
    if (!slot)
        return ro_context_fail(cuda->context, RO_E_MEMORY, "no more than %d pieces of scratch",
                               RO_CUDA_SLOTS);
    slot->key = key;
    if (slot->bytes < bytes) {
        if (slot->data)
            RO_CUDA_TRY(cuda->context, cudaFreeAsync(slot->data, stream));
        slot->data = NULL;
        slot->bytes = 0;
        slot->count = 0;
        RO_CUDA_TRY(cuda->context, cudaMallocFromPoolAsync(&slot->data, bytes, cuda->pool, stream));
        slot->bytes = bytes;
        RO_CUDA_TRY(cuda->context, cudaMemsetAsync(slot->data, 0, bytes, stream));
    }
    *data = slot->data;
    return RO_OK;
}

/* Ordinary memory in large pages, registered: got in a third of the time of cudaMallocHost. */
static void unpin(struct device_state *cuda, int number)
{
    if (!cuda->pinned[number])
        return;
    cudaHostUnregister(cuda->pinned[number]);
    free(cuda->pinned[number]);
    cuda->pinned[number] = NULL;
    cuda->pinned_bytes[number] = 0;
}

ro_status cuda_reserve_pinned(struct device_state *cuda, int number, size_t bytes, void **data)
{
    if (cuda->pinned_bytes[number] < bytes) {
        unpin(cuda, number);
        if (posix_memalign(&cuda->pinned[number], LARGE_PAGE, bytes) != 0) {
            cuda->pinned[number] = NULL;
            return ro_context_fail(cuda->context, RO_E_MEMORY, "no memory for rows of pixels");
        }
        madvise(cuda->pinned[number], bytes, MADV_HUGEPAGE);
        const cudaError_t error = cudaHostRegister(cuda->pinned[number], bytes, 0);
        if (error != cudaSuccess) {
            free(cuda->pinned[number]);
            cuda->pinned[number] = NULL;
            return cuda_check(cuda->context, error, "cudaHostRegister");
        }
        cuda->pinned_bytes[number] = bytes;
    }
    *data = cuda->pinned[number];
    return RO_OK;
}

ro_status cuda_own(struct device_state *cuda, size_t bytes, void **data)
{
    *data = NULL;
    RO_CUDA_TRY(cuda->context, cudaMallocFromPoolAsync(data, bytes, cuda->pool, cuda->compute));
    return RO_OK;
}

void cuda_disown(struct device_state *cuda, void *data)
{
    if (!data)
        return;
    if (cuda->scratch_used)
        cudaStreamWaitEvent(cuda->compute, cuda->scratch_free, 0);
    cudaFreeAsync(data, cuda->compute);
}

void cuda_drop_graph(struct device_state *cuda)
{
    if (cuda->graph)
        cudaGraphExecDestroy(cuda->graph);
    free(cuda->graph_key);
    cuda->graph = NULL;
    cuda->graph_key = NULL;
    cuda->graph_key_bytes = 0;
}

ro_status cuda_scratch_begin(struct device_state *cuda, cudaStream_t stream)
{
    if (cuda->scratch_used)
        RO_CUDA_TRY(cuda->context, cudaStreamWaitEvent(stream, cuda->scratch_free, 0));
    return RO_OK;
}

ro_status cuda_scratch_end(struct device_state *cuda, cudaStream_t stream)
{
    RO_CUDA_TRY(cuda->context, cudaEventRecord(cuda->scratch_free, stream));
    cuda->scratch_used = true;
    return RO_OK;
}

/* ---- memory and time for benches and tests -------------------------------------------------- */

ro_status cuda_alloc(ro_context *context, size_t bytes, void **device)
{
    *device = NULL;
    RO_CUDA_TRY(context, cudaMalloc(device, bytes));
    return RO_OK;
}

void cuda_free(void *device) { cudaFree(device); }

ro_status cuda_alloc_pinned(ro_context *context, size_t bytes, void **host)
{
    *host = NULL;
    RO_CUDA_TRY(context, cudaMallocHost(host, bytes));
    return RO_OK;
}

void cuda_free_pinned(void *host) { cudaFreeHost(host); }

ro_status cuda_copy(ro_context *context, void *to, const void *from, size_t bytes)
{
    RO_CUDA_TRY(context, cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
    return RO_OK;
}

ro_status cuda_fill(ro_context *context, void *device, int value, size_t bytes)
{
    RO_CUDA_TRY(context, cudaMemset(device, value, bytes));
    RO_CUDA_TRY(context, cudaDeviceSynchronize());
    return RO_OK;
}

static __global__ void spoil_shared(unsigned words)
{
    extern __shared__ unsigned memory[];
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x)
        ((volatile unsigned *)memory)[i] = ~0u;
}

ro_status cuda_spoil_shared(ro_context *context)
{
    struct device_state *cuda;
    int bytes;
    RO_TRY(cuda_of(context, &cuda));
    RO_CUDA_TRY(context, cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                                cuda->device));
    RO_CUDA_TRY(context, cudaFuncSetAttribute(spoil_shared,
                                              cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    spoil_shared<<<4 * cuda->processors, 256, (size_t)bytes, cuda->compute>>>((unsigned)bytes / 4);
    RO_CUDA_TRY(context, cudaGetLastError());
    RO_CUDA_TRY(context, cudaStreamSynchronize(cuda->compute));
    return RO_OK;
}

void *cuda_stream(ro_context *context)
{
    struct device_state *cuda;
    return cuda_of(context, &cuda) == RO_OK ? cuda->compute : NULL;
}

ro_status cuda_timer_start(ro_context *context)
{
    struct device_state *cuda;
    RO_TRY(cuda_of(context, &cuda));
    RO_CUDA_TRY(context, cudaEventRecord(cuda->begin, cuda->compute));
    return RO_OK;
}

ro_status cuda_timer_stop(ro_context *context, double *milliseconds)
{
    struct device_state *cuda;
    float elapsed;
    RO_TRY(cuda_of(context, &cuda));
    RO_CUDA_TRY(context, cudaEventRecord(cuda->end, cuda->compute));
    RO_CUDA_TRY(context, cudaEventSynchronize(cuda->end));
    RO_CUDA_TRY(context, cudaEventElapsedTime(&elapsed, cuda->begin, cuda->end));
    *milliseconds = elapsed;
    return RO_OK;
}

ro_status cuda_wait(ro_context *context)
{
    RO_CUDA_TRY(context, cudaDeviceSynchronize());
    return RO_OK;
}
