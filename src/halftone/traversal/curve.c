/* SPDX-License-Identifier: MIT */
#include "halftone/traversal/curve.h"

enum { PAUSE = 512 }; /* squares between looks at a stop */

struct walk {
    ro_context *context;
    ro_status status; /* of the last look */
    uint32_t width, height;
    uint64_t visited;
    double pixels;
    void (*visit)(void *data, uint32_t x, uint32_t y);
    void *data;
};

/* A square of the curve: the corner where it begins, and its two sides from there. It ends at the
 * far end of the second. Quarters follow along the first side, across, and back; the first and the
 * last of them swap their sides. */
struct side {
    int64_t x, y;
};

static void follow(struct walk *walk, int64_t x, int64_t y, struct side a, struct side b)
{
    int64_t left = x + (a.x + b.x < 0 ? a.x + b.x : 0), top = y + (a.y + b.y < 0 ? a.y + b.y : 0);
    if (left >= walk->width || top >= walk->height || walk->status != RO_OK)
        return;
    if (a.x + a.y == 1 || a.x + a.y == -1) {
        walk->visit(walk->data, (uint32_t)left, (uint32_t)top);
        walk->visited++;
        return;
    }
    if (a.x + a.y == PAUSE || a.x + a.y == -PAUSE)
        walk->status =
            ro_context_progress(walk->context, "halftone", (double)walk->visited / walk->pixels);
    struct side half_a = {a.x / 2, a.y / 2}, half_b = {b.x / 2, b.y / 2};
    follow(walk, x, y, half_b, half_a);
    follow(walk, x + half_a.x, y + half_a.y, half_a, half_b);
    follow(walk, x + half_a.x + half_b.x, y + half_a.y + half_b.y, half_a, half_b);
    follow(walk, x + half_a.x + b.x, y + half_a.y + b.y, (struct side){-half_b.x, -half_b.y},
           (struct side){-half_a.x, -half_a.y});
}

ro_status curve_walk(ro_context *context, uint32_t width, uint32_t height,
                     void (*visit)(void *data, uint32_t x, uint32_t y), void *data)
{
    struct walk walk = {.context = context,
                        .width = width,
                        .height = height,
                        .pixels = (double)width * height,
                        .visit = visit,
                        .data = data};
    int64_t side = 1;
    while (side < width || side < height)
        side *= 2;
    follow(&walk, 0, 0, (struct side){0, side}, (struct side){side, 0});
    return walk.status;
}
