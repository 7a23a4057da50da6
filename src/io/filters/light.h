/* SPDX-License-Identifier: MIT */
/* Samples of sRGB to light and back, for what is mixed as light is. */
#ifndef RO_IO_FILTERS_LIGHT_H
#define RO_IO_FILTERS_LIGHT_H

#include "io/bytes/file.h"

/* Light runs from 0 to 1. Integer samples go through tables; floats are computed. */
struct light_curve {
    bool real;
    uint32_t white;    /* of the samples that come out */
    float *of_sample;  /* the light of each sample that comes in */
    double *threshold; /* sample k + 1 begins at threshold[k], half way between the two in sRGB */
    uint16_t *start;   /* the sample at a bucket's lower end */
    uint32_t buckets;
};

ro_status light_open(struct light_curve *light, struct open_file *file, ro_format format,
                     uint32_t white_in, uint32_t white_out);
void light_close(struct light_curve *light);

/* Samples as they come, in the format of the opening, to light. */
void light_from_row(const struct light_curve *light, float *values, const void *row,
                    ro_format format, size_t count);

/* The nearest sample of a light; what lies outside 0 to 1 is cut off. */
uint32_t light_to_sample(const struct light_curve *light, double value);

/* A float in sRGB, outside 0 to 1 too. */
float light_to_float(double value);

#endif
