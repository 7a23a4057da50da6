/* SPDX-License-Identifier: MIT */
/*
 * Hogels on the device: a warp is a band of 32 rows, a lane is a row, p columns behind the lane
 * above. One launch does all hogels.
 *
 *     ring, a step after another:   [ 8 rows of the band above | 32 rows of this band ]
 *
 * An error is a word of two 16-bit parts. A tap (dx, dy) is the word dx + p * dy steps back and dy to
 * the left, one load from shared memory without conflicts; two dot products of 16 by 8 bits add it
 * to the real and the imaginary sum. Where the taps lie is not known at compile time: their places
 * and weights are kept in registers.
 *
 * Warps take bands by ticket and only wait for bands that run already. After every TASK steps a band
 * leaves its last 8 rows in global memory and raises its flag; the band below takes them from there
 * (single-kernel soft synchronisation). A hogel has one such line for all of its bands: a band is
 * always far enough behind the one above to write where that has been read.
 */
#include "core/copy_async.cuh"
#include "core/cuda.cuh"
#include "hologram/diffuse_cuda.h"
#include "hologram/row_sum.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    LANES = 32,
    ROWS_ABOVE = 8,               /* REACH_Y and one for alignment */
    PITCH = ROWS_ABOVE + LANES,   /* words of a step in the ring */
    TASK = 32,                    /* steps between hand-overs */
    BLOCK_SHIFT = 3,
    BLOCK = 1 << BLOCK_SHIFT,     /* pixels of a row that are copied at a time, 64 bytes */
    BLOCKS = 4,                   /* in a row's buffer */
    UNROLLED = 4,                 /* steps */
    MOST_WARPS = 12,
    TABLE_BYTES = (LEVEL_ENTRIES * 16 + 127) / 128 * 128,
};

struct device_hogel {
    uint32_t x, y, width, height;
    int p, shift, taps, keep; /* keep: steps that taps look back */
    uint32_t line;            /* where its line begins, in words of 16 bytes */
    uint16_t step[RO_HOLOGRAM_TAPS]; /* of each tap: steps back */
    uint16_t up[RO_HOLOGRAM_TAPS];   /* rows up */
    uint32_t weight[RO_HOLOGRAM_TAPS]; /* re, -im, im, re as bytes */
    unsigned long long clips;
};

struct device_band {
    uint32_t hogel, row;
    int32_t above; /* the ticket of the band above, or -1 */
    uint32_t last; /* no band below */
};

struct hologram_launch {
    const char *field;
    unsigned char *out;
    size_t field_pitch, out_pitch; /* bytes */
    float scale;
    int real, levels;
    unsigned bands;
    int aligned, wide; /* pixels can be copied, numbers stored, 16 bytes at a time */
    unsigned ring_bytes, warp_bytes, row_pitch;
    struct device_hogel *hogels;
    const struct device_band *order;
    const struct level_entry *entries;
    uint4 *lines;
    unsigned *flags; /* of each ticket: steps done */
    unsigned *ticket;
};

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

/* ---- pixels on their way into shared memory ----------------------------------------------------- */

/*
 * A block is BLOCK pixels of a row, copied by COPIERS lanes; COPIED rows are copied at once. For steps
 * t to t + BLOCK - 1 row r needs its blocks F - 1 and F, F = floor((t + BLOCK - 1 - p * r) / BLOCK).
 * From one set of rows to the next F falls by p * COPIED / BLOCK, a whole number, so that all of a
 * lane's copies follow from the first.
 */
enum { COPIERS = BLOCK / 2, COPIED = LANES / COPIERS };

struct pixel_stream {
    const char *from;   /* the lane's next 16 bytes, of its first row */
    const char *inside; /* somewhere in the field */
    ptrdiff_t stride;   /* to those of the next set of rows */
    unsigned to, row_pitch; /* of the first row's buffer, in shared memory */
    int column, skew, width, rows;
    bool aligned;
};

