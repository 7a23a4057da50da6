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
 * quotient by the divisor is the new error and whose remainder is the carry.
 */
#include "halftone/diffusion/cuda/wave_steps.cuh"

static const char lines_scratch = 0, ticket_scratch = 0; /* keys */

/* The fifth warp: brings the errors of the rows above the block into ring 0. Lane l polls the quads
 * that leave l when divided by 32; what is there without a gap is handed on. */
template <int ID, int SAMPLE_BYTES>
static __device__ __forceinline__ void
fetch_lines(const diffusion_launch &p, shared_memory<ID, SAMPLE_BYTES> &s,
            const unsigned long long *lines, unsigned tag, int lane)
{
    constexpr int rows_down = kernel_of<ID>::rows_down, words = depth<SAMPLE_BYTES>::words;
    const int quads = (p.width + 3) / 4;
    int base = 1 - rows_down; /* line d runs d quads ahead of line 0 */
    int mine = base + ((lane - base) & 31);
    bool have = false;
    quad_words<words> found[rows_down];
    SPIN_COUNT;
    while (base < quads) {
        if (!have && mine < quads) {
            have = true;
#pragma unroll
            for (int d = 0; d < rows_down; d++) {
                int quad = mine + d;
                if (quad < 0 || quad >= quads)
                    continue;
                if (lines) {
                    found[d] = load_global<words>(lines + ((size_t)d * quads + quad) * words);
                    have &= tagged(found[d], tag);
                } else {
                    unsigned zero[4] = {p.bias, p.bias, p.bias, p.bias};
                    found[d] = pack(zero, 0, quad_words<words>());
                }
            }
        }
        const int count = there_in_a_row(have, base);
        if (count == 0) {
            SPIN_CHECK;
            __nanosleep(20);
            continue;
        }
        wait_for(&s.consumed[0], base + count - (RING - 2 * rows_down - GROUP));
        if (have && mine < base + count) {
#pragma unroll
            for (int d = 0; d < rows_down; d++) {
                int quad = mine + d;
                for (int i = 0; i < words; i++)
                    found[d].high[i] = (found[d].high[i] & 0xffff) | ring_tag(quad) << 16;
                if (quad >= 0 && quad < quads)
                    store_quad(&s.ring[0][d][ring_place(quad) * words], found[d]);
            }
            mine += 32;
            have = false;
        }
        base += count;
    }
}

template <int ID, int SAMPLE_BYTES, bool FOLD>
static __global__ void __launch_bounds__((WARPS + 1) * 32)
    wave(const __grid_constant__ diffusion_launch p,
         const __grid_constant__ diffusion_images images)
{
    extern __shared__ __align__(16) unsigned char memory[];
    auto &s = *(shared_memory<ID, SAMPLE_BYTES> *)memory;
    constexpr int rows_down = kernel_of<ID>::rows_down, words = depth<SAMPLE_BYTES>::words;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const size_t line_words = (size_t)((p.width + 3) / 4) * words;
    auto clear = [&] {
        if (threadIdx.x <= WARPS)
            s.consumed[threadIdx.x] = 0;
        for (int i = threadIdx.x; i < WARPS * rows_down * RING * words; i += blockDim.x)
            (&s.ring[0][0][0])[i] = 0;
    };
    by_ticket(p, &s.ticket, clear, [&](unsigned ticket) {
        const int image = (int)(ticket % (unsigned)p.images);
        const int number = (int)(ticket / (unsigned)p.images), row = number * BLOCK_ROWS;
        const int warps = min(WARPS, (p.rows - row + LANES - 1) / LANES);
        /* The lines that a ticket's rows leave have the ticket's place. */
        unsigned long long *lines = p.lines + (size_t)ticket * rows_down * line_words;
        if (warp == WARPS) {
            if (number)
                fetch_lines<ID, SAMPLE_BYTES>(
                    p, s, lines - (size_t)p.images * rows_down * line_words, p.tag, lane);
            else
                fetch_lines<ID, SAMPLE_BYTES>(p, s, p.above, p.above_tag, lane);
        } else if (warp < warps) {
            outlet out = {};
            if (warp + 1 < warps) {
                out.words = &s.ring[warp + 1][0][0];
                out.consumed = &s.consumed[warp + 1];
            } else {
                out.words = row + BLOCK_ROWS < p.rows ? lines : p.left_below;
                out.pitch = (unsigned)((p.width + 3) / 4);
            }
            run_band<ID, SAMPLE_BYTES, FOLD>(p, images, s, image, row + warp * LANES, warp, lane,
                                             out);
        }
    });
}

