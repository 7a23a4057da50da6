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
 * servant on the same scheduler, which works while the chain waits (pairs_servant.cuh).
 *
 * A warp that has ended its band goes on with the block's next ticket, while those below it are
 * still at the last one: nobody waits for the whole block. One block to a multiprocessor: two would
 * slow down each other's chains by more than they hide.
 *
 * Words of four errors travel as in wave.cu, but 16 bits each, so that unpacking is one
 * permutation; in lines the tag is in spare bits of the upper two. A step is a column, a chunk is
 * 16.
 */
#include "halftone/diffusion/cuda/pairs_servant.cuh"
#include "halftone/diffusion/cuda/pairs_steps.cuh"

static const char lines_scratch = 0; /* key */

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

template <int ID>
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
        serve_bands(p, images, m, warp - WARPS, lane);
}

/* ---- host --------------------------------------------------------------------------------- */

template <int ID>
static ro_status launch_pairs(struct ro_cuda *cuda, struct diffusion_launch *p,
                              const struct diffusion_images *images, cudaStream_t stream)
{
    if constexpr (pair_kernel<ID>::fits) {
        const struct wave_form form = {(const void *)wave_pairs<ID>,
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

bool wave_pairs_fits(const struct ro_cuda *cuda, const struct diffusion_launch *p, int kernel_id,
                     int sample_bytes, bool fold)
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

ro_status wave_pairs_launch(struct ro_cuda *cuda, struct diffusion_launch *p,
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
