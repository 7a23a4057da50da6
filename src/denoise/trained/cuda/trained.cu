/* SPDX-License-Identifier: MIT */
/*
 * Trained diffusion on the device. A step is two kernels:
 *
 *   spread  A block makes the sums of 32 x 32 pixels. It loads v of 40 x 40, and for four filters
 *           at a time computes the fluxes of 36 x 36 and then what the transposed taps gather
 *           from them. Taps that stand d pixels apart are taps side by side in each of the d x d
 *           pictures of every d-th row and column, so that a block works in one of these. Sums
 *           beyond the picture's borders are computed like others.
 *   move    adds to each pixel at a border what lies beyond it, and makes D and v of the next step.
 *
 * Products are dp4a and dp2a: v of 8 bits, less 128, which filters without a sum do not see, or of
 * 16 bits, by taps of 8 bits; and fluxes of four filters in 8 bits, or of uneven noise in 16 bits.
 */
#include "cuda/cuda.cuh"
#include "denoise/trained/cuda/trained_cuda.h"

#include <stdlib.h>
#include <string.h>

static const char memory_scratch = 0; /* a key */

enum {
    MIDDLE = TRAINED_SIDE / 2,
    TILE = 32,
    FLUX_TILE = TILE + 2 * MIDDLE,
    SEEN_TILE = TILE + 4 * MIDDLE,
    THREADS = 256,
    TARGETS = TILE * TILE / THREADS, /* of a thread */
    WORDS =
        7, /* of a filter's taps: four of each row, the last of rows 0 to 3, and that of row 4 */
};

/* A step's tables. */
struct step_tables {
    int32_t forward[TRAINED_MOST_FILTERS][WORDS];
    int32_t back[TRAINED_MOST_FILTERS / 4][TRAINED_TAPS]; /* of four filters, a byte each */
    int8_t flux[TRAINED_MOST_FILTERS][TRAINED_FLUXES];
    int32_t slope[TRAINED_LEVELS + 1], spread[TRAINED_LEVELS + 1];
};

struct spread_launch {
    struct trained_plan plan;
    int width, height, distance, groups;
    int across; /* tiles side by side */
    const struct step_tables *tables;
    const int16_t *v;
    const uint8_t *levels;
    int32_t *sum; /* of the picture and 2 * distance pixels on each side */
};

/* ---- Sums ----------------------------------------------------------------------------------- */

/* What a filter sees round a pixel, as words that taps are multiplied with. */
struct window {
    int32_t word[2 * WORDS - 1];
};

__device__ inline int32_t pair_of(int a, int b) { return (a & 0xffff) | (int)((uint32_t)b << 16); }

__device__ inline int32_t bytes_of(int a, int b, int c, int d)
{
    return (int32_t)((uint32_t)(a & 255) | (uint32_t)(b & 255) << 8 | (uint32_t)(c & 255) << 16 |
                     (uint32_t)d << 24);
}

/* v of a pixel and those on its right, or below it: four bytes or two words. Those beyond the tile
 * are any. */
template <bool BYTES> __device__ inline int32_t word_of(const int16_t *seen, int i, int step)
{
    const int last = SEEN_TILE * SEEN_TILE - 1;
    const int a = seen[i], b = seen[min(i + step, last)];
    if (!BYTES)
        return pair_of(a, b);
    return bytes_of(a, b, seen[min(i + 2 * step, last)], seen[min(i + 3 * step, last)]) ^
           (int32_t)0x80808080;
}

/* `across` and `down` are such words; i is the place of the first tap. */
template <bool BYTES>
__device__ inline void look(const int32_t *across, const int32_t *down, int i,
                            struct window *window)
{
    down += i + TRAINED_SIDE - 1;
#pragma unroll
    for (int r = 0; r < TRAINED_SIDE; r++) {
        if (BYTES) {
            window->word[r] = across[i + r * SEEN_TILE];
        } else {
            window->word[2 * r] = across[i + r * SEEN_TILE];
            window->word[2 * r + 1] = across[i + r * SEEN_TILE + 2];
        }
    }
    if (BYTES) {
        window->word[5] = down[0];
        window->word[6] = down[4 * SEEN_TILE];
    } else {
        window->word[10] = down[0];
        window->word[11] = down[2 * SEEN_TILE];
        window->word[12] = down[4 * SEEN_TILE];
    }
}

template <bool BYTES>
__device__ inline int32_t filter(const struct window &window, const int32_t *taps)
{
    int32_t z = 0;
#pragma unroll
    for (int w = 0; w < WORDS; w++)
        if (BYTES) {
            z = __dp4a(window.word[w], taps[w], z);
        } else {
            z = __dp2a_lo(window.word[2 * w], taps[w], z);
            if (w + 1 < WORDS)
                z = __dp2a_hi(window.word[2 * w + 1], taps[w], z);
        }
    return z;
}

