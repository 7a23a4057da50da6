/* SPDX-License-Identifier: MIT */
/*
 * Measuring a result against its original: the eye, then blocks (what the eye sees, tones, SSIM,
 * borders), the error's spectrum, flat fields and dots.
 */
#include "measure/measure.h"

#include "core/checked.h"
#include "core/image.h"
#include "core/misuse.h"
#include "core/options.h"
#include "options/table.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

ro_status measure_check(ro_context *context, const ro_image *original, const ro_image *result,
                        const ro_measure_options *given, ro_measure_options *options)
{
    ro_status status = options_read(context, &measure_table, given, options);
    if (status == RO_OK)
        status = image_check(context, original, "original");
    if (status == RO_OK)
        status = image_check(context, result, "result");
    if (status == RO_OK && (original->width != result->width || original->height != result->height))
        return ro_context_fail(context, RO_E_SIZE,
                               "the original is %u x %u but the result is %u x %u", original->width,
                               original->height, result->width, result->height);
    return status;
}

double measure_pixels_per_degree(const ro_measure_options *options)
{
    const double inch = 25.4;
    return options->dpi * options->distance / inch * pi / 180;
}

void measure_gaussian(double sigma, int radius, float *weights)
{
    double sum = 1;
    for (int i = 1; i <= radius; i++)
        sum += 2 * exp(-i * i / (2 * sigma * sigma));
    for (int i = 0; i <= radius; i++)
        weights[i] = (float)(exp(-i * i / (2 * sigma * sigma)) / sum);
}

/* Whether tones of a result are sRGB; numbers of levels and floats are light. */
static bool holds_srgb(ro_format format)
{
    return format != RO_INDEX8 && format != RO_GREYF && format != RO_RGBF;
}

static ro_status open_job(struct measure_job *job, const ro_measure_options *options,
                          ro_measure_report *report)
{
    ro_context *context = job->context;
    report->pixels_per_degree = measure_pixels_per_degree(options);
    report->sigma = report->pixels_per_degree / 60;
    job->radius = (int)ceil(5 * report->sigma);
    if (job->radius >= MEASURE_MOST_TAPS)
        return ro_context_fail(
            context, RO_E_ARGUMENT,
            "%g dpi at %g mm are %.0f pixels per degree; at most %.0f can be measured",
            options->dpi, options->distance, report->pixels_per_degree,
            60.0 * (MEASURE_MOST_TAPS - 1) / 5);
    measure_gaussian(report->sigma, job->radius, job->eye);
    measure_gaussian(1.5, 5, job->window);

    const size_t threads = (size_t)pool_threads(context->pool);
    const uint32_t padded = measure_power_of_two(job->width < 4 ? 4 : job->width);
    const uint32_t rows = measure_power_of_two(job->height < 2 ? 2 : job->height);
    size_t error = 0, scratch, blocks, bytes;
    job->across = (job->width + MEASURE_BLOCK_WIDTH - 1) / MEASURE_BLOCK_WIDTH;
    job->error_stride = padded / 2;
    job->scratch_floats = measure_block_scratch(job->radius);
    if (size_multiply(job->across, (job->height + MEASURE_BLOCK_HEIGHT - 1) / MEASURE_BLOCK_HEIGHT,
                      &blocks) &&
        blocks < UINT32_MAX / 2 && size_multiply(padded, rows, &error) &&
        size_multiply(error, sizeof(float), &bytes) &&
        size_multiply(job->scratch_floats * sizeof(float), threads, &scratch)) {
        job->blocks = (uint32_t)blocks;
        job->error[0] = calloc(bytes, 1);
        job->scratch = malloc(scratch);
        job->sums = calloc(blocks, sizeof *job->sums);
    }
    if (!job->error[0] || !job->scratch || !job->sums)
        return ro_context_fail(context, RO_E_MEMORY, "no memory to measure %u x %u pixels",
                               job->width, job->height);
    job->error[1] = job->error[0] + error / 2;
    return RO_OK;
}

static void close_job(struct measure_job *job)
{
    measure_tones_close(&job->original);
    measure_tones_close(&job->result);
    free(job->error[0]);
    free(job->scratch);
    free(job->sums);
}

static double psnr_of(double rms) { return rms > 0 ? -20 * log10(rms) : INFINITY; }

static void fill_levels(const struct measure_job *job, ro_measure_report *report)
{
    double squares = 0;
    for (int i = 0; i < RO_MEASURE_LEVELS; i++) {
        ro_measure_level *level = &report->levels[i];
        for (uint32_t k = 0; k < job->blocks; k++) {
            level->pixels += job->sums[k].level_pixels[i];
            level->in += job->sums[k].level_in[i];
            level->out += job->sums[k].level_out[i];
        }
        if (level->pixels == 0)
            continue;
        level->in /= (double)level->pixels;
        level->out /= (double)level->pixels;
        const double wrong = level->out - level->in;
        squares += (double)level->pixels * wrong * wrong;
    }
    report->tone_rms = sqrt(squares / ((double)job->width * job->height));
}

