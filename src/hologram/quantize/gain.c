/* SPDX-License-Identifier: MIT */
/*
 * The gain of a field: as told, or found by trials. More gain is more light; too little drowns in
 * rounding noise, too much is cut off, so that the signal-to-noise ratio has one maximum. Trials
 * are 0.4 * 2^(k/4): from k = 0 uphill to the best. For light they go on from there for as long as
 * the ratio is as high as wanted, the last step is halved a few times, and of all that are good
 * enough the one with the most light is taken.
 *
 * Where least squares are free to change, other loops are tried as well: more gain leaves less of
 * the levels for the noise, so that smaller weights, or errors against the field, do better. They
 * are tried at the best gain and its neighbours if the ratio counts, all the way up if light does.
 */
#include "context/context.h"

#include "core/options.h"
#include "hologram/quantize/quantize.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FARTHEST = 13, HALVINGS = 5 }; /* steps: gains of 0.042 to 3.8; the last one to 0.5 % */

struct trial {
    double gain, snr, light;
    const char *weights;
    double rho;
};

static const struct {
    const char *weights;
    double rho; /* RO_DEFAULT: as options have it */
} loops[] = {{"ls", RO_DEFAULT}, {"ls", 0.1}, {"window", RO_DEFAULT}};
enum { LOOPS = sizeof loops / sizeof *loops };

struct trials {
    ro_context *context;
    const ro_field *in;
    ro_image *out;
    ro_hologram_options options;
    struct trial known[2 * FARTHEST + 1]; /* gain 0: not tried */
};

static double gain_of(int k)
{
    static const double roots[] = {1, 1.189207115002721, 1.4142135623730951, 1.681792830507429};
    const int whole = (k + 4 * FARTHEST) / 4 - FARTHEST;
    return ldexp(0.4 * roots[k - 4 * whole], whole);
}

static ro_status try_gain(struct trials *t, double gain, struct trial *trial)
{
    ro_hologram_report report = {0};
    t->options.gain = gain;
    t->options.measure = 1;
    ro_status status = hologram_quantize_at(t->context, t->in, t->out, &t->options, NULL, &report);
    *trial = (struct trial){gain, report.measured ? report.reached_snr : -300, report.efficiency,
                            t->options.weights, t->options.rho};
    ro_free(report.hogel);
    return status;
}

static ro_status try_step(struct trials *t, int k, struct trial *trial)
{
    struct trial *known = &t->known[k + FARTHEST];
    ro_status status = known->gain > 0 ? RO_OK : try_gain(t, gain_of(k), known);
    *trial = *known;
    return status;
}

/* From k on in one direction while it gets better; *k ends at the best. */
static ro_status climb(struct trials *t, int step, int *k, struct trial *best)
{
    ro_status status = RO_OK;
    while (status == RO_OK && abs(*k + step) <= FARTHEST) {
        struct trial next = {0};
        status = try_step(t, *k + step, &next);
        if (status != RO_OK || !(next.snr > best->snr))
            break;
        *best = next;
        *k += step;
    }
    return status;
}

/* The most light of gains from step k on that have the decibels. */
static ro_status find_light(struct trials *t, double least, int k, struct trial *most)
{
    struct trial next = *most;
    double low = most->gain, high = 0;
    ro_status status = RO_OK;
    while (status == RO_OK && k < FARTHEST && !(high > 0)) {
        status = try_step(t, ++k, &next);
        if (next.snr < least)
            high = next.gain;
        else
            low = next.gain;
        if (next.snr >= least && next.light > most->light)
            *most = next;
    }
    for (int i = 0; i < HALVINGS && high > 0 && status == RO_OK; i++) {
        status = try_gain(t, sqrt(low * high), &next);
        *(next.snr < least ? &high : &low) = next.gain;
        if (next.snr >= least && next.light > most->light)
            *most = next;
    }
    return status;
}

/* The best gain of a loop, from step *k on, which ends there; it has the decibels wanted with as
 * much light as can be. */
static ro_status find_best(struct trials *t, double least, int *k, struct trial *best)
{
    const int first = *k;
    ro_status status = try_step(t, *k, best);
    if (status == RO_OK)
        status = climb(t, 1, k, best);
    if (status == RO_OK && *k == first)
        status = climb(t, -1, k, best);
    if (status == RO_OK && least > 0 && best->snr >= least)
        status = find_light(t, least, *k, best);
    return status;
}

/* Nobody asked for other weights than the default's. */
static bool is_free(const ro_hologram_options *o)
{
    const bool windowed =
        ro_name_equal(o->algorithm, "vded") || ro_name_equal(o->algorithm, "swed");
    return windowed && ro_name_equal(o->weights, "ls") && is_default(o->rho) && !o->own &&
           !o->taps && !o->p;
}

static bool is_better(const struct trial *a, const struct trial *b, double least)
{
    const bool enough[2] = {a->snr >= least, b->snr >= least};
    if (least > 0 && (enough[0] || enough[1]))
        return enough[0] && (!enough[1] || a->light > b->light);
    return a->snr > b->snr;
}

static ro_status find_gain(struct trials *t, double least, ro_hologram_options *o)
{
    int k = 0;
    struct trial best = {0};
    const int count = is_free(&t->options) ? LOOPS : 1;
    ro_status status = RO_OK;
    for (int i = 0; i < count && status == RO_OK; i++) {
        struct trial found = {0};
        int from = k;
        if (count > 1) {
            t->options.weights = loops[i].weights;
            t->options.rho = loops[i].rho;
        }
        memset(t->known, 0, sizeof t->known);
        status = find_best(t, least, &from, &found);
        if (i == 0)
            k = from;
        if (i == 0 || is_better(&found, &best, least))
            best = found;
    }
    if (status == RO_OK && least > 0 && best.snr < least)
        return ro_context_fail(t->context, RO_E_ARGUMENT,
                               "%g dB cannot be reached: the best gain, %.3g, gives %.1f dB", least,
                               best.gain, best.snr);
    o->gain = best.gain;
    o->weights = best.weights;
    o->rho = best.rho;
    return status;
}

static ro_status quantize(ro_context *context, const ro_field *in, ro_image *out,
                          const ro_hologram_options *options, ro_hologram_report *told)
{
    DEVICE_TURN(context);
    struct trials t = {.context = context, .in = in, .out = out};
    ro_status status = hologram_read(context, options, &t.options);
    if (status != RO_OK)
        return status;
    ro_hologram_options o = t.options;
    if (o.gain == RO_GAIN_AUTO)
        status = find_gain(&t, o.snr, &o);
    return status == RO_OK ? hologram_quantize_at(context, in, out, &o, NULL, told) : status;
}

ro_status ro_hologram_quantize(ro_context *context, const ro_field *in, ro_image *out,
                               const ro_hologram_options *options, ro_hologram_report *told)
{
    ro_hologram_report full = {.size = sizeof full};
    ro_status status = report_check(context, told);
    if (status != RO_OK)
        return status;
    status = quantize(context, in, out, options, told ? &full : NULL);
    report_give(told, &full);
    return status;
}
