/* SPDX-License-Identifier: MIT */
/*
 * Files that several processes read and write together, as libroundoff_mpi does. Unstable: it may
 * change with any version, and is no part of roundoff_io.h.
 */
#ifndef ROUNDOFF_IO_PIECES_H
#define ROUNDOFF_IO_PIECES_H

#include "roundoff_io.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes `row` the next one. RO_E_UNSUPPORTED where rows do not lie at known places: only raw PNM,
 * NPY by rows and TIFF have such places (of compressed strips their beginnings, from where rows are
 * read over), and only upright and as large as they are. */
RO_API
ro_status ro_reader_seek(ro_reader *reader, uint32_t row);

/*
 * A file in parts, for processes that write one file together: a part is some rows, and parts lie
 * one after another,
 *
 *     head | part 0 | part 1 | ... | tail
 *
 * Any process makes any of them, in any order; the file has the bytes that a writer would have
 * given it. PBM, PGM, PPM, NPY and TIFF. The bytes are for the caller to place, in the file of
 * ro_parts_begin or elsewhere.
 */
typedef struct ro_parts ro_parts;
typedef struct ro_parts_info {
    uint32_t rows;  /* of a part, but for the last */
    uint32_t count; /* of parts */
    uint64_t head;  /* bytes before the first part */
    uint64_t bytes; /* of a part of `rows` rows; 0: they are packed, and known when it is made */
} ro_parts_info;
RO_API
ro_status ro_parts_open(ro_context *context, const char *path, const ro_file_info *info,
                        const ro_write_options *options, ro_parts **parts);
RO_API
const ro_parts_info *ro_parts_query(const ro_parts *parts);

/* The bytes of whole parts: `count` rows are a multiple of `rows`, but at the end of the picture.
 * `sizes`, if not NULL, receives the size of each part. The bytes stay until the next call. */
RO_API
ro_status ro_parts_make(ro_parts *parts, const void *rows, ptrdiff_t stride, uint32_t count,
                        const void **bytes, size_t *size, uint64_t *sizes);

/* Head and tail, once the sizes of all parts are known (NULL: they are not packed). The bytes stay
 * until the next call. */
RO_API
ro_status ro_parts_frame(ro_parts *parts, const uint64_t *sizes, const void **head,
                         const void **tail, size_t *tail_size);

/* Makes the file, in one of the processes: beside the path of ro_parts_open, with a random name
 * that nobody else has, and with the rights of the file that it will replace. *name is its path,
 * until the close; any process may write there. `keeps`: 1: ro_parts_close leaves it, for another
 * run; then `kept` is its name without a folder. NULL: a new file. */
RO_API
ro_status ro_parts_begin(ro_parts *parts, int keeps, const char *kept, const char **name);

/* Brings the file to the disk and gives it its name, in the process that began it, after all have
 * closed it. */
RO_API
ro_status ro_parts_commit(ro_parts *parts);

/* Removes a file that was begun, unless it was committed or is kept. NULL is allowed. */
RO_API
void ro_parts_close(ro_parts *parts);

/* ro_hologram_load by rows, from anywhere: `shape` receives width and height. A file by columns or
 * a pipe is RO_E_UNSUPPORTED. `rows` has the field's width and as many rows as are wanted, from row
 * y on.
 */
typedef struct ro_field_reader ro_field_reader;
RO_API
ro_status ro_field_reader_open(ro_context *context, const char *path, ro_field *shape,
                               ro_field_reader **reader);
RO_API
ro_status ro_field_reader_rows(ro_field_reader *reader, uint32_t y, const ro_field *rows);
RO_API
void ro_field_reader_close(ro_field_reader *reader); /* NULL is allowed */

/* What a file of a halftone with these options holds: format, maxval, palette or inks, no size. */
RO_API
ro_file_info ro_halftone_result(const ro_halftone_options *options);

/* Whether a resolution in dots per inch says anything. 72 and 96 do not, because programs write
 * them when they do not know; neither does 0. A file may round them to pixels per metre. */
static inline int ro_resolution_is_stated(double dpi)
{
    return dpi > 0 && !(dpi > 71.98 && dpi < 72.02) && !(dpi > 95.98 && dpi < 96.02);
}

#ifdef __cplusplus
}
#endif

#endif
