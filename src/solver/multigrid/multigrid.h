/* SPDX-License-Identifier: MIT */
/*
 * Multigrid for A(sigma) = 1 - sigma^2/2 Laplace on grids of any size (Strzodka, Hardware Efficient
 * PDE Solvers in Quantized Image Processing, 2.5.1).
 *
 * Every grid spans the whole image from its first node to its last: n nodes become n/2 + 1, which
 * lie on every other node where n is odd and between nodes where it is even. Linear finite elements
 * give a stencil of nine points, with hx and hy the distances of nodes:
 *
 *     A x = x - ky V - (kx + 2 kc) H - kc (V left + V right)
 *     V = (above - x) + (below - x),  H = (left - x) + (right - x)
 *     kx = sigma^2/6 (2/hx^2 - 1/hy^2),  ky likewise,  kc = sigma^2/12 (1/hx^2 + 1/hy^2)
 *
 * Borders are mirrored, u[-1] = u[1]. Differences come first, so that a large sigma does not
 * amplify the rounding of x. A Jacobi step is x + s (b - A x), s = 1/(1 + 2 kx + 2 ky + 4 kc). The
 * coarsest grid is solved exactly in the cosines that A has for eigenvectors.
 *
 * Planes are floats with a ghost column on either side of each row, which is its mirror image.
 */
#ifndef RO_SOLVER_MULTIGRID_MULTIGRID_H
#define RO_SOLVER_MULTIGRID_MULTIGRID_H

#include "roundoff/core.h"

#include <stdbool.h>
#include <stddef.h>

struct thread_team;

enum {
    RO_GRID_DIRECT = 33, /* grids up to this many nodes a side are solved directly */
    RO_GRID_THIN = 3,    /* or with a side up to this */
    RO_GRID_LEVELS = 32,
    RO_GRID_MARGIN = 16,
    RO_GRID_SWEEPS = 3, /* Jacobi steps on the way down, and again on the way up */
    RO_GRID_ASPECT = 64,
};

/* How an axis is halved: prolongation takes `low` and its successor, restriction four neighbours
 * from `first` on. Odd counts use the same numbers everywhere, which vectors need not look up. */
struct grid_axis {
    int fine, coarse;
    bool halved;            /* fine = 2 coarse - 1 */
    const int32_t *low;     /* of each fine node */
    const float *part;      /* its share of the successor */
    const int32_t *first;   /* of each coarse node; -1 is the mirrored ghost */
    const float *weight[4]; /* of its four neighbours */
};

struct solver_grid {
    int width, height;
    ptrdiff_t stride;      /* floats from row to row */
    size_t floats;         /* of a plane */
    double hx, hy;         /* distance of nodes in pixels of the finest grid */
    struct grid_axis x, y; /* to the next coarser grid */
};

/* The stencil of A(sigma) on one grid. */
struct stencil {
    float ky, kh, kc; /* of V, H and V left + V right */
    float s;
};

/* Cosines there and back on the coarsest grid, row by row: forward_y and back_y to multiply from
 * the left, forward_x and back_x from the right. */
struct direct_system {
    const float *forward_x, *forward_y, *back_x, *back_y;
};

struct multigrid {
    int levels; /* grids 0 (the finest) to levels - 1 */
    struct solver_grid grid[RO_GRID_LEVELS];
    struct direct_system direct;
    void *tables; /* all of the above's memory */
    size_t table_bytes;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a solver for this size can be had. */
bool multigrid_fits(int width, int height);
ro_status multigrid_open(ro_context *context, int width, int height, struct multigrid *grids);

/* The grids alone, of any shape, for what goes from grid to grid but runs no V-cycle. */
ro_status multigrid_open_grids(ro_context *context, int width, int height, struct multigrid *grids);
void multigrid_close(struct multigrid *grids);

/* The stencils of A(sigma), and 1/eigenvalue of each pair of cosines on the coarsest grid. */
void multigrid_set(const struct multigrid *grids, double sigma,
                   struct stencil stencils[RO_GRID_LEVELS], float *inverse);

static inline size_t grid_at(const struct solver_grid *grid, int y)
{
    return (size_t)y * (size_t)grid->stride + RO_GRID_MARGIN;
}

/* Rows beyond the border are mirrored; one row is its own mirror image. */
static inline int mirror_index(int y, int height)
{
    if (y < 0)
        y = -y;
    if (y >= height)
        y = 2 * (height - 1) - y;
    return y < 0 ? 0 : y;
}

/* ---- Kernels on rows; the same bits from every instruction set ------------------------------- */

struct grid_kernels {
    ro_cpu cpu;
    /* out = x + s (b - A x), and out = b - A x; their ghosts too. */
    void (*relax)(const struct stencil *stencil, int width, const float *above, const float *x,
                  const float *below, const float *b, float *out);
    void (*residual)(const struct stencil *stencil, int width, const float *above, const float *x,
                     const float *below, const float *b, float *out);
    /* What relax makes of x = s b, of three rows of b. */
    void (*begin)(const struct stencil *stencil, int width, const float *above, const float *b,
                  const float *below, float *out);
    /* Four rows and their weights, the last left out if it is 0; `line` is scratch for a row. */
    void (*restrict_row)(const struct grid_axis *axis, const float *const rows[4],
                         const float weights[4], float *line, float *out);
    /* out = x + the coarse rows interpolated; x may be NULL. */
    void (*prolong_row)(const struct grid_axis *axis, const float *low, const float *high,
                        float part, const float *x, float *line, float *out);
    /* out (rows x width) = a (rows x terms) times b (terms x width). */
    void (*product)(int rows, int terms, int width, const float *a, ptrdiff_t a_stride,
                    const float *b, ptrdiff_t b_stride, float *out, ptrdiff_t out_stride);
};
const struct grid_kernels *grid_kernels_for(ro_cpu cpu);

/* ---- Cycles on the CPU ---------------------------------------------------------------------- */

/* Planes of every grid: right-hand side, and x on the way down and up. */
struct multigrid_cycle {
    const struct multigrid *grids;
    const struct grid_kernels *kernels;
    struct thread_team *team;
    const ro_context *context; /* once it is cancelled rows are left out; NULL: none are */
    int planes;                /* systems solved side by side, at most 2 */
    float *b[2][RO_GRID_LEVELS], *down[2][RO_GRID_LEVELS], *up[2][RO_GRID_LEVELS];
    const struct stencil *stencils;
    const float *inverse;
    float *scratch; /* of all threads */
    size_t scratch_floats;
    /* Called for each row of up[plane][level] that is finished, while it is near; it may change
     * it. `share`: which of the team's parts calls. NULL: nobody is told. */
    void (*told)(void *data, int share, int plane, int y, float *row);
    void *told_data;
};

/* Floats of memory for all planes, and the same memory given out. */
size_t cycle_floats(const struct multigrid *grids, int planes, int threads);
void cycle_place(struct multigrid_cycle *cycle, float *memory, int threads);

/* One V-cycle from `level`: b[.][level] to up[.][level]. `warm`: up[.][level] is a first guess. Of
 * a cancelled context nothing in these planes is of use. */
void cycle_run(struct multigrid_cycle *cycle, int level, bool warm);

#ifdef __cplusplus
}
#endif

#endif
