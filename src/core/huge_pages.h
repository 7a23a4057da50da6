/* SPDX-License-Identifier: MIT */
/* Large pages for large memory: rows that lie far apart are then found with fewer look-ups. For
 * speed only: whether the system has them does not count. */
#ifndef RO_CORE_HUGE_PAGES_H
#define RO_CORE_HUGE_PAGES_H

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { RO_LARGE_PAGE = 1 << 21 };

/* Asks for them in memory that is there already and that nobody has touched. */
static inline void pages_enlarge(void *memory, size_t bytes)
{
    const size_t before = (RO_LARGE_PAGE - (uintptr_t)memory % RO_LARGE_PAGE) % RO_LARGE_PAGE;
#ifdef MADV_HUGEPAGE
    if (bytes > before + RO_LARGE_PAGE)
        madvise((char *)memory + before, bytes - before, MADV_HUGEPAGE);
#else
    (void)bytes, (void)before;
#endif
}

/* For free(); begins at a large page, or at a cache line where it is smaller. NULL: no memory. */
static inline void *pages_alloc(size_t bytes)
{
    void *memory = NULL;
    if (posix_memalign(&memory, bytes > RO_LARGE_PAGE ? RO_LARGE_PAGE : 64, bytes) != 0)
        return NULL;
    pages_enlarge(memory, bytes);
    return memory;
}

#endif
