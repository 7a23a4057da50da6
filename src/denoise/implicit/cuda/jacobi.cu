/* SPDX-License-Identifier: MIT */
/*
 * All Jacobi sweeps of a time step in one launch, in integers of up to 17 bits. A block holds a
 * region of the image in shared memory, eight pixels more on each side than it is responsible for:
 * what is wrong at the region's border comes one pixel nearer with every sweep.
 *
 *     A | B     The weights of a pixel's edges come from the four elements round it, each with four
 *     --x--     weights of 16 bits in two words. A thread does some pixels below each other; what
 * it C | D     sees in one row it keeps for the next.
 *
 * With N = r + tau sum w x_b and D = 1 + tau sum w, both whole numbers, a sweep rounds N/D toward
 * the pixel or to nearest. The quotient is estimated in floats, to less than one, and put right by
 * its remainder, which is exact.
 */
#include "denoise/implicit/cuda/implicit_device.cuh"

enum {
    STRIPS = 8,
    ROWS = 8, /* of a strip */
    REGION_ROWS = STRIPS * ROWS,
    LINES = REGION_ROWS + 2,
    HALO = RO_DEVICE_SWEEPS,
    WIDE = 128, /* columns of a region where there is room for it, */
    NARROW = 56 /* and where there is not: 60 KiB */
};

/* Elements and x have a column more at the left, x one at the right. */
static constexpr int shared_bytes(int columns)
{
    return (columns + 1) * (REGION_ROWS + 1) * (int)sizeof(uint2) +
           2 * (columns + 2) * LINES * (int)sizeof(int);
}

struct sweeps {
    const struct step_weights *diffusion;
    const int32_t *in, *guide;
    int32_t *out;
    struct device_balance *balance;
    int width, height, joint;
    int64_t size;
    uint32_t time;
};

static __device__ inline uint2 element_at(const struct sweeps &s, int group, int x, int y)
{
    if (x < 0 || y < 0 || x >= s.width - 1 || y >= s.height - 1)
        return make_uint2(0, 0);
    int32_t p[RO_MAX_JOINT], q[RO_MAX_JOINT];
    for (int c = 0; c < s.joint; c++) {
        const int32_t *a = s.guide + (group + c) * s.size + (int64_t)y * s.width + x;
        p[c] = a[s.width + 1] - a[0];
        q[c] = a[1] - a[s.width];
    }
    const struct edge_weights w = element_weights(s.diffusion, p, q);
    return make_uint2((uint32_t)w.e | (uint32_t)w.s << 16, (uint32_t)w.se | (uint32_t)w.sw << 16);
}

/* The eight weights round a pixel: of E edges on the right and left, and so on. */
struct around {
    uint32_t e, w, s, n, se, nw, sw, ne;
};

static __device__ inline struct around around_of(uint2 a, uint2 b, uint2 c, uint2 d)
{
    return {b.x + d.x & 0xffff, a.x + c.x & 0xffff, c.x + d.x >> 16, a.x + b.x >> 16,
            d.y & 0xffff,       a.y & 0xffff,       c.y >> 16,       b.y >> 16};
}

/* What x becomes: N/D rounded, which is below 2^17; `inverse` is that of D. */
template <bool NEAREST>
static __device__ inline int rounded(uint64_t numerator, uint64_t denominator, float inverse, int x)
{
    const float near = __fadd_rn(__fmul_rn((float)numerator, inverse), 0x1p23f);
    int floor = __float_as_int(near) & 0x7fffff;
    int64_t rest = (int64_t)(numerator - (uint64_t)floor * denominator);
    if (NEAREST) {
        if (rest < 0) {
            floor--;
            rest += (int64_t)denominator;
        }
        return floor +
               (floor >= x ? 2 * rest >= (int64_t)denominator : 2 * rest > (int64_t)denominator);
    }
    floor -= rest < 0;
    return floor + (floor < x && rest != 0);
}

