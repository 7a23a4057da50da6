/* SPDX-License-Identifier: MIT */
/*
 * From a scan of the wedge to a tone curve: find the marks, look at every patch and at the paper
 * round it, divide the light away, make the tones grow (the nearest growing sequence), turn the
 * curve round. The marks are alike, so a sheet that lies otherwise is turned until the patches
 * between them are in order.
 */
#include "calibrate/wedge.h"
#include "calibrate/wedge_marks.h"
#include "core/checked.h"
#include "core/image.h"
#include "core/misuse.h"
#include "core/options.h"
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 64, SMALLEST = 160 };

static const char no_marks[] = "its four marks were not found";

static ro_status no_wedge(ro_context *context, const char *why)
{
    return ro_context_fail(context, RO_E_FORMAT, "there is no step wedge in the scan: %s", why);
}

/* ---- The scan ------------------------------------------------------------------------------- */

/* One channel of a colour picture, the same samples as grey; ro_image_free frees. */
static ro_status take_channel(ro_context *context, const ro_image *image, int channel,
                              ro_image *grey)
{
    const ro_format format = image->format == RO_RGB8    ? RO_GREY8
                             : image->format == RO_RGB16 ? RO_GREY16
                                                         : RO_GREYF;
    const size_t size = format == RO_GREY8 ? 1 : format == RO_GREY16 ? 2 : 4;
    ro_status status = ro_image_alloc(context, format, image->width, image->height,
                                      format == RO_GREYF ? 0 : ro_image_white(image), grey);
    for (uint32_t y = 0; y < image->height && status == RO_OK; y++) {
        const char *from = (const char *)image->data + (ptrdiff_t)y * image->stride;
        char *to = (char *)grey->data + (ptrdiff_t)y * grey->stride;
        for (size_t x = 0; x < image->width; x++)
            memcpy(to + x * size, from + (3 * x + (size_t)channel) * size, size);
    }
    return status;
}

/* The filter through which an ink is darkest; -1: none, by its luma. */
static int filter_of(const ro_wedge_options *options, const ro_image *image)
{
    int darkest = 0;
    if (!options->ink_given || !ro_format_is_colour(image->format))
        return -1;
    for (int c = 1; c < 3; c++)
        if (options->ink_colour[c] < options->ink_colour[darkest])
            darkest = c;
    return darkest;
}

static ro_status alloc_blocks(ro_context *context, struct wedge_scan *scan)
{
    const uint32_t shorter = scan->width < scan->height ? scan->width : scan->height;
    scan->block = shorter / BLOCKS > 4 ? shorter / BLOCKS : 4;
    scan->across = (scan->width + scan->block - 1) / scan->block;
    scan->down = (scan->height + scan->block - 1) / scan->block;
    free(scan->blocks);
    free(scan->paper);
    scan->blocks = calloc((size_t)scan->across * scan->down, sizeof *scan->blocks);
    scan->paper = calloc((size_t)scan->across * scan->down, sizeof *scan->paper);
    if (!scan->tone || !scan->blocks || !scan->paper)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a scan of %u x %u pixels",
                               scan->width, scan->height);
    return RO_OK;
}

static ro_status open_scan(ro_context *context, const ro_image *image,
                           const ro_wedge_options *options, struct wedge_scan *scan)
{
    struct measure_tones tones = {0};
    ro_image grey = {0};
    size_t pixels, bytes;
    const int filter = filter_of(options, image);
    scan->width = image->width;
    scan->height = image->height;
    if (size_multiply(scan->width, scan->height, &pixels) &&
        size_multiply(pixels, sizeof *scan->tone, &bytes))
        scan->tone = malloc(bytes);
    ro_status status = alloc_blocks(context, scan);
    if (status == RO_OK && filter >= 0)
        status = take_channel(context, image, filter, &grey);
    if (status == RO_OK)
        status = measure_tones_open(context, filter >= 0 ? &grey : image, !options->linear, &tones);
    for (uint32_t y = 0; y < scan->height && status == RO_OK; y++)
        measure_tones_row(&tones, 0, y, scan->width, scan->tone + (size_t)y * scan->width);
    measure_tones_close(&tones);
    ro_image_free(&grey);
    return status;
}

