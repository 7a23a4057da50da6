/* SPDX-License-Identifier: MIT */
#include "context/plan.h"

#include "core/misuse.h"
#include "core/options.h"
#include "roundoff/pieces.h"

void plan_init(ro_plan *plan, const struct plan_kind *kind, ro_context *context)
{
    plan->kind = kind;
    plan->context = context;
    plan->inputs = 1;
    pthread_mutex_init(&plan->lock, NULL);
}

ro_status plan_take(ro_plan *plan, ro_plan **taken)
{
    *taken = plan;
    if (!plan->kind->copy)
        return RO_OK;
    *taken = NULL;
    pthread_mutex_lock(&plan->lock);
    if (!plan->runs) {
        plan->runs = true;
        *taken = plan;
    } else if (plan->idle) {
        *taken = plan->idle;
        plan->idle = plan->idle->next;
    }
    pthread_mutex_unlock(&plan->lock);
    return *taken ? RO_OK : plan->kind->copy(plan, taken);
}

void plan_give(ro_plan *plan, ro_plan *taken)
{
    if (!plan->kind->copy)
        return;
    pthread_mutex_lock(&plan->lock);
    if (taken == plan) {
        plan->runs = false;
    } else {
        taken->next = plan->idle;
        plan->idle = taken;
    }
    pthread_mutex_unlock(&plan->lock);
}

ro_status ro_plan_query(const ro_plan *plan, ro_plan_info *info)
{
    ro_plan_info full = {.size = sizeof full, .rows = 1, .threads = 1, .carried = -1, .inputs = 1};
    if (!plan || !info)
        return RO_E_ARGUMENT;
    ro_status status = report_check(plan->context, info);
    if (status != RO_OK)
        return status;
    plan->kind->query(plan, &full);
    report_give(info, &full);
    return RO_OK;
}

ro_status plan_has_no_report(const ro_plan *plan, const void *report)
{
    return report ? ro_context_fail(plan->context, RO_E_ARGUMENT, "this plan has no report")
                  : RO_OK;
}

static ro_status run_on_device(ro_plan *plan, const ro_image *in, const ro_image *out,
                               const ro_run *run)
{
    if (!plan->kind->run_device)
        return ro_context_fail(plan->context, RO_E_UNSUPPORTED,
                               "this plan runs images in host memory only");
    if (run->report)
        return ro_context_fail(plan->context, RO_E_UNSUPPORTED,
                               "a run in device memory has no report");
    return plan->kind->run_device(plan, in, out, run->count ? run->count : 1, run->stream);
}

ro_status ro_plan_run(ro_plan *plan, const ro_image *in, ro_image *out, const ro_run *given)
{
    ro_plan *taken;
    ro_run run = RO_RUN;
    if (!plan)
        return RO_E_ARGUMENT;
    ro_status status = take_options(plan->context, given, &run, "RO_RUN");
    if (status == RO_OK && (!in || !out))
        status = ro_context_fail(plan->context, RO_E_ARGUMENT, "a run needs two images");
    if (status == RO_OK && !run.on_device && run.stream)
        status = ro_context_fail(plan->context, RO_E_ARGUMENT,
                                 "a stream is given for images in host memory");
    if (status == RO_OK && run.count > 1 && run.report)
        status = ro_context_fail(plan->context, RO_E_ARGUMENT,
                                 "a report is of one picture, not of %u", run.count);
    if (status == RO_OK)
        status = plan_take(plan, &taken);
    if (status != RO_OK)
        return status;
    if (run.on_device)
        status = run_on_device(taken, in, out, &run);
    for (uint32_t i = 0; !run.on_device && i < (run.count ? run.count : 1) && status == RO_OK; i++)
        status = taken->kind->run(taken, &in[i * plan->inputs], &out[i], run.report);
    plan_give(plan, taken);
    return status;
}

void ro_plan_free(ro_plan *plan)
{
    if (!plan)
        return;
    while (plan->idle) {
        ro_plan *copy = plan->idle;
        plan->idle = copy->next;
        ro_plan_free(copy);
    }
    pthread_mutex_destroy(&plan->lock);
    plan->kind->free(plan);
}

/* ---- Streams --------------------------------------------------------------------------------- */

static ro_status open_stream(ro_plan *plan, uint32_t first, uint32_t rows, void *report,
                             ro_stream **stream)
{
    if (stream)
        *stream = NULL;
    if (ABSENT(plan, stream))
        return RO_E_ARGUMENT;
    if (!plan->kind->stream)
        return ro_context_fail(plan->context, RO_E_UNSUPPORTED,
                               "this plan needs the whole image and cannot run row by row");
    return plan->kind->stream(plan, first, rows, report, stream);
}

ro_status ro_stream_open(ro_plan *plan, void *report, ro_stream **stream)
{
    return open_stream(plan, 0, ALL_ROWS, report, stream);
}

ro_status ro_stream_open_piece(ro_plan *plan, uint32_t first_row, uint32_t rows, ro_stream **stream)
{
    return open_stream(plan, first_row, rows, NULL, stream);
}

ro_status ro_stream_push(ro_stream *stream, const void *rows, ptrdiff_t stride, uint32_t count,
                         uint32_t *taken)
{
    if (ABSENT(stream, taken))
        return RO_E_ARGUMENT;
    return stream->kind->push(stream, rows, stride, count, taken);
}

ro_status ro_stream_pull(ro_stream *stream, void *rows, ptrdiff_t stride, uint32_t count,
                         uint32_t *given)
{
    if (ABSENT(stream, given))
        return RO_E_ARGUMENT;
    return stream->kind->pull(stream, rows, stride, count, given);
}

void ro_stream_close(ro_stream *stream)
{
    if (stream)
        stream->kind->close(stream);
}
