/* SPDX-License-Identifier: MIT */
/*
 * The wave with two rows to a lane, for small kernels and 8-bit pixels: a warp is a band of 64
 * rows.
 *
 *     lane l    row 2l      column x          the low half of a register
 *               row 2l+1    column x - 2      the high half
 *     lane l+1  row 2l+2    column x - 5
 *
 * Sums of 16 times 12 bits fit 16, so one instruction serves both rows: a plain one, as long as no
 * half runs over, and for the rounding one that adds and takes the minimum by halves. Errors go
 * down a row by one shuffle and one permutation, which puts what the lane above left beside what
 * the own upper row left; the shuffle has a step of its own, which is the fifth column.
 *
 *     block    warp 0   rows 0..63      ring 0 <- fetcher warp <- lines in global memory
 *              warp 1   rows 64..127    ring 1 <- warp 0       ...
 *              warp 3   rows 192..255   ring 3 <- warp 2,  and -> lines in global memory
 *
 * These four do nothing but the steps, which are one long chain (pairs_steps.cuh). Each has a
 * servant on the same scheduler, which works while the chain waits (pairs_io_warps.cuh).
 *
 * A warp that has ended its band goes on with the block's next ticket, while those below it are
 * still at the last one: nobody waits for the whole block. One block to a multiprocessor: two would
 * slow down each other's chains by more than they hide.
 *
 * Words of four errors travel as in wave.cu, but 16 bits each, so that unpacking is one
 * permutation; in lines the tag is in spare bits of the upper two. A step is a column, a chunk is
 * 16.
 */
#include "halftone/error_diffusion/cuda/pairs_block.cuh"

static const char lines_scratch = 0; /* key */

template <int ID>
static ro_status launch_pairs(struct device_state *cuda, struct diffusion_launch *p,
                              const struct diffusion_images *images, cudaStream_t stream)
{
    if constexpr (pair_kernel<ID>::fits) {
        const struct wave_form form = {(const void *)wave_pairs<ID, rows_in>,
                                       THREADS,
                                       sizeof(pair_memory),
                                       &lines_scratch,
                                       (size_t)line_chunks(*p) * CHUNK_WORDS,
                                       0xff,
                                       1};
        return wave_start(cuda, p, images, &form, stream);
    }
    return RO_E_ARGUMENT;
}

bool wave_pairs_fits(const struct device_state *cuda, const struct diffusion_launch *p,
                     int kernel_id, int sample_bytes, bool fold)
{
    bool fits = false;
    int shared_bytes = 0; /* older devices have too little */
    if (cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                               cuda->device) != cudaSuccess ||
        shared_bytes < (int)sizeof(pair_memory))
        return false;
    switch (kernel_id) {
#define ENTRY(id)                                                                                  \
    case id:                                                                                       \
        fits = pair_kernel<id>::fits;                                                              \
        break;
        FOR_EACH_DIFFUSION_KERNEL(ENTRY)
#undef ENTRY
    }
    return fits && fold && sample_bytes == 1 && p->white == WHITE && p->width >= TURN;
}

ro_status wave_pairs_launch(struct device_state *cuda, struct diffusion_launch *p,
                            const struct diffusion_images *images, int kernel_id,
                            cudaStream_t stream, struct diffusion_cuda_count *count)
{
    p->blocks = (unsigned)((p->rows + BLOCK_ROWS - 1) / BLOCK_ROWS) * (unsigned)p->images;
    count->launches++;
    count->steps += (uint64_t)p->width + (uint64_t)p->rows * SKEW / 2;
    switch (kernel_id) {
#define ENTRY(id)                                                                                  \
    case id:                                                                                       \
        return launch_pairs<id>(cuda, p, images, stream);
        FOR_EACH_DIFFUSION_KERNEL(ENTRY)
    }
    return RO_E_ARGUMENT;
}
