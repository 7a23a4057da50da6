/* SPDX-License-Identifier: MIT */
/* The kernels of registration: one thread a pixel, sums of integers by atomics; see register.h. */
#ifndef RO_REGISTER_CUDA_KERNELS_CUH
#define RO_REGISTER_CUDA_KERNELS_CUH

#include "register/register.h"
#include "solver/multigrid/multigrid.cuh"

enum { THREADS = 256, LENGTHS = 4 };

/* Sums on the device, and as they come back. */
struct tally {
    unsigned long long total;        /* of slopes */
    int slope_peak;                  /* bits of a float */
    unsigned long long agreement[6]; /* in the order of match_agreement */
};

/* ---- What a pixel does; the operations are those of rows.h ------------------------- */

static __device__ __forceinline__ float round_number(const rounder &round, float x)
{
    if (round.drop == 0)
        return x;
    unsigned bits = __float_as_uint(x), half = (1u << (round.drop - 1)) - 1;
    bits += half + (bits >> round.drop & 1);
    bits &= ~((1u << round.drop) - 1);
    float normal = __uint_as_float(bits);
    float evenly = (x + round.spacing) - round.spacing;
    float value = fabsf(x) < round.least ? evenly : normal;
    value = value > round.limit ? round.limit : value;
    return value < -round.limit ? -round.limit : value;
}

static __device__ __forceinline__ int mirror_at(int at, int count)
{
    at = at < 0 ? -at : at;
    at = at >= count ? 2 * (count - 1) - at : at;
    return at < 0 ? 0 : at;
}

static __device__ __forceinline__ float clamp_to(float x, float end)
{
    x = x < 0 ? 0 : x;
    return x > end ? end : x;
}

struct sample {
    float value, dx, dy;
};

static __device__ __forceinline__ struct sample
sample_at(const float *plane, const descent_rows &rows, float px, float py)
{
    const int last_x = rows.width > 1 ? rows.width - 2 : 0;
    const int last_y = rows.height > 1 ? rows.height - 2 : 0;
    const int stride = (int)rows.stride;
    float x = clamp_to(px, rows.end.right), y = clamp_to(py, rows.end.bottom);
    int ix = min((int)x, last_x), iy = min((int)y, last_y);
    float fx = x - (float)ix, fy = y - (float)iy;
    const float *at = plane + (size_t)iy * stride + ix;
    /* one column or row: its neighbour has no weight */
    const int right = rows.width > 1 ? 1 : 0, below = rows.height > 1 ? stride : 0;
    float a = __ldg(at), b = __ldg(at + right), c = __ldg(at + below);
    float d = __ldg(at + below + right);
    float top = b - a, low = d - c;
    float upper = __fmaf_rn(fx, top, a), lower = __fmaf_rn(fx, low, c);
    return {__fmaf_rn(fy, lower - upper, upper), __fmaf_rn(fy, low - top, top), lower - upper};
}

static __device__ __forceinline__ int is_inside(const descent_rows &rows, float px, float py)
{
    return px >= 0 && px <= rows.end.right && py >= 0 && py <= rows.end.bottom;
}

static __device__ __forceinline__ int is_kept(const descent_rows &rows, int x, int y, float px,
                                              float py)
{
    if (!rows.kept)
        return 1;
    const int near_x = (int)(clamp_to(px, rows.end.right) + 0.5f);
    const int near_y = (int)(clamp_to(py, rows.end.bottom) + 0.5f);
    return rows.kept[(size_t)y * rows.stride + x] != 0 &&
           rows.seen[(size_t)near_y * rows.stride + near_x] != 0;
}

static __device__ __forceinline__ bool counts(const descent_rows &rows, int x, int y)
{
    return x < (int)rows.end.right + 1 && !((float)y > rows.end.bottom);
}

/* A block's sum into *total; all threads take part. */
static __device__ __forceinline__ void add_up(long long value, unsigned long long *total)
{
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_down_sync(0xffffffffu, value, step);
    __shared__ long long warps[THREADS / 32];
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < THREADS / 32; i++)
            value += warps[i];
        if (value)
            atomicAdd(total, (unsigned long long)value);
    }
}

struct arrays {
    float *ux, *uy;
    const float *dx, *dy, *fixed;
    float *gx, *gy;
};

static __device__ __forceinline__ void place(int *x, int *y)
{
    *x = blockIdx.x * 32 + threadIdx.x % 32;
    *y = blockIdx.y * (THREADS / 32) + threadIdx.x / 32;
}

/* ---- Parts of an update; see descend.cuh ---------------------------------------------
 */

