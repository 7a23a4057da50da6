/* SPDX-License-Identifier: MIT */
/*
 * NRRD: lines "field: value" up to an empty one, then numbers, raw or as gzip, the first axis
 * running fastest. Pictures and displacement fields are read by this header.
 */
#ifndef RO_IO_ARRAYS_NRRD_HEADER_H
#define RO_IO_ARRAYS_NRRD_HEADER_H

#include "io/arrays/array.h"

enum { NRRD_DIMENSIONS = 10 };

struct nrrd {
    char kind; /* of a number, as in struct array_file */
    int bytes;
    int dimensions;
    int sizes_count;
    uint64_t sizes[NRRD_DIMENSIONS];
    double spacing[NRRD_DIMENSIONS]; /* 0 where it is not stated */
    bool turned;                     /* an axis does not run along its own direction in space */
    bool big, colour, gzip;
    bool known_encoding;
    long long skip;
    char *text; /* lines that a copy of the file keeps, or NULL; the caller frees it */
    size_t length;
};

/* Reads the lines up to the empty one. Frees nothing on failure. */
ro_status nrrd_read_header(struct byte_source *source, struct nrrd *nrrd);

/* Moves the source to the first number, and fills in the array's type. */
ro_status nrrd_open_numbers(struct byte_source *source, const struct nrrd *nrrd,
                            struct array_file *array);

/* Returns the name of a type, or NULL if NRRD has none for it. */
const char *nrrd_type_name(char kind, int bytes);

#endif
