/* SPDX-License-Identifier: MIT */
/*
 * A whole image in memory, for the few files that cannot be given row by row. Memory is taken in
 * blocks of rows as they are first touched, so that a file that declares a huge image and then
 * ends costs little; more than the machine has is refused at once.
 */
#ifndef RO_IO_BYTES_LAZY_ROWS_H
#define RO_IO_BYTES_LAZY_ROWS_H

#include "io/bytes/file.h"

struct lazy_store {
    struct open_file *file;
    size_t row_bytes;
    uint32_t block_rows, blocks_count;
    uint8_t **blocks;
};

ro_status store_open(struct lazy_store *store, struct open_file *file, size_t row_bytes,
                     uint32_t height);
void store_close(struct lazy_store *store);

/* A row, its memory taken now if need be; NULL and a message when there is none. */
uint8_t *lazy_row(struct lazy_store *store, uint32_t y);

#endif
