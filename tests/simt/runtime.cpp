/* SPDX-License-Identifier: MIT */
/*
 * CUDA's runtime library on the emulator: see runtime.h. Without a seed, a stream runs its work
 * when it is given. With one, work waits in queues; when the host waits for a stream or an event,
 * the queues advance in random order until that is done. A missing wait for an event then shows.
 */
#include "runtime.h"

#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct simt_event {
    uint64_t recorded, reached; /* number of the last record in a queue, and of the last one run */
    double when;
};
struct work {
    std::function<void()> run;
    simt_event *event; /* waits until the event has reached `number`; NULL: does not wait */
    uint64_t number;
};
struct simt_graph {
    std::vector<std::function<void()>> steps;
};
struct simt_stream {
    std::deque<work> queue;
    simt_graph *capture; /* takes the work instead, if not NULL */
};
struct allocation {
    size_t bytes;
    cudaMemoryType type;
};

/* One lock for all: a thread of the system that advances a stream holds it. */
static std::recursive_mutex &lock()
{
    static auto *const mutex = new std::recursive_mutex;
    return *mutex;
}
static std::mutex &tables_lock()
{
    static auto *const mutex = new std::mutex;
    return *mutex;
}
static std::vector<simt_stream *> &streams()
{
    static auto *const all = new std::vector<simt_stream *>{new simt_stream()}; /* the default */
    return *all;
}
static std::map<const char *, allocation> &allocations()
{
    static auto *const all = new std::map<const char *, allocation>;
    return *all;
}
static std::map<const void *, simt::binder *> &kernels()
{
    static auto *const all = new std::map<const void *, simt::binder *>;
    return *all;
}
static __thread cudaError_t last_error;

static cudaError_t failed(cudaError_t error) { return last_error = error; }

static double seconds()
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- streams and events --------------------------------------------------------------------- */

static bool can_advance(const simt_stream *s)
{
    return !s->queue.empty() &&
           (!s->queue[0].event || s->queue[0].event->reached >= s->queue[0].number);
}

/* Runs one piece of work of a random stream that can advance. */
static void advance()
{
    std::vector<simt_stream *> able;
    for (simt_stream *s : streams())
        if (can_advance(s))
            able.push_back(s);
    if (able.empty())
        abort(); /* cannot be: a stream waits for what was recorded before */
    simt_stream *s = able[simt::draw(able.size())];
    const work next = s->queue[0];
    s->queue.pop_front();
    if (next.run)
        next.run();
}

static simt_stream *queue_of(cudaStream_t stream) { return stream ? stream : streams()[0]; }

static void put(cudaStream_t stream, const work &next)
{
    if (!simt::seed()) {
        if (stream && stream->capture)
            stream->capture->steps.push_back(next.run);
        else if (next.run)
            next.run();
        return;
    }
    std::lock_guard<std::recursive_mutex> held(lock());
    if (stream && stream->capture)
        stream->capture->steps.push_back(next.run);
    else
        queue_of(stream)->queue.push_back(next);
}

static void put(cudaStream_t stream, std::function<void()> run) { put(stream, {run, nullptr, 0}); }

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    std::lock_guard<std::recursive_mutex> held(lock());
    while (!queue_of(stream)->queue.empty())
        advance();
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize()
{
    std::lock_guard<std::recursive_mutex> held(lock());
    for (size_t i = 0; i < streams().size(); i++)
        cudaStreamSynchronize(streams()[i]);
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    std::lock_guard<std::recursive_mutex> held(lock());
    if (queue_of(stream)->queue.empty())
        return cudaSuccess;
    advance();
    return cudaErrorNotReady;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
    std::lock_guard<std::recursive_mutex> held(lock());
    streams().push_back(*stream = new simt_stream());
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    std::lock_guard<std::recursive_mutex> held(lock());
    cudaStreamSynchronize(stream);
    for (size_t i = 0; i < streams().size(); i++)
        if (streams()[i] == stream)
            streams().erase(streams().begin() + (ptrdiff_t)i);
    delete stream;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = new simt_event();
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
    return cudaEventCreate(event);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    cudaDeviceSynchronize(); /* work may wait for the event */
    delete event;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    std::lock_guard<std::recursive_mutex> held(lock());
    const uint64_t number = ++event->recorded;
    put(stream, [=] {
        event->reached = number;
        event->when = seconds();
    });
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned)
{
    std::lock_guard<std::recursive_mutex> held(lock());
    if (simt::seed())
        put(stream, {nullptr, event, event->recorded});
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    std::lock_guard<std::recursive_mutex> held(lock());
    while (event->reached < event->recorded)
        advance();
    return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    std::lock_guard<std::recursive_mutex> held(lock());
    if (event->reached >= event->recorded)
        return cudaSuccess;
    advance();
    return cudaErrorNotReady;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end)
{
    *milliseconds = (float)(1e3 * (end->when - begin->when));
    return cudaSuccess;
}

