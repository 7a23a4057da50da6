/* SPDX-License-Identifier: MIT */
/*
 * The method `search`: the engines for levels of grey and for palettes. A halftone by another
 * method is made first, of the whole picture; then it is searched.
 */
#include "halftone/palette/search/seek.h"
#include "core/checked.h"
#include "core/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the engine keeps in a halftoner. */
struct seek_work {
    struct halftoner first; /* makes the first halftone */
    struct palette_rule rule;
    struct seek_state state;
    int32_t *target; /* of every sample of grey */
    size_t bytes, scratch_bytes;
    uint64_t rounds; /* at most; 0: to the end */
};

static const struct seek_kernels *kernels_for(ro_cpu cpu)
{
    static const struct seek_kernels *const kernels[RO_CPUS] = {[RO_CPU_SCALAR] = &seek_kernels_ref,
                                                                RO_VARIANTS_OF(seek_kernels)};
    return kernels[cpu];
}

/* ---- Opening --------------------------------------------------------------------------------- */

static ro_status open_first(struct halftoner *work, struct seek_work *made)
{
    ro_context *context = work->context;
    const ro_halftone_options unset = RO_HALFTONE_OPTIONS;
    const struct halftone_method *method = halftone_method_named(work->options.start);
    if (!method)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "start %s: a search of more than dots of two "
                               "tones starts from a method",
                               work->options.start);
    if (method->engine == work->method->engine)
        return ro_context_fail(context, RO_E_ARGUMENT, "a search cannot start from %s",
                               method->info.name);
    ro_halftone_options how = work->options;
    how.method = method->info.name;
    how.start = unset.start;
    how.rounds = unset.rounds;
    how.quality = unset.quality;
    how.swaps = unset.swaps;
    how.recolour = NULL;
    ro_status status = halftoner_open(&made->first, context, &work->in, work->grey.plane, RO_INDEX8,
                                      &how, RO_DEVICE_CPU);
    if (status == RO_OK && made->first.grey.sample_bytes != work->grey.sample_bytes)
        status = ro_context_fail(context, RO_E_UNSUPPORTED, "a search cannot start from %s",
                                 method->info.name);
    work->bytes += made->first.bytes;
    return status;
}

static ro_status open_levels(struct halftoner *work, struct seek_work *made)
{
    const uint64_t white = work->grey.white, most = SEEK_WHITE << SEEK_FINE_BITS;
    seek_tables_of_levels(&made->state.tables, work->options.levels);
    made->target = malloc((white + 1) * sizeof *made->target);
    if (!made->target)
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory for tones");
    for (uint64_t a = 0; a <= white; a++)
        made->target[a] = (int32_t)((2 * most * a + white) / (2 * white));
    work->bytes += (white + 1) * sizeof *made->target;
    return RO_OK;
}

/* The shape of the state and the bytes it takes, before any of them are allocated. */
static ro_status plan_memory(struct halftoner *work, struct seek_work *made)
{
    ro_context *context = work->context;
    struct seek_state *state = &made->state;
    size_t pixels;
    if (!size_multiply((size_t)work->in.width + 64, (size_t)work->in.height + 64, &pixels) ||
        pixels >= (size_t)1 << 31)
        return ro_context_fail(context, RO_E_SIZE,
                               "an image of %u x %u is too large for a search, which takes up to "
                               "2^31 pixels",
                               work->in.width, work->in.height);
    state->width = (int)work->in.width;
    state->height = (int)work->in.height;
    made->bytes = seek_lay_out(state, NULL);
    made->scratch_bytes = seek_scratch_bytes(state, work->options.palette != NULL);
    const size_t bytes = made->bytes + made->scratch_bytes * (size_t)context->threads;
    if (bytes > ro_context_limits(context)->memory)
        return ro_context_fail(context, RO_E_MEMORY, "a search of %u x %u needs %zu MB of memory",
                               work->in.width, work->in.height, (bytes >> 20) + 1);
    work->bytes += sizeof *made + bytes;
    return RO_OK;
}

static ro_status open_engine(struct halftoner *work)
{
    ro_context *context = work->context;
    const ro_halftone_options *options = &work->options;
    struct seek_work *made = calloc(1, sizeof *made);
    work->state = made;
    if (!made)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a search");
    ro_status status =
        options->palette ? palette_rule_open(work, &made->rule) : open_levels(work, made);
    if (status == RO_OK && options->palette)
        seek_tables_of_palette(&made->state.tables, &made->rule.plan);
    if (status == RO_OK)
        status = plan_memory(work, made);
    if (status == RO_OK)
        status = open_first(work, made);
    made->state.swaps = options->swaps;
    made->rounds = !is_default(options->rounds)            ? (uint64_t)options->rounds
                   : strcmp(options->quality, "fast") == 0 ? SEEK_FAST_ROUNDS
                                                           : 0;
    work->report.schedule = "groups";
    work->report.cpu = context->cpu;
    work->report.threads = context->threads;
    return status;
}

