/* SPDX-License-Identifier: MIT */
/*
 * Jacobi steps on a plane in shared memory by threads that keep 3 x 3 nodes of it, and their
 * right-hand side, in registers: a step loads the sixteen nodes round them and stores nine. Threads
 * of a row of patches touch different banks, three columns apart.
 */
#ifndef RO_SOLVER_MULTIGRID_MULTIGRID_PATCH_CUH
#define RO_SOLVER_MULTIGRID_MULTIGRID_PATCH_CUH

#include "solver/multigrid/multigrid.cuh"

enum { PATCH = 3 }; /* nodes a side */

/* A number that compilers take for a new one: what comes of it is computed where it is used, and
 * not kept in registers from one cycle to the next. */
static __device__ __forceinline__ int anew(int number)
{
    asm volatile("" : "+r"(number));
    return number;
}

/* Planes of one system: those of a grid, and of the coarser one. */
struct grid_planes {
    const float *b;
    const float *guess; /* of a warm start, else NULL */
    const float *correction;
    const float *x;
    float *out, *coarse;
    const float *weight; /* what `out` is multiplied by on the way up; NULL: 1 */
};

/* A thread's nodes, and where they and those round them lie in a plane in shared memory. */
struct patch {
    float x[PATCH][PATCH], b[PATCH][PATCH];
    int at, left, right, up, down; /* all but `at` counted from there */
};

/* b - A x; the order of operations is that of multigrid_rows.h. */
template <int PITCH>
static __device__ __forceinline__ void patch_residual(const stencil &k, const float *plane,
                                                      const patch &p, float (&rest)[PATCH][PATCH])
{
    enum { ROUND = PATCH + 2 };
    float row[3][ROUND]; /* above, here, below */
    auto take = [&](float(&to)[ROUND], const float *from) {
        to[0] = from[p.left];
        to[ROUND - 1] = from[p.right];
    };
    const float *const from = plane + p.at, *const above = from + p.up,
                       *const below = from + p.down;
    take(row[0], above);
    take(row[1], from);
#pragma unroll
    for (int c = 0; c < PATCH; c++) {
        row[0][c + 1] = above[c];
        row[1][c + 1] = p.x[0][c];
    }
#pragma unroll
    for (int r = 0; r < PATCH; r++) {
        take(row[2], r + 1 < PATCH ? from + (r + 1) * PITCH : below);
#pragma unroll
        for (int c = 0; c < PATCH; c++)
            row[2][c + 1] = r + 1 < PATCH ? p.x[r + 1 < PATCH ? r + 1 : r][c] : below[c];
        float v[ROUND];
#pragma unroll
        for (int c = 0; c < ROUND; c++)
            v[c] = (row[0][c] - row[1][c]) + (row[2][c] - row[1][c]);
#pragma unroll
        for (int c = 0; c < PATCH; c++) {
            const float here = row[1][c + 1];
            const float h = (row[1][c] - here) + (row[1][c + 2] - here);
            rest[r][c] = __fmaf_rn(k.kc, v[c] + v[c + 2],
                                   __fmaf_rn(k.ky, v[c + 1], __fmaf_rn(k.kh, h, p.b[r][c] - here)));
        }
#pragma unroll
        for (int c = 0; c < ROUND; c++) {
            row[0][c] = row[1][c];
            row[1][c] = row[2][c];
        }
    }
}

template <int PITCH>
static __device__ __forceinline__ void patch_put(const float (&values)[PATCH][PATCH],
                                                 const patch &p, float *plane)
{
#pragma unroll
    for (int i = 0; i < PATCH * PATCH; i++)
        plane[p.at + i / PATCH * PITCH + i % PATCH] = values[i / PATCH][i % PATCH];
}

/* A Jacobi step, in registers. */
template <int PITCH>
static __device__ __forceinline__ void patch_relax(const stencil &k, const float *plane, patch *p)
{
    float rest[PATCH][PATCH];
    patch_residual<PITCH>(k, plane, *p, rest);
#pragma unroll
    for (int i = 0; i < PATCH * PATCH; i++) {
        float &x = p->x[i / PATCH][i % PATCH];
        x = __fmaf_rn(k.s, rest[i / PATCH][i % PATCH], x);
    }
}

/* As grid_reflect, for places within the first mirror image. */
static __device__ __forceinline__ int mirrored(int i, int n)
{
    i = i < 0 ? -i : i;
    return i < n ? i : 2 * (n - 1) - i;
}

/* x += the coarse plane interpolated, as grid_prolong, at the nodes x[] and y[] of the fine grid.
 * `from` has `pitch` and begins with the coarse node (first_x, first_y). */