/* What the planes have for a pixel: loaded while the one before is worked on. */
struct pixel {
    float ux, uy, dx, dy, gx, gy, fixed;
};

/* Updates u by tau d, takes g there and adds to the sums. */
static __device__ __forceinline__ void gradient_at(const descent_rows &rows, const arrays &p,
                                                   const pixel &here, float tau, int x, int y,
                                                   long long *energy, long long *count, int *high)
{
    const size_t at = (size_t)y * rows.stride + x;
    float ux = here.ux, uy = here.uy, gx = 0, gy = 0;
    if (tau != 0) {
        ux = round_number(rows.round, __fmaf_rn(-tau, here.dx, ux));
        uy = round_number(rows.round, __fmaf_rn(-tau, here.dy, uy));
        p.ux[at] = ux;
        p.uy[at] = uy;
    }
    if (counts(rows, x, y)) {
        float px = (float)x + ux, py = (float)y + uy;
        int weight = (!rows.masked | is_inside(rows, px, py)) & is_kept(rows, x, y, px, py);
        struct sample s = sample_at(rows.moving, rows, px, py);
        float difference = (float)weight * (s.value - here.fixed);
        gx = difference * s.dx;
        gy = difference * s.dy;
        *energy += (int)(difference * difference * 0x1p30f);
        *count += weight;
        *high = max(*high, max(__float_as_int(fabsf(gx)), __float_as_int(fabsf(gy))));
    }
    p.gx[at] = gx;
    p.gy[at] = gy;
}

static __device__ __forceinline__ void products_at(const pixel &here, float g_scale, float d_scale,
                                                   long long *slope, long long *square)
{
    float dx = d_scale * here.dx, dy = d_scale * here.dy;
    *slope += (int)(g_scale * here.gx * dx) + (int)(g_scale * here.gy * dy);
    *square += (int)(0.25f * dx * dx) + (int)(0.25f * dy * dy);
}

struct lengths {
    float tau[LENGTHS];
};

static __device__ __forceinline__ void energies_at(const descent_rows &rows, const pixel &here,
                                                   const lengths &at_once, int x, int y,
                                                   long long (&energy)[LENGTHS])
{
    if (!counts(rows, x, y))
        return;
    float ux = here.ux, uy = here.uy, dx = here.dx, dy = here.dy, fixed = here.fixed;
    float at_x = (float)x + ux, at_y = (float)y + uy;
    int weight = (!rows.masked | is_inside(rows, at_x, at_y)) & is_kept(rows, x, y, at_x, at_y);
    for (int i = 0; i < LENGTHS; i++) {
        float tau = at_once.tau[i];
        float px = (float)x + round_number(rows.round, __fmaf_rn(-tau, dx, ux));
        float py = (float)y + round_number(rows.round, __fmaf_rn(-tau, dy, uy));
        struct sample s = sample_at(rows.moving, rows, px, py);
        float difference = (float)weight * (s.value - fixed);
        energy[i] += (int)(difference * difference * 0x1p30f);
    }
}

static __device__ __forceinline__ void update_at(const descent_rows &rows, const arrays &p,
                                                 float tau, int x, int y)
{
    const size_t at = (size_t)y * rows.stride + x;
    p.ux[at] = round_number(rows.round, __fmaf_rn(-tau, p.dx[at], p.ux[at]));
    p.uy[at] = round_number(rows.round, __fmaf_rn(-tau, p.dy[at], p.uy[at]));
}

/* ---- Parts of a scale's images; see prepare.cuh --------------------------------------
 */

/* A node in a whole plane. */
static __device__ __forceinline__ size_t plane_at(const descent_rows &rows, int x, int y)
{
    return (size_t)y * rows.stride + RO_GRID_MARGIN + x;
}

static __device__ __forceinline__ float normalised(float pixel, float mean, float square,
                                                   float least, bool size)
{
    float variance = __fmaf_rn(-mean, mean, square);
    variance = variance > 0 ? variance : 0;
    float value = __fdiv_rn(0.125f * (pixel - mean), __fsqrt_rn(variance + least));
    value = value > 0.5f ? 0.5f : value;
    value = value < -0.5f ? -0.5f : value;
    return size ? fabsf(value) : value;
}

