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
 * block to block through lines in global memory. Both hold words of four errors and a tag, which
 * says that the word is the one waited for: the reader polls the data itself, and no fence is needed
 * (a fence waits for the output's stores, a microsecond each time). A warp of its own polls global
 * memory ahead of time. Blocks take their rows by ticket: they only wait for blocks that run already.
 *
 * Skew 4 makes a lane's columns aligned quads: one word of pixels, one ring entry and one word of
 * errors every four steps. Pixels are copied ahead, asynchronously, by each lane for itself.
 *
 * As on the CPU errors are biased so that they are never negative. Here the tone goes into the sum
 * undivided, and rounding to two levels is one instruction: u = min(t, t - divisor * white), whose
 * quotient by the divisor is the new error and whose remainder is the carry.
 */
#include "halftone/wave_parts.cuh"

#include <stdint.h>

enum {
    WARPS = 4, /* one for each scheduler of a multiprocessor */
    LANES = 32,
    BLOCK_ROWS = WARPS * LANES,
    RING = 64,     /* quads between two warps */
    GRANULES = 16, /* of 16 bytes in a lane's pixel buffer */
    GROUP = 4,     /* quads between looks at the warp above */
    CHUNK = 8,     /* quads of a turn of the loop: 32 columns, a word of bits */
};

/* Pixels come four to a quad. Errors go four to a word of 64 bits with a tag of 16, 12 bits each; or,
 * from deeper pixels, two to a word, 24 bits each, two words to a quad. */
template <int SAMPLE_BYTES> struct depth;
template <> struct depth<1> {
    typedef uint32_t pixels;
    static constexpr int words = 1;
    static constexpr int ahead = 12; /* granules copied ahead, all of them in use at once */
};
template <> struct depth<2> {
    typedef uint2 pixels;
    static constexpr int words = 2;
    static constexpr int ahead = 8;
};

static __device__ __forceinline__ unsigned sample(uint32_t pixels, int q)
{
    return pixels >> (8 * q) & 255;
}
static __device__ __forceinline__ unsigned sample(uint2 pixels, int q)
{
    return (q < 2 ? pixels.x : pixels.y) >> (16 * (q & 1)) & 65535;
}

template <int WORDS> struct quad_words {
    unsigned low[WORDS], high[WORDS];
};

static __device__ __forceinline__ quad_words<1> pack(const unsigned *e, unsigned tag,
                                                     quad_words<1> q)
{
    q.low[0] = e[0] | e[1] << 12 | e[2] << 24;
    q.high[0] = e[2] >> 8 | e[3] << 4 | tag << 16;
    return q;
}
static __device__ __forceinline__ quad_words<2> pack(const unsigned *e, unsigned tag,
                                                     quad_words<2> q)
{
    for (int i = 0; i < 2; i++) {
        q.low[i] = e[2 * i] | e[2 * i + 1] << 24;
        q.high[i] = e[2 * i + 1] >> 8 | tag << 16;
    }
    return q;
}
static __device__ __forceinline__ unsigned unpack(const quad_words<1> &q, int i)
{
    return (i == 0   ? q.low[0]
            : i == 1 ? q.low[0] >> 12
            : i == 2 ? __funnelshift_r(q.low[0], q.high[0], 24)
                     : q.high[0] >> 4) &
           0xfff;
}
static __device__ __forceinline__ unsigned unpack(const quad_words<2> &q, int i)
{
    return (i % 2 ? __funnelshift_r(q.low[i / 2], q.high[i / 2], 24) : q.low[i / 2]) & 0xffffff;
}
template <int WORDS>
static __device__ __forceinline__ bool tagged(const quad_words<WORDS> &q, unsigned tag)
{
    bool all = true;
    for (int i = 0; i < WORDS; i++)
        all &= q.high[i] >> 16 == tag;
    return all;
}

/* A word is written and read whole. The condition is a predicate of the store, not a branch: lanes
 * that part ways cost more than lanes that do nothing. */
template <int WORDS>
static __device__ __forceinline__ void store_quad(unsigned long long *to,
                                                  const quad_words<WORDS> &q, bool wanted = true)
{
    for (int i = 0; i < WORDS; i++)
        asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %3, 0;\n\t"
                     "@p st.relaxed.gpu.v2.u32 [%0], {%1, %2};\n\t}" ::"l"(to + i),
                     "r"(q.low[i]), "r"(q.high[i]), "r"((int)wanted)
                     : "memory");
}
template <int WORDS>
static __device__ __forceinline__ quad_words<WORDS> load_global(const unsigned long long *from)
{
    quad_words<WORDS> q;
    for (int i = 0; i < WORDS; i++) {
        unsigned long long word;
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(from + i) : "memory");
        q.low[i] = (unsigned)word;
        q.high[i] = (unsigned)(word >> 32);
    }
    return q;
}
template <int WORDS>
static __device__ __forceinline__ quad_words<WORDS> load_shared(const unsigned long long *from)
{
    quad_words<WORDS> q;
    for (int i = 0; i < WORDS; i++) {
        unsigned address = (unsigned)__cvta_generic_to_shared(from + i);
        unsigned long long word;
        asm volatile("ld.relaxed.cta.shared.u64 %0, [%1];" : "=l"(word) : "r"(address) : "memory");
        q.low[i] = (unsigned)word;
        q.high[i] = (unsigned)(word >> 32);
    }
    return q;
}