/* Fluxes of four filters at a pixel: four bytes, or twice two words. */
template <bool BYTES, bool UNEVEN>
__device__ inline int2 fluxes(const struct spread_launch &launch, const int8_t *table, int group,
                              const struct window &window, int level)
{
    const int32_t slope = UNEVEN ? launch.tables->slope[level] : launch.plan.slope;
    int32_t y[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int32_t z = filter<BYTES>(window, launch.tables->forward[4 * group + i]);
        y[i] = trained_flux(&launch.plan, slope, table + i * TRAINED_FLUXES, z);
        if (UNEVEN)
            y[i] = trained_round(y[i] * launch.tables->spread[level], TRAINED_SPREAD);
    }
    if (UNEVEN)
        return make_int2(pair_of(y[0], y[1]), pair_of(y[2], y[3]));
    return make_int2(bytes_of(y[0], y[1], y[2], y[3]), 0);
}

/* Adds what the taps gather for pixels one below the other: tap a brings the flux at p - a. `quads`
 * begins two rows above and two columns before the first pixel. */
template <bool UNEVEN>
__device__ inline void gather(const int32_t *quads, const int32_t *taps, int32_t (&sum)[TARGETS])
{
    for (int column = 0; column < TRAINED_SIDE; column++) {
        const int32_t *first = quads + TRAINED_SIDE - 1 - column;
        int32_t low[TARGETS + 2 * MIDDLE], high[TARGETS + 2 * MIDDLE];
#pragma unroll
        for (int i = 0; i < TARGETS + 2 * MIDDLE; i++) {
            low[i] = first[i * FLUX_TILE];
            high[i] = UNEVEN ? first[i * FLUX_TILE + FLUX_TILE * FLUX_TILE] : 0;
        }
#pragma unroll
        for (int r = 0; r < TRAINED_SIDE; r++) {
            const int32_t tap = taps[r * TRAINED_SIDE + column];
#pragma unroll
            for (int i = 0; i < TARGETS; i++) {
                const int at = i + TRAINED_SIDE - 1 - r;
                sum[i] = UNEVEN ? __dp2a_hi(high[at], tap, __dp2a_lo(low[at], tap, sum[i]))
                                : __dp4a(low[at], tap, sum[i]);
            }
        }
    }
}

template <bool BYTES, bool UNEVEN>
__global__ void __launch_bounds__(THREADS)
    spread_kernel(const __grid_constant__ struct spread_launch launch)
{
    __shared__ int16_t seen[SEEN_TILE * SEEN_TILE];
    __shared__ int32_t across[SEEN_TILE * SEEN_TILE];
    __shared__ int32_t down[SEEN_TILE * SEEN_TILE];
    __shared__ int32_t quads[(UNEVEN ? 2 : 1) * FLUX_TILE * FLUX_TILE];
    __shared__ __align__(4) int8_t table[4 * TRAINED_FLUXES];
    const int d = launch.distance, width = launch.width, height = launch.height;
    /* The first pixel of the tile, in its picture of every d-th row and column. */
    const int left = (int)(blockIdx.x % (unsigned)launch.across) * TILE * d + (int)blockIdx.y % d -
                     2 * d,
              top = (int)(blockIdx.x / (unsigned)launch.across) * TILE * d + (int)blockIdx.y / d -
                    2 * d;
    const int thread = (int)threadIdx.x, column = thread % TILE, row = thread / TILE * TARGETS;
    for (int i = thread; i < SEEN_TILE * SEEN_TILE; i += THREADS) {
        const int x = trained_clamp(left + (i % SEEN_TILE - 2 * MIDDLE) * d, 0, width - 1);
        const int y = trained_clamp(top + (i / SEEN_TILE - 2 * MIDDLE) * d, 0, height - 1);
        seen[i] = launch.v[(size_t)y * width + x];
    }
    __syncthreads();
    for (int i = thread; i < SEEN_TILE * SEEN_TILE; i += THREADS) {
        across[i] = word_of<BYTES>(seen, i, 1);
        down[i] = word_of<BYTES>(seen, i, SEEN_TILE);
    }
    int32_t sum[TARGETS] = {0};
    for (int group = 0; group < launch.groups; group++) {
        for (int i = thread; i < TRAINED_FLUXES; i += THREADS)
            ((int32_t *)table)[i] = ((const int32_t *)launch.tables->flux[4 * group])[i];
        __syncthreads();
        for (int i = thread; i < FLUX_TILE * FLUX_TILE; i += THREADS) {
            const int j = i % FLUX_TILE, k = i / FLUX_TILE;
            const int x = left + (j - MIDDLE) * d, y = top + (k - MIDDLE) * d;
            int2 quad = make_int2(0, 0);
            if (x >= 0 && x < width && y >= 0 && y < height) {
                struct window window;
                look<BYTES>(across, down, k * SEEN_TILE + j, &window);
                const int level = UNEVEN ? launch.levels[(size_t)y * width + x] : 0;
                quad = fluxes<BYTES, UNEVEN>(launch, table, group, window, level);
            }
            quads[i] = quad.x;
            if (UNEVEN)
                quads[FLUX_TILE * FLUX_TILE + i] = quad.y;
        }
        __syncthreads();
        gather<UNEVEN>(quads + row * FLUX_TILE + column, launch.tables->back[group], sum);
        __syncthreads();
    }
    const int x = left + column * d;
    for (int i = 0; i < TARGETS; i++) {
        const int y = top + (row + i) * d;
        if (x < width + 2 * d && y < height + 2 * d)
            launch.sum[(size_t)(y + 2 * d) * (width + 4 * d) + x + 2 * d] = sum[i];
    }
}

