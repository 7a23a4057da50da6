/* SPDX-License-Identifier: MIT */
/*
 * The steps of acuity's wave (acuity_wave.cu): a warp runs a band of 32 rows, a lane a row, four
 * columns behind the lane above.
 *
 * What flows into the row below a lane is complete two columns behind, joined by what the lane
 * above has sent to the row after its own; what the lane itself sends there, one column behind.
 * Both go down together after every step: in a word of two halves, or, of deeper pixels, in two.
 *
 *     column   x - 2        x - 1                 the lane below needs them
 *              below        after                 at its columns x - 2 and x - 3
 *
 * The chain from pixel to pixel is a product, a shift, a sum, a difference, a mask, a product and
 * the bounds. It is shorter than the nine shares and their sums, which do not wait for one another:
 * the wave is as fast as a scheduler gives out instructions, one warp on each.
 */
#ifndef RO_HALFTONE_ERROR_DIFFUSION_CUDA_ACUITY_STEPS_CUH
#define RO_HALFTONE_ERROR_DIFFUSION_CUDA_ACUITY_STEPS_CUH

#include "halftone/error_diffusion/cuda/wave_parts.cuh"

#include <stdint.h>

enum {
    WARPS = 4, /* one for each scheduler of a multiprocessor */
    LANES = 32,
    BLOCK_ROWS = WARPS * LANES,
    RING = 64,     /* quads between two warps */
    GRANULES = 16, /* of 16 bytes in a lane's pixel buffer */
    GROUP = 2,     /* quads between looks at the warp above */
    CHUNK = 8,     /* quads of a turn of the loop: 32 columns, a word of bits */
};

/* Quads of steps that leave something for the band below: two columns more than there are. */
static __host__ __device__ __forceinline__ int line_quads(int width) { return (width + 5) / 4; }

/* What a pixel's tone says (acuity.h). */
struct tone {
    int above, step, threshold;
    unsigned level;
    unsigned weights[3]; /* {0: its first, nothing, 1, 2} {3, 5, 6, 7} {8, 9} */
};

/*
 * 8-bit pixels: a table of all tones in shared memory; errors and sums fit 16 bits. BITS: two
 * levels to packed bits, else level numbers.
 */
template <bool BITS> struct narrow {
    typedef uint32_t pixels;
    static constexpr int sample_bytes = 1, entries = 256;
    static constexpr int words = 1;  /* that a step hands down */
    static constexpr int ahead = 12; /* granules copied ahead */
    static constexpr bool bits = BITS;
    struct found {
        uint4 entry;
        unsigned tone;
    };

    static __device__ __forceinline__ found find(const diffusion_launch &, const uint4 *table,
                                                 pixels pixels, int q)
    {
        const unsigned sample = pixels >> (8 * q) & 255;
        return {table[sample], 16 * sample};
    }
    static __device__ __forceinline__ tone tone_of(const diffusion_launch &p, const uint4 *,
                                                   const found &found)
    {
        const uint4 &entry = found.entry;
        const unsigned numbers = entry.w; /* level, step, above */
        tone t = {(int)found.tone, (int)p.white, (int)entry.w, 0, {entry.x, entry.y, entry.z}};
        if (!BITS)
            t = {(int)(numbers & 0xfff),
                 (int)(numbers >> 12 & 0xfff),
                 (int)entry.z >> 16,
                 (unsigned)numbers >> 24,
                 {entry.x, entry.y, entry.z}};
        return t;
    }
    /* Of weights and the error, with a half for rounding. The byte of a weight picks its product;
     * the first stands alone, for the chain. */
    static __device__ __forceinline__ void multiply(const tone &t, int e, int (&products)[10])
    {
        const int low = e & 0xffff, high = (int)((unsigned)e << 16);
        const int x = (int)t.weights[0], y = (int)t.weights[1], z = (int)t.weights[2];
        products[0] = __dp2a_lo(e, x, 64);
        products[1] = __dp2a_hi(low, x, 64);
        products[2] = __dp2a_hi(high, x, 64);
        products[3] = __dp2a_lo(low, y, 64);
        products[5] = __dp2a_lo(high, y, 64);
        products[6] = __dp2a_hi(low, y, 64);
        products[7] = __dp2a_hi(high, y, 64);
        products[8] = __dp2a_lo(low, z, 64);
        products[9] = __dp2a_lo(high, z, 64);
    }
    static __device__ __forceinline__ void pack(int below, int after, unsigned (&words)[1])
    {
        words[0] = __byte_perm((unsigned)below, (unsigned)after, 0x5410);
    }
    static __device__ __forceinline__ void unpack(const unsigned (&words)[1], int *below,
                                                  int *after)
    {
        *below = (int16_t)words[0];
        *after = (int)words[0] >> 16;
    }
};

