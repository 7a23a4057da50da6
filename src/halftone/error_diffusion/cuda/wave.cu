/* SPDX-License-Identifier: MIT */
/*
 * The wave on the device: a warp is a band of 32 rows, a lane is a row, four columns behind the
 * lane above (skew 4). One launch does whole images.
 *
 *     block    warp 0   rows 0..31      ring 0 <- fetcher warp <- lines in global memory
 *              warp 1   rows 32..63     ring 1 <- warp 0
 *              warp 2   rows 64..95     ring 2 <- warp 1
 *              warp 3   rows 96..127    ring 3 <- warp 2,  and -> lines in global memory
 *
 * From lane to lane errors move by shuffle; from warp to warp through a ring in shared memory; from
 * block to block through lines in global memory. Both hold words of four errors and a tag, which
 * says that the word is the one waited for: the reader polls the data itself, and no fence is
 * needed (a fence waits for the output's stores, a microsecond each time). A warp of its own polls
 * global memory ahead of time. Blocks take their rows by ticket: they only wait for blocks that run
 * already.
 *
 * Skew 4 makes a lane's columns aligned quads: one word of pixels, one ring entry and one word of
 * errors every four steps. Pixels are copied ahead, asynchronously, by each lane for itself.
 *
 * As on the CPU errors are biased so that they are never negative. Here the tone goes into the sum
 * undivided, and rounding to two levels is one instruction: u = min(t, t - divisor * white), whose
 * quotient by the divisor is the new error and whose remainder is the carry. Of many levels the
 * tone above the level below goes in, and white is the step between these two levels.
 */
#include "halftone/error_diffusion/cuda/wave_block.cuh"

const char wave_lines_scratch = 0;
static const char ticket_scratch = 0; /* a key */

ro_status wave_start(struct device_state *cuda, struct diffusion_launch *p,
                     const struct diffusion_images *images, const struct wave_form *form,
                     cudaStream_t stream)
{
    ro_context *context = cuda->context;
    int resident = 0;
    RO_CUDA_TRY(context,
                cudaFuncSetAttribute(form->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     (int)form->shared_bytes));
    RO_CUDA_TRY(context, cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                             &resident, form->kernel, form->threads, form->shared_bytes));
    if (form->resident && resident > form->resident)
        resident = form->resident;
    const unsigned most = (unsigned)(resident * cuda->processors);
    const unsigned grid = p->blocks < most ? p->blocks : most;

    void *lines, *ticket;
    RO_TRY(
        cuda_reserve(cuda, form->lines, (size_t)p->blocks * form->line_words * 8, stream, &lines));
    struct cuda_scratch *tagged = cuda_scratch_of(cuda, form->lines); /* counts the tags */
    if (++tagged->count > form->last_tag) { /* they begin anew, so the old ones must go */
        RO_CUDA_TRY(context, cudaMemsetAsync(lines, 0, tagged->bytes, stream));
        tagged->count = 1;
    }
    RO_TRY(cuda_reserve(cuda, &ticket_scratch, sizeof(unsigned), stream, &ticket));
    struct cuda_scratch *tickets = cuda_scratch_of(cuda, &ticket_scratch);
    p->lines = (unsigned long long *)lines;
    p->ticket = (unsigned *)ticket;
    p->first_ticket = tickets->count; /* given out so far */
    p->tag = tagged->count;
    void *arguments[] = {p, const_cast<struct diffusion_images *>(images)};
    RO_CUDA_TRY(context, cudaLaunchKernel(form->kernel, dim3(grid), dim3((unsigned)form->threads),
                                          arguments, form->shared_bytes, stream));
    /* Every block of the grid takes one ticket in vain at the end. */
    tickets->count += p->blocks + grid;
    return RO_OK;
}

ro_status wave_launch(struct device_state *cuda, struct diffusion_launch *p,
                      const struct diffusion_images *images, int kernel_id, int sample_bytes,
                      bool fold, cudaStream_t stream, struct diffusion_cuda_count *count)
{
    if (!p->quads_only && wave_pairs_fits(cuda, p, kernel_id, sample_bytes, fold))
        return wave_pairs_launch(cuda, p, images, kernel_id, stream, count);
    p->blocks = (unsigned)((p->rows + BLOCK_ROWS - 1) / BLOCK_ROWS) * (unsigned)p->images;
    count->launches++;
    count->steps += (uint64_t)p->width + 4 * (uint64_t)p->rows;
    if (!fold)
        return wave_numbers_launch(cuda, p, images, kernel_id, sample_bytes, stream);
    return sample_bytes == 1 ? launch_kernel<1, FOLD>(cuda, p, images, kernel_id, stream)
                             : launch_kernel<2, FOLD>(cuda, p, images, kernel_id, stream);
}
