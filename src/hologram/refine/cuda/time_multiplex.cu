/* SPDX-License-Identifier: MIT */
/* Frames in time on the device: a warp for each row. */
#include "hologram/refine/cuda/time_multiplex_cuda.h"

#include "hologram/propagate/propagate.cuh"
#include "hologram/quantize/cuda/place.cuh"

#define PHASOR_INLINE static __device__ __forceinline__
#define FRAME_INLINE static __device__ __forceinline__
#include "hologram/refine/frame_pixel.h"

#include <stdlib.h>

enum { ROWS = 8, SUM_THREADS = 256 }; /* rows of a block */

struct frames_cuda {
    ro_context *context;
    struct device_state *cuda;
    struct propagate_cuda *light;
    int width, height;
    size_t pixels;
    float2 *b, *phases, *table;
    float *wanted, *owed, *mean, *to;
    double *rows;  /* three sums of each */
    double *total; /* the power that is wanted, what is there, the factor between them */
    int *largest;  /* bits of a float */
};

struct planes {
    int width, height;
    float2 *b, *phases;
    float *wanted, *owed, *mean, *to;
};

/* All lanes get the sum. */
static __device__ __forceinline__ double add_lanes(double sum)
{
    for (int half = FRAME_LANES / 2; half; half /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, half);
    return sum;
}

/* ---- Kernels -------------------------------------------------------------------------------- */

static __global__ void find_wanted(planes p, bool smooth, int *largest)
{
    const int y = blockIdx.x * ROWS + threadIdx.y;
    if (y >= p.height)
        return;
    for (int x = threadIdx.x; x < p.width; x += FRAME_LANES) {
        const size_t i = (size_t)y * p.width + x;
        p.wanted[i] = frame_wanted((const float *)&p.b[i], smooth, (float *)&p.phases[i]);
        p.owed[i] = p.mean[i] = 0;
        atomicMax(largest, __float_as_int(p.wanted[i]));
    }
}

static __global__ void begin(const frame_now now, planes p, double *rows)
{
    const int y = blockIdx.x * ROWS + threadIdx.y;
    double sum = 0;
    if (y >= p.height)
        return;
    for (int x = threadIdx.x; x < p.width; x += FRAME_LANES) {
        const size_t i = (size_t)y * p.width + x;
        const double t = frame_aim(&now, p.wanted[i], p.owed[i]);
        p.to[i] = (float)sqrt(t);
        frame_begin(&now, (uint32_t)x, (uint32_t)y, p.to[i], (const float *)&p.phases[i],
                    (float *)&p.b[i]);
        sum += t;
    }
    sum = add_lanes(sum);
    if (threadIdx.x == 0)
        rows[y] = sum;
}

static __global__ void add_squares(planes p, double *rows)
{
    const int y = blockIdx.x * ROWS + threadIdx.y;
    double sum = 0;
    if (y >= p.height)
        return;
    for (int x = threadIdx.x; x < p.width; x += FRAME_LANES)
        sum += frame_square((const float *)&p.b[(size_t)y * p.width + x]);
    sum = add_lanes(sum);
    if (threadIdx.x == 0)
        rows[y] = sum;
}

/* The mean over all pixels; the second one gives the factor from it to the first. */
static __global__ void add_rows(const double *rows, int height, double pixels, int which,
                                double *total)
{
    __shared__ double part[SUM_THREADS];
    double sum = 0;
    for (int first = 0; first < height; first += SUM_THREADS) {
        const int y = first + (int)threadIdx.x;
        part[threadIdx.x] = y < height ? rows[y] : 0;
        __syncthreads();
        for (int i = 0; i < SUM_THREADS && first + i < height; i++)
            sum += part[i];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        total[which] = sum / pixels;
        if (which == 1)
            total[2] = total[1] > 0 ? sqrt(total[0] / total[1]) : 1;
    }
}

static __global__ void rescale(planes p, const double *total, bool modulus)
{
    const int y = blockIdx.x * ROWS + threadIdx.y;
    const double factor = total[2];
    const bool scales = total[1] > 0;
    if (y >= p.height)
        return;
    for (int x = threadIdx.x; x < p.width; x += FRAME_LANES) {
        const size_t i = (size_t)y * p.width + x;
        float2 b = p.b[i];
        if (scales)
            frame_scale(factor, (float *)&b);
        if (modulus)
            frame_modulus(p.to[i], (float *)&b);
        p.b[i] = b;
    }
}

