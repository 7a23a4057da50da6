/* SPDX-License-Identifier: MIT */
/*
 * The wave over threads: bands of rows from left to right, each some columns behind the one above.
 *
 * Threads take bands by ticket, in order. A band may run as far as the band above has left errors
 * for it; how far that is stands in a gate. Lines of errors and gates live in a ring with two slots
 * more than threads: bands end in order, so a slot is free again when its turn comes.
 *
 * Without vector code (another architecture, --cpu scalar, sums too large for lanes) a band is one
 * row, run by the gather form.
 */
#include "halftone/diffusion/wave.h"

#include "core/cpu.h"
#include "halftone/diffusion/tonal.h"

#include <string.h>

static const struct wave_code *find_code(const struct diffusion_plan *plan, ro_cpu cpu)
{
#if RO_HAVE_X86_SIMD
    static const struct wave_code *const codes[2][3] = {
        {&wave_16_avx2, &wave_32_avx2, &wave_tonal_avx2},
        {&wave_16_avx512, &wave_32_avx512, &wave_tonal_avx512},
    };
    if (cpu >= RO_CPU_AVX2 && plan->lane_bits != 0)
        return codes[cpu == RO_CPU_AVX512][plan->tonal ? 2 : plan->lane_bits == 32];
#endif
    (void)plan, (void)cpu;
    return NULL;
}

bool diffusion_wave_vectorised(const struct diffusion_plan *plan, ro_cpu cpu)
{
    return find_code(plan, cpu) != NULL;
}

/* What lies in the run's state: a head, then lines, then a scratch per thread. */
struct state {
    struct ro_gate_room room;
    struct ro_gate *gates; /* of slot g % slots: (band + 1) << 32 | columns that are finished */
    unsigned char *lines;
    unsigned char *scratch;
    size_t line_bytes, scratch_bytes;
    int slots, lines_per_slot;
    uint64_t bands; /* begun since the first row of the image */
    bool ready;
};

struct shape {
    size_t line_bytes, lines_at, scratch_at, scratch_bytes, gates_at, total;
    int slots, lines_per_slot;
};

