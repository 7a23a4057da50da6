/* SPDX-License-Identifier: MIT */
#include "halftone/row_callbacks.h"
#include "roundoff/pieces.h"

#include "halftone/plan.h"

#include <stdlib.h>

static unsigned char *buffer_of(const struct halftone_pass *pass, int thread)
{
    return pass->buffers + (size_t)thread * pass->each;
}

static unsigned char *out_of(const struct halftone_pass *pass, int thread)
{
    return buffer_of(pass, thread) + pass->out_at;
}

static size_t lines_of(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

/* Whether all goes on. */
static bool settle(struct halftone_pass *pass, ro_status status)
{
    int none = RO_OK;
    if (status != RO_OK)
        atomic_compare_exchange_strong(&pass->status, &none, (int)status);
    return atomic_load(&pass->status) == RO_OK;
}

bool halftone_pass_fetch(struct halftone_pass *pass, int thread, uint32_t first_row, uint32_t count,
                         unsigned char **in, unsigned char **out)
{
    *in = buffer_of(pass, thread);
    *out = out_of(pass, thread);
    if (!settle(pass, RO_OK))
        return false;
    if (ro_context_cancelled(pass->context))
        return settle(pass, RO_E_CANCELLED);
    return settle(pass, pass->rows.fetch(pass->rows.data, first_row, count, *in));
}

void halftone_pass_take(struct halftone_pass *pass, int thread, uint32_t first_row, uint32_t count)
{
    settle(pass, pass->rows.take(pass->rows.data, first_row, count, out_of(pass, thread)));
    const uint32_t done = atomic_fetch_add(&pass->done, count) + count;
    if (thread == 0) /* the caller's own */
        settle(pass, ro_context_progress(pass->context, "halftone", (double)done / pass->height));
}

/* A device's band, in pieces that threads take by ticket. */
struct fetching {
    struct halftone_pass *pass;
    uint32_t first_row, count, each;
    unsigned char *rows;
    atomic_uint ticket;
};

static void fetch_pieces(void *data, int thread)
{
    struct fetching *job = data;
    (void)thread;
    for (uint32_t at; (at = job->each * atomic_fetch_add(&job->ticket, 1)) < job->count;) {
        struct halftone_pass *pass = job->pass;
        const uint32_t left = job->count - at, rows = left < job->each ? left : job->each;
        if (!settle(pass, RO_OK) ||
            !settle(pass, pass->rows.fetch(pass->rows.data, job->first_row + at, rows,
                                           job->rows + at * pass->in_row)))
            return;
    }
}

ro_status halftone_pass_fetch_all(struct halftone_pass *pass, uint32_t first_row, uint32_t count,
                                  void *rows)
{
    enum { PIECE = 512 << 10 };
    const size_t each = PIECE / pass->in_row;
    struct fetching job = {pass, first_row, count, each ? (uint32_t)each : 1, rows, 0};
    if (ro_context_cancelled(pass->context))
        settle(pass, RO_E_CANCELLED);
    pool_run(pass->context->pool, pass->context->threads, fetch_pieces, &job);
    return (ro_status)atomic_load(&pass->status);
}

ro_status halftone_pass_take_all(struct halftone_pass *pass, uint32_t first_row, uint32_t count,
                                 void *rows)
{
    settle(pass, pass->rows.take(pass->rows.data, first_row, count, rows));
    return (ro_status)atomic_load(&pass->status);
}

int ro_halftone_passes(const ro_plan *base)
{
    if (!base || !halftone_plan_is(base))
        return 0;
    const struct halftone_plan *plan = (const struct halftone_plan *)base;
    const struct halftoner *work = &plan->work[0];
    const bool as_numbers =
        plan->out == RO_BITS || plan->out == RO_INDEX8 || plan->out == RO_GREY16;
    return plan->direct && plan->count == 1 && as_numbers && work->engine->passes &&
           work->engine->passes(work);
}

static ro_status run_pass(struct halftone_plan *plan, const ro_halftone_rows *rows)
{
    ro_context *context = plan->plan.context;
    DEVICE_TURN(context);
    struct halftoner *work = &plan->work[0];
    struct halftone_pass pass = {
        .context = context,
        .rows = *rows,
        .in_row = plan->grey_row_bytes,
        .out_row = plan->out_row_bytes,
        .most = work->granularity,
        .height = plan->shape.height,
    };
    pass.out_at = lines_of(pass.most * pass.in_row);
    pass.each = pass.out_at + lines_of(pass.most * pass.out_row);
    void *memory = NULL; /* a device has its own */
    if (work->device != RO_DEVICE_CUDA &&
        posix_memalign(&memory, 4096, (size_t)work->report.threads * pass.each))
        return ro_context_fail(context, RO_E_MEMORY, "no memory for rows of %u pixels",
                               plan->shape.width);
    pass.buffers = memory;
    ro_status status = halftone_plan_begin(plan, 0, plan->shape.height, NULL);
    work->pass = &pass;
    if (status == RO_OK)
        status = work->engine->run(work, &(struct halftone_block){.rows = plan->shape.height});
    work->pass = NULL;
    work->rows_done = plan->shape.height;
    *context_report(context) = work->report;
    free(memory);
    if (status != RO_OK || atomic_load(&pass.status) == RO_OK)
        return status;
    status = (ro_status)atomic_load(&pass.status);
    return status == RO_E_CANCELLED ? ro_context_fail(context, status, "cancelled") : status;
}

ro_status ro_halftone_pass(ro_plan *base, const ro_halftone_rows *rows)
{
    ro_plan *taken;
    if (!base || !rows || !rows->fetch || !rows->take)
        return RO_E_ARGUMENT;
    if (!ro_halftone_passes(base))
        return ro_context_fail(base->context, RO_E_UNSUPPORTED,
                               "this plan cannot fetch rows by itself; push them");
    ro_status status = plan_take(base, &taken);
    if (status != RO_OK)
        return status;
    status = run_pass(halftone_plan_of(taken), rows);
    plan_give(base, taken);
    return status;
}
