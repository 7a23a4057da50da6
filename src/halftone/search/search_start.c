/* SPDX-License-Identifier: MIT */
/*
 * Direct binary search: the halftone that it starts from.
 *
 * A search ends in the optimum that is nearest to its start, so the start decides much: what is
 * wrong in it over more than a few pixels, no single change can mend. Any method that makes two
 * levels may give it. It is run on the padded picture, so that the padding starts like the rest; a
 * picture of one's own is reflected into it.
 */
#include "context/context.h"
#include "core/image.h"
#include "core/names.h"
#include "halftone/halftone.h"
#include "halftone/search/search.h"

#include <string.h>

const char DBS_RANDOM[] = "random";

static ro_status check_own(ro_context *context, const ro_image *in, const ro_image *first)
{
    if (first->format != RO_BITS && first->format != RO_GREY8 && first->format != RO_GREY16)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "a search starts from packed bits or grey, not from %s",
                               ro_format_name(first->format));
    if (first->width != in->width || first->height != in->height)
        return ro_context_fail(context, RO_E_SIZE,
                               "the picture is %u x %u but the halftone to start from is %u x %u",
                               in->width, in->height, first->width, first->height);
    return RO_OK;
}

/* Error diffusion draws numbers only for noise, which a start does not have. */
static bool draws(const struct halftone_method *method)
{
    return (method->options & OPTION_SEED) && method->engine != &diffusion_engine;
}

bool dbs_start_draws(const struct dbs_options *options)
{
    if (options->first)
        return false;
    const struct halftone_method *method = halftone_method_named(options->start);
    return strcmp(options->start, DBS_RANDOM) == 0 || (method && draws(method));
}

ro_status dbs_start_check(ro_context *context, const ro_image *in, struct dbs_options *options)
{
    if (options->first)
        return check_own(context, in, options->first);
    if (!options->start)
        options->start = halftone_preset("start");
    if (ro_name_equal(options->start, DBS_RANDOM)) {
        options->start = DBS_RANDOM;
        return RO_OK;
    }
    const struct halftone_method *method = halftone_method_named(options->start);
    if (!method)
        return ro_context_fail(context, RO_E_ARGUMENT, "start %s: there is no such method",
                               options->start);
    options->start = method->info.name;
    if (method->engine == &dbs_engine || strcmp(method->info.name, "screen") == 0)
        return ro_context_fail(context, RO_E_ARGUMENT, "a search cannot start from %s",
                               method->info.name);
    if (options->seed && !draws(method))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "a start from %s is not random, so a seed does not apply",
                               method->info.name);
    return RO_OK;
}

/* ---- The padded picture ---------------------------------------------------------------------- */

struct padding {
    const ro_context *context;
    const struct dbs_state *state;
    const ro_image *padded; /* the picture's grey, or bits of `own` */
    const ro_image *own;
    atomic_int ticket;
};

/* Grey counts as white above the middle. */
static bool is_white(const ro_image *own, const uint8_t *row, uint32_t x)
{
    if (own->format == RO_BITS)
        return row[x / 8] >> (7 - x % 8) & 1;
    const uint32_t value =
        own->format == RO_GREY8 ? row[x] : ((const uint16_t *)(const void *)row)[x];
    return 2 * value > ro_image_white(own);
}

static void pack_row(const ro_image *own, const uint32_t *column, uint32_t y, uint32_t width,
                     uint8_t *row)
{
    const uint8_t *from = (const uint8_t *)own->data + (ptrdiff_t)y * own->stride;
    memset(row, 0, ro_format_row_bytes(RO_BITS, width));
    for (uint32_t x = 0; x < width; x++)
        row[x / 8] |= (uint8_t)(is_white(own, from, column ? column[x] : x) << (7 - x % 8));
}

ro_status dbs_own_bits(ro_context *context, const ro_image *own, ro_image *bits)
{
    ro_status status = ro_image_alloc(context, RO_BITS, own->width, own->height, 0, bits);
    for (uint32_t y = 0; y < own->height && status == RO_OK; y++)
        pack_row(own, NULL, y, own->width, (uint8_t *)bits->data + (ptrdiff_t)y * bits->stride);
    return status;
}

static void pad_own(const struct padding *work, int y, uint8_t *row)
{
    const struct dbs_state *state = work->state;
    pack_row(work->own, state->column, state->row[y], (uint32_t)state->plan.width, row);
}

static void pad_grey(const struct padding *work, int y, uint8_t *row)
{
    const struct dbs_state *state = work->state;
    const struct dbs_plan *plan = &state->plan;
    const int pad = plan->pad, inside = pad + plan->image_width;
    const uint8_t *from =
        (const uint8_t *)state->in->data + (ptrdiff_t)state->row[y] * state->in->stride;
    const size_t bytes = state->in->format == RO_GREY8 ? 1 : 2;
    for (int x = 0; x < pad; x++)
        memcpy(row + (size_t)x * bytes, from + state->column[x] * bytes, bytes);
    memcpy(row + (size_t)pad * bytes, from, (size_t)plan->image_width * bytes);
    for (int x = inside; x < plan->width; x++)
        memcpy(row + (size_t)x * bytes, from + state->column[x] * bytes, bytes);
}

static void pad_strips(void *data, int thread)
{
    struct padding *work = data;
    const int height = work->state->plan.height, strip = dbs_strip(height, work->state->threads);
    (void)thread;
    int y0;
    while ((y0 = atomic_fetch_add(&work->ticket, 1) * strip) < height &&
           !ro_context_cancelled(work->context))
        for (int y = y0; y < y0 + strip && y < height; y++)
            (work->own ? pad_own : pad_grey)(
                work, y, (uint8_t *)work->padded->data + y * work->padded->stride);
}

/* Rows of bits have room for whole lines. */
static ro_status alloc_first(ro_context *context, struct dbs_state *state)
{
    const struct dbs_plan *plan = &state->plan;
    ro_status status = ro_image_alloc(context, RO_BITS, (uint32_t)(plan->panels * DBS_LANES),
                                      (uint32_t)plan->height, 0, &state->first);
    state->first.width = (uint32_t)plan->width;
    return status;
}

ro_status dbs_start_make(ro_context *context, struct dbs_state *state)
{
    const struct dbs_plan *plan = &state->plan;
    const struct dbs_options *options = &plan->options;
    struct padding work = {.context = context, .state = state, .own = options->first};
    ro_image padded = {0};
    ro_status status = alloc_first(context, state);
    if (status == RO_OK && work.own) {
        work.padded = &state->first;
        pool_run(context->pool, context->threads, pad_strips, &work);
        return ro_context_cancelled(context) ? ro_context_fail(context, RO_E_CANCELLED, "cancelled")
                                             : RO_OK;
    }
    if (status == RO_OK)
        status = ro_image_alloc(context, state->in->format, (uint32_t)plan->width,
                                (uint32_t)plan->height, plan->white, &padded);
    if (status == RO_OK) {
        work.padded = &padded;
        pool_run(context->pool, context->threads, pad_strips, &work);
        const ro_halftone_options how = {RO_HALFTONE_DEFAULTS, .method = options->start,
                                         .seed = options->seed};
        status = ro_halftone(context, &padded, &state->first, &how);
    }
    ro_image_free(&padded);
    return status;
}
