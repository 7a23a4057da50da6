/* SPDX-License-Identifier: MIT */
/*
 * Palettes over threads, as the wave does it for grey (wave.c): bands of rows from left to right,
 * each some columns behind the one above, taken by ticket; a band is as many rows as there are
 * lanes, or one row of the definition where there is no vector code.
 */
#include "core/cpu.h"
#include "halftone/palette/palette.h"

#include <string.h>

const struct palette_code *palette_code_find(const struct palette_plan *plan, ro_cpu cpu)
{
    /* Sums are made positive before they are divided: see palette_simd.c. */
    int64_t most = PALETTE_WHITE + plan->overshoot + 2;
    bool fits = 2 * plan->kernel.divisor * most < INT32_MAX;
#if RO_HAVE_X86_SIMD
    if (fits && cpu == RO_CPU_AVX512)
        return &palette_code_avx512;
    if (fits && cpu == RO_CPU_AVX2)
        return &palette_code_avx2;
#endif
    (void)fits, (void)cpu;
    return NULL;
}

/* What lies in the run's state: a head, gates, lines, a scratch per thread. */
struct state {
    struct ro_gate_room room;
    uint64_t bands; /* begun since the first row of the image, and the slots above it */
};

struct shape {
    int slots, lines; /* lines a channel in a slot */
    size_t line_entries, gates_at, lines_at, scratch_at, scratch_bytes, total;
};

