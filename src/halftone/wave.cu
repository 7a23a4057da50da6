/* SPDX-License-Identifier: MIT */
/*
 * The wave on the device: a warp is a band of 32 rows, a lane is a row, four columns behind the lane
 * above (skew 4). One launch does whole images.
 *
 *     block    warp 0   rows 0..31      ring 0 <- fetcher warp <- lines in global memory
 *              warp 1   rows 32..63     ring 1 <- warp 0
 *              warp 2   rows 64..95     ring 2 <- warp 1
 *              warp 3   rows 96..127    ring 3 <- warp 2,  and -> lines in global memory
 *
 * From lane to lane errors move by shuffle; from warp to warp through a ring in shared memory; from
 * block to block as words in global memory that carry the launch's tag, so that the reader polls the
 * data itself and no fence is needed. A warp of its own polls them ahead of time. Blocks take their
 * rows by ticket: they only ever wait for blocks that already run.
 *
 * Skew 4 makes a lane's columns aligned quads: one word of pixels, one ring entry and one word of
 * errors every four steps. Pixels are copied ahead, asynchronously, by each lane for itself.
 *
 * As on the CPU errors are biased so that they are never negative. Here the tone goes into the sum
 * undivided, and rounding to two levels is one instruction: u = min(t, t - divisor * white), whose
 * quotient by the divisor is the new error and whose remainder is the carry.
 */
#include "halftone/wave.cuh"

#include <stdint.h>

enum {
    WARPS = 4, /* one for each scheduler of a multiprocessor */
    LANES = 32,
    BLOCK_ROWS = WARPS * LANES,
    RING = 64,     /* quads between two warps */
    GRANULES = 16, /* of 16 bytes in a lane's pixel buffer */
    AHEAD = 12,    /* granules copied ahead */
    CHUNK = 4,     /* quads between looks at the neighbours */
};

/* Types that depend on the depth. */
template <int SAMPLE_BYTES> struct depth;
template <> struct depth<1> {
    typedef uint32_t pixels; /* four of them */
    typedef ushort4 quad;    /* four errors */
    static constexpr int words = 1; /* tagged words for a quad */
};
template <> struct depth<2> {
    typedef uint2 pixels;
    typedef uint4 quad;
    static constexpr int words = 2;
};

static __device__ __forceinline__ unsigned sample(uint32_t pixels, int q)
{
    return pixels >> (8 * q) & 255;
}
static __device__ __forceinline__ unsigned sample(uint2 pixels, int q)
{
    return (q < 2 ? pixels.x : pixels.y) >> (16 * (q & 1)) & 65535;
}

static __device__ __forceinline__ ushort4 make_quad(const unsigned *e, ushort4)
{
    return make_ushort4((unsigned short)e[0], (unsigned short)e[1], (unsigned short)e[2],
                        (unsigned short)e[3]);
}
static __device__ __forceinline__ uint4 make_quad(const unsigned *e, uint4)
{
    return make_uint4(e[0], e[1], e[2], e[3]);
}

/* ---- tagged words: errors of 12 bits, four to a word, or of 24 bits, two to a word -------------- */

