/* SPDX-License-Identifier: MIT */
/*
 * Otsu's threshold (A threshold selection method from gray-level histograms, 1979): the sample that
 * splits the pixels into two classes whose means lie apart as far as possible, counted with the
 * sizes of the classes. Pixels at the threshold and below are black. The order of operations is
 * part of the definition; the first of equal values wins. An image of one value has no classes: it
 * is split in the middle.
 */
#include "halftone/ordered/ordered.h"

#include <string.h>

enum { TABLES = 8 };

/* Neighbours are often equal, and what was just stored has to be waited for: each of eight pixels
 * is counted in a table of its own. */
static void count_bytes(const unsigned char *row, uint32_t width, uint32_t (*counts)[256])
{
    uint32_t x = 0;
    for (; width - x >= TABLES; x += TABLES) {
        uint64_t eight;
        memcpy(&eight, row + x, sizeof eight);
        for (int i = 0; i < TABLES; i++)
            counts[i][eight >> 8 * i & 255]++;
    }
    for (; x < width; x++)
        counts[0][row[x]]++;
}

void ordered_count(const struct ordered_plan *plan, const unsigned char *in, ptrdiff_t stride,
                   uint32_t rows, uint64_t *histogram)
{
    uint32_t counts[TABLES][256] = {0};
    const uint32_t width = plan->width;
    for (uint32_t r = 0; r < rows; r++, in += stride) {
        if (plan->sample_bytes == 1)
            count_bytes(in, width, counts);
        else
            for (uint32_t x = 0; x < width; x++)
                histogram[ordered_sample(plan, in, x)]++;
    }
    for (int i = 0; i < TABLES; i++)
        for (int value = 0; value < 256; value++)
            histogram[value] += counts[i][value];
}

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
