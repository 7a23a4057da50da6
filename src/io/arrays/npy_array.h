/* SPDX-License-Identifier: MIT */
/* What every array in an NPY file has: a header, and samples by rows or by columns. */
#ifndef RO_IO_ARRAYS_NPY_ARRAY_H
#define RO_IO_ARRAYS_NPY_ARRAY_H

#include "io/bytes/source.h"

enum { RO_NPY_DIMENSIONS = 8 };

struct npy_header {
    char element[20]; /* as the file names it, quoted: '<c16' */
    char kind;        /* 'u', 'b', 'f', 'c', ... */
    int bytes;        /* of an element; of a complex one both parts */
    bool swapped;     /* not in this machine's byte order */
    bool by_columns;  /* in Fortran's order: the first index runs fastest */
    char shape[64];   /* as the file has it */
    int dimensions;   /* 0: another shape */
    uint64_t sizes[RO_NPY_DIMENSIONS];
};

/* Reads an array of two floats per pixel, (h, w, 2), into an image twice as wide. */
ro_status npy_load_pairs(struct byte_source *source, ro_image *field);

/* Takes the header from the source; the samples follow. Sizes are not checked. */
ro_status npy_header(struct byte_source *source, struct npy_header *array);

#endif
