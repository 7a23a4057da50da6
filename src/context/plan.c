/* SPDX-License-Identifier: MIT */
#include "context/plan.h"

ro_status ro_plan_query(const ro_plan *plan, ro_plan_info *info)
{
    if (!plan || !info)
        return RO_E_ARGUMENT;
    *info = (ro_plan_info){.rows = 1, .threads = 1, .carried = -1};
    plan->kind->query(plan, info);
    return RO_OK;
}

ro_status ro_plan_run(ro_plan *plan, const ro_image *in, ro_image *out, ro_report *report)
{
    return plan ? plan->kind->run(plan, in, out, report) : RO_E_ARGUMENT;
}

ro_status ro_plan_run_device(ro_plan *plan, const ro_image *in, ro_image *out, uint32_t count,
                             void *stream, ro_report *report)
{
    if (!plan)
        return RO_E_ARGUMENT;
    if (!plan->kind->run_device)
        return ro_context_fail(plan->context, RO_E_UNSUPPORTED,
                               "this plan runs images in host memory only");
    return plan->kind->run_device(plan, in, out, count, stream, report);
}

void ro_plan_free(ro_plan *plan)
{
    if (plan)
        plan->kind->free(plan);
}
