/* SPDX-License-Identifier: MIT */
/* The options of a refinement and of frames in time, one row each. */
#include "hologram/refine/refine.h"
#include "options/shared_rows.h"
#include "options/table.h"

#include <limits.h>

#define MEMBER(member) RO_MEMBER(ro_refinement, member)
static const ro_option refinement_rows[] = {
    {MEMBER(target)},
    {MEMBER(distance), ROW_AWAY},
    {MEMBER(region), "X,Y,W,H", "part of the target that counts, in pixels", .topic = "refine",
     .max = UINT32_MAX - 1.0, .count = 4, .derived = "round all that is not black"},
    {MEMBER(light), "P%", "share of the light that the region should get", .topic = "refine",
     .max = 100, .above_min = 1, .unit = "%", .derived = "by the levels"},
    {MEMBER(refine), ROW_REFINE, .preset = "auto",
     .words = RO_WORDS({"auto", .value = RO_DEFAULT, .help = "50 iterations or 10 passes"})},
    {MEMBER(iterations), "N", .max = INT_MAX},
    {MEMBER(passes), "N", .max = INT_MAX},
    {MEMBER(edges), "E", "what surrounds the modulator", .topic = "refine", .preset = "dark",
     .words = RO_WORDS({"dark", .value = EDGES_DARK, .help = "nothing"},
                       {"wrap", .value = EDGES_WRAP, .help = "itself, repeated"})},
    {MEMBER(planes)},
    {MEMBER(plane_count), "N", .max = REFINE_PLANES - 1},
    {0},
};
#undef MEMBER
static const ro_refinement refinement_unset = RO_REFINEMENT;
const ro_option_table refinement_table = {
    .name = "hologram-refine",
    .structure = "ro_refinement",
    .initialiser = "RO_REFINEMENT",
    .rows = refinement_rows,
    .unset = &refinement_unset,
    .size = sizeof refinement_unset,
};

#define MEMBER(member) RO_MEMBER(ro_frames, member)
static const ro_option frames_rows[] = {
    {RO_MEMBER_AS(ro_frames, count, "frames"), "N", "frames in time whose mean intensity is IN's",
     .topic = "refine", .min = 1, .max = 1024,
     .more = "They are files numbered -1 to -N. What one frame shows too much or too little of in "
             "the `window`, at `distance` if that is given, the next ones make up for."},
    {MEMBER(distance), ROW_AWAY},
    {MEMBER(phase), ROW_PHASE, .preset = "random",
     .words = RO_WORDS(
         {"random", .value = 0, .help = "others in every frame"},
         {"smooth", .value = 1, .help = "those of the field, turned from frame to frame"})},
    {MEMBER(seed), ROW_SEED},
    {MEMBER(independent)},
    {MEMBER(refine)},
    {0},
};
#undef MEMBER
static const ro_frames frames_unset = RO_FRAMES;
const ro_option_table frames_table = {
    .name = "hologram-frames",
    .structure = "ro_frames",
    .initialiser = "RO_FRAMES",
    .rows = frames_rows,
    .unset = &frames_unset,
    .size = sizeof frames_unset,
};
