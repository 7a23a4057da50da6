/* SPDX-License-Identifier: MIT */
/*
 * Ordered dithering on the device. Pixels know nothing of each other, so it is a matter of bytes:
 *
 *   compare   8 bits to packed bits by a screen: a thread keeps the limits of 32 cells in registers
 *             and goes down the rows that lie on them, so that only pixels are read and bits
 *             written; four pixels are compared in a word
 *   look up   everything else: a byte of bits or eight level numbers a thread, by the tables of the
 *             CPU
 */
#include "core/cuda_bands.cuh"
#include "core/hash.h"
#include "halftone/ordered_cuda.h"

#include <stdlib.h>

enum {
    GROUP = 32,            /* pixels of a thread that compares */
    SHARE = 8,             /* pixels of a thread that looks up */
    THREADS = 128,         /* of a block */
    MOST_LIMITS = 1 << 22, /* bytes of the table of limits */
    ROWS_AT_ONCE = 16,     /* that lie on one row of cells, for a thread that compares */
    RANK_BITS = 24,
    RANDOM_BITS = 20,
};

/* Tables on the device, and where an image is. */
struct ordered_launch {
    const unsigned char *in;
    unsigned char *out;
    size_t in_pitch, out_pitch;
    uint32_t width, rows, first_row;
    const uint32_t *lookup, *ranks;
    const uint8_t *limits; /* 255 less the smallest white sample; `period` a row of cells */
    uint32_t period, screen_width, screen_height;
    uint64_t seed;
};

struct ordered_cuda {
    ro_context *context;
    struct ro_cuda *cuda;
    int sample_bytes, bits_out, by_hash;
    uint32_t first_row; /* of the rows that are run */
    uint64_t launches;
    struct ordered_launch launch; /* all but the image */
};

/* ---- looking up ---------------------------------------------------------------------------- */

template <class Sample, bool HASH>
__device__ inline uint32_t level_of(const struct ordered_launch &launch, const Sample *row,
                                    uint32_t x, uint32_t hash_row, const uint32_t *ranks,
                                    uint32_t phase)
{
    const uint32_t entry = __ldg(launch.lookup + row[x]);
    const uint32_t rank =
        HASH ? ro_hash_mix(hash_row ^ x) >> (32 - RANDOM_BITS) : __ldg(ranks + phase);
    return (entry >> RANK_BITS) + (rank < (entry & ((1u << RANK_BITS) - 1)));
}

template <class Sample, bool HASH, bool BITS>
__global__ void lookup_kernel(const __grid_constant__ struct ordered_launch launch)
{
    const uint32_t x = (blockIdx.x * THREADS + threadIdx.x) * SHARE;
    if (x >= launch.width)
        return;
    const uint32_t count = min(launch.width - x, (uint32_t)SHARE);
    for (uint32_t y = blockIdx.y; y < launch.rows; y += gridDim.y) {
        const uint32_t line = launch.first_row + y;
        const Sample *row = (const Sample *)(launch.in + y * launch.in_pitch);
        unsigned char *out = launch.out + y * launch.out_pitch;
        const uint32_t hash_row = HASH ? ro_hash_row(launch.seed, line) : 0;
        const uint32_t *ranks =
            launch.ranks + (size_t)(line % launch.screen_height) * launch.screen_width;
        uint32_t phase = HASH ? 0 : x % launch.screen_width, bits = 0;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t k = level_of<Sample, HASH>(launch, row, x + i, hash_row, ranks, phase);
            phase = phase + 1 == launch.screen_width ? 0 : phase + 1;
            if (BITS)
                bits |= k << (SHARE - 1 - i);
            else
                out[x + i] = (unsigned char)k;
        }
        if (BITS)
            out[x / 8] = (unsigned char)bits;
    }
}

/* ---- comparing ----------------------------------------------------------------------------- */

