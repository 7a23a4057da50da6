/* SPDX-License-Identifier: MIT */
/*
 * Hogels on the device. One launch does all of them: warps take bands (diffuse_band.cuh) by ticket
 * and only wait for bands that run already (single-kernel soft synchronisation).
 */
#include "hologram/diffuse_band.cuh"
#include "hologram/diffuse_cuda.h"
#include "hologram/place.cuh"

#include <stdlib.h>
#include <string.h>

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
/* ---- plans ----------------------------------------------------------------------------------------- */

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
    RO_TRY(hologram_find_place(job, &at));
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
