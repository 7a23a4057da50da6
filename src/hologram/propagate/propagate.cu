/* SPDX-License-Identifier: MIT */
/*
 * The passes of propagate.h on the device, with its bits: for each kind of frequencies rows there,
 * columns there, filtered and back, rows back, a block doing a few rows or columns in shared memory
 * (dft_device.cuh). Small fields do all kinds in one launch of each.
 */
#include "hologram/propagate/propagate.cuh"

#include "transform/cuda/dft_device.cuh"

#define PHASOR_INLINE static __device__ __forceinline__
#include "hologram/propagate/propagate_filter.h"

#include <stdlib.h>

enum { KINDS = 4, MOST_THREADS = 1024 };
static const size_t together = (size_t)2 << 30; /* bytes of work up to which kinds run together */

struct propagate_cuda {
    ro_context *context;
    struct ro_cuda *cuda;
    struct dft_device row, column;
    struct dft_block rows, columns;
    float2 *turns[2];
    int width, height, batch; /* kinds at once */
    float2 *field, *work, *sum; /* field, sum: only where they are needed */
};

/* What a launch is told. */
struct pass {
    struct dft_device dft;
    int width, height, lanes, room;
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

static __global__ void __launch_bounds__(MOST_THREADS)
    rows_there(const __grid_constant__ pass p, const float2 *from, float2 *work)
{
    extern __shared__ float2 memory[];
    const int y0 = blockIdx.x * p.lanes, lanes = min(p.lanes, p.height - y0);
    const int kind = p.kind + blockIdx.y;
    float2 *to = work + (size_t)blockIdx.y * p.width * p.height;
    for (int lane = 0; lane < lanes; lane++)
        for (int x = threadIdx.x; x < p.width; x += blockDim.x)
            memory[lane * p.dft.lane + dft_place(p.dft, 0, x)] =
                turned(p, kind, x, y0 + lane, from[(size_t)(y0 + lane) * p.width + x]);
    __syncthreads();
    const int level = dft_run(p.dft, memory, 0, lanes, memory + p.lanes * p.dft.lane, p.room);
    for (int lane = 0; lane < lanes; lane++)
        for (int x = threadIdx.x; x < p.width; x += blockDim.x)
            if (passes(p, kind, x))
                to[(size_t)(y0 + lane) * p.width + x] =
                    memory[lane * p.dft.lane + dft_place(p.dft, level, x)];
}

/* There, times H, and back, which real and imaginary parts that change places make. */
static __global__ void __launch_bounds__(MOST_THREADS)
    columns(const __grid_constant__ pass p, float2 *work)
{
    extern __shared__ float2 memory[];
    const int x0 = blockIdx.x * p.lanes, lanes = min(p.lanes, p.width - x0);
    const int kind = p.kind + blockIdx.y, all = p.lanes * p.height, shift = __ffs(p.lanes) - 1;
    float2 *buffers = memory + p.lanes * p.dft.lane;
    bool any = false;
    work += (size_t)blockIdx.y * p.width * p.height + x0;
    for (int lane = 0; lane < lanes; lane++)
        any |= passes(p, kind, x0 + lane);
    if (!any)
        return;
    for (int t = threadIdx.x; t < all; t += blockDim.x) {
        const int y = t >> shift, lane = t & (p.lanes - 1);
        if (lane < lanes)
            memory[lane * p.dft.lane + dft_place(p.dft, 0, y)] = work[(size_t)y * p.width + lane];
    }
    __syncthreads();
    int level = dft_run(p.dft, memory, 0, lanes, buffers, p.room);
    for (int lane = 0; lane < lanes; lane++) {
        const int m = propagate_number(x0 + lane, kind & 1, p.width);
        for (int y = threadIdx.x; y < p.height; y += blockDim.x) {
            float2 *at = &memory[lane * p.dft.lane + dft_place(p.dft, level, y)], v = *at;
            float c, s;
            propagate_factor(&p.filter, m, propagate_number(y, kind >> 1, p.height), &c, &s);
            dft_turn(&v.x, &v.y, c, s);
            *at = c != 0 || s != 0 ? make_float2(v.y, v.x) : make_float2(0, 0);
        }
    }
    __syncthreads();
    level = dft_run(p.dft, memory, level, lanes, buffers, p.room);
    for (int t = threadIdx.x; t < all; t += blockDim.x) {
        const int y = t >> shift, lane = t & (p.lanes - 1);
        const float2 v = memory[lane * p.dft.lane + dft_place(p.dft, level, y)];
        if (lane < lanes)
            work[(size_t)y * p.width + lane] = make_float2(v.y, v.x);
    }
}

/* Parts have changed places here, so that turning forth turns back. */
static __global__ void __launch_bounds__(MOST_THREADS)
    rows_back(const __grid_constant__ pass p, const float2 *work, float2 *to)
{
    extern __shared__ float2 memory[];
    const int y0 = blockIdx.x * p.lanes, lanes = min(p.lanes, p.height - y0);
    for (int kind = p.kind; kind < p.kind + p.kinds; kind++) {
        for (int lane = 0; lane < lanes; lane++)
            for (int x = threadIdx.x; x < p.width; x += blockDim.x) {
                const float2 v = passes(p, kind, x) ? work[(size_t)(y0 + lane) * p.width + x]
                                                    : make_float2(0, 0);
                memory[lane * p.dft.lane + dft_place(p.dft, 0, x)] = make_float2(v.y, v.x);
            }
        __syncthreads();
        const int level = dft_run(p.dft, memory, 0, lanes, memory + p.lanes * p.dft.lane, p.room);
        for (int lane = 0; lane < lanes; lane++)
            for (int x = threadIdx.x; x < p.width; x += blockDim.x) {
                float2 *at = &to[(size_t)(y0 + lane) * p.width + x];
                float2 v = memory[lane * p.dft.lane + dft_place(p.dft, level, x)];
                v = turned(p, kind, x, y0 + lane, v);
                if (kind)
                    v = make_float2(at->y + v.x, at->x + v.y);
                *at = make_float2(v.y, v.x);
            }
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
    p->dft = d->row;
    p->lanes = d->rows.lanes;
    p->room = d->rows.room;
    const unsigned down = (unsigned)((d->height + p->lanes - 1) / p->lanes);
    rows_there<<<dim3(down, kinds), d->rows.threads, d->rows.bytes, stream>>>(*p, from, d->work);
    struct pass c = *p;
    c.dft = d->column;
    c.lanes = d->columns.lanes;
    c.room = d->columns.room;
    const unsigned across = (unsigned)((d->width + c.lanes - 1) / c.lanes);
    columns<<<dim3(across, kinds), d->columns.threads, d->columns.bytes, stream>>>(c, d->work);
    rows_back<<<down, d->rows.threads, d->rows.bytes, stream>>>(*p, d->work, to);
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
            RO_TRY(ro_cuda_own(d->cuda, bytes, (void **)&d->sum));
        sum = d->sum;
    }
    for (p.kind = 0; p.kind < kinds; p.kind += p.kinds) {
        p.kinds = kinds - p.kind < d->batch ? kinds - p.kind : d->batch;
        RO_TRY(pass_kinds(d, from, sum, &p));
    }
    if (sum != to)
        RO_CUDA_TRY(d->context, cudaMemcpyAsync(to, sum, bytes, cudaMemcpyDeviceToDevice,
                                                d->cuda->compute));
    return RO_OK;
}

static ro_status propagate_cuda_run(struct propagate_cuda *d, float *field,
                                    const struct propagate_filter *filter, bool wraps)
{
    cudaStream_t stream = d->cuda->compute;
    const size_t bytes = (size_t)d->width * d->height * sizeof(float2);
    if (!d->field)
        RO_TRY(ro_cuda_own(d->cuda, bytes, (void **)&d->field));
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
            ro_cuda_disown(d->cuda, memory);
    }
    free(d);
}

