/* SPDX-License-Identifier: MIT */
/* Rules between the options of roundoff halftone, and between these and files, that no row states.
 */
#include "cli/common/stacks.h"
#include "cli/halftone/halftone.h"
#include "cli/input/resize.h"
#include "roundoff_io_command.h"

#include <stdlib.h>
#include <string.h>

bool halftone_has_plates(const struct halftone_given *values)
{
    return values->separate == SEPARATE_CMYK || values->separate == SEPARATE_INKS ||
           (values->inks && values->separate == SEPARATE_NONE);
}

static int check_colour(const struct command *command, const struct halftone_given *values)
{
    static const char *const of_inks[] = {"ink", "angles", NULL};
    char name[OPTION_NAME];
    const bool separates = values->separate || values->inks;
    if (values->options.channels && separates)
        return usage_error(command, "channels rgb and %s exclude each other",
                           values->inks ? "inks" : "separate");
    if (!separates && first_set(command, values, of_inks, false, name))
        return usage_error(command, "%s needs separate or inks", name);
    if (separates && values->options.angle != 0)
        return usage_error(command, "angle does not apply to inks, which have their own: see ink "
                                    "and angles");
    if (values->proof && !halftone_has_plates(values))
        return usage_error(command, "proof needs a file per ink: separate cmyk, or inks");
    return 0;
}

/* A list of samples and levels has nothing between the two. */
static int check_vectors(const struct command *command, const struct halftone_given *values)
{
    static const char *const changes[] = {
        "invert",  "linear",   "brightness", "contrast", "gamma",  "curve", "dot-gain",
        "palette", "channels", "separate",   "inks",     "resize", NULL};
    char name[OPTION_NAME];
    if (values->vectors && first_set(command, values, changes, false, name))
        return usage_error(command,
                           "vectors writes the samples of IN as they are: %s does not "
                           "apply",
                           name);
    if (values->vectors && values->options.levels > 256)
        return usage_error(command, "vectors holds 256 levels at most");
    return 0;
}

static int check_certificate(const struct command *command, const struct halftone_given *values,
                             const char *out)
{
    if (!values->common.certificate)
        return 0;
    if (values->separate == SEPARATE_INKS_TIFF)
        return usage_error(command, "certificate: a file of several inks is not read back; use "
                                    "separate inks");
    if (values->write.enlarge > 1)
        return usage_error(command, "certificate: pixels of scale-after cannot be stated");
    if (values->read.alpha == RO_ALPHA_KEEP)
        return usage_error(command, "certificate: alpha that is kept cannot be stated");
    if (!ro_writer_reads_back(out, values->write.type))
        return usage_error(command, "certificate: %s: such files cannot be read back", out);
    return 0;
}

/* The resolution is of use in the file, for dots in rows, and for the eye of a search. */
static int check_dpi(const struct command *command, const struct halftone_given *values,
                     const char *out)
{
    const ro_halftone_options *options = &values->options;
    const ro_option_table *table = ro_options_of("halftone");
    const bool searches = ro_option_applies(table, ro_option_find(table, "distance"),
                                            options->method ? options->method : "");
    if (options->dpi > 0 && !(options->lpi > 0) && !values->ink.count && !searches &&
        !ro_writer_holds_resolution(out, values->write.type))
        return usage_error(command, "dpi: only .png, .tif and .bmp files hold a resolution");
    return 0;
}

int halftone_usage(const struct command *command, const struct halftone_given *values,
                   const char *in, const char *out)
{
    ro_read_options read = values->read;
    int wrong = check_vectors(command, values);
    if (!wrong)
        wrong = check_colour(command, values);
    if (!wrong)
        wrong = check_certificate(command, values, out);
    if (!wrong)
        wrong = check_dpi(command, values, out);
    if (wrong)
        return wrong;
    if (resize_check(command, values->resize, values->options.dpi) != 0)
        return EXIT_BAD_USAGE;
    if (!crop_parse(values->crop, &read))
        return usage_error(command, "crop %s: must be WxH+X+Y, such as 640x480+0+100",
                           values->crop);
    resize_parse(values->resize, values->options.dpi, &read);
    if (values->resample && read.enlarge)
        return usage_error(command, "resample needs resize to a size, not up");
    const char *taken = halftone_read_twice(values, in, out);
    if (taken)
        return usage_error(command, "%s is read for an option and cannot be %s too", taken,
                           strcmp(taken, "-") ? "OUT" : "IN");
    return stack_check(command, values->page) != 0 ? EXIT_BAD_USAGE : 0;
}