/* A quarter turn back, counterclockwise. */
static ro_status turn_scan(ro_context *context, struct wedge_scan *scan)
{
    const uint32_t width = scan->width, height = scan->height;
    float *turned = malloc((size_t)width * height * sizeof *turned);
    if (!turned)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a scan of %u x %u pixels",
                               width, height);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            turned[(size_t)(width - 1 - x) * height + y] = scan->tone[(size_t)y * width + x];
    free(scan->tone);
    scan->tone = turned;
    scan->width = height;
    scan->height = width;
    return alloc_blocks(context, scan);
}

/* Paper near a place: the lightest of the blocks' means round it. */
static void find_paper(struct wedge_scan *scan)
{
    enum { REACH = 3 };
    for (uint32_t v = 0; v < scan->down; v++)
        for (uint32_t u = 0; u < scan->across; u++) {
            double sum = 0;
            uint32_t count = 0;
            for (uint32_t y = v * scan->block; y < (v + 1) * scan->block && y < scan->height; y++)
                for (uint32_t x = u * scan->block; x < (u + 1) * scan->block && x < scan->width;
                     x++, count++)
                    sum += (double)scan->tone[(size_t)y * scan->width + x];
            scan->blocks[v * scan->across + u] = (float)(sum / count);
        }
    for (int64_t v = 0; v < scan->down; v++)
        for (int64_t u = 0; u < scan->across; u++) {
            float most = 0;
            for (int64_t y = v - REACH; y <= v + REACH; y++)
                for (int64_t x = u - REACH; x <= u + REACH; x++)
                    if (y >= 0 && y < scan->down && x >= 0 && x < scan->across &&
                        scan->blocks[y * scan->across + x] > most)
                        most = scan->blocks[y * scan->across + x];
            scan->paper[v * scan->across + u] = most;
        }
}

/* ---- Looking at it -------------------------------------------------------------------------- */

/* A place of the wedge, in units, as pixels of the scan. */
static void place_of(const double corner[4][2], double u, double v, double *x, double *y)
{
    const double half = WEDGE_MARGIN + WEDGE_MARK / 2.0;
    const double s = (u - half) / WEDGE_ACROSS, t = (v - half) / WEDGE_DOWN;
    double at[2];
    for (int i = 0; i < 2; i++)
        at[i] = (1 - t) * ((1 - s) * corner[0][i] + s * corner[1][i]) +
                t * ((1 - s) * corner[2][i] + s * corner[3][i]);
    *x = at[0];
    *y = at[1];
}

static double tone_at(const struct wedge_scan *scan, double x, double y)
{
    x = x < 0 ? 0 : x > scan->width - 1.0 ? scan->width - 1.0 : x;
    y = y < 0 ? 0 : y > scan->height - 1.0 ? scan->height - 1.0 : y;
    const size_t i = (size_t)x, k = (size_t)y, w = scan->width;
    const double s = x - (double)i, t = y - (double)k;
    const float *p = scan->tone + k * w + i;
    const size_t right = i + 1 < w, below = k + 1 < scan->height ? w : 0;
    return (1 - t) * ((1 - s) * (double)p[0] + s * (double)p[right]) +
           t * ((1 - s) * (double)p[below] + s * (double)p[below + right]);
}

/* The mean of a rectangle round (u, v), weighted down towards its edges so that it does not count
 * how many dots of a screen lie across them. */
static double mean_of(const struct wedge_scan *scan, const double corner[4][2], double u, double v,
                      double width, double height)
{
    const double pi = 3.14159265358979323846;
    const double unit =
        hypot(corner[1][0] - corner[0][0], corner[1][1] - corner[0][1]) / WEDGE_ACROSS;
    const int across = (int)ceil(2 * width * unit), down = (int)ceil(2 * height * unit);
    double sum = 0, weights = 0;
    for (int j = 0; j < down; j++)
        for (int i = 0; i < across; i++) {
            const double s = (i + 0.5) / across, t = (j + 0.5) / down;
            const double weight = (1 - cos(2 * pi * s)) * (1 - cos(2 * pi * t));
            double x, y;
            place_of(corner, u + (s - 0.5) * width, v + (t - 0.5) * height, &x, &y);
            sum += weight * tone_at(scan, x, y);
            weights += weight;
        }
    return sum / weights;
}

struct look {
    double patch, paper;
};

