/* SPDX-License-Identifier: MIT */
/*
 * How kernels of many passes smooth two planes: by V-cycles, or along lines. Either is a kernel's
 * argument, with its filters; `at_hand` is what a block keeps in shared memory. All blocks meet
 * when a smoothing has ended.
 */
#ifndef RO_REGISTER_CUDA_SMOOTH_CUH
#define RO_REGISTER_CUDA_SMOOTH_CUH

#include "register/cuda/team.cuh"
#include "solver/smooth.cuh"

struct by_cycles {
    typedef team_filter filter;
    typedef direct_system at_hand;
    team_grids grids;
    team_shared shared;
    int level;

    template <int TEAM> __device__ __forceinline__ at_hand take(float *memory) const
    {
        return take_direct<TEAM>(grids, shared, memory);
    }

    /* The filter that comes next. */
    template <int TEAM>
    __device__ __forceinline__ void begin(const team_filter &next, float *memory) const
    {
        take_filter<TEAM>(next, shared, grids, memory);
    }

    /* Once, or twice and in between multiplied by weight[] where there is one. */
    template <int TEAM>
    __device__ __forceinline__ void run(const team_filter &by, const at_hand &direct,
                                        const float *const (&from)[2], float *const (&to)[2],
                                        const float *const (&weight)[2], int times, int *peak,
                                        float *memory) const
    {
        smooth_all<TEAM>(by, grids, direct, shared, level, from, to, weight, times, peak, memory);
    }
};

struct by_lines {
    typedef line_filter filter;
    typedef char at_hand; /* what there is, is where the planes say */
    line_planes planes;
    float *between[2];

    template <int TEAM> __device__ __forceinline__ at_hand take(float *) const { return 0; }

    template <int TEAM>
    __device__ __forceinline__ void begin(const line_filter &next, float *memory) const
    {
        keep_tables<TEAM>(planes, next, memory);
    }

    /* Twice: rows, columns, columns, rows, symmetric. */
    template <int TEAM>
    __device__ __forceinline__ void run(const line_filter &by, const at_hand &,
                                        const float *const (&from)[2], float *const (&to)[2],
                                        const float *const (&weight)[2], int times, int *peak,
                                        float *memory) const
    {
        const float *const none[2] = {NULL, NULL};
        const float *first[2], *weights[2], *then[2];
        float *last[2], *middle[2];
#pragma unroll
        for (int p = 0; p < 2; p++) { /* planes by their first nodes */
            first[p] = from[p] + RO_GRID_MARGIN;
            last[p] = to[p] + RO_GRID_MARGIN;
            middle[p] = (times == 1 ? to[p] : between[p]) + RO_GRID_MARGIN;
            then[p] = middle[p];
            weights[p] = weight[p] ? weight[p] + RO_GRID_MARGIN : NULL;
        }
        smooth_lines<TEAM, true>(planes, by.along, first, middle, 1, none, memory);
        meet();
        int high =
            smooth_lines<TEAM, false>(planes, by.across, then, middle, times, weights, memory);
        if (times > 1) {
            meet();
            high = smooth_lines<TEAM, true>(planes, by.along, then, last, 1, none, memory);
        }
        if (peak)
            peak_team<TEAM>(high, peak);
        meet();
    }
};

#endif
