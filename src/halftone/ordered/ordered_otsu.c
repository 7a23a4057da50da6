/* SPDX-License-Identifier: MIT */
/*
 * Otsu's threshold (A threshold selection method from gray-level histograms, 1979): the sample that
 * splits the pixels into two classes whose means lie apart as far as possible, counted with the
 * sizes of the classes. Pixels at the threshold and below are black. The order of operations is
 * part of the definition; the first of equal values wins. An image of one value has no classes: it
 * is split in the middle.
 */
#include "halftone/ordered/ordered.h"

uint32_t ordered_otsu(const uint64_t *histogram, uint32_t maxval)
{
    double count = 0, sum = 0, below = 0, sum_below = 0, best = 0;
    uint32_t found = maxval / 2;
    for (uint32_t i = 0; i <= maxval; i++) {
        count += (double)histogram[i];
        sum += (double)i * (double)histogram[i];
    }
    for (uint32_t i = 0; i < maxval; i++) {
        below += (double)histogram[i];
        sum_below += (double)i * (double)histogram[i];
        double above = count - below;
        if (below == 0 || above == 0)
            continue;
        double apart = (sum - sum_below) / above - sum_below / below;
        double between = below * above * apart * apart;
        if (between > best) {
            best = between;
            found = i;
        }
    }
    return found;
}
