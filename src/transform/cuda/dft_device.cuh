/* SPDX-License-Identifier: MIT */
/*
 * The transforms of dft.h on a device, bit for bit: a block does a few of them ("lanes") in shared
 * memory. Number i of a lane lies in row i / n2, column i % n2 of a matrix of n1 x n2, whose rows
 * are an odd number of places apart:
 *
 *     first part    a short transform down each column, in place
 *     second part   one along each row, in place
 *
 * which leaves result k + n1 l in row k, column l. So a second transform finds its number i where
 * number n2 (i % n1) + i / n1 of the first one was: one `level` further. Short transforms run side
 * by side through two small buffers, as lanes do on the CPU.
 */
#ifndef RO_TRANSFORM_CUDA_DFT_DEVICE_CUH
#define RO_TRANSFORM_CUDA_DFT_DEVICE_CUH

#include "cuda/cuda.cuh"
#include "transform/dft_plan.h"

typedef float real;
#define DFT_INLINE static __device__ __forceinline__
#define DFT_LOOP _Pragma("unroll")
#include "transform/dft_butterfly.h"

struct dft_device_short {
    int n, steps;
    int radix[DFT_STEPS], m[DFT_STEPS], s[DFT_STEPS];
    int turns[DFT_STEPS], roots[DFT_STEPS]; /* places in the table */
    unsigned over[DFT_STEPS];               /* divides by the distance of a step */
};

struct dft_device {
    int n, length;        /* numbers; of the transforms that run: more with a chirp */
    int n1, n2;           /* of the length */
    int pitch, lane;      /* places from row to row, and from lane to lane */
    unsigned over1, over2; /* divide by n1 and n2 */
    struct dft_device_short first, second;
    const float2 *table;
    int between, chirp, filter; /* places in the table; a chirp below 0: none */
};

/* Brings a plan's tables to the device, and gives them back. */
ro_status dft_device_open(struct ro_cuda *cuda, const struct dft *plan, struct dft_device *device);
void dft_device_close(struct ro_cuda *cuda, struct dft_device *device);

/* How blocks share the work: lanes and threads of a block, numbers of each small buffer. */
struct dft_block {
    int lanes, threads, room;
    size_t bytes;
};
/* As many lanes, a power of two, as make a block of a good size; up to `wanted` if there is room. A
 * length that does not fit the device's shared memory is refused. */
ro_status dft_device_fit(struct ro_cuda *cuda, const struct dft_device *device, int wanted,
                         struct dft_block *block);

/* What divides by d, for products below 2^32; 0: by 1. */
static __host__ __device__ __forceinline__ unsigned dft_over(int d) { return d > 1 ? 0xffffffffu / (unsigned)d + 1 : 0; }

static __device__ __forceinline__ int dft_divide(int x, unsigned over)
{
    return over ? (int)__umulhi((unsigned)x, over) : x;
}

/* Where number i of a level is. */
static __device__ __forceinline__ int dft_place(const dft_device &d, int level, int i)
{
    for (; level > 0; level--) {
        const int column = dft_divide(i, d.over1);
        i = (i - column * d.n1) * d.n2 + column;
    }
    const int row = dft_divide(i, d.over2);
    return row * d.pitch + (i - row * d.n2);
}

/* One of the two parts: its short transforms, and where their numbers are. */
struct dft_part {
    const struct dft_device_short *plan;
    float2 *x;
    int level, n1, n2, pitch, lane;
    unsigned over1, over2;
    bool second;
};

/* Where number i of a short transform is. */
template <int LEVEL>
static __device__ __forceinline__ int dft_number(const dft_part &part, int which, int i)
{
    const int lane = dft_divide(which, part.second ? part.over1 : part.over2);
    const int rest = which - lane * (part.second ? part.n1 : part.n2);
    int row = part.second ? rest : i, column = part.second ? i : rest;
    for (int l = LEVEL < 0 ? part.level : LEVEL; l > 0; l--) {
        const int number = part.n2 * row + column;
        column = dft_divide(number, part.over1);
        row = number - column * part.n1;
    }
    return lane * part.lane + row * part.pitch + column;
}

/* A step of the short transforms `first` to `first + count - 1`; NULL: from, or to, the matrix. */
struct dft_batch {
    int step, first, count;
    unsigned over; /* divides by the count */
    const float2 *from;
    float2 *to;
};

