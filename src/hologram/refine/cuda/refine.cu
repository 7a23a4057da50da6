/* SPDX-License-Identifier: MIT */
/* A refinement on the device: a launch or a few for each pass of refine.h. */
#include "hologram/refine/cuda/refine_cuda.h"

#include "hologram/propagate/propagate.cuh"
#include "hologram/refine/cuda/refine_search.cuh"

#define NEAREST_INLINE static __device__ __forceinline__
#include "hologram/quantize/nearest.h"

#include <stdlib.h>

enum { THREADS = 256, LANES = 32, ROWS = 4 }; /* rows of a block, where a warp has one */

struct refine_cuda {
    ro_context *context;
    struct device_state *cuda;
    struct propagate_cuda *light;
    int width, height, region[4], levels;
    size_t pixels;
    float2 *q, *y, *r, *table, *phases, *kernel[2]; /* phases: of the start */
    float *target, *off;
    uint8_t *numbers, *best, *other;
    struct level_entry *entries;
    double *rows;
    struct refine_sums *sums;
    unsigned *changes;
};

struct plane {
    int width, height, x, y, wide, high; /* all, and the region */
};

static __device__ __forceinline__ bool in_region(const plane &p, int x, int y)
{
    return (unsigned)(x - p.x) < (unsigned)p.wide && (unsigned)(y - p.y) < (unsigned)p.high;
}

/* ---- Kernels -------------------------------------------------------------------------------- */

static __global__ void show(const uint8_t *numbers, const float2 *table, float2 *q, size_t count)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        q[i] = table[numbers[i]];
}

static __device__ __forceinline__ int nearest(const struct level_entry *entries, float re, float im)
{
    return nearest_of_ring(entries, __float2int_rn(re * HOLOGRAM_ONE),
                           __float2int_rn(im * HOLOGRAM_ONE));
}

static __global__ void round_all(const float2 *q, const struct level_entry *entries,
                                 uint8_t *numbers, size_t count)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        numbers[i] = (uint8_t)nearest(entries, q[i].x, q[i].y);
}

static __global__ void leave_residual(plane p, float2 *r, const float *target, float *off)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= p.width)
        return;
    const size_t i = (size_t)y * p.width + x;
    if (!in_region(p, x, y)) {
        r[i] = make_float2(0, 0);
        return;
    }
    const float2 v = r[i];
    const float size = sqrtf(v.x * v.x + v.y * v.y), left = size - target[i];
    const float part = size > 0 ? left / size : 0;
    r[i] = make_float2(size > 0 ? v.x * part : left, v.y * part);
    if (off)
        off[i] = left;
}

/* Sums over a row have an order: a warp takes 32 pixels at once, and all its lanes add them up one
 * after another. What lies behind the end is 0. */
static __device__ __forceinline__ double add_in_order(double sum, double v)
{
#pragma unroll
    for (int i = 0; i < LANES; i++)
        sum += __shfl_sync(0xffffffffu, v, i);
    return sum;
}

static __global__ void add_squares(plane p, const float *off, double *rows)
{
    const int y = blockIdx.x * ROWS + threadIdx.y, end = p.x + p.wide;
    if (y >= p.height)
        return;
    double sum = 0;
    const bool inside = (unsigned)(y - p.y) < (unsigned)p.high;
    for (int first = p.x; inside && first < end; first += LANES) {
        const int x = first + (int)threadIdx.x;
        const float v = x < end ? off[(size_t)y * p.width + x] : 0;
        sum = add_in_order(sum, (double)v * v);
    }
    if (threadIdx.x == 0)
        rows[y] = sum;
}

