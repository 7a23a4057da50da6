/* SPDX-License-Identifier: MIT */
/*
 * Which pixels count, and what takes the place of those that do not.
 *
 * A border of one tone is what a rotation or a shift left behind: pixels joined to the border
 * through equal neighbours, a 128th of the image or more, the darkest there are or the lightest.
 * Where such pixels make up nearly the whole border they are a background with something before it,
 * which is worth comparing.
 */
#include "register/mask.h"

#include "context/context.h"
#include "core/image.h"
#include "register/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Borders of one tone -----------------------------------------------------------------------
 */

enum { LEAST_SHARE = 128, GROWN = 2, LOOKS = 1 << 16 }; /* pixels between looks for Ctrl-C */

struct flood {
    const ro_context *context;
    const float *plane; /* at the first pixel */
    ptrdiff_t stride;
    int width, height;
    float darkest, lightest;
    uint8_t *state; /* of each pixel: 0, SEEN in this region or another, or FLAT */
    int32_t *found; /* the pixels of a region */
    bool flat;      /* some are FLAT */
};
enum { SEEN = 1, FLAT = 2 };

static void try_pixel(struct flood *flood, int x, int y, float tone, size_t *count)
{
    if (x < 0 || y < 0 || x >= flood->width || y >= flood->height)
        return;
    const size_t at = (size_t)y * (size_t)flood->width + (size_t)x;
    if (flood->state[at] || flood->plane[y * flood->stride + x] != tone)
        return;
    flood->state[at] = SEEN;
    flood->found[(*count)++] = (int32_t)at;
}

/* The region of one tone, the darkest or lightest, from a pixel of the border; a small one is only
 * SEEN. */
static void flood_from(struct flood *flood, int x, int y)
{
    size_t count = 0;
    const float tone = flood->plane[y * flood->stride + x];
    if (tone != flood->darkest && tone != flood->lightest)
        return;
    try_pixel(flood, x, y, tone, &count);
    for (size_t i = 0; i < count; i++) {
        if (i % LOOKS == 0 && ro_context_cancelled(flood->context))
            return;
        const int at_x = flood->found[i] % flood->width, at_y = flood->found[i] / flood->width;
        try_pixel(flood, at_x - 1, at_y, tone, &count);
        try_pixel(flood, at_x + 1, at_y, tone, &count);
        try_pixel(flood, at_x, at_y - 1, tone, &count);
        try_pixel(flood, at_x, at_y + 1, tone, &count);
    }
    if (count * LEAST_SHARE < (size_t)flood->width * (size_t)flood->height)
        return;
    flood->flat = true;
    for (size_t i = 0; i < count; i++)
        flood->state[flood->found[i]] = FLAT;
}

/* Takes what is flat, and two pixels more, which interpolation may have spoiled, from `keep`. */
static bool drop_flat(const struct flood *flood, uint8_t *keep)
{
    const int width = flood->width, height = flood->height;
    size_t border = 0, flat = 0;
    bool any = false;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x += y == 0 || y == height - 1 || width < 2 ? 1 : width - 1) {
            border++;
            flat += flood->state[(size_t)y * (size_t)width + (size_t)x] == FLAT;
        }
    if (flat * 10 > border * 9)
        return false;
    for (int y = 0; y < height && !ro_context_cancelled(flood->context); y++)
        for (int x = 0; x < width; x++) {
            if (flood->state[(size_t)y * (size_t)width + (size_t)x] != FLAT)
                continue;
            any = true;
            for (int j = y - GROWN; j <= y + GROWN; j++)
                for (int i = x - GROWN; i <= x + GROWN; i++)
                    if (i >= 0 && j >= 0 && i < width && j < height)
                        keep[(size_t)j * (size_t)width + (size_t)i] = 0;
        }
    return any;
}

