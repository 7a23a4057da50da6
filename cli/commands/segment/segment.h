/* SPDX-License-Identifier: MIT */
/* What roundoff segment shares between its files: the words of the command line and the pictures
 * that it makes beside the labels. */
#ifndef RO_CLI_COMMANDS_SEGMENT_SEGMENT_H
#define RO_CLI_COMMANDS_SEGMENT_SEGMENT_H

#include "cli/frame/cli.h"
#include "roundoff_io.h"

/* ---- segment_words.c: what options say ------------------------------------------------------- */

struct speed_words {
    struct texts at, speed, polynomial, gaussian, window, edge, curvature;
};

/* A word that is about one label alone: option and text; NULL: there is none. */
struct named {
    const char *option, *text;
};

/* Fills speeds, seeds (MOST_TEXTS of them at most) and the last word about each label; a word that
 * cannot be read is told as a usage error, whose status is returned; 0: all is well. */
int read_words(const struct command *command, const struct speed_words *words,
               ro_segment_options *options, ro_seed *seeds, struct named named[RO_LABELS]);

/* Refuses words about a label that has no seed, once mask and distance are there. */
ro_status check_named(ro_context *context, const ro_segment_options *options,
                      const struct named named[RO_LABELS]);

/* ---- segment_pictures.c: overlays and frames --------------------------------------------------
 */

/* IN as a picture of 8-bit red, green and blue. */
ro_status picture_of(ro_context *context, const ro_image *in, ro_image *picture);

/* The outlines of a result drawn over a copy of the picture. */
ro_status save_overlay(ro_context *context, const char *path, const ro_image *picture,
                       ro_segmentation *result);

/* An animation: a GIF, or a series of files "name-0000.png". */
struct frames {
    ro_context *context;
    const char *path;
    const ro_image *picture;
    ro_gif *gif; /* NULL: a series */
    uint32_t count;
    ro_status status; /* of the first failure, and what was said of it */
    char message[512];
};
ro_status frames_open(struct frames *frames, ro_context *context, const char *path,
                      const ro_image *picture);
int frames_add(void *frames, ro_segmentation *now, uint32_t step); /* a ro_segment_frame_fn */
ro_status frames_commit(struct frames *frames);
void frames_close(struct frames *frames);

/* ---- segment_report.c: what is said at the end ----------------------------------------------- */

/* Whether a label filled everything or nothing; and says so in a sentence: EXIT_USELESS. */
bool segment_is_useless(const ro_segment_report *r);
int segment_useless(const ro_segment_report *r, const char *out);

void segment_lines(const ro_report *ran, const ro_segment_report *r, double seconds);
void segment_json(FILE *file, const ro_report *ran, const ro_segment_report *r,
                  const struct operands *files, double seconds);

#endif
