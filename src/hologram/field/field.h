/* SPDX-License-Identifier: MIT */
/* Fields: checks that every entry point makes, copies without gaps, and their size. */
#ifndef RO_HOLOGRAM_FIELD_FIELD_H
#define RO_HOLOGRAM_FIELD_FIELD_H

#include "hologram/field/row_sum.h"

#include <stdbool.h>

ro_status field_check(ro_context *context, const ro_field *field, const char *role);
/* Of a field to be filled; `rows`: it only says how large it is. */
ro_status field_check_out(ro_context *context, const ro_field *field, bool rows);
ro_status field_check_physics(ro_context *context, const ro_optics *optics);
void field_pitch(const ro_optics *optics, double pitch[2]); /* across and down */

/* A row of complex numbers; they may be read so because a complex number is a pair of its parts. */
static inline float *field_row(const ro_field *field, uint32_t y)
{
    return (float *)((char *)field->data + (ptrdiff_t)y * field->stride);
}

void field_get(const ro_field *field, float *data);
void field_put(const ro_field *field, const float *data);

/* The root mean square of the modulus, or of the real part alone, found in whole numbers, row by
 * row, so that no order of adding can change it; RO_E_ARGUMENT where a number is infinite or none.
 */
ro_status field_rms(ro_context *context, const ro_field *field, bool real, double *rms);

/* Whether its transform stays below what a float holds, and all of it is finite; else a failure. */
ro_status field_has_transform(ro_context *context, const ro_field *field);

/* What each row adds to the sum of squares, in the order of rows. */
ro_status field_energies(ro_context *context, const ro_field *field, bool real, double *energies);

#endif
