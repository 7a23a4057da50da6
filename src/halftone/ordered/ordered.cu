/* SPDX-License-Identifier: MIT */
/*
 * Ordered dithering on the device. Pixels know nothing of each other, so it is a matter of bytes: a
 * thread keeps what it knows of some columns of the screen in registers and goes down the rows that
 * lie on them, so that only pixels are read and results written.
 *
 *   compare   to packed bits by a screen: with the smallest white sample of each cell, several
 *             pixels in a word
 *   shifted   the same for screens that move from one repetition to the next below, as dots in rows
 *             do, and for large ones: limits are read anew in every row
 *   look up   everything else: the table of the CPU says for every sample which ranks go up
 */
#include "core/random.h"
#include "cuda/bands.cuh"
#include "halftone/ordered/ordered_cuda.h"

#include <stdlib.h>
#include <string.h>

enum {
    GROUP = 32,            /* pixels of a thread that compares */
    SHARE = 8,             /* pixels of a thread that looks up */
    THREADS = 128,         /* of a block */
    MOST_LIMITS = 1 << 22, /* entries of the table of limits that is repeated to whole groups */
    ROWS_AT_ONCE = 16,     /* that lie on one row of cells, for one thread */
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
    uint32_t values;    /* entries of the look-up table */
    const void *limits; /* the complement of the smallest white sample; `period` a row of cells */
    uint32_t period, screen_width, screen_height, shift;
    bool reads_anew; /* limits of every row; a row of cells has GROUP more behind it */
    uint64_t seed;
    bool aligned; /* rows start where words do */
};

struct ordered_cuda {
    ro_context *context;
    struct device_state *cuda;
    int sample_bytes, bits_out, by_hash;
    uint32_t first_row; /* of the rows that are run */
    uint64_t launches;
    void *tables;
    struct ordered_launch launch; /* all but the image */
};

/* ---- looking up ---------------------------------------------------------------------------- */

/* The rows of a thread: those on row `cell` of the screen, some of them. */
struct row_walk {
    uint32_t cell;
    uint64_t first;
};

__device__ inline struct row_walk walk_of(const struct ordered_launch &launch)
{
    const uint32_t height = launch.screen_height;
    const uint32_t cell = blockIdx.y % height, share = blockIdx.y / height;
    const uint32_t start = (cell + height - launch.first_row % height) % height;
    return {cell, start + (uint64_t)share * ROWS_AT_ONCE * height};
}

/* The cell where the first row of a walk begins; the next one begins `shift` further. */
__device__ inline uint32_t first_cell(const struct ordered_launch &launch, uint64_t row)
{
    const uint64_t below = (launch.first_row + row) / launch.screen_height;
    return (uint32_t)(launch.shift * below % launch.screen_width);
}

__device__ inline uint32_t next_cell(const struct ordered_launch &launch, uint32_t cell)
{
    const uint32_t next = cell + launch.shift; /* both below 2^25 */
    return next < launch.screen_width ? next : next - launch.screen_width;
}

/* Eight samples, if they lie as words do. */
__device__ inline void read_share(const uint8_t *row, uint32_t (&samples)[SHARE])
{
    const uint2 words = __ldcs((const uint2 *)row);
#pragma unroll
    for (int i = 0; i < SHARE; i++)
        samples[i] = (i < 4 ? words.x : words.y) >> (8 * (i % 4)) & 0xff;
}

__device__ inline void read_share(const uint16_t *row, uint32_t (&samples)[SHARE])
{
    const uint4 words = __ldcs((const uint4 *)row);
    const uint32_t pairs[] = {words.x, words.y, words.z, words.w};
#pragma unroll
    for (int i = 0; i < SHARE; i++)
        samples[i] = pairs[i / 2] >> (16 * (i % 2)) & 0xffff;
}

