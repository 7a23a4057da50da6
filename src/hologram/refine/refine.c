/* SPDX-License-Identifier: MIT */
/* Options of a refinement to its parts, one after another. */
#include "hologram/refine/refine.h"

#include "context/context.h"
#include "core/image.h"
#include "core/options.h"
#include "hologram/field/field.h"
#include "hologram/quantize/quantize.h"
#include "options/table.h"

#include <stdlib.h>
#include <string.h>

static const float *target_row(const ro_image *target, uint32_t y)
{
    return (const float *)((const char *)target->data + (ptrdiff_t)y * target->stride);
}

/* What a row of the target has: its first sample that is impossible, and the first and the last
 * that are not black; the width where there is none. */
struct target_look {
    uint32_t bad, low, high;
};

static void look_row(struct refiner *f, const void *data, uint32_t y)
{
    const float *t = target_row(&f->o->target, y);
    struct target_look look = {f->width, f->width, f->width};
    for (uint32_t x = f->width; x-- > 0;) {
        if (!(t[x] >= 0 && t[x] <= 1e18f))
            look.bad = x;
        if (t[x] > 0) {
            look.high = look.low == f->width ? x : look.high;
            look.low = x;
        }
    }
    (*(struct target_look *const *)data)[y] = look;
}

/* ---- What was asked for ---------------------------------------------------------------------- */

static ro_status check_target(ro_context *context, const ro_image *out, const ro_refinement *o)
{
    ro_status status = image_check(context, &o->target, "the target");
    if (status != RO_OK)
        return status;
    if (o->target.format != RO_GREYF || o->target.width != out->width ||
        o->target.height != out->height)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "the target is %s of %u x %u, not amplitudes (%s) of %u x %u",
                               ro_format_name(o->target.format), o->target.width, o->target.height,
                               ro_format_name(RO_GREYF), out->width, out->height);
    return RO_OK;
}

/* Light of a modulator of side s spreads to points of lambda z / s: a picture needs some of them.
 */
static ro_status check_distance(ro_context *context, const ro_image *out,
                                const ro_hologram_options *options, const ro_refinement *o)
{
    enum { FEWEST = 4 };
    double pitch[2];
    field_pitch(&options->optics, pitch);
    const double side = fmin(pitch[0] * out->width, pitch[1] * out->height);
    const double most = side * side / options->optics.wavelength / FEWEST;
    if (fabs(o->distance) <= most || options_word(&refinement_table, o, edges) == EDGES_WRAP)
        return RO_OK;
    return ro_context_fail(context, RO_E_ARGUMENT,
                           "a target at a distance of %g m is beyond the band limit: a modulator "
                           "%.3g mm wide shows no more than %.2g points across there; at most %.3g "
                           "m, or behind a lens",
                           o->distance, 1e3 * side, FEWEST * most / fabs(o->distance), most);
}

static ro_status check(ro_context *context, const ro_field *in, const ro_image *out,
                       const ro_hologram_options *options, const ro_refinement *o)
{
    ro_status status = in ? field_check(context, in, "the field") : RO_OK;
    if (status == RO_OK)
        status = image_check(context, out, "the output");
    if (status == RO_OK && (out->format != RO_INDEX8 ||
                            (in && (out->width != in->width || out->height != in->height))))
        status = ro_context_fail(context, RO_E_ARGUMENT, "level numbers are %s of %u x %u",
                                 ro_format_name(RO_INDEX8), in ? in->width : out->width,
                                 in ? in->height : out->height);
    if (status == RO_OK)
        status = check_target(context, out, o);
    if (status == RO_OK)
        status = field_check_physics(context, &options->optics);
    if (status != RO_OK)
        return status;
    if (!(fabs(o->distance) >= 1e-9 && fabs(o->distance) <= 100))
        return ro_context_fail(
            context, RO_E_ARGUMENT,
            "a target at a distance of %g m: must be from 1e-9 to 100, either way", o->distance);
    status = check_distance(context, out, options, o);
    if (status == RO_OK)
        status = hologram_check_window(context, &options->window);
    if (status != RO_OK)
        return status;
    const uint32_t *r = o->region;
    if ((r[0] || r[1] || r[2] || r[3]) && !(r[2] && r[3]))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "a region of %u x %u pixels at %u,%u is empty", r[2], r[3], r[0],
                               r[1]);
    if ((uint64_t)r[0] + r[2] > out->width || (uint64_t)r[1] + r[3] > out->height)
        return ro_context_fail(
            context, RO_E_ARGUMENT,
            "a region of %u x %u pixels at %u,%u does not fit the field of %u x %u", r[2], r[3],
            r[0], r[1], out->width, out->height);
    return RO_OK;
}

