/* SPDX-License-Identifier: MIT */
/*
 * What is seen beside what should be: the reference lies as a picture of a scene does, in the
 * middle and as large as the hologram allows, and the view's intensity is scaled to fit it by least
 * squares. Similarity and speckle are means over squares of eight pixels.
 */
#include "context/context.h"
#include "core/image.h"
#include "core/misuse.h"
#include "core/options.h"
#include "hologram/field/field.h"
#include "roundoff/command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SQUARE = 8 };

struct compared {
    const ro_image *view, *reference;
    double pitch[2], pixel; /* metres: of the view, of the reference's */
    double peak;            /* the largest intensity of the reference */
    double scale, root;     /* of the view's intensity, of its root */
};

static float sample(const ro_image *image, uint32_t x, uint32_t y)
{
    return ((const float *)((const char *)image->data + (ptrdiff_t)y * image->stride))[x];
}

/* The reference's amplitude at a pixel of the view; -1 beside it. */
static double wanted(const struct compared *c, uint32_t x, uint32_t y)
{
    const ro_image *r = c->reference;
    const double u =
        floor((x + 0.5 - c->view->width / 2.0) * c->pitch[0] / c->pixel + r->width / 2.0);
    const double v =
        floor((y + 0.5 - c->view->height / 2.0) * c->pitch[1] / c->pixel + r->height / 2.0);
    if (!(u >= 0 && u < r->width && v >= 0 && v < r->height))
        return -1;
    return sample(r, (uint32_t)u, (uint32_t)v);
}

static double decibels(double peak, double error, double count)
{
    return error > 0 ? fmin(10 * log10(peak * peak * count / error), 300) : 300;
}

/* Scales by least squares, then the errors. */
static bool fit(struct compared *c, ro_view_figures *f)
{
    double vv = 0, vr = 0, roots = 0, root_cross = 0, count = 0, error = 0, root_error = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t y = 0; y < c->view->height; y++)
            for (uint32_t x = 0; x < c->view->width; x++) {
                const double a = wanted(c, x, y), i = fmax(sample(c->view, x, y), 0);
                if (a < 0)
                    continue;
                if (pass) {
                    error += pow(c->scale * i - a * a, 2);
                    root_error += pow(c->root * sqrt(i) - a, 2);
                    continue;
                }
                count++;
                vv += i * i;
                vr += i * a * a;
                roots += i;
                root_cross += sqrt(i) * a;
                c->peak = fmax(c->peak, a * a);
            }
        if (!(vv > 0) || !(vr > 0))
            return false;
        c->scale = vr / vv;
        c->root = root_cross / roots;
    }
    f->psnr = decibels(c->peak, error, count);
    f->amplitude_psnr = decibels(sqrt(c->peak), root_error, count);
    return true;
}

/* One square: its similarity, and where the reference is even and bright its speckle, else -1. */
static bool look_at(const struct compared *c, uint32_t x0, uint32_t y0, double *ssim,
                    double *speckle)
{
    const double n = SQUARE * SQUARE, c1 = pow(0.01 * c->peak, 2), c2 = pow(0.03 * c->peak, 2);
    double a = 0, b = 0, aa = 0, bb = 0, ab = 0, low = INFINITY, high = 0;
    for (uint32_t y = y0; y < y0 + SQUARE; y++)
        for (uint32_t x = x0; x < x0 + SQUARE; x++) {
            const double amplitude = wanted(c, x, y), i = c->scale * fmax(sample(c->view, x, y), 0);
            const double r = amplitude * amplitude;
            if (amplitude < 0)
                return false;
            a += i;
            aa += i * i;
            b += r;
            bb += r * r;
            ab += i * r;
            low = fmin(low, r);
            high = fmax(high, r);
        }
    a /= n;
    b /= n;
    aa = fmax(aa / n - a * a, 0);
    bb = fmax(bb / n - b * b, 0);
    ab = ab / n - a * b;
    *ssim = (2 * a * b + c1) * (2 * ab + c2) / ((a * a + b * b + c1) * (aa + bb + c2));
    *speckle = high - low <= 0.05 * c->peak && low >= 0.25 * c->peak && a > 0 ? sqrt(aa) / a : -1;
    return true;
}

static ro_status compare(ro_context *context, const ro_image *view, const ro_image *reference,
                         const ro_optics *optics, ro_view_figures *figures)
{
    if (MISSING(context, optics, figures))
        return RO_E_ARGUMENT;
    struct compared c = {.view = view, .reference = reference};
    ro_status status = image_check(context, view, "the view");
    if (status == RO_OK)
        status = image_check(context, reference, "the reference");
    if (status != RO_OK)
        return status;
    if (view->format != RO_GREYF || reference->format != RO_GREYF)
        return ro_context_fail(context, RO_E_ARGUMENT, "a view and its reference must be %s",
                               ro_format_name(RO_GREYF));
    field_pitch(optics, c.pitch);
    if (!(c.pitch[0] > 0 && c.pitch[1] > 0))
        c.pitch[0] = c.pitch[1] = 1;
    c.pixel = fmin(view->width * c.pitch[0] / reference->width,
                   view->height * c.pitch[1] / reference->height);
    *figures = (ro_view_figures){.speckle = -1};
    if (!fit(&c, figures))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "the view and the reference have no light in common");
    double ssim = 0, speckle = 0, squares = 0, even = 0;
    for (uint32_t y = 0; y + SQUARE <= view->height; y += SQUARE)
        for (uint32_t x = 0; x + SQUARE <= view->width; x += SQUARE) {
            double similar = 0, contrast = -1;
            if (!look_at(&c, x, y, &similar, &contrast))
                continue;
            ssim += similar;
            squares++;
            if (contrast >= 0) {
                speckle += contrast;
                even++;
            }
        }
    if (squares > 0)
        figures->ssim = ssim / squares;
    if (even > 0)
        figures->speckle = speckle / even;
    return RO_OK;
}

ro_status ro_view_compare(ro_context *context, const ro_image *view, const ro_image *reference,
                          const ro_optics *optics, ro_view_figures *figures)
{
    ro_view_figures full = {.size = sizeof full};
    ro_status status = report_check(context, figures);
    if (status != RO_OK)
        return status;
    status = compare(context, view, reference, optics, figures ? &full : NULL);
    report_give(figures, &full);
    return status;
}
