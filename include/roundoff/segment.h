/* SPDX-License-Identifier: MIT */
/*
 * Segmentation by level sets in small numbers. Part of roundoff.h.
 */
#ifndef ROUNDOFF_SEGMENT_H
#define ROUNDOFF_SEGMENT_H

#include "roundoff/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Segmentation ------------------------------------------------------------------------- */

enum {
    RO_LABELS = 4,      /* contour sets that may evolve together */
    RO_POLYNOMIAL = 8,  /* coefficients of a speed */
    RO_RESCALINGS = 16, /* of which the report keeps the steps */
};

/* How fast a contour moves along its normal: the sum of the parts that are set, in pixels per unit
 * of time; a negative speed retracts. Intensities and gradients are in 1/255 of white and 1/255 of
 * white a pixel. All zero: a window estimated from the pixels round the seeds. */
typedef struct ro_speed {
    double constant;
    int coefficients; /* of a polynomial of the intensity from 0 to 1, the constant one first */
    double polynomial[RO_POLYNOMIAL];
    double gaussian, mean, deviation; /* weight, centre and width of a Gaussian of intensity */
    double window, low, high;         /* + weight from low to high, - weight elsewhere */
    double edge, kappa; /* weight / (1 + (gradient/kappa)^2), after Perona and Malik */
    double curvature;   /* c_k >= 0: the contour shortens */
} ro_speed;

/* A disc to start from. Pixel (x, y) has its centre at whole numbers. */
typedef struct ro_seed {
    int label; /* 1 to RO_LABELS; 0: 1; fronts that compete: see regions.h */
    double x, y;
    double radius; /* 0: 5; of fronts that compete: the pixel alone */
} ro_seed;

/* Why a label is of no use. */
enum {
    RO_LABEL_EVERYTHING = 1 << 0, /* at most one pixel of 256 was left */
    RO_LABEL_NOTHING = 1 << 1,    /* its contour has vanished */
};

typedef struct ro_segment_label {
    int used;       /* it had a seed */
    uint32_t steps; /* until it ended */
    int ended;      /* the evolution came to its end; 0: it was stopped or has stalled */
    int stalled;    /* it came to rest with speed left: the numbers are too coarse to go on */
    uint64_t held;  /* pixels beside the contour at its end that their speed would carry across;
                       stalled: more than a hundredth of those beside it */
    double slowest; /* the smallest speed that the number system can represent; what is below half
                       of it counts as zero; 0: of floats */
    int rescalings; /* doublings of phi or of the speed, which saturate; the steps of the first */
    uint32_t rescaled_at[RO_RESCALINGS];
    int speed_scale[RO_RESCALINGS]; /* 2: of the speed; 1: of phi */
    double
        time; /* that the steps stand for, in the units of the speed, where it is not saturated */
    uint64_t area;    /* pixels inside */
    double perimeter; /* length of the contour in pixels, without the image's border */
    double low, high; /* of the window, if there is one, given or estimated */
    double fastest;   /* largest |speed| in pixels a step */
    int border;       /* it touches the border of the image */
    unsigned useless; /* bits of the above; 0: it may be of use */
} ro_segment_label;

typedef struct ro_segment_report {
    size_t size; /* of the structure; set it before the call */
    const char *number, *norm;
    double time_step; /* of the first step */
    double rms; /* root mean square of the change of phi in the last step, in pixels, at the pixels
                   beside the contour; below 0: not measured; floats end below 0.001 */
    uint32_t steps; /* of the label that took longest */
    ro_segment_label label[RO_LABELS];
} ro_segment_report;

/* Called with what there is after a step, valid during the call. Non-zero cancels. */
struct ro_segmentation;
typedef int (*ro_segment_frame_fn)(void *data, struct ro_segmentation *now, uint32_t step);

/* Numbers for the test bench of a circuit, width * height of each in raster order: phi and the
 * speed of every pixel before the first step, and phi as it ended. The arrays are the caller's. */
typedef struct ro_segment_vectors {
    int label; /* 0: 1 */
    int32_t *phi, *speed, *next;
} ro_segment_vectors;

