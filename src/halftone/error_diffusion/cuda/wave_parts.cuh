/* SPDX-License-Identifier: MIT */
/*
 * What the waves on the device share: waiting, pixels copied ahead, bits written.
 */
#ifndef RO_HALFTONE_ERROR_DIFFUSION_CUDA_WAVE_PARTS_CUH
#define RO_HALFTONE_ERROR_DIFFUSION_CUDA_WAVE_PARTS_CUH

#include "cuda/copy_async.cuh"
#include "halftone/error_diffusion/cuda/wave.cuh"

#include <stdint.h>

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

/* Between looks: at once at first, then with pauses that leave the scheduler to others. */
static __device__ __forceinline__ void pause_after(int looks)
{
    if (looks > 8)
        __nanosleep(32);
}

/* Waits until *counter, in shared memory, has reached `value`. */
static __device__ __forceinline__ void wait_for(const volatile int *counter, int value)
{
    SPIN_COUNT;
    for (int looks = 0; *counter < value; looks++) {
        SPIN_CHECK;
        pause_after(looks);
    }
}

/* A block takes rows by ticket until there are none left, so that blocks only wait for blocks that
 * run already. `clear` makes its shared memory ready, `run` has the number of the rows. */
template <class CLEAR, class RUN>
static __device__ __forceinline__ void by_ticket(const diffusion_launch &p, unsigned *place,
                                                 CLEAR clear, RUN run)
{
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0)
            *place = atomicAdd(p.ticket, 1u) - p.first_ticket;
        clear();
        __syncthreads();
        const unsigned ticket = *place;
        if (ticket >= p.blocks)
            return;
        run(ticket);
    }
}

/* A fetcher's lane l looks for words l, l + 32, ...: how many from word `base` on are there without
 * a gap, up to 32. `have`: the lane has the next of its words. */
static __device__ __forceinline__ int there_in_a_row(bool have, int base)
{
    const unsigned there = __ballot_sync(0xffffffff, have);
    const unsigned turned = __funnelshift_r(there, there, base & 31);
    return turned == 0xffffffff ? 32 : __ffs((int)~turned) - 1;
}

/* A row of pixels on its way into shared memory, 16 bytes at a time; on either side come zeros. */
struct pixel_stream {
    const unsigned char *row, *from; /* its start, the next granule */
    int left;      /* bytes of the row from there on; more than there are left of the image */
    unsigned slot; /* its place in the buffer, in bytes */
};

template <int GRANULES>
static __device__ __forceinline__ void stage(pixel_stream &stream, unsigned buffer, int row_bytes)
{
    int bytes = stream.left > row_bytes ? 0 : min(max(stream.left, 0), 16);
    copy_async<16>(buffer + stream.slot, bytes ? stream.from : stream.row, (unsigned)bytes);
    stream.from += 16;
    stream.left -= 16;
    stream.slot = (stream.slot + 16) & (GRANULES * 16 - 1);
}

/* Writes up to 32 columns of bits where whole words cannot be. */
static __device__ __noinline__ void put_bits_bytewise(unsigned char *to, unsigned bits, int columns)
{
    if (columns < 32)
        bits &= 0xffffffffu << (32 - columns);
    for (int i = 0; i < 4 && 8 * i < columns; i++)
        to[i] = (unsigned char)(bits >> (24 - 8 * i));
}

/* Writes four levels of a row. */
static __device__ __forceinline__ void put_numbers(const diffusion_launch &p, unsigned char *row,
                                                   int quad, const unsigned *levels)
{
    const int columns = p.width - quad * 4;
    if (p.number_bytes == 1) {
        unsigned char *to = row + (size_t)quad * 4;
        if (columns >= 4 && p.words_out)
            *(unsigned *)to =
                __byte_perm(levels[0] | levels[1] << 8, levels[2] | levels[3] << 8, 0x5410);
        else
            for (int i = 0; i < 4 && i < columns; i++)
                to[i] = (unsigned char)levels[i];
    } else {
        uint16_t *to = (uint16_t *)row + (size_t)quad * 4;
        if (columns >= 4 && p.words_out)
            *(uint2 *)to = {levels[0] | levels[1] << 16, levels[2] | levels[3] << 16};
        else
            for (int i = 0; i < 4 && i < columns; i++)
                to[i] = (uint16_t)levels[i];
    }
}

/*
 * A row's bits. In a turn of the loop a lane runs 32 columns, but its words straddle two turns: the
 * one that became whole in this turn lies somewhat back in the last 64 bits. `done` columns of the
 * row have run; `row` is where its bits go, NULL if there is no such row.
 */
static __device__ __forceinline__ void put_word(const diffusion_launch &p, unsigned char *row,
                                                int done, unsigned before, unsigned now)
{
    int word = (done >> 5) - 1; /* the last whole one */
    unsigned bits = __funnelshift_r(now, before, done & 31);
    int columns = p.width - word * 32; /* of the row from the word on */
    if (!row || word < 0 || columns <= 0)
        return;
    if (columns >= 32 && p.words_out)
        ((unsigned *)row)[word] = __byte_perm(bits, 0, 0x0123);
    else
        put_bits_bytewise(row + (size_t)word * 4, bits, columns);
}

#endif
