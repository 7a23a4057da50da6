/* SPDX-License-Identifier: MIT */
/* The kernels of a V-cycle and their launches; see multigrid.cuh. */
#include "pde/multigrid/multigrid.cuh"
#include "pde/multigrid/multigrid_cuda.h"

#include <string.h>

const char ro_grids_scratch = 0;

enum {
    THREADS = 256,
    COARSE = 16,                   /* coarse nodes of a tile's side on the way down */
    NEED = 2 * (COARSE - 1) + 4,   /* fine nodes whose residual they take */
    DOWN = NEED + 2 * 4,           /* and those that a warm start looks at */
    FINE = 32,                     /* nodes of a tile's side on the way up */
    UP = FINE + 2 * RO_GRID_SWEEPS,
};

/* b - A x in a tile with rows of `pitch`; the order of operations is that of multigrid_rows.h. */
static __device__ __forceinline__ float residual_at(const ro_stencil &k, const float *x, float b,
                                                    int at, int pitch)
{
    const float *above = x - pitch, *below = x + pitch;
    float v = (above[at] - x[at]) + (below[at] - x[at]);
    float left = (above[at - 1] - x[at - 1]) + (below[at - 1] - x[at - 1]);
    float right = (above[at + 1] - x[at + 1]) + (below[at + 1] - x[at + 1]);
    float h = (x[at - 1] - x[at]) + (x[at + 1] - x[at]);
    return __fmaf_rn(k.kc, left + right, __fmaf_rn(k.ky, v, __fmaf_rn(k.kh, h, b - x[at])));
}

/* out = relaxed x, for all of a square tile but `rim` nodes on each side. */
static __device__ __forceinline__ void relax_tile(const ro_stencil &k, const float *x,
                                                  const float *b, float *out, int side, int rim)
{
    const int inner = side - 2 * rim;
    for (int i = threadIdx.x; i < inner * inner; i += THREADS) {
        int at = (i / inner + rim) * side + i % inner + rim;
        out[at] = __fmaf_rn(k.s, residual_at(k, x, b[at], at, side), x[at]);
    }
    __syncthreads();
}

struct planes {
    const float *b[2];
    const float *guess[2]; /* of a warm start, else NULL */
    const float *correction[2];
    const float *x[2];
    float *out[2], *coarse[2];
};