template <class Sample, bool HASH, bool BITS>
__global__ void lookup_kernel(const __grid_constant__ struct ordered_launch launch)
{
    __shared__ uint32_t entries[sizeof(Sample) == 1 ? 256 : 1];
    if (sizeof(Sample) == 1) {
        for (uint32_t i = threadIdx.x; i < 256; i += THREADS)
            entries[i] = i < launch.values ? launch.lookup[i] : 0;
        __syncthreads();
    }
    const uint32_t x = (blockIdx.x * THREADS + threadIdx.x) * SHARE;
    if (x >= launch.width)
        return;
    const uint32_t count = min(launch.width - x, (uint32_t)SHARE);
    const struct row_walk walk = walk_of(launch);
    uint32_t ranks[SHARE], cell = HASH ? 0 : first_cell(launch, walk.first);
    for (int r = 0; r < ROWS_AT_ONCE; r++) {
        const uint64_t y = walk.first + (uint64_t)r * launch.screen_height;
        if (y >= launch.rows)
            break;
        if (!HASH && (r == 0 || launch.shift)) {
            const uint32_t *of_row = launch.ranks + (size_t)walk.cell * launch.screen_width;
            uint32_t at = (uint32_t)(((uint64_t)cell + x) % launch.screen_width);
#pragma unroll
            for (int i = 0; i < SHARE; i++) {
                ranks[i] = of_row[at];
                at = at + 1 < launch.screen_width ? at + 1 : 0;
            }
            cell = next_cell(launch, cell);
        }
        const Sample *row = (const Sample *)(launch.in + y * launch.in_pitch) + x;
        const uint32_t hash_row =
            HASH ? hash_of_row(launch.seed, launch.first_row + (uint32_t)y) : 0;
        uint32_t samples[SHARE], low = 0, high = 0;
        if (launch.aligned && count == SHARE)
            read_share(row, samples);
        else
#pragma unroll
            for (uint32_t i = 0; i < SHARE; i++)
                samples[i] = i < count ? row[i] : 0;
#pragma unroll
        for (int i = 0; i < SHARE; i++) {
            const uint32_t entry = sizeof(Sample) == 1
                                       ? entries[samples[i]]
                                       : __ldg(launch.lookup + min(samples[i], launch.values - 1));
            const uint32_t rank =
                HASH ? mix_bits(hash_row ^ (x + i)) >> (32 - RANDOM_BITS) : ranks[i];
            const uint32_t k = (entry >> RANK_BITS) + (rank < (entry & ((1u << RANK_BITS) - 1)));
            if (BITS)
                low |= (uint32_t)i < count ? k << (SHARE - 1 - i) : 0;
            else if (i < 4)
                low |= k << (8 * i);
            else
                high |= k << (8 * (i - 4));
        }
        unsigned char *out = launch.out + y * launch.out_pitch;
        if (BITS)
            out[x / 8] = (unsigned char)low;
        else if (launch.aligned && count == SHARE)
            __stcs((uint2 *)(out + x), make_uint2(low, high));
        else
            for (uint32_t i = 0; i < count; i++)
                out[x + i] = (unsigned char)((i < 4 ? low : high) >> (8 * (i % 4)));
    }
}

/* ---- comparing ----------------------------------------------------------------------------- */

/* The top bits of the samples of `a` that are at least those whose complement is `b`: the carries
 * of a + b + 1, which the rounded means of the samples have on top. */
template <class Sample> __device__ inline uint32_t reached(uint32_t a, uint32_t b)
{
    const uint32_t tops = sizeof(Sample) == 1 ? 0x80808080 : 0x80008000;
    const uint32_t halves = sizeof(Sample) == 1 ? 0xfefefefe : 0xfffefffe;
    return ((a | b) - (((a ^ b) & halves) >> 1)) & tops;
}

/* Eight pixels as a byte of bits, the first on top. */
__device__ inline uint32_t byte_of(const uint32_t *words, const uint32_t *limits, uint8_t)
{
    uint32_t sum = __dp4a(reached<uint8_t>(words[0], limits[0]), 0x10204080u, 0u);
    return __dp4a(reached<uint8_t>(words[1], limits[1]), 0x01020408u, sum) >> 7;
}

__device__ inline uint32_t byte_of(const uint32_t *words, const uint32_t *limits, uint16_t)
{
    uint32_t sum = __dp2a_lo(reached<uint16_t>(words[0], limits[0]), 0x4080u, 0u);
    sum = __dp2a_lo(reached<uint16_t>(words[1], limits[1]), 0x1020u, sum);
    sum = __dp2a_lo(reached<uint16_t>(words[2], limits[2]), 0x0408u, sum);
    return __dp2a_lo(reached<uint16_t>(words[3], limits[3]), 0x0102u, sum) >> 15;
}

