// SPDX-License-Identifier: MIT
// Level sets on the device: many steps a launch, in registers (levelset_lanes.cuh) or, with
// curvature or a velocity field, in shared memory (levelset_windows.cuh). The results are those of
// the definition in levelset.h, bit for bit.
#include "cuda/cuda.cuh"
#include "segment/levelset/cuda/levelset_change.cuh"
#include "segment/levelset/cuda/levelset_cuda.h"
#include "segment/levelset/cuda/levelset_windows.cuh"

#include <cmath>
#include <cstdlib>

struct device_front {
    struct level_front *front; // NULL: there is none
    char *phi[2], *speed;
    int now;
    bool awake; // the host's state is the newer one
};

struct level_cuda {
    struct device_state *cuda;
    struct device_front fronts[RO_LEVEL_FRONTS];
    struct front_level level; // of all, but for the curvature
    uint32_t depth;           // 0: as many as are best
    char *vx, *vy;
    size_t pitch, bytes;
    unsigned *moves; // LEVEL_ bits of each front
    unsigned *rows;  // a number for each row
    double *changes; // room for `room` of them
    size_t room;
    uint64_t launches;
};

// A launch of the chosen fronts; `last`: it tells which of them moved.
typedef void launch_fn(const struct level_cuda *work, const bool *chosen, int steps, bool last);

static unsigned pieces(uint32_t size, int of) { return (size + of - 1) / of; }

// ---- Launches ----------------------------------------------------------------------------------

template <typename N, int ROWS, int WARPS, int BLOCKS>
static void launch_shape(const lanes_view &view, unsigned labels, cudaStream_t stream)
{
    const dim3 block(32, WARPS), grid(pieces(view.width, LANES_COLUMNS - 2 * view.halo),
                                      pieces(view.height, ROWS * WARPS - 2 * view.steps), labels);
    lanes_steps<N, ROWS, WARPS, BLOCKS><<<grid, block, 0, stream>>>(view);
}

// Windows of 128 x 128 pixels, or 128 x 64 where a pixel takes a register, are the fastest on large
// images; small images need more blocks.
template <typename N, int SMALL_BLOCKS, int ROWS, int WARPS>
static void launch_size(const lanes_view &view, unsigned labels, bool small, cudaStream_t stream)
{
    if (small)
        launch_shape<N, 4, 8, SMALL_BLOCKS>(view, labels, stream);
    else
        launch_shape<N, ROWS, WARPS, 2>(view, labels, stream);
}

// Fronts with neither curvature nor a field.
static void launch_lanes(const struct level_cuda *work, const bool *chosen, int steps, bool last)
{
    const struct front_level *level = &work->level;
    lanes_view view = {};
    unsigned labels = 0;
    for (int i = 0; i < RO_LEVEL_FRONTS; i++) {
        const struct device_front *one = &work->fronts[i];
        if (chosen[i])
            view.label[labels++] = {one->phi[one->now] + RO_LEVEL_PAD,
                                    one->phi[1 - one->now] + RO_LEVEL_PAD,
                                    one->speed + RO_LEVEL_PAD, work->moves + i, last};
    }
    view.pitch = work->pitch;
    view.width = static_cast<int>(level->width);
    view.height = static_cast<int>(level->height);
    view.steps = steps;
    view.halo = (steps + 3) / 4 * 4;
    view.rule = {level->a,
                 25 - level->bits,
                 {static_cast<float>(level->a) / 128, static_cast<float>(128 - level->a) / 128},
                 static_cast<float>(level->min),
                 static_cast<float>(level->max)};
    const uint64_t windows =
        labels * (level->width / 112 + 1) * static_cast<uint64_t>(level->height / 112 + 1);
    const bool small = windows < 2 * static_cast<uint64_t>(work->cuda->processors) && steps <= 12;
    cudaStream_t stream = work->cuda->compute;
    if (level->real)
        (level->a ? launch_size<real_numbers<false>, 2, 4, 16>
                  : launch_size<real_numbers<true>, 2, 4, 16>)(view, labels, small, stream);
    else if (level->a == 0 || level->bits > 11)
        (level->a ? launch_size<whole_numbers<false>, 2, 8, 8>
                  : launch_size<whole_numbers<true>, 2, 8, 8>)(view, labels, small, stream);
    else
        (level->bits == 8
             ? launch_size<narrow_numbers<255>, 4, 8, 16>
             : launch_size<narrow_numbers<4095>, 4, 8, 16>)(view, labels, small, stream);
}