static size_t round_up(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

static struct shape shape_of(const struct palette_plan *plan, const struct palette_code *code,
                             int threads)
{
    struct shape shape = {.slots = threads + 2 + (code ? 0 : DIFFUSION_MAX_DY),
                          .lines = code ? plan->rows_down : 1,
                          .line_entries = (size_t)plan->width + 2 * PALETTE_LINE_PAD,
                          .scratch_bytes = code ? round_up(code->scratch_bytes) : 0,
                          .gates_at = round_up(sizeof(struct state))};
    size_t lines = (size_t)shape.slots * 3 * (size_t)shape.lines;
    shape.lines_at = shape.gates_at + (size_t)shape.slots * sizeof(struct ro_gate);
    shape.scratch_at = round_up(shape.lines_at + lines * shape.line_entries * sizeof(int32_t));
    shape.total = shape.scratch_at + (size_t)threads * shape.scratch_bytes;
    return shape;
}

size_t palette_state_bytes(const struct palette_plan *plan, const struct palette_code *code,
                           int threads)
{
    return shape_of(plan, code, threads).total;
}

/* One block's work, shared by its threads. */
struct job {
    const struct palette_plan *plan;
    const struct palette_code *code;
    const struct halftone_block *block;
    struct state *state;
    struct shape shape;
    int height; /* rows of a band */
    uint32_t count;
    uint64_t first; /* number of the block's first band */
    int64_t interval;
    atomic_uint ticket;
    atomic_uint_fast64_t steps;
};

static uint64_t gate_value(uint64_t band, int64_t columns)
{
    return (band + 1) << 32 | (uint64_t)columns;
}

static struct ro_gate *gate_of(const struct job *job, uint64_t band)
{
    unsigned char *base = (unsigned char *)job->state + job->shape.gates_at;
    return (struct ro_gate *)base + band % (uint64_t)job->shape.slots;
}

/* Column 0 of a line that band `band` leaves: line 0 is its last row. */
static int32_t *line_of(const struct job *job, uint64_t band, int channel, int line)
{
    const struct shape *shape = &job->shape;
    size_t slot = (size_t)(band % (uint64_t)shape->slots);
    size_t number = (slot * 3 + (size_t)channel) * (size_t)shape->lines + (size_t)line;
    int32_t *lines = (int32_t *)((unsigned char *)job->state + shape->lines_at);
    return lines + number * shape->line_entries + PALETTE_LINE_PAD;
}

static void wait_for_above(struct job *job, uint64_t band, int64_t column)
{
    if (band == job->first)
        return; /* the last block finished it */
    if (column > job->plan->width)
        column = job->plan->width;
    ro_gate_wait(&job->state->room, gate_of(job, band - 1), gate_value(band - 1, column));
}

static void tell_below(struct job *job, uint64_t band, int64_t columns)
{
    if (columns > job->plan->width)
        columns = job->plan->width;
    if (columns > 0)
        ro_gate_raise(&job->state->room, gate_of(job, band), gate_value(band, columns));
}

static void run_vector_band(struct job *job, uint64_t band, uint32_t number, void *scratch)
{
    const struct palette_plan *plan = job->plan;
    const struct halftone_block *block = job->block;
    uint32_t row = number * (uint32_t)job->height, left = block->rows - row;
    struct palette_band work = {
        .in = block->in + (ptrdiff_t)row * block->in_stride,
        .in_stride = block->in_stride,
        .out = block->out + (ptrdiff_t)row * block->out_stride,
        .out_stride = block->out_stride,
        .rows = (int)(left < (uint32_t)job->height ? left : (uint32_t)job->height),
        .scratch = scratch,
    };
    for (int c = 0; c < 3; c++)
        for (int line = 0; line < plan->rows_down; line++) {
            work.above[c][line] = line_of(job, band - 1, c, line);
            work.below[c][line] = line_of(job, band, c, line);
        }
    int64_t lag = (int64_t)plan->skew * (job->height - 1);
    int64_t end = (int64_t)plan->width + (int64_t)plan->skew * (work.rows - 1);
    end = (end + PALETTE_CHUNK - 1) & -PALETTE_CHUNK;

    int64_t ahead = (int64_t)plan->skew * plan->rows_down + 1;
    wait_for_above(job, band, ahead);
    job->code->begin(plan, &work);
    for (int64_t step = 0; step < end;) {
        int64_t next = step + job->interval < end ? step + job->interval : end;
        wait_for_above(job, band, next + ahead);
        job->code->steps(plan, &work, step, next);
        tell_below(job, band, next - lag);
        step = next;
    }
    atomic_fetch_add(&job->steps, (uint_fast64_t)end);
}

static void run_scalar_band(struct job *job, uint64_t band, uint32_t number)
{
    const struct palette_plan *plan = job->plan;
    struct palette_row row = {
        .in = job->block->in + (ptrdiff_t)number * job->block->in_stride,
        .out = job->block->out + (ptrdiff_t)number * job->block->out_stride,
    };
    for (int c = 0; c < 3; c++)
        for (uint64_t dy = 0; dy <= DIFFUSION_MAX_DY; dy++)
            row.line[c][dy] = line_of(job, band - dy, c, 0);
    for (int64_t x = 0; x < plan->width;) {
        int64_t next = x + job->interval < plan->width ? x + job->interval : plan->width;
        wait_for_above(job, band, next + DIFFUSION_PAD);
        palette_columns(plan, &row, x, next);
        tell_below(job, band, next);
        x = next;
    }
    atomic_fetch_add(&job->steps, plan->width);
}

static void take_bands(void *data, int thread)
{
    struct job *job = data;
    void *scratch = (unsigned char *)job->state + job->shape.scratch_at +
                    (size_t)thread * job->shape.scratch_bytes;
    for (;;) {
        uint32_t number = atomic_fetch_add(&job->ticket, 1);
        if (number >= job->count)
            return;
        if (job->code)
            run_vector_band(job, job->first + number, number, scratch);
        else
            run_scalar_band(job, job->first + number, number);
    }
}

void palette_run_block(struct palette_run *run, const struct halftone_block *block)
{
    const struct palette_plan *plan = run->plan;
    struct state *state = run->state;
    struct job job = {
        .plan = plan,
        .code = run->code,
        .block = block,
        .state = state,
        .shape = shape_of(plan, run->code, run->threads),
        .height = run->code ? run->code->lanes : 1,
    };
    if (state->bands == 0)
        state->bands = (uint64_t)job.shape.slots; /* the rows above the first have slots too */
    job.first = state->bands;
    job.count = (block->rows + (uint32_t)job.height - 1) / (uint32_t)job.height;
    job.interval = (plan->width / 16) & -PALETTE_CHUNK;
    job.interval = job.interval < PALETTE_CHUNK ? PALETTE_CHUNK
                   : job.interval > 512         ? 512
                                                : job.interval;
    ro_gate_room_open(&state->room);
    int threads = run->threads < (int)job.count ? run->threads : (int)job.count;
    ro_pool_run(run->pool, threads, take_bands, &job);
    ro_gate_room_close(&state->room);
    state->bands += job.count;
    run->steps += atomic_load(&job.steps);
}
