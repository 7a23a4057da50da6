/* SPDX-License-Identifier: MIT */
/*
 * Direct binary search on the device, seen from the host: tables, memory and five launches: start,
 * c_pe, the search, the error of the result, the output; before them, where another method makes
 * the first halftone, the padded picture for it. The rounds of a search are one launch, for only
 * the device knows when they end.
 */
#include "cuda/cuda.cuh"
#include "halftone/search/search_cuda.h"
#include "halftone/search/search_kernels.cuh"

#include <stdlib.h>
#include <string.h>

static const char tables_scratch = 0, state_scratch = 0, first_scratch = 0; /* keys */

struct dbs_cuda {
    ro_context *context;
    struct device_state *cuda;
    struct dbs_state *tables; /* on the host */
    struct dbs_device device;
    size_t state_bytes; /* of pe, b, open, stale and counters, in this order */
    size_t b_bytes, stale_bytes;
    int sample_bytes, teams, launches;
    struct dbs_cuda_start start;
};

/* ---- tables --------------------------------------------------------------------------------- */

/* Updates as the device wants them: five squares of 4w + 2. */
static void copy_updates(const struct dbs_state *state, int32_t *to)
{
    const int w = state->plan.w, side = 4 * w + 2;
    for (int u = 0; u < DBS_UPDATES; u++)
        for (int r = 0; r < side; r++)
            memcpy(to + (u * side + r) * side,
                   state->updates + DBS_LANES + u * dbs_update_size(w) + r * dbs_update_pitch(w),
                   (size_t)side * sizeof *to);
}

static void copy_eye(const struct dbs_plan *plan, int32_t *to)
{
    for (int dy = -plan->w; dy <= plan->w; dy++)
        for (int dx = -plan->w; dx <= plan->w; dx++)
            *to++ = dbs_eye(plan, dx, dy);
}

/* Puts all tables behind one another and sends them in one copy. */
static ro_status send_tables(struct dbs_cuda *work)
{
    ro_context *context = work->context;
    struct device_state *cuda = work->cuda;
    const struct dbs_state *state = work->tables;
    const struct dbs_plan *plan = &state->plan;
    struct dbs_device *d = &work->device;
    const size_t values = plan->values, m = plan->screen_size, side = 4 * (size_t)plan->w + 2;
    const size_t eye = 2 * (size_t)plan->w + 1, ranks = m * (m + DBS_LANES);
    const size_t words = 3 * values + (size_t)plan->width + (size_t)plan->height + ranks +
                         DBS_UPDATES * side * side + eye * eye;
    uint32_t *host = (uint32_t *)malloc(words * sizeof *host), *to = host;
    if (!host)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for the tables of a search");
    const struct {
        const void *from;
        size_t count;
    } parts[] = {{state->target, values},
                 {state->chance, values},
                 {state->limit, values},
                 {state->column, (size_t)plan->width},
                 {state->row, (size_t)plan->height},
                 {state->ranks, ranks}};
    for (const auto &part : parts) {
        memcpy(to, part.from, part.count * sizeof *to);
        to += part.count;
    }
    copy_updates(state, (int32_t *)to);
    copy_eye(plan, (int32_t *)to + DBS_UPDATES * side * side);

    void *memory = NULL;
    ro_status status = cuda_scratch_begin(cuda, cuda->compute);
    if (status == RO_OK)
        status = cuda_reserve(cuda, &tables_scratch, words * sizeof *host, cuda->compute, &memory);
    if (status == RO_OK)
        status = cuda_check(context,
                            cudaMemcpyAsync(memory, host, words * sizeof *host,
                                            cudaMemcpyHostToDevice, cuda->compute),
                            "cudaMemcpyAsync");
    if (status == RO_OK)
        status = cuda_scratch_end(cuda, cuda->compute);
    free(host);
    const uint32_t *at = (const uint32_t *)memory;
    d->target = (const int32_t *)at;
    d->chance = at + values;
    d->limit = at + 2 * values;
    d->column = at + 3 * values;
    d->row = d->column + plan->width;
    d->ranks = d->row + plan->height;
    d->updates = (const int32_t *)(d->ranks + ranks);
    d->eye = d->updates + DBS_UPDATES * side * side;
    return status;
}

