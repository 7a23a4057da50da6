/* SPDX-License-Identifier: MIT */
/* What every array in an NPY file has: a header, and samples by rows or by columns. */
#ifndef RO_IO_MEASUREMENTS_NPY_ARRAY_H
#define RO_IO_MEASUREMENTS_NPY_ARRAY_H

#include "io/bytes/source.h"

struct ro_npy {
    char element[20]; /* as the file names it, quoted: '<c16' */
    char kind;        /* 'u', 'b', 'f', 'c', ... */
    int bytes;        /* of an element; of a complex one both parts */
    bool swapped;     /* not in this machine's byte order */
    bool by_columns;  /* in Fortran's order: the first index runs fastest */
    char shape[64];   /* as the file has it */
    int dimensions;   /* 1 to 3; 0: another shape */
    uint64_t sizes[3];
};

/* Takes the header from the source; the samples follow. Sizes are not checked. */
ro_status ro_npy_header(struct ro_source *source, struct ro_npy *array);

/*
 * An array stored by columns cannot be streamed: its first row is complete only with its last
 * column. It is held whole as the file has it, and rows are picked out a band at a time, so that
 * each cache line of a column is fetched once.
 */
struct ro_columns {
    uint8_t *bytes; /* NULL: none was opened */
    uint8_t *band;  /* the rows from band_at on */
    size_t element; /* bytes */
    size_t width, planes;
    uint32_t height, band_at, band_rows;
};

/* Reads all samples of (height, width, planes); sizes as ro_stage_check_size allows them. */
ro_status ro_columns_open(struct ro_columns *columns, struct ro_source *source, size_t element,
                          uint32_t height, size_t width, size_t planes);

/* A row as it would lie in a file stored by rows; rows are asked for in order. */
void ro_columns_row(struct ro_columns *columns, uint32_t y, uint8_t *row);
void ro_columns_close(struct ro_columns *columns);

#endif
