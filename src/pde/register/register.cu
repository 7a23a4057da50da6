/* SPDX-License-Identifier: MIT */
/*
 * The registration's back end on a CUDA device. The host goes from scale to scale, and waits for
 * the device once on each; all updates of a scale are one kernel's (register_descend.cuh).
 */
#include "pde/multigrid/multigrid.cuh"
#include "pde/register/register_cuda.h"
#include "pde/register/register_descend.cuh"
#include "pde/register/register_kernels.cuh"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct device {
    struct ro_flow *flow;
    struct ro_cuda *cuda;
    struct grid_cuda grids;
    float *base[2][RO_GRID_LEVELS], *u[2][RO_GRID_LEVELS];
    float *g[2], *d[2], *smooth[2], *normal[2], *balance[2];
    float *keep[2][RO_GRID_LEVELS]; /* NULL: all counts */
    const float *image[2];
    float *inverses, *pairs;
    struct tally *tally, *host; /* host: pinned */
    const struct ro_scale_plan *scale;
    int level;
    struct descent_memory *descent, *found; /* found: pinned */
    struct descent_grids *descent_grids;
};

/* Sums and steps of a scale. */
static size_t descent_bytes(const struct ro_flow *flow)
{
    return sizeof(struct descent_memory) + flow->options.updates * sizeof(struct ro_descent_step);
}

/* ---- The back end --------------------------------------------------------------------------- */

static bool failed(struct device *device, cudaError_t error, const char *doing)
{
    struct ro_flow *flow = device->flow;
    if (flow->status == RO_OK)
        flow->status = ro_cuda_check(flow->context, error, doing);
    return flow->status != RO_OK;
}

static ro_flow_rows rows_of(const struct device *device)
{
    const ro_grid &grid = device->grids.level[device->level];
    ro_flow_rows rows = {};
    rows.width = grid.width;
    rows.height = grid.height;
    rows.stride = grid.stride;
    rows.moving = device->image[0] ? device->image[0] + RO_GRID_MARGIN : NULL;
    rows.end = device->flow->ends[device->level];
    rows.masked = device->flow->masked;
    const float *seen = device->keep[0][device->level], *kept = device->keep[1][device->level];
    rows.seen = seen ? seen + RO_GRID_MARGIN : NULL;
    rows.kept = kept ? kept + RO_GRID_MARGIN : NULL;
    rows.round = device->flow->round;
    return rows;
}

static arrays arrays_of(const struct device *device)
{
    const int l = device->level;
    return {device->u[0][l] + RO_GRID_MARGIN,
            device->u[1][l] + RO_GRID_MARGIN,
            device->d[0] + RO_GRID_MARGIN,
            device->d[1] + RO_GRID_MARGIN,
            device->image[1] ? device->image[1] + RO_GRID_MARGIN : NULL,
            device->g[0] + RO_GRID_MARGIN,
            device->g[1] + RO_GRID_MARGIN};
}

static dim3 blocks_of(const struct device *device, int planes)
{
    const ro_grid &grid = device->grids.level[device->level];
    return dim3((unsigned)(grid.width + 31) / 32,
                (unsigned)((grid.height + THREADS / 32 - 1) / (THREADS / 32)), (unsigned)planes);
}

static void smooth(struct device *device, const ro_filter *filter, float *const from[2],
                   float *const to[2], int *peak)
{
    ro_cycle *cycle = &device->grids.cycle;
    const int l = device->level;
    float *own[2][2];
    for (int p = 0; p < 2; p++) {
        own[p][0] = cycle->b[p][l];
        own[p][1] = cycle->up[p][l];
        cycle->b[p][l] = from[p];
        cycle->up[p][l] = to[p];
    }
    const float *inverse = device->inverses + (filter->inverse - device->flow->inverses);
    grid_cuda_cycle(&device->grids, filter->stencils, inverse, l, false, peak);
    for (int p = 0; p < 2; p++) {
        cycle->b[p][l] = own[p][0];
        cycle->up[p][l] = own[p][1];
    }
}

