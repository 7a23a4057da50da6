/* SPDX-License-Identifier: MIT */
/*
 * Grids from fine to coarse and the tables between them; see multigrid.h.
 *
 * A coarse node i lies at i (fine - 1)/(coarse - 1). Prolongation interpolates linearly, P;
 * restriction is its transpose with the masses of the nodes (halves at the ends), M_c^-1 P^T M_f,
 * which for odd counts is 1/4 1/2 1/4 with mirrored ends.
 */
#include "solver/multigrid/multigrid.h"

#include "context/context.h"
#include "core/checked.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Hands out pieces of one block; counts only while there is none. */
struct tables {
    char *memory;
    size_t used;
};

static void *take(struct tables *tables, size_t count)
{
    void *piece = tables->memory ? tables->memory + tables->used : NULL;
    tables->used += (count * 4 + 63) / 64 * 64;
    return piece;
}

static bool is_coarsest(int width, int height)
{
    return (width <= RO_GRID_DIRECT && height <= RO_GRID_DIRECT) || width <= RO_GRID_THIN ||
           height <= RO_GRID_THIN;
}

bool multigrid_fits(int width, int height)
{
    int shorter = width < height ? width : height, longer = width < height ? height : width;
    return longer <= (int64_t)RO_GRID_ASPECT * shorter + RO_GRID_ASPECT;
}

static void halve(struct grid_axis *axis)
{
    int32_t *low = (int32_t *)axis->low, *first = (int32_t *)axis->first;
    float *part = (float *)axis->part;
    const int fine = axis->fine, coarse = axis->coarse;
    for (int i = 0; i < fine; i++) {
        int64_t place = (int64_t)i * (coarse - 1);
        low[i] = (int32_t)(place / (fine - 1));
        part[i] = (float)((double)(place % (fine - 1)) / (fine - 1));
    }
    for (int i = 0; i < coarse; i++) {
        double weight[4] = {0.25, 0.5, 0.25, 0}, sum = 1;
        first[i] = 2 * i - 1;
        if (!axis->halved) {
            /* fine nodes j with |j (coarse - 1)/(fine - 1) - i| < 1 */
            int64_t begin = i ? ((int64_t)(i - 1) * (fine - 1)) / (coarse - 1) + 1 : 0;
            first[i] = (int32_t)(begin < fine - 4 ? begin : fine - 4);
            sum = 0;
            for (int k = 0; k < 4; k++) {
                int j = first[i] + k;
                double away = fabs((double)j * (coarse - 1) / (fine - 1) - i);
                double mass = j == 0 || j == fine - 1 ? 0.5 : 1;
                weight[k] = away < 1 ? mass * (1 - away) : 0;
                sum += weight[k];
            }
        }
        for (int k = 0; k < 4; k++)
            ((float *)axis->weight[k])[i] = (float)(weight[k] / sum);
    }
}

static void plan_axis(struct grid_axis *axis, struct tables *tables, int fine, int coarse)
{
    *axis = (struct grid_axis){.fine = fine, .coarse = coarse, .halved = fine == 2 * coarse - 1};
    axis->low = take(tables, (size_t)fine);
    axis->part = take(tables, (size_t)fine);
    axis->first = take(tables, (size_t)coarse);
    for (int k = 0; k < 4; k++)
        axis->weight[k] = take(tables, (size_t)coarse);
    if (tables->memory)
        halve(axis);
}

/* The cosine transform of n mirrored nodes: c_p = 2/(n-1) g_p sum of g_j b_j cos(pi p j/(n-1)), g
 * a half at both ends; and back. `right`: transposed, to stand on the right of a product. */
static void fill_cosines(int n, bool right, float *forward, float *back)
{
    for (int p = 0; p < n; p++)
        for (int j = 0; j < n; j++) {
            /* reduced first, so that equal angles give equal bits */
            int64_t turn = n > 1 ? (int64_t)p * j % (2 * (n - 1)) : 0;
            double cosine = n > 1 ? cos(M_PI * (double)turn / (n - 1)) : 1;
            double end_p = p == 0 || p == n - 1 ? 0.5 : 1, end_j = j == 0 || j == n - 1 ? 0.5 : 1;
            double there = n > 1 ? 2.0 / (n - 1) * end_p * end_j * cosine : 1;
            forward[right ? j * n + p : p * n + j] = (float)there;
            back[right ? p * n + j : j * n + p] = (float)cosine;
        }
}

