/* SPDX-License-Identifier: MIT */
/*
 * A segmentation made ready to run: fronts of one or more labels, how they evolve and when they
 * end. Schedules are rows of a table in evolve.c.
 */
#ifndef RO_SEGMENT_SEGMENT_H
#define RO_SEGMENT_SEGMENT_H

#include "context/context.h"
#include "roundoff/segment.h"
#include "segment/levelset/levelset.h"
#include "segment/outline/trace.h"

#include <string.h>

struct ro_segmentation {
    ro_context *context;
    ro_segment_options options;
    uint32_t depth; /* steps in one pass; 0: what is best */
    uint32_t width, height;
    const struct level_number *number;
    const struct level_norm *norm;
    double time_step;
    struct level_front front[RO_LABELS]; /* those with report.label[].used */
    struct level_field vx, vy;           /* the velocity of all labels */
    double scale[RO_LABELS];             /* phi has been multiplied by this */
    int8_t
        *faint[RO_LABELS]; /* the signs of speeds that were rounded to zero; NULL: there are none */
    ro_segment_report report;
    struct outline_set outlines; /* made when asked for */
};

/* ---- Fields ---------------------------------------------------------------------------------- */

ro_status level_field_make(ro_context *context, const struct front_level *level,
                           struct level_field *field);
void level_field_free(struct level_field *field);
/* The columns beside the image. */
void level_field_mirror(const struct front_level *level, const struct level_field *field);
size_t level_bytes(const struct front_level *level); /* of a sample */

static inline double level_value(const struct front_level *level, const struct level_field *field,
                                 uint32_t x, uint32_t y)
{
    const char *row = field->data + y * field->pitch;
    return level->real ? ((const float *)(const void *)row)[x]
                       : ((const int16_t *)(const void *)row)[x];
}

/* Rounds to the nearest number of the system, of two the even one: below 2^51 the last bits of a
 * double that was moved up by 1.5 2^52 are the whole number. No float is a negative zero. */
static inline void level_put(const struct front_level *level, const struct level_field *field,
                             uint32_t x, uint32_t y, double value)
{
    char *row = field->data + y * field->pitch;
    if (level->real) {
        ((float *)(void *)row)[x] = (float)value + 0.0f;
    } else {
        const double moved = value + 0x1.8p52;
        int64_t bits;
        memcpy(&bits, &moved, sizeof bits);
        ((int16_t *)(void *)row)[x] = (int16_t)bits;
    }
}

/* ---- What moves ------------------------------------------------------------------------------ */

/* The intensity of every pixel in 1/65535 of white. RO_E_ARGUMENT for a value that is no number. */
ro_status intensity_read(ro_context *context, const ro_image *image, uint16_t *grey);

/* Smoothed by a Gaussian; integers all the way, so that a turned image gives the turned result. */
ro_status intensity_smooth(ro_context *context, const uint16_t *grey, uint32_t width,
                           uint32_t height, double deviation, uint16_t *out);

/* c + g1 of an intensity, and g2 of the pixels of a row; `edges` is the image whose gradient
 * counts. */
double speed_of_intensity(const ro_speed *speed, uint32_t grey);
void speed_edge_row(const ro_speed *speed, const uint16_t *edges, uint32_t width, uint32_t height,
                    uint32_t y, float *out);

/* A window round the intensities of the pixels where phi is negative, in 1/255 of white; `least` is
 * the least of what it takes on either side. RO_E_MEMORY. */
ro_status window_estimate(const uint16_t *grey, const float *phi, uint32_t width, uint32_t height,
                          double least, double *low, double *high);

/* ---- Where it starts ------------------------------------------------------------------------- */

/* Whether anything may be inside. */
/* Signed distances of the label's seeds and field in a row, at most `reach`. */
void seeds_fill_row(const ro_segment_options *options, int label, uint32_t width, uint32_t y,
                    double reach, float *phi);
/* And of its part of a mask, where they are smaller. */
ro_status seeds_add_mask(ro_context *context, const ro_image *mask, int label, float *phi);

/* Makes the fronts of all labels: phi, speeds and the time step. */
ro_status fronts_make(struct ro_segmentation *work, const ro_image *in);

/* ro_segment with so many steps in one pass over the image, 1 to RO_LEVEL_DEPTH, for tests; 0: what
 * is best. Gives the same bits. */
ro_status segment_in_depth(ro_context *context, const ro_image *in,
                           const ro_segment_options *options, uint32_t depth,
                           ro_segmentation **result, ro_segment_report *report);

/* ---- How it goes on -------------------------------------------------------------------------- */

/* Keep what options.vectors ask for, before the first step and after the last. */
ro_status vectors_begin(struct ro_segmentation *work);
void vectors_end(struct ro_segmentation *work);

/* Runs all labels to their end. */
ro_status fronts_evolve(struct ro_segmentation *work);

/* Doubles whole numbers or floats, saturating; gives whether one changed. */
bool level_double(const struct front_level *level, const struct level_field *field, int32_t min,
                  int32_t max);
bool level_double_real(const struct front_level *level, const struct level_field *field,
                       float largest);
bool level_same_signs(const struct front_level *level, const struct level_field *one,
                      const struct level_field *other);
/* Pixels beside the contour; those of them that their speed would carry across, and those that it
 * would if it had not been rounded to zero. */
struct level_held {
    uint64_t beside, carried, faint;
};
struct level_held level_held(const struct level_front *front, const int8_t *faint);
/* Which pixels of a row are inside. */
void level_signs(const struct front_level *level, const struct level_field *phi, uint32_t y,
                 unsigned char *signs);
/* The root mean square of what the last step changed at pixels beside the contour. False: there is
 * no memory. */
bool level_change(const struct level_front *front, double *rms);

/* ---- What comes out -------------------------------------------------------------------------- */

ro_status contours_make(struct ro_segmentation *work);

#endif
