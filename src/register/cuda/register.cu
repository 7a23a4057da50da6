/* SPDX-License-Identifier: MIT */
/*
 * The registration's back end on a CUDA device. The host goes from scale to scale, and waits for
 * the device once on each; all updates of a scale are one kernel's (descend.cuh).
 */
#include "register/cuda/device.cuh"
#include "register/cuda/register_cuda.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- A scale ----------------------------------------------------------------------------------
 */

template <typename SMOOTHER> static void make_images(struct device *device)
{
    struct registration *flow = device->flow;
    const struct scale_plan *scale = device->scale;
    prepare_job<SMOOTHER> job = {};
    job.rows = rows_of(device);
    job.smooths = scale->epsilon > 0;
    job.normalises = flow->normalised;
    job.sizes = flow->sizes;
    job.balances = flow->balanced;
    job.least = scale->least;
    prepare_filter(device, &scale->image, &job.filter[SMOOTH]);
    prepare_filter(device, &scale->window, &job.filter[MEANS]);
    job.filter[SQUARES] = job.filter[MEANS];
    prepare_filter(device, &scale->gradient, &job.filter[BALANCE]);
    job.sums = device->tally;
    for (int p = 0; p < 2; p++) {
        job.base[p] = device->base[p][scale->level];
        job.g[p] = device->g[p];
        job.to[SMOOTH][p] = device->smooth[p];
        job.to[MEANS][p] = device->normal[p];
        job.to[SQUARES][p] = device->d[p];
        job.to[BALANCE][p] = device->balance[p];
        device->image[p] = job.normalises ? device->normal[p]
                           : job.smooths  ? device->smooth[p]
                                          : job.base[p];
    }
    const size_t shared = prepare_smoother(device, &job.smoother);
    if (job.smooths || job.normalises || job.balances)
        launched(device, (const void *)prepare_kernel<TEAM, SMOOTHER>, &job, shared);
}

static void begin(struct registration *flow, const struct scale_plan *scale)
{
    struct device *device = (struct device *)flow->data;
    device->level = scale->level;
    device->scale = scale;
    if (flow->by_lines)
        make_images<by_lines>(device);
    else
        make_images<by_cycles>(device);
}

static void start(struct registration *flow, int level)
{
    struct device *device = (struct device *)flow->data;
    affine map;
    memcpy(map.m, flow->report.start, sizeof map.m);
    device->level = level;
    start_kernel<<<blocks_of(device, 1), THREADS, 0, device->grids.stream>>>(
        device->grids.level[level], flow->round, map, device->u[0][level], device->u[1][level]);
    device->grids.launches++;
    failed(device, cudaGetLastError(), "a kernel of registration");
}

