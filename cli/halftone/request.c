/* SPDX-License-Identifier: MIT */
/* The options of roundoff halftone as the library takes them. */
#include "cli/common/pictures.h"
#include "cli/common/stacks.h"
#include "cli/halftone/halftone.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool halftone_view(const char *text, double view[2])
{
    static const char *const units[2] = {"dpi", "mm"};
    for (int i = 0; i < 2; i++) {
        char *end;
        view[i] = strtod(text, &end);
        if (end == text || !(view[i] > 0) || !(view[i] < 1e6))
            return false;
        if (strncmp(end, units[i], strlen(units[i])) == 0)
            end += strlen(units[i]);
        if (*end != (i ? '\0' : ','))
            return false;
        text = end + 1;
    }
    return true;
}

void halftone_release(struct halftone_request *request)
{
    ro_image_free(&request->screen);
    ro_image_free(&request->first);
    ro_image_free(&request->spot);
    ro_separation_free(&request->separation);
}

/* What needs neither a file nor a check. */
static void fill_in(const struct halftone_values *values, struct halftone_request *request)
{
    double dpi[2];
    (void)read_dpi(values->dpi, dpi);
    *request = (struct halftone_request){
        .options = {RO_HALFTONE_DEFAULTS,
                    .method = values->method,
                    .levels = values->levels,
                    .schedule = values->schedule,
                    .seed = values->common.seed,
                    .cell = values->cell,
                    .degrees = values->angle ? strtod(values->angle, NULL) : 0,
                    .lpi = values->lpi > 0 ? values->lpi : 0,
                    .dpi_y = values->lpi > 0 || values->ink.count ? dpi[1] : 0,
                    .dot = values->dot,
                    .spot = values->spot ? &request->spot : NULL,
                    .shape = values->shape,
                    .screen = values->screen ? &request->screen : NULL,
                    .strength = values->strength,
                    .noise = values->noise,
                    .threshold = values->threshold > 99 ? RO_THRESHOLD_BALANCED : values->threshold,
                    .serpentine = values->serpentine,
                    .like = values->like,
                    .tone = {.invert = values->invert,
                             .brightness = values->brightness,
                             .contrast = values->contrast,
                             .gamma = values->gamma,
                             .linear = values->linear},
                    .channels = values->inks       ? RO_CHANNELS_INKS
                                : values->separate ? RO_CHANNELS_CMYK
                                : values->channels ? RO_CHANNELS_RGB
                                                   : RO_CHANNELS_GREY,
                    .grey_in_colour = 100 - values->black,
                    .dpi = dpi[0],
                    .sigma = values->sigma > 0 ? values->sigma : 0,
                    .aim = values->aim,
                    .start = values->start,
                    .rounds = values->rounds,
                    .ink_limit = values->ink_limit > 0 ? values->ink_limit : 0},
        .read = {RO_READ_DEFAULTS, .alpha = (ro_alpha)values->alpha,
                 .profile = values->profile ? RO_PROFILE_IGNORE : RO_PROFILE_APPLY,
                 .resize_width = values->resize.width, .resize_height = values->resize.height,
                 .resize_percent = values->resize.percent, .enlarge = values->resize.up,
                 .resize_rule = values->resize.fit    ? RO_RESIZE_FIT
                                : values->resize.fill ? RO_RESIZE_FILL
                                                      : RO_RESIZE_EXACT,
                 .resize_light =
                     values->resample ? values->resample == 1 : values->linear || values->palette},
        .write = {RO_WRITE_DEFAULTS, .type = values->type, .dpi_x = dpi[0],
                  .dpi_y = dpi[1] > 0 ? dpi[1] : dpi[0],
                  .split_inks = values->separate == SEPARATE_CMYK ||
                                values->separate == SEPARATE_INKS ||
                                (values->inks && !values->separate),
                  .compression = (ro_compression)values->compression,
                  .low_bits_first = values->bit_order, .ones_are_black = values->ones,
                  .pixel_bits = values->pixel_bits},
    };
    stack_pages(values->page, &request->read);
    if (values->screen && !values->method)
        request->options.method = "screen";
    if (values->lpi > 0 && !values->method && !values->screen)
        request->options.method = "am";
}

/* "64,940" as two numbers. */
static bool read_numbers(const char *text, double numbers[2])
{
    char *end;
    numbers[0] = strtod(text, &end);
    if (end == text || *end != ',')
        return false;
    text = end + 1;
    numbers[1] = strtod(text, &end);
    return end != text && *end == '\0';
}

/* The least and the largest sample of a picture. */
static ro_status data_range(ro_context *context, const char *in, const ro_read_options *read,
                            double numbers[2])
{
    ro_status status = ro_picture_range(context, in, read, &numbers[0], &numbers[1]);
    if (status == RO_OK && !(numbers[0] < numbers[1]))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "%s: all samples are the same, so --range data has no range", in);
    return status;
}

