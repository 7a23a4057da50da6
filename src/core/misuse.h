/* SPDX-License-Identifier: MIT */
/* NULL where a public function does not allow it: the rule of the section "Misuse" in core.h. */
#ifndef RO_CORE_MISUSE_H
#define RO_CORE_MISUSE_H

#include "roundoff/core.h"
#include "roundoff/library.h"

#include <stdbool.h>

static inline bool pointer_missing(ro_context *context, const char *function, const char *names,
                                   const void *const *pointers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!pointers[i]) {
            if (context)
                ro_context_fail(context, RO_E_ARGUMENT, "%s: an argument is NULL, one of %s",
                                function, names);
            return true;
        }
    return false;
}

#define POINTERS(...) ((const void *const[]){__VA_ARGS__})

/* True if a pointer is NULL; then the function returns, mostly RO_E_ARGUMENT. */
#define ABSENT(...) MISSING_IN(NULL, __VA_ARGS__)

/* The same for a function with a context, which must be there and gets a message. */
#define MISSING(context, ...) (!(context) || MISSING_IN(context, __VA_ARGS__))

#define MISSING_IN(context, ...)                                                                   \
    pointer_missing(context, __func__, #__VA_ARGS__, POINTERS(__VA_ARGS__),                        \
                    sizeof POINTERS(__VA_ARGS__) / sizeof(void *))

/* Whether `count` rows of so many bytes can lie where they are said to: not on each other, and
 * within the address space. */
static inline bool rows_fit(const void *rows, ptrdiff_t stride, uint32_t count, size_t bytes)
{
    const size_t apart = stride < 0 ? -(size_t)stride : (size_t)stride;
    return count == 0 || (rows && (count == 1 || apart >= bytes) && apart <= PTRDIFF_MAX / count);
}

#endif