/* From first[0] on: three steps, x to `out`, the residual restricted to `coarse`. */
template <bool WARM>
static __global__ __launch_bounds__(THREADS) void down_kernel(ro_grid grid, ro_grid coarse,
                                                              ro_stencil k, planes planes)
{
    __shared__ float b[DOWN * DOWN], one[DOWN * DOWN], two[DOWN * DOWN];
    const int plane = blockIdx.z;
    const int cx = blockIdx.x * COARSE, cy = blockIdx.y * COARSE;
    const int x0 = grid.x.first[cx] - 4, y0 = grid.y.first[cy] - 4;
    for (int i = threadIdx.x; i < DOWN * DOWN; i += THREADS) {
        int x = grid_reflect(x0 + i % DOWN, grid.width);
        int y = grid_reflect(y0 + i / DOWN, grid.height);
        b[i] = grid_load(planes.b[plane], grid, x, y);
        one[i] = WARM ? grid_load(planes.guess[plane], grid, x, y) : k.s * b[i];
    }
    __syncthreads();
    float *x = one, *next = two;
    if (WARM) {
        relax_tile(k, x, b, next, DOWN, 1);
        float *swap = x;
        x = next;
        next = swap;
    }
    relax_tile(k, x, b, next, DOWN, 2);
    relax_tile(k, next, b, x, DOWN, 3);
    /* a fine node belongs to the tile of the coarse node at or before it */
    const int last_x = cx + COARSE < coarse.width ? cx + COARSE : coarse.width;
    const int last_y = cy + COARSE < coarse.height ? cy + COARSE : coarse.height;
    for (int i = threadIdx.x; i < NEED * NEED; i += THREADS) {
        int tx = i % NEED + 4, ty = i / NEED + 4, at = ty * DOWN + tx;
        int gx = x0 + tx, gy = y0 + ty;
        next[at] = residual_at(k, x, b[at], at, DOWN);
        if (gx < 0 || gy < 0 || gx >= grid.width || gy >= grid.height)
            continue;
        int ox = grid.x.low[gx], oy = grid.y.low[gy];
        if (ox >= cx && ox < last_x && oy >= cy && oy < last_y)
            planes.out[plane][(size_t)gy * grid.stride + RO_GRID_MARGIN + gx] = x[at];
    }
    __syncthreads();
    const int ci = cx + threadIdx.x % COARSE, cj = cy + threadIdx.x / COARSE;
    if (ci >= coarse.width || cj >= coarse.height)
        return;
    const float *from = next + (grid.y.first[cj] - y0) * DOWN + grid.x.first[ci] - x0;
    const float w0 = grid.y.weight[0][cj], w1 = grid.y.weight[1][cj], w2 = grid.y.weight[2][cj];
    const float w3 = grid.y.weight[3][cj];
    float line[4];
    for (int c = 0; c < 4; c++) {
        float sum = __fmaf_rn(w2, from[2 * DOWN + c],
                              __fmaf_rn(w1, from[DOWN + c], w0 * from[c]));
        line[c] = w3 == 0 ? sum : __fmaf_rn(w3, from[3 * DOWN + c], sum);
    }
    float value = __fmaf_rn(grid.x.weight[2][ci], line[2],
                            __fmaf_rn(grid.x.weight[1][ci], line[1],
                                      grid.x.weight[0][ci] * line[0]));
    if (!grid.x.halved)
        value = __fmaf_rn(grid.x.weight[3][ci], line[3], value);
    planes.coarse[plane][(size_t)cj * coarse.stride + RO_GRID_MARGIN + ci] = value;
}

static __global__ __launch_bounds__(THREADS) void up_kernel(ro_grid grid, ro_grid coarse,
                                                            ro_stencil k, planes planes, int *peak)
{
    __shared__ float b[UP * UP], one[UP * UP], two[UP * UP];
    const int plane = blockIdx.z;
    const int x0 = blockIdx.x * FINE - RO_GRID_SWEEPS, y0 = blockIdx.y * FINE - RO_GRID_SWEEPS;
    for (int i = threadIdx.x; i < UP * UP; i += THREADS) {
        int x = grid_reflect(x0 + i % UP, grid.width), y = grid_reflect(y0 + i / UP, grid.height);
        b[i] = grid_load(planes.b[plane], grid, x, y);
        one[i] = grid_load(planes.x[plane], grid, x, y) +
                 grid_prolong(planes.correction[plane], grid, coarse, x, y, true);
    }
    __syncthreads();
    relax_tile(k, one, b, two, UP, 1);
    relax_tile(k, two, b, one, UP, 2);
    relax_tile(k, one, b, two, UP, 3);
    int high = 0;
    for (int i = threadIdx.x; i < FINE * FINE; i += THREADS) {
        int tx = i % FINE + RO_GRID_SWEEPS, ty = i / FINE + RO_GRID_SWEEPS;
        int gx = x0 + tx, gy = y0 + ty;
        if (gx >= grid.width || gy >= grid.height)
            continue;
        float value = two[ty * UP + tx];
        planes.out[plane][(size_t)gy * grid.stride + RO_GRID_MARGIN + gx] = value;
        high = max(high, __float_as_int(fabsf(value)));
    }
    if (peak)
        grid_peak(high, peak);
}

enum { DIRECT_THREADS = 1024 };

/* out (rows x width) = a (rows x terms) times b (terms x width). */
static __device__ __forceinline__ void multiply(int rows, int terms, int width, const float *a,
                                                int a_stride, const float *b, int b_stride,
                                                float *out, int out_stride)
{
    for (int i = threadIdx.x; i < rows * width; i += DIRECT_THREADS) {
        int y = i / width, x = i % width;
        float sum = 0;
        for (int k = 0; k < terms; k++)
            sum = __fmaf_rn(a[y * a_stride + k], b[k * b_stride + x], sum);
        out[y * out_stride + x] = sum;
    }
    __syncthreads();
}

