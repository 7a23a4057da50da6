/* SPDX-License-Identifier: MIT */
/* The list of families. */
#include "core/misuse.h"
#include "options/table.h"

#include <string.h>

static const ro_option_table *const tables[] = {
    &ro_halftone_table,        &ro_denoise_table,  &ro_measure_table,
    &ro_screen_table,          &ro_register_table, &ro_segment_table,
    &ro_regions_options_table, &ro_optics_table,   &ro_scene_table,
    &ro_pictures_table,        &ro_points_table,   &ro_hologram_table,
    &ro_refinement_table,      &ro_frames_table,   &ro_view_table};
enum { TABLES = sizeof tables / sizeof *tables };

const ro_option_table *ro_options_at(int number)
{
    return number >= 0 && number < TABLES ? tables[number] : NULL;
}

const ro_option_table *ro_options_of(const char *family)
{
    if (ABSENT(family))
        return NULL;
    for (int i = 0; i < TABLES; i++)
        if (strcmp(tables[i]->name, family) == 0)
            return tables[i];
    return NULL;
}