static __global__ void add_figures(plane p, const float2 *r, const float *target,
                                   struct refine_sums *rows)
{
    const int y = blockIdx.x * ROWS + threadIdx.y, end = p.x + p.wide;
    if (y >= p.height)
        return;
    struct refine_sums s = {};
    const bool inside = (unsigned)(y - p.y) < (unsigned)p.high;
    for (int first = p.x; inside && first < end; first += LANES) {
        const int x = first + (int)threadIdx.x;
        const size_t i = (size_t)y * p.width + x;
        const double t = x < end ? target[i] : 0, re = x < end ? r[i].x : 0;
        const double im = x < end ? r[i].y : 0, a = sqrt(re * re + im * im);
        s.peak = fmax(s.peak, t);
        s.aa = add_in_order(s.aa, a * a);
        s.at = add_in_order(s.at, a * t);
        s.tt = add_in_order(s.tt, t * t);
    }
    for (int half = LANES / 2; half; half /= 2)
        s.peak = fmax(s.peak, __shfl_xor_sync(0xffffffffu, s.peak, half));
    if (threadIdx.x == 0)
        rows[y] = s;
}

static __global__ void move_light(const struct refine_step step, const struct level_entry *entries,
                                  const float2 *table, const float2 *d, float2 *y, float2 *q,
                                  size_t count)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const float re = y[i].x - step.eta * d[i].x, im = y[i].y - step.eta * d[i].y;
    const float size = sqrtf(re * re + im * im);
    float2 u = make_float2(size > 0 ? re / size : 1, size > 0 ? im / size : 0);
    if (step.stay <= 1) {
        const float2 level = table[nearest(entries, u.x, u.y)];
        if (u.x * level.x + u.y * level.y >= step.stay)
            u = level;
    }
    y[i] = make_float2(u.x + step.momentum * (u.x - q[i].x), u.y + step.momentum * (u.y - q[i].y));
    q[i] = u;
}

/* ---- Passes --------------------------------------------------------------------------------- */

static unsigned blocks_of(const struct refine_cuda *d)
{
    return (unsigned)((d->pixels + THREADS - 1) / THREADS);
}

static unsigned warps_of(const struct refine_cuda *d)
{
    return (unsigned)(d->height + ROWS - 1) / ROWS;
}

static struct plane plane_of(const struct refine_cuda *d)
{
    return {d->width, d->height, d->region[0], d->region[1], d->region[2], d->region[3]};
}

static ro_status copy(struct refine_cuda *d, void *to, const void *from, size_t bytes)
{
    RO_CUDA_TRY(d->context, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, d->cuda->compute));
    return RO_OK;
}

static ro_status fetch(struct refine_cuda *d, void *to, const void *from, size_t bytes)
{
    RO_TRY(copy(d, to, from, bytes));
    RO_CUDA_TRY(d->context, cudaStreamSynchronize(d->cuda->compute));
    return RO_OK;
}

static void places(const struct refine_cuda *d, float **q, uint8_t **numbers)
{
    *q = (float *)d->q;
    *numbers = d->numbers;
}

static ro_status get_numbers(struct refine_cuda *d, ro_image *to)
{
    const size_t row = (size_t)d->width;
    for (int y = 0; y < d->height && to->stride < 0; y++) /* upside down */
        RO_TRY(copy(d, (uint8_t *)to->data + y * to->stride, d->numbers + y * row, row));
    if (to->stride >= 0)
        RO_CUDA_TRY(d->context,
                    cudaMemcpy2DAsync(to->data, (size_t)to->stride, d->numbers, row, row,
                                      (size_t)d->height, cudaMemcpyDefault, d->cuda->compute));
    RO_CUDA_TRY(d->context, cudaStreamSynchronize(d->cuda->compute));
    return RO_OK;
}

static ro_status light(struct refine_cuda *d, const float *table, int count)
{
    if (table)
        RO_TRY(copy(d, d->phases, table, (size_t)count * sizeof *d->phases));
    show<<<blocks_of(d), THREADS, 0, d->cuda->compute>>>(d->numbers, table ? d->phases : d->table,
                                                         d->q, d->pixels);
    RO_CUDA_TRY(d->context, cudaGetLastError());
    return RO_OK;
}

static ro_status round_light(struct refine_cuda *d)
{
    round_all<<<blocks_of(d), THREADS, 0, d->cuda->compute>>>(d->q, d->entries, d->numbers,
                                                              d->pixels);
    RO_CUDA_TRY(d->context, cudaGetLastError());
    return RO_OK;
}

