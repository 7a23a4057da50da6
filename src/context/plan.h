/* SPDX-License-Identifier: MIT */
/*
 * The plan behind the public handle: what the families put there.
 *
 * A family's plan has the memory of one run. If several threads run a plan at the same time, all
 * but the first take copies of it, which are kept for later runs: a plan has as many copies as were
 * ever needed at once, and a run allocates nothing when one is free.
 */
#ifndef RO_CONTEXT_PLAN_H
#define RO_CONTEXT_PLAN_H

#include "context/context.h"
#include "roundoff/plan.h"

struct plan_kind {
    void (*query)(const ro_plan *plan, ro_plan_info *info);
    ro_status (*run)(ro_plan *plan, const ro_image *in, const ro_image *out);
    /* NULL: it runs in host memory only. */
    ro_status (*run_device)(ro_plan *plan, const ro_image *in, const ro_image *out, uint32_t count,
                            void *stream);
    /* Makes another plan of the same kind that gives the same bits; from any thread. */
    ro_status (*copy)(const ro_plan *plan, ro_plan **copy);
    void (*free)(ro_plan *plan);
};

/* The first member of a family's plan. */
struct ro_plan {
    const struct plan_kind *kind;
    ro_context *context;
    pthread_mutex_t lock;
    bool runs;            /* its own memory is in use */
    struct ro_plan *idle; /* copies that are not in use */
    struct ro_plan *next; /* of an idle copy */
};

void plan_init(ro_plan *plan, const struct plan_kind *kind, ro_context *context);

/* Finds a plan that nobody runs, `plan` itself or a copy, for one run; plan_give ends it. */
ro_status plan_take(ro_plan *plan, ro_plan **taken);
void plan_give(ro_plan *plan, ro_plan *taken);

#endif
