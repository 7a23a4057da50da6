/* SPDX-License-Identifier: MIT */
/* What roundoff halftone was asked for, and the files that its options name. */
#ifndef RO_CLI_HALFTONE_HALFTONE_H
#define RO_CLI_HALFTONE_HALFTONE_H

#include "cli/common/cli.h"
#include "cli/inks/inks.h"
#include "roundoff_io.h"

#include <string.h>

/* --separate */
enum { SEPARATE_NONE, SEPARATE_CMYK, SEPARATE_CMYK_TIFF, SEPARATE_INKS, SEPARATE_INKS_TIFF };

struct halftone_values {
    struct common common;
    const char *method, *schedule, *type, *shape, *screen, *kernel, *like, *curve, *palette;
    const char *recolour;
    const char *vectors, *out_dir, *page, *angle, *angles, *spot, *inks, *proof, *profile_out;
    ro_texts ink;
    double ink_limit, gain, yule_nielsen;
    int intent;
    int levels, cell, dot, strength, noise, threshold, channels, separate;
    double lpi, gamma, brightness, contrast, black;
    struct scale resize;
    int resample, fit;
    int compression, bit_order, ones, pixel_bits;
    const char *numbers, *dpi;
    int alpha, profile;
    const char *background;
    bool list, serpentine, linear, invert;
    const char *range;
    /* direct binary search */
    double sigma; /* negative: not given */
    int rounds;
    const char *view, *aim, *start;
};

/* The options as the library takes them, with all they point to. */
struct halftone_request {
    ro_halftone_options options;
    ro_read_options read;
    ro_write_options write;
    ro_video_report video; /* what was done, where IN was one */
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

/* Options that cannot be together: told, and the exit status; 0: all is well. */
int halftone_check(const struct command *command, const struct halftone_values *values,
                   const char *in, const char *out);

/* request.c: reads the files that options name, and IN (NULL: many) where an option asks what is in
 * it; halftone_release frees, also after a failure. */
ro_status halftone_prepare(ro_context *context, const struct halftone_values *values,
                           const char *in, struct halftone_request *request);
void halftone_release(struct halftone_request *request);

/* "600dpi,300mm", with or without the units, as two numbers. */
bool halftone_view(const char *text, double view[2]);

/* Palettes: what is asked for (palette.c), and a list of those with names. */
ro_status halftone_colours(ro_context *context, const struct halftone_values *values,
                           const char *in, struct halftone_request *request);
int halftone_list_palettes(bool json);

/* A file that an option reads and that is also IN or OUT, or NULL. */
const char *halftone_read_twice(const struct halftone_values *values, const char *in,
                                const char *out);

/* A file's name has a dot or a slash in it, which no colour and no method has; or is that of
 * standard input. */
static inline bool names_a_file(const char *text)
{
    return strpbrk(text, "./") != NULL || strcmp(text, "-") == 0;
}

/* Fills in the inks of a separation, which inks_free frees; whether a plate of OUT is a file that
 * was read; and what to say of them. */
ro_status halftone_read_inks(ro_context *context, const struct halftone_values *values,
                             struct halftone_request *request);
ro_status halftone_check_plates(ro_context *context, const struct halftone_values *values,
                                const struct halftone_request *request, const char *out);
void halftone_say_inks(ro_context *context, const struct halftone_request *request);
void halftone_json_inks(FILE *file, ro_context *context, const struct halftone_request *request,
                        const char *out);

/* Samples of IN and the levels they become, as text. */
ro_status halftone_vectors(ro_context *context, const char *in, const char *path,
                           const struct halftone_request *request);

/* Many pictures into a folder; the exit status. */
int halftone_batch(const struct command *command, const struct halftone_values *values,
                   const struct operands *files);

/* The account of a halftone; see certificate.h. */
ro_status halftone_certify(struct certificate *to, const void *values,
                           const struct operands *files);

#endif