/* ---- host --------------------------------------------------------------------------------- */

ro_status wave_start(struct ro_cuda *cuda, struct diffusion_launch *p,
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
    RO_TRY(ro_cuda_reserve(cuda, form->lines, (size_t)p->blocks * form->line_words * 8, stream,
                           &lines));
    struct ro_cuda_scratch *tagged = ro_cuda_scratch_of(cuda, form->lines); /* counts the tags */
    if (++tagged->count > form->last_tag) { /* they begin anew, so the old ones must go */
        RO_CUDA_TRY(context, cudaMemsetAsync(lines, 0, tagged->bytes, stream));
        tagged->count = 1;
    }
    RO_TRY(ro_cuda_reserve(cuda, &ticket_scratch, sizeof(unsigned), stream, &ticket));
    struct ro_cuda_scratch *tickets = ro_cuda_scratch_of(cuda, &ticket_scratch);
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

template <int ID, int SAMPLE_BYTES, bool FOLD>
static ro_status launch_one(struct ro_cuda *cuda, struct diffusion_launch *p,
                            const struct diffusion_images *images, cudaStream_t stream)
{
    const size_t bytes = sizeof(shared_memory<ID, SAMPLE_BYTES>);
    const struct wave_form form = {(const void *)wave<ID, SAMPLE_BYTES, FOLD>,
                                   (WARPS + 1) * 32,
                                   bytes,
                                   &lines_scratch,
                                   (size_t)kernel_of<ID>::rows_down * ((p->width + 3) / 4) *
                                       depth<SAMPLE_BYTES>::words,
                                   0xffff,
                                   0};
    p->minus_white = 0u - (unsigned)kernel_of<ID>::divisor * p->white;
    return wave_start(cuda, p, images, &form, stream);
}

template <int ID>
static ro_status launch_kernel(struct ro_cuda *cuda, struct diffusion_launch *p,
                               const struct diffusion_images *images, int sample_bytes, bool fold,
                               cudaStream_t stream)
{
    if (sample_bytes == 1)
        return fold ? launch_one<ID, 1, true>(cuda, p, images, stream)
                    : launch_one<ID, 1, false>(cuda, p, images, stream);
    return fold ? launch_one<ID, 2, true>(cuda, p, images, stream)
                : launch_one<ID, 2, false>(cuda, p, images, stream);
}

ro_status wave_launch(struct ro_cuda *cuda, struct diffusion_launch *p,
                      const struct diffusion_images *images, int kernel_id, int sample_bytes,
                      bool fold, cudaStream_t stream, struct diffusion_cuda_count *count)
{
    if (!p->quads_only && wave_pairs_fits(cuda, p, kernel_id, sample_bytes, fold))
        return wave_pairs_launch(cuda, p, images, kernel_id, stream, count);
    p->blocks = (unsigned)((p->rows + BLOCK_ROWS - 1) / BLOCK_ROWS) * (unsigned)p->images;
    count->launches++;
    count->steps += (uint64_t)p->width + 4 * (uint64_t)p->rows;
    switch (kernel_id) {
#define ENTRY(id)                                                                                  \
    case id:                                                                                       \
        return launch_kernel<id>(cuda, p, images, sample_bytes, fold, stream);
        FOR_EACH_DIFFUSION_KERNEL(ENTRY)
    }
    return ro_context_fail(cuda->context, RO_E_UNSUPPORTED,
                           "the wave on CUDA runs built-in kernels only");
}
