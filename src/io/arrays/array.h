/* SPDX-License-Identifier: MIT */
/*
 * Numbers that lie in a file as they are: rows one after another, pages one after another, of any
 * type and byte order. What NPY, NIfTI and NRRD are behind their headers.
 */
#ifndef RO_IO_ARRAYS_ARRAY_H
#define RO_IO_ARRAYS_ARRAY_H

#include "io/filters/stage.h"

struct array_file {
    char kind; /* 'u', 'i', 'f', 'b' (bool) */
    int bytes; /* of a number */
    bool swapped;
    bool by_columns; /* in Fortran's order */
    int channels;    /* 1, or 3 that lie together */
    uint64_t width, height;
    int outer_count;
    uint64_t outer[RO_OUTER_AXES]; /* axes of pages, the slowest first */
    bool pair;                     /* two numbers a pixel, given as a picture twice as wide */
};

/* Whether numbers of this kind are read. */
bool array_knows(char kind, int bytes);

/* Which axes are what, sizes with the slowest first: the last is colour where it has 3 or 1 of
 * three or more. `shape` is how the file writes them. */
ro_status array_axes(struct open_file *file, const uint64_t *sizes, int axes, const char *shape,
                     struct array_file *array);

/* Fills in what of `info` follows from the array, as samples or raw numbers; *raw tells which. */
ro_status array_info(struct open_file *file, const struct array_file *array, ro_file_info *info,
                     bool *raw);

/* Opens the array, which begins here, at a page. `more` has what else the file says, such as its
 * resolution; NULL: nothing. */
ro_status array_decode(struct byte_source *source, const struct array_file *array, unsigned page,
                       const ro_file_info *more, struct row_stage **stage);

/* Reads an array of pairs, whatever their type, into an image of floats twice as wide. */
ro_status array_load_pairs(struct byte_source *source, const struct array_file *array,
                           ro_image *field);

/* How an image of `info` lies in such a file; the encoder's rows are packed by array_encode. */
struct array_file array_of(const ro_file_info *info);

/* Whether all samples are 0 or 1, false or true where a file has these. */
bool array_is_truth(const ro_file_info *info);

/* Rows behind a header that was written; the file's numbers are in this machine's byte order. */
ro_status array_encode(struct byte_sink *sink, const ro_file_info *info,
                       struct row_encoder **encoder);

#endif
