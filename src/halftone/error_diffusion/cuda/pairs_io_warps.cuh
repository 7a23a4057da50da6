/* SPDX-License-Identifier: MIT */
/*
 * The servants of the wave with two rows to a lane (wave_pairs.cu): they copy pixels ahead, sort
 * them into tones of both rows, and write the bits.
 */
#ifndef RO_HALFTONE_ERROR_DIFFUSION_CUDA_PAIRS_IO_WARPS_CUH
#define RO_HALFTONE_ERROR_DIFFUSION_CUDA_PAIRS_IO_WARPS_CUH

#include "halftone/error_diffusion/cuda/pairs_memory.cuh"

/*
 * Rows on their way in. Lanes are five columns apart, so each reads its own pixels, but copies are
 * made together: four lanes copy a piece of 64 bytes, and in a chunk 16 rows get their next one, so
 * that all have had theirs after four chunks. A row's buffer has four pieces, of which one or two
 * are ahead; its first 16 bytes stand again behind the last, so that no window of a chunk goes
 * round the end.
 */
enum { PIECE = 64, GROUP_ROWS = 16, GROUPS = BAND_ROWS / GROUP_ROWS, PENDING = 3 };

struct rows_in {
    const unsigned char *from;    /* a lane's part of the first group's rows at column 0 */
    unsigned to;                  /* and of their buffers: an address in shared memory */
    size_t pitch;                 /* of eight rows */
    int rows, column, width;      /* rows of the image from the lane's first one on */
    unsigned buffer;              /* of the lane's own rows */
    unsigned window[2], shift[2]; /* where the words of the next chunk start, and bits into them */
    unsigned last[2];             /* the word before them */
    unsigned char *out[2];        /* the lane's rows of bits; NULL: there is none */
};

/* Copies a piece of a group's rows. */
static __device__ __forceinline__ void copy_piece(const rows_in &in, int group, int piece)
{
    const int column = piece * PIECE + in.column;
    /* Columns outside become zeros: nothing is read there. */
    const unsigned inside =
        (unsigned)column < (unsigned)in.width ? (unsigned)min(in.width - column, 16) : 0;
    const unsigned slot = (unsigned)piece * PIECE % ROW_BYTES;
    const unsigned char *from = in.from + (size_t)(2 * group) * in.pitch + piece * PIECE;
    const unsigned to = in.to + (unsigned)group * (GROUP_ROWS * ROW_STRIDE) + slot;
#pragma unroll
    for (int half = 0; half < 2; half++) {
        const unsigned bytes = GROUP_ROWS * group + 8 * half < in.rows ? inside : 0;
        const unsigned half_to = to + half * (8 * ROW_STRIDE);
        copy_async<16>(half_to, from, bytes);
        if (slot == 0 && in.column == 0)
            copy_async<16>(half_to + ROW_BYTES, from, bytes);
        from += in.pitch;
    }
}

static __device__ __forceinline__ unsigned read_word(unsigned address)
{
    unsigned word;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address) : "memory");
    return word;
}

/* Starts copying a band's first pixels. */
static __device__ __forceinline__ void aim_rows(rows_in &in, const diffusion_launch &p,
                                                const unsigned char *image, int row, int lane,
                                                unsigned buffer)
{
    const int mine = row + lane / 4;
    in.column = lane % 4 * 16;
    in.width = p.width;
    in.rows = p.rows - mine;
    in.pitch = 8 * p.in_pitch;
    in.from = image + (size_t)mine * p.in_pitch + in.column;
    in.to = buffer + (unsigned)(lane / 4 * ROW_STRIDE + in.column);
    in.buffer = buffer + (unsigned)lane * (2 * ROW_STRIDE);
#pragma unroll
    for (int r = 0; r < 2; r++) {
        const int start = first_column(lane, r);
        in.window[r] = (unsigned)start & (ROW_BYTES - 4);
        in.shift[r] = (unsigned)(start & 3) * 8;
    }
#pragma unroll 1
    for (int group = 0; group < GROUPS; group++)
#pragma unroll 1
        for (int piece = -3; piece <= 0; piece++)
            copy_piece(in, group, piece);
    copy_async_commit();
}

