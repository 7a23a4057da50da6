/* SPDX-License-Identifier: MIT */
#include "halftone/kept_options.h"

#include "core/keep.h"
#include "options/table.h"

#include <stdbool.h>
#include <stdlib.h>

static void keep_inks(struct keep *keep, const ro_ink **inks, int count)
{
    const ro_ink *given = *inks;
    keep_bytes(keep, inks, (size_t)count * sizeof **inks);
    for (int i = 0; given && i < count; i++) {
        ro_ink ink = given[i];
        keep_text(keep, &ink.name);
        keep_text(keep, &ink.shape);
        keep_bytes(keep, &ink.curve, (size_t)ink.curve_points * sizeof *ink.curve);
        if (keep->memory)
            REACHED(keep, *inks, ro_ink)[i] = ink;
    }
}

static void keep_separation(struct keep *keep, const ro_separation **separation)
{
    if (!*separation)
        return;
    ro_separation own = **separation;
    const size_t steps = (size_t)RO_SEPARATION_SIDE * RO_SEPARATION_SIDE * RO_SEPARATION_SIDE;
    keep_bytes(keep, separation, sizeof **separation);
    keep_bytes(keep, &own.shares, steps * (size_t)own.inks * sizeof *own.shares);
    if (keep->memory)
        *REACHED(keep, *separation, ro_separation) = own;
}

static void keep_all(struct keep *keep, ro_halftone_options *o)
{
    options_keep_texts(keep, &halftone_table, o);
    keep_bytes(keep, &o->kernel, sizeof *o->kernel);
    keep_bytes(keep, &o->tone.curve, (size_t)o->tone.curve_points * sizeof *o->tone.curve);
    keep_bytes(keep, &o->palette, sizeof *o->palette);
    keep_bytes(keep, &o->recolour, sizeof *o->recolour);
    keep_image(keep, &o->screen, true);
    keep_image(keep, &o->spot, true);
    keep_image(keep, &o->first, false);
    keep_inks(keep, &o->inks, o->ink_count);
    keep_separation(keep, &o->separation);
}

ro_halftone_options *halftone_options_keep(const ro_halftone_options *options)
{
    ro_halftone_options own = *options;
    struct keep keep = {0};
    keep_all(&keep, &own);
    const size_t room = (sizeof own + 15) & ~(size_t)15;
    unsigned char *memory = malloc(room + keep.bytes);
    if (!memory)
        return NULL;
    keep = (struct keep){.memory = memory + room};
    keep_all(&keep, &own);
    memcpy(memory, &own, sizeof own);
    return (ro_halftone_options *)(void *)memory;
}