static __device__ __forceinline__ unsigned long long load_word(const unsigned long long *from)
{
    unsigned long long word;
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
    return word;
}
static __device__ __forceinline__ void store_word(unsigned long long *to, unsigned long long word)
{
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
}
static __device__ __forceinline__ void store_tagged(unsigned long long *to, const unsigned *e,
                                                    unsigned tag, ushort4)
{
    unsigned low = e[0] | e[1] << 12 | e[2] << 24;
    unsigned high = e[2] >> 8 | e[3] << 4 | tag << 16;
    store_word(to, (unsigned long long)high << 32 | low);
}
static __device__ __forceinline__ void store_tagged(unsigned long long *to, const unsigned *e,
                                                    unsigned tag, uint4)
{
    for (int i = 0; i < 2; i++) {
        unsigned low = e[2 * i] | e[2 * i + 1] << 24, high = e[2 * i + 1] >> 8 | tag << 16;
        store_word(to + i, (unsigned long long)high << 32 | low);
    }
}
static __device__ __forceinline__ bool load_tagged(const unsigned long long *from, unsigned tag,
                                                   ushort4 *quad)
{
    unsigned long long word = load_word(from);
    *quad = make_ushort4(word & 4095, word >> 12 & 4095, word >> 24 & 4095, word >> 36 & 4095);
    return (unsigned)(word >> 48) == tag;
}
static __device__ __forceinline__ bool load_tagged(const unsigned long long *from, unsigned tag,
                                                   uint4 *quad)
{
    unsigned long long a = load_word(from), b = load_word(from + 1);
    *quad = make_uint4(a & 0xffffff, a >> 24 & 0xffffff, b & 0xffffff, b >> 24 & 0xffffff);
    return (unsigned)(a >> 48) == tag && (unsigned)(b >> 48) == tag;
}

/* ---- waiting ------------------------------------------------------------------------------------ */

/* In a checked build a wait that lasts for seconds stops the kernel instead of the machine. */
#ifdef RO_CUDA_CHECKED
#define SPIN_LIMIT (1 << 26)
#define SPIN_COUNT int spins = 0
#define SPIN_CHECK                                                                                 \
    do {                                                                                           \
        if (++spins > SPIN_LIMIT)                                                                  \
            __trap();                                                                              \
    } while (0)
#else
#define SPIN_COUNT
#define SPIN_CHECK
#endif

/* Waits until *counter, in shared memory, has reached `value`. */
static __device__ __forceinline__ void wait_for(const volatile int *counter, int value)
{
    SPIN_COUNT;
    while (*counter < value)
        SPIN_CHECK;
    __syncwarp();
}

/* ---- the parts of a block ------------------------------------------------------------------------ */

template <int ID, int SAMPLE_BYTES> struct shared_memory {
    typedef typename depth<SAMPLE_BYTES>::pixels pixels;
    typedef typename depth<SAMPLE_BYTES>::quad quad;
    static constexpr int rows_down = kernel_of<ID>::rows_down;
    static constexpr int pixel_quads = GRANULES * 4 / SAMPLE_BYTES;
    pixels staged[WARPS][LANES][GRANULES * 16 / sizeof(pixels)];
    quad ring[WARPS][rows_down][RING]; /* ring w is what warp w reads */
    volatile int produced[WARPS + 1];  /* quads in ring w */
    volatile int consumed[WARPS + 1];  /* quads that warp w no longer needs */
    unsigned ticket;
};

/* Where one warp's band lies. */
struct band {
    const unsigned char *in; /* the lane's row */
    unsigned char *out;
    bool row_exists;
    int quads; /* of a row */
};

static __device__ __forceinline__ void copy_async(void *to, const void *from, int bytes)
{
    unsigned address = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from),
                 "r"(bytes)
                 : "memory");
}

/* Copies 16 bytes of the lane's row; past its end they are zeros. */
template <int SAMPLE_BYTES>
static __device__ __forceinline__ void stage(const diffusion_launch &p, const band &b,
                                             void *staged, int granule)
{
    int first = granule * 16, bytes = p.width * SAMPLE_BYTES - first;
    bytes = granule < 0 || !b.row_exists || bytes < 0 ? 0 : bytes > 16 ? 16 : bytes;
    const unsigned char *from = bytes ? b.in + first : p.in[0];
    if (granule >= 0)
        copy_async((unsigned char *)staged + (granule % GRANULES) * 16, from, bytes);
}

/* Errors that a pixel may look back at: own[a] is a steps old, moved[d][a] is of the row d + 1 above
 * and a steps old; moved[d][0] is made at the end of a step. */
