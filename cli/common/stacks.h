/* SPDX-License-Identifier: MIT */
/* Stacks: which pages a command reads, and pages as images one after another. */
#ifndef RO_CLI_COMMON_STACKS_H
#define RO_CLI_COMMON_STACKS_H

#include "cli/common/cli.h"
#include "cli/common/shared_rows.h"
#include "roundoff_io.h"

/* Puts the pages of "3", "2-9" or "all" into `read`; NULL: all of a stack, else the first. False:
 * the text says none of it. */
bool stack_pages(const char *text, ro_read_options *read);

/* usage_error of a text that says none of it; 0: all is well. */
int stack_check(const struct command *command, const char *text);

/* Page `number` (from 0) of those that are read, into an image of the reader's shape. */
ro_status stack_read(ro_reader *reader, unsigned number, ro_image *image);
ro_status stack_write(ro_writer *writer, const ro_image *image);

/* One image as `info` says, which is more than the image does: its type, zero, description. */
ro_status stack_save(ro_context *context, const char *path, const ro_image *image,
                     const ro_file_info *info);

/* Whether a file can be opened to look at its pages and then once more: a pipe cannot. */
bool stack_can_look(const char *path);

/* What a file holds, of the pages asked for. */
ro_status stack_look(ro_context *context, const char *path, const ro_read_options *read,
                     ro_file_info *info);

/* How many pages a reader gives. */
unsigned stack_count(const ro_file_info *info);

/* Integers of more than 16 bits come as floats, unless all of them fit 16. The power of two, 256 at
 * least, that no number of such an image exceeds stands for white, as far as nobody says another.
 */
bool stack_is_wide(const ro_file_info *info);
double stack_unit(const ro_image *image);
/* Every float becomes scale * it + zero; gives their sum. */
double stack_scale(ro_image *image, double scale, double zero);

/* Puts "page 7: " before what the context says of a failure; nothing of a single page. */
ro_status stack_failed(ro_context *context, ro_status status, const ro_file_info *info,
                       unsigned number, unsigned first);

#endif
