/* SPDX-License-Identifier: MIT */
/*
 * Segmentation by fronts that compete: any number of labels, and nothing to set. Part of
 * roundoff.h.
 */
#ifndef ROUNDOFF_REGIONS_H
#define ROUNDOFF_REGIONS_H

#include "roundoff/segment.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RO_REGION_LABELS = 65535 }; /* the highest label */

/* What a front grows over: as bright as its seed or brighter, as dark or darker, or alike. */
enum ro_region_kind { RO_REGION_BRIGHT = 1, RO_REGION_DARK, RO_REGION_BAND };

/* A label with more pixels than so many medians of the others has most likely flooded the ground;
 * `strict` of the command fails at the second. */
enum { RO_MEDIANS_OF_FLOOD = 10, RO_MEDIANS_OF_FAILURE = 20 };

/* A front: a seed and the window that was found for it, in the numbers of the image's samples. */
typedef struct ro_region_front {
    uint32_t label;
    double x, y; /* of the middle of its seed */
    enum ro_region_kind kind;
    double low, high;
    uint64_t area;     /* pixels it came to first */
    double confidence; /* of an object that was found: contrast of its outline, the median
                          difference of pixels in the ground being 1; 0: it was given */
} ro_region_front;

/* What a label became. */
typedef struct ro_region {
    uint32_t label, fronts;
    uint64_t area;
    double perimeter;                  /* in pixels, with the image's border */
    uint32_t left, top, right, bottom; /* pixels of the box, all inside */
    double x, y;                       /* the centroid */
    double mean;       /* of the samples, of colours of their grey, before smoothing */
    int border;        /* it touches the border of the image */
    unsigned useless;  /* RO_LABEL_EVERYTHING, RO_LABEL_NOTHING; 0: may be of use */
    double confidence; /* as of a front, the least of its fronts */
    double medians; /* area in medians of the other labels that have pixels; 0: below four labels */
} ro_region;

typedef struct ro_regions_report {
    size_t size;   /* of the structure; set it before the call */
    double smooth; /* standard deviation in pixels by which intensities were smoothed */
    size_t fronts, labels;
    double way;       /* of the front that arrived last, in pixels at full speed */
    unsigned useless; /* of all labels together */
    size_t border;    /* labels that touch the border of the image */
    size_t floods;    /* labels of more than RO_MEDIANS_OF_FLOOD medians */
} ro_regions_report;

typedef struct ro_regions_options {
    /* RO_REGIONS_OPTIONS sets it. */
    size_t size;
    /* Discs, a front each, or with the radius 0 clicks: the pixel alone. Labels 1 to
     * RO_REGION_LABELS; 0: an object of its own, whose label is the lowest that is free. */
    const ro_seed *seeds;
    size_t seed_count;
    /* RO_GREY8, RO_INDEX8 or RO_GREY16 of the size of the image: label numbers, the pixels of each
     * one front. */
    const ro_image *mask;
    /* RO_GREY8 or RO_GREY16 of the size of the image: how fast fronts are, white being the fastest;
     * below 1/64 of white they do not go. */
    const ro_image *factor;
    /* Finds the objects itself, bright or dark ones; then there are no seeds and no mask. */
    int find_seeds;
    /* Smoothing of intensities in pixels: a number from 0 to 64. Default (RO_DEFAULT): by the
     * noise. */
    double smooth;
    /* How the CPU runs it, with the same bits: auto or reference. Default (NULL): auto. */
    const char *schedule;
} ro_regions_options;
#define RO_REGIONS_UNSET(UNSET) UNSET(smooth)
#define RO_REGIONS_DEFAULTS RO_DEFAULTS_OF(ro_regions_options, RO_REGIONS_UNSET)
#define RO_REGIONS_OPTIONS RO_OPTIONS_OF(ro_regions_options, RO_REGIONS_UNSET)
RO_API
void ro_regions_options_init(ro_regions_options *options, size_t size);

/* Numbers the parts of a mask (RO_GREY8, RO_INDEX8 or RO_GREY16; what is not 0 is inside) that hang
 * together over sides of pixels, from 1 in the order of their first pixels, into a view of
 * RO_GREY16 of the same size. */
RO_API
ro_status ro_mask_components(ro_context *context, const ro_image *mask, ro_image *labels,
                             uint32_t *count);

/* Segments `in` (grey or RGB of any depth): every seed gets a window of its own, all fronts start
 * at once, and a pixel belongs to the first that arrives, of several to the one given first. The
 * same bits for any number of threads. The result is the caller's to free; `report` may
 * be NULL. */
typedef struct ro_regions ro_regions;
RO_API
ro_status ro_regions_grow(ro_context *context, const ro_image *in,
                          const ro_regions_options *options, ro_regions **result,
                          ro_regions_report *report);
RO_API
void ro_regions_free(ro_regions *result); /* NULL is allowed */

/* Label numbers into a view of RO_GREY8, RO_INDEX8 or RO_GREY16, 0 where no front came. */
RO_API
ro_status ro_regions_labels(const ro_regions *result, ro_image *labels);

/* The outlines as closed lines, holes too, the inside on their left as seen on the screen, at
 * places between pixels that follow from the intensities. Lines of a label never meet themselves or
 * each other, and enclose its area within 2 % or half a pixel. Owned by the result. */
RO_API
const ro_polyline *ro_regions_contours(const ro_regions *result, size_t *count);

/* The fronts in the order of the seeds, those of the mask behind; and the labels in the order of
 * their numbers. Owned by the result. */
RO_API
const ro_region_front *ro_regions_fronts(const ro_regions *result, size_t *count);
RO_API
const ro_region *ro_regions_table(const ro_regions *result, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