/* ---- Running --------------------------------------------------------------------------------- */

/* Rows of numbers into lines, or out of them. */
static void copy_rows(const struct seek_state *state, unsigned char *rows, ptrdiff_t stride, int y0,
                      int y1, bool out)
{
    for (int y = y0; y < y1; y++, rows += stride)
        for (int panel = 0; panel < state->panels; panel++) {
            const int x = panel * SEEK_LANES;
            const size_t count =
                (size_t)(state->width - x < SEEK_LANES ? state->width - x : SEEK_LANES);
            uint8_t *line = state->colour + seek_line(state, panel, y) * SEEK_LANES;
            memcpy(out ? rows + x : line, out ? line : rows + x, count);
        }
}

static ro_status run_first(struct halftoner *work, const struct halftone_block *block)
{
    enum { PIXELS_AT_ONCE = 1 << 23 };
    struct seek_work *made = work->state;
    struct halftoner *first = &made->first;
    const uint32_t width = work->in.width, height = work->in.height;
    uint32_t rows = PIXELS_AT_ONCE / width / first->granularity * first->granularity;
    rows = rows > 0 ? rows : first->granularity;
    rows = first->engine->whole_image || rows > height ? height : rows;
    unsigned char *numbers = malloc((size_t)rows * width);
    if (!numbers)
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory for %u rows of %u pixels",
                               rows, width);
    ro_status status = halftoner_begin(first, 0, height, NULL);
    for (uint32_t y = 0; y < height && status == RO_OK; y += rows) {
        const uint32_t count = height - y < rows ? height - y : rows;
        status = halftoner_run(first, block->in + (ptrdiff_t)y * block->in_stride, block->in_stride,
                               numbers, width, count);
        if (status == RO_OK)
            copy_rows(&made->state, numbers, width, (int)y, (int)(y + count), false);
        if (status == RO_OK)
            status = ro_context_progress(work->context, "first halftone", 0);
    }
    free(numbers);
    return status;
}

static void store(const struct halftoner *work, const struct seek_state *state,
                  const struct halftone_block *block)
{
    if (work->out != RO_BITS) {
        copy_rows(state, block->out, block->out_stride, 0, state->height, true);
        return;
    }
    for (int y = 0; y < state->height; y++) {
        unsigned char *row = block->out + y * block->out_stride;
        memset(row, 0, ((size_t)state->width + 7) / 8);
        for (int x = 0; x < state->width; x++)
            row[x / 8] |= (unsigned char)(state->colour[seek_at(state, x, y)] << (7 - x % 8));
    }
}

static ro_status run_engine(struct halftoner *work, const struct halftone_block *block)
{
    struct seek_work *made = work->state;
    struct seek_state *state = &made->state;
    ro_context *context = work->context;
    struct seek_run run = {
        .context = context,
        .kernels = kernels_for(context->cpu),
        .state = state,
        .source = {work->options.palette ? &made->rule.plan : NULL, made->target,
                   work->grey.sample_bytes, block->in, block->in_stride},
        .scratch_bytes = made->scratch_bytes,
        .threads = context->threads,
    };
    unsigned char *memory = NULL;
    ro_status status = RO_OK;
    const size_t scratch = made->scratch_bytes * (size_t)run.threads;
    if (!(memory = calloc(1, made->bytes + scratch + 64)))
        return ro_context_fail(context, RO_E_MEMORY, "a search of %u x %u needs %zu MB of memory",
                               work->in.width, work->in.height,
                               ((made->bytes + scratch) >> 20) + 1);
    unsigned char *aligned = memory + (64 - (uintptr_t)memory % 64);
    seek_lay_out(state, aligned);
    run.scratch = aligned + made->bytes;
    status = run_first(work, block);
    if (status == RO_OK) {
        seek_begin(&run);
        status = seek_rounds(&run, made->rounds);
    }
    if (status == RO_OK)
        store(work, state, block);
    work->report.steps = run.rounds;
    snprintf(work->report.detail, sizeof work->report.detail, "%llu rounds, %llu changes",
             (unsigned long long)run.rounds, (unsigned long long)run.changes);
    free(memory);
    return status;
}

static void close_engine(struct halftoner *work)
{
    struct seek_work *made = work->state;
    if (made) {
        halftoner_close(&made->first);
        palette_rule_close(&made->rule);
        free(made->target);
    }
    free(made);
    work->state = NULL;
}

const struct halftone_engine palette_seek_engine = {
    .open = open_engine,
    .run = run_engine,
    .close = close_engine,
    .whole_image = true,
};

const struct halftone_engine seek_engine = {
    .open = open_engine,
    .run = run_engine,
    .close = close_engine,
    .whole_image = true,
    .coloured = &palette_seek_engine,
};
