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
 * Predicted from the weights: the errors are taken for white. Their power is that of q - g over
 * 1 + sum |w|^2, and the noise in S that times the mean of |1 - W|^2 there; the twin image is known
 * from the field, the zero order is taken as it is.
 */
#include "hologram/quantize/hologram_measure.h"

#include "context/context.h"
#include "core/image.h"
#include "hologram/field/field.h"
#include "transform/dft.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

struct sums {
    double gg, tt, tg_re, tg_im, bins; /* in the window */
    double rr, rg_re, rg_im;           /* r: of g what the levels can show, its real part or all */
    double zero;                       /* the zero order of amplitudes, if the window holds it */
    double all_gg, all_tt, all_tg_re, all_tg_im, all_bins;
    double errors; /* |q - r|^2 over the pixels */
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

static float complex twin_of(const float complex *g, uint32_t w, uint32_t h, uint32_t x, uint32_t y)
{
    return conjf(g[(size_t)((h - y) % h) * w + (w - x) % w]);
}

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
            const float complex r = source->real ? (g[i] + twin_of(g, w, h, x, y)) / 2 : g[i];
            sums->gg += gg;
            sums->tt += tt;
            sums->tg_re += tg_re;
            sums->tg_im += tg_im;
            sums->rr += product(r, r);
            sums->rg_re += product(r, g[i]);
            sums->rg_im += turned(r, g[i]);
            sums->zero += source->offset > 0 && i == 0 ? tt : 0;
            sums->bins++;
        }
}

static double decibels(double ratio) { return ratio > 1e-30 ? 10 * log10(ratio) : -300; }

struct totals {
    double signal, noise, predicted_signal, predicted_noise, in_window, outgoing, incident;
    double field, field_in_window;
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
    if (s->bins == 0 || s->gg <= 0)
        return;
    const double cross = s->tg_re * s->tg_re + s->tg_im * s->tg_im, signal = cross / s->gg;
    const double noise = fmax(s->tt - signal, 1e-12 * s->tt);
    const double shown = (s->rg_re * s->rg_re + s->rg_im * s->rg_im) / s->gg;
    const double twin = fmax(s->rr - shown, 0), error = s->errors / (1 + r->weight_norm);
    const double scale = source->scale * source->scale;
    const double predicted = scale * (twin + s->bins * error * r->rejection) + s->zero;
    /* Outside, what follows the field with the same factor is no noise either. */
    const double alpha_re = s->tg_re / s->gg, alpha_im = s->tg_im / s->gg;
    const double out_gg = s->all_gg - s->gg, out_tt = s->all_tt - s->tt;
    const double out_cross =
        alpha_re * (s->all_tg_re - s->tg_re) + alpha_im * (s->all_tg_im - s->tg_im);
    const double outside =
        out_tt - 2 * out_cross + (alpha_re * alpha_re + alpha_im * alpha_im) * out_gg;
    const double bins_out = s->all_bins - s->bins, mean = s->all_tt / s->all_bins;
    r->reached_snr = decibels(signal / noise);
    r->predicted_snr = decibels(scale * shown / fmax(predicted, 1e-300));
    r->noise_inside = decibels(noise / s->bins / mean);
    r->noise_outside = bins_out > 0 ? decibels(outside / bins_out / mean) : -300;
    r->efficiency = signal / incident;
    totals->signal += signal;
    totals->noise += noise;
    totals->predicted_signal += scale * shown;
    totals->predicted_noise += predicted;
}

static void fetch(const struct source *s, const ro_hogel_report *hogel, float complex *g,
                  float complex *t, struct sums *sums)
{
    for (uint32_t y = 0; y < hogel->height; y++) {
        const float *row = field_row(s->field, hogel->y + y) + 2 * (size_t)hogel->x;
        const uint8_t *number = s->numbers + (ptrdiff_t)(hogel->y + y) * s->stride + hogel->x;
        for (uint32_t x = 0; x < hogel->width; x++) {
            const size_t i = (size_t)y * hogel->width + x;
            const float complex q = s->table[2 * number[x]] + I * s->table[2 * number[x] + 1];
            g[i] = (float)s->gain * (row[2 * x] + I * row[2 * x + 1]);
            t[i] = s->scale * q + s->offset;
            const float complex off = q - (s->real ? crealf(g[i]) : g[i]);
            sums->errors += product(off, off);
        }
    }
}

/* The spectra of a hogel's field and light. */
struct spectra {
    ro_context *context;
    struct dft_field *transform;
    uint32_t width, height;
    float complex *g, *t;
};

static void spectra_close(struct spectra *s)
{
    dft_field_close(s->transform);
    free(s->g);
    free(s->t);
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
    fetch(source, hogel, s->g, s->t, sums);
    dft_field_run(s->transform, (float *)s->g, false);
    dft_field_run(s->transform, (float *)s->t, false);
    add_up(source, hogel, s->g, s->t, sums);
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
    const struct source source = source_of(job->field, job->out, job->out_stride, table, report);
    for (uint32_t i = 0; i < report->hogels && status == RO_OK; i++) {
        ro_hogel_report *r = &report->hogel[i];
        struct sums sums;
        if (r->window.width <= 0)
            continue;
        status = spectra_take(&spectra, &source, r, &sums);
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
    ro_status status = field_check(context, in, "the field");
    if (status == RO_OK)
        status = ro_image_check(context, numbers, "the image of level numbers");
    if (status == RO_OK)
        status = ro_image_check(context, out, "the picture");
    if (status != RO_OK)
        return status;
    if (hogel >= report->hogels)
        return ro_context_fail(context, RO_E_ARGUMENT, "hogel %u: there are %u", hogel,
                               report->hogels);
    const ro_hogel_report *r = &report->hogel[hogel];
    if (out->format != RO_GRAYF || out->width != r->width || out->height != r->height ||
        numbers->width != in->width || numbers->height != in->height)
        return ro_context_fail(context, RO_E_SIZE, "the noise of the hogel is %s of %u x %u",
                               ro_format_name(RO_GRAYF), r->width, r->height);
    const struct source source = source_of(in, numbers->data, numbers->stride, table, report);
    struct spectra spectra = {.context = context};
    struct sums sums;
    status = spectra_take(&spectra, &source, r, &sums);
    if (status == RO_OK)
        put_noise(r, &sums, &spectra, out);
    spectra_close(&spectra);
    return status;
}
