/* SPDX-License-Identifier: MIT */
/* The options of a registration, one row each. */
#include "options/shared_rows.h"
#include "options/table.h"
#include "register/register.h"

#define MEMBER(member) RO_MEMBER(ro_register_options, member)

static const ro_option rows[] = {
    {MEMBER(scheme), "S", "how the displacement is sought", .topic = "papers", .preset = "auto",
     .words = RO_WORDS(
         {"auto", .value = RO_SCHEME_AUTO,
          .help = "finds the start, the sign of contrast and how to compare tones"},
         {"annealed", .value = RO_SCHEME_ANNEALED,
          .help = "the default once: compares plain tones, from no start, unless told otherwise"},
         {"thesis", .value = RO_SCHEME_THESIS,
          .help = "as published: one sigma, one smoothing of the gradient, and pixels that look "
                  "beyond MOVING count too"})},
    {MEMBER(match), "M", "how tones are compared", .derived = "by the result",
     .words = RO_WORDS(
         {"ssd", .value = RO_MATCH_SSD, .help = "as they are"},
         {"ncc", .value = RO_MATCH_NCC, .help = "without the mean and the deviation round them"},
         {"ncc-size", .value = RO_MATCH_NCC_SIZE,
          .help = "whatever the sign of what is left too, for contrast that is "
                  "turned round in places"}),
     .more = "By default `ncc`, then `ssd` where the field followed noise and `ssd` leaves the "
             "images more alike; with the other schemes `ssd`."},
    {MEMBER(init), "I", "the map that the search starts from", .topic = "tuning",
     .derived = "affine",
     .words =
         RO_WORDS({"none", .value = RO_START_NONE}, {"translation", .value = RO_START_TRANSLATION},
                  {"affine", .value = RO_START_AFFINE}),
     .more = "Maps are found by phase correlation. With the other schemes the default is `none`."},
    {MEMBER(number), "Q", "the number system that the field is rounded to", .topic = "tuning",
     .preset = "s23e8", .words = RO_WORDS({.name = "s23e8"}, {.name = "s16e7"}, {.name = "s10e5"}),
     .more = "Images, gradients and sums stay floats."},
    {MEMBER(scales), "N", "scales of the images, from coarse to fine", .topic = "tuning", .min = 1,
     .max = RO_REGISTER_SCALES, .derived = "10; 15 with the other schemes"},
    {MEMBER(sigma), ROW_SIGMA, .topic = "tuning", .min = 1e-3, .max = 1e6,
     .derived = "a 36th of the longer side, with the other schemes a 32nd, at least 12",
     .more = "It is that of the last scale; at the first it is twice the longer side."},
    {MEMBER(record)},
    {MEMBER(fixed_mask)},
    {MEMBER(moving_mask)},
    {MEMBER(transform), "T", "the kind of map that is wanted", .preset = "dense",
     .words =
         RO_WORDS({"dense", .value = RO_TRANSFORM_DENSE, .help = "a displacement of each pixel"},
                  {"translation", .value = RO_TRANSFORM_TRANSLATION},
                  {"rigid", .value = RO_TRANSFORM_RIGID, .help = "translation and rotation"},
                  {"similarity", .value = RO_TRANSFORM_SIMILARITY, .help = "and one scale"},
                  {"affine", .value = RO_TRANSFORM_AFFINE},
                  {"homography", .value = RO_TRANSFORM_HOMOGRAPHY, .help = "and perspective"}),
     .more = "It is the map nearest to the displacement that was found, places that are far off "
             "counting less."},
    {0},
};

static const ro_register_options unset = RO_REGISTER_OPTIONS;

const ro_option_table register_table = {
    .name = "register",
    .structure = "ro_register_options",
    .initialiser = "RO_REGISTER_OPTIONS",
    .rows = rows,
    .unset = &unset,
    .size = sizeof unset,
};
