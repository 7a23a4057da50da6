/* SPDX-License-Identifier: MIT */
/* The plan behind the public handle: what the families put there. */
#ifndef RO_CONTEXT_PLAN_H
#define RO_CONTEXT_PLAN_H

#include "context/context.h"
#include "roundoff/plan.h"

struct ro_plan_kind {
    void (*query)(const ro_plan *plan, ro_plan_info *info);
    ro_status (*run)(ro_plan *plan, const ro_image *in, const ro_image *out, ro_report *report);
    /* NULL: it runs in host memory only. */
    ro_status (*run_device)(ro_plan *plan, const ro_image *in, const ro_image *out, uint32_t count,
                            void *stream, ro_report *report);
    void (*free)(ro_plan *plan);
};

/* The first member of a family's plan. */
struct ro_plan {
    const struct ro_plan_kind *kind;
    ro_context *context;
};

#endif