/* --range: a name, or two samples. */
static ro_status read_range(ro_context *context, const struct halftone_values *values,
                            const char *in, struct halftone_request *request)
{
    ro_halftone_options *options = &request->options;
    double numbers[2] = {0, 0};
    ro_status status = RO_OK;
    if (values->range && ro_name_equal(values->range, "full"))
        options->range = RO_RANGE_FULL;
    else if (values->range && ro_name_equal(values->range, "limited"))
        options->range = RO_RANGE_LIMITED;
    else if (values->range && ro_name_equal(values->range, "data") && !in)
        return ro_context_fail(context, RO_E_ARGUMENT, "--range data is that of one picture");
    else if (values->range && ro_name_equal(values->range, "data") && strcmp(in, "-") == 0)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "--range data reads the picture twice, which a pipe does not allow");
    else if (values->range && ro_name_equal(values->range, "data"))
        status = data_range(context, in, &request->read, numbers);
    else if (values->range && !read_numbers(values->range, numbers))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "--range %s: must be full, limited, data or two samples, such as "
                               "64,940",
                               values->range);
    if (status == RO_OK && options->range == RO_RANGE_AUTO) {
        options->black = numbers[0];
        options->white = numbers[1];
    }
    return status;
}

/* PNG has pixels to a metre, which are not quite what they stand for. */
static double whole_dpi(double dpi) { return fabs(dpi - rint(dpi)) < 0.013 ? rint(dpi) : dpi; }

/* Dots in rows have the resolution of IN, where --dpi does not say another and IN can be read
 * twice. */
static ro_status read_resolution(ro_context *context, const struct halftone_values *values,
                                 const char *in, struct halftone_request *request)
{
    ro_halftone_options *options = &request->options;
    struct stat about;
    ro_reader *reader = NULL;
    bool in_rows = options->lpi > 0;
    for (int i = 0; i < values->ink.count; i++)
        in_rows = in_rows || strstr(values->ink.text[i], "lpi=");
    if (!in_rows || options->dpi > 0 || !in || stat(in, &about) != 0 || !S_ISREG(about.st_mode))
        return RO_OK;
    const ro_status status = ro_reader_open(context, in, &request->read, &reader);
    if (status == RO_OK) {
        const ro_file_info *info = ro_reader_info(reader);
        request->own_dpi = options->dpi = whole_dpi(info->dpi_x);
        if (whole_dpi(info->dpi_y) != options->dpi)
            options->dpi_y = whole_dpi(info->dpi_y);
    }
    ro_reader_close(reader);
    return status;
}

/* "0,1,2,3,5,6" */
static ro_status read_colour_numbers(ro_context *context, const char *text,
                                     struct halftone_request *request)
{
    int count = 0;
    for (const char *at = text; count < 256; at++) {
        char *end;
        const long number = *at >= '0' && *at <= '9' ? strtol(at, &end, 10) : -1;
        if (number < 0 || number > 255)
            break;
        request->numbers[count++] = (uint8_t)number;
        at = end;
        if (*at == '\0') {
            request->write.numbers = request->numbers;
            request->write.number_count = count;
            return RO_OK;
        }
        if (*at != ',')
            break;
    }
    return ro_context_fail(context, RO_E_ARGUMENT,
                           "--numbers %s: must be a list such as 0,1,2,3,5,6", text);
}

ro_status halftone_prepare(ro_context *context, const struct halftone_values *values,
                           const char *in, struct halftone_request *request)
{
    fill_in(values, request);
    ro_halftone_options *options = &request->options;
    ro_status status = read_range(context, values, in, request);
    double view[2];
    if (status != RO_OK)
        return status;
    if (values->view && !halftone_view(values->view, view))
        status = ro_context_fail(context, RO_E_ARGUMENT, "--view %s: must look like 600dpi,300mm",
                                 values->view);
    else if (values->view) {
        options->dpi = view[0];
        options->distance = view[1];
    }
    if (values->screen && status == RO_OK)
        status = pictures_load(context, values->screen, &request->screen, NULL);
    if (values->spot && status == RO_OK)
        status = pictures_load(context, values->spot, &request->spot, NULL);
    if (values->start && names_a_file(values->start) && status == RO_OK) {
        status = pictures_load(context, values->start, &request->first, NULL);
        options->start = NULL;
        options->first = &request->first;
    }
    if (values->kernel && status == RO_OK) {
        status = ro_kernel_read(context, values->kernel, &request->kernel);
        options->kernel = &request->kernel;
    }
    if (values->curve && status == RO_OK) {
        status =
            ro_curve_load(context, values->curve, request->points, &options->tone.curve_points);
        options->tone.curve = request->points;
    }
    if (status == RO_OK)
        status = read_resolution(context, values, in, request);
    if (status == RO_OK)
        status = halftone_read_inks(context, values, request);
    if (values->numbers && status == RO_OK)
        status = read_colour_numbers(context, values->numbers, request);
    if (status == RO_OK && values->profile_out) {
        status = ro_separation_load(context, values->profile_out, (ro_intent)values->intent,
                                    &request->separation, request->profile_hash);
        options->separation = &request->separation;
    }
    if (values->background && status == RO_OK) {
        status = ro_colour_parse(context, values->background, request->read.background);
        request->read.background_given = 1;
    }
    return status == RO_OK ? halftone_colours(context, values, in, request) : status;
}
