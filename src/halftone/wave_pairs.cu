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
 * These four do nothing but the steps, which are one long chain. Each has a servant on the same
 * scheduler, which works while the chain waits: it copies pixels ahead, sorts them into tones of
 * both rows, and writes the bits.
 *
 * Words of four errors travel as in wave.cu, but 16 bits each, so that unpacking is one
 * permutation; the tag is in spare bits of the upper two. A step is a column, a chunk is 16.
 *
 * The sides of the image need little. Columns outside are read as zeros and make no error as long
 * as none comes in. What would come in is the error that goes down to the left: at the column
 * before the first it is left out. Beyond the last column anything may stand, for at the last
 * column the same tap is left out again. So only one product of a step is ever masked.
 */
#include "halftone/wave_parts.cuh"

#include <limits.h>
#include <stdint.h>

enum {
    WARPS = 4,           /* one for each scheduler of a multiprocessor, */
    FETCHER = 2 * WARPS, /* after them their servants, then the fetcher */
    THREADS = 32 * (FETCHER + 1),
    LANES = 32,
    BAND_ROWS = 2 * LANES,
    BLOCK_ROWS = WARPS * BAND_ROWS,
    CHUNK = 16,                     /* steps; shifts by 4 below are divisions by it */
    TURN = 32,                      /* columns that are a word of bits: two chunks */
    SKEW = 5,                       /* columns from lane to lane */
    LAG = 160,                      /* steps after which a warp's last row sends a column on */
    RING = 64,                      /* words of four errors between two warps */
    GRANULES = 8,                   /* of 16 pixels in a row's buffer, */
    AHEAD = 5,                      /* of which so many are copied ahead */
    ROW_BYTES = GRANULES * 16 + 16, /* the first granule again */
    SLOTS = 8,                      /* chunks between a warp and its servant */
};

/* Columns at step 0 of a lane's upper and lower row. */
static __device__ __forceinline__ int first_column(int lane, int row)
{
    return -2 - SKEW * lane - 2 * row;
}

/* The taps of a kernel that may run here: to the right, and to the three neighbours below. */
template <int ID> struct pair_kernel {
    static constexpr unsigned weight(int dx, int dy)
    {
        unsigned sum = 0;
        for (int i = 0; i < kernel_of<ID>::count; i++) {
            diffusion_tap tap = diffusion_kernels[ID].taps[i];
            if (tap.dx == dx && tap.dy == dy)
                sum += (unsigned)(tap.weight / kernel_of<ID>::factor);
        }
        return sum;
    }
    static constexpr int divisor = kernel_of<ID>::divisor;
    static constexpr unsigned right = weight(1, 0), left_down = weight(-1, 1), down = weight(0, 1),
                              right_down = weight(1, 1);
    static constexpr bool fits = divisor <= 16 && (divisor & (divisor - 1)) == 0 &&
                                 (int)(right + left_down + down + right_down) == divisor &&
                                 kernel_of<ID>::weight_sum == divisor;
    static constexpr int shift = divisor == 16 ? 4 : divisor == 8 ? 3 : divisor == 4 ? 2 : 1;
};

static constexpr unsigned WHITE = 255 * 16;

/* Steps of lane 0 that have a column: whole words of bits. */
static __host__ __device__ __forceinline__ int columns_of(const diffusion_launch &p)
{
    return (p.width + TURN - 1) / TURN * TURN;
}

/* Both halves of a register. */
static constexpr __host__ __device__ unsigned both(unsigned value) { return value | value << 16; }

/* ---- words of four errors ----------------------------------------------------------------- */

static constexpr unsigned tag_bits = 0xf000f000u;

/* A line's tag: eight bits, in the spare bits of the third and fourth error. */
static __device__ __forceinline__ unsigned spread_tag(unsigned tag)
{
    return (tag & 15) << 12 | (tag & 0xf0) << 24;
}
/* A ring's tag: the top bit, set in every other round. Its reader is never a whole round behind,
 * and a cleared ring has the bit of no first round. */
static __device__ __forceinline__ unsigned ring_tag(int word)
{
    return ~((unsigned)word / RING) << 31;
}