template <int ID> struct history {
    static constexpr int own_length = kernel_of<ID>::own_reach + 1;
    static constexpr int length = kernel_of<ID>::oldest + 1;
    unsigned own[own_length < 2 ? 2 : own_length];
    unsigned moved[kernel_of<ID>::rows_down][length];
    unsigned carry;
};

template <int ID, int I>
static __device__ __forceinline__ unsigned sum_of_taps(const history<ID> &h)
{
    if constexpr (I < kernel_of<ID>::count) {
        constexpr diffusion_tap tap = diffusion_kernels[ID].taps[I];
        constexpr unsigned weight = (unsigned)(tap.weight / kernel_of<ID>::factor);
        if constexpr (tap.dy == 0 && tap.dx == 1)
            return sum_of_taps<ID, I + 1>(h); /* the newest comes last */
        else if constexpr (tap.dy == 0)
            return weight * h.own[tap.dx] + sum_of_taps<ID, I + 1>(h);
        else
            return weight * h.moved[tap.dy - 1][tap.dx + 4 * tap.dy] + sum_of_taps<ID, I + 1>(h);
    } else {
        return 0;
    }
}

/* One pixel: its level, its error, the carry. */
template <int ID, bool FOLD>
static __device__ __forceinline__ unsigned round_pixel(const diffusion_launch &p, history<ID> &h,
                                                       unsigned tone_sum, unsigned *error)
{
    constexpr unsigned divisor = kernel_of<ID>::divisor;
    unsigned t = tone_sum + h.carry + sum_of_taps<ID, 0>(h);
    if constexpr (kernel_of<ID>::weight_sum != (int)divisor)
        t += p.bias * (divisor - (unsigned)kernel_of<ID>::weight_sum);
    t += (unsigned)kernel_of<ID>::next_weight * h.own[1];
    if constexpr (FOLD) {
        unsigned u = __viaddmin_u32(t, 0u - divisor * p.white, t);
        *error = u / divisor;
        h.carry = u - *error * divisor;
        return (u - t) >> 31;
    } else {
        unsigned y = t / divisor;
        h.carry = t - y * divisor;
        int k = nearest_level(p, (int)(y - p.bias));
        *error = y - (unsigned)p.level[k];
        return (unsigned)k;
    }
}

/* Writes a row's output: 32 columns of bits, or four bytes. */
static __device__ __forceinline__ void put_bits(const diffusion_launch &p, const band &b, int word,
                                                unsigned bits)
{
    unsigned swapped = __byte_perm(bits, 0, 0x0123);
    int bytes = (p.width + 7) / 8 - word * 4;
    unsigned char *to = b.out + (size_t)word * 4;
    if (bytes >= 4 && p.words_out)
        *(unsigned *)to = swapped;
    else
        for (int i = 0; i < 4 && i < bytes; i++)
            to[i] = (unsigned char)(swapped >> (8 * i));
}
static __device__ __forceinline__ void put_bytes(const diffusion_launch &p, const band &b, int quad,
                                                 unsigned levels)
{
    int bytes = p.width - quad * 4;
    unsigned char *to = b.out + (size_t)quad * 4;
    if (bytes >= 4 && p.words_out)
        *(unsigned *)to = levels;
    else
        for (int i = 0; i < 4 && i < bytes; i++)
            to[i] = (unsigned char)(levels >> (8 * i));
}

/* Where a warp's last rows send their errors. */
template <typename QUAD> struct outlet {
    QUAD *ring;                /* the next warp's, line after line */
    unsigned long long *lines; /* or the next block's */
    int32_t *left;             /* or the next launch's */
    volatile int *produced;
    const volatile int *consumed;
};

/*
 * Quads `first` .. `first` + CHUNK - 1 of the warp's steps; lane l works on quad `first` - l. In the
 * interior every lane's columns are inside the image.
 */
