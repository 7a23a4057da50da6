/* SPDX-License-Identifier: MIT */
/* Arrays of numbers, once for any machine and once per instruction set. */
#ifndef RO_NUMBER_ARRAYS_H
#define RO_NUMBER_ARRAYS_H

#include "core/cpu.h"
#include "roundoff/number.h"

enum array_operation { RO_ARRAY_ADD, RO_ARRAY_SUBTRACT, RO_ARRAY_MULTIPLY, RO_ARRAY_MULTIPLY_ADD };

/* As many elements from the start as whole vectors hold are done; their number is returned. */
struct array_kernel {
    size_t (*fixed)(enum array_operation operation, const ro_fixed *q, ro_rounding rounding,
                    const int32_t *a, const int32_t *b, const int32_t *c, int32_t *out,
                    size_t count);
    /* Ties to even. c alone is rounded where a is NULL. */
    size_t (*floats)(enum array_operation operation, const ro_small_float *q, const float *a,
                     const float *b, const float *c, float *out, size_t count);
};

#endif
