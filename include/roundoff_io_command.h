/* SPDX-License-Identifier: MIT */
/*
 * What the command needs of files beside the stable interface. Unstable: it may change with any
 * version, and is no part of roundoff_io.h.
 */
#ifndef ROUNDOFF_IO_COMMAND_H
#define ROUNDOFF_IO_COMMAND_H

#include "roundoff/command.h"
#include "roundoff_io.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Files that belong together -------------------------------------------------------------- */

/* Files that belong together. After ro_commit_begin, whatever the calling thread commits or saves
 * with the context (pictures, inks, fields and sidecars, animations, contours, bytes) is complete
 * but waits under a temporary name; if the thread reads one of these files, it reads what waits.
 * ro_commit_all checks for a cancellation one last time, gives all files their names and syncs
 * their folders; ro_commit_drop, or closing the context, removes them. So a failure before the
 * first name leaves every old file as it was. The renames are not atomic as a group, however: if
 * the system refuses one of them, or is cut off between them, those before are new, and the message
 * of ro_commit_all says so. Both end the list. Output to pipes or devices has already been sent. */
RO_API
ro_status ro_commit_begin(ro_context *context);
RO_API
ro_status ro_commit_all(ro_context *context);
RO_API
void ro_commit_drop(ro_context *context);

/* ---- Readers and writers --------------------------------------------------------------------- */

/* Gives the numbers that are black and white in a file of integers that come as floats: the least
 * and the largest of all pages that are read, as ro_halftone_file takes them if its options name no
 * range. Gives 0 and 0 for all other files, because maxval, or 1 for floats, is their white.
 * Returns RO_E_UNSUPPORTED for such integers from a pipe, which cannot be searched in advance. */
RO_API
ro_status ro_reader_range(ro_reader *reader, double *black, double *white);

/* The smallest and the largest number of a picture's file, all channels and all pages that are read
 * together; of floats NaN are passed over. */
RO_API
ro_status ro_picture_range(ro_context *context, const char *path, const ro_read_options *read,
                           double *least, double *most);

/* ro_writer_rows with 8 bits of alpha for every pixel, where the info has with_alpha set. Of a
 * palette in .png, a number behind the others is transparent, below half of all alpha; else alpha
 * is kept. */
RO_API
ro_status ro_writer_rows_alpha(ro_writer *writer, const void *rows, ptrdiff_t stride,
                               const uint8_t *alpha, ptrdiff_t alpha_stride, uint32_t count);

/* All but the name: what may still fail for want of room does so here. Of several files that belong
 * together all are completed before the first is committed. */
RO_API
ro_status ro_writer_complete(ro_writer *writer);

/* Whether files of a type, as ro_file_info.type names it, hold numbers of levels as they are;
 * others hold the tones that they stand for. */
RO_API
int ro_type_keeps_levels(const char *type);

/* How much of a path lies before the file's ending, where numbers go: "a" of "a.png", "a.nii.gz"
 * and "a.h5:/b"; without an ending all of the file's name. */
RO_API
size_t ro_path_stem(const char *path);

/* Whether a file of this name, or of a type that is not NULL, has a place for dots per inch. */
RO_API
int ro_writer_holds_resolution(const char *path, const char *type);

/* Passes on from what a reader said of its file what is still true of `out`, whose pixels are in
 * the same places: description, spacing, header. */
RO_API
void ro_info_carry(const ro_file_info *in, ro_file_info *out);

/* What a reader said of its file, resolution included, and a file of this name that is written with
 * `out` does not say: in words, "its description, its spacing"; "": nothing. */
RO_API
void ro_writer_loses(const char *path, const char *type, const ro_file_info *in,
                     const ro_file_info *out, ro_dropped *lost);

/* Whether what is written there can be read again; 1 also for types that are none of these. */
RO_API
int ro_writer_reads_back(const char *path, const char *type);

/* The file of an ink, from 0 on, where each has one: "page.tif" becomes "page-c.tif" for the four
 * of RO_CHANNELS_CMYK, "page-NAME.tif" for others. RO_E_ARGUMENT: there is no such ink, or no room.
 */