static ro_status find_region(struct refiner *f)
{
    const ro_refinement *o = f->o;
    uint32_t low[2] = {UINT32_MAX, UINT32_MAX}, high[2] = {0, 0};
    struct target_look *looks = malloc(f->height * sizeof *looks);
    ro_status status = RO_OK;
    if (!looks)
        return ro_context_fail(f->context, RO_E_MEMORY, "no memory to look at the target");
    refine_rows(f, look_row, &looks);
    for (uint32_t y = 0; y < f->height && status == RO_OK; y++) {
        const struct target_look *l = &looks[y];
        if (l->bad < f->width)
            status = ro_context_fail(f->context, RO_E_ARGUMENT,
                                     "the target's amplitude at %u,%u is %g, which is not possible",
                                     l->bad, y, target_row(&o->target, y)[l->bad]);
        if (l->low == f->width)
            continue;
        low[0] = l->low < low[0] ? l->low : low[0];
        high[0] = l->high > high[0] ? l->high : high[0];
        low[1] = y < low[1] ? y : low[1];
        high[1] = y;
    }
    free(looks);
    if (status != RO_OK)
        return status;
    memcpy(f->region, o->region, sizeof f->region);
    for (int i = 0; i < 2 && !(o->region[2] && o->region[3]) && low[0] <= high[0]; i++) {
        f->region[i] = low[i];
        f->region[i + 2] = high[i] - low[i] + 1;
    }
    for (uint32_t y = f->region[1]; y < f->region[1] + f->region[3]; y++)
        for (uint32_t x = f->region[0]; x < f->region[0] + f->region[2]; x++)
            f->power += pow(target_row(&o->target, y)[x], 2);
    return f->power > 0 ? RO_OK
                        : ro_context_fail(f->context, RO_E_ARGUMENT,
                                          "the target is black: there is nothing to refine");
}

/* The share of the light, of levels that are computed as -1 to 1 four times what arrives of them.
 */
static double light_of(const struct refiner *f, bool amplitude)
{
    const bool ring = f->levels.kind == LEVELS_RING;
    const double usual = f->levels.real                                  ? 0.09
                         : ring && f->levels.count >= RO_REFINEMENT_MANY ? 0.25
                                                                         : 0.205;
    return f->o->light > 0 ? f->o->light / 100 * (amplitude ? 4 : 1) : usual;
}

static void scale_row(struct refiner *f, const void *data, uint32_t y)
{
    const double scale = *(const double *)data;
    const float *from = target_row(&f->o->target, y);
    float *to = f->target + (size_t)y * f->width;
    for (uint32_t x = 0; x < f->width; x++)
        to[x] = (float)(scale * from[x]);
}

void refine_use(struct refiner *f, int plane)
{
    const struct refine_plane *p = &f->plane[plane];
    f->o = &p->o;
    memcpy(f->region, p->region, sizeof f->region);
    f->power = p->power;
    f->bright = p->bright;
    f->target = p->target;
}

static void scale_target(struct refiner *f, double light)
{
    const double scale = sqrt(light * f->incident / f->power);
    refine_rows(f, scale_row, &scale);
    f->bright = (float)(scale * sqrt(f->power / ((double)f->region[2] * f->region[3])));
}

/* Regions and scaled targets of all planes; then the first one's turn. */
static ro_status open_planes(struct refiner *f, const ro_refinement *wanted, double light)
{
    ro_status status = RO_OK;
    f->planes = 1 + (wanted->planes ? wanted->plane_count : 0);
    for (int i = 0; i < f->planes && status == RO_OK; i++) {
        struct refine_plane *p = &f->plane[i];
        p->o = *wanted;
        if (i > 0) {
            p->o.target = wanted->planes[i - 1].target;
            p->o.distance = wanted->planes[i - 1].distance;
            memset(p->o.region, 0, sizeof p->o.region);
        }
        p->target = malloc((size_t)f->width * f->height * sizeof *p->target);
        if (!p->target)
            return ro_context_fail(f->context, RO_E_MEMORY, "no memory for %d planes", f->planes);
        f->o = &p->o;
        f->target = p->target;
        f->power = 0;
        status = find_region(f);
        if (status != RO_OK)
            break;
        scale_target(f, light / f->planes);
        memcpy(p->region, f->region, sizeof p->region);
        p->power = f->power;
        p->bright = f->bright;
    }
    if (status == RO_OK && f->planes > 1 && !(f->sum = dft_alloc(f->context, f->width, f->height)))
        status = RO_E_MEMORY;
    refine_use(f, 0);
    return status;
}

