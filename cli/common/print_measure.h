/* SPDX-License-Identifier: MIT */
/* Measured figures as JSON, for --json and for the data of a page, and as a table. */
#ifndef RO_CLI_COMMON_PRINT_MEASURE_H
#define RO_CLI_COMMON_PRINT_MEASURE_H

#include "roundoff.h"

#include <stdio.h>

/* An object without its braces: "width": ..., "height": ...; an infinite PSNR is null. */
void figures_json(FILE *file, const ro_measure_report *report);
void figures_table(FILE *file, const ro_measure_report *report);

/* A result in colour: ", \"colour\": {...}", and what is said instead of the table of grey. */
void figures_colour_json(FILE *file, const ro_colour_report *colour);
void figures_colour_table(FILE *file, const ro_measure_report *report,
                          const ro_colour_report *colour);

/* A number, or null where JSON has none. */
void json_number(FILE *file, double value);

#endif
