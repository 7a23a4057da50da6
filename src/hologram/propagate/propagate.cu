/* SPDX-License-Identifier: MIT */
/*
 * The passes of propagate.h on the device, with its bits: for each kind of frequencies rows there,
 * columns there, filtered and back, rows back, a block doing a few rows or columns in shared memory
 * (dft_device.cuh). All kinds go in one launch of each, so that they find each other's rows in the
 * cache, where their work takes no more than a quarter of the device's memory.
 */
#include "hologram/propagate/propagate.cuh"

#include "fft/cuda/dft_device.cuh"

#define PHASOR_INLINE static __device__ __forceinline__
#include "hologram/propagate/propagate_filter.h"

#include <stdlib.h>

enum { KINDS = 4 };

struct propagate_cuda {
    ro_context *context;
    struct device_state *cuda;
    struct dft_device row, column;
    struct dft_block rows, columns;
    float2 *turns[2];
    int width, height, batch;   /* kinds at once */
    float2 *field, *work, *sum; /* field, sum: only where they are needed */
};

/* What a launch is told. */
struct pass {
    struct dft_device dft;
    int width, height, lanes;
    int kind, kinds; /* the first, and how many */
    const float2 *along, *down;
    struct propagate_filter filter;
};

/* ---- Kernels -------------------------------------------------------------------------------- */

static __device__ __forceinline__ bool passes(const pass &p, int kind, int x)
{
    return propagate_passes(&p.filter, 0, propagate_number(x, kind & 1, p.width));
}

/* Times what makes a field that kind of frequencies. */
static __device__ __forceinline__ float2 turned(const pass &p, int kind, int x, int y, float2 v)
{
    if (!kind)
        return v;
    float2 t = kind & 2 ? p.down[y] : p.along[x];
    if (kind == 3)
        dft_turn(&t.x, &t.y, p.along[x].x, p.along[x].y);
    return make_float2(v.x * t.x - v.y * t.y, v.x * t.y + v.y * t.x);
}

static __device__ __forceinline__ dft_lanes lanes_of(const pass &p, float2 *memory, int count)
{
    return {memory, min(p.lanes, count), p.lanes, __ffs(p.lanes) - 1};
}

/* A row as it comes: times what makes it that kind. */
struct row_there {
    enum { INSIDE = 0, LANES_FIRST = 0 };
    const pass &p;
    const float2 *from;
    int kind, y;
    __device__ float2 operator()(int lane, int x) const
    {
        return turned(p, kind, x, y + lane, from[(size_t)lane * p.width + x]);
    }
};

template <int HOLD>
static __global__ void DFT_BOUNDS(HOLD)
    rows_there(const __grid_constant__ pass p, const float2 *__restrict__ from,
               float2 *__restrict__ work)
{
    extern __shared__ float2 memory[];
    const int y = blockIdx.y * p.lanes, kind = p.kind + blockIdx.x;
    const dft_lanes lanes = lanes_of(p, memory, p.height - y);
    float2 *to = work + ((size_t)blockIdx.x * p.height + y) * p.width;
    dft_run<HOLD>(p.dft, lanes, row_there{p, from + (size_t)y * p.width, kind, y});
    for (int lane = 0; lane < lanes.count; lane++)
#pragma unroll 4
        for (int x = threadIdx.x; x < p.width; x += blockDim.x)
            if (passes(p, kind, x))
                to[(size_t)lane * p.width + x] = dft_result<HOLD>(p.dft, lanes, lane, x);
}

struct column {
    enum { INSIDE = 0, LANES_FIRST = 1 };
    const float2 *from;
    int width;
    __device__ float2 operator()(int lane, int y) const { return from[(size_t)y * width + lane]; }
};

/* There, times H, and back, which real and imaginary parts that change places make. */
template <int HOLD>
static __global__ void DFT_BOUNDS(HOLD)
    columns(const __grid_constant__ pass p, float2 *__restrict__ work)
{
    extern __shared__ float2 memory[];
    const int x0 = blockIdx.x * p.lanes, kind = p.kind + blockIdx.y;
    const dft_lanes lanes = lanes_of(p, memory, p.width - x0);
    bool any = false;
    work += (size_t)blockIdx.y * p.width * p.height + x0;
    for (int lane = 0; lane < lanes.count; lane++)
        any |= passes(p, kind, x0 + lane);
    if (!any)
        return;
    dft_run<HOLD>(p.dft, lanes, column{work, p.width});
    for (int lane = 0; lane < lanes.count; lane++) {
        const int m = propagate_number(x0 + lane, kind & 1, p.width);
        for (int y = threadIdx.x; y < p.height; y += blockDim.x) {
            float2 v = dft_result<HOLD>(p.dft, lanes, lane, y);
            float c, s;
            propagate_factor(&p.filter, m, propagate_number(y, kind >> 1, p.height), &c, &s);
            dft_turn(&v.x, &v.y, c, s);
            memory[lane * p.dft.lane + p.dft.place[y]] =
                c != 0 || s != 0 ? make_float2(v.y, v.x) : make_float2(0, 0);
        }
    }
    __syncthreads();
    dft_settle<HOLD>(p.dft, lanes);
    dft_run<HOLD>(p.dft, lanes, dft_inside());
#pragma unroll 4
    for (int t = threadIdx.x; t < p.height << lanes.shift; t += blockDim.x) {
        const int y = t >> lanes.shift, lane = t & (lanes.all - 1);
        if (lane < lanes.count) {
            const float2 v = dft_result<HOLD>(p.dft, lanes, lane, y);
            work[(size_t)y * p.width + lane] = make_float2(v.y, v.x);
        }
    }
}

