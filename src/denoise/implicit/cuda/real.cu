/* SPDX-License-Identifier: MIT */
/*
 * Systems in double precision on the device: their weights, and Jacobi of the float formats, with
 * the order of operations of real_ref.c.
 */
#include "denoise/implicit/cuda/implicit_device.cuh"
#include "denoise/implicit/real_element.h"

struct system_of {
    int64_t width, height, size;
    double time;
    const double *e, *s, *se, *sw;
};

/* Blocks of 256 columns, and rows in turns. */
#define EACH_PIXEL(system)                                                                         \
    const int64_t x = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;                              \
    if (x >= (system).width)                                                                       \
        return;                                                                                    \
    for (int64_t y = blockIdx.y; y < (system).height; y += gridDim.y)

/* ---- Weights --------------------------------------------------------------------------------- */

/* Images of gradients: planes of integers, of floats or of doubles. */
struct guides {
    const void *data;
    int kind; /* 0: int32_t, 1: float, 2: double */
};

static __device__ inline double guide_at(const struct guides &g, int64_t i)
{
    return g.kind == 0   ? (double)((const int32_t *)g.data)[i]
           : g.kind == 1 ? (double)((const float *)g.data)[i]
                         : ((const double *)g.data)[i];
}

static __device__ struct real_element integer_element(const struct step_weights *d,
                                                      const int32_t *guide, int64_t size, int64_t i)
{
    int32_t p[RO_MAX_JOINT], q[RO_MAX_JOINT];
    for (int c = 0; c < d->joint; c++) {
        const int32_t *a = guide + c * size + i;
        p[c] = a[d->width + 1] - a[0];
        q[c] = a[1] - a[d->width];
    }
    const struct edge_weights w = element_weights(d, p, q);
    return {(double)w.se, (double)w.sw, (double)w.e, (double)w.s};
}

static __device__ struct real_element real_element_at(const struct step_weights *d,
                                                      const struct guides &g, bool linear,
                                                      int64_t size, int64_t i)
{
    struct real_gradient sum = {0, 0, 0};
    for (int c = 0; c < d->joint && !linear; c++) {
        const int64_t a = c * size + i;
        real_gradient_add(&sum, guide_at(g, a + d->width + 1) - guide_at(g, a),
                          guide_at(g, a + 1) - guide_at(g, a + d->width));
    }
    return real_element_of(d, linear, &sum);
}

struct assembly {
    const struct step_weights *diffusion;
    struct guides guide; /* of the planes that share a gradient */
    bool linear;
    double *e, *s, *se, *sw;
};

static __device__ struct real_element element_at(const struct assembly &a, int64_t size, int64_t x,
                                                 int64_t y)
{
    const struct step_weights *d = a.diffusion;
    if (x < 0 || y < 0 || x + 1 >= d->width || y + 1 >= d->height)
        return {0, 0, 0, 0};
    const int64_t i = y * d->width + x;
    if (a.guide.kind == 0) {
        const struct real_element w = integer_element(d, (const int32_t *)a.guide.data, size, i);
        return {w.se * 0x1p-16, w.sw * 0x1p-16, w.e * 0x1p-16, w.s * 0x1p-16};
    }
    return real_element_at(d, a.guide, a.linear || d->model == RO_MODEL_LINEAR, size, i);
}

__global__ void assemble_kernel(const struct assembly a, const struct system_of system)
{
    EACH_PIXEL(system)
    {
        const struct real_element here = element_at(a, system.size, x, y);
        const struct real_element above = element_at(a, system.size, x, y - 1);
        const struct real_element left = element_at(a, system.size, x - 1, y);
        const int64_t i = y * system.width + x;
        a.e[i] = above.e + here.e;
        a.s[i] = left.s + here.s;
        a.se[i] = here.se;
        a.sw[i] = left.sw;
    }
}

/* ---- Products -------------------------------------------------------------------------------- */

