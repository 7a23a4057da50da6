/* SPDX-License-Identifier: MIT */
/* The functions that fill in the defaults of the structures that have a table. */
#include "core/options.h"
#include "options/table.h"
#include "roundoff.h"

enum { LARGEST = 4096 }; /* structure */

static void init(const ro_option_table *table, void *options, size_t size)
{
    _Alignas(16) unsigned char full[LARGEST];
    if (table->size <= sizeof full && options_read(NULL, table, NULL, full) == RO_OK)
        options_init(full, table->size, options, size);
}

#define INIT(structure, function, table)                                                           \
    _Static_assert(sizeof(structure) <= LARGEST, #structure);                                      \
    void function(structure *options, size_t size) { init(&table, options, size); }

INIT(ro_halftone_options, ro_halftone_options_init, halftone_table)
INIT(ro_denoise_options, ro_denoise_options_init, denoise_table)
INIT(ro_measure_options, ro_measure_options_init, measure_table)
INIT(ro_screen_options, ro_screen_options_init, screen_table)
INIT(ro_register_options, ro_register_options_init, register_table)
INIT(ro_segment_options, ro_segment_options_init, segment_table)
INIT(ro_regions_options, ro_regions_options_init, regions_options_table)
INIT(ro_hologram_options, ro_hologram_options_init, hologram_table)
INIT(ro_hologram_scene, ro_hologram_scene_init, scene_table)
INIT(ro_picture_scene, ro_picture_scene_init, pictures_table)
INIT(ro_point_scene, ro_point_scene_init, points_table)
INIT(ro_refinement, ro_refinement_init, refinement_table)
INIT(ro_spots, ro_spots_init, spots_table)
INIT(ro_frames, ro_frames_init, frames_table)
INIT(ro_view, ro_view_init, view_table)
