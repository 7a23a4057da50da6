/* SPDX-License-Identifier: MIT */
/* What fronts that compete were given and what they became. */
#ifndef RO_SEGMENT_REGIONS_REGIONS_H
#define RO_SEGMENT_REGIONS_REGIONS_H

#include "segment/outline/trace.h"
#include "segment/regions/compete.h"
#include "segment/regions/find.h"

struct ro_regions {
    ro_context *context;
    ro_regions_options options;
    uint32_t width, height;
    bool by_reference;
    uint16_t *raw;     /* intensities, 65535 being the white in use; without a margin */
    uint16_t *grey;    /* smoothed */
    double unit;       /* of an intensity, in the image's numbers */
    uint16_t *seeded;  /* label of the seed over a pixel */
    uint16_t *nearest; /* label of the nearest seed; NULL: there is one label */
    struct region_plane plane;
    struct region_front *fronts;
    uint32_t count;
    uint32_t *pixels;             /* of all seeds */
    struct component_tree *trees; /* of bright and of dark components; NULL: none are needed */
    uint64_t *arrival;
    uint64_t shown; /* arrivals later than this count as none */
    ro_region_front *told;
    ro_region *table;
    size_t labels;
    struct outline_set outlines; /* of what is shown */
    ro_regions_report report;
};

/* Reads the image: raw, grey and what the plane says of them. */
ro_status regions_read(struct ro_regions *work, const ro_image *in);
/* Makes the fronts, without their windows. */
ro_status regions_seed(struct ro_regions *work);
/* Makes fronts of parts of things, with the things' windows. */
ro_status regions_seed_parts(struct ro_regions *work, const struct component_tree *tree,
                             const struct things *things, const struct part_list *list);
uint32_t regions_sample(const ro_image *image, uint32_t x, uint32_t y); /* 8 or 16 bits */

void regions_drop_trees(struct ro_regions *work);

/* Fills in the tables and the report. */
ro_status regions_measure(struct ro_regions *work);

/* Makes the lines. */
ro_status regions_trace(struct ro_regions *work);

/* The label of a pixel, 0: none, and beside the picture. */
static inline uint32_t regions_label(const struct ro_regions *work, uint32_t pixel)
{
    const uint64_t arrival = work->arrival[pixel];
    return arrival > work->shown || arrival == 0
               ? 0
               : work->fronts[arrival & ((1U << RO_FRONT_BITS) - 1)].label;
}

#endif
