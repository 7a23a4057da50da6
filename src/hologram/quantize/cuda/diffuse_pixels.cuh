/* SPDX-License-Identifier: MIT */
/*
 * Pixels on their way into shared memory.
 *
 * A block is BLOCK pixels of a row, copied by COPIERS lanes; COPIED rows are copied at once. For
 * steps t to t + BLOCK - 1 row r needs its blocks F - 1 and F, F = floor((t + BLOCK - 1 - p * r) /
 * BLOCK). From one set of rows to the next F falls by p * COPIED / BLOCK = p, so that all of a
 * lane's copies follow from the first.
 */
#ifndef RO_HOLOGRAM_QUANTIZE_CUDA_DIFFUSE_PIXELS_CUH
#define RO_HOLOGRAM_QUANTIZE_CUDA_DIFFUSE_PIXELS_CUH

#include "cuda/copy_async.cuh"
#include "hologram/quantize/cuda/diffuse_parts.cuh"

enum { COPIERS = BLOCK / 2, COPIED = LANES / COPIERS };
static_assert((int)COPIED == (int)BLOCK, "F falls by p");

struct pixel_stream {
    const char *from;       /* the lane's next 16 bytes, of its first row */
    const char *anywhere;   /* in the field */
    ptrdiff_t stride;       /* to those of the next set of rows */
    unsigned to, row_pitch; /* of the first row's buffer, in shared memory */
    int column, skew, width, rows;
    int next, begin,
        end; /* of the next blocks: those from begin to end lie inside for every lane */
    bool aligned;
};

static __device__ __forceinline__ pixel_stream open_stream(const hologram_launch &p,
                                                           const device_hogel &hogel,
                                                           unsigned first_row,
                                                           unsigned char *pixels, int lane)
{
    pixel_stream s;
    const int row = lane / COPIERS, part = lane % COPIERS;
    const int rows = (int)min(hogel.height - first_row, (uint32_t)LANES);
    s.skew = hogel.p;
    s.width = (int)hogel.width;
    s.rows = rows - row;
    s.aligned = p.aligned;
    s.row_pitch = p.row_pitch;
    s.to = (unsigned)__cvta_generic_to_shared(pixels + row * p.row_pitch + part * 16);
    s.anywhere = p.field + (size_t)(hogel.y + first_row) * p.field_pitch + (size_t)hogel.x * 8;
    s.stride = (ptrdiff_t)(p.field_pitch * COPIED) - 8 * COPIED * s.skew;
    s.column = ((BLOCK - 1 - s.skew * row) >> BLOCK_SHIFT) * BLOCK - BLOCK + 2 * part; /* F - 1 */
    s.from = s.anywhere + (ptrdiff_t)(p.field_pitch * row) + (ptrdiff_t)s.column * 8;
    s.next = 0; /* the last row's block begins at next - p * (LANES - 1) - BLOCK or later */
    s.begin = s.aligned && rows == LANES ? s.skew * (LANES - 1) + BLOCK : INT32_MAX;
    s.end = s.width;
    return s;
}

/* The next block of every row lies inside the hogel, and can be copied 16 bytes at a time. */
static __device__ __forceinline__ bool inside(const pixel_stream &s)
{
    return s.next >= s.begin && s.next <= s.end;
}

/* The next block of every row; what lies outside the hogel becomes zero. */
template <bool INSIDE> static __device__ __forceinline__ void stage(pixel_stream &s)
{
    const char *from = s.from;
    int column = s.column;
    if constexpr (INSIDE) {
#pragma unroll
        for (int i = 0; i < LANES / COPIED; i++) {
            const unsigned at =
                (unsigned)(column * 8 - i * s.skew * (BLOCK * 8)) & (BLOCKS - 1) * (BLOCK * 8);
            copy_async<16>(s.to + i * COPIED * s.row_pitch + at, from, 16);
            from += s.stride;
        }
    } else {
#pragma unroll 1
        for (int i = 0; i < LANES / COPIED; i++) {
            const bool there = (unsigned)column < (unsigned)s.width && COPIED * i < s.rows;
            const unsigned to = s.to + i * COPIED * s.row_pitch +
                                ((unsigned)column >> BLOCK_SHIFT) % BLOCKS * (BLOCK * 8);
            const int bytes = !there ? 0 : column + 1 < s.width ? 16 : 8;
            const char *source = there ? from : s.anywhere;
            if (s.aligned) {
                copy_async<16>(to, source, (unsigned)bytes);
            } else {
                copy_async<8>(to, source, bytes ? 8 : 0);
                copy_async<8>(to + 8, bytes > 8 ? source + 8 : s.anywhere, bytes > 8 ? 8 : 0);
            }
            from += s.stride;
            column -= COPIED * s.skew;
        }
    }
    s.from += BLOCK * 8;
    s.column += BLOCK;
    s.next += BLOCK;
    copy_async_commit();
}

#endif
