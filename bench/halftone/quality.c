/* SPDX-License-Identifier: MIT */
/*
 * How good the methods are: what eyes see of their errors, relative to Floyd-Steinberg, and figures
 * that no method aims at.
 *
 * An error is mirrored at the borders and transformed once; an eye is then a sum over frequencies.
 * The edge pixel is not repeated: doubled, it would look like a line along the border.
 * Gaussians of some widths in pixels, and Naesaenen's eye (11 cd/m^2) for some products of dots an
 * inch and inches away: 3500 is 300 dpi from 296 mm.
 */
#include "bench/halftone/quality.h"
#include "bench/bench.h"
#include "io/json/json_write.h"

#include "fft/dft.h"
#include "roundoff/library.h"
#include "roundoff_io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 64, MOST_PICTURES = 16, SIDE = 512, WEIGHTS = QUALITY_EYES + 1 };

const char *const quality_eyes[QUALITY_EYES] = {"s0.8",  "s1.2",  "s1.8", "s2.5",
                                                "n2000", "n3500", "n6000"};
static const double widths[QUALITY_EYES] = {0.8, 1.2, 1.8, 2.5, 2000, 3500, 6000};
static const double PI = 3.14159265358979323846;

/* The square of what passes an eye at f cycles a pixel; the last is contrast sensitivity (Mannos
 * and Sakrison, flat below its peak) at 300 dpi from 300 mm. */
static double passes(int eye, double f)
{
    if (eye < QUALITY_GAUSSIANS)
        return exp(-4 * PI * PI * widths[eye] * widths[eye] * f * f);
    if (eye < QUALITY_EYES)
        return exp(-2 * f * widths[eye] * PI / 180 / (0.525 * log(11) + 3.91));
    const double peak = 7.89, degree = f * 300 * 300 / 25.4 * PI / 180;
    const double at = degree > peak ? degree : peak;
    const double sees = 2.6 * (0.0192 + 0.114 * at) * exp(-pow(0.114 * at, 1.1));
    return sees * sees;
}

struct picture {
    ro_image grey;
    float *field, *weights; /* a transform, and WEIGHTS of its size */
    struct dft_field *dft;
    double signal;             /* seen of the picture itself, by contrast sensitivity */
    double base[QUALITY_EYES]; /* seen of Floyd-Steinberg's error */
};

/* Sides of what is transformed. */
static uint32_t mirrored(uint32_t side) { return side > 1 ? 2 * side - 2 : 1; }

static size_t numbers(const struct picture *picture)
{
    return (size_t)mirrored(picture->grey.width) * mirrored(picture->grey.height);
}

static void close_picture(struct picture *picture)
{
    dft_field_close(picture->dft);
    free(picture->field);
    free(picture->weights);
    ro_image_free(&picture->grey);
}

/* Luma of 8 bits, as `halftone` takes it; a file's, or without a name the test card's. */
static ro_status read_grey(ro_context *context, const char *path, uint32_t side, ro_image *grey)
{
    ro_image file = {0};
    if (!path) {
        ro_status status = ro_image_alloc(context, RO_GREY8, side, side, 255, grey);
        return status == RO_OK ? ro_testcard(context, grey) : status;
    }
    ro_status status = ro_image_load(context, path, NULL, &file, NULL, NULL);
    if (status == RO_OK && file.format != RO_GREY8 && file.format != RO_RGB8)
        status = ro_context_fail(context, RO_E_UNSUPPORTED, "%s: is not of 8 bits", path);
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_GREY8, file.width, file.height,
                                file.maxval ? file.maxval : 255, grey);
    for (uint32_t y = 0; y < file.height && status == RO_OK; y++) {
        const uint8_t *from = (const uint8_t *)file.data + (ptrdiff_t)y * file.stride;
        uint8_t *to = (uint8_t *)grey->data + (ptrdiff_t)y * grey->stride;
        for (uint32_t x = 0; x < file.width; x++, from += file.format == RO_RGB8 ? 3 : 1)
            to[x] =
                file.format == RO_GREY8
                    ? from[0]
                    : (uint8_t)((13933u * from[0] + 46871u * from[1] + 4732u * from[2] + 32768) >>
                                16);
    }
    ro_image_free(&file);
    return status;
}