typedef ulonglong2 word_pair;
static __device__ __forceinline__ word_pair load_ring(unsigned address)
{
    word_pair words;
    asm volatile("ld.relaxed.cta.shared.v2.u64 {%0, %1}, [%2];"
                 : "=l"(words.x), "=l"(words.y)
                 : "r"(address)
                 : "memory");
    return words;
}
/* The condition is a predicate of the store, not a branch. */
static __device__ __forceinline__ void store_ring(unsigned address, word_pair words, bool wanted)
{
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %3, 0;\n\t"
                 "@p st.relaxed.cta.shared.v2.u64 [%0], {%1, %2};\n\t}" ::"r"(address),
                 "l"(words.x), "l"(words.y), "r"((int)wanted)
                 : "memory");
}
static __device__ __forceinline__ void store_line(unsigned long long *to, word_pair words,
                                                  bool wanted)
{
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %3, 0;\n\t"
                 "@p st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};\n\t}" ::"l"(to),
                 "l"(words.x), "l"(words.y), "r"((int)wanted)
                 : "memory");
}
static __device__ __forceinline__ unsigned high_of(unsigned long long word)
{
    return (unsigned)(word >> 32);
}
static __device__ __forceinline__ unsigned long long word_of(unsigned low, unsigned high)
{
    return low | (unsigned long long)high << 32;
}

/* The four words above a chunk. */
struct words_above {
    word_pair half[2];
};
static __device__ __forceinline__ words_above read_above(unsigned ring, int chunk_start)
{
    unsigned at = ring + ((unsigned)chunk_start * 2 & (RING * 8 - 1));
    return {{load_ring(at), load_ring(at + 16)}};
}
/* Negative if all four are there. */
static __device__ __forceinline__ int all_there(const words_above &above, int chunk_start)
{
    const unsigned flip = ring_tag(chunk_start >> 2) ^ 0x80000000u;
    const unsigned a = (high_of(above.half[0].x) ^ flip) & (high_of(above.half[0].y) ^ flip);
    const unsigned b = (high_of(above.half[1].x) ^ flip) & (high_of(above.half[1].y) ^ flip);
    return (int)(a & b);
}

/* 1 << place, and nothing where that is no bit. */
static __device__ __forceinline__ unsigned bit(int place)
{
    unsigned value;
    asm("shl.b32 %0, 1, %1;" : "=r"(value) : "r"((unsigned)place)); /* which stops at 32 */
    return value;
}

/* ---- a chunk of steps --------------------------------------------------------------------- */

/* What a lane keeps from step to step, both rows in one register each. */
struct lane_state {
    unsigned error, rest; /* of the pixel to the left */
    unsigned above[3];    /* errors a row up: of the next column, this one, the last */
    unsigned left_down;   /* the first of them, or nothing at the sides */
    unsigned passed;      /* the errors of the lane above, a step ago */
};

/*
 * 16 steps. `tones` are of both rows. Returns the 16 bits of the upper row in the low half, those
 * of the lower row in the high half; `sent` are the errors of the lower row of this chunk but the
 * last, after that of the chunk before. `edge_upper` and `edge_lower` have the bits of the steps
 * after which the tap down to the left is left out. `peek` is called late, for what comes next.
 */
