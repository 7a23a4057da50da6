/* SPDX-License-Identifier: MIT */
/*
 * roundoff calibrate: `wedge` draws the step wedge as a method prints it, `fit` makes a tone curve
 * of its scan, which `halftone --curve` takes.
 */
#include "cli/certificate/certificate.h"
#include "cli/common/pictures.h"
#include "cli/common/session.h"
#include "cli/common/shared_rows.h"
#include "cli/common/string_buffer.h"
#include "cli/task/task.h"
#include "roundoff/command.h"
#include "roundoff_io.h"
#include "testcard/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct values {
    struct common common;
    const char *method, *shape, *curve, *type, *ink;
    int cell, patch, dot, linear;
    double dpi, lpi, angle;
};

#define MEMBER(member) RO_MEMBER(struct values, member)

static const ro_option rows[] = {
    {MEMBER(method), "M", "how the wedge is rounded", .topic = "wedge", .derived = "as of halftone",
     .more = "Round it as the pictures will be, because dot gain depends on the method."},
    {MEMBER(dpi), ROW_DPI, .topic = "wedge", .preset = "300"},
    {MEMBER(patch), "N", "pixels of a patch, a multiple of 8", .topic = "wedge", .min = 16,
     .max = 4096, .derived = "5 mm, at least 64"},
    {MEMBER(cell), ROW_CELL, .topic = "wedge", .derived = "by the method"},
    {MEMBER(lpi), ROW_LPI, .topic = "wedge", .derived = "an eighth of dpi"},
    {MEMBER(angle), ROW_ANGLE, .topic = "wedge",
     .more = "The method clustered-dot has 0 or 45 degrees."},
    {MEMBER(shape), ROW_SHAPE, .topic = "wedge", .derived = "as of halftone"},
    {MEMBER(dot), ROW_DOT, .topic = "wedge"},
    {MEMBER(type), ROW_TYPE, .topic = "wedge", .more = "It can be `pbm`, `png` or `tiff`."},
    {MEMBER(curve), ROW_CURVE,
     .more = "`fit` writes it. `wedge` draws with it, so that the print is that of a picture "
             "whose samples rise evenly."},
    {MEMBER(ink), "C", "ink of the sheet: cyan, magenta, ..., or a colour",
     .more = "The sheet is a plate then, and the curve is for that plate: the scan is looked at "
             "through the filter where the ink is darkest, red for cyan, green for magenta, blue "
             "for yellow."},
    {MEMBER(linear), NULL, "the scan is linear in light, not sRGB", .topic = "fit"},
    {0},
};

static const struct values defaults;

static const ro_option_table own = {
    .name = "calibrate", .rows = rows, .unset = &defaults, .size = sizeof defaults};

/* The options of one verb alone. */
static const char *const of_wedge[] = {"method", "dpi",   "patch", "cell", "lpi",
                                       "angle",  "shape", "dot",   "type", NULL};
static const char *const of_fit[] = {"linear", NULL};

static const char *const examples[] = {
    "roundoff calibrate wedge wedge.png --method blue-noise --dpi 600",
    "roundoff calibrate fit scan.png --curve printer.csv",
    NULL,
};

/* The ink of the sheet: a colour that is not the paper's. */
static ro_status read_ink(ro_context *context, const struct values *values, uint8_t colour[3])
{
    const ro_status status = values->ink ? ro_colour_parse(context, values->ink, colour) : RO_OK;
    if (status == RO_OK && values->ink && colour[0] == 255 && colour[1] == 255 && colour[2] == 255)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "--ink %s: white is the paper's colour, not an ink's", values->ink);
    return status;
}

/* ---- The wedge ------------------------------------------------------------------------------ */

