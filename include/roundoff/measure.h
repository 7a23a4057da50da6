/* SPDX-License-Identifier: MIT */
/*
 * Figures that tell how good a result is: what an eye sees of its error, tone, texture, dots,
 * borders. Part of roundoff.h.
 *
 * Tones run from 0 (black) to 1 (white); errors are result minus original. How each figure is
 * defined stands in docs/measure.md.
 */
#ifndef ROUNDOFF_MEASURE_H
#define ROUNDOFF_MEASURE_H

#include "roundoff/halftone.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ro_measure_options {
    /* RO_MEASURE_OPTIONS sets it. */
    size_t size;
    /* Resolution in pixels per inch: a number above 0, up to 1000000. Default (0): 300. */
    double dpi;
    /* Viewing distance in millimetres: a number above 0, up to 1000000. Default (0): 300. */
    double distance;
    /* Take samples as sRGB and compute in linear light. */
    int linear;
    /* Side in pixels of the squares that texture is measured in: 16, 32, 64, 128 or 256. Default
     * (0): 64. */
    int tile;
    /* Pixels that count as border: a whole number from 1 to 1048576. Default (0): 16. */
    int border;
    /* Ink pixels print as discs D pixels wide: a number from 1 to 3. Default (0): squares. */
    double gain;
    /* Spread of light in the paper: a number from 1 to 10. Default (0): light does not spread. */
    double yule_nielsen;
    /* Of differences of colour: the eye is adapted to the black and white of this palette, which
     * count as black and white. NULL: to those of sRGB. */
    const ro_palette *adapted;
} ro_measure_options;
#define RO_MEASURE_DEFAULTS RO_DEFAULTS_OF(ro_measure_options, RO_NONE_UNSET)
#define RO_MEASURE_OPTIONS RO_OPTIONS_OF(ro_measure_options, RO_NONE_UNSET)
RO_API
void ro_measure_options_init(ro_measure_options *options, size_t size);

enum {
    RO_MEASURE_LEVELS = 256,
    RO_MEASURE_BINS = 182,     /* rings of a spectrum, at most: tile / sqrt 2 */
    RO_MEASURE_SPECTRUM = 128, /* rings of the whole error's spectrum */
};

/* What is left of the error: its root mean square in tones, and 10 log10(1 / mean square) in dB,
 * infinite for no error at all. */
typedef struct ro_measure_error {
    double rms, psnr;
} ro_measure_error;

/* The pixels of the original whose tone is nearest to a 255th, and what became of them. */
typedef struct ro_measure_level {
    uint64_t pixels;
    double in, out; /* mean tones */
} ro_measure_level;

/* Texture of a grey, from squares of the original that are flat (tones within 4/255). Power is
 * relative to the mean, so that white noise is 1 everywhere; ring b is the frequency b / tile in
 * cycles a pixel. Anisotropy is the variance within a ring, relative to what an isotropic texture
 * shows: 1 (0 dB) for that, large where power stands in lines or favours a direction. */
typedef struct ro_measure_field {
    int level; /* of 255 */
    uint32_t tiles;
    double in, out;    /* mean tones */
    double principal;  /* frequency of dots spread evenly, cycles a pixel */
    double rms;        /* of the texture, in tones; 0: there is none, and what follows is 0 */
    double peak;       /* dB: the strongest frequency over the mean */
    double grain;      /* dB: power below half of the principal frequency */
    double anisotropy; /* dB: mean of the rings */
    double worms;      /* dB: the strongest of 16 directions, near the principal frequency, over
                          their mean */
    int bins;          /* rings: 1 to bins - 1 are filled in */
    double power[RO_MEASURE_BINS], anisotropies[RO_MEASURE_BINS];
} ro_measure_field;

/* Dots of a result of two levels: pixels of the colour that is in the minority where they are,
 * white ones where the original is below one half, black ones elsewhere. */
typedef struct ro_measure_dots {
    uint64_t pixels;             /* in the minority */
    uint64_t dots;               /* that they form, corners touching */
    uint64_t largest;            /* dot, in pixels */
    uint64_t single;             /* dots of one pixel */
    double run_across, run_down; /* mean length of runs of one colour, pixels */
    double clumping; /* touching pairs over those of a random pattern of the same tone: 0
                        spread out, 1 random, more: clustered */
} ro_measure_dots;

/* Mean errors of tone in a frame along each side, and root mean squares after the Gaussian eye in
 * the frame and inside of it. */
typedef struct ro_measure_border {
    double left, right, top, bottom;
    double rms, rms_inside; /* 0 where there is no inside */
} ro_measure_border;

typedef struct ro_measure_report {
    size_t size; /* of the structure; set it before the call */
    uint32_t width, height;
    double pixels_per_degree;
    double sigma; /* of the Gaussian eye, one minute of arc, in pixels */
    ro_measure_error raw, gaussian, contrast; /* no eye, a Gaussian, contrast sensitivity */
    double ssim;                              /* after the Gaussian eye */
    double tone_in, tone_out;                 /* means */
    double tone_rms;                          /* of the levels' tone errors, by their pixels */
    ro_measure_level levels[RO_MEASURE_LEVELS];
    double spectrum[RO_MEASURE_SPECTRUM]; /* power of the error, as of a field; ring b is the
                                             frequency (b + 1/2) / (RO_MEASURE_SPECTRUM sqrt 2) */
    int binary;                           /* only black and white: `dots` is filled in */
    ro_measure_dots dots;
    ro_measure_border border;
    double worms, grain, anisotropy; /* dB: means of the fields, by their tiles */
    int fields_count;
    ro_measure_field *fields; /* in order of their levels; NULL: nothing is flat */
} ro_measure_report;

/* Measures `result` (of any format; RO_INDEX8 as levels, maxval the highest number) against
 * `original`, of the same size; colour counts as its luma. ro_free gives back the fields of the
 * report; after a failure there are none. */
RO_API
ro_status ro_measure(ro_context *context, const ro_image *original, const ro_image *result,
                     const ro_measure_options *options, ro_measure_report *report);

/* Differences of colour as an eye sees them: both pictures as light of sRGB, a Gaussian of one
 * minute of arc, then CIEDE2000. */
typedef struct ro_colour_report {
    size_t size;                              /* of the structure; set it before the call */
    double pixels_per_degree, sigma;          /* of the eye */
    double delta_e, delta_e_95, delta_e_most; /* mean, of 95 % of the pixels, largest */
    double light_in[3], light_out[3];         /* means of red, green and blue, 0 to 1 */
    double scielab, scielab_95; /* as delta_e, to an eye that sees colour less sharply than luma */
} ro_colour_report;

/* Measures `result` against `original`, of the same size; grey counts as colour. Of the options,
 * dpi, distance and adapted. */
RO_API
ro_status ro_measure_colour(ro_context *context, const ro_image *original, const ro_image *result,
                            const ro_measure_options *options, ro_colour_report *report);

#ifdef __cplusplus
}
#endif

#endif