static struct flood flood_of(const struct registration *flow, int p)
{
    return (struct flood){.context = flow->context,
                          .plane = flow->images[p] + RO_GRID_MARGIN,
                          .stride = flow->grids.grid[0].stride,
                          .width = flow->size[p].width,
                          .height = flow->size[p].height,
                          .darkest = flow->darkest[p],
                          .lightest = flow->lightest[p]};
}

/* Whether there can be a border of one tone at all; most images have none. */
static bool may_drop(const struct registration *flow, int p)
{
    const struct flood flood = flood_of(flow, p);
    size_t ends = 0;
    for (int y = 0; y < flood.height; y++) {
        const bool edge = y == 0 || y == flood.height - 1;
        const float *row = flood.plane + y * flood.stride;
        for (int x = 0; x < flood.width; x += edge || flood.width < 2 ? 1 : flood.width - 1)
            ends += row[x] == flood.darkest || row[x] == flood.lightest;
    }
    return ends > 0;
}

/* What is left of an image without its borders of one tone; NULL: there are none. */
static ro_status find_borders(struct registration *flow, int p, uint8_t **left)
{
    const int width = flow->size[p].width, height = flow->size[p].height;
    const size_t pixels = (size_t)width * (size_t)height;
    struct flood flood = flood_of(flow, p);
    if (!may_drop(flow, p))
        return RO_OK;
    flood.state = calloc(pixels, 1);
    flood.found = malloc(pixels * sizeof *flood.found);
    bool good = flood.state && flood.found;
    if (good) {
        for (int x = 0; x < width; x++) {
            flood_from(&flood, x, 0);
            flood_from(&flood, x, height - 1);
        }
        for (int y = 0; y < height; y++) {
            flood_from(&flood, 0, y);
            flood_from(&flood, width - 1, y);
        }
    }
    uint8_t *own = flood.flat ? malloc(pixels) : NULL;
    good = good && (own || !flood.flat);
    if (own) {
        memset(own, 1, pixels);
        if (!drop_flat(&flood, own)) {
            free(own);
            own = NULL;
        }
    }
    *left = own;
    free(flood.state);
    free(flood.found);
    return good ? register_heard(flow)
                : ro_context_fail(flow->context, RO_E_MEMORY, "no memory for a mask");
}

static void drop_borders(const struct registration *flow, int p, const uint8_t *left, uint8_t *keep)
{
    const int width = flow->size[p].width, height = flow->size[p].height;
    for (int y = 0; y < height && !ro_context_cancelled(flow->context); y++)
        for (int x = 0; x < width; x++)
            keep[(size_t)y * (size_t)flow->width + (size_t)x] &=
                left[(size_t)y * (size_t)width + (size_t)x];
}

/* ---- Masks that were given ----------------------------------------------------------------------
 */

static bool is_set(const ro_image *mask, int x, int y)
{
    const char *row = (const char *)mask->data + (ptrdiff_t)y * mask->stride;
    switch (ro_format_sample_bytes(mask->format)) {
    case 1:
        return ((const uint8_t *)row)[x] != 0;
    case 2:
        return ((const uint16_t *)(const void *)row)[x] != 0;
    default:
        return fabsf(((const float *)(const void *)row)[x]) > 0; /* not where it is NaN */
    }
}

static ro_status drop_masked(struct registration *flow, int p, const ro_image *mask, uint8_t *keep)
{
    static const char *const roles[2] = {"moving", "fixed"};
    const int width = flow->size[p].width, height = flow->size[p].height;
    ro_status status = image_check(flow->context, mask, "mask");
    if (status != RO_OK)
        return status;
    if (mask->format == RO_BITS || ro_format_is_colour(mask->format))
        return ro_context_fail(flow->context, RO_E_UNSUPPORTED,
                               "the mask of the %s image must be grey, not %s", roles[p],
                               ro_format_name(mask->format));
    if ((int)mask->width != width || (int)mask->height != height)
        return ro_context_fail(flow->context, RO_E_SIZE,
                               "the %s image is %d x %d but its mask is %u x %u", roles[p], width,
                               height, mask->width, mask->height);
    size_t left = 0;
    for (int y = 0; y < height && !ro_context_cancelled(flow->context); y++)
        for (int x = 0; x < width; x++) {
            uint8_t *at = &keep[(size_t)y * (size_t)flow->width + (size_t)x];
            *at &= is_set(mask, x, y);
            left += *at;
        }
    status = register_heard(flow);
    if (status != RO_OK)
        return status;
    return left ? RO_OK
                : ro_context_fail(flow->context, RO_E_ARGUMENT,
                                  "the mask of the %s image leaves nothing to match", roles[p]);
}

