/* SPDX-License-Identifier: MIT */
/* Seeds as lists of pixels: discs, and the labels of a mask. */
#include "segment/regions/regions.h"

#include <math.h>
#include <stdlib.h>

static ro_status no_memory(const struct ro_regions *work)
{
    return ro_context_fail(work->context, RO_E_MEMORY, "no memory for %zu seeds",
                           work->options.seed_count);
}

struct lists {
    uint32_t *pixels;
    size_t used, room;
};

static bool add_pixel(struct lists *lists, uint32_t pixel)
{
    if (lists->used == lists->room) {
        const size_t room = lists->room ? 2 * lists->room : 4096;
        uint32_t *more = realloc(lists->pixels, room * sizeof *more);
        if (!more)
            return false;
        lists->pixels = more;
        lists->room = room;
    }
    lists->pixels[lists->used++] = pixel;
    return true;
}

/* The pixels whose centres are in a disc, and the one that its centre is in. A click is that one.
 */
static bool add_disc(const struct ro_regions *work, const ro_seed *seed, struct lists *lists)
{
    const double radius = seed->radius; /* 0: a click */
    const int64_t cx = llrint(seed->x), cy = llrint(seed->y);
    const int64_t top = (int64_t)fmax(0, floor(seed->y - radius));
    const int64_t bottom = (int64_t)fmin(work->height - 1.0, ceil(seed->y + radius));
    const int64_t left = (int64_t)fmax(0, floor(seed->x - radius));
    const int64_t right = (int64_t)fmin(work->width - 1.0, ceil(seed->x + radius));
    for (int64_t y = top; y <= bottom; y++)
        for (int64_t x = left; x <= right; x++) {
            const double dx = (double)x - seed->x, dy = (double)y - seed->y;
            if ((dx * dx + dy * dy < radius * radius || (x == cx && y == cy)) &&
                !add_pixel(lists, plane_value_at(&work->plane, (uint32_t)x, (uint32_t)y)))
                return false;
        }
    return true;
}

uint32_t regions_sample(const ro_image *image, uint32_t x, uint32_t y)
{
    const char *row = (const char *)image->data + (ptrdiff_t)y * image->stride;
    return image->format == RO_GREY16 ? ((const uint16_t *)(const void *)row)[x]
                                      : ((const uint8_t *)row)[x];
}

/* One front for each label of a mask, its pixels sorted by label and then in raster order. */
static ro_status add_mask(struct ro_regions *work, struct lists *lists, uint32_t *counts)
{
    const ro_image *mask = work->options.mask;
    const uint32_t first_front = (uint32_t)work->options.seed_count;
    size_t *start = calloc(RO_REGION_LABELS + 1, sizeof *start);
    ro_status status = start ? RO_OK : no_memory(work);
    for (uint32_t y = 0; y < work->height && status == RO_OK; y++)
        for (uint32_t x = 0; x < work->width; x++)
            start[regions_sample(mask, x, y)]++;
    uint32_t fronts = 0;
    size_t all = 0;
    for (uint32_t label = 1; label <= RO_REGION_LABELS && status == RO_OK; label++) {
        const size_t pixels = start[label];
        start[label] = all;
        all += pixels;
        if (!pixels)
            continue;
        work->fronts[first_front + fronts].label = (uint16_t)label;
        counts[first_front + fronts++] = (uint32_t)pixels;
    }
    const size_t base = lists->used;
    for (size_t i = 0; i < all && status == RO_OK; i++)
        if (!add_pixel(lists, 0))
            status = no_memory(work);
    for (uint32_t y = 0; y < work->height && status == RO_OK; y++)
        for (uint32_t x = 0; x < work->width; x++) {
            const uint32_t label = regions_sample(mask, x, y);
            if (label)
                lists->pixels[base + start[label]++] = plane_value_at(&work->plane, x, y);
        }
    work->count = first_front + fronts;
    free(start);
    return status;
}

/* Seeds without a label get the lowest numbers that are free, in their order. */
static ro_status number_seeds(struct ro_regions *work)
{
    const ro_regions_options *options = &work->options;
    bool *used = calloc(RO_REGION_LABELS + 1, sizeof *used);
    uint32_t next = 1;
    if (!used)
        return no_memory(work);
    for (uint32_t f = 0; f < work->count; f++)
        used[work->fronts[f].label] = true;
    ro_status status = RO_OK;
    for (size_t i = 0; i < options->seed_count; i++) {
        struct region_front *front = &work->fronts[i];
        front->numbered = front->label == 0;
        while (front->numbered && next <= RO_REGION_LABELS && used[next])
            next++;
        if (front->numbered && next > RO_REGION_LABELS) {
            status = ro_context_fail(work->context, RO_E_SIZE,
                                     "%zu seeds have no label, and there are %d labels in all",
                                     options->seed_count, RO_REGION_LABELS);
            break;
        }
        if (front->numbered)
            front->label = (uint16_t)next++;
    }
    free(used);
    return status;
}

