/* SPDX-License-Identifier: MIT */
/*
 * The four passes of propagate.h on the device. cuFFT is opened at run time, so that one binary
 * runs with and without it; what is used of it is declared here.
 */
#include "cuda/cuda.cuh"
#include "hologram/propagate/propagate_cuda.h"

#define PHASOR_INLINE static __device__ __forceinline__
#include "hologram/propagate/propagate_filter.h"

#include <dlfcn.h>
#include <stdlib.h>

enum { CUFFT_OK = 0, CUFFT_C2C_TYPE = 0x29, CUFFT_FORWARDS = -1, CUFFT_BACKWARDS = 1 };

struct cufft {
    void *library;
    int (*plan)(int *plan, int rows, int columns, int type);
    int (*destroy)(int plan);
    int (*set_stream)(int plan, cudaStream_t stream);
    int (*run)(int plan, float2 *in, float2 *out, int direction);
};

struct propagate_cuda {
    ro_context *context;
    struct ro_cuda *cuda;
    struct cufft fft;
    int plan;
    bool planned;
    uint32_t width, height;
    float2 *field, *work, *sum;
};

static ro_status open_library(ro_context *context, struct cufft *fft)
{
    static const char *const names[] = {"libcufft.so.12", "libcufft.so.11", "libcufft.so.10",
                                        "libcufft.so", "/usr/local/cuda/lib64/libcufft.so"};
    for (const char *name : names)
        if (!fft->library)
            fft->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!fft->library)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "propagation on CUDA needs cuFFT, which was not found");
    *(void **)&fft->plan = dlsym(fft->library, "cufftPlan2d");
    *(void **)&fft->destroy = dlsym(fft->library, "cufftDestroy");
    *(void **)&fft->set_stream = dlsym(fft->library, "cufftSetStream");
    *(void **)&fft->run = dlsym(fft->library, "cufftExecC2C");
    if (!fft->plan || !fft->destroy || !fft->set_stream || !fft->run)
        return ro_context_fail(context, RO_E_UNSUPPORTED, "cuFFT lacks what propagation needs");
    return RO_OK;
}

static void propagate_cuda_close(struct propagate_cuda *d)
{
    if (!d)
        return;
    if (d->planned)
        d->fft.destroy(d->plan);
    cudaFree(d->field);
    cudaFree(d->work);
    cudaFree(d->sum);
    cudaGetLastError();
    if (d->fft.library)
        dlclose(d->fft.library);
    free(d);
}

static ro_status open_all(struct propagate_cuda *d)
{
    RO_TRY(ro_cuda_of(d->context, &d->cuda));
    RO_TRY(open_library(d->context, &d->fft));
    const size_t bytes = (size_t)d->width * d->height * sizeof(float2);
    float2 **fields[] = {&d->field, &d->work, &d->sum};
    for (float2 **field : fields)
        RO_CUDA_TRY(d->context, cudaMalloc((void **)field, bytes));
    if (d->fft.plan(&d->plan, (int)d->height, (int)d->width, CUFFT_C2C_TYPE) != CUFFT_OK)
        return ro_context_fail(d->context, RO_E_DEVICE,
                               "cuFFT cannot transform a field of %u x %u pixels", d->width,
                               d->height);
    d->planned = true;
    if (d->fft.set_stream(d->plan, d->cuda->compute) != CUFFT_OK)
        return ro_context_fail(d->context, RO_E_DEVICE, "cuFFT refused a stream");
    return RO_OK;
}

static ro_status propagate_cuda_open(ro_context *context, uint32_t width, uint32_t height,
                                     struct propagate_cuda **device)
{
    *device = NULL;
    struct propagate_cuda *d = (struct propagate_cuda *)calloc(1, sizeof *d);
    if (!d)
        return ro_context_fail(context, RO_E_MEMORY, "no memory to propagate");
    d->context = context;
    d->width = width;
    d->height = height;
    ro_status status = open_all(d);
    if (status == RO_OK)
        *device = d;
    else
        propagate_cuda_close(d);
    return status;
}

