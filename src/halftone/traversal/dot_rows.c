/* SPDX-License-Identifier: MIT */
/*
 * Dot diffusion by rows of tiles. A class of a whole image is too much for a cache, but a pixel
 * depends on few others: on lower classes next to it, and those on theirs. So rows of tiles come
 * one after another, and with a row all classes are rounded as far down as all that they depend on
 * has been loaded:
 *
 *     row t      loaded
 *     row t - 1  classes that depend on nothing below their row of tiles
 *     row t - 2  the others; then the row is complete
 *
 * A class k in row r comes at step r + lag(k), in each step the lower classes first; for a lower
 * class k and a higher one k' next to it, in its own row of tiles or in the one below or above,
 * lag(k') is at least lag(k), lag(k) - 1 or lag(k) + 1. Threads take pieces of the image, with as
 * many rows of tiles above and below as a pixel of the piece can depend on.
 */
#include "core/checked.h"
#include "halftone/error_shares.h"
#include "halftone/traversal/dot_lanes.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAD = 16,         /* places on either side of a line */
    PIECE = 256,      /* rows of tiles, at most */
    MOST_WHITE = 255, /* see dot_lanes.h */
};

struct piece_rows {
    int32_t *values; /* a ring of rows of tiles: 64 lines each */
    uint8_t *bits;   /* 8 rows of bytes each */
};

struct rows_state {
    struct dots_class classes[DOTS_CLASSES];
    int lag[DOTS_CLASSES], most_lag; /* rows of tiles below that must have been loaded */
    int reach;                       /* rows of tiles above that a pixel depends on */
    const struct dots_lanes *lanes;
    int32_t white;
    uint32_t width, height, tile_rows;
    int sample_bytes, ring; /* rows of tiles in a ring */
    bool bits_out;
    size_t line;  /* places of a line, with its padding */
    void *memory; /* a ring for each thread */
    size_t bytes; /* of a ring */
    const struct halftone_block *block;
    uint32_t piece; /* rows of tiles */
    atomic_uint ticket;
    unsigned end; /* of the tickets of this round */
};

static const struct dots_lanes *lanes_of(ro_cpu cpu)
{
    static const struct dots_lanes *const variants[RO_CPUS] = {NULL, RO_VARIANTS_OF(dots_lanes)};
    return variants[cpu];
}

bool dots_rows_suit(const struct halftoner *work)
{
    return work->grey.white <= MOST_WHITE && lanes_of(work->context->cpu) != NULL;
}

/* Rows of tiles that lie between a class and its neighbour: -1, 0 or 1. */
static int rows_between(const struct dots_class *class, const struct dots_target *target)
{
    const int y = (int)class->y + target->dy;
    return y < 0 ? -1 : y >= DOTS_SIDE;
}

static void plan_lags(struct rows_state *state, enum dots_id id)
{
    dots_plan_classes(state->classes, id);
    int reach[DOTS_CLASSES] = {0};
    for (int k = 0; k < DOTS_CLASSES; k++)
        state->lag[k] = 1; /* its targets below must have been loaded */
    for (int k = 0; k < DOTS_CLASSES; k++) {
        const struct dots_class *class = &state->classes[k];
        for (int i = 0; i < class->count; i++) {
            const struct dots_target *target = &class->targets[i];
            const uint32_t x = (class->x + (uint32_t)target->dx) % DOTS_SIDE;
            const uint32_t y = (class->y + (uint32_t)target->dy) % DOTS_SIDE;
            const int to = dots_classes[id][y][x], down = rows_between(class, target);
            if (state->lag[to] < state->lag[k] - down)
                state->lag[to] = state->lag[k] - down;
            if (reach[to] < reach[k] + down)
                reach[to] = reach[k] + down;
        }
        state->most_lag = state->lag[k] > state->most_lag ? state->lag[k] : state->most_lag;
        state->reach = reach[k] > state->reach ? reach[k] : state->reach;
    }
    state->ring = state->most_lag + 2;
}

