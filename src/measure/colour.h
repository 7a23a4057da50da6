/* SPDX-License-Identifier: MIT */
/* What measuring in colour shares: two pictures as light, and CIELAB. */
#ifndef RO_MEASURE_COLOUR_H
#define RO_MEASURE_COLOUR_H

#include "measure/measure.h"

#include <stdatomic.h>

struct band_sums {
    double difference, most, in[3], out[3];
};

struct colour_job {
    const ro_image *image[2];
    float *table[2]; /* light of integer samples */
    uint32_t white[2];
    bool adapted; /* the result's light counts from `black`, times `scale` */
    float black[3], scale[3];
    int radius;
    float eye[MEASURE_MOST_TAPS];
    struct band_sums *sums;
    uint32_t bands;
    float *scratch; /* of all threads */
    size_t scratch_floats;
    uint64_t *counts; /* of hundredths, of all threads */
    atomic_uint ticket;
};

/* Light of a row of a picture: its three channels, one after another. */
void colour_row(const struct colour_job *job, int which, uint32_t y, float *light);

/* A row or column beyond a picture's border, mirrored into it. */
uint32_t colour_mirrored(int64_t i, uint32_t count);

/* CIELAB of XYZ, white being D65, and what XYZ is of sRGB's light. */
void colour_lab(const double xyz[3], double lab[3]);
extern const double colour_xyz[3][3];

/* Fills in what S-CIELAB says. */
ro_status measure_opponent(ro_context *context, const struct colour_job *colour, double sigma,
                           ro_colour_report *report);

#endif