static __global__ void show(planes p, const unsigned char *numbers, size_t pitch,
                            const float2 *table)
{
    const int y = blockIdx.x * ROWS + threadIdx.y;
    if (y >= p.height)
        return;
    for (int x = threadIdx.x; x < p.width; x += FRAME_LANES)
        p.b[(size_t)y * p.width + x] = table[numbers[(size_t)y * pitch + x]];
}

static __global__ void settle(const frame_now now, planes p)
{
    const int y = blockIdx.x * ROWS + threadIdx.y;
    if (y >= p.height)
        return;
    for (int x = threadIdx.x; x < p.width; x += FRAME_LANES) {
        const size_t i = (size_t)y * p.width + x;
        frame_look(&now, (const float *)&p.b[i], p.wanted[i], &p.owed[i], &p.mean[i]);
    }
}

static __global__ void add_figures(planes p, double *rows)
{
    const int y = blockIdx.x * ROWS + threadIdx.y;
    double aa = 0, at = 0, tt = 0;
    if (y >= p.height)
        return;
    for (int x = threadIdx.x; x < p.width; x += FRAME_LANES) {
        const size_t i = (size_t)y * p.width + x;
        aa += p.mean[i];
        at += sqrt((double)p.mean[i] * p.wanted[i]);
        tt += p.wanted[i];
    }
    aa = add_lanes(aa);
    at = add_lanes(at);
    tt = add_lanes(tt);
    if (threadIdx.x == 0) {
        rows[3 * y] = aa;
        rows[3 * y + 1] = at;
        rows[3 * y + 2] = tt;
    }
}

/* ---- Passes --------------------------------------------------------------------------------- */

static struct planes planes_of(const struct frames_cuda *d)
{
    return {d->width, d->height, d->b, d->phases, d->wanted, d->owed, d->mean, d->to};
}

static unsigned blocks_of(const struct frames_cuda *d)
{
    return (unsigned)(d->height + ROWS - 1) / ROWS;
}

static const dim3 threads(FRAME_LANES, ROWS);

static ro_status copy(struct frames_cuda *d, void *to, const void *from, size_t bytes)
{
    RO_CUDA_TRY(d->context, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, d->cuda->compute));
    return RO_OK;
}

static ro_status wanted(struct frames_cuda *d, const ro_field *field,
                        const struct frames_filters *filters, bool smooth, double *largest)
{
    cudaStream_t stream = d->cuda->compute;
    const size_t row = (size_t)d->width * sizeof(float2);
    float most;
    RO_CUDA_TRY(d->context, cudaMemcpy2DAsync(d->b, row, field->data, (size_t)field->stride, row,
                                              (size_t)d->height, cudaMemcpyDefault, stream));
    RO_TRY(propagate_on_device(d->light, d->b, d->b, filters->there, filters->wraps));
    RO_CUDA_TRY(d->context, cudaMemsetAsync(d->largest, 0, sizeof *d->largest, stream));
    find_wanted<<<blocks_of(d), threads, 0, stream>>>(planes_of(d), smooth, d->largest);
    RO_CUDA_TRY(d->context, cudaGetLastError());
    RO_TRY(copy(d, &most, d->largest, sizeof most));
    RO_CUDA_TRY(d->context, cudaStreamSynchronize(stream));
    *largest = most;
    return RO_OK;
}

/* Through the window, and scaled to the power that is wanted. */
static ro_status project(struct frames_cuda *d, const struct frames_filters *filters, bool modulus)
{
    cudaStream_t stream = d->cuda->compute;
    RO_TRY(propagate_on_device(d->light, d->b, d->b, filters->project, filters->wraps));
    add_squares<<<blocks_of(d), threads, 0, stream>>>(planes_of(d), d->rows);
    add_rows<<<1, SUM_THREADS, 0, stream>>>(d->rows, d->height, (double)d->pixels, 1, d->total);
    rescale<<<blocks_of(d), threads, 0, stream>>>(planes_of(d), d->total, modulus);
    RO_CUDA_TRY(d->context, cudaGetLastError());
    return RO_OK;
}

