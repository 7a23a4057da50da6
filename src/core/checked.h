/* SPDX-License-Identifier: MIT */
/* Sizes are checked before they are multiplied. */
#ifndef RO_CORE_CHECKED_H
#define RO_CORE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>

static inline bool size_multiply(size_t a, size_t b, size_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

static inline bool size_add(size_t a, size_t b, size_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

#endif