/* A row on its way back: parts have changed places, so that turning forth turns back. */
struct row_back {
    enum { INSIDE = 0, LANES_FIRST = 0 };
    const pass &p;
    const float2 *from;
    int kind;
    __device__ float2 operator()(int lane, int x) const
    {
        const float2 v = passes(p, kind, x) ? from[(size_t)lane * p.width + x] : make_float2(0, 0);
        return make_float2(v.y, v.x);
    }
};

/* A row that came back to the sum of the kinds before it, which is asked for a few at once. */
template <int HOLD>
static __device__ __forceinline__ void add_row(const pass &p, const dft_lanes &lanes, int kind,
                                               int lane, int y, float2 *to)
{
    enum { AT_ONCE = 4 };
    for (int x0 = threadIdx.x; x0 < p.width; x0 += AT_ONCE * blockDim.x) {
        float2 sum[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
            if (kind && x0 + i * blockDim.x < p.width)
                sum[i] = to[x0 + i * blockDim.x];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            const int x = x0 + i * blockDim.x;
            if (x >= p.width)
                break;
            float2 v = turned(p, kind, x, y, dft_result<HOLD>(p.dft, lanes, lane, x));
            if (kind)
                v = make_float2(sum[i].y + v.x, sum[i].x + v.y);
            to[x] = make_float2(v.y, v.x);
        }
    }
}

template <int HOLD>
static __global__ void DFT_BOUNDS(HOLD)
    rows_back(const __grid_constant__ pass p, const float2 *__restrict__ work,
              float2 *__restrict__ to)
{
    extern __shared__ float2 memory[];
    const int y0 = blockIdx.x * p.lanes;
    const dft_lanes lanes = lanes_of(p, memory, p.height - y0);
    for (int kind = p.kind; kind < p.kind + p.kinds; kind++) {
        dft_run<HOLD>(p.dft, lanes, row_back{p, work + (size_t)y0 * p.width, kind});
        for (int lane = 0; lane < lanes.count; lane++)
            add_row<HOLD>(p, lanes, kind, lane, y0 + lane, to + (size_t)(y0 + lane) * p.width);
        __syncthreads();
        work += (size_t)p.width * p.height;
    }
}

/* ---- Runs ----------------------------------------------------------------------------------- */

static ro_status pass_kinds(struct propagate_cuda *d, const float2 *from, float2 *to,
                            struct pass *p)
{
    cudaStream_t stream = d->cuda->compute;
    const unsigned kinds = (unsigned)p->kinds;
    const struct dft_block r = d->rows, c = d->columns;
    struct pass down = *p;
    p->dft = d->row;
    p->lanes = r.lanes;
    down.dft = d->column;
    down.lanes = c.lanes;
    const unsigned rows = (unsigned)((d->height + r.lanes - 1) / r.lanes);
    const unsigned across = (unsigned)((d->width + c.lanes - 1) / c.lanes);
    const auto there = r.many ? rows_there<DFT_MANY> : rows_there<DFT_FEW>;
    const auto middle = c.many ? columns<DFT_MANY> : columns<DFT_FEW>;
    const auto back = r.many ? rows_back<DFT_MANY> : rows_back<DFT_FEW>;
    there<<<dim3(kinds, rows), r.threads, r.bytes, stream>>>(*p, from, d->work);
    middle<<<dim3(across, kinds), c.threads, c.bytes, stream>>>(down, d->work);
    back<<<rows, r.threads, r.bytes, stream>>>(*p, d->work, to);
    RO_CUDA_TRY(d->context, cudaGetLastError());
    return RO_OK;
}

ro_status propagate_on_device(struct propagate_cuda *d, const float2 *from, float2 *to,
                              const struct propagate_filter *filter, bool wraps)
{
    const int kinds = wraps ? 1 : KINDS;
    const size_t bytes = (size_t)d->width * d->height * sizeof(float2);
    float2 *sum = to;
    struct pass p = {};
    p.width = d->width;
    p.height = d->height;
    p.filter = *filter;
    p.along = d->turns[0];
    p.down = d->turns[1];
    if (from == to && d->batch < kinds) { /* later kinds need the field as it was */
        if (!d->sum)
            RO_TRY(cuda_own(d->cuda, bytes, (void **)&d->sum));
        sum = d->sum;
    }
    for (p.kind = 0; p.kind < kinds; p.kind += p.kinds) {
        p.kinds = kinds - p.kind < d->batch ? kinds - p.kind : d->batch;
        RO_TRY(pass_kinds(d, from, sum, &p));
    }
    if (sum != to)
        RO_CUDA_TRY(d->context,
                    cudaMemcpyAsync(to, sum, bytes, cudaMemcpyDeviceToDevice, d->cuda->compute));
    return RO_OK;
}

