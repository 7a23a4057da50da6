/* SPDX-License-Identifier: MIT */
/*
 * A band on the device: a warp is a band of 32 rows, a lane is a row, p columns behind the lane above.
 *
 *     ring, a step after another:   [ 8 rows of the band above | 32 rows of this band ]
 *
 * An error is a word of two 16-bit parts. A tap (dx, dy) is the word dx + p * dy steps back and dy to
 * the left, one load from shared memory without conflicts; two dot products of 16 by 8 bits add it
 * to the real and the imaginary sum. Where the taps lie is not known at compile time: their places
 * and weights are kept in registers.
 *
 * After every TASK steps a band leaves its last 8 rows in global memory and raises its flag; the band
 * below takes them from there. A hogel has one such line for all of its bands: a band is always far
 * enough behind the one above to write where that has been read.
 */
#ifndef RO_HOLOGRAM_DIFFUSE_BAND_CUH
#define RO_HOLOGRAM_DIFFUSE_BAND_CUH

#include "hologram/diffuse_levels.cuh"
#include "hologram/diffuse_pixels.cuh"

/* ---- waiting ------------------------------------------------------------------------------------ */

/* In a checked build a wait that lasts for seconds stops the kernel instead of the machine. */
static __device__ __forceinline__ unsigned look_at(const unsigned *flag)
{
    unsigned seen;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    return seen;
}

static __device__ __forceinline__ void wait_for(const unsigned *flag, unsigned value)
{
    for (int looks = 0; look_at(flag) < value; looks++) {
        if (looks > 4)
            __nanosleep(64);
#ifdef RO_CUDA_CHECKED
        if (looks > 1 << 24)
            __trap();
#endif
    }
}

