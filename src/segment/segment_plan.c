/* SPDX-License-Identifier: MIT */
/* Plans to segment by level sets, into label numbers. */
#include "core/image.h"
#include "core/misuse.h"
#include "plan/call_plan.h"

static ro_status check(ro_context *context, const ro_image *in, const ro_image *out,
                       const void *given)
{
    const ro_segment_options *options = given;
    if (in->format == RO_BITS || in->format == RO_INDEX8)
        return ro_context_fail(context, RO_E_ARGUMENT, "an image of %s cannot be segmented",
                               ro_format_name(in->format));
    if (out->format != RO_GREY8 && out->format != RO_INDEX8)
        return ro_context_fail(context, RO_E_ARGUMENT, "labels cannot be %s",
                               ro_format_name(out->format));
    if (options->vectors)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "vectors are of one call, not of the runs of a plan");
    ro_status status = options->mask ? image_check(context, options->mask, "mask") : RO_OK;
    if (status == RO_OK && options->distance)
        status = image_check(context, options->distance, "distance");
    if (status == RO_OK && options->factor)
        status = image_check(context, options->factor, "factor");
    return status;
}

static void keep(struct keep *keep, void *given, const ro_image *in)
{
    ro_segment_options *options = given;
    keep_bytes(keep, &options->seeds, options->seed_count * sizeof *options->seeds);
    keep_bytes(keep, &options->velocity, 2 * sizeof(float) * (size_t)in->width * in->height);
    keep_image(keep, &options->mask, true);
    keep_image(keep, &options->distance, true);
    keep_image(keep, &options->factor, true);
}

static ro_status run(ro_context *context, const ro_image *in, ro_image *out, const void *options,
                     void *report)
{
    ro_segmentation *found;
    ro_status status = ro_segment(context, in, options, &found, report);
    if (status == RO_OK)
        status = ro_segmentation_labels(found, out);
    ro_segmentation_free(found);
    return status;
}

static const struct call_family family = {"level-sets", &segment_table, 1, check, keep, run};

ro_status ro_segment_plan(ro_context *context, const ro_image *in, ro_format out,
                          const ro_segment_options *options, ro_plan **plan)
{
    if (plan)
        *plan = NULL;
    if (MISSING(context, in, plan))
        return RO_E_ARGUMENT;
    const ro_image labels = ro_image_view(out, in->width, in->height, NULL);
    return call_plan_make(context, &family, in, &labels, options, plan);
}
