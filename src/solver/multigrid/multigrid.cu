/* SPDX-License-Identifier: MIT */
/* The kernels of a V-cycle and their launches; see multigrid.cuh. */
#include "solver/multigrid/multigrid.cuh"
#include "solver/multigrid/multigrid_cuda.h"
#include "solver/multigrid/multigrid_tiles.cuh"

#include <string.h>

const char grids_scratch = 0;

enum { THREADS = 256, DIRECT_THREADS = 1024 };
static_assert((int)THREADS == (int)TILE_THREADS, "a tile is a block's");

struct planes {
    grid_planes plane[2];
};

/* A tile a block, a plane a layer of them. */
template <bool WARM>
static __global__ __launch_bounds__(THREADS) void down_kernel(solver_grid grid, solver_grid coarse,
                                                              stencil k, planes planes)
{
    __shared__ float shared[TILE_FLOATS];
    down_tile<WARM>(grid, coarse, k, planes.plane[blockIdx.z], blockIdx.x, blockIdx.y,
                    {(int)threadIdx.x, false, shared});
}

static __global__ __launch_bounds__(THREADS) void up_kernel(solver_grid grid, solver_grid coarse,
                                                            stencil k, planes planes, int *peak)
{
    __shared__ float shared[TILE_FLOATS];
    const int high = up_tile(grid, coarse, k, planes.plane[blockIdx.z], blockIdx.x, blockIdx.y,
                             {(int)threadIdx.x, false, shared}, 0);
    if (peak)
        grid_peak(high, peak);
}

static __global__ __launch_bounds__(DIRECT_THREADS) void direct_kernel(solver_grid grid,
                                                                       direct_system direct,
                                                                       const float *inverse,
                                                                       planes planes, int *peak)
{
    extern __shared__ float shared[];
    const int high =
        direct_plane<DIRECT_THREADS>(grid, direct, inverse, planes.plane[blockIdx.x], shared, 0);
    if (peak)
        grid_peak(high, peak);
}

/* A plane as it is, restricted. */
static __global__ __launch_bounds__(THREADS) void restrict_kernel(solver_grid grid,
                                                                  solver_grid coarse,
                                                                  const float *fine, float *out)
{
    const int ci = blockIdx.x * 32 + threadIdx.x % 32, cj = blockIdx.y * 8 + threadIdx.x / 32;
    if (ci >= coarse.width || cj >= coarse.height)
        return;
    float line[4];
    for (int c = 0; c < 4; c++) {
        int x = grid_reflect(grid.x.first[ci] + c, grid.width), first = grid.y.first[cj];
        float sum =
            grid.y.weight[0][cj] * grid_load(fine, grid, x, grid_reflect(first, grid.height));
        for (int r = 1; r < 4; r++) {
            float weight = grid.y.weight[r][cj];
            if (r < 3 || weight != 0)
                sum = __fmaf_rn(
                    weight, grid_load(fine, grid, x, grid_reflect(first + r, grid.height)), sum);
        }
        line[c] = sum;
    }
    float value = grid.x.weight[0][ci] * line[0];
    for (int c = 1; c < (grid.x.halved ? 3 : 4); c++)
        value = __fmaf_rn(grid.x.weight[c][ci], line[c], value);
    out[(size_t)cj * coarse.stride + RO_GRID_MARGIN + ci] = value;
}

/* ---- Launches ------------------------------------------------------------------------------- */

static dim3 tiles(const solver_grid &grid, int side, int planes)
{
    return dim3((unsigned)((grid.width + side - 1) / side),
                (unsigned)((grid.height + side - 1) / side), (unsigned)planes);
}

void grid_cuda_cycle(struct grid_cuda *work, const struct stencil *stencils, const float *inverse,
                     int level, bool warm, int *peak)
{
    const multigrid_cycle &cycle = work->cycle;
    const int last = work->grids->levels - 1, count = cycle.planes;
    for (int l = level; l < last; l++) {
        const solver_grid &coarse = work->level[l + 1];
        planes p = {};
        for (int i = 0; i < count; i++) {
            p.plane[i].b = cycle.b[i][l];
            p.plane[i].guess = cycle.up[i][l];
            p.plane[i].out = cycle.down[i][l];
            p.plane[i].coarse = cycle.b[i][l + 1];
        }
        if (warm && l == level)
            down_kernel<true>
                <<<tiles(coarse, down_sizes<true>::COARSE, count), THREADS, 0, work->stream>>>(
                    work->level[l], coarse, stencils[l], p);
        else
            down_kernel<false>
                <<<tiles(coarse, down_sizes<false>::COARSE, count), THREADS, 0, work->stream>>>(
                    work->level[l], coarse, stencils[l], p);
    }
    planes p = {};
    for (int i = 0; i < count; i++) {
        p.plane[i].b = cycle.b[i][last];
        p.plane[i].out = cycle.up[i][last];
    }
    const solver_grid &grid = work->level[last];
    const size_t bytes = 2 * (size_t)grid.width * (size_t)grid.height * sizeof(float);
    direct_kernel<<<(unsigned)count, DIRECT_THREADS, bytes, work->stream>>>(
        grid, work->direct, inverse, p, level == last ? peak : NULL);
    for (int l = last - 1; l >= level; l--) {
        for (int i = 0; i < count; i++) {
            p.plane[i].b = cycle.b[i][l];
            p.plane[i].x = cycle.down[i][l];
            p.plane[i].correction = cycle.up[i][l + 1];
            p.plane[i].out = cycle.up[i][l];
        }
        up_kernel<<<tiles(work->level[l], FINE, count), THREADS, 0, work->stream>>>(
            work->level[l], work->level[l + 1], stencils[l], p, l == level ? peak : NULL);
    }
    work->launches += 2 * (uint64_t)(last - level) + 1;
}

