/* SPDX-License-Identifier: MIT */
/*
 * What leaves the modulator is the light t: the levels themselves, or, of amplitudes computed as -1
 * to 1, half of them and a half. In the window S of a hogel it is fitted to the whole complex field
 * g, alpha = <t, g> / <g, g>: what is dimmer is not noise. All else that falls into S is: rounding
 * noise, and of real levels the twin image and the zero order too. With every pixel lit by 1,
 *
 *     SNR = |alpha|^2 |g|^2 / |t - alpha g|^2    over S,   efficiency = |alpha|^2 |g|^2_S / |1|^2,
 *     in the window = |t|^2_S / |1|^2,                     outgoing = |t|^2 / |1|^2.
 *
 * Predicted are both by noise_model.h; the zero order of amplitudes is taken as it is.
 */
#include "hologram/quantize/hologram_measure.h"

#include "context/context.h"
#include "core/image.h"
#include "core/misuse.h"
#include "fft/dft.h"
#include "hologram/field/field.h"
#include "hologram/quantize/noise_model.h"
#include "roundoff/command.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sums {
    double gg, tt, tg_re, tg_im, bins; /* in the window */
    double zero;                       /* the zero order of amplitudes, if the window holds it */
    double all_gg, all_tt, all_tg_re, all_tg_im, all_bins;
    double signal, noise, beyond; /* predicted; of the field what lies beyond the levels */
};

/* A hogel of the field, times the gain, and of the levels that stand for it. */
struct source {
    const ro_field *field;
    const uint8_t *numbers;
    ptrdiff_t stride;
    bool real;
    double gain;
    const float *table;
    float scale, offset; /* from levels to light */
};

static bool in_region(const struct region *region, double u, double v)
{
    for (int i = 0; i < region->count; i++) {
        const struct rectangle *r = &region->part[i];
        if (r->sign > 0 && u >= r->x0 && u <= r->x1 && v >= r->y0 && v <= r->y1)
            return true;
    }
    return false;
}

static double frequency(uint32_t i, uint32_t n) { return (double)i / n - (i > n / 2 ? 1 : 0); }

static double product(float complex a, float complex b) /* the real part of a times conj b */
{
    return (double)crealf(a) * crealf(b) + (double)cimagf(a) * cimagf(b);
}

static double turned(float complex a, float complex b) /* and its imaginary part */
{
    return (double)cimagf(a) * crealf(b) - (double)crealf(a) * cimagf(b);
}

static void add_up(const struct source *source, const ro_hogel_report *hogel,
                   const float complex *g, const float complex *t, struct sums *sums)
{
    const uint32_t w = hogel->width, h = hogel->height;
    const struct region region = region_window(&hogel->window);
    for (uint32_t y = 0; y < h; y++)
        for (uint32_t x = 0; x < w; x++) {
            const size_t i = (size_t)y * w + x;
            const double gg = product(g[i], g[i]), tt = product(t[i], t[i]);
            const double tg_re = product(t[i], g[i]), tg_im = turned(t[i], g[i]);
            sums->all_gg += gg;
            sums->all_tt += tt;
            sums->all_tg_re += tg_re;
            sums->all_tg_im += tg_im;
            sums->all_bins++;
            if (!in_region(&region, frequency(x, w), frequency(y, h)))
                continue;
            sums->gg += gg;
            sums->tt += tt;
            sums->tg_re += tg_re;
            sums->tg_im += tg_im;
            sums->zero += source->offset > 0 && i == 0 ? tt : 0;
            sums->bins++;
        }
}

static double decibels(double ratio) { return ratio > 1e-30 ? 10 * log10(ratio) : -300; }

struct totals {
    double signal, noise, predicted_signal, predicted_noise, in_window, outgoing, incident;
    double field, field_in_window, beyond;
};

static void conclude(const struct source *source, const struct sums *s, ro_hogel_report *r,
                     struct totals *totals)
{
    const double n = (double)r->width * r->height, incident = n * n;
    r->in_window = s->tt / incident;
    r->outgoing = s->all_tt / incident;
    totals->in_window += s->tt;
    totals->outgoing += s->all_tt;
    totals->incident += incident;
    totals->field += s->all_gg;
    totals->field_in_window += s->gg;
    totals->beyond += s->beyond;
    if (s->bins == 0 || s->gg <= 0)
        return;
    const double cross = s->tg_re * s->tg_re + s->tg_im * s->tg_im, signal = cross / s->gg;
    const double noise = fmax(s->tt - signal, 1e-12 * s->tt);
    const double scale = source->scale * source->scale;
    const double predicted = scale * s->noise + s->zero;
    /* Outside, what follows the field with the same factor is no noise either. */
    const double alpha_re = s->tg_re / s->gg, alpha_im = s->tg_im / s->gg;
    const double out_gg = s->all_gg - s->gg, out_tt = s->all_tt - s->tt;
    const double out_cross =
        alpha_re * (s->all_tg_re - s->tg_re) + alpha_im * (s->all_tg_im - s->tg_im);
    const double outside =
        out_tt - 2 * out_cross + (alpha_re * alpha_re + alpha_im * alpha_im) * out_gg;
    const double bins_out = s->all_bins - s->bins, mean = s->all_tt / s->all_bins;
    r->reached_snr = decibels(signal / noise);
    r->predicted_snr = decibels(scale * s->signal / fmax(predicted, 1e-300));
    r->noise_inside = decibels(noise / s->bins / mean);
    r->noise_outside = bins_out > 0 ? decibels(outside / bins_out / mean) : -300;
    r->efficiency = signal / incident;
    totals->signal += signal;
    totals->noise += noise;
    totals->predicted_signal += scale * s->signal;
    totals->predicted_noise += predicted;
}

