/* SPDX-License-Identifier: MIT */
/* The physics of a field as options, one row each. */
#include "options/shared_rows.h"
#include "options/table.h"
#include "roundoff/hologram.h"

#define MEMBER(member) RO_MEMBER(ro_optics, member)

static const ro_option rows[] = {
    {MEMBER(wavelength), ROW_WAVELENGTH, .min = 1e-9, .max = 1e-3, .unit = "m",
     .derived = OF_SIDECAR "; make: 635 nm"},
    {MEMBER(pitch), "L", "distance of pixels; LxL if that of rows differs", .topic = "optics",
     .min = 1e-9, .max = 1e-2, .unit = "m", .count = 2, .least = 1,
     .derived = OF_SIDECAR "; make: 750 nm, 8 um of scenes"},
    {MEMBER(viewer), "X,Y,Z", "centre of the viewing area, z being negative", .topic = "optics",
     .min = -100, .max = 100, .unit = "m", .count = 3,
     .derived = OF_SIDECAR "; make: where the angle suffices"},
    {MEMBER(viewing_area), "WxH", "size of the viewing area", .topic = "optics", .max = 100,
     .above_min = 1, .unit = "m", .count = 2, .derived = OF_SIDECAR "; make: half of the hologram"},
    {MEMBER(depth), "L", .min = -100, .max = 100, .unit = "m"},
    {MEMBER(hogel), "N", .min = 1, .max = UINT32_MAX},
    {0},
};

static const ro_optics unset;

const ro_option_table optics_table = {
    .name = "hologram-optics",
    .structure = "ro_optics",
    .initialiser = "{0}",
    .rows = rows,
    .unset = &unset,
    .size = sizeof unset,
};
