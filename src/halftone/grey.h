/* SPDX-License-Identifier: MIT */
/* Rows of any input format as the grey samples that the methods work on. */
#ifndef RO_HALFTONE_GREY_H
#define RO_HALFTONE_GREY_H

#include "roundoff.h"

#include <stdbool.h>

/* The grey form of an image: its bytes a sample (1 or 2), its white, and whether rows may be used
 * as they are. Values above maxval would leave the range that sums are planned for, so rows of a
 * format whose maxval does not use all bits are checked on their way. */
struct grey_form {
    int sample_bytes;
    uint32_t white;
    bool direct;
};

/* RO_E_UNSUPPORTED for formats that cannot be read as grey. */
ro_status grey_form_of(ro_context *context, const ro_image *in, struct grey_form *form);

/* Converts one row; fails on a NaN and on values above maxval. `y` is the row's number, for the
 * message. */
ro_status grey_row(ro_context *context, const ro_image *in, const void *row, uint32_t y,
                   const struct grey_form *form, void *out);

#endif