template <int ID, int SAMPLE_BYTES, bool FOLD, bool INTERIOR>
static __device__ __forceinline__ void
run_chunk(const diffusion_launch &p, const band &b, history<ID> &h, int first, int lane,
          const typename depth<SAMPLE_BYTES>::pixels *staged,
          const typename depth<SAMPLE_BYTES>::quad (*ring)[RING],
          const outlet<typename depth<SAMPLE_BYTES>::quad> &out, unsigned &bits)
{
    typedef typename depth<SAMPLE_BYTES>::quad quad_type;
    constexpr int rows_down = kernel_of<ID>::rows_down, length = history<ID>::length;
    constexpr unsigned divisor = kernel_of<ID>::divisor;
    constexpr int mask = GRANULES * 16 / (int)sizeof(*staged) - 1;
#pragma unroll(INTERIOR ? CHUNK : 1)
    for (int c = 0; c < CHUNK; c++) {
        const int step = first + c, quad = step - lane;
        auto pixels = staged[quad & mask];
        quad_type from_above[rows_down];
#pragma unroll
        for (int d = 0; d < rows_down; d++) {
            from_above[d] = ring[d][(step + d + 1) & (RING - 1)];
            if (!INTERIOR && (step + d + 1 < 0 || step + d + 1 >= b.quads)) {
                unsigned zero[4] = {p.bias, p.bias, p.bias, p.bias};
                from_above[d] = make_quad(zero, quad_type());
            }
        }
        unsigned errors[4], levels = 0;
#pragma unroll
        for (int q = 0; q < 4; q++) {
            unsigned tone;
            if (SAMPLE_BYTES == 1 && divisor == 16)
                tone = __byte_perm(*(const unsigned *)&pixels, 0, 0x4404 | q << 4);
            else
                tone = sample(pixels, q) * (16 * divisor);
            unsigned error, level = round_pixel<ID, FOLD>(p, h, tone, &error);
            if (!INTERIOR) {
                int column = quad * 4 + q;
                if (column < 0 || column >= p.width) {
                    error = p.bias;
                    h.carry = divisor / 2;
                    level = 0;
                }
            }
            errors[q] = error;
            if (FOLD)
                bits = bits << 1 | level;
            if (!FOLD || !p.bits_out)
                levels |= level << (8 * q);

#pragma unroll
            for (int a = history<ID>::own_length; a-- > 2;)
                h.own[a] = h.own[a - 1];
            h.own[1] = error;
#pragma unroll
            for (int d = 0; d < rows_down; d++) {
                unsigned moved = d == 0 ? error : h.moved[d - 1][1];
                moved = __shfl_up_sync(0xffffffff, moved, 1);
                unsigned inserted = q == 0   ? from_above[d].x
                                    : q == 1 ? from_above[d].y
                                    : q == 2 ? from_above[d].z
                                             : from_above[d].w;
                if (lane == 0)
                    moved = inserted;
#pragma unroll
                for (int a = length; a-- > 2;)
                    h.moved[d][a] = h.moved[d][a - 1];
                h.moved[d][1] = moved;
            }
        }
        bool inside = INTERIOR || (quad >= 0 && quad < b.quads);
        if (lane >= LANES - rows_down && inside) {
            int line = LANES - 1 - lane;
            if (out.ring)
                out.ring[line * RING + (quad & (RING - 1))] = make_quad(errors, quad_type());
            else if (out.lines)
                store_tagged(out.lines +
                                 ((size_t)line * b.quads + quad) * depth<SAMPLE_BYTES>::words,
                             errors, p.tag, quad_type());
            else if (out.left)
                for (int q = 0; q < 4 && quad * 4 + q < p.width; q++)
                    out.left[(size_t)line * p.width + quad * 4 + q] = (int32_t)errors[q];
        }
        if (b.row_exists && inside) {
            if (FOLD && p.bits_out) {
                bool last = !INTERIOR && quad == b.quads - 1;
                if ((quad & 7) == 7)
                    put_bits(p, b, quad >> 3, bits);
                else if (last)
                    put_bits(p, b, quad >> 3, bits << (4 * (7 - (quad & 7))));
            } else {
                put_bytes(p, b, quad, levels);
            }
        }
    }
}