/* Marks the pixels of seeds with their labels, the first seed winning, and counts them. */
static ro_status mark_seeds(struct ro_regions *work)
{
    uint32_t *own = calloc(RO_REGION_LABELS + 1, sizeof *own);
    if (!own)
        return no_memory(work);
    for (uint32_t f = 0; f < work->count; f++)
        for (uint32_t i = 0; i < work->fronts[f].count; i++) {
            uint16_t *place = &work->seeded[work->fronts[f].pixels[i]];
            own[work->fronts[f].label] += !*place;
            *place = *place ? *place : work->fronts[f].label;
        }
    for (uint32_t f = 0; f < work->count; f++)
        work->fronts[f].own = own[work->fronts[f].label];
    free(own);
    return RO_OK;
}

ro_status regions_seed(struct ro_regions *work)
{
    const ro_regions_options *options = &work->options;
    const size_t most = options->seed_count + (options->mask ? RO_REGION_LABELS : 0);
    struct lists lists = {0};
    if (most >= 1U << RO_FRONT_BITS)
        return ro_context_fail(work->context, RO_E_SIZE, "%zu seeds are too many", most);
    uint32_t *counts = malloc((most + 1) * sizeof *counts);
    work->fronts = calloc(most + 1, sizeof *work->fronts);
    work->seeded = calloc(plane_size(&work->plane), sizeof *work->seeded);
    ro_status status = counts && work->fronts && work->seeded ? RO_OK : no_memory(work);
    for (size_t i = 0; i < options->seed_count && status == RO_OK; i++) {
        const size_t before = lists.used;
        if (!add_disc(work, &options->seeds[i], &lists))
            status = no_memory(work);
        work->fronts[i].label = (uint16_t)options->seeds[i].label;
        work->fronts[i].click = !(options->seeds[i].radius > 0);
        counts[i] = (uint32_t)(lists.used - before);
    }
    work->count = (uint32_t)options->seed_count;
    if (status == RO_OK && options->mask)
        status = add_mask(work, &lists, counts);
    if (status == RO_OK && work->count == 0)
        status = ro_context_fail(work->context, RO_E_ARGUMENT, "there is no seed");
    work->pixels = lists.pixels;
    work->plane.label = work->seeded;
    for (uint32_t f = 0, at = 0; f < work->count && status == RO_OK; at += counts[f++]) {
        work->fronts[f].pixels = lists.pixels + at;
        work->fronts[f].count = counts[f];
    }
    free(counts);
    if (status == RO_OK)
        status = number_seeds(work);
    return status == RO_OK ? mark_seeds(work) : status;
}

ro_status regions_seed_parts(struct ro_regions *work, const struct component_tree *tree,
                             const struct things *things, const struct part_list *list)
{
    const struct region_plane *plane = &work->plane;
    const uint32_t step = plane_step(plane);
    if (list->count > RO_REGION_LABELS)
        return ro_context_fail(work->context, RO_E_SIZE,
                               "%u objects were found, and there are %d labels", list->count,
                               RO_REGION_LABELS);
    work->fronts = calloc((size_t)list->count + 1, sizeof *work->fronts);
    work->pixels = malloc(((size_t)list->count + 1) * sizeof *work->pixels);
    if (!work->fronts || !work->pixels)
        return no_memory(work);
    for (uint32_t f = 0; f < list->count; f++) {
        const uint32_t number = things->nodes[list->parts[f].thing];
        const struct tree_node *node = &tree->nodes[number];
        const uint32_t reach = (tree->level[number] + 1) * step - 1;
        const bool dark = tree->kind == RO_REGION_DARK;
        work->pixels[f] = list->parts[f].pixel;
        work->fronts[f] = (struct region_front){
            .pixels = &work->pixels[f],
            .count = 1,
            .label = (uint16_t)(f + 1),
            .click = true,
            .kind = tree->kind,
            .low = (uint16_t)(dark || reach > plane->most ? 0 : plane->most - reach),
            .high = (uint16_t)(!dark || plane->least + reach > UINT16_MAX ? UINT16_MAX
                                                                          : plane->least + reach),
            .confidence = (double)node->contrast / (double)things->unrest /
                          (double)(8 * (uint64_t)node->area - 2 * node->inner - node->beside),
        };
    }
    work->count = list->count;
    return RO_OK;
}
