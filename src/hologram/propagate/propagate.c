/* SPDX-License-Identifier: MIT */
#include "hologram/propagate/propagate.h"

#include "context/context.h"
#include "core/misuse.h"
#include "hologram/field/field.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Three fields of this size are asked for: better now than after an hour. */
static ro_status check_memory(ro_context *context, uint32_t width, uint32_t height)
{
    double bytes = 3.0 * width * height * 8;
    double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGE_SIZE);
    if (memory > 0 && bytes > memory)
        return ro_context_fail(
            context, RO_E_MEMORY,
            "a field of %u x %u pixels needs %.1f GB to propagate; this machine has %.1f GB", width,
            height, bytes / 1e9, memory / 1e9);
    return RO_OK;
}

const struct propagate_kernel *propagate_kernel_of(const ro_context *context)
{
    static const struct propagate_kernel *const kernels[RO_CPUS] = {
        [RO_CPU_SCALAR] = &propagate_kernel_plain, RO_VARIANTS_OF(propagate_kernel)};
    return kernels[context->cpu];
}

/* e^{-i pi x / n}, and as many zeros behind as lanes may look at. */
static float *half_turns(uint32_t n)
{
    float *turns = calloc(n + 16, 2 * sizeof *turns);
    for (uint32_t x = 0; turns && x < n; x++) {
        double c, s;
        phasor_double(-0.5 * x / n, &c, &s);
        turns[2 * x] = (float)c;
        turns[2 * x + 1] = (float)s;
    }
    return turns;
}

static size_t blocks_of(const struct propagation *p)
{
    const size_t lanes = (size_t)p->kernel->dft->lanes;
    return (p->width + lanes - 1) / lanes;
}

/* Rows one by one, or as lanes of a panel. */
static size_t rows_at_once(const struct propagation *p)
{
    return dft_by_rows(p->row) ? 1 : (size_t)p->kernel->dft->lanes;
}

/* Of a row with room for a vector behind it. */
static size_t row_numbers(const struct propagation *p) { return 2 * ((size_t)p->width + 32); }

static ro_status open_transforms(struct propagation *p)
{
    ro_context *context = p->context;
    const bool device = context->options.device == RO_DEVICE_CUDA;
    ro_status status = device ? RO_OK : check_memory(context, p->width, p->height);
    if (status == RO_OK)
        status = dft_open(context, p->width, &p->row);
    if (status == RO_OK)
        status = dft_open(context, p->height, &p->column);
    if (status != RO_OK)
        return status;
    p->turns[0] = half_turns(p->width);
    p->turns[1] = half_turns(p->height);
    if (!p->turns[0] || !p->turns[1])
        return ro_context_fail(context, RO_E_MEMORY, "no memory to propagate");
    if (device)
        return propagate_on_cuda->open(context, p->row, p->column,
                                       (const float *const[]){p->turns[0], p->turns[1]},
                                       &p->device);
    const size_t across = dft_panel_numbers(p->row) + dft_spare_numbers(p->row);
    const size_t down = dft_panel_numbers(p->column) + dft_spare_numbers(p->column);
    const size_t lanes = (size_t)p->kernel->dft->lanes, blocks = blocks_of(p);
    p->numbers = (across > down ? across : down) * lanes + rows_at_once(p) * row_numbers(p);
    p->numbers = (p->numbers + 15) / 16 * 16;
    p->panels = aligned_alloc(64, (size_t)pool_threads(context->pool) * p->numbers * 4);
    p->slots = malloc(2 * blocks * sizeof *p->slots);
    p->blocks = malloc(2 * blocks * sizeof *p->blocks);
    if (!p->panels || !p->slots || !p->blocks)
        return ro_context_fail(context, RO_E_MEMORY, "no memory to propagate");
    return RO_OK;
}

ro_status propagation_open(struct propagation *p, ro_context *context, uint32_t width,
                           uint32_t height, double wavelength, const double pitch[2])
{
    *p = (struct propagation){.context = context,
                              .width = width,
                              .height = height,
                              .wavelength = wavelength,
                              .pitch = {pitch[0], pitch[1]},
                              .kernel = propagate_kernel_of(context),
                              .share = 1,
                              .phase = "propagate"};
    ro_status status = open_transforms(p);
    if (status != RO_OK)
        propagation_close(p);
    return status;
}

