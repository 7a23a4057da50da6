/* SPDX-License-Identifier: MIT */
/*
 * Measuring, inside. The picture is cut into blocks that threads take by ticket; every block keeps
 * sums of its own, which are added in the order of the blocks, so that no figure notices threads.
 */
#ifndef RO_MEASURE_MEASURE_H
#define RO_MEASURE_MEASURE_H

#include "context/context.h"
#include "roundoff/measure.h"

#include <stdbool.h>

/* ---- Tones ---------------------------------------------------------------------------------- */

/* A picture as tones: integer samples go through a table. */
struct measure_tones {
    const ro_image *image;
    float *table; /* of maxval + 1 entries; NULL: samples are floats, or colour of 16 bits */
    float scale;  /* 1 / maxval */
    bool linear;  /* sRGB in, light out */
    uint32_t white;
};
ro_status measure_tones_open(ro_context *context, const ro_image *image, bool linear,
                             struct measure_tones *tones);
void measure_tones_close(struct measure_tones *tones);

/* Columns x to x + count - 1 of row y. */
void measure_tones_row(const struct measure_tones *tones, uint32_t x, uint32_t y, uint32_t count,
                       float *to);

/* The same where x, y or both may lie outside: mirrored at the borders, the edge repeated. */
void measure_tones_mirrored(const struct measure_tones *tones, int64_t x, int64_t y, uint32_t count,
                            float *to);

/* A result of two levels as it prints, RO_GREYF; ro_image_free frees, also after a failure. */
ro_status measure_print(ro_context *context, const ro_image *result,
                        const ro_measure_options *options, ro_image *paper);

/* ---- The job -------------------------------------------------------------------------------- */

enum { MEASURE_BLOCK_WIDTH = 512, MEASURE_BLOCK_HEIGHT = 64, MEASURE_MOST_TAPS = 512 };

/* Sums of one block. */
struct measure_sums {
    double squares, seen, ssim; /* of errors, of errors the eye sees, of the map */
    double seen_frame;          /* the part of the frame */
    double sides[4], in, out;   /* of errors in the frame's sides, of tones */
    double level_in[RO_MEASURE_LEVELS], level_out[RO_MEASURE_LEVELS];
    uint32_t level_pixels[RO_MEASURE_LEVELS];
    uint64_t between; /* pixels that are neither black nor white */
};

struct measure_job {
    ro_context *context;
    struct measure_tones original, result;
    uint32_t width, height, border;
    int radius; /* of the eye's Gaussian; its weights are symmetric: 0 to radius */
    float eye[MEASURE_MOST_TAPS];
    float window[6]; /* of SSIM */
    uint32_t across, blocks;
    struct measure_sums *sums;
    float *scratch; /* of all threads */
    size_t scratch_floats;
    float *error[2]; /* even and odd columns of the error, for the transform */
    size_t error_stride;
    atomic_uint_fast32_t ticket;
};

/* Tells `job->sums` of every block, and writes the error. */
size_t measure_block_scratch(int radius); /* floats of a thread */
void measure_blocks(void *job, int thread);

/* Reads the options and checks that the pictures have one size. */
ro_status measure_check(ro_context *context, const ro_image *original, const ro_image *result,
                        const ro_measure_options *given, ro_measure_options *options);

double measure_pixels_per_degree(const ro_measure_options *options);

/* Weights 0 to radius of a Gaussian whose sum, both sides, is 1. */
void measure_gaussian(double sigma, int radius, float *weights);

/* CIEDE2000 of two colours in CIELAB. */
double measure_difference(const double a[3], const double b[3]);

/* ---- Spectra -------------------------------------------------------------------------------- */

/* Relative response at a frequency in cycles a degree: 1 up to the peak, then as Mannos and
 * Sakrison have it. */
double measure_contrast(double frequency);

/* The smallest power of two that is not below. */
uint32_t measure_power_of_two(uint32_t least);

/* From the error: what the contrast-sensitive eye sees of it, and its spectrum. */
ro_status measure_spectrum(struct measure_job *job, ro_measure_report *report);

/* Finds the flat squares and fills in the fields. */
ro_status measure_fields(struct measure_job *job, uint32_t tile, ro_measure_report *report);

/* ---- Dots ----------------------------------------------------------------------------------- */

ro_status measure_dots(struct measure_job *job, ro_measure_dots *dots);

#endif
