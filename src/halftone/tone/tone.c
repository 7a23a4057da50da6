/* SPDX-License-Identifier: MIT */
/*
 * Tone: what happens to samples before a method rounds them.
 *
 *   sample / white -> invert -> brightness -> contrast -> gamma -> linear -> 16-bit integer
 *   grey, channel or ink of these -> curve -> 16-bit integer
 *
 * The steps are plain IEEE operations in a fixed order, so that the tables are the same everywhere;
 * with the tables made, all is integers.
 */
#include "halftone/tone/tone.h"

#include "number/power.h"
#include "roundoff/library.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static double cut(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

uint16_t tone_round(double x) { return (uint16_t)floor(TONE_WHITE * cut(x) + 0.5); }

double tone_from_srgb(double x) { return light_of_srgb(x); }

uint8_t ro_level_tone(int n, int k, int linear)
{
    if (!linear)
        return (uint8_t)((2 * 255 * k + n - 1) / (2 * (n - 1)));
    return (uint8_t)floor(255 * srgb_of_light((double)k / (n - 1)) + 0.5);
}

static ro_status check_curve(ro_context *context, const ro_tone *options)
{
    const ro_tone_point *points = options->curve;
    int count = options->curve_points;
    if (count < 2 || count > RO_CURVE_POINTS || !points)
        return ro_context_fail(context, RO_E_ARGUMENT, "a curve has 2 to %d points, not %d",
                               RO_CURVE_POINTS, count);
    for (int i = 0; i < count; i++) {
        if (!(points[i].in >= 0 && points[i].in <= 1 && points[i].out >= 0 && points[i].out <= 1))
            return ro_context_fail(context, RO_E_ARGUMENT,
                                   "point %d of the curve, %g to %g, lies outside 0 to 1", i + 1,
                                   points[i].in, points[i].out);
        if (i > 0 && points[i].in <= points[i - 1].in)
            return ro_context_fail(context, RO_E_ARGUMENT,
                                   "the curve's input tones must increase; point %d is %g after %g",
                                   i + 1, points[i].in, points[i - 1].in);
        if (i > 0 && points[i].out < points[i - 1].out)
            return ro_context_fail(
                context, RO_E_ARGUMENT,
                "the curve's output tones must not fall, as they do from %g to %g at point %d",
                points[i - 1].out, points[i].out, i + 1);
    }
    return RO_OK;
}

static ro_status check(ro_context *context, const ro_tone *options)
{
    const bool curve = options->curve_points || options->curve;
    if (curve && options->dot_gain > 0)
        return ro_context_fail(context, RO_E_ARGUMENT, "a curve and a dot gain exclude each other");
    return curve ? check_curve(context, options) : RO_OK;
}

static double adjust(const ro_tone *options, bool linear, double x)
{
    if (options->invert)
        x = 1 - x;
    x = x + options->brightness / 100;
    x = cut((x - 0.5) * (1 + options->contrast / 100) + 0.5);
    if (options->gamma != 0 && options->gamma != 1)
        x = power_of(x, 1 / options->gamma);
    return linear ? tone_from_srgb(x) : x;
}

static bool changes(const ro_tone *options)
{
    return options->brightness != 0 || options->contrast != 0 ||
           (options->gamma != 0 && options->gamma != 1);
}

/* The light of 16-bit samples that nothing else changes, which fitted pictures are: as many powers
 * as a small picture has pixels, so they are computed once. */
static uint16_t deep_light[TONE_WHITE + 1];

static void make_deep_light(void)
{
    static const ro_tone none = {0};
    for (uint32_t a = 0; a <= TONE_WHITE; a++)
        deep_light[a] = tone_round(adjust(&none, true, (double)a / TONE_WHITE));
}

static void fill_channel(const ro_tone *options, bool linear, bool deep, uint32_t in_white,
                         uint16_t *channel)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (linear && in_white == TONE_WHITE && !options->invert && !changes(options)) {
        pthread_once(&once, make_deep_light);
        memcpy(channel, deep_light, sizeof deep_light);
        return;
    }
    for (uint32_t a = 0; a <= in_white; a++)
        channel[a] = deep ? tone_round(adjust(options, linear, (double)a / in_white))
                          : (uint16_t)(in_white - a);
}

/* Straight lines between the points, level before the first and after the last. */
static void fill_curve(uint16_t *table, uint32_t white, const ro_tone_point *points, int count)
{
    int at = 0; /* the last point at or before x */
    for (uint32_t i = 0; i <= white; i++) {
        double x = (double)i / white;
        while (at + 1 < count && points[at + 1].in <= x)
            at++;
        const ro_tone_point *p = &points[at];
        double y = p->out;
        if (x > p->in && at + 1 < count)
            y = p->out + (x - p->in) * (p[1].out - p->out) / (p[1].in - p->in);
        table[i] = tone_round(y);
    }
}

/* Dots that grow by the same share of the paper they leave: white that was the share x of the area
 * is x to the power n afterwards, and 1/2 is 1/2 less the gain. What is to print as x is therefore
 * x to the power 1/n. */
static void fill_gain(uint16_t *table, uint32_t white, double percent)
{
    /* n = log2(1 / (1/2 - gain)), by bisection, because powers are the same everywhere */
    double least = 1, most = 5;
    for (int i = 0; i < 60; i++) {
        const double n = (least + most) / 2;
        *(power_of(0.5, n) > 0.5 - percent / 100 ? &least : &most) = n;
    }
    for (uint32_t i = 0; i <= white; i++)
        table[i] = tone_round(power_of((double)i / white, 1 / least));
}

ro_status tone_make(ro_context *context, const ro_tone *options, bool linear, uint32_t in_white,
                    struct tone *tone)
{
    *tone = (struct tone){.in_white = in_white, .white = in_white};
    ro_status status = check(context, options);
    if (status != RO_OK)
        return status;
    const bool curved = options->curve_points || options->dot_gain > 0;
    const bool deep = linear || changes(options) || curved;
    if (!deep && !options->invert)
        return RO_OK;
    if (deep)
        tone->white = TONE_WHITE;
    tone->channel = malloc((in_white + 2) * sizeof *tone->channel);
    if (curved)
        tone->curve = malloc((TONE_WHITE + 1) * sizeof *tone->curve);
    if (!tone->channel || (curved && !tone->curve)) {
        tone_free(tone);
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a table of tones");
    }
    fill_channel(options, linear, deep, in_white, tone->channel);
    tone->channel[in_white + 1] = 0; /* vector code loads two entries at a time */
    if (options->dot_gain > 0)
        fill_gain(tone->curve, TONE_WHITE, options->dot_gain);
    else if (tone->curve)
        fill_curve(tone->curve, TONE_WHITE, options->curve, options->curve_points);
    return RO_OK;
}

void tone_free(struct tone *tone)
{
    free(tone->channel);
    free(tone->curve);
    tone->channel = tone->curve = NULL;
}