static ro_status open_turns(struct propagate_cuda *d, int i, const float *turns)
{
    const size_t bytes = (size_t)(i ? d->height : d->width) * sizeof(float2);
    RO_TRY(ro_cuda_own(d->cuda, bytes, (void **)&d->turns[i]));
    RO_CUDA_TRY(d->context, cudaMemcpyAsync(d->turns[i], turns, bytes, cudaMemcpyHostToDevice,
                                            d->cuda->compute));
    return RO_OK;
}

static ro_status open_all(struct propagate_cuda *d, const struct dft *row, const struct dft *column,
                          const float *const turns[2])
{
    RO_TRY(ro_cuda_of(d->context, &d->cuda));
    RO_TRY(dft_device_open(d->cuda, row, &d->row));
    RO_TRY(dft_device_open(d->cuda, column, &d->column));
    RO_TRY(dft_device_fit(d->cuda, &d->row, 1, &d->rows));
    RO_TRY(dft_device_fit(d->cuda, &d->column, 4, &d->columns));
    for (int i = 0; i < 2; i++)
        RO_TRY(open_turns(d, i, turns[i]));
    const void *kernels[] = {(const void *)rows_there, (const void *)columns,
                             (const void *)rows_back};
    int shared = 0;
    RO_CUDA_TRY(d->context,
                cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                       d->cuda->device));
    for (const void *kernel : kernels)
        RO_CUDA_TRY(d->context,
                    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         shared));
    const size_t bytes = (size_t)d->width * d->height * sizeof(float2);
    d->batch = KINDS * bytes <= together ? KINDS : 1;
    RO_TRY(ro_cuda_own(d->cuda, d->batch * bytes, (void **)&d->work));
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
const struct propagate_cuda_calls *const propagate_on_cuda = &calls;