/* What 16-bit pixels have in common. */
struct wide {
    typedef uint2 pixels;
    static constexpr int sample_bytes = 2;
    static constexpr int words = 2;
    static constexpr int ahead = 8;

    static __device__ __forceinline__ unsigned sample(pixels pixels, int q)
    {
        return (q < 2 ? pixels.x : pixels.y) >> (16 * (q & 1)) & 65535;
    }
    /* A dot product with a one picks the weight: by a unit that has more time than the one that
     * shifts. */
    static __device__ __forceinline__ int product(unsigned weights, int byte, int e)
    {
        return __dp4a((int)weights, 1 << (8 * byte), 0) * e + 64;
    }
    static __device__ __forceinline__ void multiply(const tone &t, int e, int (&products)[10])
    {
        products[0] = product(t.weights[0], 0, e);
        products[1] = product(t.weights[0], 2, e);
        products[2] = product(t.weights[0], 3, e);
        products[3] = product(t.weights[1], 0, e);
        products[5] = product(t.weights[1], 1, e);
        products[6] = product(t.weights[1], 2, e);
        products[7] = product(t.weights[1], 3, e);
        products[8] = product(t.weights[2], 0, e);
        products[9] = product(t.weights[2], 1, e);
    }
    static __device__ __forceinline__ void pack(int below, int after, unsigned (&words)[2])
    {
        words[0] = (unsigned)below;
        words[1] = (unsigned)after;
    }
    static __device__ __forceinline__ void unpack(const unsigned (&words)[2], int *below,
                                                  int *after)
    {
        *below = (int)words[0];
        *after = (int)words[1];
    }
};

/* Two levels to packed bits: between the 256 tones of a table in shared memory. A larger one would
 * be in global memory, and lanes that look up 32 places of it wait for each other. */
struct wide_bits : wide {
    static constexpr int entries = 256;
    static constexpr bool bits = true;
    struct found {
        uint4 entry;
        unsigned line, tone,
            part; /* threshold and its rise; 16 times the sample; place, in 256ths */
    };

    static __device__ __forceinline__ found find(const diffusion_launch &p, const uint4 *table,
                                                 pixels pixels, int q)
    {
        const unsigned white = p.white / 16, a = sample(pixels, q), n = 255 * 256 * a;
        unsigned place = __umulhi(n, 0xffffffff / white); /* of 255 * 256, or one too low */
        place += n - place * white >= white;
        return {table[(place + 128) >> 8], table[place >> 8].w, 16 * a, place & 255};
    }
    static __device__ __forceinline__ tone tone_of(const diffusion_launch &p, const uint4 *,
                                                   const found &found)
    {
        const unsigned t =
            (found.line & 0xffff) * 256 + (unsigned)((int)found.line >> 16) * found.part;
        return {(int)found.tone,
                (int)p.white,
                (int)__umulhi(t << 12, p.white),
                0,
                {found.entry.x, found.entry.y, found.entry.z}};
    }
};

/* Level numbers: a table of all samples in global memory, of all classes in shared memory. */
struct wide_levels : wide {
    static constexpr int entries = 32;
    static constexpr bool bits = false;
    typedef uint4 found;

    static __device__ __forceinline__ found find(const diffusion_launch &p, const uint4 *,
                                                 pixels pixels, int q)
    {
        return __ldg((const uint4 *)p.table + entries + sample(pixels, q));
    }
    static __device__ __forceinline__ tone tone_of(const diffusion_launch &, const uint4 *table,
                                                   const found &found)
    {
        const uint4 entry = table[found.w & 0xff];
        return {(int)found.x,
                (int)found.y,
                (int)found.z,
                found.w >> 8 & 0xff,
                {entry.x, entry.y, entry.z}};
    }
};

template <class FORM> struct acuity_memory {
    uint4 table[FORM::entries];
    typename FORM::pixels staged[WARPS][LANES][GRANULES * 16 / sizeof(typename FORM::pixels)];
    /* Ring w is what warp w reads, the last what the sender takes on: words of four columns. */
    uint4 ring[WARPS + 1][RING][FORM::words];
    int sent[WARPS + 1];              /* quads that are there, from the first on, */
    volatile int consumed[WARPS + 1]; /* and that its reader no longer needs */
    unsigned ticket;
};

/* Shared memory is written and read in order by a warp, so a counter that was seen tells of what
 * was written before it. */
static __device__ __forceinline__ unsigned shared_address(const void *place)
{
    return (unsigned)__cvta_generic_to_shared(place);
}
static __device__ __forceinline__ int look_at(const int *counter)
{
    int value;
    asm volatile("ld.relaxed.cta.shared.s32 %0, [%1];"
                 : "=r"(value)
                 : "r"(shared_address(counter))
                 : "memory");
    return value;
}
static __device__ __forceinline__ uint4 load_words(const uint4 *from)
{
    uint4 words;
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
                 : "r"(shared_address(from))
                 : "memory");
    return words;
}

