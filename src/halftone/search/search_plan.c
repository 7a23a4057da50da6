/* SPDX-License-Identifier: MIT */
/*
 * Direct binary search: options, the plan, the start and the way out.
 *
 * Everything a search needs is decided and allocated here, before a pixel is touched: the eye V and
 * its autocorrelation c_pp as integers, what each tone means, where the reflected border comes
 * from, and one arena for all arrays (about 4.4 bytes a pixel, the scratch of a strip per thread
 * aside).
 */
#include "halftone/search/search.h"

#include "context/context.h"
#include "core/checked.h"
#include "core/cpu.h"
#include "core/image.h"
#include "core/random.h"
#include "screen/uniform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

const struct dbs_step dbs_neighbours[8] = {
    {-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1},
};

/* ---- The plan ------------------------------------------------------------------------------- */

/* The shadow limit D: plain search empties tones below c_pp(0) / (2 S^2), so the next step of 1/255
 * above that is where the array must help; for Naesaenen's eye the next after half a step, for a
 * tone that is just above the limit loses dots too. */
static ro_status make_shadow(ro_context *context, struct dbs_plan *plan)
{
    struct dbs_options *options = &plan->options;
    if (options->shadow_denominator == 0 && options->shadow_numerator)
        return ro_context_fail(context, RO_E_ARGUMENT, "the shadow limit %u/0 is not a number",
                               options->shadow_numerator);
    if (options->shadow_denominator == 0) {
        const uint64_t scale = 2ull * DBS_SCALE * DBS_SCALE,
                       room = options->sigma > 0 ? 0 : scale / 2;
        options->shadow_numerator =
            (uint32_t)((255ull * (uint64_t)dbs_pp(plan, 0, 0) + room) / scale) + 1;
        options->shadow_denominator = 255;
    }
    if (2ull * options->shadow_numerator > options->shadow_denominator)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "the shadow limit %u/%u is over one half: the eye is too narrow, "
                               "shadows and highlights would overlap",
                               options->shadow_numerator, options->shadow_denominator);
    return RO_OK;
}

ro_status dbs_plan_make(ro_context *context, const struct dbs_options *options, const ro_image *in,
                        struct dbs_plan *plan)
{
    *plan = (struct dbs_plan){.options = *options};
    ro_status status = dbs_eye_make(context, plan);
    if (status == RO_OK)
        status = dbs_start_check(context, in, &plan->options);
    if (status != RO_OK)
        return status;
    plan->random = !options->first && strcmp(plan->options.start, DBS_RANDOM) == 0;
    if (options->clipping_free) {
        status = make_shadow(context, plan);
        if (status == RO_OK)
            status = uniform_screen_size(context, options->screen, &plan->screen_size);
        if (status != RO_OK)
            return status;
    } else if (options->screen || options->shadow_numerator || options->shadow_denominator) {
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "plain direct binary search takes no screen or shadow limit");
    }

    plan->pad = 4 * plan->w;
    plan->block = plan->w > 7 ? 64 : 32;
    plan->white = ro_image_white(in);
    plan->values = in->format == RO_GREY8 ? 256 : 65536; /* those above white count as white */
    plan->image_width = (int)in->width;
    plan->image_height = (int)in->height;
    /* Sums of e^2 stay below 2^63: e^2 is at most 2^32. */
    size_t pixels;
    if (!size_multiply((size_t)in->width + 2 * DBS_MARGIN, (size_t)in->height + 2 * DBS_MARGIN,
                       &pixels) ||
        pixels >= (size_t)1 << 31)
        return ro_context_fail(context, RO_E_SIZE,
                               "an image of %u x %u is too large for direct binary search, which "
                               "takes up to 2^31 pixels",
                               in->width, in->height);
    plan->width = plan->image_width + 2 * plan->pad;
    plan->height = plan->image_height + 2 * plan->pad;
    plan->panels = (plan->width + DBS_LANES - 1) / DBS_LANES;
    /* An odd number of lines keeps the panels' lines of one row apart in the cache. */
    plan->pitch = ((size_t)plan->height + 2 * DBS_MARGIN) | 1;
    size_t across = ((size_t)plan->width + DBS_MARGIN - 1) / DBS_MARGIN * DBS_MARGIN;
    plan->row_pitch = across + 2 * DBS_MARGIN;
    plan->bit_pitch = plan->row_pitch / 8;
    /* A strip's rows of e, the rows that they are made from, a row of values and one of bits. */
    plan->scratch_bytes = (2 * DBS_STRIP + 6 * DBS_MAX_RADIUS) * plan->row_pitch * sizeof(int32_t) +
                          2 * plan->row_pitch * sizeof(int16_t);
    return RO_OK;
}

/* ---- Memory --------------------------------------------------------------------------------- */