/* ---- kernels -------------------------------------------------------------------------------- */

struct grid {
    int width, height, a, b;
    struct propagate_filter filter;
};

static __device__ __forceinline__ float2 product(float2 p, float2 q)
{
    return make_float2(p.x * q.x - p.y * q.y, p.x * q.y + p.y * q.x);
}

/* e^{-i pi (a x / w + b y / h)} */
static __device__ __forceinline__ float2 turn(const grid &g, int x, int y)
{
    float2 t;
    sincospif(-((g.a ? (float)x / g.width : 0) + (g.b ? (float)y / g.height : 0)), &t.y, &t.x);
    return t;
}

static __global__ void turn_in(grid g, const float2 *field, float2 *work)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < g.width) {
        size_t i = (size_t)y * g.width + x;
        work[i] = product(field[i], turn(g, x, y));
    }
}

static __global__ void multiply(grid g, float2 *work)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= g.width)
        return;
    float2 h;
    propagate_factor(&g.filter, propagate_number(x, g.a, g.width),
                     propagate_number(y, g.b, g.height), &h.x, &h.y);
    size_t i = (size_t)y * g.width + x;
    work[i] = product(work[i], h);
}

static __global__ void turn_out(grid g, const float2 *work, float2 *sum)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= g.width)
        return;
    size_t i = (size_t)y * g.width + x;
    float2 t = turn(g, x, y), v = product(work[i], make_float2(t.x, -t.y));
    float2 before = g.a + g.b ? sum[i] : make_float2(0, 0);
    sum[i] = make_float2(before.x + v.x, before.y + v.y);
}

/* ---- a run ---------------------------------------------------------------------------------- */

static ro_status propagate_cuda_run(struct propagate_cuda *d, float *field,
                             const struct propagate_filter *filter)
{
    cudaStream_t stream = d->cuda->compute;
    const size_t count = (size_t)d->width * d->height, bytes = count * sizeof(float2);
    const dim3 blocks((d->width + 255) / 256, d->height);
    struct grid g = {};
    g.width = (int)d->width;
    g.height = (int)d->height;
    g.filter = *filter;
    if (d->height > 65535)
        return ro_context_fail(d->context, RO_E_SIZE, "%u rows: CUDA takes at most 65535",
                               d->height);
    RO_CUDA_TRY(d->context, cudaMemcpyAsync(d->field, field, bytes, cudaMemcpyDefault, stream));
    for (int kind = 0; kind < 4; kind++) {
        g.a = kind & 1;
        g.b = kind >> 1;
        turn_in<<<blocks, 256, 0, stream>>>(g, d->field, d->work);
        if (d->fft.run(d->plan, d->work, d->work, CUFFT_FORWARDS) != CUFFT_OK)
            return ro_context_fail(d->context, RO_E_DEVICE, "cuFFT failed");
        multiply<<<blocks, 256, 0, stream>>>(g, d->work);
        if (d->fft.run(d->plan, d->work, d->work, CUFFT_BACKWARDS) != CUFFT_OK)
            return ro_context_fail(d->context, RO_E_DEVICE, "cuFFT failed");
        turn_out<<<blocks, 256, 0, stream>>>(g, d->work, d->sum);
    }
    RO_CUDA_TRY(d->context, cudaGetLastError());
    RO_CUDA_TRY(d->context, cudaMemcpyAsync(field, d->sum, bytes, cudaMemcpyDefault, stream));
    RO_CUDA_TRY(d->context, cudaStreamSynchronize(stream));
    return RO_OK;
}

static const struct propagate_cuda_calls calls = {
    propagate_cuda_open,
    propagate_cuda_close,
    propagate_cuda_run,
};
const struct propagate_cuda_calls *const propagate_on_cuda = &calls;