typedef struct ro_segment_options {
    /* RO_SEGMENT_OPTIONS sets it. */
    size_t size;
    /* The number system to work in: u8, s12, s16 or s23e8. Default (NULL): s16. */
    const char *number;
    /* The norm of the gradient: lin, euclid, interpolative, volume, interpolative-2, volume-2,
     * mean-error or mean-error-2. Default (NULL): lin. */
    const char *norm;
    /* How the CPU runs it, with the same bits: auto, reference, passes, stream, active or fused.
     * Default (NULL): auto. */
    const char *schedule;
    /* Time steps: a whole number from 1 to 1073741824. Default (RO_DEFAULT): at most 32 times the
     * sum of width and height. */
    uint32_t iterations;
    /* The time step: a number above 0, up to 1000000. Default (0): the largest for which nothing
     * overshoots. */
    double time_step;
    /* Smoothing of intensities in pixels: a number from 0 to 64. Default (RO_DEFAULT): 0; of
     * competing fronts by the noise. */
    double smooth;
    /* Smoothing of the gradient in pixels: a number from 0 to 64. Default (0): 0. */
    double sigma;
    ro_speed speed[RO_LABELS];
    const ro_seed *seeds;
    size_t seed_count;
    /* RO_GREY8 or RO_INDEX8 of the size of the image: label numbers. */
    const ro_image *mask;
    /* RO_GREYF: signed distance in pixels, negative inside, label 1. */
    const ro_image *distance;
    /* (u, v) of every pixel, in pixels per unit of time. */
    const float *velocity;
    /* Steps between two calls of `frame`, the last at the end. 0: none. */
    uint32_t frame_every;
    ro_segment_frame_fn frame;
    void *frame_data;
    /* Filled in on success, of integers without curvature and velocity. NULL: not wanted. */
    const ro_segment_vectors *vectors;
    /* Grey, of the size of the image: by what the speed of each pixel is multiplied, white being 1.
     * No front enters or leaves where it is 0. */
    const ro_image *factor;
} ro_segment_options;
#define RO_SEGMENT_UNSET(UNSET) UNSET(iterations) UNSET(smooth)
#define RO_SEGMENT_DEFAULTS RO_DEFAULTS_OF(ro_segment_options, RO_SEGMENT_UNSET)
#define RO_SEGMENT_OPTIONS RO_OPTIONS_OF(ro_segment_options, RO_SEGMENT_UNSET)
RO_API
void ro_segment_options_init(ro_segment_options *options, size_t size);

/* Segments `in` (grey or RGB of any depth). The result is the caller's to free; `report` may be
 * NULL. */
typedef struct ro_segmentation ro_segmentation;
RO_API
ro_status ro_segment(ro_context *context, const ro_image *in, const ro_segment_options *options,
                     ro_segmentation **result, ro_segment_report *report);
RO_API
void ro_segmentation_free(ro_segmentation *result); /* NULL is allowed */

/* Label numbers into a view of RO_GREY8 or RO_INDEX8, 0 outside; where several claim a pixel, the
 * one that is deepest inside, and of equals the first. */
RO_API
ro_status ro_segmentation_labels(const ro_segmentation *result, ro_image *labels);

/* phi of a label in pixels, negative inside, into a view of RO_GREYF. */
RO_API
ro_status ro_segmentation_phi(const ro_segmentation *result, int label, ro_image *phi);

/* A contour as a line through points between pixels, x and y in turn, inside on its left as seen on
 * the screen; closed: the last point joins the first. */
typedef struct ro_polyline {
    int label, closed;
    size_t count;
    const double *points;
} ro_polyline;

/* The lines of all labels, closed along the border of the image, made at the first call and owned
 * by the result. Lines of a label never meet themselves or each other, and enclose the area of its
 * pixels within 2 % or half a pixel. */
RO_API
ro_status ro_segmentation_contours(ro_segmentation *result, const ro_polyline **lines,
                                   size_t *count);

#ifdef __cplusplus
}
#endif

#endif
