/* SPDX-License-Identifier: MIT */
/*
 * Sums on the device: of pixels as they come, and those of the last rounding (denoise_levels.c),
 * where the running sum of a channel's numbers is rounded. First the sum of every row, then the
 * sums before every row, then rows in pieces of a block, each with a prefix sum of its own.
 */
#ifndef RO_DENOISE_CUDA_DIFFUSION_SUMS_CUH
#define RO_DENOISE_CUDA_DIFFUSION_SUMS_CUH

#include "denoise/cuda/diffusion_pixels.cuh"

enum { SUM_THREADS = 256, SUM_WARPS = SUM_THREADS / 32 };

/* A number is levels/numbers of a pixel. */
struct ratio {
    uint64_t levels, numbers;
};

/* A sample as the sums take it (denoise_levels.c); of floats 2^32 is white. */
static __device__ inline uint64_t whole_of(uint16_t sample) { return sample; }
static __device__ inline uint64_t whole_of(uint32_t sample) { return sample; }
static __device__ inline uint64_t whole_of(float sample)
{
    const double white = 0x1p32, value = (double)sample * white;
    return value > 0 ? value < white ? __double2ull_rn(value) : 1ULL << 32 : 0;
}

/* The sum over this thread and those before it in the block; `all`: over the whole block. Every
 * thread of the block must come here. */
static __device__ uint64_t sum_up_to_here(uint64_t value, uint64_t *all)
{
    __shared__ uint64_t warps[SUM_WARPS];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (unsigned away = 1; away < 32; away *= 2) {
        const uint64_t before = __shfl_up_sync(~0U, value, away);
        value += lane >= away ? before : 0;
    }
    __syncthreads(); /* all have read what the last call left */
    if (lane == 31)
        warps[warp] = value;
    __syncthreads();
    *all = 0;
    for (unsigned w = 0; w < SUM_WARPS; w++) {
        value += w < warp ? warps[w] : 0;
        *all += warps[w];
    }
    return value;
}

/* Pixels one after another; each block leaves its part. */
template <class Pixel>
__global__ void pixel_sum_kernel(const Pixel *pixels, uint64_t count, uint64_t *parts)
{
    const uint64_t stride = (uint64_t)gridDim.x * SUM_THREADS;
    uint64_t sum = 0, all;
    for (uint64_t i = (uint64_t)blockIdx.x * SUM_THREADS + threadIdx.x; i < count; i += stride)
        sum += pixels[i];
    sum_up_to_here(sum, &all);
    if (threadIdx.x == 0)
        parts[blockIdx.x] = all;
}

/* Rows of all channels, one channel after another. */
template <class Sample> __global__ void row_sum_kernel(const struct pixels pixels, uint64_t *sums)
{
    const Sample *field = (const Sample *)pixels.field;
    const uint64_t rows = (uint64_t)pixels.height * pixels.channels;
    for (uint64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        uint64_t sum = 0, all;
        for (uint32_t x = threadIdx.x; x < pixels.width; x += SUM_THREADS)
            sum += whole_of(field[row * pixels.pitch + x]);
        sum_up_to_here(sum, &all);
        if (threadIdx.x == 0)
            sums[row] = all;
    }
}

/* A block a channel: sums of rows become sums of all rows before; `ends`: of the channel. */
static __global__ void sums_before_kernel(uint64_t *sums, uint32_t height, uint64_t *ends)
{
    uint64_t *row = sums + (uint64_t)blockIdx.x * height, before = 0, all;
    for (uint32_t first = 0; first < height; first += SUM_THREADS) {
        const uint32_t y = first + threadIdx.x;
        const uint64_t own = y < height ? row[y] : 0;
        const uint64_t here = sum_up_to_here(own, &all);
        if (y < height)
            row[y] = before + here - own;
        before += all;
    }
    if (threadIdx.x == 0)
        ends[blockIdx.x] = before;
}

template <class Pixel, class Sample>
__global__ void store_sums_kernel(const struct pixels pixels, const uint64_t *sums,
                                  const struct ratio ratio)
{
    const uint64_t rows = (uint64_t)pixels.height * pixels.channels;
    const uint64_t numbers = ratio.numbers;
    const Sample *field = (const Sample *)pixels.field;
    for (uint64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const uint32_t channel = (uint32_t)(row / pixels.height);
        const uint32_t y = (uint32_t)(row % pixels.height);
        Pixel *out = (Pixel *)((char *)pixels.data + y * pixels.row_bytes) + channel;
        uint64_t rest = (sums[row] % numbers * ratio.levels + numbers / 2) % numbers, all;
        for (uint32_t first = 0; first < pixels.width; first += SUM_THREADS) {
            const uint32_t x = first + threadIdx.x;
            const uint64_t n = x < pixels.width ? whole_of(field[row * pixels.pitch + x]) : 0;
            const uint64_t own = n * ratio.levels;
            const uint64_t here = rest + sum_up_to_here(own, &all);
            if (x < pixels.width)
                out[(size_t)x * pixels.channels] = (Pixel)(here / numbers - (here - own) / numbers);
            rest = (rest + all) % numbers;
        }
    }
}

#endif
