/* SPDX-License-Identifier: MIT */
/* What roundoff segment shares between its files: the words of the command line and the pictures
 * that it makes beside the labels. */
#ifndef RO_CLI_SEGMENT_SEGMENT_H
#define RO_CLI_SEGMENT_SEGMENT_H

#include "cli/common/cli.h"
#include "cli/common/string_buffer.h"
#include "roundoff_io.h"
#include "roundoff_io_command.h"

struct speed_words {
    ro_texts at, speed, gaussian, window, edge, curvature;
};

struct segment_values {
    struct common common;
    struct speed_words words;
    enum fronts { FRONTS_BY_OPTIONS, FRONTS_COMPETE, FRONTS_FREE } fronts;
    const char *seeds, *mask, *factor, *distance, *velocity;
    const char *overlay, *contours, *table, *phi, *frames, *vectors;
    const char *page;
    int force;
    ro_segment_options free; /* and how competing fronts smooth and are scheduled */
};

/* ---- stack.c: pages ------------------------------------------------------------------ */

struct segment_pages {
    const char *path;      /* of IN */
    unsigned first, count; /* which; first 0: the only one */
    unsigned at;           /* the one at work, from 0 */
    ro_file_info stack;
    ro_reader *reader;   /* of IN, for what it says beside its pixels; NULL: it cannot be asked */
    ro_writer *writer;   /* of OUT, once there is a page */
    double zero, unit;   /* the file's numbers are zero + unit * samples of the page at work */
    struct printed told; /* JSON of each page; no file: there is one page */
};
/* Which pages of IN are asked for; more than one do not go with files beside OUT. */
ro_status segment_pages_open(ro_context *context, const struct segment_values *values,
                             const char *path, struct segment_pages *pages);
ro_status segment_load(ro_context *context, struct segment_pages *pages, ro_image *in,
                       ro_file_info *info);
/* The labels of the page at work; the last one completes OUT. */
ro_status segment_save(ro_context *context, struct segment_pages *pages, const char *out,
                       ro_image *labels);
/* Whether labels below 256 are numbers in OUT, rather than tones. */
bool labels_are_numbers(const ro_file_info *info, const ro_image *labels);
void segment_pages_json(FILE *file, struct segment_pages *pages);
void segment_pages_close(struct segment_pages *pages);

/* ---- fronts.c: fronts that compete, from the command line to the files -------------- */

/* Whether the values ask for free fronts: they say so, or have what only those know. */
bool segment_is_free(const struct segment_values *values);
/* Refuses what fronts of the kind asked for do not know; 0: all is well. */
int check_fronts(const struct command *command, const struct segment_values *values);
int run_competing(const struct command *command, const struct segment_values *values,
                  const struct operands *files);
ro_status competing_certify(struct certificate *to, const struct segment_values *values,
                            const struct operands *files);

/* How many pixels of OUT do not show their label; numbers stay numbers in .npy files and in 16
 * bits. */
uint64_t labels_unlike(const ro_image *labels, const ro_image *out, bool numbers);

/* ---- regions_report.c: what is said of regions ---------------------------------------------- */

struct regions_told {
    const ro_report *ran;
    const ro_regions_report *report;
    const ro_region *table;
    size_t labels;
    const ro_region_front *fronts;
    double zero, unit; /* the file's numbers are zero + unit * those of the library */
    double seconds;
};
void regions_lines(const struct regions_told *told);
void regions_json(FILE *file, const struct regions_told *told, const struct operands *files);
void regions_table(FILE *file, const struct regions_told *told, bool json);
/* Whether the regions are of no use, which a `strict` user sees earlier; and says why in a
 * sentence: EXIT_USELESS. */
bool regions_are_useless(const struct regions_told *told, bool strict);
int regions_useless(const struct regions_told *told, bool strict, const char *out);

/* ---- parse.c: what options say ------------------------------------------------------- */

/* A word that is about one label alone: option and text; NULL: there is none. */
struct named {
    const char *option, *text;
};

/* Fills speeds of up to RO_LABELS labels, seeds of up to `most_label`
 * (RO_MOST_TEXTS of them at most) and the last word about each label; a word that
 * cannot be read is told as a usage error, whose status is returned; 0: all is well. */
int read_words(const struct command *command, const struct speed_words *words, int most_label,
               ro_segment_options *options, ro_seed *seeds, struct named named[RO_LABELS]);

/* Refuses words about a label that has no seed, once mask and distance are there. */
ro_status check_named(ro_context *context, const ro_segment_options *options,
                      const struct named named[RO_LABELS]);

/* ---- pictures.c: overlays and frames ------------------------------------------------ */

/* Whether all files can be written; asked before the work. */
ro_status segment_accepts(ro_context *context, const struct segment_values *values, const char *out,
                          const ro_image *in);

/* IN as a picture of 8-bit red, green and blue. */
ro_status picture_of(ro_context *context, const ro_image *in, ro_image *picture);

/* Outlines drawn over a copy of the picture. */
ro_status save_overlay(ro_context *context, const char *path, const ro_image *picture,
                       const ro_polyline *lines, size_t count);

/* Steps, or pixels that competing fronts travel, between two frames. */
enum { FRAMES_EVERY = 10 };

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
ro_status frames_draw(struct frames *frames, const ro_polyline *lines, size_t count);
ro_status frames_commit(struct frames *frames);
void frames_close(struct frames *frames);

/* ---- report.c: what is said at the end ----------------------------------------------- */

/* What makes labels useless: bit i is for label i + 1. */
struct segment_faults {
    unsigned useless;         /* it filled everything or nothing */
    unsigned stalled, border; /* for a strict user only */
};
/* Says the first of them in a sentence: EXIT_USELESS. */
int segment_useless(const ro_segment_report *r, const struct segment_faults *faults,
                    const char *out);

void segment_lines(const ro_report *ran, const ro_segment_report *r, double seconds);
void segment_json(FILE *file, const ro_report *ran, const ro_segment_report *r,
                  const struct operands *files, double seconds);

#endif