static void launch_windows(const struct level_cuda *work, const bool *chosen, int steps, bool last)
{
    const struct front_level *level = &work->level;
    window_view view = {};
    unsigned labels = 0;
    for (int i = 0; i < RO_LEVEL_FRONTS; i++) {
        const struct device_front *one = &work->fronts[i];
        if (chosen[i])
            view.label[labels++] = {one->phi[one->now] + RO_LEVEL_PAD,
                                    one->phi[1 - one->now] + RO_LEVEL_PAD,
                                    one->speed + RO_LEVEL_PAD, last ? work->moves + i : NULL,
                                    one->front->level.curvature};
    }
    view.vx = work->vx ? work->vx + RO_LEVEL_PAD : NULL;
    view.vy = work->vy ? work->vy + RO_LEVEL_PAD : NULL;
    view.pitch = work->pitch;
    view.steps = steps;
    const dim3 block(32, 8), grid(pieces(level->width, WINDOW_X - 2 * steps),
                                  pieces(level->height, WINDOW_Y - 2 * steps), labels);
    cudaStream_t stream = work->cuda->compute;
    if (level->real)
        window_steps<float, struct level_window_real><<<grid, block, 0, stream>>>(*level, view);
    else
        window_steps<int16_t, struct level_window><<<grid, block, 0, stream>>>(*level, view);
}

// ---- The host's side ---------------------------------------------------------------------------

static ro_status send_field(struct level_cuda *work, char *to, const struct level_field *from)
{
    RO_CUDA_TRY(work->cuda->context, cudaMemcpyAsync(to, from->data - RO_LEVEL_PAD, work->bytes,
                                                     cudaMemcpyHostToDevice, work->cuda->compute));
    return RO_OK;
}

static ro_status send(struct level_cuda *work, struct device_front *one)
{
    RO_TRY(send_field(work, one->phi[0], &one->front->phi[one->front->now]));
    RO_TRY(send_field(work, one->speed, &one->front->speed));
    one->now = 0;
    one->awake = false;
    return RO_OK;
}

static ro_status alloc_fields(struct level_cuda *work, const struct level_front *first)
{
    ro_context *context = work->cuda->context;
    for (struct device_front &one : work->fronts) {
        char **fields[] = {&one.phi[0], &one.phi[1], &one.speed};
        for (char **field : fields)
            if (one.front)
                RO_TRY(cuda_alloc(context, work->bytes, reinterpret_cast<void **>(field)));
        // Windows are loaded by vectors, the padding of rows with them, which steps do not write.
        if (one.front)
            RO_CUDA_TRY(context, cudaMemsetAsync(one.phi[1], 0, work->bytes, work->cuda->compute));
    }
    RO_TRY(cuda_alloc(context, RO_LEVEL_FRONTS * sizeof *work->moves,
                      reinterpret_cast<void **>(&work->moves)));
    if (!work->level.moved_by_field)
        return RO_OK;
    RO_TRY(cuda_alloc(context, work->bytes, reinterpret_cast<void **>(&work->vx)));
    RO_TRY(cuda_alloc(context, work->bytes, reinterpret_cast<void **>(&work->vy)));
    RO_TRY(send_field(work, work->vx, &first->vx));
    return send_field(work, work->vy, &first->vy);
}

static void level_cuda_close(struct level_cuda *work)
{
    if (!work)
        return;
    for (struct device_front &one : work->fronts) {
        cuda_free(one.phi[0]);
        cuda_free(one.phi[1]);
        cuda_free(one.speed);
    }
    void *all[] = {work->vx, work->vy, work->moves, work->rows, work->changes};
    for (void *one : all)
        cuda_free(one);
    free(work);
}

