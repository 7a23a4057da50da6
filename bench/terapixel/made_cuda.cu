/* SPDX-License-Identifier: MIT */
/*
 * The wave with two rows to a lane over a picture that is nowhere stored (made.h): the servants
 * make tones from the place of a pixel, and hash bits instead of writing them. The rest is as in
 * wave_pairs.cu.
 */
#include "bench/terapixel/made.h"
#include "halftone/error_diffusion/cuda/pairs_block.cuh"

static const char lines_scratch = 0, hash_scratch = 0; /* keys */

struct rows_made {
    unsigned step[2]; /* of the lane's rows */
    unsigned row;     /* whose bits come: the upper one */
    unsigned half[2]; /* the first 32 bits of a word */
    uint64_t hash;
};

static __device__ __forceinline__ void aim_rows(rows_made &in, const diffusion_launch &,
                                                const unsigned char *, int row, int lane, unsigned)
{
    for (int r = 0; r < 2; r++)
        in.step[r] = made_step((unsigned)(row + 2 * lane + r));
}
static __device__ __forceinline__ void open_rows(rows_made &) {}

/* Left of the image tones are zeros; to the right of it they may be what they are. */
template <bool LEFT>
static __device__ __forceinline__ void fill_tones(const rows_made &in, int column,
                                                  uint4 (*tones)[LANES], int lane)
{
    unsigned product[2];
#pragma unroll
    for (int r = 0; r < 2; r++)
        product[r] = (unsigned)(column - 2 * r) * in.step[r];
#pragma unroll
    for (int c = 0; c < CHUNK / 4; c++) {
        unsigned four[4];
#pragma unroll
        for (int q = 0; q < 4; q++) {
            /* 16 times the sample, each row in its half */
            unsigned tone = (product[0] >> 13 & 0xff0) | (product[1] << 3 & 0xff00000);
            if (LEFT && column + 4 * c + q < 2)
                tone &= column + 4 * c + q < 0 ? 0 : 0xffff;
            four[q] = tone;
            product[0] += in.step[0];
            product[1] += in.step[1];
        }
        tones[c][lane] = {four[0], four[1], four[2], four[3]};
    }
}
static __device__ __forceinline__ void make_tones(rows_made &in, int chunk, uint4 (*tones)[LANES],
                                                  int lane)
{
    const int column = chunk * CHUNK + first_column(lane, 0);
    if (chunk < LAG)
        fill_tones<true>(in, column, tones, lane);
    else
        fill_tones<false>(in, column, tones, lane);
}

static __device__ __forceinline__ void aim_bits(rows_made &in, const diffusion_launch &,
                                                unsigned char *, int row)
{
    in.row = (unsigned)row;
}

/* As put_word, but 64 bits make a word. */
static __device__ __forceinline__ void put_bits(rows_made &in, const diffusion_launch &p, int r,
                                                int done, unsigned before, unsigned now)
{
    const int word = (done >> 5) - 1, columns = p.width - word * 32;
    unsigned bits = __funnelshift_r(now, before, done & 31);
    if (in.row + (unsigned)r >= (unsigned)p.rows || word < 0 || columns <= 0)
        return;
    if (columns < 32)
        bits &= 0xffffffffu << (32 - columns);
    if (word % 2 == 0) {
        in.half[r] = bits;
        if (columns > 32)
            return;
        bits = 0;
    }
    in.hash +=
        made_hash((uint64_t)in.half[r] << 32 | bits, in.row + (unsigned)r, (unsigned)word / 2);
}
static __device__ __forceinline__ void close_rows(const rows_made &in, const diffusion_launch &p)
{
    atomicAdd(p.hash, (unsigned long long)in.hash);
}

ro_status diffusion_cuda_made(ro_context *context, uint32_t side, uint64_t *hash, double *ms)
{
    struct device_state *cuda;
    struct diffusion_launch launch = {};
    struct diffusion_images images = {};
    void *sum;
    *hash = 0;
    *ms = 0;
    if (side < TURN)
        return ro_context_fail(context, RO_E_ARGUMENT, "%u pixels to a side: on CUDA at least %d",
                               side, (int)TURN);
    RO_TRY(cuda_of(context, &cuda));
    launch.width = launch.rows = (int)side;
    launch.images = 1;
    launch.bits_out = 1;
    launch.white = WHITE;
    launch.bias = WHITE / 2 - 1;
    launch.blocks = (side + BLOCK_ROWS - 1) / BLOCK_ROWS;
    const struct wave_form form = {(const void *)wave_pairs<KERNEL_FLOYD_STEINBERG, rows_made>,
                                   THREADS,
                                   sizeof(pair_memory),
                                   &lines_scratch,
                                   (size_t)line_chunks(launch) * CHUNK_WORDS,
                                   0xff,
                                   1};
    RO_TRY(cuda_scratch_begin(cuda, cuda->compute));
    RO_TRY(cuda_reserve(cuda, &hash_scratch, sizeof(uint64_t), cuda->compute, &sum));
    RO_CUDA_TRY(context, cudaMemsetAsync(sum, 0, sizeof(uint64_t), cuda->compute));
    launch.hash = (unsigned long long *)sum;
    RO_TRY(cuda_timer_start(context));
    RO_TRY(wave_start(cuda, &launch, &images, &form, cuda->compute));
    RO_TRY(cuda_timer_stop(context, ms));
    RO_CUDA_TRY(context, cudaMemcpyAsync(hash, sum, sizeof(uint64_t), cudaMemcpyDeviceToHost,
                                         cuda->compute));
    RO_CUDA_TRY(context, cudaStreamSynchronize(cuda->compute));
    return cuda_scratch_end(cuda, cuda->compute);
}