/* The top bits of the bytes of `a` that are at least those whose complement is `b`: the carries of
 * a + b + 1, which the rounded means of the bytes have on top. */
__device__ inline uint32_t reached(uint32_t a, uint32_t b)
{
    return ((a | b) - (((a ^ b) & 0xfefefefe) >> 1)) & 0x80808080;
}

/* Eight pixels as a byte of bits, the first on top, 128-fold. */
__device__ inline uint32_t byte_of(uint32_t low, uint32_t high, uint32_t low_limits,
                                   uint32_t high_limits)
{
    return __dp4a(reached(low, low_limits), 0x10204080u,
                  __dp4a(reached(high, high_limits), 0x01020408u, 0u));
}

/* Two such as two bytes in the order of memory. */
__device__ inline uint32_t pair_of(uint32_t first, uint32_t second)
{
    return (first + (second << 8)) >> 7;
}

__global__ void compare_kernel(const __grid_constant__ struct ordered_launch launch)
{
    const uint32_t x = (blockIdx.x * THREADS + threadIdx.x) * GROUP;
    if (x >= launch.width)
        return;
    /* Rows on one row of cells are screen_height apart; blockIdx.y counts cells, then shares. */
    const uint32_t cell = blockIdx.y % launch.screen_height;
    const uint32_t share = blockIdx.y / launch.screen_height;
    const uint32_t start = (cell + launch.screen_height - launch.first_row % launch.screen_height) %
                           launch.screen_height;
    const uint8_t *limits = launch.limits + (size_t)cell * launch.period + x % launch.period;
    const uint4 a = *(const uint4 *)limits, b = *(const uint4 *)(limits + 16);
    const uint64_t first = start + (uint64_t)share * ROWS_AT_ONCE * launch.screen_height;
    const bool whole = launch.width - x >= GROUP;
#pragma unroll 4
    for (int i = 0; i < ROWS_AT_ONCE; i++) {
        const uint64_t y = first + (uint64_t)i * launch.screen_height;
        if (y >= launch.rows)
            break;
        const unsigned char *row = launch.in + y * launch.in_pitch + x;
        unsigned char *out = launch.out + y * launch.out_pitch + x / 8;
        if (whole) {
            const uint4 p = __ldcs((const uint4 *)row), q = __ldcs((const uint4 *)(row + 16));
            const uint32_t low = pair_of(byte_of(p.x, p.y, a.x, a.y), byte_of(p.z, p.w, a.z, a.w));
            const uint32_t high = pair_of(byte_of(q.x, q.y, b.x, b.y), byte_of(q.z, q.w, b.z, b.w));
            __stcs((uint32_t *)out, low | high << 16);
            continue;
        }
        for (uint32_t j = 0; x + j < launch.width; j += 8) {
            uint32_t bits = 0;
            for (uint32_t k = 0; k < 8 && x + j + k < launch.width; k++)
                bits |= (uint32_t)(row[j + k] + limits[j + k] >= 255) << (7 - k);
            out[j / 8] = (unsigned char)bits;
        }
    }
}

/* ---- tables -------------------------------------------------------------------------------- */

static uint32_t common_period(uint32_t width)
{
    uint32_t period = width;
    while (period % GROUP)
        period *= 2; /* as often as there are twos missing */
    return period;
}

/* Limits of the cells, repeated to whole groups. */
static void fill_limits(const struct ordered_cuda_plan *plan, uint32_t period, uint8_t *limits)
{
    for (uint32_t y = 0; y < plan->screen_height; y++)
        for (uint32_t x = 0; x < period; x++)
            *limits++ = (uint8_t)(255 - plan->smallest[plan->ranks[(size_t)y * plan->screen_width +
                                                                   x % plan->screen_width]]);
}

