/* SPDX-License-Identifier: MIT */
/* Transforms of whole fields: strips of rows, then strips of columns, by all threads. */
#include "fft/dft.h"

#include "context/context.h"
#include "core/checked.h"

#include <stdlib.h>

struct dft_field {
    ro_context *context;
    const struct dft_kernel *kernel;
    struct dft *row, *column;
    uint32_t width, height;
    size_t numbers; /* of a panel and its spare together */
    float *panels;  /* a thread each */
    float *data;    /* of the run at hand */
    bool inverse;
    atomic_uint_fast32_t ticket;
};

float *dft_alloc(ro_context *context, uint32_t width, uint32_t height)
{
    size_t bytes;
    float *data = NULL;
    if (!size_multiply((size_t)width * 2 * sizeof *data, height, &bytes) ||
        !size_add(bytes, 63, &bytes) || !(data = aligned_alloc(64, bytes / 64 * 64)))
        ro_context_fail(context, RO_E_MEMORY, "no memory for a field of %u x %u pixels", width,
                        height);
    return data;
}

void dft_field_close(struct dft_field *plan)
{
    if (!plan)
        return;
    if (plan->column != plan->row)
        dft_close(plan->column);
    dft_close(plan->row);
    free(plan->panels);
    free(plan);
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

ro_status dft_field_open(ro_context *context, uint32_t width, uint32_t height,
                         struct dft_field **out)
{
    *out = NULL;
    struct dft_field *plan = calloc(1, sizeof *plan);
    if (!plan)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a transform");
    *plan = (struct dft_field){
        .context = context, .kernel = dft_kernel_of(context), .width = width, .height = height};
    ro_status status = dft_open(context, width, &plan->row);
    if (status == RO_OK && width == height)
        plan->column = plan->row;
    else if (status == RO_OK)
        status = dft_open(context, height, &plan->column);
    if (status == RO_OK) {
        const size_t lanes = (size_t)plan->kernel->lanes;
        const size_t threads = (size_t)pool_threads(context->pool);
        plan->numbers = larger(dft_panel_numbers(plan->row) + dft_spare_numbers(plan->row),
                               dft_panel_numbers(plan->column) + dft_spare_numbers(plan->column));
        plan->numbers = (plan->numbers * lanes + 15) / 16 * 16;
        plan->panels = aligned_alloc(64, threads * plan->numbers * sizeof *plan->panels);
        if (!plan->panels)
            status = ro_context_fail(context, RO_E_MEMORY, "no memory for a transform");
    }
    if (status == RO_OK)
        *out = plan;
    else
        dft_field_close(plan);
    return status;
}

static void run_rows(void *data, int thread)
{
    struct dft_field *p = data;
    const struct dft_kernel *k = p->kernel;
    const uint32_t lanes = (uint32_t)k->lanes;
    float *panel = p->panels + (size_t)thread * p->numbers;
    float *spare = panel + dft_panel_numbers(p->row) * lanes;
    for (uint_fast32_t strip; (strip = atomic_fetch_add(&p->ticket, 1)) * lanes < p->height;) {
        const uint32_t y = (uint32_t)strip * lanes, left = p->height - y;
        const int count = (int)(left < lanes ? left : lanes), n = (int)p->width;
        float *at = p->data + 2 * (size_t)y * p->width;
        k->load_rows(panel, at, p->width, count, n, p->inverse);
        k->run(p->row, panel, spare);
        k->store_rows(panel, at, p->width, count, n, p->inverse);
    }
}

static void run_columns(void *data, int thread)
{
    struct dft_field *p = data;
    const struct dft_kernel *k = p->kernel;
    const uint32_t lanes = (uint32_t)k->lanes;
    float *panel = p->panels + (size_t)thread * p->numbers;
    float *spare = panel + dft_panel_numbers(p->column) * lanes;
    for (uint_fast32_t strip; (strip = atomic_fetch_add(&p->ticket, 1)) * lanes < p->width;) {
        const uint32_t x = (uint32_t)strip * lanes, left = p->width - x;
        const int count = (int)(left < lanes ? left : lanes), n = (int)p->height;
        float *at = p->data + 2 * (size_t)x;
        k->load_columns(panel, at, p->width, count, n, p->inverse);
        k->run(p->column, panel, spare);
        k->store_columns(panel, at, p->width, count, n, p->inverse);
    }
}

void dft_field_run(struct dft_field *plan, float *data, bool inverse)
{
    struct thread_pool *pool = plan->context->pool;
    plan->data = data;
    plan->inverse = inverse;
    atomic_store(&plan->ticket, 0);
    pool_run(pool, pool_threads(pool), run_rows, plan);
    atomic_store(&plan->ticket, 0);
    pool_run(pool, pool_threads(pool), run_columns, plan);
}