static void fetch(const struct source *s, const ro_hogel_report *hogel, float complex *g,
                  float complex *t)
{
    for (uint32_t y = 0; y < hogel->height; y++) {
        const float *row = field_row(s->field, hogel->y + y) + 2 * (size_t)hogel->x;
        const uint8_t *number = s->numbers + (ptrdiff_t)(hogel->y + y) * s->stride + hogel->x;
        for (uint32_t x = 0; x < hogel->width; x++) {
            const size_t i = (size_t)y * hogel->width + x;
            const float complex q = s->table[2 * number[x]] + I * s->table[2 * number[x] + 1];
            g[i] = (float)s->gain * (row[2 * x] + I * row[2 * x + 1]);
            t[i] = s->scale * q + s->offset;
        }
    }
}

/* The spectra of a hogel's field and light. */
struct spectra {
    ro_context *context;
    struct dft_field *transform;
    uint32_t width, height;
    float complex *g, *t;
    /* For predictions: of the weights, of what lies beyond the levels, of the noise of rounding;
     * and which bins the window holds. */
    float complex *w, *beyond, *d;
    unsigned char *inside;
};

static void spectra_close(struct spectra *s)
{
    dft_field_close(s->transform);
    free(s->g);
    free(s->t);
    free(s->w);
    free(s->beyond);
    free(s->d);
    free(s->inside);
    *s = (struct spectra){.context = s->context};
}

static ro_status spectra_take(struct spectra *s, const struct source *source,
                              const ro_hogel_report *hogel, struct sums *sums)
{
    if (hogel->width != s->width || hogel->height != s->height) {
        spectra_close(s);
        s->g = (float complex *)dft_alloc(s->context, hogel->width, hogel->height);
        s->t = (float complex *)dft_alloc(s->context, hogel->width, hogel->height);
        ro_status status =
            s->g && s->t ? dft_field_open(s->context, hogel->width, hogel->height, &s->transform)
                         : RO_E_MEMORY;
        if (status != RO_OK)
            return status;
        s->width = hogel->width;
        s->height = hogel->height;
    }
    *sums = (struct sums){0};
    fetch(source, hogel, s->g, s->t);
    dft_field_run(s->transform, (float *)s->g, false);
    dft_field_run(s->transform, (float *)s->t, false);
    add_up(source, hogel, s->g, s->t, sums);
    return RO_OK;
}

/* Before anything is rounded. */
static ro_status predict(struct spectra *s, const struct source *source,
                         const struct predict_levels *levels, const ro_hogel_report *hogel,
                         const struct hologram_taps *taps, struct sums *sums)
{
    const uint32_t w = hogel->width, h = hogel->height;
    const struct region region = region_window(&hogel->window);
    if (!s->w) {
        s->w = (float complex *)dft_alloc(s->context, w, h);
        s->beyond = (float complex *)dft_alloc(s->context, w, h);
        s->d = (float complex *)dft_alloc(s->context, w, h);
        s->inside = malloc((size_t)w * h);
        if (!s->w || !s->beyond || !s->d || !s->inside)
            return ro_context_fail(s->context, RO_E_MEMORY, "no memory to predict the noise");
    }
    memset(s->w, 0, (size_t)w * h * sizeof *s->w);
    for (int i = 0; i < taps->count; i++) { /* far ones wrap round in small hogels */
        const uint32_t x = (uint32_t)(taps->dx[i] + 16 * (int)w) % w, y = (uint32_t)taps->dy[i] % h;
        s->w[(size_t)y * w + x] +=
            ldexpf(taps->re[i], -taps->shift) + I * ldexpf(taps->im[i], -taps->shift);
    }
    dft_field_run(s->transform, (float *)s->w, false);
    for (uint32_t y = 0; y < h; y++) {
        const float *row = field_row(source->field, hogel->y + y) + 2 * (size_t)hogel->x;
        for (uint32_t x = 0; x < w; x++)
            s->beyond[(size_t)y * w + x] =
                predict_beyond(levels, (float)source->gain * (row[2 * x] + I * row[2 * x + 1]));
    }
    dft_field_run(s->transform, (float *)s->beyond, false);
    for (uint32_t y = 0; y < h; y++)
        for (uint32_t x = 0; x < w; x++)
            s->inside[(size_t)y * w + x] = in_region(&region, frequency(x, w), frequency(y, h));
    for (size_t i = 0; i < (size_t)w * h; i++)
        sums->beyond += product(s->beyond[i], s->beyond[i]);
    const struct predict_hogel all = {w,    h,         s->g, s->beyond,   s->w,
                                      s->d, s->inside, taps, s->transform};
    predict_run(levels, &all, &sums->signal, &sums->noise);
    return RO_OK;
}