/* ---- graphs --------------------------------------------------------------------------------- */

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int)
{
    stream->capture = new simt_graph();
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    *graph = stream->capture;
    stream->capture = nullptr;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long)
{
    *exec = new simt_graph(*graph);
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    for (const auto &step : exec->steps)
        put(stream, step);
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    delete exec;
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    delete graph;
    return cudaSuccess;
}

/* ---- launches ------------------------------------------------------------------------------- */

cudaError_t simt::launch(const shape &how, const body &kernel)
{
    const size_t threads = (size_t)how.block.x * how.block.y * how.block.z;
    const size_t blocks = (size_t)how.grid.x * how.grid.y * how.grid.z;
    if (threads == 0 || threads > THREADS_MOST || blocks == 0 || how.grid.y > 65535 ||
        how.grid.z > 65535 || how.shared > SHARED_MOST)
        return failed(cudaErrorInvalidValue);
    if (how.cooperative &&
        blocks > (size_t)(resident_blocks(threads, how.shared) * multiprocessors()))
        return failed(cudaErrorCooperativeLaunchTooLarge);
    put(how.stream, [=] { run(how, kernel); });
    return cudaSuccess;
}

void simt::remember(const void *kernel, binder *bind)
{
    std::lock_guard<std::mutex> held(tables_lock());
    kernels()[kernel] = bind;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel,
                                void **arguments)
{
    simt::binder *bind = nullptr;
    {
        std::lock_guard<std::mutex> held(tables_lock());
        if (kernels().count(kernel))
            bind = kernels()[kernel];
    }
    if (!bind)
        return failed(cudaErrorInvalidValue);
    simt::shape how = {config->gridDim,
                       config->blockDim,
                       config->dynamicSmemBytes,
                       config->stream,
                       false,
                       1,
                       "an address",
                       0};
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *attribute = &config->attrs[i];
        if (attribute->id == cudaLaunchAttributeCooperative)
            how.cooperative = attribute->val.cooperative != 0;
        if (attribute->id == cudaLaunchAttributeClusterDimension)
            how.cluster = attribute->val.clusterDim.x;
        if (how.cluster > 1 && simt::ARCH < 90)
            return failed(cudaErrorInvalidValue);
    }
    return simt::launch(how, bind(kernel, arguments));
}

static cudaError_t launch_plain(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                size_t shared, cudaStream_t stream, int cooperative)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = cooperative;
    const cudaLaunchConfig_t config = {grid, block, shared, stream, &attribute, 1};
    return cudaLaunchKernelExC(&config, kernel, arguments);
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                             size_t shared, cudaStream_t stream)
{
    return launch_plain(kernel, grid, block, arguments, shared, stream, 0);
}

cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                        size_t shared, cudaStream_t stream)
{
    return launch_plain(kernel, grid, block, arguments, shared, stream, 1);
}

cudaError_t simt_set_attribute(cudaFuncAttribute attribute, int value)
{
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize && value > simt::SHARED_MOST)
        return failed(cudaErrorInvalidValue);
    return cudaSuccess;
}

cudaError_t simt_get_attributes(cudaFuncAttributes *attributes)
{
    *attributes = {};
    attributes->maxThreadsPerBlock = simt::THREADS_MOST;
    attributes->ptxVersion = attributes->binaryVersion = simt::ARCH;
    attributes->numRegs = 32;
    return cudaSuccess;
}

/* ---- the device ----------------------------------------------------------------------------- */

