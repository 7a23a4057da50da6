/* SPDX-License-Identifier: MIT */
/* Plans to round fields of light to the levels of a modulator. */
#include "core/misuse.h"
#include "hologram/quantize/quantize.h"
#include "plan/call_plan.h"

static ro_status check(ro_context *context, const ro_image *in, const ro_image *out,
                       const void *options)
{
    ro_hologram_options read;
    (void)out;
    if (in->format != RO_GREYF || in->width % 2)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "light is float grey, two numbers a pixel, not %s of %u",
                               ro_format_name(in->format), in->width);
    return hologram_read(context, options, &read);
}

static void keep(struct keep *keep, void *given, const ro_image *in)
{
    ro_hologram_options *options = given;
    (void)in;
    keep_bytes(keep, &options->own, sizeof *options->own);
    if (options->table_count > 0)
        keep_bytes(keep, &options->table,
                   2 * sizeof *options->table * (size_t)options->table_count);
}

static ro_status run(ro_context *context, const ro_image *in, ro_image *out, const void *options,
                     void *report)
{
    const ro_field light = {
        .width = in->width / 2, .height = in->height, .stride = in->stride, .data = in->data};
    return ro_hologram_quantize(context, &light, out, options, report);
}

static const struct call_family family = {"hologram", &hologram_table, 1, check, keep, run};

ro_status ro_hologram_plan(ro_context *context, const ro_image *in,
                           const ro_hologram_options *options, ro_plan **plan)
{
    if (plan)
        *plan = NULL;
    if (MISSING(context, in, plan))
        return RO_E_ARGUMENT;
    const ro_image numbers = ro_image_view(RO_INDEX8, in->width / 2, in->height, NULL);
    return call_plan_make(context, &family, in, &numbers, options, plan);
}
