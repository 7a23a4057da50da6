/* SPDX-License-Identifier: MIT */
/*
 * Error diffusion along a Hilbert curve (Riemersma, 1998). The curve of the smallest power of two
 * that covers the image is walked from the top left corner; pixels outside are passed over. The
 * last sixteen errors weigh on a pixel, the newest sixteen times as much as the oldest, and the
 * rest of the division is carried along the curve, so that no tone is lost:
 *
 *     t = c + sum of w e     v = T + floor(t / 89)     c = t mod 89, 44 at first
 *     k = the level nearest to v, a tie going to the darker     e = v - level(k)
 *
 * The walk follows one path through the whole image, so it cannot be divided among threads.
 */
#include "halftone/diffusion/diffusion.h"

#include <stdlib.h>
#include <string.h>

enum { MEMORY = 16, DIVISOR = 89, PAUSE = 512 }; /* PAUSE: squares between looks at a stop */

/* 16 to the power i / 15, rounded; the newest error's is the last. */
static const int32_t weights[MEMORY] = {1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 8, 9, 11, 13, 16};

struct walk {
    struct diffusion_plan plan; /* for its levels */
    const struct halftone_block *block;
    ro_context *context;
    ro_status status; /* of the last look */
    uint32_t width, height;
    int32_t errors[2 * MEMORY]; /* twice over, so that the last sixteen lie side by side */
    int newest;
    int64_t carry;
    uint64_t visited;
    double pixels;
};

static void visit(struct walk *walk, uint32_t x, uint32_t y)
{
    const struct halftone_block *block = walk->block;
    const int32_t *errors = walk->errors + walk->newest; /* oldest first */
    int64_t t = walk->carry;
    for (int i = 0; i < MEMORY; i++)
        t += (int64_t)weights[i] * errors[i];
    int64_t carried = floor_divide(t, DIVISOR);
    walk->carry = t - DIVISOR * carried;
    int32_t v = diffusion_tone(&walk->plan, block->in + (ptrdiff_t)y * block->in_stride, x) +
                (int32_t)carried;
    int k = diffusion_nearest(&walk->plan, v);
    diffusion_put(&walk->plan, block->out + (ptrdiff_t)y * block->out_stride, x, k);
    walk->errors[walk->newest] = walk->errors[walk->newest + MEMORY] = v - walk->plan.level[k];
    walk->newest = (walk->newest + 1) % MEMORY;
    walk->visited++;
}

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
        visit(walk, (uint32_t)left, (uint32_t)top);
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

static ro_status open_engine(struct halftoner *work)
{
    ro_status status = halftone_scalar_only(work, false);
    if (status != RO_OK)
        return status;
    static const struct diffusion_kernel none = {1, 1, {{1, 0, 1}}};
    struct walk *walk = calloc(1, sizeof *walk);
    if (!walk)
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory for a walk");
    work->state = walk;
    struct diffusion_request request = diffusion_request_of(work);
    request.kernel = &none;
    request.kernel_id = DIFFUSION_KERNELS;
    diffusion_plan_make(&walk->plan, &request);
    walk->context = work->context;
    walk->width = work->in.width;
    walk->height = work->in.height;
    walk->pixels = (double)walk->width * walk->height;
    work->report.schedule = "curve";
    return RO_OK;
}

static ro_status begin_engine(struct halftoner *work)
{
    struct walk *walk = work->state;
    memset(walk->errors, 0, sizeof walk->errors);
    walk->newest = 0;
    walk->carry = DIVISOR / 2;
    walk->visited = 0;
    walk->status = RO_OK;
    return RO_OK;
}

static ro_status run_engine(struct halftoner *work, const struct halftone_block *block)
{
    struct walk *walk = work->state;
    walk->block = block;
    for (uint32_t y = 0; y < block->rows; y++)
        memset(block->out + (ptrdiff_t)y * block->out_stride, 0, diffusion_row_bytes(&walk->plan));
    int64_t side = 1;
    while (side < walk->width || side < walk->height)
        side *= 2;
    follow(walk, 0, 0, (struct side){0, side}, (struct side){side, 0});
    work->report.steps = (uint64_t)walk->width * walk->height;
    return walk->status;
}

static void close_engine(struct halftoner *work)
{
    free(work->state);
    work->state = NULL;
}

const struct halftone_engine riemersma_engine = {
    .open = open_engine,
    .begin = begin_engine,
    .run = run_engine,
    .close = close_engine,
    .whole_image = true,
};