/* What the direction is weighed by: from the slopes of the fixed image of the scale. */
static void balance(struct device *device)
{
    cudaStream_t stream = device->grids.stream;
    const ro_flow_rows rows = rows_of(device);
    float *x = device->balance[0] + RO_GRID_MARGIN, *y = device->balance[1] + RO_GRID_MARGIN;
    failed(device, cudaMemsetAsync(device->tally, 0, sizeof *device->tally, stream),
           "cudaMemsetAsync");
    slopes_kernel<<<blocks_of(device, 1), THREADS, 0, stream>>>(rows, arrays_of(device));
    smooth(device, &device->scale->gradient, device->g, device->balance,
           &device->tally->slope_peak);
    total_kernel<<<blocks_of(device, 1), THREADS, 0, stream>>>(rows, x, y, device->tally);
    balance_kernel<<<blocks_of(device, 2), THREADS, 0, stream>>>(rows, x, y, device->tally);
    device->grids.launches += 3;
}

static void begin(struct ro_flow *flow, const struct ro_scale_plan *scale)
{
    struct device *device = (struct device *)flow->data;
    cudaStream_t stream = device->grids.stream;
    device->level = scale->level;
    device->scale = scale;
    float *base[2] = {device->base[0][scale->level], device->base[1][scale->level]};
    if (scale->epsilon > 0)
        smooth(device, &scale->image, base, device->smooth, NULL);
    for (int p = 0; p < 2; p++)
        device->image[p] = scale->epsilon > 0 ? device->smooth[p] : base[p];
    if (flow->normalised) {
        float *image[2] = {(float *)device->image[0], (float *)device->image[1]};
        smooth(device, &scale->window, image, device->normal, NULL);
        square_kernel<<<blocks_of(device, 2), THREADS, 0, stream>>>(rows_of(device),
                                                                    arrays_of(device));
        smooth(device, &scale->window, device->g, device->d, NULL);
        normalise_kernel<<<blocks_of(device, 2), THREADS, 0, stream>>>(
            rows_of(device), arrays_of(device), scale->least, flow->sizes, device->normal[0] + RO_GRID_MARGIN,
            device->normal[1] + RO_GRID_MARGIN);
        device->image[0] = device->normal[0];
        device->image[1] = device->normal[1];
        device->grids.launches += 2;
    }
    if (flow->balanced)
        balance(device);
    failed(device, cudaGetLastError(), "a kernel of registration");
}

static void start(struct ro_flow *flow, int level)
{
    struct device *device = (struct device *)flow->data;
    const ro_grid &grid = flow->grids.grid[level];
    float *plane = (float *)calloc(grid.floats, sizeof(float));
    if (!plane) {
        flow->status = ro_context_fail(flow->context, RO_E_MEMORY, "no memory for a field");
        return;
    }
    for (int p = 0; p < 2; p++) {
        for (int y = 0; y < grid.height; y++)
            ro_flow_start_row(flow, level, p, y, plane + ro_grid_at(&grid, y));
        failed(device,
               cudaMemcpyAsync(device->u[p][level], plane, grid.floats * sizeof(float),
                               cudaMemcpyHostToDevice, device->grids.stream),
               "cudaMemcpyAsync");
        failed(device, cudaStreamSynchronize(device->grids.stream), "cudaStreamSynchronize");
    }
    free(plane);
}

static void refine(struct ro_flow *flow, int level)
{
    struct device *device = (struct device *)flow->data;
    const ro_grid &fine = device->grids.level[level], &coarse = device->grids.level[level + 1];
    arrays from = {};
    from.ux = device->u[0][level + 1];
    from.uy = device->u[1][level + 1];
    device->level = level;
    refine_kernel<<<blocks_of(device, 1), THREADS, 0, device->grids.stream>>>(
        fine, coarse, flow->round, (float)(coarse.hx / fine.hx), (float)(coarse.hy / fine.hy), from,
        device->u[0][level], device->u[1][level]);
    device->grids.launches++;
    failed(device, cudaGetLastError(), "a kernel of registration");
}