static uint32_t reflect(int64_t at, int64_t size)
{
    if (size == 1)
        return 0;
    int64_t period = 2 * (size - 1), i = at % period;
    if (i < 0)
        i += period;
    return (uint32_t)(i < size ? i : period - i);
}

static void fill_tables(struct dbs_state *state)
{
    const struct dbs_plan *plan = &state->plan;
    const struct dbs_options *options = &plan->options;
    const uint64_t m = plan->white, cells = (uint64_t)plan->screen_size * plan->screen_size;
    for (int x = 0; x < plan->width; x++)
        state->column[x] = reflect(x - plan->pad, plan->image_width);
    for (int y = 0; y < plan->height; y++)
        state->row[y] = reflect(y - plan->pad, plan->image_height);
    const uint64_t deep = options->clipping_free ? options->shadow_numerator * m : 0;
    for (uint64_t value = 0; value < plan->values; value++) {
        const uint64_t a = value < m ? value : m;
        bool shadow = a * options->shadow_denominator < deep;
        bool highlight = (m - a) * options->shadow_denominator < deep;
        uint64_t part = shadow ? a : highlight ? m - a : 0;
        state->target[value] = (int32_t)((32 * DBS_SCALE * a + m) / (2 * m));
        state->chance[value] = (uint32_t)((a << 24) / m);
        state->limit[value] = (uint32_t)((part * cells + m - 1) / m); /* rank M < part m^2 */
    }
}

/* Ranks come as m x m and are set m + DBS_LANES apart, from the last row on. */
static void widen_ranks(uint32_t *ranks, size_t m)
{
    for (size_t y = m; y-- > 0;) {
        uint32_t *row = ranks + y * (m + DBS_LANES);
        memmove(row, ranks + y * m, m * sizeof *row);
        for (size_t x = 0; x < DBS_LANES; x++)
            row[m + x] = row[x % m];
    }
}

static void fill_updates(struct dbs_state *state)
{
    static const struct dbs_step ends[DBS_UPDATES] = {{0, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}};
    const struct dbs_plan *plan = &state->plan;
    const int reach = 2 * plan->w, pitch = dbs_update_pitch(plan->w);
    int32_t *black = state->updates + DBS_LANES, size = dbs_update_size(plan->w);
    for (int u = 0; u < DBS_UPDATES; u++, black += size)
        for (int i = 0; i <= 2 * reach + 1; i++)
            for (int j = 0; j <= 2 * reach + 1; j++) {
                int dx = i - reach - (ends[u].dx < 0), dy = j - reach;
                int32_t value = 16 * dbs_pp_or_zero(plan, dx, dy);
                if (u != DBS_TOGGLE)
                    value -= 16 * dbs_pp_or_zero(plan, dx - ends[u].dx, dy - ends[u].dy);
                black[j * pitch + i] = value;
                black[DBS_UPDATES * size + j * pitch + i] = -value;
            }
}

static void fill_moves(struct dbs_state *state)
{
    static const uint8_t updates[DBS_MOVES] = {DBS_TOGGLE,     DBS_SOUTH_EAST, DBS_SOUTH,
                                               DBS_SOUTH_WEST, DBS_EAST,       DBS_EAST,
                                               DBS_SOUTH_WEST, DBS_SOUTH,      DBS_SOUTH_EAST};
    const struct dbs_plan *plan = &state->plan;
    const int w = plan->w, size = dbs_update_size(w), pitch = dbs_update_pitch(w);
    for (int m = 0; m < DBS_MOVES; m++)
        for (int lane = 0; lane < DBS_LANES; lane++) {
            struct dbs_move *move = &state->moves[m * DBS_LANES + lane];
            const struct dbs_step to = m ? dbs_neighbours[m - 1] : (struct dbs_step){0, 0};
            const bool back = m >= 1 && m <= 4; /* the other pixel comes first */
            const int x = lane + (back ? to.dx : 0) - 2 * w - (updates[m] == DBS_SOUTH_WEST);
            const int y = (back ? to.dy : 0) - 2 * w, line_x = (x >> 4) * DBS_LANES;
            *move = (struct dbs_move){.dx = (int8_t)to.dx};
            if (m)
                move->flip[to.dy + 1] = -1;
            for (int b = 0; b < 2; b++)
                move->table[b] =
                    DBS_LANES + (updates[m] + DBS_UPDATES * (b == back)) * size - (x - line_x);
            move->beside = (-1 - y) * pitch - line_x;
            move->lines = (x - line_x + 4 * w + 2 + DBS_LANES - 1) / DBS_LANES;
            move->window = (line_x / DBS_LANES * (ptrdiff_t)plan->pitch + y) * DBS_LANES;
            for (int side = 0; side < 3; side++)
                for (int i = 0; i < DBS_LANES; i++) {
                    int at = (side - 1) * DBS_LANES + i - x;
                    if (at >= 0 && at < 4 * w + 2)
                        move->near[side] |= (uint16_t)(1 << i);
                }
        }
}