/* ---- the search's kernel, by radius --------------------------------------------------------- */

typedef void search_fn(struct dbs_device);

static const struct {
    search_fn *kernel;
    size_t warp_bytes;
} searches[DBS_MAX_RADIUS + 1] = {
    {NULL, 0},
    {search_kernel<1>, sizeof(struct warp_memory<1>)},
    {search_kernel<2>, sizeof(struct warp_memory<2>)},
    {search_kernel<3>, sizeof(struct warp_memory<3>)},
    {search_kernel<4>, sizeof(struct warp_memory<4>)},
    {search_kernel<5>, sizeof(struct warp_memory<5>)},
    {search_kernel<6>, sizeof(struct warp_memory<6>)},
    {search_kernel<7>, sizeof(struct warp_memory<7>)},
    {search_kernel<8>, sizeof(struct warp_memory<8>)},
    {search_kernel<9>, sizeof(struct warp_memory<9>)},
    {search_kernel<10>, sizeof(struct warp_memory<10>)},
    {search_kernel<11>, sizeof(struct warp_memory<11>)},
};

enum { MOST_TEAMS = 15 }; /* of several warps: a barrier each, and one is for all */

static size_t search_bytes(int w, int teams)
{
    const size_t side = 4 * (size_t)w + 2;
    return (size_t)teams * searches[w].warp_bytes + DBS_UPDATES * side * side * sizeof(int32_t);
}

/* One block of threads on each multiprocessor, with as many teams as its shared memory holds. */
static ro_status fit_search(struct dbs_cuda *work)
{
    ro_context *context = work->context;
    const int w = work->device.w;
    int most = 0;
    RO_CUDA_TRY(context, cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                                work->cuda->device));
    struct cudaFuncAttributes attributes;
    RO_CUDA_TRY(context, cudaFuncGetAttributes(&attributes, (const void *)searches[w].kernel));
    work->teams = attributes.maxThreadsPerBlock / (32 * dbs_team(w));
    if (dbs_team(w) > 1 && work->teams > MOST_TEAMS)
        work->teams = MOST_TEAMS;
    while (work->teams > 0 && search_bytes(w, work->teams) > (size_t)most)
        work->teams--;
    if (work->teams == 0)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "the CUDA device has too little shared memory for radius %d", w);
    RO_CUDA_TRY(context, cudaFuncSetAttribute((const void *)searches[w].kernel,
                                              cudaFuncAttributeMaxDynamicSharedMemorySize,
                                              (int)search_bytes(w, work->teams)));
    return RO_OK;
}

/* ---- opening -------------------------------------------------------------------------------- */

static void describe(struct dbs_cuda *work)
{
    const struct dbs_plan *plan = &work->tables->plan;
    struct dbs_device *d = &work->device;
    d->width = plan->width;
    d->height = plan->height;
    const int cells = dbs_cells(plan->w), side = cells * CELL;
    d->across = (plan->width + side - 1) / side * cells;
    d->down = (plan->height + side - 1) / side * cells;
    d->pad = plan->pad;
    d->image_width = plan->image_width;
    d->image_height = plan->image_height;
    d->w = plan->w;
    d->rounds = plan->options.rounds;
    d->seen = plan->options.aim == DBS_SEEN;
    d->white = plan->white;
    d->screen_size = plan->screen_size;
    d->ranks_pitch = plan->screen_size + DBS_LANES;
    d->seed = plan->options.seed;
    d->toggle_cost = plan->toggle_cost;
    d->diagonal_cost = plan->swap_cost[0];
    d->straight_cost = plan->swap_cost[1];
    d->pitch = (size_t)d->across * CELL + 2 * BORDER;
    work->b_bytes = ((size_t)d->across + 2) * ((size_t)d->down * CELL + 2) * sizeof(uint32_t);
    work->stale_bytes = ((size_t)d->across + 2) * ((size_t)d->down + 2) * sizeof(uint32_t);
    work->sample_bytes = plan->values == 256 ? 1 : 2;
}