static __device__ __forceinline__ void raise(unsigned *flag, unsigned value)
{
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

/* ---- a band ----------------------------------------------------------------------------------------- */

/* Takes in what the band above left for steps t to t + count - 1; `slot` is that of t. */
static __device__ __forceinline__ void fetch_above(unsigned char *ring, const uint4 *line, int t,
                                                   int count, int slot, int total, int ahead,
                                                   int lane)
{
    for (int i = lane; i < 2 * count; i += LANES) {
        int step = t + (i >> 1) + ahead;
        uint4 words = make_uint4(0, 0, 0, 0);
        if (line && step >= 0 && step < total)
            words = __ldcg(line + 2 * step + (i & 1));
        *(uint4 *)(ring + (slot + (i >> 1)) * (PITCH * 4) + (i & 1) * 16) = words;
    }
}

/* Taps in two chains each, so that they need not wait for one another. */
struct sums {
    int re, im, re2, im2;
};

template <int TAPS>
static __device__ __forceinline__ void add_taps(const unsigned char *steps, const int (&place)[TAPS],
                                                const int (&weight)[TAPS], sums &s)
{
#pragma unroll
    for (int k = 0; k < TAPS; k++) {
        int e = *(const int *)(steps + place[k]);
        if (k % 2) {
            s.re2 = __dp2a_lo(e, weight[k], s.re2);
            s.im2 = __dp2a_hi(e, weight[k], s.im2);
        } else {
            s.re = __dp2a_lo(e, weight[k], s.re);
            s.im = __dp2a_hi(e, weight[k], s.im);
        }
    }
}

template <int TAPS, int KIND>
static __device__ __forceinline__ void run_band(const hologram_launch &p, const device_band &band,
                                                unsigned ticket, const int4 *entries,
                                                unsigned char *ring, unsigned char *pixels, int lane)
{
    device_hogel &hogel = p.hogels[band.hogel];
    const int width = (int)hogel.width, skew = hogel.p, shift = hogel.shift, keep = hogel.keep;
    const bool row_exists = band.row + lane < hogel.height;
    const int total = (width + skew * (LANES - 1) + TASK - 1) / TASK * TASK;
    uint4 *line = p.lines + hogel.line;
    const int row = (int)(hogel.y + band.row) + (row_exists ? lane : 0);

    int place[TAPS], weight[TAPS];
#pragma unroll
    for (int k = 0; k < TAPS; k++) {
        bool used = k < hogel.taps;
        place[k] = ((keep - (used ? hogel.step[k] : 1)) * PITCH + ROWS_ABOVE + lane -
                    (used ? hogel.up[k] : 0)) * 4;
        weight[k] = used ? (int)hogel.weight[k] : 0;
    }
    for (int i = lane; i < keep * PITCH; i += LANES)
        ((unsigned *)ring)[i] = 0;
    __syncwarp();

    pixel_stream stream = open_stream(p, hogel, band.row, pixels, lane);
    stage(stream);
    stage(stream);
    copy_async_commit();
    stage(stream);
    copy_async_commit();
    const char *own = (const char *)pixels + lane * p.row_pitch;
    unsigned char *out = p.out + (size_t)row * p.out_pitch + hogel.x;
    const unsigned columns = row_exists ? (unsigned)width : 0;
    const int half = shift ? 1 << (shift - 1) : 0;
    const float scale = p.scale, scale_im = p.real ? 0 : p.scale;
    unsigned clips = 0;
    uint4 last = make_uint4(0, 0, 0, 0); /* the numbers of the last 16 columns */
    int column = -skew * lane;

    const uint4 *above = band.above >= 0 ? line : nullptr;
    for (int t = 0; t < total; t += TASK) {
        if (above) {
            if (lane == 0)
                wait_for(p.flags + band.above, (unsigned)min(t + TASK + skew * LANES, total));
            __syncwarp();
        }
        if (t == 0)
            fetch_above(ring, above, -keep, keep, 0, total, skew * LANES, lane);
        fetch_above(ring, above, t, TASK, keep, total, skew * LANES, lane);
        __syncwarp();
#pragma unroll 1
        for (int g = 0; g < TASK; g += UNROLLED) {
            if (g % BLOCK == 0) {
                stage(stream);
                copy_async_commit();
                copy_async_wait<2>();
                __syncwarp();
            }
            const unsigned char *steps = ring + g * (PITCH * 4);
#pragma unroll
            for (int s = 0; s < UNROLLED; s++) {
                float2 pixel = *(const float2 *)(own + (column & (BLOCK * BLOCKS - 1)) * 8);
                sums now = {half, half, 0, 0};
                add_taps(steps + s * (PITCH * 4), place, weight, now);
                float gx = fminf(fmaxf(pixel.x * scale, -HOLOGRAM_LIMIT), HOLOGRAM_LIMIT);
                float gy = fminf(fmaxf(pixel.y * scale_im, -HOLOGRAM_LIMIT), HOLOGRAM_LIMIT);
                int x = __float_as_int(gx + 12582912.0f) - 0x4b400000 + ((now.re + now.re2) >> shift);
                int y = __float_as_int(gy + 12582912.0f) - 0x4b400000 + ((now.im + now.im2) >> shift);
                x = clamped(x, HOLOGRAM_SUM);
                y = clamped(y, HOLOGRAM_SUM);
                unsigned number;
                int level = nearest<KIND>(p, entries, x, y, &number);
                x -= low_half(level);
                y -= high_half(level);
                int ex = clamped(x, HOLOGRAM_LIMIT), ey = clamped(y, HOLOGRAM_LIMIT);
                bool valid = (unsigned)column < columns;
                clips += valid && ((ex ^ x) | (ey ^ y)) != 0;
                int error = valid ? pair_of(ex, ey) : 0;
                *(int *)(ring + (keep + g + s) * (PITCH * 4) + (ROWS_ABOVE + lane) * 4) = error;
                last.x = __byte_perm(last.x, last.y, 0x4321);
                last.y = __byte_perm(last.y, last.z, 0x4321);
                last.z = __byte_perm(last.z, last.w, 0x4321);
                last.w = __byte_perm(last.w, number, 0x4321);
                if (p.wide) {
                    if (valid && (column & 15) == 15)
                        *(uint4 *)(out + column - 15) = last;
                } else if (valid) {
                    out[column] = (unsigned char)number;
                }
                column++;
                __syncwarp();
            }
        }
        if (!band.last) {
            const unsigned char *from = ring + (keep + lane) * (PITCH * 4) + LANES * 4;
            uint4 a = *(const uint4 *)from, b = *(const uint4 *)(from + 16);
            __stcg(line + 2 * (t + lane), a);
            __stcg(line + 2 * (t + lane) + 1, b);
            __syncwarp();
            if (lane == 0)
                raise(p.flags + ticket, (unsigned)(t + TASK));
        }
        /* The last steps move to the front. Where they overlap what they came from, a lane writes
         * what it has itself read before: TASK steps are a multiple of 32 words. */
        __syncwarp();
        for (int i = lane; i < keep * (PITCH / 4); i += LANES)
            ((uint4 *)ring)[i] = ((const uint4 *)ring)[i + TASK * (PITCH / 4)];
        __syncwarp();
    }
    copy_async_wait<0>();
    for (int d = LANES / 2; d; d /= 2)
        clips += __shfl_down_sync(0xffffffff, clips, d);
    if (lane == 0 && clips)
        atomicAdd(&hogel.clips, (unsigned long long)clips);
}

#endif
