/* SPDX-License-Identifier: MIT */
/*
 * Rows of options that mean the same in several families or commands, each written once. A macro
 * is what follows MEMBER(x) in a row, and fields that differ follow it:
 *
 *     {MEMBER(dpi), ROW_DPI},
 *     {MEMBER(seed), ROW_SEED, .trait = RO_OPTION_SEED},
 *
 * tools/describe.py counts rows of one name and one sentence once. Rows about files are in
 * cli/common/shared_rows.h.
 */
#ifndef RO_OPTIONS_SHARED_ROWS_H
#define RO_OPTIONS_SHARED_ROWS_H

#define ROW_SEED "N", "seed of random numbers", .preset = "0"
#define ROW_LINEAR NULL, "take samples as sRGB and compute in linear light"

/* Time steps on a grid of pixels. */
#define ROW_NUMBER "Q", "the number system to work in"
#define ROW_SCHEDULE "S", "how the CPU runs it, with the same bits", .preset = "auto"
#define ROW_ITERATIONS "N", "time steps", .min = 1, .max = 1 << 30
#define ROW_TIME_STEP "T", "the time step", .max = 1e6, .above_min = 1
#define ROW_SIGMA "S", "smoothing of the gradient in pixels"
#define ROW_SMOOTH "S", "smoothing of intensities in pixels", .max = 64

/* Colours of a palette. */
#define ROW_FIT                                                                                    \
    "F", "fit the picture to what the palette can show",                                           \
        .preset = "auto", .needs = "palette",                                                      \
        .words = RO_WORDS({"auto", .value = RO_FIT_AUTO,                                           \
                           .help = "as full for built-in palettes whose name ends in -panel"},     \
                          {.name = "none", .value = RO_FIT_NONE},                                  \
                          {"full", .value = RO_FIT_FULL,                                           \
                           .help = "black and white become those of the palette, and colours "     \
                                   "are drawn into what can be mixed, so that shades stay apart"})

/* The resolution of what is printed or seen. */
#define ROW_DPI "D", "resolution in pixels per inch", .max = 1e6, .above_min = 1

#define ROW_DISTANCE                                                                               \
    "MM", "viewing distance in millimetres", .max = 1e6, .above_min = 1, .preset = "300"

/* Threshold arrays and dots in rows. */
#define ROW_CELL "N", "cells per side of the screen", .min = 1, .max = 1 << 20
#define ROW_LPI "L", "lines of dots per inch", .max = 1e6, .above_min = 1
#define ROW_ANGLE                                                                                  \
    "A", "angle of the rows of dots in degrees, counterclockwise", .min = -360, .max = 360,        \
                                                                   .preset = "0"
#define ROW_SHAPE "S", "shape of dots"
#define WORDS_OF_SHAPE(am)                                                                         \
    RO_WORDS({.name = "round"}, {"ellipse", .needs = am}, {"square", .needs = am},                 \
             {.name = "diamond"}, {.name = "line"}, {"euclidean", .needs = am},                    \
             {"cross", .needs = am})
#define ROW_DOT                                                                                    \
    "N", "pixels of the smallest dot and hole", .min = 1, .max = 1000000,                          \
                                                .derived = "1; 4 with green noise"

/* Prints as they are seen. */
#define ROW_GAIN "D", "ink pixels print as discs D pixels wide", .min = 1, .max = 3
#define ROW_YULE_NIELSEN "N", "spread of light in the paper", .min = 1, .max = 10

/* Holograms. */
#define OF_SIDECAR "of the sidecar"
#define ROW_WAVELENGTH "L", "wavelength of the light", .topic = "optics"
#define ROW_TARGET "T", "what is to be seen", .topic = "make refine"
#define ROW_PHASE "P", "phases of the light", .topic = "make refine"
#define ROW_VIEW_SPECIFIC                                                                          \
    NULL, "compute only the light that reaches the viewing area",                                  \
        .topic = "make",                                                                           \
        .more =                                                                                    \
            "All other light, which no viewer sees, would take its share of the modulator. Much "  \
            "faster than whole planes, and memory is bounded at any size: the field goes to the "  \
            "file "                                                                                \
            "row by row."
#define ROW_WEIGHTS "W", "weights that errors are passed on with", .topic = "quantize"
#define ROW_REFINE                                                                                 \
    "N", "make the light fit target: N iterations, or N passes with few levels",                   \
        .topic = "refine", .min = 1, .max = 100000
#define ROW_AWAY                                                                                   \
    "L", "distance from IN to the target or OUT, positive with the light",                         \
        .topic = "refine propagate", .min = -100, .max = 100, .unit = "m"

#endif
