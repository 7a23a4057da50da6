/* SPDX-License-Identifier: MIT */
/* Time steps of the semi-implicit schemes on the device: smoothed images of the gradients, solvers
 * (jacobi.cu, real.cu, conjugate.cu), and what is missing from the sums given back (dither.cu). */
#include "denoise/implicit/cuda/implicit_device.cuh"

static const char memory_scratch = 0; /* a key */

/* ---- Smoothed images in integers --------------------------------------------------------------
 */

struct smoothing {
    int width, height;
    int64_t size;
    struct edge_weights weights;
    bool nearest;
};

/* An explicit linear step: a side between two elements has the weight of both. */
__global__ void smooth_kernel(const struct smoothing s, const int32_t *from, int32_t *to)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int32_t *in = from + blockIdx.z * s.size;
    if (x >= s.width)
        return;
    const bool west = x > 0, east = x + 1 < s.width;
    for (int y = (int)blockIdx.y; y < s.height; y += (int)gridDim.y) {
        const bool north = y > 0, south = y + 1 < s.height;
        const int64_t i = (int64_t)y * s.width + x, w = s.width;
        const int32_t m = in[i];
        const int32_t level = s.weights.e * (north + south), upright = s.weights.s * (west + east);
        int32_t sum = m;
        if (east)
            sum += edge_flux(level, in[i + 1] - m, s.nearest);
        if (west)
            sum += edge_flux(level, in[i - 1] - m, s.nearest);
        if (south)
            sum += edge_flux(upright, in[i + w] - m, s.nearest);
        if (north)
            sum += edge_flux(upright, in[i - w] - m, s.nearest);
        if (south && east)
            sum += edge_flux(s.weights.se, in[i + w + 1] - m, s.nearest);
        if (north && west)
            sum += edge_flux(s.weights.se, in[i - w - 1] - m, s.nearest);
        if (south && west)
            sum += edge_flux(s.weights.sw, in[i + w - 1] - m, s.nearest);
        if (north && east)
            sum += edge_flux(s.weights.sw, in[i - w + 1] - m, s.nearest);
        to[blockIdx.z * s.size + i] = sum;
    }
}