static struct source source_of(const ro_field *field, const uint8_t *numbers, ptrdiff_t stride,
                               const float *table, const ro_hologram_report *report)
{
    const float scale = report->amplitude_device ? 0.5f : 1;
    return (struct source){field,        numbers, stride, report->real_device,
                           report->gain, table,   scale,  1 - scale};
}

ro_status hologram_measure(const struct hologram_job *job, const float *table,
                           ro_hologram_report *report)
{
    ro_status status = RO_OK;
    struct spectra spectra = {.context = job->context};
    struct totals totals = {0};
    struct predict_levels levels;
    predict_levels_open(job->levels, &levels);
    const struct source source = source_of(job->field, job->out, job->out_stride, table, report);
    for (uint32_t i = 0; i < report->hogels && status == RO_OK; i++) {
        ro_hogel_report *r = &report->hogel[i];
        struct sums sums;
        if (r->window.width <= 0)
            continue;
        status = spectra_take(&spectra, &source, r, &sums);
        if (status == RO_OK)
            status = predict(&spectra, &source, &levels, r,
                             &job->hogels[job->count == report->hogels ? i : 0].taps, &sums);
        if (status != RO_OK)
            break;
        conclude(&source, &sums, r, &totals);
        status = ro_context_progress(job->context, "measure", (double)(i + 1) / report->hogels);
    }
    if (status == RO_OK && totals.noise > 0) {
        report->reached_snr = decibels(totals.signal / totals.noise);
        report->predicted_snr = decibels(totals.predicted_signal / totals.predicted_noise);
        report->efficiency = totals.signal / totals.incident;
        report->in_window = totals.in_window / totals.incident;
        report->outgoing = totals.outgoing / totals.incident;
        report->field_in_window = totals.field_in_window / totals.field;
        report->field_beyond_levels = totals.beyond / totals.field;
        report->measured = 1;
    }
    spectra_close(&spectra);
    return status;
}

/* ---- A picture of the noise ------------------------------------------------------------------ */

static void put_noise(const ro_hogel_report *r, const struct sums *s, const struct spectra *spectra,
                      const ro_image *out)
{
    const uint32_t w = r->width, h = r->height;
    const float complex alpha =
        s->gg > 0 ? (float)(s->tg_re / s->gg) + I * (float)(s->tg_im / s->gg) : 0;
    const double mean = s->all_tt / s->all_bins;
    for (uint32_t y = 0; y < h; y++) {
        float *row = (float *)((char *)out->data + (ptrdiff_t)((y + h / 2) % h) * out->stride);
        for (uint32_t x = 0; x < w; x++) {
            const size_t i = (size_t)y * w + x;
            const float complex noise = spectra->t[i] - alpha * spectra->g[i];
            row[(x + w / 2) % w] = (float)decibels(product(noise, noise) / mean);
        }
    }
}

ro_status ro_hologram_noise(ro_context *context, const ro_field *in, const ro_image *numbers,
                            const float *table, const ro_hologram_report *report, uint32_t hogel,
                            ro_image *out)
{
    if (MISSING(context, table, report))
        return RO_E_ARGUMENT;
    ro_status status = field_check(context, in, "the field");
    if (status == RO_OK)
        status = image_check(context, numbers, "the image of level numbers");
    if (status == RO_OK)
        status = image_check(context, out, "the picture");
    if (status != RO_OK)
        return status;
    if (hogel >= report->hogels)
        return ro_context_fail(context, RO_E_ARGUMENT, "hogel %u: there are %u", hogel,
                               report->hogels);
    const ro_hogel_report *r = &report->hogel[hogel];
    if (out->format != RO_GREYF || out->width != r->width || out->height != r->height ||
        numbers->width != in->width || numbers->height != in->height)
        return ro_context_fail(context, RO_E_SIZE, "the noise of the hogel is %s of %u x %u",
                               ro_format_name(RO_GREYF), r->width, r->height);
    const struct source source = source_of(in, numbers->data, numbers->stride, table, report);
    struct spectra spectra = {.context = context};
    struct sums sums;
    status = spectra_take(&spectra, &source, r, &sums);
    if (status == RO_OK)
        put_noise(r, &sums, &spectra, out);
    spectra_close(&spectra);
    return status;
}