/* Brings the tally back and waits for it. */
static bool fetch(struct device *device)
{
    cudaStream_t stream = device->grids.stream;
    return !failed(device, cudaGetLastError(), "a kernel of registration") &&
           !failed(device,
                   cudaMemcpyAsync(device->host, device->tally, sizeof *device->host,
                                   cudaMemcpyDeviceToHost, stream),
                   "cudaMemcpyAsync") &&
           !failed(device, cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

/* As many blocks as there is work for, and as can be there at once. */
static unsigned blocks_to_descend(const struct device *device)
{
    const ro_grid &grid = device->grids.level[device->level];
    const int across = (grid.width + FINE - 1) / FINE, down = (grid.height + FINE - 1) / FINE;
    const long long tiles = 2LL * across * down;
    return (unsigned)(tiles < device->cuda->processors ? tiles : device->cuda->processors);
}

static const struct ro_descent_step *descend(struct ro_flow *flow,
                                             const struct ro_descent_rule *rule,
                                             struct ro_descent *descent)
{
    struct device *device = (struct device *)flow->data;
    cudaStream_t stream = device->grids.stream;
    const int l = device->level, last = flow->grids.levels - 1;
    const size_t direct = 2 * (size_t)flow->grids.grid[last].width *
                          (size_t)flow->grids.grid[last].height * sizeof(float);
    const size_t tile = TILE_FLOATS * sizeof(float), shared = direct > tile ? direct : tile;
    descent_job job = {};
    job.rows = rows_of(device);
    job.p = arrays_of(device);
    for (int p = 0; p < 2; p++) {
        job.g[p] = device->g[p];
        job.d[p] = device->d[p];
        job.balance[p] = flow->balanced ? device->balance[p] : NULL;
    }
    for (int i = l; i <= last; i++)
        job.stencils[i] = device->scale->gradient.stencils[i];
    job.inverse = device->inverses + (device->scale->gradient.inverse - flow->inverses);
    job.level = l;
    job.cycles = (int)flow->options.cycles;
    job.rule = *rule;
    job.tau = descent->tau;
    job.grids = device->descent_grids;
    job.memory = device->descent;
    void *arguments[] = {&job};
    const size_t bytes = descent_bytes(flow);
    if (failed(device,
               cudaMemsetAsync(device->descent, 0, offsetof(descent_memory, steps), stream),
               "cudaMemsetAsync") ||
        failed(device,
               cudaLaunchCooperativeKernel((const void *)descend_kernel, blocks_to_descend(device),
                                           TEAM, arguments, shared, stream),
               "cudaLaunchCooperativeKernel") ||
        failed(device,
               cudaMemcpyAsync(device->found, device->descent, bytes, cudaMemcpyDeviceToHost,
                               stream),
               "cudaMemcpyAsync") ||
        failed(device, cudaStreamSynchronize(stream), "cudaStreamSynchronize"))
        return NULL;
    device->grids.launches++;
    *descent = device->found->descent;
    return device->found->steps;
}

static void agree(struct ro_flow *flow, struct ro_agreement *sums)
{
    struct device *device = (struct device *)flow->data;
    cudaStream_t stream = device->grids.stream;
    const int blocks_x = flow->width / RO_BLOCK, blocks_y = flow->height / RO_BLOCK;
    *sums = {};
    if (blocks_x == 0 || blocks_y == 0)
        return;
    ro_flow_rows rows = rows_of(device);
    arrays p = arrays_of(device);
    rows.moving = device->base[0][0] + RO_GRID_MARGIN;
    p.fixed = device->base[1][0] + RO_GRID_MARGIN;
    failed(device,
           cudaMemsetAsync(device->tally->agreement, 0, sizeof device->tally->agreement, stream),
           "cudaMemsetAsync");
    const dim3 blocks((unsigned)(blocks_x + 31) / 32,
                      (unsigned)((blocks_y + THREADS / 32 - 1) / (THREADS / 32)));
    agree_kernel<<<blocks, THREADS, 0, stream>>>(rows, p, blocks_x, blocks_y, device->tally);
    device->grids.launches++;
    if (!fetch(device))
        return;
    const unsigned long long *from = device->host->agreement;
    *sums = {(int64_t)from[0], (int64_t)from[1], (int64_t)from[2],
             (int64_t)from[3], (int64_t)from[4], (int64_t)from[5]};
}

static const struct ro_flow_backend backend = {begin, start, refine, descend, NULL, NULL, NULL, agree};

/* Gives out memory; counts it first. */
static ro_status place_all(struct device *device, struct grid_pieces *pieces)
{
    struct ro_flow *flow = device->flow;
    const struct ro_multigrid *grids = &flow->grids;
    const size_t plane = (grids->grid[0].floats) * sizeof(float);
    RO_TRY(grid_cuda_place(flow->context, &device->grids, pieces, 2));
    for (int p = 0; p < 2; p++) {
        float **planes[] = {&device->g[p], &device->d[p], &device->smooth[p], &device->normal[p],
                            &device->balance[p]};
        for (int i = 0; i < (flow->balanced ? 5 : flow->normalised ? 4 : 3); i++)
            *planes[i] = (float *)grid_piece(pieces, plane);
        for (int l = 0; l < grids->levels; l++) {
            device->base[p][l] = (float *)grid_piece(pieces, grids->grid[l].floats * sizeof(float));
            device->u[p][l] = (float *)grid_piece(pieces, grids->grid[l].floats * sizeof(float));
            if (flow->keep[p])
                device->keep[p][l] =
                    (float *)grid_piece(pieces, grids->grid[l].floats * sizeof(float));
        }
    }
    device->inverses = (float *)grid_piece(
        pieces, flow->inverse_count * flow->inverse_floats * sizeof(float));
    device->pairs = (float *)grid_piece(pieces, 2 * (size_t)flow->size[1].width *
                                                    (size_t)flow->size[1].height * sizeof(float));
    device->tally = (struct tally *)grid_piece(pieces, sizeof *device->tally);
    device->descent = (struct descent_memory *)grid_piece(pieces, descent_bytes(flow));
    device->descent_grids =
        (struct descent_grids *)grid_piece(pieces, sizeof *device->descent_grids);
    return RO_OK;
}

/* A mask on all grids: restricted first, then told apart. */
static ro_status upload_mask(struct device *device, int p)
{
    struct ro_flow *flow = device->flow;
    cudaStream_t stream = device->grids.stream;
    RO_CUDA_TRY(flow->context, cudaMemcpyAsync(device->keep[p][0], flow->keep[p],
                                               flow->grids.grid[0].floats * sizeof(float),
                                               cudaMemcpyHostToDevice, stream));
    for (int l = 0; l + 1 < flow->grids.levels; l++)
        grid_cuda_restrict(&device->grids, l, device->keep[p][l], device->keep[p][l + 1]);
    for (int l = 1; l < flow->grids.levels; l++) {
        device->level = l;
        whole_kernel<<<blocks_of(device, 1), THREADS, 0, stream>>>(device->grids.level[l],
                                                                   device->keep[p][l]);
        device->grids.launches++;
    }
    return RO_OK;
}

/* What the kernel of updates has to know of the grids. */
static ro_status send_grids(struct device *device)
{
    const struct grid_cuda *grids = &device->grids;
    struct descent_grids to;
    memset(&to, 0, sizeof to);
    memcpy(to.level, grids->level, sizeof to.level);
    to.direct = grids->direct;
    memcpy(to.b, grids->cycle.b, sizeof to.b);
    memcpy(to.down, grids->cycle.down, sizeof to.down);
    memcpy(to.up, grids->cycle.up, sizeof to.up);
    to.last = grids->grids->levels - 1;
    /* pageable: copied away before the call returns */
    RO_CUDA_TRY(device->flow->context, cudaMemcpyAsync(device->descent_grids, &to, sizeof to,
                                                       cudaMemcpyHostToDevice, grids->stream));
    return RO_OK;
}

static ro_status run(struct device *device, const ro_image *field)
{
    struct ro_flow *flow = device->flow;
    ro_context *context = flow->context;
    struct grid_pieces pieces = {};
    void *memory, *pinned;
    RO_TRY(ro_cuda_of(context, &device->cuda));
    cudaStream_t stream = device->cuda->compute;
    device->grids.grids = &flow->grids;
    device->grids.stream = stream;
    RO_TRY(place_all(device, &pieces));
    RO_TRY(ro_cuda_scratch_begin(device->cuda, stream));
    RO_TRY(ro_cuda_reserve(device->cuda, &ro_grids_scratch, pieces.used, stream, &memory));
    RO_TRY(ro_cuda_reserve_pinned(device->cuda, 0, sizeof *device->host, &pinned));
    device->host = (struct tally *)pinned;
    RO_TRY(ro_cuda_reserve_pinned(device->cuda, 1, descent_bytes(flow), &pinned));
    device->found = (struct descent_memory *)pinned;
    pieces = {(char *)memory, 0};
    RO_TRY(place_all(device, &pieces));
    RO_CUDA_TRY(context,
                cudaMemcpyAsync(device->inverses, flow->inverses,
                                flow->inverse_count * flow->inverse_floats * sizeof(float),
                                cudaMemcpyHostToDevice, stream));
    for (int p = 0; p < 2; p++) {
        RO_CUDA_TRY(context, cudaMemcpyAsync(device->base[p][0], flow->images[p],
                                             flow->grids.grid[0].floats * sizeof(float),
                                             cudaMemcpyHostToDevice, stream));
        for (int l = 0; l + 1 < flow->grids.levels; l++)
            grid_cuda_restrict(&device->grids, l, device->base[p][l], device->base[p][l + 1]);
        if (flow->keep[p])
            RO_TRY(upload_mask(device, p));
    }
    RO_CUDA_TRY(context, cudaGetLastError());
    RO_TRY(send_grids(device));
    flow->backend = &backend;
    flow->data = device;
    ro_flow_run(flow);
    if (flow->status != RO_OK)
        return flow->status;
    device->level = 0;
    pairs_kernel<<<blocks_of(device, 1), THREADS, 0, stream>>>(
        rows_of(device), arrays_of(device), (float2 *)device->pairs, flow->size[1].width,
        flow->size[1].height);
    device->grids.launches++;
    RO_CUDA_TRY(context, cudaGetLastError());
    const int height = flow->size[1].height;
    const size_t bytes = 2 * (size_t)flow->size[1].width * sizeof(float);
    for (int y = 0; y < height && field->stride < (ptrdiff_t)bytes; y++)
        RO_CUDA_TRY(context,
                    cudaMemcpyAsync((char *)field->data + y * field->stride,
                                    (char *)device->pairs + (size_t)y * bytes, bytes,
                                    cudaMemcpyDeviceToHost, stream));
    if (field->stride >= (ptrdiff_t)bytes)
        RO_CUDA_TRY(context,
                    cudaMemcpy2DAsync(field->data, (size_t)field->stride, device->pairs, bytes,
                                      bytes, (size_t)height, cudaMemcpyDeviceToHost, stream));
    RO_TRY(ro_cuda_scratch_end(device->cuda, stream));
    RO_CUDA_TRY(context, cudaStreamSynchronize(stream));
    return RO_OK;
}

static ro_status ro_flow_on_cuda(struct ro_flow *flow, const ro_image *field, ro_report *ran)
{
    struct device *device = (struct device *)calloc(1, sizeof *device);
    if (!device)
        return ro_context_fail(flow->context, RO_E_MEMORY, "no memory for a registration");
    device->flow = flow;
    ro_status status = run(device, field);
    if (status != RO_OK && device->cuda)
        cudaStreamSynchronize(device->cuda->compute);
    ran->schedule = "tiles";
    ran->device = RO_DEVICE_CUDA;
    ran->threads = 1;
    ran->launches = device->grids.launches;
    free(device);
    return status;
}

static const struct register_cuda_calls calls = {
    ro_flow_on_cuda,
};
const struct register_cuda_calls *const register_on_cuda = &calls;
