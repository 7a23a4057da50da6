/* SPDX-License-Identifier: MIT */
/*
 * Propagation by the band-limited angular spectrum: the field, surrounded by nothing to twice its
 * size, is multiplied by H = e^{2 pi i z sqrt(1/lambda^2 - u^2 - v^2)} in the frequencies that the
 * doubled grid can carry over the distance.
 *
 * The doubled grid never exists. Its even and odd frequencies, four kinds in two directions, are
 * transforms of the plain size of the field times e^{-i pi (a x / w + b y / h)}, a and b being 0 or
 * 1; their inverses, turned back and added, are exactly the cut-out of the doubled result.
 */
#ifndef RO_HOLOGRAM_FIELD_PROPAGATE_H
#define RO_HOLOGRAM_FIELD_PROPAGATE_H

#include "hologram/field/fftw.h"
#include "hologram/field/propagate_cuda.h"

struct propagation {
    ro_context *context;
    uint32_t width, height;
    double wavelength, pitch;
    double band_x, band_y; /* cycles per pixel that pass, of 1/2; 0: all */
    struct fft *fft;
    struct propagate_cuda *device; /* instead of fft, work and sum */
    float complex *work, *sum;
    double done, share; /* of the progress */
    const char *phase;
};

ro_status propagation_open(struct propagation *p, ro_context *context, uint32_t width,
                           uint32_t height, double wavelength, double pitch);
void propagation_close(struct propagation *p);

/* In place; rows without gaps, from fft_alloc. */
ro_status propagation_run(struct propagation *p, float complex *field, double distance);

#endif
