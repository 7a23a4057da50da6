/* SPDX-License-Identifier: MIT */
/* Rounding a field to a modulator's levels: options to a job of hogels, the job to a schedule. */
#include "hologram/quantize/quantize.h"
#include "context/context.h"
#include "core/checked.h"
#include "core/cpu.h"
#include "core/image.h"
#include "core/options.h"
#include "hologram/field/field.h"
#include "hologram/quantize/cuda/diffuse_cuda.h"
#include "hologram/quantize/hogels.h"
#include "hologram/quantize/hologram_measure.h"
#include "options/table.h"
#include "roundoff/pieces.h"

#include <stdlib.h>
#include <string.h>

/* The paper's weights keep noise out of frequencies above FRAME / 2 too. */
static const double FRAME = 0.9;

static const char *const weights_names[] = {"ls", "paper", "paper-rounding", "window"};

struct quantizer {
    struct hologram_job job;
    ro_hologram_options o;
    ro_hologram_report *told;       /* NULL: nobody wants it */
    const ro_hologram_piece *piece; /* NULL: the field is whole */
    enum algorithm algorithm;
    enum weights weights;
    bool windowed, cuda;
    int schedule;
    bool amplitude; /* levels of -1 to 1 that stand for light of 0 to 1 */
    bool prepared;  /* the device has the hogels of the next run */
    struct hologram_levels levels;
    float table[2 * RO_HOLOGRAM_LEVELS];
    double gain;
    ro_hogel_report *reports;
};

/* ---- Options --------------------------------------------------------------------------------- */

static void take_words(struct quantizer *q)
{
    const ro_option_table *table = &hologram_table;
    q->algorithm = (enum algorithm)options_word(table, &q->o, algorithm);
    q->windowed = q->algorithm == VDED || q->algorithm == SWED;
    q->weights = (enum weights)options_word(table, &q->o, weights);
    q->schedule = (int)options_word(table, &q->o, schedule);
}

/* Where the window comes from. */
static ro_status check_optics(ro_context *context, const struct quantizer *q)
{
    const ro_hologram_options *o = &q->o;
    ro_status status = hologram_check_window(context, &o->window);
    if (status != RO_OK || o->window.width > 0)
        return status;
    if (!q->windowed && o->optics.wavelength == 0)
        return RO_OK;
    const ro_optics *optics = &o->optics;
    if (optics->wavelength == 0 || optics->pitch == 0)
        return ro_context_fail(
            context, RO_E_ARGUMENT,
            "%s needs a window, or the wavelength, pitch and viewer of the field", o->algorithm);
    status = field_check_physics(context, optics);
    if (status != RO_OK)
        return status;
    if (!(optics->viewer[2] < 0) || !isfinite(optics->viewer[2]) || !isfinite(optics->viewer[0]) ||
        !isfinite(optics->viewer[1]))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "a viewer at %g,%g,%g m: z must be negative, in front of the "
                               "hologram",
                               optics->viewer[0], optics->viewer[1], optics->viewer[2]);
    if (!(optics->viewing_area[0] > 0 && optics->viewing_area[1] > 0) ||
        !isfinite(optics->viewing_area[0] + optics->viewing_area[1]))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "a viewing area of %g x %g m: both must be positive",
                               optics->viewing_area[0], optics->viewing_area[1]);
    return RO_OK;
}

/* ---- Hogels ---------------------------------------------------------------------------------- */

static ro_status own_taps(ro_context *context, const ro_hologram_taps *own, int p,
                          struct hologram_taps *taps)
{
    if (own->count < 1 || own->count > RO_HOLOGRAM_TAPS)
        return ro_context_fail(context, RO_E_ARGUMENT, "%d taps: must be from 1 to %d", own->count,
                               RO_HOLOGRAM_TAPS);
    int least = 1, shift = 0;
    double most = 0;
    for (int i = 0; i < own->count; i++) {
        int dx = own->dx[i], dy = own->dy[i];
        if (abs(dx) > REACH_X || dy < 0 || dy > REACH_Y || (dy == 0 && dx <= 0))
            return ro_context_fail(
                context, RO_E_ARGUMENT,
                "tap %d,%d is not an earlier pixel, or is more than %d columns or %d rows away", dx,
                dy, REACH_X, REACH_Y);
        while (dy > 0 && dx + least * dy <= 0)
            least++;
        if (!(fabs(own->re[i]) <= 100 && fabs(own->im[i]) <= 100))
            return ro_context_fail(context, RO_E_ARGUMENT, "the weight of tap %d,%d is %g%+gi", dx,
                                   dy, own->re[i], own->im[i]);
        most = fmax(most, fmax(fabs(own->re[i]), fabs(own->im[i])));
    }
    if (p && p < least)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "a tap lies outside the wedge of p = %d; these taps need %d", p,
                               least);
    if (least > RO_HOLOGRAM_SKEW)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "a tap lies outside the wedge of p = %d, the widest",
                               RO_HOLOGRAM_SKEW);
    while (shift < 14 && most * (2 << shift) <= 127)
        shift++;
    *taps = (struct hologram_taps){.count = own->count, .p = p ? p : least, .shift = shift};
    for (int i = 0; i < own->count; i++) {
        taps->dx[i] = (int8_t)own->dx[i];
        taps->dy[i] = (int8_t)own->dy[i];
        taps->re[i] = (int8_t)rint(ldexp(own->re[i], shift));
        taps->im[i] = (int8_t)rint(ldexp(own->im[i], shift));
    }
    return RO_OK;
}