static void dbs_cuda_close(struct dbs_cuda *work)
{
    if (!work)
        return;
    dbs_close(work->tables);
    free(work);
}

static ro_status dbs_cuda_open(ro_context *context, const struct dbs_options *options,
                               const ro_image *shape, const struct dbs_cuda_start *start,
                               struct dbs_cuda **work)
{
    *work = NULL;
    struct dbs_cuda *made = (struct dbs_cuda *)calloc(1, sizeof *made);
    if (!made)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a search");
    made->context = context;
    made->start = *start;
    ro_status status = cuda_of(context, &made->cuda);
    if (status == RO_OK)
        status = dbs_open_tables(context, options, shape, &made->tables);
    if (status == RO_OK) {
        describe(made);
        status = fit_search(made);
    }
    if (status == RO_OK)
        status = send_tables(made);
    if (status != RO_OK) {
        dbs_cuda_close(made);
        return status;
    }
    *work = made;
    return RO_OK;
}

static int dbs_cuda_launches(const struct dbs_cuda *work) { return work->launches; }

/* ---- running -------------------------------------------------------------------------------- */

static size_t aligned(size_t bytes) { return (bytes + 255) & ~(size_t)255; }

static ro_status reserve_state(struct dbs_cuda *work, cudaStream_t stream)
{
    struct dbs_device *d = &work->device;
    const size_t pe_bytes = d->pitch * ((size_t)d->down * CELL + 2 * BORDER) * sizeof(int32_t);
    const size_t bytes = aligned(pe_bytes) + 2 * aligned(work->b_bytes) +
                         aligned(work->stale_bytes) + aligned(sizeof(struct dbs_counters));
    void *memory;
    RO_TRY(cuda_reserve(work->cuda, &state_scratch, bytes, stream, &memory));
    unsigned char *at = (unsigned char *)memory;
    d->pe = (int32_t *)at;
    at += aligned(pe_bytes);
    d->b = (uint32_t *)at;
    at += aligned(work->b_bytes);
    d->open = (uint32_t *)at;
    at += aligned(work->b_bytes);
    d->stale = (uint32_t *)at;
    at += aligned(work->stale_bytes);
    d->counters = (struct dbs_counters *)at;
    /* All but c_pe starts as zero. */
    RO_CUDA_TRY(work->context, cudaMemsetAsync(d->b, 0, bytes - aligned(pe_bytes), stream));
    return RO_OK;
}

/* The halftone that a method makes of the padded picture. */
static ro_status launch_first(struct dbs_cuda *work, const ro_image *in, cudaStream_t stream,
                              struct dbs_first *first)
{
    const struct dbs_device *d = &work->device;
    const size_t bytes = (size_t)work->sample_bytes;
    ro_image padded = *in, bits = *in;
    padded.width = bits.width = (uint32_t)d->width;
    padded.height = bits.height = (uint32_t)d->height;
    bits.format = RO_BITS;
    padded.stride = (ptrdiff_t)aligned((size_t)d->width * bytes);
    bits.stride = (ptrdiff_t)aligned(((size_t)d->width + 7) / 8);
    const size_t grey_bytes = (size_t)padded.stride * padded.height;
    void *memory;
    RO_TRY(cuda_reserve(work->cuda, &first_scratch, grey_bytes + (size_t)bits.stride * bits.height,
                        stream, &memory));
    padded.data = memory;
    bits.data = (unsigned char *)memory + grey_bytes;
    const dim3 grid((unsigned)(d->width + 255) / 256, (unsigned)d->height);
    const unsigned char *pixels = (const unsigned char *)in->data;
    unsigned char *to = (unsigned char *)padded.data;
    if (bytes == 1)
        pad_kernel<uint8_t>
            <<<grid, 256, 0, stream>>>(*d, pixels, (size_t)in->stride, to, (size_t)padded.stride);
    else
        pad_kernel<uint16_t>
            <<<grid, 256, 0, stream>>>(*d, pixels, (size_t)in->stride, to, (size_t)padded.stride);
    RO_CUDA_TRY(work->context, cudaGetLastError());
    work->launches++;
    *first = (struct dbs_first){(const unsigned char *)bits.data, (size_t)bits.stride, 1};
    return work->start.make(work->start.data, &padded, &bits, stream);
}