/* ---- Changes -------------------------------------------------------------------------------- */

struct move_launch {
    struct trained_plan plan;
    int width, height, distance;
    int32_t move, gain; /* of this step, and of the next one */
    const int32_t *sum;
    const int16_t *seen;
    int32_t *change;
    int16_t *v;
};

__global__ void move_kernel(const __grid_constant__ struct move_launch launch)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    const int width = launch.width, height = launch.height, d = launch.distance;
    if (i >= (int64_t)width * height)
        return;
    const int x = (int)(i % width), y = (int)(i / width);
    const int left = x == 0 ? -2 * d : x, right = x == width - 1 ? x + 2 * d : x;
    const int top = y == 0 ? -2 * d : y, bottom = y == height - 1 ? y + 2 * d : y;
    int32_t sum = 0;
    for (int r = top; r <= bottom; r++)
        for (int c = left; c <= right; c++)
            sum += launch.sum[(size_t)(r + 2 * d) * (width + 4 * d) + c + 2 * d];
    const int32_t change = launch.change[i] + launch.move * sum;
    launch.change[i] = change;
    launch.v[i] = (int16_t)trained_now(&launch.plan, launch.gain, launch.seen[i], change);
}

/* ---- A run ---------------------------------------------------------------------------------- */

struct trained_device {
    struct trained_job *job;
    ro_context *context;
    struct device_state *cuda;
    cudaStream_t stream;
    size_t size;
    struct step_tables *tables; /* of all steps */
    struct step_tables *filled; /* the same on the host */
    int16_t *seen, *v;
    int32_t *change, *sum;
    uint8_t *levels;
};

static void fill_tables(const struct trained_plan *plan, int t, struct step_tables *tables)
{
    const struct trained_step *step = &plan->network->step[t];
    memset(tables, 0, sizeof *tables);
    for (int i = 0; i < plan->network->filters; i++) {
        int8_t *forward = (int8_t *)tables->forward[i];
        for (int a = 0; a < TRAINED_TAPS; a++) {
            const int row = a / TRAINED_SIDE, column = a % TRAINED_SIDE;
            forward[column < 4 ? 4 * row + column : 4 * TRAINED_SIDE + row] = step->forward[i][a];
            ((int8_t *)&tables->back[i / 4][a])[i % 4] = step->back[i][a];
        }
        memcpy(tables->flux[i], step->flux[i], TRAINED_FLUXES);
    }
    for (int level = 1; level <= TRAINED_LEVELS && plan->uneven; level++) {
        tables->slope[level] = trained_slope(plan, level);
        tables->spread[level] = trained_spread(plan, t, level);
    }
}

static ro_status reserve(struct trained_device *d)
{
    const struct trained_job *job = d->job;
    const int steps = job->plan->network->steps;
    const size_t edge = 4 * TRAINED_MOST_DISTANCE;
    const size_t tables = sizeof(struct step_tables) * (size_t)steps,
                 sums = (job->width + edge) * (job->height + edge) * sizeof(int32_t);
    void *memory;
    RO_TRY(cuda_reserve(d->cuda, &memory_scratch,
                        tables + sums + d->size * (sizeof(int32_t) + 2 * sizeof(int16_t) + 1),
                        d->stream, &memory));
    d->tables = (struct step_tables *)memory;
    d->sum = (int32_t *)((char *)memory + tables);
    d->change = (int32_t *)((char *)d->sum + sums);
    d->seen = (int16_t *)(d->change + d->size);
    d->v = d->seen + d->size;
    d->levels = (uint8_t *)(d->v + d->size);
    return RO_OK;
}