static __device__ __forceinline__ void open_rows(rows_in &in)
{
    copy_async_wait<0>();
    __syncwarp();
#pragma unroll
    for (int r = 0; r < 2; r++) {
        in.last[r] = read_word(in.buffer + r * ROW_STRIDE + in.window[r]);
        in.window[r] = (in.window[r] + 4) & (ROW_BYTES - 1);
    }
}

/* Makes the tones of a chunk, and copies pixels for those to come: the piece after the next of one
 * group, which it does not need for two chunks more. */
static __device__ __forceinline__ void make_tones(rows_in &in, int chunk, uint4 (*tones)[LANES],
                                                  int lane)
{
    const int group = chunk % GROUPS,
              column = chunk * CHUNK + first_column(group * GROUP_ROWS / 2, 0);
    copy_piece(in, group, (column >> 6) + 2);
    copy_async_commit();
    copy_async_wait<PENDING>();
    __syncwarp();
    unsigned words[2][5];
#pragma unroll
    for (int r = 0; r < 2; r++) {
        const unsigned at = in.buffer + r * ROW_STRIDE + in.window[r];
        words[r][0] = in.last[r];
#pragma unroll
        for (int c = 0; c < 4; c++)
            words[r][c + 1] = read_word(at + 4 * c);
        in.last[r] = words[r][4];
        in.window[r] = (in.window[r] + CHUNK) & (ROW_BYTES - 1);
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

/* A band's rows of bits, from this lane's upper row on, and the next word of one of them. */
static __device__ __forceinline__ void aim_bits(rows_in &in, const diffusion_launch &p,
                                                unsigned char *image, int row)
{
#pragma unroll
    for (int r = 0; r < 2; r++)
        in.out[r] = row + r < p.rows ? image + (size_t)(row + r) * p.out_pitch : NULL;
}
static __device__ __forceinline__ void put_bits(const rows_in &in, const diffusion_launch &p, int r,
                                                int done, unsigned before, unsigned now)
{
    put_word(p, in.out[r], done, before, now);
}
static __device__ __forceinline__ void close_rows(const rows_in &, const diffusion_launch &) {}

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

template <class ROWS>
static __device__ __forceinline__ void serve_bands(const diffusion_launch &p,
                                                   const diffusion_images &images, pair_memory &m,
                                                   int warp, int lane)
{
    desk &d = m.desks[warp];
    const int chunks = band_chunks(p), first_row = warp * BAND_ROWS + 2 * lane;
    int tickets = 0, base = 0;
    piece piece;
    ROWS in = {};
    const unsigned buffer = shared_address(m.staged[warp]);
    bool more = next_band(p, m, warp, lane, tickets, piece);
    if (more)
        aim_rows(in, p, images.in[piece.image], piece.row + warp * BAND_ROWS, lane, buffer);
#pragma unroll 1
    for (; more; base += chunks) {
        unsigned before[2] = {0, 0};
        aim_bits(in, p, images.out[piece.image], piece.row + first_row);
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
                    put_bits(in, p, r, (old + 2) * CHUNK + first_column(lane, r), before[r],
                             now[r]);
                    before[r] = now[r];
                }
            }
            if (chunk < chunks) {
#pragma unroll 1
                for (int i = 0; i < 2; i++)
                    make_tones(in, chunk + i, d.tones[(unsigned)(base + chunk + i) % SLOTS], lane);
                __syncwarp();
                tell(shared_address(&d.in.served), base + chunk, lane == 0);
            } else if (chunk == chunks) {
                /* The last chunk reads ahead what is not of this band, and may. */
                tell(shared_address(&d.in.served), base + chunks - 1, lane == 0);
                copy_async_wait<0>();
                more = next_band(p, m, warp, lane, tickets, piece);
                if (more)
                    aim_rows(in, p, images.in[piece.image], piece.row + warp * BAND_ROWS, lane,
                             buffer);
            }
        }
    }
    close_rows(in, p);
}

#endif