/* A group of pixels against their limits, whose words a thread has. */
template <class Sample, int WORDS>
__device__ inline void compare_group(const Sample *row, const uint32_t (&limits)[WORDS],
                                     unsigned char *out)
{
    uint32_t words[WORDS], bits = 0;
#pragma unroll
    for (int i = 0; i < WORDS; i += 4) {
        const uint4 four = __ldcs((const uint4 *)row + i / 4);
        words[i] = four.x;
        words[i + 1] = four.y;
        words[i + 2] = four.z;
        words[i + 3] = four.w;
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        bits |= byte_of(words + i * WORDS / 4, limits + i * WORDS / 4, Sample()) << (8 * i);
    __stcs((uint32_t *)out, bits);
}

/* The `count` pixels that are left at the end of a row. */
template <class Sample>
__device__ inline void compare_rest(const Sample *row, const Sample *limits, uint32_t count,
                                    unsigned char *out)
{
    for (uint32_t j = 0; j < count; j += 8) {
        uint32_t bits = 0;
        for (uint32_t k = 0; k < 8 && j + k < count; k++)
            bits |= (uint32_t)(row[j + k] >= (Sample)~limits[j + k]) << (7 - k);
        out[j / 8] = (unsigned char)bits;
    }
}

template <class Sample>
__global__ void compare_kernel(const __grid_constant__ struct ordered_launch launch)
{
    constexpr int WORDS = GROUP * sizeof(Sample) / 4; /* of a thread */
    const uint32_t x = (blockIdx.x * THREADS + threadIdx.x) * GROUP;
    if (x >= launch.width)
        return;
    const struct row_walk walk = walk_of(launch);
    const Sample *at =
        (const Sample *)launch.limits + (size_t)walk.cell * launch.period + x % launch.period;
    uint32_t limits[WORDS];
#pragma unroll
    for (int i = 0; i < WORDS; i++)
        limits[i] = ((const uint32_t *)at)[i];
    const bool whole = launch.width - x >= GROUP;
#pragma unroll 4
    for (int r = 0; r < ROWS_AT_ONCE; r++) {
        const uint64_t y = walk.first + (uint64_t)r * launch.screen_height;
        if (y >= launch.rows)
            break;
        const Sample *row = (const Sample *)(launch.in + y * launch.in_pitch) + x;
        unsigned char *out = launch.out + y * launch.out_pitch + x / 8;
        if (whole)
            compare_group(row, limits, out);
        else
            compare_rest(row, at, launch.width - x, out);
    }
}

/* Words that begin at any sample. */
template <class Sample, int WORDS>
__device__ inline void read_limits(const Sample *at, uint32_t (&limits)[WORDS])
{
    const uint32_t *words = (const uint32_t *)((size_t)at & ~(size_t)3);
    const uint32_t bits = 8 * (uint32_t)((size_t)at & 3);
    uint32_t low = __ldg(words);
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        const uint32_t high = __ldg(words + i + 1);
        limits[i] = __funnelshift_r(low, high, bits);
        low = high;
    }
}