static double tone(const ro_image *image, uint32_t x, uint32_t y)
{
    const uint8_t *row = (const uint8_t *)image->data + (ptrdiff_t)y * image->stride;
    if (image->format == RO_BITS)
        return row[x / 8] >> (7 - x % 8) & 1;
    return row[x] / (double)image->maxval;
}

/* Mean squares of a picture, or of a halftone's error, as the weights see it. */
static void look(struct picture *picture, const ro_image *halftone, double seen[WEIGHTS])
{
    const uint32_t width = mirrored(picture->grey.width), height = mirrored(picture->grey.height);
    const size_t count = numbers(picture);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            const uint32_t fx = x < picture->grey.width ? x : width - x;
            const uint32_t fy = y < picture->grey.height ? y : height - y;
            float *to = picture->field + 2 * ((size_t)y * width + x);
            to[0] = (float)((halftone ? tone(halftone, fx, fy) : 0) - tone(&picture->grey, fx, fy));
            to[1] = 0;
        }
    dft_field_run(picture->dft, picture->field, false);
    for (int w = 0; w < WEIGHTS; w++) {
        const float *weights = picture->weights + w * count;
        double sum = 0;
        for (size_t i = 0; i < count; i++) {
            const float *at = picture->field + 2 * i;
            sum += (double)weights[i] * (at[0] * at[0] + at[1] * at[1]);
        }
        seen[w] = sum / ((double)count * (double)count);
    }
}

static ro_status open_picture(ro_context *context, const char *path, uint32_t side,
                              struct picture *picture)
{
    *picture = (struct picture){0};
    ro_status status = read_grey(context, path, side, &picture->grey);
    if (status != RO_OK)
        return status;
    const uint32_t width = mirrored(picture->grey.width), height = mirrored(picture->grey.height);
    status = dft_field_open(context, width, height, &picture->dft);
    if (status == RO_OK) {
        picture->field = dft_alloc(context, width, height);
        picture->weights = malloc(WEIGHTS * numbers(picture) * sizeof(float));
        if (!picture->field || !picture->weights)
            status = ro_context_fail(context, RO_E_MEMORY, "no memory to look at a picture");
    }
    if (status != RO_OK)
        return status;
    float *to = picture->weights;
    for (int w = 0; w < WEIGHTS; w++)
        for (uint32_t v = 0; v < height; v++)
            for (uint32_t u = 0; u < width; u++) {
                const double fx = (u < width - u ? u : width - u) / (double)width;
                const double fy = (v < height - v ? v : height - v) / (double)height;
                *to++ = (float)passes(w, sqrt(fx * fx + fy * fy));
            }
    double seen[WEIGHTS];
    look(picture, NULL, seen);
    picture->signal = seen[QUALITY_EYES];
    return RO_OK;
}

/* ---- A method ------------------------------------------------------------------------------- */

static ro_status measure_picture(ro_context *context, struct picture *picture,
                                 struct quality_row *row, double seen[WEIGHTS])
{
    ro_image bits;
    ro_measure_report report = {.size = sizeof report};
    ro_status status =
        ro_image_alloc(context, RO_BITS, picture->grey.width, picture->grey.height, 0, &bits);
    if (status != RO_OK)
        return status;
    status = ro_halftone(context, &picture->grey, &bits, &row->options);
    if (status == RO_OK)
        status = ro_measure(context, &picture->grey, &bits, NULL, &report);
    if (status == RO_OK) {
        look(picture, &bits, seen);
        row->wsnr += 10 * log10(picture->signal / seen[QUALITY_EYES]);
        row->ssim += report.ssim;
        ro_free(report.fields);
    }
    ro_image_free(&bits);
    return status;
}