/* A line of text at the foot, so that a printed sheet says what it is. */
static void write_label(const ro_image *image, uint32_t patch, const char *text)
{
    const size_t length = strlen(text);
    uint32_t scale = patch / 16;
    while (scale > 1 && scale * (FONT_WIDTH + 1) * length > image->width * 9 / 10)
        scale--;
    const uint32_t top = image->height - patch, left = patch / 2;
    for (size_t i = 0; i < length; i++) {
        const uint8_t *dots = draw_font(text[i]);
        for (uint32_t y = 0; y < FONT_HEIGHT * scale && top + y < image->height; y++)
            for (uint32_t x = 0; x < FONT_WIDTH * scale; x++) {
                const size_t column = left + i * scale * (FONT_WIDTH + 1) + x;
                if (column < image->width && dots[y / scale] >> (FONT_WIDTH - 1 - x / scale) & 1)
                    ((uint8_t *)
                         image->data)[(ptrdiff_t)(top + y) * image->stride + (ptrdiff_t)column] = 0;
            }
    }
}

static uint32_t patch_of(const struct values *values)
{
    if (values->patch)
        return (uint32_t)values->patch;
    const uint32_t patch = (uint32_t)(values->dpi * 5 / 25.4 / 8) * 8;
    return patch < 64 ? 64 : patch > 4096 ? 4096 : patch;
}

static ro_status make_wedge(struct task *task)
{
    const struct values *values = task->values;
    ro_context *context = task->context;
    const char *out = task->out;
    static ro_tone_point points[RO_CURVE_POINTS];
    ro_image grey = {0}, bits = {0};
    const uint32_t patch = patch_of(values);
    const uint32_t width = ro_wedge_width(patch), height = ro_wedge_height(patch);
    const ro_write_options write = {RO_WRITE_DEFAULTS, .type = values->type, .dpi_x = values->dpi,
                                    .dpi_y = values->dpi};
    const ro_file_info info = {.format = RO_BITS, .width = width, .height = height, .maxval = 1};
    const bool in_rows = values->lpi > 0;
    ro_halftone_options halftone = {
        RO_HALFTONE_DEFAULTS,   .method = values->method, .cell = values->cell,
        .angle = values->angle, .lpi = values->lpi,       .dpi = in_rows ? values->dpi : 0,
        .dot = values->dot,     .shape = values->shape,   .seed = values->common.seed};
    if (width == 0)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "--patch %u: must be a multiple of 8 from 16 to 4096", patch);
    uint8_t colour[3];
    ro_status status = read_ink(context, values, colour);
    if (status == RO_OK)
        status = ro_writer_accepts(context, out, &info, &write);
    if (status == RO_OK && values->curve) {
        status = ro_curve_load(context, values->curve, points, &halftone.tone.curve_points);
        halftone.tone.curve = points;
    }
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_GREY8, width, height, 255, &grey);
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_BITS, width, height, 0, &bits);
    if (status == RO_OK)
        status = ro_wedge_draw(context, patch, &grey);
    if (status == RO_OK) {
        char label[160];
        char rows[48] = "";
        if (in_rows)
            snprintf(rows, sizeof rows, ", %g lpi at %g degrees", values->lpi, halftone.angle);
        snprintf(label, sizeof label, "Roundoff wedge: %s%s%.32s%s, %g dpi%s",
                 halftone.method ? halftone.method
                 : in_rows       ? "am"
                                 : "acuity",
                 values->ink ? ", " : "", values->ink ? values->ink : "", rows, values->dpi,
                 values->curve ? ", with a curve" : "");
        write_label(&grey, patch, label);
        status = ro_halftone(context, &grey, &bits, &halftone);
    }
    if (status == RO_OK)
        status = ro_image_save(context, out, &bits, &write);
    ro_image_free(&grey);
    ro_image_free(&bits);
    return status;
}

static void wedge_json(const struct task *task, FILE *file)
{
    const struct values *values = task->values;
    const uint32_t patch = patch_of(values);
    json_put(file, "{command %s, output %s, width %u, height %u, patch %u, dpi %g}\n",
             "calibrate wedge", task->out, ro_wedge_width(patch), ro_wedge_height(patch), patch,
             values->dpi);
}

static void say_wedge(const struct task *task)
{
    const struct values *values = task->values;
    const uint32_t patch = patch_of(values);
    const uint32_t width = ro_wedge_width(patch), height = ro_wedge_height(patch);
    fprintf(stderr,
            "calibrate: %d steps, %u x %u pixels, %.0f x %.0f mm at %g dpi; print it without "
            "scaling\n",
            RO_WEDGE_STEPS, width, height, width / values->dpi * 25.4, height / values->dpi * 25.4,
            values->dpi);
}

