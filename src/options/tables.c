/* SPDX-License-Identifier: MIT */
/* The list of families. */
#include "core/misuse.h"
#include "options/table.h"
#include "roundoff/command.h"

#include <string.h>

static const ro_option_table *const tables[] = {
    &halftone_table,   &denoise_table,  &measure_table,         &screen_table,
    &register_table,   &segment_table,  &regions_options_table, &optics_table,
    &scene_table,      &pictures_table, &points_table,          &hologram_table,
    &refinement_table, &spots_table,    &frames_table,          &view_table};
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