static ro_status measure_flats(ro_context *context, uint32_t side, struct quality_row *row)
{
    static const uint8_t greys[] = {16, 32, 64, 96, 127};
    const int count = sizeof greys / sizeof *greys;
    ro_image grey = {0}, bits = {0};
    ro_status status = ro_image_alloc(context, RO_GREY8, side, side, 255, &grey);
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_BITS, side, side, 0, &bits);
    for (int i = 0; i < count && status == RO_OK; i++) {
        ro_measure_report report = {.size = sizeof report};
        memset(grey.data, greys[i], (size_t)grey.stride * side);
        status = ro_halftone(context, &grey, &bits, &row->options);
        if (status == RO_OK)
            status = ro_measure(context, &grey, &bits, NULL, &report);
        if (status != RO_OK)
            break;
        row->anisotropy += report.anisotropy / count;
        if (greys[i] == 64)
            row->worms = report.worms;
        ro_free(report.fields);
    }
    ro_image_free(&grey);
    ro_image_free(&bits);
    return status;
}

static ro_status measure_row(ro_context *context, struct picture *pictures, int count,
                             uint32_t side, struct quality_row *row)
{
    double logs[QUALITY_EYES] = {0};
    ro_status status = RO_OK;
    for (int i = 0; i < count && status == RO_OK; i++) {
        double seen[WEIGHTS];
        status = measure_picture(context, &pictures[i], row, seen);
        for (int e = 0; e < QUALITY_EYES && status == RO_OK; e++) {
            if (pictures[i].base[e] == 0)
                pictures[i].base[e] = seen[e]; /* Floyd-Steinberg comes first */
            logs[e] += log(seen[e] / pictures[i].base[e]) / count;
        }
    }
    for (int e = 0; e < QUALITY_EYES; e++)
        row->seen[e] = exp(logs[e]);
    row->wsnr /= count;
    row->ssim /= count;
    return status == RO_OK ? measure_flats(context, side, row) : status;
}

/* ---- The table ------------------------------------------------------------------------------ */

/* All methods as they are, then some of them otherwise. */
static int list_rows(struct quality_row *rows)
{
    static const struct {
        const char *words;
        ro_halftone_options options;
    } more[] = {
        {"floyd-steinberg --threshold balanced",
         {RO_HALFTONE_DEFAULTS, .threshold = RO_THRESHOLD_BALANCED}},
        {"stucki --threshold balanced",
         {RO_HALFTONE_DEFAULTS, .method = "stucki", .threshold = RO_THRESHOLD_BALANCED}},
        {"ostromoukhov --serpentine",
         {RO_HALFTONE_DEFAULTS, .method = "ostromoukhov", .serpentine = 1}},
        {"dbs-clipping-free --start random",
         {RO_HALFTONE_DEFAULTS, .method = "dbs-clipping-free", .start = "random"}},
        {"dbs-clipping-free --start fs",
         {RO_HALFTONE_DEFAULTS, .method = "dbs-clipping-free", .start = "fs"}},
        {"dbs-clipping-free --start ostromoukhov",
         {RO_HALFTONE_DEFAULTS, .method = "dbs-clipping-free", .start = "ostromoukhov"}},
        {"dbs-clipping-free --start blue-noise",
         {RO_HALFTONE_DEFAULTS, .method = "dbs-clipping-free", .start = "blue-noise"}},
        {"dbs-clipping-free --dpi 600 --distance 300",
         {RO_HALFTONE_DEFAULTS, .method = "dbs-clipping-free", .dpi = 600, .distance = 300}},
        {"dbs-clipping-free --sigma 1.2",
         {RO_HALFTONE_DEFAULTS, .method = "dbs-clipping-free", .sigma = 1.2}},
        {"dbs-clipping-free --aim picture",
         {RO_HALFTONE_DEFAULTS, .method = "dbs-clipping-free", .aim = "picture"}},
    };
    int count = 0;
    const ro_method *method;
    for (int i = 0; (method = ro_halftone_method_at(i)) && count < MOST_ROWS; i++)
        if (strcmp(method->name, "screen") != 0) { /* it needs one */
            snprintf(rows[count].name, sizeof rows->name, "%s", method->name);
            rows[count++].options =
                (ro_halftone_options){RO_HALFTONE_DEFAULTS, .method = method->name};
        }
    for (size_t i = 0; i < sizeof more / sizeof *more && count < MOST_ROWS; i++) {
        snprintf(rows[count].name, sizeof rows->name, "%s", more[i].words);
        rows[count++].options = more[i].options;
    }
    return count;
}

