/* SPDX-License-Identifier: MIT */
#include "hologram/scene/upsample.h"

#include "context/context.h"
#include "hologram/field/field.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64, BETWEEN_BYTES = 1 << 29 };

/* One direction: n coarse numbers to the first `size` of factor * n. */
struct enlarge_line {
    uint32_t n, factor, size;
    struct dft *coarse, *fine;
    float *turns; /* e^{2 pi i m t0 / n} / n, 0 for m = n / 2 */
};

struct enlarge {
    ro_context *context;
    const struct propagate_kernel *kernel;
    struct enlarge_line line[2];
    size_t numbers; /* of a panel, and of its spare, for all lanes */
    float *panels;
    const float *from;
    float *between; /* rows from `first` on, of coarse width */
    float *own;     /* a block */
    float *block;   /* rows as they go out, `stride` numbers apart */
    size_t stride;
    uint32_t first, rows, block_first, block_rows;
    double done, share;
    atomic_uint_fast32_t ticket;
    atomic_int status;
};

static ro_status line_open(ro_context *context, struct enlarge_line *l)
{
    const double t0 = (0.5 - l->size / 2.0) / l->factor + l->n / 2.0 - 0.5;
    ro_status status = dft_open(context, l->n, &l->coarse);
    if (status == RO_OK)
        status = dft_open(context, l->n * l->factor, &l->fine);
    if (status != RO_OK)
        return status;
    l->turns = calloc(2 * (size_t)l->n, sizeof *l->turns);
    if (!l->turns)
        return ro_context_fail(context, RO_E_MEMORY, "no memory to enlarge a field");
    for (uint32_t i = 0; i < l->n; i++) {
        const double m = i < l->n / 2 ? i : (double)i - l->n;
        double c, s;
        phasor_double(m * t0 / l->n, &c, &s);
        if (i == l->n / 2)
            continue;
        l->turns[2 * i] = (float)(c / l->n);
        l->turns[2 * i + 1] = (float)(s / l->n);
    }
    return RO_OK;
}

static void line_close(struct enlarge_line *l)
{
    dft_close(l->coarse);
    dft_close(l->fine);
    free(l->turns);
}

/* A panel of coarse numbers becomes one of fine ones. Frequencies are put in backwards: an inverse
 * transform is one of them. */
static void run_line(const struct enlarge *e, const struct enlarge_line *l, float *panel,
                     float *spare)
{
    const struct dft_kernel *k = e->kernel->dft;
    const size_t number = 2 * (size_t)k->lanes, fine = (size_t)l->n * l->factor;
    k->run(l->coarse, panel, spare);
    e->kernel->turn(panel, (int)l->n, l->turns);
    memcpy(spare, panel, l->n * number * sizeof *panel);
    memset(panel, 0, fine * number * sizeof *panel);
    for (size_t i = 0; i < l->n; i++) {
        const size_t m = i < l->n / 2 ? i : fine - l->n + i;
        if (i != l->n / 2)
            memcpy(panel + (fine - m) % fine * number, spare + i * number, number * sizeof *panel);
    }
    k->run(l->fine, panel, spare);
}

static bool goes_on(struct enlarge *e, int thread, double part)
{
    if (thread == 0) {
        ro_status status = ro_context_progress(e->context, "make", e->done + e->share * part);
        if (status != RO_OK)
            atomic_store(&e->status, (int)status);
    }
    return atomic_load(&e->status) == RO_OK;
}

static void columns(void *data, int thread)
{
    struct enlarge *e = data;
    const struct dft_kernel *k = e->kernel->dft;
    const uint32_t lanes = (uint32_t)k->lanes, wide = e->line[0].n;
    float *panel = e->panels + 2 * (size_t)thread * e->numbers, *spare = panel + e->numbers;
    for (uint_fast32_t strip; (strip = atomic_fetch_add(&e->ticket, 1)) * lanes < wide;) {
        const uint32_t x = (uint32_t)strip * lanes;
        const int count = (int)(wide - x < lanes ? wide - x : lanes);
        if (!goes_on(e, thread, 0))
            return;
        k->load_columns(panel, e->from + 2 * (size_t)x, wide, count, (int)e->line[1].n, false);
        run_line(e, &e->line[1], panel, spare);
        k->store_columns(panel + 2 * (size_t)lanes * e->first, e->between + 2 * (size_t)x, wide,
                         count, (int)e->rows, false);
    }
}