static void refine(struct registration *flow, int level)
{
    struct device *device = (struct device *)flow->data;
    const solver_grid &fine = device->grids.level[level], &coarse = device->grids.level[level + 1];
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

template <typename SMOOTHER>
static bool launched_descent(struct device *device, const struct descent_rule *rule, double tau)
{
    struct registration *flow = device->flow;
    descent_job<SMOOTHER> job = {};
    job.pixels = {rows_of(device), arrays_of(device)};
    for (int p = 0; p < 2; p++) {
        job.g[p] = device->g[p];
        job.d[p] = device->d[p];
        job.balance[p] = flow->balanced ? device->balance[p] : NULL;
    }
    prepare_filter(device, &device->scale->gradient, &job.filter);
    job.cycles = (int)flow->constants.cycles;
    job.rule = *rule;
    job.tau = tau;
    job.memory = device->descent;
    const size_t shared = prepare_smoother(device, &job.smoother);
    return launched(device, (const void *)descend_kernel<TEAM, SMOOTHER>, &job, shared);
}

static void descend(struct registration *flow, const struct descent_rule *rule, double tau)
{
    struct device *device = (struct device *)flow->data;
    cudaStream_t stream = device->grids.stream;
    if (!failed(device,
                cudaMemsetAsync(device->descent, 0, offsetof(descent_memory, steps), stream),
                "cudaMemsetAsync") &&
        (flow->by_lines ? launched_descent<by_lines>(device, rule, tau)
                        : launched_descent<by_cycles>(device, rule, tau)))
        failed(device,
               cudaMemcpyAsync(device->found, device->descent, descent_bytes(flow),
                               cudaMemcpyDeviceToHost, stream),
               "cudaMemcpyAsync");
}

static const struct descent_step *descended(struct registration *flow,
                                            struct descent_state *descent)
{
    struct device *device = (struct device *)flow->data;
    if (failed(device, cudaStreamSynchronize(device->grids.stream), "cudaStreamSynchronize"))
        return NULL;
    *descent = device->found->descent;
    return device->found->steps;
}

static void agree(struct registration *flow, struct match_agreement *sums)
{
    struct device *device = (struct device *)flow->data;
    cudaStream_t stream = device->grids.stream;
    const int blocks_x = flow->width / RO_BLOCK, blocks_y = flow->height / RO_BLOCK;
    *sums = {};
    if (blocks_x == 0 || blocks_y == 0)
        return;
    descent_rows rows = rows_of(device);
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

static const struct registration_backend backend = {begin, start, refine, descend, descended,
                                                    NULL,  NULL,  NULL,   agree};

/* Gives out memory; counts it first. */
static ro_status place_all(struct device *device, struct grid_pieces *pieces)
{
    struct registration *flow = device->flow;
    const struct multigrid *grids = &flow->grids;
    const size_t plane = (grids->grid[0].floats) * sizeof(float);
    RO_TRY(grid_cuda_place(flow->context, &device->grids, pieces, flow->by_lines ? 0 : 2));
    for (int p = 0; p < 2; p++) {
        if (flow->by_lines)
            device->between[p] = (float *)grid_piece(pieces, plane);
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
    device->tables = (float *)grid_piece(pieces, (flow->table_floats + AHEAD) * sizeof(float));
    device->tally = (struct tally *)grid_piece(pieces, sizeof *device->tally);
    device->descent = (struct descent_memory *)grid_piece(pieces, descent_bytes(flow));
    return RO_OK;
}

/* A mask on all grids: restricted first, then told apart. */
static ro_status upload_mask(struct device *device, int p)
{
    struct registration *flow = device->flow;
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

/* What kernels of many passes have to know of the grids. */
static void describe_grids(const struct grid_cuda *grids, struct team_grids *to)
{
    memcpy(to->level, grids->level, sizeof to->level);
    to->direct = grids->direct;
    memcpy(to->b, grids->cycle.b, sizeof to->b);
    memcpy(to->down, grids->cycle.down, sizeof to->down);
    memcpy(to->up, grids->cycle.up, sizeof to->up);
    to->last = grids->grids->levels - 1;
}

/* Keys of the fields of two flows, and of the memory of one that runs beside the other. */
static const char results[2] = {0, 0}, beside_scratch = 0;

/* Everything to the device. */
static ro_status set_up(struct device *device)
{
    struct registration *flow = device->flow;
    ro_context *context = flow->context;
    struct grid_pieces pieces = {};
    void *memory, *pinned;
    RO_TRY(cuda_of(context, &device->cuda));
    const int number = flow->beside;
    cudaStream_t stream = number ? device->cuda->copy_in : device->cuda->compute;
    device->grids.grids = &flow->grids;
    device->grids.stream = stream;
    RO_TRY(place_all(device, &pieces));
    RO_TRY(cuda_scratch_begin(device->cuda, stream));
    RO_TRY(cuda_reserve(device->cuda, number ? &beside_scratch : &grids_scratch, pieces.used,
                        stream, &memory));
    RO_TRY(
        cuda_reserve(device->cuda, &results[flow->result],
                     2 * (size_t)flow->size[1].width * (size_t)flow->size[1].height * sizeof(float),
                     stream, &device->result));
    RO_TRY(cuda_reserve_pinned(device->cuda, 0, 2 * sizeof *device->host, &pinned));
    device->host = (struct tally *)pinned + number;
    RO_TRY(cuda_reserve_pinned(device->cuda, 1, 2 * descent_bytes(flow), &pinned));
    device->found = (struct descent_memory *)((char *)pinned + number * descent_bytes(flow));
    pieces = {(char *)memory, 0};
    RO_TRY(place_all(device, &pieces));
    RO_CUDA_TRY(context,
                cudaMemcpyAsync(device->tables, flow->tables, flow->table_floats * sizeof(float),
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
    describe_grids(&device->grids, &device->team_grids);
    return RO_OK;
}

static ro_status flow_open(struct registration *flow)
{
    struct device *device = (struct device *)calloc(1, sizeof *device);
    if (!device)
        return ro_context_fail(flow->context, RO_E_MEMORY, "no memory for a registration");
    device->flow = flow;
    flow->backend = &backend;
    flow->data = device;
    return set_up(device);
}

/* u as it is given away, in memory that stays. */
static ro_status keep_field(struct device *device)
{
    struct registration *flow = device->flow;
    device->level = 0;
    pairs_kernel<<<blocks_of(device, 1), THREADS, 0, device->grids.stream>>>(
        rows_of(device), arrays_of(device), (float2 *)device->result, flow->size[1].width,
        flow->size[1].height);
    device->grids.launches++;
    RO_CUDA_TRY(flow->context, cudaGetLastError());
    return cuda_scratch_end(device->cuda, device->grids.stream);
}

static ro_status flow_close(struct registration *flow, bool wanted, ro_report *ran)
{
    struct device *device = (struct device *)flow->data;
    ro_status status = flow->status;
    if (status == RO_OK && wanted)
        status = keep_field(device);
    if ((status != RO_OK || !wanted) && device->grids.stream)
        cudaStreamSynchronize(device->grids.stream);
    ran->schedule = "tiles";
    ran->device = RO_DEVICE_CUDA;
    ran->threads = 1;
    ran->launches += device->grids.launches;
    free(device);
    flow->data = NULL;
    return status;
}

/* Whether a scale is under way. */
static bool flow_busy(const struct registration *flow)
{
    const struct device *device = (const struct device *)flow->data;
    return cudaStreamQuery(device->grids.stream) == cudaErrorNotReady;
}

/* Whether scale k leaves room for another one like it. */
static bool flow_small(const struct registration *flow, int k)
{
    const struct device *device = (const struct device *)flow->data;
    return 2 * blocks_for(device, flow->scale[k].level) <= (unsigned)device->cuda->processors;
}

/* Events of a context that nobody needs at the moment. */
static cudaEvent_t part_event(const struct device_state *cuda, int part)
{
    static_assert((int)RO_FIELD_PARTS <= 3 * RO_CUDA_LANES, "an event for each part");
    const int lane = part % RO_CUDA_LANES, kind = part / RO_CUDA_LANES;
    return kind == 0 ? cuda->ready[lane] : kind == 1 ? cuda->computed[lane] : cuda->fetched[lane];
}

/* The field goes where images of the other flow were. */
static ro_status flow_ask(struct registration *flow, int number, struct field_parts *parts)
{
    enum { HALF = RO_FIELD_PARTS / 2, FIRST = 2, SECOND = 4 }; /* numbers of pinned memory */
    ro_context *context = flow->context;
    struct device_state *cuda;
    void *result, *halves[2];
    RO_TRY(cuda_of(context, &cuda));
    cudaStream_t stream = cuda->compute;
    const int height = flow->size[1].height;
    const int to = flow->images[0] == cuda->pinned[FIRST] ? SECOND : FIRST;
    const size_t bytes = 2 * (size_t)flow->size[1].width * sizeof(float);
    parts->rows = (height + RO_FIELD_PARTS - 1) / RO_FIELD_PARTS;
    const size_t size = (size_t)parts->rows * bytes;
    RO_TRY(cuda_scratch_begin(cuda, stream));
    RO_TRY(cuda_reserve(cuda, &results[number], bytes * (size_t)height, stream, &result));
    for (int i = 0; i < 2; i++)
        RO_TRY(cuda_reserve_pinned(cuda, to + i, HALF * size, &halves[i]));
    for (int i = 0; i < RO_FIELD_PARTS; i++) {
        const int first = i * parts->rows, left = height - first;
        char *const part = (char *)halves[i / HALF] + (size_t)(i % HALF) * size;
        parts->part[i] = (const float *)part;
        if (left > 0)
            RO_CUDA_TRY(context, cudaMemcpyAsync(part, (char *)result + (size_t)first * bytes,
                                                 left < parts->rows ? (size_t)left * bytes : size,
                                                 cudaMemcpyDeviceToHost, stream));
        RO_CUDA_TRY(context, cudaEventRecord(part_event(cuda, i), stream));
    }
    return cuda_scratch_end(cuda, stream);
}

/* Any thread may wait. */
static bool flow_await(const struct registration *flow, int part)
{
    struct device_state *cuda;
    return cuda_of(flow->context, &cuda) == RO_OK &&
           cudaEventSynchronize(part_event(cuda, part)) == cudaSuccess;
}

/* Pinned memory after that of sums and steps. */
static ro_status flow_plane(ro_context *context, int p, size_t bytes, float **plane)
{
    struct device_state *cuda;
    void *memory;
    RO_TRY(cuda_of(context, &cuda));
    RO_TRY(cuda_reserve_pinned(cuda, 2 + p, bytes, &memory));
    *plane = (float *)memory;
    return RO_OK;
}

static ro_status flow_runs_on_cuda(struct registration *flow, ro_report *ran)
{
    ro_status status = flow_open(flow);
    if (!flow->data)
        return status;
    flow->status = status;
    if (status == RO_OK)
        flow_run(flow);
    return flow_close(flow, true, ran);
}

static const struct register_cuda_calls calls = {
    flow_runs_on_cuda, flow_open, flow_close, flow_busy,
    flow_small,        flow_ask,  flow_await, flow_plane,
};
const struct register_cuda_calls *register_on_cuda = &calls;
