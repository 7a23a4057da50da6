/* SPDX-License-Identifier: MIT */
/*
 * Means of two by two, as often as needed in one go: what lies between is never a plane of its own.
 * A thread makes some rows of the largest copy and all that follow from them.
 */
#include "register/align/pyramid.h"

#include "context/context.h"
#include "register/image.h"

#include <stdlib.h>
#include <string.h>

enum { HALVINGS = 40, COLUMNS = 16 };

struct making {
    const struct registration *flow;
    const struct align_kernels *kernels;
    struct pyramid_copies *copies;
    int halvings;                          /* from the images to the largest copy */
    int width[HALVINGS], height[HALVINGS]; /* after so many of them */
    float *scratch;                        /* of all parts */
    size_t scratch_floats;
    bool flat;
    double *sums[RO_COPIES][2][2]; /* of both images: tones, squares */
};

static int halved(int count) { return count / 2 + (count < 2); }

/* ---- Rows ------------------------------------------------------------------------------------ */

/* A row of an image after some halvings; scratch for two rows of what comes before, and of what
 * that needs. */
static const float *shrunk_row(const struct making *making, const float *plane, int halvings, int y,
                               bool whole, float *scratch, float *out)
{
    if (halvings == 0)
        return plane + grid_at(&making->flow->grids.grid[0], y);
    const int before = making->width[halvings - 1], below = making->height[halvings - 1] > 1;
    float *const rest = scratch + 2 * before;
    const float *a = shrunk_row(making, plane, halvings - 1, 2 * y, whole, rest, scratch);
    const float *b =
        shrunk_row(making, plane, halvings - 1, 2 * y + below, whole, rest, scratch + before);
    making->kernels->halve(a, b, before, whole, out);
    return out;
}

/* Row y of a copy's plane, from the plane of the copy before or, of the first, from an image. */
static void make_row(const struct making *making, int i, const float *from, bool whole, int y,
                     float *scratch, float *plane)
{
    const struct pyramid_copy *copy = &making->copies->copy[i];
    float *out = plane + y * copy->width;
    if (i > 0) {
        const float *a = from + 2 * y * copy[-1].width;
        const float *b = a + (copy[-1].height > 1 ? copy[-1].width : 0);
        making->kernels->halve(a, b, copy[-1].width, whole, out);
        return;
    }
    const float *row = shrunk_row(making, from, making->halvings, y, whole, scratch, out);
    if (row != out)
        memcpy(out, row, (size_t)copy->width * sizeof *out);
}

/* Sums over all to the left, a zero first. */
static void sum_row(const struct pyramid_copy *copy, int p, int y, double *const sums[2])
{
    const int width = copy->width;
    const float *row = copy->image[p] + y * width;
    double *tones = sums[0] + (y + 1) * (width + 1), *squares = sums[1] + (y + 1) * (width + 1);
    double line = 0, square = 0;
    tones[0] = squares[0] = 0;
    for (int x = 0; x < width; x++) {
        const double tone = (double)row[x];
        tones[x + 1] = line += tone;
        squares[x + 1] = square += tone * tone;
    }
}

/* ---- Passes ---------------------------------------------------------------------------------- */

/* Unit u is a row of the last copy, and what is not in any is the last unit's. */
static void make_rows(void *data, int part, int parts)
{
    const struct making *making = data;
    const struct registration *flow = making->flow;
    const int last = making->copies->count - 1;
    float *scratch = making->scratch + (size_t)part * making->scratch_floats;
    const int units = (making->copies->copy[0].height + (1 << last) - 1) >> last;
    int u, to;
    for (team_share(units, part, parts, &u, &to); u < to; u++)
        for (int i = 0; i <= last && !ro_context_cancelled(flow->context); i++) {
            struct pyramid_copy *copy = &making->copies->copy[i];
            const int after = (u + 1) << (last - i);
            for (int y = u << (last - i); y < after && y < copy->height; y++)
                for (int p = 0; p < 2; p++) {
                    make_row(making, i, i ? copy[-1].image[p] : flow->images[p], false, y, scratch,
                             copy->image[p]);
                    if (copy->keep[p])
                        make_row(making, i, i ? copy[-1].keep[p] : flow->keep[p], true, y, scratch,
                                 copy->keep[p]);
                    if (making->flat)
                        sum_row(copy, p, y, making->sums[i][p]);
                }
        }
}

/* Sums over all above, a row of zeros first. */
static void sum_columns(void *data, int part, int parts)
{
    const struct making *making = data;
    for (int i = 0; i < making->copies->count; i++) {
        const int width = making->copies->copy[i].width + 1;
        const int height = making->copies->copy[i].height;
        const int blocks = (width + COLUMNS - 1) / COLUMNS;
        int unit, to;
        for (team_share(4 * blocks, part, parts, &unit, &to); unit < to; unit++) {
            const int from = unit % blocks * COLUMNS;
            const int count = width - from < COLUMNS ? width - from : COLUMNS;
            double *row = making->sums[i][unit / blocks / 2][unit / blocks % 2] + from;
            memset(row, 0, (size_t)count * sizeof *row);
            for (int y = 0; y < height; y++, row += width)
                for (int x = 0; x < count; x++)
                    row[width + x] += row[x];
        }
    }
}