static __device__ __forceinline__ pixel_stream open_stream(const hologram_launch &p,
                                                           const device_hogel &hogel,
                                                           unsigned first_row, unsigned char *pixels,
                                                           int lane)
{
    pixel_stream s;
    const int row = lane / COPIERS, part = lane % COPIERS;
    s.skew = hogel.p;
    s.width = (int)hogel.width;
    s.rows = (int)min(hogel.height - first_row, (uint32_t)LANES) - row;
    s.aligned = p.aligned;
    s.row_pitch = p.row_pitch;
    s.to = (unsigned)__cvta_generic_to_shared(pixels + row * p.row_pitch + part * 16);
    s.inside = p.field + (size_t)(hogel.y + first_row) * p.field_pitch + (size_t)hogel.x * 8;
    s.stride = (ptrdiff_t)(p.field_pitch * COPIED) - 8 * COPIED * s.skew;
    s.column = ((BLOCK - 1 - s.skew * row) >> BLOCK_SHIFT) * BLOCK - BLOCK + 2 * part; /* F - 1 */
    s.from = s.inside + (ptrdiff_t)(p.field_pitch * row) + (ptrdiff_t)s.column * 8;
    return s;
}

/* The next block of every row; what lies outside the hogel becomes zero. */
static __device__ __forceinline__ void stage(pixel_stream &s)
{
    const char *from = s.from;
    int column = s.column;
#pragma unroll
    for (int i = 0; i < LANES / COPIED; i++) {
        const bool there = (unsigned)column < (unsigned)s.width && COPIED * i < s.rows;
        const unsigned to = s.to + i * COPIED * s.row_pitch +
                            ((unsigned)column >> BLOCK_SHIFT) % BLOCKS * (BLOCK * 8);
        const int bytes = !there ? 0 : column + 1 < s.width ? 16 : 8;
        const char *source = there ? from : s.inside;
        if (s.aligned) {
            copy_async<16>(to, source, (unsigned)bytes);
        } else {
            copy_async<8>(to, source, bytes ? 8 : 0);
            copy_async<8>(to + 8, bytes > 8 ? source + 8 : s.inside, bytes > 8 ? 8 : 0);
        }
        from += s.stride;
        column -= COPIED * s.skew;
    }
    s.from += BLOCK * 8;
    s.column += BLOCK;
}

/* ---- the nearest level ---------------------------------------------------------------------------- */

static __device__ __forceinline__ int low_half(int pair) { return (int)(short)pair; }
static __device__ __forceinline__ int high_half(int pair) { return pair >> 16; }
static __device__ __forceinline__ int pair_of(int low, int high)
{
    return (int)__byte_perm((unsigned)low, (unsigned)high, 0x5410);
}
static __device__ __forceinline__ int clamped(int v, int limit) { return max(min(v, limit), -limit); }

/* A whole number of up to 22 bits as a float, by its bits. */
static __device__ __forceinline__ float small_float(int v)
{
    return __int_as_float(0x4b400000 + v) - 12582912.0f;
}

template <int KIND>
static __device__ __forceinline__ int nearest(const hologram_launch &p, const int4 *entries, int x,
                                              int y, unsigned *number)
{
    if constexpr (KIND == LEVELS_PLAIN) {
        int best = INT32_MIN, found = 0;
        *number = 0;
        for (int k = 0; k < p.levels; k++) { /* the table holds levels here */
            int pair = entries[k].x, lx = low_half(pair), ly = high_half(pair);
            int score = 2 * (lx * x + ly * y) - (lx * lx + ly * ly);
            if (score > best) {
                best = score;
                found = pair;
                *number = (unsigned)k;
            }
        }
        return found;
    } else {
        int cell, ux = x;
        if constexpr (KIND == LEVELS_RING) {
            ux = (x | y) == 0 ? 1 : x;
            float fx = small_float(ux), fy = small_float(y) * (LEVEL_CELLS / 4), r;
            asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(fabsf(fx) + fabsf(small_float(y))));
            /* Adding 1.5 * 2^23 rounds to the nearest whole number. */
            float d = __fmaf_rn(fx >= 0 ? fy : -fy, r,
                                12582912.0f + (fx >= 0 ? LEVEL_CELLS / 4 : 3 * LEVEL_CELLS / 4));
            cell = __float_as_int(d) - 0x4b400000;
        } else {
            cell = min(max((x + LEVEL_CELLS / 2 * LINE_CELL) >> 3, 0), (int)LEVEL_CELLS);
        }
        int4 e = entries[cell];
        bool up = low_half(e.x) * ux + high_half(e.x) * y >= high_half(e.w);
        *number = (unsigned)(up ? e.w >> 8 : e.w) & 255;
        return up ? e.z : e.y;
    }
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

