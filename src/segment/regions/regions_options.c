/* SPDX-License-Identifier: MIT */
/* The options of competing fronts, one row each. */
#include "options/shared_rows.h"
#include "options/table.h"
#include "segment/regions/regions.h"

#define MEMBER(member) RO_MEMBER(ro_regions_options, member)

static const ro_option rows[] = {
    {MEMBER(seeds)},
    {MEMBER(seed_count)},
    {MEMBER(mask)},
    {MEMBER(factor)},
    {MEMBER(find_seeds)},
    {MEMBER(smooth), ROW_SMOOTH, .derived = "by the noise"},
    {MEMBER(schedule), ROW_SCHEDULE, .words = RO_WORDS({.name = "auto"}, {.name = "reference"})},
    {0},
};

static const ro_regions_options unset = RO_REGIONS_OPTIONS;

const ro_option_table regions_options_table = {
    .name = "regions",
    .structure = "ro_regions_options",
    .initialiser = "RO_REGIONS_OPTIONS",
    .rows = rows,
    .unset = &unset,
    .size = sizeof unset,
};
