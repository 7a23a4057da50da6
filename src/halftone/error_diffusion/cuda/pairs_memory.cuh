/* SPDX-License-Identifier: MIT */
/*
 * What the warps of a block of the wave with two rows to a lane share (wave_pairs.cu), and how they
 * wait for each other.
 *
 * A warp counts the chunks that it has run, from its first band to its last: its clock. Whatever a
 * chunk waits for is told in that clock, in three counters that lie together, so that one load and
 * one comparison do: tones from its servant, errors from above, room for what it sends below.
 * Shared memory is written and read in order by a warp, so a counter that was seen tells of what
 * was written before it.
 */
#ifndef RO_HALFTONE_ERROR_DIFFUSION_CUDA_PAIRS_MEMORY_CUH
#define RO_HALFTONE_ERROR_DIFFUSION_CUDA_PAIRS_MEMORY_CUH

#include "halftone/error_diffusion/cuda/wave_parts.cuh"

#include <limits.h>
#include <stdint.h>

enum {
    WARPS = 4,           /* one for each scheduler of a multiprocessor, */
    FETCHER = 2 * WARPS, /* after them their servants, then the fetcher */
    THREADS = 32 * (FETCHER + 1),
    LANES = 32,
    BAND_ROWS = 2 * LANES,
    BLOCK_ROWS = WARPS * BAND_ROWS,
    CHUNK = 16,                  /* steps */
    TURN = 32,                   /* columns that are a word of bits: two chunks */
    SKEW = 5,                    /* columns from lane to lane */
    LAG = 10,                    /* chunks after which a warp's last row sends a column on */
    RING = 16,                   /* chunks of errors between two warps */
    CHUNK_WORDS = CHUNK / 4,     /* of four errors */
    ROW_BYTES = 256,             /* of pixels in a row's buffer, */
    ROW_STRIDE = ROW_BYTES + 64, /* and the first ones again */
    SLOTS = 8,                   /* chunks between a warp and its servant */
    TICKETS = 4,                 /* between the fetcher and the others */
};

/* Columns at step 0 of a lane's upper and lower row. */
static __device__ __forceinline__ int first_column(int lane, int row)
{
    return -2 - SKEW * lane - 2 * row;
}

/* Chunks in which lane 0 has a column: whole words of bits; and those until the last lane ends. */
static __host__ __device__ __forceinline__ int line_chunks(const diffusion_launch &p)
{
    return (p.width + TURN - 1) / TURN * (TURN / CHUNK);
}
static __device__ __forceinline__ int band_chunks(const diffusion_launch &p)
{
    return line_chunks(p) + LAG;
}

/* Both halves of a register. */
static constexpr __host__ __device__ unsigned both(unsigned value) { return value | value << 16; }

/* ---- memory ------------------------------------------------------------------------------- */

/* The chunk of a warp's clock up to which... */
struct __align__(16) inbox
{
    int served; /* tones are there, and those of the chunk after it */
    int sent;   /* errors are there */
    int room;   /* the warp below has room */
    int unused;
};

/* What a warp and its servant share. */
struct desk {
    uint4 tones[SLOTS][4][LANES]; /* of a chunk */
    unsigned bits[SLOTS][LANES];  /* of a chunk: upper row, lower row */
    inbox in;
    int done; /* chunks that have run */
};

struct pair_memory {
    unsigned long long ring[WARPS][RING * CHUNK_WORDS]; /* ring w is what warp w reads */
    desk desks[WARPS];
    __align__(16) unsigned char staged[WARPS][BAND_ROWS][ROW_STRIDE];
    unsigned tickets[TICKETS];
    int published;       /* tickets so far, */
    int read[2 * WARPS]; /* and how many of them each warp and servant has seen */
    int fetcher_room;    /* chunks that the fetcher may have brought */
    int nowhere;         /* is told what nobody wants to know */
};

/* ---- waiting ------------------------------------------------------------------------------ */

static __device__ __forceinline__ unsigned shared_address(const void *pointer)
{
    return (unsigned)__cvta_generic_to_shared(pointer);
}
/* The condition is a predicate of the store, not a branch. */
static __device__ __forceinline__ void tell(unsigned counter, int value, bool wanted)
{
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %2, 0;\n\t"
                 "@p st.relaxed.cta.shared.s32 [%0], %1;\n\t}" ::"r"(counter),
                 "r"(value), "r"((int)wanted)
                 : "memory");
}
static __device__ __forceinline__ int read_counter(const int *counter)
{
    int value;
    asm volatile("ld.relaxed.cta.shared.s32 %0, [%1];"
                 : "=r"(value)
                 : "r"(shared_address(counter))
                 : "memory");
    return value;
}
/* For those who have time: looking all the while would take the scheduler from the steps. */
static __device__ __forceinline__ void wait_at_ease(const int *counter, int value, unsigned sleep)
{
    SPIN_COUNT;
    while (read_counter(counter) < value) {
        SPIN_CHECK;
        __nanosleep(sleep);
    }
}

/* ---- tickets ------------------------------------------------------------------------------ */

/* A block's rows of an image: up to WARPS bands. */
struct piece {
    int image, number, row, warps;
};

/* The fetcher takes a ticket and shows it to the others. */
static __device__ __forceinline__ unsigned take_ticket(const diffusion_launch &p, pair_memory &m,
                                                       int count, int lane)
{
    unsigned ticket = 0;
    if (lane == 0)
        ticket = atomicAdd(p.ticket, 1u) - p.first_ticket;
    ticket = __shfl_sync(0xffffffff, ticket, 0);
    wait_at_ease(&m.read[lane % (2 * WARPS)], count + 1 - TICKETS, 500);
    __syncwarp();
    tell(shared_address(&m.tickets[count % TICKETS]), (int)ticket, lane == 0);
    tell(shared_address(&m.published), count + 1, lane == 0);
    return ticket;
}

/* The piece of a block's ticket number `count`; false if there is none. */
static __device__ __forceinline__ bool see_ticket(const diffusion_launch &p, pair_memory &m,
                                                  int count, int reader, int lane, piece &seen)
{
    wait_at_ease(&m.published, count + 1, 500);
    const unsigned ticket = (unsigned)read_counter((const int *)&m.tickets[count % TICKETS]);
    __syncwarp();
    tell(shared_address(&m.read[reader]), count + 1, lane == 0);
    seen.image = (int)(ticket % (unsigned)p.images);
    seen.number = (int)(ticket / (unsigned)p.images);
    seen.row = seen.number * BLOCK_ROWS;
    seen.warps = min((int)WARPS, (p.rows - seen.row + BAND_ROWS - 1) / BAND_ROWS);
    return ticket < p.blocks;
}

#endif
