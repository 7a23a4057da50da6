/* SPDX-License-Identifier: MIT */
/* The table of kinds of screens, and screens as images. */
#include "screen/screen.h"

#include "core/image.h"
#include "core/misuse.h"
#include "options/table.h"
#include "screen/uniform.h"

#include <stdlib.h>
#include <string.h>

const struct screen_kind screen_kinds[SCREEN_KINDS] = {
    [SCREEN_KIND_VOID] = {SCREEN_OPTION_CELL | SCREEN_OPTION_SEED, SCREEN_BUILT_IN_SIDE, 2,
                          SCREEN_MAX_SIDE, screen_void},
    [SCREEN_KIND_BAYER] = {SCREEN_OPTION_CELL, 8, 2, 256, screen_bayer},
    [SCREEN_KIND_CLUSTERED] = {SCREEN_OPTION_CELL | SCREEN_OPTION_ANGLE | SCREEN_OPTION_SHAPE,
                               SCREEN_DOT_SIDE, SCREEN_DOT_LEAST, SCREEN_DOT_MOST,
                               screen_clustered},
    [SCREEN_KIND_UNIFORM] = {SCREEN_OPTION_CELL | SCREEN_OPTION_SEED, UNIFORM_SIZE,
                             UNIFORM_MIN_SIZE, SCREEN_MAX_SIDE, screen_uniform},
    [SCREEN_KIND_AM] = {SCREEN_OPTION_ANGLE | SCREEN_OPTION_SHAPE | SCREEN_OPTION_LINES |
                            SCREEN_OPTION_DOT,
                        0, 0, 0, NULL},
    [SCREEN_KIND_GREEN] = {SCREEN_OPTION_CELL | SCREEN_OPTION_SEED | SCREEN_OPTION_DOT, 128, 16,
                           256, screen_green},
};

static ro_status no_memory(ro_context *context, uint32_t width, uint32_t height)
{
    return ro_context_fail(context, RO_E_MEMORY, "no memory for a screen of %u x %u cells", width,
                           height);
}

void screen_free(struct screen *screen)
{
    free(screen->ranks);
    *screen = (struct screen){0};
}

ro_status screen_alloc(ro_context *context, uint32_t width, uint32_t height, struct screen *screen)
{
    *screen = (struct screen){.width = width, .height = height};
    screen->ranks = malloc((size_t)width * height * sizeof *screen->ranks);
    return screen->ranks ? RO_OK : no_memory(context, width, height);
}

ro_status screen_make(ro_context *context, const ro_screen_options *options, bool rectangle,
                      struct screen *screen)
{
    ro_screen_options full;
    *screen = (struct screen){0};
    ro_status status = screen_take(context, options, NULL, &full);
    if (status != RO_OK)
        return status;
    const struct screen_kind *kind = &screen_kinds[options_word(&screen_table, &full, kind)];
    if (!kind->make)
        return screen_am(context, &full, rectangle, screen);
    full.cell = full.cell ? full.cell : kind->size;
    if (full.cell < kind->least || full.cell > kind->most)
        return ro_context_fail(context, RO_E_SIZE,
                               "a screen of kind %s has %u to %u cells per side, not %u", full.kind,
                               kind->least, kind->most, full.cell);
    status = screen_alloc(context, full.cell, full.cell, screen);
    return status == RO_OK ? kind->make(context, &full, screen->ranks) : status;
}