static ro_status check_planes(const struct refiner *f, const ro_image *out,
                              const ro_hologram_options *options, const ro_refinement *wanted)
{
    const int count = wanted->planes ? wanted->plane_count : 0;
    ro_status status = RO_OK;
    if (count && (f->levels.kind != LEVELS_RING || f->levels.count < RO_REFINEMENT_MANY))
        return ro_context_fail(f->context, RO_E_ARGUMENT, "several planes need %d phases or more",
                               RO_REFINEMENT_MANY);
    if (count && f->context->options.device == RO_DEVICE_CUDA)
        return ro_context_fail(f->context, RO_E_UNSUPPORTED,
                               "several planes are refined on the CPU only");
    for (int i = 0; i < count && status == RO_OK; i++) {
        ro_refinement one = *wanted;
        one.target = wanted->planes[i].target;
        one.distance = wanted->planes[i].distance;
        status = check(f->context, NULL, out, options, &one);
    }
    return status;
}

/* The worst figure of all planes, and their light together. */
static ro_status look_at_planes(struct refiner *f, double *psnr, double *light)
{
    ro_status status = RO_OK;
    *psnr = INFINITY;
    *light = 0;
    for (int i = 0; i < f->planes && status == RO_OK; i++) {
        double one = 0, part = 0;
        refine_use(f, i);
        status = refine_arrive(f, f->q);
        if (status == RO_OK)
            status = refine_figures(f, &one, &part);
        *psnr = fmin(*psnr, one);
        *light += part;
    }
    refine_use(f, 0);
    return status;
}

/* ---- The run --------------------------------------------------------------------------------- */

static ro_status run(struct refiner *f, ro_refinement_report *report)
{
    const bool ring = f->levels.kind == LEVELS_RING,
               many = ring && f->levels.count >= RO_REFINEMENT_MANY;
    const ro_refinement *o = f->o;
    double light;
    const int times = !is_default(o->refine) ? o->refine : many ? 50 : 10;
    f->iterations = !ring ? 0 : !is_default(o->iterations) ? o->iterations : many ? times : 15;
    f->passes = many ? 0 : !is_default(o->passes) ? o->passes : times;
    const double work = 2.0 * f->iterations + 18.0 * f->passes + 1;
    ro_status status = refine_start(f, 0.5);
    if (status == RO_OK)
        status = look_at_planes(f, &report->start_psnr, &light);
    f->share = 2.0 * f->iterations / work;
    if (status == RO_OK && f->iterations)
        status = refine_iterate(f);
    if (status == RO_OK && ring)
        status = refine_round(f);
    if (status == RO_OK && ring)
        status = refine_light(f, f->table, f->levels.count);
    f->done = f->share;
    f->share = 18.0 * f->passes / work;
    if (status == RO_OK && f->passes)
        status = refine_search(f);
    if (status == RO_OK)
        status = look_at_planes(f, &report->psnr, &report->efficiency);
    report->iterations = f->iterations;
    report->passes = f->passes;
    report->edges = f->light.wraps ? "wrap" : "dark";
    return status;
}

static ro_status open_refiner(struct refiner *f, const ro_hologram_options *options)
{
    ro_context *context = f->context;
    const size_t n = (size_t)f->width * f->height;
    double pitch[2];
    field_pitch(&options->optics, pitch);
    ro_status status = propagation_open(&f->light, context, f->width, f->height,
                                        options->optics.wavelength, pitch);
    if (status != RO_OK)
        return status;
    f->light.phase = "refine";
    f->light.share = 0;
    f->light.wraps = options_word(&refinement_table, f->o, edges) == EDGES_WRAP;
    f->light.window = options->window.width > 0 ? options->window : (ro_window){0, 0, 1, 1};
    float **fields[] = {&f->q, &f->y, &f->r};
    for (int i = 0; i < 3 && status == RO_OK; i++)
        status = (*fields[i] = dft_alloc(context, f->width, f->height)) ? RO_OK : RO_E_MEMORY;
    f->numbers = malloc(n);
    f->best = malloc(n);
    f->sums = malloc(f->height * sizeof *f->sums);
    f->figures = malloc(f->height * sizeof *f->figures);
    if (status == RO_OK && (!f->numbers || !f->best || !f->sums || !f->figures))
        status = ro_context_fail(context, RO_E_MEMORY, "no memory to refine %u x %u pixels",
                                 f->width, f->height);
    return status;
}

