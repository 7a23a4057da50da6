/* SPDX-License-Identifier: MIT */
/*
 * Block error diffusion, after Li's and Allebach's block interlaced pinwheel (2005). Blocks of
 * 16 x 16 form a checkerboard. Those whose column and row add up to an even number run first, each
 * along a spiral from its middle out; then the others, along the same spiral from the rim in:
 *
 *     in:  > > > v      out: the same path backwards
 *          > > v v
 *          ^ ^ < v      an error goes by Floyd-Steinberg's weights turned with the path: 7 ahead,
 *          ^ < < <      and to the side that is still to come 3 behind, 5 beside, 1 ahead
 *
 * Shares go to pixels of the same block still to come and, from the first blocks, to the others;
 * weights of places that are neither are left out. Shares are rounded to the nearest whole number,
 * the last one takes the rest; the middle of a block that runs inwards drops its error. Blocks of
 * one turn do not depend on one another.
 */
#include "halftone/halftone.h"

#include "core/checked.h"
#include "core/image.h"
#include "halftone/error_shares.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 16, PIXELS = SIDE * SIDE, TARGETS = 4 };

struct target {
    int dx, dy, weight;
    bool foreign; /* in another block, which others may write to as well */
};

struct shares {
    int count, sum;
    uint64_t magic; /* of the sum, for share_of */
    struct target targets[TARGETS];
};

struct step {
    int x, y;             /* in the block */
    int dx, dy;           /* to the next; the last goes straight on */
    struct shares shares; /* where the image does not end near the block */
};

struct wheel {
    const ro_context *context;
    struct step path[2][PIXELS]; /* outwards, inwards */
    int place[2][SIDE][SIDE];    /* of a pixel on them */
    _Atomic int32_t *values;     /* tones and what has flowed to them */
    const struct halftone_block *block;
    uint32_t width, height, across, down;
    int32_t white;
    bool bits_out;
    int turn; /* the blocks under way */
    atomic_uint ticket;
};

static void plan_paths(struct wheel *wheel)
{
    int x = 0, y = 0, dx = 1, dy = 0;
    bool seen[SIDE][SIDE] = {{false}};
    for (int n = 0; n < PIXELS; n++) {
        wheel->path[1][n] = (struct step){.x = x, .y = y};
        seen[y][x] = true;
        int ahead_x = x + dx, ahead_y = y + dy;
        if (ahead_x < 0 || ahead_x >= SIDE || ahead_y < 0 || ahead_y >= SIDE ||
            seen[ahead_y][ahead_x]) {
            int turned = -dy;
            dy = dx;
            dx = turned;
        }
        x += dx;
        y += dy;
    }
    for (int n = 0; n < PIXELS; n++)
        wheel->path[0][n] = wheel->path[1][PIXELS - 1 - n];
    for (int turn = 0; turn < 2; turn++) {
        struct step *path = wheel->path[turn];
        for (int n = 0; n + 1 < PIXELS; n++) {
            path[n].dx = path[n + 1].x - path[n].x;
            path[n].dy = path[n + 1].y - path[n].y;
        }
        path[PIXELS - 1].dx = path[PIXELS - 2].dx;
        path[PIXELS - 1].dy = path[PIXELS - 2].dy;
        for (int n = 0; n < PIXELS; n++)
            wheel->place[turn][path[n].y][path[n].x] = n;
    }
}

/* Where the error of step n of the block at (x0, y0) goes, in an image of this size. */
static struct shares shares_at(const struct wheel *wheel, int turn, int n, int64_t x0, int64_t y0,
                               int64_t width, int64_t height)
{
    const struct step *step = &wheel->path[turn][n];
    const int dx = step->dx, dy = step->dy;
    const struct target around[TARGETS] = {{dx, dy, 7, false},
                                           {-dy - dx, dx - dy, 3, false},
                                           {-dy, dx, 5, false},
                                           {-dy + dx, dx + dy, 1, false}};
    struct shares shares = {0};
    for (int i = 0; i < TARGETS; i++) {
        struct target target = around[i];
        int bx = step->x + target.dx, by = step->y + target.dy;
        int64_t x = x0 + bx, y = y0 + by;
        if (x < 0 || y < 0 || x >= width || y >= height)
            continue;
        bool own = bx >= 0 && bx < SIDE && by >= 0 && by < SIDE;
        if (own ? wheel->place[turn][by][bx] <= n : turn == 1 || (x / SIDE + y / SIDE) % 2 != 1)
            continue;
        target.foreign = !own;
        shares.targets[shares.count++] = target;
        shares.sum += target.weight;
    }
    shares.magic = shares.sum ? share_magic(shares.sum) : 0;
    return shares;
}

static void plan_shares(struct wheel *wheel)
{
    /* A block of each turn with blocks all round it. */
    for (int turn = 0; turn < 2; turn++)
        for (int n = 0; n < PIXELS; n++)
            wheel->path[turn][n].shares =
                shares_at(wheel, turn, n, (1 + turn) * SIDE, SIDE, 4 * SIDE, 4 * SIDE);
}