/* Many taps need the registers of half as many threads. */
static constexpr int most_warps(int taps) { return taps > 32 ? MOST_WARPS / 2 : MOST_WARPS; }

template <int TAPS, int KIND>
static __global__ void __launch_bounds__(most_warps(TAPS) * LANES, 1)
    diffuse(const __grid_constant__ hologram_launch p)
{
    extern __shared__ __align__(128) unsigned char memory[];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int4 *entries = (int4 *)memory;
    for (int i = threadIdx.x; i < LEVEL_ENTRIES; i += blockDim.x)
        entries[i] = ((const int4 *)p.entries)[i];
    __syncthreads();
    unsigned char *ring = memory + TABLE_BYTES + warp * p.warp_bytes;
    for (;;) {
        unsigned ticket = 0;
        if (lane == 0)
            ticket = atomicAdd(p.ticket, 1u);
        ticket = __shfl_sync(0xffffffff, ticket, 0);
        if (ticket >= p.bands)
            return;
        const device_band band = p.order[ticket];
        run_band<TAPS, KIND>(p, band, ticket, entries, ring, ring + p.ring_bytes, lane);
    }
}

/* ---- root mean square -------------------------------------------------------------------------------- */

enum { SUM_THREADS = 256 };

static __global__ void sum_rows(const char *field, size_t pitch, int width, int real,
                                struct row_sum *rows)
{
    __shared__ int most_of[SUM_THREADS / 32];
    __shared__ unsigned long long sum_of[SUM_THREADS / 32];
    const float2 *row = (const float2 *)(field + (size_t)blockIdx.x * pitch);
    int most = 0;
    for (int x = threadIdx.x; x < width; x += SUM_THREADS) {
        float2 v = row[x];
        most = max(most, max(__float_as_int(v.x) & 0x7fffffff, __float_as_int(v.y) & 0x7fffffff));
    }
    for (int d = 16; d; d /= 2)
        most = max(most, __shfl_xor_sync(0xffffffff, most, d));
    if (threadIdx.x % 32 == 0)
        most_of[threadIdx.x / 32] = most;
    __syncthreads();
    for (int i = 0; i < SUM_THREADS / 32; i++)
        most = max(most, most_of[i]);
    float largest = __int_as_float(most);
    unsigned long long sum = 0;
    int exponent = 0;
    if (most < 0x7f800000 && largest >= 1e-30f) {
        frexpf(largest, &exponent);
        exponent = 15 - exponent;
        float scale = ldexpf(1.0f, exponent);
        for (int x = threadIdx.x; x < width; x += SUM_THREADS) {
            float2 v = row[x];
            int re = __float2int_rn(v.x * scale), im = real ? 0 : __float2int_rn(v.y * scale);
            sum += (unsigned)(re * re) + (unsigned)(im * im);
        }
    }
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (threadIdx.x % 32 == 0)
        sum_of[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0;
        for (int i = 0; i < SUM_THREADS / 32; i++)
            sum += sum_of[i];
        rows[blockIdx.x].squares = sum;
        rows[blockIdx.x].exponent = exponent;
        rows[blockIdx.x].most = (unsigned)most;
    }
}

/* ---- host --------------------------------------------------------------------------------------------- */

static size_t pitch_of(size_t bytes) { return (bytes + 255) / 256 * 256; }

struct place {
    struct ro_cuda *cuda;
    char *field;
    unsigned char *out;
    size_t field_pitch, out_pitch;
};

static ro_status find_place(struct hologram_job *job, struct place *place)
{
    void *field, *out;
    place->field_pitch = pitch_of((size_t)job->field->width * 8);
    place->out_pitch = pitch_of(job->field->width);
    RO_TRY(ro_cuda_of(job->context, &place->cuda));
    cudaStream_t stream = place->cuda->compute;
    RO_TRY(ro_cuda_reserve(place->cuda, RO_CUDA_HOLOGRAM_FIELD,
                           place->field_pitch * job->field->height, stream, &field, NULL));
    RO_TRY(ro_cuda_reserve(place->cuda, RO_CUDA_HOLOGRAM_NUMBERS,
                           place->out_pitch * job->field->height, stream, &out, NULL));
    place->field = (char *)field;
    place->out = (unsigned char *)out;
    return RO_OK;
}

