/* SPDX-License-Identifier: MIT */
/* The page of `roundoff measure`: its figures, and details of both pictures where they matter. */
#include "cli/common/print_measure.h"
#include "cli/page/page.h"

#include <stdlib.h>

enum { DETAIL = 96, SQUARE = 8, DETAILS = 3 };

/* The tone of a pixel, roughly: the first channel of a colour picture will do to find a place. */
static double tone_at(const ro_image *image, uint32_t x, uint32_t y)
{
    const char *row = (const char *)image->data + (ptrdiff_t)y * image->stride;
    const double white = image->maxval ? image->maxval : 255;
    switch (image->format) {
    case RO_GREY16:
        return ((const uint16_t *)(const void *)row)[x] / (image->maxval ? white : 65535);
    case RO_RGB16:
        return ((const uint16_t *)(const void *)row)[3 * (size_t)x] /
               (image->maxval ? white : 65535);
    case RO_GREYF:
        return (double)((const float *)(const void *)row)[x];
    case RO_RGBF:
        return (double)((const float *)(const void *)row)[3 * (size_t)x];
    case RO_RGB8:
        return ((const uint8_t *)row)[3 * (size_t)x] / white;
    default: /* readers give no other */
        return ((const uint8_t *)row)[x] / white;
    }
}

/* How far the tones of small squares are off, within a detail. */
static double wrong_in(const ro_image *original, const ro_image *result, uint32_t x, uint32_t y,
                       uint32_t width, uint32_t height)
{
    double sum = 0;
    for (uint32_t v = 0; v + SQUARE <= height; v += SQUARE)
        for (uint32_t u = 0; u + SQUARE <= width; u += SQUARE) {
            double difference = 0;
            for (uint32_t dy = 0; dy < SQUARE; dy++)
                for (uint32_t dx = 0; dx < SQUARE; dx++)
                    difference += tone_at(result, x + u + dx, y + v + dy) -
                                  tone_at(original, x + u + dx, y + v + dy);
            sum += difference * difference;
        }
    return sum;
}

struct place {
    uint32_t x, y, width, height;
};

/* The worst place, the middle, and the corner where a scan begins. */
static int find_places(const ro_image *original, const ro_image *result,
                       struct place places[DETAILS])
{
    const uint32_t width = original->width < DETAIL ? original->width : DETAIL;
    const uint32_t height = original->height < DETAIL ? original->height : DETAIL;
    double worst = -1;
    for (uint32_t y = 0; y + height <= original->height; y += height)
        for (uint32_t x = 0; x + width <= original->width; x += width) {
            const double wrong = wrong_in(original, result, x, y, width, height);
            if (wrong > worst) {
                worst = wrong;
                places[0] = (struct place){x, y, width, height};
            }
        }
    places[1] = (struct place){(original->width - width) / 2, (original->height - height) / 2,
                               width, height};
    places[2] = (struct place){0, 0, width, height};
    return original->width > DETAIL || original->height > DETAIL ? DETAILS : 1;
}

ro_status page_measure(ro_context *context, const char *path, const char *const names[2],
                       const ro_image *original, const ro_image *result,
                       const ro_measure_report *report)
{
    struct page page;
    struct place places[DETAILS];
    ro_status status = page_open(context, &page, names[1]);
    if (status != RO_OK)
        return status;
    json_put(page.data, ", original %s, result %s, ", names[0], names[1]);
    figures_json(page.data, report);
    json_put(page.data, ", crops [");
    const int count = find_places(original, result, places);
    for (int i = 0; i < count && status == RO_OK; i++) {
        const struct place *p = &places[i];
        const ro_image from = page_part(original, p->x, p->y, p->width, p->height);
        const ro_image to = page_part(result, p->x, p->y, p->width, p->height);
        json_put(page.data, "%c{x %u, y %u, original ", i, p->x, p->y);
        status = page_picture(context, &page, &from);
        json_put(page.data, ", result ");
        if (status == RO_OK)
            status = page_picture(context, &page, &to);
        fputc('}', page.data);
    }
    fputc(']', page.data);
    if (status == RO_OK)
        status = page_save(context, &page, page_measure_js, path);
    page_close(&page);
    return status;
}
