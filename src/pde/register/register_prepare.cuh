/* SPDX-License-Identifier: MIT */
/* The images of a scale, and what directions are weighed by, in one kernel; see register_team.cuh.
 * The operations are those of register_cpu_images.c. */
#ifndef RO_PDE_REGISTER_REGISTER_PREPARE_CUH
#define RO_PDE_REGISTER_REGISTER_PREPARE_CUH

#include "pde/register/register_kernels.cuh"
#include "pde/register/register_team.cuh"

struct prepare_job {
    ro_flow_rows rows;
    int level;
    bool smooths, normalises, sizes, balances;
    float least;
    team_filter image, window, gradient;
    team_shared shared;
    /* whole planes */
    float *base[2], *smooth[2], *normal[2], *balance[2], *g[2], *d[2];
    team_grids grids;
    tally *sums;
};

template <int TEAM>
static __global__ __launch_bounds__(TEAM, 1024 / TEAM) void prepare_kernel(
    const __grid_constant__ prepare_job job)
{
    extern __shared__ float shared[];
    const team_grids &grids = job.grids;
    auto all = cooperative_groups::this_grid();
    const ro_flow_rows &rows = job.rows;
    const float *const none[2] = {NULL, NULL};
    const float *image[2] = {job.base[0], job.base[1]};
    const float *const g[2] = {job.g[0], job.g[1]};
    const ro_direct direct = take_direct<TEAM>(grids, job.shared, shared);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        job.sums->slope_peak = job.sums->total = 0;
    if (job.smooths) {
        take_filter<TEAM>(job.image, job.shared, grids, shared);
        smooth_all<TEAM>(job.image, grids, direct, job.shared, job.level, image, job.smooth, none, NULL, shared);
        image[0] = job.smooth[0];
        image[1] = job.smooth[1];
    }
    if (job.normalises) {
        each_pixel<TEAM>(rows.width, rows.height, [&](int x, int y) {
            const size_t at = plane_at(rows, x, y);
            for (int p = 0; p < 2; p++)
                job.g[p][at] = image[p][at] * image[p][at];
        });
        take_filter<TEAM>(job.window, job.shared, grids, shared);
        smooth_all<TEAM>(job.window, grids, direct, job.shared, job.level, image, job.normal, none, NULL, shared);
        smooth_all<TEAM>(job.window, grids, direct, job.shared, job.level, g, job.d, none, NULL, shared);
        each_pixel<TEAM>(rows.width, rows.height, [&](int x, int y) {
            const size_t at = plane_at(rows, x, y);
            for (int p = 0; p < 2; p++)
                job.normal[p][at] =
                    normalised(image[p][at], job.normal[p][at], job.d[p][at], job.least, job.sizes);
        });
        image[0] = job.normal[0];
        image[1] = job.normal[1];
        all.sync();
    }
    if (!job.balances)
        return;
    each_pixel<TEAM>(rows.width, rows.height, [&](int x, int y) {
        slopes_at(rows, image[1] + RO_GRID_MARGIN, x, y, job.g[0] + RO_GRID_MARGIN,
                  job.g[1] + RO_GRID_MARGIN);
    });
    all.sync();
    take_filter<TEAM>(job.gradient, job.shared, grids, shared);
    smooth_all<TEAM>(job.gradient, grids, direct, job.shared, job.level, g, job.balance, none, &job.sums->slope_peak,
                     shared);
    const float scale = ro_scale_to(__int_as_float(__ldcg(&job.sums->slope_peak)), RO_SLOPE_BITS);
    long long total[1] = {0};
    each_pixel<TEAM>(rows.width, rows.height, [&](int x, int y) {
        const size_t at = plane_at(rows, x, y);
        for (int p = 0; p < 2; p++) {
            const float slope = job.balance[p][at];
            total[0] += (int)(scale * (slope > 0 ? slope : 0));
        }
    });
    unsigned long long *const totals[1] = {&job.sums->total};
    add_team<TEAM>(total, totals);
    all.sync();
    const float mean = ro_mean_slope(scale, (int64_t)__ldcg(&job.sums->total),
                                     (double)rows.width * rows.height);
    each_pixel<TEAM>(rows.width, rows.height, [&](int x, int y) {
        const size_t at = plane_at(rows, x, y);
        for (int p = 0; p < 2; p++) {
            const float slope = job.balance[p][at];
            job.balance[p][at] = __fdiv_rn(mean, (slope > 0 ? slope : 0) + RO_LEAST_SLOPE * mean);
        }
    });
}

#endif