static ro_status begin(struct refine_cuda *d)
{
    return copy(d, d->y, d->q, d->pixels * sizeof *d->q);
}

static ro_status arrive(struct refine_cuda *d, bool momentum, const struct propagate_filter *filter,
                        bool wraps)
{
    return propagate_on_device(d->light, momentum ? d->y : d->q, d->r, filter, wraps);
}

static ro_status back(struct refine_cuda *d, const struct propagate_filter *filter, bool wraps)
{
    return propagate_on_device(d->light, d->r, d->r, filter, wraps);
}

static ro_status residual(struct refine_cuda *d, double *rows)
{
    const dim3 blocks((unsigned)(d->width + THREADS - 1) / THREADS, (unsigned)d->height);
    leave_residual<<<blocks, THREADS, 0, d->cuda->compute>>>(plane_of(d), d->r, d->target,
                                                             rows ? d->off : NULL);
    if (rows)
        add_squares<<<warps_of(d), dim3(LANES, ROWS), 0, d->cuda->compute>>>(plane_of(d), d->off,
                                                                             d->rows);
    RO_CUDA_TRY(d->context, cudaGetLastError());
    return rows ? fetch(d, rows, d->rows, (size_t)d->height * sizeof *rows) : RO_OK;
}

static ro_status step(struct refine_cuda *d, const struct refine_step *step)
{
    move_light<<<blocks_of(d), THREADS, 0, d->cuda->compute>>>(*step, d->entries, d->table, d->r,
                                                               d->y, d->q, d->pixels);
    RO_CUDA_TRY(d->context, cudaGetLastError());
    return RO_OK;
}

static ro_status figures(struct refine_cuda *d, struct refine_sums *rows)
{
    add_figures<<<warps_of(d), dim3(LANES, ROWS), 0, d->cuda->compute>>>(plane_of(d), d->r,
                                                                         d->target, d->sums);
    RO_CUDA_TRY(d->context, cudaGetLastError());
    return fetch(d, rows, d->sums, (size_t)d->height * sizeof *rows);
}

/* ---- Search --------------------------------------------------------------------------------- */

static ro_status open_search(struct refine_cuda *d, const float *across, const float *down,
                             const uint8_t *other)
{
    for (int i = 0; i < 2; i++) {
        const size_t bytes = (size_t)(i ? d->height : d->width) * REFINE_SIDE * sizeof(float2);
        if (!d->kernel[i])
            RO_TRY(cuda_own(d->cuda, bytes, (void **)&d->kernel[i]));
        RO_TRY(copy(d, d->kernel[i], i ? down : across, bytes));
    }
    RO_CUDA_TRY(d->context, cudaMemsetAsync(d->changes, 0, sizeof *d->changes, d->cuda->compute));
    return copy(d, d->other, other, (size_t)d->levels * REFINE_OTHERS);
}

static ro_status search(struct refine_cuda *d, const struct refine_colour *c)
{
    const int tiles[2] = {(d->width + REFINE_TILE - 1) / REFINE_TILE,
                          (d->height + REFINE_TILE - 1) / REFINE_TILE};
    struct search_launch p = {};
    p.width = d->width;
    p.height = d->height;
    p.first_x = c->colour % REFINE_COLOURS;
    p.first_y = c->colour / REFINE_COLOURS;
    p.levels = d->levels;
    p.others = c->others;
    p.pairs = c->pairs;
    p.r = d->r;
    p.table = d->table;
    p.kernel[0] = d->kernel[0];
    p.kernel[1] = d->kernel[1];
    p.other = d->other;
    p.numbers = d->numbers;
    p.changes = d->changes;
    if (p.first_x >= tiles[0] || p.first_y >= tiles[1])
        return RO_OK;
    p.across = (tiles[0] - p.first_x + REFINE_COLOURS - 1) / REFINE_COLOURS;
    const int down = (tiles[1] - p.first_y + REFINE_COLOURS - 1) / REFINE_COLOURS;
    search_tiles<<<(unsigned)(p.across * down), TILE_PIXELS, 0, d->cuda->compute>>>(p);
    RO_CUDA_TRY(d->context, cudaGetLastError());
    return RO_OK;
}

