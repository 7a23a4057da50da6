/* SPDX-License-Identifier: MIT */
/*
 * Direct binary search, the definition. A trial needs no sum over a window: with c_pe = V * e
 * known,
 *
 *     toggling m (s = 1 - 2b)       changes the error by  256 c_pp(0) - 32 s c_pe(m)
 *     swapping m0 with an unequal m1                      512 (c_pp(0) - c_pp(m1 - m0))
 *                                                         - 32 s0 (c_pe(m0) - c_pe(m1))
 *
 * and a pixel that turns from b to b + s takes 16 s c_pp from c_pe all round it.
 */
#include "core/random.h"
#include "halftone/search/search.h"

static int bit(const uint8_t *row, int x) { return row[x >> 3] >> (x & 7) & 1; }

static int32_t *pe_at(const struct dbs_state *state, int x, int y)
{
    return state->pe + dbs_line(&state->plan, x >> 4, y) * DBS_LANES + (x & 15);
}

static bool first_bit(const ro_image *first, int x, int y)
{
    return ((const uint8_t *)first->data)[y * first->stride + x / 8] >> (7 - x % 8) & 1;
}

static void start(struct dbs_state *state, int y0, int y1, void *scratch)
{
    const struct dbs_plan *plan = &state->plan;
    const uint32_t m = plan->screen_size;
    (void)scratch;
    for (int y = y0; y < y1; y++)
        for (int x = 0; x < plan->width; x++) {
            const uint32_t value = dbs_value(state, x, y);
            const uint32_t hash = pixel_hash(plan->options.seed, (uint32_t)x, (uint32_t)y);
            bool white = (hash & 0xffffff) < state->chance[value], determined = false;
            if (state->first.data)
                white = first_bit(&state->first, x, y);
            if (m)
                determined = state->ranks[(uint32_t)y % m * (m + DBS_LANES) + (uint32_t)x % m] <
                             state->limit[value];
            if (determined)
                white = 2 * value < plan->white; /* the minority of shadows */
            dbs_bit_row(plan, state->b, y)[x >> 3] |= (uint8_t)(white << (x & 7));
            dbs_bit_row(plan, state->open, y)[x >> 3] |= (uint8_t)(!determined << (x & 7));
        }
}

static int32_t tone_at(const struct dbs_state *state, int x, int y)
{
    const struct dbs_plan *plan = &state->plan;
    if (x < 0 || y < 0 || x >= plan->width || y >= plan->height)
        return 0;
    return state->target[dbs_value(state, x, y)];
}

/* What b should look like at (x, y) to the eye, times 16 S. */
static int32_t aim_at(const struct dbs_state *state, int x, int y)
{
    const struct dbs_plan *plan = &state->plan;
    if (plan->options.aim == DBS_PICTURE)
        return tone_at(state, x, y);
    int32_t blurred = 0;
    for (int dy = -plan->w; dy <= plan->w; dy++)
        for (int dx = -plan->w; dx <= plan->w; dx++)
            blurred += dbs_eye(plan, dx, dy) * tone_at(state, x + dx, y + dy);
    return dbs_divide(blurred);
}

static void project(struct dbs_state *state, int y0, int y1, void *scratch)
{
    const struct dbs_plan *plan = &state->plan;
    const int w = plan->w;
    for (int y = y0 - w; y < y1 + w; y++) {
        int32_t *error = dbs_error_row(plan, scratch, y0 - w, y);
        for (int x = -w; x < plan->width + w; x++) {
            error[x] = 0;
            if (y < 0 || y >= plan->height || x < 0 || x >= plan->width)
                continue;
            int32_t seen = 0;
            for (int dy = -w; dy <= w; dy++)
                for (int dx = -w; dx <= w; dx++)
                    seen +=
                        dbs_eye(plan, dx, dy) * bit(dbs_bit_row(plan, state->b, y + dy), x + dx);
            error[x] = aim_at(state, x, y) - 16 * seen;
        }
    }
}

static void correlate(struct dbs_state *state, int y0, int y1, void *scratch)
{
    const struct dbs_plan *plan = &state->plan;
    const int w = plan->w;
    for (int y = y0; y < y1; y++)
        for (int x = 0; x < plan->width; x++) {
            int32_t sum = 0;
            for (int dy = -w; dy <= w; dy++)
                for (int dx = -w; dx <= w; dx++)
                    sum += dbs_eye(plan, dx, dy) *
                           dbs_error_row(plan, scratch, y0 - w, y + dy)[x + dx];
            *pe_at(state, x, y) = sum;
        }
}

static void toggle(struct dbs_state *state, int x, int y)
{
    const struct dbs_plan *plan = &state->plan;
    const int reach = 2 * plan->w;
    uint8_t *row = dbs_bit_row(plan, state->b, y);
    int32_t sign = 1 - 2 * bit(row, x);
    row[x >> 3] ^= (uint8_t)(1 << (x & 7));
    for (int dy = -reach; dy <= reach; dy++)
        for (int dx = -reach; dx <= reach; dx++)
            *pe_at(state, x + dx, y + dy) -= 16 * sign * dbs_pp(plan, dx, dy);
}

static void try_pixel(struct dbs_state *state, int x, int y, struct dbs_tally *tally)
{
    const struct dbs_plan *plan = &state->plan;
    const int b = bit(dbs_bit_row(plan, state->b, y), x);
    const int32_t sign = 1 - 2 * b, pe = *pe_at(state, x, y);
    int32_t best = plan->toggle_cost - sign * pe;
    const struct dbs_step *with = NULL;
    for (int k = 0; k < 8; k++) {
        int nx = x + dbs_neighbours[k].dx, ny = y + dbs_neighbours[k].dy;
        if (!bit(dbs_bit_row(plan, state->open, ny), nx) ||
            bit(dbs_bit_row(plan, state->b, ny), nx) == b)
            continue;
        int32_t change = plan->swap_cost[k] - sign * (pe - *pe_at(state, nx, ny));
        if (change < best) {
            best = change;
            with = &dbs_neighbours[k];
        }
    }
    if (best >= 0)
        return;
    toggle(state, x, y);
    if (with)
        toggle(state, x + with->dx, y + with->dy);
    tally->changes++;
    tally->gain += best;
}

static void search(struct dbs_state *state, const struct dbs_area *area, struct dbs_tally *tally)
{
    for (int y = area->y0; y < area->y1; y++) {
        const uint8_t *open = dbs_bit_row(&state->plan, state->open, y);
        for (int x = area->x0; x < area->x1; x++)
            if (bit(open, x))
                try_pixel(state, x, y, tally);
    }
}

const struct dbs_kernels dbs_kernels_ref = {"scalar", start, project, correlate, search};
