/* SPDX-License-Identifier: MIT */
/*
 * The line: what a band leaves for the one below, the errors of its last 8 rows, step by step.
 *
 * A component of an error has 15 bits and a sign that is there twice. In the line the second copies
 * are a tag that tells a band from the one before it, so that a word says itself whose it is:
 * nobody fences, the band below looks at the words it needs until they carry the tag of the band
 * above.
 *
 * A hogel has one line for all of its bands, and a band is always far enough behind the one above
 * to write where that has been read. A band b that is under way finds words of b - 1 or b - 2 where
 * it looks, never older ones: b - 1 has read them there, and that is why what b looks at next was
 * written. So that it holds from the beginning, b begins when b - 1 has taken in the line's
 * beginning. Before a launch lines are zero, a tag that no band has.
 *
 * BLOCK steps are 256 bytes, 8 for each lane.
 */
#ifndef RO_HOLOGRAM_QUANTIZE_CUDA_DIFFUSE_LINE_CUH
#define RO_HOLOGRAM_QUANTIZE_CUDA_DIFFUSE_LINE_CUH

#include "hologram/quantize/cuda/diffuse_parts.cuh"

enum { LINE_STEP = ROWS_ABOVE / 2 /* words of 8 bytes */ };
static_assert(BLOCK * LINE_STEP == LANES, "a lane has a word of each block");

static __device__ __forceinline__ unsigned tag_of(unsigned band)
{
    const unsigned tag = 1 + band % 3;
    return (tag & 1) << 15 | (tag & 2) << 30;
}

static __device__ __forceinline__ bool has_tag(uint2 words, unsigned tag)
{
    return (((words.x ^ tag) | (words.y ^ tag)) & 0x80008000u) == 0;
}

static __device__ __forceinline__ unsigned tagged(unsigned word, unsigned tag)
{
    return (word & 0x7fff7fffu) | tag;
}

static __device__ __forceinline__ unsigned untagged(unsigned word)
{
    return (word & 0x7fff7fffu) | ((word << 1) & 0x80008000u);
}

static __device__ __forceinline__ uint2 look_at(const uint2 *line)
{
    uint2 words;
    asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];"
                 : "=r"(words.x), "=r"(words.y)
                 : "l"(line)
                 : "memory");
    return words;
}

static __device__ __forceinline__ void leave(uint2 *line, uint2 words)
{
    asm volatile("st.relaxed.gpu.global.v2.u32 [%0], {%1, %2};" ::"l"(line), "r"(words.x),
                 "r"(words.y)
                 : "memory");
}

static __device__ __forceinline__ unsigned acquire(const unsigned *number)
{
    unsigned seen;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(number) : "memory");
    return seen;
}

static __device__ __forceinline__ void release(unsigned *number, unsigned value)
{
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(number), "r"(value) : "memory");
}

/* In a checked build a wait that lasts for seconds stops the kernel instead of the machine. */
static __device__ __forceinline__ void pause_after(int looks)
{
    if (looks > 32)
        __nanosleep(64);
#ifdef RO_CUDA_CHECKED
    if (looks > 1 << 24)
        __trap();
#endif
}

/* All lanes wait until the words of each carry the tag. */
static __device__ __forceinline__ uint2 wait_for(const uint2 *line, uint2 words, unsigned tag)
{
    for (int looks = 0; !__all_sync(0xffffffff, has_tag(words, tag)); looks++) {
        pause_after(looks);
        words = look_at(line);
    }
    return words;
}

/* As all lanes do it, their warp is known to stay together. */
static __device__ __forceinline__ void wait_for_start(const unsigned *started, unsigned bands)
{
    for (int looks = 0; !__all_sync(0xffffffff, acquire(started) >= bands); looks++)
        pause_after(looks);
}

#endif