ro_status dots_rows_open(struct halftoner *work)
{
    ro_context *context = work->context;
    struct rows_state *state = calloc(1, sizeof *state);
    work->state = state;
    if (!state)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a plan");
    plan_lags(state, (enum dots_id)work->method->variant);
    state->lanes = lanes_of(context->cpu);
    state->white = 16 * (int32_t)work->grey.white;
    state->width = work->in.width;
    state->height = work->in.height;
    state->tile_rows = (work->in.height + DOTS_SIDE - 1) / DOTS_SIDE;
    state->sample_bytes = work->grey.sample_bytes;
    state->bits_out = work->out == RO_BITS;
    state->line = ((size_t)work->in.width / DOTS_SIDE + 1 + 2 * PAD + 15) & ~(size_t)15;
    state->bytes = (size_t)state->ring * DOTS_SIDE * state->line *
                   (DOTS_SIDE * sizeof(int32_t) + sizeof(uint8_t));
    const uint32_t share =
        (state->tile_rows + (uint32_t)context->threads - 1) / (uint32_t)context->threads;
    state->piece = share > PIECE ? PIECE : share;
    size_t bytes;
    if (size_multiply(state->bytes, (size_t)context->threads, &bytes))
        state->memory = calloc(1, bytes);
    if (!state->memory)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for rows of %u pixels",
                               work->in.width);
    work->bytes = sizeof *state + bytes;
    work->report.schedule = "tiles";
    work->report.threads = context->threads;
    work->report.cpu = context->cpu;
    return RO_OK;
}

void dots_rows_close(struct halftoner *work)
{
    struct rows_state *state = work->state;
    if (state)
        free(state->memory);
    free(state);
    work->state = NULL;
}

/* ---- a ring ---------------------------------------------------------------------------------- */

/* Place 0 of the line of row y, column x of the tiles; y may be -1. */
static int32_t *line_of(const struct rows_state *state, const struct piece_rows *rows, int64_t y,
                        int x)
{
    const int64_t in_ring = (int64_t)state->ring * DOTS_SIDE;
    const size_t row = (size_t)((y + in_ring) % in_ring);
    return rows->values + (row * DOTS_SIDE + (size_t)x) * state->line + PAD;
}

static uint8_t *bits_of(const struct rows_state *state, const struct piece_rows *rows, uint32_t y)
{
    return rows->bits + y % ((uint32_t)state->ring * DOTS_SIDE) * state->line;
}

static void load_row(const struct rows_state *state, const struct piece_rows *rows, uint32_t y)
{
    const unsigned char *in = state->block->in + (ptrdiff_t)y * state->block->in_stride;
    int32_t *lines[DOTS_SIDE];
    for (int c = 0; c < DOTS_SIDE; c++)
        lines[c] = line_of(state, rows, y, c);
    uint32_t x = 0;
    if (state->sample_bytes == 1) {
        state->lanes->load(in, state->width / DOTS_SIDE, lines);
        x = state->width / DOTS_SIDE * DOTS_SIDE;
    }
    for (; x < state->width; x++)
        lines[x % DOTS_SIDE][x / DOTS_SIDE] =
            16 * (state->sample_bytes == 1 ? in[x] : ((const uint16_t *)(const void *)in)[x]);
    memset(bits_of(state, rows, y), 0, state->line);
}

/* A target's line, place i of which is the target of place i. */
static int32_t *target_line(const struct rows_state *state, const struct piece_rows *rows,
                            const struct dots_class *class, const struct dots_target *target,
                            uint32_t y)
{
    const int x = (int)class->x + target->dx;
    int32_t *line = line_of(state, rows, (int64_t)y + target->dy, x & (DOTS_SIDE - 1));
    return line + (x < 0 ? -1 : x >= DOTS_SIDE);
}

/* A pixel at the left or right border, where targets are missing. */
static void round_border(const struct rows_state *state, const struct piece_rows *rows,
                         const struct dots_class *class, uint32_t x, uint32_t y)
{
    const struct dots_class cut = dots_cut(class, x, y, state->width, state->height);
    const size_t i = x / DOTS_SIDE;
    const int32_t v = line_of(state, rows, y, (int)class->x)[i];
    const bool up = v > state->white / 2;
    const int32_t e = v - (up ? state->white : 0);
    int32_t left = e;
    for (int t = 0; t < cut.count; t++) {
        const struct dots_target *target = &cut.targets[t];
        const int32_t share =
            t == cut.count - 1 ? left : share_of(e, target->weight, cut.sum, cut.magic);
        target_line(state, rows, class, target, y)[i] += share;
        left -= share;
    }
    bits_of(state, rows, y)[i] |= (uint8_t)(up << (7 - class->x));
}

