/* SPDX-License-Identifier: MIT */
/* The nearest level on the device: as hologram_nearest, from the same cells. */
#ifndef RO_HOLOGRAM_DIFFUSE_LEVELS_CUH
#define RO_HOLOGRAM_DIFFUSE_LEVELS_CUH

#include "hologram/diffuse_parts.cuh"

static __device__ __forceinline__ int low_half(int pair) { return (int)(short)pair; }
static __device__ __forceinline__ int high_half(int pair) { return pair >> 16; }
static __device__ __forceinline__ int pair_of(int low, int high)
{
    return (int)__byte_perm((unsigned)low, (unsigned)high, 0x5410);
}
static __device__ __forceinline__ int clamped(int v, int limit) { return max(min(v, limit), -limit); }

/* A whole number of up to 22 bits as a float, by its bits. */
static __device__ __forceinline__ float small_float(int v)
{
    return __int_as_float(0x4b400000 + v) - 12582912.0f;
}

template <int KIND>
static __device__ __forceinline__ int nearest(const hologram_launch &p, const int4 *entries, int x,
                                              int y, unsigned *number)
{
    if constexpr (KIND == LEVELS_PLAIN) {
        int best = INT32_MIN, found = 0;
        *number = 0;
        for (int k = 0; k < p.levels; k++) { /* the table holds levels here */
            int pair = entries[k].x, lx = low_half(pair), ly = high_half(pair);
            int score = 2 * (lx * x + ly * y) - (lx * lx + ly * ly);
            if (score > best) {
                best = score;
                found = pair;
                *number = (unsigned)k;
            }
        }
        return found;
    } else {
        int cell, ux = x;
        if constexpr (KIND == LEVELS_RING) {
            ux = (x | y) == 0 ? 1 : x;
            float fx = small_float(ux), fy = small_float(y) * (LEVEL_CELLS / 4), r;
            asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(fabsf(fx) + fabsf(small_float(y))));
            /* Adding 1.5 * 2^23 rounds to the nearest whole number. */
            float d = __fmaf_rn(fx >= 0 ? fy : -fy, r,
                                12582912.0f + (fx >= 0 ? LEVEL_CELLS / 4 : 3 * LEVEL_CELLS / 4));
            cell = __float_as_int(d) - 0x4b400000;
        } else {
            cell = min(max((x + LEVEL_CELLS / 2 * LINE_CELL) >> 3, 0), (int)LEVEL_CELLS);
        }
        int4 e = entries[cell];
        bool up = low_half(e.x) * ux + high_half(e.x) * y >= high_half(e.w);
        *number = (unsigned)(up ? e.w >> 8 : e.w) & 255;
        return up ? e.z : e.y;
    }
}

#endif