/* ---- The fit -------------------------------------------------------------------------------- */

/* The heading of a curve says what its first column holds. */
#define CURVE_OF_PICTURE "sRGB in, tone out\n"
#define CURVE_OF_PLATE "tone in, tone out\n"

static ro_status save_curve(ro_context *context, const char *path, bool plate,
                            const ro_tone_point *points, int count)
{
    struct printed text;
    ro_status status = printed_open(context, &text);
    if (status != RO_OK)
        return status;
    fputs(plate ? CURVE_OF_PLATE : CURVE_OF_PICTURE, text.file);
    for (int i = 0; i < count; i++)
        fprintf(text.file, "%.6f, %.6f\n", points[i].in, points[i].out);
    return printed_save(context, &text, path);
}

struct fitted {
    ro_wedge_report report;
    int count;
};

/* How the scan is to be read; the inks of CMYK have the colours of halftone's. */
static ro_status read_options(ro_context *context, const struct values *values,
                              ro_wedge_options *options)
{
    *options = (ro_wedge_options){RO_WEDGE_DEFAULTS, .linear = values->linear,
                                  .ink_given = values->ink != NULL};
    return read_ink(context, values, options->ink_colour);
}

static ro_status load_scan(ro_context *context, const char *path, ro_image *image)
{
    ro_read_options read = pictures_read(path);
    read.profile = RO_PROFILE_APPLY;
    return ro_image_load(context, path, &read, image, NULL, pictures_dropped(path));
}

static ro_status fit(struct task *task)
{
    const struct values *values = task->values;
    ro_context *context = task->context;
    struct fitted *fitted = task->data;
    ro_tone_point points[RO_WEDGE_STEPS];
    ro_wedge_options options;
    ro_image image = {0};
    ro_status status = read_options(context, values, &options);
    if (status == RO_OK)
        status = load_scan(context, task->files->path[0], &image);
    fitted->report.size = sizeof fitted->report;
    if (status == RO_OK)
        status = ro_wedge_read(context, &image, &options, points, &fitted->count, &fitted->report);
    if (status == RO_OK)
        status = save_curve(context, values->curve, values->ink != NULL, points, fitted->count);
    ro_image_free(&image);
    return status;
}

static void say_fit(const struct task *task)
{
    const struct values *values = task->values;
    const struct fitted *fitted = task->data;
    const ro_wedge_report *report = &fitted->report;
    tell("calibrate: scan turned by %.1f degrees, lighting falls to %.0f %%; 50 %% prints as %.1f "
         "%%, tones are off by %.1f %% rms; %d points written to %s",
         90 * report->turns + report->angle, 100 * report->light,
         100 * report->printed[RO_WEDGE_STEPS / 2], 100 * report->error, fitted->count,
         values->curve);
    if (values->linear)
        tell("calibrate: the scan is taken as linear in light");
    else
        tell("calibrate: the scan is taken as sRGB; one that is linear in light needs --linear");
}

static void fit_json(const struct task *task, FILE *file)
{
    const struct values *values = task->values;
    const struct fitted *fitted = task->data;
    const ro_wedge_report *report = &fitted->report;
    json_put(file,
             "{command %s, scan %s, curve %s, points %d, turns %d, angle %.4f, light %.4f, black "
             "%.4f, error %.5f, linear %hhd, steps [",
             "calibrate fit", task->files->path[0], values->curve, fitted->count, report->turns,
             report->angle, report->light, report->black, report->error, values->linear);
    for (int i = 0; i < RO_WEDGE_STEPS; i++)
        fprintf(file, "%s[%.6f, %.5f]", i ? ", " : "", report->tone[i], report->printed[i]);
    fputc(']', file);
    pictures_json(file);
    fputs("}\n", file);
}