static struct region region_of(const struct quantizer *q, const ro_window *window)
{
    return q->levels.real ? region_twin(window) : region_window(window);
}

static uint32_t first_row(const struct quantizer *q) { return q->piece ? q->piece->y : 0; }

static ro_status find_weights(const struct quantizer *q, const struct region *region,
                              const ro_hogel_report *r, struct hologram_taps *taps)
{
    const ro_hologram_options *o = &q->o;
    const int many = o->taps ? o->taps : 27;
    if (o->own)
        return own_taps(q->job.context, o->own, o->p, taps);
    switch (q->weights) {
    case LEAST_SQUARES:
        weights_least_squares(region, o->taps ? o->taps : 12, o->p ? o->p : 2, r->rho, taps);
        break;
    case PAPER:
    case PAPER_ROUNDING:
        weights_paper(&r->window, FRAME, many, o->p, q->weights == PAPER, taps);
        break;
    case WINDOW:
        weights_transform(region, many, o->p ? o->p : 6, taps);
        break;
    }
    return RO_OK;
}

static ro_status weigh(struct quantizer *q, struct hogel *hogel, ro_hogel_report *r)
{
    const ro_hologram_options *o = &q->o;
    hogel->taps = (struct hologram_taps){.p = 1};
    if (q->algorithm == FLOYD_STEINBERG)
        hogel->taps = floyd_steinberg_taps;
    struct region region = region_of(q, &r->window);
    if (q->windowed) {
        if (region.count == 0)
            return ro_context_fail(q->job.context, RO_E_ARGUMENT,
                                   "the hogel at %u,%u cannot be seen from the viewing area: its "
                                   "window at %.3f,%.3f lies outside the band of +-0.5 cycles per "
                                   "pixel",
                                   hogel->x, first_row(q) + hogel->y, r->window.xi, r->window.eta);
        ro_status status = find_weights(q, &region, r, &hogel->taps);
        if (status != RO_OK)
            return status;
        for (int i = 0; i < hogel->taps.count && q->levels.real; i++)
            if (hogel->taps.im[i] && o->own)
                return ro_context_fail(
                    q->job.context, RO_E_ARGUMENT,
                    "tap %d,%d has an imaginary weight, which real levels cannot use",
                    hogel->taps.dx[i], hogel->taps.dy[i]);
            else
                hogel->taps.im[i] = 0;
    }
    r->taps = hogel->taps.count;
    r->p = hogel->taps.p;
    weights_sums(&hogel->taps, &r->weight_sum, &r->weight_norm);
    region = region_window(&r->window);
    r->rejection = weights_rejection(&hogel->taps, &region);
    return RO_OK;
}

/* By all threads; hogels with the window of the first one take its weights. */
struct weighing {
    struct quantizer *q;
    atomic_uint ticket;
    atomic_int status;
};

static void weigh_all(void *data, int thread)
{
    struct weighing *w = data;
    struct quantizer *q = w->q;
    (void)thread;
    for (uint32_t i; (i = atomic_fetch_add(&w->ticket, 1)) < q->job.count;) {
        if (i > 0 && q->o.window.width > 0) {
            ro_hogel_report r = q->reports[0], *own = &q->reports[i];
            r.x = own->x;
            r.y = own->y;
            r.width = own->width;
            r.height = own->height;
            *own = r;
            q->job.hogels[i].taps = q->job.hogels[0].taps;
            continue;
        }
        ro_status status = weigh(q, &q->job.hogels[i], &q->reports[i]);
        if (status != RO_OK) {
            atomic_store(&w->status, (int)status);
            return;
        }
    }
}

/* The cost of weights by least squares; 0 of others. */
static double rho_of(const struct quantizer *q)
{
    const double usual = q->levels.count == 2 ? 0.03 : 0.01;
    if (!q->windowed || q->weights != LEAST_SQUARES || q->o.own)
        return 0;
    return is_default(q->o.rho) ? usual : q->o.rho;
}

