/* SPDX-License-Identifier: MIT */
/* Where a halftone goes: one file, or a file of bits for each ink. */
#ifndef RO_IO_FILES_OUTPUT_H
#define RO_IO_FILES_OUTPUT_H

#include "io/files/reader.h"
#include "io/files/writer.h"

struct file_output {
    ro_writer *writers[RO_INKS_MOST];
    int count;
    int failed;         /* the writer that failed last */
    size_t plate_bytes; /* of a row, where there are several files */
    uint32_t width;
    unsigned inked;   /* bit i: there is ink on plate i */
    uint32_t enlarge; /* every pixel so many times each way */
    ro_format format;
    uint8_t *enlarged; /* a row of that; NULL: pixels stay */
    ro_reader *alpha;  /* gives the alpha of the rows; NULL: there is none */
    bool alpha_failed;
    uint8_t *alpha_row; /* as it comes, and 8 bits each */
};

/* As the functions of a writer. Inks with files of their own are named as ro_plate_path has it;
 * `plates` are the options that name them, or NULL: one file. Their rows lie one after another in
 * each row of the output. No plate may be the file `in`. */
ro_status output_accepts(ro_context *context, const char *path, const ro_file_info *info,
                         const ro_write_options *options, const ro_halftone_options *plates,
                         const char *in);
ro_status file_output_open(struct file_output *output, ro_context *context, const char *path,
                           const ro_file_info *info, const ro_write_options *options,
                           const ro_halftone_options *plates);
ro_status output_rows(struct file_output *output, const void *rows, ptrdiff_t stride,
                      uint32_t count);
ro_status file_output_commit(struct file_output *output);
void file_output_close(struct file_output *output);

/* Opens the picture that `reader` reads once more, for its alpha alone; before the output. Fails
 * where it comes through a pipe, which is read once. */
ro_status output_take_alpha(struct file_output *output, ro_context *context, const char *in,
                            const ro_reader *reader);

/* The file that failed, and who may stop the writing. */
const struct open_file *output_file(const struct file_output *output);
void output_set_stop(struct file_output *output, const atomic_bool *stop);

#endif