template <int ID, bool SIDES, typename Peek>
static __device__ __forceinline__ unsigned
run_chunk(lane_state &s, const uint4 (&tones)[4], const words_above &above, bool first_lane,
          unsigned bias, unsigned edge_upper, unsigned edge_lower, unsigned (&sent)[8], Peek peek)
{
    typedef pair_kernel<ID> kernel;
    const unsigned first_choice = first_lane ? 0x5410 : 0x5432;
    constexpr unsigned minus_white = both(0x10000 - WHITE);
    unsigned bits[2] = {0, 0}, last = s.error;
#pragma unroll
    for (int i = 0; i < CHUNK; i++) {
        const int c = i / 4, q = i % 4;
        const unsigned tone = q == 0   ? tones[c].x
                              : q == 1 ? tones[c].y
                              : q == 2 ? tones[c].z
                                       : tones[c].w;
        /* The newest errors come in last, and the quotient is added on the way: both shorten the
         * chain from step to step. Empty assembly keeps the compiler from another order. */
        unsigned sum = kernel::down * s.above[1] + kernel::right_down * s.above[2];
        asm volatile("" : "+r"(sum));
        sum += s.rest;
        asm volatile("" : "+r"(sum));
        sum += kernel::right * s.error;
        asm volatile("" : "+r"(sum));
        sum += kernel::left_down * s.left_down;
        asm volatile("" : "+r"(sum));
        s.rest = sum & both(kernel::divisor - 1);
        const unsigned y = ((sum & both(0x10000 - kernel::divisor)) >> kernel::shift) + tone;
        const unsigned error = __viaddmin_u16x2(y, minus_white, y);
        /* The difference is white or nothing, and bits 4 to 11 of white are ones. */
        bits[i / 8] |= (y - error) & both(0x800u >> i % 8);

        /* A row down: from the lane above, or into the first lane from the ring. */
        const unsigned long long word = c % 2 ? above.half[c / 2].y : above.half[c / 2].x;
        unsigned inserted = q < 2 ? (unsigned)word : high_of(word) & ~tag_bits;
        unsigned arrived, moved;
        if (SIDES) { /* in the high half, with what stands for no error beside it */
            arrived = first_lane ? (q % 2 ? inserted : inserted << 16) : s.passed;
            arrived = (arrived & 0xffff0000u) | bias;
            moved = __byte_perm(arrived, error, 0x5432);
            unsigned choice = edge_upper >> i & 1 ? 0x5410 : 0x5432;
            choice = edge_lower >> i & 1 ? 0x1032 : choice;
            s.left_down = __byte_perm(arrived, error, choice);
        } else {
            arrived = first_lane ? inserted : s.passed;
            moved = __byte_perm(arrived, error, q % 2 ? 0x5432 : first_choice);
            s.left_down = moved;
        }
        s.passed = __shfl_up_sync(0xffffffff, error, 1);
        s.above[2] = s.above[1];
        s.above[1] = s.above[0];
        s.above[0] = moved;
        s.error = error;
        if (i % 2 == 0)
            sent[i / 2] = __byte_perm(last, error, 0x7632);
        last = error;
        if (i == CHUNK - 4)
            peek();
    }
    return bits[0] << 4 | bits[1] >> 4;
}

/* ---- a band ------------------------------------------------------------------------------- */

/* What a warp and its servant share. */
struct desk {
    uint4 tones[SLOTS][4][LANES]; /* of a chunk */
    uint2 bits[SLOTS / 2][LANES]; /* of a turn: two chunks */
    int served, done;             /* chunks whose tones are there; chunks run */
};

struct pair_memory {
    unsigned long long ring[WARPS][RING]; /* ring w is what warp w reads */
    desk desks[WARPS];
    unsigned char staged[WARPS][BAND_ROWS][ROW_BYTES];
    int consumed[WARPS + 1]; /* words of ring w that its reader no longer needs; the last is enough
                                for those who write to no ring */
    int fetched;             /* words that the fetcher has brought */
    unsigned ticket;
};

/* Counters between warps of a block. Shared memory is written and read in order by a warp, so a
 * counter that was seen tells of what was written before it. */
static __device__ __forceinline__ void tell(int *counter, int value, bool wanted)
{
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %2, 0;\n\t"
                 "@p st.relaxed.cta.shared.s32 [%0], %1;\n\t}" ::"r"(
                     (unsigned)__cvta_generic_to_shared(counter)),
                 "r"(value), "r"((int)wanted)
                 : "memory");
}
static __device__ __forceinline__ int look(const int *counter)
{
    int value;
    asm volatile("ld.relaxed.cta.shared.s32 %0, [%1];"
                 : "=r"(value)
                 : "r"((unsigned)__cvta_generic_to_shared(counter))
                 : "memory");
    return value;
}
/* For those who have time: looking all the while would take the scheduler from the steps. */
static __device__ __forceinline__ void wait_at_ease(const int *counter, int value, unsigned sleep)
{
    SPIN_COUNT;
    while (look(counter) < value) {
        SPIN_CHECK;
        __nanosleep(sleep);
    }
}