static __global__ __launch_bounds__(DIRECT_THREADS) void direct_kernel(ro_grid grid,
                                                                       ro_direct direct,
                                                                       const float *inverse,
                                                                       planes planes, int *peak)
{
    extern __shared__ float shared[];
    const int nx = grid.width, ny = grid.height, plane = blockIdx.x, stride = (int)grid.stride;
    float *one = shared, *two = one + nx * ny;
    const float *b = planes.b[plane] + RO_GRID_MARGIN;
    float *out = planes.out[plane] + RO_GRID_MARGIN;
    multiply(ny, ny, nx, direct.forward_y, ny, b, stride, one, nx);
    multiply(ny, nx, nx, one, nx, direct.forward_x, nx, two, nx);
    for (int i = threadIdx.x; i < nx * ny; i += DIRECT_THREADS)
        two[i] *= inverse[i];
    __syncthreads();
    multiply(ny, ny, nx, direct.back_y, ny, two, nx, one, nx);
    multiply(ny, nx, nx, one, nx, direct.back_x, nx, two, nx);
    int high = 0;
    for (int i = threadIdx.x; i < nx * ny; i += DIRECT_THREADS) {
        out[i / nx * stride + i % nx] = two[i];
        high = max(high, __float_as_int(fabsf(two[i])));
    }
    if (peak)
        grid_peak(high, peak);
}