void propagation_close(struct propagation *p)
{
    if (p->device)
        propagate_on_cuda->close(p->device);
    dft_close(p->row);
    dft_close(p->column);
    free(p->panels);
    free(p->slots);
    free(p->blocks);
    free(p->turns[0]);
    free(p->turns[1]);
    free(p->work);
    free(p->sum);
    *p = (struct propagation){0};
}

/* ---- The filter ------------------------------------------------------------------------------ */

/* Frequencies beyond arrive outside the doubled grid (Matsushima and Shimobaba). */
static double limit_of(double wavelength, double side, double distance)
{
    double spread = distance / side;
    return 1 / (wavelength * sqrt(spread * spread + 1));
}

static int larger(int a, int b) { return a > b ? a : b; }

struct propagate_filter propagate_filter_of(const struct propagation *p, double distance)
{
    const uint32_t size[2] = {p->width, p->height};
    const double turns = distance / p->wavelength, kinds = p->wraps ? 1 : 4;
    struct propagate_filter f = {.wave = 1 / p->wavelength,
                                 .distance = distance,
                                 .whole = turns - rint(turns),
                                 .scale = 1 / ((float)kinds * (float)p->width * (float)p->height)};
    for (int i = 0; i < 2; i++) {
        const double side = p->pitch[i] * size[i];
        f.step[i] = 1 / (2 * side);
        f.low[i] = -(int)size[i];
        f.high[i] = (int)size[i] - 1;
        if (!p->wraps) {
            const int most = (int)fmin(limit_of(p->wavelength, side, distance) / f.step[i], 1e9);
            f.low[i] = larger(f.low[i], -most);
            f.high[i] = -larger(-f.high[i], -most);
        }
        if (p->window.width > 0) { /* its edges are in */
            const double middle = i ? p->window.eta : p->window.xi;
            const double half = (i ? p->window.height : p->window.width) / 2;
            f.low[i] = larger(f.low[i], (int)ceil((middle - half) * 2 * size[i] - 1e-9));
            f.high[i] = -larger(-f.high[i], (int)ceil((-middle - half) * 2 * size[i] - 1e-9));
        }
    }
    return f;
}

/* ---- Passes ---------------------------------------------------------------------------------- */

enum { KINDS = 4, STRIP = 16 };
static const size_t together = (size_t)64 << 20; /* bytes up to which all kinds run at once */

/* What the tasks of some kinds share: those from `first` to `end`. */
struct pass {
    struct propagation *p;
    float *field;
    const float *sum; /* what is there to be added to */
    float *to;        /* where sums go */
    struct propagate_filter filter;
    int stage; /* 0: rows, 1: columns, 2: rows back */
    int kinds, first, end;
    int used[2]; /* blocks of the even and of the odd frequencies */
    size_t start[KINDS];
    size_t size; /* of a block */
    atomic_uint_fast32_t ticket;
    atomic_int status;
};

/* What a thread works with. */
struct bench {
    float *panel, *spare, *rows;
};

static struct bench bench_of(const struct propagation *p, int thread, const struct dft *plan)
{
    const size_t lanes = (size_t)p->kernel->dft->lanes;
    float *panel = p->panels + (size_t)thread * p->numbers;
    return (struct bench){panel, panel + dft_panel_numbers(plan) * lanes,
                          panel + p->numbers - rows_at_once(p) * row_numbers(p)};
}

static bool any_passes(const struct pass *pass, int a, size_t block)
{
    const struct propagation *p = pass->p;
    const int lanes = p->kernel->dft->lanes, w = (int)p->width;
    for (int x = (int)block * lanes; x < w && x < ((int)block + 1) * lanes; x++)
        if (propagate_passes(&pass->filter, 0, propagate_number(x, a, w)))
            return true;
    return false;
}

/* Which blocks there are, and where. */
static void lay_out(struct pass *pass)
{
    struct propagation *p = pass->p;
    const size_t blocks = blocks_of(p);
    pass->size = ((size_t)p->height + 1) * 2 * (size_t)p->kernel->dft->lanes; /* columns side by
                                           side would be in each other's way in a cache */
    for (int a = 0; a < 2; a++)
        for (size_t i = 0; i < blocks; i++) {
            const bool any = any_passes(pass, a, i);
            p->slots[(size_t)a * blocks + i] = any ? pass->used[a] : -1;
            if (any)
                p->blocks[(size_t)a * blocks + (size_t)pass->used[a]++] = (int)i;
        }
}

