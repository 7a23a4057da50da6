/* SPDX-License-Identifier: MIT */
/* Segmentation: from options and an image to fronts, and from fronts to results. */
#include "segment/segment.h"

#include "core/checked.h"
#include "core/image.h"
#include "core/misuse.h"
#include "core/options.h"
#include "options/table.h"

#include <stdlib.h>
#include <string.h>

/* ---- What is asked for ----------------------------------------------------------------------- */

static void find_numbers(struct ro_segmentation *work)
{
    ro_segment_options *options = &work->options;
    work->number = level_number_find(options->number ? options->number : "s16");
    work->norm = level_norm_find(options->norm ? options->norm : "lin");
    work->report.number = work->number->name;
    work->report.norm = work->norm->name;
    if (is_default(options->smooth))
        options->smooth = 0;
    if (is_default_count(options->iterations)) {
        const uint64_t most = 32 * ((uint64_t)work->width + work->height);
        options->iterations = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
    }
}

static ro_status check_speed(struct ro_segmentation *work, int label)
{
    ro_context *context = work->context;
    const ro_speed *speed = &work->options.speed[label];
    const double parts[] = {speed->constant, speed->gaussian, speed->mean, speed->window,
                            speed->low,      speed->high,     speed->edge, speed->curvature,
                            speed->kappa,    speed->deviation};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!(fabs(parts[i]) <= 1e9))
            return ro_context_fail(context, RO_E_ARGUMENT,
                                   "a speed of label %d is not a number, or above 1e9", label + 1);
    if (speed->coefficients < 0 || speed->coefficients > RO_POLYNOMIAL)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "a polynomial of %d coefficients: must be from 1 to %d",
                               speed->coefficients, RO_POLYNOMIAL);
    if (speed->gaussian != 0 && !(speed->deviation > 0))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "a Gaussian of width %g: it must be positive", speed->deviation);
    if (speed->window != 0 && speed->low > speed->high)
        return ro_context_fail(context, RO_E_ARGUMENT, "the window from %g to %g is empty",
                               speed->low, speed->high);
    if (speed->edge != 0 && !(speed->kappa > 0))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "an edge of gradient %g: it must be positive", speed->kappa);
    if (speed->curvature < 0)
        return ro_context_fail(context, RO_E_ARGUMENT, "curvature %g: it must not be negative",
                               speed->curvature);
    return RO_OK;
}

static ro_status check_image(struct ro_segmentation *work, const ro_image *image, const char *role,
                             bool floats)
{
    if (!image)
        return RO_OK;
    ro_status status = image_check(work->context, image, role);
    if (status != RO_OK)
        return status;
    bool bytes = image->format == RO_GREY8 || image->format == RO_INDEX8;
    if (floats ? image->format != RO_GREYF : !bytes)
        return ro_context_fail(work->context, RO_E_ARGUMENT, "the %s is %s, not %s", role,
                               ro_format_name(image->format),
                               floats ? "grey floats" : "8-bit grey");
    if (image->width != work->width || image->height != work->height)
        return ro_context_fail(work->context, RO_E_SIZE,
                               "the %s is %u x %u but the image is %u x %u", role, image->width,
                               image->height, work->width, work->height);
    return RO_OK;
}

static ro_status check_factor(struct ro_segmentation *work)
{
    const ro_image *factor = work->options.factor;
    if (!factor)
        return RO_OK;
    ro_status status = image_check(work->context, factor, "factor");
    if (status == RO_OK && factor->format != RO_GREY8 && factor->format != RO_GREY16 &&
        factor->format != RO_GREYF)
        status = ro_context_fail(work->context, RO_E_ARGUMENT, "the factor is %s, not grey",
                                 ro_format_name(factor->format));
    if (status == RO_OK && (factor->width != work->width || factor->height != work->height))
        status = ro_context_fail(work->context, RO_E_SIZE,
                                 "the factor is %u x %u but the image is %u x %u", factor->width,
                                 factor->height, work->width, work->height);
    for (uint32_t y = 0; status == RO_OK && factor->format == RO_GREYF && y < work->height; y++) {
        const float *row = (const float *)(const void *)((const char *)factor->data +
                                                         (ptrdiff_t)y * factor->stride);
        for (uint32_t x = 0; x < work->width && status == RO_OK; x++)
            if (!(fabsf(row[x]) <= 1e6f))
                status = ro_context_fail(work->context, RO_E_ARGUMENT,
                                         "the factor at pixel (%u, %u) is not a number, or above "
                                         "1e6",
                                         x, y);
    }
    return status;
}

