/* SPDX-License-Identifier: MIT */
/* The options of roundoff halftone as the library takes them. */
#include "cli/common/pictures.h"
#include "cli/common/stacks.h"
#include "cli/halftone/halftone.h"
#include "cli/input/resize.h"
#include "roundoff_io_command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void halftone_release(struct halftone_request *request)
{
    ro_image_free(&request->screen);
    ro_image_free(&request->first);
    ro_image_free(&request->spot);
    ro_free(request->separation.shares);
}

/* Takes the structures as they were given, and what follows from one option for another. */
static void begin(const struct halftone_given *values, struct halftone_request *request)
{
    *request = (struct halftone_request){
        .options = values->options, .read = values->read, .write = values->write};
    ro_halftone_options *options = &request->options;
    ro_read_options *read = &request->read;
    ro_write_options *write = &request->write;
    if (values->inks)
        options->channels = RO_CHANNELS_INKS;
    else if (values->separate)
        options->channels = RO_CHANNELS_CMYK;
    write->split_inks = halftone_has_plates(values);
    write->dpi_x = options->dpi;
    write->dpi_y = options->dpi_y > 0 ? options->dpi_y : options->dpi;
    stack_pages(values->page, read);
    resize_parse(values->resize, options->dpi, read);
    crop_parse(values->crop, read);
    read->resize_light = values->resample ? values->resample == RESAMPLE_LIGHT
                                          : options->tone.linear || values->palette;
    ro_options_fill(ro_options_of("halftone"), options);
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
                               "%s: all samples are the same, so range data has no range", in);
    return status;
}

/* range: a name, or two samples. */
static ro_status read_range(ro_context *context, const struct halftone_given *values,
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
        return ro_context_fail(context, RO_E_ARGUMENT, "range data is that of one picture");
    else if (values->range && ro_name_equal(values->range, "data") && strcmp(in, "-") == 0)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "range data reads the picture twice, which a pipe does not allow");
    else if (values->range && ro_name_equal(values->range, "data"))
        status = data_range(context, in, &request->read, numbers);
    else if (values->range && !read_numbers(values->range, numbers))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "range %s: must be full, limited, data or two samples, such as "
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
static ro_status read_resolution(ro_context *context, const struct halftone_given *values,
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
    return ro_context_fail(context, RO_E_ARGUMENT, "numbers %s: must be a list such as 0,1,2,3,5,6",
                           text);
}

static ro_status load(ro_context *context, const char *path, ro_image *image,
                      const ro_image **option)
{
    if (!path)
        return RO_OK;
    *option = image;
    return pictures_load(context, path, image, NULL);
}

/* A curve of `calibrate fit` makes light of samples itself. */
static ro_status check_curve(ro_context *context, const char *path)
{
    static const char of_pictures[] = "sRGB in";
    char *text = NULL;
    size_t size = 0;
    ro_status status = ro_bytes_load(context, path, 1 << 20, &text, &size);
    if (status == RO_OK && strncmp(text, of_pictures, sizeof of_pictures - 1) == 0)
        status = ro_context_fail(context, RO_E_ARGUMENT,
                                 "%s makes light of sRGB samples: leave out linear", path);
    ro_free(text);
    return status;
}

ro_status halftone_prepare(ro_context *context, const struct halftone_given *values, const char *in,
                           struct halftone_request *request)
{
    begin(values, request);
    ro_halftone_options *options = &request->options;
    ro_status status = read_range(context, values, in, request);
    if (status != RO_OK)
        return status;
    if (status == RO_OK)
        status = load(context, values->screen, &request->screen, &options->screen);
    if (status == RO_OK)
        status = load(context, values->spot, &request->spot, &options->spot);
    if (status == RO_OK && names_a_file(options->start)) {
        status = load(context, options->start, &request->first, &options->first);
        options->start = NULL;
    }
    if (values->kernel && status == RO_OK) {
        status = ro_kernel_read(context, values->kernel, &request->kernel);
        options->kernel = &request->kernel;
    }
    if (values->curve && status == RO_OK) {
        status =
            ro_curve_load(context, values->curve, request->points, &options->tone.curve_points);
        if (status == RO_OK && options->tone.linear)
            status = check_curve(context, values->curve);
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
