/* SPDX-License-Identifier: MIT */
/* Regions in figures: what each front and each label became, and the labels as a picture. */
#include "segment/regions/regions.h"

#include "core/image.h"
#include "core/misuse.h"
#include "roundoff/command.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST_COMPARED = 4 }; /* labels */

void ro_regions_free(ro_regions *work)
{
    if (!work)
        return;
    free(work->raw);
    free(work->grey);
    free(work->seeded);
    free(work->nearest);
    free(work->fronts);
    free(work->pixels);
    regions_drop_trees(work);
    free(work->arrival);
    free(work->told);
    free(work->table);
    outlines_drop(&work->outlines);
    free(work);
}

static void tell_fronts(struct ro_regions *work)
{
    const double unit = work->unit;
    for (uint32_t f = 0; f < work->count; f++) {
        const struct region_front *front = &work->fronts[f];
        ro_region_front *told = &work->told[f];
        uint64_t x = 0, y = 0;
        for (uint32_t i = 0; i < front->count; i++) {
            x += front->pixels[i] % work->plane.pitch - RO_PLANE_MARGIN;
            y += front->pixels[i] / work->plane.pitch - RO_PLANE_MARGIN;
        }
        *told = (ro_region_front){.label = front->label,
                                  .x = (double)x / front->count,
                                  .y = (double)y / front->count,
                                  .kind = front->kind,
                                  .low = front->low * unit,
                                  .high = front->high * unit,
                                  .confidence = front->confidence};
    }
}

/* Places of the labels in the table, in the order of their numbers. */
static void list_labels(struct ro_regions *work, uint32_t *place)
{
    for (uint32_t f = 0; f < work->count; f++)
        place[work->fronts[f].label]++;
    for (uint32_t label = 1; label <= RO_REGION_LABELS; label++)
        if (place[label]) {
            work->table[work->labels] = (ro_region){
                .label = label, .fronts = place[label], .left = work->width, .top = work->height};
            place[label] = (uint32_t)work->labels++;
        }
}

/* A time as a way at full speed. */
static double pixels_of(uint64_t arrival)
{
    return (double)((arrival >> RO_FRONT_BITS) - (RO_START >> RO_FRONT_BITS)) /
           (RO_RACE_SIDE * RO_RACE_UNIT);
}

static void add_pixels(struct ro_regions *work, const uint32_t *place)
{
    const uint32_t width = work->width, height = work->height;
    uint64_t last = RO_START;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            const uint64_t arrival = work->arrival[plane_value_at(&work->plane, x, y)];
            if (arrival == RO_NEVER)
                continue;
            last = arrival > last ? arrival : last;
            const uint32_t f = arrival & ((1U << RO_FRONT_BITS) - 1);
            ro_region *region = &work->table[place[work->fronts[f].label]];
            work->told[f].area++;
            region->area++;
            region->x += x; /* exact up to 2^53 */
            region->y += y;
            region->mean += work->raw[(size_t)y * width + x];
            region->left = x < region->left ? x : region->left;
            region->top = y < region->top ? y : region->top;
            region->right = x > region->right ? x : region->right;
            region->bottom = y > region->bottom ? y : region->bottom;
            region->border |= x == 0 || y == 0 || x + 1 == width || y + 1 == height;
        }
    work->report.way = pixels_of(last);
}

static int compare_labels(const void *a, const void *b)
{
    return (int)((const ro_region *)a)->label - (int)((const ro_region *)b)->label;
}

static void add_lengths(struct ro_regions *work)
{
    for (size_t i = 0; i < work->outlines.count; i++) {
        const ro_polyline *line = &work->outlines.lines[i];
        const ro_region key = {.label = (uint32_t)line->label};
        ro_region *region =
            bsearch(&key, work->table, work->labels, sizeof *work->table, compare_labels);
        for (size_t k = 0; k < line->count; k++) {
            const double *a = line->points + 2 * (k ? k - 1 : line->count - 1);
            const double *b = line->points + 2 * k;
            region->perimeter += hypot(b[0] - a[0], b[1] - a[1]);
        }
    }
}

static int compare_areas(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, two = *(const uint64_t *)b;
    return one < two ? -1 : one > two;
}

/* Areas in medians of those of the other labels, of labels that have pixels. */
static bool compare_sizes(struct ro_regions *work)
{
    uint64_t *areas = malloc((work->labels + 1) * sizeof *areas);
    size_t count = 0;
    for (size_t i = 0; i < work->labels && areas; i++)
        if (work->table[i].area)
            areas[count++] = work->table[i].area;
    if (areas && count >= LEAST_COMPARED) {
        qsort(areas, count, sizeof *areas, compare_areas);
        const size_t middle = (count - 1) / 2;
        for (size_t i = 0; i < work->labels; i++) {
            ro_region *region = &work->table[i];
            const uint64_t median = areas[region->area <= areas[middle] ? middle + 1 : middle];
            region->medians = (double)region->area / (double)median;
            work->report.floods += region->medians > RO_MEDIANS_OF_FLOOD;
        }
    }
    free(areas);
    return areas != NULL;
}