ro_status hologram_cuda_load(struct hologram_job *job)
{
    struct place at;
    RO_TRY(find_place(job, &at));
    RO_CUDA_TRY(job->context,
                cudaMemcpy2DAsync(at.field, at.field_pitch, job->field->data,
                                  (size_t)job->field->stride, (size_t)job->field->width * 8,
                                  job->field->height, cudaMemcpyDefault, at.cuda->compute));
    return RO_OK;
}

ro_status hologram_cuda_store(struct hologram_job *job)
{
    struct place at;
    RO_TRY(find_place(job, &at));
    RO_CUDA_TRY(job->context,
                cudaMemcpy2DAsync(job->out, (size_t)job->out_stride, at.out, at.out_pitch,
                                  job->field->width, job->field->height, cudaMemcpyDefault,
                                  at.cuda->compute));
    RO_CUDA_TRY(job->context, cudaStreamSynchronize(at.cuda->compute));
    return RO_OK;
}

ro_status hologram_cuda_rms(struct hologram_job *job, bool real, double *rms)
{
    struct place at;
    void *rows, *host;
    RO_TRY(find_place(job, &at));
    cudaStream_t stream = at.cuda->compute;
    size_t bytes = job->field->height * sizeof(struct row_sum);
    RO_TRY(ro_cuda_reserve(at.cuda, RO_CUDA_WORK, bytes, stream, &rows, NULL));
    RO_TRY(ro_cuda_reserve_pinned(at.cuda, 0, bytes, &host));
    sum_rows<<<job->field->height, SUM_THREADS, 0, stream>>>(
        at.field, at.field_pitch, (int)job->field->width, real, (struct row_sum *)rows);
    RO_CUDA_TRY(job->context, cudaGetLastError());
    RO_CUDA_TRY(job->context, cudaMemcpyAsync(host, rows, bytes, cudaMemcpyDefault, stream));
    RO_CUDA_TRY(job->context, cudaStreamSynchronize(stream));
    return field_rms_of(job->context, (const struct row_sum *)host,
                        (uint64_t)job->field->width * job->field->height, job->field->height, rms);
}

/* ---- plans */

static void plan_hogel(const struct hogel *from, struct device_hogel *to)
{
    const struct hologram_taps *taps = &from->taps;
    memset(to, 0, sizeof *to);
    to->x = from->x;
    to->y = from->y;
    to->width = from->width;
    to->height = from->height;
    to->p = taps->p;
    to->shift = taps->shift;
    to->taps = taps->count;
    to->keep = taps->p; /* the row above is p ahead from the start */
    for (int k = 0; k < taps->count; k++) {
        int age = taps->dx[k] + taps->p * taps->dy[k];
        unsigned re = (uint8_t)taps->re[k], im = (uint8_t)taps->im[k];
        to->step[k] = (uint16_t)age;
        to->up[k] = (uint16_t)taps->dy[k];
        to->weight[k] = re | (uint32_t)(uint8_t)-taps->im[k] << 8 | im << 16 | re << 24;
        to->keep = age > to->keep ? age : to->keep;
    }
}

/* The tables of a launch lie one after another in one piece of memory. */
struct tables {
    size_t hogels, order, entries, flags, ticket, bytes;
    unsigned bands;
    int taps, keep, skew;
    size_t line_words;
};

static unsigned bands_of(const struct hogel *hogel) { return (hogel->height + LANES - 1) / LANES; }

static void measure_tables(const struct hologram_job *job, struct tables *t)
{
    memset(t, 0, sizeof *t);
    for (uint32_t i = 0; i < job->count; i++)
        t->bands += bands_of(&job->hogels[i]);
    t->order = job->count * sizeof(struct device_hogel);
    t->entries = (t->order + t->bands * sizeof(struct device_band) + 15) / 16 * 16;
    t->flags = t->entries + LEVEL_ENTRIES * 16;
    t->ticket = t->flags + t->bands * sizeof(unsigned);
    t->bytes = t->ticket + sizeof(unsigned);
}

