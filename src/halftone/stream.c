/* SPDX-License-Identifier: MIT */
/*
 * Halftoning row by row, as a run of a plan. Rows that make up whole bands are run straight from
 * the caller's memory; the rest wait in the plan's `pending` until there are enough. Finished rows
 * wait in `ready` to be pulled. For a device, which copies some rows while it computes others, both
 * lie in pinned memory, from where it copies them without staging.
 */
#include "core/misuse.h"
#include "halftone/plan.h"
#include "roundoff/pieces.h"

#include <stdlib.h>
#include <string.h>

struct halftone_stream {
    struct ro_stream stream;    /* first: the public handle */
    struct halftone_plan *plan; /* that it has to itself until it is closed */
    ro_plan *lender;            /* the caller's plan, from which it was taken */
    unsigned char *ready;       /* finished rows, `room` of them at most */
    uint32_t ready_first, ready_rows, room;
    uint32_t first_row, end_row; /* of the run */
    uint32_t next;               /* row to be pushed */
    atomic_bool failed;          /* looked at by threads that wait for what is carried on */
    struct wavefront_link link[PLANES_MOST];
    ro_carrier carrier;
};

static const struct stream_kind halftone_stream_kind;

static struct halftone_stream *stream_of(ro_stream *base) { return (struct halftone_stream *)base; }

/* ---- Opening and closing -------------------------------------------------------------------- */

static ro_status make_stream(struct halftone_plan *plan, struct halftone_stream **made)
{
    DEVICE_TURN(plan->plan.context);
    void *memory = NULL;
    if (posix_memalign(&memory, 64, sizeof **made) != 0)
        return ro_context_fail(plan->plan.context, RO_E_MEMORY, "no memory for a stream");
    struct halftone_stream *stream = memory;
    memset(stream, 0, sizeof *stream);
    stream->stream.kind = &halftone_stream_kind;
    for (int i = 0; i < PLANES_MOST; i++)
        wavefront_link_open(&stream->link[i], &plan->plan.context->cancelled);
    stream->plan = plan;
    stream->room = halftone_plan_room(plan);
    if (stream->room > plan->shape.height)
        stream->room = plan->shape.height;
    ro_status status = halftone_plan_gather(plan);
    if (status == RO_OK)
        status = halftone_rows_alloc(plan, plan->out_row_bytes, stream->room, &stream->ready);
    if (status != RO_OK) {
        halftone_stream_free(stream);
        return status;
    }
    *made = stream;
    return RO_OK;
}

void halftone_stream_free(struct halftone_stream *stream)
{
    if (!stream)
        return;
    for (int i = 0; i < PLANES_MOST; i++)
        wavefront_link_close(&stream->link[i]);
    halftone_rows_free(stream->plan, stream->ready);
    free(stream);
}

/* Whether a run of these rows makes sense. */
static ro_status check_rows(const struct halftone_plan *plan, uint32_t first_row, uint32_t rows)
{
    ro_context *context = plan->plan.context;
    const struct halftoner *work = &plan->work[0];
    const uint32_t height = plan->shape.height;
    if (work->engine->whole_image)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "%s needs the whole image and cannot run row by row",
                               work->method->info.name);
    if (rows == 0 || first_row >= height || rows > height - first_row)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "the image has %u rows; %u of them from row %u on cannot be run",
                               height, rows, first_row);
    if (rows < height && halftone_plan_carried(plan) < 0)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "%s cannot run a piece of a picture: it needs every row",
                               work->method->info.name);
    return RO_OK;
}

/* Links to the rows above and below a piece of a picture, if rows hand on anything. */
static struct wavefront_link *begin_links(struct halftone_plan *plan, uint32_t first_row,
                                          uint32_t end_row)
{
    struct wavefront_link *links = plan->stream->link;
    const bool carries = halftone_plan_carried(plan) > 0;
    const bool above = carries && first_row > 0, below = carries && end_row < plan->shape.height;
    for (int i = 0; i < plan->count; i++)
        wavefront_link_begin(&links[i], above, below);
    return above || below ? links : NULL;
}