/* Where a band's last row sends its errors: a ring, or a line in global memory, or nowhere. */
struct outlet {
    bool to_ring;
    unsigned ring;            /* address in shared memory */
    const int *consumed;      /* of the ring */
    unsigned long long *line; /* NULL: nobody wants them */
    unsigned tag;             /* of the line, spread */
};

/* What a chunk needs before it can run; looked at before the last one ends. */
struct supply {
    words_above above;
    int served, consumed;
};

template <int ID> struct band {
    const diffusion_launch &p;
    pair_memory &m;
    desk &d;
    const outlet &out;
    const int warp, lane, columns;
    const unsigned ring;
    lane_state s;
    uint4 tones[4];
    supply next;

    __device__ __forceinline__ band(const diffusion_launch &launch, pair_memory &memory, int w,
                                    int l, const outlet &o)
        : p(launch), m(memory), d(memory.desks[w]), out(o), warp(w), lane(l),
          columns(columns_of(launch)), ring((unsigned)__cvta_generic_to_shared(&memory.ring[w][0]))
    {
    }

    __device__ __forceinline__ void look_ahead(int step)
    {
        next.above = read_above(ring, step);
        next.served = look(&d.served);
        next.consumed = look(out.consumed);
    }

    /* Errors from above, tones for the chunk after this one, room for what is sent. Beyond the last
     * column nothing comes from above, and whatever came last will do. One condition, one branch.
     */
    template <bool SIDES> __device__ __forceinline__ bool ready(int step)
    {
        bool there = all_there(next.above, step) < 0;
        if (SIDES)
            there |= step >= columns;
        return there & (next.served >= (step >> 4) + 2) &
               (next.consumed >= ((step - LAG) >> 2) + 4 - RING);
    }

    template <bool SIDES> __device__ __forceinline__ unsigned chunk(int step)
    {
        if (__builtin_expect(!ready<SIDES>(step), 0)) {
            SPIN_COUNT;
            int looks = 0;
            do {
                SPIN_CHECK;
                if (looks++ > 1)
                    __nanosleep(64);
                look_ahead(step);
            } while (!ready<SIDES>(step));
        }
        const words_above above = next.above;
        uint4 later[4];
#pragma unroll
        for (int c = 0; c < 4; c++)
            later[c] = d.tones[((step >> 4) + 1) % SLOTS][c][lane];

        unsigned upper = 0, lower = 0;
        if (SIDES) {
            /* The steps before those where a row is one before its first column, or at its last. */
            const int left = -2 - first_column(lane, 0) - step, right = left + p.width;
            upper = bit(left) | bit(right);
            lower = bit(left + 2) | bit(right + 2);
        }
        unsigned sent[8];
        const unsigned bits = run_chunk<ID, SIDES>(s, tones, above, lane == 0, p.bias, upper, lower,
                                                   sent, [&] { look_ahead(step + CHUNK); });
#pragma unroll
        for (int c = 0; c < 4; c++)
            tones[c] = later[c];
        const int word = (step - LAG) >> 2;
        const bool sends = (lane == LANES - 1) & (!SIDES || step >= LAG);
        const unsigned tag = out.to_ring ? ring_tag(word) : out.tag;
        word_pair a = {word_of(sent[0], sent[1] | tag), word_of(sent[2], sent[3] | tag)};
        word_pair b = {word_of(sent[4], sent[5] | tag), word_of(sent[6], sent[7] | tag)};
        const unsigned place = out.ring + ((unsigned)word * 8 & (RING * 8 - 1));
        store_ring(place, a, sends & out.to_ring);
        store_ring(place + 16, b, sends & out.to_ring);
        store_line(out.line + word, a, sends & (out.line != NULL));
        store_line(out.line + word + 2, b, sends & (out.line != NULL));
        return bits;
    }

    template <bool SIDES> __device__ __forceinline__ void turns(int from, int to)
    {
#pragma unroll 1
        for (int step = from; step < to; step += TURN) {
            uint2 bits;
            bits.x = chunk<SIDES>(step);
            bits.y = chunk<SIDES>(step + CHUNK);
            d.bits[(step >> 5) % (SLOTS / 2)][lane] = bits;
            __syncwarp();
            tell(&m.consumed[warp], (step >> 2) + TURN / 4, lane == 0);
            tell(&d.done, (step >> 4) + 2, lane == 0);
        }
    }

    __device__ __forceinline__ void run()
    {
        const unsigned bias = p.bias;
        s.error = s.left_down = s.passed = both(bias);
        s.above[0] = s.above[1] = s.above[2] = both(bias);
        s.rest = both(pair_kernel<ID>::divisor / 2);
        /* A band starts long before its turn comes. */
        wait_at_ease(&d.served, 1, 100);
        if (warp == 0)
            wait_at_ease(&m.fetched, 1, 100);
        else
            wait_at_ease(&m.desks[warp - 1].done, (LAG - TURN) / CHUNK, 250);
#pragma unroll
        for (int c = 0; c < 4; c++)
            tones[c] = d.tones[0][c][lane];
        next = {};
        /* The sides are the first LAG steps, and those from the last column of lane 0 on. */
        const int whole = p.width / TURN * TURN, right = whole > LAG ? whole : LAG;
#pragma unroll 1
        for (int part = 0; part < 3; part++) {
            const int from = part == 0 ? 0 : part == 1 ? LAG : right;
            const int to = part == 0 ? LAG : part == 1 ? right : columns + LAG;
            if (part == 1)
                turns<false>(from, to);
            else
                turns<true>(from, to);
        }
    }
};