static __device__ __forceinline__ void patch_prolong(const solver_grid &fine,
                                                     const solver_grid &coarse,
                                                     const int (&x)[PATCH], const int (&y)[PATCH],
                                                     const float *from, int pitch, int first_x,
                                                     int first_y, patch *p)
{
    int at[PATCH], next[PATCH];
    float part[PATCH];
    const bool halved = fine.x.halved;
#pragma unroll
    for (int c = 0; c < PATCH; c++) {
        const int low = grid_low(fine.x, x[c]);
        at[c] = low - first_x;
        next[c] = mirrored(low + 1, coarse.width) - first_x;
        part[c] = grid_part(fine.x, x[c]);
    }
#pragma unroll
    for (int r = 0; r < PATCH; r++) {
        const int low = grid_low(fine.y, y[r]), high = low + 1 < coarse.height ? low + 1 : low;
        const float *const above = from + (low - first_y) * pitch;
        const float *const below = from + (high - first_y) * pitch;
        const float share = grid_part(fine.y, y[r]);
#pragma unroll
        for (int c = 0; c < PATCH; c++) {
            const float a = above[at[c]], b = below[at[c]];
            const float d = above[next[c]], e = below[next[c]];
            const float here = __fmaf_rn(share, b - a, a), there = __fmaf_rn(share, e - d, d);
            const bool common = halved && x[c] % 2 == 0; /* taken as it is */
            p->x[r][c] += common ? here : __fmaf_rn(part[c], there - here, here);
        }
    }
}

/* The same where both axes are halved and nodes follow one another from (x, y) on: three by three
 * coarse nodes do. Those beyond the last, which none of the plane's own nodes needs, may be any. */
static __device__ __forceinline__ void patch_halved(int x, int y, const float *from, int pitch,
                                                    int first_x, int first_y, int wide, int tall,
                                                    patch *p)
{
    const bool odd_x = x & 1, odd_y = y & 1;
    const int cx = x / 2 - first_x, cy = y / 2 - first_y;
    const int last_x = wide - 1 - first_x, last_y = tall - 1 - first_y;
    float line[PATCH][PATCH]; /* coarse columns between the rows of a fine one */
#pragma unroll
    for (int c = 0; c < PATCH; c++) {
        float node[PATCH];
#pragma unroll
        for (int r = 0; r < PATCH; r++)
            node[r] = from[min(cy + r, last_y) * pitch + min(cx + c, last_x)];
        const float one = node[1] - node[0], two = node[2] - node[1];
        line[0][c] = __fmaf_rn(odd_y ? 0.5f : 0.0f, one, node[0]);
        line[1][c] = odd_y ? __fmaf_rn(0.0f, two, node[1]) : __fmaf_rn(0.5f, one, node[0]);
        line[2][c] = __fmaf_rn(odd_y ? 0.5f : 0.0f, two, node[1]);
    }
#pragma unroll
    for (int r = 0; r < PATCH; r++) {
        const float *const at = line[r];
        const float first = __fmaf_rn(0.5f, at[1] - at[0], at[0]);
        const float next = __fmaf_rn(0.5f, at[2] - at[1], at[1]);
        p->x[r][0] += odd_x ? first : at[0];
        p->x[r][1] += odd_x ? at[1] : first;
        p->x[r][2] += odd_x ? next : at[1];
    }
}

/* The residual at four rows and columns from `from` on, restricted to the coarse node (ci, cj);
 * row[] and column[] say where in the plane they are. */
static __device__ __forceinline__ float restricted(const solver_grid &grid, int ci, int cj,
                                                   const float *plane, const int (&row)[4],
                                                   const int (&column)[4])
{
    const float w0 = grid_weight(grid.y, 0, cj), w1 = grid_weight(grid.y, 1, cj);
    const float w2 = grid_weight(grid.y, 2, cj), w3 = grid_weight(grid.y, 3, cj);
    float line[4] = {};
#pragma unroll
    for (int c = 0; c < 4; c++) {
        if (c == 3 && grid.x.halved)
            break;
        const float *const from = plane + column[c];
        const float sum =
            __fmaf_rn(w2, from[row[2]], __fmaf_rn(w1, from[row[1]], w0 * from[row[0]]));
        line[c] = w3 == 0 ? sum : __fmaf_rn(w3, from[row[3]], sum);
    }
    const float value = __fmaf_rn(
        grid_weight(grid.x, 2, ci), line[2],
        __fmaf_rn(grid_weight(grid.x, 1, ci), line[1], grid_weight(grid.x, 0, ci) * line[0]));
    return grid.x.halved ? value : __fmaf_rn(grid_weight(grid.x, 3, ci), line[3], value);
}

/* A node's result to its place: weighed, stored, its size among the largest. */
static __device__ __forceinline__ void grid_finish(const grid_planes &planes, size_t at,
                                                   float value, int *high)
{
    value = planes.weight ? value * planes.weight[at] : value;
    planes.out[at] = value;
    *high = max(*high, __float_as_int(fabsf(value)));
}

#endif