static void round_class(const struct rows_state *state, const struct piece_rows *rows,
                        const struct dots_class *class, uint32_t y)
{
    const uint32_t width = state->width;
    if (class->x >= width)
        return;
    struct dots_class own = *class; /* without targets above or below the image */
    if (y == 0 || y + 1 == state->height)
        own = dots_cut(class, 1, y, 3, state->height);
    size_t first = 0, last = (width - class->x + DOTS_SIDE - 1) / DOTS_SIDE;
    if (class->x == 0 && first < last)
        round_border(state, rows, class, 0, y), first++;
    if ((width - 1) % DOTS_SIDE == class->x && first < last)
        round_border(state, rows, class, width - 1, y), last--;
    struct dots_line line = {
        .value = line_of(state, rows, y, (int)class->x),
        .quarter = own.sum ? 1.0f / (4.0f * (float)own.sum) : 0,
        .count = own.count,
        .white = state->white,
        .bits = bits_of(state, rows, y),
        .bit = (uint8_t)(1 << (7 - class->x)),
    };
    for (int t = 0; t < own.count; t++) {
        line.to[t] = target_line(state, rows, class, &own.targets[t], y);
        line.share[t] = (float)own.targets[t].weight / (float)own.sum;
    }
    state->lanes->round(&line, first, last);
}

static void store_row(const struct rows_state *state, const struct piece_rows *rows, uint32_t y)
{
    unsigned char *out = state->block->out + (ptrdiff_t)y * state->block->out_stride;
    const uint8_t *bits = bits_of(state, rows, y);
    if (state->bits_out)
        memcpy(out, bits, ro_format_row_bytes(RO_BITS, state->width));
    else
        for (uint32_t x = 0; x < state->width; x++)
            out[x] = bits[x / 8] >> (7 - x % 8) & 1;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

/* Rows of tiles first to last-1. */
static void run_piece(const struct rows_state *state, const struct piece_rows *rows, int64_t first,
                      int64_t last)
{
    const int64_t all = state->tile_rows, below = state->most_lag - 1;
    const int64_t from = first < state->reach ? 0 : first - state->reach;
    const int64_t to = last + below > all ? all : last + below;
    for (int64_t step = from; step < to + state->most_lag; step++) {
        for (int y = 0; y < DOTS_SIDE && step < to; y++)
            if (step * DOTS_SIDE + y < state->height)
                load_row(state, rows, (uint32_t)(step * DOTS_SIDE + y));
        for (int k = 0; k < DOTS_CLASSES; k++) {
            const int64_t row = step - state->lag[k], y = row * DOTS_SIDE + state->classes[k].y;
            if (row >= from && row < to && y < state->height)
                round_class(state, rows, &state->classes[k], (uint32_t)y);
        }
        const int64_t done = step - state->most_lag;
        for (int64_t y = done * DOTS_SIDE; y < (done + 1) * DOTS_SIDE; y++)
            if (done >= first && done < last && y < state->height)
                store_row(state, rows, (uint32_t)y);
    }
}

static void take_pieces(void *data, int thread)
{
    struct rows_state *state = data;
    unsigned char *memory = (unsigned char *)state->memory + (size_t)thread * state->bytes;
    struct piece_rows rows = {(int32_t *)(void *)memory, NULL};
    rows.bits =
        memory + (size_t)state->ring * DOTS_SIDE * DOTS_SIDE * state->line * sizeof(int32_t);
    for (;;) {
        const unsigned number = atomic_fetch_add(&state->ticket, 1);
        if (number >= state->end)
            return;
        const int64_t first = (int64_t)number * state->piece, last = first + state->piece;
        run_piece(state, &rows, first, last < state->tile_rows ? last : state->tile_rows);
    }
}

ro_status dots_rows_run(struct halftoner *work, const struct halftone_block *block)
{
    struct rows_state *state = work->state;
    const unsigned pieces = (state->tile_rows + state->piece - 1) / state->piece;
    const unsigned threads = (unsigned)work->context->threads;
    state->block = block;
    for (unsigned done = 0; done < pieces; done = state->end) {
        ro_status status =
            ro_context_progress(work->context, "halftone", (double)done / (double)pieces);
        if (status != RO_OK)
            return status;
        state->end = pieces - done < threads ? pieces : done + threads;
        atomic_store(&state->ticket, done);
        pool_run(work->context->pool, (int)threads, take_pieces, state);
    }
    work->report.steps = DOTS_CLASSES;
    return RO_OK;
}