static ro_status check_seeds(struct ro_segmentation *work)
{
    const ro_segment_options *options = &work->options;
    if (options->seed_count > 0 && !options->seeds)
        return ro_context_fail(work->context, RO_E_ARGUMENT, "%zu seeds, but no list of them",
                               options->seed_count);
    for (size_t i = 0; i < options->seed_count; i++) {
        const ro_seed *seed = &options->seeds[i];
        if (seed->label < 0 || seed->label > RO_LABELS)
            return ro_context_fail(work->context, RO_E_ARGUMENT,
                                   "a seed of label %d: labels go from 1 to %d", seed->label,
                                   RO_LABELS);
        if (!(seed->x >= 0 && seed->x <= work->width - 1.0 && seed->y >= 0 &&
              seed->y <= work->height - 1.0))
            return ro_context_fail(work->context, RO_E_ARGUMENT,
                                   "the seed (%g, %g) is outside the image of %u x %u pixels",
                                   seed->x, seed->y, work->width, work->height);
        if (!(seed->radius >= 0 && seed->radius <= 1e9))
            return ro_context_fail(work->context, RO_E_ARGUMENT,
                                   "a seed of radius %g: it must be positive", seed->radius);
    }
    ro_status status = check_image(work, options->mask, "mask", false);
    if (status == RO_OK)
        status = check_image(work, options->distance, "distance", true);
    for (uint32_t y = 0; options->mask && y < work->height && status == RO_OK; y++)
        for (uint32_t x = 0; x < work->width; x++) {
            int label =
                ((const uint8_t *)options->mask->data + (ptrdiff_t)y * options->mask->stride)[x];
            if (label > RO_LABELS)
                return ro_context_fail(work->context, RO_E_ARGUMENT,
                                       "label %d in the mask at (%u, %u): labels go from 1 to %d",
                                       label, x, y, RO_LABELS);
        }
    for (uint32_t y = 0; options->distance && y < work->height && status == RO_OK; y++) {
        const float *row = (const float *)(const void *)((const char *)options->distance->data +
                                                         (ptrdiff_t)y * options->distance->stride);
        for (uint32_t x = 0; x < work->width; x++)
            if (isnan(row[x]))
                return ro_context_fail(work->context, RO_E_ARGUMENT,
                                       "the distance at pixel (%u, %u) is not a number", x, y);
    }
    for (size_t i = 0; options->velocity && i < 2 * (size_t)work->width * work->height; i++)
        if (!(fabsf(options->velocity[i]) <= 1e6f))
            return ro_context_fail(work->context, RO_E_ARGUMENT,
                                   "the velocity at pixel (%zu, %zu) is not a number, or above 1e6",
                                   i / 2 % work->width, i / 2 / work->width);
    return status;
}