ro_status regions_measure(struct ro_regions *work)
{
    const uint64_t pixels = (uint64_t)work->width * work->height;
    uint32_t *place = calloc(RO_REGION_LABELS + 1, sizeof *place);
    work->told = calloc((size_t)work->count + 1, sizeof *work->told);
    work->table = calloc((size_t)work->count + 1, sizeof *work->table);
    if (!place || !work->told || !work->table) {
        free(place);
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory for a table of %u fronts",
                               work->count);
    }
    tell_fronts(work);
    list_labels(work, place);
    for (uint32_t f = 0; f < work->count; f++) {
        ro_region *region = &work->table[place[work->fronts[f].label]];
        const double confidence = work->fronts[f].confidence;
        if (region->confidence == 0 || confidence < region->confidence)
            region->confidence = confidence;
    }
    add_pixels(work, place);
    free(place);
    for (size_t i = 0; i < work->labels; i++) {
        ro_region *region = &work->table[i];
        const double area = (double)region->area;
        region->useless = region->area == 0                       ? RO_LABEL_NOTHING
                          : region->area >= pixels - pixels / 256 ? RO_LABEL_EVERYTHING
                                                                  : 0;
        if (region->area) {
            region->x /= area;
            region->y /= area;
            region->mean *= work->unit / area;
        } else {
            region->left = region->top = 0;
        }
        work->report.useless |= region->useless;
        work->report.border += region->border != 0;
    }
    if (!compare_sizes(work))
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory for a table of %u fronts",
                               work->count);
    if (regions_trace(work) != RO_OK)
        return RO_E_MEMORY;
    add_lengths(work);
    work->report.fronts = work->count;
    work->report.labels = work->labels;
    return RO_OK;
}

ro_status ro_regions_labels(const ro_regions *work, ro_image *view)
{
    if (ABSENT(work))
        return RO_E_ARGUMENT;
    ro_status status = image_check(work->context, view, "output");
    if (status != RO_OK)
        return status;
    const bool wide = view->format == RO_GREY16;
    if (!wide && view->format != RO_GREY8 && view->format != RO_INDEX8)
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "the output is %s, not grey of 8 or 16 bits",
                               ro_format_name(view->format));
    if (view->width != work->width || view->height != work->height)
        return ro_context_fail(work->context, RO_E_SIZE,
                               "the output is %u x %u but the image is %u x %u", view->width,
                               view->height, work->width, work->height);
    const uint32_t highest = work->labels ? work->table[work->labels - 1].label : 0;
    if (!wide && highest > 255)
        return ro_context_fail(work->context, RO_E_ARGUMENT, "label %u needs an output of 16 bits",
                               highest);
    for (uint32_t y = 0; y < work->height; y++) {
        char *row = (char *)view->data + (ptrdiff_t)y * view->stride;
        for (uint32_t x = 0; x < work->width; x++) {
            const uint32_t label = regions_label(work, plane_value_at(&work->plane, x, y));
            if (wide)
                ((uint16_t *)(void *)row)[x] = (uint16_t)label;
            else
                ((uint8_t *)row)[x] = (uint8_t)label;
        }
    }
    return RO_OK;
}

const ro_polyline *ro_regions_contours(const ro_regions *work, size_t *count)
{
    if (ABSENT(work, count))
        return NULL;
    *count = work->outlines.count;
    return work->outlines.lines;
}

ro_status ro_regions_show(ro_regions *work, double way)
{
    if (ABSENT(work))
        return RO_E_ARGUMENT;
    const double time = way * RO_RACE_SIDE * RO_RACE_UNIT;
    if (!(way >= 0))
        return ro_context_fail(work->context, RO_E_ARGUMENT, "a way of %g pixels", way);
    work->shown = time < 0x1p38 ? ((uint64_t)time + 2) * RO_START - 1 : RO_NEVER - 1;
    return regions_trace(work);
}

const ro_region_front *ro_regions_fronts(const ro_regions *work, size_t *count)
{
    if (ABSENT(work, count))
        return NULL;
    *count = work->count;
    return work->told;
}

const ro_region *ro_regions_table(const ro_regions *work, size_t *count)
{
    if (ABSENT(work, count))
        return NULL;
    *count = work->labels;
    return work->table;
}