static void flatten_rows(void *data, int part, int parts)
{
    const struct making *making = data;
    for (int i = 0; i < making->copies->count; i++) {
        const struct pyramid_copy *copy = &making->copies->copy[i];
        const int longer = copy->width > copy->height ? copy->width : copy->height;
        int unit, to;
        for (team_share(2 * copy->height, part, parts, &unit, &to); unit < to; unit++) {
            const int p = unit / copy->height, y = unit % copy->height;
            making->kernels->flatten(copy->width, copy->height, longer / 8, y, making->flow->sizes,
                                     making->sums[i][p][0], making->sums[i][p][1],
                                     copy->image[p] + y * copy->width);
        }
    }
}

/* Pixels of the fixed image that count. */
static double count_kept(const struct pyramid_copy *copy)
{
    const int pixels = copy->width * copy->height;
    int counted = copy->keep[1] ? 0 : pixels;
    for (int i = 0; copy->keep[1] && i < pixels; i++)
        counted += copy->keep[1][i] > 0;
    return counted > 0 ? counted : 1;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static void plan_sizes(struct making *making, int longest)
{
    struct pyramid_copies *copies = making->copies;
    int width = making->flow->width, height = making->flow->height;
    double shrink = 1;
    making->width[0] = width;
    making->height[0] = height;
    while (width > longest || height > longest) {
        making->width[++making->halvings] = width = halved(width);
        making->height[making->halvings] = height = halved(height);
        shrink *= 2;
    }
    for (;;) {
        copies->copy[copies->count++] =
            (struct pyramid_copy){.width = width, .height = height, .shrink = shrink};
        if (copies->count == RO_COPIES || (width <= RO_SMALLEST_COPY && height <= RO_SMALLEST_COPY))
            return;
        width = halved(width);
        height = halved(height);
        shrink *= 2;
    }
}

static size_t floats_of(const struct pyramid_copy *copy)
{
    return (size_t)copy->width * (size_t)copy->height + RO_ALIGN_LANES;
}

static size_t cells_of(const struct pyramid_copy *copy)
{
    return (size_t)(copy->width + 1) * (size_t)(copy->height + 1);
}

/* One piece of memory for all; what is only read along with rows is zero. */
static bool take_memory(struct making *making)
{
    struct pyramid_copies *copies = making->copies;
    const int planes = making->flow->keep[0] ? 4 : 2;
    size_t bytes = 0;
    for (int i = 0; i < copies->count; i++)
        bytes += (size_t)planes * floats_of(&copies->copy[i]) * sizeof(float) +
                 (making->flat ? 4 * cells_of(&copies->copy[i]) * sizeof(double) : 0);
    making->scratch_floats = 4 * (size_t)(making->flow->width + HALVINGS);
    bytes += (size_t)team_size(making->flow->team) * making->scratch_floats * sizeof(float);
    double *sums = copies->memory = malloc(bytes);
    if (!sums)
        return false;
    for (int i = 0; i < copies->count && making->flat; i++)
        for (int k = 0; k < 4; k++, sums += cells_of(&copies->copy[i]))
            making->sums[i][k / 2][k % 2] = sums;
    float *plane = (float *)sums;
    for (int i = 0; i < copies->count; i++)
        for (int k = 0; k < planes; k++) {
            float **to = k < 2 ? &copies->copy[i].image[k] : &copies->copy[i].keep[k - 2];
            *to = plane;
            plane += floats_of(&copies->copy[i]);
            memset(plane - RO_ALIGN_LANES, 0, RO_ALIGN_LANES * sizeof *plane);
        }
    making->scratch = plane;
    return true;
}

ro_status copies_open(const struct registration *flow, const struct align_kernels *kernels,
                      int longest, bool flat, struct pyramid_copies *copies)
{
    struct making making = {.flow = flow, .kernels = kernels, .copies = copies, .flat = flat};
    const size_t pixels = (size_t)flow->width * (size_t)flow->height;
    *copies = (struct pyramid_copies){0};
    plan_sizes(&making, longest);
    if (!take_memory(&making))
        return ro_context_fail(flow->context, RO_E_MEMORY, "no memory to align images");
    enum { SHARE = 8 }; /* a pixel of a copy is as much work as this many of a filter */
    register_pass(flow, 2 * pixels, make_rows, &making);
    const size_t work = 2 * SHARE * floats_of(&copies->copy[0]);
    if (flat) {
        register_pass(flow, work, sum_columns, &making);
        register_pass(flow, work, flatten_rows, &making);
    }
    for (int i = 0; i < copies->count; i++)
        copies->copy[i].counted = count_kept(&copies->copy[i]);
    return register_heard(flow);
}

void copies_close(struct pyramid_copies *copies)
{
    free(copies->memory);
    *copies = (struct pyramid_copies){0};
}