static ro_status send(struct trained_device *d)
{
    const struct trained_job *job = d->job;
    const int steps = job->plan->network->steps;
    const size_t all = sizeof *d->filled * (size_t)steps;
    d->filled = (struct step_tables *)malloc(all);
    if (!d->filled)
        return cuda_check(d->context, cudaErrorMemoryAllocation, "tables of filters");
    for (int t = 0; t < steps; t++)
        fill_tables(job->plan, t, &d->filled[t]);
    RO_CUDA_TRY(d->context,
                cudaMemcpyAsync(d->tables, d->filled, all, cudaMemcpyHostToDevice, d->stream));
    const size_t bytes = d->size * sizeof(int16_t);
    RO_CUDA_TRY(d->context,
                cudaMemcpyAsync(d->seen, job->seen, bytes, cudaMemcpyHostToDevice, d->stream));
    RO_CUDA_TRY(d->context,
                cudaMemcpyAsync(d->v, d->seen, bytes, cudaMemcpyDeviceToDevice, d->stream));
    RO_CUDA_TRY(d->context, cudaMemsetAsync(d->change, 0, d->size * sizeof(int32_t), d->stream));
    if (job->plan->uneven)
        RO_CUDA_TRY(d->context, cudaMemcpyAsync(d->levels, job->levels, d->size,
                                                cudaMemcpyHostToDevice, d->stream));
    return RO_OK;
}

static ro_status run_step(struct trained_device *d, int t)
{
    struct trained_job *job = d->job;
    const struct trained_plan *plan = job->plan;
    const struct trained_network *network = plan->network;
    const int width = (int)job->width, height = (int)job->height,
              distance = network->step[t].distance;
    const int64_t side = (int64_t)TILE * distance;
    const int across = (int)((width + 4 * distance + side - 1) / side);
    const int64_t down = (height + 4 * distance + side - 1) / side;
    const struct spread_launch spread = {
        *plan,  width,         height, distance,  network->filters / 4,
        across, d->tables + t, d->v,   d->levels, d->sum};
    const dim3 blocks((unsigned)(across * down), (unsigned)(distance * distance));
    if (plan->uneven)
        spread_kernel<false, true><<<blocks, THREADS, 0, d->stream>>>(spread);
    else if (plan->bytes)
        spread_kernel<true, false><<<blocks, THREADS, 0, d->stream>>>(spread);
    else
        spread_kernel<false, false><<<blocks, THREADS, 0, d->stream>>>(spread);
    RO_CUDA_TRY(d->context, cudaGetLastError());
    const struct move_launch move = {
        *plan,
        width,
        height,
        distance,
        plan->uneven ? 1 : plan->move[t],
        t + 1 < network->steps ? network->step[t + 1].gain : 0,
        d->sum,
        d->seen,
        d->change,
        d->v,
    };
    move_kernel<<<(unsigned)((d->size + THREADS - 1) / THREADS), THREADS, 0, d->stream>>>(move);
    RO_CUDA_TRY(d->context, cudaGetLastError());
    job->launches += 2;
    return RO_OK;
}

static ro_status run_steps(struct trained_device *d)
{
    struct trained_job *job = d->job;
    double milliseconds;
    RO_TRY(reserve(d));
    RO_TRY(send(d));
    RO_TRY(cuda_timer_start(d->context));
    for (int t = 0; t < job->plan->network->steps; t++)
        RO_TRY(run_step(d, t));
    RO_TRY(cuda_timer_stop(d->context, &milliseconds));
    job->seconds += 1e-3 * milliseconds;
    RO_CUDA_TRY(d->context, cudaMemcpyAsync(job->change, d->change, d->size * sizeof(int32_t),
                                            cudaMemcpyDeviceToHost, d->stream));
    RO_CUDA_TRY(d->context, cudaStreamSynchronize(d->stream));
    return RO_OK;
}

static ro_status trained_cuda_run(struct trained_job *job)
{
    struct trained_device d = {};
    d.job = job;
    d.context = job->context;
    d.size = (size_t)job->width * job->height;
    RO_TRY(cuda_of(job->context, &d.cuda));
    d.stream = d.cuda->compute;
    RO_TRY(cuda_scratch_begin(d.cuda, d.stream));
    const ro_status status = run_steps(&d);
    const ro_status ended = cuda_scratch_end(d.cuda, d.stream);
    if (status != RO_OK)
        cudaStreamSynchronize(d.stream);
    free(d.filled);
    return status == RO_OK ? ended : status;
}

static const struct trained_cuda_calls calls = {trained_cuda_run};
const struct trained_cuda_calls *trained_on_cuda = &calls;