/* What is on its way in a lane, counted from the pixel at hand. */
struct lane_state {
    int right;       /* from the pixel to the left, */
    int soon, later; /* from those before it, to this and the next pixel */
    int below[4];    /* for columns -1 to 2 of the row below, */
    int after[2];    /* 0 and 1 of the row after that, */
    int under_way;   /* all of those together */
    int flow[2];     /* from above: to this and the next pixel, */
    int passed;      /* and to column 2 of the row below */
    unsigned bits;   /* of the last columns */
};

/* Where a group of steps lies. */
enum place {
    INTERIOR, /* every lane's columns are inside the image */
    LEFT,     /* or left of it: there nothing may flow in */
    ANYWHERE,
};

/* One pixel, whose column is inside unless `outside`; returns its level and what goes down. */
template <class FORM, place PLACE>
static __device__ __forceinline__ unsigned round_pixel(const tone &t, lane_state &s, int inside,
                                                       bool outside, unsigned (&down)[FORM::words])
{
    const int most = 5 * t.step >> 2;
    int known = t.above + most + (PLACE == LEFT ? s.flow[0] & inside : s.flow[0]) + s.soon;
    asm volatile("" : "+r"(known)); /* all that is known early is summed before what is not */
    const int v = known + s.right;  /* a bound too high, so that zero is the other one */
    const int up = (t.threshold + most - v) >> 31;
    int e = __vimin_s32_relu(v + up * t.step, 2 * most) - most;
    if (PLACE == ANYWHERE)
        e = outside ? 0 : e;
    int products[10];
    FORM::multiply(t, e, products);
    const int right = products[0] >> 7, later = products[1] >> 7;
    const int below = s.below[0] + (products[2] >> 7), after = s.after[0] + (products[7] >> 7);
    s.under_way = s.under_way + s.passed + e - below - after - right - later;
    s.right = right;
    s.soon = s.later;
    s.later = later;
    s.below[0] = s.below[1] + (products[3] >> 7);
    s.below[2] = s.below[3] + (products[5] >> 7);
    s.below[3] = s.passed + (products[6] >> 7);
    s.after[0] = s.after[1] + (products[8] >> 7);
    s.after[1] = products[9] >> 7;
    /* The tap below takes what is left, and all that is under way is known. */
    s.below[1] = s.under_way - s.below[0] - s.below[2] - s.below[3] - s.after[0] - s.after[1];
    FORM::pack(below, after, down);
    return t.level - (unsigned)up;
}

static __device__ __forceinline__ unsigned word_of(const uint4 &words, int q)
{
    return q == 0 ? words.x : q == 1 ? words.y : q == 2 ? words.z : words.w;
}

/* `sender`: the last lane, where the quad has something for the band below. Conditions are
 * predicates of the stores: a branch would keep the steps on either side of it apart. */
template <class FORM>
static __device__ __forceinline__ void send(uint4 (*ring)[FORM::words], int *sent, int quad,
                                            const uint4 (&words)[FORM::words], bool sender)
{
    const unsigned to = shared_address(&ring[quad & (RING - 1)][0]);
#pragma unroll
    for (int i = 0; i < FORM::words; i++)
        asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %5, 0;\n\t"
                     "@p st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};\n\t}" ::"r"(to + 16 * i),
                     "r"(words[i].x), "r"(words[i].y), "r"(words[i].z), "r"(words[i].w),
                     "r"((int)sender)
                     : "memory");
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %2, 0;\n\t"
                 "@p st.volatile.shared.s32 [%0], %1;\n\t}" ::"r"(shared_address(sent)),
                 "r"(quad + 1), "r"((int)sender)
                 : "memory");
}