static ro_status check(struct ro_segmentation *work, const ro_image *in)
{
    ro_context *context = work->context;
    size_t pixels;
    if (in->format == RO_BITS || in->format == RO_INDEX8)
        return ro_context_fail(context, RO_E_ARGUMENT, "an image of %s cannot be segmented",
                               ro_format_name(in->format));
    if (!size_multiply(work->width, work->height, &pixels) || pixels > SIZE_MAX / 64)
        return ro_context_fail(context, RO_E_SIZE, "an image of %u x %u is too large", work->width,
                               work->height);
    find_numbers(work);
    ro_status status = RO_OK;
    for (int i = 0; i < RO_LABELS && status == RO_OK; i++)
        status = check_speed(work, i);
    bool edges = false;
    for (int i = 0; i < RO_LABELS; i++)
        edges |= work->options.speed[i].edge != 0;
    if (status == RO_OK && work->options.sigma > 0 && !edges)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "sigma needs a speed with an edge; smooth smooths intensities");
    if (status == RO_OK)
        status = check_factor(work);
    if (status == RO_OK)
        status = check_seeds(work);
    return status;
}

/* ---- Results --------------------------------------------------------------------------------- */

/* Whether a point lies on the border of the image. */
static bool on_border(const struct ro_segmentation *work, const double *point)
{
    return point[0] < 0 || point[1] < 0 || point[0] > work->width - 1 ||
           point[1] > work->height - 1;
}

static bool is_inside(const struct level_front *front, uint32_t x, uint32_t y)
{
    return level_value(&front->level, &front->phi[front->now], x, y) < 0;
}

static void measure(struct ro_segmentation *work)
{
    for (int i = 0; i < RO_LABELS; i++) {
        ro_segment_label *report = &work->report.label[i];
        const struct level_front *front = &work->front[i];
        for (uint32_t y = 0; report->used && y < work->height; y++) {
            const uint32_t right = work->width - 1;
            uint32_t inside = 0;
            for (uint32_t x = 0; x <= right; x++)
                inside += is_inside(front, x, y);
            report->area += inside;
            report->border |= y == 0 || y + 1 == work->height
                                  ? inside > 0
                                  : is_inside(front, 0, y) || is_inside(front, right, y);
        }
        const uint64_t pixels = (uint64_t)work->width * work->height;
        if (report->used && report->area >= pixels - pixels / 256)
            report->useless = RO_LABEL_EVERYTHING;
        else if (report->used && report->area == 0)
            report->useless = RO_LABEL_NOTHING;
    }
    for (size_t i = 0; i < work->outlines.count; i++) {
        const ro_polyline *line = &work->outlines.lines[i];
        double *length = &work->report.label[line->label - 1].perimeter;
        for (size_t k = 0; k < line->count; k++) {
            const double *a = line->points + 2 * (k ? k - 1 : line->count - 1);
            const double *b = line->points + 2 * k;
            if (!on_border(work, a) && !on_border(work, b))
                *length += hypot(b[0] - a[0], b[1] - a[1]);
        }
    }
}

ro_status ro_segment(ro_context *context, const ro_image *in, const ro_segment_options *options,
                     ro_segmentation **result, ro_segment_report *report)
{
    if (result)
        *result = NULL;
    if (MISSING(context, in, result))
        return RO_E_ARGUMENT;
    ro_segment_report full = {.size = sizeof full};
    ro_status status = report_check(context, report);
    if (status != RO_OK)
        return status;
    status = segment_in_depth(context, in, options, 0, result, report ? &full : NULL);
    report_give(report, &full);
    return status;
}

ro_status segment_in_depth(ro_context *context, const ro_image *in,
                           const ro_segment_options *options, uint32_t depth,
                           ro_segmentation **result, ro_segment_report *report)
{
    *result = NULL;
    ro_status status = image_check(context, in, "input");
    if (status != RO_OK)
        return status;
    struct ro_segmentation *work = calloc(1, sizeof *work);
    if (!work)
        return ro_context_fail(context, RO_E_MEMORY, "no memory to segment");
    work->context = context;
    work->depth = depth;
    work->width = in->width;
    work->height = in->height;
    status = options_read(context, &segment_table, options, &work->options);
    if (status == RO_OK)
        status = check(work, in);
    if (status == RO_OK)
        status = fronts_make(work, in);
    if (status == RO_OK)
        status = vectors_begin(work);
    if (status == RO_OK)
        status = fronts_evolve(work);
    if (status == RO_OK)
        status = contours_make(work);
    if (status != RO_OK) {
        ro_segmentation_free(work);
        return status;
    }
    vectors_end(work);
    measure(work);
    if (report)
        *report = work->report;
    *result = work;
    return RO_OK;
}

