/* SPDX-License-Identifier: MIT */
/* A run on the device: its memory there, and the parts that the files of this shelf share. */
#ifndef RO_DENOISE_IMPLICIT_CUDA_IMPLICIT_DEVICE_CUH
#define RO_DENOISE_IMPLICIT_CUDA_IMPLICIT_DEVICE_CUH

#include "cuda/cuda.cuh"
#include "denoise/implicit/cuda/implicit_cuda.h"

/* Sums and extremes of a plane, before and after. */
struct device_balance {
    unsigned long long defect; /* sum of r minus sum of x, mod 2^64 */
    int min, max;
};

struct implicit_device {
    struct implicit_job *job;
    ro_context *context;
    struct device_state *cuda;
    cudaStream_t stream;
    int64_t width, height, size;    /* of a plane */
    struct step_weights *diffusion; /* there; the small float format is gone */
    int32_t *now, *next, *guide[2]; /* planes; of floats these lie in 32 bits, too */
    struct device_balance *balance; /* a plane each */
    unsigned long long *counts;     /* of hashes */
    uint32_t *listed;
    /* Of doubles: edges E, S, SE, SW; the solver's; guides; three sums for each row. */
    double *edge[4], *x, *residual, *product, *smooth, *sums;
    float *single[9]; /* of conjugate gradients: edges, r, x - r, residual, direction, product */
};

static inline unsigned flat_grid(const struct implicit_device *d)
{
    return (unsigned)(8 * d->cuda->processors);
}

static inline dim3 row_grid(const struct implicit_device *d)
{
    return dim3((unsigned)((d->width + 255) / 256),
                (unsigned)(d->height < 65535 ? d->height : 65535));
}

static inline ro_status launched(struct implicit_device *d)
{
    d->job->launches++;
    return cuda_check(d->context, cudaGetLastError(), "a kernel's launch");
}

/* Sums and extremes of a warp's threads into `balance`. */
static __device__ inline void add_balance(struct device_balance *balance, long long defect, int min,
                                          int max)
{
    for (int gap = 16; gap > 0; gap /= 2) {
        defect += __shfl_down_sync(~0u, defect, (unsigned)gap);
        min = ::min(min, __shfl_down_sync(~0u, min, (unsigned)gap));
        max = ::max(max, __shfl_down_sync(~0u, max, (unsigned)gap));
    }
    if (threadIdx.x % 32 == 0) {
        if (defect)
            atomicAdd(&balance->defect, (unsigned long long)defect);
        if (min < balance->min)
            atomicMin(&balance->min, min);
        if (max > balance->max)
            atomicMax(&balance->max, max);
    }
}

ro_status clear_balance(struct implicit_device *d);

/* A step from `now` to `next`, guided by `guide` (planes); balances of integers are filled in. */
ro_status jacobi_sweeps(struct implicit_device *d, const int32_t *guide);
ro_status real_steps(struct implicit_device *d, const int32_t *guide);

/* From the right-hand side in `x` to the solution there; the edges' weights lie in `edge`. */
ro_status conjugate_solve(struct implicit_device *d);

/* Gives what is missing from the sum back to the pixels with the smallest hashes. */
ro_status dither_plane(struct implicit_device *d, int plane, const struct device_balance *balance,
                       uint64_t seed);

#endif
