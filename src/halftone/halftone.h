/* SPDX-License-Identifier: MIT */
/* A halftoning made ready to run on blocks of rows: what ro_halftone and the stream share. */
#ifndef RO_HALFTONE_HALFTONE_H
#define RO_HALFTONE_HALFTONE_H

#include "halftone/diffusion.h"
#include "halftone/grey.h"

struct halftoner {
    ro_context *context;
    ro_image in; /* the shape of the input; its pixels are not used */
    ro_format out;
    struct grey_form grey;
    const char *method;
    const struct diffusion_schedule *schedule;
    struct diffusion_plan plan;
    struct diffusion_run run;
    uint32_t granularity;    /* rows go in by multiples of this, but for the last */
    uint32_t rows_done;      /* rows run so far */
    unsigned char tone[256]; /* of each level, for RO_GRAY8 output */
};

/* Checks the options and allocates; halftoner_close frees, also after a failure. */
ro_status halftoner_open(struct halftoner *work, ro_context *context, const ro_image *in,
                         ro_format out, const ro_halftone_options *options);
void halftoner_close(struct halftoner *work);

/* Runs the next rows, given as grey samples. */
void halftoner_run(struct halftoner *work, const void *grey, ptrdiff_t grey_stride, void *out,
                   ptrdiff_t out_stride, uint32_t rows);

/* Leaves in the context what ran. */
void halftoner_report(const struct halftoner *work);

#endif
