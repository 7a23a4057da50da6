/* SPDX-License-Identifier: MIT */
/*
 * Errors on their way between the warps and blocks of the wave (wave.cu): four to a quad, in words
 * that a tag makes known.
 */
#ifndef RO_HALFTONE_ERROR_DIFFUSION_CUDA_WAVE_QUADS_CUH
#define RO_HALFTONE_ERROR_DIFFUSION_CUDA_WAVE_QUADS_CUH

#include "halftone/error_diffusion/cuda/wave_parts.cuh"

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

/* Pixels come four to a quad. Errors go four to a word of 64 bits with a tag of 16, 12 bits each;
 * or, from deeper pixels, two to a word, 24 bits each, two words to a quad. */
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

/* What many levels leave of a pixel where 15 bits are too few. */
template <> struct depth<4> {
    typedef uint4 pixels;
    static constexpr int words = 2;
    static constexpr int ahead = 8;
};

/* How pixels are rounded: samples to two levels, or what they have above the level below them, to
 * that level or the next; steps between levels are all the same, or differ by one. */
enum levels_form { FOLD, EVEN, UNEVEN };

static __device__ __forceinline__ unsigned sample(uint32_t pixels, int q)
{
    return pixels >> (8 * q) & 255;
}
static __device__ __forceinline__ unsigned sample(uint2 pixels, int q)
{
    return (q < 2 ? pixels.x : pixels.y) >> (16 * (q & 1)) & 65535;
}

static __device__ __forceinline__ unsigned sample(uint4 pixels, int q)
{
    return q == 0 ? pixels.x : q == 1 ? pixels.y : q == 2 ? pixels.z : pixels.w;
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
 * A ring keeps quad n at place n + GROUP - 1, so that the GROUP quads that a group of steps takes
 * in (step + 1 ... step + GROUP) are neighbours that never wrap. Their tag says how often the ring
 * has gone round; cleared words have that of no round.
 */
static __device__ __forceinline__ int ring_place(int quad)
{
    return (quad + GROUP - 1) & (RING - 1);
}
static __device__ __forceinline__ unsigned ring_tag(int quad)
{
    return ((unsigned)(quad + GROUP - 1) / RING + 1) & 0xffff;
}

#endif
