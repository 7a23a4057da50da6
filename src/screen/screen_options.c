/* SPDX-License-Identifier: MIT */
/* The options of a screen, one row each. */
#include "options/shared_rows.h"
#include "options/table.h"
#include "screen/screen.h"

#define MEMBER(member) RO_MEMBER(ro_screen_options, member)
#define AM "kind=am"

static const ro_option rows[] = {
    {MEMBER(kind), .preset = "void-and-cluster",
     .words = RO_WORDS({"void-and-cluster", .value = SCREEN_KIND_VOID,
                        .help = "blue noise: even, without a pattern"},
                       {"bayer", .value = SCREEN_KIND_BAYER,
                        .help = "dispersed dots; the size is a power of two"},
                       {"clustered-dot", .value = SCREEN_KIND_CLUSTERED,
                        .help = "dots that grow from a centre, at 0 or 45 degrees"},
                       {"uniform", .value = SCREEN_KIND_UNIFORM,
                        .help = "the shadows of dbs-clipping-free: levels spread evenly, up to one "
                                "half"},
                       {"am", .value = SCREEN_KIND_AM,
                        .help = "dots in rows: lines per inch at any angle, for a resolution"},
                       {"green-noise", .value = SCREEN_KIND_GREEN,
                        .help = "dots of some pixels, even, without a pattern"},
                       {"blue-noise", .alias = "void-and-cluster"},
                       {"dispersed-dot", .alias = "bayer"}, {"clustered", .alias = "clustered-dot"},
                       {"dots-in-rows", .alias = "am"}, {"green", .alias = "green-noise"})},
    {MEMBER(cell), ROW_CELL, .trait = SCREEN_OPTION_CELL,
     .derived = "64; 8 for bayer and clustered-dot, 128 for green-noise, 512 for uniform",
     .more = "Of void-and-cluster they are 2 to 1024, of uniform up to 1024, of green-noise 16 to "
             "256, of bayer and clustered-dot 2 to 256, and of bayer a power of two."},
    {MEMBER(seed), ROW_SEED, .trait = SCREEN_OPTION_SEED},
    {MEMBER(angle), ROW_ANGLE, .topic = "dots", .trait = SCREEN_OPTION_ANGLE,
     .more = "The screen clustered-dot has 0 or 45 degrees."},
    {MEMBER(shape), ROW_SHAPE, .topic = "dots show", .trait = SCREEN_OPTION_SHAPE,
     .derived = "round; euclidean with dot", .words = WORDS_OF_SHAPE(AM)},
    {MEMBER(format), .preset = "gray16",
     .words =
         RO_WORDS({.name = "gray16", .value = RO_GREY16}, {.name = "grayf", .value = RO_GREYF})},
    {MEMBER(ranks), .needs = "format=gray16"},
    {MEMBER(lpi), ROW_LPI, .topic = "dots show", .trait = SCREEN_OPTION_LINES,
     .derived = "an eighth of dpi",
     .more = "A file holds a plain rectangle of at most 4096 cells a side, which may be less exact "
             "than what halftone makes with `lpi`; the report says what was reached."},
    {MEMBER(dpi), ROW_DPI, .topic = "dots show", .trait = SCREEN_OPTION_LINES, .count = 2,
     .least = 1, .derived = "300 without lpi",
     .more = "600x300 is 300 from row to row."}, /* dpi_y */
    {MEMBER(spot), .trait = SCREEN_OPTION_LINES, .excludes = "shape"},
    {MEMBER(dot), ROW_DOT, .topic = "dots show", .trait = SCREEN_OPTION_DOT},
    {0},
};

static const ro_screen_options unset = RO_SCREEN_OPTIONS;

static unsigned traits_of(const char *kind)
{
    ro_screen_options options = RO_SCREEN_OPTIONS;
    options.kind = kind;
    return screen_kinds[options_word(&screen_table, &options, kind)].options;
}

const ro_option_table screen_table = {
    .name = "screen",
    .structure = "ro_screen_options",
    .initialiser = "RO_SCREEN_OPTIONS",
    .rows = rows,
    .unset = &unset,
    .size = sizeof unset,
    .method = "kind",
    .traits = traits_of,
};

ro_status screen_take(ro_context *context, const ro_screen_options *given, const char *kind,
                      ro_screen_options *taken)
{
    ro_status status = options_read(context, &screen_table, given, taken);
    if (status == RO_OK && kind)
        taken->kind = kind;
    return status == RO_OK ? options_check(context, &screen_table, taken, taken) : status;
}
