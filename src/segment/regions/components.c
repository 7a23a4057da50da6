/* SPDX-License-Identifier: MIT */
/* The parts of a mask that hang together, numbered: rows are gone through once, with a list of
 * numbers that turned out to be one and the same. */
#include "segment/regions/regions.h"

#include "core/image.h"
#include "core/misuse.h"

#include <stdlib.h>

struct numbers {
    uint32_t *same; /* a lower number of the same part, or itself */
    uint32_t count, room;
};

static uint32_t lowest(struct numbers *numbers, uint32_t n)
{
    while (numbers->same[n] != n)
        n = numbers->same[n] = numbers->same[numbers->same[n]];
    return n;
}

static bool add(struct numbers *numbers, uint32_t *number)
{
    if (numbers->count == numbers->room) {
        const uint32_t room = numbers->room ? 2 * numbers->room : 1024;
        uint32_t *more = realloc(numbers->same, room * sizeof *more);
        if (!more)
            return false;
        numbers->same = more;
        numbers->room = room;
    }
    numbers->same[numbers->count] = numbers->count;
    *number = numbers->count++;
    return true;
}

/* A number for every pixel inside, that of the pixel above or on the left if there is one. */
static bool number_pixels(const ro_image *mask, struct numbers *numbers, uint32_t *plane)
{
    const uint32_t width = mask->width;
    for (uint32_t y = 0; y < mask->height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint32_t *at = plane + (size_t)y * width + x;
            *at = 0;
            if (!regions_sample(mask, x, y))
                continue;
            const uint32_t above = y ? at[-(ptrdiff_t)width] : 0, left = x ? at[-1] : 0;
            if (above && left) {
                const uint32_t a = lowest(numbers, above), b = lowest(numbers, left);
                *at = a < b ? a : b;
                numbers->same[a] = numbers->same[b] = *at;
            } else if (above || left) {
                *at = above ? above : left;
            } else if (!add(numbers, at)) {
                return false;
            }
        }
    return true;
}

ro_status ro_mask_components(ro_context *context, const ro_image *mask, ro_image *labels,
                             uint32_t *count)
{
    if (MISSING(context, count))
        return RO_E_ARGUMENT;
    struct numbers numbers = {0};
    uint32_t unused, *plane = NULL, *label = NULL;
    *count = 0;
    ro_status status = image_check(context, mask, "mask");
    if (status == RO_OK)
        status = image_check(context, labels, "output");
    if (status == RO_OK &&
        (mask->width != labels->width || mask->height != labels->height ||
         labels->format != RO_GREY16 ||
         (mask->format != RO_GREY8 && mask->format != RO_INDEX8 && mask->format != RO_GREY16)))
        status = ro_context_fail(
            context, RO_E_ARGUMENT,
            "the parts of an 8-bit or 16-bit grey mask are numbered in 16-bit grey of its size");
    if (status != RO_OK)
        return status;
    plane = malloc((size_t)mask->width * mask->height * sizeof *plane);
    bool made = plane && add(&numbers, &unused) && number_pixels(mask, &numbers, plane);
    label = made ? calloc(numbers.count, sizeof *label) : NULL;
    if (!label)
        status = ro_context_fail(context, RO_E_MEMORY, "no memory for the parts of a mask");
    for (uint32_t y = 0; y < mask->height && status == RO_OK; y++)
        for (uint32_t x = 0; x < mask->width; x++) {
            const uint32_t n = lowest(&numbers, plane[(size_t)y * mask->width + x]);
            if (n && !label[n])
                label[n] = ++*count;
            if (*count > RO_REGION_LABELS) {
                status = ro_context_fail(context, RO_E_SIZE, "the mask has more than %d parts",
                                         RO_REGION_LABELS);
                break;
            }
            ((uint16_t *)(void *)((char *)labels->data + (ptrdiff_t)y * labels->stride))[x] =
                (uint16_t)label[n];
        }
    free(numbers.same);
    free(plane);
    free(label);
    return status;
}
