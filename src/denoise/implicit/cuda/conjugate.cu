/* SPDX-License-Identifier: MIT */
/*
 * Conjugate gradients on the device, with the order of operations of conjugate_ref.c. Rows are
 * summed up there, in eight parts each, and their sums are added by the host.
 */
#include "denoise/implicit/conjugate_steps.h"
#include "denoise/implicit/cuda/implicit_device.cuh"

#include <stdlib.h>

struct conjugate_system {
    int64_t width, height, size;
    const float *e, *s, *se, *sw; /* times tau */
};

#define EACH(i, size)                                                                              \
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < (size);                   \
         i += (int64_t)gridDim.x * blockDim.x)

/* Weights times tau, and the image, in single precision. */
__global__ void singles_kernel(int64_t size, double time, const double *from, float *to)
{
    EACH(i, size)
    to[i] = (float)(time * from[i]);
}

/* A neighbour's pull; beyond the border both the weight and the value are zero. */
static __device__ float pull(bool there, const float *weights, int64_t edge, const float *u,
                             int64_t i, int64_t to)
{
    return there ? weights[edge] * (u[to] - u[i]) : 0 * (0 - u[i]);
}

static __device__ float pulls(const struct conjugate_system &s, const float *u, int64_t i)
{
    const int64_t w = s.width, x = i % w, y = i / w;
    const bool west = x > 0, east = x + 1 < w, north = y > 0, south = y + 1 < s.height;
    const float level = pull(east, s.e, i, u, i, i + 1) + pull(west, s.e, i - 1, u, i, i - 1);
    const float upright = pull(south, s.s, i, u, i, i + w) + pull(north, s.s, i - w, u, i, i - w);
    const float falling = pull(south && east, s.se, i, u, i, i + w + 1) +
                          pull(north && west, s.se, i - w - 1, u, i, i - w - 1);
    const float rising = pull(south && west, s.sw, i, u, i, i + w - 1) +
                         pull(north && east, s.sw, i - w + 1, u, i, i - w + 1);
    return (level + upright) + (falling + rising);
}

__global__ void start_kernel(const struct conjugate_system s, const float *right, float *way,
                             float *residual, float *direction)
{
    EACH(i, s.size)
    {
        way[i] = 0;
        residual[i] = direction[i] = pulls(s, right, i);
    }
}

__global__ void multiply_kernel(const struct conjugate_system s, const float *direction,
                                float *product)
{
    EACH(i, s.size)
    product[i] = direction[i] - pulls(s, direction, i);
}

__global__ void advance_kernel(int64_t size, float step, float factor, const float *product,
                               float *way, float *residual, float *direction)
{
    EACH(i, size)
    {
        const float old = direction[i], rest = residual[i] - step * product[i];
        way[i] += step * old;
        residual[i] = rest;
        direction[i] = rest + factor * old;
    }
}

__global__ void finish_kernel(int64_t size, float step, const float *way, const float *direction,
                              double *x)
{
    EACH(i, size)
    {
        const float all = way[i] + step * direction[i];
        x[i] += (double)all;
    }
}

/* Eight threads a row, one for each part of its sum; a pair of images for each z. */
struct pairs {
    const float *a[3], *b[3];
};

__global__ void sums_kernel(int64_t width, int64_t height, const struct pairs pairs, double *sums)
{
    const float *a = pairs.a[blockIdx.z], *b = pairs.b[blockIdx.z];
    const int64_t y = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 8;
    const int part = threadIdx.x % 8;
    double sum = 0;
    if (y < height)
        for (int64_t x = part; x < width; x += 8)
            sum += (double)a[y * width + x] * (double)b[y * width + x];
    for (int gap = 4; gap > 0; gap /= 2)
        sum += __shfl_down_sync(~0u, sum, (unsigned)gap, 8);
    if (y < height && part == 0)
        sums[blockIdx.z * height + y] = sum;
}

/* Sums of `count` pairs, the rows' in their order. */
static ro_status add_up(struct implicit_device *d, const struct pairs *pairs, int count,
                        double *rows, double *sums)
{
    const dim3 grid((unsigned)((d->height + 31) / 32), 1, (unsigned)count);
    sums_kernel<<<grid, 256, 0, d->stream>>>(d->width, d->height, *pairs, d->sums);
    RO_TRY(launched(d));
    RO_CUDA_TRY(d->context,
                cudaMemcpyAsync(rows, d->sums, (size_t)(count * d->height) * sizeof *rows,
                                cudaMemcpyDeviceToHost, d->stream));
    RO_CUDA_TRY(d->context, cudaStreamSynchronize(d->stream));
    for (int k = 0; k < count; k++) {
        sums[k] = 0;
        for (int64_t y = 0; y < d->height; y++)
            sums[k] += rows[k * d->height + y];
    }
    return RO_OK;
}

static ro_status solve(struct implicit_device *d, double *rows)
{
    const unsigned grid = flat_grid(d);
    float *const *single = d->single, *right = single[4], *way = single[5], *residual = single[6];
    float *direction = single[7], *product = single[8];
    const struct conjugate_system system = {d->width,  d->height, d->size,  single[0],
                                            single[1], single[2], single[3]};
    const struct pairs start = {{right}, {right}};
    const struct pairs pairs = {{residual, direction, product}, {residual, product, product}};
    double square, sum[3];
    for (int k = 0; k < 4; k++) {
        singles_kernel<<<grid, 256, 0, d->stream>>>(d->size, d->job->time_step, d->edge[k],
                                                    single[k]);
        RO_TRY(launched(d));
    }
    singles_kernel<<<grid, 256, 0, d->stream>>>(d->size, 1, d->x, right);
    RO_TRY(launched(d));
    start_kernel<<<grid, 256, 0, d->stream>>>(system, right, way, residual, direction);
    RO_TRY(launched(d));
    RO_TRY(add_up(d, &start, 1, rows, &square));
    struct conjugate_steps steps = {};
    steps.enough = d->job->enough * square;
    for (;;) {
        multiply_kernel<<<grid, 256, 0, d->stream>>>(system, direction, product);
        RO_TRY(launched(d));
        RO_TRY(add_up(d, &pairs, 3, rows, sum));
        const struct conjugate_sums sums = {sum[0], sum[1], sum[2]};
        if (!conjugate_next(&steps, &sums))
            break;
        advance_kernel<<<grid, 256, 0, d->stream>>>(d->size, steps.step, steps.factor, product, way,
                                                    residual, direction);
        RO_TRY(launched(d));
    }
    finish_kernel<<<grid, 256, 0, d->stream>>>(d->size, steps.step, way, direction, d->x);
    return launched(d);
}

ro_status conjugate_solve(struct implicit_device *d)
{
    double *rows = (double *)malloc(3 * (size_t)d->height * sizeof *rows);
    if (!rows)
        return ro_context_fail(d->context, RO_E_MEMORY, "no memory for the sums of %u rows",
                               (unsigned)d->height);
    const ro_status status = solve(d, rows);
    free(rows);
    return status;
}