static struct look look_at(const struct wedge_scan *scan, const double corner[4][2], int number)
{
    const double u = WEDGE_LEFT + number % WEDGE_COLUMNS * WEDGE_PITCH + WEDGE_PATCH / 2.0;
    const double v = WEDGE_TOP + number / WEDGE_COLUMNS * WEDGE_PITCH + WEDGE_PATCH / 2.0;
    const double beside = WEDGE_PITCH / 2.0, thin = 1.4, wide = 6;
    return (struct look){
        .patch = mean_of(scan, corner, u, v, 7, 7),
        .paper = (mean_of(scan, corner, u - beside, v, thin, wide) +
                  mean_of(scan, corner, u + beside, v, thin, wide) +
                  mean_of(scan, corner, u, v - beside, wide, thin) +
                  mean_of(scan, corner, u, v + beside, wide, thin)) /
                 4,
    };
}

/* `why`: receives what is wrong with it. */
static ro_status measure_steps(ro_context *context, const struct wedge_scan *scan,
                               ro_wedge_report *report, const char **why)
{
    int steps[WEDGE_PATCHES], blacks = 0;
    double ratio[WEDGE_PATCHES], black = 0, least = INFINITY, most = 0;
    wedge_steps(steps);
    for (int i = 0; i < WEDGE_PATCHES; i++) {
        const ro_status status =
            ro_context_progress(context, "calibrate", (double)i / WEDGE_PATCHES);
        if (status != RO_OK)
            return status;
        const struct look look = look_at(scan, (const double(*)[2])report->corner, i);
        if (!(look.paper > 0.02)) {
            *why = "the paper between its patches is black";
            return RO_OK;
        }
        ratio[i] = look.patch / look.paper;
        least = look.paper < least ? look.paper : least;
        most = look.paper > most ? look.paper : most;
        if (steps[i] == 0) {
            black += ratio[i];
            blacks++;
        }
    }
    report->black = black / blacks;
    report->light = least / most;
    if (report->black > 0.7) {
        *why = "its darkest patches are nearly as light as paper";
        return RO_OK;
    }
    for (int i = 0; i < WEDGE_PATCHES; i++)
        report->printed[steps[i]] = (ratio[i] - report->black) / (1 - report->black);
    report->printed[0] = 0; /* the mean of all that are black */
    double squares = 0;
    for (int k = 0; k < RO_WEDGE_STEPS; k++) {
        report->tone[k] = (double)k / (RO_WEDGE_STEPS - 1);
        squares += pow(report->printed[k] - report->tone[k], 2);
    }
    report->error = sqrt(squares / RO_WEDGE_STEPS);
    return RO_OK;
}

/* ---- The curve ------------------------------------------------------------------------------ */

/* The nearest sequence that never falls: neighbours that fall become their mean, until none do. */
static void make_growing(const double *values, int count, double *grown)
{
    double mean[RO_WEDGE_STEPS];
    int size[RO_WEDGE_STEPS], groups = 0;
    for (int i = 0; i < count; i++) {
        mean[groups] = values[i];
        size[groups++] = 1;
        while (groups > 1 && mean[groups - 2] > mean[groups - 1]) {
            const int a = size[groups - 2], b = size[groups - 1];
            mean[groups - 2] = (a * mean[groups - 2] + b * mean[groups - 1]) / (a + b);
            size[groups - 2] = a + b;
            groups--;
        }
    }
    for (int g = 0, i = 0; g < groups; g++)
        for (int k = 0; k < size[g]; k++)
            grown[i++] = mean[g];
}

/* The sample that stands for a light in a picture. */
static double srgb_of(double light)
{
    return light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055;
}

