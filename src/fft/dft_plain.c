/* SPDX-License-Identifier: MIT */
/* Transforms in plain C, one lane: the definition that the others are compared with. */
#include <math.h>
#include <string.h>

#include "fft/dft_panel.h"

static void load_rows(float *panel, const float *from, size_t stride, int count, int n,
                      bool swapped)
{
    (void)stride, (void)count;
    for (int i = 0; i < 2 * n; i++)
        panel[i] = from[swapped ? i ^ 1 : i];
}

static void store_rows(const float *panel, float *to, size_t stride, int count, int n, bool swapped)
{
    (void)stride, (void)count;
    for (int i = 0; i < 2 * n; i++)
        to[i] = panel[swapped ? i ^ 1 : i];
}

static void load_columns(float *panel, const float *from, size_t stride, int count, int n,
                         bool swapped)
{
    (void)count;
    for (int i = 0; i < n; i++) {
        panel[2 * i] = from[2 * stride * (size_t)i + swapped];
        panel[2 * i + 1] = from[2 * stride * (size_t)i + !swapped];
    }
}

static void store_columns(const float *panel, float *to, size_t stride, int count, int n,
                          bool swapped)
{
    (void)count;
    for (int i = 0; i < n; i++) {
        to[2 * stride * (size_t)i + swapped] = panel[2 * i];
        to[2 * stride * (size_t)i + !swapped] = panel[2 * i + 1];
    }
}

const struct dft_kernel dft_kernel_plain = {
    RO_CPU_SCALAR, 1, load_rows, load_columns, store_rows, store_columns, run_panel, run_panel};
