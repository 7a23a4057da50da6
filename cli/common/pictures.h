/* SPDX-License-Identifier: MIT */
/*
 * The pictures that a command reads. What is dropped of them is told in one line each when the work
 * has succeeded, or under "dropped" with --json; with --strict it is an error.
 */
#ifndef RO_CLI_COMMON_PICTURES_H
#define RO_CLI_COMMON_PICTURES_H

#include "cli/common/options.h"
#include "roundoff_io.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Forgets what was read before; `strict` as --strict has it. */
void pictures_begin(bool strict);

/* How to read the picture `path`, which must stay where it is. Reading it again tells it once. */
ro_read_options pictures_read(const char *path);
ro_dropped *pictures_dropped(const char *path); /* where to tell what was dropped; may be NULL */

/* ro_image_load with just these options. */
ro_status pictures_load(ro_context *context, const char *path, ro_image *image, ro_file_info *info);

/* The resolution that pictures are looked at with: what was given, else what one of two files
 * states (ro_resolution_is_stated), else 300. `second` may be NULL. */
double pictures_dpi(double given, const ro_file_info *first, const ro_file_info *second);

/* Passes on what the file `path` says beside its pixels to `out_info`, with which `out` is written,
 * and notes what `out` has no place for. For files that were read with `carries`. */
ro_status pictures_carry(ro_context *context, const char *path, const ro_file_info *info,
                         const char *out, ro_file_info *out_info);

/* Notes that `out` has no place for the resolution of `path`; NULL: it has none for sure. */
ro_status pictures_resolution(ro_context *context, const char *path, const ro_file_info *info,
                              const char *out);

/* Whether the file `path` can hold what `info` says. A failure for another reason, such as no
 * memory, is no answer. */
ro_status pictures_hold(ro_context *context, const char *path, const ro_file_info *info,
                        const ro_write_options *options, bool *holds);

/* Sample `at` of a row as 0 to 255. */
uint8_t picture_byte(const ro_image *image, const char *row, size_t at);

/* Whether a name ends so, such as ".gif", in letters of either case. */
bool picture_is_named(const char *path, const char *ending);

/* The name of one picture of a series: of "name.png" and 7 "name-0007.png". False: it is too long.
 */
bool picture_name(const char *path, uint32_t number, char *name, size_t size);

/* A line on stderr for each picture of which something was dropped; the same as JSON, with a comma
 * and its name before it. */
void pictures_tell(void);
void pictures_json(FILE *file);

#endif
