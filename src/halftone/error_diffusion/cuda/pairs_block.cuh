/* SPDX-License-Identifier: MIT */
/* A block of the wave with two rows to a lane (wave_pairs.cu): the fetcher, the bands, the kernel.
 */
#ifndef RO_HALFTONE_ERROR_DIFFUSION_CUDA_PAIRS_BLOCK_CUH
#define RO_HALFTONE_ERROR_DIFFUSION_CUDA_PAIRS_BLOCK_CUH

#include "halftone/error_diffusion/cuda/pairs_io_warps.cuh"
#include "halftone/error_diffusion/cuda/pairs_steps.cuh"

/* The fetcher: brings the errors of the row above the block into ring 0. Lane l polls the words
 * that leave l when divided by 32; what is there without a gap is handed on. */
static __device__ __forceinline__ void fetch_line(const diffusion_launch &p, pair_memory &m,
                                                  const unsigned long long *line, unsigned tag,
                                                  int count, int lane)
{
    const int chunks = line_chunks(p), words = chunks * CHUNK_WORDS;
    const int first = count * chunks, clock = count * band_chunks(p);
    const unsigned wanted = spread_tag(tag), sent = shared_address(&m.desks[0].in.sent);
    int base = 0, mine = lane;
    bool have = false;
    unsigned long long found = word_of(both(p.bias), both(p.bias));
    SPIN_COUNT;
    while (base < words) {
        if (!have && mine < words) {
            if (line)
                asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                             : "=l"(found)
                             : "l"(line + mine)
                             : "memory");
            have = !line || (high_of(found) & tag_bits) == wanted;
        }
        const int more = there_in_a_row(have, base);
        if (more == 0) {
            SPIN_CHECK;
            __nanosleep(base ? 20 : 200);
            continue;
        }
        wait_at_ease(&m.fetcher_room, first + (base + more + CHUNK_WORDS - 1) / CHUNK_WORDS, 500);
        if (have && mine < base + more) {
            const unsigned long long word = word_of((unsigned)found, high_of(found) & ~tag_bits);
            const int place = (first * CHUNK_WORDS + mine) % (RING * CHUNK_WORDS);
            asm volatile(
                "st.relaxed.cta.shared.u64 [%0], %1;" ::"r"(shared_address(&m.ring[0][place])),
                "l"(word)
                : "memory");
            mine += 32;
            have = false;
        }
        base += more;
        __syncwarp();
        tell(sent, clock + base / CHUNK_WORDS - 1, lane == 0);
    }
    tell(sent, clock + band_chunks(p) - 1, lane == 0); /* beyond the last column anything will do */
}

/* The line that a ticket's rows leave has the ticket's place. */
static __device__ __forceinline__ unsigned long long *line_of(const diffusion_launch &p,
                                                              const piece &piece)
{
    const size_t ticket = (size_t)piece.number * (size_t)p.images + (size_t)piece.image;
    return p.lines + ticket * (size_t)line_chunks(p) * CHUNK_WORDS;
}

static __device__ __forceinline__ void fetch_lines(const diffusion_launch &p, pair_memory &m,
                                                   int lane)
{
    for (int count = 0;; count++) {
        const unsigned ticket = take_ticket(p, m, count, lane);
        if (ticket >= p.blocks)
            return;
        if (ticket < (unsigned)p.images)
            fetch_line(p, m, p.above, p.above_tag, count, lane);
        else
            fetch_line(p, m,
                       p.lines + (size_t)(ticket - (unsigned)p.images) * (size_t)line_chunks(p) *
                                     CHUNK_WORDS,
                       p.tag, count, lane);
    }
}

template <int ID>
static __device__ __forceinline__ void run_bands(const diffusion_launch &p, pair_memory &m,
                                                 int warp, int lane)
{
    band_counts count = {};
    piece piece;
    for (int tickets = 0; see_ticket(p, m, tickets, warp, lane, piece); tickets++) {
        if (warp < piece.warps) {
            outlet out = {};
            out.to_ring = warp + 1 < piece.warps;
            if (!out.to_ring) {
                out.line = piece.row + BLOCK_ROWS < p.rows ? line_of(p, piece) : p.left_below;
                out.tag = spread_tag(p.tag);
            }
            band<ID>(p, m, warp, lane, count, out).run();
        }
        count.above += warp - 1 < piece.warps;
        count.own += warp < piece.warps;
        count.below += warp + 1 < piece.warps;
    }
}

/* ROWS: where tones come from and where bits go (pairs_io_warps.cuh, bench/terapixel/made_cuda.cu).
 */
template <int ID, class ROWS>
static __global__ void __launch_bounds__(THREADS, 1)
    wave_pairs(const __grid_constant__ diffusion_launch p,
               const __grid_constant__ diffusion_images images)
{
    extern __shared__ __align__(16) unsigned char memory[];
    pair_memory &m = *(pair_memory *)memory;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (threadIdx.x < WARPS) {
        desk &d = m.desks[threadIdx.x];
        d.in.served = d.in.sent = -1;
        d.in.room = LAG - 1 + RING;
        d.done = 0;
    }
    /* Beyond the last column any errors will do, but errors they must be. */
    for (unsigned i = threadIdx.x; i < WARPS * RING * CHUNK_WORDS; i += blockDim.x)
        (&m.ring[0][0])[i] = 0;
    if (threadIdx.x < 2 * WARPS)
        m.read[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        m.published = 0;
        m.fetcher_room = RING;
    }
    __syncthreads();
    if (warp == FETCHER)
        fetch_lines(p, m, lane);
    else if (warp < WARPS)
        run_bands<ID>(p, m, warp, lane);
    else
        serve_bands<ROWS>(p, images, m, warp - WARPS, lane);
}

#endif
