/* SPDX-License-Identifier: MIT */
/* The table of kinds of screens, their options, and screens as images. */
#include "screen/screen.h"

#include "core/image.h"
#include "core/names.h"
#include "core/options.h"
#include "screen/uniform.h"

#include <stdlib.h>
#include <string.h>

static const struct screen_kind kinds[] = {
    {{"void-and-cluster", "blue noise: even, without a pattern"},
     {"blue-noise"},
     SCREEN_OPTION_CELL | SCREEN_OPTION_SEED,
     SCREEN_BUILT_IN_SIDE,
     2,
     SCREEN_MAX_SIDE,
     screen_void},
    {{"bayer", "dispersed dots; the size is a power of two"},
     {"dispersed-dot"},
     SCREEN_OPTION_CELL,
     8,
     2,
     256,
     screen_bayer},
    {{"clustered-dot", "dots that grow from a centre, at 0 or 45 degrees"},
     {"clustered"},
     SCREEN_OPTION_CELL | SCREEN_OPTION_ANGLE | SCREEN_OPTION_SHAPE,
     SCREEN_DOT_SIDE,
     SCREEN_DOT_LEAST,
     SCREEN_DOT_MOST,
     screen_clustered},
    {{"uniform", "the shadows of dbs-clipping-free: levels spread evenly, up to one half"},
     {0},
     SCREEN_OPTION_CELL | SCREEN_OPTION_SEED,
     UNIFORM_SIZE,
     UNIFORM_MIN_SIZE,
     SCREEN_MAX_SIDE,
     screen_uniform},
    {{"am", "dots in rows: lines per inch at any angle, for a resolution"},
     {"dots-in-rows"},
     SCREEN_OPTION_ANGLE | SCREEN_OPTION_SHAPE | SCREEN_OPTION_LINES | SCREEN_OPTION_DOT,
     0,
     0,
     0,
     NULL},
    {{"green-noise", "dots of some pixels, even, without a pattern"},
     {"green"},
     SCREEN_OPTION_CELL | SCREEN_OPTION_SEED | SCREEN_OPTION_DOT,
     128,
     16,
     256,
     screen_green},
};
enum { KINDS = sizeof kinds / sizeof *kinds, ALIASES = 2 };

const ro_screen_kind *ro_screen_kind_at(int number)
{
    return number >= 0 && number < KINDS ? &kinds[number].info : NULL;
}

static const struct screen_kind *find_kind(ro_context *context, const char *name)
{
    const char *names[KINDS];
    if (!name)
        return &kinds[0];
    for (int i = 0; i < KINDS; i++) {
        names[i] = kinds[i].info.name;
        if (ro_name_equal(name, names[i]))
            return &kinds[i];
        for (int a = 0; a < ALIASES && kinds[i].aliases[a]; a++)
            if (ro_name_equal(name, kinds[i].aliases[a]))
                return &kinds[i];
    }
    const char *nearest = ro_name_nearest(name, names, KINDS);
    ro_context_fail(context, RO_E_ARGUMENT, "there is no kind of screen '%s'; %s '%s'%s", name,
                    nearest ? "did you mean" : "one is", nearest ? nearest : names[0],
                    nearest ? "?" : "");
    return NULL;
}

static ro_status check_options(ro_context *context, const struct screen_kind *kind,
                               ro_screen_options *options)
{
    const struct {
        unsigned flag;
        bool set;
        const char *name;
    } given[] = {
        {SCREEN_OPTION_SEED, options->seed != 0, "seed"},
        {SCREEN_OPTION_ANGLE, options->angle != 0 || options->degrees != 0, "angle"},
        {SCREEN_OPTION_SHAPE, options->shape != NULL, "shape"},
        {SCREEN_OPTION_CELL, options->cell != 0, "size"},
        {SCREEN_OPTION_LINES, options->lpi != 0, "lpi"},
        {SCREEN_OPTION_LINES, options->dpi != 0, "dpi"},
        {SCREEN_OPTION_LINES, options->dpi_y != 0, "dpi-y"},
        {SCREEN_OPTION_LINES, options->spot != NULL, "spot"},
        {SCREEN_OPTION_DOT, options->dot != 0, "dot"},
    };
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i].set && !(kind->options & given[i].flag))
            return ro_context_fail(context, RO_E_ARGUMENT, "%s does not apply to %s", given[i].name,
                                   kind->info.name);
    if (options->spot && options->shape)
        return ro_context_fail(context, RO_E_ARGUMENT, "give either a shape or a spot, not both");
    if (options->cell == 0)
        options->cell = kind->size;
    if (options->cell < kind->least || options->cell > kind->most)
        return ro_context_fail(context, RO_E_SIZE,
                               "a screen of kind %s has %u to %u cells per side, not %u",
                               kind->info.name, kind->least, kind->most, options->cell);
    if (options->format == RO_FORMAT_NONE)
        options->format = RO_GRAY16;
    if (options->format != RO_GRAY16 && options->format != RO_GRAYF)
        return ro_context_fail(context, RO_E_UNSUPPORTED, "a screen cannot be made as %s",
                               ro_format_name(options->format));
    if (options->ranks && options->format != RO_GRAY16)
        return ro_context_fail(context, RO_E_UNSUPPORTED, "ranks are written as %s, not as %s",
                               ro_format_name(RO_GRAY16), ro_format_name(options->format));
    return RO_OK;
}

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
    ro_screen_options full = *options;
    *screen = (struct screen){0};
    const struct screen_kind *kind = find_kind(context, full.kind);
    if (!kind)
        return RO_E_ARGUMENT;
    ro_status status = check_options(context, kind, &full);
    if (status != RO_OK)
        return status;
    if (!kind->make)
        return screen_am(context, &full, rectangle, screen);
    if (full.degrees != 0) { /* of clustered dots */
        if (full.degrees != 45)
            return ro_context_fail(context, RO_E_ARGUMENT,
                                   "dots cannot be turned by %g degrees, only by 0 or 45",
                                   full.degrees);
        full.angle = 45;
    }
    status = screen_alloc(context, full.cell, full.cell, screen);
    return status == RO_OK ? kind->make(context, &full, screen->ranks) : status;
}

ro_status ro_screen_make(ro_context *context, const ro_screen_options *options, ro_image *image)
{
    ro_screen_options full = RO_SCREEN_OPTIONS;
    *image = (ro_image){0};
    ro_status status = take_options(context, options, &full, "RO_SCREEN_OPTIONS");
    if (status != RO_OK)
        return status;
    ro_format format = full.format ? full.format : RO_GRAY16;
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
                                format == RO_GRAY16 ? most : 0, image);
    if (status != RO_OK)
        goto done;
    const uint32_t *rank = screen.ranks;
    for (uint32_t y = 0; y < screen.height; y++) {
        void *row = (char *)image->data + (ptrdiff_t)y * image->stride;
        for (uint32_t x = 0; x < screen.width; x++, rank++)
            if (ranks)
                ((uint16_t *)row)[x] = (uint16_t)*rank;
            else if (format == RO_GRAY16)
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
    if (image->format == RO_GRAY8)
        return ((const uint8_t *)row)[x];
    if (image->format == RO_GRAY16)
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
    if (image->format != RO_GRAY8 && image->format != RO_GRAY16 && image->format != RO_GRAYF)
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
            if (image->format == RO_GRAYF && ((const float *)row)[x] != ((const float *)row)[x])
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
