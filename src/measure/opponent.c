/* SPDX-License-Identifier: MIT */
/*
 * Differences of colour as S-CIELAB has them (Zhang and Wandell, 1997): light becomes luma and two
 * opponent channels, and the eye sees colour less sharply than luma, with long skirts. Sigma being
 * that of the Gaussian eye, in units of it,
 *
 *     luma             1
 *     red - green      0.617 of 1.385,  0.383 of 17.5
 *     blue - yellow    0.568 of 1.89,   0.432 of 13.6
 *
 * These are the ratios of the paper, whose luma has two more Gaussians that nearly cancel. Then
 * CIEDE2000. Bands of rows are taken by ticket and keep sums of their own, added in order.
 */
#include "measure/colour.h"

#include "core/checked.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BAND = 128, BLURS = 5, STEPS = 100, COUNTS = 200 * STEPS };

/* Of which channel, how wide in sigmas, how many deviations reach, and the share. */
static const struct {
    int channel;
    double width, reach, share;
} blurs[BLURS] = {
    {0, 1, 5, 1},        {1, 1.385, 5, 0.617}, {1, 17.5, 3, 0.383},
    {2, 1.89, 5, 0.568}, {2, 13.6, 3, 0.432},
};

/* Poirson and Wandell's channels of XYZ. */
static const double of_xyz[3][3] = {
    {0.279, 0.720, -0.107}, {-0.449, 0.290, -0.077}, {0.086, -0.590, 0.501}};

struct opponent_job {
    const struct colour_job *colour;
    double to[3][3], back[3][3]; /* from light, and to XYZ */
    float *weights[BLURS];
    int radius[BLURS], reach; /* the largest */
    uint32_t bands;
    double *sums;
    uint64_t *counts;
    float *scratch;
    size_t scratch_floats;
    atomic_uint ticket;
};

static void invert(const double m[3][3], double to[3][3])
{
    double whole = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            to[i][j] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
        }
    for (int i = 0; i < 3; i++)
        whole += m[0][i] * to[i][0];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            to[i][j] /= whole;
}

static void make_channels(struct opponent_job *job)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                job->to[i][j] += of_xyz[i][k] * colour_xyz[k][j];
    invert(of_xyz, job->back);
}

static size_t padded_width(const struct opponent_job *job)
{
    return (size_t)job->colour->image[0]->width + 2 * (size_t)job->reach;
}

/* The channels of a row, blurred along it: one line for each blur. */
static void blur_along(const struct opponent_job *job, int which, uint32_t y, float *light,
                       float *channel, float *to)
{
    const uint32_t width = job->colour->image[0]->width;
    colour_row(job->colour, which, y, light);
    for (int c = 0; c < 3; c++) {
        float *own = channel + job->reach;
        for (uint32_t x = 0; x < width; x++)
            own[x] = (float)(job->to[c][0] * (double)light[x] +
                             job->to[c][1] * (double)light[width + x] +
                             job->to[c][2] * (double)light[2 * (size_t)width + x]);
        for (int i = 1; i <= job->reach; i++) {
            own[-i] = own[colour_mirrored(-i, width)];
            own[(int64_t)width - 1 + i] = own[colour_mirrored((int64_t)width - 1 + i, width)];
        }
        for (int n = 0; n < BLURS; n++) {
            float *sum = to + (size_t)n * width;
            if (blurs[n].channel != c)
                continue;
            for (uint32_t x = 0; x < width; x++)
                sum[x] = job->weights[n][0] * own[x];
            for (int i = 1; i <= job->radius[n]; i++)
                for (uint32_t x = 0; x < width; x++)
                    sum[x] += job->weights[n][i] * (own[(int64_t)x - i] + own[(int64_t)x + i]);
        }
    }
}

/* The three channels of a row as they are seen, from lines of `rows` at that row. */
static void blur_across(const struct opponent_job *job, const float *rows, float *seen)
{
    const size_t width = job->colour->image[0]->width, apart = BLURS * width;
    memset(seen, 0, 3 * width * sizeof *seen);
    for (int n = 0; n < BLURS; n++) {
        const float *own = rows + (size_t)n * width;
        float *sum = seen + (size_t)blurs[n].channel * width;
        const float share = (float)blurs[n].share;
        for (int i = 0; i <= job->radius[n]; i++) {
            const float weight = share * job->weights[n][i];
            const float *above = own - (size_t)i * apart, *below = own + (size_t)i * apart;
            for (size_t x = 0; x < width; x++)
                sum[x] += weight * (i ? above[x] + below[x] : own[x]);
        }
    }
}

static void lab_at(const struct opponent_job *job, const float *seen, size_t width, double lab[3])
{
    double xyz[3];
    for (int c = 0; c < 3; c++)
        xyz[c] = fmax(0, job->back[c][0] * (double)seen[0] + job->back[c][1] * (double)seen[width] +
                             job->back[c][2] * (double)seen[2 * width]);
    colour_lab(xyz, lab);
}

