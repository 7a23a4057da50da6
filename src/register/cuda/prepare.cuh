/* SPDX-License-Identifier: MIT */
/* The images of a scale, and what directions are weighed by, in one kernel; see smooth.cuh.
 * The operations are those of cpu_images.c. */
#ifndef RO_REGISTER_CUDA_PREPARE_CUH
#define RO_REGISTER_CUDA_PREPARE_CUH

#include "register/cuda/kernels.cuh"
#include "register/cuda/smooth.cuh"

/* Smoothings, one after the other: images, then their means and squares round each pixel, then
 * squared slopes. */
enum prepare_step { SMOOTH, MEANS, SQUARES, BALANCE, STEPS };

template <typename SMOOTHER> struct prepare_job {
    descent_rows rows;
    bool smooths, normalises, sizes, balances;
    float least;
    SMOOTHER smoother;
    typename SMOOTHER::filter filter[STEPS];
    /* whole planes */
    float *base[2], *g[2];
    float *to[STEPS][2]; /* normalised tones take the place of MEANS */
    tally *sums;
};

template <int TEAM, typename SMOOTHER>
static __global__
__launch_bounds__(TEAM, 1) void prepare_kernel(const __grid_constant__ prepare_job<SMOOTHER> job)
{
    extern __shared__ __align__(16) float shared[];
    const descent_rows &rows = job.rows;
    const float *const none[2] = {NULL, NULL};
    const float *image[2] = {job.base[0], job.base[1]};
    const auto at_hand = job.smoother.template take<TEAM>(shared);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        job.sums->slope_peak = job.sums->total = 0;
    for (int step = SMOOTH; step <= BALANCE; step++) {
        if (step == SMOOTH ? !job.smooths : step == BALANCE ? !job.balances : !job.normalises)
            continue;
        if (step == MEANS)
            each_pixel<TEAM>(rows.width, rows.height, [&](int x, int y) {
                const size_t at = plane_at(rows, x, y);
                for (int p = 0; p < 2; p++)
                    job.g[p][at] = image[p][at] * image[p][at];
            });
        if (step == BALANCE) {
            each_pixel<TEAM>(rows.width, rows.height, [&](int x, int y) {
                slopes_at(rows, image[1] + RO_GRID_MARGIN, x, y, job.g[0] + RO_GRID_MARGIN,
                          job.g[1] + RO_GRID_MARGIN);
            });
            meet();
        }
        const bool whole = step < SQUARES; /* of the image, else of what was made of it in g */
        const float *const from[2] = {whole ? image[0] : job.g[0], whole ? image[1] : job.g[1]};
        float *const to[2] = {job.to[step][0], job.to[step][1]};
        job.smoother.template begin<TEAM>(job.filter[step], shared);
        job.smoother.template run<TEAM>(job.filter[step], at_hand, from, to, none, 1,
                                        step == BALANCE ? &job.sums->slope_peak : NULL, shared);
        if (step == SQUARES) {
            each_pixel<TEAM>(rows.width, rows.height, [&](int x, int y) {
                const size_t at = plane_at(rows, x, y);
                for (int p = 0; p < 2; p++)
                    job.to[MEANS][p][at] = normalised(image[p][at], job.to[MEANS][p][at],
                                                      job.to[SQUARES][p][at], job.least, job.sizes);
            });
            meet();
        }
        if (step == SMOOTH || step == SQUARES)
            for (int p = 0; p < 2; p++)
                image[p] = job.to[step == SMOOTH ? SMOOTH : MEANS][p];
    }
    if (!job.balances)
        return;
    float *const balance[2] = {job.to[BALANCE][0], job.to[BALANCE][1]};
    const float scale = scale_to(__int_as_float(__ldcg(&job.sums->slope_peak)), RO_SLOPE_BITS);
    long long total[1] = {0};
    each_pixel<TEAM>(rows.width, rows.height, [&](int x, int y) {
        const size_t at = plane_at(rows, x, y);
        for (int p = 0; p < 2; p++) {
            const float slope = balance[p][at];
            total[0] += (int)(scale * (slope > 0 ? slope : 0));
        }
    });
    unsigned long long *const totals[1] = {&job.sums->total};
    add_team<TEAM>(total, totals);
    meet();
    const float mean =
        mean_slope(scale, (int64_t)__ldcg(&job.sums->total), (double)rows.width * rows.height);
    each_pixel<TEAM>(rows.width, rows.height, [&](int x, int y) {
        const size_t at = plane_at(rows, x, y);
        for (int p = 0; p < 2; p++) {
            const float slope = balance[p][at];
            balance[p][at] = __fdiv_rn(mean, (slope > 0 ? slope : 0) + RO_LEAST_SLOPE * mean);
        }
    });
}

#endif