static void fill_tables(const struct hologram_job *job, struct tables *t, char *memory)
{
    struct device_hogel *hogels = (struct device_hogel *)(memory + t->hogels);
    struct device_band *order = (struct device_band *)(memory + t->order);
    memset(memory + t->entries, 0, t->bytes - t->entries);
    unsigned most = 0;
    for (uint32_t i = 0; i < job->count; i++) {
        plan_hogel(&job->hogels[i], &hogels[i]);
        hogels[i].line = (uint32_t)t->line_words;
        t->line_words +=
            2 * ((size_t)hogels[i].width + (size_t)hogels[i].p * (LANES - 1) + TASK);
        t->taps = hogels[i].taps > t->taps ? hogels[i].taps : t->taps;
        t->keep = hogels[i].keep > t->keep ? hogels[i].keep : t->keep;
        t->skew = hogels[i].p > t->skew ? hogels[i].p : t->skew;
        unsigned bands = bands_of(&job->hogels[i]);
        most = bands > most ? bands : most;
    }
    /* The first bands of all hogels, then the second ones. A band's predecessor has the ticket that
     * its hogel took in the round before. */
    unsigned ticket = 0;
    uint32_t *last = (uint32_t *)malloc(job->count * sizeof *last);
    for (unsigned band = 0; band < most && last; band++)
        for (uint32_t i = 0; i < job->count; i++) {
            unsigned bands = bands_of(&job->hogels[i]);
            if (band >= bands)
                continue;
            order[ticket].hogel = i;
            order[ticket].row = band * LANES;
            order[ticket].above = band ? (int32_t)last[i] : -1;
            order[ticket].last = band + 1 == bands;
            last[i] = ticket++;
        }
    free(last);
    struct level_entry *entries = (struct level_entry *)(memory + t->entries);
    if (job->levels->kind != LEVELS_PLAIN)
        memcpy(entries, job->levels->entry, sizeof job->levels->entry);
    else
        for (int k = 0; k < job->levels->count; k++) {
            entries[k].nx = job->levels->x[k];
            entries[k].ny = job->levels->y[k];
        }
}

template <int TAPS, int KIND>
static ro_status launch_one(struct ro_cuda *cuda, const struct hologram_launch *p,
                            cudaStream_t stream)
{
    int shared = 0;
    RO_CUDA_TRY(cuda->context,
                cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                       cuda->device));
    int warps = (shared - TABLE_BYTES) / (int)p->warp_bytes;
    if (warps < 1)
        return ro_context_fail(cuda->context, RO_E_UNSUPPORTED,
                               "the CUDA device has too little shared memory for these taps");
    warps = warps < most_warps(TAPS) ? warps : most_warps(TAPS);
    const size_t bytes = TABLE_BYTES + (size_t)warps * p->warp_bytes;
    RO_CUDA_TRY(cuda->context, cudaFuncSetAttribute(diffuse<TAPS, KIND>,
                                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                    (int)bytes));
    unsigned blocks = (p->bands + (unsigned)warps - 1) / (unsigned)warps;
    /* Few bands are spread over all multiprocessors. */
    if (blocks < (unsigned)cuda->processors) {
        blocks = p->bands < (unsigned)cuda->processors ? p->bands : (unsigned)cuda->processors;
        warps = (int)((p->bands + blocks - 1) / blocks);
    }
    blocks = blocks < (unsigned)cuda->processors ? blocks : (unsigned)cuda->processors;
    RO_CUDA_TRY(cuda->context, cudaEventRecord(cuda->begin, stream));
    diffuse<TAPS, KIND><<<blocks, (unsigned)warps * LANES, bytes, stream>>>(*p);
    RO_CUDA_TRY(cuda->context, cudaGetLastError());
    RO_CUDA_TRY(cuda->context, cudaEventRecord(cuda->end, stream));
    return RO_OK;
}

template <int TAPS>
static ro_status launch_kind(struct ro_cuda *cuda, const struct hologram_launch *p,
                             enum level_kind kind, cudaStream_t stream)
{
    return kind == LEVELS_RING   ? launch_one<TAPS, LEVELS_RING>(cuda, p, stream)
           : kind == LEVELS_LINE ? launch_one<TAPS, LEVELS_LINE>(cuda, p, stream)
                                 : launch_one<TAPS, LEVELS_PLAIN>(cuda, p, stream);
}

