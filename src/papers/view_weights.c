/* SPDX-License-Identifier: MIT */
/*
 * The weights of the paper on holograms: values of the inverse transform of the region that noise
 * must leave. Least squares (hologram/quantize/weights.c) makes up for what this leaves out.
 */
#include "hologram/quantize/weights.h"

#include <math.h>

/* The skew that the taps need. */
static int skew_of(const struct candidate *list, int count)
{
    int p = 1;
    for (int i = 0; i < count; i++)
        if (list[i].dy > 0)
            while (list[i].dx + p * list[i].dy <= 0)
                p++;
    return p;
}

void weights_paper(const ro_window *window, double kappa, int count, int p,
                   struct hologram_taps *taps)
{
    struct candidate list[CANDIDATES];
    double complex weight[RO_HOLOGRAM_TAPS] = {0};
    const ro_window centred = {0, 0, window->width, window->height}, none = {0};
    struct region region = region_paper(window, kappa), signal = region_window(&centred);
    struct region frame = region_paper(&none, kappa);
    int all = candidates_of(p ? p : RO_HOLOGRAM_SKEW, list);
    for (int i = 0; i < all; i++)
        list[i].rank = 2 * cabs(region_transform(&signal, list[i].dx, list[i].dy)) +
                       cabs(region_transform(&frame, list[i].dx, list[i].dy));
    candidates_sort(list, all);
    all = all < 4 * count ? all : 4 * count;
    for (int i = 0; i < all; i++) {
        list[i].weight = region_transform(&region, list[i].dx, list[i].dy);
        list[i].rank = cabs(list[i].weight);
    }
    candidates_sort(list, all);
    count = count < all ? count : all;
    taps_keep(taps, list, count, p ? p : skew_of(list, count));
    for (int i = 0; i < count; i++)
        weight[i] = list[i].weight;
    taps->shift = weights_shift(weight, count);
    for (int i = 0; i < count; i++)
        taps->re[i] = (int8_t)weight_rounded(ldexp(creal(weight[i]), taps->shift));
}
