/* SPDX-License-Identifier: MIT */
/* The defect of the sum given back on the device, as in dither.c: hashes are counted by their upper
 * bits, all below one of these counts get a unit, and those in it are ranked. */
#include "core/random.h"
#include "denoise/implicit/cuda/implicit_device.cuh"

enum { BUCKETS = 4096, BUCKET_SHIFT = 20 };

static const char list_scratch = 0; /* a key */

struct dithering {
    int32_t *x;
    int64_t width, height;
    uint64_t seed;
    int32_t unit, limit;
    uint32_t divided;
};

__global__ void count_kernel(const struct dithering d, unsigned long long *counts)
{
    __shared__ uint32_t part[BUCKETS];
    for (int i = threadIdx.x; i < BUCKETS; i += blockDim.x)
        part[i] = 0;
    __syncthreads();
    for (int64_t y = blockIdx.x; y < d.height; y += gridDim.x) {
        const uint32_t row = hash_of_row(d.seed, (uint32_t)y);
        const int32_t *x = d.x + y * d.width;
        for (int64_t i = threadIdx.x; i < d.width; i += blockDim.x)
            if (x[i] != d.limit)
                atomicAdd(&part[mix_bits(row ^ (uint32_t)i) >> BUCKET_SHIFT], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < BUCKETS; i += blockDim.x)
        if (part[i])
            atomicAdd(&counts[i], (unsigned long long)part[i]);
}

__global__ void take_kernel(const struct dithering d, ulonglong2 *list, uint32_t *listed)
{
    for (int64_t y = blockIdx.x; y < d.height; y += gridDim.x) {
        const uint32_t row = hash_of_row(d.seed, (uint32_t)y);
        int32_t *x = d.x + y * d.width;
        for (int64_t i = threadIdx.x; i < d.width; i += blockDim.x) {
            const uint32_t hash = mix_bits(row ^ (uint32_t)i), bucket = hash >> BUCKET_SHIFT;
            const int32_t value = x[i];
            if (value == d.limit)
                continue;
            if (bucket < d.divided)
                x[i] = value + d.unit;
            else if (bucket == d.divided)
                list[atomicAdd(listed, 1u)] =
                    make_ulonglong2(hash, (unsigned long long)(y * d.width + i));
        }
    }
}

/* The first `rest` of the list in the order of hashes and places; a warp for each of it. */
__global__ void rank_kernel(const struct dithering d, const ulonglong2 *list, uint32_t count,
                            uint64_t rest)
{
    const uint32_t i = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (i >= count)
        return;
    const ulonglong2 mine = list[i];
    uint32_t before = 0;
    for (uint32_t k = threadIdx.x % 32; k < count; k += 32) {
        const ulonglong2 other = list[k];
        before += other.x < mine.x || (other.x == mine.x && other.y < mine.y);
    }
    for (int gap = 16; gap > 0; gap /= 2)
        before += __shfl_down_sync(~0u, before, (unsigned)gap);
    if (threadIdx.x % 32 == 0 && before < rest)
        d.x[mine.y] += d.unit;
}

/* One round; `need` becomes what is still needed. */
static ro_status run_round(struct implicit_device *d, struct dithering *dithering, uint64_t *need)
{
    const unsigned blocks = (unsigned)(4 * d->cuda->processors);
    unsigned long long counts[BUCKETS];
    RO_CUDA_TRY(d->context, cudaMemsetAsync(d->counts, 0, sizeof counts, d->stream));
    RO_CUDA_TRY(d->context, cudaMemsetAsync(d->listed, 0, sizeof *d->listed, d->stream));
    count_kernel<<<blocks, 512, 0, d->stream>>>(*dithering, d->counts);
    RO_TRY(launched(d));
    RO_CUDA_TRY(d->context, cudaMemcpyAsync(counts, d->counts, sizeof counts,
                                            cudaMemcpyDeviceToHost, d->stream));
    RO_CUDA_TRY(d->context, cudaStreamSynchronize(d->stream));
    uint32_t divided = 0;
    for (; divided < BUCKETS && *need >= counts[divided]; divided++)
        *need -= counts[divided];
    const uint64_t rest = *need;
    const uint32_t count = divided < BUCKETS ? (uint32_t)counts[divided] : 0;
    void *list;
    RO_TRY(
        cuda_reserve(d->cuda, &list_scratch, (count + 1) * sizeof(ulonglong2), d->stream, &list));
    dithering->divided = divided;
    take_kernel<<<blocks, 512, 0, d->stream>>>(*dithering, (ulonglong2 *)list, d->listed);
    RO_TRY(launched(d));
    if (divided < BUCKETS) {
        *need = 0;
        if (rest) {
            rank_kernel<<<(count + 7) / 8, 256, 0, d->stream>>>(
                *dithering, (const ulonglong2 *)list, count, rest);
            RO_TRY(launched(d));
        }
    }
    return RO_OK;
}

ro_status dither_plane(struct implicit_device *d, int plane, const struct device_balance *balance,
                       uint64_t seed)
{
    const int64_t defect = (int64_t)balance->defect;
    struct dithering dithering = {d->next + plane * d->size,
                                  d->width,
                                  d->height,
                                  seed,
                                  defect < 0 ? -1 : 1,
                                  defect < 0 ? balance->min : balance->max,
                                  0};
    uint64_t need = (uint64_t)(defect < 0 ? -defect : defect);
    for (; need > 0; dithering.seed++)
        RO_TRY(run_round(d, &dithering, &need));
    return RO_OK;
}