static void round_pixel(struct wheel *wheel, int64_t x0, int64_t y0, int n, bool interior)
{
    const struct step *step = &wheel->path[wheel->turn][n];
    int64_t x = x0 + step->x, y = y0 + step->y;
    if (x >= wheel->width || y >= wheel->height)
        return;
    _Atomic int32_t *value = &wheel->values[y * wheel->width + x];
    int32_t v = atomic_load_explicit(value, memory_order_relaxed);
    bool white = v > wheel->white / 2;
    unsigned char *out = wheel->block->out + (ptrdiff_t)y * wheel->block->out_stride;
    if (wheel->bits_out) /* a block has bytes of its own */
        out[x / 8] |= (unsigned char)(white << (7 - x % 8));
    else
        out[x] = white;

    struct shares cut;
    const struct shares *shares = &step->shares;
    if (!interior) {
        cut = shares_at(wheel, wheel->turn, n, x0, y0, wheel->width, wheel->height);
        shares = &cut;
    }
    int32_t e = v - (white ? wheel->white : 0), left = e;
    for (int i = 0; i < shares->count; i++) {
        const struct target *target = &shares->targets[i];
        _Atomic int32_t *to = value + target->dy * (ptrdiff_t)wheel->width + target->dx;
        int32_t share =
            i == shares->count - 1 ? left : share_of(e, target->weight, shares->sum, shares->magic);
        left -= share;
        if (target->foreign) {
            atomic_fetch_add_explicit(to, share, memory_order_relaxed);
        } else {
            int32_t now = atomic_load_explicit(to, memory_order_relaxed);
            atomic_store_explicit(to, now + share, memory_order_relaxed);
        }
    }
}

static void run_turn(void *data, int thread)
{
    (void)thread;
    struct wheel *wheel = data;
    for (;;) {
        uint32_t row = atomic_fetch_add(&wheel->ticket, 1);
        if (row >= wheel->down || ro_context_cancelled(wheel->context))
            return;
        for (uint32_t column = (row + (uint32_t)wheel->turn) % 2; column < wheel->across;
             column += 2) {
            bool interior = row > 0 && column > 0 && (row + 1) * SIDE < wheel->height &&
                            (column + 1) * SIDE < wheel->width;
            for (int n = 0; n < PIXELS; n++)
                round_pixel(wheel, (int64_t)column * SIDE, (int64_t)row * SIDE, n, interior);
        }
    }
}

static ro_status open_engine(struct halftoner *work)
{
    ro_status status = halftone_scalar_only(work, true);
    if (status != RO_OK)
        return status;
    size_t pixels, bytes;
    struct wheel *wheel = calloc(1, sizeof *wheel);
    work->state = wheel;
    if (wheel && size_multiply(work->in.width, work->in.height, &pixels) &&
        size_multiply(pixels, sizeof *wheel->values, &bytes))
        wheel->values = malloc(bytes);
    if (!wheel || !wheel->values)
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory for %u x %u pixels",
                               work->in.width, work->in.height);
    work->bytes = sizeof *wheel + bytes;
    wheel->context = work->context;
    plan_paths(wheel);
    plan_shares(wheel);
    wheel->width = work->in.width;
    wheel->height = work->in.height;
    wheel->across = (wheel->width + SIDE - 1) / SIDE;
    wheel->down = (wheel->height + SIDE - 1) / SIDE;
    wheel->white = 16 * (int32_t)work->grey.white;
    wheel->bits_out = work->out == RO_BITS;
    work->report.schedule = "blocks";
    work->report.threads = work->context->threads;
    return RO_OK;
}

static ro_status run_engine(struct halftoner *work, const struct halftone_block *block)
{
    struct wheel *wheel = work->state;
    wheel->block = block;
    for (uint32_t y = 0; y < wheel->height; y++) {
        const unsigned char *in = block->in + (ptrdiff_t)y * block->in_stride;
        _Atomic int32_t *values = wheel->values + (size_t)y * wheel->width;
        for (uint32_t x = 0; x < wheel->width; x++)
            atomic_init(&values[x],
                        16 * (work->grey.sample_bytes == 1 ? in[x] : ((const uint16_t *)in)[x]));
        memset(block->out + (ptrdiff_t)y * block->out_stride, 0,
               ro_format_row_bytes(work->out, wheel->width));
    }
    ro_status status = ro_context_progress(work->context, "halftone", 0.1);
    for (wheel->turn = 0; wheel->turn < 2 && status == RO_OK; wheel->turn++) {
        atomic_store(&wheel->ticket, 0);
        pool_run(work->context->pool, work->context->threads, run_turn, wheel);
        status = ro_context_progress(work->context, "halftone", 0.5 * (wheel->turn + 1));
    }
    work->report.steps = 2 * PIXELS;
    return status;
}

static void close_engine(struct halftoner *work)
{
    struct wheel *wheel = work->state;
    if (wheel)
        free(wheel->values);
    free(wheel);
    work->state = NULL;
}

const struct halftone_engine pinwheel_engine = {
    .open = open_engine,
    .run = run_engine,
    .close = close_engine,
    .whole_image = true,
    .no_palette = "it is the paper's, which has two tones",
};