/* What is wrong with it; NULL: nothing. */
static const char *make_curve(const ro_wedge_report *report, bool plate,
                              ro_tone_point points[RO_WEDGE_STEPS], int *count)
{
    const int last = RO_WEDGE_STEPS - 1;
    double grown[RO_WEDGE_STEPS], moved = 0;
    make_growing(report->printed, RO_WEDGE_STEPS, grown);
    for (int k = 0; k <= last; k++) {
        moved = fmax(moved, fabs(grown[k] - report->printed[k]));
        grown[k] = grown[k] < 0 ? 0 : grown[k] > 1 ? 1 : grown[k];
    }
    if (moved > 0.1)
        return "the patches between its marks are not in order";
    if (grown[last] < 0.8)
        return "its lightest patch is not paper";
    double before = 0;
    *count = 0;
    points[(*count)++] = (ro_tone_point){0, 0};
    for (int k = 1; k < last; k++)
        /* tones that print alike: the middle one of them is as good as any */
        if (grown[k] > before + 1e-4 && grown[k] < 1 - 1e-4) {
            before = grown[k];
            points[(*count)++] = (ro_tone_point){plate ? before : srgb_of(before), report->tone[k]};
        }
    points[(*count)++] = (ro_tone_point){1, 1};
    return NULL;
}

/* Corners of a sheet that was turned back, as they lie in the scan; the scan is `width` x `height`.
 */
static void turn_corners(ro_wedge_report *report, double width, double height)
{
    for (int i = 0; i < 4; i++) {
        const double x = report->corner[i][0], y = report->corner[i][1];
        for (int c = 0; c < 2; c++)
            report->corner[i][c] = report->turns == 1   ? (c ? x : width - 1 - y)
                                   : report->turns == 2 ? (c ? height - 1 - y : width - 1 - x)
                                   : report->turns == 3 ? (c ? height - 1 - x : y)
                                   : c                  ? y
                                                        : x;
    }
}

/* The sheet as it lies now; `why`: what is wrong with it. */
static ro_status fit_scan(ro_context *context, struct wedge_scan *scan, bool plate,
                          ro_wedge_report *report, ro_tone_point points[RO_WEDGE_STEPS], int *count,
                          const char **why)
{
    const double pi = 3.14159265358979323846;
    *why = NULL;
    if (scan->width < SMALLEST || scan->height < SMALLEST / 2)
        *why = "it is too small to hold one";
    if (*why)
        return RO_OK;
    find_paper(scan);
    if (!wedge_find_marks(scan, report->corner)) {
        *why = no_marks;
        return RO_OK;
    }
    report->angle = atan2(report->corner[1][1] - report->corner[0][1],
                          report->corner[1][0] - report->corner[0][0]) *
                    180 / pi;
    ro_status status = measure_steps(context, scan, report, why);
    if (status == RO_OK && !*why)
        *why = make_curve(report, plate, points, count);
    return status;
}

static ro_status read_wedge(ro_context *context, const ro_image *scan,
                            const ro_wedge_options *given, ro_tone_point points[RO_WEDGE_STEPS],
                            int *count, ro_wedge_report *report)
{
    if (MISSING(context, scan, points, count, report))
        return RO_E_ARGUMENT;
    struct wedge_scan work = {0};
    ro_wedge_options options = RO_WEDGE_OPTIONS;
    const char *first = NULL, *why = no_marks;
    *report = (ro_wedge_report){0};
    *count = 0;
    ro_status status = take_options(context, given, &options, "RO_WEDGE_OPTIONS");
    if (status == RO_OK)
        status = image_check(context, scan, "scan");
    if (status != RO_OK)
        return status;
    status = open_scan(context, scan, &options, &work);
    for (int turns = 0; turns < 4 && status == RO_OK && why; turns++) {
        if (turns > 0)
            status = turn_scan(context, &work);
        *report = (ro_wedge_report){.turns = turns};
        if (status == RO_OK)
            status = fit_scan(context, &work, options.ink_given, report, points, count, &why);
        if (why && (!first || first == no_marks))
            first = why; /* the first with marks tells most */
    }
    if (status == RO_OK && why)
        status = no_wedge(context, first);
    turn_corners(report, scan->width, scan->height);
    free(work.tone);
    free(work.blocks);
    free(work.paper);
    return status;
}

OPTIONS_INIT(ro_wedge_options, RO_WEDGE_OPTIONS)

ro_status ro_wedge_read(ro_context *context, const ro_image *scan, const ro_wedge_options *given,
                        ro_tone_point points[RO_WEDGE_STEPS], int *count, ro_wedge_report *report)
{
    ro_wedge_report full = {.size = sizeof full};
    ro_status status = report_check(context, report);
    if (status != RO_OK)
        return status;
    status = read_wedge(context, scan, given, points, count, report ? &full : NULL);
    report_give(report, &full);
    return status;
}