static ro_status aim(struct frames_cuda *d, const struct frame_now *now,
                     const struct frames_filters *filters, int projections, float **light)
{
    cudaStream_t stream = d->cuda->compute;
    begin<<<blocks_of(d), threads, 0, stream>>>(*now, planes_of(d), d->rows);
    add_rows<<<1, SUM_THREADS, 0, stream>>>(d->rows, d->height, (double)d->pixels, 0, d->total);
    RO_CUDA_TRY(d->context, cudaGetLastError());
    for (int i = 0; i <= projections; i++)
        RO_TRY(project(d, filters, i < projections));
    *light = (float *)d->b;
    return propagate_on_device(d->light, d->b, d->b, filters->back, filters->wraps);
}

static ro_status look(struct frames_cuda *d, struct hologram_job *job, const struct frame_now *now,
                      const struct frames_filters *filters)
{
    cudaStream_t stream = d->cuda->compute;
    struct place at;
    RO_TRY(hologram_find_place(job, &at));
    show<<<blocks_of(d), threads, 0, stream>>>(planes_of(d), at.out, at.out_pitch, d->table);
    RO_TRY(propagate_on_device(d->light, d->b, d->b, filters->there, filters->wraps));
    settle<<<blocks_of(d), threads, 0, stream>>>(*now, planes_of(d));
    RO_CUDA_TRY(d->context, cudaGetLastError());
    return RO_OK;
}

static ro_status figures(struct frames_cuda *d, double (*rows)[3])
{
    add_figures<<<blocks_of(d), threads, 0, d->cuda->compute>>>(planes_of(d), d->rows);
    RO_CUDA_TRY(d->context, cudaGetLastError());
    RO_TRY(copy(d, rows, d->rows, 3 * (size_t)d->height * sizeof(double)));
    RO_CUDA_TRY(d->context, cudaStreamSynchronize(d->cuda->compute));
    return RO_OK;
}

/* ---- Opening -------------------------------------------------------------------------------- */

static void frames_close(struct frames_cuda *d)
{
    if (!d)
        return;
    void *const all[] = {d->b,    d->phases, d->table, d->wanted, d->owed,
                         d->mean, d->to,     d->rows,  d->total,  d->largest};
    for (void *memory : all)
        if (d->cuda)
            cuda_disown(d->cuda, memory);
    free(d);
}

static ro_status open_all(struct frames_cuda *d, const float *table, int levels)
{
    const struct {
        void **to;
        size_t bytes;
    } pieces[] = {
        {(void **)&d->b, d->pixels * sizeof(float2)},
        {(void **)&d->phases, d->pixels * sizeof(float2)},
        {(void **)&d->wanted, d->pixels * sizeof(float)},
        {(void **)&d->owed, d->pixels * sizeof(float)},
        {(void **)&d->mean, d->pixels * sizeof(float)},
        {(void **)&d->to, d->pixels * sizeof(float)},
        {(void **)&d->table, RO_HOLOGRAM_LEVELS * sizeof(float2)},
        {(void **)&d->rows, 3 * (size_t)d->height * sizeof(double)},
        {(void **)&d->total, 3 * sizeof(double)},
        {(void **)&d->largest, sizeof(int)},
    };
    RO_TRY(cuda_of(d->context, &d->cuda));
    for (const auto &piece : pieces)
        RO_TRY(cuda_own(d->cuda, piece.bytes, piece.to));
    return copy(d, d->table, table, (size_t)levels * sizeof(float2));
}

static ro_status frames_open(ro_context *context, struct propagate_cuda *light, uint32_t width,
                             uint32_t height, const float *table, int levels,
                             struct frames_cuda **device)
{
    *device = NULL;
    struct frames_cuda *d = (struct frames_cuda *)calloc(1, sizeof *d);
    if (!d)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for frames");
    d->context = context;
    d->light = light;
    d->width = (int)width;
    d->height = (int)height;
    d->pixels = (size_t)width * height;
    ro_status status = open_all(d, table, levels);
    if (status == RO_OK)
        *device = d;
    else
        frames_close(d);
    return status;
}

static const struct frames_cuda_calls calls = {
    frames_open, frames_close, wanted, aim, look, figures,
};
const struct frames_cuda_calls *frames_on_cuda = &calls;
