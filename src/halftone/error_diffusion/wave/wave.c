/* SPDX-License-Identifier: MIT */
/*
 * The wave over threads: bands of rows from left to right, each some columns behind the one above
 * (wavefront.h). A slot of the ring holds the errors of a band's last rows.
 *
 * Without vector code (another architecture, --cpu scalar, sums too large for lanes) a band is one
 * row, run by the gather form.
 */
#include "halftone/error_diffusion/wave/wave.h"

#include "halftone/error_diffusion/acuity.h"
#include "halftone/error_diffusion/tone_dependent.h"
#include "halftone/row_callbacks.h"
#include "thread/wavefront.h"

#include <string.h>

static const struct wave_code *find_code(const struct diffusion_plan *plan, ro_cpu cpu)
{
    static const struct wave_code *const narrow[RO_CPUS] = {NULL, RO_VARIANTS_OF(wave_16)};
    static const struct wave_code *const wide[RO_CPUS] = {NULL, RO_VARIANTS_OF(wave_32)};
    static const struct wave_code *const numbers[][RO_CPUS] = {
        {NULL, RO_VARIANTS_OF(wave_numbers_16)}, {NULL, RO_VARIANTS_OF(wave_numbers_32)}};
    static const struct wave_code *const tonal[RO_CPUS] = {NULL, RO_VARIANTS_OF(wave_tonal)};
    static const struct wave_code *const acuity[][ACUITY_VARIANTS][RO_CPUS] = {
        {{NULL, RO_VARIANTS_OF(wave_acuity_ten_16)},
         {NULL, RO_VARIANTS_OF(wave_acuity_six_16)},
         {NULL, RO_VARIANTS_OF(wave_acuity_four_16)}},
        {{NULL, RO_VARIANTS_OF(wave_acuity_ten_32)},
         {NULL, RO_VARIANTS_OF(wave_acuity_six_32)},
         {NULL, RO_VARIANTS_OF(wave_acuity_six_32)}}};
    if (plan->lane_bits == 0)
        return NULL;
    if (plan->acuity)
        return acuity[plan->lane_bits == 32][plan->acuity->variant][cpu];
    if (plan->steps.lane_bits)
        return numbers[plan->lane_bits == 32][cpu];
    return (plan->tonal ? tonal : plan->lane_bits == 32 ? wide : narrow)[cpu];
}

bool diffusion_wave_vectorised(const struct diffusion_plan *plan, ro_cpu cpu)
{
    return find_code(plan, cpu) != NULL;
}

static size_t entry_bytes(const struct diffusion_plan *plan, const struct wave_code *code)
{
    return code && plan->lane_bits == 16 ? 2 : 4;
}

static size_t line_bytes(const struct diffusion_plan *plan, const struct wave_code *code)
{
    size_t bytes = ((size_t)plan->width + 2 * WAVE_LINE_PAD) * entry_bytes(plan, code);
    return (bytes + 63) & ~(size_t)63;
}

