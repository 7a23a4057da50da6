/* SPDX-License-Identifier: MIT */
/*
 * Registration: the displacement that makes one image look like another. Part of roundoff.h.
 */
#ifndef ROUNDOFF_REGISTER_H
#define ROUNDOFF_REGISTER_H

#include "roundoff/core.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RO_REGISTER_SCALES = 64 };

/* One update of the displacement, for a record of the descent. */
typedef struct ro_register_step {
    uint32_t scale;         /* 0 is the coarsest */
    uint32_t width, height; /* of the grid it ran on */
    double epsilon, sigma;  /* smoothing of the images and of the gradient, in pixels */
    double energy;          /* after the update: half the mean squared difference, white being 1 */
    double change;          /* root mean square of the update, in pixels */
    uint32_t trials;        /* energies computed to find its length */
} ro_register_step;

/* Why a displacement is of no use. */
enum {
    RO_REGISTER_FOLDS = 1 << 0,  /* the same of the moving image is seen twice, in more places than
                                    a hundredth of the pixels */
    RO_REGISTER_LEAVES = 1 << 1, /* less than a tenth of the pixels look into the moving image */
    RO_REGISTER_WORSE = 1 << 2,  /* the images are less alike than before */
    RO_REGISTER_UNSURE = 1 << 3, /* too little speaks for it: see `confidence` */
};

typedef struct ro_register_report {
    size_t size; /* of the structure; set it before the call */
    const char *number;
    double energy_before, energy_after; /* of the images themselves, without smoothing */
    uint32_t scales;
    uint32_t updates[RO_REGISTER_SCALES]; /* at each scale, the coarsest first */
    uint32_t steps;                       /* updates in all */
    uint32_t trials;                      /* energies computed in all */
    double rms, largest;                  /* length of the displacement, in pixels */
    double jacobian;                      /* the least determinant of 1 + Du; <= 0: it folds */
    uint64_t folds;                       /* pixels where it does */
    double outside;                       /* share of pixels that look beyond the moving image */
    unsigned useless;                     /* bits of the above; 0: it may be of use */
    double start[6];                      /* where it began: x' = s0 x + s1 y + s2, y' = s3 ... */
    const char *match;                    /* how tones were compared in the end */
    int negative;                         /* light in one image was found to be dark in the other */
    double noise;                         /* standard deviation, of the noisier image, white 1 */
    double counted;                       /* share of the fixed image's pixels that counted */
    ro_register_step *record; /* `steps` of them if asked for; ro_free gives them back */
    /* How sure the result is, 0 to 1: below 0.5 it is RO_REGISTER_UNSURE. -1: not judged, because
     * the scheme or the start was given, or an image has less than 32 pixels on a side. */
    double confidence;
    uint32_t matches;      /* points that look the same in both images; 0 if none were needed */
    uint32_t support;      /* of them, those that agree with the result */
    double directions;     /* share of places where gradients agree best; -1: not needed */
    int descended;         /* 0: the descent made it worse, and the result is the start */
    const char *transform; /* the kind of map */
    /* Unless it is dense: x' = (map0 x + map1 y + map2) / d, y' = (map3 x + map4 y + map5) / d, d =
     * map6 x + map7 y + map8, and how far it is from the displacement that was found: the median
     * in pixels. */
    double map[9];
    double residual;
} ro_register_report;

/* The scheme "auto" needs no other option: it looks for an affine start and the sign of contrast,
 * compares tones within their neighbourhood, weighs directions by the steepness of the fixed image,
 * ends scales by the energy and leaves out borders of one tone; where the field follows noise it
 * compares plain tones instead. "annealed" has no start and one way to compare
 * tones, as it is told, "thesis" one sigma and one smoothing of the gradient, and counts pixels
 * that look beyond the moving image too, as published. */
typedef struct ro_register_options {
    /* RO_REGISTER_OPTIONS sets it. */
    size_t size;
    /* How the displacement is sought: auto, annealed or thesis. Default (NULL): auto. */
    const char *scheme;
    /* How tones are compared: ssd, ncc or ncc-size. Default (NULL): by the result. */
    const char *match;
    /* The map that the search starts from: none, translation or affine. Default (NULL): affine. */
    const char *init;
    /* The number system that the field is rounded to: s23e8, s16e7 or s10e5. Default (NULL): s23e8.
     * */
    const char *number;
    /* Scales of the images, from coarse to fine: a whole number from 1 to 64. Default (0): 10; 15
     * with the other schemes. */
    uint32_t scales;
    /* Smoothing of the gradient in pixels: a number from 0.001 to 1000000. Default (0): a 36th of
     * the longer side, with the other schemes a 32nd, at least 12. */
    double sigma;
    /* 1: the report shall have what each update did. */
    int record;
    /* Grey, of the size of the image: 0 and NaN do not count. NULL: all does. */
    const ro_image *fixed_mask;
    const ro_image *moving_mask;
    /* The kind of map that is wanted: dense, translation, rigid, similarity, affine or homography.
     * Default (NULL): dense. */
    const char *transform;
} ro_register_options;
#define RO_REGISTER_DEFAULTS RO_DEFAULTS_OF(ro_register_options, RO_NONE_UNSET)
#define RO_REGISTER_OPTIONS RO_OPTIONS_OF(ro_register_options, RO_NONE_UNSET)
RO_API
void ro_register_options_init(ro_register_options *options, size_t size);

/* Finds the displacement u with moving(x + u(x)) like fixed(x), in pixels, x to the right and y
 * down. Grey images of any depth; of colours the grey is used. Sizes may differ; `field` has the
 * fixed image's and receives u_x and u_y side by side: a view of RO_GREYF twice as wide.
 * Deterministic to the bit for any number of threads; the CPU and CUDA give the same. `report` may
 * be NULL. */
RO_API
ro_status ro_register(ro_context *context, const ro_image *fixed, const ro_image *moving,
                      ro_image *field, const ro_register_options *options,
                      ro_register_report *report);

/* Points (x, y) of the fixed image to where they are in the moving one, x + u(x); `inverse`: back,
 * NaN where the field leads from nowhere. `moved` may be `points`. */
RO_API
ro_status ro_displacement_points(ro_context *context, const ro_image *field, int inverse,
                                 size_t count, const double *points, double *moved);

/* The displacement v with y + v(y) + u(y + v(y)) = y, on the pixels of the moving image, whose size
 * `inverse` has. Pixels that the field does not reach, as where it folds, take the value of their
 * neighbour and are counted in *missed, if that is not NULL. */
RO_API
ro_status ro_displacement_inverse(ro_context *context, const ro_image *field,
                                  const ro_image *inverse, uint64_t *missed);

typedef enum ro_sampling {
    RO_SAMPLE_BILINEAR = 0,
    RO_SAMPLE_NEAREST, /* for labels: no value that is not in the image */
} ro_sampling;

/* out(x) = image(x + u(x)), coordinates clamped to the image; any format but bits, `out` in the
 * format of `image`, which may be of any size, and of the size of the field. */
RO_API
ro_status ro_warp(ro_context *context, const ro_image *image, const ro_image *field, ro_image *out,
                  ro_sampling sampling);

#ifdef __cplusplus
}
#endif

#endif