ro_status halftone_stream_open(ro_plan *base, uint32_t first_row, uint32_t rows, void *report,
                               ro_stream **opened)
{
    DEVICE_TURN(base->context);
    const struct halftone_plan *whole = halftone_plan_of(base);
    if (rows == ALL_ROWS)
        rows = whole->shape.height;
    ro_plan *taken;
    ro_status status = plan_has_no_report(base, report);
    if (status == RO_OK)
        status = check_rows(whole, first_row, rows);
    if (status == RO_OK)
        status = plan_take(base, &taken);
    if (status != RO_OK)
        return status;
    struct halftone_plan *plan = halftone_plan_of(taken);
    if (!plan->stream)
        status = make_stream(plan, &plan->stream);
    if (status == RO_OK)
        status = halftone_plan_begin(plan, first_row, first_row + rows,
                                     begin_links(plan, first_row, first_row + rows));
    if (status != RO_OK) {
        plan_give(base, taken);
        return status;
    }
    struct halftone_stream *stream = plan->stream;
    stream->lender = base;
    stream->ready_first = stream->ready_rows = 0;
    stream->first_row = stream->next = first_row;
    stream->end_row = first_row + rows;
    stream->failed = false;
    *opened = &stream->stream;
    return RO_OK;
}

static void close_stream(ro_stream *base)
{
    struct halftone_stream *stream = stream_of(base);
    plan_give(stream->lender, &stream->plan->plan);
}

/* ---- Rows in and out ------------------------------------------------------------------------ */

/* Runs rows into `ready`, which is empty: those that wait, or `count` from the caller's memory. */
static ro_status run_rows(struct halftone_stream *stream, const void *rows, ptrdiff_t stride,
                          uint32_t count)
{
    DEVICE_TURN(stream->plan->plan.context);
    struct halftone_plan *plan = stream->plan;
    const ptrdiff_t out_stride = (ptrdiff_t)plan->out_row_bytes;
    const uint32_t made = rows ? count : plan->pending_rows;
    ro_status status =
        rows ? halftoner_run(&plan->work[0], rows, stride, stream->ready, out_stride, count)
             : halftone_plan_flush(plan, stream->ready, out_stride, out_stride / plan->count);
    stream->ready_first = 0;
    stream->ready_rows = status == RO_OK ? made : 0;
    return status;
}

/* Whether rows are run straight from the caller's memory: nothing waits before them, and for a
 * device they are as many as it is worth to gather. */
static bool runs_straight(const struct halftone_stream *stream, uint32_t offered)
{
    const struct halftone_plan *plan = stream->plan;
    return plan->pending_rows == 0 && stream->ready_rows == 0 && plan->direct &&
           (plan->work[0].device != RO_DEVICE_CUDA || offered >= plan->capacity / 2);
}

static ro_status push(ro_stream *base, const void *rows, ptrdiff_t stride, uint32_t count,
                      uint32_t *taken)
{
    struct halftone_stream *stream = stream_of(base);
    struct halftone_plan *plan = stream->plan;
    ro_context *context = plan->plan.context;
    const uint32_t granularity = plan->work[0].granularity;
    const unsigned char *from = rows;
    ro_status status = RO_OK;
    *taken = 0;
    if (!rows_fit(rows, stride, count, plan->in_row_bytes))
        return ro_context_fail(context, RO_E_ARGUMENT, "rows to push are missing or overlap");
    if (stream->failed)
        return ro_context_fail(context, RO_E_STATE, "the stream has already failed");
    if (count > stream->end_row - stream->next)
        return ro_context_fail(context, RO_E_STATE,
                               "the image has %u rows; %u more were pushed after row %u",
                               stream->end_row, count, stream->next);
    while (status == RO_OK && *taken < count) {
        uint32_t offered = count - *taken;
        if (runs_straight(stream, offered)) {
            uint32_t direct = offered < stream->room ? offered : stream->room;
            if (stream->next + direct < stream->end_row)
                direct -= direct % granularity;
            if (direct > 0) {
                status = run_rows(stream, from, stride, direct);
                stream->next += direct;
                *taken += direct;
                from += (ptrdiff_t)direct * stride;
                continue;
            }
        }
        if (plan->pending_rows < plan->capacity) {
            const uint32_t room = plan->capacity - plan->pending_rows;
            const uint32_t rows = offered < room ? offered : room;
            status = halftone_plan_take(plan, from, stride, rows, stream->next);
            if (status != RO_OK)
                break;
            from += (ptrdiff_t)rows * stride;
            stream->next += rows;
            *taken += rows;
        } else if (stream->ready_rows > 0) {
            break;
        }
        bool full = plan->pending_rows == plan->capacity || stream->next == stream->end_row;
        if (full && stream->ready_rows == 0)
            status = run_rows(stream, NULL, 0, 0);
    }
    if (status == RO_OK && ro_context_cancelled(context))
        status = ro_context_fail(context, RO_E_CANCELLED, "cancelled");
    if (status != RO_OK) { /* rows that were begun are not to be had */
        stream->failed = true;
        stream->ready_rows = 0;
        *taken = 0;
    }
    return status;
}

