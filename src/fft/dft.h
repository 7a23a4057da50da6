/* SPDX-License-Identifier: MIT */
/*
 * Discrete Fourier transforms of single precision in a fixed order of operations: the same bits
 * from every instruction set, number of threads and device.
 *
 * Of length n up to DFT_ALONE, by steps of the radices 4, 2, 3, 5 and larger primes (Stockham:
 * sorted as they go). A step of radix r on n' = r m numbers at a distance s, p < m, q < s:
 *
 *     b = the transform of length r of  x[q + s (p + m j)], j < r
 *     y[q + s (r p + k)] = b_k e^{-2 pi i p k / n'}          p = 0 and k = 0 are left as they are
 *
 * Longer ones in two parts, n = n1 n2, n1 the largest factor of n up to sqrt(n): transforms of
 * length n1 over x[p + n2 j], times e^{-2 pi i p k / n} (p, k > 0), and transforms of length n2
 * over p, whose result l is X[k + n1 l]. Where a prime factor exceeds DFT_RADIX, or n2 DFT_SHORT,
 * by convolution with a chirp in the next power of two (Bluestein). Inverse transforms are the same
 * with real and imaginary parts exchanged; nothing is divided.
 *
 * Many transforms run side by side, as lanes: a panel holds n times the real parts of all lanes,
 * then the imaginary parts.
 */
#ifndef RO_FFT_DFT_H
#define RO_FFT_DFT_H

#include "fft/dft_plan.h"
#include "roundoff/hologram.h"
#include "simd/variants.h"
#include "thread/pool.h"

#include <stdbool.h>

ro_status dft_open(ro_context *context, uint32_t n, struct dft **plan);
void dft_close(struct dft *plan); /* NULL is allowed */

/* Numbers that a panel and its spare hold for each lane. */
size_t dft_panel_numbers(const struct dft *plan);
size_t dft_spare_numbers(const struct dft *plan);

/* Whether rows can be transformed one by one (run_row). */
bool dft_by_rows(const struct dft *plan);
size_t dft_across_gap(int n2);

/* How many lanes run side by side, and what an instruction set does with panels. Rows and columns
 * lie `stride` complex numbers apart; lanes that `count` leaves out are zeros. With `swapped` real
 * and imaginary parts change places, which makes a transform an inverse one: to be given both when
 * loading and when storing. */
typedef void dft_load_fn(float *panel, const float *from, size_t stride, int count, int n,
                         bool swapped);
typedef void dft_store_fn(const float *panel, float *to, size_t stride, int count, int n,
                          bool swapped);
typedef void dft_run_fn(const struct dft *plan, float *panel, float *spare);

struct dft_kernel {
    ro_cpu cpu;
    int lanes;
    dft_load_fn *load_rows, *load_columns; /* n along the row; n down the column */
    dft_store_fn *store_rows, *store_columns;
    dft_run_fn *run; /* in place */
    /* One row as it lies, with room for 16 numbers behind; the spare is as large as for a panel.
     * Where dft_by_rows says so only. */
    dft_run_fn *run_row;
};
extern const struct dft_kernel dft_kernel_plain;
RO_VARIANTS_DECLARE(const struct dft_kernel, dft_kernel);
const struct dft_kernel *dft_kernel_of(const ro_context *context);

/* ---- Fields --------------------------------------------------------------------------------- */

/* Complex numbers, rows without gaps. */
float *dft_alloc(ro_context *context, uint32_t width, uint32_t height);

struct dft_field; /* a plan for two directions, with scratch for every thread */
ro_status dft_field_open(ro_context *context, uint32_t width, uint32_t height,
                         struct dft_field **plan);
void dft_field_close(struct dft_field *plan); /* NULL is allowed */
/* In place, undivided; rows first, then columns, both ways. */
void dft_field_run(struct dft_field *plan, float *data, bool inverse);

#endif
