/* SPDX-License-Identifier: MIT */
/* The options of spots behind a lens, one row each. */
#include "options/shared_rows.h"
#include "options/table.h"
#include "roundoff/hologram.h"

#include <limits.h>

#define MEMBER(member) RO_MEMBER(ro_spots, member)
static const ro_option rows[] = {
    {MEMBER(spots)},
    {MEMBER(count)},
    {RO_MEMBER_AS(ro_spots, focal, "lens"), "L", "focal length of the lens behind the modulator",
     .topic = "show", .max = 100, .above_min = 1, .unit = "m",
     .more = "The modulator stands in its front focal plane; TARGET is a list of spots then: x, y, "
             "z and weight (of the intensity), x and y from the axis in the back focal plane and z "
             "behind it, in metres, y upwards."},
    {MEMBER(iterations), "N", .max = INT_MAX},
    {MEMBER(seed), ROW_SEED},
    {0},
};
#undef MEMBER

static const ro_spots unset = RO_SPOTS;
const ro_option_table spots_table = {
    .name = "hologram-spots",
    .structure = "ro_spots",
    .initialiser = "RO_SPOTS",
    .rows = rows,
    .unset = &unset,
    .size = sizeof unset,
};