static ro_status pull(ro_stream *base, void *rows, ptrdiff_t stride, uint32_t count,
                      uint32_t *given)
{
    struct halftone_stream *stream = stream_of(base);
    struct halftone_plan *plan = stream->plan;
    *given = 0;
    if (count > 0 && !rows)
        return ro_context_fail(plan->plan.context, RO_E_ARGUMENT,
                               "there is no room for the rows to pull");
    if (stream->failed)
        return ro_context_fail(plan->plan.context, RO_E_STATE, "the stream has already failed");
    /* The last rows may still wait behind finished ones that have now been pulled. */
    if (stream->ready_rows == 0 && plan->pending_rows > 0 &&
        (stream->next == stream->end_row || plan->pending_rows == plan->capacity)) {
        ro_status status = run_rows(stream, NULL, 0, 0);
        if (status != RO_OK) {
            stream->failed = true;
            return status;
        }
    }
    unsigned char *to = rows;
    while (*given < count && stream->ready_rows > 0) {
        memcpy(to, stream->ready + stream->ready_first * plan->out_row_bytes, plan->out_row_bytes);
        to += stride;
        stream->ready_first++;
        stream->ready_rows--;
        ++*given;
    }
    return RO_OK;
}

/* ---- What rows carry on --------------------------------------------------------------------- */

static ro_status check_columns(const struct halftone_stream *stream, uint32_t x, uint32_t count)
{
    const uint32_t width = stream->plan->shape.width;
    if (x <= width && count <= width - x)
        return RO_OK;
    return ro_context_fail(stream->plan->plan.context, RO_E_ARGUMENT,
                           "%u columns from column %u: the image has %u", count, x, width);
}

/* Whether these can be errors of a plane's rows. */
static ro_status check_numbers(const struct halftone_stream *stream, uint32_t x, uint32_t count,
                               const int32_t *values)
{
    const struct halftoner *work = &stream->plan->work[0];
    const size_t lines = (size_t)halftone_plan_carried(stream->plan);
    for (size_t i = 0; i < lines * count; i++)
        if (values[i] < work->carried_least || values[i] > work->carried_most)
            return ro_context_fail(stream->plan->plan.context, RO_E_ARGUMENT,
                                   "a carry of %d into column %u: must be from %d to %d", values[i],
                                   x + (uint32_t)(i % count), work->carried_least,
                                   work->carried_most);
    return RO_OK;
}

