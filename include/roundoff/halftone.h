/* SPDX-License-Identifier: MIT */
/*
 * Halftoning: tone and colour, methods, screens, whole images and streams. Part of roundoff.h.
 */
#ifndef ROUNDOFF_HALFTONE_H
#define ROUNDOFF_HALFTONE_H

#include "roundoff/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Tone and colour ---------------------------------------------------------------------- */

/* A point of a tone curve: tone in, tone out, 0 (black) to 1 (white). */
typedef struct ro_tone_point {
    double in, out;
} ro_tone_point;

enum { RO_CURVE_POINTS = 4096 };

/* What is done to samples before any method sees them, in this order: invert, brightness, contrast,
 * gamma, linear, then grey from colour, then the curve or the dot gain. */
typedef struct ro_tone {
    int invert;                 /* 1: black becomes white */
    double brightness;          /* -100 to 100 percent of white, added */
    double contrast;            /* -100 to 100 percent more slope about the middle */
    double gamma;               /* 0.1 to 10: tone to the power 1/gamma; 0: 1 */
    int linear;                 /* 1: samples are sRGB and become linear light */
    const ro_tone_point *curve; /* points in growing order of `in`; `out` must not fall */
    int curve_points;           /* 2 to RO_CURVE_POINTS; 0: no curve */
    double dot_gain; /* above 0 to 45 percent, instead of a curve: what 50 percent of ink prints as,
                        minus 50. The print's light is that of samples in sRGB then; shares of inks
                        stay as they are but for the gain */
} ro_tone;

/* Colours to choose from, as sRGB; 2 to 256. */
typedef struct ro_palette {
    int count;
    uint8_t colours[256][3]; /* red, green, blue */
    int panel; /* 1: as inks of a panel look, which is darker and duller than their names: pictures
                  are fitted to them, and rounded by the method fan, unless options say otherwise */
} ro_palette;

/* Whether a picture is fitted to what its palette can show. */
typedef enum ro_fit {
    RO_FIT_AUTO = 0, /* if the palette is of a panel */
    RO_FIT_NONE,
    RO_FIT_FULL,
} ro_fit;

/* A palette that has a name, with the source of its colours. */
typedef struct ro_palette_info {
    const char *name;
    const char *summary;
    const char *source;
} ro_palette_info;

/* The built-in palettes, in order; NULL past the end. */
RO_API
const ro_palette_info *ro_palette_at(int number);

/* A palette from text: the name of a built-in one, "rgb:N" or "grey:N" for N even steps, or colours
 * by the names of CSS or as rgb or rrggbb, with or without #, separated by spaces or commas: "black
 * white #c00000". */
RO_API
ro_status ro_palette_parse(ro_context *context, const char *text, ro_palette *palette);

/* The 2 to 256 colours that a picture is told best by, the darkest first; fewer where it has fewer.
 * `tone` is what is done to its samples first, or NULL. The same picture always has the same. */
RO_API
ro_status ro_palette_adapt(ro_context *context, const ro_image *in, const ro_tone *tone, int count,
                           ro_palette *palette);

/* An ink of a separation, with a screen of its own for the method am. */
enum { RO_INKS_MOST = 8 };
typedef struct ro_ink {
    const char *name;           /* in messages and in the names of files: letters, digits and - */
    uint8_t colour[3];          /* of paper that is covered with it, as sRGB */
    double lpi, degrees;        /* 0 lines per inch: those of the options */
    const char *shape;          /* NULL: that of the options */
    const ro_tone_point *curve; /* instead of that of the tone; NULL: that */
    int curve_points;
} ro_ink;

/* A separation of your own, as a device's profile has it: shares of inks at RO_SEPARATION_SIDE even
 * steps of sRGB's red, green and blue each, blue changing first, 65535 being all of an ink. Between
 * the steps shares are interpolated in tetrahedra. */
enum { RO_SEPARATION_SIDE = 33 };
typedef struct ro_separation {
    int inks;         /* 1 to RO_INKS_MOST */
    uint16_t *shares; /* RO_SEPARATION_SIDE^3 times one for each ink */
} ro_separation;

/* What a colour picture is halftoned as. Inks have two levels each. As RO_INDEX8 a bit of each
 * pixel is an ink, the first the highest, and a bit that is set is ink; as RO_BITS they are plates,
 * white being paper: `out` then has as many rows for each row of `in` as there are inks, one after
 * another, and a stream gives such rows together, each ro_format_row_bytes(RO_BITS, width) long. */
typedef enum ro_channels {
    RO_CHANNELS_GREY = 0, /* one plane: its luma */
    RO_CHANNELS_RGB,      /* red, green and blue, each on its own, into RO_RGB8 or RO_RGB16 */
    RO_CHANNELS_CMYK,     /* cyan 8, magenta 4, yellow 2 and black 1 */
    RO_CHANNELS_INKS,     /* the 1 to 8 inks of the options, of any colours */
} ro_channels;

