/* SPDX-License-Identifier: MIT */
/* The options of scenes and of views, one row each. */
#include "hologram/scene/picture_light.h"
#include "hologram/scene/scene.h"
#include "hologram/scene/scene_light.h"
#include "options/shared_rows.h"
#include "options/table.h"

#include <limits.h>

#define PHASES                                                                                     \
    .preset = "random",                                                                            \
    .words = RO_WORDS(                                                                             \
        {.name = "random", .value = PICTURE_RANDOM},                                               \
        {.name = "constant", .value = PICTURE_CONSTANT},                                           \
        {"smooth", .value = PICTURE_SMOOTH, .help = "towards the viewer, each layer by itself"},   \
        {"spherical", .value = PICTURE_SPHERICAL,                                                  \
         .help = "towards the viewer, all layers together"},                                       \
        {"given", .value = PICTURE_GIVEN, .help = "those of the pictures or points"},              \
        {"quadratic", .value = PICTURE_SMOOTH, .alias = "smooth"})

/* ---- The paper's scene ------------------------------------------------------------------------
 */

#define MEMBER(member) RO_MEMBER(ro_hologram_scene, member)
static const ro_option scene_rows[] = {
    {MEMBER(target), ROW_TARGET, .preset = "dice",
     .words = RO_WORDS({"dice", .value = SCENE_DICE_TARGET, .help = "three before a checkerboard"},
                       {.name = "disc", .value = SCENE_DISC}, {.name = "ring", .value = SCENE_RING},
                       {.name = "bars", .value = SCENE_BARS})},
    {MEMBER(phase), ROW_PHASE, .preset = "random",
     .words = RO_WORDS({.name = "random", .value = PICTURE_RANDOM},
                       {.name = "smooth", .value = PICTURE_SMOOTH})},
    {MEMBER(seed), ROW_SEED},
    {MEMBER(optics)},
    {MEMBER(layers), "N", .min = 1, .max = SCENE_LAYERS},
    {MEMBER(view_specific), ROW_VIEW_SPECIFIC},
    {MEMBER(rows)},
    {MEMBER(rows_to)},
    {0},
};
#undef MEMBER
static const ro_hologram_scene scene_unset = RO_HOLOGRAM_SCENE;
const ro_option_table scene_table = {
    .name = "hologram-scene",
    .structure = "ro_hologram_scene",
    .initialiser = "RO_HOLOGRAM_SCENE",
    .rows = scene_rows,
    .unset = &scene_unset,
    .size = sizeof scene_unset,
};

/* ---- Pictures ---------------------------------------------------------------------------------
 */

#define MEMBER(member) RO_MEMBER(ro_picture_scene, member)
static const ro_option picture_rows[] = {
    {MEMBER(pictures)},
    {MEMBER(count), "N", .max = INT_MAX},
    {MEMBER(layers), "N", .min = 1, .max = PICTURE_LAYERS},
    {MEMBER(phase), ROW_PHASE, PHASES},
    {MEMBER(seed), ROW_SEED},
    {MEMBER(optics)},
    {MEMBER(view_specific), ROW_VIEW_SPECIFIC},
    {MEMBER(rows)},
    {MEMBER(rows_to)},
    {0},
};
#undef MEMBER
static const ro_picture_scene picture_unset = RO_PICTURE_SCENE;
const ro_option_table pictures_table = {
    .name = "hologram-pictures",
    .structure = "ro_picture_scene",
    .initialiser = "RO_PICTURE_SCENE",
    .rows = picture_rows,
    .unset = &picture_unset,
    .size = sizeof picture_unset,
};

/* ---- Points -----------------------------------------------------------------------------------
 */

#define MEMBER(member) RO_MEMBER(ro_point_scene, member)
static const ro_option point_rows[] = {
    {MEMBER(points)},         {MEMBER(count), "N"}, {MEMBER(phase), ROW_PHASE, PHASES},
    {MEMBER(seed), ROW_SEED}, {MEMBER(optics)},     {MEMBER(view_specific), ROW_VIEW_SPECIFIC},
    {MEMBER(rows)},           {MEMBER(rows_to)},    {0},
};
#undef MEMBER
static const ro_point_scene point_unset = RO_POINT_SCENE;
const ro_option_table points_table = {
    .name = "hologram-points",
    .structure = "ro_point_scene",
    .initialiser = "RO_POINT_SCENE",
    .rows = point_rows,
    .unset = &point_unset,
    .size = sizeof point_unset,
};

/* ---- Views ------------------------------------------------------------------------------------
 */

#define MEMBER(member) RO_MEMBER(ro_view, member)
static const ro_option view_rows[] = {
    {MEMBER(optics)},
    {MEMBER(depth), "L", .min = -100, .max = 100, .unit = "m"},
    {MEMBER(scale), "I", "the intensity of white", .topic = "reconstruct", .max = 1e30,
     .above_min = 1, .derived = "mean plus standard deviation of each view",
     .words = RO_WORDS({"none", .value = RO_SCALE_NONE,
                        .help = "intensities as they are, for floating point numbers"}),
     .more = "What was taken is printed."},
    {0},
};
#undef MEMBER
static const ro_view view_unset = RO_VIEW;
const ro_option_table view_table = {
    .name = "hologram-view",
    .structure = "ro_view",
    .initialiser = "RO_VIEW",
    .rows = view_rows,
    .unset = &view_unset,
    .size = sizeof view_unset,
};