void grid_cuda_restrict(struct grid_cuda *work, int level, const float *fine, float *coarse)
{
    const solver_grid &to = work->level[level + 1];
    const dim3 blocks((unsigned)(to.width + 31) / 32, (unsigned)(to.height + 7) / 8);
    restrict_kernel<<<blocks, THREADS, 0, work->stream>>>(work->level[level], to, fine, coarse);
    work->launches++;
}

/* The same place in a copy of the tables. */
template <typename T> static void moved(const T *&pointer, const void *from, char *to)
{
    if (pointer)
        pointer = (const T *)(to + ((const char *)pointer - (const char *)from));
}

static void move_axis(grid_axis *axis, const void *from, char *to)
{
    moved(axis->low, from, to);
    moved(axis->part, from, to);
    moved(axis->first, from, to);
    for (const float *&weight : axis->weight)
        moved(weight, from, to);
}

ro_status grid_cuda_place(ro_context *context, struct grid_cuda *work, struct grid_pieces *pieces,
                          int planes)
{
    const struct multigrid *grids = work->grids;
    char *tables = (char *)grid_piece(pieces, grids->table_bytes);
    float *memory = (float *)grid_piece(pieces, cycle_floats(grids, planes, 0) * sizeof(float));
    if (!pieces->memory)
        return RO_OK;
    memcpy(work->level, grids->grid, sizeof work->level);
    work->direct = grids->direct;
    for (solver_grid &grid : work->level) {
        move_axis(&grid.x, grids->tables, tables);
        move_axis(&grid.y, grids->tables, tables);
    }
    moved(work->direct.forward_x, grids->tables, tables);
    moved(work->direct.forward_y, grids->tables, tables);
    moved(work->direct.back_x, grids->tables, tables);
    moved(work->direct.back_y, grids->tables, tables);
    work->cycle.grids = grids;
    work->cycle.planes = planes;
    cycle_place(&work->cycle, memory, 0);
    RO_CUDA_TRY(context, cudaMemcpyAsync(tables, grids->tables, grids->table_bytes,
                                         cudaMemcpyHostToDevice, work->stream));
    return RO_OK;
}

/* An image of floats to or from the inside of a plane. */
static ro_status copy_rows(ro_context *context, const solver_grid &grid, const ro_image *image,
                           float *plane, bool to_device, cudaStream_t stream)
{
    const size_t bytes = (size_t)grid.width * sizeof(float);
    for (int y = 0; y < grid.height; y++) {
        float *inside = plane + (size_t)y * grid.stride + RO_GRID_MARGIN;
        char *row = (char *)image->data + (ptrdiff_t)y * image->stride;
        RO_CUDA_TRY(context,
                    to_device
                        ? cudaMemcpyAsync(inside, row, bytes, cudaMemcpyHostToDevice, stream)
                        : cudaMemcpyAsync(row, inside, bytes, cudaMemcpyDeviceToHost, stream));
    }
    return RO_OK;
}

static ro_status multigrid_runs_on_cuda(ro_context *context, const struct multigrid *grids,
                                        const struct stencil *stencils, const float *inverse,
                                        const ro_image *b, const ro_image *x, uint32_t cycles,
                                        bool warm, uint64_t *launches)
{
    struct device_state *cuda;
    RO_TRY(cuda_of(context, &cuda));
    const solver_grid &last = grids->grid[grids->levels - 1];
    const size_t inverse_bytes = (size_t)last.width * (size_t)last.height * sizeof(float);
    struct grid_cuda work = {};
    struct grid_pieces pieces = {};
    float *device_inverse = NULL;
    work.grids = grids;
    work.stream = cuda->compute;
    for (int pass = 0; pass < 2; pass++) {
        if (pass) {
            void *memory;
            RO_TRY(cuda_scratch_begin(cuda, work.stream));
            RO_TRY(cuda_reserve(cuda, &grids_scratch, pieces.used, work.stream, &memory));
            pieces = {(char *)memory, 0};
        }
        RO_TRY(grid_cuda_place(context, &work, &pieces, 1));
        device_inverse = (float *)grid_piece(&pieces, inverse_bytes);
    }
    RO_CUDA_TRY(context, cudaMemcpyAsync(device_inverse, inverse, inverse_bytes,
                                         cudaMemcpyHostToDevice, work.stream));
    RO_TRY(copy_rows(context, grids->grid[0], b, work.cycle.b[0][0], true, work.stream));
    if (warm)
        RO_TRY(copy_rows(context, grids->grid[0], x, work.cycle.up[0][0], true, work.stream));
    for (uint32_t i = 0; i < cycles; i++) {
        grid_cuda_cycle(&work, stencils, device_inverse, 0, warm || i > 0, NULL);
        RO_CUDA_TRY(context, cudaGetLastError());
        RO_TRY(ro_context_progress(context, "multigrid", (i + 1.0) / cycles));
    }
    RO_TRY(copy_rows(context, grids->grid[0], x, work.cycle.up[0][0], false, work.stream));
    RO_TRY(cuda_scratch_end(cuda, work.stream));
    RO_CUDA_TRY(context, cudaStreamSynchronize(work.stream));
    *launches = work.launches;
    return RO_OK;
}

static const struct multigrid_cuda_calls calls = {
    multigrid_runs_on_cuda,
};
const struct multigrid_cuda_calls *multigrid_on_cuda = &calls;
