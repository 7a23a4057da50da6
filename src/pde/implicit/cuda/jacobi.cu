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
 * The quotient of a sweep is estimated in floats, to less than one, and put right by its remainder,
 * which is exact.
 */
#include "pde/implicit/cuda/implicit_device.cuh"

enum {
    COLUMNS = 64,
    STRIPS = 8,
    ROWS = 8, /* of a strip */
    REGION_ROWS = STRIPS * ROWS,
    HALO = RO_DEVICE_SWEEPS,
    PITCH = COLUMNS + 2, /* of x, with a column more at either end */
    LINES = REGION_ROWS + 2,
    THREADS = COLUMNS * STRIPS,
    SHARED = COLUMNS * REGION_ROWS * (int)sizeof(uint2) + 2 * PITCH * LINES * (int)sizeof(int),
};

struct sweeps {
    const struct ro_diffusion *diffusion;
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
    const struct ro_element w = ro_element_weights(s.diffusion, p, q);
    return make_uint2((uint32_t)w.e | (uint32_t)w.s << 16, (uint32_t)w.se | (uint32_t)w.sw << 16);
}

/* The eight weights round a pixel: of E edges on the right and left, and so on. */
struct around {
    int e, w, s, n, se, nw, sw, ne;
};

static __device__ inline struct around around_of(uint2 a, uint2 b, uint2 c, uint2 d)
{
    return {(int)(b.x + d.x & 0xffff), (int)(a.x + c.x & 0xffff), (int)(c.x + d.x >> 16),
            (int)(a.x + b.x >> 16),    (int)(d.y & 0xffff),       (int)(a.y & 0xffff),
            (int)(c.y >> 16),          (int)(b.y >> 16)};
}

/* num / den as ro_round_quotient has it, below 2^18; `inverse` is that of den. */
template <bool NEAREST>
static __device__ inline int quotient(int64_t numerator, int64_t denominator, float inverse)
{
    const uint64_t size = (uint64_t)(numerator < 0 ? -numerator : numerator);
    const float near = __fadd_rn(__fmul_rn((float)size, inverse), 0x1p23f);
    int q = __float_as_int(near) & 0x7fffff;
    const int64_t rest = (int64_t)size - q * denominator;
    if (NEAREST)
        q += (2 * rest >= denominator) - (2 * rest < -denominator);
    else
        q -= rest < 0;
    return numerator < 0 ? -q : q;
}

template <bool NEAREST>
__global__ void __launch_bounds__(THREADS, 2) sweeps_kernel(const struct sweeps s)
{
    extern __shared__ uint2 elements[];
    int *const field = (int *)(elements + COLUMNS * REGION_ROWS);
    const int column = threadIdx.x % COLUMNS, first = threadIdx.x / COLUMNS * ROWS;
    const int x = (int)blockIdx.x * (COLUMNS - 2 * HALO) - HALO + column;
    const int y = (int)blockIdx.y * (REGION_ROWS - 2 * HALO) - HALO + first;
    const int group = (int)blockIdx.z * s.joint;

#pragma unroll 1
    for (int k = 0; k < ROWS; k++)
        elements[(first + k) * COLUMNS + column] =
            column < COLUMNS - 1 && first + k < REGION_ROWS - 1 ? element_at(s, group, x, y + k)
                                                                : make_uint2(0, 0);
    for (int i = threadIdx.x; i < 2 * PITCH * LINES; i += THREADS)
        field[i] = 0;
    const uint2 *const own = elements + first * COLUMNS + column;
    const uint2 none = make_uint2(0, 0);

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
        uint2 a = first && column ? own[-COLUMNS - 1] : none, b = first ? own[-COLUMNS] : none;
#pragma unroll
        for (int k = 0; k < ROWS; k++) {
            const uint2 c = column ? own[k * COLUMNS - 1] : none, d = own[k * COLUMNS];
            const struct around w = around_of(a, b, c, d);
            weight[k] = w.e + w.w + w.s + w.n + w.se + w.nw + w.sw + w.ne;
            inverse[k] = __frcp_rn((float)((1 << 30) + (int64_t)s.time * weight[k]));
            a = c;
            b = d;
        }
        __syncthreads();
        for (int sweep = 0; sweep < RO_DEVICE_SWEEPS; sweep++) {
            const int *from = here + (sweep & 1) * PITCH * LINES;
            int *to = here + (1 - (sweep & 1)) * PITCH * LINES;
            a = first && column ? own[-COLUMNS - 1] : none;
            b = first ? own[-COLUMNS] : none;
            int up[3] = {from[-PITCH - 1], from[-PITCH], from[-PITCH + 1]};
            int at[3] = {from[-1], from[0], from[1]};
#pragma unroll
            for (int k = 0; k < ROWS; k++) {
                const int *below = from + (k + 1) * PITCH;
                const int down[3] = {below[-1], below[0], below[1]};
                const uint2 c = column ? own[k * COLUMNS - 1] : none, d = own[k * COLUMNS];
                /* rows that no longer reach what is written need not be right */
                if (first + k > sweep && first + k < REGION_ROWS - 1 - sweep) {
                    const struct around w = around_of(a, b, c, d);
                    const int m = at[1];
                    int64_t pull = (int64_t)w.e * (at[2] - m);
                    pull += (int64_t)w.w * (at[0] - m);
                    pull += (int64_t)w.s * (down[1] - m);
                    pull += (int64_t)w.n * (up[1] - m);
                    pull += (int64_t)w.se * (down[2] - m);
                    pull += (int64_t)w.nw * (up[0] - m);
                    pull += (int64_t)w.sw * (down[0] - m);
                    pull += (int64_t)w.ne * (up[2] - m);
                    const int64_t numerator =
                        (int64_t)(r[k] - m) * (1 << 30) + (int64_t)s.time * pull;
                    const int64_t denominator = (1 << 30) + (int64_t)s.time * weight[k];
                    to[k * PITCH] = m + quotient<NEAREST>(numerator, denominator, inverse[k]);
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

ro_status jacobi_sweeps(struct implicit_device *d, const int32_t *guide)
{
    const struct ro_diffusion *diffusion = d->job->stiffness;
    const struct sweeps sweeps = {d->diffusion, d->now,        guide,          d->next,
                                  d->balance,   (int)d->width, (int)d->height, diffusion->joint,
                                  d->size,      d->job->time};
    const int across = COLUMNS - 2 * HALO, down = REGION_ROWS - 2 * HALO;
    const dim3 grid((unsigned)((d->width + across - 1) / across),
                    (unsigned)((d->height + down - 1) / down),
                    (unsigned)(diffusion->planes / diffusion->joint));
    void (*const kernel)(struct sweeps) =
        d->job->nearest ? sweeps_kernel<true> : sweeps_kernel<false>;
    RO_CUDA_TRY(d->context,
                cudaFuncSetAttribute((const void *)kernel,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    kernel<<<grid, THREADS, SHARED, d->stream>>>(sweeps);
    return launched(d);
}