/*
 * A ring keeps quad n at place n + GROUP - 1, so that the GROUP quads that a group of steps takes in
 * (step + 1 ... step + GROUP) are neighbours that never wrap. Their tag says how often the ring has
 * gone round; cleared words have that of no round.
 */
static __device__ __forceinline__ int ring_place(int quad)
{
    return (quad + GROUP - 1) & (RING - 1);
}
static __device__ __forceinline__ unsigned ring_tag(int quad)
{
    return ((unsigned)(quad + GROUP - 1) / RING + 1) & 0xffff;
}

/* ---- the parts of a block ------------------------------------------------------------------------ */

template <int ID, int SAMPLE_BYTES> struct shared_memory {
    typedef typename depth<SAMPLE_BYTES>::pixels pixels;
    static constexpr int rows_down = kernel_of<ID>::rows_down;
    static constexpr int words = depth<SAMPLE_BYTES>::words;
    pixels staged[WARPS][LANES][GRANULES * 16 / sizeof(pixels)];
    unsigned long long ring[WARPS][rows_down][RING * words]; /* ring w is what warp w reads */
    volatile int consumed[WARPS + 1]; /* quads of ring w that its reader no longer needs */
    unsigned ticket;
};

/* Where one warp's band lies. */
struct band {
    unsigned char *out; /* the lane's row */
    bool row_exists;
    int quads; /* of a row */
};

/* Errors that a pixel may look back at: own[a] is a steps old, moved[d][a] is of the row d + 1 above
 * and a steps old; moved[d][0] is made at the end of a step. */
