// SPDX-License-Identifier: MIT
// Level sets on the device: windows that stay in registers for all steps of a launch.
//
// A block holds a window of 128 columns, a warp some rows of it, a lane 4 columns:
//
//     lane      0       1             31      rows above and below are registers of the same lane,
//     row r   [....]  [....]  ...  [....]     or come from the next warp through shared memory;
//     row r+1 [....]  [....]  ...  [....]     columns at the sides come from the next lane
//
// After T steps the outermost T pixels are wrong, and the block writes the rest. Where the window
// reaches beyond the image it is filled with the mirrored image and mirrored speeds, which evolve
// as the image does: the border needs no case of its own. Labels are layers of the grid.
#ifndef RO_SEGMENT_LEVELSET_CUDA_LEVELSET_LANES_CUH
#define RO_SEGMENT_LEVELSET_CUDA_LEVELSET_LANES_CUH

#include "segment/levelset/cuda/levelset_numbers.cuh"
#include "segment/levelset/levelset.h"

enum { LANES_COLUMNS = 128, LANES_LABELS = 4 };

struct lanes_view {
    struct {
        const char *phi;
        char *out;
        const char *speed;
        unsigned *moves; // LEVEL_ bits are set here
        bool last;       // whether LEVEL_MOVED is asked for
    } label[LANES_LABELS];
    size_t pitch;
    int width, height;
    int steps, halo; // halo: steps, up to a multiple of 4
    lanes_rule rule;
};

// The image goes on behind its border as a mirror shows it, the border pixel twice.
static __device__ int mirrored(int at, int size)
{
    while (at < 0 || at >= size)
        at = at < 0 ? -1 - at : 2 * size - 1 - at;
    return at;
}

// Rows of four samples, wherever they lie.
template <typename N, int ROWS>
static __device__ void load_mirrored(const char *field, const lanes_view &view, int x, int y,
                                     typename N::four *to)
{
    typedef typename N::sample sample;
    int columns[4];
    for (int i = 0; i < 4; i++)
        columns[i] = mirrored(x + i, view.width);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const sample *row =
            reinterpret_cast<const sample *>(field + view.pitch * mirrored(y + r, view.height));
        const sample v[4] = {row[columns[0]], row[columns[1]], row[columns[2]], row[columns[3]]};
        to[r] = N::join(v);
    }
}

template <typename N, int ROWS>
static __device__ void load_rows(const char *field, const lanes_view &view, int x, int y,
                                 typename N::four *to)
{
    const char *at = field + view.pitch * y + sizeof(typename N::sample) * x;
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        to[r] = *reinterpret_cast<const typename N::four *>(at + view.pitch * r);
}

template <typename N, int ROWS, int WARPS, int BLOCKS>
__global__ void __launch_bounds__(32 * WARPS, BLOCKS)
    lanes_steps(const __grid_constant__ lanes_view view)
{
    typedef typename N::pixels pixels;
    typedef typename N::four four;
    __shared__ pixels edge[2][WARPS][2][32]; // first and last row of a warp, in turn
    const int HEIGHT = ROWS * WARPS;
    const int lane = threadIdx.x, warp = threadIdx.y;
    const int useful_x = LANES_COLUMNS - 2 * view.halo, useful_y = HEIGHT - 2 * view.steps;
    const int x = static_cast<int>(blockIdx.x) * useful_x - view.halo + 4 * lane;
    const int y0 = static_cast<int>(blockIdx.y) * useful_y - view.steps;
    const int y = y0 + ROWS * warp;
    const int left = x - 4 * lane;
    const auto &label = view.label[blockIdx.z];
    const bool inside =
        left >= 0 && left + LANES_COLUMNS <= view.width && y0 >= 0 && y0 + HEIGHT <= view.height;
    four phi[ROWS], speed[ROWS];
    if (inside) {
        load_rows<N, ROWS>(label.phi, view, x, y, phi);
        load_rows<N, ROWS>(label.speed, view, x, y, speed);
    } else {
        load_mirrored<N, ROWS>(label.phi, view, x, y, phi);
        load_mirrored<N, ROWS>(label.speed, view, x, y, speed);
    }
    pixels p[ROWS];
    typename N::rates f[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        p[r] = N::load(phi[r]);
        f[r] = N::load_rates(speed[r], view.rule);
    }
    unsigned moved = 0, signs = 0;
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        signs |= N::signs(p[r]) << 4 * r;
    for (int step = 0; step < view.steps; step++) {
        pixels(*rows)[2][32] = edge[step & 1];
        rows[warp][0][lane] = p[0];
        rows[warp][1][lane] = p[ROWS - 1];
        __syncthreads();
        pixels above = rows[warp > 0 ? warp - 1 : 0][warp > 0][lane];
        const pixels end = rows[warp + 1 < WARPS ? warp + 1 : warp][warp + 1 == WARPS][lane];
        const bool last = step + 1 == view.steps;
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const pixels here = p[r], below = r + 1 < ROWS ? p[r + 1] : end;
            p[r] = N::next(here, above, below, f[r], view.rule);
            const int row = y + r - y0;
            if (last && row >= view.steps && row < HEIGHT - view.steps && y + r < view.height) {
                // pixels behind the right border are mirror images: they move only if others do
                moved |= N::unlike(p[r], here);
            }
            above = here;
        }
    }
    unsigned crossed = 0;
    const bool written = 4 * lane >= view.halo && 4 * lane < LANES_COLUMNS - view.halo;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int row = y + r - y0;
        if (!written || row < view.steps || row >= HEIGHT - view.steps || y + r >= view.height)
            continue;
        crossed |= N::signs(p[r]) ^ (signs >> 4 * r & 15);
        const four v = N::store(p[r]);
        char *at = label.out + view.pitch * (y + r) + sizeof(typename N::sample) * x;
        if (x + 4 <= view.width) {
            *reinterpret_cast<four *>(at) = v;
        } else {
            for (int i = 0; i < 4 && x + i < view.width; i++)
                reinterpret_cast<typename N::sample *>(at)[i] = N::part(v, i);
        }
    }
    const bool shown = written && x < view.width;
    const unsigned moves = (__syncthreads_or(shown && moved && label.last) ? LEVEL_MOVED : 0u) |
                           (__syncthreads_or(shown && crossed) ? LEVEL_CROSSED : 0u);
    if (moves && lane == 0 && warp == 0)
        atomicOr(label.moves, moves);
}

#endif
