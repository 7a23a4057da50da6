/* SPDX-License-Identifier: MIT */
/* Plans to register pairs of images. */
#include "core/image.h"
#include "core/misuse.h"
#include "plan/call_plan.h"

static ro_status check(ro_context *context, const ro_image *in, const ro_image *out,
                       const void *given)
{
    const ro_register_options *options = given;
    (void)in;
    (void)out;
    ro_status status = RO_OK;
    if (options->fixed_mask)
        status = image_check(context, options->fixed_mask, "mask of the fixed image");
    if (status == RO_OK && options->moving_mask)
        status = image_check(context, options->moving_mask, "mask of the moving image");
    return status;
}

static void keep(struct keep *keep, void *given, const ro_image *in)
{
    ro_register_options *options = given;
    (void)in;
    keep_image(keep, &options->fixed_mask, true);
    keep_image(keep, &options->moving_mask, true);
}

static ro_status run(ro_context *context, const ro_image *in, ro_image *out, const void *options,
                     void *report)
{
    return ro_register(context, &in[0], &in[1], out, options, report);
}

static const struct call_family family = {"register", &register_table, 2, check, keep, run};

ro_status ro_register_plan(ro_context *context, const ro_image *fixed, const ro_image *moving,
                           const ro_register_options *options, ro_plan **plan)
{
    if (plan)
        *plan = NULL;
    if (MISSING(context, fixed, moving, plan))
        return RO_E_ARGUMENT;
    if (fixed->width > UINT32_MAX / 2)
        return ro_context_fail(context, RO_E_SIZE, "a field for %u pixels is too wide",
                               fixed->width);
    const ro_image pair[2] = {*fixed, *moving};
    const ro_image field = ro_image_view(RO_GREYF, 2 * fixed->width, fixed->height, NULL);
    return call_plan_make(context, &family, pair, &field, options, plan);
}