static ro_status changes(struct refine_cuda *d, uint32_t *changes)
{
    RO_TRY(fetch(d, changes, d->changes, sizeof *changes));
    RO_CUDA_TRY(d->context, cudaMemsetAsync(d->changes, 0, sizeof *d->changes, d->cuda->compute));
    return RO_OK;
}

static ro_status keep(struct refine_cuda *d) { return copy(d, d->best, d->numbers, d->pixels); }

static ro_status take_best(struct refine_cuda *d)
{
    return copy(d, d->numbers, d->best, d->pixels);
}

/* ---- Opening -------------------------------------------------------------------------------- */

static void refine_close(struct refine_cuda *d)
{
    if (!d)
        return;
    void *const all[] = {d->q,         d->y,      d->r,    d->table,   d->phases, d->kernel[0],
                         d->kernel[1], d->target, d->off,  d->numbers, d->best,   d->other,
                         d->entries,   d->rows,   d->sums, d->changes};
    for (void *memory : all)
        if (d->cuda)
            cuda_disown(d->cuda, memory);
    free(d);
}

static ro_status open_all(struct refine_cuda *d, const struct refine_setup *s)
{
    const size_t n = d->pixels, light = n * sizeof(float2);
    const struct {
        void **to;
        size_t bytes;
    } pieces[] = {
        {(void **)&d->q, light},
        {(void **)&d->y, light},
        {(void **)&d->r, light},
        {(void **)&d->target, n * sizeof(float)},
        {(void **)&d->off, n * sizeof(float)},
        {(void **)&d->numbers, n},
        {(void **)&d->best, n},
        {(void **)&d->table, RO_HOLOGRAM_LEVELS * sizeof(float2)},
        {(void **)&d->phases, RO_HOLOGRAM_LEVELS * sizeof(float2)},
        {(void **)&d->other, RO_HOLOGRAM_LEVELS * REFINE_OTHERS},
        {(void **)&d->entries, LEVEL_ENTRIES * sizeof(struct level_entry)},
        {(void **)&d->rows, (size_t)d->height * sizeof(double)},
        {(void **)&d->sums, (size_t)d->height * sizeof(struct refine_sums)},
        {(void **)&d->changes, sizeof(unsigned)},
    };
    RO_TRY(cuda_of(d->context, &d->cuda));
    for (const auto &piece : pieces)
        RO_TRY(cuda_own(d->cuda, piece.bytes, piece.to));
    const size_t row = (size_t)d->width * sizeof(float2);
    RO_CUDA_TRY(d->context,
                cudaMemcpy2DAsync(d->q, row, s->field->data, (size_t)s->field->stride, row,
                                  (size_t)d->height, cudaMemcpyDefault, d->cuda->compute));
    RO_TRY(copy(d, d->target, s->target, n * sizeof(float)));
    RO_TRY(copy(d, d->table, s->table, (size_t)d->levels * sizeof(float2)));
    return copy(d, d->entries, s->levels->entry, LEVEL_ENTRIES * sizeof(struct level_entry));
}

static ro_status refine_open(const struct refine_setup *setup, struct refine_cuda **device)
{
    *device = NULL;
    struct refine_cuda *d = (struct refine_cuda *)calloc(1, sizeof *d);
    if (!d)
        return ro_context_fail(setup->context, RO_E_MEMORY, "no memory to refine");
    d->context = setup->context;
    d->light = setup->light;
    d->width = (int)setup->width;
    d->height = (int)setup->height;
    d->pixels = (size_t)setup->width * setup->height;
    d->levels = setup->levels->count;
    for (int i = 0; i < 4; i++)
        d->region[i] = (int)setup->region[i];
    ro_status status = open_all(d, setup);
    if (status == RO_OK)
        *device = d;
    else
        refine_close(d);
    return status;
}

static const struct refine_cuda_calls calls = {
    refine_open, refine_close, places,  get_numbers, light,  round_light, begin, arrive,    back,
    residual,    step,         figures, open_search, search, changes,     keep,  take_best,
};
const struct refine_cuda_calls *refine_on_cuda = &calls;