static ro_status smooth(struct implicit_device *d, const int32_t **guide)
{
    const struct step_weights *diffusion = d->job->stiffness;
    const struct smoothing smoothing = {(int)d->width, (int)d->height, d->size,
                                        diffusion->smoothing, diffusion->nearest};
    dim3 grid = row_grid(d);
    grid.z = (unsigned)diffusion->planes;
    *guide = d->now;
    for (int i = 0; i < diffusion->smoothings; i++) {
        smooth_kernel<<<grid, 256, 0, d->stream>>>(smoothing, *guide, d->guide[i % 2]);
        RO_TRY(launched(d));
        *guide = d->guide[i % 2];
    }
    return RO_OK;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

ro_status clear_balance(struct implicit_device *d)
{
    const struct device_balance none = {0, INT32_MAX, INT32_MIN};
    const struct device_balance all[RO_MAX_JOINT] = {none, none, none};
    return cuda_check(
        d->context, cudaMemcpyAsync(d->balance, all, sizeof all, cudaMemcpyHostToDevice, d->stream),
        "clearing sums");
}

static ro_status run_step(struct implicit_device *d, uint32_t step)
{
    const struct step_weights *diffusion = d->job->stiffness;
    struct device_balance balance[RO_MAX_JOINT];
    const int32_t *guide = d->now;
    RO_TRY(clear_balance(d));
    if (!diffusion->real)
        RO_TRY(smooth(d, &guide));
    if (diffusion->real || d->job->conjugate)
        RO_TRY(real_steps(d, guide));
    else
        RO_TRY(jacobi_sweeps(d, guide));
    if (!diffusion->real) {
        RO_CUDA_TRY(d->context, cudaMemcpyAsync(balance, d->balance, sizeof balance,
                                                cudaMemcpyDeviceToHost, d->stream));
        RO_CUDA_TRY(d->context, cudaStreamSynchronize(d->stream));
        for (int plane = 0; plane < diffusion->planes; plane++)
            RO_TRY(dither_plane(d, plane, &balance[plane],
                                d->job->seed + ((uint64_t)step << 16) + ((uint64_t)plane << 48)));
    }
    int32_t *last = d->now;
    d->now = d->next;
    d->next = last;
    return RO_OK;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static size_t padded(size_t bytes) { return (bytes + 255) / 256 * 256; }

enum { BUCKET_BYTES = 4096 * 8 };

/* All pieces one after another; `take` is NULL where only their size is wanted. */
static size_t lay_out(struct implicit_device *d, const struct step_weights *diffusion,
                      bool conjugate, char *memory)
{
    const size_t size = (size_t)diffusion->width * diffusion->height;
    const size_t planes = padded(size * (size_t)diffusion->planes * sizeof(int32_t));
    const size_t doubles = padded(size * sizeof(double));
    size_t used = 0;
#define TAKE(member, type, bytes)                                                                  \
    do {                                                                                           \
        if (memory)                                                                                \
            (member) = (type *)(memory + used);                                                    \
        used += padded(bytes);                                                                     \
    } while (0)
    TAKE(d->diffusion, struct step_weights, sizeof *diffusion);
    TAKE(d->balance, struct device_balance, RO_MAX_JOINT * sizeof(struct device_balance));
    TAKE(d->counts, unsigned long long, BUCKET_BYTES);
    TAKE(d->listed, uint32_t, sizeof(uint32_t));
    TAKE(d->now, int32_t, planes);
    TAKE(d->next, int32_t, planes);
    if (diffusion->smoothings && !diffusion->real) {
        TAKE(d->guide[0], int32_t, planes);
        TAKE(d->guide[1], int32_t, planes);
    }
    if (conjugate || diffusion->real) {
        double **const images[] = {&d->edge[0], &d->edge[1],  &d->edge[2], &d->edge[3],
                                   &d->x,       &d->residual, &d->product};
        for (double **image : images)
            TAKE(*image, double, doubles);
        if (diffusion->smoothings)
            TAKE(d->smooth, double, 2 * planes);
    }
    if (conjugate) {
        for (float *&image : d->single)
            TAKE(image, float, size * sizeof(float));
        TAKE(d->sums, double, 3 * (size_t)diffusion->height * sizeof(double));
    }
#undef TAKE
    return used;
}

static size_t device_bytes(const struct step_weights *stiffness, bool conjugate)
{
    struct implicit_device none = {};
    return lay_out(&none, stiffness, conjugate, NULL);
}

static ro_status run_steps(struct implicit_device *d)
{
    struct implicit_job *job = d->job;
    const size_t bytes = (size_t)d->size * (size_t)job->stiffness->planes * sizeof(int32_t);
    void *memory;
    RO_TRY(cuda_reserve(d->cuda, &memory_scratch, device_bytes(job->stiffness, job->conjugate),
                        d->stream, &memory));
    lay_out(d, job->stiffness, job->conjugate, (char *)memory);
    RO_CUDA_TRY(d->context, cudaMemcpyAsync(d->diffusion, job->stiffness, sizeof *d->diffusion,
                                            cudaMemcpyHostToDevice, d->stream));
    RO_CUDA_TRY(d->context,
                cudaMemcpyAsync(d->now, job->planes, bytes, cudaMemcpyHostToDevice, d->stream));
    double milliseconds;
    RO_TRY(cuda_timer_start(d->context));
    for (uint32_t step = 0; step < job->steps; step++) {
        RO_TRY(run_step(d, step));
        RO_TRY(ro_context_progress(d->context, "denoise", (step + 1.0) / job->steps));
    }
    RO_TRY(cuda_timer_stop(d->context, &milliseconds));
    job->seconds = 1e-3 * milliseconds;
    RO_CUDA_TRY(d->context,
                cudaMemcpyAsync(job->planes, d->now, bytes, cudaMemcpyDeviceToHost, d->stream));
    RO_CUDA_TRY(d->context, cudaStreamSynchronize(d->stream));
    return RO_OK;
}

static ro_status device_run(struct implicit_job *job)
{
    struct implicit_device d = {};
    d.job = job;
    d.context = job->context;
    d.width = job->stiffness->width;
    d.height = job->stiffness->height;
    d.size = d.width * d.height;
    RO_TRY(cuda_of(job->context, &d.cuda));
    d.stream = d.cuda->compute;
    RO_TRY(cuda_scratch_begin(d.cuda, d.stream));
    const ro_status status = run_steps(&d);
    const ro_status ended = cuda_scratch_end(d.cuda, d.stream);
    return status == RO_OK ? ended : status;
}

static const struct implicit_cuda_calls calls = {device_bytes, device_run};
const struct implicit_cuda_calls *implicit_on_cuda = &calls;