static size_t round_up(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

static struct shape shape_of(const struct diffusion_plan *plan, const struct wave_code *code,
                             int threads)
{
    struct shape shape;
    size_t entry = code && plan->lane_bits == 16 ? 2 : 4;
    shape.slots = threads + 2 + (code ? 0 : DIFFUSION_MAX_DY);
    shape.lines_per_slot = code ? plan->rows_down : 1;
    shape.line_bytes = round_up(((size_t)plan->width + 2 * WAVE_LINE_PAD) * entry);
    shape.scratch_bytes = code ? round_up(code->scratch_bytes) : 0;
    shape.gates_at = round_up(sizeof(struct state));
    shape.lines_at = shape.gates_at + (size_t)shape.slots * sizeof(struct ro_gate);
    shape.scratch_at =
        shape.lines_at + (size_t)shape.slots * (size_t)shape.lines_per_slot * shape.line_bytes;
    shape.total = shape.scratch_at + (size_t)threads * shape.scratch_bytes;
    return shape;
}

static size_t state_bytes(const struct diffusion_plan *plan, ro_cpu cpu, int threads)
{
    return shape_of(plan, find_code(plan, cpu), threads).total;
}

static int granularity(const struct diffusion_plan *plan, ro_cpu cpu)
{
    const struct wave_code *code = find_code(plan, cpu);
    return code ? code->lanes : 1;
}

/* Before the first row every error is zero. */
static void prepare(struct state *state, const struct diffusion_plan *plan,
                    const struct wave_code *code, int threads)
{
    struct shape shape = shape_of(plan, code, threads);
    unsigned char *base = (unsigned char *)state;
    *state = (struct state){
        .gates = (struct ro_gate *)(base + shape.gates_at),
        .lines = base + shape.lines_at,
        .scratch = base + shape.scratch_at,
        .line_bytes = shape.line_bytes,
        .scratch_bytes = shape.scratch_bytes,
        .slots = shape.slots,
        .lines_per_slot = shape.lines_per_slot,
        .ready = true,
    };
    size_t bytes = (size_t)shape.slots * (size_t)shape.lines_per_slot * shape.line_bytes;
    if (code && plan->lane_bits == 16)
        for (size_t i = 0; i < bytes / 2; i++)
            ((uint16_t *)state->lines)[i] = (uint16_t)plan->bias;
    else if (code)
        for (size_t i = 0; i < bytes / 4; i++)
            ((uint32_t *)state->lines)[i] = (uint32_t)plan->bias;
}

/* One block's work, shared by its threads. */
struct job {
    const struct diffusion_plan *plan;
    const struct wave_code *code;
    const struct halftone_block *block;
    struct state *state;
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

/* Lines that band `band` leaves: line 0 is its last row. */
static void *line_of(const struct job *job, uint64_t band, int line)
{
    const struct state *state = job->state;
    size_t slot = (size_t)(band % (uint64_t)state->slots);
    size_t entry = job->code && job->plan->lane_bits == 16 ? 2 : 4;
    size_t number = slot * (size_t)state->lines_per_slot + (size_t)line;
    return state->lines + number * state->line_bytes + WAVE_LINE_PAD * entry;
}

/* Waits until the band above, if this block has one, has finished the columns before `column`. */
static void wait_for_above(struct job *job, uint64_t band, int64_t column)
{
    if (band == job->first)
        return; /* the last block finished it */
    if (column > job->plan->width)
        column = job->plan->width;
    struct state *state = job->state;
    ro_gate_wait(&state->room, &state->gates[(band - 1) % (uint64_t)state->slots],
                 gate_value(band - 1, column));
}

static void tell_below(struct job *job, uint64_t band, int64_t columns)
{
    struct state *state = job->state;
    if (columns > job->plan->width)
        columns = job->plan->width;
    if (columns > 0)
        ro_gate_raise(&state->room, &state->gates[band % (uint64_t)state->slots],
                      gate_value(band, columns));
}

/* What flows to a column from the one above is complete one column later. */
static int tonal_delay(const struct diffusion_plan *plan) { return plan->tonal ? 1 : 0; }

static void run_vector_band(struct job *job, uint64_t band, uint32_t number, void *scratch)
{
    const struct diffusion_plan *plan = job->plan;
    const struct halftone_block *block = job->block;
    uint32_t row = number * (uint32_t)job->height;
    struct wave_band work = {
        .in = block->in + (ptrdiff_t)row * block->in_stride,
        .in_stride = block->in_stride,
        .out = block->out + (ptrdiff_t)row * block->out_stride,
        .out_stride = block->out_stride,
        .rows = (int)(block->rows - row < (uint32_t)job->height ? block->rows - row
                                                                : (uint32_t)job->height),
        .first_row = block->first_row + row,
        .scratch = scratch,
    };
    for (int line = 0; line < plan->rows_down; line++) {
        work.above[line] = line_of(job, band - 1, line);
        work.below[line] = line_of(job, band, line);
    }
    /* The last word of the last row is complete behind the last column by its lane's lag. */
    int64_t lag = (int64_t)plan->skew * (job->height - 1) + tonal_delay(plan);
    int64_t last_lag = (int64_t)plan->skew * (work.rows - 1);
    int64_t end = ((int64_t)(plan->width - 1) & -WAVE_CHUNK) + last_lag;
    end = ((end + WAVE_CHUNK - 1) & -WAVE_CHUNK) + WAVE_CHUNK;

    int64_t ahead = (int64_t)plan->skew + 1; /* columns of the row above that a step looks ahead */
    wait_for_above(job, band, ahead);
    job->code->begin(plan, &work);
    for (int64_t step = 0; step < end;) {
        int64_t next = step + job->interval < end ? step + job->interval : end;
        wait_for_above(job, band, next + ahead);
        job->code->steps(plan, &work, step, next);
        /* The last column is told when nothing more will be written: a band below that saw it may
         * finish, and with it the slot of this band is free for another. */
        int64_t told = next - lag < plan->width ? next - lag : (int64_t)plan->width - 1;
        tell_below(job, band, next < end ? told : plan->width);
        step = next;
    }
    atomic_fetch_add(&job->steps, (uint_fast64_t)end);
}

static void run_scalar_band(struct job *job, uint64_t band, uint32_t number)
{
    const struct diffusion_plan *plan = job->plan;
    struct diffusion_row row = {
        .in = job->block->in + (ptrdiff_t)number * job->block->in_stride,
        .out = job->block->out + (ptrdiff_t)number * job->block->out_stride,
        .y = job->block->first_row + number,
    };
    for (uint64_t dy = 0; dy <= DIFFUSION_MAX_DY; dy++)
        row.line[dy] = line_of(job, band - dy, 0);
    memset(row.out, 0, diffusion_row_bytes(plan));
    for (int64_t x = 0; x < plan->width;) {
        int64_t next = x + job->interval < plan->width ? x + job->interval : plan->width;
        wait_for_above(job, band, next + DIFFUSION_PAD);
        if (plan->tonal)
            tonal_columns(plan, &row, x, next);
        else
            diffusion_gather(plan, &row, x, next);
        tell_below(job, band, next < plan->width ? next - tonal_delay(plan) : next);
        x = next;
    }
    atomic_fetch_add(&job->steps, plan->width);
}

static void take_bands(void *data, int thread)
{
    struct job *job = data;
    void *scratch = job->state->scratch + (size_t)thread * job->state->scratch_bytes;
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

static void run(struct diffusion_run *run, const struct halftone_block *block)
{
    const struct diffusion_plan *plan = run->plan;
    const struct wave_code *code = find_code(plan, run->cpu);
    struct state *state = run->state;
    if (!state->ready)
        prepare(state, plan, code, run->threads);
    if (state->bands == 0)
        state->bands = (uint64_t)state->slots; /* so that the rows above the first have slots too */

    struct job job = {
        .plan = plan,
        .code = code,
        .block = block,
        .state = state,
        .height = code ? code->lanes : 1,
        .first = state->bands,
    };
    job.count = (block->rows + (uint32_t)job.height - 1) / (uint32_t)job.height;
    /* Hand over often enough to start the next band early, rarely enough to cost nothing; and take
     * no more threads than can run at once, each an interval and its lanes' lag behind the last,
     * with as much to spare: threads that always wait fall asleep, and waking takes longer. */
    int64_t lag = (int64_t)plan->skew * (job.height - 1);
    job.interval = (plan->width / (4 * (uint32_t)run->threads)) & -WAVE_CHUNK;
    job.interval = job.interval < WAVE_CHUNK ? WAVE_CHUNK : job.interval > 512 ? 512 : job.interval;
    int64_t useful = 1 + plan->width / (2 * (lag + job.interval));

    ro_gate_room_open(&state->room);
    int threads = run->threads < (int)job.count ? run->threads : (int)job.count;
    threads = threads < useful ? threads : (int)useful;
    ro_pool_run(run->pool, threads, take_bands, &job);
    ro_gate_room_close(&state->room);
    state->bands += job.count;
    run->steps += atomic_load(&job.steps);
}

const struct diffusion_schedule diffusion_wave = {
    .name = "wave",
    .summary = "rows as SIMD lanes, bands over threads",
    .state_bytes = state_bytes,
    .granularity = granularity,
    .run = run,
};
