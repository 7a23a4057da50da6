/* SPDX-License-Identifier: MIT */
/*
 * Whole images to numbers and back, rows shared out among the threads. On the way back the running
 * sum is rounded (denoise_levels.c): one thread carries it from row to row; several first take the
 * sums of the rows, and what each row starts with follows from those before it.
 */
#include "core/checked.h"
#include "denoise/denoise.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 16 }; /* rows taken at a time */

struct sweep {
    struct denoiser *work;
    const struct row_store *store;
    void (*row)(struct sweep *sweep, uint32_t y, void *line);
    bool in_order; /* one thread: a row is complete before the next */
    char *lines;   /* as in sweep_memory */
    struct step_figures *figures;
    uint64_t *carry;
    atomic_uint_fast32_t ticket;
    atomic_int status;
};

static void load_row(struct sweep *sweep, uint32_t y, void *line)
{
    struct denoiser *work = sweep->work;
    const char *row = (const char *)work->in.data + (ptrdiff_t)y * work->in.stride;
    sweep->figures[y] = step_figures_none;
    for (int c = 0; c < work->channels; c++) {
        ro_status status = denoiser_read(work, row, y, c, line, &sweep->figures[y]);
        if (status != RO_OK)
            atomic_store(&sweep->status, (int)status);
        sweep->store->keep(sweep->store->data, y, c, line);
    }
}

static uint64_t *carry_of(struct sweep *sweep, uint32_t y)
{
    return sweep->carry + (size_t)y * (size_t)sweep->work->channels;
}

static void sum_row(struct sweep *sweep, uint32_t y, void *line)
{
    for (int c = 0; c < sweep->work->channels; c++)
        carry_of(sweep, y + 1)[c] =
            levels_row(sweep->work, sweep->store->fetch(sweep->store->data, y, c, line));
}

static void store_row(struct sweep *sweep, uint32_t y, void *line)
{
    struct denoiser *work = sweep->work;
    char *row = (char *)work->out.data + (ptrdiff_t)y * work->out.stride;
    sweep->figures[y] = step_figures_none;
    for (int c = 0; c < work->channels; c++) {
        const void *values = sweep->store->fetch(sweep->store->data, y, c, line);
        uint64_t carry = carry_of(sweep, y)[c];
        denoiser_write(work, row, c, values, &carry, &sweep->figures[y]);
        if (sweep->in_order)
            carry_of(sweep, y + 1)[c] = carry;
    }
}

static void take_rows(void *data, int thread)
{
    struct sweep *sweep = data;
    const uint64_t height = sweep->work->in.height;
    void *line = sweep->lines + (size_t)thread * sweep->work->in.width * sizeof(int32_t);
    for (uint64_t block; (block = atomic_fetch_add(&sweep->ticket, 1)) * BLOCK < height;)
        for (uint64_t y = block * BLOCK; y < (block + 1) * BLOCK && y < height; y++)
            sweep->row(sweep, (uint32_t)y, line);
}

static void go(struct sweep *sweep, void (*row)(struct sweep *, uint32_t, void *))
{
    struct thread_pool *pool = sweep->work->context->pool;
    sweep->row = row;
    atomic_store(&sweep->ticket, 0);
    pool_run(pool, sweep->in_order ? 1 : pool_threads(pool), take_rows, sweep);
}

/* From sums of rows to what each row starts with. */
static void add_up(struct sweep *sweep)
{
    const struct denoiser *work = sweep->work;
    const size_t channels = (size_t)work->channels;
    for (size_t i = 0; i < channels; i++)
        sweep->carry[i] = levels_start(&work->levels);
    for (size_t i = channels; i < channels * (work->in.height + (size_t)1) && !sweep->in_order; i++)
        sweep->carry[i] = (sweep->carry[i] + sweep->carry[i - channels]) % work->levels.numbers;
}

ro_status sweep_open(struct denoiser *work)
{
    struct sweep_memory *memory = &work->sweep;
    const size_t threads = (size_t)pool_threads(work->context->pool), height = work->in.height;
    const size_t figure_bytes = height * sizeof *memory->figures;
    size_t line_bytes = 0;
    if (memory->carry)
        return RO_OK;
    if (size_multiply(threads * sizeof(int32_t), work->in.width, &line_bytes))
        memory->lines = malloc(line_bytes);
    memory->figures = malloc(figure_bytes);
    if (memory->lines && memory->figures &&
        size_multiply(height + 1, (size_t)work->channels * sizeof *memory->carry,
                      &memory->carry_bytes))
        memory->carry = malloc(memory->carry_bytes);
    memory->bytes = line_bytes + figure_bytes + memory->carry_bytes;
    if (memory->carry)
        return RO_OK;
    return ro_context_fail(work->context, RO_E_MEMORY, "no memory for figures of %u rows",
                           work->in.height);
}

static ro_status run(struct denoiser *work, const struct row_store *store, bool load)
{
    const size_t height = work->in.height;
    ro_status status = sweep_open(work);
    if (status != RO_OK)
        return status;
    struct sweep sweep = {
        .work = work,
        .store = store,
        .in_order = pool_threads(work->context->pool) == 1,
        .lines = work->sweep.lines,
        .figures = work->sweep.figures,
        .carry = work->sweep.carry,
    };
    if (!load && work->levels.carried && !sweep.in_order)
        go(&sweep, sum_row);
    else
        memset(sweep.carry, 0, work->sweep.carry_bytes);
    add_up(&sweep);
    go(&sweep, load ? load_row : store_row);
    for (size_t y = 0; y < height; y++)
        figures_add(load ? &work->before : &work->after, &sweep.figures[y]);
    return (ro_status)atomic_load(&sweep.status);
}

ro_status denoiser_load_rows(struct denoiser *work, const struct row_store *store)
{
    return run(work, store, true);
}

ro_status denoiser_store_rows(struct denoiser *work, const struct row_store *store)
{
    return run(work, store, false);
}

/* ---- Planes one after another --------------------------------------------------------------- */

struct planes {
    char *data;
    size_t row_bytes, plane_bytes;
};

static char *plane_row(const struct planes *planes, uint32_t y, int channel)
{
    return planes->data + (size_t)channel * planes->plane_bytes + (size_t)y * planes->row_bytes;
}

static const void *fetch(const void *data, uint32_t y, int channel, void *line)
{
    (void)line;
    return plane_row(data, y, channel);
}

static void keep(const void *data, uint32_t y, int channel, const void *line)
{
    const struct planes *planes = data;
    memcpy(plane_row(planes, y, channel), line, planes->row_bytes);
}

static ro_status run_planes(struct denoiser *work, char *data, bool load)
{
    const size_t row_bytes = work->in.width * sizeof(int32_t);
    const struct planes planes = {data, row_bytes, row_bytes * work->in.height};
    return run(work, &(struct row_store){&planes, fetch, keep}, load);
}

ro_status denoiser_load(struct denoiser *work, void *planes)
{
    return run_planes(work, planes, true);
}

ro_status denoiser_store(struct denoiser *work, const void *planes)
{
    return run_planes(work, (char *)planes, false);
}