RO_API
ro_status ro_plate_path(const char *out, const ro_halftone_options *options, int ink, char *path,
                        size_t size);

/* ---- Bytes, tables, drawings ----------------------------------------------------------------- */

/* Any bytes into a file, complete or not at all; and whether it, or a displacement, can be made
 * there. Loading takes memory that ro_free gives back, with a byte 0 behind the file's, which may
 * be `most` at most. */
RO_API
ro_status ro_bytes_save(ro_context *context, const char *path, const void *bytes, size_t size);
RO_API
ro_status ro_bytes_load(ro_context *context, const char *path, size_t most, char **bytes,
                        size_t *size);
RO_API
ro_status ro_bytes_accepts(ro_context *context, const char *path);
RO_API
ro_status ro_displacement_accepts(ro_context *context, const char *path);

/* Whether a name ends as those of maps do, and whether a map of the kind can be made there. */
RO_API
int ro_map_named(const char *path);
RO_API
ro_status ro_map_accepts(ro_context *context, const char *path, const char *transform);

/* Whether ro_moire_save and ro_contours_save can make this file. */
RO_API
ro_status ro_moire_accepts(ro_context *context, const char *path);
RO_API
ro_status ro_contours_accepts(ro_context *context, const char *path);

/* Columns of whole numbers as text: two lines of comment with # in front, the title and the names
 * of the columns, then a line of decimal numbers for every row. For the test bench of a circuit. */
enum { RO_VECTOR_COLUMNS = 4 };
typedef struct ro_vectors {
    const char *title;
    int columns;
    const char *names[RO_VECTOR_COLUMNS];
    const int32_t *numbers[RO_VECTOR_COLUMNS];
    size_t rows;
} ro_vectors;
RO_API
ro_status ro_vectors_save(ro_context *context, const char *path, const ro_vectors *vectors);

/* An animated GIF of numbers of colours, `colours` holding 256 times red, green and blue; it
 * repeats for ever. The file appears at the commit. */
typedef struct ro_gif ro_gif;
RO_API
ro_status ro_gif_open(ro_context *context, const char *path, uint32_t width, uint32_t height,
                      const uint8_t *colours, ro_gif **gif);
RO_API
ro_status ro_gif_frame(ro_gif *gif, const uint8_t *numbers, ptrdiff_t stride,
                       unsigned centiseconds);
RO_API
ro_status ro_gif_commit(ro_gif *gif);
RO_API
void ro_gif_close(ro_gif *gif); /* NULL is allowed */

/* ---- Light ----------------------------------------------------------------------------------- */

/* The sidecar of a field alone, as ro_hologram_load reads it. */
RO_API
ro_status ro_optics_load(ro_context *context, const char *path, const char *sidecar,
                         ro_optics *optics);

/* ro_hologram_save row by row from the top. Closing gives the files their names if `status` is
 * RO_OK and all rows have come, else nothing is left of them; it returns what went wrong first. A
 * writer of NULL may be closed. */
typedef struct ro_field_writer ro_field_writer;
RO_API
ro_status ro_field_writer_open(ro_context *context, const char *path, uint32_t width,
                               uint32_t height, ro_field_writer **writer);
RO_API
ro_status ro_field_writer_row(ro_field_writer *writer, const float *row);
RO_API
ro_status ro_field_writer_close(ro_field_writer *writer, const ro_optics *optics, ro_status status);

/* A picture as amplitudes of light, RO_GREYF of width x height (0: its own), in the middle of
 * nothing: floating point samples are amplitudes, others intensities, whose roots are taken.
 * `channel`: 0 to 2 of a colour picture, or -1 for its luminance. ro_image_free gives it back. */
RO_API
ro_status ro_amplitudes_load(ro_context *context, const char *path, int channel, uint32_t width,
                             uint32_t height, ro_image *amplitudes);

/* Taps from text, "dx, dy, real" or "dx, dy, real, imaginary" a line. */
RO_API
ro_status ro_taps_load(ro_context *context, const char *path, ro_hologram_taps *taps);

#ifdef __cplusplus
}
#endif

#endif
