/* SPDX-License-Identifier: MIT */
/*
 * The steps of the wave with two rows to a lane (wave_pairs.cu): a warp runs a band of 64 rows, 16
 * columns at a time.
 *
 * The sides of the image need little. Columns outside are read as zeros and make no error as long
 * as none comes in. What would come in is the error that goes down to the left: at the column
 * before the first it is left out. Beyond the last column anything may stand, for at the last
 * column the same tap is left out again. So only one product of a step is ever masked.
 */
#ifndef RO_HALFTONE_ERROR_DIFFUSION_CUDA_PAIRS_STEPS_CUH
#define RO_HALFTONE_ERROR_DIFFUSION_CUDA_PAIRS_STEPS_CUH

#include "halftone/error_diffusion/cuda/pairs_memory.cuh"

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

/* ---- words of four errors ----------------------------------------------------------------- */

static constexpr unsigned tag_bits = 0xf000f000u;

/* A line's tag: eight bits, in the spare bits of the third and fourth error. */
static __device__ __forceinline__ unsigned spread_tag(unsigned tag)
{
    return (tag & 15) << 12 | (tag & 0xf0) << 24;
}
static __device__ __forceinline__ unsigned high_of(unsigned long long word)
{
    return (unsigned)(word >> 32);
}
static __device__ __forceinline__ unsigned long long word_of(unsigned low, unsigned high)
{
    return low | (unsigned long long)high << 32;
}

typedef ulonglong2 word_pair;
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
/* Four registers; where it is in the code, there it stays. */
static __device__ __forceinline__ uint4 load_four(unsigned address)
{
    uint4 four;
    asm volatile("ld.relaxed.cta.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(four.x), "=r"(four.y), "=r"(four.z), "=r"(four.w)
                 : "r"(address));
    return four;
}
/* The place of a chunk in a ring. */
static __device__ __forceinline__ unsigned ring_place(unsigned ring, int chunk)
{
    return ring + (unsigned)chunk % RING * (CHUNK_WORDS * 8);
}

/* The four words above a chunk. */
struct words_above {
    uint4 half[2];
};

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
 * last, after that of the chunk before. `edges` has in each half, from the top bit on, the steps
 * after which the tap down to the left is left out. `between` is called after each step: what is
 * done there costs the least, for the chain waits anyway.
 */
template <int ID, bool SIDES, typename Between>
static __device__ __forceinline__ unsigned
run_chunk(lane_state &s, const uint4 (&tones)[4], const words_above &above, bool first_lane,
          unsigned bias, unsigned edges, unsigned (&sent)[8], Between between)
{
    typedef pair_kernel<ID> kernel;
    const unsigned first_choice = first_lane ? 0x5410 : 0x5432;
    const unsigned first_place = first_lane ? 0x1054 : 0x3254;
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
        const uint4 &four = above.half[c / 2];
        const unsigned inserted = c % 2 ? (q < 2 ? four.z : four.w) : (q < 2 ? four.x : four.y);
        const unsigned arrived = first_lane ? inserted : s.passed;
        unsigned moved;
        if (SIDES) {
            /* The high half, with what stands for no error beside it; at an edge that is taken. The
             * sign of two bytes, spread over them, makes the choice without a comparison. */
            const unsigned placed = __byte_perm(arrived, bias, q % 2 ? 0x3254 : first_place);
            unsigned at_edge;
            asm("prmt.b32 %0, %1, 0, 0x00b9;" : "=r"(at_edge) : "r"(edges));
            edges <<= 1;
            moved = __byte_perm(placed, error, 0x5432);
            asm("prmt.b32 %0, %1, %2, %3;"
                : "=r"(s.left_down)
                : "r"(placed), "r"(error), "r"((at_edge & 0x4422) ^ 0x5432));
        } else {
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
        between(i);
    }
    return bits[0] << 4 | bits[1] >> 4;
}

/* ---- a band ------------------------------------------------------------------------------- */

/* 1 << place, and nothing where that is no bit. */
static __device__ __forceinline__ unsigned bit(int place)
{
    unsigned value;
    asm("shl.b32 %0, 1, %1;" : "=r"(value) : "r"((unsigned)place)); /* which stops at 32 */
    return value;
}

/* How many bands a warp and its neighbours have run before. */
struct band_counts {
    int above, own, below;
};

/* Where a band's last row sends its errors: a ring, or a line in global memory, or nowhere. */
struct outlet {
    bool to_ring;
    unsigned long long *line; /* NULL: nobody wants them */
    unsigned tag;             /* of the line, spread */
};

