/* SPDX-License-Identifier: MIT */
/* The uniform array as a screen, and the screens that clipping-free search takes. */
#include "screen/screen.h"
#include "screen/uniform.h"

#include <stdlib.h>
#include <string.h>

ro_status screen_uniform(ro_context *context, const ro_screen_options *options, uint32_t *ranks)
{
    const uint32_t size = options->cell, cells = size * size;
    uint32_t count = uniform_cells(size, UNIFORM_LEVELS);
    uint32_t *order = malloc(cells * sizeof *order);
    if (!order)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a screen of %u x %u", size,
                               size);
    ro_status status = uniform_make(context, size, options->seed, UNIFORM_LEVELS, order);
    memset(ranks, 0xff, cells * sizeof *ranks);
    for (uint32_t r = 0; r < count && status == RO_OK; r++)
        ranks[order[r]] = r;
    for (uint32_t i = 0; i < cells; i++) /* the cells of no level, in raster order */
        if (ranks[i] == UINT32_MAX)
            ranks[i] = count++;
    free(order);
    return status;
}

ro_status uniform_screen_size(ro_context *context, const ro_image *screen, uint32_t *size)
{
    *size = UNIFORM_SIZE;
    if (!screen)
        return RO_OK;
    if (screen->width != screen->height || screen->width < UNIFORM_MIN_SIZE ||
        screen->width > SCREEN_MAX_SIDE)
        return ro_context_fail(
            context, RO_E_SIZE,
            "the screen of a search is a square of %d to %d cells per side, not %u x %u",
            UNIFORM_MIN_SIZE, SCREEN_MAX_SIDE, screen->width, screen->height);
    *size = screen->width;
    return RO_OK;
}

static void read_table(uint32_t count, uint32_t *order)
{
    uint8_t digit[256] = {0};
    for (int i = 0; i < 64; i++)
        digit[(unsigned char)uniform_digits[i]] = (uint8_t)i;
    for (uint32_t i = 0; i < count; i++) {
        const unsigned char *text = (const unsigned char *)uniform_table + 3 * (size_t)i;
        order[i] = (uint32_t)digit[text[0]] << 12 | (uint32_t)digit[text[1]] << 6 | digit[text[2]];
    }
}

static ro_status built_in_ranks(ro_context *context, uint32_t numerator, uint32_t denominator,
                                uint32_t *ranks)
{
    const uint64_t cells = UNIFORM_SIZE * UNIFORM_SIZE;
    const uint64_t needed = (numerator * cells + denominator - 1) / denominator;
    uint32_t levels = UNIFORM_TABLE_LEVELS;
    while (levels < UNIFORM_LEVELS && uniform_cells(UNIFORM_SIZE, levels) < needed)
        levels++;
    uint32_t count = uniform_cells(UNIFORM_SIZE, levels);
    uint32_t *order = malloc(cells * sizeof *order);
    if (!order)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for the built-in screen");
    ro_status status = RO_OK;
    if (levels == UNIFORM_TABLE_LEVELS)
        read_table(count, order);
    else /* and one more: a tie may reach into the next level */
        status = uniform_make(context, UNIFORM_SIZE, UNIFORM_SEED,
                              levels < UNIFORM_LEVELS ? levels + 1 : levels, order);
    memset(ranks, 0xff, cells * sizeof *ranks);
    for (uint32_t r = 0; r < count && status == RO_OK; r++)
        ranks[order[r]] = r;
    free(order);
    return status;
}

ro_status uniform_screen_ranks(ro_context *context, const ro_image *screen, uint32_t numerator,
                               uint32_t denominator, uint32_t *ranks)
{
    if (!screen)
        return built_in_ranks(context, numerator, denominator, ranks);
    struct screen ranked;
    ro_status status = screen_rank(context, screen, &ranked);
    if (status == RO_OK)
        memcpy(ranks, ranked.ranks, (size_t)ranked.width * ranked.height * sizeof *ranks);
    screen_free(&ranked);
    return status;
}