static ro_status launch_taps(struct ro_cuda *cuda, const struct hologram_launch *p, int taps,
                             enum level_kind kind, cudaStream_t stream)
{
    if (taps <= 4)
        return launch_kind<4>(cuda, p, kind, stream);
    if (taps <= 12)
        return launch_kind<12>(cuda, p, kind, stream);
    if (taps <= 18)
        return launch_kind<18>(cuda, p, kind, stream);
    if (taps <= 27)
        return launch_kind<27>(cuda, p, kind, stream);
    if (taps <= 40)
        return launch_kind<40>(cuda, p, kind, stream);
    return launch_kind<RO_HOLOGRAM_TAPS>(cuda, p, kind, stream);
}

static ro_status launch(struct hologram_job *job, struct tables *t, char **memory)
{
    struct place at;
    void *host, *tables, *lines;
    RO_TRY(find_place(job, &at));
    cudaStream_t stream = at.cuda->compute;
    measure_tables(job, t);
    RO_TRY(ro_cuda_reserve_pinned(at.cuda, 1, t->bytes, &host));
    RO_CUDA_TRY(job->context, cudaStreamSynchronize(stream)); /* the host's copy may be on its way */
    fill_tables(job, t, (char *)host);
    RO_TRY(ro_cuda_reserve(at.cuda, RO_CUDA_HOLOGRAM_TABLES, t->bytes, stream, &tables, NULL));
    RO_TRY(ro_cuda_reserve(at.cuda, RO_CUDA_HOLOGRAM_LINES, t->line_words * 16, stream, &lines,
                           NULL));
    *memory = (char *)tables;
    RO_CUDA_TRY(job->context, cudaMemcpyAsync(tables, host, t->bytes, cudaMemcpyDefault, stream));
    struct hologram_launch p = {};
    p.field = at.field;
    p.out = at.out;
    p.field_pitch = at.field_pitch;
    p.out_pitch = at.out_pitch;
    p.scale = job->scale;
    p.real = job->levels->real;
    p.levels = job->levels->count;
    p.bands = t->bands;
    p.aligned = p.wide = 1;
    for (uint32_t i = 0; i < job->count; i++) {
        p.aligned &= job->hogels[i].x % 2 == 0;
        p.wide &= job->hogels[i].x % 16 == 0 && job->hogels[i].width % 16 == 0;
    }
    p.ring_bytes = (unsigned)((t->keep + TASK) * PITCH * 4);
    p.row_pitch = BLOCKS * BLOCK * 8 + (t->skew % 4 == 0 ? 16 : 0); /* lanes in different banks */
    p.warp_bytes = (p.ring_bytes + LANES * p.row_pitch + 127) / 128 * 128;
    p.hogels = (struct device_hogel *)(*memory + t->hogels);
    p.order = (const struct device_band *)(*memory + t->order);
    p.entries = (const struct level_entry *)(*memory + t->entries);
    p.flags = (unsigned *)(*memory + t->flags);
    p.ticket = (unsigned *)(*memory + t->ticket);
    p.lines = (uint4 *)lines;
    return launch_taps(at.cuda, &p, t->taps, job->levels->kind, stream);
}

ro_status hologram_cuda_run(struct hologram_job *job)
{
    struct tables t;
    struct ro_cuda *cuda;
    char *memory;
    void *host;
    RO_TRY(launch(job, &t, &memory));
    RO_TRY(ro_cuda_of(job->context, &cuda));
    size_t bytes = job->count * sizeof(struct device_hogel);
    RO_TRY(ro_cuda_reserve_pinned(cuda, 0, bytes, &host));
    RO_CUDA_TRY(job->context, cudaMemcpyAsync(host, memory + t.hogels, bytes, cudaMemcpyDefault,
                                              cuda->compute));
    RO_CUDA_TRY(job->context, cudaStreamSynchronize(cuda->compute));
    float elapsed;
    RO_CUDA_TRY(job->context, cudaEventElapsedTime(&elapsed, cuda->begin, cuda->end));
    job->kernel_ms += elapsed;
    for (uint32_t i = 0; i < job->count; i++)
        job->hogels[i].clips = ((const struct device_hogel *)host)[i].clips;
    return ro_context_progress(job->context, "quantize", job->done + job->share);
}