template <int ID, int SAMPLE_BYTES, bool FOLD>
static __device__ __forceinline__ void run_band(const diffusion_launch &p, shared_memory<ID, SAMPLE_BYTES> &s,
                                int image, int row, int warp, int lane,
                                const outlet<typename depth<SAMPLE_BYTES>::quad> &out)
{
    constexpr int rows_down = kernel_of<ID>::rows_down;
    band b;
    b.row_exists = row + lane < p.rows;
    b.in = p.in[image] + (size_t)(row + lane) * p.in_pitch;
    b.out = p.out[image] + (size_t)(row + lane) * p.out_pitch;
    b.quads = (p.width + 3) / 4;
    history<ID> h;
    for (int i = 0; i < (int)(sizeof h.own / sizeof *h.own); i++)
        h.own[i] = p.bias;
    for (int d = 0; d < rows_down; d++)
        for (int i = 0; i < history<ID>::length; i++)
            h.moved[d][i] = p.bias;
    h.carry = kernel_of<ID>::divisor / 2;
    unsigned bits = 0;

    /* Quads of a lane lie `lane` behind; its granules likewise, so that all are equally far ahead. A
     * granule is four quads of bytes, or two of words. */
    constexpr int per_granule = 4 / SAMPLE_BYTES;
    constexpr int granules_a_chunk = CHUNK / per_granule;
    auto *staged = s.staged[warp][lane];
    const int start = -(int)((rows_down + CHUNK - 1) / CHUNK * CHUNK);
    const int behind = lane / per_granule;
    const int first_granule = start / per_granule;
#pragma unroll 1
    for (int g = 0; g < AHEAD; g += granules_a_chunk) {
        for (int i = 0; i < granules_a_chunk; i++)
            stage<SAMPLE_BYTES>(p, b, staged, first_granule + g + i - behind);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    const int end = b.quads + LANES - 1;
#pragma unroll 1
    for (int step = start; step < end; step += CHUNK) {
        for (int i = 0; i < granules_a_chunk; i++)
            stage<SAMPLE_BYTES>(p, b, staged, step / per_granule + AHEAD + i - behind);
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group %0;" ::"n"(AHEAD / granules_a_chunk) : "memory");
        int needed = step + CHUNK + 1 < b.quads ? step + CHUNK + 1 : b.quads;
        wait_for(&s.produced[warp], needed);
        /* Room in the ring below for what this chunk makes. */
        int made = step + CHUNK - (LANES - 1);
        if (out.ring)
            wait_for(out.consumed, made - (RING - 2 * rows_down));
        /* More levels than two are rare: they make do with the general code. */
        if (FOLD && step >= LANES && (step + CHUNK) * 4 <= p.width &&
            step + CHUNK + rows_down < b.quads)
            run_chunk<ID, SAMPLE_BYTES, FOLD, FOLD>(p, b, h, step, lane, staged, s.ring[warp], out,
                                                    bits);
        else
            run_chunk<ID, SAMPLE_BYTES, FOLD, false>(p, b, h, step, lane, staged, s.ring[warp], out,
                                                     bits);
        __syncwarp();
        if (lane == LANES - 1) {
            __threadfence_block();
            if (out.ring)
                *out.produced = made < b.quads ? made : b.quads;
            s.consumed[warp] = step + CHUNK + 1;
        }
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
    if (lane == LANES - 1 && out.ring) {
        __threadfence_block();
        *out.produced = b.quads;
    }
}

/* The fifth warp: brings the errors of the rows above the block into ring 0. Lane l polls the quads
 * that leave l when divided by 32; what is there without a gap is handed on. */
template <int ID, int SAMPLE_BYTES>
static __device__ __forceinline__ void fetch_lines(const diffusion_launch &p, shared_memory<ID, SAMPLE_BYTES> &s,
                                   const unsigned long long *lines, const int32_t *above, int lane)
{
    typedef typename depth<SAMPLE_BYTES>::quad quad_type;
    constexpr int rows_down = kernel_of<ID>::rows_down;
    const int quads = (p.width + 3) / 4;
    const int start = 1 - rows_down; /* line d runs d quads ahead of line 0 */
    int base = start;
    int mine = base + ((lane - base) & 31);
    bool have = false;
    quad_type found[rows_down];
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
                    have &= load_tagged(
                        lines + ((size_t)d * quads + quad) * depth<SAMPLE_BYTES>::words, p.tag,
                        &found[d]);
                } else {
                    unsigned e[4];
                    for (int q = 0; q < 4; q++) {
                        int column = quad * 4 + q;
                        e[q] = above && column < p.width
                                   ? (unsigned)above[(size_t)d * p.width + column]
                                   : p.bias;
                    }
                    found[d] = make_quad(e, quad_type());
                }
            }
        }
        unsigned there = __ballot_sync(0xffffffff, have);
        unsigned turned = __funnelshift_r(there, there, base & 31);
        int count = __ffs((int)~turned) - 1; /* leading quads without a gap; -1: all 32 */
        count = count < 0 ? 32 : count;
        if (count == 0) {
            SPIN_CHECK;
            __nanosleep(20);
            continue;
        }
        wait_for(&s.consumed[0], base + count - (RING - 2 * rows_down));
        if (have && mine < base + count) {
#pragma unroll
            for (int d = 0; d < rows_down; d++)
                s.ring[0][d][(mine + d) & (RING - 1)] = found[d];
            mine += 32;
            have = false;
        }
        base += count;
        __syncwarp();
        if (lane == 0) {
            __threadfence_block();
            s.produced[0] = base;
        }
    }
}