/* A plane as it is, restricted. */
static __global__ __launch_bounds__(THREADS) void restrict_kernel(ro_grid grid, ro_grid coarse,
                                                                  const float *fine, float *out)
{
    const int ci = blockIdx.x * 32 + threadIdx.x % 32, cj = blockIdx.y * 8 + threadIdx.x / 32;
    if (ci >= coarse.width || cj >= coarse.height)
        return;
    float line[4];
    for (int c = 0; c < 4; c++) {
        int x = grid_reflect(grid.x.first[ci] + c, grid.width), first = grid.y.first[cj];
        float sum = grid.y.weight[0][cj] *
                    grid_load(fine, grid, x, grid_reflect(first, grid.height));
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

static dim3 tiles(const ro_grid &grid, int side, int planes)
{
    return dim3((unsigned)((grid.width + side - 1) / side),
                (unsigned)((grid.height + side - 1) / side), (unsigned)planes);
}

void grid_cuda_cycle(struct grid_cuda *work, const struct ro_stencil *stencils,
                     const float *inverse, int level, bool warm, int *peak)
{
    const ro_cycle &cycle = work->cycle;
    const int last = work->grids->levels - 1, count = cycle.planes;
    for (int l = level; l < last; l++) {
        const ro_grid &coarse = work->level[l + 1];
        planes p = {};
        for (int i = 0; i < count; i++) {
            p.b[i] = cycle.b[i][l];
            p.guess[i] = cycle.up[i][l];
            p.out[i] = cycle.down[i][l];
            p.coarse[i] = cycle.b[i][l + 1];
        }
        const dim3 blocks = tiles(coarse, COARSE, count);
        if (warm && l == level)
            down_kernel<true><<<blocks, THREADS, 0, work->stream>>>(work->level[l], coarse,
                                                                    stencils[l], p);
        else
            down_kernel<false><<<blocks, THREADS, 0, work->stream>>>(work->level[l], coarse,
                                                                     stencils[l], p);
    }
    planes p = {};
    for (int i = 0; i < count; i++) {
        p.b[i] = cycle.b[i][last];
        p.out[i] = cycle.up[i][last];
    }
    const ro_grid &grid = work->level[last];
    const size_t bytes = 2 * (size_t)grid.width * (size_t)grid.height * sizeof(float);
    direct_kernel<<<(unsigned)count, DIRECT_THREADS, bytes, work->stream>>>(
        grid, work->direct, inverse, p, level == last ? peak : NULL);
    for (int l = last - 1; l >= level; l--) {
        for (int i = 0; i < count; i++) {
            p.b[i] = cycle.b[i][l];
            p.x[i] = cycle.down[i][l];
            p.correction[i] = cycle.up[i][l + 1];
            p.out[i] = cycle.up[i][l];
        }
        up_kernel<<<tiles(work->level[l], FINE, count), THREADS, 0, work->stream>>>(
            work->level[l], work->level[l + 1], stencils[l], p, l == level ? peak : NULL);
    }
    work->launches += 2 * (uint64_t)(last - level) + 1;
}

void grid_cuda_restrict(struct grid_cuda *work, int level, const float *fine, float *coarse)
{
    const ro_grid &to = work->level[level + 1];
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

static void move_axis(ro_axis *axis, const void *from, char *to)
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
    const struct ro_multigrid *grids = work->grids;
    char *tables = (char *)grid_piece(pieces, grids->table_bytes);
    float *memory =
        (float *)grid_piece(pieces, ro_cycle_floats(grids, planes, 0) * sizeof(float));
    if (!pieces->memory)
        return RO_OK;
    memcpy(work->level, grids->grid, sizeof work->level);
    work->direct = grids->direct;
    for (ro_grid &grid : work->level) {
        move_axis(&grid.x, grids->tables, tables);
        move_axis(&grid.y, grids->tables, tables);
    }
    moved(work->direct.forward_x, grids->tables, tables);
    moved(work->direct.forward_y, grids->tables, tables);
    moved(work->direct.back_x, grids->tables, tables);
    moved(work->direct.back_y, grids->tables, tables);
    work->cycle.grids = grids;
    work->cycle.planes = planes;
    ro_cycle_place(&work->cycle, memory, 0);
    RO_CUDA_TRY(context, cudaMemcpyAsync(tables, grids->tables, grids->table_bytes,
                                         cudaMemcpyHostToDevice, work->stream));
    return RO_OK;
}

/* An image of floats to or from the inside of a plane. */
static ro_status copy_rows(ro_context *context, const ro_grid &grid, const ro_image *image,
                           float *plane, bool to_device, cudaStream_t stream)
{
    const size_t bytes = (size_t)grid.width * sizeof(float);
    for (int y = 0; y < grid.height; y++) {
        float *inside = plane + (size_t)y * grid.stride + RO_GRID_MARGIN;
        char *row = (char *)image->data + (ptrdiff_t)y * image->stride;
        RO_CUDA_TRY(context, to_device ? cudaMemcpyAsync(inside, row, bytes,
                                                         cudaMemcpyHostToDevice, stream)
                                       : cudaMemcpyAsync(row, inside, bytes,
                                                         cudaMemcpyDeviceToHost, stream));
    }
    return RO_OK;
}

static ro_status ro_multigrid_on_cuda(ro_context *context, const struct ro_multigrid *grids,
                                      const struct ro_stencil *stencils, const float *inverse,
                                      const ro_image *b, const ro_image *x, uint32_t cycles,
                                      bool warm, uint64_t *launches)
{
    struct ro_cuda *cuda;
    RO_TRY(ro_cuda_of(context, &cuda));
    const ro_grid &last = grids->grid[grids->levels - 1];
    const size_t inverse_bytes = (size_t)last.width * (size_t)last.height * sizeof(float);
    struct grid_cuda work = {};
    struct grid_pieces pieces = {};
    float *device_inverse = NULL;
    work.grids = grids;
    work.stream = cuda->compute;
    for (int pass = 0; pass < 2; pass++) {
        if (pass) {
            void *memory;
            RO_TRY(ro_cuda_scratch_begin(cuda, work.stream));
            RO_TRY(ro_cuda_reserve(cuda, &ro_grids_scratch, pieces.used, work.stream, &memory));
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
    RO_TRY(ro_cuda_scratch_end(cuda, work.stream));
    RO_CUDA_TRY(context, cudaStreamSynchronize(work.stream));
    *launches = work.launches;
    return RO_OK;
}

static const struct multigrid_cuda_calls calls = {
    ro_multigrid_on_cuda,
};
const struct multigrid_cuda_calls *const multigrid_on_cuda = &calls;