/* ---- What takes their place ---------------------------------------------------------------------
 * Means of four go down to a coarse copy, as far as they count; where nothing counts the coarser
 * copy is interpolated. */

struct layer {
    int width, height;
    float *tone, *part; /* part: how much of it counts */
};
enum { LAYERS = 32 };

static void gather(const ro_context *context, const struct layer *fine, struct layer *coarse)
{
    for (int y = 0; y < coarse->height && !ro_context_cancelled(context); y++)
        for (int x = 0; x < coarse->width; x++) {
            float sum = 0, part = 0;
            for (int k = 0; k < 4; k++) {
                const int i = 2 * x + k % 2, j = 2 * y + k / 2;
                if (i >= fine->width || j >= fine->height)
                    continue;
                const size_t at = (size_t)j * (size_t)fine->width + (size_t)i;
                sum += fine->part[at] * fine->tone[at];
                part += fine->part[at];
            }
            const size_t to = (size_t)y * (size_t)coarse->width + (size_t)x;
            coarse->tone[to] = part > 0 ? sum / part : 0;
            coarse->part[to] = part > 1 ? 1 : part;
        }
}

/* The coarse copy at the middle of a fine pixel. */
static float between(const struct layer *coarse, int x, int y)
{
    const int x0 = x > 0 ? (x - 1) / 2 : 0, y0 = y > 0 ? (y - 1) / 2 : 0;
    const int x1 = x0 + 1 < coarse->width ? x0 + 1 : x0, y1 = y0 + 1 < coarse->height ? y0 + 1 : y0;
    const float fx = x == 0 ? 0 : x % 2 ? 0.25f : 0.75f, fy = y == 0 ? 0 : y % 2 ? 0.25f : 0.75f;
    const float *a = coarse->tone + (size_t)y0 * (size_t)coarse->width;
    const float *b = coarse->tone + (size_t)y1 * (size_t)coarse->width;
    const float top = a[x0] + fx * (a[x1] - a[x0]), low = b[x0] + fx * (b[x1] - b[x0]);
    return top + fy * (low - top);
}

static void spread(const ro_context *context, const struct layer *coarse, struct layer *fine)
{
    for (int y = 0; y < fine->height && !ro_context_cancelled(context); y++)
        for (int x = 0; x < fine->width; x++) {
            const size_t at = (size_t)y * (size_t)fine->width + (size_t)x;
            fine->tone[at] += (1 - fine->part[at]) * (between(coarse, x, y) - fine->tone[at]);
        }
}