/* ---- the servant -------------------------------------------------------------------------- */

/*
 * A lane's two rows on their way in, by granules of 16 pixels which both rows share. The first of a
 * buffer is copied behind the last as well, so that no window of a chunk goes round the end.
 */
struct rows_in {
    const unsigned char *from[2];
    unsigned keep[2];             /* all bits, or none where there is no such row */
    int column, width;            /* of the next granule, of the image */
    unsigned buffer;              /* address in shared memory */
    unsigned window[2], shift[2]; /* where the words of the next chunk start, and bits into them */
    unsigned last[2];             /* the word before them */
};

static __device__ __forceinline__ void stage_rows(rows_in &in)
{
    /* Columns outside become zeros: nothing is read there. */
    const unsigned inside =
        (unsigned)in.column < (unsigned)in.width ? (unsigned)min(in.width - in.column, 16) : 0;
    const unsigned slot = (unsigned)in.column & (GRANULES * 16 - 1);
#pragma unroll
    for (int r = 0; r < 2; r++) {
        const unsigned to = in.buffer + slot + r * ROW_BYTES;
        copy_async<16>(to, in.from[r], inside & in.keep[r]);
        if (slot == 0)
            copy_async<16>(to + GRANULES * 16, in.from[r], inside & in.keep[r]);
        in.from[r] += 16;
    }
    in.column += 16;
    copy_async_commit();
}

static __device__ __forceinline__ unsigned read_word(unsigned address)
{
    unsigned word;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address) : "memory");
    return word;
}

static __device__ __forceinline__ void open_rows(rows_in &in, const diffusion_launch &p,
                                                 const unsigned char *image, int row, int lane,
                                                 void *buffer)
{
    in.column = first_column(lane, 1) & ~15; /* the lower row is the one behind */
    in.width = p.width;
    in.buffer = (unsigned)__cvta_generic_to_shared(buffer);
#pragma unroll
    for (int r = 0; r < 2; r++) {
        const bool exists = row + r < p.rows;
        const int start = first_column(lane, r);
        in.from[r] = image + (ptrdiff_t)(exists ? row + r : 0) * (ptrdiff_t)p.in_pitch + in.column;
        in.keep[r] = exists ? ~0u : 0;
        in.window[r] = (unsigned)start & (GRANULES * 16 - 4);
        in.shift[r] = (unsigned)(start & 3) * 8;
    }
    /* A chunk and the lower row's lag reach over three granules; AHEAD more are under way. */
#pragma unroll 1
    for (int g = 0; g < 2 + AHEAD; g++)
        stage_rows(in);
    copy_async_wait<AHEAD>();
#pragma unroll
    for (int r = 0; r < 2; r++) {
        in.last[r] = read_word(in.buffer + r * ROW_BYTES + in.window[r]);
        in.window[r] = (in.window[r] + 4) & (GRANULES * 16 - 1);
    }
}