static void transform_rows(struct propagation *p, const struct bench *b, int count)
{
    const struct dft_kernel *k = p->kernel->dft;
    const size_t numbers = row_numbers(p);
    if (dft_by_rows(p->row)) {
        k->run_row(p->row, b->rows, b->spare);
        return;
    }
    k->load_rows(b->panel, b->rows, numbers / 2, count, (int)p->width, false);
    k->run(p->row, b->panel, b->spare);
    k->store_rows(b->panel, b->rows, numbers / 2, count, (int)p->width, false);
}

static void rows(struct pass *pass, uint32_t y, int count, const struct bench *bench)
{
    struct propagation *p = pass->p;
    const struct propagate_kernel *k = p->kernel;
    const int n = (int)p->width, lanes = k->dft->lanes, blocks = (int)blocks_of(p);
    const size_t numbers = row_numbers(p), line = 2 * (size_t)p->width;
    for (int kind = pass->first; kind < pass->end; kind++) {
        const float *along = kind & 1 ? p->turns[0] : NULL;
        const int *slots = p->slots + (kind & 1) * blocks;
        float *there = p->work + pass->start[kind] + 2 * (size_t)y * (size_t)lanes;
        for (int i = 0; i < count; i++) {
            float *row = bench->rows + (size_t)i * numbers;
            const size_t at = y + (size_t)i;
            if (pass->stage == 0)
                k->turn_row(row, pass->field + at * line, n, along,
                            kind & 2 ? p->turns[1] + 2 * at : NULL);
            else
                k->blocks_to_row(row, there + 2 * (size_t)(i * lanes), slots, blocks, pass->size);
        }
        transform_rows(p, bench, count);
        for (int i = 0; i < count; i++) {
            float *row = bench->rows + (size_t)i * numbers;
            const size_t at = y + (size_t)i;
            const float *sum = kind > pass->first ? pass->to : pass->sum;
            if (pass->stage == 0) {
                memset(row + line, 0, (size_t)lanes * 2 * sizeof *row);
                k->row_to_blocks(row, there + 2 * (size_t)(i * lanes), slots, blocks, pass->size);
            } else {
                k->add_row(pass->to + at * line, sum ? sum + at * line : NULL, row, n, along,
                           kind & 2 ? p->turns[1] + 2 * at : NULL);
            }
        }
    }
}

static void strip_of_rows(struct pass *pass, uint32_t strip, const struct bench *bench)
{
    const uint32_t end =
        pass->p->height - strip * STRIP < STRIP ? pass->p->height : (strip + 1) * STRIP;
    const uint32_t step = (uint32_t)rows_at_once(pass->p);
    for (uint32_t y = strip * STRIP; y < end; y += step)
        rows(pass, y, (int)(end - y < step ? end - y : step), bench);
}

/* Of number `task` of all blocks, kind by kind. */
static void block_of_columns(struct pass *pass, uint32_t task, const struct bench *bench)
{
    struct propagation *p = pass->p;
    const struct dft_kernel *k = p->kernel->dft;
    const int n = (int)p->height;
    int kind = pass->first, slot = (int)task;
    for (; slot >= pass->used[kind & 1]; kind++)
        slot -= pass->used[kind & 1];
    const int x = p->blocks[(size_t)(kind & 1) * blocks_of(p) + (size_t)slot] * k->lanes;
    float *block = p->work + pass->start[kind] + (size_t)slot * pass->size;
    /* A chirp needs more room. */
    const size_t bytes = 2 * (size_t)n * (size_t)k->lanes * sizeof *block;
    float *panel = p->column->padded ? memcpy(bench->panel, block, bytes) : block;
    k->run(p->column, panel, bench->spare);
    p->kernel->filter(panel, &pass->filter, kind & 1, kind >> 1, x, (int)p->width, n);
    k->run(p->column, panel, bench->spare);
    if (panel != block)
        memcpy(block, panel, bytes);
}

static void work(void *data, int thread)
{
    struct pass *pass = data;
    struct propagation *p = pass->p;
    const bool down = pass->stage == 1;
    const struct bench bench = bench_of(p, thread, down ? p->column : p->row);
    uint32_t all = (p->height + STRIP - 1) / STRIP;
    if (down)
        all = (uint32_t)(pass->used[0] * ((pass->end + 1) / 2 - (pass->first + 1) / 2) +
                         pass->used[1] * (pass->end / 2 - pass->first / 2));
    for (uint_fast32_t task; (task = atomic_fetch_add(&pass->ticket, 1)) < all;) {
        if (atomic_load(&pass->status) != RO_OK)
            return;
        (down ? block_of_columns : strip_of_rows)(pass, (uint32_t)task, &bench);
        if (thread == 0) {
            const double part = (pass->stage + (double)task / all) / 3;
            const double kinds = pass->first + part * (pass->end - pass->first);
            ro_status status =
                ro_context_progress(p->context, p->phase, p->done + p->share * kinds / pass->kinds);
            if (status != RO_OK)
                atomic_store(&pass->status, (int)status);
        }
    }
}