template <int ID, int SAMPLE_BYTES, bool FOLD>
static __global__ void __launch_bounds__((WARPS + 1) * 32)
    wave(const __grid_constant__ diffusion_launch p)
{
    extern __shared__ __align__(16) unsigned char memory[];
    auto &s = *(shared_memory<ID, SAMPLE_BYTES> *)memory;
    typedef typename depth<SAMPLE_BYTES>::quad quad_type;
    constexpr int rows_down = kernel_of<ID>::rows_down;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const size_t line_words = (size_t)rows_down * ((p.width + 3) / 4) * depth<SAMPLE_BYTES>::words;
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0)
            s.ticket = atomicAdd(p.ticket, 1u) - p.first_ticket;
        if (threadIdx.x <= WARPS)
            s.produced[threadIdx.x] = s.consumed[threadIdx.x] = 0;
        __syncthreads();
        const unsigned ticket = s.ticket;
        if (ticket >= p.blocks)
            return;
        const int image = (int)(ticket % (unsigned)p.images);
        const int number = (int)(ticket / (unsigned)p.images), row = number * BLOCK_ROWS;
        const int warps = min(WARPS, (p.rows - row + LANES - 1) / LANES);
        /* The lines that block `number` leaves lie behind those of the blocks before it. */
        unsigned long long *lines = p.lines + (size_t)ticket * line_words;
        if (warp == WARPS) {
            const unsigned long long *before =
                number ? lines - (size_t)p.images * line_words : nullptr;
            fetch_lines<ID, SAMPLE_BYTES>(p, s, before, p.above, lane);
        } else if (warp < warps) {
            outlet<quad_type> out = {};
            if (warp + 1 < warps) {
                out.ring = &s.ring[warp + 1][0][0];
                out.produced = &s.produced[warp + 1];
                out.consumed = &s.consumed[warp + 1];
            } else if (row + BLOCK_ROWS < p.rows) {
                out.lines = lines;
            } else {
                out.left = p.left_below;
            }
            run_band<ID, SAMPLE_BYTES, FOLD>(p, s, image, row + warp * LANES, warp, lane, out);
        }
    }
}

