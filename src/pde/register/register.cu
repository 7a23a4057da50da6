/* SPDX-License-Identifier: MIT */
/*
 * The registration's back end on a CUDA device. The loops stay on the host and wait for the device
 * twice an update: for the sums at u, all taken in one go from the gradient to the products, and
 * for energies, of which four lengths are computed at once, for the search asks for double and half
 * of the first.
 */
#include "pde/multigrid/multigrid.cuh"
#include "pde/register/register_cuda.h"
#include "pde/register/register_kernels.cuh"

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
    float lengths[LENGTHS]; /* of the energies in hand; 0: none */
};

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

static void probe(struct ro_flow *flow, float tau, struct ro_probe *probe)
{
    struct device *device = (struct device *)flow->data;
    cudaStream_t stream = device->grids.stream;
    const ro_flow_rows rows = rows_of(device);
    const arrays p = arrays_of(device);
    const dim3 blocks = blocks_of(device, 1);
    memset(device->lengths, 0, sizeof device->lengths);
    failed(device, cudaMemsetAsync(device->tally, 0, sizeof *device->tally, stream),
           "cudaMemsetAsync");
    gradient_kernel<<<blocks, THREADS, 0, stream>>>(rows, p, tau, device->tally);
    int *peak = &device->tally->d_peak;
    if (flow->options.cycles == 1) {
        smooth(device, &device->scale->gradient, device->g, device->d, peak);
    } else {
        const int l = device->level;
        float *between[2] = {device->grids.cycle.up[0][l], device->grids.cycle.up[1][l]};
        smooth(device, &device->scale->gradient, device->g, between, NULL);
        if (flow->balanced) {
            weigh_kernel<<<blocks_of(device, 2), THREADS, 0, stream>>>(
                rows, device->balance[0] + RO_GRID_MARGIN, device->balance[1] + RO_GRID_MARGIN,
                between[0] + RO_GRID_MARGIN, between[1] + RO_GRID_MARGIN);
            device->grids.launches++;
        }
        smooth(device, &device->scale->gradient, between, device->d, peak);
    }
    products_kernel<<<blocks, THREADS, 0, stream>>>(rows, p, device->tally);
    device->grids.launches += 2;
    if (!fetch(device))
        return;
    probe->sums.energy = (int64_t)device->host->energy;
    probe->sums.count = (int64_t)device->host->count;
    memcpy(&probe->sums.peak, &device->host->g_peak, sizeof probe->sums.peak);
    memcpy(&probe->peak, &device->host->d_peak, sizeof probe->peak);
    probe->products.slope = (int64_t)device->host->slope;
    probe->products.square = (int64_t)device->host->square;
}

static int64_t energy(struct ro_flow *flow, float tau)
{
    struct device *device = (struct device *)flow->data;
    cudaStream_t stream = device->grids.stream;
    for (int i = 0; i < LENGTHS; i++)
        if (device->lengths[i] == tau)
            return (int64_t)device->host->energies[i];
    /* the first asks both ways; later ones go on in their direction */
    const bool falling = device->lengths[0] != 0 && tau < device->lengths[0];
    const bool first = device->lengths[0] == 0;
    lengths at_once;
    for (int i = 0; i < LENGTHS; i++) {
        float by = falling ? 1.0f / (float)(1 << i) : (float)(1 << i);
        at_once.tau[i] = tau * (first && i == LENGTHS - 1 ? 0.5f : by);
        device->lengths[i] = at_once.tau[i];
    }
    failed(device,
           cudaMemsetAsync(device->tally->energies, 0, sizeof device->tally->energies, stream),
           "cudaMemsetAsync");
    energy_kernel<<<blocks_of(device, 1), THREADS, 0, stream>>>(rows_of(device), arrays_of(device),
                                                                at_once, device->tally);
    device->grids.launches++;
    return fetch(device) ? (int64_t)device->host->energies[0] : 0;
}

static void update(struct ro_flow *flow, float tau)
{
    struct device *device = (struct device *)flow->data;
    update_kernel<<<blocks_of(device, 1), THREADS, 0, device->grids.stream>>>(
        rows_of(device), arrays_of(device), tau);
    device->grids.launches++;
    failed(device, cudaGetLastError(), "a kernel of registration");
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

static const struct ro_flow_backend backend = {begin, start, refine, probe, energy, update, agree};

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
