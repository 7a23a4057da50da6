/* SPDX-License-Identifier: MIT */
/*
 * Ostromoukhov's and Zhou and Fang's weights with a palette: one pixel after another, the error's
 * shares handed on at once, as for grey (tone_dependent_ref.c). All channels go by the weights of
 * the luma of the pixel's light, so that errors of colours stay together.
 */
#include "halftone/error_diffusion/tone_dependent.h"
#include "halftone/palette/region.h"

#include <stdlib.h>
#include <string.h>

struct palette_tonal {
    struct palette_rule rule;
    struct tonal_plan tonal;
    struct diffusion_plan shape; /* of tonal's own kind, for its white */
    struct palette_light known;
    int32_t *lines; /* two rows of three channels, a column more at either end */
};

static ro_status open_engine(struct halftoner *work)
{
    ro_status status = halftone_scalar_only(work, false);
    if (status != RO_OK)
        return status;
    struct palette_tonal *state = calloc(1, sizeof *state);
    work->state = state;
    if (!state)
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory for a plan");
    struct diffusion_request request = diffusion_request_of(work);
    request.maxval = TONE_WHITE;
    request.levels = 2;
    tonal_plan_make(&state->tonal, &state->shape, (enum tonal_id)work->method->variant, &request);
    state->lines = calloc(6 * ((size_t)work->in.width + 2), sizeof *state->lines);
    if (!state->lines)
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory for rows of %u pixels",
                               work->in.width);
    work->bytes = sizeof *state + 6 * ((size_t)work->in.width + 2) * sizeof *state->lines;
    work->report.schedule = "pixels";
    return palette_rule_open(work, &state->rule);
}

static ro_status begin_engine(struct halftoner *work)
{
    struct palette_tonal *state = work->state;
    memset(state->lines, 0, 6 * ((size_t)work->in.width + 2) * sizeof *state->lines);
    return RO_OK;
}

static int32_t cut(int64_t v)
{
    const int32_t least = -PALETTE_GUARD, most = PALETTE_WHITE + PALETTE_GUARD;
    return v < least ? least : v > most ? most : (int32_t)v;
}

/* What the weights go by: Rec. 709's luma of light, 0 to 255. */
static uint32_t tone_of(const struct diffusion_plan *shape, const int32_t light[3])
{
    const int64_t luma = ((int64_t)13933 * light[0] + (int64_t)46871 * light[1] +
                          (int64_t)4732 * light[2] + 32768) >>
                         16;
    return tonal_index(shape, (int32_t)luma);
}

static void round_row(struct palette_tonal *state, const unsigned char *in, unsigned char *out,
                      uint32_t y)
{
    const struct palette_plan *plan = &state->rule.plan;
    const struct tonal_plan *tonal = &state->tonal;
    const int64_t width = plan->width, length = width + 2;
    const uint32_t row_hash = hash_of_row(plan->seed, y);
    const int ahead = plan->serpentine && y % 2 == 1 ? -1 : 1;
    int32_t *here = state->lines + (y % 2) * 3 * length + 1;
    int32_t *below = state->lines + ((y + 1) % 2) * 3 * length + 1;
    memset(below - 1, 0, 3 * (size_t)length * sizeof *below);
    for (int64_t n = 0; n < width; n++) {
        const int64_t x = ahead > 0 ? n : width - 1 - n;
        int32_t light[4], v[3], seen[3];
        uint32_t sample[3];
        palette_sample(plan, in, (size_t)x, sample);
        palette_light_of(plan, &state->known, sample, light);
        const uint32_t i = tone_of(&state->shape, light);
        const int32_t rise = tonal_rise(tonal->modulation[i], row_hash, (uint32_t)x);
        for (int c = 0; c < 3; c++) {
            v[c] = cut((int64_t)light[c] + here[c * length + x]);
            seen[c] = v[c] - rise;
        }
        const int k = palette_nearest(&plan->choice, seen);
        for (int c = 0; c < 3; c++) {
            const int64_t e = v[c] - plan->colour[c][k], sum = tonal->sum[i];
            const int64_t right = floor_divide(2 * tonal->weights[i][0] * e + sum, 2 * sum);
            const int64_t left = floor_divide(2 * tonal->weights[i][1] * e + sum, 2 * sum);
            here[c * length + x + ahead] += (int32_t)right;
            below[c * length + x - ahead] += (int32_t)left;
            below[c * length + x] += (int32_t)(e - right - left);
        }
        out[x] = (unsigned char)k;
    }
}

static ro_status run_engine(struct halftoner *work, const struct halftone_block *block)
{
    for (uint32_t r = 0; r < block->rows; r++)
        round_row(work->state, block->in + (ptrdiff_t)r * block->in_stride,
                  block->out + (ptrdiff_t)r * block->out_stride, block->first_row + r);
    work->report.steps += (uint64_t)block->rows * work->in.width;
    return RO_OK;
}

static void close_engine(struct halftoner *work)
{
    struct palette_tonal *state = work->state;
    if (state) {
        palette_rule_close(&state->rule);
        free(state->lines);
    }
    free(state);
    work->state = NULL;
}

const struct halftone_engine palette_tonal_engine = {
    .open = open_engine,
    .begin = begin_engine,
    .run = run_engine,
    .close = close_engine,
};