static void rows(void *data, int thread)
{
    struct enlarge *e = data;
    const struct dft_kernel *k = e->kernel->dft;
    const struct enlarge_line *l = &e->line[0];
    const uint32_t lanes = (uint32_t)k->lanes;
    float *panel = e->panels + 2 * (size_t)thread * e->numbers, *spare = panel + e->numbers;
    for (uint_fast32_t strip; (strip = atomic_fetch_add(&e->ticket, 1)) * lanes < e->block_rows;) {
        const uint32_t y = (uint32_t)strip * lanes, left = e->block_rows - y;
        const int count = (int)(left < lanes ? left : lanes);
        if (!goes_on(e, thread, (double)e->block_first / e->line[1].size))
            return;
        k->load_rows(panel, e->between + 2 * (size_t)(e->block_first - e->first + y) * l->n, l->n,
                     count, (int)l->n, false);
        run_line(e, l, panel, spare);
        k->store_rows(panel, e->block + 2 * (size_t)y * e->stride, e->stride, count, (int)l->size,
                      false);
    }
}

static ro_status run(struct enlarge *e, pool_task_fn *task)
{
    struct thread_pool *pool = e->context->pool;
    atomic_store(&e->ticket, 0);
    pool_run(pool, pool_threads(pool), task, e);
    return (ro_status)atomic_load(&e->status);
}

static ro_status give_rows(struct enlarge *e, const struct layers_out *out)
{
    ro_status status = RO_OK;
    for (uint32_t y = 0; y < e->block_rows && status == RO_OK; y++) {
        const float *row = e->block + 2 * (size_t)y * e->line[0].size;
        if (out->rows)
            status = out->rows(out->to, e->block_first + y, row);
        else
            memcpy(field_row(out->field, e->block_first + y), row, (size_t)e->line[0].size * 8);
    }
    return status;
}

/* All rows at once into the caller's field, where their distance is in whole numbers; else through
 * a block, in which there is something for every thread. */
static ro_status run_rows(struct enlarge *e, const struct layers_out *out, uint32_t most)
{
    const bool direct = !out->rows && out->field->stride % 8 == 0;
    ro_status status = RO_OK;
    if (direct) {
        e->stride = (size_t)out->field->stride / 8;
        e->block = field_row(out->field, e->first);
        e->block_first = e->first;
        e->block_rows = e->rows;
        return run(e, rows);
    }
    if (!e->own)
        e->own = dft_alloc(e->context, e->line[0].size, most);
    if (!e->own)
        return RO_E_MEMORY;
    e->stride = e->line[0].size;
    e->block = e->own;
    for (e->block_first = e->first; e->block_first < e->first + e->rows && status == RO_OK;
         e->block_first += most) {
        const uint32_t left = e->first + e->rows - e->block_first;
        e->block_rows = left < most ? left : most;
        status = run(e, rows);
        if (status == RO_OK)
            status = give_rows(e, out);
    }
    return status;
}

ro_status enlarge_field(ro_context *context, const float *coarse, const struct light_grid *grid,
                        const uint32_t factor[2], const struct layers_out *out)
{
    struct enlarge e = {.context = context,
                        .kernel = propagate_kernel_of(context),
                        .from = coarse,
                        .line = {{grid->width, factor[0], out->field->width, NULL, NULL, NULL},
                                 {grid->height, factor[1], out->field->height, NULL, NULL, NULL}},
                        .done = 0.6,
                        .share = 0.4};
    const uint32_t height = out->field->height;
    const size_t lanes = (size_t)e.kernel->dft->lanes;
    const uint32_t all = (uint32_t)lanes * (uint32_t)pool_threads(context->pool);
    const uint32_t block = all > BLOCK ? all : BLOCK;
    uint32_t most = (uint32_t)(BETWEEN_BYTES / 8 / grid->width / BLOCK * BLOCK);
    most = most < BLOCK ? BLOCK : most > height ? height : most;
    ro_status status = RO_OK;
    for (int i = 0; i < 2 && status == RO_OK; i++) {
        status = line_open(context, &e.line[i]);
        if (status == RO_OK) {
            const size_t spare = dft_spare_numbers(e.line[i].fine);
            e.numbers = spare * lanes > e.numbers ? spare * lanes : e.numbers;
        }
    }
    e.numbers = (e.numbers + 15) / 16 * 16;
    if (status == RO_OK) {
        e.panels = aligned_alloc(64, 2 * (size_t)pool_threads(context->pool) * e.numbers * 4);
        e.between = dft_alloc(context, grid->width, most);
        if (!e.panels || !e.between)
            status = ro_context_fail(context, RO_E_MEMORY, "no memory to enlarge a field");
    }
    for (e.first = 0; e.first < height && status == RO_OK; e.first += most) {
        e.rows = height - e.first < most ? height - e.first : most;
        status = run(&e, columns);
        if (status == RO_OK)
            status = run_rows(&e, out, block);
    }
    free(e.panels);
    free(e.between);
    free(e.own);
    line_close(&e.line[0]);
    line_close(&e.line[1]);
    return status;
}
