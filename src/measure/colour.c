/* SPDX-License-Identifier: MIT */
/*
 * Measuring in colour: both pictures as light, blurred as a Gaussian eye blurs, and then the
 * difference that CIEDE2000 finds between them (Sharma, Wu and Dalal, 2005). Bands of rows are
 * taken by ticket and keep sums of their own, which are added in order.
 *
 * A panel is darker than its surroundings would have it. An eye that looks at it takes its white
 * for white and its black for black, so the light of the result can be stretched from these.
 */
#include "measure/colour.h"

#include "core/checked.h"
#include "core/image.h"
#include "core/misuse.h"
#include "core/options.h"
#include "core/palette_ends.h"

#include <math.h>
#include <stdlib.h>

enum { BAND = 32, STEPS = 100, MOST_DIFFERENCE = 200, COUNTS = STEPS * MOST_DIFFERENCE };

static const double pi = 3.14159265358979323846;

/* ---- light ----------------------------------------------------------------------------------- */

static double light_of(double x)
{
    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

static float light_of_float(float x)
{
    return (float)light_of(x > 0 ? x < 1 ? x : 1 : 0); /* NaN becomes 0 */
}

static float light_at(const struct colour_job *job, int which, const void *row, size_t x, size_t c)
{
    const ro_image *image = job->image[which];
    const bool colour = ro_format_is_colour(image->format);
    const size_t at = colour ? 3 * x + c : x;
    uint32_t value;
    switch (image->format) {
    case RO_GREYF:
    case RO_RGBF:
        return light_of_float(((const float *)row)[at]);
    case RO_BITS:
        value = ((const uint8_t *)row)[x / 8] >> (7 - x % 8) & 1;
        break;
    case RO_GREY16:
    case RO_RGB16:
        value = ((const uint16_t *)row)[at];
        break;
    default:
        value = ((const uint8_t *)row)[at];
    }
    return job->table[which][value < job->white[which] ? value : job->white[which]];
}

uint32_t colour_mirrored(int64_t i, uint32_t count)
{
    const int64_t turn = 2 * (int64_t)count;
    i = (i % turn + turn) % turn;
    return (uint32_t)(i < count ? i : turn - 1 - i);
}

void colour_row(const struct colour_job *job, int which, uint32_t y, float *light)
{
    const ro_image *image = job->image[which];
    const char *row = (const char *)image->data + (ptrdiff_t)y * image->stride;
    for (size_t c = 0; c < 3; c++)
        for (uint32_t x = 0; x < image->width; x++, light++) {
            *light = light_at(job, which, row, x, c);
            if (which == 1 && job->adapted)
                *light = (*light - job->black[c]) * job->scale[c];
        }
}

/* A row's three channels, one after another, blurred along it. */
static void blurred_row(const struct colour_job *job, int which, uint32_t y, float *plain,
                        float *to, double *sum)
{
    const ro_image *image = job->image[which];
    const uint32_t width = image->width;
    const char *row = (const char *)image->data + (ptrdiff_t)y * image->stride;
    const int radius = job->radius;
    for (size_t c = 0; c < 3; c++) {
        for (uint32_t x = 0; x < width; x++)
            plain[radius + x] = light_at(job, which, row, x, c);
        for (uint32_t x = 0; which == 1 && job->adapted && x < width; x++)
            plain[radius + x] = (plain[radius + x] - job->black[c]) * job->scale[c];
        for (int i = 1; i <= radius; i++) {
            plain[radius - i] = plain[radius + colour_mirrored(-i, width)];
            plain[radius + width - 1 + i] =
                plain[radius + colour_mirrored((int64_t)width - 1 + i, width)];
        }
        for (uint32_t x = 0; x < width; x++) {
            const float *at = plain + radius + x;
            float seen = job->eye[0] * at[0];
            for (int i = 1; i <= radius; i++)
                seen += job->eye[i] * (at[-i] + at[i]);
            to[c * width + x] = seen;
            if (sum)
                sum[c] += (double)at[0];
        }
    }
}

/* ---- differences ----------------------------------------------------------------------------- */

static double lab_root(double t)
{
    return t > 216 / 24389.0 ? cbrt(t) : (24389 / 27.0 * t + 16) / 116;
}

const double colour_xyz[3][3] = {{0.4124564, 0.3575761, 0.1804375},
                                 {0.2126729, 0.7151522, 0.0721750},
                                 {0.0193339, 0.1191920, 0.9503041}};

void colour_lab(const double xyz[3], double lab[3])
{
    double f[3];
    for (int i = 0; i < 3; i++)
        f[i] = lab_root(xyz[i] / (colour_xyz[i][0] + colour_xyz[i][1] + colour_xyz[i][2]));
    lab[0] = 116 * f[1] - 16;
    lab[1] = 500 * (f[0] - f[1]);
    lab[2] = 200 * (f[1] - f[2]);
}

static void lab_of_light(const double light[3], double lab[3])
{
    double xyz[3];
    for (int i = 0; i < 3; i++)
        xyz[i] =
            colour_xyz[i][0] * light[0] + colour_xyz[i][1] * light[1] + colour_xyz[i][2] * light[2];
    colour_lab(xyz, lab);
}

static double degrees(double x) { return x * 180 / pi; }
static double radians(double x) { return x * pi / 180; }

double measure_difference(const double a[3], const double b[3])
{
    const double mean_chroma = (hypot(a[1], a[2]) + hypot(b[1], b[2])) / 2;
    const double seventh = pow(mean_chroma, 7), far = 6103515625.0; /* 25 to the 7th */
    const double more = 1.5 - 0.5 * sqrt(seventh / (seventh + far));
    const double a1 = a[1] * more, b1 = b[1] * more;
    const double c1 = hypot(a1, a[2]), c2 = hypot(b1, b[2]);
    double h1 = c1 > 0 ? degrees(atan2(a[2], a1)) : 0, h2 = c2 > 0 ? degrees(atan2(b[2], b1)) : 0;
    h1 += h1 < 0 ? 360 : 0;
    h2 += h2 < 0 ? 360 : 0;
    double turn = h2 - h1, hue = h1 + h2;
    if (c1 > 0 && c2 > 0) {
        if (fabs(turn) > 180)
            hue += hue < 360 ? 360 : -360;
        hue /= 2;
        turn += turn > 180 ? -360 : turn < -180 ? 360 : 0;
    } else {
        turn = 0;
    }
    const double dl = b[0] - a[0], dc = c2 - c1;
    const double dh = 2 * sqrt(c1 * c2) * sin(radians(turn) / 2);
    const double l = (a[0] + b[0]) / 2 - 50, c = (c1 + c2) / 2, c7 = pow(c, 7);
    const double t = 1 - 0.17 * cos(radians(hue - 30)) + 0.24 * cos(radians(2 * hue)) +
                     0.32 * cos(radians(3 * hue + 6)) - 0.20 * cos(radians(4 * hue - 63));
    const double off = (hue - 275) / 25;
    const double sl = 1 + 0.015 * l * l / sqrt(20 + l * l), sc = 1 + 0.045 * c;
    const double sh = 1 + 0.015 * c * t;
    const double rt = -2 * sqrt(c7 / (c7 + far)) * sin(radians(60 * exp(-off * off)));
    const double x = dl / sl, y = dc / sc, z = dh / sh;
    return sqrt(fmax(0, x * x + y * y + z * z + rt * y * z));
}

/* ---- bands ----------------------------------------------------------------------------------- */

static void measure_band(const struct colour_job *job, uint32_t band, float *scratch,
                         uint64_t *counts)
{
    const uint32_t width = job->image[0]->width, height = job->image[0]->height;
    const uint32_t first = band * BAND, last = height - first < BAND ? height : first + BAND;
    const size_t row = 3 * (size_t)width;
    const int radius = job->radius;
    const size_t rows = last - first + 2 * (size_t)radius;
    float *plain = scratch, *seen[2] = {plain + width + 2 * (size_t)radius, NULL};
    seen[1] = seen[0] + rows * row;
    struct band_sums *sums = &job->sums[band];
    for (int which = 0; which < 2; which++)
        for (size_t r = 0; r < rows; r++) {
            const int64_t y = (int64_t)first + (int64_t)r - radius;
            const bool own = y >= first && y < last;
            blurred_row(job, which, colour_mirrored(y, height), plain, seen[which] + r * row,
                        !own    ? NULL
                        : which ? sums->out
                                : sums->in);
        }
    for (uint32_t y = first; y < last; y++)
        for (uint32_t x = 0; x < width; x++) {
            double lab[2][3];
            for (int which = 0; which < 2; which++) {
                double light[3];
                for (size_t c = 0; c < 3; c++) {
                    const float *at =
                        seen[which] + (y - first + (size_t)radius) * row + c * width + x;
                    float sum = job->eye[0] * *at;
                    for (int i = 1; i <= radius; i++)
                        sum += job->eye[i] * (at[-(ptrdiff_t)row * i] + at[(ptrdiff_t)row * i]);
                    light[c] = (double)sum;
                }
                lab_of_light(light, lab[which]);
            }
            const double difference = measure_difference(lab[0], lab[1]);
            const int step = (int)(STEPS * difference);
            sums->difference += difference;
            sums->most = difference > sums->most ? difference : sums->most;
            counts[step < COUNTS ? step : COUNTS - 1]++;
        }
}

static void measure_bands(void *data, int thread)
{
    struct colour_job *job = data;
    for (;;) {
        const uint32_t band = atomic_fetch_add(&job->ticket, 1);
        if (band >= job->bands)
            return;
        measure_band(job, band, job->scratch + (size_t)thread * job->scratch_floats,
                     job->counts + (size_t)thread * COUNTS);
    }
}

static ro_status adapt(ro_context *context, const ro_palette *palette, struct colour_job *job)
{
    int black, white;
    if (!palette)
        return RO_OK;
    if (palette->count < 2 || palette->count > 256)
        return ro_context_fail(context, RO_E_ARGUMENT, "a palette has 2 to 256 colours, not %d",
                               palette->count);
    palette_ends(palette, &black, &white);
    for (int c = 0; c < 3; c++) {
        const double least = light_of(palette->colours[black][c] / 255.0);
        const double most = light_of(palette->colours[white][c] / 255.0);
        if (!(least < most))
            return ro_context_fail(context, RO_E_ARGUMENT,
                                   "an eye cannot adapt to a palette whose white is not lighter "
                                   "than its black in red, green and blue");
        job->black[c] = (float)least;
        job->scale[c] = (float)(1 / (most - least));
    }
    job->adapted = true;
    return RO_OK;
}

static ro_status open_job(ro_context *context, struct colour_job *job, double sigma, int threads)
{
    const uint32_t width = job->image[0]->width, height = job->image[0]->height;
    size_t rows = BAND + 2 * (size_t)job->radius, floats, bytes;
    measure_gaussian(sigma, job->radius, job->eye);
    job->bands = (height + BAND - 1) / BAND;
    for (int which = 0; which < 2; which++) {
        const ro_image *image = job->image[which];
        const uint32_t white = image->format == RO_BITS ? 1 : ro_image_white(image);
        job->white[which] = white;
        if (image->format == RO_GREYF || image->format == RO_RGBF)
            continue;
        job->table[which] = malloc(((size_t)white + 1) * sizeof(float));
        for (uint32_t i = 0; job->table[which] && i <= white; i++)
            job->table[which][i] = (float)light_of((double)i / white);
        if (!job->table[which])
            return ro_context_fail(context, RO_E_MEMORY, "no memory for a table of %u tones",
                                   white + 1);
    }
    if (size_multiply(6 * (size_t)width, rows, &floats)) {
        job->scratch_floats = floats + width + 2 * (size_t)job->radius;
        if (size_multiply(job->scratch_floats * sizeof(float), (size_t)threads, &bytes))
            job->scratch = malloc(bytes);
    }
    job->sums = calloc(job->bands, sizeof *job->sums);
    job->counts = calloc((size_t)threads * COUNTS, sizeof *job->counts);
    if (!job->scratch || !job->sums || !job->counts)
        return ro_context_fail(context, RO_E_MEMORY, "no memory to measure %u x %u pixels", width,
                               height);
    return RO_OK;
}

static void fill_report(const struct colour_job *job, int threads, ro_colour_report *report)
{
    const double pixels = (double)job->image[0]->width * job->image[0]->height;
    double sum = 0;
    uint64_t below = 0;
    for (uint32_t k = 0; k < job->bands; k++) {
        sum += job->sums[k].difference;
        report->delta_e_most = fmax(report->delta_e_most, job->sums[k].most);
        for (int c = 0; c < 3; c++) {
            report->light_in[c] += job->sums[k].in[c] / pixels;
            report->light_out[c] += job->sums[k].out[c] / pixels;
        }
    }
    report->delta_e = sum / pixels;
    for (int i = 0; i < COUNTS; i++) {
        for (int t = 0; t < threads; t++)
            below += job->counts[(size_t)t * COUNTS + (size_t)i];
        if ((double)below >= 0.95 * pixels) {
            report->delta_e_95 = (i + 1) / (double)STEPS;
            break;
        }
    }
}

static ro_status measure_colour(ro_context *context, const ro_image *original,
                                const ro_image *result, const ro_measure_options *given,
                                ro_colour_report *report)
{
    if (MISSING(context, original, result, report))
        return RO_E_ARGUMENT;
    ro_measure_options options;
    *report = (ro_colour_report){0};
    ro_status status = measure_check(context, original, result, given, &options);
    if (status != RO_OK)
        return status;
    struct colour_job job = {.image = {original, result}};
    const int threads = pool_threads(context->pool);
    report->pixels_per_degree = measure_pixels_per_degree(&options);
    report->sigma = report->pixels_per_degree / 60;
    job.radius = (int)ceil(5 * report->sigma);
    if (job.radius >= MEASURE_MOST_TAPS)
        status = ro_context_fail(context, RO_E_ARGUMENT,
                                 "%.0f pixels per degree are more than can be measured",
                                 report->pixels_per_degree);
    if (status == RO_OK)
        status = adapt(context, options.adapted, &job);
    if (status == RO_OK)
        status = open_job(context, &job, report->sigma, threads);
    if (status == RO_OK) {
        pool_run(context->pool, threads, measure_bands, &job);
        fill_report(&job, threads, report);
        status = measure_opponent(context, &job, report->sigma, report);
    }
    free(job.table[0]);
    free(job.table[1]);
    free(job.scratch);
    free(job.sums);
    free(job.counts);
    return status;
}

ro_status ro_measure_colour(ro_context *context, const ro_image *original, const ro_image *result,
                            const ro_measure_options *given, ro_colour_report *report)
{
    ro_colour_report full = {.size = sizeof full};
    ro_status status = report_check(context, report);
    if (status != RO_OK)
        return status;
    status = measure_colour(context, original, result, given, report ? &full : NULL);
    report_give(report, &full);
    return status;
}
