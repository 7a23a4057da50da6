/* SPDX-License-Identifier: MIT */
#include "io/bytes/lazy_rows.h"

#include <stdlib.h>

enum { BLOCK = 1 << 20 };

ro_status store_open(struct lazy_store *store, struct open_file *file, size_t row_bytes,
                     uint32_t height)
{
    *store = (struct lazy_store){.file = file, .row_bytes = row_bytes};
    if (row_bytes > memory_limit(file) / height)
        return file_fail(
            file, RO_E_MEMORY,
            "%u rows of %zu bytes must be held in memory, but this machine has too little", height,
            row_bytes);
    store->block_rows = row_bytes < BLOCK ? (uint32_t)(BLOCK / row_bytes) : 1;
    if (store->block_rows > height)
        store->block_rows = height;
    store->blocks_count = (height - 1) / store->block_rows + 1;
    store->blocks = calloc(store->blocks_count, sizeof *store->blocks);
    return store->blocks ? RO_OK : file_no_memory(file, store->blocks_count * sizeof(void *));
}

void store_close(struct lazy_store *store)
{
    for (uint32_t i = 0; store->blocks && i < store->blocks_count; i++)
        free(store->blocks[i]);
    free(store->blocks);
    *store = (struct lazy_store){0};
}

uint8_t *lazy_row(struct lazy_store *store, uint32_t y)
{
    uint8_t **block = &store->blocks[y / store->block_rows];
    if (!*block && !(*block = calloc(store->block_rows, store->row_bytes))) {
        file_no_memory(store->file, store->block_rows * store->row_bytes);
        return NULL;
    }
    return *block + y % store->block_rows * store->row_bytes;
}
