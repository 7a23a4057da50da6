/* SPDX-License-Identifier: MIT */
/*
 * OKLab (Ottosson, 2020) of linear light, in doubles in a fixed order and with a cube root of our
 * own: the same on every machine.
 */
#ifndef RO_HALFTONE_PALETTE_OKLAB_H
#define RO_HALFTONE_PALETTE_OKLAB_H

#include "number/power.h"

/* From linear sRGB to the cones, and from their cube roots to lightness and two colour axes. The
 * axes count double, as in the distance called OK2: with OKLab's own scale a dark cyan is nearer to
 * red than to black, and the greys of a black, white and red panel turn pink. */
static const double palette_cones[3][3] = {
    {0.4122214708, 0.5363325363, 0.0514459929},
    {0.2119034982, 0.6806995451, 0.1073969566},
    {0.0883024619, 0.2817188376, 0.6299787005},
};
static const double palette_axes[3][3] = {
    {0.2104542553, 0.7936177850, -0.0040720468},
    {2 * 1.9779984951, 2 * -2.4285922050, 2 * 0.4505937099},
    {2 * 0.0259040371, 2 * 0.7827717662, 2 * -0.8086757660},
};

struct palette_lab {
    double at[3];
};

static inline struct palette_lab palette_lab_of(double r, double g, double b)
{
    struct palette_lab lab;
    double root[3];
    for (int i = 0; i < 3; i++)
        root[i] = cube_root((palette_cones[i][0] * r + palette_cones[i][1] * g) +
                            palette_cones[i][2] * b);
    for (int i = 0; i < 3; i++)
        lab.at[i] = (palette_axes[i][0] * root[0] + palette_axes[i][1] * root[1]) +
                    palette_axes[i][2] * root[2];
    return lab;
}

#endif
