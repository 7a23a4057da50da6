/* SPDX-License-Identifier: MIT */
/*
 * A segmentation made ready to run: fronts of one or more labels, how they evolve and when they
 * end. Schedules are rows of a table in evolve.c.
 */
#ifndef RO_PDE_SEGMENT_H
#define RO_PDE_SEGMENT_H

#include "core/context.h"
#include "pde/levelset.h"
#include "roundoff/segment.h"

struct ro_segmentation {
    ro_context *context;
    ro_segment_options options;
    uint32_t width, height;
    const struct ro_level_number *number;
    const struct ro_level_norm *norm;
    double time_step;
    struct ro_level_front front[RO_LABELS]; /* those with report.label[].used */
    int scale[RO_LABELS];                   /* phi has been multiplied by this */
    ro_segment_report report;
    struct ro_polyline *lines; /* made when asked for */
    size_t line_count;
    double *points;
};

/* ---- Fields ---------------------------------------------------------------------------------- */

ro_status ro_level_field_make(ro_context *context, const struct ro_level *level,
                              struct ro_level_field *field);
void ro_level_field_free(struct ro_level_field *field);
/* The columns beside the image. */
void ro_level_field_mirror(const struct ro_level *level, const struct ro_level_field *field);
size_t ro_level_bytes(const struct ro_level *level); /* of a sample */
double ro_level_value(const struct ro_level *level, const struct ro_level_field *field, uint32_t x,
                      uint32_t y);
/* Rounds to the nearest number of the system. */
void ro_level_put(const struct ro_level *level, const struct ro_level_field *field, uint32_t x,
                  uint32_t y, double value);

/* ---- What moves ------------------------------------------------------------------------------ */

/* The intensity of every pixel in 1/65535 of white. RO_E_ARGUMENT for a value that is no number. */
ro_status ro_intensity_read(ro_context *context, const ro_image *image, uint16_t *grey);

/* Smoothed by a Gaussian; integers all the way, so that a turned image gives the turned result. */
ro_status ro_intensity_smooth(ro_context *context, const uint16_t *grey, uint32_t width,
                              uint32_t height, double deviation, uint16_t *out);

/* Speed of every pixel; `edges` is the image whose gradient counts. */
void ro_speed_fill(const ro_speed *speed, const uint16_t *grey, const uint16_t *edges,
                   uint32_t width, uint32_t height, float *out);

/* A window round the intensities of the pixels where phi is negative. */
void ro_window_estimate(const uint16_t *grey, const float *phi, uint32_t width, uint32_t height,
                        double *low, double *high);

/* ---- Where it starts ------------------------------------------------------------------------- */

/* Signed distances of the label's seeds, mask and field together, at most `reach`. */
ro_status ro_seeds_fill(ro_context *context, const ro_segment_options *options, int label,
                        uint32_t width, uint32_t height, double reach, float *phi);

/* ---- How it goes on -------------------------------------------------------------------------- */

/* Runs all labels to their end. */
ro_status ro_fronts_evolve(struct ro_segmentation *work);

/* ---- What comes out -------------------------------------------------------------------------- */

ro_status ro_contours_make(struct ro_segmentation *work);
void ro_contours_drop(struct ro_segmentation *work);

#endif
