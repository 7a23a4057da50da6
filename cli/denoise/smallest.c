/* SPDX-License-Identifier: MIT */
#include "cli/denoise/smallest.h"

#include "cli/common/pictures.h"
#include "cli/common/stacks.h"
#include "roundoff/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double smallest_distance(const char *number)
{
    static const char word[] = "smallest:";
    char *end;
    if (!number || strncmp(number, word, sizeof word - 1) != 0)
        return 0;
    number += sizeof word - 1;
    const double distance = strtod(number, &end);
    return end > number && strcmp(end, "dB") == 0 && distance > 0 && distance <= 100 ? distance
                                                                                     : -1;
}

/* By their bits. */
static const char *const numbers[] = {"u8", "s9", "s12", "s16", "s17", "s24"};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

struct trial {
    ro_context *context;
    ro_image in, real, out; /* the input, and results in floats of the same units */
    ro_denoise_options options;
    double removed; /* sum of the squares of what floats took away */
};

static double sample(const ro_image *image, uint32_t y, size_t i)
{
    const char *row = (const char *)image->data + (ptrdiff_t)y * image->stride;
    switch (ro_format_sample_bytes(image->format)) {
    case 1:
        return ((const uint8_t *)row)[i];
    case 2:
        return ((const uint16_t *)(const void *)row)[i];
    default:
        return (double)((const float *)(const void *)row)[i];
    }
}

/* The sum of the squares of a - b, a counted in 1/white. */
static double squares(const ro_image *a, double white, const ro_image *b, double *largest)
{
    const size_t samples = (size_t)a->width * (ro_format_is_colour(a->format) ? 3 : 1);
    double sum = 0;
    *largest = 0;
    for (uint32_t y = 0; y < a->height; y++)
        for (size_t i = 0; i < samples; i++) {
            const double d = sample(a, y, i) / white - sample(b, y, i);
            sum += d * d;
            *largest = fabs(d) > *largest ? fabs(d) : *largest;
        }
    return sum;
}

static ro_status open_trial(struct trial *trial, const struct denoise_files *files)
{
    ro_read_options read = pictures_read(files->in);
    stack_pages(files->page, &read);
    read.pages = 1; /* the first of a stack stands for all */
    if (strcmp(files->in, "-") == 0)
        return ro_context_fail(trial->context, RO_E_ARGUMENT,
                               "--number smallest reads IN more than once: it can be no pipe");
    ro_status status = ro_image_load(trial->context, files->in, &read, &trial->in, NULL, NULL);
    const ro_format format = ro_format_is_colour(trial->in.format) ? RO_RGBF : RO_GREYF;
    ro_image *const results[] = {&trial->real, &trial->out};
    for (int i = 0; i < 2 && status == RO_OK; i++)
        status = ro_image_alloc(trial->context, format, trial->in.width, trial->in.height, 0,
                                results[i]);
    return status;
}

/* Floats settle kappa and the number of steps, which all number systems then have. */
static ro_status run_floats(struct trial *trial)
{
    ro_denoise_report report = {.size = sizeof report};
    ro_denoise_options *o = &trial->options;
    double largest;
    o->number = "s23e8";
    ro_status status = ro_denoise(trial->context, &trial->in, &trial->real, o, &report);
    if (status != RO_OK)
        return status;
    o->stop = NULL;
    o->iterations = report.steps;
    o->kappa = report.kappa;
    o->time_step = report.time_step;
    const bool real = ro_format_sample_bytes(trial->in.format) == 4;
    const double white = real ? 1 : ro_image_white(&trial->in);
    trial->removed = squares(&trial->in, white, &trial->real, &largest);
    return RO_OK;
}

/* How far the result in a number system is from that in floats. */
struct distance {
    double loss, largest;
    bool kept; /* the sum */
};

static ro_status try_number(struct trial *trial, const char *number, struct distance *distance)
{
    ro_denoise_report report = {.size = sizeof report};
    trial->options.number = number;
    ro_status status =
        ro_denoise(trial->context, &trial->in, &trial->out, &trial->options, &report);
    if (status != RO_OK)
        return status;
    const double off = squares(&trial->out, 1, &trial->real, &distance->largest);
    distance->loss = off > 0 ? 10 * log10(1 + off / trial->removed) : 0;
    distance->kept = report.sum_after == report.sum_before;
    return RO_OK;
}

static void print_table(const struct distance *distances, int found)
{
    for (int i = 0; i < NUMBERS; i++)
        fprintf(stderr, "denoise: %-3s  %8.4f dB from floats, at most %.3f/255, sum %s%s\n",
                numbers[i], distances[i].loss, 255 * distances[i].largest,
                distances[i].kept ? "kept" : "changed", i == found ? "  <- the smallest" : "");
}

ro_status smallest_number(const struct denoise_files *files, bool quiet, const char **found)
{
    struct trial trial = {.context = files->context, .options = files->denoise};
    struct distance distances[NUMBERS];
    int first = NUMBERS, nearest = 0;
    if (!trial.options.scheme)
        trial.options.scheme = "explicit";
    ro_status status = open_trial(&trial, files);
    if (status == RO_OK)
        status = run_floats(&trial);
    for (int i = 0; i < NUMBERS && status == RO_OK; i++) {
        status = try_number(&trial, numbers[i], &distances[i]);
        nearest = status == RO_OK && distances[i].loss < distances[nearest].loss ? i : nearest;
        if (status == RO_OK && distances[i].loss <= files->distance && first == NUMBERS)
            first = i;
    }
    if (status == RO_OK && first == NUMBERS)
        status = ro_context_fail(files->context, RO_E_ARGUMENT,
                                 "no number system is within %g dB of floats: %s is the nearest, "
                                 "%.2g dB from them",
                                 files->distance, numbers[nearest], distances[nearest].loss);
    if (status == RO_OK) {
        *found = numbers[first];
        if (!quiet)
            print_table(distances, first);
    }
    ro_image_free(&trial.in);
    ro_image_free(&trial.real);
    ro_image_free(&trial.out);
    return status;
}