template <class Sample>
__global__ void shifted_kernel(const __grid_constant__ struct ordered_launch launch)
{
    constexpr int WORDS = GROUP * sizeof(Sample) / 4;
    const uint32_t x = (blockIdx.x * THREADS + threadIdx.x) * GROUP;
    if (x >= launch.width)
        return;
    const struct row_walk walk = walk_of(launch);
    const Sample *cells = (const Sample *)launch.limits + (size_t)walk.cell * launch.period;
    const uint32_t count = min(launch.width - x, (uint32_t)GROUP);
    uint32_t cell =
        (uint32_t)(((uint64_t)first_cell(launch, walk.first) + x) % launch.screen_width);
#pragma unroll 2
    for (int r = 0; r < ROWS_AT_ONCE; r++) {
        const uint64_t y = walk.first + (uint64_t)r * launch.screen_height;
        if (y >= launch.rows)
            break;
        const Sample *row = (const Sample *)(launch.in + y * launch.in_pitch) + x;
        unsigned char *out = launch.out + y * launch.out_pitch + x / 8;
        if (count == GROUP) {
            uint32_t limits[WORDS];
            read_limits(cells + cell, limits);
            compare_group(row, limits, out);
        } else {
            compare_rest(row, cells + cell, count, out);
        }
        cell = next_cell(launch, cell);
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

/* Limits of the cells, repeated to the period. */
template <class Sample>
static void fill_limits(const struct ordered_cuda_plan *plan, uint32_t period, Sample *limits)
{
    for (uint32_t y = 0; y < plan->screen_height; y++)
        for (uint32_t x = 0; x < period; x++)
            *limits++ = (Sample)~plan->smallest[plan->ranks[(size_t)y * plan->screen_width +
                                                            x % plan->screen_width]];
}

static size_t words_of(size_t entries) { return (entries + 3) / 4 * 4; } /* 16 bytes together */

static ro_status send_tables(struct ordered_cuda *work, const struct ordered_cuda_plan *plan)
{
    struct device_state *cuda = work->cuda;
    struct ordered_launch *launch = &work->launch;
    const size_t cells = (size_t)plan->screen_width * plan->screen_height;
    const bool reads_anew =
        plan->shift ||
        (uint64_t)common_period(plan->screen_width) * plan->screen_height > MOST_LIMITS;
    const uint32_t period = reads_anew ? plan->screen_width + 2 * GROUP /* a word is read more */
                                       : common_period(plan->screen_width);
    const size_t limits = (size_t)period * plan->screen_height;
    const bool compares = plan->smallest != NULL;
    const size_t ranks_at = words_of(plan->values), limits_at = ranks_at + words_of(cells);
    const size_t bytes =
        limits_at * sizeof(uint32_t) + (compares ? limits * (size_t)plan->sample_bytes : 0);
    uint32_t *host = (uint32_t *)calloc(1, bytes);
    void *memory = NULL;
    if (!host)
        return ro_context_fail(work->context, RO_E_MEMORY,
                               "no memory for a screen of %u x %u cells", plan->screen_width,
                               plan->screen_height);
    memcpy(host, plan->lookup, plan->values * sizeof *host);
    memcpy(host + ranks_at, plan->ranks, cells * sizeof *host);
    if (compares && plan->sample_bytes == 1)
        fill_limits(plan, period, (uint8_t *)(host + limits_at));
    else if (compares)
        fill_limits(plan, period, (uint16_t *)(host + limits_at));
    ro_status status = cuda_scratch_begin(cuda, cuda->compute);
    if (status == RO_OK)
        status = cuda_own(cuda, bytes, &memory);
    if (status == RO_OK)
        status =
            cuda_check(work->context,
                       cudaMemcpyAsync(memory, host, bytes, cudaMemcpyHostToDevice, cuda->compute),
                       "cudaMemcpyAsync");
    if (status == RO_OK)
        status = cuda_scratch_end(cuda, cuda->compute);
    free(host);
    work->tables = memory;
    launch->lookup = (const uint32_t *)memory;
    launch->values = plan->values;
    launch->ranks = launch->lookup + ranks_at;
    launch->limits = compares ? launch->lookup + limits_at : NULL;
    launch->period = period;
    launch->reads_anew = reads_anew;
    return status;
}

static void ordered_cuda_close(struct ordered_cuda *work)
{
    if (!work)
        return;
    cuda_disown(work->cuda, work->tables);
    free(work);
}

static ro_status ordered_cuda_open(ro_context *context, const struct ordered_cuda_plan *plan,
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
    made->launch.shift = plan->shift;
    made->launch.seed = plan->seed;
    ro_status status = cuda_of(context, &made->cuda);
    if (status == RO_OK)
        status = send_tables(made, plan);
    if (status != RO_OK) {
        ordered_cuda_close(made);
        return status;
    }
    *work = made;
    return RO_OK;
}

static uint64_t ordered_cuda_launches(const struct ordered_cuda *work) { return work->launches; }
/* ---- running ------------------------------------------------------------------------------- */

typedef void ordered_fn(const struct ordered_launch launch);

static ordered_fn *const compares[2][2] = {
    /* limits read anew; 16 bits */
    {compare_kernel<uint8_t>, compare_kernel<uint16_t>},
    {shifted_kernel<uint8_t>, shifted_kernel<uint16_t>},
};
static ordered_fn *const lookups[2][2][2] = {
    /* 16 bits, by hash, packed bits */
    {{lookup_kernel<uint8_t, false, false>, lookup_kernel<uint8_t, false, true>},
     {lookup_kernel<uint8_t, true, false>, lookup_kernel<uint8_t, true, true>}},
    {{lookup_kernel<uint16_t, false, false>, lookup_kernel<uint16_t, false, true>},
     {lookup_kernel<uint16_t, true, false>, lookup_kernel<uint16_t, true, true>}},
};

/* 65535 blocks fit one column of the grid; taller images take several launches. */
static ro_status launch_image(struct ordered_cuda *work, struct ordered_launch launch,
                              cudaStream_t stream)
{
    const bool wide = work->sample_bytes == 2;
    const size_t odd_in = (size_t)launch.in | launch.in_pitch;
    const size_t odd_out = (size_t)launch.out | launch.out_pitch;
    launch.aligned = odd_in % 16 == 0 && odd_out % (work->bits_out ? 4 : 8) == 0;
    const bool compared = launch.limits && launch.aligned;
    ordered_fn *kernel = compared ? compares[launch.reads_anew][wide]
                                  : lookups[wide][work->by_hash != 0][work->bits_out != 0];
    const uint32_t across = THREADS * (compared ? GROUP : SHARE);
    const uint64_t tall = (uint64_t)launch.screen_height * ROWS_AT_ONCE;
    const uint64_t most = 65535 / launch.screen_height * tall;
    for (uint64_t left = launch.rows; left > 0;) {
        const uint64_t now = left < most ? left : most;
        const uint64_t shares = (now + tall - 1) / tall;
        const dim3 grid((launch.width + across - 1) / across,
                        (unsigned)(shares * launch.screen_height));
        launch.rows = (uint32_t)now;
        kernel<<<grid, THREADS, 0, stream>>>(launch);
        RO_CUDA_TRY(work->context, cudaGetLastError());
        work->launches++;
        launch.in += now * launch.in_pitch;
        launch.out += now * launch.out_pitch;
        launch.first_row += (uint32_t)now;
        left -= now;
    }
    return RO_OK;
}

static ro_status run_band(void *data, const struct cuda_band *band, cudaStream_t stream)
{
    struct ordered_cuda *work = (struct ordered_cuda *)data;
    struct ordered_launch launch = work->launch;
    launch.in = band->in;
    launch.out = band->out;
    launch.in_pitch = band->in_pitch;
    launch.out_pitch = band->out_pitch;
    launch.rows = band->rows;
    launch.first_row = work->first_row + band->first;
    return launch_image(work, launch, stream);
}

static ro_status ordered_cuda_run(struct ordered_cuda *work, const struct ordered_cuda_rows *rows)
{
    const size_t in_bytes = (size_t)work->launch.width * (size_t)work->sample_bytes;
    const size_t out_bytes =
        work->bits_out ? ((size_t)work->launch.width + 7) / 8 : (size_t)work->launch.width;
    const size_t wanted = ((size_t)32 << 20) / in_bytes;
    const struct cuda_rows bands = {
        rows->in,   rows->in_stride,
        rows->out,  rows->out_stride,
        in_bytes,   out_bytes,
        rows->rows, (uint32_t)(wanted < 1 ? 1 : wanted < rows->rows ? wanted : rows->rows),
        NULL,       NULL,
        NULL};
    work->first_row = rows->first_row;
    return cuda_run_bands(work->cuda, &bands, run_band, work);
}

static ro_status ordered_cuda_run_resident(struct ordered_cuda *work, const ro_image *in,
                                           const ro_image *out, uint32_t images, void *stream)
{
    RO_TRY(cuda_scratch_begin(work->cuda, (cudaStream_t)stream));
    for (uint32_t i = 0; i < images; i++) {
        struct ordered_launch launch = work->launch;
        launch.in = (const unsigned char *)in[i].data;
        launch.out = (unsigned char *)out[i].data;
        launch.in_pitch = (size_t)in[i].stride;
        launch.out_pitch = (size_t)out[i].stride;
        launch.rows = in[i].height;
        RO_TRY(launch_image(work, launch, (cudaStream_t)stream));
    }
    return cuda_scratch_end(work->cuda, (cudaStream_t)stream);
}

static const struct ordered_cuda_calls calls = {
    ordered_cuda_open,     ordered_cuda_run,   ordered_cuda_run_resident,
    ordered_cuda_launches, ordered_cuda_close,
};
const struct ordered_cuda_calls *ordered_on_cuda = &calls;
