// SPDX-License-Identifier: MIT
// Level sets with curvature or a velocity field on the device, by the definition itself: a window
// in shared memory that loses a pixel on each side a step; its middle is written.
#ifndef RO_SEGMENT_LEVELSET_CUDA_LEVELSET_WINDOWS_CUH
#define RO_SEGMENT_LEVELSET_CUDA_LEVELSET_WINDOWS_CUH

#include "segment/levelset/cuda/levelset_lanes.cuh"
#include "segment/levelset/levelset.h"

enum { WINDOW_X = 64, WINDOW_Y = 48, WINDOW_STEPS = 8 };

struct window_view {
    struct {
        const char *phi;
        char *out;
        const char *speed;
        unsigned *moves; // NULL: not asked for
        double curvature;
    } label[LANES_LABELS];
    const char *vx, *vy; // of all labels
    size_t pitch;
    int steps;
};

template <typename T> static __device__ T at(const char *field, size_t pitch, int x, int y)
{
    return field ? reinterpret_cast<const T *>(field + pitch * y)[x] : T(0);
}

static __device__ float next_of(const struct front_level *level, const struct level_window_real &w,
                                float speed, float vx, float vy)
{
    return level_step_real(level, &w, speed, vx, vy);
}

static __device__ int16_t next_of(const struct front_level *level, const struct level_window &w,
                                  int16_t speed, int16_t vx, int16_t vy)
{
    return static_cast<int16_t>(level_step(level, &w, speed, vx, vy));
}

template <typename T, typename W>
__global__ void window_steps(const struct front_level any, const __grid_constant__ window_view view)
{
    __shared__ T buffer[2][WINDOW_Y][WINDOW_X];
    const auto &label = view.label[blockIdx.z];
    struct front_level level = any;
    level.curvature = label.curvature;
    const int width = level.width, height = level.height, steps = view.steps;
    const int x0 = static_cast<int>(blockIdx.x) * (WINDOW_X - 2 * steps) - steps;
    const int y0 = static_cast<int>(blockIdx.y) * (WINDOW_Y - 2 * steps) - steps;
    for (int j = threadIdx.y; j < WINDOW_Y; j += blockDim.y)
        for (int i = threadIdx.x; i < WINDOW_X; i += blockDim.x) {
            const int x = x0 + i, y = y0 + j;
            if (x >= 0 && y >= 0 && x < width && y < height)
                buffer[0][j][i] = at<T>(label.phi, view.pitch, x, y);
        }
    bool moved = false;
    for (int step = 1; step <= steps; step++) {
        const T(*from)[WINDOW_X] = buffer[(step - 1) & 1];
        T(*to)[WINDOW_X] = buffer[step & 1];
        __syncthreads();
        for (int j = step + threadIdx.y; j < WINDOW_Y - step; j += blockDim.y)
            for (int i = step + threadIdx.x; i < WINDOW_X - step; i += blockDim.x) {
                const int x = x0 + i, y = y0 + j;
                if (x < 0 || y < 0 || x >= width || y >= height)
                    continue;
                const int l = x > 0 ? i - 1 : i, r = x + 1 < width ? i + 1 : i;
                const int u = y > 0 ? j - 1 : j, d = y + 1 < height ? j + 1 : j;
                const W w = {from[j][i], from[j][l], from[j][r], from[u][i], from[d][i],
                             from[u][l], from[u][r], from[d][l], from[d][r]};
                const T next =
                    next_of(&level, w, at<T>(label.speed, view.pitch, x, y),
                            at<T>(view.vx, view.pitch, x, y), at<T>(view.vy, view.pitch, x, y));
                to[j][i] = next;
                if (step == steps) {
                    reinterpret_cast<T *>(label.out + view.pitch * y)[x] = next;
                    moved |= next != from[j][i];
                }
            }
    }
    if (__syncthreads_or(moved) && label.moves && threadIdx.x == 0 && threadIdx.y == 0)
        atomicOr(label.moves, static_cast<unsigned>(LEVEL_MOVED));
}

#endif
