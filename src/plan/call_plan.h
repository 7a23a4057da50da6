/* SPDX-License-Identifier: MIT */
/*
 * Plans of methods whose calls keep nothing for the next: a plan is the shapes of its images and a
 * copy of its options, with all that these point to, checked once. A run is such a call. It changes
 * nothing in the plan and has scratch memory of its own, so a plan needs no copies for threads.
 */
#ifndef RO_PLAN_CALL_PLAN_H
#define RO_PLAN_CALL_PLAN_H

#include "core/keep.h"
#include "options/table.h"
#include "roundoff/plan.h"

enum { CALL_INPUTS = 2 };

struct call_family {
    const char *method;
    const ro_option_table *table;
    int inputs; /* images that a run takes: 1 to CALL_INPUTS */
    /* Checks what can be checked without pixels, and images that `keep` copies. */
    ro_status (*check)(ro_context *context, const ro_image *in, const ro_image *out,
                       const void *options);
    /* Copies what options point to beside their texts. NULL: nothing. */
    void (*keep)(struct keep *keep, void *options, const ro_image *in);
    /* `report` is as the caller gave it, or NULL. */
    ro_status (*run)(ro_context *context, const ro_image *in, ro_image *out, const void *options,
                     void *report);
};

/* Of `inputs` shapes and the shape of the output format, size and maxval are used. */
ro_status call_plan_make(ro_context *context, const struct call_family *family, const ro_image *in,
                         const ro_image *out, const void *options, ro_plan **plan);

#endif