template <int RADIX, int LEVEL>
static __device__ __forceinline__ void dft_step(const dft_device &d, const dft_part &part,
                                                const dft_batch &now)
{
    const int m = part.plan->m[now.step], s = part.plan->s[now.step];
    const int radix = RADIX ? RADIX : part.plan->radix[now.step];
    const float2 *turns = d.table + part.plan->turns[now.step];
    const float2 *between = part.second ? nullptr : d.table + d.between;
    const unsigned over_s = part.plan->over[now.step];
    for (int t = threadIdx.x; t < now.count * m * s; t += blockDim.x) {
        const int b = dft_divide(t, now.over), c = t - b * now.count;
        const int p = dft_divide(b, over_s), q = b - p * s;
        real re[RADIX ? RADIX : DFT_RADIX], im[RADIX ? RADIX : DFT_RADIX];
#pragma unroll(RADIX ? RADIX : 1)
        for (int j = 0; j < radix; j++) {
            const int i = q + s * (p + m * j);
            const float2 v = now.from ? now.from[i * now.count + c]
                                      : part.x[dft_number<LEVEL>(part, now.first + c, i)];
            re[j] = v.x;
            im[j] = v.y;
        }
        if (RADIX == 2)
            dft_2(re, im);
        else if (RADIX == 3)
            dft_3(re, im);
        else if (RADIX == 4)
            dft_4(re, im);
        else if (RADIX == 5)
            dft_5(re, im);
        else
            dft_odd(radix, (const float *)(d.table + part.plan->roots[now.step]), re, im);
        const int column = now.first + c - dft_divide(now.first + c, part.over2) * part.n2;
#pragma unroll(RADIX ? RADIX : 1)
        for (int k = 0; k < radix; k++) {
            const int i = q + s * (radix * p + k);
            if (p && k) {
                const float2 turn = turns[(p - 1) * (radix - 1) + k - 1];
                dft_turn(&re[k], &im[k], turn.x, turn.y);
            }
            if (now.to) {
                now.to[i * now.count + c] = make_float2(re[k], im[k]);
                continue;
            }
            if (between && column && i) {
                const float2 turn = between[i * part.n2 + column];
                dft_turn(&re[k], &im[k], turn.x, turn.y);
            }
            part.x[dft_number<LEVEL>(part, now.first + c, i)] = make_float2(re[k], im[k]);
        }
    }
    __syncthreads();
}

/* Radices beyond 5 are rare, and their arrays large. Values: what a pointer leads to would have to
 * live in memory, for all radices. */
static __device__ __noinline__ void dft_step_odd(const dft_device &d, dft_part part, dft_batch now)
{
    dft_step<0, -1>(d, part, now);
}

template <int LEVEL>
static __device__ __noinline__ void dft_run_part(const dft_device &d, bool second, float2 *x,
                                                 int level, int lanes, float2 *buffers, int room)
{
    const dft_device_short &plan = second ? d.second : d.first;
    const dft_part part = {&plan,   x,      level,   d.n1,    d.n2,
                           d.pitch, d.lane, d.over1, d.over2, second};
    const int shorts = lanes * (second ? d.n1 : d.n2), most = min(shorts, room / plan.n);
    for (int first = 0; first < shorts; first += most) {
        const int count = min(most, shorts - first), steps = plan.steps;
        dft_batch now = {0, first, count, dft_over(count), nullptr, nullptr};
        for (; now.step < steps; now.step++) {
            now.to = now.step + 1 == steps ? nullptr : buffers + (now.step & 1 ? room : 0);
            switch (plan.radix[now.step]) {
            case 2:
                dft_step<2, LEVEL>(d, part, now);
                break;
            case 3:
                dft_step<3, LEVEL>(d, part, now);
                break;
            case 4:
                dft_step<4, LEVEL>(d, part, now);
                break;
            case 5:
                dft_step<5, LEVEL>(d, part, now);
                break;
            default:
                dft_step_odd(d, part, now);
            }
            now.from = now.to;
        }
    }
}

static __device__ __forceinline__ void dft_run_plain(const dft_device &d, float2 *x, int level,
                                                     int lanes, float2 *buffers, int room)
{
    for (int second = d.n1 == 1; second < 2; second++)
        if (level == 0)
            dft_run_part<0>(d, second, x, level, lanes, buffers, room);
        else if (level == 1)
            dft_run_part<1>(d, second, x, level, lanes, buffers, room);
        else
            dft_run_part<-1>(d, second, x, level, lanes, buffers, room);
}

/* Bluestein: times the chirp, a convolution by two transforms, times the chirp. */
static __device__ __noinline__ void dft_run_chirp(const dft_device &d, float2 *x, int level,
                                                  int lanes, float2 *buffers, int room)
{
    const float2 *chirp = d.table + d.chirp, *filter = d.table + d.filter;
    for (int lane = 0; lane < lanes; lane++)
        for (int i = threadIdx.x; i < d.length; i += blockDim.x) {
            float2 *v = &x[lane * d.lane + dft_place(d, level, i)];
            if (i < d.n)
                dft_turn(&v->x, &v->y, chirp[i].x, chirp[i].y);
            else
                *v = make_float2(0, 0);
        }
    __syncthreads();
    dft_run_plain(d, x, level, lanes, buffers, room);
    for (int lane = 0; lane < lanes; lane++)
        for (int i = threadIdx.x; i < d.length; i += blockDim.x) {
            float2 *at = &x[lane * d.lane + dft_place(d, level + 1, i)], v = *at;
            dft_turn(&v.x, &v.y, filter[i].x, filter[i].y);
            *at = make_float2(v.y, v.x);
        }
    __syncthreads();
    dft_run_plain(d, x, level + 1, lanes, buffers, room);
    for (int lane = 0; lane < lanes; lane++)
        for (int i = threadIdx.x; i < d.n; i += blockDim.x) {
            float2 *at = &x[lane * d.lane + dft_place(d, level + 2, i)];
            float2 v = make_float2(at->y, at->x);
            dft_turn(&v.x, &v.y, chirp[i].x, chirp[i].y);
            *at = v;
        }
    __syncthreads();
}

/* Transforms of all lanes, whose numbers have a level; gives the level of the results. The block
 * has met before, and meets at the end. */
static __device__ __forceinline__ int dft_run(const dft_device &d, float2 *x, int level, int lanes,
                                              float2 *buffers, int room)
{
    if (d.chirp >= 0) {
        dft_run_chirp(d, x, level, lanes, buffers, room);
        return level + 2;
    }
    dft_run_plain(d, x, level, lanes, buffers, room);
    return level + 1;
}

#endif