template <int COLUMNS, bool NEAREST>
__global__ void __launch_bounds__(COLUMNS *STRIPS, 1024 / (COLUMNS * STRIPS))
    sweeps_kernel(const struct sweeps s)
{
    constexpr int PITCH = COLUMNS + 2, WEIGHTS = COLUMNS + 1, THREADS = COLUMNS * STRIPS;
    extern __shared__ uint2 elements[]; /* from row and column -1 on */
    int *const field = (int *)(elements + WEIGHTS * (REGION_ROWS + 1));
    const int column = threadIdx.x % COLUMNS, first = threadIdx.x / COLUMNS * ROWS;
    const int x = (int)blockIdx.x * (COLUMNS - 2 * HALO) - HALO + column;
    const int y = (int)blockIdx.y * (REGION_ROWS - 2 * HALO) - HALO + first;
    const int group = (int)blockIdx.z * s.joint;
    const uint2 none = make_uint2(0, 0);

    for (int i = threadIdx.x; i < WEIGHTS; i += THREADS)
        elements[i] = none;
    for (int i = threadIdx.x; i < REGION_ROWS; i += THREADS)
        elements[(i + 1) * WEIGHTS] = none;
    for (int i = threadIdx.x; i < 2 * PITCH * LINES; i += THREADS)
        field[i] = 0;
    uint2 *const own = elements + (first + 1) * WEIGHTS + column + 1;
#pragma unroll 1
    for (int k = 0; k < ROWS; k++)
        own[k * WEIGHTS] = column < COLUMNS - 1 && first + k < REGION_ROWS - 1
                               ? element_at(s, group, x, y + k)
                               : none;

    for (int plane = group; plane < group + s.joint; plane++) {
        int r[ROWS], weight[ROWS];
        float inverse[ROWS];
        const int32_t *in = s.in + plane * s.size;
        int *const here = field + (first + 1) * PITCH + column + 1;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < ROWS; k++) {
            const bool inside = x >= 0 && x < s.width && y + k >= 0 && y + k < s.height;
            r[k] = inside ? in[(int64_t)(y + k) * s.width + x] : 0;
            here[k * PITCH] = r[k];
        }
        uint2 a = own[-WEIGHTS - 1], b = own[-WEIGHTS];
#pragma unroll
        for (int k = 0; k < ROWS; k++) {
            const uint2 c = own[k * WEIGHTS - 1], d = own[k * WEIGHTS];
            const struct around w = around_of(a, b, c, d);
            weight[k] = (int)(w.e + w.w + w.s + w.n + w.se + w.nw + w.sw + w.ne);
            inverse[k] = __frcp_rn((float)((1 << 30) + (int64_t)s.time * weight[k]));
            a = c;
            b = d;
        }
        __syncthreads();
        for (int sweep = 0; sweep < RO_DEVICE_SWEEPS; sweep++) {
            const int *from = here + (sweep & 1) * PITCH * LINES;
            int *to = here + (1 - (sweep & 1)) * PITCH * LINES;
            a = own[-WEIGHTS - 1];
            b = own[-WEIGHTS];
            int up[3] = {from[-PITCH - 1], from[-PITCH], from[-PITCH + 1]};
            int at[3] = {from[-1], from[0], from[1]};
#pragma unroll
            for (int k = 0; k < ROWS; k++) {
                const int *below = from + (k + 1) * PITCH;
                const int down[3] = {below[-1], below[0], below[1]};
                const uint2 c = own[k * WEIGHTS - 1], d = own[k * WEIGHTS];
                /* rows that no longer reach what is written need not be right */
                if (first + k > sweep && first + k < REGION_ROWS - 1 - sweep) {
                    const struct around w = around_of(a, b, c, d);
                    uint64_t sum = (uint64_t)w.e * (uint32_t)at[2];
                    sum += (uint64_t)w.w * (uint32_t)at[0];
                    sum += (uint64_t)w.s * (uint32_t)down[1];
                    sum += (uint64_t)w.n * (uint32_t)up[1];
                    sum += (uint64_t)w.se * (uint32_t)down[2];
                    sum += (uint64_t)w.nw * (uint32_t)up[0];
                    sum += (uint64_t)w.sw * (uint32_t)down[0];
                    sum += (uint64_t)w.ne * (uint32_t)up[2];
                    const uint64_t numerator = (uint64_t)(uint32_t)r[k] * (1u << 30) + s.time * sum;
                    const uint64_t denominator =
                        (1u << 30) + (uint64_t)s.time * (uint32_t)weight[k];
                    to[k * PITCH] = rounded<NEAREST>(numerator, denominator, inverse[k], at[1]);
                }
                a = c;
                b = d;
                for (int i = 0; i < 3; i++) {
                    up[i] = at[i];
                    at[i] = down[i];
                }
            }
            __syncthreads();
        }
        /* eight sweeps: the last one's result is where r was */
        long long defect = 0;
        int min = INT32_MAX, max = INT32_MIN;
        int32_t *out = s.out + plane * s.size;
        const bool mine = column >= HALO && column < COLUMNS - HALO && x < s.width;
#pragma unroll
        for (int k = 0; k < ROWS; k++)
            if (mine && first + k >= HALO && first + k < REGION_ROWS - HALO && y + k < s.height) {
                const int value = here[k * PITCH];
                out[(int64_t)(y + k) * s.width + x] = value;
                defect += r[k] - value;
                min = ::min(min, r[k]);
                max = ::max(max, r[k]);
            }
        add_balance(&s.balance[plane], defect, min, max);
    }
}

template <int COLUMNS>
static ro_status launch(struct implicit_device *d, const struct sweeps &sweeps)
{
    const int across = COLUMNS - 2 * HALO, down = REGION_ROWS - 2 * HALO;
    const dim3 grid((unsigned)((d->width + across - 1) / across),
                    (unsigned)((d->height + down - 1) / down),
                    (unsigned)(d->job->stiffness->planes / sweeps.joint));
    void (*const kernel)(struct sweeps) =
        d->job->nearest ? sweeps_kernel<COLUMNS, true> : sweeps_kernel<COLUMNS, false>;
    RO_CUDA_TRY(d->context, cudaFuncSetAttribute((const void *)kernel,
                                                 cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                 shared_bytes(COLUMNS)));
    kernel<<<grid, COLUMNS * STRIPS, shared_bytes(COLUMNS), d->stream>>>(sweeps);
    return launched(d);
}

ro_status jacobi_sweeps(struct implicit_device *d, const int32_t *guide)
{
    const struct sweeps sweeps = {
        d->diffusion, d->now,        guide,          d->next,
        d->balance,   (int)d->width, (int)d->height, d->job->stiffness->joint,
        d->size,      d->job->time};
    int room = 0;
    RO_CUDA_TRY(d->context, cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                                   d->cuda->device));
    return room >= shared_bytes(WIDE) ? launch<WIDE>(d, sweeps) : launch<NARROW>(d, sweeps);
}