/* Makes the tones of the next chunk. */
static __device__ __forceinline__ void make_tones(rows_in &in, uint4 (*tones)[LANES], int lane)
{
    stage_rows(in);
    copy_async_wait<AHEAD>();
    unsigned words[2][5];
#pragma unroll
    for (int r = 0; r < 2; r++) {
        const unsigned at = in.buffer + r * ROW_BYTES + in.window[r];
        words[r][0] = in.last[r];
#pragma unroll
        for (int c = 0; c < 4; c++)
            words[r][c + 1] = read_word(at + 4 * c);
        in.last[r] = words[r][4];
        in.window[r] = (in.window[r] + CHUNK) & (GRANULES * 16 - 1);
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
        const unsigned upper = __funnelshift_r(words[0][c], words[0][c + 1], in.shift[0]);
        const unsigned lower = __funnelshift_r(words[1][c], words[1][c + 1], in.shift[1]);
        /* A tone is 16 times the sample. */
        const unsigned left = __byte_perm(upper, lower, 0x5410),
                       right = __byte_perm(upper, lower, 0x7632);
        uint4 four;
        four.x = (left & both(0xff)) << 4;
        four.y = left >> 4 & both(0xff0);
        four.z = (right & both(0xff)) << 4;
        four.w = right >> 4 & both(0xff0);
        tones[c][lane] = four;
    }
}

static __device__ __forceinline__ void serve_band(const diffusion_launch &p,
                                                  const diffusion_images &images, pair_memory &m,
                                                  int image, int row, int warp, int lane)
{
    desk &d = m.desks[warp];
    const int mine = row + 2 * lane, chunks = (columns_of(p) + LAG) / CHUNK;
    unsigned char *bits_out[2];
    unsigned before[2] = {0, 0};
#pragma unroll
    for (int r = 0; r < 2; r++)
        bits_out[r] =
            mine + r < p.rows ? images.out[image] + (size_t)(mine + r) * p.out_pitch : NULL;
    rows_in in;
    open_rows(in, p, images.in[image], mine, lane, m.staged[warp][2 * lane]);
#pragma unroll 1
    for (int chunk = 0; chunk < chunks + SLOTS; chunk += 2) {
        /* A place is free once the turn that had it has run; then its bits are there too. */
        const int old = chunk - SLOTS;
        if (old >= 0) {
            wait_at_ease(&d.done, old + 2, 100);
            const uint2 bits = d.bits[old / 2 % (SLOTS / 2)][lane];
            const unsigned now[2] = {__byte_perm(bits.x, bits.y, 0x1054),
                                     __byte_perm(bits.x, bits.y, 0x3276)};
#pragma unroll
            for (int r = 0; r < 2; r++) {
                put_word(p, bits_out[r], (old + 2) * CHUNK + first_column(lane, r), before[r],
                         now[r]);
                before[r] = now[r];
            }
        }
        if (chunk < chunks) {
            make_tones(in, d.tones[chunk % SLOTS], lane);
            make_tones(in, d.tones[(chunk + 1) % SLOTS], lane);
        }
        __syncwarp();
        tell(&d.served, chunk + 2, lane == 0); /* after the last too: they are read ahead */
    }
    copy_async_wait<0>();
}

/* ---- a block ------------------------------------------------------------------------------ */

/* The fetcher: brings the errors of the row above the block into ring 0. Lane l polls the words
 * that leave l when divided by 32; what is there without a gap is handed on. */
