/* SPDX-License-Identifier: MIT */
/*
 * In the window S of a hogel the output q is fitted to the field g first, alpha = <q, g> / <g, g>:
 * what is dimmer is not noise. Then
 *
 *     SNR = |alpha|^2 |g|^2 / |q - alpha g|^2    over S,   efficiency = |alpha|^2 |g|^2_S / |q|^2.
 *
 * Predicted from the weights: the errors are taken for white. Their power is that of q - g over
 * 1 + sum |w|^2, and the noise in S that times the mean of |1 - W|^2 there.
 */
#include "hologram/measure.h"

#include "core/context.h"
#include "core/image.h"
#include "hologram/fft.h"
#include "hologram/field.h"

#include <math.h>

struct sums {
    double gg, qq, qg_re, qg_im, bins; /* in the window */
    double all_qq, all_gg, all_dd, all_bins;
    double all_qg_re, all_qg_im;
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

/* Rows add up by themselves and then in order, so that threads change nothing. */
static void add_up(bool real, const ro_hogel_report *hogel, const struct region *region,
                   const float complex *g, const float complex *q, struct sums *sums)
{
    for (uint32_t y = 0; y < hogel->height; y++) {
        double v = frequency(y, hogel->height);
        for (uint32_t x = 0; x < hogel->width; x++) {
            size_t i = (size_t)y * hogel->width + x;
            if (real && x == 0 && y == 0)
                continue; /* where the levels' mean lies */
            double gr = crealf(g[i]), gi = cimagf(g[i]), qr = crealf(q[i]), qi = cimagf(q[i]);
            double gg = gr * gr + gi * gi, qq = qr * qr + qi * qi;
            double re = qr * gr + qi * gi, im = qi * gr - qr * gi;
            sums->all_gg += gg;
            sums->all_qq += qq;
            sums->all_dd += gg + qq - 2 * re;
            sums->all_qg_re += re;
            sums->all_qg_im += im;
            sums->all_bins++;
            if (!in_region(region, frequency(x, hogel->width), v))
                continue;
            sums->gg += gg;
            sums->qq += qq;
            sums->qg_re += re;
            sums->qg_im += im;
            sums->bins++;
        }
    }
}

static double decibels(double ratio) { return ratio > 1e-30 ? 10 * log10(ratio) : -300; }

struct totals {
    double signal, noise, predicted_signal, predicted_noise, energy;
};

static void conclude(const struct sums *s, ro_hogel_report *r, struct totals *totals)
{
    const double n = (double)r->width * r->height;
    if (s->bins == 0 || s->gg <= 0)
        return;
    double cross = s->qg_re * s->qg_re + s->qg_im * s->qg_im, signal = cross / s->gg;
    double noise = fmax(s->qq - signal, 1e-12 * s->qq);
    double error = s->all_dd / n / (1 + r->weight_norm); /* power of an error, times n */
    double predicted = s->bins * error * r->rejection;
    /* Outside, what follows the field with the same factor is no noise either. */
    double alpha_re = s->qg_re / s->gg, alpha_im = s->qg_im / s->gg;
    double out_gg = s->all_gg - s->gg, out_qq = s->all_qq - s->qq;
    double out_cross = alpha_re * (s->all_qg_re - s->qg_re) + alpha_im * (s->all_qg_im - s->qg_im);
    double outside = out_qq - 2 * out_cross + (alpha_re * alpha_re + alpha_im * alpha_im) * out_gg;
    double bins_out = s->all_bins - s->bins, mean = s->all_qq / s->all_bins;
    r->reached_snr = decibels(signal / noise);
    r->predicted_snr = decibels(s->gg / fmax(predicted, 1e-300));
    r->noise_inside = decibels(noise / s->bins / mean);
    r->noise_outside = bins_out > 0 ? decibels(outside / bins_out / mean) : -300;
    r->efficiency = signal / s->all_qq;
    totals->signal += signal;
    totals->noise += noise;
    totals->predicted_signal += s->gg;
    totals->predicted_noise += predicted;
    totals->energy += s->all_qq;
}

/* A hogel of the field, times the gain, and of the levels that stand for it. */
struct source {
    const ro_field *field;
    const uint8_t *numbers;
    ptrdiff_t stride;
    bool real;
    double gain;
    const float *table;
};

static void fetch(const struct source *s, const ro_hogel_report *hogel, float complex *g,
                  float complex *q)
{
    for (uint32_t y = 0; y < hogel->height; y++) {
        const float *row = field_row(s->field, hogel->y + y) + 2 * (size_t)hogel->x;
        const uint8_t *number = s->numbers + (ptrdiff_t)(hogel->y + y) * s->stride + hogel->x;
        for (uint32_t x = 0; x < hogel->width; x++) {
            size_t i = (size_t)y * hogel->width + x;
            g[i] = (float)s->gain * (row[2 * x] + (s->real ? 0 : I * row[2 * x + 1]));
            q[i] = s->table[2 * number[x]] + I * s->table[2 * number[x] + 1];
        }
    }
}

ro_status hologram_measure(const struct hologram_job *job, double gain, const float *table,
                           ro_hologram_report *report)
{
    ro_status status = RO_OK;
    struct fft *fft = NULL;
    float complex *g = NULL, *q = NULL;
    uint32_t width = 0, height = 0;
    struct totals totals = {0};
    const struct source source = {job->field,        job->out, job->out_stride,
                                  job->levels->real, gain,     table};
    for (uint32_t i = 0; i < job->count && status == RO_OK; i++) {
        const struct hogel *hogel = &job->hogels[i];
        ro_hogel_report *r = &report->hogel[i];
        if (r->window.width <= 0)
            continue;
        if (hogel->width != width || hogel->height != height) {
            fft_close(fft);
            fft_free(g);
            fft_free(q);
            width = hogel->width;
            height = hogel->height;
            q = NULL;
            g = fft_alloc(job->context, width, height);
            status = g && (q = fft_alloc(job->context, width, height)) ? RO_OK : RO_E_MEMORY;
            fft = NULL;
            if (status == RO_OK)
                status = fft_open(job->context, width, height, &fft);
            if (status != RO_OK)
                break;
        }
        fetch(&source, r, g, q);
        fft_run(fft, g, false);
        fft_run(fft, q, false);
        struct region region =
            job->levels->real ? region_twin(&r->window) : region_window(&r->window);
        struct sums sums = {0};
        add_up(job->levels->real, r, &region, g, q, &sums);
        conclude(&sums, r, &totals);
        status = ro_context_progress(job->context, "measure", (double)(i + 1) / job->count);
    }
    if (status == RO_OK && totals.noise > 0) {
        report->reached_snr = decibels(totals.signal / totals.noise);
        report->predicted_snr = decibels(totals.predicted_signal / totals.predicted_noise);
        report->efficiency = totals.signal / totals.energy;
        report->measured = 1;
    }
    fft_close(fft);
    fft_free(g);
    fft_free(q);
    return status;
}

/* ---- A picture of the noise --------------------------------------------------------------------
 */

static void put_noise(const ro_hogel_report *r, const struct sums *s, const float complex *g,
                      const float complex *q, const ro_image *out)
{
    const uint32_t w = r->width, h = r->height;
    const float complex alpha =
        s->gg > 0 ? (float)(s->qg_re / s->gg) + I * (float)(s->qg_im / s->gg) : 0;
    const double mean = s->all_qq / s->all_bins;
    for (uint32_t y = 0; y < h; y++) {
        float *row = (float *)((char *)out->data + (ptrdiff_t)((y + h / 2) % h) * out->stride);
        for (uint32_t x = 0; x < w; x++) {
            size_t i = (size_t)y * w + x;
            float complex noise = q[i] - alpha * g[i];
            double power =
                (double)crealf(noise) * crealf(noise) + (double)cimagf(noise) * cimagf(noise);
            row[(x + w / 2) % w] = (float)decibels(power / mean);
        }
    }
}

ro_status ro_hologram_noise(ro_context *context, const ro_field *in, const ro_image *numbers,
                            const float *table, const ro_hologram_report *report, uint32_t hogel,
                            const ro_image *out)
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
    const struct source source = {in,           numbers->data, numbers->stride, report->real_device,
                                  report->gain, table};
    struct region region =
        report->real_device ? region_twin(&r->window) : region_window(&r->window);
    struct sums sums = {0};
    struct fft *fft = NULL;
    float complex *g = fft_alloc(context, r->width, r->height), *q = NULL;
    status = g && (q = fft_alloc(context, r->width, r->height)) ? RO_OK : RO_E_MEMORY;
    if (status == RO_OK)
        status = fft_open(context, r->width, r->height, &fft);
    if (status == RO_OK) {
        fetch(&source, r, g, q);
        fft_run(fft, g, false);
        fft_run(fft, q, false);
        add_up(report->real_device, r, &region, g, q, &sums);
        put_noise(r, &sums, g, q, out);
    }
    fft_close(fft);
    fft_free(g);
    fft_free(q);
    return status;
}
