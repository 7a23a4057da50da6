/* SPDX-License-Identifier: MIT */
/* A block of the wave (wave.cu): the fetcher, the kernel, and its launch. Two levels to packed bits
 * and numbers of levels are compiled apart, for there are many kernels. */
#ifndef RO_HALFTONE_ERROR_DIFFUSION_CUDA_WAVE_BLOCK_CUH
#define RO_HALFTONE_ERROR_DIFFUSION_CUDA_WAVE_BLOCK_CUH

#include "halftone/error_diffusion/cuda/wave_steps.cuh"

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

template <int ID, int SAMPLE_BYTES, levels_form FORM>
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
            run_band<ID, SAMPLE_BYTES, FORM>(p, images, s, image, row + warp * LANES, warp, lane,
                                             out);
        }
    });
}

/* ---- host --------------------------------------------------------------------------------- */

template <int ID, int SAMPLE_BYTES, levels_form FORM>
static ro_status launch_one(struct device_state *cuda, struct diffusion_launch *p,
                            const struct diffusion_images *images, cudaStream_t stream)
{
    const size_t bytes = sizeof(shared_memory<ID, SAMPLE_BYTES>);
    const struct wave_form form = {(const void *)wave<ID, SAMPLE_BYTES, FORM>,
                                   (WARPS + 1) * 32,
                                   bytes,
                                   &wave_lines_scratch,
                                   (size_t)kernel_of<ID>::rows_down * ((p->width + 3) / 4) *
                                       depth<SAMPLE_BYTES>::words,
                                   0xffff,
                                   0};
    const unsigned divisor = (unsigned)kernel_of<ID>::divisor;
    p->minus_white = 0u - divisor * (FORM == FOLD ? p->white : p->steps.gap);
    p->steps.gap_sum = divisor * p->steps.gap;
    p->steps.limit_sum = divisor * p->steps.limit;
    return wave_start(cuda, p, images, &form, stream);
}

template <int SAMPLE_BYTES, levels_form FORM>
static ro_status launch_kernel(struct device_state *cuda, struct diffusion_launch *p,
                               const struct diffusion_images *images, int kernel_id,
                               cudaStream_t stream)
{
    switch (kernel_id) {
#define ENTRY(id)                                                                                  \
    case id:                                                                                       \
        return launch_one<id, SAMPLE_BYTES, FORM>(cuda, p, images, stream);
        FOR_EACH_DIFFUSION_KERNEL(ENTRY)
#undef ENTRY
    }
    return ro_context_fail(cuda->context, RO_E_UNSUPPORTED,
                           "the wave on CUDA runs built-in kernels only");
}

#endif