static void plan(struct multigrid *grids, struct tables *tables, int width, int height, bool direct)
{
    const double span_x = width - 1, span_y = height - 1;
    grids->levels = 0;
    for (;;) {
        struct solver_grid *grid = &grids->grid[grids->levels++];
        *grid = (struct solver_grid){.width = width, .height = height};
        grid->stride =
            (width + RO_GRID_MARGIN - 1) / RO_GRID_MARGIN * RO_GRID_MARGIN + 2 * RO_GRID_MARGIN;
        grid->floats = (size_t)grid->stride * (size_t)height;
        grid->hx = width > 1 ? span_x / (width - 1) : 1;
        grid->hy = height > 1 ? span_y / (height - 1) : grid->hx;
        if (width == 1)
            grid->hx = grid->hy;
        if (is_coarsest(width, height))
            break;
        plan_axis(&grid->x, tables, width, width / 2 + 1);
        plan_axis(&grid->y, tables, height, height / 2 + 1);
        width = width / 2 + 1;
        height = height / 2 + 1;
    }
    if (!direct)
        return;
    size_t nx = (size_t)width, ny = (size_t)height;
    float *forward_x = take(tables, nx * nx), *back_x = take(tables, nx * nx);
    float *forward_y = take(tables, ny * ny), *back_y = take(tables, ny * ny);
    grids->direct = (struct direct_system){forward_x, forward_y, back_x, back_y};
    if (tables->memory) {
        fill_cosines(width, true, forward_x, back_x);
        fill_cosines(height, false, forward_y, back_y);
    }
}

static ro_status open_grids(ro_context *context, int width, int height, bool direct,
                            struct multigrid *grids)
{
    struct tables tables = {0};
    *grids = (struct multigrid){0};
    plan(grids, &tables, width, height, direct);
    tables.memory = aligned_alloc(64, tables.used + 64);
    if (!tables.memory)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for the tables of %d x %d nodes",
                               width, height);
    grids->tables = tables.memory;
    grids->table_bytes = tables.used;
    tables.used = 0;
    plan(grids, &tables, width, height, direct);
    return RO_OK;
}

ro_status multigrid_open(ro_context *context, int width, int height, struct multigrid *grids)
{
    *grids = (struct multigrid){0};
    if (!multigrid_fits(width, height))
        return ro_context_fail(context, RO_E_SIZE,
                               "%d x %d is too thin for multigrid: the longer side may be %d times "
                               "the shorter one, plus %d",
                               width, height, RO_GRID_ASPECT, RO_GRID_ASPECT);
    return open_grids(context, width, height, true, grids);
}

ro_status multigrid_open_grids(ro_context *context, int width, int height, struct multigrid *grids)
{
    return open_grids(context, width, height, false, grids);
}

void multigrid_close(struct multigrid *grids)
{
    free(grids->tables);
    grids->tables = NULL;
}

static double cosine_of(int i, int count) { return count > 1 ? cos(M_PI * i / (count - 1)) : 1; }

void multigrid_set(const struct multigrid *grids, double sigma,
                   struct stencil stencils[RO_GRID_LEVELS], float *inverse)
{
    double kx = 0, ky = 0, kc = 0;
    for (int l = 0; l < grids->levels; l++) {
        const struct solver_grid *grid = &grids->grid[l];
        double x2 = 1 / (grid->hx * grid->hx), y2 = 1 / (grid->hy * grid->hy);
        kx = sigma * sigma / 6 * (2 * x2 - y2);
        ky = sigma * sigma / 6 * (2 * y2 - x2);
        kc = sigma * sigma / 12 * (x2 + y2);
        stencils[l] = (struct stencil){.ky = (float)ky,
                                       .kh = (float)(kx + 2 * kc),
                                       .kc = (float)kc,
                                       .s = (float)(1 / (1 + 2 * kx + 2 * ky + 4 * kc))};
    }
    const struct solver_grid *coarsest = &grids->grid[grids->levels - 1];
    enum { KNOWN = 64 }; /* cosines that are not computed row after row */
    double known[KNOWN];
    for (int p = 0; p < coarsest->width && p < KNOWN; p++)
        known[p] = cosine_of(p, coarsest->width);
    for (int q = 0; q < coarsest->height; q++) {
        const double cy = cosine_of(q, coarsest->height);
        for (int p = 0; p < coarsest->width; p++) {
            const double cx = p < KNOWN ? known[p] : cosine_of(p, coarsest->width);
            double value = 1 + 2 * kx * (1 - cx) + 2 * ky * (1 - cy) + 4 * kc * (1 - cx * cy);
            inverse[q * coarsest->width + p] = (float)(1 / value);
        }
    }
}
