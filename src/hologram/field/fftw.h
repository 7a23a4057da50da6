/* SPDX-License-Identifier: MIT */
/*
 * Fourier transforms of fields in memory: rows, then columns in blocks, by all threads. The plans
 * are estimated, not measured: a measured plan depends on the clock, and with it the last bits.
 */
#ifndef RO_HOLOGRAM_FIELD_FFTW_H
#define RO_HOLOGRAM_FIELD_FFTW_H

#include "roundoff/hologram.h"

#include <complex.h>
#include <stdbool.h>

bool fft_present(void); /* this build has FFTW */

struct fft;
ro_status fft_open(ro_context *context, uint32_t width, uint32_t height, struct fft **fft);
void fft_close(struct fft *fft); /* NULL is allowed */

/* In place, rows without gaps, from fft_alloc. The inverse is not divided by the number of pixels.
 */
void fft_run(struct fft *fft, float complex *data, bool inverse);

float complex *fft_alloc(ro_context *context, uint32_t width, uint32_t height);
void fft_free(float complex *data);

#endif
