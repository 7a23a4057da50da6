/* SPDX-License-Identifier: MIT */
/*
 * The smallest number system that is good enough for a picture: --number smallest:0.1dB. A system
 * is d dB from floats, d = 10 log10(1 + e/r), e being the sum of the squares of how its result
 * differs from that in floats, and r that of what floats take away from the picture.
 */
#ifndef RO_CLI_DENOISE_SMALLEST_H
#define RO_CLI_DENOISE_SMALLEST_H

#include "cli/denoise/files.h"

#include <stdbool.h>

/* The distance in dB of "smallest:0.1dB"; below 0: the text is wrong; 0: it is another one. */
double smallest_distance(const char *number);

/* Tries all systems with the options of `files`, and prints a line of each unless it is quiet. */
ro_status smallest_number(const struct denoise_files *files, bool quiet, const char **found);

#endif