ro_status ro_halftone_carry_in(ro_stream *base, uint32_t x, uint32_t count, const int32_t *values)
{
    if (ABSENT(base) || base->kind != &halftone_stream_kind)
        return RO_E_ARGUMENT;
    struct halftone_stream *stream = stream_of(base);
    struct halftone_plan *plan = stream->plan;
    ro_context *context = plan->plan.context;
    ro_status status = check_columns(stream, x, count);
    if (status == RO_OK && count > 0 && !values)
        status = ro_context_fail(context, RO_E_ARGUMENT, "there are no values to carry in");
    if (status == RO_OK && !stream->link[0].above)
        status = ro_context_fail(context, RO_E_STATE, "nothing is carried into row %u",
                                 stream->first_row);
    const uint64_t given = atomic_load(&stream->link[0].given.reached);
    if (status == RO_OK && x != given)
        status = ro_context_fail(context, RO_E_STATE,
                                 "columns are carried in from left to right: %u is next, not %u",
                                 (uint32_t)given, x);
    if (status == RO_OK)
        status = check_numbers(stream, x, count, values);
    for (int i = 0; i < plan->count && status == RO_OK; i++) {
        struct halftoner *work = &plan->work[i];
        work->engine->carry_in(work, x, count, values + (size_t)(i * work->carried) * count);
        gate_raise(&stream->link[i].room, &stream->link[i].given, x + count);
    }
    return status;
}

ro_status ro_halftone_carry_out(ro_stream *base, uint32_t x, uint32_t count, int32_t *values)
{
    if (ABSENT(base, values) || base->kind != &halftone_stream_kind)
        return RO_E_ARGUMENT;
    struct halftone_stream *stream = stream_of(base);
    struct halftone_plan *plan = stream->plan;
    ro_context *context = plan->plan.context;
    ro_status status = check_columns(stream, x, count);
    if (status == RO_OK && !stream->link[0].below)
        status = ro_context_fail(context, RO_E_STATE, "nothing is carried on from row %u",
                                 stream->end_row - 1);
    for (int i = 0; i < plan->count && status == RO_OK; i++) {
        struct wavefront_link *link = &stream->link[i];
        const struct halftoner *work = &plan->work[i];
        if (gate_wait_or_stop(&link->room, &link->finished, x + count, link->stop))
            work->engine->carry_out(work, x, count, values + (size_t)(i * work->carried) * count);
        if (ro_context_cancelled(context))
            status = ro_context_fail(context, RO_E_CANCELLED, "cancelled");
        else if (stream->failed)
            status = ro_context_fail(context, RO_E_STATE, "the stream has already failed");
    }
    return status;
}

uint32_t ro_halftone_carry_ready(ro_stream *base)
{
    if (!base || base->kind != &halftone_stream_kind)
        return 0;
    struct halftone_stream *stream = stream_of(base);
    struct halftone_plan *plan = stream->plan;
    uint64_t least = stream->failed ? 0 : plan->shape.width;
    for (int i = 0; i < plan->count && stream->link[0].below; i++) {
        uint64_t finished = atomic_load(&stream->link[i].finished.reached);
        least = finished < least ? finished : least;
    }
    return (uint32_t)least;
}

static void bring(void *data, uint64_t columns)
{
    const struct halftone_stream *stream = data;
    stream->carrier.bring(stream->carrier.data, (uint32_t)columns);
}

static void take(void *data)
{
    struct halftone_stream *stream = data;
    stream->carrier.take(stream->carrier.data, ro_halftone_carry_ready(&stream->stream));
}

ro_status ro_halftone_carry_by(ro_stream *base, const ro_carrier *carrier)
{
    if (ABSENT(base) || base->kind != &halftone_stream_kind)
        return RO_E_ARGUMENT;
    struct halftone_stream *stream = stream_of(base);
    struct halftone_plan *plan = stream->plan;
    if (!carrier || !carrier->bring || !carrier->take)
        return ro_context_fail(plan->plan.context, RO_E_ARGUMENT,
                               "who carries must bring and take");
    if (stream->next != stream->first_row)
        return ro_context_fail(plan->plan.context, RO_E_STATE, "rows have been pushed already");
    stream->carrier = *carrier;
    for (int i = 0; i < plan->count; i++) {
        stream->link[i].bring = bring;
        stream->link[i].take = take;
        stream->link[i].data = stream;
    }
    return RO_OK;
}

static const struct stream_kind halftone_stream_kind = {push, pull, close_stream};