static ro_status level_cuda_open(ro_context *context, struct level_front *const *fronts,
                                 uint32_t depth, struct level_cuda **made)
{
    *made = NULL;
    struct level_cuda *work = static_cast<struct level_cuda *>(calloc(1, sizeof *work));
    if (!work)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a level set");
    const struct level_front *first = NULL;
    for (int i = 0; i < RO_LEVEL_FRONTS; i++) {
        work->fronts[i].front = fronts[i];
        work->fronts[i].awake = true;
        first = fronts[i] ? fronts[i] : first;
    }
    work->level = first->level;
    work->depth = depth;
    work->pitch = first->phi[0].pitch;
    work->bytes = work->pitch * first->level.height;
    ro_status status = cuda_of(context, &work->cuda);
    if (status == RO_OK)
        status = alloc_fields(work, first);
    if (status != RO_OK) {
        level_cuda_close(work);
        return status;
    }
    *made = work;
    return RO_OK;
}

// Four steps are best where there are many windows. With few of them multiprocessors wait for the
// last ones, and a small image for launches.
static uint32_t best_depth(const struct level_cuda *work, const bool *chosen)
{
    uint64_t pixels = 0;
    for (int i = 0; i < RO_LEVEL_FRONTS; i++)
        pixels += chosen[i] ? static_cast<uint64_t>(work->level.width) * work->level.height : 0;
    if (work->depth)
        return work->depth;
    return pixels < 1 << 20 ? 10 : pixels < 1 << 23 ? 7 : 4;
}

// The chosen fronts of one kind, in launches of about equal depth.
static ro_status run_kind(struct level_cuda *work, const bool *chosen, uint32_t steps,
                          uint32_t depth, launch_fn *launch)
{
    bool any = false;
    for (int i = 0; i < RO_LEVEL_FRONTS; i++)
        any |= chosen[i];
    for (uint32_t left = pieces(steps, static_cast<int>(depth)); any && left > 0; left--) {
        const uint32_t now = pieces(steps, static_cast<int>(left));
        launch(work, chosen, static_cast<int>(now), left == 1);
        RO_CUDA_TRY(work->cuda->context, cudaGetLastError());
        for (int i = 0; i < RO_LEVEL_FRONTS; i++)
            if (chosen[i])
                work->fronts[i].now = 1 - work->fronts[i].now;
        work->launches++;
        steps -= now;
    }
    return RO_OK;
}

static ro_status level_cuda_run(struct level_cuda *work, const bool *chosen, uint32_t steps,
                                unsigned *moves)
{
    ro_context *context = work->cuda->context;
    cudaStream_t stream = work->cuda->compute;
    bool simple[RO_LEVEL_FRONTS] = {}, other[RO_LEVEL_FRONTS] = {};
    for (int i = 0; i < RO_LEVEL_FRONTS; i++) {
        struct device_front *one = &work->fronts[i];
        if (!chosen[i])
            continue;
        if (one->awake)
            RO_TRY(send(work, one));
        simple[i] = !work->level.moved_by_field && !(one->front->level.curvature > 0);
        other[i] = !simple[i];
    }
    const uint32_t depth = best_depth(work, chosen), most = WINDOW_STEPS;
    RO_CUDA_TRY(context,
                cudaMemsetAsync(work->moves, 0, RO_LEVEL_FRONTS * sizeof *work->moves, stream));
    RO_TRY(run_kind(work, simple, steps, depth, launch_lanes));
    RO_TRY(run_kind(work, other, steps, depth < most ? depth : most, launch_windows));
    unsigned flags[RO_LEVEL_FRONTS];
    RO_CUDA_TRY(context,
                cudaMemcpyAsync(flags, work->moves, sizeof flags, cudaMemcpyDeviceToHost, stream));
    RO_CUDA_TRY(context, cudaStreamSynchronize(stream));
    for (int i = 0; i < RO_LEVEL_FRONTS; i++)
        if (chosen[i])
            moves[i] = flags[i];
    return RO_OK;
}

static ro_status level_cuda_fetch(struct level_cuda *work, int number)
{
    ro_context *context = work->cuda->context;
    struct device_front *one = &work->fronts[number];
    if (one->awake)
        return RO_OK;
    for (int i = 0; i < 2; i++)
        RO_CUDA_TRY(context,
                    cudaMemcpyAsync(one->front->phi[i].data - RO_LEVEL_PAD, one->phi[i],
                                    work->bytes, cudaMemcpyDeviceToHost, work->cuda->compute));
    RO_CUDA_TRY(context, cudaStreamSynchronize(work->cuda->compute));
    one->front->now = one->now;
    return RO_OK;
}

