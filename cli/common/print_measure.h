/* SPDX-License-Identifier: MIT */
/* Measured figures as JSON, for --json and for the data of a page, and as a table. */
#ifndef RO_CLI_COMMON_PRINT_MEASURE_H
#define RO_CLI_COMMON_PRINT_MEASURE_H

#include "roundoff.h"

#include <stdio.h>

/* Who looks. */
struct eye {
    double dpi, distance, sigma;
    const char *adapted; /* to the black and white of this palette; NULL: of sRGB */
};

/* An object without its braces: "width": ..., "height": ...; an infinite PSNR is null. */
void figures_json(FILE *file, const ro_measure_report *report);
void figures_table(FILE *file, const ro_measure_report *report, const struct eye *eye);

/* "300 dpi at 300 mm: an eye of 1.03 pixels, adapted to spectra6-panel" */
void figures_eye(FILE *file, const struct eye *eye);
void figures_eye_json(FILE *file, const struct eye *eye);

/* A result in colour: ", \"colour\": {...}", and what is said instead of the table of grey. */
void figures_colour_json(FILE *file, const ro_colour_report *colour);
void figures_colour_table(FILE *file, const ro_measure_report *report,
                          const ro_colour_report *colour, const struct eye *eye);

/* A number, or null where JSON has none. */
void json_number(FILE *file, double value);

#endif