static ro_status send_tables(struct ordered_cuda *work, const struct ordered_cuda_plan *plan)
{
    struct ro_cuda *cuda = work->cuda;
    struct ordered_launch *launch = &work->launch;
    const size_t cells = (size_t)plan->screen_width * plan->screen_height;
    const uint32_t period = common_period(plan->screen_width);
    const size_t limits = (size_t)period * plan->screen_height;
    const bool compares = plan->smallest && plan->sample_bytes == 1 && limits <= MOST_LIMITS;
    const size_t words = (plan->values + 3) / 4 * 4 + cells;
    const size_t bytes = (words + 3) / 4 * 16 + (compares ? limits : 0);
    uint32_t *host = (uint32_t *)calloc(1, bytes);
    void *memory = NULL;
    if (!host)
        return ro_context_fail(work->context, RO_E_MEMORY,
                               "no memory for a screen of %u x %u cells", plan->screen_width,
                               plan->screen_height);
    uint32_t *ranks = host + (plan->values + 3) / 4 * 4;
    for (uint32_t i = 0; i < plan->values; i++)
        host[i] = plan->lookup[i];
    for (size_t i = 0; i < cells; i++)
        ranks[i] = plan->ranks[i];
    if (compares)
        fill_limits(plan, period, (uint8_t *)(host + (words + 3) / 4 * 4));
    ro_status status = ro_cuda_scratch_begin(cuda, cuda->compute);
    if (status == RO_OK)
        status = ro_cuda_reserve(cuda, RO_CUDA_TABLES, bytes, cuda->compute, &memory, NULL);
    if (status == RO_OK)
        status = ro_cuda_check(
            work->context,
            cudaMemcpyAsync(memory, host, bytes, cudaMemcpyHostToDevice, cuda->compute),
            "cudaMemcpyAsync");
    if (status == RO_OK)
        status = ro_cuda_scratch_end(cuda, cuda->compute);
    free(host);
    launch->lookup = (const uint32_t *)memory;
    launch->ranks = launch->lookup + (ranks - host);
    launch->limits = compares ? (const uint8_t *)(launch->lookup + (words + 3) / 4 * 4) : NULL;
    launch->period = period;
    return status;
}

ro_status ordered_cuda_open(ro_context *context, const struct ordered_cuda_plan *plan,
                            struct ordered_cuda **work)
{
    *work = NULL;
    struct ordered_cuda *made = (struct ordered_cuda *)calloc(1, sizeof *made);
    if (!made)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a plan");
    made->context = context;
    made->sample_bytes = plan->sample_bytes;
    made->bits_out = plan->bits_out;
    made->by_hash = plan->by_hash;
    made->launch.width = plan->width;
    made->launch.screen_width = plan->screen_width;
    made->launch.screen_height = plan->screen_height;
    made->launch.seed = plan->seed;
    ro_status status = ro_cuda_of(context, &made->cuda);
    if (status == RO_OK)
        status = send_tables(made, plan);
    if (status != RO_OK) {
        free(made);
        return status;
    }
    *work = made;
    return RO_OK;
}

uint64_t ordered_cuda_launches(const struct ordered_cuda *work) { return work->launches; }
void ordered_cuda_close(struct ordered_cuda *work) { free(work); }

/* ---- running ------------------------------------------------------------------------------- */

typedef void lookup_fn(const struct ordered_launch launch);

static lookup_fn *const lookups[2][2][2] = {
    /* 16 bits, by hash, packed bits */
    {{lookup_kernel<uint8_t, false, false>, lookup_kernel<uint8_t, false, true>},
     {lookup_kernel<uint8_t, true, false>, lookup_kernel<uint8_t, true, true>}},
    {{lookup_kernel<uint16_t, false, false>, lookup_kernel<uint16_t, false, true>},
     {lookup_kernel<uint16_t, true, false>, lookup_kernel<uint16_t, true, true>}},
};

