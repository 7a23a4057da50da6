/* SPDX-License-Identifier: MIT */
/*
 * The gain of a field: as told, or found by trials. More gain is more light; too little drowns in
 * rounding noise, too much is cut off, so that the signal-to-noise ratio has one maximum. Trials
 * are 0.4 * 2^(k/4): from k = 0 uphill to the best, and for light on from there for as long as the
 * ratio is as high as wanted.
 */
#include "context/context.h"
#include "core/options.h"
#include "hologram/quantize/quantize.h"

#include <math.h>
#include <stdlib.h>

enum { FARTHEST = 13 }; /* steps: gains of 0.042 to 3.8 */

struct trials {
    ro_context *context;
    const ro_field *in;
    ro_image *out;
    ro_hologram_options options;
    double snr[2 * FARTHEST + 1]; /* NaN: not tried */
};

static double gain_of(int k)
{
    static const double roots[] = {1, 1.189207115002721, 1.4142135623730951, 1.681792830507429};
    const int whole = (k + 4 * FARTHEST) / 4 - FARTHEST;
    return ldexp(0.4 * roots[k - 4 * whole], whole);
}

static ro_status try_gain(struct trials *t, int k, double *snr)
{
    double *known = &t->snr[k + FARTHEST];
    if (isnan(*known)) {
        ro_hologram_report report = {0};
        t->options.gain = gain_of(k);
        t->options.measure = 1;
        ro_status status = 
            hologram_quantize_at(t->context, t->in, t->out, &t->options, NULL, &report);
        if (status != RO_OK)
            return status;
        *known = report.measured ? report.reached_snr : -300;
        ro_free(report.hogel);
    }
    *snr = *known;
    return RO_OK;
}

/* From k on in one direction while it gets better; *k ends at the best. */
static ro_status climb(struct trials *t, int step, int *k, double *best)
{
    ro_status status = RO_OK;
    while (status == RO_OK && abs(*k + step) <= FARTHEST) {
        double snr = 0;
        status = try_gain(t, *k + step, &snr);
        if (status != RO_OK || !(snr > *best))
            break;
        *best = snr;
        *k += step;
    }
    return status;
}

static ro_status find_gain(struct trials *t, double least, double *gain)
{
    int k = 0;
    double best = 0;
    for (int i = 0; i <= 2 * FARTHEST; i++)
        t->snr[i] = NAN;
    ro_status status = try_gain(t, 0, &best);
    if (status == RO_OK)
        status = climb(t, 1, &k, &best);
    if (status == RO_OK && k == 0)
        status = climb(t, -1, &k, &best);
    if (status == RO_OK && best < least)
        return ro_context_fail(t->context, RO_E_ARGUMENT,
                               "%g dB cannot be reached: the best gain, %.3g, gives %.1f dB", least,
                               gain_of(k), best);
    for (double snr = best; status == RO_OK && least > 0 && k < FARTHEST; k++) {
        status = try_gain(t, k + 1, &snr);
        if (status != RO_OK || snr < least)
            break;
    }
    *gain = gain_of(k);
    return status;
}

ro_status ro_hologram_quantize(ro_context *context, const ro_field *in, ro_image *out,
                               const ro_hologram_options *options, ro_hologram_report *told)
{
    struct trials t = {.context = context, .in = in, .out = out, .options = RO_HOLOGRAM_OPTIONS};
    ro_status status = ro_options_take(context, options, &t.options, "RO_HOLOGRAM_OPTIONS");
    if (status != RO_OK)
        return status;
    ro_hologram_options o = t.options;
    if (o.gain_auto && !ro_is_default(o.gain))
        return ro_context_fail(context, RO_E_ARGUMENT, "a gain is given or found, not both");
    if (!(o.least_snr >= 0 && o.least_snr <= 200) || (o.least_snr > 0 && !o.gain_auto))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               o.gain_auto ? "%g dB: must be from 0 to 200"
                                           : "%g dB: only a gain that is found can aim at it",
                               o.least_snr);
    if (o.gain_auto)
        status = find_gain(&t, o.least_snr, &o.gain);
    return status == RO_OK ? hologram_quantize_at(context, in, out, &o, NULL, told) : status;
}
