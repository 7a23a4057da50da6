// SPDX-License-Identifier: MIT
// Level sets of 8 and 12 bits with a linear norm on the device: two pixels a register, all steps of
// a launch without memory between them.
//
// A block holds a window of 128 columns in registers, a warp some rows of it, a lane 4 columns:
//
//     lane     0     1          31       rows above and below are registers of the same lane, or
//     row r  [a b] [a b] ... [a b]       come from the next warp through shared memory; columns at
//     row r+1  .     .         .         the sides come from the next lane by a shuffle
//
// After T steps the outermost T pixels are wrong, and the block writes the rest. Where the window
// reaches beyond the image it is filled with the mirrored image and mirrored speeds, which evolve
// as the image does: the border needs no case of its own.
//
// phi is counted from its least value, so that a pixel is 0 .. top; c = top - psi of a neighbour,
// psi being phi, or top - phi where the speed is negative. With q the four neighbours,
//
//     Y = max(psi + c, top) = X + top     X the difference against the motion
//     N = a sum(Y) + (128 - a) max(Y) - (128 + 3 a) top
//     phi' = phi - floor((F N + 2^17) / 2^18)
//
// the last for speeds of either sign, ties included; 2^30 is added before and 2^12 taken off after
// the shift, so that both pixels of a register can be shifted at once.
#ifndef RO_PDE_LEVELSET_LANES_CUH
#define RO_PDE_LEVELSET_LANES_CUH

#include <cstdint>
#include <cuda_runtime.h>

struct lanes_view {
    const char *phi;
    char *out;
    const char *speed;
    size_t pitch;
    int width, height;
    int steps, halo;  // halo: steps, up to a multiple of 4
    unsigned weights; // a, and 128 - a in the second byte
    unsigned offset;  // -(128 + 3 a) top
    unsigned *moved;
};

enum { LANES_COLUMNS = 128 };

// The image goes on behind its border as a mirror shows it, the border pixel twice.
static __device__ int mirrored(int at, int size)
{
    while (at < 0 || at >= size)
        at = at < 0 ? -1 - at : 2 * size - 1 - at;
    return at;
}

static __device__ uint2 load_mirrored(const char *field, size_t pitch, int x, int y, int width,
                                      int height)
{
    const uint16_t *row = reinterpret_cast<const uint16_t *>(field + pitch * mirrored(y, height));
    unsigned v[4];
    for (int i = 0; i < 4; i++)
        v[i] = row[mirrored(x + i, width)];
    return make_uint2(v[0] | v[1] << 16, v[2] | v[3] << 16);
}

// Bytes of two registers by their numbers; 8 more: the sign of that byte, eight times.
static __device__ __forceinline__ unsigned permute(unsigned low, unsigned high, unsigned numbers)
{
    unsigned result;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(numbers));
    return result;
}

// Two pixels: p the registers themselves, l and r those shifted by a pixel, u and d the rows above
// and below; f both speeds.
template <unsigned top>
static __device__ __forceinline__ unsigned step_two(unsigned p, unsigned l, unsigned r, unsigned u,
                                                    unsigned d, unsigned f, unsigned weights,
                                                    unsigned offset)
{
    const unsigned tops = top | top << 16;
    const unsigned turn = permute(f, 0, 0xbb99); // all ones in the halves that are negative
    const unsigned psi = p ^ (turn & tops);
    const unsigned yl = __viaddmax_u16x2(psi, l ^ (~turn & tops), tops);
    const unsigned yr = __viaddmax_u16x2(psi, r ^ (~turn & tops), tops);
    const unsigned yu = __viaddmax_u16x2(psi, u ^ (~turn & tops), tops);
    const unsigned yd = __viaddmax_u16x2(psi, d ^ (~turn & tops), tops);
    const unsigned sum = yl + yr + yu + yd;
    const unsigned most = __vimax3_u16x2(yl, yr, __vmaxu2(yu, yd));
    const unsigned n0 = __dp2a_lo(permute(sum, most, 0x5410), weights, offset);
    const unsigned n1 = __dp2a_lo(permute(sum, most, 0x7632), weights, offset);
    const int f0 = static_cast<int>(permute(f, 0, 0x9910)), f1 = static_cast<int>(f) >> 16;
    const unsigned t0 = n0 * static_cast<unsigned>(f0) + ((1u << 30) + (1u << 17));
    const unsigned t1 = n1 * static_cast<unsigned>(f1) + ((1u << 30) + (1u << 17));
    const unsigned change = permute(t0, t1, 0x7632) >> 2 & 0x3fff3fff;
    return p + 0x10001000u - change;
}