static ro_status propagate_cuda_run(struct propagate_cuda *d, float *field,
                                    const struct propagate_filter *filter, bool wraps)
{
    cudaStream_t stream = d->cuda->compute;
    const size_t bytes = (size_t)d->width * d->height * sizeof(float2);
    if (!d->field)
        RO_TRY(cuda_own(d->cuda, bytes, (void **)&d->field));
    RO_CUDA_TRY(d->context, cudaMemcpyAsync(d->field, field, bytes, cudaMemcpyDefault, stream));
    RO_TRY(propagate_on_device(d, d->field, d->field, filter, wraps));
    RO_CUDA_TRY(d->context, cudaMemcpyAsync(field, d->field, bytes, cudaMemcpyDefault, stream));
    RO_CUDA_TRY(d->context, cudaStreamSynchronize(stream));
    return RO_OK;
}

/* ---- Opening -------------------------------------------------------------------------------- */

static void propagate_cuda_close(struct propagate_cuda *d)
{
    if (!d)
        return;
    if (d->cuda) {
        dft_device_close(d->cuda, &d->row);
        dft_device_close(d->cuda, &d->column);
        for (float2 *memory : {d->turns[0], d->turns[1], d->field, d->work, d->sum})
            cuda_disown(d->cuda, memory);
    }
    free(d);
}

static ro_status open_turns(struct propagate_cuda *d, int i, const float *turns)
{
    const size_t bytes = (size_t)(i ? d->height : d->width) * sizeof(float2);
    RO_TRY(cuda_own(d->cuda, bytes, (void **)&d->turns[i]));
    RO_CUDA_TRY(d->context, cudaMemcpyAsync(d->turns[i], turns, bytes, cudaMemcpyHostToDevice,
                                            d->cuda->compute));
    return RO_OK;
}

static ro_status open_all(struct propagate_cuda *d, const struct dft *row, const struct dft *column,
                          const float *const turns[2])
{
    RO_TRY(cuda_of(d->context, &d->cuda));
    RO_TRY(dft_device_open(d->cuda, row, &d->row));
    RO_TRY(dft_device_open(d->cuda, column, &d->column));
    RO_TRY(dft_device_fit(d->cuda, &d->row, 1, false, &d->rows));
    RO_TRY(dft_device_fit(d->cuda, &d->column, 4, true, &d->columns));
    for (int i = 0; i < 2; i++)
        RO_TRY(open_turns(d, i, turns[i]));
    const void *kernels[] = {
        (const void *)rows_there<DFT_FEW>, (const void *)rows_there<DFT_MANY>,
        (const void *)columns<DFT_FEW>,    (const void *)columns<DFT_MANY>,
        (const void *)rows_back<DFT_FEW>,  (const void *)rows_back<DFT_MANY>,
    };
    int shared = 0;
    RO_CUDA_TRY(d->context, cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                                   d->cuda->device));
    for (const void *kernel : kernels)
        RO_CUDA_TRY(d->context, cudaFuncSetAttribute(
                                    kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    const size_t bytes = (size_t)d->width * d->height * sizeof(float2);
    d->batch = KINDS * bytes <= d->cuda->memory / 4 ? KINDS : 1;
    ro_status status = cuda_own(d->cuda, d->batch * bytes, (void **)&d->work);
    if (status == RO_E_MEMORY && d->batch > 1) { /* others have some of it */
        d->batch = 1;
        status = cuda_own(d->cuda, bytes, (void **)&d->work);
    }
    RO_TRY(status);
    RO_CUDA_TRY(d->context, cudaStreamSynchronize(d->cuda->compute));
    return RO_OK;
}

static ro_status propagate_cuda_open(ro_context *context, const struct dft *row,
                                     const struct dft *column, const float *const turns[2],
                                     struct propagate_cuda **device)
{
    *device = NULL;
    struct propagate_cuda *d = (struct propagate_cuda *)calloc(1, sizeof *d);
    if (!d)
        return ro_context_fail(context, RO_E_MEMORY, "no memory to propagate");
    d->context = context;
    d->width = row->n;
    d->height = column->n;
    ro_status status = open_all(d, row, column, turns);
    if (status == RO_OK)
        *device = d;
    else
        propagate_cuda_close(d);
    return status;
}

static const struct propagate_cuda_calls calls = {
    propagate_cuda_open,
    propagate_cuda_close,
    propagate_cuda_run,
};
const struct propagate_cuda_calls *propagate_on_cuda = &calls;
