/* SPDX-License-Identifier: MIT */
/* The part of CUDA's runtime library that our hosts use: launches, memory, streams, events. */
#ifndef RO_SIMT_RUNTIME_H
#define RO_SIMT_RUNTIME_H

#include "simt.h"

#include <tuple>
#include <type_traits>
#include <utility>

typedef struct simt_event *cudaEvent_t;
typedef struct simt_graph *cudaGraph_t, *cudaGraphExec_t;
typedef struct simt_pool *cudaMemPool_t;

enum cudaError_t {
    cudaSuccess,
    cudaErrorInvalidValue,
    cudaErrorMemoryAllocation,
    cudaErrorNotReady = 600,
    cudaErrorCooperativeLaunchTooLarge = 720
};
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
enum {
    cudaStreamNonBlocking = 1,
    cudaEventDisableTiming = 2,
    cudaStreamCaptureModeThreadLocal = 1
};
enum cudaDeviceAttr {
    cudaDevAttrMultiProcessorCount,
    cudaDevAttrMaxSharedMemoryPerBlockOptin,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor
};
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize,
    cudaFuncAttributeNonPortableClusterSizeAllowed
};
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice };
enum {
    cudaMemAllocationTypePinned = 1,
    cudaMemLocationTypeDevice = 1,
    cudaMemPoolAttrReleaseThreshold = 4
};
enum cudaLaunchAttributeID {
    cudaLaunchAttributeCooperative,
    cudaLaunchAttributeClusterDimension,
    cudaLaunchAttributeProgrammaticStreamSerialization
};
struct cudaDeviceProp {
    char name[256];
    int major, minor, multiProcessorCount;
    size_t totalGlobalMem;
};
struct cudaPointerAttributes {
    cudaMemoryType type;
};
struct cudaMemPoolProps {
    int allocType;
    struct {
        int type, id;
    } location;
};
struct cudaFuncAttributes {
    int maxThreadsPerBlock, ptxVersion, binaryVersion, numRegs;
    size_t sharedSizeBytes;
};
struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    struct {
        dim3 clusterDim;
        int cooperative, programmaticStreamSerializationAllowed;
    } val;
};
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
};

namespace simt
{

cudaError_t launch(const shape &shape, const body &kernel); /* in its stream */
cudaError_t allocate(void **memory, size_t bytes, cudaMemoryType type);

/* kernel<<<grid, block, shared, stream>>>(arguments) becomes call(kernel, grid, ...)(arguments). */
template <class... P> struct call_of {
    void (*kernel)(P...);
    shape how;
    void operator()(P... arguments) const
    {
        launch(how, [k = kernel, all = std::tuple<P...>(arguments...)] { std::apply(k, all); });
    }
};
template <class... P>
call_of<P...> call(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared = 0,
                   cudaStream_t stream = nullptr, const char *file = __builtin_FILE(),
                   int line = __builtin_LINE())
{
    return {kernel, {grid, block, shared, stream, false, 1, file, line}};
}

/* The same for a template whose parameters follow from the arguments. */
template <class F> struct deduced_call_of {
    F kernel;
    shape how;
    template <class... A> void operator()(A... arguments) const
    {
        launch(how, [k = kernel, all = std::make_tuple(arguments...)] { std::apply(k, all); });
    }
};
template <class F>
deduced_call_of<F> call_deduced(F kernel, dim3 grid, dim3 block, size_t shared = 0,
                                cudaStream_t stream = nullptr, const char *file = __builtin_FILE(),
                                int line = __builtin_LINE())
{
    return {kernel, {grid, block, shared, stream, false, 1, file, line}};
}

/* A kernel's address as `const void *`. The emulator remembers the types of its parameters, so that
 * it can be launched with an array of arguments. */
typedef body binder(const void *kernel, void **arguments);
void remember(const void *kernel, binder *bind);
template <class... P, size_t... I>
body bind_all(void (*kernel)(P...), void **arguments, std::index_sequence<I...>)
{
    return [kernel, all = std::tuple<P...>(*(std::remove_reference_t<P> *)arguments[I]...)] {
        std::apply(kernel, all);
    };
}
struct erased {
    const void *address;
    template <class... P> erased(void (*kernel)(P...)) : address((const void *)kernel)
    {
        remember(address, [](const void *k, void **arguments) {
            return bind_all((void (*)(P...))k, arguments, std::index_sequence_for<P...>());
        });
    }
    erased(const volatile void *pointer) : address((const void *)pointer) {}
    operator const void *() const { return address; }
};

} // namespace simt

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaGetLastError();
const char *cudaGetErrorString(cudaError_t error);

template <class T> cudaError_t cudaMalloc(T **memory, size_t bytes)
{
    return simt::allocate((void **)memory, bytes, cudaMemoryTypeDevice);
}
template <class T> cudaError_t cudaMallocHost(T **memory, size_t bytes)
{
    return simt::allocate((void **)memory, bytes, cudaMemoryTypeHost);
}
template <class T>
cudaError_t cudaMallocFromPoolAsync(T **memory, size_t bytes, cudaMemPool_t, cudaStream_t)
{
    return simt::allocate((void **)memory, bytes, cudaMemoryTypeDevice);
}
cudaError_t cudaFree(void *memory);
cudaError_t cudaFreeHost(void *memory);
cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream);
cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void *memory);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer);
cudaError_t cudaMemGetInfo(size_t *left, size_t *all);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *properties);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, int attribute, void *value);

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t bytes, size_t rows, cudaMemcpyKind kind,
                              cudaStream_t stream = nullptr);
cudaError_t cudaMemset(void *to, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream = nullptr);
cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t bytes, size_t rows,
                              cudaStream_t stream = nullptr);

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end);

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags = 0);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);

cudaError_t simt_set_attribute(cudaFuncAttribute attribute, int value);
cudaError_t simt_get_attributes(cudaFuncAttributes *attributes);
template <class F> cudaError_t cudaFuncSetAttribute(F, cudaFuncAttribute attribute, int value)
{
    return simt_set_attribute(attribute, value);
}
template <class F> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, F)
{
    return simt_get_attributes(attributes);
}
template <class F>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *count, F, int threads, size_t shared)
{
    *count = simt::resident_blocks((size_t)threads, shared);
    return cudaSuccess;
}
template <class F>
cudaError_t cudaOccupancyMaxActiveClusters(int *count, F, const cudaLaunchConfig_t *config)
{
    const int blocks = simt::resident_blocks(config->blockDim.x, config->dynamicSmemBytes);
    *count = simt::multiprocessors() * blocks / (int)config->attrs->val.clusterDim.x;
    return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                             size_t shared, cudaStream_t stream);
cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                        size_t shared, cudaStream_t stream);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel,
                                void **arguments);
template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...),
                               A &&...arguments)
{
    std::tuple<P...> all(std::forward<A>(arguments)...);
    return std::apply(
        [&](auto &...each) {
            void *pointers[] = {(void *)&each...};
            return cudaLaunchKernelExC(config, simt::erased(kernel), pointers);
        },
        all);
}

#endif
