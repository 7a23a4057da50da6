// SPDX-License-Identifier: MIT
// What a step changed beside the contour, pixel by pixel in the order of the image: few numbers of
// many pixels, which the host sums up in that order. A block takes a row.
#ifndef RO_SEGMENT_LEVELSET_CUDA_LEVELSET_CHANGE_CUH
#define RO_SEGMENT_LEVELSET_CUDA_LEVELSET_CHANGE_CUH

#include <cstddef>
#include <cuda_runtime.h>

enum { CHANGE_THREADS = 256 };

// Whether the contour runs between a pixel and one of its neighbours.
static __device__ bool beside_contour(const char *phi, size_t pitch, int x, int width, int height)
{
    const int y = blockIdx.x;
    if (x >= width)
        return false;
    const float *row = reinterpret_cast<const float *>(phi + pitch * y);
    const float *above = reinterpret_cast<const float *>(phi + pitch * (y > 0 ? y - 1 : 0));
    const float *below =
        reinterpret_cast<const float *>(phi + pitch * (y + 1 < height ? y + 1 : y));
    const bool inside = row[x] < 0;
    return (above[x] < 0) != inside || (below[x] < 0) != inside ||
           (row[x > 0 ? x - 1 : 0] < 0) != inside || (row[x + 1 < width ? x + 1 : x] < 0) != inside;
}

__global__ void count_changes(const char *phi, size_t pitch, int width, int height,
                              unsigned *counts)
{
    unsigned count = 0;
    for (int x = threadIdx.x; x - static_cast<int>(threadIdx.x) < width; x += CHANGE_THREADS)
        count += __syncthreads_count(beside_contour(phi, pitch, x, width, height));
    if (threadIdx.x == 0)
        counts[blockIdx.x] = count;
}

// `first`: where a row's changes begin.
__global__ void list_changes(const char *phi, const char *before, size_t pitch, int width,
                             int height, const unsigned *first, double *changes)
{
    __shared__ unsigned found[CHANGE_THREADS / 32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const size_t row = pitch * blockIdx.x;
    unsigned at = first[blockIdx.x];
    for (int x = threadIdx.x; x - static_cast<int>(threadIdx.x) < width; x += CHANGE_THREADS) {
        const bool here = beside_contour(phi, pitch, x, width, height);
        const unsigned votes = __ballot_sync(~0u, here);
        if (lane == 0)
            found[warp] = __popc(votes);
        __syncthreads();
        unsigned place = at + __popc(votes & ((1u << lane) - 1));
        for (unsigned i = 0; i < CHANGE_THREADS / 32; i++) {
            place += i < warp ? found[i] : 0;
            at += found[i];
        }
        if (here)
            changes[place] = static_cast<double>(reinterpret_cast<const float *>(phi + row)[x]) -
                             static_cast<double>(reinterpret_cast<const float *>(before + row)[x]);
        __syncthreads();
    }
}

#endif
