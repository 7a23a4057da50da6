/* SPDX-License-Identifier: MIT */
/*
 * V-cycles on a CUDA device, for .cu files. A grid's way down is one kernel and its way up is one:
 * a block takes a tile with the nodes round it that three Jacobi steps reach, and does them in
 * shared memory. Values beyond the border are mirrored, and what is computed there is the mirror
 * image of what is inside, to the bit.
 */
#ifndef RO_SOLVER_MULTIGRID_MULTIGRID_CUH
#define RO_SOLVER_MULTIGRID_MULTIGRID_CUH

#include "cuda/cuda.cuh"
#include "solver/multigrid/multigrid.h"

extern const char grids_scratch; /* key of tables and planes, also of registration */

/* Memory on the device in pieces of one block; counts only while there is none. */
struct grid_pieces {
    char *memory;
    size_t used;
};

static inline void *grid_piece(struct grid_pieces *pieces, size_t bytes)
{
    void *piece = pieces->memory ? pieces->memory + pieces->used : NULL;
    pieces->used += (bytes + 255) / 256 * 256;
    return piece;
}

struct grid_cuda {
    const struct multigrid *grids;            /* on the host */
    struct solver_grid level[RO_GRID_LEVELS]; /* tables on the device */
    struct direct_system direct;
    struct multigrid_cycle cycle; /* planes on the device */
    cudaStream_t stream;
    uint64_t launches;
};

/* Takes pieces for tables and planes; with memory, the tables are sent as well. */
ro_status grid_cuda_place(ro_context *context, struct grid_cuda *work, struct grid_pieces *pieces,
                          int planes);

/* As cycle_run; stencils are on the host, the inverse is on the device. `peak`, if not NULL,
 * receives the largest |x| as the bits of a float, never less than what it holds. */
void grid_cuda_cycle(struct grid_cuda *work, const struct stencil *stencils, const float *inverse,
                     int level, bool warm, int *peak);

/* b of the next coarser grid from a plane: the images' pyramid. */
void grid_cuda_restrict(struct grid_cuda *work, int level, const float *fine, float *coarse);

/* ---- What kernels share --------------------------------------------------------------------- */

static __device__ __forceinline__ int grid_reflect(int i, int n)
{
    while (i < 0 || i >= n)
        i = i < 0 ? -i : 2 * (n - 1) - i;
    return i;
}

static __device__ __forceinline__ float grid_load(const float *plane,
                                                  const struct solver_grid &grid, int x, int y)
{
    return plane[(size_t)y * (size_t)grid.stride + RO_GRID_MARGIN + x];
}

/* What the tables of an axis hold; where it is halved nothing is looked up. */
static __device__ __forceinline__ int grid_low(const struct grid_axis &axis, int i)
{
    return axis.halved ? i / 2 : axis.low[i];
}

static __device__ __forceinline__ float grid_part(const struct grid_axis &axis, int i)
{
    return axis.halved ? (i % 2 ? 0.5f : 0.0f) : axis.part[i];
}

static __device__ __forceinline__ int grid_first(const struct grid_axis &axis, int i)
{
    return axis.halved ? 2 * i - 1 : axis.first[i];
}

static __device__ __forceinline__ float grid_weight(const struct grid_axis &axis, int k, int i)
{
    return !axis.halved ? axis.weight[k][i] : k == 1 ? 0.5f : k < 3 ? 0.25f : 0.0f;
}

/* The coarse plane at column i between the rows of a fine row. */
static __device__ __forceinline__ float
grid_line(const float *coarse, const struct solver_grid &grid, int i, int low, int high, float part)
{
    int column = grid_reflect(i, grid.width);
    float a = grid_load(coarse, grid, column, low), b = grid_load(coarse, grid, column, high);
    return __fmaf_rn(part, b - a, a);
}

/* The interpolated coarse plane at a fine node; `plain`: nodes in common are taken as they are. */
static __device__ __forceinline__ float grid_prolong(const float *coarse,
                                                     const struct solver_grid &fine,
                                                     const struct solver_grid &grid, int x, int y,
                                                     bool plain)
{
    int low = grid_low(fine.y, y), high = low + 1 < grid.height ? low + 1 : low;
    float part = grid_part(fine.y, y);
    if (plain && fine.x.halved) {
        float here = grid_line(coarse, grid, x / 2, low, high, part);
        if (x % 2 == 0)
            return here;
        return __fmaf_rn(0.5f, grid_line(coarse, grid, x / 2 + 1, low, high, part) - here, here);
    }
    int at = grid_low(fine.x, x);
    float here = grid_line(coarse, grid, at, low, high, part);
    return __fmaf_rn(grid_part(fine.x, x), grid_line(coarse, grid, at + 1, low, high, part) - here,
                     here);
}

/* The largest of a block's values into *peak; all threads take part. */
static __device__ __forceinline__ void grid_peak(int bits, int *peak)
{
    for (int step = 16; step > 0; step /= 2)
        bits = max(bits, __shfl_xor_sync(0xffffffffu, bits, step));
    if ((threadIdx.x & 31) == 0 && bits > 0)
        atomicMax(peak, bits);
}

#endif
