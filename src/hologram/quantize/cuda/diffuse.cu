/* SPDX-License-Identifier: MIT */
/*
 * Hogels on the device. One launch does all of them: warps take bands (diffuse_band.cuh) by ticket
 * and only wait for bands that run already (single-kernel soft synchronisation).
 */
#include "hologram/quantize/cuda/diffuse_band.cuh"
#include "hologram/quantize/cuda/diffuse_cuda.h"
#include "hologram/quantize/cuda/place.cuh"

#include <string.h>

static const char tables_scratch = 0, lines_scratch = 0; /* keys */

/* Many taps need many registers. */
static constexpr int most_warps(int taps) { return taps > 32 ? 6 : 12; }

template <int LATE, int TAPS, int KIND>
static __global__ void __launch_bounds__(most_warps(TAPS) * LANES, 1)
    diffuse(const __grid_constant__ hologram_launch p)
{
    extern __shared__ __align__(128) unsigned char memory[];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int4 *entries = (int4 *)memory;
    for (int i = threadIdx.x; i < LEVEL_ENTRIES; i += blockDim.x)
        entries[i] = ((const int4 *)p.entries)[i];
    __syncthreads();
    const unsigned table = (unsigned)__cvta_generic_to_shared(memory);
    unsigned char *ring = memory + TABLE_BYTES + warp * p.warp_bytes;
    for (;;) {
        unsigned ticket = 0;
        if (lane == 0)
            ticket = atomicAdd(p.ticket, 1u);
        ticket = __shfl_sync(0xffffffff, ticket, 0);
        if (ticket >= p.bands)
            return;
        const device_band band = p.order[ticket];
        run_band<LATE, TAPS, KIND>(p, band, table, ring, ring + p.ring_bytes, lane);
    }
}

/* ---- plans ---------------------------------------------------------------------------------- */

static int age_of(const struct hologram_taps *taps, int k)
{
    return taps->dx[k] + taps->p * taps->dy[k];
}

