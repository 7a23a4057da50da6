/* SPDX-License-Identifier: MIT */
/* What an eye sees of a hologram: to the viewer's plane, through the eye, back to a depth. */
#include "context/context.h"
#include "core/image.h"
#include "hologram/field/field.h"
#include "hologram/propagate/propagate.h"
#include "hologram/scene/viewer.h"
#include "options/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double intensity(const float *v) { return (double)v[0] * v[0] + (double)v[1] * v[1]; }

static double mean_and_sigma(const float *data, uint32_t width, uint32_t height)
{
    double sum = 0, squares = 0, count = (double)width * height;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            double i = intensity(data + 2 * ((size_t)y * width + x));
            sum += i;
            squares += i * i;
        }
    double mean = sum / count;
    return mean + sqrt(fmax(squares / count - mean * mean, 0));
}

static void put(const float *data, const ro_image *out, double white)
{
    for (uint32_t y = 0; y < out->height; y++) {
        float *row = (float *)((char *)out->data + (ptrdiff_t)y * out->stride);
        for (uint32_t x = 0; x < out->width; x++) {
            double i = intensity(data + 2 * ((size_t)y * out->width + x));
            row[x] = (float)(white > 0 ? fmin(i / white, 1) : i);
        }
    }
}

static ro_status check(ro_context *context, const ro_field *in, const ro_image *out,
                       const ro_view *view)
{
    const ro_optics *o = &view->optics;
    ro_status status = field_check(context, in, "the field");
    if (status == RO_OK)
        status = image_check(context, out, "the picture");
    if (status == RO_OK)
        status = field_check_physics(context, o);
    if (status != RO_OK)
        return status;
    if (out->format != RO_GREYF || out->width != in->width || out->height != in->height)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "the picture is %s of %u x %u, not %s of %u x %u",
                               ro_format_name(out->format), out->width, out->height,
                               ro_format_name(RO_GREYF), in->width, in->height);
    bool eye = o->viewing_area[0] != 0 || o->viewing_area[1] != 0;
    if (eye && !(o->viewing_area[0] > 0 && o->viewing_area[1] > 0 && o->viewer[2] < 0))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "a viewing area of %g x %g m at z = %g m: it must lie in front of "
                               "the hologram, where z is negative",
                               o->viewing_area[0], o->viewing_area[1], o->viewer[2]);
    if (eye && !(viewer_sees(in->width, in->height, o)))
        return ro_context_fail(
            context, RO_E_ARGUMENT,
            "an eye at %g,%g m of %g x %g m sees no pixel of the viewer's plane, "
            "which is %g x %g m wide about 0,0 in pixels of %g m",
            o->viewer[0], o->viewer[1], o->viewing_area[0], o->viewing_area[1],
            in->width * o->pitch, in->height * o->pitch, o->pitch);
    return RO_OK;
}

ro_status ro_hologram_reconstruct(ro_context *context, const ro_field *in, ro_image *out,
                                  const ro_view *given, double *scale)
{
    DEVICE_TURN(context);
    struct propagation p;
    ro_view full;
    const ro_view *view = &full;
    ro_status status = options_read(context, &view_table, given, &full);
    if (status == RO_OK)
        status = check(context, in, out, view);
    if (status == RO_OK)
        status = field_has_transform(context, in); /* no NaN spreads over the picture */
    const ro_optics *o = &view->optics;
    double pitch[2];
    field_pitch(o, pitch);
    if (status == RO_OK)
        status = propagation_open(&p, context, in->width, in->height, o->wavelength, pitch);
    if (status != RO_OK)
        return status;
    p.phase = "reconstruct";
    float *data = dft_alloc(context, in->width, in->height);
    if (!data) {
        status = RO_E_MEMORY;
        goto done;
    }
    field_get(in, data);
    if (o->viewing_area[0] > 0) {
        p.share = 0.5;
        status = propagation_run(&p, data, -o->viewer[2]);
        if (status == RO_OK)
            viewer_crop(data, in->width, in->height, o);
        p.done = 0.5;
        if (status == RO_OK)
            status = propagation_run(&p, data, o->viewer[2] - view->depth);
    } else {
        status = propagation_run(&p, data, -view->depth);
    }
    if (status != RO_OK)
        goto done;
    const double white =
        view->scale > 0 ? view->scale : mean_and_sigma(data, in->width, in->height);
    if (scale)
        *scale = white;
    put(data, out, view->scale == RO_SCALE_NONE ? 0 : white);
done:
    free(data);
    propagation_close(&p);
    return status;
}
