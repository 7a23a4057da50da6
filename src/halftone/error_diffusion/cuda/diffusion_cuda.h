/* SPDX-License-Identifier: MIT */
/*
 * Error diffusion on a CUDA device, as C sees it: a plan in plain numbers, schedules by name, rows
 * in host memory or whole images in device memory.
 */
#ifndef RO_HALFTONE_ERROR_DIFFUSION_CUDA_DIFFUSION_CUDA_H
#define RO_HALFTONE_ERROR_DIFFUSION_CUDA_DIFFUSION_CUDA_H

#include "roundoff/halftone.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The part of a diffusion_plan that a device needs; without C's booleans and atomics. */
struct diffusion_cuda_plan {
    int kernel_id;
    uint32_t width;
    int sample_bytes;
    int levels;
    int bits_out, number_bytes;
    int fold; /* two levels, no negative weight */
    int32_t white, bias;
    int32_t limit, least; /* of many_levels.h, where not `fold` */
    float levels_per_tone;
    int guess_off;
    const int32_t *level, *middle, *below; /* 256 each: for the paper's */
    const uint32_t (*table)[4];            /* of acuity (acuity_cuda.c), else NULL; */
    size_t table_entries; /* then of all above only width, depth and output count */
};

struct diffusion_cuda_rows {
    const void *in;
    ptrdiff_t in_stride;
    void *out;
    ptrdiff_t out_stride;
    uint32_t first_row, rows;
    uint32_t height; /* of the image */
    /* Of whole images, instead of `in` and `out`: see cuda_rows. */
    ro_status (*fetch)(void *from, uint32_t first_row, uint32_t rows, void *memory);
    ro_status (*take)(void *to, uint32_t first_row, uint32_t rows, void *memory);
    void *ends;
};

struct diffusion_cuda_count {
    uint64_t steps, launches;
};

struct diffusion_cuda;

/* The next rows of an image in host memory; a multiple of DIFFUSION_CUDA_ROWS unless the last.
 * Copies and computing overlap; returns when the output is complete. */
enum { DIFFUSION_CUDA_ROWS = 64 };

/* The device's calls; NULL until a device was found. */
struct diffusion_cuda_calls {
    /* NULL or "auto" is the wave; RO_E_UNSUPPORTED when the schedule cannot run the plan. */
    ro_status (*open)(ro_context *context, const struct diffusion_cuda_plan *plan,
                      const char *schedule, struct diffusion_cuda **work);
    const char *(*schedule)(const struct diffusion_cuda *work);
    /* Another image, or the same again; `piece`: lines of errors may be put in and taken out. */
    void (*begin)(struct diffusion_cuda *work, int piece);
    /* Whether it can run pieces of a picture. Then the errors of the rows above the first, before
     * it is run, and of the last rows, once a multiple of DIFFUSION_CUDA_ROWS has run: the kernel's
     * rows_down lines of `width` numbers, the nearest row first. */
    int (*runs_pieces)(const struct diffusion_cuda *work);
    ro_status (*put_lines)(struct diffusion_cuda *work, const int32_t *lines);
    ro_status (*take_lines)(struct diffusion_cuda *work, int32_t *lines);
    ro_status (*run)(struct diffusion_cuda *work, const struct diffusion_cuda_rows *rows,
                     struct diffusion_cuda_count *count);
    /* Whole images in device memory, on the caller's stream; returns when all is launched. */
    ro_status (*run_resident)(struct diffusion_cuda *work, const ro_image *in, const ro_image *out,
                              uint32_t images, void *stream, struct diffusion_cuda_count *count);
    void (*close)(struct diffusion_cuda *work);
    /* For benches: what a step of the wave takes at least, by one warp with all it needs in
     * registers. The wave of w x h pixels has w + 2.5 h steps one after the other (Floyd-Steinberg,
     * 8 bit). */
    ro_status (*chain)(ro_context *context, double *nanoseconds);
    /* And the hash of a picture of side^2 pixels that is made where it is used (made.h), at least
     * 32 of them to a side, with the time between events. */
    ro_status (*made)(ro_context *context, uint32_t side, uint64_t *hash, double *ms);
};
extern const struct diffusion_cuda_calls *diffusion_on_cuda;

#ifdef __cplusplus
}
#endif

#endif
