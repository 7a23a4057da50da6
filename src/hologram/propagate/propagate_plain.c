/* SPDX-License-Identifier: MIT */
/* Propagation in plain C, a row or column at a time. */
#include "hologram/propagate/propagate_panel.h"

static void filter_column(float *panel, const struct propagate_filter *f, int a, int b, int x,
                          int w, int h)
{
    for (int i = 0; i < h; i++) {
        float c, s, re = panel[2 * i], im = panel[2 * i + 1];
        propagate_factor(f, propagate_number(x, a, w), propagate_number(i, b, h), &c, &s);
        const bool passes = c != 0 || s != 0;
        dft_turn(&re, &im, c, s);
        panel[2 * i] = passes ? im : 0;
        panel[2 * i + 1] = passes ? re : 0;
    }
}

const struct propagate_kernel propagate_kernel_plain = {
    &dft_kernel_plain, turn_panel, turn_row, add_row, row_to_blocks, blocks_to_row, filter_column};
