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

#define ALL_ROWS UINT32_MAX

struct plan_kind {
    void (*query)(const ro_plan *plan, ro_plan_info *info);
    /* `report` is as the caller gave it, or NULL. */
    ro_status (*run)(ro_plan *plan, const ro_image *in, const ro_image *out, void *report);
    /* NULL: it runs in host memory only. */
    ro_status (*run_device)(ro_plan *plan, const ro_image *in, const ro_image *out, uint32_t count,
                            void *stream);
    /* Opens a stream of rows first to first + rows - 1, or from 0 on ALL_ROWS. From any thread.
     * NULL: it runs whole images only. */
    ro_status (*stream)(ro_plan *plan, uint32_t first, uint32_t rows, void *report,
                        ro_stream **stream);
    /* Makes another plan of the same kind that gives the same bits; from any thread. NULL: a run
     * changes nothing in the plan, which needs no copies. */
    ro_status (*copy)(const ro_plan *plan, ro_plan **copy);
    void (*free)(ro_plan *plan);
};

struct stream_kind {
    ro_status (*push)(ro_stream *stream, const void *rows, ptrdiff_t stride, uint32_t count,
                      uint32_t *taken);
    ro_status (*pull)(ro_stream *stream, void *rows, ptrdiff_t stride, uint32_t count,
                      uint32_t *given);
    void (*close)(ro_stream *stream);
};

/* The first member of a family's stream. */
struct ro_stream {
    const struct stream_kind *kind;
};

/* The first member of a family's plan. */
struct ro_plan {
    const struct plan_kind *kind;
    ro_context *context;
    uint32_t inputs; /* images of a run */
    pthread_mutex_t lock;
    bool runs;            /* its own memory is in use */
    struct ro_plan *idle; /* copies that are not in use */
    struct ro_plan *next; /* of an idle copy */
};

void plan_init(ro_plan *plan, const struct plan_kind *kind, ro_context *context);

/* Fails with a message if a report was given to a plan that has none. */
ro_status plan_has_no_report(const ro_plan *plan, const void *report);

/* Finds a plan that nobody runs, `plan` itself or a copy, for one run; plan_give ends it. */
ro_status plan_take(ro_plan *plan, ro_plan **taken);
void plan_give(ro_plan *plan, ro_plan *taken);

#endif