/* Squares of the slopes of the fixed image. */
static __device__ __forceinline__ void slopes_at(const descent_rows &rows, const float *fixed,
                                                 int x, int y, float *slope_x, float *slope_y)
{
    const size_t at = (size_t)y * rows.stride + x;
    float xx = 0, yy = 0;
    if (counts(rows, x, y)) {
        const float *row = fixed + (size_t)y * rows.stride;
        const float right = row[mirror_at(x + 1, rows.width)];
        const float left = row[mirror_at(x - 1, rows.width)];
        const float below = fixed[(size_t)mirror_at(y + 1, rows.height) * rows.stride + x];
        const float above = fixed[(size_t)mirror_at(y - 1, rows.height) * rows.stride + x];
        const float dx = 0.5f * (right - left), dy = 0.5f * (below - above);
        xx = dx * dx;
        yy = dy * dy;
        if (rows.kept) {
            xx *= rows.kept[at];
            yy *= rows.kept[at];
        }
    }
    slope_x[at] = xx;
    slope_y[at] = yy;
}

/* ---- Kernels ----------------------------------------------------------------------------------
 */

/* An affine map. */
struct affine {
    double m[6];
};

/* u at the start, as flow_start_row; whole planes. */
static __global__ __launch_bounds__(THREADS) void start_kernel(solver_grid grid, rounder round,
                                                               affine map, float *ux, float *uy)
{
    int x, y;
    place(&x, &y);
    if (x >= grid.width || y >= grid.height)
        return;
    const size_t at = (size_t)y * grid.stride + RO_GRID_MARGIN + x;
    const double px = x * grid.hx, py = y * grid.hy;
    const double to_x = map.m[0] * px + map.m[1] * py + map.m[2];
    const double to_y = map.m[3] * px + map.m[4] * py + map.m[5];
    ux[at] = round_number(round, (float)((to_x - px) / grid.hx));
    uy[at] = round_number(round, (float)((to_y - py) / grid.hy));
}

static __global__ __launch_bounds__(THREADS) void refine_kernel(solver_grid fine,
                                                                solver_grid coarse, rounder round,
                                                                float by_x, float by_y, arrays from,
                                                                float *ux, float *uy)
{
    int x, y;
    place(&x, &y);
    if (x >= fine.width || y >= fine.height)
        return;
    const size_t at = (size_t)y * fine.stride + RO_GRID_MARGIN + x;
    ux[at] = round_number(round, by_x * grid_prolong(from.ux, fine, coarse, x, y, false));
    uy[at] = round_number(round, by_y * grid_prolong(from.uy, fine, coarse, x, y, false));
}

/* A mask on a coarser grid: 1 where all it was made of is. */
static __global__ __launch_bounds__(THREADS) void whole_kernel(solver_grid grid, float *plane)
{
    int x, y;
    place(&x, &y);
    if (x >= grid.width || y >= grid.height)
        return;
    float *at = plane + (size_t)y * grid.stride + RO_GRID_MARGIN + x;
    *at = *at > RO_WHOLE ? 1 : 0;
}

/* One thread a block of pixels. */
static __global__ __launch_bounds__(THREADS) void agree_kernel(descent_rows rows, arrays p,
                                                               int blocks_x, int blocks_y,
                                                               tally *sums)
{
    int x, y;
    long long t = 0, r = 0, n = 0;
    place(&x, &y);
    if (x < blocks_x && y < blocks_y) {
        for (int k = 0; k < RO_BLOCK * RO_BLOCK; k++) {
            const int i = RO_BLOCK * x + k % RO_BLOCK, j = RO_BLOCK * y + k / RO_BLOCK;
            const size_t at = (size_t)j * rows.stride + i;
            const float px = (float)i + p.ux[at], py = (float)j + p.uy[at];
            const int weight = is_inside(rows, px, py) & is_kept(rows, i, j, px, py);
            struct sample s = sample_at(rows.moving, rows, px, py);
            t += weight * (int)(s.value * 0x1p12f);
            r += weight * (int)(p.fixed[at] * 0x1p12f);
            n += weight;
        }
        if (n < RO_BLOCK * RO_BLOCK)
            t = r = n = 0;
    }
    add_up(n > 0, &sums->agreement[0]);
    add_up(t, &sums->agreement[1]);
    add_up(r, &sums->agreement[2]);
    add_up(t * t, &sums->agreement[3]);
    add_up(r * r, &sums->agreement[4]);
    add_up(t * r, &sums->agreement[5]);
}

/* u side by side, as the caller gets it. */
static __global__ __launch_bounds__(THREADS) void pairs_kernel(descent_rows rows, arrays p,
                                                               float2 *pairs, int width, int height)
{
    int x, y;
    place(&x, &y);
    if (x >= width || y >= height)
        return;
    const size_t at = (size_t)y * rows.stride + x;
    pairs[(size_t)y * width + x] = make_float2(p.ux[at], p.uy[at]);
}

#endif