/* The light that falls on the modulator: 1, or the source. */
static ro_status take_source(struct refiner *f, const ro_field *source)
{
    const size_t n = (size_t)f->width * f->height;
    f->incident = (double)n;
    if (!source)
        return RO_OK;
    ro_status status = field_check(f->context, source, "the source");
    if (status == RO_OK && (source->width != f->width || source->height != f->height))
        status = ro_context_fail(f->context, RO_E_SIZE,
                                 "the source is %u x %u pixels, the modulator %u x %u",
                                 source->width, source->height, f->width, f->height);
    if (status == RO_OK && f->light.device)
        status = ro_context_fail(f->context, RO_E_UNSUPPORTED, "a source is taken on the CPU only");
    if (status == RO_OK && !(f->source = dft_alloc(f->context, f->width, f->height)))
        status = RO_E_MEMORY;
    if (status != RO_OK)
        return status;
    field_get(source, f->source);
    f->incident = 0;
    for (size_t i = 0; i < 2 * n; i++)
        f->incident += (double)f->source[i] * f->source[i];
    return f->incident > 0 && f->incident < 1e30
               ? RO_OK
               : ro_context_fail(f->context, RO_E_ARGUMENT,
                                 "the source has no light, or more than a number holds");
}

/* On a device what is there already goes along. */
static ro_status open_device(struct refiner *f)
{
    const struct refine_setup setup = {
        .context = f->context,
        .field = f->field,
        .light = f->light.device,
        .width = f->width,
        .height = f->height,
        .region = {f->region[0], f->region[1], f->region[2], f->region[3]},
        .target = f->target,
        .table = f->table,
        .levels = &f->levels,
    };
    return f->light.device ? refine_on_cuda->open(&setup, &f->device) : RO_OK;
}

static void close_refiner(struct refiner *f)
{
    if (f->device)
        refine_on_cuda->close(f->device);
    propagation_close(&f->light);
    for (int i = 0; i < f->planes; i++)
        free(f->plane[i].target);
    free(f->sum);
    free(f->q);
    free(f->y);
    free(f->r);
    free(f->numbers);
    free(f->best);
    free(f->source);
    free(f->sums);
    free(f->figures);
    free(f);
}

static ro_status refine(ro_context *context, const ro_field *in, ro_image *out,
                        const ro_hologram_options *given, const ro_refinement *refinement,
                        ro_refinement_report *told)
{
    DEVICE_TURN(context);
    static const char *const taken[] = {"levels", "table",   "table_count", "optics",
                                        "window", "measure", "source",      NULL};
    ro_hologram_options full;
    const ro_hologram_options *options = &full;
    ro_refinement wanted;
    ro_status status = hologram_read(context, given, &full);
    if (status == RO_OK)
        status = options_read(context, &refinement_table, refinement, &wanted);
    if (status == RO_OK)
        status = hologram_takes_only(context, options, "refinement", taken);
    if (status == RO_OK)
        status = check(context, in, out, options, &wanted);
    if (status != RO_OK)
        return status;
    struct refiner *f = calloc(1, sizeof *f);
    if (!f)
        return ro_context_fail(context, RO_E_MEMORY, "no memory to refine");
    f->context = context;
    f->field = in;
    f->o = &wanted;
    f->optics = &options->optics;
    f->width = out->width;
    f->height = out->height;
    bool amplitude;
    status = hologram_levels_of(context, options, f->table, &f->levels, &amplitude);
    if (status == RO_OK)
        status = open_refiner(f, options);
    if (status == RO_OK)
        status = take_source(f, options->source);
    if (status == RO_OK)
        status = check_planes(f, out, options, &wanted);
    ro_refinement_report report = {0};
    if (status == RO_OK)
        status = open_planes(f, &wanted, light_of(f, amplitude));
    if (status == RO_OK)
        status = refine_smooth(f);
    if (status == RO_OK)
        status = open_device(f);
    if (status == RO_OK)
        status = run(f, &report);
    if (status == RO_OK && f->device)
        status = refine_on_cuda->get_numbers(f->device, out);
    for (uint32_t y = 0; status == RO_OK && !f->device && y < out->height; y++)
        memcpy((uint8_t *)out->data + (ptrdiff_t)y * out->stride,
               f->numbers + (size_t)y * out->width, out->width);
    if (amplitude)
        report.efficiency /= 4;
    if (status == RO_OK && told)
        *told = report;
    *context_report(context) =
        (ro_report){.method = "refine",
                    .schedule = "tiles",
                    .width = out->width,
                    .height = out->height,
                    .device = f->device ? RO_DEVICE_CUDA : RO_DEVICE_CPU,
                    .cpu = f->light.kernel ? f->light.kernel->dft->cpu : RO_CPU_SCALAR,
                    .threads = pool_threads(context->pool),
                    .steps = (uint64_t)out->width * out->height};
    close_refiner(f);
    return status;
}

ro_status ro_hologram_refine(ro_context *context, const ro_field *in, ro_image *out,
                             const ro_hologram_options *given, const ro_refinement *refinement,
                             ro_refinement_report *told)
{
    ro_refinement_report full = {.size = sizeof full};
    ro_status status = report_check(context, told);
    if (status != RO_OK)
        return status;
    status = refine(context, in, out, given, refinement, told ? &full : NULL);
    report_give(told, &full);
    return status;
}
