/* SPDX-License-Identifier: MIT */
/* Anonymous memory for WebAssembly, from the allocator. */
#ifndef RO_WEB_SYS_MMAN_H
#define RO_WEB_SYS_MMAN_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define PROT_READ 1
#define PROT_WRITE 2
#define MAP_PRIVATE 2
#define MAP_ANONYMOUS 32
#define MAP_NORESERVE 0
#define MAP_FAILED ((void *)-1)

static inline void *mmap(void *at, size_t bytes, int protection, int flags, int file, long offset)
{
    (void)at, (void)protection, (void)flags, (void)file, (void)offset;
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    return memory ? memset(memory, 0, bytes) : MAP_FAILED;
}

static inline int munmap(void *memory, size_t bytes)
{
    (void)bytes;
    free(memory);
    return 0;
}

#endif
