/* SPDX-License-Identifier: MIT */
/*
 * Copies of both images for the search for points, and the search itself: once, and once more from
 * twice the size if few matches agree.
 */
#include "register/start/start.h"
#include "context/context.h"
#include "register/image.h"
#include "register/register.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONGEST = 1024,         /* side of a copy */
    SMALL = 160,            /* the longer side of one that begins at twice its size at once */
    MOST_DOUBLED = 1 << 19, /* pixels of one that may do so at all */
    ENOUGH = 15,            /* support that needs no second search */
    BINS = 4096
};
static const double LOUD = 6 / 255.0; /* noise that is smoothed away first */
static const double SMOOTHED = 1.5;   /* by so much */

/* ---- Copies ---------------------------------------------------------------------------------- */

/* Means of two by two; a pixel counts if all four do. */
static void halve(struct start_copy *copy)
{
    const int width = copy->width / 2 + (copy->width < 2), below = copy->height > 1;
    const int height = copy->height / 2 + (copy->height < 2), right = copy->width > 1;
    uint8_t *keep = copy->keep;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const size_t a = (size_t)(2 * y) * (size_t)copy->width + (size_t)(2 * x);
            const size_t b = a + (size_t)(below * copy->width);
            const size_t to = (size_t)y * (size_t)width + (size_t)x;
            copy->tone[to] = 0.25f * ((copy->tone[a] + copy->tone[a + (size_t)right]) +
                                      (copy->tone[b] + copy->tone[b + (size_t)right]));
            if (keep)
                keep[to] = keep[a] & keep[a + (size_t)right] & keep[b] & keep[b + (size_t)right];
        }
    copy->width = width;
    copy->height = height;
    copy->shrink *= 2;
}

/* The tone below which a share of the pixels that count lies, by bins of tones from 0 to 1. */
static float share_below(const uint32_t bins[BINS], double share)
{
    uint64_t all = 0, seen = 0;
    int at = 0;
    for (int i = 0; i < BINS; i++)
        all += bins[i];
    while (at < BINS - 1 && (double)(seen += bins[at]) < share * (double)all)
        at++;
    return ((float)at + 0.5f) / BINS;
}

static int bin_of(float part)
{
    const float at = part * BINS;
    return at < 0 ? 0 : at < BINS ? (int)at : BINS - 1;
}

/* As noise.c, of the copy. */
static double noise_of(const struct start_copy *copy)
{
    uint32_t bins[BINS] = {0};
    const ptrdiff_t width = copy->width;
    for (int y = 1; y + 1 < copy->height; y += 2)
        for (int x = 1; x + 1 < copy->width; x++) {
            const size_t at = (size_t)y * (size_t)width + (size_t)x;
            const float *b = copy->tone + at, *a = b - width, *c = b + width;
            if (copy->keep && !copy->keep[at])
                continue;
            bins[bin_of(
                fabsf((a[-1] + a[1] + c[-1] + c[1]) - 2 * (a[0] + c[0] + b[-1] + b[1]) + 4 * b[0]) /
                8)]++;
        }
    return 8 * (double)share_below(bins, 0.5) / (0.6745 * 6);
}

/* Tones from the 1st to the 99th percentile become 0 to 1. */
static void stretch(struct start_copy *copy)
{
    uint32_t bins[BINS] = {0};
    const size_t pixels = (size_t)copy->width * (size_t)copy->height;
    for (size_t i = 0; i < pixels; i++)
        if (!copy->keep || copy->keep[i])
            bins[bin_of(copy->tone[i])]++;
    const float low = share_below(bins, 0.01), high = share_below(bins, 0.99);
    const float by = 1 / (high - low > 1e-6f ? high - low : 1e-6f);
    for (size_t i = 0; i < pixels; i++) {
        const float tone = (copy->tone[i] - low) * by;
        copy->tone[i] = tone < -0.2f ? -0.2f : tone > 1.2f ? 1.2f : tone;
    }
}

