/* SPDX-License-Identifier: MIT */
#include "context/plan.h"

#include "core/options.h"

void plan_init(ro_plan *plan, const struct plan_kind *kind, ro_context *context)
{
    plan->kind = kind;
    plan->context = context;
    pthread_mutex_init(&plan->lock, NULL);
}

ro_status plan_take(ro_plan *plan, ro_plan **taken)
{
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
    ro_plan_info full = {.size = sizeof full, .rows = 1, .threads = 1, .carried = -1};
    if (!plan || !info)
        return RO_E_ARGUMENT;
    ro_status status = report_check(plan->context, info);
    if (status != RO_OK)
        return status;
    plan->kind->query(plan, &full);
    report_give(info, &full);
    return RO_OK;
}

ro_status ro_plan_run(ro_plan *plan, const ro_image *in, ro_image *out)
{
    ro_plan *taken;
    if (!plan)
        return RO_E_ARGUMENT;
    ro_status status = plan_take(plan, &taken);
    if (status != RO_OK)
        return status;
    status = taken->kind->run(taken, in, out);
    plan_give(plan, taken);
    return status;
}

ro_status ro_plan_run_device(ro_plan *plan, const ro_image *in, ro_image *out, uint32_t count,
                             void *stream)
{
    if (!plan)
        return RO_E_ARGUMENT;
    if (!plan->kind->run_device)
        return ro_context_fail(plan->context, RO_E_UNSUPPORTED,
                               "this plan runs images in host memory only");
    ro_plan *taken;
    ro_status status = plan_take(plan, &taken);
    if (status != RO_OK)
        return status;
    status = taken->kind->run_device(taken, in, out, count, stream);
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