/* ---- Halftoning --------------------------------------------------------------------------- */

/* A kernel of error diffusion: weight/divisor of a pixel's error goes to the pixel dx to the right
 * and dy below. Taps go to pixels still to come (dy > 0, or dy = 0 and dx > 0), at most 7 columns
 * and 3 rows away; the sizes of the weights sum to the divisor at most. */
enum { RO_KERNEL_TAPS = 24 };
typedef struct ro_kernel {
    int divisor; /* 1 to 4095 */
    int count;
    struct {
        int dx, dy, weight;
    } taps[RO_KERNEL_TAPS];
} ro_kernel;

enum { RO_THRESHOLD_BALANCED = 256 };

/* The samples of black and white. */
typedef enum ro_range {
    RO_RANGE_AUTO = 0, /* full; of a video, what it says of itself */
    RO_RANGE_FULL,     /* 0 and maxval, of floats 0 and 1 */
    RO_RANGE_LIMITED,  /* 16 and 235 of 8 bits, 64 and 940 of 10 and so on, as video has it */
} ro_range;

typedef struct ro_halftone_options {
    /* RO_HALFTONE_OPTIONS sets it. */
    size_t size;
    /* How to round; list shows the methods: one of 38 words. Default (NULL): acuity up to 16
     * levels, else floyd-steinberg; am with lpi, screen with screen, fan with a palette of a panel.
     * */
    const char *method;
    /* Levels of the output: a whole number from 2 to 65536. Default (0): 2. */
    int levels;
    /* How the CPU runs it, with the same bits: auto, wave, ed, ec, pwed, pwec, bwed or bwec.
     * Default (NULL): auto. */
    const char *schedule;
    /* Seed of random numbers: a whole number from 0 to 2^64 - 1. Default (0): 0. */
    uint64_t seed;
    /* Share of each error that is passed on: a whole percentage from 1 to 100. Default
     * (RO_DEFAULT): 100. */
    int strength;
    /* Noise added to the threshold; 100% is half a step: a whole percentage from 0 to 100. Default
     * (0): 0. */
    int noise;
    /* Where white begins between a level and the next: a whole percentage from 1 to 99 or balanced.
     * Default (RO_DEFAULT): 50. */
    int threshold;
    /* Odd rows run from right to left, all on one thread. */
    int serpentine;
    /* Match another program byte for byte: pillow, netpbm, zimg or paper. Default (NULL): none. */
    const char *like;
    /* A kernel of your own instead of a method. */
    const ro_kernel *kernel;
    ro_tone tone;
    /* NULL: levels; else these colours. */
    const ro_palette *palette;
    /* Fit the picture to what the palette can show: auto, none or full. Default (0): auto. */
    ro_fit fit;
    /* What colour becomes: grey, rgb, cmyk or inks. Default (0): grey. */
    ro_channels channels;
    /* Share of grey that black ink replaces: a percentage from 0 to 100. Default (RO_DEFAULT): 100.
     * */
    double black_ink;
    /* Ink at most, all inks together: a percentage above 0, up to 800. Default (0): none. */
    double ink_limit;
    /* Grey in as many levels as it has colours, which stand for them, the first for black; into
     * RO_INDEX8 or RO_RGB8. */
    const ro_palette *recolour;
    /* Inks: those of RO_CHANNELS_INKS, or the screens and curves of the four of RO_CHANNELS_CMYK,
     * which have angles of 15, 75, 0 and 45 degrees without them. */
    const ro_ink *inks;
    int ink_count;
    /* Cells per side of the screen: a whole number from 1 to 1048576. Default (0): by the method.
     * */
    int cell;
    /* Of CMYK or of inks; NULL: by black generation, or by the inks' colours. */
    const ro_separation *separation;
    /* Lines of dots per inch: a number above 0, up to 1000000. Default (0): an eighth of dpi. */
    double lpi;
    /* Angle of the rows of dots in degrees, counterclockwise: a number from -360 to 360. Default
     * (0): 0. */
    double angle;
    /* Resolution in pixels per inch: 1 to 2 numbers above 0, up to 1000000. Default (0): that of
     * IN. */
    double dpi;
    /* From row to row; 0: as dpi. */
    double dpi_y;
    /* Shape of dots: round, ellipse, square, diamond, line, euclidean or cross. Default (NULL):
     * round; euclidean with dot. */
    const char *shape;
    /* A dot of your own instead of a shape: what is dark prints first. */
    const ro_image *spot;
    /* The threshold image of the method "screen"; dbs-clipping-free takes a square one, too. */
    const ro_image *screen;
    /* Pixels of the smallest dot and hole: a whole number from 1 to 1000000. Default (0): 1; 4 with
     * green noise. */
    int dot;
    /* Stop after N rounds: a whole number from 1 to 1000000. Default (RO_DEFAULT): when nothing
     * changes. */
    int rounds;
    /* Viewing distance in millimetres: a number above 0, up to 1000000. Default (0): 300 unless
     * sigma is given. */
    double distance;
    /* A Gaussian eye of S pixels instead: a number above 0, up to 1000. Default (0): none; 1.2 with
     * aim picture. */
    double sigma;
    /* What a search compares with the blurred halftone: seen or picture. Default (NULL): seen. */
    const char *aim;
    /* Where a search begins: a method, random, or a file. Default (NULL): acuity. */
    const char *start;
    /* A halftone of `in` to start from instead: RO_BITS, or grey, which is white above the
     * middle. */
    const ro_image *first;
    /* Samples that are black and white, instead of a range: whole numbers of integer formats, any
     * of floats; both 0: as `range` says. What lies outside is cut off. */
    double black;
    double white;
    /* The samples that are black and white: full or limited. Default (0): full; of a video by its
     * header. */
    ro_range range;
    /* Bands of rows that a thread of error diffusion runs by turns, at most: with
     * ro_plan_info.rows times as many rows a piece hands on its first columns soon after it began;
     * 0: 1. The bits are the same. */
    int abreast;
    /* How far a search goes: fast or best. Default (NULL): best. */
    const char *quality;
    /* A search only exchanges pixels, so that each colour keeps its count. */
    int swaps;
} ro_halftone_options;
#define RO_HALFTONE_UNSET(UNSET) UNSET(strength) UNSET(threshold) UNSET(rounds) UNSET(black_ink)
#define RO_HALFTONE_DEFAULTS RO_DEFAULTS_OF(ro_halftone_options, RO_HALFTONE_UNSET)
#define RO_HALFTONE_OPTIONS RO_OPTIONS_OF(ro_halftone_options, RO_HALFTONE_UNSET)
RO_API
void ro_halftone_options_init(ro_halftone_options *options, size_t size);

