/* SPDX-License-Identifier: MIT */
/* The options of a segmentation by level sets, one row each. */
#include "options/shared_rows.h"
#include "options/table.h"
#include "segment/segment.h"

#define MEMBER(member) RO_MEMBER(ro_segment_options, member)

/* Numbers and norms have no preset: to name one, even the usual one, asks for level sets. */
static const ro_option rows[] = {
    {MEMBER(number), ROW_NUMBER, .topic = "steps", .derived = "s16",
     .words = RO_WORDS({.name = "u8"}, {.name = "s12"}, {.name = "s16"},
                       {"s23e8", .help = "floats"}, {"float", .alias = "s23e8"})},
    {MEMBER(norm), "N", "the norm of the gradient", .topic = "steps", .derived = "lin",
     .words = RO_WORDS({"lin", .help = "makes octagons of discs"}, {"euclid", .help = "does not"},
                       {.name = "interpolative"}, {.name = "volume"}, {.name = "interpolative-2"},
                       {.name = "volume-2"}, {.name = "mean-error"}, {.name = "mean-error-2"}),
     .more = "All but `euclid` are linear."},
    {MEMBER(schedule), ROW_SCHEDULE, .topic = "steps",
     .words = RO_WORDS({.name = "auto"}, {"reference", .help = "pixel by pixel"},
                       {"passes", .help = "a step in one pass over the rows"},
                       {"stream", .help = "many steps in one pass"},
                       {"active", .help = "leaves out what does not move"},
                       {"fused", .help = "that of a CUDA device"}),
     .more = "Competing fronts have `auto` and `reference`."},
    {MEMBER(iterations), ROW_ITERATIONS, .topic = "steps",
     .derived = "at most 32 times the sum of width and height"},
    {MEMBER(time_step), ROW_TIME_STEP, .topic = "steps",
     .derived = "the largest for which nothing overshoots"},
    {MEMBER(smooth), ROW_SMOOTH, .topic = "speed fronts",
     .derived = "0; of competing fronts by the noise"},
    {MEMBER(sigma), ROW_SIGMA, .topic = "speed", .max = 64, .preset = "0",
     .more = "It is the gradient that `edge` looks at."},
    {MEMBER(speed)},
    {MEMBER(seeds)},
    {MEMBER(seed_count)},
    {MEMBER(mask)},
    {MEMBER(distance)},
    {MEMBER(velocity)},
    {MEMBER(frame_every), .max = UINT32_MAX},
    {MEMBER(frame)},
    {MEMBER(frame_data)},
    {MEMBER(vectors)},
    {MEMBER(factor)},
    {0},
};

static const ro_segment_options unset = RO_SEGMENT_OPTIONS;

const ro_option_table segment_table = {
    .name = "segment",
    .structure = "ro_segment_options",
    .initialiser = "RO_SEGMENT_OPTIONS",
    .rows = rows,
    .unset = &unset,
    .size = sizeof unset,
};