static struct wavefront_shape shape_of(const struct diffusion_plan *plan,
                                       const struct wave_code *code, int threads)
{
    if (!code)
        return wavefront_shape(threads, 1, 1 + DIFFUSION_MAX_DY,
                               (plan->acuity ? 2 : 1) * line_bytes(plan, code), 0);
    return wavefront_shape(threads, 1, 1, (size_t)plan->rows_down * line_bytes(plan, code),
                           code->scratch_bytes);
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

static int32_t bias_of(const struct diffusion_plan *plan, const struct wave_code *code)
{
    return code ? plan->bias : 0;
}

static void fill(void *entries, size_t count, size_t entry, int32_t value)
{
    if (entry == 2)
        for (size_t i = 0; i < count; i++)
            ((uint16_t *)entries)[i] = (uint16_t)value;
    else
        for (size_t i = 0; i < count; i++)
            ((int32_t *)entries)[i] = value;
}

/* The line that the rows above row y hand on, as line_of finds it for a band: the first row's, or
 * that of the row below the last. Bands of scalar code are rows. */
static struct diffusion_line carried(const struct diffusion_run *run, uint32_t y, int line)
{
    const struct diffusion_plan *plan = run->plan;
    const struct wave_code *code = find_code(plan, run->cpu);
    const struct wavefront_shape shape = shape_of(plan, code, run->threads);
    const uint32_t height = code ? (uint32_t)code->lanes : 1;
    const bool rows = !code && !plan->acuity; /* a line is a band's only one */
    int64_t number = (int64_t)((y - run->first_row + height - 1) / height) - 1 - (rows ? line : 0);
    unsigned char *lines = wavefront_slot_of_all(run->state, &shape, number);
    return (struct diffusion_line){
        .column = lines + (size_t)(rows ? 0 : line) * line_bytes(plan, code) +
                  WAVE_LINE_PAD * entry_bytes(plan, code),
        .bytes = (int)entry_bytes(plan, code),
        .bias = bias_of(plan, code),
    };
}

/* Before the first row every error is zero. Beyond the borders they are so for ever: bands write
 * zeros there, or what nobody reads. */
static void clear_lines(struct diffusion_run *run)
{
    const struct diffusion_plan *plan = run->plan;
    const struct wave_code *code = find_code(plan, run->cpu);
    const struct wavefront_shape shape = shape_of(plan, code, run->threads);
    const size_t entry = entry_bytes(plan, code);
    if (!run->filled && bias_of(plan, code) != 0)
        fill((unsigned char *)run->state + shape.slots_at,
             (size_t)shape.slots * shape.slot_bytes / entry, entry, bias_of(plan, code));
    else if (run->filled)
        for (int line = 0; line < plan->rows_down; line++)
            fill(carried(run, run->first_row, line).column, plan->width, entry,
                 bias_of(plan, code));
    run->filled = run->cleared = true;
}

/* Lines are touched when rows come, and before that only if errors are put there. */
static void begin(struct diffusion_run *run)
{
    const struct wavefront_shape shape =
        shape_of(run->plan, find_code(run->plan, run->cpu), run->threads);
    struct wavefront *front = run->state;
    wavefront_restart(front, &shape);
    front->link = run->link;
    run->cleared = false;
    if (run->link && run->link->above)
        clear_lines(run);
}

/* One block's work, shared by its threads. */
struct job {
    const struct diffusion_plan *plan;
    const struct wave_code *code;
    const struct halftone_block *block;
    int height; /* rows of a band */
    bool alone; /* one thread runs all bands */
    int64_t interval;
    const struct wave_source *source; /* makes the pixels; NULL: they are in memory */
    struct halftone_pass *pass;       /* threads fetch rows by themselves; NULL: they do not */
    atomic_uint_fast64_t steps;
};

/* Column 0 of a line that band `number` leaves: line 0 is its last row. */
static void *line_of(const struct job *job, const struct wavefront *front, int64_t number, int line)
{
    unsigned char *lines = wavefront_slot(front, 0, number);
    return lines + (size_t)line * line_bytes(job->plan, job->code) +
           WAVE_LINE_PAD * entry_bytes(job->plan, job->code);
}

/* What flows to a column from the one above is complete some columns later. */
static int delay_of(const struct diffusion_plan *plan)
{
    return plan->tonal ? 1 : plan->acuity ? 2 : 0;
}

struct vector_band {
    const struct diffusion_plan *plan;
    const struct wave_code *code;
    struct wave_band band;
    const struct wave_source *source;
    int thread;
};

static void vector_steps(void *work, int64_t first, int64_t last)
{
    struct vector_band *band = work;
    if (first == 0)
        band->code->begin(band->plan, &band->band);
    if (band->source)
        band->source->lanes(band->source->data, band->thread, band->plan, band->code, &band->band,
                            first, last);
    else
        band->code->steps(band->plan, &band->band, first, last);
}

static void run_vector_band(struct wavefront *front, void *data, int chain, uint32_t number,
                            int thread)
{
    struct job *job = data;
    const struct diffusion_plan *plan = job->plan;
    const uint32_t row = number * (uint32_t)job->height;
    const struct halftone_block part = halftone_block_part(job->block, row, (uint32_t)job->height);
    struct vector_band work = {
        plan,
        job->code,
        {
            .in = part.in,
            .in_stride = part.in_stride,
            .out = part.out,
            .out_stride = part.out_stride,
            .rows = (int)part.rows,
            .first_row = part.first_row,
            .scratch = wavefront_scratch(front, thread),
        },
        job->source,
        thread,
    };
    work.band.readable = work.band.rows;
    if (job->pass) {
        unsigned char *in;
        if (!halftone_pass_fetch(job->pass, thread, row, (uint32_t)work.band.rows, &in,
                                 &work.band.out)) {
            wavefront_skip(front, chain, number);
            return;
        }
        work.band.in = in;
        work.band.in_stride = (ptrdiff_t)job->pass->in_row;
        work.band.out_stride = (ptrdiff_t)job->pass->out_row;
    }
    const struct wavefront_link *link = front->link;
    const bool short_band = work.band.rows < job->height && link && link->below;
    for (int line = 0; line < plan->rows_down; line++) {
        work.band.above[line] = line_of(job, front, (int64_t)number - 1, line);
        /* There is no next band: its slot takes what idle lanes leave. */
        work.band.below[line] = line_of(job, front, (int64_t)number + short_band, line);
        work.band.left[line] = short_band ? line_of(job, front, number, line) : NULL;
    }
    /* The last row ends behind the last column by its lane's lag, and what it hands on is complete
     * some columns behind that. Its last word is stored with the chunk that completes 64 columns.
     */
    int64_t last_lag = (int64_t)plan->skew * (work.band.rows - 1);
    int64_t end = ((int64_t)(plan->width - 1) & -WAVE_CHUNK) + last_lag;
    work.band.end = (int64_t)plan->width + last_lag + delay_of(plan);
    if (end < work.band.end - WAVE_CHUNK)
        end = work.band.end - WAVE_CHUNK;
    /* Lines of bands get ahead of one another by the skew, those that are given do not. */
    const bool given = number == 0 && link && link->above;
    struct band_way way = {
        .end = ((end + WAVE_CHUNK - 1) & -WAVE_CHUNK) + WAVE_CHUNK,
        .interval = job->interval,
        .ahead = (int64_t)plan->skew * (given ? plan->rows_down : 1) + 1,
        .lag = (int64_t)plan->skew * (job->height - 1) + delay_of(plan),
    };
    work.band.more = job->alone && !job->pass && row + part.rows < job->block->rows;
    wavefront_walk(front, chain, number, thread, &way, vector_steps, &work, sizeof work);
    if (job->pass)
        halftone_pass_take(job->pass, thread, row, (uint32_t)work.band.rows);
    atomic_fetch_add(&job->steps, (uint_fast64_t)way.end);
}

struct scalar_band {
    const struct diffusion_plan *plan;
    struct diffusion_row row;
    const struct wave_source *source;
    int thread;
};

static void scalar_steps(void *work, int64_t first, int64_t last)
{
    struct scalar_band *band = work;
    if (band->source)
        band->source->row(band->source->data, band->thread, band->plan, &band->row, first, last);
    else if (band->plan->acuity)
        acuity_columns(band->plan, &band->row, first, last);
    else if (band->plan->tonal)
        tonal_columns(band->plan, &band->row, first, last);
    else
        diffusion_gather(band->plan, &band->row, first, last);
}

static void run_scalar_band(struct wavefront *front, void *data, int chain, uint32_t number,
                            int thread)
{
    struct job *job = data;
    const struct diffusion_plan *plan = job->plan;
    const struct halftone_block part = halftone_block_part(job->block, number, 1);
    struct scalar_band work = {
        plan,
        {.in = part.in, .out = part.out, .y = part.first_row},
        job->source,
        thread,
    };
    for (int dy = 0; dy <= DIFFUSION_MAX_DY; dy++)
        work.row.line[dy] = plan->acuity ? line_of(job, front, (int64_t)number - dy % 2, dy / 2)
                                         : line_of(job, front, (int64_t)number - dy, 0);
    if (job->pass) {
        unsigned char *in;
        if (!halftone_pass_fetch(job->pass, thread, number, 1, &in, &work.row.out)) {
            wavefront_skip(front, chain, number);
            return;
        }
        work.row.in = in;
    }
    if (!job->source)
        memset(work.row.out, 0, diffusion_row_bytes(plan));
    struct band_way way = {plan->width, job->interval, DIFFUSION_PAD, delay_of(plan)};
    wavefront_walk(front, chain, number, thread, &way, scalar_steps, &work, sizeof work);
    if (job->pass)
        halftone_pass_take(job->pass, thread, number, 1);
    atomic_fetch_add(&job->steps, plan->width);
}

static void run(struct diffusion_run *run, const struct halftone_block *block)
{
    const struct diffusion_plan *plan = run->plan;
    const struct wave_code *code = find_code(plan, run->cpu);
    const int abreast = run->abreast > 1 ? run->abreast : 1;
    struct wavefront *front = run->state;
    struct wavefront_shape shape = shape_of(plan, code, run->threads);
    if (!run->cleared)
        clear_lines(run);
    front->last = block->first_row + block->rows == run->end_row;

    struct job job = {
        .plan = plan,
        .code = code,
        .block = block,
        .height = code ? code->lanes : 1,
        .source = run->source,
        .pass = run->pass,
    };
    struct band_chain chain = {plan->width, front->begun,
                               (block->rows + (uint32_t)job.height - 1) / (uint32_t)job.height};
    struct wavefront_pace pace = wavefront_pace(plan->width, (int64_t)plan->skew * (job.height - 1),
                                                WAVE_CHUNK, chain.bands, run->threads / abreast);
    job.interval = abreast > 1 ? 4 * WAVE_CHUNK : pace.interval;
    job.alone = pace.threads == 1 && abreast == 1;
    front->abreast = abreast;
    wavefront_run(front, &shape, run->pool, pace.threads, &chain, 1,
                  code ? run_vector_band : run_scalar_band, &job);
    front->begun += chain.bands;
    run->steps += atomic_load(&job.steps);
}

const struct diffusion_schedule diffusion_wave = {
    .name = "wave",
    .summary = "rows as SIMD lanes, bands over threads",
    .state_bytes = state_bytes,
    .granularity = granularity,
    .run = run,
    .begin = begin,
    .carried = carried,
};
