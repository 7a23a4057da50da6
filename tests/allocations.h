/* SPDX-License-Identifier: MIT */
/*
 * Allocations that are counted and can be refused. The linker leads all calls of a test that
 * includes this here (cmake/tests.cmake).
 */
#ifndef RO_TESTS_ALLOCATIONS_H
#define RO_TESTS_ALLOCATIONS_H

#include <stdbool.h>
#include <stddef.h>

static long allocations;   /* so far */
static long until_refused; /* the next allocations, the last of which is refused; 0: none is */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
int __real_posix_memalign(void **memory, size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size);

static bool refused(void)
{
    allocations++;
    return until_refused > 0 && --until_refused == 0;
}

void *__wrap_malloc(size_t size) { return refused() ? NULL : __real_malloc(size); }

void *__wrap_calloc(size_t count, size_t size)
{
    return refused() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return refused() ? NULL : __real_realloc(memory, size);
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t size)
{
    return refused() ? 12 : __real_posix_memalign(memory, alignment, size);
}

#endif
