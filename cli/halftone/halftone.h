/* SPDX-License-Identifier: MIT */
/* The options of roundoff halftone, and the files that they name. */
#ifndef RO_CLI_HALFTONE_HALFTONE_H
#define RO_CLI_HALFTONE_HALFTONE_H

#include "cli/common/cli.h"
#include "cli/common/shared_rows.h"
#include "cli/inks/inks.h"
#include "cli/input/palettes.h"
#include "roundoff_io.h"

enum { RESAMPLE_AUTO, RESAMPLE_LIGHT, RESAMPLE_VALUES };
enum { SEPARATE_NONE, SEPARATE_CMYK, SEPARATE_CMYK_TIFF, SEPARATE_INKS, SEPARATE_INKS_TIFF };

/* The command line: what is a member of a public structure, and texts that stand for more. */
struct halftone_given {
    struct common common;
    ro_halftone_options options;
    ro_read_options read;
    ro_write_options write;
    ro_proof_options proof_options;
    const char *screen, *kernel, *curve, *palette, *recolour, *spot;
    const char *vectors, *out_dir, *page, *background, *numbers, *resize, *range, *crop;
    const char *inks, *angles, *proof, *profile_out;
    ro_texts ink;
    int list, resample, separate, intent;
};
extern const struct halftone_given halftone_unset;
extern const ro_option_table halftone_own; /* the rows of the command itself */

/* The options as the library takes them, with all they point to. */
struct halftone_request {
    ro_halftone_options options;
    ro_read_options read;
    ro_write_options write;
    ro_video_report video; /* what was done, where IN was one */
    unsigned empty_plates; /* as ro_file_report has them */
    ro_image screen, first, spot;
    ro_kernel kernel;
    ro_palette palette, recolour;
    uint8_t numbers[256];
    ro_tone_point points[RO_CURVE_POINTS];
    struct ink_list inks;
    ro_separation separation;
    char profile_hash[RO_HASH_TEXT];
    double
        own_dpi; /* the resolution of dots where it is IN's; 0: it was given, or there are none */
};

/* The palette that was left to the picture `in`, where one was. */
ro_status halftone_adapt(ro_context *context, const ro_image *in, struct halftone_request *request);

/* Checks rules that no row states. Prints an error and returns the exit status; 0: all is well. */
int halftone_usage(const struct command *command, const struct halftone_given *values,
                   const char *in, const char *out);
/* Whether OUT is a file for each ink. */
bool halftone_has_plates(const struct halftone_given *values);

/* request.c: reads the files that options name, and IN (NULL: many) where an option asks what is in
 * it; halftone_release frees, also after a failure. */
ro_status halftone_prepare(ro_context *context, const struct halftone_given *values, const char *in,
                           struct halftone_request *request);
void halftone_release(struct halftone_request *request);

/* Palettes: what is asked for (palette.c), and a list of those with names. */
ro_status halftone_colours(ro_context *context, const struct halftone_given *values, const char *in,
                           struct halftone_request *request);
int halftone_list_palettes(bool json);
/* The colours of a panel's driver, where OUT is a file for the panel. */
ro_status halftone_take_driver(ro_context *context, const struct halftone_given *values,
                               const char *out, struct halftone_request *request);

/* A file that an option reads and that is also IN or OUT, or NULL. */
const char *halftone_read_twice(const struct halftone_given *values, const char *in,
                                const char *out);

/* Fills in the inks of a separation, which inks_free frees; whether a plate of OUT is a file that
 * was read; and what to say of them. */
ro_status halftone_read_inks(ro_context *context, const struct halftone_given *values,
                             struct halftone_request *request);
ro_status halftone_check_plates(ro_context *context, const struct halftone_given *values,
                                const struct halftone_request *request, const char *out);
void halftone_say_inks(ro_context *context, const struct halftone_request *request);
void halftone_json_inks(FILE *file, ro_context *context, const struct halftone_request *request,
                        const char *out);

/* Samples of IN and the levels they become, as text. */
ro_status halftone_vectors(ro_context *context, const char *in, const char *path,
                           const struct halftone_request *request);

/* Many pictures into a folder; the exit status. */
int halftone_batch(const struct command *command, const struct halftone_given *values,
                   const struct operands *files);

/* The account of a halftone; see certificate.h. */
ro_status halftone_certify(struct certificate *to, const void *values,
                           const struct operands *files);

#endif
