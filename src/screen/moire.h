/* SPDX-License-Identifier: MIT */
/*
 * Moiré of screens. Light goes through the inks one after another, so its spectrum holds all sums
 * of their waves, each with the product of their strengths:
 *
 *      f1 of one ink, f2 of another       f1 - f2 is slow, and seen: moiré
 *         \ /
 *          o - - > f1 - f2
 *
 * Dots themselves are such a product, of a shape and of the pixels: sums with waves of the pixels
 * are their moiré.
 */
#ifndef RO_SCREEN_MOIRE_H
#define RO_SCREEN_MOIRE_H

#include "screen/dots.h"

enum { MOIRE_TIMES = 2, MOIRE_SIDE = 2 * MOIRE_TIMES + 1, MOIRE_PIXEL_WAVES = 4 };

/* A screen as its waves. */
struct moire_screen {
    ro_dots dots;
    double rows[2][2]; /* waves per inch: x, y */
    double dpi[2];
    double strength[MOIRE_SIDE][MOIRE_SIDE]; /* of a wave, by how often it has the two, less
                                                MOIRE_TIMES */
    /* with the pixels: */
    struct {
        int times[2], pixels[2];
        double strength;
    } pixels[MOIRE_PIXEL_WAVES];
};

/* A screen of round dots, or of lines, without making it. */
ro_status moire_screen_find(ro_context *context, const ro_screen_options *options,
                            const ro_ink *ink, struct moire_screen *screen);

/* The strengths of the screen that is made. */
ro_status moire_screen_measure(ro_context *context, const ro_screen_options *options,
                               const ro_ink *ink, struct moire_screen *screen);

/* How much of the light an ink takes. */
double moire_takes(const ro_ink *ink);

/* The options of an ink's screen. */
ro_screen_options moire_options(const ro_screen_options *options, const ro_ink *ink);

/* Checks, and fills in defaults. */
ro_status moire_take(ro_context *context, const ro_screen_options *given, const ro_ink *inks,
                     int count, ro_screen_options *options);

/* Waves of all screens together, into `moire` if that is not NULL; the squares of what is seen of
 * them, with what plates shift. */
double moire_add(const struct moire_screen *const screens[], const double takes[], int count,
                 ro_moire *moire);

/* The share of a wave's contrast that is seen, waves per inch; less of it aslant. */
double moire_eye(double x, double y);

#endif
