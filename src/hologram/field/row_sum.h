/* SPDX-License-Identifier: MIT */
/* The sums that a field's root mean square is made of, as the CPU and a device find them. */
#ifndef RO_HOLOGRAM_FIELD_ROW_SUM_H
#define RO_HOLOGRAM_FIELD_ROW_SUM_H

#include "roundoff/hologram.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A row's squares as whole numbers: its numbers are scaled by a power of two to 15 bits. */
struct row_sum {
    uint64_t squares;
    int exponent;  /* of the power */
    uint32_t most; /* bits of the largest modulus */
};

/* The root mean square from all rows, in order; RO_E_ARGUMENT where a number is infinite or none.
 */
ro_status field_rms_of(ro_context *context, const struct row_sum *rows, uint64_t pixels,
                       uint32_t height, double *rms);

#ifdef __cplusplus
}
#endif

#endif