static ro_status launch_image(struct ordered_cuda *work, const struct ordered_launch *launch,
                              cudaStream_t stream)
{
    const size_t odd_in = (size_t)launch->in | launch->in_pitch;
    const size_t odd_out = (size_t)launch->out | launch->out_pitch;
    if (launch->limits && odd_in % 16 == 0 && odd_out % 4 == 0) {
        const uint32_t wide = GROUP * THREADS;
        const uint64_t tall = (uint64_t)launch->screen_height * ROWS_AT_ONCE;
        const uint64_t shares = (launch->rows + tall - 1) / tall;
        /* 65535 blocks fit one column of the grid; taller images are cut. */
        const uint64_t most = 65535 / launch->screen_height;
        for (uint64_t share = 0; share < shares; share += most) {
            struct ordered_launch part = *launch;
            const uint64_t first = share * tall,
                           now = shares - share < most ? shares - share : most;
            const uint64_t left = launch->rows - first, rows = now * tall;
            part.in += first * launch->in_pitch;
            part.out += first * launch->out_pitch;
            part.first_row += (uint32_t)first;
            part.rows = (uint32_t)(rows < left ? rows : left);
            const dim3 grid((launch->width + wide - 1) / wide,
                            (unsigned)(now * launch->screen_height));
            compare_kernel<<<grid, THREADS, 0, stream>>>(part);
            work->launches++;
        }
    } else {
        const uint32_t wide = SHARE * THREADS;
        const dim3 grid((launch->width + wide - 1) / wide,
                        launch->rows < 65535 ? launch->rows : 65535);
        lookup_fn *kernel =
            lookups[work->sample_bytes == 2][work->by_hash != 0][work->bits_out != 0];
        kernel<<<grid, THREADS, 0, stream>>>(*launch);
        work->launches++;
    }
    RO_CUDA_TRY(work->context, cudaGetLastError());
    return RO_OK;
}

static ro_status run_band(void *data, const struct ro_cuda_band *band, cudaStream_t stream)
{
    struct ordered_cuda *work = (struct ordered_cuda *)data;
    struct ordered_launch launch = work->launch;
    launch.in = band->in;
    launch.out = band->out;
    launch.in_pitch = band->in_pitch;
    launch.out_pitch = band->out_pitch;
    launch.rows = band->rows;
    launch.first_row = work->first_row + band->first;
    return launch_image(work, &launch, stream);
}

ro_status ordered_cuda_run(struct ordered_cuda *work, const struct ordered_cuda_rows *rows)
{
    const size_t in_bytes = (size_t)work->launch.width * (size_t)work->sample_bytes;
    const size_t out_bytes =
        work->bits_out ? ((size_t)work->launch.width + 7) / 8 : (size_t)work->launch.width;
    const size_t wanted = ((size_t)32 << 20) / in_bytes;
    const struct ro_cuda_rows bands = {
        rows->in,   rows->in_stride,
        rows->out,  rows->out_stride,
        in_bytes,   out_bytes,
        rows->rows, (uint32_t)(wanted < 1 ? 1 : wanted < rows->rows ? wanted : rows->rows)};
    work->first_row = rows->first_row;
    return ro_cuda_run_bands(work->cuda, &bands, run_band, work);
}

ro_status ordered_cuda_run_resident(struct ordered_cuda *work, const ro_image *in,
                                    const ro_image *out, uint32_t images, void *stream)
{
    RO_TRY(ro_cuda_scratch_begin(work->cuda, (cudaStream_t)stream));
    for (uint32_t i = 0; i < images; i++) {
        struct ordered_launch launch = work->launch;
        launch.in = (const unsigned char *)in[i].data;
        launch.out = (unsigned char *)out[i].data;
        launch.in_pitch = (size_t)in[i].stride;
        launch.out_pitch = (size_t)out[i].stride;
        launch.rows = in[i].height;
        RO_TRY(launch_image(work, &launch, (cudaStream_t)stream));
    }
    return ro_cuda_scratch_end(work->cuda, (cudaStream_t)stream);
}