void ro_segmentation_free(ro_segmentation *work)
{
    if (!work)
        return;
    for (int i = 0; i < RO_LABELS; i++) {
        struct level_front *front = &work->front[i];
        level_field_free(&front->phi[0]);
        level_field_free(&front->phi[1]);
        level_field_free(&front->speed);
        free(work->faint[i]);
    }
    level_field_free(&work->vx);
    level_field_free(&work->vy);
    outlines_drop(&work->outlines);
    free(work);
}

static double phi_of(const ro_segmentation *work, int label, uint32_t x, uint32_t y)
{
    const struct level_front *front = &work->front[label];
    return level_value(&front->level, &front->phi[front->now], x, y) /
           ((double)work->number->slope * work->scale[label]);
}

static ro_status check_view(const ro_segmentation *work, const ro_image *view, bool floats)
{
    ro_status status = image_check(work->context, view, "output");
    if (status != RO_OK)
        return status;
    bool bytes = view->format == RO_GREY8 || view->format == RO_INDEX8;
    if (floats ? view->format != RO_GREYF : !bytes)
        return ro_context_fail(work->context, RO_E_ARGUMENT, "the output is %s, not %s",
                               ro_format_name(view->format), floats ? "grey floats" : "8-bit grey");
    if (view->width != work->width || view->height != work->height)
        return ro_context_fail(work->context, RO_E_SIZE,
                               "the output is %u x %u but the image is %u x %u", view->width,
                               view->height, work->width, work->height);
    return RO_OK;
}

ro_status ro_segmentation_labels(const ro_segmentation *work, ro_image *labels)
{
    if (ABSENT(work))
        return RO_E_ARGUMENT;
    ro_status status = check_view(work, labels, false);
    for (uint32_t y = 0; y < work->height && status == RO_OK; y++) {
        uint8_t *row = (uint8_t *)labels->data + (ptrdiff_t)y * labels->stride;
        for (uint32_t x = 0; x < work->width; x++) {
            double deepest = 0;
            row[x] = 0;
            for (int i = 0; i < RO_LABELS; i++) {
                const struct level_front *front = &work->front[i];
                if (!work->report.label[i].used ||
                    !(level_value(&front->level, &front->phi[front->now], x, y) < 0))
                    continue;
                double phi = phi_of(work, i, x, y);
                if (phi < deepest) {
                    deepest = phi;
                    row[x] = (uint8_t)(i + 1);
                }
            }
        }
    }
    return status;
}

ro_status ro_segmentation_phi(const ro_segmentation *work, int label, ro_image *phi)
{
    if (ABSENT(work))
        return RO_E_ARGUMENT;
    if (label < 1 || label > RO_LABELS || !work->report.label[label - 1].used)
        return ro_context_fail(work->context, RO_E_ARGUMENT, "there is no label %d", label);
    ro_status status = check_view(work, phi, true);
    for (uint32_t y = 0; y < work->height && status == RO_OK; y++) {
        float *row = (float *)(void *)((char *)phi->data + (ptrdiff_t)y * phi->stride);
        for (uint32_t x = 0; x < work->width; x++)
            row[x] = (float)phi_of(work, label - 1, x, y);
    }
    return status;
}

ro_status ro_segmentation_contours(ro_segmentation *work, const ro_polyline **lines, size_t *count)
{
    if (lines)
        *lines = NULL;
    if (ABSENT(work, lines, count))
        return RO_E_ARGUMENT;
    ro_status status = work->outlines.lines ? RO_OK : contours_make(work);
    *lines = work->outlines.lines;
    *count = work->outlines.count;
    return status;
}