template <int ID> struct history {
    static constexpr int own_length = kernel_of<ID>::own_reach + 1;
    static constexpr int length = kernel_of<ID>::oldest + 1;
    unsigned own[own_length < 2 ? 2 : own_length];
    unsigned moved[kernel_of<ID>::rows_down][length];
    unsigned rest; /* divisor * error + carry of the pixel to the left; the carry alone if not FOLD */
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

/*
 * One pixel: its level, its error, what is left. The chain from the pixel to the left is kept short:
 * with u = divisor * error + carry the sum is t = early + u + (weight - divisor) * error, which is
 * one addition beside a shift, one multiplication and one minimum. What is known early is summed
 * first; the empty assembly keeps the compiler from summing in another order.
 */
template <int ID, bool FOLD>
static __device__ __forceinline__ unsigned round_pixel(const diffusion_launch &p, history<ID> &h,
                                                       unsigned tone_sum, unsigned *error)
{
    constexpr unsigned divisor = kernel_of<ID>::divisor;
    constexpr unsigned weight = (unsigned)kernel_of<ID>::next_weight;
    unsigned early = tone_sum + sum_of_taps<ID, 0>(h);
    if constexpr (kernel_of<ID>::weight_sum != (int)divisor)
        early += p.bias * (divisor - (unsigned)kernel_of<ID>::weight_sum);
    asm volatile("" : "+r"(early));
    unsigned t = early + h.rest;
    asm volatile("" : "+r"(t));
    if constexpr (FOLD) {
        t += (weight - divisor) * h.own[1];
        unsigned u = __viaddmin_u32(t, p.minus_white, t);
        *error = u / divisor;
        h.rest = u;
        return (u - t) >> 31;
    } else {
        t += weight * h.own[1];
        unsigned y = t / divisor;
        h.rest = t - y * divisor;
        int k = nearest_level(p, (int)(y - p.bias));
        *error = y - (unsigned)p.level[k];
        return (unsigned)k;
    }
}

/* What a pixel outside the image leaves: no error, and the carry that a row starts with. */
template <int ID, bool FOLD>
static __device__ __forceinline__ unsigned empty_rest(const diffusion_launch &p)
{
    constexpr unsigned divisor = kernel_of<ID>::divisor;
    return (FOLD ? p.bias * divisor : 0) + divisor / 2;
}

/* Writes four levels of a row. */
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

/* Where a warp's last rows send their errors: the ring of the next warp, or lines in global memory;
 * line after line. */
struct outlet {
    unsigned long long *words;    /* NULL: nobody wants them */
    unsigned pitch;               /* of lines in global memory, in quads */
    const volatile int *consumed; /* of a ring */
};

/* Where a group of steps lies. */
enum place {
    INTERIOR, /* every lane's columns are inside the image */
    SIDES,    /* whole quads are inside or outside, for the width is a multiple of four */
    ANYWHERE,
};

/* Reads the quads of each line above that a group of steps takes in; false: not all are there. */
template <int ID, int WORDS, place PLACE>
static __device__ __forceinline__ bool
read_above(const unsigned long long (*ring)[RING * WORDS], int first, int quads, unsigned bias,
           quad_words<WORDS> (&above)[GROUP][kernel_of<ID>::rows_down])
{
    constexpr int rows_down = kernel_of<ID>::rows_down;
    bool there = true;
#pragma unroll
    for (int d = 0; d < rows_down; d++)
#pragma unroll
        for (int c = 0; c < GROUP; c++) {
            int quad = first + c + d + 1;
            above[c][d] = load_shared<WORDS>(&ring[d][ring_place(quad) * WORDS]);
            bool right = tagged(above[c][d], ring_tag(quad));
            if (PLACE != INTERIOR && (unsigned)quad >= (unsigned)quads) {
                unsigned zero[4] = {bias, bias, bias, bias};
                above[c][d] = pack(zero, 0, quad_words<WORDS>());
                right = true;
            }
            there &= right;
        }
    return there;
}

/*
 * GROUP quads of the warp's steps from `first` on; lane l works on quad `first` - l. The sides are on
 * the way of every band, and a band waits for the one above, so they must not be slow: left of the
 * image pixels are zeros, which make no error as long as none comes in, so that only what leaves a
 * quad outside has to be set right.
 */
template <int ID, int SAMPLE_BYTES, bool FOLD, place PLACE>
static __device__ __forceinline__ void
run_group(const diffusion_launch &p, const band &b, history<ID> &h, int first, int lane,
          const typename depth<SAMPLE_BYTES>::pixels *staged,
          const unsigned long long (*ring)[RING * depth<SAMPLE_BYTES>::words], const outlet &out,
          unsigned &bits)
{
    constexpr int words = depth<SAMPLE_BYTES>::words;
    constexpr int rows_down = kernel_of<ID>::rows_down, length = history<ID>::length;
    constexpr unsigned divisor = kernel_of<ID>::divisor;
    constexpr int mask = GRANULES * 16 / (int)sizeof(*staged) - 1;
    typename depth<SAMPLE_BYTES>::pixels pixels[GROUP];
#pragma unroll
    for (int c = 0; c < GROUP; c++)
        pixels[c] = staged[(first + c - lane) & mask];
    quad_words<words> above[GROUP][rows_down];
    SPIN_COUNT;
    for (int looks = 0; !read_above<ID, words, PLACE>(ring, first, b.quads, p.bias, above); looks++) {
        SPIN_CHECK;
        pause_after(looks);
    }
#pragma unroll
    for (int c = 0; c < GROUP; c++) {
        const int quad = first + c - lane;
        const bool inside = PLACE == INTERIOR || (unsigned)quad < (unsigned)b.quads;
        unsigned errors[4], levels = 0;
#pragma unroll
        for (int q = 0; q < 4; q++) {
            unsigned tone;
            if (SAMPLE_BYTES == 1 && divisor == 16)
                tone = __byte_perm(*(const unsigned *)&pixels[c], 0, 0x4404 | q << 4);
            else
                tone = sample(pixels[c], q) * (16 * divisor);
            unsigned error, level = round_pixel<ID, FOLD>(p, h, tone, &error);
            if (PLACE == SIDES) {
                error = inside ? error : p.bias;
                if (q == 3)
                    h.rest = inside ? h.rest : empty_rest<ID, FOLD>(p);
            } else if (PLACE == ANYWHERE) {
                bool outside = (unsigned)(quad * 4 + q) >= (unsigned)p.width;
                error = outside ? p.bias : error;
                h.rest = outside ? empty_rest<ID, FOLD>(p) : h.rest;
                level = outside ? 0 : level;
            }
            errors[q] = error;
            if (FOLD)
                bits = bits << 1 | level;
            else
                levels |= level << (8 * q);

#pragma unroll
            for (int a = history<ID>::own_length; a-- > 2;)
                h.own[a] = h.own[a - 1];
            h.own[1] = error;
#pragma unroll
            for (int d = 0; d < rows_down; d++) {
                unsigned moved = d == 0 ? error : h.moved[d - 1][1];
                moved = __shfl_up_sync(0xffffffff, moved, 1);
                unsigned inserted = unpack(above[c][d], q);
                moved = lane == 0 ? inserted : moved;
#pragma unroll
                for (int a = length; a-- > 2;)
                    h.moved[d][a] = h.moved[d][a - 1];
                h.moved[d][1] = moved;
            }
        }
        const int line = LANES - 1 - lane;
        const bool sends = line < rows_down && inside && out.words;
        const unsigned place = out.consumed ? (unsigned)(line * RING + ring_place(quad))
                                            : (unsigned)line * out.pitch + (unsigned)quad;
        const unsigned tag = out.consumed ? ring_tag(quad) : p.tag;
        store_quad(out.words + (size_t)place * words, pack(errors, tag, quad_words<words>()),
                   sends);
        if (!FOLD && b.row_exists && inside)
            put_bytes(p, b, quad, levels);
    }
}

template <int ID, int SAMPLE_BYTES, bool FOLD>
static __device__ __forceinline__ void run_band(const diffusion_launch &p,
                                                const diffusion_images &images,
                                                shared_memory<ID, SAMPLE_BYTES> &s, int image,
                                                int row, int warp, int lane, const outlet &out)
{
    constexpr int rows_down = kernel_of<ID>::rows_down;
    band b;
    b.row_exists = row + lane < p.rows;
    b.out = images.out[image] + (size_t)(row + lane) * p.out_pitch;
    b.quads = (p.width + 3) / 4;
    history<ID> h;
    for (int i = 0; i < (int)(sizeof h.own / sizeof *h.own); i++)
        h.own[i] = p.bias;
    for (int d = 0; d < rows_down; d++)
        for (int i = 0; i < history<ID>::length; i++)
            h.moved[d][i] = p.bias;
    h.rest = empty_rest<ID, FOLD>(p);
    unsigned bits = 0;

    /* Quads of a lane lie `lane` behind; its granules likewise, so that all are equally far ahead. A
     * granule is four quads of bytes, or two of words; `before` of them lie left of the image. */
    constexpr int per_granule = 4 / SAMPLE_BYTES, granules_a_chunk = CHUNK / per_granule;
    const int start = -CHUNK, row_bytes = b.row_exists ? p.width * SAMPLE_BYTES : 0;
    auto *staged = s.staged[warp][lane];
    const unsigned buffer = (unsigned)__cvta_generic_to_shared(staged);
    const int before = lane / per_granule - start / per_granule;
    pixel_stream stream;
    stream.row = images.in[image] + (size_t)(b.row_exists ? row + lane : 0) * p.in_pitch;
    stream.from = stream.row - 16 * before;
    stream.left = row_bytes + 16 * before;
    stream.slot = (unsigned)(-before * 16) & (GRANULES * 16 - 1);
#pragma unroll 1
    for (int g = 0; g < depth<SAMPLE_BYTES>::ahead; g += granules_a_chunk) {
        for (int i = 0; i < granules_a_chunk; i++)
            stage<GRANULES>(stream, buffer, row_bytes);
        copy_async_commit();
    }
    const int end = (b.quads + 7) / 8 * 8 + LANES - 1; /* until the last word of bits is whole */
    const bool quads_whole = p.width % 4 == 0;
    unsigned bits_before = 0;
#pragma unroll 1
    for (int step = start; step < end; step += CHUNK) {
        for (int i = 0; i < granules_a_chunk; i++)
            stage<GRANULES>(stream, buffer, row_bytes);
        copy_async_commit();
        copy_async_wait<depth<SAMPLE_BYTES>::ahead / granules_a_chunk>();
        /* Room in the ring below for what this turn makes. */
        if (out.consumed)
            wait_for(out.consumed, step + CHUNK - (LANES - 1) - (RING - 2 * rows_down - GROUP));
#pragma unroll 1
        for (int group = step; group < step + CHUNK; group += GROUP) {
            if constexpr (FOLD) {
                if (group >= LANES && (group + GROUP) * 4 <= p.width &&
                    group + GROUP + rows_down < b.quads)
                    run_group<ID, SAMPLE_BYTES, FOLD, INTERIOR>(p, b, h, group, lane, staged,
                                                                s.ring[warp], out, bits);
                else if (quads_whole)
                    run_group<ID, SAMPLE_BYTES, FOLD, SIDES>(p, b, h, group, lane, staged,
                                                             s.ring[warp], out, bits);
                else
                    run_group<ID, SAMPLE_BYTES, FOLD, ANYWHERE>(p, b, h, group, lane, staged,
                                                                s.ring[warp], out, bits);
            } else {
                run_group<ID, SAMPLE_BYTES, FOLD, ANYWHERE>(p, b, h, group, lane, staged,
                                                            s.ring[warp], out, bits);
            }
        }
        if (FOLD) {
            put_word(p, b.row_exists ? b.out : NULL, 4 * (step + CHUNK - lane), bits_before, bits);
            bits_before = bits;
        }
        __syncwarp();
        if (lane == 0)
            s.consumed[warp] = step + CHUNK + 1;
    }
    copy_async_wait<0>();
}

/* The fifth warp: brings the errors of the rows above the block into ring 0. Lane l polls the quads
 * that leave l when divided by 32; what is there without a gap is handed on. */
template <int ID, int SAMPLE_BYTES>
static __device__ __forceinline__ void fetch_lines(const diffusion_launch &p,
                                                   shared_memory<ID, SAMPLE_BYTES> &s,
                                                   const unsigned long long *lines, unsigned tag,
                                                   int lane)
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
        unsigned there = __ballot_sync(0xffffffff, have);
        unsigned turned = __funnelshift_r(there, there, base & 31);
        int count = turned == 0xffffffff ? 32 : __ffs((int)~turned) - 1; /* without a gap */
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
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0)
            s.ticket = atomicAdd(p.ticket, 1u) - p.first_ticket;
        if (threadIdx.x <= WARPS)
            s.consumed[threadIdx.x] = 0;
        for (int i = threadIdx.x; i < WARPS * rows_down * RING * words; i += blockDim.x)
            (&s.ring[0][0][0])[i] = 0;
        __syncthreads();
        const unsigned ticket = s.ticket;
        if (ticket >= p.blocks)
            return;
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
            run_band<ID, SAMPLE_BYTES, FOLD>(p, images, s, image, row + warp * LANES, warp, lane, out);
        }
    }
}