template <unsigned top, int ROWS, int WARPS, int BLOCKS>
__global__ void __launch_bounds__(32 * WARPS, BLOCKS) lanes_steps(const struct lanes_view view)
{
    __shared__ uint2 edge[2][WARPS][2][32]; // first and last row of a warp, in turn
    const int HEIGHT = ROWS * WARPS;
    const int lane = threadIdx.x, warp = threadIdx.y;
    const int useful_x = LANES_COLUMNS - 2 * view.halo, useful_y = HEIGHT - 2 * view.steps;
    const int x = static_cast<int>(blockIdx.x) * useful_x - view.halo + 4 * lane;
    const int y0 = static_cast<int>(blockIdx.y) * useful_y - view.steps;
    const int y = y0 + ROWS * warp;
    const unsigned low = (top + 1) / 2, lows = low | low << 16, tops = top | top << 16;
    const int left = x - 4 * lane;
    const bool inside =
        left >= 0 && left + LANES_COLUMNS <= view.width && y0 >= 0 && y0 + HEIGHT <= view.height;
    uint2 p[ROWS], f[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        if (inside) {
            const size_t at = view.pitch * (y + r) + sizeof(int16_t) * x;
            p[r] = *reinterpret_cast<const uint2 *>(view.phi + at);
            f[r] = *reinterpret_cast<const uint2 *>(view.speed + at);
        } else {
            p[r] = load_mirrored(view.phi, view.pitch, x, y + r, view.width, view.height);
            f[r] = load_mirrored(view.speed, view.pitch, x, y + r, view.width, view.height);
        }
        p[r].x = (p[r].x & tops) ^ lows; // from the least value
        p[r].y = (p[r].y & tops) ^ lows;
    }
    unsigned moved = 0;
    for (int step = 0; step < view.steps; step++) {
        uint2(*rows)[2][32] = edge[step & 1];
        rows[warp][0][lane] = p[0];
        rows[warp][1][lane] = p[ROWS - 1];
        __syncthreads();
        uint2 above = rows[warp > 0 ? warp - 1 : 0][warp > 0][lane];
        const uint2 end = rows[warp + 1 < WARPS ? warp + 1 : warp][warp + 1 == WARPS][lane];
        const bool last = step + 1 == view.steps;
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const uint2 here = p[r], below = r + 1 < ROWS ? p[r + 1] : end;
            const unsigned before = __shfl_up_sync(~0u, here.y, 1);
            const unsigned behind = __shfl_down_sync(~0u, here.x, 1);
            const unsigned middle = permute(here.x, here.y, 0x5432);
            p[r].x = step_two<top>(here.x, permute(before, here.x, 0x5432), middle, above.x,
                                   below.x, f[r].x, view.weights, view.offset);
            p[r].y = step_two<top>(here.y, middle, permute(here.y, behind, 0x5432), above.y,
                                   below.y, f[r].y, view.weights, view.offset);
            const int row = y + r - y0;
            if (last && row >= view.steps && row < HEIGHT - view.steps && y + r < view.height) {
                // pixels behind the right border are mirror images: they move only if others do
                moved |= (p[r].x ^ here.x) | (p[r].y ^ here.y);
            }
            above = here;
        }
    }
    const bool written = 4 * lane >= view.halo && 4 * lane < LANES_COLUMNS - view.halo;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int row = y + r - y0;
        if (!written || row < view.steps || row >= HEIGHT - view.steps || y + r >= view.height)
            continue;
        const uint2 v = make_uint2(__vsub2(p[r].x, lows), __vsub2(p[r].y, lows));
        char *at = view.out + view.pitch * (y + r) + sizeof(int16_t) * x;
        if (x + 4 <= view.width) {
            *reinterpret_cast<uint2 *>(at) = v;
        } else {
            const unsigned words[2] = {v.x, v.y};
            for (int i = 0; i < 4 && x + i < view.width; i++)
                reinterpret_cast<uint16_t *>(at)[i] =
                    static_cast<uint16_t>(words[i >> 1] >> 16 * (i & 1));
        }
    }
    if (__syncthreads_or(written && x < view.width && moved) && lane == 0 && warp == 0)
        *view.moved = 1;
}

#endif