enum { MEMORY_GIB = 4 };

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    return device == 0 ? cudaSuccess : failed(cudaErrorInvalidValue);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int)
{
    *properties = {};
    strcpy(properties->name, "emulated on the processor");
    properties->major = simt::ARCH / 10;
    properties->minor = simt::ARCH % 10;
    properties->multiProcessorCount = simt::multiprocessors();
    properties->totalGlobalMem = (size_t)MEMORY_GIB << 30;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int)
{
    *value = attribute == cudaDevAttrMultiProcessorCount ? simt::multiprocessors()
             : attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin
                 ? simt::SHARED_MOST
                 : simt::SHARED_MOST + simt::SHARED_TAKEN;
    return cudaSuccess;
}

cudaError_t cudaGetLastError()
{
    const cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaSuccess                          ? "no error"
           : error == cudaErrorCooperativeLaunchTooLarge ? "too many blocks in cooperative launch"
                                                         : "an error of the emulated device";
}

/* ---- memory --------------------------------------------------------------------------------- */

/* Allocated memory has no defined contents, so its bytes are arbitrary. */
cudaError_t simt::allocate(void **memory, size_t bytes, cudaMemoryType type)
{
    if (bytes > (size_t)MEMORY_GIB << 30 || posix_memalign(memory, 256, bytes ? bytes : 1)) {
        *memory = nullptr;
        return failed(cudaErrorMemoryAllocation);
    }
    memset(*memory, seed() ? 1 + (int)draw(255) : 0xa5, bytes);
    std::lock_guard<std::mutex> held(tables_lock());
    allocations()[(const char *)*memory] = {bytes, type};
    return cudaSuccess;
}

cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned)
{
    std::lock_guard<std::mutex> held(tables_lock());
    allocations()[(const char *)memory] = {bytes, cudaMemoryTypeHost};
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *memory)
{
    std::lock_guard<std::mutex> held(tables_lock());
    return allocations().erase((const char *)memory) ? cudaSuccess : failed(cudaErrorInvalidValue);
}

static cudaError_t release(void *memory)
{
    const cudaError_t error = cudaHostUnregister(memory);
    if (error == cudaSuccess)
        free(memory);
    return error;
}

cudaError_t cudaFree(void *memory)
{
    cudaDeviceSynchronize();
    return memory ? release(memory) : cudaSuccess;
}

cudaError_t cudaFreeHost(void *memory) { return cudaFree(memory); }

cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream)
{
    put(stream, [=] { release(memory); });
    return cudaSuccess;
}

static cudaMemoryType type_of(const void *pointer)
{
    std::lock_guard<std::mutex> held(tables_lock());
    auto after = allocations().upper_bound((const char *)pointer);
    if (after == allocations().begin())
        return cudaMemoryTypeUnregistered;
    --after;
    return (const char *)pointer < after->first + after->second.bytes ? after->second.type
                                                                      : cudaMemoryTypeUnregistered;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer)
{
    attributes->type = type_of(pointer);
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *left, size_t *all)
{
    *all = (size_t)MEMORY_GIB << 30;
    *left = *all / 4 * 3;
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *)
{
    *pool = (cudaMemPool_t)malloc(1);
    return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    free(pool);
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, int, void *) { return cudaSuccess; }

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t bytes, size_t rows, cudaMemcpyKind, cudaStream_t stream)
{
    if (to_pitch < bytes || from_pitch < bytes)
        return failed(cudaErrorInvalidValue);
    put(stream, [=] {
        for (size_t r = 0; r < rows; r++)
            memmove((char *)to + r * to_pitch, (const char *)from + r * from_pitch, bytes);
    });
    /* A copy with memory that is not pinned ends before the call does. */
    if (simt::seed() && (!stream || !stream->capture) &&
        (type_of(to) == cudaMemoryTypeUnregistered || type_of(from) == cudaMemoryTypeUnregistered))
        cudaStreamSynchronize(stream);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return cudaMemcpy2DAsync(to, bytes, from, bytes, bytes, 1, kind, stream);
}

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t bytes, size_t rows,
                              cudaStream_t stream)
{
    if (pitch < bytes)
        return failed(cudaErrorInvalidValue);
    put(stream, [=] {
        for (size_t r = 0; r < rows; r++)
            memset((char *)to + r * pitch, value, bytes);
    });
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    return cudaMemset2DAsync(to, bytes, value, bytes, 1, stream);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    cudaMemcpyAsync(to, from, bytes, kind, nullptr);
    return cudaStreamSynchronize(nullptr);
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    cudaMemsetAsync(to, value, bytes, nullptr);
    return cudaStreamSynchronize(nullptr);
}
