/* SPDX-License-Identifier: MIT */
/*
 * Where noise must not be, and the weights that keep it out.
 *
 * A region of frequencies is a sum of signed rectangles; its transform M(x, y) at whole pixels is a
 * sum of sincs. Weights are complex integers of 8 bits over a power of two, and taps (dx, dy) name
 * the pixel dx to the left and dy above whose error is collected. A tap is legal for a skew p, at
 * which row y runs p columns behind row y - 1, when dx + p * dy > 0.
 */
#ifndef RO_HOLOGRAM_QUANTIZE_WEIGHTS_H
#define RO_HOLOGRAM_QUANTIZE_WEIGHTS_H

#include "hologram/quantize/diffuse_job.h"

#include <complex.h>
#include <stdbool.h>

struct rectangle {
    double x0, x1, y0, y1; /* within -1/2 to 1/2 */
    double sign;
};

enum { REGION_RECTANGLES = 32 };
struct region {
    int count;
    struct rectangle part[REGION_RECTANGLES];
    double everywhere; /* times the whole band, whose transform is the pixel itself */
};

/* The window alone; with its mirror image; with both and all that is above kappa / 2. A window
 * beyond the band is cut off; a region may be empty. */
struct region region_window(const ro_window *window);
struct region region_twin(const ro_window *window);
struct region region_paper(const ro_window *window, double kappa);

/* Adds a rectangle that overlaps none of the others; the mirror images of all, less what both
 * cover. What does not fit any more is left out. */
void region_add(struct region *region, double x0, double x1, double y0, double y1);
void region_add_mirrors(struct region *region);
bool window_meets_its_mirror(const ro_window *window);

/* The sum over the region of e^{2 pi i (xi x + eta y)}. */
double complex region_transform(const struct region *region, int x, int y);
double region_area(const struct region *region);

/* Eq. 1 of the paper (src/papers/view_weights.c): the `count` taps of largest modulus within the
 * reach and the wedge of p (Eq. 7); those that could matter are picked beforehand by `bound`
 * (Eq. 4). p = 0: whatever the largest need. Weights are M itself, or, if errors are taken against
 * the field, M over its value at the pixel itself. */
void weights_paper(const ro_window *window, double kappa, int count, int p, bool against_field,
                   struct hologram_taps *taps);

/* Likewise of any region, against the field. */
void weights_transform(const struct region *region, int count, int p, struct hologram_taps *taps);

/* Least squares: the `count` taps nearest to the pixel within the wedge, weights that minimise the
 * integral of |1 - W|^2 over the region plus rho * area * sum |w|^2. */
void weights_least_squares(const struct region *region, int count, int p, double rho,
                           struct hologram_taps *taps);

/* ---- How taps are chosen and weights stored ---- */

struct candidate {
    int dx, dy;
    double rank; /* the larger the better */
    double complex weight;
};

enum { CANDIDATES = (2 * REACH_X + 1) * (REACH_Y + 1) };

/* Lists the taps that are legal for a skew and returns their number; sorts them by rank. */
int candidates_of(int p, struct candidate *list);
void candidates_sort(struct candidate *list, int count);

/* Takes the first `count` of a list, without weights. */
void taps_keep(struct hologram_taps *taps, const struct candidate *list, int count, int p);

/* Returns the finest power of two at which the largest part fits 8 bits, and rounds to 8 bits. */
int weights_shift(const double complex *w, int count);
double weight_rounded(double x);

extern const struct hologram_taps floyd_steinberg_taps;

/* The mean over the region of the power that the loop gives to the noise of rounding, |1 - W|^2 or,
 * against the field, 1/|1 + W|^2; sums of |w| and |w|^2. */
double weights_rejection(const struct hologram_taps *taps, const struct region *region);
void weights_sums(const struct hologram_taps *taps, double *sum, double *norm);

/* The window in which a hogel, given by its centre in metres, is seen from a viewing area. */
ro_window window_of_hogel(const ro_optics *optics, double x, double y);

#endif
