/* SPDX-License-Identifier: MIT */
/*
 * Acuity on the device: the frame of wave.cu, four warps of 32 rows to a block, with the steps of
 * acuity_steps.cuh.
 *
 *     block    fetcher  a line in global memory -> ring 0
 *              warp 0   rows 0..31      ring 0 -> ring 1
 *              warp 1   rows 32..63     ring 1 -> ring 2
 *              warp 3   rows 96..127    ring 3 -> ring 4
 *              sender   ring 4 -> a line in global memory
 *
 * A counter says how much of a ring is there; in global memory, where nothing is in order, every
 * word has a tag beside it. The warps between know nothing of global memory.
 */
#include "halftone/error_diffusion/cuda/acuity_steps.cuh"

enum { FETCHER = WARPS, SENDER, THREADS = (SENDER + 1) * 32 };

static const char lines_scratch = 0; /* key */

/* Brings what the rows above the block have sent into ring 0. Lane l polls the
 * quads that leave l when divided by 32; what is there without a gap is handed on. */
template <class FORM>
static __device__ __forceinline__ void fetch_line(const diffusion_launch &p, acuity_memory<FORM> &m,
                                                  const unsigned long long *line, unsigned tag,
                                                  int lane)
{
    const int quads = line_quads(p.width);
    int base = 0, mine = lane;
    bool have = false;
    unsigned found[FORM::words][4] = {};
    SPIN_COUNT;
    while (base < quads) {
        if (!have && mine < quads) {
            have = true;
#pragma unroll
            for (int i = 0; i < FORM::words * 4 && line; i++) {
                unsigned long long word;
                asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                             : "=l"(word)
                             : "l"(line + (size_t)mine * 4 * FORM::words + i)
                             : "memory");
                found[i / 4][i % 4] = (unsigned)word;
                have &= (unsigned)(word >> 32) == tag;
            }
        }
        const int count = there_in_a_row(have, base);
        if (count == 0) {
            SPIN_CHECK;
            __nanosleep(20);
            continue;
        }
        wait_for(&m.consumed[0], base + count - RING);
        if (have && mine < base + count) {
#pragma unroll
            for (int i = 0; i < FORM::words; i++)
                m.ring[0][mine & (RING - 1)][i] = {found[i][0], found[i][1], found[i][2],
                                                   found[i][3]};
            mine += 32;
            have = false;
        }
        base += count;
        __syncwarp();
        if (lane == 0)
            *(volatile int *)&m.sent[0] = base;
    }
}

/* Takes what the last rows send from ring `which` to a line; NULL: nobody wants it. */
template <class FORM>
static __device__ __forceinline__ void send_line(const diffusion_launch &p, acuity_memory<FORM> &m,
                                                 int which, unsigned long long *line, int lane)
{
    const int quads = line_quads(p.width);
    SPIN_COUNT;
    for (int base = 0; base < quads;) {
        const int there = __shfl_sync(0xffffffff, look_at(&m.sent[which]), 0);
        const int count = min(there - base, 32), mine = base + lane;
        if (count <= 0) {
            SPIN_CHECK;
            __nanosleep(20);
            continue;
        }
#pragma unroll
        for (int i = 0; i < FORM::words; i++) {
            const uint4 words = load_words(&m.ring[which][mine & (RING - 1)][i]);
#pragma unroll
            for (int q = 0; q < 4; q++)
                if (line && lane < count)
                    asm volatile("st.relaxed.gpu.global.v2.u32 [%0], {%1, %2};" ::"l"(
                                     line + ((size_t)mine * FORM::words + i) * 4 + q),
                                 "r"(word_of(words, q)), "r"(p.tag)
                                 : "memory");
        }
        base += count;
        __syncwarp();
        if (lane == 0)
            m.consumed[which] = base;
    }
}

template <class FORM>
static __device__ __forceinline__ void
run_band(const diffusion_launch &p, const diffusion_images &images, acuity_memory<FORM> &m,
         int image, int row, int warp, int lane)
{
    const bool exists = row + lane < p.rows;
    unsigned char *to = images.out[image] + (size_t)(row + lane) * p.out_pitch;
    acuity_band<FORM> band = {p,  m,  warp, lane, exists ? to : NULL, m.staged[warp][lane],
                              {}, {}, 0};
    band.run(images.in[image] + (size_t)(exists ? row + lane : 0) * p.in_pitch,
             exists ? p.width * FORM::sample_bytes : 0);
}

template <class FORM>
static __global__ void __launch_bounds__(THREADS, 1)
    acuity_wave(const __grid_constant__ diffusion_launch p,
                const __grid_constant__ diffusion_images images)
{
    extern __shared__ __align__(16) unsigned char memory[];
    acuity_memory<FORM> &m = *(acuity_memory<FORM> *)memory;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const size_t line_words = (size_t)line_quads(p.width) * 4 * FORM::words;
    for (int i = threadIdx.x; i < FORM::entries; i += blockDim.x)
        m.table[i] = ((const uint4 *)p.table)[i];
    auto clear = [&] {
        if (threadIdx.x <= WARPS)
            m.consumed[threadIdx.x] = m.sent[threadIdx.x] = 0;
    };
    by_ticket(p, &m.ticket, clear, [&](unsigned ticket) {
        const int image = (int)(ticket % (unsigned)p.images);
        const int number = (int)(ticket / (unsigned)p.images), row = number * BLOCK_ROWS;
        const int warps = min(WARPS, (p.rows - row + LANES - 1) / LANES);
        /* The line that a ticket's rows leave has the ticket's place. */
        unsigned long long *line = p.lines + (size_t)ticket * line_words;
        if (warp == FETCHER)
            fetch_line(p, m, number ? line - (size_t)p.images * line_words : p.above,
                       number ? p.tag : p.above_tag, lane);
        else if (warp == SENDER)
            send_line(p, m, warps, row + BLOCK_ROWS < p.rows ? line : p.left_below, lane);
        else if (warp < warps)
            run_band(p, images, m, image, row + warp * LANES, warp, lane);
    });
}

/* ---- host --------------------------------------------------------------------------------- */

size_t acuity_line_words(int width, int sample_bytes)
{
    return (size_t)line_quads(width) * 4 * (sample_bytes == 1 ? 1 : 2);
}

template <class FORM>
static ro_status launch_form(struct device_state *cuda, struct diffusion_launch *p,
                             const struct diffusion_images *images, cudaStream_t stream)
{
    const struct wave_form form = {(const void *)acuity_wave<FORM>,
                                   THREADS,
                                   sizeof(acuity_memory<FORM>),
                                   &lines_scratch,
                                   acuity_line_words(p->width, FORM::sample_bytes),
                                   0xffff,
                                   0};
    return wave_start(cuda, p, images, &form, stream);
}

ro_status acuity_launch(struct device_state *cuda, struct diffusion_launch *p,
                        const struct diffusion_images *images, int sample_bytes,
                        cudaStream_t stream, struct diffusion_cuda_count *count)
{
    p->blocks = (unsigned)((p->rows + BLOCK_ROWS - 1) / BLOCK_ROWS) * (unsigned)p->images;
    count->launches++;
    count->steps += (uint64_t)p->width + 4 * (uint64_t)p->rows;
    if (sample_bytes == 1)
        return p->bits_out ? launch_form<narrow<true>>(cuda, p, images, stream)
                           : launch_form<narrow<false>>(cuda, p, images, stream);
    return p->bits_out ? launch_form<wide_bits>(cuda, p, images, stream)
                       : launch_form<wide_levels>(cuda, p, images, stream);
}