/* A picture on the device, from pixels to output; `own` is a halftone to start from, on the device
 * too, or NULL. */
static ro_status launch(struct dbs_cuda *work, const ro_image *in, const ro_image *own,
                        const ro_image *out, int measure, cudaStream_t stream)
{
    ro_context *context = work->context;
    struct dbs_first first = {NULL, 0, 0};
    if (own)
        first = (struct dbs_first){(const unsigned char *)own->data, (size_t)own->stride, 0};
    else if (work->start.make)
        RO_TRY(launch_first(work, in, stream, &first));
    RO_TRY(reserve_state(work, stream));
    struct dbs_device d = work->device;
    const unsigned char *pixels = (const unsigned char *)in->data;
    const size_t pitch = (size_t)in->stride;
    const dim3 start_grid((unsigned)d.across, (unsigned)(d.height + 7) / 8), start_block(CELL, 8);
    const dim3 blocks((unsigned)d.across, (unsigned)d.down);
    const size_t wide = CELL + 2 * (size_t)d.w, wider = CELL + 4 * (size_t)d.w;
    const size_t eye = 2 * (size_t)d.w + 1;
    const size_t tile = (wide * (wide + RUN) + eye * eye + wider * (wider + RUN)) * sizeof(int32_t);
    if (work->sample_bytes == 1) {
        start_kernel<uint8_t><<<start_grid, start_block, 0, stream>>>(d, pixels, pitch, first);
        convolve_kernel<uint8_t><<<blocks, 256, tile, stream>>>(d, pixels, pitch, 0);
    } else {
        start_kernel<uint16_t><<<start_grid, start_block, 0, stream>>>(d, pixels, pitch, first);
        convolve_kernel<uint16_t><<<blocks, 256, tile, stream>>>(d, pixels, pitch, 0);
    }
    RO_CUDA_TRY(context, cudaGetLastError());
    void *arguments[] = {&d};
    RO_CUDA_TRY(context,
                cudaLaunchCooperativeKernel((const void *)searches[d.w].kernel,
                                            dim3((unsigned)work->cuda->processors),
                                            dim3((unsigned)(work->teams * dbs_team(d.w) * 32)),
                                            arguments, search_bytes(d.w, work->teams), stream));
    if (measure && work->sample_bytes == 1)
        convolve_kernel<uint8_t><<<blocks, 256, tile, stream>>>(d, pixels, pitch, 1);
    else if (measure)
        convolve_kernel<uint16_t><<<blocks, 256, tile, stream>>>(d, pixels, pitch, 1);
    const dim3 pack_grid((unsigned)(d.image_width + 1023) / 1024, (unsigned)d.image_height);
    pack_kernel<<<pack_grid, 128, 0, stream>>>(d, (unsigned char *)out->data, (size_t)out->stride,
                                               out->format != RO_BITS);
    RO_CUDA_TRY(context, cudaGetLastError());
    work->launches += 4 + measure;
    return RO_OK;
}