/* Memory for so many numbers at once, and for a sum where kinds take turns. */
static ro_status reserve(struct propagation *p, size_t numbers, bool sums)
{
    if (p->room < numbers) {
        free(p->work);
        p->room = 0;
        p->work = dft_alloc(p->context, (uint32_t)((numbers + 1023) / 1024), 512);
        if (!p->work)
            return RO_E_MEMORY;
        p->room = numbers;
    }
    if (sums && !p->sum && !(p->sum = dft_alloc(p->context, p->width, p->height)))
        return RO_E_MEMORY;
    return RO_OK;
}

static ro_status run_kinds(struct pass *pass)
{
    struct propagation *p = pass->p;
    struct thread_pool *pool = p->context->pool;
    for (pass->stage = 0; pass->stage < 3 && atomic_load(&pass->status) == RO_OK; pass->stage++) {
        atomic_store(&pass->ticket, 0);
        pool_run(pool, pool_threads(pool), work, pass);
    }
    return (ro_status)atomic_load(&pass->status);
}

ro_status propagation_run(struct propagation *p, float *field, double distance)
{
    struct pass pass = {.p = p,
                        .field = field,
                        .filter = propagate_filter_of(p, distance),
                        .kinds = p->wraps ? 1 : KINDS};
    if (p->device) {
        ro_status status = propagate_on_cuda->run(p->device, field, &pass.filter, p->wraps);
        return status == RO_OK ? ro_context_progress(p->context, p->phase, p->done + p->share)
                               : status;
    }
    lay_out(&pass);
    const size_t most = (size_t)(pass.used[0] > pass.used[1] ? pass.used[0] : pass.used[1]);
    const size_t all = (size_t)pass.kinds * most * pass.size;
    /* Two fields beside the one at hand are allowed, and a little for blocks that are not full. */
    const bool at_once = all * sizeof *field <= together ||
                         (double)all <= 4.2 * (double)p->width * (double)p->height;
    ro_status status = reserve(p, at_once ? all : most * pass.size, !at_once);
    for (int kind = 0; kind < pass.kinds && status == RO_OK; kind = pass.end) {
        pass.first = kind;
        pass.end = at_once ? pass.kinds : kind + 1;
        for (int i = pass.first; i < pass.end; i++)
            pass.start[i] = (size_t)(i - pass.first) * most * pass.size;
        pass.sum = kind ? p->sum : NULL;
        pass.to = pass.end == pass.kinds ? field : p->sum;
        status = run_kinds(&pass);
    }
    return status;
}

/* ---- The public call ------------------------------------------------------------------------- */

ro_status ro_field_propagate(ro_context *context, const ro_field *in, ro_field *out,
                             const ro_optics *optics, double distance)
{
    if (MISSING(context, in, out, optics))
        return RO_E_ARGUMENT;
    DEVICE_TURN(context);
    ro_status status = field_check(context, in, "the field");
    if (status == RO_OK)
        status = field_check(context, out, "the result");
    if (status == RO_OK)
        status = field_check_physics(context, optics);
    if (status != RO_OK)
        return status;
    if (in->width != out->width || in->height != out->height)
        return ro_context_fail(context, RO_E_SIZE, "the field is %u x %u but its result is %u x %u",
                               in->width, in->height, out->width, out->height);
    if (!isfinite(distance))
        return ro_context_fail(context, RO_E_ARGUMENT, "a distance of %g m is not a finite number",
                               distance);
    struct propagation p;
    double pitch[2];
    field_pitch(optics, pitch);
    status = field_has_transform(context, in); /* no NaN spreads over the result */
    if (status == RO_OK)
        status = propagation_open(&p, context, in->width, in->height, optics->wavelength, pitch);
    if (status != RO_OK)
        return status;
    float *data = dft_alloc(context, in->width, in->height);
    if (!data) {
        status = RO_E_MEMORY;
        goto done;
    }
    field_get(in, data);
    status = propagation_run(&p, data, distance);
    if (status == RO_OK)
        field_put(out, data);
done:
    free(data);
    propagation_close(&p);
    return status;
}