static ro_status lay_out(struct quantizer *q)
{
    const ro_hologram_options *o = &q->o;
    ro_context *context = q->job.context;
    ro_status status = hogels_lay_out(context, q->job.field, o, q->piece, q->algorithm != VDED,
                                      &q->reports, &q->job.count);
    if (status != RO_OK)
        return status;
    q->job.hogels = calloc(q->job.count, sizeof *q->job.hogels);
    if (!q->job.hogels)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for %u hogels", q->job.count);
    for (uint32_t i = 0; i < q->job.count; i++) {
        ro_hogel_report *r = &q->reports[i];
        q->job.hogels[i] =
            (struct hogel){.x = r->x, .y = r->y, .width = r->width, .height = r->height};
        r->rho = rho_of(q);
    }
    struct weighing weighing = {.q = q};
    int threads = pool_threads(context->pool);
    threads = threads < (int)q->job.count ? threads : (int)q->job.count;
    pool_run(context->pool, q->o.window.width > 0 ? 1 : threads, weigh_all, &weighing);
    return (ro_status)atomic_load(&weighing.status);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static ro_status run(struct quantizer *q)
{
    ro_context *context = q->job.context;
    *context_report(context) =
        (ro_report){.method = q->o.algorithm,
                    .schedule = "reference",
                    .width = q->job.field->width,
                    .height = q->job.field->height,
                    .device = RO_DEVICE_CPU,
                    .cpu = RO_CPU_SCALAR,
                    .threads = 1,
                    .steps = (uint64_t)q->job.field->width * q->job.field->height};
    if (q->cuda) {
        context_report(context)->schedule = "bands";
        context_report(context)->device = RO_DEVICE_CUDA;
        context_report(context)->launches = 1;
        ro_status status = q->prepared ? RO_OK : hologram_on_cuda->prepare(&q->job);
        q->prepared = false;
        return status == RO_OK ? hologram_on_cuda->run(&q->job) : status;
    }
    const struct band_kernel *kernel =
        q->schedule == REFERENCE ? NULL : hologram_band_kernel(context);
    if (!kernel) {
        if (q->schedule == BANDS)
            return ro_context_fail(context, RO_E_UNSUPPORTED, "bands need AVX2 or AVX-512");
        return hologram_run_reference(&q->job);
    }
    context_report(context)->schedule = "bands";
    context_report(context)->cpu = kernel->cpu;
    return hologram_run_bands(&q->job, kernel, &context_report(context)->threads);
}

/* Hogels of least squares in which more than a thousandth of the errors were cut off are done again
 * with ten times the rho: smaller weights. */
static ro_status run_all(struct quantizer *q)
{
    enum { TRIES = 4 };
    struct hologram_job all = q->job;
    q->job.share = 1;
    ro_status status = run(q);
    struct hogel *again = NULL;
    uint32_t *which = NULL;
    for (int i = 0; i < TRIES && status == RO_OK; i++) {
        uint32_t count = 0;
        free(again);
        free(which);
        again = malloc(all.count * sizeof *again);
        which = malloc(all.count * sizeof *which);
        if (!again || !which) {
            status = ro_context_fail(all.context, RO_E_MEMORY, "no memory for the hogels");
            break;
        }
        for (uint32_t k = 0; k < all.count; k++) {
            struct hogel *hogel = &all.hogels[k];
            if (q->reports[k].rho <= 0 ||
                hogel->clips * 1000 <= (uint64_t)hogel->width * hogel->height)
                continue;
            q->reports[k].rho *= 10;
            status = weigh(q, hogel, &q->reports[k]);
            again[count] = *hogel;
            which[count++] = k;
        }
        if (count == 0)
            break;
        q->job.hogels = again;
        q->job.count = count;
        if (status == RO_OK)
            status = run(q);
        for (uint32_t k = 0; k < count; k++)
            all.hogels[which[k]].clips = again[k].clips;
    }
    q->job.hogels = all.hogels;
    q->job.count = all.count;
    free(again);
    free(which);
    return status;
}

/* Algorithms that take the field as a whole are looked at in the same windows as the others. */
static ro_status spread_report(struct quantizer *q, uint32_t *count)
{
    *count = q->job.count;
    if (q->algorithm == VDED || q->o.window.width > 0 || q->o.optics.wavelength == 0)
        return RO_OK;
    const ro_hogel_report whole = q->reports[0];
    ro_hogel_report *spread = NULL;
    ro_status status =
        hogels_lay_out(q->job.context, q->job.field, &q->o, q->piece, false, &spread, count);
    if (status != RO_OK)
        return status;
    for (uint32_t i = 0; i < *count; i++) {
        ro_hogel_report *r = &spread[i];
        const struct region region = region_window(&r->window);
        r->taps = whole.taps;
        r->p = whole.p;
        r->rho = whole.rho;
        r->weight_sum = whole.weight_sum;
        r->weight_norm = whole.weight_norm;
        r->rejection = weights_rejection(&q->job.hogels[0].taps, &region);
    }
    free(q->reports);
    q->reports = spread;
    return RO_OK;
}

static ro_status report(struct quantizer *q)
{
    ro_hologram_report *r = q->told;
    *r = (ro_hologram_report){.levels = q->levels.count,
                              .real_device = q->levels.real,
                              .amplitude_device = q->amplitude,
                              .gain = q->gain,
                              .level = q->o.gain,
                              .kernel_ms = q->job.kernel_ms};
    if (q->windowed && !q->o.own)
        r->weights = weights_names[q->weights];
    r->rho = rho_of(q);
    for (uint32_t i = 0; i < q->job.count; i++) {
        q->reports[i].clips = q->job.hogels[i].clips;
        r->clips += q->job.hogels[i].clips;
    }
    ro_status status = spread_report(q, &r->hogels);
    r->hogel = q->reports;
    for (uint32_t i = 0; status == RO_OK && i < r->hogels && q->levels.real; i++) {
        r->hogel[i].mirrored = window_meets_its_mirror(&r->hogel[i].window);
        r->mirrored += (uint32_t)r->hogel[i].mirrored;
    }
    if (status == RO_OK && q->o.measure)
        status = hologram_measure(&q->job, q->table, r);
    for (uint32_t i = 0; status == RO_OK && i < r->hogels; i++)
        r->hogel[i].y += first_row(q);
    if (status == RO_OK)
        q->reports = NULL; /* the caller's now */
    else
        *r = (ro_hologram_report){0};
    return status;
}

ro_status hologram_quantize_at(ro_context *context, const ro_field *in, ro_image *out,
                               const ro_hologram_options *options, const ro_hologram_piece *piece,
                               ro_hologram_report *told)
{
    ro_status status = field_check(context, in, "the field");
    if (status == RO_OK)
        status = image_check(context, out, "the output");
    if (status != RO_OK)
        return status;
    if (out->format != RO_INDEX8)
        return ro_context_fail(context, RO_E_ARGUMENT, "level numbers are %s, not %s",
                               ro_format_name(RO_INDEX8), ro_format_name(out->format));
    if (out->width != in->width || out->height != in->height)
        return ro_context_fail(context, RO_E_SIZE, "the field is %u x %u but the output is %u x %u",
                               in->width, in->height, out->width, out->height);
    struct quantizer *q = calloc(1, sizeof *q);
    if (!q)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for the levels");
    q->o = *options;
    q->told = told;
    q->piece = piece;
    q->job = (struct hologram_job){.context = context,
                                   .field = in,
                                   .out = out->data,
                                   .out_stride = out->stride,
                                   .levels = &q->levels,
                                   .share = 1};
    take_words(q);
    status = hologram_levels_of(context, &q->o, q->table, &q->levels, &q->amplitude);
    if (status == RO_OK)
        status = check_optics(context, q);
    q->cuda = context->options.device == RO_DEVICE_CUDA;
    if (status == RO_OK && q->cuda && q->schedule == REFERENCE)
        status = ro_context_fail(context, RO_E_UNSUPPORTED, "the reference runs on the CPU only");
    const bool loads = status == RO_OK && q->cuda;
    if (loads)
        status = hologram_on_cuda->load(&q->job, q->levels.real);
    if (status == RO_OK) /* while the field is on its way to a device */
        status = lay_out(q);
    if (status == RO_OK && q->cuda)
        status = hologram_on_cuda->prepare(&q->job);
    q->prepared = q->cuda;
    double rms = 0;
    if (status == RO_OK && q->cuda)
        status = hologram_on_cuda->rms(&q->job, &rms);
    else if (status == RO_OK && !piece)
        status = field_rms(context, in, q->levels.real, &rms);
    if (status != RO_OK)
        goto done;
    if (piece)
        rms = sqrt(piece->energy / (double)((uint64_t)in->width * piece->height));
    q->gain = rms > 0 ? q->o.gain / rms : 1;
    q->job.scale = (float)(q->gain * HOLOGRAM_ONE);
    status = run_all(q);
    if (status == RO_OK && q->cuda)
        status = hologram_on_cuda->store(&q->job);
    if (status == RO_OK && told)
        status = report(q);
done:
    if (loads && status != RO_OK)
        hologram_on_cuda->wait(&q->job);
    free(q->job.hogels);
    free(q->reports);
    free(q);
    return status;
}

ro_status hologram_cut(ro_context *context, const ro_hologram_options *options, bool *hogels)
{
    const int64_t algorithm = options_word(&hologram_table, options, algorithm);
    *hogels = algorithm == VDED;
    return algorithm == VDED || algorithm == TRUNCATE
               ? RO_OK
               : ro_context_fail(context, RO_E_UNSUPPORTED,
                                 "%s takes the field as a whole and cannot be cut into pieces",
                                 options->algorithm);
}
