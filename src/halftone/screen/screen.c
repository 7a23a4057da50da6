/* SPDX-License-Identifier: MIT */
/* The table of kinds of screens, their options, and screens as images. */
#include "halftone/screen/screen.h"

#include "core/image.h"
#include "core/names.h"
#include "core/options.h"
#include "halftone/screen/uniform.h"

#include <stdlib.h>
#include <string.h>

static const struct screen_kind kinds[] = {
    {{"void-and-cluster", "blue noise: even, without a pattern"},
     {"blue-noise"},
     SCREEN_OPTION_SEED,
     SCREEN_BUILT_IN_SIDE,
     2,
     SCREEN_MAX_SIDE,
     screen_void},
    {{"bayer", "dispersed dots; the size is a power of two"},
     {"dispersed-dot"},
     0,
     8,
     2,
     256,
     screen_bayer},
    {{"clustered-dot", "dots that grow from a centre, at 0 or 45 degrees"},
     {"clustered"},
     SCREEN_OPTION_ANGLE | SCREEN_OPTION_SHAPE,
     SCREEN_DOT_SIDE,
     SCREEN_DOT_LEAST,
     SCREEN_DOT_MOST,
     screen_clustered},
    {{"uniform", "the shadows of dbs-clipping-free: levels spread evenly, up to one half"},
     {0},
     SCREEN_OPTION_SEED,
     UNIFORM_SIZE,
     UNIFORM_MIN_SIZE,
     SCREEN_MAX_SIDE,
     screen_uniform},
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
        {SCREEN_OPTION_ANGLE, options->angle != 0, "angle"},
        {SCREEN_OPTION_SHAPE, options->shape != NULL, "shape"},
    };
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i].set && !(kind->options & given[i].flag))
            return ro_context_fail(context, RO_E_ARGUMENT, "%s does not apply to %s", given[i].name,
                                   kind->info.name);
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
    if (options->ranks && options->cell > 256)
        return ro_context_fail(context, RO_E_SIZE,
                               "a screen of %u x %u cells has more ranks than 16 bits can hold",
                               options->cell, options->cell);
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

ro_status screen_make(ro_context *context, const ro_screen_options *options, struct screen *screen)
{
    ro_screen_options full = *options;
    *screen = (struct screen){0};
    const struct screen_kind *kind = find_kind(context, full.kind);
    if (!kind)
        return RO_E_ARGUMENT;
    ro_status status = check_options(context, kind, &full);
    if (status != RO_OK)
        return status;
    screen->width = screen->height = full.cell;
    size_t cells = (size_t)full.cell * full.cell;
    screen->ranks = malloc(cells * sizeof *screen->ranks);
    if (!screen->ranks)
        return no_memory(context, full.cell, full.cell);
    return kind->make(context, &full, screen->ranks);
}

ro_status ro_screen_make(ro_context *context, const ro_screen_options *options, ro_image *image)
{
    ro_screen_options full = RO_SCREEN_OPTIONS;
    *image = (ro_image){0};
    ro_status status = ro_options_take(context, options, &full, "RO_SCREEN_OPTIONS");
    if (status != RO_OK)
        return status;
    ro_format format = full.format ? full.format : RO_GRAY16;
    const bool ranks = full.ranks;
    struct screen screen;
    status = screen_make(context, &full, &screen);
    const uint64_t cells = (uint64_t)screen.width * screen.height;
    const uint32_t most = !ranks ? UINT16_MAX : cells > 1 ? (uint32_t)cells - 1 : 1;
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

/* Cells sorted by value with the place below it, so that no two are equal. */
static int compare_cells(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

ro_status screen_rank_values(ro_context *context, const uint32_t *values, uint32_t count,
                             uint32_t *ranks)
{
    uint64_t *cells = malloc(count * sizeof *cells);
    if (!cells)
        return ro_context_fail(context, RO_E_MEMORY, "no memory to rank %u cells", count);
    for (uint32_t i = 0; i < count; i++)
        cells[i] = (uint64_t)values[i] << 32 | i;
    qsort(cells, count, sizeof *cells, compare_cells);
    for (uint32_t r = 0; r < count; r++)
        ranks[(uint32_t)cells[r]] = r;
    free(cells);
    return RO_OK;
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

ro_status screen_rank(ro_context *context, const ro_image *image, struct screen *screen)
{
    *screen = (struct screen){0};
    uint32_t *values = NULL;
    ro_status status = ro_image_check(context, image, "screen");
    if (status != RO_OK)
        return status;
    if (image->format != RO_GRAY8 && image->format != RO_GRAY16 && image->format != RO_GRAYF)
        return ro_context_fail(context, RO_E_UNSUPPORTED, "a screen is a grey image, not %s",
                               ro_format_name(image->format));
    if (image->width > SCREEN_MAX_SIDE || image->height > SCREEN_MAX_SIDE)
        return ro_context_fail(context, RO_E_SIZE,
                               "the screen is %u x %u; at most %d x %d cells are allowed",
                               image->width, image->height, SCREEN_MAX_SIDE, SCREEN_MAX_SIDE);
    const uint32_t cells = image->width * image->height;
    screen->width = image->width;
    screen->height = image->height;
    screen->ranks = malloc(cells * sizeof *screen->ranks);
    values = malloc(cells * sizeof *values);
    if (!screen->ranks || !values) {
        status = no_memory(context, image->width, image->height);
        goto done;
    }
    for (uint32_t y = 0; y < image->height; y++) {
        const void *row = (const char *)image->data + (ptrdiff_t)y * image->stride;
        for (uint32_t x = 0; x < image->width; x++) {
            if (image->format == RO_GRAYF && ((const float *)row)[x] != ((const float *)row)[x]) {
                status =
                    ro_context_fail(context, RO_E_FORMAT,
                                    "the screen's cell at column %u, row %u is not a number", x, y);
                goto done;
            }
            values[y * image->width + x] = order_of(image, row, x);
        }
    }
    status = screen_rank_values(context, values, cells, screen->ranks);
done:
    free(values);
    return status;
}
