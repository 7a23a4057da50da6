// SPDX-License-Identifier: MIT
// Level sets on the device: many steps a launch, in registers (levelset_lanes.cuh) or in shared
// memory. The results are those of the definition in levelset.h, bit for bit.
#include "core/cuda.cuh"
#include "pde/levelset_cuda.h"
#include "pde/levelset_lanes.cuh"

#include <cstdlib>

struct ro_level_cuda {
    struct ro_cuda *cuda;
    struct ro_level_front *front;
    uint32_t depth;
    bool narrow;
    char *phi[2], *speed, *vx, *vy;
    size_t pitch, bytes;
    int now;
    bool awake; // the host's state is the newer one
    unsigned *moved;
    uint64_t launches;
};

// ---- Any level set, by the definition ----------------------------------------------------------

struct view {
    const char *phi;
    char *out;
    const char *speed, *vx, *vy;
    size_t pitch;
    int steps;
    unsigned *moved;
};

enum { WINDOW_X = 64, WINDOW_Y = 48, MOST_STEPS = 8 };

template <typename T> static __device__ T at(const char *field, size_t pitch, int x, int y)
{
    return field ? reinterpret_cast<const T *>(field + pitch * y)[x] : T(0);
}

static __device__ float next_of(const struct ro_level *level, const struct ro_level_window_real &w,
                                float speed, float vx, float vy)
{
    return ro_level_step_real(level, &w, speed, vx, vy);
}

static __device__ int16_t next_of(const struct ro_level *level, const struct ro_level_window &w,
                                  int16_t speed, int16_t vx, int16_t vy)
{
    return static_cast<int16_t>(ro_level_step(level, &w, speed, vx, vy));
}

// A window in shared memory that loses a pixel on each side a step; its middle is written.
template <typename T, typename W>
__global__ void window_steps(const struct ro_level level, const struct view view)
{
    __shared__ T buffer[2][WINDOW_Y][WINDOW_X];
    const int width = level.width, height = level.height, steps = view.steps;
    const int x0 = static_cast<int>(blockIdx.x) * (WINDOW_X - 2 * steps) - steps;
    const int y0 = static_cast<int>(blockIdx.y) * (WINDOW_Y - 2 * steps) - steps;
    for (int j = threadIdx.y; j < WINDOW_Y; j += blockDim.y)
        for (int i = threadIdx.x; i < WINDOW_X; i += blockDim.x) {
            const int x = x0 + i, y = y0 + j;
            if (x >= 0 && y >= 0 && x < width && y < height)
                buffer[0][j][i] = at<T>(view.phi, view.pitch, x, y);
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
                    next_of(&level, w, at<T>(view.speed, view.pitch, x, y),
                            at<T>(view.vx, view.pitch, x, y), at<T>(view.vy, view.pitch, x, y));
                to[j][i] = next;
                if (step == steps) {
                    reinterpret_cast<T *>(view.out + view.pitch * y)[x] = next;
                    moved |= next != from[j][i];
                }
            }
    }
    if (__syncthreads_or(moved) && threadIdx.x == 0 && threadIdx.y == 0)
        *view.moved = 1;
}

static unsigned pieces(uint32_t size, int of) { return (size + of - 1) / of; }

static void launch_window(const struct ro_level_cuda *work, int steps)
{
    const struct ro_level *level = &work->front->level;
    const struct view view = {work->phi[work->now] + RO_LEVEL_PAD,
                              work->phi[1 - work->now] + RO_LEVEL_PAD,
                              work->speed + RO_LEVEL_PAD,
                              work->vx ? work->vx + RO_LEVEL_PAD : NULL,
                              work->vy ? work->vy + RO_LEVEL_PAD : NULL,
                              work->pitch,
                              steps,
                              work->moved};
    const dim3 block(32, 8), grid(pieces(level->width, WINDOW_X - 2 * steps),
                                  pieces(level->height, WINDOW_Y - 2 * steps));
    cudaStream_t stream = work->cuda->compute;
    if (level->real)
        window_steps<float, struct ro_level_window_real><<<grid, block, 0, stream>>>(*level, view);
    else
        window_steps<int16_t, struct ro_level_window><<<grid, block, 0, stream>>>(*level, view);
}

