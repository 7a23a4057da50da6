/* SPDX-License-Identifier: MIT */
/* Rows of any input format as the samples that the methods work on. */
#ifndef RO_HALFTONE_TONE_GREY_H
#define RO_HALFTONE_TONE_GREY_H

#include "halftone/tone/inks.h"
#include "halftone/tone/range.h"
#include "halftone/tone/tone.h"
#include "roundoff/halftone.h"

#include <stdbool.h>

/* What of a colour picture a method gets. An ink's plane is its paper: white is no ink. */
enum grey_plane {
    PLANE_LUMA,
    PLANE_LUMA_601, /* as Pillow dithers it, by the weights of Rec. 601 */
    PLANE_RED,
    PLANE_GREEN,
    PLANE_BLUE,
    PLANE_CYAN,
    PLANE_MAGENTA,
    PLANE_YELLOW,
    PLANE_BLACK,
    PLANE_COLOUR, /* three samples a pixel, untouched: the tone tables are the engine's to apply */
    PLANE_INK,    /* the first of inks of any colour */
};

/* The form in which an engine gets an image: its bytes a sample (1 or 2), its white, and whether
 * rows may be used as they are. Values above maxval would leave the range that sums are planned
 * for, so rows of a format whose maxval does not use all bits are checked on their way. */
struct grey_form {
    int sample_bytes;
    uint32_t white;
    bool direct;
    enum grey_plane plane;
    int samples;             /* of a pixel: 3 for PLANE_COLOUR, else 1 */
    const struct tone *tone; /* NULL: none */
    struct tone_range range;
    uint32_t black_per_mille;     /* of the grey in all three inks that black replaces */
    const struct ink_table *inks; /* of PLANE_INK and above */
};

/* The largest sample of an input as the tone tables see it; 0 for formats that are not halftoned.
 */
uint32_t grey_input_white(const ro_image *in);

/* Fills in the first three from the image, plane, range and tone. RO_E_UNSUPPORTED for formats that
 * cannot be read as grey. */
ro_status grey_form_of(ro_context *context, const ro_image *in, struct grey_form *form);

/* Converts one row; fails on a NaN and, unless a range cuts them off, on values above maxval. `y`
 * is the row's number, for the message. */
ro_status grey_row(ro_context *context, const ro_image *in, const void *row, uint32_t y,
                   const struct grey_form *form, void *out);

/* The same for `count` planes of a picture, each row with a form and a place of its own. */
ro_status grey_rows(ro_context *context, const ro_image *in, const void *row, uint32_t y,
                    ro_cpu cpu, const struct grey_form *const forms[], int count,
                    void *const out[]);

/* Rows of red, green, blue and alpha of 8 bits: (a c + (255 - a) 255 + 127) / 255 of each colour,
 * as files with alpha are read. */
void lay_over_white(const uint8_t *rgba, uint32_t width, uint8_t *rgb);
/* Makes the luma of such a row by vectors if it is opaque; else, and where there are no vectors for
 * the form, returns false, and `out` has no meaning. */
bool grey_row_if_opaque(const uint8_t *rgba, uint32_t width, const struct grey_form *form,
                        ro_cpu cpu, void *out);

static inline size_t grey_row_bytes(const struct grey_form *form, uint32_t width)
{
    return (size_t)width * (size_t)form->sample_bytes * (size_t)form->samples;
}

#endif