static void measure_band(const struct opponent_job *job, uint32_t band, float *scratch,
                         uint64_t *counts)
{
    const size_t width = job->colour->image[0]->width;
    const uint32_t height = job->colour->image[0]->height, first = band * BAND;
    const uint32_t count = height - first < BAND ? height - first : BAND;
    const size_t rows = count + 2 * (size_t)job->reach, apart = BLURS * width;
    float *channel = scratch, *light = channel + padded_width(job), *seen[2], *lines[2];
    seen[0] = light + 3 * width;
    seen[1] = seen[0] + 3 * width;
    lines[0] = seen[1] + 3 * width;
    lines[1] = lines[0] + rows * apart;
    for (int which = 0; which < 2; which++)
        for (size_t r = 0; r < rows; r++)
            blur_along(job, which,
                       colour_mirrored((int64_t)first + (int64_t)r - job->reach, height), light,
                       channel, lines[which] + r * apart);
    for (uint32_t y = 0; y < count; y++) {
        for (int which = 0; which < 2; which++)
            blur_across(job, lines[which] + (y + (size_t)job->reach) * apart, seen[which]);
        for (size_t x = 0; x < width; x++) {
            double lab[2][3];
            for (int which = 0; which < 2; which++)
                lab_at(job, seen[which] + x, width, lab[which]);
            const double difference = measure_difference(lab[0], lab[1]);
            const int step = (int)(STEPS * difference);
            job->sums[band] += difference;
            counts[step < COUNTS ? step : COUNTS - 1]++;
        }
    }
}

static void measure_bands(void *data, int thread)
{
    struct opponent_job *job = data;
    uint32_t band;
    while ((band = atomic_fetch_add(&job->ticket, 1)) < job->bands)
        measure_band(job, band, job->scratch + (size_t)thread * job->scratch_floats,
                     job->counts + (size_t)thread * COUNTS);
}

static ro_status open_job(ro_context *context, struct opponent_job *job, double sigma, int threads)
{
    const ro_image *image = job->colour->image[0];
    size_t floats, bytes;
    bool made = true;
    for (int n = 0; n < BLURS; n++) {
        job->radius[n] = (int)ceil(blurs[n].reach * blurs[n].width * sigma);
        job->reach = job->radius[n] > job->reach ? job->radius[n] : job->reach;
        job->weights[n] = malloc(((size_t)job->radius[n] + 1) * sizeof(float));
        made = made && job->weights[n];
        if (job->weights[n])
            measure_gaussian(blurs[n].width * sigma, job->radius[n], job->weights[n]);
    }
    job->bands = (image->height + BAND - 1) / BAND;
    const size_t band = image->height < BAND ? image->height : BAND;
    if (size_multiply(2 * BLURS * (size_t)image->width, band + 2 * (size_t)job->reach, &floats)) {
        job->scratch_floats = floats + 9 * (size_t)image->width + padded_width(job);
        if (size_multiply(job->scratch_floats * sizeof(float), (size_t)threads, &bytes))
            job->scratch = malloc(bytes);
    }
    job->sums = calloc(job->bands, sizeof *job->sums);
    job->counts = calloc((size_t)threads * COUNTS, sizeof *job->counts);
    if (!made || !job->scratch || !job->sums || !job->counts)
        return ro_context_fail(context, RO_E_MEMORY, "no memory to measure %u x %u pixels",
                               image->width, image->height);
    return RO_OK;
}

static void fill_report(const struct opponent_job *job, int threads, ro_colour_report *report)
{
    const double pixels = (double)job->colour->image[0]->width * job->colour->image[0]->height;
    uint64_t below = 0;
    for (uint32_t k = 0; k < job->bands; k++)
        report->scielab += job->sums[k] / pixels;
    for (int i = 0; i < COUNTS && (double)below < 0.95 * pixels; i++) {
        for (int t = 0; t < threads; t++)
            below += job->counts[(size_t)t * COUNTS + (size_t)i];
        report->scielab_95 = (i + 1) / (double)STEPS;
    }
}

ro_status measure_opponent(ro_context *context, const struct colour_job *colour, double sigma,
                           ro_colour_report *report)
{
    struct opponent_job job = {.colour = colour};
    const int threads = pool_threads(context->pool);
    make_channels(&job);
    const ro_status status = open_job(context, &job, sigma, threads);
    if (status == RO_OK) {
        pool_run(context->pool, threads, measure_bands, &job);
        fill_report(&job, threads, report);
    }
    for (int n = 0; n < BLURS; n++)
        free(job.weights[n]);
    free(job.scratch);
    free(job.sums);
    free(job.counts);
    return status;
}