static void print_row(const struct quality_row *row, bool json, bool first)
{
    if (json)
        printf("%s\n  {\"method\": \"%s\"", first ? "" : ",", row->name);
    else
        printf("| `%s` |", row->name);
    for (int e = 0; e < QUALITY_EYES; e++)
        if (json)
            json_put(stdout, ", %s: %.4f", quality_eyes[e], row->seen[e]);
        else
            printf(" %.2f |", row->seen[e]);
    printf(json ? ", \"wsnr\": %.3f, \"ssim\": %.4f, \"anisotropy\": %.2f, \"worms\": %.2f}"
                : " %.1f | %.3f | %.1f | %.1f |\n",
           row->wsnr, row->ssim, row->anisotropy, row->worms);
    fflush(stdout);
}

static void print_head(int pictures)
{
    printf("Error seen by an eye, a mean square relative to Floyd-Steinberg's: Gaussians of 0.8 to "
           "2.5 pixels, and Näsänen's eye at dpi × inch of 2000, 3500 (300 dpi from 296 mm) and "
           "6000. Geometric mean of %d picture%s. WSNR, SSIM after the eye; anisotropy of greys 16 "
           "to 127 and worms at grey 64 in dB.\n\n|  |",
           pictures, pictures == 1 ? "" : "s");
    for (int e = 0; e < QUALITY_EYES; e++)
        printf(" %s%s |", e < QUALITY_GAUSSIANS ? "σ " : "n ", quality_eyes[e] + 1);
    printf(" WSNR dB | SSIM | anisotropy | worms |\n| --- |");
    for (int e = 0; e < QUALITY_EYES + 4; e++)
        printf(" ---: |");
    printf("\n");
}

static int run(const struct bench_options *options)
{
    static struct quality_row rows[MOST_ROWS];
    static struct picture pictures[MOST_PICTURES];
    ro_context *context;
    const int files = options->files_count, count = files ? files : 1, listed = list_rows(rows);
    const uint32_t side = options->size ? (uint32_t)options->size : SIDE; /* of what is drawn */
    int open = 0;
    if (count > MOST_PICTURES || ro_context_open(NULL, &context) != RO_OK)
        return 1;
    ro_status status = RO_OK;
    for (; open < count && status == RO_OK; open++)
        status = open_picture(context, files ? options->files[open] : NULL, side, &pictures[open]);
    if (status == RO_OK && !options->json)
        print_head(count);
    else if (status == RO_OK)
        printf("[");
    for (int i = 0; i < listed && status == RO_OK; i++) {
        status = measure_row(context, pictures, count, side, &rows[i]);
        if (status == RO_OK)
            print_row(&rows[i], options->json, i == 0);
    }
    if (status == RO_OK && options->json)
        printf("\n]\n");
    if (status == RO_OK && options->plot)
        status = quality_plot(context, rows, listed, options->plot);
    if (status != RO_OK)
        fprintf(stderr, "roundoff: %s\n", ro_context_message(context));
    for (int i = 0; i < open; i++)
        close_picture(&pictures[i]);
    ro_context_close(context);
    return status == RO_OK ? 0 : 1;
}

const struct bench bench_quality = {
    .name = "quality",
    .summary = "what eyes see of every method's error; of pictures, or of the test card",
    .run = run,
    .pictures = true,
};