/* What a scan gives, as integers in millionths, and how much of it stands in the file --curve. */
static ro_status certify_fit(struct certificate *to, const void *data, const struct operands *files)
{
    const struct values *values = data;
    ro_tone_point points[RO_WEDGE_STEPS];
    static ro_tone_point written[RO_CURVE_POINTS];
    ro_wedge_report report = {.size = sizeof report};
    ro_wedge_options options;
    ro_image image = {0};
    int count = 0, there = 0;
    if (!values->curve)
        return ro_context_fail(to->context, RO_E_FORMAT, "calibrate fit has no curve");
    ro_status status = read_options(to->context, values, &options);
    if (status == RO_OK)
        status = load_scan(to->context, files->path[0], &image);
    if (status == RO_OK)
        status = ro_wedge_read(to->context, &image, &options, points, &count, &report);
    if (status == RO_OK)
        status = ro_curve_load(to->context, values->curve, written, &there);
    if (status == RO_OK) {
        __int128 numbers[2 * RO_WEDGE_STEPS];
        int unlike = there > count ? there - count : count - there;
        for (int i = 0; i < count; i++) {
            numbers[2 * i] = llround(1e6 * points[i].in);
            numbers[2 * i + 1] = llround(1e6 * points[i].out);
            if (i < there)
                unlike += llround(1e6 * written[i].in) != numbers[2 * i] ||
                          llround(1e6 * written[i].out) != numbers[2 * i + 1];
        }
        certificate_picture(to, "input", &image);
        certificate_integers(to, "curve_millionths", numbers, 2 * (size_t)count);
        certificate_integer(to, "points_unlike_the_fit", unlike);
        status = to->status;
    }
    ro_image_free(&image);
    return status;
}

/* ---- The command ---------------------------------------------------------------------------- */

static int check(const struct command *command, const struct values *values, bool wedge)
{
    char odd[OPTION_NAME];
    const char *verb = wedge ? "wedge" : "fit";
    if (first_set(command, values, wedge ? of_fit : of_wedge, false, odd))
        return usage_error(command, "--%s does not apply to calibrate %s", odd, verb);
    if (wedge)
        return values->common.strict
                   ? usage_error(command, "--strict does not apply to calibrate wedge")
                   : 0;
    if (!values->curve)
        return usage_error(command, "calibrate fit needs --curve, the file to write");
    if (values->common.seed)
        return usage_error(command, "--seed does not apply to calibrate fit");
    return can_write(values->curve) ? 0 : 1;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct values values = defaults;
    struct operands files;
    const bool wedge = argc > 0 && strcmp(argv[0], "wedge") == 0;
    const bool fits = argc > 0 && strcmp(argv[0], "fit") == 0;
    int ended;
    if (!options_take(command, argc - (wedge || fits), argv + (wedge || fits), &values, &files,
                      &ended))
        return ended;
    if ((!wedge && !fits) || files.count != 1)
        return usage_error(command, "calibrate needs wedge and OUT, or fit and SCAN");
    if (values.curve && same_file(values.curve, files.path[0]))
        return usage_error(command, "--curve and %s are the same file", files.path[0]);
    const int result = check(command, &values, wedge);
    if (result)
        return result;
    struct fitted fitted = {0};
    return task_run(&(struct task){
        .command = fits ? &command_calibrate_fit : command,
        .values = &values,
        .files = &files,
        .out = wedge ? files.path[0] : values.curve,
        .data = &fitted,
        .work = wedge ? make_wedge : fit,
        .json = wedge ? wedge_json : fit_json,
        .say = wedge ? say_wedge : say_fit,
    });
}

const struct command command_calibrate = {
    .name = "calibrate",
    .operands = "wedge|fit FILE",
    .summary = "draws a step wedge to print, and fits a tone curve to its scan",
    .own = &own,
    .common = COMMON_SEED | COMMON_QUIET | COMMON_JSON | COMMON_CERTIFICATE | COMMON_STRICT,
    .examples = examples,
    .run = run,
    .verb = "wedge",
    .files = 1,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .certify = certificate_of_output,
    .reference = certificate_no_arguments,
};

/* As certificates know it: the curve it writes is one of its options. */
const struct command command_calibrate_fit = {
    .name = "calibrate fit",
    .operands = "SCAN",
    .summary = "fits a tone curve to the scan of a wedge",
    .own = &own,
    .common = COMMON_SEED | COMMON_QUIET | COMMON_JSON | COMMON_CERTIFICATE | COMMON_STRICT,
    .examples = examples,
    .run = run,
    .files = 1,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .certify = certify_fit,
};
