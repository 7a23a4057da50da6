/* SPDX-License-Identifier: MIT */
/* Palettes by a screen: from options to a plan, and rows over threads. */
#include "halftone/palette/dither/screen.h"

#include "core/checked.h"
#include "halftone/ordered/ordered.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* What the engine keeps in a halftoner. */
struct palette_screen_state {
    struct palette_screen_plan plan;
    palette_screen_row_fn *row;
    struct palette_screen_known *known; /* one for each thread */
    uint8_t *nearest;                   /* without dithering: the colour of each cell, */
    uint32_t *cell[3];                  /* and every sample's part of a cell's number */
};

/* ---- plan ------------------------------------------------------------------------------------ */

/* Light between two samples, in 256ths. */
static uint16_t light_between(const uint16_t *linear, uint32_t white, uint64_t sample_256)
{
    const uint32_t below = (uint32_t)(sample_256 / 256), part = sample_256 % 256;
    const uint32_t next = below < white ? below + 1 : below;
    return (
        uint16_t)(((256 - part) * (uint64_t)linear[below] + part * (uint64_t)linear[next] + 128) /
                  256);
}

/* The sample that has a colour's light, the picture's tones being as they are or inverted. */
static bool find_sample(const uint16_t *linear, uint32_t white, uint32_t value, uint32_t light,
                        uint32_t *sample)
{
    const uint64_t at = (uint64_t)value * white;
    for (int inverted = 0; inverted < 2 && at % 255 == 0; inverted++) {
        *sample = (uint32_t)(inverted ? white - at / 255 : at / 255);
        if (linear[*sample] == light)
            return true;
    }
    return false;
}

static void plan_exact(struct palette_screen_plan *plan, const ro_palette *palette,
                       const uint16_t *linear)
{
    for (int k = 0; k < palette->count; k++) {
        struct palette_exact own = {.colour = (uint8_t)k};
        bool found = true, node = true;
        for (int c = 0; c < 3 && found; c++) {
            const uint32_t light = plan->hull.colour[k][c];
            found = find_sample(linear, plan->white, palette->colours[k][c], light, &own.sample[c]);
            const uint32_t at = found ? plan->position[own.sample[c]] : 0;
            node &= at % MIX_STEP == 0 && plan->node_light[at / MIX_STEP] == light;
        }
        if (!found || node)
            continue;
        plan->bytes[plan->exact] =
            (int32_t)(own.sample[0] | own.sample[1] << 8 | own.sample[2] << 16);
        plan->exacts[plan->exact++] = own;
    }
}

static void plan_colours(struct palette_screen_plan *plan, const ro_palette *palette,
                         const uint16_t *linear)
{
    static const int even = 256 / (MIX_NODES - 1);
    int32_t colour[3][PALETTE_MOST];
    plan->hull.count = palette->count;
    palette_light(palette, colour);
    for (int k = 0; k < palette->count; k++)
        for (int c = 0; c < 3; c++)
            plan->hull.colour[k][c] = (uint16_t)(colour[c][k] / 16);
    palette_mix_colours(&plan->mix, (const int32_t(*)[PALETTE_MOST])colour, palette->count);
    for (uint32_t a = 0; a <= plan->white; a++)
        plan->position[a] = (uint16_t)((2 * MIX_POSITIONS * (uint64_t)a + plan->white) /
                                       (2 * (uint64_t)plan->white));
    for (int i = 0; i < MIX_NODES; i++)
        plan->node_light[i] =
            light_between(linear, plan->white, (uint64_t)i * (unsigned)even * plan->white);
    plan_exact(plan, palette, linear);
}

static bool plan_cells(struct palette_screen_plan *plan)
{
    const struct screen *screen = &plan->screen;
    size_t entries;
    plan->period = (MIX_BLOCK + screen->width - 1) / screen->width * screen->width;
    plan->pitch = (size_t)plan->period + MIX_BLOCK;
    if (!size_multiply(plan->pitch, screen->height, &entries) ||
        entries > SIZE_MAX / sizeof *plan->places)
        return false;
    plan->places = malloc(entries * sizeof *plan->places);
    if (!plan->places)
        return false;
    for (uint32_t y = 0; y < screen->height; y++)
        for (size_t x = 0; x < plan->pitch; x++) {
            const struct palette_place place = palette_place_of(
                plan, screen->ranks[(size_t)y * screen->width + x % screen->width]);
            plan->places[y * plan->pitch + x] = palette_place_pack(place.share, place.last);
        }
    return true;
}

/* ---- without dithering ----------------------------------------------------------------------- */

static bool plan_nearest(struct palette_screen_state *state, const ro_palette *palette,
                         const uint16_t *linear)
{
    const uint32_t white = state->plan.white;
    int32_t colour[3][PALETTE_MOST];
    state->nearest = calloc(1, PALETTE_ENTRIES);
    for (int c = 0; c < 3; c++)
        if (!(state->cell[c] = malloc(((size_t)white + 1) * sizeof **state->cell)))
            return false;
    if (!state->nearest)
        return false;
    palette_light(palette, colour);
    palette_fill_nearest((const int32_t(*)[PALETTE_MOST])colour, palette->count, state->nearest);
    for (uint32_t a = 0; a <= white; a++)
        for (int c = 0; c < 3; c++)
            state->cell[c][a] = (uint32_t)palette_cell(16 * linear[a]) << c * PALETTE_SHIFT;
    return true;
}

