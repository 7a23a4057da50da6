/* SPDX-License-Identifier: MIT */
/*
 * The scheme that needs no options. Tones are compared within their neighbourhood first. Where an
 * image is mostly flat, that makes noise as loud as edges, and the field follows it: blocks of four
 * by four pixels, in which noise averages out, then agree less after a scale than they did when the
 * displacement came to the finest grid, or hardly more. Plain differences are tried too in this
 * case, and what leaves the blocks more alike is kept.
 */
#include "register/auto.h"
#include "context/context.h"
#include "register/image.h"
#include "register/mask.h"
#include "register/register.h"

#include <stdlib.h>
#include <string.h>

static void copy_field(const ro_image *field, const ro_image *other, bool back)
{
    for (uint32_t y = 0; y < field->height; y++) {
        char *one = (char *)field->data + (ptrdiff_t)y * field->stride;
        char *two = (char *)other->data + (ptrdiff_t)y * other->stride;
        memcpy(back ? one : two, back ? two : one, field->width * sizeof(float));
    }
}

ro_status register_again(struct registration *flow, const ro_image *fixed, const ro_image *moving)
{
    ro_status status = register_load_images(flow, fixed, moving);
    for (int p = 0; p < 2; p++) {
        free(flow->keep[p]);
        flow->keep[p] = NULL;
    }
    return status == RO_OK ? register_mask(flow, true) : status;
}

ro_status register_plain(struct registration *flow, const ro_image *fixed, const ro_image *moving)
{
    flow->normalised = flow->balanced = false;
    return register_again(flow, fixed, moving);
}

/* A second record, where one is wanted. */
ro_status register_anew(struct registration *flow)
{
    const size_t steps = (size_t)flow->options.scales * flow->constants.updates;
    if (!flow->report.record)
        return RO_OK;
    ro_register_step *record = calloc(steps, sizeof *record);
    if (!record)
        return ro_context_fail(flow->context, RO_E_MEMORY, "no memory for a record of updates");
    flow->report.record = record;
    return RO_OK;
}

/* What became of the first flow, while the second runs. */
static ro_status set_aside(struct registration *flow, const ro_image *field, ro_image *kept)
{
    ro_status status =
        ro_image_alloc(flow->context, RO_GREYF, field->width, field->height, 0, kept);
    if (status == RO_OK)
        copy_field(field, kept, false);
    return status;
}

/* The second flow, from the same start. */
static ro_status run_plain(struct registration *flow, const ro_image *fixed, const ro_image *moving,
                           const ro_image *field, ro_report *ran)
{
    ro_status status = register_anew(flow);
    if (status == RO_OK)
        status = register_plain(flow, fixed, moving);
    return status == RO_OK ? flow_on_cpu(flow, field, ran) : status;
}

ro_status register_auto(struct registration *flow, const ro_image *fixed, const ro_image *moving,
                        const ro_image *field, ro_report *ran)
{
    if (flow->on_device)
        return register_two(flow, fixed, moving, field, ran);
    const ro_register_report before = flow->report;
    flow->watched = true;
    ro_status status = flow_on_cpu(flow, field, ran);
    const double ended = flow_disagreement(flow, &flow->ended);
    flow->watched = false;
    if (status == RO_OK && flow_doubted(flow)) {
        ro_image kept = {0};
        const ro_register_report first = flow->report;
        status = set_aside(flow, field, &kept);
        flow->report = before;
        if (status == RO_OK)
            status = run_plain(flow, fixed, moving, field, ran);
        if (status == RO_OK && !(flow_disagreement(flow, &flow->ended) < ended)) {
            copy_field(field, &kept, true);
            free(flow->report.record);
            flow->report = first;
            flow->normalised = true;
        } else if (first.record != flow->report.record) {
            free(first.record);
        }
        ro_image_free(&kept);
    }
    return status;
}