/* ---- host ---------------------------------------------------------------------------------------- */

template <int ID, int SAMPLE_BYTES, bool FOLD>
static ro_status launch_one(struct ro_cuda *cuda, struct diffusion_launch *p, cudaStream_t stream)
{
    const size_t bytes = sizeof(shared_memory<ID, SAMPLE_BYTES>);
    ro_context *context = cuda->context;
    int resident = 0;
    RO_CUDA_TRY(context, cudaFuncSetAttribute(wave<ID, SAMPLE_BYTES, FOLD>,
                                              cudaFuncAttributeMaxDynamicSharedMemorySize,
                                              (int)bytes));
    RO_CUDA_TRY(context, cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                             &resident, wave<ID, SAMPLE_BYTES, FOLD>, (WARPS + 1) * 32, bytes));
    unsigned most = (unsigned)(resident * cuda->processors);
    unsigned grid = p->blocks < most ? p->blocks : most;

    /* Every block of the grid takes one ticket in vain at the end. */
    void *lines, *ticket;
    bool fresh;
    size_t words = (size_t)p->blocks * kernel_of<ID>::rows_down * ((p->width + 3) / 4) *
                   depth<SAMPLE_BYTES>::words;
    RO_TRY(ro_cuda_reserve(cuda, RO_CUDA_LINES, words * 8, stream, &lines, &fresh));
    if (fresh)
        cuda->wave_tag = 0;
    if (++cuda->wave_tag > 0xffff) { /* tags begin anew, so the old ones must go */
        RO_CUDA_TRY(context, cudaMemsetAsync(lines, 0, cuda->slot[RO_CUDA_LINES].bytes, stream));
        cuda->wave_tag = 1;
    }
    RO_TRY(ro_cuda_reserve(cuda, RO_CUDA_TICKET, sizeof(unsigned), stream, &ticket, &fresh));
    if (fresh)
        cuda->wave_ticket = 0;
    p->lines = (unsigned long long *)lines;
    p->ticket = (unsigned *)ticket;
    p->first_ticket = cuda->wave_ticket;
    p->tag = cuda->wave_tag;
    wave<ID, SAMPLE_BYTES, FOLD><<<grid, (WARPS + 1) * 32, bytes, stream>>>(*p);
    RO_CUDA_TRY(context, cudaGetLastError());
    cuda->wave_ticket += p->blocks + grid;
    return RO_OK;
}

template <int ID>
static ro_status launch_kernel(struct ro_cuda *cuda, struct diffusion_launch *p, int sample_bytes,
                               bool fold, cudaStream_t stream)
{
    if (sample_bytes == 1)
        return fold ? launch_one<ID, 1, true>(cuda, p, stream)
                    : launch_one<ID, 1, false>(cuda, p, stream);
    return fold ? launch_one<ID, 2, true>(cuda, p, stream)
                : launch_one<ID, 2, false>(cuda, p, stream);
}

ro_status wave_launch(struct ro_cuda *cuda, struct diffusion_launch *p, int kernel_id,
                      int sample_bytes, bool fold, cudaStream_t stream,
                      struct diffusion_cuda_count *count)
{
    p->blocks = (unsigned)((p->rows + BLOCK_ROWS - 1) / BLOCK_ROWS) * (unsigned)p->images;
    count->launches++;
    count->steps += (uint64_t)p->width + 4 * (uint64_t)p->rows;
    switch (kernel_id) {
#define ENTRY(id)                                                                                  \
    case id:                                                                                       \
        return launch_kernel<id>(cuda, p, sample_bytes, fold, stream);
        FOR_EACH_DIFFUSION_KERNEL(ENTRY)
    }
    return ro_context_fail(cuda->context, RO_E_UNSUPPORTED,
                           "the wave on CUDA runs the kernels of the table only");
}
