/* SPDX-License-Identifier: MIT */
/*
 * Screens: threshold arrays, and dots as printers know them. Part of roundoff.h.
 */
#ifndef ROUNDOFF_SCREEN_H
#define ROUNDOFF_SCREEN_H

#include "roundoff/halftone.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A threshold array to be made. */
typedef struct ro_screen_options {
    /* RO_SCREEN_OPTIONS sets it. */
    size_t size;
    /* One of the words of this option in the table "screen" (options.h): void-and-cluster (NULL),
     * bayer, clustered-dot, uniform, am or green-noise. */
    const char *kind;
    /* Cells per side of the screen: a whole number from 1 to 1048576. Default (0): 64; 8 for bayer
     * and clustered-dot, 128 for green-noise, 512 for uniform. */
    uint32_t cell;
    /* Seed of random numbers: a whole number from 0 to 2^64 - 1. Default (0): 0. */
    uint64_t seed;
    /* Angle of the rows of dots in degrees, counterclockwise: a number from -360 to 360. Default
     * (0): 0. */
    double angle;
    /* Shape of dots: round, ellipse, square, diamond, line, euclidean or cross. Default (NULL):
     * round; euclidean with dot. */
    const char *shape;
    /* RO_GREY16 (default): the rank r of K cells is the value r * 65536 / K, rounded down;
     * RO_GREYF: (r + 1/2) / K, which tells any ranks apart. */
    ro_format format;
    /* 1: the ranks themselves, as RO_GREY16 with the maxval K - 1; up to 65536 cells. */
    int ranks;
    /* Lines of dots per inch: a number above 0, up to 1000000. Default (0): an eighth of dpi. */
    double lpi;
    /* Resolution in pixels per inch: 1 to 2 numbers above 0, up to 1000000. Default (0): 300
     * without lpi. */
    double dpi;
    /* From row to row; 0: as dpi. */
    double dpi_y;
    /* A picture of a dot instead of a shape; what is dark prints first. */
    const ro_image *spot;
    /* Pixels of the smallest dot and hole: a whole number from 1 to 1000000. Default (0): 1; 4 with
     * green noise. */
    uint32_t dot;
} ro_screen_options;
#define RO_SCREEN_DEFAULTS RO_DEFAULTS_OF(ro_screen_options, RO_NONE_UNSET)
#define RO_SCREEN_OPTIONS RO_OPTIONS_OF(ro_screen_options, RO_NONE_UNSET)
RO_API
void ro_screen_options_init(ro_screen_options *options, size_t size);

/* Makes a screen; `options` may be NULL. Low values become white first. ro_image_free gives it
 * back; after a failure there is nothing to give back. */
RO_API
ro_status ro_screen_make(ro_context *context, const ro_screen_options *options, ro_image *screen);

/* What a screen of dots comes to. Rows of dots run both along the angle and across it; the figures
 * are means of the two. */
typedef struct ro_dots {
    size_t size;               /* of the structure; set it before the call */
    double lpi, angle;         /* lines of dots per inch, degrees */
    double lpi_off, angle_off; /* the larger of the two differences from what was asked for */
    uint32_t greys;            /* pixels of the supercell, and so tones */
    uint32_t dots;             /* dots in it */
    uint32_t width, height;    /* of its tile, */
    uint32_t shift;            /* and by how much the next below is moved */
} ro_dots;

/* What `options` of the kind "am" would make, without making it. `tile`: 1: a plain rectangle, as
 * ro_screen_make gives it; 0: as the method "am" uses it. */
RO_API
ro_status ro_dots_find(ro_context *context, const ro_screen_options *options, int tile,
                       ro_dots *dots);

/* ---- Moiré ---------------------------------------------------------------------------------- */

/* A wave that screens make on each other, or with the pixels. It is the sum of their own waves,
 * each so many times. */
typedef struct ro_moire_wave {
    int times[RO_INKS_MOST][2]; /* the waves across the rows of each ink, and those along them */
    int pixels[2];              /* those of columns and of rows of pixels, which are taken off */
    double x, y;                /* waves per inch, to the right and down */
    double period, pixels_long; /* in mm, and in pixels along the wave */
    double contrast;            /* how far light swings, paper being 1 */
    double seen;                /* the same as an eye 300 mm away has it */
} ro_moire_wave;

enum { RO_MOIRE_WAVES = 24 };
typedef struct ro_moire {
    size_t size;                     /* of the structure; set it before the call */
    ro_dots dots[RO_INKS_MOST];      /* the screens as they are reached */
    double rows[RO_INKS_MOST][2][2]; /* waves per inch of each: across the rows, and along them */
    double seen;                     /* of all waves together: the root of the sum of squares */
    double shift;                    /* the same of waves longer than a sheet: how far light goes
                                        when plates lie a little beside each other */
    int count;                       /* of those that are seen best, the first of all first */
    ro_moire_wave waves[RO_MOIRE_WAVES];
} ro_moire;

/* The moiré of inks, each with its lines per inch (0: those of `screen`), angle, shape and colour,
 * for the resolution of `screen`. Waves shorter than the closest rows are none, and those longer
 * than 420 mm no waves on a sheet. `measured`: 1: strengths are those of the dots that the screens
 * make; 0: of round dots, which takes no screens. */
RO_API
ro_status ro_moire_find(ro_context *context, const ro_screen_options *screen, const ro_ink *inks,
                        int count, int measured, ro_moire *moire);

/* Sets the angles of the inks so that as little is seen as whole and half degrees allow: of moiré,
 * of shifts, and of the rows of dots, which are seen least aslant. `moire` may be NULL. */
RO_API
ro_status ro_angles_find(ro_context *context, const ro_screen_options *screen, ro_ink *inks,
                         int count, ro_moire *moire);

#ifdef __cplusplus
}
#endif

#endif