/* ---- host ---------------------------------------------------------------------------------------- */

ro_status wave_prepare(struct ro_cuda *cuda, struct diffusion_launch *p, const struct wave_form *form,
                       cudaStream_t stream, unsigned *grid)
{
    ro_context *context = cuda->context;
    int resident = 0;
    RO_CUDA_TRY(context, cudaFuncSetAttribute(form->kernel,
                                              cudaFuncAttributeMaxDynamicSharedMemorySize,
                                              (int)form->shared_bytes));
    RO_CUDA_TRY(context, cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                             &resident, form->kernel, form->threads, form->shared_bytes));
    if (form->resident && resident > form->resident)
        resident = form->resident;
    unsigned most = (unsigned)(resident * cuda->processors);
    *grid = p->blocks < most ? p->blocks : most;

    void *lines, *ticket;
    bool fresh;
    RO_TRY(ro_cuda_reserve(cuda, form->lines, (size_t)p->blocks * form->line_words * 8, stream,
                           &lines, &fresh));
    if (fresh)
        *form->tag = 0;
    if (++*form->tag > form->last_tag) { /* tags begin anew, so the old ones must go */
        RO_CUDA_TRY(context, cudaMemsetAsync(lines, 0, cuda->slot[form->lines].bytes, stream));
        *form->tag = 1;
    }
    RO_TRY(ro_cuda_reserve(cuda, RO_CUDA_TICKET, sizeof(unsigned), stream, &ticket, &fresh));
    if (fresh)
        cuda->wave_ticket = 0;
    p->lines = (unsigned long long *)lines;
    p->ticket = (unsigned *)ticket;
    p->first_ticket = cuda->wave_ticket;
    p->tag = *form->tag;
    /* Every block of the grid takes one ticket in vain at the end. */
    cuda->wave_ticket += p->blocks + *grid;
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
                                   RO_CUDA_LINES,
                                   (size_t)kernel_of<ID>::rows_down * ((p->width + 3) / 4) *
                                       depth<SAMPLE_BYTES>::words,
                                   &cuda->wave_tag,
                                   0xffff,
                                   0};
    unsigned grid;
    RO_TRY(wave_prepare(cuda, p, &form, stream, &grid));
    p->minus_white = 0u - (unsigned)kernel_of<ID>::divisor * p->white;
    wave<ID, SAMPLE_BYTES, FOLD><<<grid, (WARPS + 1) * 32, bytes, stream>>>(*p, *images);
    RO_CUDA_TRY(cuda->context, cudaGetLastError());
    return RO_OK;
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
    if (wave_pairs_fits(cuda, p, kernel_id, sample_bytes, fold))
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
                           "the wave on CUDA runs the kernels of the table only");
}
