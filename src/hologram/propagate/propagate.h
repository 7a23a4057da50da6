/* SPDX-License-Identifier: MIT */
/*
 * Propagation by the band-limited angular spectrum: the field, surrounded by nothing to twice its
 * size, is multiplied by H = e^{2 pi i z sqrt(1/lambda^2 - u^2 - v^2)} in the frequencies that the
 * doubled grid can carry over the distance.
 *
 * The doubled grid never exists. Its even and odd frequencies, four kinds in two directions, are
 * transforms of the plain size of the field times e^{-i pi (a x / w + b y / h)}, a and b being 0 or
 * 1; their inverses, turned back and added, are exactly the cut-out of the doubled result. Rows are
 * transformed for all kinds, or for one kind where there is no room; then columns, filtered and
 * transformed back without leaving the cache; then rows back.
 */
#ifndef RO_HOLOGRAM_PROPAGATE_PROPAGATE_H
#define RO_HOLOGRAM_PROPAGATE_PROPAGATE_H

#include "fft/dft.h"
#include "hologram/propagate/propagate_cuda.h"
#include "hologram/propagate/propagate_filter.h"
#include "simd/variants.h"

struct propagation {
    ro_context *context;
    uint32_t width, height;
    double wavelength, pitch[2];
    ro_window window; /* frequencies that pass; size 0: all */
    bool wraps; /* what leaves at one side comes back at the other: the even frequencies alone */
    struct propagate_cuda *device; /* instead of what follows */
    const struct propagate_kernel *kernel;
    struct dft *row, *column;
    size_t numbers; /* of a thread's panel, spare and rows */
    float *panels, *work, *sum;
    size_t room;         /* numbers that `work` holds */
    int *slots, *blocks; /* of the even frequencies, then of the odd ones: see propagate_panel.h */
    float *turns[2];     /* e^{-i pi x / w} along each direction */
    double done, share;  /* of the progress */
    const char *phase;
};

ro_status propagation_open(struct propagation *p, ro_context *context, uint32_t width,
                           uint32_t height, double wavelength, const double pitch[2]);
void propagation_close(struct propagation *p);

/* In place; rows without gaps, from dft_alloc. */
ro_status propagation_run(struct propagation *p, float *field, double distance);

struct propagate_filter propagate_filter_of(const struct propagation *p, double distance);

/* What an instruction set does with panels (dft.h) on the way. */
struct propagate_kernel {
    const struct dft_kernel *dft;
    void (*turn)(float *panel, int n, const float *along); /* times n pairs, for all lanes */
    /* to = a row times e^{-i pi x / w} (along, n pairs, or NULL) and its own (down, a pair, or
     * NULL); to = the same of a row whose parts have changed places, with them in place again,
     * added to a sum (or NULL). */
    void (*turn_row)(float *to, const float *from, int n, const float *along, const float *down);
    void (*add_row)(float *to, const float *sum, const float *row, int n, const float *along,
                    const float *down);
    /* `count` blocks of a row to where they lie among columns, `size` numbers apart, and back. */
    void (*row_to_blocks)(const float *row, float *blocks, const int *slots, int count,
                          size_t size);
    void (*blocks_to_row)(float *row, const float *blocks, const int *slots, int count,
                          size_t size);
    /* Columns of the kind (a, b), the first one being number x of w: times H; real and imaginary
     * parts change places. */
    void (*filter)(float *panel, const struct propagate_filter *f, int a, int b, int x, int w,
                   int h);
};
extern const struct propagate_kernel propagate_kernel_plain;
RO_VARIANTS_DECLARE(const struct propagate_kernel, propagate_kernel);
const struct propagate_kernel *propagate_kernel_of(const ro_context *context);

#endif
