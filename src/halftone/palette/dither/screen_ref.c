/* SPDX-License-Identifier: MIT */
/* Palettes by a screen as they are defined: pixel by pixel. */
#include "core/random.h"
#include "halftone/ordered/ordered.h"
#include "halftone/palette/dither/screen.h"

uint64_t palette_node(const struct palette_screen_plan *plan, struct palette_screen_known *known,
                      uint32_t node)
{
    if (known->entry[node])
        return known->entry[node];
    const uint32_t at[3] = {node % MIX_NODES, node / MIX_NODES % MIX_NODES,
                            node / (MIX_NODES * MIX_NODES)};
    const uint16_t light[3] = {plan->node_light[at[0]], plan->node_light[at[1]],
                               plan->node_light[at[2]]};
    int32_t to[3];
    palette_project(&plan->hull, light, &known->guess, to);
    uint64_t entry = palette_mix_of(&plan->mix, to);
    for (int i = 0; i < plan->exact; i++)
        for (uint32_t last = 0; last < MIX_STEP; last++) {
            const uint32_t *own = plan->exacts[i].sample;
            if ((plan->position[own[0]] + last) / MIX_STEP == at[0] &&
                (plan->position[own[1]] + last) / MIX_STEP == at[1] &&
                (plan->position[own[2]] + last) / MIX_STEP == at[2])
                entry |= MIX_NEAR_COLOUR;
        }
    return known->entry[node] = entry;
}

unsigned char palette_screen_pixel(const struct palette_screen_plan *plan,
                                   struct palette_screen_known *known, const uint32_t sample[3],
                                   struct palette_place place)
{
    uint32_t node = 0;
    for (int c = 2; c >= 0; c--)
        node = MIX_NODES * node + (plan->position[sample[c]] + place.last) / MIX_STEP;
    const uint64_t entry = palette_node(plan, known, node);
    if (entry & MIX_NEAR_COLOUR)
        for (int i = 0; i < plan->exact; i++) {
            const uint32_t *own = plan->exacts[i].sample;
            if (own[0] == sample[0] && own[1] == sample[1] && own[2] == sample[2])
                return plan->exacts[i].colour;
        }
    return mix_colour(entry, place.share);
}

void palette_screen_columns(const struct palette_screen_plan *plan,
                            struct palette_screen_known *known, const unsigned char *in,
                            unsigned char *out, uint32_t y, uint32_t first, uint32_t last)
{
    const size_t cells = y % plan->screen.height * plan->pitch;
    for (uint32_t x = first; x < last; x++) {
        uint32_t sample[3];
        for (size_t c = 0; c < 3; c++) {
            const size_t at = 3 * (size_t)x + c;
            sample[c] = plan->sample_bytes == 1 ? in[at] : ((const uint16_t *)(const void *)in)[at];
        }
        struct palette_place place;
        if (plan->by_hash)
            place =
                palette_place_of(plan, pixel_hash(plan->seed, x, y) >> (32 - ORDERED_RANDOM_BITS));
        else
            place = palette_place_unpack(plan->places[cells + x % plan->period]);
        out[x] = palette_screen_pixel(plan, known, sample, place);
    }
}

void palette_screen_row_scalar(const struct palette_screen_plan *plan,
                               struct palette_screen_known *known, const unsigned char *in,
                               unsigned char *out, uint32_t y)
{
    palette_screen_columns(plan, known, in, out, y, 0, plan->width);
}