/* A band of 32 rows, run by a warp. */
template <class FORM> struct acuity_band {
    const diffusion_launch &p;
    acuity_memory<FORM> &m;
    const int warp, lane;
    unsigned char *row; /* of output; NULL: there is no such row */
    typename FORM::pixels *staged;
    lane_state s;
    typename FORM::found coming[4]; /* what the tables say of the next quad */
    int seen;                       /* of what was sent from above */

    static constexpr int mask = GRANULES * 16 / (int)sizeof(typename FORM::pixels) - 1;

    __device__ __forceinline__ void find(typename FORM::pixels pixels)
    {
#pragma unroll
        for (int q = 0; q < 4; q++)
            coming[q] = FORM::find(p, m.table, pixels, q);
    }

    /* GROUP quads from step `first` on; lane l works on quad `first` - l. */
    template <place PLACE> __device__ __forceinline__ void run_group(int first)
    {
        const int quads = line_quads(p.width), needed = min(first + GROUP + 1, quads);
        SPIN_COUNT;
        for (int looks = 0; seen < needed; looks++) {
            SPIN_CHECK;
            seen = look_at(&m.sent[warp]);
            if (looks)
                pause_after(looks);
        }
        uint4 above[GROUP][FORM::words]; /* outside the image whatever is there will do */
#pragma unroll
        for (int c = 0; c < GROUP; c++)
#pragma unroll
            for (int i = 0; i < FORM::words; i++)
                above[c][i] = load_words(&m.ring[warp][(first + c + 1) & (RING - 1)][i]);
#pragma unroll
        for (int c = 0; c < GROUP; c++) {
            const int quad = first + c - lane, inside = ~(quad >> 31);
            typename FORM::found now[4];
            uint4 words[FORM::words];
            unsigned levels[4];
#pragma unroll
            for (int q = 0; q < 4; q++)
                now[q] = coming[q];
            find(staged[(quad + 1) & mask]);
            if (c == GROUP - 1)
                seen = look_at(&m.sent[warp]); /* for the next group */
#pragma unroll
            for (int q = 0; q < 4; q++) {
                unsigned down[FORM::words];
                const bool outside = (unsigned)(4 * quad + q) >= (unsigned)p.width;
                const unsigned level = round_pixel<FORM, PLACE>(FORM::tone_of(p, m.table, now[q]),
                                                                s, inside, outside, down);
                if (FORM::bits)
                    s.bits = s.bits << 1 | level;
                else
                    levels[q] = level;
#pragma unroll
                for (int i = 0; i < FORM::words; i++) {
                    (q == 0   ? words[i].x
                     : q == 1 ? words[i].y
                     : q == 2 ? words[i].z
                              : words[i].w) = down[i];
                    down[i] = __shfl_up_sync(0xffffffff, down[i], 1);
                    down[i] = lane == 0 ? word_of(above[c][i], q) : down[i];
                }
                s.flow[0] = s.flow[1];
                FORM::unpack(down, &s.flow[1], &s.passed);
            }
            send<FORM>(m.ring[warp + 1], &m.sent[warp + 1], quad, words,
                       (lane == LANES - 1) & ((unsigned)quad < (unsigned)quads));
            if (!FORM::bits && row && (unsigned)(4 * quad) < (unsigned)p.width)
                put_numbers(p, row, quad, levels);
        }
    }

    __device__ __forceinline__ void run(const unsigned char *in, int row_bytes)
    {
        /* A granule is four quads of bytes, or two of words. Those of a lane lie as far behind as
         * its quads, so that all are equally far ahead; `before` lie left of the image. */
        constexpr int per_granule = 4 / FORM::sample_bytes, granules_a_chunk = CHUNK / per_granule;
        constexpr int start = -CHUNK;
        const int before = lane / per_granule - start / per_granule;
        const unsigned buffer = shared_address(staged);
        pixel_stream stream = {in, in - 16 * before, row_bytes + 16 * before,
                               (unsigned)(-before * 16) & (GRANULES * 16 - 1)};
        /* Of the granule before those a lane may need the last quads: pixels left of the image must
         * be zeros, for an error of one goes on to the right for ever. */
        const int unstaged = -(before + 1) * 16 & (GRANULES * 16 - 1);
        *(uint4 *)((unsigned char *)staged + unstaged) = {0, 0, 0, 0};
#pragma unroll 1
        for (int g = 0; g < FORM::ahead; g += granules_a_chunk) {
            for (int i = 0; i < granules_a_chunk; i++)
                stage<GRANULES>(stream, buffer, row_bytes);
            copy_async_commit();
        }
        s = {};
        seen = 0;
        find({});
        const int end = (line_quads(p.width) + 7) / 8 * 8 + LANES - 1;
        unsigned bits_before = 0;
#pragma unroll 1
        for (int step = start; step < end; step += CHUNK) {
            for (int i = 0; i < granules_a_chunk; i++)
                stage<GRANULES>(stream, buffer, row_bytes);
            copy_async_commit();
            /* A quad more than this turn has is looked up. */
            copy_async_wait<FORM::ahead / granules_a_chunk - 1>();
            /* Room for what this turn makes. */
            wait_for(&m.consumed[warp + 1], step + CHUNK - (LANES - 1) - RING);
#pragma unroll 1
            for (int group = step; group < step + CHUNK; group += GROUP) {
                if ((group + GROUP) * 4 > p.width)
                    run_group<ANYWHERE>(group);
                else if (group < LANES)
                    run_group<LEFT>(group);
                else
                    run_group<INTERIOR>(group);
            }
            if (FORM::bits) {
                put_word(p, row, 4 * (step + CHUNK - lane), bits_before, s.bits);
                bits_before = s.bits;
            }
            __syncwarp();
            if (lane == 0)
                m.consumed[warp] = step + CHUNK + 1;
        }
        copy_async_wait<0>();
    }
};

#endif