static bool open_copy(const struct registration *flow, int p, struct start_copy *copy)
{
    const struct solver_grid *grid = &flow->grids.grid[0];
    const int width = flow->size[p].width, height = flow->size[p].height;
    const size_t pixels = (size_t)width * (size_t)height;
    uint8_t *keep = flow->keep[p] ? malloc(pixels) : NULL;
    *copy = (struct start_copy){
        .width = width, .height = height, .shrink = 1, .tone = malloc(pixels * sizeof(float))};
    copy->keep = keep;
    if (!copy->tone || (flow->keep[p] && !keep))
        return false;
    for (int y = 0; y < height && !ro_context_cancelled(flow->context); y++) {
        const size_t at = (size_t)y * (size_t)width;
        memcpy(copy->tone + at, flow->images[p] + grid_at(grid, y), (size_t)width * sizeof(float));
        for (int x = 0; keep && x < width; x++)
            keep[at + (size_t)x] = flow->keep[p][grid_at(grid, y) + (size_t)x] != 0;
    }
    while (copy->width > LONGEST || copy->height > LONGEST)
        halve(copy);
    return true;
}

static bool open_copies(const struct registration *flow, const struct start_kernels *kernels,
                        struct found_start *start)
{
    for (int p = 0; p < 2; p++) {
        struct start_copy *copy = &start->copy[p];
        if (!open_copy(flow, p, copy))
            return false;
        start->noisy[p] = noise_of(copy) >= LOUD;
        if (start->noisy[p]) {
            float *between = malloc((size_t)copy->width * (size_t)copy->height * sizeof(float));
            if (!between)
                return false;
            start_blur(flow->team, kernels, copy->width, copy->height, SMOOTHED, copy->tone,
                       between, copy->tone);
            free(between);
        }
        stretch(copy);
    }
    return true;
}

/* ---- Points ---------------------------------------------------------------------------------- */

static bool begins_doubled(const struct start_copy *copy, bool again)
{
    const bool small = copy->width <= SMALL && copy->height <= SMALL;
    return small || (again && (size_t)copy->width * (size_t)copy->height <= MOST_DOUBLED);
}

/* One search; the result takes the place of the one before if it has more support. */
static bool search(const struct registration *flow, const struct start_kernels *kernels, bool again,
                   struct found_start *start)
{
    struct feature_set sets[2] = {{0}};
    struct found_start found = *start;
    bool good = true;
    found.matches = NULL;
    for (int p = 0; p < 2 && good; p++)
        good = features_open(flow->team, kernels, &start->copy[p],
                             begins_doubled(&start->copy[p], again), &sets[p]);
    if (good) {
        found.count = match_features(flow->team, kernels, &sets[1], &sets[0], &found.matches);
        good = found.count >= 0 && map_from_matches(&found);
    }
    if (good && (!start->matches || found.support > start->support)) {
        free(start->matches);
        *start = found;
    } else {
        free(found.matches);
    }
    features_close(&sets[0]);
    features_close(&sets[1]);
    return good;
}

ro_status start_find(struct registration *flow, struct found_start *start)
{
    const struct start_kernels *kernels = start_kernels_for(flow->context->cpu);
    *start = (struct found_start){0};
    bool good = open_copies(flow, kernels, start) && search(flow, kernels, false, start);
    const bool more =
        begins_doubled(&start->copy[0], true) != begins_doubled(&start->copy[0], false) ||
        begins_doubled(&start->copy[1], true) != begins_doubled(&start->copy[1], false);
    if (good && start->support < ENOUGH && more && !ro_context_cancelled(flow->context))
        good = search(flow, kernels, true, start);
    if (!good)
        return ro_context_fail(flow->context, RO_E_MEMORY, "no memory to find points that match");
    return register_heard(flow);
}

void start_close(struct found_start *start)
{
    for (int p = 0; p < 2; p++) {
        free(start->copy[p].tone);
        free(start->copy[p].keep);
    }
    free(start->matches);
    *start = (struct found_start){0};
}

/* From pixels of an image to those of its copy. */
static struct plane_map to_copy(const struct start_copy *copy)
{
    const double by = 1 / copy->shrink, shift = 0.5 * by - 0.5;
    return (struct plane_map){{by, 0, shift, 0, by, shift, 0, 0, 1}};
}

struct plane_map start_of_images(const struct found_start *start)
{
    const double s = start->copy[0].shrink, shift = 0.5 * s - 0.5;
    const struct plane_map in = to_copy(&start->copy[1]);
    const struct plane_map out = {{s, 0, shift, 0, s, shift, 0, 0, 1}};
    struct plane_map map = map_after(&start->map, &in);
    map = map_after(&out, &map);
    for (int i = 0; i < 9; i++)
        map.m[i] /= i < 8 ? map.m[8] : 1;
    map.m[8] = 1;
    return map;
}
