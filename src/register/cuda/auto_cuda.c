/* SPDX-License-Identifier: MIT */
/*
 * The scheme auto on a device. On small grids a flow leaves most of the device idle: the flow of
 * plain differences, which may or may not be needed, runs there beside the first one, as far as its
 * scales are small. It is left where the first flow does not go astray.
 */
#include "context/context.h"
#include "cuda/cuda.h"
#include "register/auto.h"
#include "register/cuda/register_cuda.h"

#include <stdlib.h>

enum { MOST_BESIDE = 1 << 24 }; /* pixels of images whose flows may both be in memory */

/* The second flow, and how far it is. */
struct second {
    struct registration flow;
    const ro_image *fixed, *moving;
    bool tried;       /* to open it */
    bool begun, more; /* a scale is under way; there is one to come or under way */
};

/* Takes memory of its own and begins with the start of the first. */
static void open_second(struct second *second)
{
    struct registration *flow = &second->flow;
    second->tried = true;
    flow->status = register_plain(flow, second->fixed, second->moving);
    if (flow->status == RO_OK)
        flow->status = register_on_cuda->open(flow);
    if (flow->status == RO_OK)
        flow_start(flow);
    second->more = flow->status == RO_OK;
}

/* What can be done for the second flow without making the first one wait, whose next scale must
 * find room. */
static void go_on_beside(struct second *second, const struct registration *first)
{
    struct registration *flow = &second->flow;
    const int next = first->k + 1;
    if (!second->tried)
        open_second(second);
    if (second->begun && !register_on_cuda->busy(flow)) {
        second->begun = false;
        second->more = flow_end_scale(flow);
    }
    if (second->more && !second->begun && register_on_cuda->small(flow, flow->k) &&
        next < first->scales && register_on_cuda->small(first, next)) {
        flow_begin_scale(flow);
        second->begun = true;
    }
}

/* All that is left of it. */
static ro_status run_second(struct second *second, ro_report *ran)
{
    struct registration *flow = &second->flow;
    const bool had_room = second->tried && flow->data && flow->status == RO_OK;
    flow->beside = false;
    if (!had_room) {
        if (flow->data)
            register_on_cuda->close(flow, false, ran);
        flow->images[0] = flow->images[1] = NULL;
        open_second(second);
    }
    while (second->more) {
        if (!second->begun)
            flow_begin_scale(flow);
        second->begun = false;
        second->more = flow_end_scale(flow);
    }
    if (flow->status == RO_OK)
        flow_finish(flow);
    const ro_status status = flow->status;
    if (!flow->data)
        return status;
    const ro_status closed = register_on_cuda->close(flow, true, ran);
    return status != RO_OK ? status : closed;
}

/* The first flow to its end; the second as far as it comes meanwhile. */
static ro_status run_first(struct registration *flow, struct second *second, ro_report *ran)
{
    /* one of a turned image never goes astray */
    const bool beside = !flow->negative && (long long)flow->width * flow->height <= MOST_BESIDE;
    flow->status = register_on_cuda->open(flow);
    if (!flow->data)
        return flow->status;
    if (flow->status == RO_OK)
        flow_start(flow);
    bool more = flow->status == RO_OK;
    while (more) {
        flow_begin_scale(flow);
        while (beside && flow->status == RO_OK && register_on_cuda->busy(flow))
            go_on_beside(second, flow);
        more = flow_end_scale(flow);
    }
    flow_finish(flow);
    return register_on_cuda->close(flow, true, ran);
}

/* The place of the first flow is taken by the second; the better one's field is the result. */
static void choose(struct registration *flow, struct second *second)
{
    const struct registration first = *flow;
    const double ended = flow_disagreement(&first, &first.ended);
    for (int p = 0; p < 2; p++)
        free(first.keep[p]);
    *flow = second->flow;
    second->flow.keep[0] = second->flow.keep[1] = NULL;
    second->flow.report.record = NULL;
    if (flow_disagreement(flow, &flow->ended) < ended) {
        free(first.report.record);
        return;
    }
    free(flow->report.record);
    flow->report = first.report;
    flow->normalised = true;
    flow->result = 0;
}

ro_status register_two(struct registration *flow, const ro_image *fixed, const ro_image *moving,
                       const ro_image *field, ro_report *ran)
{
    struct second *second = calloc(1, sizeof *second);
    if (!second)
        return ro_context_fail(flow->context, RO_E_MEMORY, "no memory for a registration");
    second->fixed = fixed;
    second->moving = moving;
    second->flow = *flow;
    second->flow.keep[0] = second->flow.keep[1] = NULL;
    second->flow.images[0] = second->flow.images[1] = NULL;
    second->flow.result = 1;
    second->flow.beside = true;
    ro_status status = register_anew(&second->flow);
    const bool alone = status != RO_OK; /* the record is the first one's yet */
    flow->watched = true;
    if (status == RO_OK)
        status = run_first(flow, second, ran);
    flow->watched = false;
    if (status == RO_OK && flow_doubted(flow)) {
        status = run_second(second, ran);
        if (status == RO_OK)
            choose(flow, second);
    } else if (second->flow.data) {
        register_on_cuda->close(&second->flow, false, ran);
    }
    for (int p = 0; p < 2; p++)
        free(second->flow.keep[p]);
    if (!alone)
        free(second->flow.report.record);
    free(second);
    return status == RO_OK ? flow_fetch(flow, field) : status;
}