ro_status ro_screen_make(ro_context *context, const ro_screen_options *options, ro_image *image)
{
    if (MISSING(context, image))
        return RO_E_ARGUMENT;
    ro_screen_options full;
    *image = (ro_image){0};
    ro_status status = screen_take(context, options, NULL, &full);
    if (status != RO_OK)
        return status;
    const ro_format format = full.format;
    const bool ranks = full.ranks;
    struct screen screen;
    status = screen_make(context, &full, true, &screen);
    const uint64_t cells = (uint64_t)screen.width * screen.height;
    const uint32_t most = !ranks ? UINT16_MAX : cells > 1 ? (uint32_t)cells - 1 : 1;
    if (status == RO_OK && ranks && cells > UINT16_MAX + 1)
        status = ro_context_fail(context, RO_E_SIZE,
                                 "a screen of %u x %u cells has more ranks than 16 bits can hold",
                                 screen.width, screen.height);
    if (status == RO_OK)
        status = ro_image_alloc(context, format, screen.width, screen.height,
                                format == RO_GREY16 ? most : 0, image);
    if (status != RO_OK)
        goto done;
    const uint32_t *rank = screen.ranks;
    for (uint32_t y = 0; y < screen.height; y++) {
        void *row = (char *)image->data + (ptrdiff_t)y * image->stride;
        for (uint32_t x = 0; x < screen.width; x++, rank++)
            if (ranks)
                ((uint16_t *)row)[x] = (uint16_t)*rank;
            else if (format == RO_GREY16)
                ((uint16_t *)row)[x] = (uint16_t)(((uint64_t)*rank << 16) / cells);
            else
                ((float *)row)[x] = (float)((*rank + 0.5) / (double)cells);
    }
done:
    screen_free(&screen);
    return status;
}

ro_status screen_rank_values(ro_context *context, const uint32_t *values, uint32_t count,
                             uint32_t *ranks)
{
    struct screen_key *keys = malloc(count * sizeof *keys);
    for (uint32_t i = 0; keys && i < count; i++)
        keys[i] = (struct screen_key){values[i], i};
    const bool sorted = keys && screen_sort(keys, count);
    for (uint32_t r = 0; sorted && r < count; r++)
        ranks[keys[r].pixel] = r;
    free(keys);
    return sorted ? RO_OK
                  : ro_context_fail(context, RO_E_MEMORY, "no memory to rank %u cells", count);
}

/* A number that grows with the value: for a float its bits, the negative ones turned round. */
static uint32_t order_of(const ro_image *image, const void *row, uint32_t x)
{
    uint32_t bits;
    if (image->format == RO_GREY8)
        return ((const uint8_t *)row)[x];
    if (image->format == RO_GREY16)
        return ((const uint16_t *)row)[x];
    float value = ((const float *)row)[x] + 0.0f; /* -0 becomes 0 */
    memcpy(&bits, &value, sizeof bits);
    return bits >> 31 ? ~bits : bits | 0x80000000;
}

ro_status screen_values(ro_context *context, const ro_image *image, struct screen *screen)
{
    *screen = (struct screen){0};
    ro_status status = image_check(context, image, "screen");
    if (status != RO_OK)
        return status;
    if (image->format != RO_GREY8 && image->format != RO_GREY16 && image->format != RO_GREYF)
        return ro_context_fail(context, RO_E_UNSUPPORTED, "a screen is a grey image, not %s",
                               ro_format_name(image->format));
    if (image->width > SCREEN_FILE_SIDE || image->height > SCREEN_FILE_SIDE)
        return ro_context_fail(context, RO_E_SIZE,
                               "the screen is %u x %u; at most %d x %d cells are allowed",
                               image->width, image->height, SCREEN_FILE_SIDE, SCREEN_FILE_SIDE);
    status = screen_alloc(context, image->width, image->height, screen);
    for (uint32_t y = 0; y < image->height && status == RO_OK; y++) {
        const void *row = (const char *)image->data + (ptrdiff_t)y * image->stride;
        for (uint32_t x = 0; x < image->width && status == RO_OK; x++) {
            if (image->format == RO_GREYF && ((const float *)row)[x] != ((const float *)row)[x])
                status =
                    ro_context_fail(context, RO_E_FORMAT,
                                    "the screen's cell at column %u, row %u is not a number", x, y);
            screen->ranks[y * image->width + x] = order_of(image, row, x);
        }
    }
    return status;
}

ro_status screen_rank(ro_context *context, const ro_image *image, struct screen *screen)
{
    ro_status status = screen_values(context, image, screen);
    if (status == RO_OK)
        status = screen_rank_values(context, screen->ranks, screen->width * screen->height,
                                    screen->ranks);
    return status;
}