/* Hands out parts of an arena at multiples of 64 bytes; with no arena it only counts. */
static void *take(uint8_t *arena, size_t *used, size_t bytes)
{
    size_t at = *used;
    *used += (bytes + 63) & ~(size_t)63;
    return arena ? arena + at : NULL;
}

static size_t lay_out(struct dbs_state *state, uint8_t *arena, bool tables_only)
{
    const struct dbs_plan *plan = &state->plan;
    size_t used = 0, m = plan->screen_size, values = plan->values;
    size_t lines = plan->pitch * ((size_t)plan->panels + 2 * (DBS_MARGIN / DBS_LANES));
    size_t bits = plan->bit_pitch * ((size_t)plan->height + 2 * DBS_MARGIN);
    size_t scratch = plan->scratch_bytes * (size_t)state->threads;
    if (tables_only)
        lines = bits = scratch = 0;
    state->pe = take(arena, &used, lines * DBS_LANES * sizeof *state->pe);
    state->stale = take(arena, &used, lines);
    state->b = take(arena, &used, bits);
    state->open = take(arena, &used, bits);
    state->column = take(arena, &used, (size_t)plan->width * sizeof *state->column);
    state->row = take(arena, &used, (size_t)plan->height * sizeof *state->row);
    state->target = take(arena, &used, values * sizeof *state->target);
    state->chance = take(arena, &used, values * sizeof *state->chance);
    state->limit = take(arena, &used, values * sizeof *state->limit);
    state->ranks = take(arena, &used, m * (m + DBS_LANES) * sizeof *state->ranks);
    size_t updates = 2 * DBS_LANES + 2 * DBS_UPDATES * (size_t)dbs_update_size(plan->w);
    state->updates = take(arena, &used, updates * sizeof *state->updates);
    state->moves = take(arena, &used, DBS_MOVES * DBS_LANES * sizeof *state->moves);
    state->parts = take(arena, &used, (size_t)state->threads * DBS_PART);
    state->scratch = take(arena, &used, scratch);
    return used;
}

/* Fresh pages from the system are zero, which is what the margins must be, and large ones save the
 * search most of its address translation. */
static void *arena_open(size_t bytes)
{
    void *arena = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (arena == MAP_FAILED)
        return NULL;
#ifdef MADV_HUGEPAGE
    madvise(arena, bytes, MADV_HUGEPAGE);
#endif
    return arena;
}

void dbs_close(struct dbs_state *state)
{
    if (!state)
        return;
    if (state->arena)
        munmap(state->arena, state->arena_bytes);
    ro_image_free(&state->first);
    free(state);
}

static ro_status open_state(ro_context *context, const struct dbs_options *options,
                            const ro_image *in, bool tables_only, struct dbs_state **state)
{
    *state = NULL;
    if (in->format != RO_GREY8 && in->format != RO_GREY16)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "direct binary search takes 8-bit or 16-bit grey, not %s",
                               ro_format_name(in->format));
    struct dbs_state *made = calloc(1, sizeof *made);
    if (!made)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for direct binary search");
    ro_status status = dbs_plan_make(context, options, in, &made->plan);
    if (status != RO_OK)
        goto done;
    made->in = in;
    made->threads = options->order == DBS_RASTER ? 1 : context->threads;
    size_t bytes = lay_out(made, NULL, tables_only);
    const bool fits = bytes <= ro_context_limits(context)->memory;
    made->arena_bytes = bytes;
    made->arena = fits ? arena_open(bytes) : NULL;
    if (!made->arena) {
        status = ro_context_fail(context, RO_E_MEMORY,
                                 "direct binary search of %u x %u needs %zu MB of memory",
                                 in->width, in->height, (bytes >> 20) + 1);
        goto done;
    }
    lay_out(made, made->arena, tables_only);
    fill_tables(made);
    fill_updates(made);
    fill_moves(made);
    if (made->plan.screen_size)
        status = uniform_screen_ranks(context, options->screen, made->plan.options.shadow_numerator,
                                      made->plan.options.shadow_denominator, made->ranks);
    widen_ranks(made->ranks, made->plan.screen_size);
done:
    if (status != RO_OK) {
        dbs_close(made);
        return status;
    }
    *state = made;
    return RO_OK;
}

ro_status dbs_open(ro_context *context, const struct dbs_options *options, const ro_image *in,
                   struct dbs_state **state)
{
    return open_state(context, options, in, false, state);
}

ro_status dbs_open_tables(ro_context *context, const struct dbs_options *options,
                          const ro_image *in, struct dbs_state **state)
{
    return open_state(context, options, in, true, state);
}