template <int ID> struct band {
    const diffusion_launch &p;
    desk &d;
    const outlet &out;
    const int lane, chunks, base; /* base: the clock at the first chunk */
    unsigned ring_in, ring_out, tones_at;
    int in_start, out_start; /* a ring's chunk, less the clock */
    /* What a lane tells after a chunk: to whom, and a number that goes with the clock. */
    unsigned told;
    int offset, least, most;
    lane_state s;
    uint4 tones[4];
    int ready_until,
        room_least;     /* the clock up to which a chunk can run, and the errors above it: */
    words_above coming; /* looked at before the last one ends */

    __device__ __forceinline__ band(const diffusion_launch &launch, pair_memory &m, int warp, int l,
                                    const band_counts &count, const outlet &o)
        : p(launch), d(m.desks[warp]), out(o), lane(l), chunks(band_chunks(launch)),
          base(count.own * chunks)
    {
        const int line = line_chunks(p);
        desk &above = m.desks[warp ? warp - 1 : 0], &below = m.desks[out.to_ring ? warp + 1 : 0];
        tones_at = shared_address(&d.tones[0][0][lane]);
        ring_in = shared_address(m.ring[warp]);
        ring_out = shared_address(m.ring[out.to_ring ? warp + 1 : 0]);
        in_start = count.own * line - base;
        out_start = count.below * line - base - LAG;
        room_least = out.to_ring ? INT_MIN : INT_MAX;
        least = INT_MIN;
        most = INT_MAX;
        if (lane == 0) { /* the room that the chunks which were read have left */
            told = shared_address(warp ? &above.in.room : &m.fetcher_room);
            offset = (warp ? count.above * chunks + LAG - 1 : count.own * line) + 1 + RING - base;
            most = offset + base + line - 1;
        } else if (lane == 1) { /* the errors that were sent */
            told = shared_address(out.to_ring ? &below.in.sent : &m.nowhere);
            offset = count.below * chunks - LAG - base;
            least = count.below * chunks - 1;
        } else {
            told = shared_address(&d.done);
            offset = 1;
        }
        tell(told, base - 1 + offset, lane == 0);
        /* A band starts long before its turn comes. */
        wait_at_ease(&d.in.served, base, 200);
        if (warp == 0)
            wait_at_ease(&d.in.sent, base, 100);
        else
            wait_at_ease(&above.done, count.above * chunks + LAG - 2, 250);
    }

    /* Whether what the chunk at `clock` needs is there, then the errors themselves. */
    __device__ __forceinline__ void look(int clock, int half)
    {
        if (half == 0) {
            const uint4 in = load_four(shared_address(&d.in));
            ready_until = min(min((int)in.x, (int)in.y), max((int)in.z, room_least));
        }
        coming.half[half] = load_four(ring_place(ring_in, clock + in_start) + 16 * half);
    }

    template <bool SIDES> __device__ __forceinline__ void run_one(int clock)
    {
        if (__builtin_expect(ready_until < clock, 0)) {
            SPIN_COUNT;
            look(clock, 0);
            while (ready_until < clock) {
                SPIN_CHECK;
                __nanosleep(20);
                look(clock, 0);
            }
            look(clock, 1);
        }
        unsigned edges = 0;
        if (SIDES) {
            /* The steps before those where a row is one before its first column, or at its last. */
            const int left = -2 - first_column(lane, 0) - (clock - base) * CHUNK,
                      right = left + p.width;
            edges = ((bit(15 - left) | bit(15 - right)) & 0xffff) |
                    (bit(13 - left) | bit(13 - right)) << 16;
        }
        const bool sends = (lane == LANES - 1) & (!SIDES || clock - base >= LAG);
        const unsigned place = ring_place(ring_out, clock + out_start);
        unsigned long long *line = out.line + (ptrdiff_t)(clock - base - LAG) * CHUNK_WORDS;
        unsigned sent[8];
        auto send = [&](int half) {
            const unsigned *e = sent + 4 * half;
            const word_pair words = {word_of(e[0], e[1] | out.tag), word_of(e[2], e[3] | out.tag)};
            store_ring(place + 16 * half, words, sends & out.to_ring);
            store_line(line + 2 * half, words, sends & (out.line != NULL));
        };
        const unsigned later = tones_at + (unsigned)(clock + 1) % SLOTS * sizeof d.tones[0];
        const unsigned bits =
            run_chunk<ID, SIDES>(s, tones, coming, lane == 0, p.bias, edges, sent, [&](int step) {
                if (step % 4 == 3) /* those of the next chunk take their place */
                    tones[step / 4] = load_four(later + step / 4 * sizeof d.tones[0][0]);
                if (step == 7)
                    send(0);
                if (step == 12)
                    look(clock + 1, 0);
            });
        look(clock + 1, 1);
        send(1);
        d.bits[(unsigned)clock % SLOTS][lane] = bits;
        __syncwarp();
        int value = min(clock + offset, most);
        if (SIDES)
            value = max(value, least);
        tell(told, value, lane < 3);
    }

    template <bool SIDES> __device__ __forceinline__ void run_some(int from, int to)
    {
#pragma unroll 1
        for (int clock = base + from; clock < base + to; clock++)
            run_one<SIDES>(clock);
    }

    __device__ __forceinline__ void run()
    {
        const unsigned bias = p.bias;
        s.error = s.left_down = s.passed = both(bias);
        s.above[0] = s.above[1] = s.above[2] = both(bias);
        s.rest = both(pair_kernel<ID>::divisor / 2);
#pragma unroll
        for (int c = 0; c < 4; c++)
            tones[c] = load_four(tones_at + (unsigned)base % SLOTS * sizeof d.tones[0] +
                                 c * sizeof d.tones[0][0]);
        ready_until = INT_MIN;
        coming = {};
        /* The sides are the first LAG chunks, and those from the last column of lane 0 on. */
        const int right = max(p.width / TURN * (TURN / CHUNK), (int)LAG);
#pragma unroll 1
        for (int part = 0; part < 3; part++) {
            if (part == 1)
                run_some<false>(LAG, right);
            else
                run_some<true>(part ? right : 0, part ? chunks : (int)LAG);
        }
        /* Beyond the last column the warp below needs no errors: whatever came last will do. */
        tell(told, offset + base + chunks - 1 + LAG, lane == 1);
    }
};

#endif