/* A method as `roundoff halftone --list` shows it. */
typedef struct ro_method {
    const char *name;
    const char *family;
    const char *summary;
    const char *paper;
} ro_method;

/* The halftoning methods, in order; NULL past the end. */
RO_API
const ro_method *ro_halftone_method_at(int number);

/* Halftones `in` (grey, RGB or float; colour becomes grey by a stated luma) into `out`, of the same
 * size: RO_BITS (2 levels), RO_INDEX8 (level numbers), RO_GREY8 (levels as tones, maxval 255; with
 * tone.linear as sRGB of their light) or
 * RO_GREY16 (level numbers, which are tones up to levels - 1; error diffusion with kernels and
 * ordered dithering only); RO_RGB8 (tones) or RO_RGB16 (numbers) for RO_CHANNELS_RGB; RO_INDEX8
 * (numbers of colours) or RO_RGB8 with a palette. `in` and `out` must not overlap. */
RO_API
ro_status ro_halftone(ro_context *context, const ro_image *in, ro_image *out,
                      const ro_halftone_options *options);

/* What a halftone did, as exact integers. Tones count in 16ths of the input's levels, after any
 * steps of tone; white is 16 times maxval. */
typedef struct ro_halftone_audit {
    size_t size; /* of the structure; set it before the call */
    const char *method;
    int64_t white;
    int64_t tone_in, tone_out; /* sums over all pixels */
    uint64_t unlike;           /* pixels whose level is not the one that the method chooses there */
    uint32_t unlike_x, unlike_y; /* the first of them */

    /* Error diffusion, where nothing is lost but what is named here:
     * divisor * tone_in = divisor * tone_out + border + carried + lost. */
    int diffused;
    int64_t divisor;
    int64_t border;  /* went over the borders */
    int64_t carried; /* remainders left at the ends of rows */
    int64_t lost;    /* was not passed on: strength, kernels whose weights do not sum up, and what
                      * acuity cuts off */

    /* Direct binary search: errors are sums of squares in units of (1 / 65536)^2. */
    int searched;
    uint64_t error; /* of the picture */
    uint64_t rounds, changes;
    uint64_t improving; /* changes that one more scan would make; 0: no trial improves it */
} ro_halftone_audit;

/* Goes over a halftone of `in`, given as packed bits or numbers of levels, and accounts for it. For
 * error diffusion the errors are those of the levels given, one pixel after another by the
 * definition; other methods are run once more. Grey only: no palette, no channels. */
RO_API
ro_status ro_halftone_audit_of(ro_context *context, const ro_image *in, const ro_image *out,
                               const ro_halftone_options *options, ro_halftone_audit *audit);

#ifdef __cplusplus
}
#endif

#endif
