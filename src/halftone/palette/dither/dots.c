/* SPDX-License-Identifier: MIT */
/* Dot diffusion with a palette: the light of three channels, in the order of dot_diffusion.c. */
#include "halftone/palette/region.h"
#include "halftone/traversal/dot_diffusion.h"

#include <stdlib.h>

struct palette_dots {
    struct palette_rule rule;
    struct palette_light known;
};

static void load(void *data, const unsigned char *row, uint32_t width, int32_t *values)
{
    struct palette_dots *dots = data;
    for (uint32_t x = 0; x < width; x++) {
        uint32_t sample[3];
        int32_t light[4];
        palette_sample(&dots->rule.plan, row, x, sample);
        palette_light_of(&dots->rule.plan, &dots->known, sample, light);
        for (int c = 0; c < 3; c++)
            values[3 * (size_t)x + (size_t)c] = light[c];
    }
}

static int round_colour(const void *data, const int32_t *value, int32_t *error)
{
    const struct palette_plan *plan = &((const struct palette_dots *)data)->rule.plan;
    int32_t v[3];
    for (int c = 0; c < 3; c++)
        v[c] = value[c] < -PALETTE_GUARD                  ? -PALETTE_GUARD
               : value[c] > PALETTE_WHITE + PALETTE_GUARD ? PALETTE_WHITE + PALETTE_GUARD
                                                          : value[c];
    const int k = palette_nearest(&plan->choice, v);
    for (int c = 0; c < 3; c++)
        error[c] = v[c] - plan->colour[c][k];
    return k;
}

static void free_dots(void *data)
{
    struct palette_dots *dots = data;
    palette_rule_close(&dots->rule);
    free(dots);
}

static ro_status open_engine(struct halftoner *work)
{
    struct palette_dots *dots = calloc(1, sizeof *dots);
    if (!dots)
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory for a plan");
    ro_status status = palette_rule_open(work, &dots->rule);
    if (status != RO_OK) {
        free_dots(dots);
        return status;
    }
    work->bytes += sizeof *dots;
    return dots_open(work, &(struct dots_rule){3, load, round_colour, free_dots, dots});
}

const struct halftone_engine palette_dots_engine = {
    .open = open_engine,
    .run = dots_run,
    .close = dots_close,
    .whole_image = true,
};