// ---- Narrow numbers with a linear norm
// -----------------------------------------------------------

static bool is_narrow(const struct ro_level *level)
{
    return !level->real && level->bits <= 11 && level->a > 0 && !level->moved_by_field &&
           !(level->curvature > 0);
}

// Windows of 128 x 128 pixels were the fastest on large images, 842 Gpixel-steps/s at 4 steps a
// launch on an H200; small images need more blocks: 128 x 32 takes 1.0 us a step at 256 x 256.
template <unsigned top, int ROWS, int WARPS, int BLOCKS>
static void launch_windows(const struct lanes_view &view, cudaStream_t stream)
{
    const dim3 block(32, WARPS), grid(pieces(view.width, LANES_COLUMNS - 2 * view.halo),
                                      pieces(view.height, ROWS * WARPS - 2 * view.steps));
    lanes_steps<top, ROWS, WARPS, BLOCKS><<<grid, block, 0, stream>>>(view);
}

template <unsigned top>
static void launch_shape(const struct lanes_view &view, bool small, cudaStream_t stream)
{
    if (small)
        launch_windows<top, 4, 8, 4>(view, stream);
    else
        launch_windows<top, 8, 16, 2>(view, stream);
}

static void launch_lanes(const struct ro_level_cuda *work, int steps)
{
    const struct ro_level *level = &work->front->level;
    const unsigned top = level->max - level->min, a = level->a;
    const struct lanes_view view = {work->phi[work->now] + RO_LEVEL_PAD,
                                    work->phi[1 - work->now] + RO_LEVEL_PAD,
                                    work->speed + RO_LEVEL_PAD,
                                    work->pitch,
                                    static_cast<int>(level->width),
                                    static_cast<int>(level->height),
                                    steps,
                                    (steps + 3) / 4 * 4,
                                    a | (128 - a) << 8,
                                    0u - (128 + 3 * a) * top,
                                    work->moved};
    const uint64_t windows =
        (level->width / 112 + 1) * static_cast<uint64_t>(level->height / 112 + 1);
    const bool small = windows < 2 * static_cast<uint64_t>(work->cuda->processors) && steps <= 12;
    if (level->bits == 8)
        launch_shape<255>(view, small, work->cuda->compute);
    else
        launch_shape<4095>(view, small, work->cuda->compute);
}

// ---- The host's side
// -----------------------------------------------------------------------------

// Speeds of 8-bit numbers are in 1/256 of a pixel: eightfold, they are as those of 12 bits.
__global__ void scale_speeds(uint16_t *speed, size_t count, int shift)
{
    const size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
    if (i < count)
        speed[i] = static_cast<uint16_t>(speed[i] << shift);
}

static ro_status send(struct ro_level_cuda *work)
{
    const struct ro_level_front *front = work->front;
    ro_context *context = work->cuda->context;
    const struct {
        char *to;
        const struct ro_level_field *from;
    } copies[] = {{work->phi[0], &front->phi[front->now]},
                  {work->speed, &front->speed},
                  {work->vx, &front->vx},
                  {work->vy, &front->vy}};
    for (const auto &copy : copies)
        if (copy.from->data)
            RO_CUDA_TRY(context,
                        cudaMemcpyAsync(copy.to, copy.from->data - RO_LEVEL_PAD, work->bytes,
                                        cudaMemcpyHostToDevice, work->cuda->compute));
    const int shift = 11 - front->level.bits;
    if (work->narrow && shift > 0) {
        const size_t count = work->bytes / sizeof(uint16_t);
        scale_speeds<<<(count + 255) / 256, 256, 0, work->cuda->compute>>>(
            reinterpret_cast<uint16_t *>(work->speed), count, shift);
        RO_CUDA_TRY(context, cudaGetLastError());
    }
    work->now = 0;
    work->awake = false;
    return RO_OK;
}