static ro_status fill(struct registration *flow, int p, const uint8_t *keep)
{
    struct layer layers[LAYERS] = {{.width = flow->width, .height = flow->height}};
    const struct solver_grid *grid = &flow->grids.grid[0];
    int count = 0;
    bool good = true;
    for (;; count++) {
        struct layer *layer = &layers[count];
        const size_t pixels = (size_t)layer->width * (size_t)layer->height;
        layer->tone = malloc(2 * pixels * sizeof *layer->tone);
        good = layer->tone != NULL;
        if (!good)
            break;
        layer->part = layer->tone + pixels;
        for (size_t i = 0; count == 0 && i < pixels; i++) {
            if (i % LOOKS == 0 && ro_context_cancelled(flow->context))
                break;
            const int y = (int)(i / (size_t)flow->width), x = (int)(i % (size_t)flow->width);
            layer->tone[i] = flow->images[p][grid_at(grid, y) + (size_t)x];
            layer->part[i] = keep[i];
        }
        if (count > 0)
            gather(flow->context, layer - 1, layer);
        if (pixels == 1 || count + 1 == LAYERS)
            break;
        layer[1].width = (layer->width + 1) / 2;
        layer[1].height = (layer->height + 1) / 2;
    }
    for (int i = count - 1; good && i >= 0; i--)
        spread(flow->context, &layers[i + 1], &layers[i]);
    for (int y = 0; good && y < grid->height && !ro_context_cancelled(flow->context); y++) {
        float *row = flow->images[p] + grid_at(grid, y);
        for (int x = 0; x < grid->width; x++) {
            const int ix = x < flow->width ? x : flow->width - 1;
            const int iy = y < flow->height ? y : flow->height - 1;
            row[x] = layers[0].tone[(size_t)iy * (size_t)flow->width + (size_t)ix];
        }
        row[-1] = row[mirror_index(-1, grid->width)];
        row[grid->width] = row[mirror_index(grid->width, grid->width)];
    }
    for (int i = 0; i <= count; i++)
        free(layers[i].tone);
    return good ? register_heard(flow)
                : ro_context_fail(flow->context, RO_E_MEMORY, "no memory for a mask");
}

/* flow->keep[p] from the bytes of one image. */
static ro_status set_keep(struct registration *flow, int p, const uint8_t *keep)
{
    const struct solver_grid *grid = &flow->grids.grid[0];
    flow->keep[p] = calloc(grid->floats, sizeof(float));
    if (!flow->keep[p])
        return ro_context_fail(flow->context, RO_E_MEMORY, "no memory for a mask");
    for (int y = 0; y < flow->height && !ro_context_cancelled(flow->context); y++)
        for (int x = 0; x < flow->width; x++)
            flow->keep[p][grid_at(grid, y) + (size_t)x] =
                keep[(size_t)y * (size_t)flow->width + (size_t)x];
    for (int y = 0; y < grid->height; y++) { /* coarser grids look at the ghosts too */
        float *row = flow->keep[p] + grid_at(grid, y);
        row[-1] = row[mirror_index(-1, grid->width)];
        row[grid->width] = row[mirror_index(grid->width, grid->width)];
    }
    return fill(flow, p, keep);
}

ro_status register_mask(struct registration *flow, bool borders)
{
    const ro_image *masks[2] = {flow->options.moving_mask, flow->options.fixed_mask};
    const size_t pixels = (size_t)flow->width * (size_t)flow->height;
    uint8_t *left[2] = {NULL, NULL}, *keep = NULL;
    bool any = masks[0] || masks[1];
    ro_status status = RO_OK;
    for (int p = 0; p < 2 && status == RO_OK; p++) {
        if (borders)
            status = find_borders(flow, p, &left[p]);
        any = any || left[p] || flow->size[p].width < flow->width ||
              flow->size[p].height < flow->height;
    }
    if (any && status == RO_OK) {
        keep = calloc(2, pixels);
        if (!keep)
            status = ro_context_fail(flow->context, RO_E_MEMORY, "no memory for a mask");
    }
    for (int p = 0; p < 2 && any && status == RO_OK; p++) {
        uint8_t *own = keep + (size_t)p * pixels;
        for (int y = 0; y < flow->size[p].height; y++)
            memset(own + (size_t)y * (size_t)flow->width, 1, (size_t)flow->size[p].width);
        if (left[p])
            drop_borders(flow, p, left[p], own);
        if (masks[p])
            status = drop_masked(flow, p, masks[p], own);
    }
    for (int p = 0; p < 2 && any && status == RO_OK; p++)
        status = set_keep(flow, p, keep + (size_t)p * pixels);
    free(left[0]);
    free(left[1]);
    free(keep);
    return status;
}
