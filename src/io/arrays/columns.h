/* SPDX-License-Identifier: MIT */
/*
 * An array stored by columns (Fortran's order) cannot be streamed: its first row is complete only
 * with its last column, its first page only with its last. It is held whole as the file has it, and
 * rows are picked out a band at a time, so that each cache line of a column is fetched once.
 */
#ifndef RO_IO_ARRAYS_COLUMNS_H
#define RO_IO_ARRAYS_COLUMNS_H

#include "io/bytes/source.h"

struct column_reader {
    uint8_t *bytes; /* NULL: none was opened */
    uint8_t *band;  /* the rows from band_at on */
    size_t element; /* bytes */
    size_t width, planes;
    size_t pages, page; /* pages are the fastest index; this is the one that rows are taken from */
    uint32_t height, band_at, band_rows;
};

/* Reads all samples of (pages, height, width, planes); sizes as stage_check_size allows them. */
ro_status columns_open(struct column_reader *columns, struct byte_source *source, size_t element,
                       size_t pages, uint32_t height, size_t width, size_t planes);

/* Which page rows are taken from; counted as the file has them, from 0. */
void columns_page(struct column_reader *columns, size_t page);

/* A row as it would lie in a file stored by rows; rows are asked for in order. */
void columns_row(struct column_reader *columns, uint32_t y, uint8_t *row);
void columns_close(struct column_reader *columns);

#endif