/* (1 + tau L) x at a pixel without its diagonal part, and the diagonal. */
static __device__ double row_of(const struct system_of &s, const double *u, int64_t x, int64_t y,
                                double *diagonal)
{
    const int64_t i = y * s.width + x, w = s.width;
    const bool west = x > 0, east = x + 1 < w, north = y > 0, south = y + 1 < s.height;
    double sum = 0, weight = 0;
    const double e = s.e[i], e_back = i >= 1 ? s.e[i - 1] : 0;
    weight += e + e_back;
    if (east)
        sum -= e * u[i + 1];
    if (west)
        sum -= e_back * u[i - 1];
    const double down = s.s[i], up = north ? s.s[i - w] : 0;
    weight += down + up;
    if (south)
        sum -= down * u[i + w];
    if (north)
        sum -= up * u[i - w];
    const double se = s.se[i], se_back = i >= w + 1 ? s.se[i - w - 1] : 0;
    weight += se + se_back;
    if (south && east)
        sum -= se * u[i + w + 1];
    if (north && west)
        sum -= se_back * u[i - w - 1];
    const double sw = s.sw[i], sw_back = i >= w - 1 ? s.sw[i - w + 1] : 0;
    weight += sw + sw_back;
    if (south && west)
        sum -= sw * u[i + w - 1];
    if (north && east)
        sum -= sw_back * u[i - w + 1];
    *diagonal = 1 + s.time * weight;
    return s.time * sum;
}

__global__ void apply_kernel(const struct system_of system, const double *u, double *out)
{
    EACH_PIXEL(system)
    {
        double diagonal, rest = row_of(system, u, x, y, &diagonal);
        out[y * system.width + x] = diagonal * u[y * system.width + x] + rest;
    }
}

__global__ void jacobi_kernel(const struct system_of system, const double *r, const double *u,
                              double *out)
{
    EACH_PIXEL(system)
    {
        double diagonal, rest = row_of(system, u, x, y, &diagonal);
        out[y * system.width + x] = (r[y * system.width + x] - rest) / diagonal;
    }
}

/* ---- Planes ---------------------------------------------------------------------------------- */

__global__ void load_kernel(int64_t size, const struct guides from, int64_t first, double *to,
                            struct device_balance *balance)
{
    long long sum = 0;
    int min = INT32_MAX, max = INT32_MIN;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < size;
         i += (int64_t)gridDim.x * blockDim.x) {
        to[i] = guide_at(from, first + i);
        if (from.kind == 0) {
            const int value = ((const int32_t *)from.data)[first + i];
            sum += value;
            min = ::min(min, value);
            max = ::max(max, value);
        }
    }
    if (from.kind == 0)
        add_balance(balance, sum, min, max);
}

/* To the nearest number in the range of r. */
__global__ void store_kernel(int64_t size, const double *u, int32_t *out,
                             struct device_balance *balance)
{
    const double min = balance->min, max = balance->max;
    long long sum = 0;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < size;
         i += (int64_t)gridDim.x * blockDim.x) {
        out[i] = __double2int_rn(u[i] < min ? min : u[i] > max ? max : u[i]);
        sum -= out[i];
    }
    add_balance(balance, sum, INT32_MAX, INT32_MIN);
}

/* To a float of `mantissa` bits: beside a large number there is no room for more. */
__global__ void store_real_kernel(int64_t size, const double *u, int mantissa, double least,
                                  double most, float *out)
{
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < size;
         i += (int64_t)gridDim.x * blockDim.x) {
        double value = u[i];
        if (mantissa < 23 && value != 0) {
            const double length = fmin(fabs(value), most);
            const long long exponent =
                __double_as_longlong(fmax(length, least)) & 0x7ff0000000000000;
            const double anchor =
                __longlong_as_double(exponent + ((long long)(52 - mantissa) << 52) + (1ll << 51));
            const double rounded = __dsub_rn(__dadd_rn(length, anchor), anchor);
            value = value < 0 && rounded > 0 ? -rounded : rounded;
        }
        out[i] = __double2float_rn(value);
    }
}

/* ---- Solvers --------------------------------------------------------------------------------- */

static ro_status apply(struct implicit_device *d, const struct system_of *system, const double *u,
                       double *out)
{
    apply_kernel<<<row_grid(d), 256, 0, d->stream>>>(*system, u, out);
    return launched(d);
}

