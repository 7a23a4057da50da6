/* SPDX-License-Identifier: MIT */
/*
 * The weights of the paper on holograms: values of the inverse transform of the region that noise
 * must leave. Least squares (hologram/quantize/weights.c) makes up for what this leaves out.
 *
 * The paper does not say what error is passed on. Its references 9 and 18, on the minimum average
 * error, take the input less the output: then d = g - q, u = g + sum w(k) d(x - k), and with e the
 * error of rounding d^ = -e^ / (1 + W), which is small where W is large. The pixel itself has the
 * weight 1, so that all are divided by M(0). The tasks of the paper's section 3.2 load "the
 * hologram pixels and their associated quantized values", which is what that needs. The other
 * reading, the error of rounding and M as it is, is kept for comparison.
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

/* Takes the `count` candidates of largest modulus. */
static void take_largest(const struct region *region, struct candidate *list, int all, int count,
                         int p, bool against_field, struct hologram_taps *taps)
{
    double complex weight[RO_HOLOGRAM_TAPS] = {0};
    const double unit = against_field ? region_area(region) : 1;
    for (int i = 0; i < all; i++) {
        list[i].weight = unit > 0 ? region_transform(region, list[i].dx, list[i].dy) / unit : 0;
        list[i].rank = cabs(list[i].weight);
    }
    candidates_sort(list, all);
    count = count < all ? count : all;
    taps_keep(taps, list, count, p ? p : skew_of(list, count));
    taps->against_field = against_field;
    for (int i = 0; i < count; i++)
        weight[i] = list[i].weight;
    taps->shift = weights_shift(weight, count);
    for (int i = 0; i < count; i++) {
        taps->re[i] = (int8_t)weight_rounded(ldexp(creal(weight[i]), taps->shift));
        taps->im[i] = (int8_t)weight_rounded(ldexp(cimag(weight[i]), taps->shift));
    }
}

void weights_paper(const ro_window *window, double kappa, int count, int p, bool against_field,
                   struct hologram_taps *taps)
{
    struct candidate list[CANDIDATES];
    const ro_window centred = {0, 0, window->width, window->height}, none = {0};
    const struct region region = region_paper(window, kappa), signal = region_window(&centred);
    const struct region frame = region_paper(&none, kappa);
    int all = candidates_of(p ? p : RO_HOLOGRAM_SKEW, list);
    for (int i = 0; i < all; i++)
        list[i].rank = 2 * cabs(region_transform(&signal, list[i].dx, list[i].dy)) +
                       cabs(region_transform(&frame, list[i].dx, list[i].dy));
    candidates_sort(list, all);
    all = all < 4 * count ? all : 4 * count;
    take_largest(&region, list, all, count, p, against_field, taps);
}

void weights_transform(const struct region *region, int count, int p, struct hologram_taps *taps)
{
    struct candidate list[CANDIDATES];
    const int all = candidates_of(p, list);
    take_largest(region, list, all, count, p, true, taps);
}
