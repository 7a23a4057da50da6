/* SPDX-License-Identifier: MIT */
/*
 * The nearest level on the device: as hologram_nearest, from the same cells. Errors and levels are
 * pairs of 16 bits; levels have their signs turned, so that adding one gives an error.
 */
#ifndef RO_HOLOGRAM_QUANTIZE_CUDA_DIFFUSE_LEVELS_CUH
#define RO_HOLOGRAM_QUANTIZE_CUDA_DIFFUSE_LEVELS_CUH

#include "hologram/quantize/cuda/diffuse_parts.cuh"

static __device__ __forceinline__ int low_half(int pair) { return (int)(short)pair; }
static __device__ __forceinline__ int high_half(int pair) { return pair >> 16; }
static __device__ __forceinline__ unsigned pair_of(int low, int high)
{
    return __byte_perm((unsigned)low, (unsigned)high, 0x5410);
}
static __device__ __forceinline__ int clamped(int v, int limit)
{
    return max(min(v, limit), -limit);
}

static __device__ __forceinline__ int load_shared(unsigned from)
{
    int word;
    asm("ld.shared.s32 %0, [%1];" : "=r"(word) : "r"(from));
    return word;
}

static __device__ __forceinline__ int4 load_shared4(unsigned from)
{
    int4 v;
    asm("ld.shared.v4.s32 {%0, %1, %2, %3}, [%4];"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
        : "r"(from));
    return v;
}

/* The two levels at a border, less the sign, and their numbers, the lower one's in the lowest byte.
 */
struct choice {
    unsigned low, high;
    int numbers;
    bool up;
};

/* nx * x + ny * y, of a pair n and of a pair's low bytes and high bytes. */
static __device__ __forceinline__ int product(int n, unsigned bytes)
{
    int low, high;
    asm("dp2a.lo.s32.u32 %0, %1, %2, 0;" : "=r"(low) : "r"(n), "r"(bytes));
    asm("dp2a.hi.s32.s32 %0, %1, %2, 0;" : "=r"(high) : "r"(n), "r"(bytes));
    return low + 256 * high;
}

/* `table` is the address of the entries in shared memory. In the table of a ring the last entry is
 * that of zero, whose angle is none. */
template <int KIND>
static __device__ __forceinline__ choice nearest(const hologram_launch &p, unsigned table, int x,
                                                 int y, unsigned pair)
{
    int4 e;
    if constexpr (KIND == LEVELS_PLAIN) {
        int best = INT32_MIN, number = 0;
        unsigned level = 0;
        for (int k = 0; k < p.levels; k++) { /* the table holds levels here */
            e.x = load_shared(table + 16 * k);
            const int lx = -low_half(e.x), ly = -high_half(e.x);
            const int score = 2 * (lx * x + ly * y) - (lx * lx + ly * ly);
            number = score > best ? k : number;
            level = score > best ? (unsigned)e.x : level;
            best = max(score, best);
        }
        return {level, level, number, false};
    } else if constexpr (KIND == LEVELS_LINE) {
        const int cell = min(max((x + LEVEL_CELLS / 2 * LINE_CELL) >> 3, 0), (int)LEVEL_CELLS);
        e = load_shared4(table + 16 * cell);
        return {(unsigned)e.y, (unsigned)e.z, e.w, 2 * x >= high_half(e.w)};
    } else {
        const float fx = __int2float_rn(x), fy = __int2float_rn(y), most = fy * (LEVEL_CELLS / 4);
        float r;
        asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(fabsf(fx) + fabsf(fy)));
        /* Adding 1.5 * 2^23 rounds to the nearest whole number. */
        float d = __fmaf_rn(fx >= 0 ? most : -most, r,
                            12582912.0f + (fx >= 0 ? LEVEL_CELLS / 4 : 3 * LEVEL_CELLS / 4));
        d = fminf(d, 12582912.0f + (LEVEL_ENTRIES - 1));
        e = load_shared4(16 * __float_as_uint(d) + (table - p.first_cell));
        const bool up = product(e.x, __byte_perm(pair, 0, 0x3120)) >= 0;
        return {(unsigned)e.y, (unsigned)e.z, e.w, up};
    }
}

#endif