/* Taps in the order of their age; returns how many are of the step before. */
static int plan_hogel(const struct hogel *from, struct device_hogel *to)
{
    const struct hologram_taps *taps = &from->taps;
    int order[RO_HOLOGRAM_TAPS], late = 0;
    memset(to, 0, sizeof *to);
    to->x = from->x;
    to->y = from->y;
    to->width = from->width;
    to->height = from->height;
    to->p = taps->p;
    to->shift = taps->shift;
    to->taps = taps->count;
    to->against_field = taps->against_field ? ~0u : 0;
    to->keep = 2;
    for (int i = 0; i < taps->count; i++) {
        int at = i;
        for (; at > 0 && age_of(taps, order[at - 1]) > age_of(taps, i); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (int i = 0; i < taps->count; i++) {
        const int k = order[i], age = age_of(taps, k);
        const unsigned re = (uint8_t)taps->re[k], im = (uint8_t)taps->im[k];
        to->step[i] = (uint16_t)age;
        to->up[i] = (uint16_t)taps->dy[k];
        to->weight[i] = re | (uint32_t)(uint8_t)-taps->im[k] << 8 | im << 16 | re << 24;
        to->keep = age > to->keep ? age : to->keep;
        late += age == 1;
    }
    return late;
}

/* The tables of a launch lie one after another in one piece of memory. */
struct tables {
    size_t hogels, order, entries, ticket, left, bytes;
    unsigned bands, slots;
    int taps, late, keep, skew;
    size_t line_words;
};

static unsigned bands_of(const struct hogel *hogel) { return (hogel->height + LANES - 1) / LANES; }

static void measure_tables(const struct hologram_job *job, struct tables *t)
{
    memset(t, 0, sizeof *t);
    for (uint32_t i = 0; i < job->count; i++) {
        t->bands += bands_of(&job->hogels[i]);
        if (i == 0 || job->hogels[i].y != job->hogels[i - 1].y)
            t->slots += bands_of(&job->hogels[i]);
    }
    t->order = job->count * sizeof(struct device_hogel);
    t->entries = (t->order + t->bands * sizeof(struct device_band) + 15) / 16 * 16;
    t->ticket = t->entries + LEVEL_ENTRIES * 16;
    t->left = t->ticket + sizeof(unsigned);
    t->bytes = t->left + t->slots * sizeof(unsigned);
}

/* Levels with their signs turned, as the device adds them. */
static void fill_levels(const struct hologram_levels *levels, struct level_entry *entries)
{
    memset(entries, 0, LEVEL_ENTRIES * sizeof *entries);
    for (int k = 0; k < levels->count && levels->kind == LEVELS_PLAIN; k++) {
        entries[k].nx = (int16_t)-levels->x[k];
        entries[k].ny = (int16_t)-levels->y[k];
    }
    if (levels->kind == LEVELS_PLAIN)
        return;
    for (int i = 0; i < LEVEL_ENTRIES; i++) {
        struct level_entry *e = &entries[i];
        *e = levels->entry[i];
        e->low_x = (int16_t)-e->low_x;
        e->low_y = (int16_t)-e->low_y;
        e->high_x = (int16_t)-e->high_x;
        e->high_y = (int16_t)-e->high_y;
    }
    if (levels->kind == LEVELS_RING) { /* no cell has the last entry: zero's */
        const int k = hologram_nearest(levels, 0, 0);
        struct level_entry *zero = &entries[LEVEL_ENTRIES - 1];
        memset(zero, 0, sizeof *zero);
        zero->low_x = zero->high_x = (int16_t)-levels->x[k];
        zero->low_y = zero->high_y = (int16_t)-levels->y[k];
        zero->low = zero->high = (uint8_t)k;
    }
}

/* `ends` are the rows after those of each slot. Hogels beside one another follow one another. */
static void fill_tables(const struct hologram_job *job, struct tables *t, char *memory,
                        uint32_t *ends)
{
    struct device_hogel *hogels = (struct device_hogel *)(memory + t->hogels);
    struct device_band *order = (struct device_band *)(memory + t->order);
    unsigned most = 0;
    for (uint32_t i = 0; i < job->count; i++) {
        const int late = plan_hogel(&job->hogels[i], &hogels[i]);
        hogels[i].line = (uint32_t)t->line_words;
        t->line_words +=
            LINE_STEP * ((size_t)hogels[i].width + (size_t)hogels[i].p * (LANES - 1) + 2 * BLOCK);
        t->taps = hogels[i].taps > t->taps ? hogels[i].taps : t->taps;
        t->late = late > t->late ? late : t->late;
        t->keep = hogels[i].keep > t->keep ? hogels[i].keep : t->keep;
        t->skew = hogels[i].p > t->skew ? hogels[i].p : t->skew;
        unsigned bands = bands_of(&job->hogels[i]);
        most = bands > most ? bands : most;
    }
    /* The first bands of all hogels, then the second ones. */
    unsigned ticket = 0;
    for (unsigned band = 0; band < most; band++)
        for (uint32_t i = 0, slot = 0, after; i < job->count; i = after) {
            const struct hogel *first = &job->hogels[i];
            const unsigned bands = bands_of(first);
            for (after = i; after < job->count && job->hogels[after].y == first->y;)
                after++;
            for (uint32_t k = i; k < after && band < bands; k++)
                order[ticket++] =
                    (struct device_band){k, band, band + 1 == bands, slot + band, after - i};
            if (band < bands)
                ends[slot + band] =
                    band + 1 == bands ? first->y + first->height : first->y + (band + 1) * LANES;
            slot += bands;
        }
    fill_levels(job->levels, (struct level_entry *)(memory + t->entries));
    memset(memory + t->ticket, 0, t->bytes - t->ticket);
}

template <int LATE, int TAPS, int KIND>
static ro_status launch_one(struct device_state *cuda, const struct hologram_launch *p,
                            cudaStream_t stream)
{
    int shared = 0;
    RO_CUDA_TRY(cuda->context, cudaDeviceGetAttribute(
                                   &shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda->device));
    int warps = (shared - TABLE_BYTES) / (int)p->warp_bytes;
    if (warps < 1)
        return ro_context_fail(cuda->context, RO_E_UNSUPPORTED,
                               "the CUDA device has too little shared memory for these taps");
    warps = warps < most_warps(TAPS) ? warps : most_warps(TAPS);
    const size_t bytes = TABLE_BYTES + (size_t)warps * p->warp_bytes;
    RO_CUDA_TRY(cuda->context,
                cudaFuncSetAttribute(diffuse<LATE, TAPS, KIND>,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    unsigned blocks = (p->bands + (unsigned)warps - 1) / (unsigned)warps;
    /* Few bands are spread over all multiprocessors. */
    if (blocks < (unsigned)cuda->processors) {
        blocks = p->bands < (unsigned)cuda->processors ? p->bands : (unsigned)cuda->processors;
        warps = (int)((p->bands + blocks - 1) / blocks);
    }
    blocks = blocks < (unsigned)cuda->processors ? blocks : (unsigned)cuda->processors;
    RO_CUDA_TRY(cuda->context, cudaEventRecord(cuda->begin, stream));
    diffuse<LATE, TAPS, KIND><<<blocks, (unsigned)warps * LANES, bytes, stream>>>(*p);
    RO_CUDA_TRY(cuda->context, cudaGetLastError());
    RO_CUDA_TRY(cuda->context, cudaEventRecord(cuda->end, stream));
    return RO_OK;
}

template <int LATE, int TAPS>
static ro_status launch_kind(struct device_state *cuda, const struct hologram_launch *p,
                             enum level_kind kind, cudaStream_t stream)
{
    return kind == LEVELS_RING   ? launch_one<LATE, TAPS, LEVELS_RING>(cuda, p, stream)
           : kind == LEVELS_LINE ? launch_one<LATE, TAPS, LEVELS_LINE>(cuda, p, stream)
                                 : launch_one<LATE, TAPS, LEVELS_PLAIN>(cuda, p, stream);
}

static ro_status launch_taps(struct device_state *cuda, const struct hologram_launch *p, int late,
                             int taps, enum level_kind kind, cudaStream_t stream)
{
    if (late <= 2 && taps <= 4)
        return launch_kind<2, 4>(cuda, p, kind, stream);
    if (late <= 2 && taps <= 12)
        return launch_kind<2, 12>(cuda, p, kind, stream);
    if (late <= 4 && taps <= 18)
        return launch_kind<4, 18>(cuda, p, kind, stream);
    if (late <= 4 && taps <= 27)
        return launch_kind<4, 27>(cuda, p, kind, stream);
    if (late <= 6 && taps <= 40)
        return launch_kind<6, 40>(cuda, p, kind, stream);
    /* Taps of an own layout may name a pixel more than once, so that all can be late. */
    return launch_kind<RO_HOLOGRAM_TAPS, RO_HOLOGRAM_TAPS>(cuda, p, kind, stream);
}

/* The plan of the next run lies before its tables in pinned memory. */
enum { PLAN_BYTES = 320 };
struct plan {
    struct tables tables;
    struct hologram_launch launch;
    uint32_t hogels;
    bool whole; /* these hogels are all there are */
};
static_assert(sizeof(struct plan) <= PLAN_BYTES, "a plan has its place");

static ro_status hologram_cuda_prepare(struct hologram_job *job)
{
    struct place at;
    struct tables t;
    void *host, *slots, *tables, *lines;
    RO_TRY(hologram_find_place(job, &at));
    cudaStream_t stream = at.cuda->compute;
    measure_tables(job, &t);
    RO_TRY(cuda_reserve_pinned(at.cuda, 1, PLAN_BYTES + t.bytes, &host));
    RO_TRY(cuda_reserve_pinned(at.cuda, 2, 2 * t.slots * sizeof(unsigned), &slots));
    memset(slots, 0, t.slots * sizeof(unsigned));
    fill_tables(job, &t, (char *)host + PLAN_BYTES, (uint32_t *)slots + t.slots);
    RO_TRY(cuda_reserve(at.cuda, &tables_scratch, t.bytes, stream, &tables));
    RO_TRY(cuda_reserve(at.cuda, &lines_scratch, t.line_words * sizeof(uint2), stream, &lines));
    RO_CUDA_TRY(job->context, cudaMemcpyAsync(tables, (char *)host + PLAN_BYTES, t.bytes,
                                              cudaMemcpyDefault, stream));
    RO_CUDA_TRY(job->context, cudaMemsetAsync(lines, 0, t.line_words * sizeof(uint2), stream));
    struct hologram_launch p = {};
    p.field = at.field;
    p.out = at.out;
    p.field_pitch = at.field_pitch;
    p.out_pitch = at.out_pitch;
    p.real = job->levels->real;
    p.levels = job->levels->count;
    p.bands = t.bands;
    p.aligned = p.wide = 1;
    for (uint32_t i = 0; i < job->count; i++) {
        p.aligned &= job->hogels[i].x % 2 == 0;
        p.wide &= job->hogels[i].x % 16 == 0 && job->hogels[i].width % 16 == 0;
    }
    p.ring = t.bands <= 4 * (unsigned)at.cuda->processors ? LONG_RING : RING;
    p.ring_bytes = ((unsigned)t.keep + p.ring) * PITCH * 4;
    p.row_pitch = BLOCKS * BLOCK * 8 + (t.skew % 4 == 0 ? 16 : 0); /* lanes in different banks */
    p.warp_bytes = (p.ring_bytes + LANES * p.row_pitch + 127) / 128 * 128;
    char *memory = (char *)tables;
    p.hogels = (struct device_hogel *)(memory + t.hogels);
    p.order = (const struct device_band *)(memory + t.order);
    p.entries = (const struct level_entry *)(memory + t.entries);
    p.ticket = (unsigned *)(memory + t.ticket);
    p.left = (unsigned *)(memory + t.left);
    p.done = (unsigned *)slots;
    p.first_cell = 16 * 0x4b400000u;
    p.lines = (uint2 *)lines;
    uint64_t pixels = 0;
    for (uint32_t i = 0; i < job->count; i++)
        pixels += (uint64_t)job->hogels[i].width * job->hogels[i].height;
    struct plan plan = {t, p, job->count,
                        pixels == (uint64_t)job->field->width * job->field->height};
    memcpy(host, &plan, sizeof plan);
    return RO_OK;
}

/* Brings back rows while the kernel is at those below. */
static ro_status fetch_done(struct hologram_job *job, const struct place *at, unsigned slots)
{
    enum { AT_ONCE = 4 };
    const volatile unsigned *done = (const volatile unsigned *)at->cuda->pinned[2];
    const uint32_t *ends = (const uint32_t *)at->cuda->pinned[2] + slots;
    unsigned fetched = 0, ready = 0;
    while (fetched < slots) {
        const bool ended = cudaEventQuery(at->cuda->end) != cudaErrorNotReady;
        while (ready < slots && (ended || done[ready]))
            ready++;
        if (ready < slots && ready < fetched + AT_ONCE)
            continue;
        RO_TRY(hologram_fetch_rows(job, at, fetched ? ends[fetched - 1] : 0, ends[ready - 1]));
        fetched = ready;
    }
    return RO_OK;
}

static ro_status hologram_cuda_run(struct hologram_job *job)
{
    struct place at;
    struct plan plan;
    void *host;
    RO_TRY(hologram_find_place(job, &at));
    struct device_state *cuda = at.cuda;
    memcpy(&plan, cuda->pinned[1], sizeof plan);
    plan.launch.scale = job->scale;
    RO_TRY(launch_taps(cuda, &plan.launch, plan.tables.late, plan.tables.taps, job->levels->kind,
                       cuda->compute));
    size_t bytes = plan.hogels * sizeof(struct device_hogel);
    RO_TRY(cuda_reserve_pinned(cuda, 0, bytes, &host));
    RO_CUDA_TRY(job->context,
                cudaMemcpyAsync(host, plan.launch.hogels, bytes, cudaMemcpyDefault, cuda->compute));
    ro_status status = plan.whole ? fetch_done(job, &at, plan.tables.slots) : RO_OK;
    RO_CUDA_TRY(job->context, cudaStreamSynchronize(cuda->compute));
    RO_CUDA_TRY(job->context, cudaStreamSynchronize(cuda->copy_out));
    RO_TRY(status);
    job->stored = plan.whole;
    float elapsed;
    RO_CUDA_TRY(job->context, cudaEventElapsedTime(&elapsed, cuda->begin, cuda->end));
    job->kernel_ms += elapsed;
    for (uint32_t i = 0; i < plan.hogels; i++)
        job->hogels[i].clips = ((const struct device_hogel *)host)[i].clips;
    return ro_context_progress(job->context, "quantize", job->done + job->share);
}

static const struct hologram_cuda_calls calls = {
    hologram_cuda_load, hologram_cuda_prepare, hologram_cuda_rms,
    hologram_cuda_run,  hologram_cuda_store,   hologram_cuda_wait,
};
const struct hologram_cuda_calls *hologram_on_cuda = &calls;