static void nearest_row(const struct palette_screen_state *state, const unsigned char *in,
                        unsigned char *out)
{
    const uint32_t *red = state->cell[0], *green = state->cell[1], *blue = state->cell[2];
    const uint16_t *wide = (const uint16_t *)(const void *)in;
    for (size_t x = 0; x < state->plan.width; x++)
        out[x] =
            state->plan.sample_bytes == 1
                ? state->nearest[red[in[3 * x]] | green[in[3 * x + 1]] | blue[in[3 * x + 2]]]
                : state->nearest[red[wide[3 * x]] | green[wide[3 * x + 1]] | blue[wide[3 * x + 2]]];
}

/* ---- engine ---------------------------------------------------------------------------------- */

static bool make_tables(struct halftoner *work, struct palette_screen_state *state)
{
    const ro_palette *palette = work->options.palette;
    struct palette_screen_plan *plan = &state->plan;
    uint16_t *linear = palette_linear(&work->tone);
    bool enough = linear != NULL;
    if (enough && work->method->variant == ORDERED_THRESHOLD) {
        enough = plan_nearest(state, palette, linear);
    } else if (enough) {
        plan->position = malloc(((size_t)plan->white + 1) * sizeof *plan->position);
        state->known = calloc((size_t)work->context->threads, sizeof *state->known);
        enough = plan->position && state->known && plan_cells(plan);
        if (enough)
            plan_colours(plan, palette, linear);
    }
    free(linear);
    return enough;
}

static ro_status open_engine(struct halftoner *work)
{
    static palette_screen_row_fn *const rows[RO_CPUS] = {
        [RO_CPU_SCALAR] = palette_screen_row_scalar, RO_VARIANTS_OF(palette_screen_row)};
    ro_context *context = work->context;
    const int variant = work->method->variant;
    const bool dithers = variant != ORDERED_THRESHOLD;
    ro_status status = dithers ? RO_OK : halftone_scalar_only(work, true);
    if (status != RO_OK)
        return status;
    struct palette_screen_state *state = calloc(1, sizeof *state);
    work->state = state;
    if (!state)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a plan");
    struct palette_screen_plan *plan = &state->plan;
    plan->width = work->in.width;
    plan->sample_bytes = work->grey.sample_bytes;
    plan->white = work->tone.in_white;
    plan->by_hash = variant == ORDERED_RANDOM;
    plan->seed = work->seed;
    status = ordered_find_screen(work, &plan->screen);
    if (status != RO_OK)
        return status;
    plan->cells =
        plan->by_hash ? 1u << ORDERED_RANDOM_BITS : plan->screen.width * plan->screen.height;
    if (!make_tables(work, state))
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a palette's tables");
    state->row = rows[context->cpu];
    const uint32_t some = (1u << 15) / plan->width;
    work->granularity = some < 1 ? 1 : some > 64 ? 64 : some;
    work->bytes = sizeof *state + (dithers ? (size_t)context->threads * sizeof *state->known : 0) +
                  sizeof *plan->places * plan->pitch * plan->screen.height;
    work->carried = 0;
    work->report.schedule = "rows";
    work->report.cpu = dithers ? context->cpu : RO_CPU_SCALAR;
    work->report.threads = context->threads;
    screen_say(&plan->screen, work->options.dpi, work->report.detail, sizeof work->report.detail);
    return RO_OK;
}

/* One block's rows, taken by ticket some at a time. */
struct job {
    const struct palette_screen_state *state;
    const struct halftone_block *block;
    uint32_t rows_at_once;
    atomic_uint ticket;
};

static void run_rows(void *data, int thread)
{
    struct job *job = data;
    const struct palette_screen_state *state = job->state;
    const struct halftone_block *block = job->block;
    for (;;) {
        const uint64_t first = (uint64_t)atomic_fetch_add(&job->ticket, 1) * job->rows_at_once;
        if (first >= block->rows)
            return;
        for (uint64_t r = first; r < first + job->rows_at_once && r < block->rows; r++) {
            const unsigned char *in = block->in + (ptrdiff_t)r * block->in_stride;
            unsigned char *out = block->out + (ptrdiff_t)r * block->out_stride;
            if (state->nearest)
                nearest_row(state, in, out);
            else
                state->row(&state->plan, &state->known[thread], in, out,
                           block->first_row + (uint32_t)r);
        }
    }
}

static ro_status run_engine(struct halftoner *work, const struct halftone_block *block)
{
    struct job job = {work->state, block, .rows_at_once = work->granularity};
    const uint32_t shares = (block->rows + job.rows_at_once - 1) / job.rows_at_once;
    const int threads = work->report.threads;
    pool_run(work->context->pool, (uint32_t)threads < shares ? threads : (int)shares, run_rows,
             &job);
    work->report.steps += (uint64_t)block->rows * work->in.width;
    return RO_OK;
}

static void close_engine(struct halftoner *work)
{
    struct palette_screen_state *state = work->state;
    if (state) {
        screen_free(&state->plan.screen);
        free(state->plan.places);
        free(state->plan.position);
        free(state->known);
        free(state->nearest);
        for (int c = 0; c < 3; c++)
            free(state->cell[c]);
    }
    free(state);
    work->state = NULL;
}

const struct halftone_engine palette_screen_engine = {
    .open = open_engine,
    .run = run_engine,
    .close = close_engine,
};
