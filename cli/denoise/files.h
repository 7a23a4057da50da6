/* SPDX-License-Identifier: MIT */
/* Denoising from file to file: a page after another, and what OUT holds of them. */
#ifndef RO_CLI_DENOISE_FILES_H
#define RO_CLI_DENOISE_FILES_H

#include "cli/common/cli.h"
#include "roundoff_io.h"

/* What OUT holds. Only AS_IN and WORKING are exact; floats have the units of IN. */
enum denoise_form { AS_IN, BITS_8, BITS_16, FLOATS, WORKING };

struct denoise_files {
    ro_context *context;
    const char *in, *out;
    const char *page; /* --page; NULL: all of a stack */
    enum denoise_form form;
    const char *white; /* as IN counts: a number or "maxval"; NULL: as the library chooses */
    ro_denoise_options denoise;
    double
        distance; /* from floats in dB, of the number system that is to be found; 0: it is given */

    /* What is said of it: over all pages sums of sums, and the extremes of extremes. */
    ro_denoise_report *report;
    unsigned pages;
    double kappa_least, kappa_most;
    ro_sample sample; /* of IN */
    int64_t zero;
};

/* A number, or INT64_MIN for what is none; "maxval" is INT64_MAX. */
int64_t denoise_white(const char *text);

/* The library's options in the values of command_denoise. */
const ro_denoise_options *denoise_options(const void *values);

/* Whole pages; memory for one. */
ro_status denoise_pages(struct denoise_files *files);

/* Rows, where neither the form nor the white need the whole: memory grows with the width and the
 * steps, not with the height. */
ro_status denoise_rows(struct denoise_files *files);

/* One page into `out`, which is allocated; `info` is that of the reader. For certificates. */
ro_status denoise_page(struct denoise_files *files, const ro_file_info *info, ro_image *in,
                       ro_image *out, ro_denoise_report *report);

/* What OUT holds of a file; `raw` is RO_SAMPLE_INT32 or, of floats, RO_SAMPLE_PLAIN. */
ro_file_info denoise_output(const struct denoise_files *files, const ro_file_info *in,
                            ro_sample raw);

#endif