static __device__ __forceinline__ void fetch_line(const diffusion_launch &p, pair_memory &m,
                                                  const unsigned long long *line, unsigned tag,
                                                  int lane)
{
    const int words = columns_of(p) / 4;
    const unsigned wanted = spread_tag(tag);
    const unsigned ring = (unsigned)__cvta_generic_to_shared(&m.ring[0][0]);
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
        unsigned there = __ballot_sync(0xffffffff, have);
        unsigned turned = __funnelshift_r(there, there, base & 31);
        int count = turned == 0xffffffff ? 32 : __ffs((int)~turned) - 1; /* without a gap */
        if (count == 0) {
            SPIN_CHECK;
            __nanosleep(20);
            continue;
        }
        wait_at_ease(&m.consumed[0], base + count - RING, 500);
        if (have && mine < base + count) {
            unsigned long long word =
                word_of((unsigned)found, (high_of(found) & ~tag_bits) | ring_tag(mine));
            asm volatile(
                "st.relaxed.cta.shared.u64 [%0], %1;" ::"r"(ring + (unsigned)(mine % RING) * 8),
                "l"(word)
                : "memory");
            mine += 32;
            have = false;
        }
        base += count;
        tell(&m.fetched, base, lane == 0);
    }
}

template <int ID>
static __global__ void __launch_bounds__(THREADS, 2)
    wave_pairs(const __grid_constant__ diffusion_launch p,
               const __grid_constant__ diffusion_images images)
{
    extern __shared__ __align__(16) unsigned char memory[];
    pair_memory &m = *(pair_memory *)memory;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const size_t line_words = (size_t)columns_of(p) / 4;
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0)
            m.ticket = atomicAdd(p.ticket, 1u) - p.first_ticket;
        if (threadIdx.x == 0) {
            m.consumed[WARPS] = INT_MAX;
            m.fetched = 0;
        }
        if (threadIdx.x < WARPS) {
            m.consumed[threadIdx.x] = 0;
            m.desks[threadIdx.x].served = m.desks[threadIdx.x].done = 0;
        }
        for (int i = threadIdx.x; i < WARPS * RING; i += blockDim.x)
            (&m.ring[0][0])[i] = 0;
        __syncthreads();
        const unsigned ticket = m.ticket;
        if (ticket >= p.blocks)
            return;
        const int image = (int)(ticket % (unsigned)p.images);
        const int number = (int)(ticket / (unsigned)p.images), row = number * BLOCK_ROWS;
        const int warps = min((int)WARPS, (p.rows - row + BAND_ROWS - 1) / BAND_ROWS);
        /* The line that a ticket's rows leave has the ticket's place. */
        unsigned long long *line = p.lines + (size_t)ticket * line_words;
        if (warp == FETCHER) {
            if (number)
                fetch_line(p, m, line - (size_t)p.images * line_words, p.tag, lane);
            else
                fetch_line(p, m, p.above, p.above_tag, lane);
        } else if (warp < warps) {
            outlet out = {};
            out.to_ring = warp + 1 < warps;
            out.consumed = &m.consumed[out.to_ring ? warp + 1 : WARPS];
            if (out.to_ring) {
                out.ring = (unsigned)__cvta_generic_to_shared(&m.ring[warp + 1][0]);
            } else {
                out.line = row + BLOCK_ROWS < p.rows ? line : p.left_below;
                out.tag = spread_tag(p.tag);
            }
            band<ID>(p, m, warp, lane, out).run();
        } else if (warp >= WARPS && warp - WARPS < warps) {
            const int served = warp - WARPS;
            serve_band(p, images, m, image, row + served * BAND_ROWS, served, lane);
        }
    }
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
                                       RO_CUDA_PAIR_LINES,
                                       (size_t)columns_of(*p) / 4,
                                       &cuda->pairs_tag,
                                       0xff};
        unsigned grid;
        RO_TRY(wave_prepare(cuda, p, &form, stream, &grid));
        wave_pairs<ID><<<grid, THREADS, sizeof(pair_memory), stream>>>(*p, *images);
        RO_CUDA_TRY(cuda->context, cudaGetLastError());
    }
    return RO_OK;
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