// All changes of a front, in *list, which is the caller's to free; `rows` has a place for each row.
static ro_status find_changes(struct level_cuda *work, const struct device_front *one,
                              unsigned *rows, double **list, size_t *count)
{
    ro_context *context = work->cuda->context;
    cudaStream_t stream = work->cuda->compute;
    const int width = work->level.width, height = work->level.height;
    const char *phi = one->phi[one->now] + RO_LEVEL_PAD;
    const size_t bytes = height * sizeof *rows;
    count_changes<<<height, CHANGE_THREADS, 0, stream>>>(phi, work->pitch, width, height,
                                                         work->rows);
    RO_CUDA_TRY(context, cudaGetLastError());
    RO_CUDA_TRY(context, cudaMemcpyAsync(rows, work->rows, bytes, cudaMemcpyDeviceToHost, stream));
    RO_CUDA_TRY(context, cudaStreamSynchronize(stream));
    *count = 0;
    for (int y = 0; y < height; y++) {
        const unsigned here = rows[y];
        rows[y] = static_cast<unsigned>(*count);
        *count += here;
    }
    if (*count > UINT32_MAX)
        return ro_context_fail(context, RO_E_SIZE, "a contour of %zu pixels is too long", *count);
    if (*count == 0)
        return RO_OK;
    if (*count > work->room) {
        cuda_free(work->changes);
        work->changes = NULL;
        work->room = 0;
        RO_TRY(cuda_alloc(context, 2 * *count * sizeof **list,
                          reinterpret_cast<void **>(&work->changes)));
        work->room = 2 * *count;
    }
    if (!(*list = static_cast<double *>(malloc(*count * sizeof **list))))
        return ro_context_fail(context, RO_E_MEMORY, "no memory for %zu changes", *count);
    RO_CUDA_TRY(context, cudaMemcpyAsync(work->rows, rows, bytes, cudaMemcpyHostToDevice, stream));
    list_changes<<<height, CHANGE_THREADS, 0, stream>>>(phi, one->phi[1 - one->now] + RO_LEVEL_PAD,
                                                        work->pitch, width, height, work->rows,
                                                        work->changes);
    RO_CUDA_TRY(context, cudaGetLastError());
    RO_CUDA_TRY(context, cudaMemcpyAsync(*list, work->changes, *count * sizeof **list,
                                         cudaMemcpyDeviceToHost, stream));
    RO_CUDA_TRY(context, cudaStreamSynchronize(stream));
    return RO_OK;
}

static ro_status level_cuda_change(struct level_cuda *work, int number, double *rms)
{
    ro_context *context = work->cuda->context;
    const struct device_front *one = &work->fronts[number];
    const size_t bytes = work->level.height * sizeof(unsigned);
    double *list = NULL, sum = 0;
    size_t count = 0;
    *rms = 0;
    if (!work->rows)
        RO_TRY(cuda_alloc(context, bytes, reinterpret_cast<void **>(&work->rows)));
    unsigned *rows = static_cast<unsigned *>(malloc(bytes));
    if (!rows)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for %u rows", work->level.height);
    const ro_status status = find_changes(work, one, rows, &list, &count);
    for (size_t i = 0; status == RO_OK && i < count; i++)
        sum += list[i] * list[i];
    if (status == RO_OK && count > 0)
        *rms = sqrt(sum / static_cast<double>(count));
    free(rows);
    free(list);
    return status;
}

static void level_cuda_wake(struct level_cuda *work, int number)
{
    work->fronts[number].awake = true;
}

static uint64_t level_cuda_launches(const struct level_cuda *work)
{
    return work ? work->launches : 0;
}

static const struct level_cuda_calls calls = {
    level_cuda_open,   level_cuda_close, level_cuda_run,      level_cuda_fetch,
    level_cuda_change, level_cuda_wake,  level_cuda_launches,
};
const struct level_cuda_calls *level_on_cuda = &calls;
