/* SPDX-License-Identifier: MIT */
/*
 * The servants of the wave with two rows to a lane (wave_pairs.cu): they copy pixels ahead, sort
 * them into tones of both rows, and write the bits.
 */
#ifndef RO_HALFTONE_PAIRS_SERVANT_CUH
#define RO_HALFTONE_PAIRS_SERVANT_CUH

#include "halftone/pairs_memory.cuh"

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

/* Starts copying a band's first pixels. */
static __device__ __forceinline__ void aim_rows(rows_in &in, const diffusion_launch &p,
                                                const unsigned char *image, int row, int lane)
{
    in.column = first_column(lane, 1) & ~15; /* the lower row is the one behind */
    in.width = p.width;
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
}

static __device__ __forceinline__ void open_rows(rows_in &in)
{
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

/* The next of a block's pieces that has a band for this warp; false: there is none any more. */
static __device__ __forceinline__ bool next_band(const diffusion_launch &p, pair_memory &m,
                                                 int warp, int lane, int &tickets, piece &found)
{
    do {
        if (!see_ticket(p, m, tickets++, WARPS + warp, lane, found))
            return false;
    } while (warp >= found.warps);
    return true;
}

static __device__ __forceinline__ void serve_bands(const diffusion_launch &p,
                                                   const diffusion_images &images, pair_memory &m,
                                                   int warp, int lane)
{
    desk &d = m.desks[warp];
    const int chunks = band_chunks(p), first_row = warp * BAND_ROWS + 2 * lane;
    int tickets = 0, base = 0;
    piece piece;
    rows_in in;
    in.buffer = shared_address(m.staged[warp][2 * lane]);
    bool more = next_band(p, m, warp, lane, tickets, piece);
    if (more)
        aim_rows(in, p, images.in[piece.image], piece.row + first_row, lane);
#pragma unroll 1
    for (; more; base += chunks) {
        unsigned char *bits_out[2];
        unsigned before[2] = {0, 0};
#pragma unroll
        for (int r = 0; r < 2; r++) {
            const int row = piece.row + first_row + r;
            bits_out[r] = row < p.rows ? images.out[piece.image] + (size_t)row * p.out_pitch : NULL;
        }
        open_rows(in);
#pragma unroll 1
        for (int chunk = 0; chunk < chunks + SLOTS; chunk += 2) {
            /* A place is free once the chunks that had it have run; then their bits are there. */
            const int old = chunk - SLOTS;
            if (old >= 0) {
                wait_at_ease(&d.done, base + old + 2, 300);
                const unsigned first = d.bits[(unsigned)(base + old) % SLOTS][lane],
                               second = d.bits[(unsigned)(base + old + 1) % SLOTS][lane];
                const unsigned now[2] = {__byte_perm(first, second, 0x1054),
                                         __byte_perm(first, second, 0x3276)};
#pragma unroll
                for (int r = 0; r < 2; r++) {
                    put_word(p, bits_out[r], (old + 2) * CHUNK + first_column(lane, r), before[r],
                             now[r]);
                    before[r] = now[r];
                }
            }
            if (chunk < chunks) {
#pragma unroll 1
                for (int i = 0; i < 2; i++)
                    make_tones(in, d.tones[(unsigned)(base + chunk + i) % SLOTS], lane);
                __syncwarp();
                tell(shared_address(&d.in.served), base + chunk, lane == 0);
            } else if (chunk == chunks) {
                /* The last chunk reads ahead what is not of this band, and may. */
                tell(shared_address(&d.in.served), base + chunks - 1, lane == 0);
                copy_async_wait<0>();
                more = next_band(p, m, warp, lane, tickets, piece);
                if (more)
                    aim_rows(in, p, images.in[piece.image], piece.row + first_row, lane);
            }
        }
    }
}

#endif
