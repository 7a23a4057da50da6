/* SPDX-License-Identifier: MIT */
/* Ordered dithering on a CUDA device, as C sees it: a plan in plain numbers, rows in host memory or
 * whole images in device memory. */
#ifndef RO_HALFTONE_ORDERED_ORDERED_CUDA_H
#define RO_HALFTONE_ORDERED_ORDERED_CUDA_H

#include "roundoff/halftone.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ordered_cuda_plan {
    uint32_t width;
    int sample_bytes;
    int bits_out;
    int by_hash;                          /* ranks are random numbers */
    uint64_t seed;                        /* of them */
    uint32_t screen_width, screen_height; /* or of these cells, */
    uint32_t shift;                       /* each repetition below begins so many cells further */
    const uint32_t *ranks;                /* one of each cell */
    const uint32_t *lookup;               /* of each sample: level << 24 | ranks that go one up */
    uint32_t values;                      /* samples that have an entry */
    const uint16_t *smallest;             /* the smallest white sample of each rank, for bits by
                                             screens; else NULL */
};

struct ordered_cuda;

/* Rows of an image in host memory, the first of which is row `first_row`; returns when the output
 * is complete. */
struct ordered_cuda_rows {
    const void *in;
    ptrdiff_t in_stride;
    void *out;
    ptrdiff_t out_stride;
    uint32_t rows, first_row;
};

/* The device's calls; NULL until a device was found. */
struct ordered_cuda_calls {
    /* Sends the tables. */
    ro_status (*open)(ro_context *context, const struct ordered_cuda_plan *plan,
                      struct ordered_cuda **work);
    ro_status (*run)(struct ordered_cuda *work, const struct ordered_cuda_rows *rows);
    /* Images in device memory, on the caller's stream; returns when all is launched. */
    ro_status (*run_resident)(struct ordered_cuda *work, const ro_image *in, const ro_image *out,
                              uint32_t images, void *stream);
    uint64_t (*launches)(const struct ordered_cuda *work); /* so far */
    void (*close)(struct ordered_cuda *work);              /* NULL is allowed */
};
extern const struct ordered_cuda_calls *ordered_on_cuda;

#ifdef __cplusplus
}
#endif

#endif