/* Copies an image of the host into the scratch of a key. */
static ro_status send(struct dbs_cuda *work, const ro_image *from, const char *key,
                      ro_image *on_device)
{
    cudaStream_t stream = work->cuda->compute;
    const size_t bytes = ro_format_row_bytes(from->format, from->width), pitch = aligned(bytes);
    *on_device = *from;
    on_device->stride = (ptrdiff_t)pitch;
    RO_TRY(cuda_reserve(work->cuda, key, pitch * from->height, stream, &on_device->data));
    const unsigned char *row = (const unsigned char *)from->data;
    if (from->stride > 0) {
        RO_CUDA_TRY(work->context,
                    cudaMemcpy2DAsync(on_device->data, pitch, row, (size_t)from->stride, bytes,
                                      from->height, cudaMemcpyHostToDevice, stream));
        return RO_OK;
    }
    for (uint32_t y = 0; y < from->height; y++, row += from->stride)
        RO_CUDA_TRY(work->context, cudaMemcpyAsync((unsigned char *)on_device->data + y * pitch,
                                                   row, bytes, cudaMemcpyHostToDevice, stream));
    return RO_OK;
}

static ro_status fetch(struct dbs_cuda *work, const ro_image *on_device, const ro_image *to)
{
    cudaStream_t stream = work->cuda->compute;
    const size_t bytes = ro_format_row_bytes(to->format, to->width);
    const size_t pitch = (size_t)on_device->stride;
    unsigned char *row = (unsigned char *)to->data;
    const unsigned char *from = (const unsigned char *)on_device->data;
    if (to->stride > 0) {
        RO_CUDA_TRY(work->context, cudaMemcpy2DAsync(row, (size_t)to->stride, from, pitch, bytes,
                                                     to->height, cudaMemcpyDeviceToHost, stream));
        return RO_OK;
    }
    for (uint32_t y = 0; y < to->height; y++, row += to->stride, from += pitch)
        RO_CUDA_TRY(work->context,
                    cudaMemcpyAsync(row, from, bytes, cudaMemcpyDeviceToHost, stream));
    return RO_OK;
}

static ro_status dbs_cuda_run(struct dbs_cuda *work, const ro_image *in, const ro_image *own,
                              const ro_image *out, struct dbs_result *result)
{
    struct device_state *cuda = work->cuda;
    cudaStream_t stream = cuda->compute;
    ro_image device_in, device_own, device_out = *out;
    struct dbs_counters counters;
    device_out.stride = (ptrdiff_t)aligned(ro_format_row_bytes(out->format, out->width));
    RO_TRY(cuda_scratch_begin(cuda, stream));
    RO_TRY(send(work, in, &cuda_in[0], &device_in));
    if (own)
        RO_TRY(send(work, own, &cuda_in[1], &device_own));
    RO_TRY(cuda_reserve(cuda, &cuda_out[0], (size_t)device_out.stride * out->height, stream,
                        &device_out.data));
    RO_TRY(launch(work, &device_in, own ? &device_own : NULL, &device_out, 1, stream));
    RO_TRY(fetch(work, &device_out, out));
    RO_CUDA_TRY(work->context, cudaMemcpyAsync(&counters, work->device.counters, sizeof counters,
                                               cudaMemcpyDeviceToHost, stream));
    RO_TRY(cuda_scratch_end(cuda, stream));
    RO_CUDA_TRY(work->context, cudaStreamSynchronize(stream));
    result->rounds = counters.rounds;
    result->changes = counters.all_changes;
    result->start_error = counters.start_error;
    result->running_error = counters.start_error + 32 * counters.gain;
    result->error = counters.error;
    return RO_OK;
}

static ro_status dbs_cuda_run_resident(struct dbs_cuda *work, const ro_image *in,
                                       const ro_image *out, uint32_t images, void *stream_pointer)
{
    cudaStream_t stream = (cudaStream_t)stream_pointer;
    RO_TRY(cuda_scratch_begin(work->cuda, stream));
    for (uint32_t i = 0; i < images; i++)
        RO_TRY(launch(work, &in[i], NULL, &out[i], 0, stream));
    return cuda_scratch_end(work->cuda, stream);
}

static const struct dbs_cuda_calls calls = {
    dbs_cuda_open, dbs_cuda_run, dbs_cuda_run_resident, dbs_cuda_launches, dbs_cuda_close,
};
const struct dbs_cuda_calls *dbs_on_cuda = &calls;