ro_status ro_level_cuda_open(ro_context *context, struct ro_level_front *front, uint32_t depth,
                             struct ro_level_cuda **made)
{
    *made = NULL;
    struct ro_level_cuda *work = static_cast<struct ro_level_cuda *>(calloc(1, sizeof *work));
    if (!work)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a level set");
    work->front = front;
    work->narrow = is_narrow(&front->level);
    uint32_t most = RO_LEVEL_DEPTH;
    if (!work->narrow)
        most = MOST_STEPS;
    work->depth = depth < most ? depth : most;
    work->pitch = front->phi[0].pitch;
    work->bytes = work->pitch * front->level.height;
    work->awake = true;
    ro_status status = ro_cuda_of(context, &work->cuda);
    char **fields[] = {&work->phi[0], &work->phi[1], &work->speed, &work->vx, &work->vy};
    for (int i = 0; i < (front->level.moved_by_field ? 5 : 3) && status == RO_OK; i++)
        status = ro_cuda_alloc(context, work->bytes, reinterpret_cast<void **>(fields[i]));
    if (status == RO_OK)
        status =
            ro_cuda_alloc(context, sizeof *work->moved, reinterpret_cast<void **>(&work->moved));
    if (status != RO_OK) {
        ro_level_cuda_close(work);
        return status;
    }
    *made = work;
    return RO_OK;
}

void ro_level_cuda_close(struct ro_level_cuda *work)
{
    if (!work)
        return;
    void *all[] = {work->phi[0], work->phi[1], work->speed, work->vx, work->vy, work->moved};
    for (void *one : all)
        ro_cuda_free(one);
    free(work);
}

ro_status ro_level_cuda_run(struct ro_level_cuda *work, uint32_t steps, bool *moved)
{
    ro_context *context = work->cuda->context;
    cudaStream_t stream = work->cuda->compute;
    if (work->awake)
        RO_TRY(send(work));
    while (steps > 0) {
        const uint32_t now = steps < work->depth ? steps : work->depth;
        if (now == steps)
            RO_CUDA_TRY(context, cudaMemsetAsync(work->moved, 0, sizeof *work->moved, stream));
        (work->narrow ? launch_lanes : launch_window)(work, static_cast<int>(now));
        RO_CUDA_TRY(context, cudaGetLastError());
        work->now = 1 - work->now;
        work->launches++;
        steps -= now;
    }
    unsigned flag = 0;
    RO_CUDA_TRY(context,
                cudaMemcpyAsync(&flag, work->moved, sizeof flag, cudaMemcpyDeviceToHost, stream));
    RO_CUDA_TRY(context, cudaStreamSynchronize(stream));
    *moved = flag != 0;
    return RO_OK;
}

ro_status ro_level_cuda_fetch(struct ro_level_cuda *work)
{
    ro_context *context = work->cuda->context;
    struct ro_level_front *front = work->front;
    if (work->awake)
        return RO_OK;
    for (int i = 0; i < 2; i++)
        RO_CUDA_TRY(context,
                    cudaMemcpyAsync(front->phi[i].data - RO_LEVEL_PAD, work->phi[i], work->bytes,
                                    cudaMemcpyDeviceToHost, work->cuda->compute));
    RO_CUDA_TRY(context, cudaStreamSynchronize(work->cuda->compute));
    front->now = work->now;
    return RO_OK;
}

void ro_level_cuda_wake(struct ro_level_cuda *work) { work->awake = true; }

uint64_t ro_level_cuda_launches(const struct ro_level_cuda *work)
{
    return work ? work->launches : 0;
}