/* The sums of all blocks as figures. */
static void fill_report(const struct measure_job *job, ro_measure_report *report)
{
    const double pixels = (double)job->width * job->height;
    const double across = job->border < job->width ? job->border : job->width;
    const double down = job->border < job->height ? job->border : job->height;
    const double inside =
        2 * (uint64_t)job->border < job->width && 2 * (uint64_t)job->border < job->height
            ? (job->width - 2.0 * job->border) * (job->height - 2.0 * job->border)
            : 0;
    double squares = 0, seen = 0, frame = 0, ssim = 0, in = 0, out = 0, sides[4] = {0};
    uint64_t between = 0;
    for (uint32_t k = 0; k < job->blocks; k++) {
        const struct measure_sums *sums = &job->sums[k];
        squares += sums->squares;
        seen += sums->seen;
        frame += sums->seen_frame;
        ssim += sums->ssim;
        in += sums->in;
        out += sums->out;
        between += sums->between;
        for (int i = 0; i < 4; i++)
            sides[i] += sums->sides[i];
    }
    report->raw.rms = sqrt(squares / pixels);
    report->gaussian.rms = sqrt(seen / pixels);
    report->ssim = ssim / pixels;
    report->tone_in = in / pixels;
    report->tone_out = out / pixels;
    report->binary = between == 0;
    report->border = (ro_measure_border){
        .left = sides[0] / (across * job->height),
        .right = sides[1] / (across * job->height),
        .top = sides[2] / (down * job->width),
        .bottom = sides[3] / (down * job->width),
        .rms = sqrt(frame / (pixels - inside)),
        .rms_inside = inside > 0 && seen > frame ? sqrt((seen - frame) / inside) : 0,
    };
    fill_levels(job, report);
}

static ro_status run(struct measure_job *job, uint32_t tile, ro_measure_report *report)
{
    ro_context *context = job->context;
    ro_status status = ro_context_progress(context, "measure", 0);
    if (status != RO_OK)
        return status;
    pool_run(context->pool, pool_threads(context->pool), measure_blocks, job);
    fill_report(job, report);
    status = ro_context_progress(context, "measure", 0.6);
    if (status == RO_OK)
        status = measure_spectrum(job, report);
    if (status == RO_OK)
        status = ro_context_progress(context, "measure", 0.8);
    if (status == RO_OK && report->binary)
        status = measure_dots(job, &report->dots);
    if (status == RO_OK)
        status = ro_context_progress(context, "measure", 0.9);
    if (status == RO_OK)
        status = measure_fields(job, tile, report);
    report->raw.psnr = psnr_of(report->raw.rms);
    report->gaussian.psnr = psnr_of(report->gaussian.rms);
    report->contrast.psnr = psnr_of(report->contrast.rms);
    return status == RO_OK ? ro_context_progress(context, "measure", 1) : status;
}

static void free_fields(ro_measure_report *report)
{
    free(report->fields);
    *report = (ro_measure_report){0};
}

static ro_status measure(ro_context *context, const ro_image *original, const ro_image *result,
                         const ro_measure_options *options, ro_measure_report *report)
{
    if (MISSING(context, original, result, report))
        return RO_E_ARGUMENT;
    ro_measure_options asked;
    ro_status status = measure_check(context, original, result, options, &asked);
    *report = (ro_measure_report){0};
    if (status != RO_OK)
        return status;

    struct measure_job job = {.context = context,
                              .width = original->width,
                              .height = original->height,
                              .border = (uint32_t)asked.border};
    report->width = job.width;
    report->height = job.height;
    ro_image paper = {0};
    const bool prints = asked.gain > 0 || asked.yule_nielsen > 0;
    status = measure_tones_open(context, original, asked.linear, &job.original);
    if (status == RO_OK && prints)
        status = measure_print(context, result, &asked, &paper);
    if (status == RO_OK)
        status =
            measure_tones_open(context, prints ? &paper : result,
                               asked.linear && !prints && holds_srgb(result->format), &job.result);
    if (status == RO_OK)
        status = open_job(&job, &asked, report);
    if (status == RO_OK)
        status = run(&job, (uint32_t)asked.tile, report);
    close_job(&job);
    ro_image_free(&paper);
    if (status != RO_OK)
        free_fields(report);
    return status;
}

ro_status ro_measure(ro_context *context, const ro_image *original, const ro_image *result,
                     const ro_measure_options *options, ro_measure_report *report)
{
    ro_measure_report full = {.size = sizeof full};
    ro_status status = report_check(context, report);
    if (status != RO_OK)
        return status;
    status = measure(context, original, result, options, report ? &full : NULL);
    report_give(report, &full);
    return status;
}
