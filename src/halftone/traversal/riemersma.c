/* SPDX-License-Identifier: MIT */
/*
 * Error diffusion along a Hilbert curve (Riemersma, 1998): curve.h has the walk and what errors add
 * to a pixel. The level nearest to v is taken, a tie going to the darker; e = v - level(k).
 *
 * The walk follows one path through the whole image, so it cannot be divided among threads.
 */
#include "halftone/traversal/curve.h"

#include <stdlib.h>
#include <string.h>

struct riemersma {
    struct diffusion_plan plan; /* for its levels */
    const struct halftone_block *block;
    struct curve_errors errors;
};

static void visit(void *data, uint32_t x, uint32_t y)
{
    struct riemersma *state = data;
    const struct halftone_block *block = state->block;
    const int32_t v = diffusion_tone(&state->plan, block->in + (ptrdiff_t)y * block->in_stride, x) +
                      curve_gather(&state->errors);
    const int k = diffusion_nearest(&state->plan, v);
    diffusion_put(&state->plan, block->out + (ptrdiff_t)y * block->out_stride, x, k);
    curve_leave(&state->errors, v - state->plan.level[k]);
}

static ro_status open_engine(struct halftoner *work)
{
    ro_status status = halftone_scalar_only(work, false);
    if (status != RO_OK)
        return status;
    static const struct diffusion_kernel none = {1, 1, {{1, 0, 1}}};
    struct riemersma *state = calloc(1, sizeof *state);
    if (!state)
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory for a walk");
    work->state = state;
    struct diffusion_request request = diffusion_request_of(work);
    request.kernel = &none;
    request.kernel_id = DIFFUSION_KERNELS;
    diffusion_plan_make(&state->plan, &request);
    work->report.schedule = "curve";
    return RO_OK;
}

static ro_status begin_engine(struct halftoner *work)
{
    curve_begin(&((struct riemersma *)work->state)->errors);
    return RO_OK;
}

static ro_status run_engine(struct halftoner *work, const struct halftone_block *block)
{
    struct riemersma *state = work->state;
    state->block = block;
    for (uint32_t y = 0; y < block->rows; y++)
        memset(block->out + (ptrdiff_t)y * block->out_stride, 0, diffusion_row_bytes(&state->plan));
    work->report.steps = (uint64_t)work->in.width * work->in.height;
    return curve_walk(work->context, work->in.width, work->in.height, visit, state);
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
    .coloured = &palette_curve_engine,
};