/* The right-hand side goes to `residual`. */
static ro_status solve_jacobi(struct implicit_device *d, const struct system_of *system)
{
    RO_CUDA_TRY(d->context, cudaMemcpyAsync(d->residual, d->x, (size_t)d->size * sizeof *d->x,
                                            cudaMemcpyDeviceToDevice, d->stream));
    for (int n = 0; n < RO_DEVICE_SWEEPS; n++) {
        const double *from = n % 2 ? d->product : d->x;
        jacobi_kernel<<<row_grid(d), 256, 0, d->stream>>>(*system, d->residual, from,
                                                          n % 2 ? d->x : d->product);
        RO_TRY(launched(d));
    }
    return RO_OK;
}

static struct system_of system_of(const struct implicit_device *d, double time)
{
    return {d->width, d->height, d->size, time, d->edge[0], d->edge[1], d->edge[2], d->edge[3]};
}

static ro_status assemble(struct implicit_device *d, struct guides guide, bool linear)
{
    const struct assembly assembly = {d->diffusion, guide,      linear,    d->edge[0],
                                      d->edge[1],   d->edge[2], d->edge[3]};
    assemble_kernel<<<row_grid(d), 256, 0, d->stream>>>(assembly, system_of(d, 0));
    return launched(d);
}

static ro_status load(struct implicit_device *d, struct guides from, int plane, double *to,
                      struct device_balance *balance)
{
    load_kernel<<<flat_grid(d), 256, 0, d->stream>>>(d->size, from, plane * d->size, to, balance);
    return launched(d);
}

/* Explicit linear steps in doubles; the result lies in smooth. */
static ro_status smooth_real(struct implicit_device *d)
{
    const struct step_weights *diffusion = d->job->stiffness;
    const struct guides now = {d->now, 1};
    const struct system_of system =
        system_of(d, -3 * (double)diffusion->weights.smooth_diagonal); /* 1 - tau L: backwards */
    RO_TRY(assemble(d, now, true));
    for (int plane = 0; plane < diffusion->planes; plane++) {
        double *image = d->smooth + plane * d->size;
        RO_TRY(load(d, now, plane, image, NULL));
        for (int n = 0; n < diffusion->smoothings; n++) {
            RO_TRY(apply(d, &system, image, d->product));
            RO_CUDA_TRY(d->context,
                        cudaMemcpyAsync(image, d->product, (size_t)d->size * sizeof *image,
                                        cudaMemcpyDeviceToDevice, d->stream));
        }
    }
    return RO_OK;
}

static ro_status store(struct implicit_device *d, int plane)
{
    const struct ro_small_float *real = d->job->stiffness->real;
    if (!real) {
        store_kernel<<<flat_grid(d), 256, 0, d->stream>>>(d->size, d->x, d->next + plane * d->size,
                                                          &d->balance[plane]);
        return launched(d);
    }
    const int smallest = 2 - (1 << (real->exponent - 1));
    store_real_kernel<<<flat_grid(d), 256, 0, d->stream>>>(
        d->size, d->x, real->mantissa, exp2(smallest),
        (2 - exp2(-real->mantissa)) * exp2(1 - smallest), (float *)d->next + plane * d->size);
    return launched(d);
}

ro_status real_steps(struct implicit_device *d, const int32_t *guide)
{
    const struct step_weights *diffusion = d->job->stiffness;
    const struct system_of system = system_of(d, d->job->time_step);
    const bool smoothed = diffusion->real && diffusion->smoothings;
    if (smoothed)
        RO_TRY(smooth_real(d));
    for (int plane = 0; plane < diffusion->planes; plane++) {
        const int kind = smoothed ? 2 : diffusion->real ? 1 : 0;
        const void *from = smoothed ? (const void *)(d->smooth + plane * d->size)
                                    : (const void *)(guide + plane * d->size);
        if (plane % diffusion->joint == 0)
            RO_TRY(assemble(d, {from, kind}, false));
        RO_TRY(load(d, {d->now, diffusion->real ? 1 : 0}, plane, d->x, &d->balance[plane]));
        if (d->job->conjugate)
            RO_TRY(conjugate_solve(d));
        else
            RO_TRY(solve_jacobi(d, &system));
        RO_TRY(store(d, plane));
    }
    return RO_OK;
}
