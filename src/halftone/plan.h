/* SPDX-License-Identifier: MIT */
/*
 * A halftoning plan: a halftoner for grey, or one for each channel or ink, and the rows on their
 * way through it. Whole images, streams and images on a device are runs of it.
 *
 * Rows that a halftoner can read as they are go straight in; others are converted and gathered in
 * `pending`, some bands at a time. Planes are halftoned into `store` and put together from there.
 */
#ifndef RO_HALFTONE_PLAN_H
#define RO_HALFTONE_PLAN_H

#include "context/plan.h"
#include "halftone/colour_planes.h"
#include "halftone/halftone.h"
#include "thread/wavefront.h"

struct halftone_plan {
    struct ro_plan plan;       /* first: the public handle */
    ro_halftone_options *kept; /* as given, for copies of a plan that the caller holds; or NULL */
    ro_device asked;
    ro_image shape; /* of what is converted: RO_RGB8 for RO_RGBA8 */
    bool alpha;     /* rows have alpha, and are laid over white first, */
    uint8_t *flat;  /* in a row of each thread */
    ro_format out;
    ro_palette palette, recolour; /* the options', if they have them */
    struct planes found;
    const struct planes *planes; /* NULL: one plane, which is the picture */
    struct ink_table inks;       /* of inks of any colour */
    int count;
    struct halftoner work[PLANES_MOST];
    size_t in_row_bytes, grey_row_bytes, out_row_bytes;
    bool direct;            /* rows go in as they are */
    uint32_t capacity;      /* rows of `pending`, and of `store` */
    unsigned char *pending; /* grey rows, those of a plane after those of another; or NULL */
    uint32_t pending_rows;
    unsigned char *store;           /* halftoned rows of planes, a byte a pixel */
    struct halftone_stream *stream; /* made by the first stream, and kept */
};

/* Whether a plan is one of these. */
bool halftone_plan_is(const ro_plan *plan);

static inline struct halftone_plan *halftone_plan_of(ro_plan *plan)
{
    return (struct halftone_plan *)plan;
}

/* Checks and makes; `device` as for halftoner_open. */
ro_status halftone_plan_make(ro_context *context, const ro_image *shape, ro_format out,
                             const ro_halftone_options *options, ro_device device,
                             struct halftone_plan **plan);

/* Lines of numbers that its rows hand on; -1: it cannot be cut. */
int halftone_plan_carried(const struct halftone_plan *plan);

/* How many rows it is worth to run at once. */
uint32_t halftone_plan_room(const struct halftone_plan *plan);

/* Memory for `pending`, where it is not there yet. */
ro_status halftone_plan_gather(struct halftone_plan *plan);

/* Rows of the picture, host memory that a device can copy from without staging. */
ro_status halftone_rows_alloc(const struct halftone_plan *plan, size_t row_bytes, uint32_t rows,
                              unsigned char **memory);
void halftone_rows_free(const struct halftone_plan *plan, unsigned char *memory);

/* A run of rows first to end - 1 begins. `links` has one for each plane, or is NULL: nothing is
 * carried in or on. */
ro_status halftone_plan_begin(struct halftone_plan *plan, uint32_t first, uint32_t end,
                              struct wavefront_link *links);

/* Converts rows, those from y on, into `pending`; and runs all that is there. */
ro_status halftone_plan_take(struct halftone_plan *plan, const void *rows, ptrdiff_t stride,
                             uint32_t count, uint32_t y);
/* `apart`: bytes from a plate to the next, where they stay apart. */
ro_status halftone_plan_flush(struct halftone_plan *plan, void *out, ptrdiff_t out_stride,
                              ptrdiff_t apart);

/* The stream that a plan keeps. */
ro_status halftone_stream_open(ro_plan *plan, uint32_t first_row, uint32_t rows, void *report,
                               ro_stream **opened);
void halftone_stream_free(struct halftone_stream *stream);

#endif
