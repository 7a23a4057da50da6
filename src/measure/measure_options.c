/* SPDX-License-Identifier: MIT */
/* The options of a measurement, one row each. */
#include "measure/measure.h"
#include "options/shared_rows.h"
#include "options/table.h"

#define MEMBER(member) RO_MEMBER(ro_measure_options, member)

static const ro_option rows[] = {
    {MEMBER(dpi), ROW_DPI, .preset = "300",
     .more = "Without it the command takes the resolution that RESULT or else ORIGINAL states, "
             "unless that is 72 or 96, which programs write when they do not know."},
    {MEMBER(distance), ROW_DISTANCE},
    {MEMBER(linear), ROW_LINEAR,
     .more = "Errors are those of light. Black and white are the same in light."},
    {MEMBER(tile), "N", "side in pixels of the squares that texture is measured in", .preset = "64",
     .topic = "texture",
     .words = RO_WORDS({.name = "16", .value = 16}, {.name = "32", .value = 32},
                       {.name = "64", .value = 64}, {.name = "128", .value = 128},
                       {.name = "256", .value = 256})},
    {MEMBER(border), "N", "pixels that count as border", .min = 1, .max = 1 << 20, .preset = "16",
     .topic = "texture"},
    {MEMBER(gain), ROW_GAIN, .topic = "print", .derived = "squares",
     .more = "RESULT has two levels then, black being ink."},
    {MEMBER(yule_nielsen), ROW_YULE_NIELSEN, .topic = "print", .derived = "light does not spread",
     .more = "RESULT has two levels then, black being ink. Light spreads over 0.2 mm."},
    {MEMBER(adapted)},
    {0},
};

static const ro_measure_options unset = RO_MEASURE_OPTIONS;

const ro_option_table measure_table = {
    .name = "measure",
    .structure = "ro_measure_options",
    .initialiser = "RO_MEASURE_OPTIONS",
    .rows = rows,
    .unset = &unset,
    .size = sizeof unset,
};
